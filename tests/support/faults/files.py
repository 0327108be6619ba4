"""Files of rows of every format, changed at random."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from faults import hostile
from faults.fuzzer import Case, Fault, Fuzzer
from faults.in_process import checked
from strategies import SENTENCES

_FAST = ("--attack", "butterfingers", "--no-constraints", "--similarity", "none", "-q")
_ROWS: Sequence[Mapping[str, Any]] = [
    {"text": text, "label": number % 2, "share": number / 7, "tags": ["а", None], "more": {"b": 1e-7}, "none": None}
    for number, text in enumerate(text for text in SENTENCES if "\n" not in text)
]
_KINDS = ("jsonl", "json", "csv", "tsv", "txt", "parquet", "jsonl.gz", "csv.gz", "jsonl.zst")


class Files(Fuzzer):
    """Files of every format with other bytes, or other values of JSON, into every format.

    What comes of it is one line, or rows that can be read again.
    """

    name: ClassVar[str] = "files"
    unit: ClassVar[str] = "files"
    goal: ClassVar[int] = 9_000
    share: ClassVar[float] = 2.0

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        first = folder / "first.jsonl"
        first.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in _ROWS), encoding="utf-8")
        for kind in _KINDS:
            checked("perturb", first, "-o", folder / f"good.{kind}", *_FAST, "--probability", "0", "--meta", "none")
        self._good = {kind: (folder / f"good.{kind}").read_bytes() for kind in _KINDS}

    def draw(self, random: Random) -> Case:
        """Changes of the bytes of a file, or of the values of its rows."""
        source = random.choice(_KINDS)
        changes: list[Any] = [
            hostile.byte_change(random, len(self._good[source])) for _ in range(random.choice([1, 1, 2, 5]))
        ]
        if source in {"json", "jsonl"} and random.random() < 0.7:
            changes = [hostile.change(random, list(_ROWS)) for _ in range(random.choice([1, 2, 4]))]
        skip, meta = random.random() < 0.3, random.choice(["full", "none"])
        return Case(changes, {"from": source, "to": random.choice(_KINDS), "skip": skip, "meta": meta})

    def check(self, case: Case) -> int:
        """Perturb the file; read what was written."""
        given = case.settings
        source, target = self.folder / f"in.{given['from']}", self.folder / f"out.{given['to']}"
        target.unlink(missing_ok=True)
        source.write_bytes(self._changed(given["from"], case.pieces))
        skip = ("--on-error", "skip") if given["skip"] else ()
        code = checked("perturb", source, "-o", target, *_FAST, "--meta", given["meta"], *skip)
        self.note(("written", "refused", "refused")[code])
        if target.exists() != (code == 0 or (code == 1 and given["skip"] and target.exists())):
            raise Fault(f"exit code {code}, and the output exists: {target.exists()}")
        has_rows = target.exists() and bool(target.read_bytes().strip(b"\n\r \xef\xbb\xbf"))
        if has_rows and checked("perturb", target, "-o", self.folder / "again.jsonl", *_FAST, "--meta", "none"):
            raise Fault("what was written cannot be read")
        if left := [path.name for path in self.folder.iterdir() if path.name.endswith(".part")]:
            raise Fault(f"left behind: {left}")
        return 1

    def _changed(self, kind: str, changes: Sequence[Any]) -> bytes:
        """The bytes of a file with changes of its bytes, or of its values."""
        if len(changes[0]) == len(("from", "to", "bytes")):
            return hostile.with_bytes(self._good[kind], changes)
        rows = hostile.changed(list(_ROWS), changes)
        text = json.dumps(rows) if kind == "json" else "".join(f"{json.dumps(row)}\n" for row in rows)
        return text.encode()
