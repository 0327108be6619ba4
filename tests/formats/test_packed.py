"""Packed files, other encodings and plain texts: what is read is what was meant, and what is written reads back."""

import gzip
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru.errors import AugmentError
from augment_ru.formats.files import bare_name, check_encoding, in_utf8, packed, unpacked
from augment_ru.formats.sources import kind_of
from commands import fails, rows_of, run, write

PLAIN = ("--attack", "case", "--no-constraints", "--similarity", "none")
TEXTS = "Кошка спит на окне.\n\nСобака лает во дворе."


@given(st.lists(st.binary(max_size=300)), st.sampled_from(["a.jsonl", "a.jsonl.gz", "A.CSV.GZ", "a.txt.zst"]))
def test_what_is_packed_is_unpacked(pieces: list[bytes], name: str) -> None:
    written = io.BytesIO()
    with packed(written, name) as stream:
        for piece in pieces:
            stream.write(piece)
    assert unpacked(io.BytesIO(written.getvalue()), name).read() == b"".join(pieces)
    again = io.BytesIO()
    with packed(again, name) as stream:
        stream.write(b"".join(pieces))
    assert again.getvalue() == written.getvalue()  # whatever the pieces


def read_as(data: bytes, encoding: str) -> bytes:
    """The content of a file that was said to be in this encoding, in UTF-8."""
    with in_utf8(io.BytesIO(data), encoding) as found:
        return found.read()


@given(st.text(), st.sampled_from(["utf-8", "utf-16", "koi8-r", "cp1251"]))
def test_every_encoding_is_read_as_utf_8(text: str, encoding: str) -> None:
    data = text.encode(encoding, "ignore")
    try:
        is_utf8 = "\0" not in data.decode()
    except UnicodeDecodeError:
        is_utf8 = False
    expected = data if encoding == "utf-8" or is_utf8 else data.decode(encoding).encode()
    assert read_as(data, encoding) == expected


def test_a_file_in_utf_8_is_read_as_it_is_whatever_the_encoding_of_the_others() -> None:
    assert read_as("Кошка спит.".encode(), "cp1251") == "Кошка спит.".encode()
    assert read_as("Кошка спит.".encode("cp1251"), "cp1251") == "Кошка спит.".encode()
    assert read_as("Cat".encode("utf-16"), "utf-16") == b"Cat"


def test_bytes_that_an_encoding_lacks_are_named_with_their_place() -> None:
    data = "а".encode("cp1251") * 100_000 + b"\x98"
    with pytest.raises(AugmentError, match="not cp1251 at byte 100000"):
        read_as(data, "cp1251")
    with pytest.raises(AugmentError, match="no such encoding of texts"):
        check_encoding("rot13")


@pytest.mark.parametrize("cut", [lambda data: data[:-9], lambda _: b"{}"])
@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst"])
def test_a_damaged_file_is_one_error(cut: Callable[[bytes], bytes], name: str) -> None:
    written = io.BytesIO()
    with packed(written, name) as stream:
        stream.write(TEXTS.encode() * 50)
    with pytest.raises(AugmentError, match="cannot be unpacked"):
        unpacked(io.BytesIO(cut(written.getvalue())), name).read()


def test_names_say_the_format() -> None:
    assert {name: kind_of(name) for name in ("a", "-", "a.jsonl.gz", "a.ndjson", "a.CSV", "a.tsv.zst", "a.txt")} == {
        "a": "JSON lines", "-": "JSON lines", "a.jsonl.gz": "JSON lines", "a.ndjson": "JSON lines", "a.CSV": "CSV",
        "a.tsv.zst": "TSV", "a.txt": "text",
    }  # fmt: skip
    assert bare_name("b/a.jsonl.gz") == "b/a.jsonl"
    for name, problem in (
        ("a.xlsx", "no format ends in .xlsx; save the sheet as CSV"),
        ("a.parquet.gz", "leave out .gz"),
    ):
        with pytest.raises(AugmentError, match=problem):
            kind_of(name)


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_packed_files_on_both_sides(tmp_path: Path, ending: str) -> None:
    source = write(tmp_path / "in.jsonl", {"id": 1, "text": "Кошка спит на окне."})
    plain = run("perturb", source, *PLAIN).stdout
    first, second = tmp_path / f"first.jsonl.{ending}", tmp_path / "second.jsonl"
    with first.open("wb") as file, packed(file, first.name) as stream:
        stream.write(source.read_bytes())
    assert run("perturb", first, *PLAIN).stdout == plain
    done = run("perturb", source, *PLAIN, "-o", first)
    assert done.stderr.decode().endswith(f"augment-ru: wrote 1 row to {first}\n")
    with first.open("rb") as stream:
        assert unpacked(stream, first.name).read() == plain
    assert run("perturb", first, "--attack", "case", "--meta", "none", "-o", second).returncode == 0
    assert "no format ends in .xlsx" in fails(2, "perturb", source, *PLAIN, "-o", tmp_path / "out.xlsx")


def test_plain_texts_line_by_line(tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_bytes(TEXTS.replace("\n", "\r\n").encode("cp1251"))
    assert "not UTF-8" in fails(1, "perturb", source, *PLAIN)
    done = run("perturb", source, *PLAIN, "--encoding", "cp1251", "--probability", "0")
    assert done.stdout.decode() == TEXTS.replace("\n", "\r\n")
    out = tmp_path / "out.jsonl"
    run("perturb", source, *PLAIN, "--encoding", "cp1251", "-o", out)
    rows = rows_of(out.read_bytes())
    assert [row["augment"]["source"]["text"] for row in rows] == TEXTS.split("\n")
    texts = tmp_path / "texts.txt"
    run("perturb", out, *PLAIN, "--meta", "none", "-o", texts, "--probability", "0")
    assert texts.read_text(encoding="utf-8").split("\n") == [row["text"] for row in rows] + [""]
    stdin = run("perturb", "-", *PLAIN, "--input-format", "txt", "--probability", "0", stdin=TEXTS.encode())
    assert stdin.stdout.decode() == TEXTS


def test_a_text_file_holds_one_text_a_row(tmp_path: Path) -> None:
    for row, problem in (
        ({"text": "две\nстроки"}, "a text has a line feed"),
        ({"passage": "Кошка спит.", "question": "Спит ли кошка?", "label": True}, "choose one with --field"),
    ):
        source = write(tmp_path / "in.jsonl", row)
        assert problem in fails(1, "perturb", source, *PLAIN, "-o", tmp_path / "out.txt")
        assert not (tmp_path / "out.txt").exists()


def test_gzip_of_other_programs(tmp_path: Path) -> None:
    path = tmp_path / "in.csv.gz"
    path.write_bytes(gzip.compress("text\nКошка\n".encode()) + gzip.compress("Собака\n".encode()))  # two members
    assert (
        run("perturb", path, *PLAIN, "--probability", "0", "--meta", "none").stdout.decode() == "text\nКошка\nСобака\n"
    )
