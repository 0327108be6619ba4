"""Choose the split `hard` of a task: those of the rows made by searches that break the most models.

If right answers are labels, each label has the same share in the split as among the originals of the task.

The split follows from the test rows and their edit log, which names the models that a row of a search breaks.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from augment_ru.evaluation.verdicts import shares
from augment_ru.records.record import Record, label_of_record

HARD = "hard"


class _Worst(NamedTuple):
    """The row of an original that breaks the most models; better ones compare greater.

    Attributes:
        models: how many of the counted models it breaks; 0 for the original itself.
        similarity: its similarity to the original.
        line: minus the number of its line in the test file (from 0), so that of equal rows the first compares greater.
        breaks: all models that it breaks, by the names of their variations.
    """

    models: int
    similarity: float
    line: int
    breaks: frozenset[str] = frozenset()


def splits_in(task: Mapping[str, Any]) -> list[str]:
    """Return which of the splits (files of rows) `train`, `test` and `hard` a task of a release has.

    `hard` holds the rows that break the most models.

    Args:
        task: what the manifest says about the task.
    """
    return [split for split in ("train", "test", HARD) if task.get(split)]


def hard_split(
    folder: Path, records: Sequence[Record], searches: Sequence[str], count: int, *, labelled: bool
) -> tuple[bytes, dict[str, Any]]:
    """Return the rows of a task that break the most models (the split `hard`), and what the manifest says about them.

    The rows are lines of JSON, in the order of the originals. Each original gives at most one row: the one that breaks
    the most models, or the original itself if no row breaks a model.

    Args:
        folder: the folder of the task, with its test rows and their edit log.
        records: the original rows.
        searches: the names of the searches; each attacked one model.
        count: how many rows the split has, at most as many as there are originals.
        labelled: whether right answers are labels; each label then has the same share in the split as among the
            originals.
    """
    lines = (folder / "test.jsonl").read_bytes().splitlines(keepends=True)
    entries = [orjson.loads(line) for line in (folder / "edits.jsonl").read_bytes().splitlines()]
    labels = [label_of_record(record) if labelled else "" for record in records]
    worst = _worst(entries, len(records), searches)
    chosen = _hardest(worst, labels, count)
    found: dict[str, Any] = {
        "rows": count,
        "broken_by": [sum(worst[at].models == number for at in chosen) for number in range(len(searches) + 1)],
        "labels": dict(sorted(Counter(labels[at] for at in chosen).items())) if labelled else {},
        "transfer": [],
    }
    searched = [one for one in entries if one["perturbation"] in searches]
    tried = [one for one in searched if one["search"]["status"] != "wrong_before"]
    right = {name: {one["row"] for one in tried if one["perturbation"] == name} for name in searches}
    for name in searches if len(searches) > 1 else ():
        others = _worst(entries, len(records), [one for one in searches if one != name])
        figures: dict[str, int | float | None] = {}
        for prefix, rows in {"": _hardest(others, labels, count), "all_": range(len(records))}.items():
            known = [at for at in rows if at in right[name]]
            broken = sum(name in others[at].breaks for at in known)
            asr = round(100 * broken / len(known), 1) if known else None
            figures |= {f"{prefix}right": len(known), f"{prefix}broken": broken, f"{prefix}asr": asr}
        found["transfer"].append({"name": name, **figures})
    return b"".join(lines[-worst[at].line] for at in chosen), found


def _worst(entries: Sequence[Mapping[str, Any]], size: int, searches: Sequence[str]) -> list[_Worst]:
    """Return, for each original, the row that breaks the most models, out of the rows of these searches."""
    found = [_Worst(0, 1.0, -at) for at in range(size)]
    for line, entry in enumerate(entries):
        if entry["perturbation"] in searches and entry["search"]["status"] == "broken":
            breaks = frozenset([entry["perturbation"], *entry["search"].get("breaks", ())])
            own = _Worst(len(breaks.intersection(searches)), entry["similarity"] or 0.0, -line, breaks)
            found[entry["row"]] = max(found[entry["row"]], own, key=lambda one: one[:3])
    return found


def _hardest(worst: Sequence[_Worst], labels: Sequence[str], count: int) -> list[int]:
    """Choose the hardest originals of each label for the split; return their numbers, ascending.

    Each label gets the share of `count` that it has among all originals, by the method of largest remainders.
    """
    sizes = dict(sorted(Counter(labels).items()))
    found: list[int] = []
    for label, most in zip(sizes, shares(count, [*sizes.values()]), strict=True):
        own = [at for at, one in enumerate(labels) if one == label]
        found += sorted(own, key=lambda at: (-worst[at].models, -worst[at].similarity, at))[:most]
    return sorted(found)
