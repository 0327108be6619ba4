"""The place of the cache of answers."""

import sqlite3
import sys
from pathlib import Path

import pytest

from augment_ru import AugmentError
from augment_ru.evaluation.examples import Cache, default_path

_ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT"
_TABLE = "CREATE TABLE answers (key BLOB PRIMARY KEY, answer TEXT NOT NULL) WITHOUT ROWID"
_KEYS = [bytes([number] * 16) for number in range(3)]


def test_the_environment_names_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_path() == tmp_path / "augment-ru" / "responses.sqlite"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the folder of Linux")
@pytest.mark.parametrize("value", [None, ""])
def test_without_it_the_file_is_in_the_user_s_cache_folder(
    value: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    if value is None:
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", value)
    assert default_path() == tmp_path / ".cache" / "augment-ru" / "responses.sqlite"


def test_answers_come_back_as_they_were_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "a.sqlite")
    cache.put(zip(_KEYS, ["да", None, {"a": [1, 2.5]}], strict=True))
    cache.close()
    again = Cache(tmp_path / "a.sqlite")
    assert again.get(_KEYS) == dict(zip(_KEYS, ["да", None, {"a": [1, 2.5]}], strict=True))
    again.close()


@pytest.mark.parametrize(
    "schema",
    [
        f"CREATE VIEW answers AS {_ENDLESS} x AS key, x AS answer FROM c",
        f"CREATE VIEW answers AS {_ENDLESS} zeroblob(16) AS key, 'x' AS answer FROM c",
        "CREATE TABLE answers (key, answer)",
        "CREATE TABLE other (x)",
        f"{_TABLE}; CREATE TRIGGER t AFTER INSERT ON answers BEGIN INSERT INTO answers {_ENDLESS} x, x FROM c; END",
    ],
)
def test_a_file_with_other_tables_or_code_is_no_cache(schema: str, tmp_path: Path) -> None:
    file = sqlite3.connect(tmp_path / "a.sqlite")
    file.executescript(schema)
    file.close()
    with pytest.raises(AugmentError, match="is another database, no cache of answers; name another file"):
        Cache(tmp_path / "a.sqlite")


@pytest.mark.parametrize("value", ["5", "x'00'", "1.5", "'{'", "'" + "[" * 100_000 + "'", "'" + "9" * 5000 + "'"])
def test_a_value_that_is_no_answer_is_one_line(value: str, tmp_path: Path) -> None:
    Cache(tmp_path / "a.sqlite").close()
    file = sqlite3.connect(tmp_path / "a.sqlite")
    file.execute(f"INSERT INTO answers VALUES (x'{_KEYS[0].hex()}', {value})")  # noqa: S608  (values of this test)
    file.commit()
    file.close()
    cache = Cache(tmp_path / "a.sqlite")
    if value == "5":  # the type of the column makes it a text, which is JSON
        assert cache.get(_KEYS) == {_KEYS[0]: 5}
    elif value == "1.5":
        assert cache.get(_KEYS) == {_KEYS[0]: 1.5}
    else:
        with pytest.raises(AugmentError, match=r"a\.sqlite: .+; remove the file, or name another"):
            cache.get(_KEYS)
    cache.close()


def test_what_sqlite_says_of_a_damaged_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    Cache(path).close()
    path.write_bytes(
        path.read_bytes().replace(b"answer TEXT", b"[nswer TEXT").replace(b"WITHOUT ROWID", b"WITHOUT\nROWID")
    )
    with pytest.raises(AugmentError, match="malformed database schema") as caught:
        Cache(path)
    assert "\n" not in str(caught.value)
