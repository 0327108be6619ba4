"""The pairs that a card shows: of each attack the first row that it perturbed, beside its original."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from augment_ru.records import field_paths


def shown_pairs(folder: Path, tasks: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """An original and a perturbed text of each attack, from the first task in which it perturbed a row.

    Args:
        folder: the release, with its test rows and edit logs.
        tasks: the entries of the tasks in the manifest.
    """
    found: dict[str, dict[str, str]] = {}
    for task in tasks:
        rows, entries = ([json.loads(line) for line in _lines(folder / task["name"] / name)] for name in _FILES)
        for row, entry in zip(rows, entries, strict=True):
            name = entry["perturbation"]
            if entry["status"] != "perturbed" or name in found:
                continue
            field = next(field for field, edits in entry["edits"].items() if edits)
            original, perturbed = (field_paths.value(one, field) for one in (rows[entry["row"]], row))
            texts = {"original": str(original), "perturbed": str(perturbed)}
            found[name] = {"perturbation": name, "task": task["name"], "field": field, **texts}
    return list(found.values())


_FILES = ("test.jsonl", "edits.jsonl")


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line]
