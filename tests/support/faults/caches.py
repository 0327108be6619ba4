"""Caches of answers that come from others, changed at random."""

import json
import sqlite3
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from augment_ru import AugmentError
from augment_ru.evaluation.examples import Cache
from faults import hostile
from faults.fuzzer import Case, Fault, Fuzzer

_SQL = (
    "INSERT INTO answers VALUES (x'{key}', {value})",
    "INSERT OR REPLACE INTO answers VALUES ({value}, {value})",
    "CREATE TABLE more (x)",
    "CREATE VIEW more AS SELECT * FROM answers",
    "CREATE INDEX more ON answers (answer)",
    "CREATE TRIGGER t AFTER INSERT ON answers BEGIN INSERT INTO answers SELECT randomblob(16), 1 FROM answers; END",
    "DROP TABLE answers",
    "ALTER TABLE answers ADD COLUMN x",
    "ALTER TABLE answers RENAME TO others",
    "CREATE VIEW answers AS WITH RECURSIVE c(x) AS (SELECT 1 UNION SELECT x + 1 FROM c) SELECT x key, x answer FROM c",
    "PRAGMA user_version = 7",
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = {value}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA encoding = 'UTF-16'",
)
_SQL_VALUES = (
    "1",
    "NULL",
    "1.5",
    "'x'",
    "'\"x\"'",
    "x'00ff'",
    "''",
    "'[1, 2]'",
    "'{'",
    "zeroblob(100000)",
    "'" + "[" * 50_000 + "'",
    "'1e999'",
    "'" + "9" * 5000 + "'",
    "'\"\\ud800\"'",
)


class Caches(Fuzzer):
    """Caches of answers with other tables, values and bytes: one line, or answers that are values of JSON."""

    name: ClassVar[str] = "caches"
    unit: ClassVar[str] = "caches"
    goal: ClassVar[int] = 10_000

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._keys = [bytes([number] * 16) for number in range(64)]
        cache = Cache(folder / "good.sqlite")
        cache.put((key, ["да", None, 5, {"a": [1.5]}][number % 4]) for number, key in enumerate(self._keys))
        cache.close()
        self._good = (folder / "good.sqlite").read_bytes()

    def draw(self, random: Random) -> Case:
        """Statements of SQL, and changes of bytes."""
        pieces: list[Any] = []
        for _ in range(random.choice([1, 1, 2, 4])):
            if random.random() < 0.5:
                key = random.choice(self._keys).hex()
                pieces.append(random.choice(_SQL).format(key=key, value=random.choice(_SQL_VALUES)))
            else:
                pieces.append(hostile.byte_change(random, len(self._good)))
        return Case(pieces)

    def check(self, case: Case) -> int:
        """Read the cache, and write to it."""
        path = self.folder / "cache.sqlite"
        for left in self.folder.glob("cache.sqlite*"):
            left.unlink()
        path.write_bytes(self._good)
        for piece in case.pieces:
            if isinstance(piece, str):
                with suppress(sqlite3.Error):
                    file = sqlite3.connect(path)
                    file.executescript(piece)
                    file.close()
            else:
                path.write_bytes(hostile.with_bytes(path.read_bytes(), [piece]))
        try:
            cache = Cache(path)
            try:
                found = cache.get([*self._keys, b"another key"])
                json.dumps(list(found.values()))
                cache.put([(b"another key", "да")])
                if cache.get([b"another key"]) != {b"another key": "да"}:
                    raise Fault("an answer that was written is lost")
                self.note("read")
            finally:
                cache.close()
        except AugmentError as error:
            if "\n" in str(error):
                raise Fault(f"an error of several lines: {error}") from error
            self.note("refused")
        return 1
