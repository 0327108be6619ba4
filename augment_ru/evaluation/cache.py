"""The cache of answers, on disk: a repeated or interrupted evaluation asks a model only what is new."""

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from platformdirs import user_cache_path

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Example, Prediction

_APPLICATION = "augment-ru"

_MANY = 500
"""Keys in one query; SQLite takes at least 999."""

_TABLE = "CREATE TABLE answers (key BLOB PRIMARY KEY, answer TEXT NOT NULL) WITHOUT ROWID"
"""All that a cache holds. A file with views, triggers or other tables is none, so it has no code that could run."""

_MOST_BYTES = 2**24
"""The most bytes of an answer."""

_WAIT = 60.0
"""Seconds to wait while another process writes."""


def default_path() -> Path:
    """The default file, in the user's cache folder; the environment variable XDG_CACHE_HOME names another."""
    home = os.environ.get("XDG_CACHE_HOME")
    folder = Path(home) / _APPLICATION if home else user_cache_path(_APPLICATION, appauthor=False)
    return folder / "responses.sqlite"


def answer_keys(signature: str, examples: Sequence[Example]) -> list[bytes]:
    """The key of each answer: a hash of the model's signature and of the whole question.

    Demonstrations are encoded once for all examples that show the same objects.
    """
    shown: dict[int, bytes] = {}
    found: list[bytes] = []
    for example in examples:
        shots = shown.get(id(example.shots))
        if shots is None:
            shots = shown[id(example.shots)] = _canonical(example.shots)
        question = (signature, example.task.name, example.task.scoring.gold, example.text, example.record)
        found.append(blake2b(_canonical(question) + shots, digest_size=16).digest())
    return found


def _as_json(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, default=_as_json, separators=(",", ":"))


def _canonical(value: object) -> bytes:
    return _ENCODER.encode(value).encode("utf-8", "surrogatepass")


class Cache:
    """Answers by key in an SQLite file. They are on disk when `put` returns; several processes may share the file."""

    def __init__(self, path: Path) -> None:
        """Open the file, or create it.

        Raises:
            AugmentError: the file cannot be opened, or is no SQLite file.
        """
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(path, timeout=_WAIT)
            self._file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
            self._file.execute("PRAGMA trusted_schema = OFF")
            schema = self._schema()
            if not schema:
                self._file.execute(_TABLE.replace("TABLE", "TABLE IF NOT EXISTS", 1))
                self._file.commit()
                schema = self._schema()
        except (sqlite3.Error, OSError, ValueError) as error:
            raise AugmentError(f"`cache` {path}: {error}; name another file, or none") from error
        if schema != [("table", "answers", _TABLE)]:
            self._file.close()
            raise AugmentError(f"`cache` {path}: is another database, no cache of answers; name another file, or none")

    def _schema(self) -> list[tuple[object, ...]]:
        """The kind, the name and the definition of at most two things that the file holds."""
        return self._file.execute("SELECT type, name, sql FROM sqlite_master LIMIT 2").fetchall()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Prediction]:
        """The answers that the file holds, by key.

        Raises:
            AugmentError: the file is damaged.
        """
        found: dict[bytes, Prediction] = {}
        try:
            for start in range(0, len(keys), _MANY):
                part = keys[start : start + _MANY]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, answer FROM answers WHERE key IN ({marks})"  # noqa: S608  (question marks alone)
                found |= {key: _answer(answer) for key, answer in self._file.execute(query, part)}
        except (sqlite3.Error, ValueError, RecursionError) as error:
            raise AugmentError(f"`cache` {self.path}: {error}; remove the file, or name another") from error
        return found

    def put(self, answers: Iterable[tuple[bytes, Prediction]]) -> None:
        """Write answers.

        Raises:
            AugmentError: the file cannot be written, or the disk is full.
        """
        rows = [(key, json.dumps(answer, ensure_ascii=True)) for key, answer in answers]
        try:
            with self._file:
                self._file.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            raise AugmentError(f"`cache` {self.path}: {error}; name another file, or none") from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _answer(stored: object) -> Prediction:
    """An answer as it was written.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(stored, str):
        raise ValueError(f"an answer is {type(stored).__name__}")  # noqa: TRY004  (what JSON raises)
    answer: Prediction = json.loads(stored)
    return answer
