"""Strict TOML: each wrong file is refused in one line that says where, what and what is possible."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest

from augment_ru import AugmentError
from augment_ru.strict_tables import Number, SomeText, SomeTexts, read_toml, typed


class _Row(msgspec.Struct, forbid_unknown_fields=True):
    x: int


class _Mine(msgspec.Struct, forbid_unknown_fields=True):
    name: SomeText
    count: int = 3
    share: Number | None = None
    exact: bool | None = None
    words: SomeTexts | None = None
    row: tuple[_Row, ...] = ()
    size: Annotated[int, msgspec.Meta(ge=1)] = 1
    sizes: Literal["all"] | tuple[Annotated[int, msgspec.Meta(ge=1)], ...] = ()
    level: Annotated[int, msgspec.Meta(ge=0, le=9)] = 0
    shown: int = msgspec.field(name="5%", default=0)
    kinds: dict[str, Literal["a", "b"]] = {}
    counts: dict[str, Annotated[int, msgspec.Meta(ge=0)]] = {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name = ", "mine.toml: not TOML: "),
        ("name = people", "mine.toml: not TOML: Invalid value (at line 1, column 8); a text stands in quotation marks"),
        ("", "mine.toml: 'name' is missing; it must be a text that is not empty"),
        ("name = ''", "mine.toml: 'name' is ''; it must be a text that is not empty"),
        ("name = 1", "mine.toml: 'name' is 1; it must be a text"),
        ("name = 'a'\nnmae = 'b'", "mine.toml: no key called 'nmae'; did you mean 'name'? known: name, 5%, count"),
        ("name = 'a'\ncount = true", "mine.toml: 'count' is True; it must be an integer"),
        ("name = 'a'\ncount = 1.5", "mine.toml: 'count' is 1.5; it must be an integer"),
        ("name = 'a'\nshare = false", "mine.toml: 'share' is False; it must be a number"),
        ("name = 'a'\nexact = 1", "mine.toml: 'exact' is 1; it must be true or false"),
        ("name = 'a'\nwords = []", "mine.toml: 'words' is []; it must be a list of at least one text"),
        ("name = 'a'\n[row]\nx = 1", "mine.toml: 'row' is {'x': 1}; it must be a list of tables"),
        ("name = 'a'\n[[row]]\nx = 1\n[[row]]\ny = 1", "mine.toml: [[row]] 2: no key called 'y'"),
        ("name = 'a'\nsize = 0", "mine.toml: 'size' is 0; it must be an integer from 1 on"),
        ("name = 'a'\nsizes = [0]", "mine.toml: 'sizes' is [0]; it must be 'all' or a list of integers from 1 on"),
        ("name = 'a'\nlevel = 10", "mine.toml: 'level' is 10; it must be an integer from 0 to 9"),
        ("name = 'a'\nkinds = { x = 'a', y = 'c' }", "mine.toml: [kinds]: 'y' is 'c'; it must be 'a' or 'b'"),
        ("name = 'a'\ncounts = { x = 1, y = -1 }", "mine.toml: [counts]: 'y' is -1; it must be an integer from 0 on"),
        ("name = 'a'\n'5%' = 'x'", "mine.toml: '5%' is 'x'; it must be an integer"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(AugmentError) as raised:
        typed("mine.toml", read_toml(path, "mine.toml"), _Mine)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


def test_what_cannot_be_read_is_named_by_its_path(tmp_path: Path) -> None:
    with pytest.raises(AugmentError, match=r"no\.toml: cannot be read \(No such file"):
        read_toml(tmp_path / "no.toml", "mine.toml")
    (tmp_path / "latin.toml").write_bytes(b"name = '\xe9'")
    with pytest.raises(AugmentError, match=r"latin\.toml: not UTF-8 at byte 8; save it as UTF-8"):
        read_toml(tmp_path / "latin.toml")


def test_absent_keys_have_their_defaults(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("\ufeffname = 'a'\nshare = 1\n", encoding="utf-8")
    made = typed("mine.toml", read_toml(path), _Mine)
    assert made == _Mine("a", share=1)
    assert type(made.share) is int


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name = " + "[" * 20_000, "mine.toml: not TOML that can be read: it is nested too deeply"),
        ("count = " + "9" * 5_000, "mine.toml: not TOML: Exceeds the limit"),
        ("name = '" + "я" * 2**20 + "'", "mine.toml: over 1,048,576 bytes; such a file may have no more"),
        ("words = ['" + "я" * 1_000 + "', 5]", "mine.toml: 'words' is ['" + "я" * 78 + "…; it must be a list of"),
    ],
)
def test_what_is_too_much_is_one_line(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(content, encoding="utf-8")
    with pytest.raises(AugmentError) as caught:
        typed("mine.toml", read_toml(tmp_path / "mine.toml", "mine.toml"), _Mine)
    assert str(caught.value).startswith(message)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of Unix")
def test_a_file_without_an_end_is_not_read_to_its_end() -> None:
    with pytest.raises(AugmentError, match="over 1,048,576 bytes"):
        read_toml(Path("/dev/zero"))
