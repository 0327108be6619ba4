"""The rows that a card shows: a perturbed row of each attack beside its original, and a demonstration of each task."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from augment_ru.records import field_paths
from augment_ru.records.answers import answer_values, label_of


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


def shown_demonstrations(
    folder: Path, tasks: Sequence[Mapping[str, Any]], inputs: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """For each task the first demonstration of its first episode, with its right answers, and where it comes from.

    Args:
        folder: the release, with its train rows.
        tasks: the entries of the tasks in the manifest.
        inputs: the entries of the input files there.
    """
    files = {one["task"]: one["file"] for one in inputs if one["split"] == "train"}
    found = []
    for task in tasks:
        rows = [json.loads(line) for line in _lines(folder / task["name"] / "train.jsonl")] if task["train"] else []
        shown = [(min(row["episode"]), at) for at, row in enumerate(rows) if row["episode"]]
        if not shown:
            continue
        episode, at = min(shown)
        answers = [label_of(one) for name in task["gold"] for one in _answers(rows[at], name)]
        texts = [str(one) for name in task["fields"] for one in field_paths.values(rows[at], name)]
        source = {"file": files.get(task["name"], ""), "row": at + 1}
        found.append({"task": task["name"], "episode": episode, **source, "texts": texts, "answers": answers})
    return found


def _answers(row: Mapping[str, Any], name: str) -> list[object]:
    """The single right answers in a field."""
    return list(answer_values(field_paths.values(row, name)))


_FILES = ("test.jsonl", "edits.jsonl")


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line]
