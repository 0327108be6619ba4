"""Files in other encodings than UTF-8 are read as if they were in UTF-8; a file in UTF-8 is read as it is."""

from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import AugmentError
from augment_ru.formats.files import check_encoding, in_utf8
from commands import run
from logs import Logs
from profiles import IS_FULL, pairs

ENCODINGS = ("cp1251", "koi8-r", "cp866", "utf-16", "utf-16-le", "utf-16-be", "utf-8", "utf-8-sig", "mac-cyrillic")
CHARACTERS = "абвгдеёжзийклмнопрстуфхцчшщъыьэюяАБВЁЯ .,!?-()\"'0123456789abcXYZ\n\t"
ANY_TEXTS = st.text(st.sampled_from(CHARACTERS), max_size=200).map(lambda text: f"{text}\nпёс\n")


def read(data: bytes, encoding: str) -> str:
    """The content of a file with this encoding."""
    with in_utf8(BytesIO(data), encoding) as stream:
        return stream.read().decode()


@given(ANY_TEXTS, st.sampled_from(ENCODINGS))
def test_a_text_is_read_whether_it_is_in_the_encoding_or_in_utf8(text: str, encoding: str) -> None:
    assert read(text.encode(), encoding) == text
    assert read(text.encode(encoding), encoding).removeprefix("\ufeff") == text


@pytest.mark.parametrize(
    ("data", "encoding", "warned"),
    [
        ("пёс".encode(), "cp1251", True),
        ("пёс".encode(), "utf-16", True),
        ("пёс".encode("cp1251"), "cp1251", False),
        ("пёс".encode("utf-8-sig"), "utf-8-sig", False),
        ("пёс".encode(), "UTF8", False),
        (b"dog", "cp1251", False),
        (b"", "cp1251", False),
    ],
)
def test_a_file_in_utf8_is_read_so_with_a_warning_that_the_encoding_is_not_its_own(
    data: bytes, encoding: str, *, warned: bool, logs: Logs
) -> None:
    assert read(data, encoding).removeprefix("\ufeff") in ("пёс", "dog", "")
    assert ("input: is in UTF-8, and read as UTF-8" in "\n".join(logs.messages)) is warned


def test_a_file_of_a_third_encoding_is_an_error() -> None:
    with pytest.raises(AugmentError, match="not ascii at byte 0; name its encoding with `encoding`"):
        read("пёс".encode("cp1251"), "ascii")
    with pytest.raises(AugmentError, match="`encoding` cp1521: no such encoding"):
        check_encoding("cp1521")


@pytest.mark.parametrize(("suffix", "options"), pairs(("csv", "tsv"), ((), ("--workers", "2"))))
def test_a_table_of_another_encoding_is_written_with_a_byte_order_mark(
    tmp_path: Path, suffix: str, options: tuple[str, ...]
) -> None:
    mark = ";" if suffix == "csv" else "\t"
    table = f"id{mark}text\r\n1{mark}Кошка спит\r\n2{mark}Собака лает\r\n"
    changed = table.replace("Кошка спит", "Rjirf cgbn").replace("Собака лает", "Cj,frf kftn").encode()
    cases = ((table.encode("cp1251"), "\ufeff".encode()), (table.encode(), b""))
    for data, begins in cases[: 1 if options and not IS_FULL else 2]:  # workers start for each
        path, out = tmp_path / f"in.{suffix}", tmp_path / f"out.{suffix}"
        path.write_bytes(data)
        done = run("perturb", path, "--encoding", "cp1251", "--attack", "wrong_layout", "--probability", "1", *options,
                   "--similarity", "none", "--meta", "none", "-o", out, forks=True)  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()
        assert out.read_bytes() == begins + changed
