"""The files of a release from its parts: rows, evidence, card, tasks for lm-evaluation-harness, manifest."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from augment_ru.formats.json_lines import parsed
from augment_ru.records import field_paths
from augment_ru.release.card import card
from augment_ru.release.edit_log import digest
from augment_ru.release.figures import Tally, merged
from augment_ru.release.lm_eval import harness_files
from augment_ru.release.manifest import MANIFEST, OWN, encoded_manifest, listed
from augment_ru.release.recipe import Blueprint
from augment_ru.release.shards import Part
from augment_ru.release.sources import Source, constraints, drawn, episodes, train_rows

CARD, RECIPE = "README.md", "recipe.toml"
_MOST_LABELS = 20
"""Of more different answers, none is a label."""


def assembled(
    plan: Blueprint,
    sources: Sequence[Source],
    parts: Sequence[Sequence[Part]],
    *,
    facts: Mapping[str, Any],
    recipe: Path,
    whole: Path,
) -> dict[str, Any]:
    """Write all files of a release; the manifest's content.

    Args:
        plan: what the recipe says.
        sources: the tasks.
        parts: those of each task, in their order.
        facts: the head of the manifest: what went in.
        recipe: its file.
        whole: the folder, which is made anew.
    """
    shutil.rmtree(whole, ignore_errors=True)
    whole.mkdir(parents=True)
    tasks = []
    tallies: dict[str, list[Tally]] = {attack.name: [] for attack in plan.attacks}
    names: list[str] = []
    for one, own in zip(sources, parts, strict=True):
        folder = whole / one.part.name
        folder.mkdir()
        counted = _test(plan, one, own, folder)
        for name, tally in counted.items():
            tallies[name].append(tally)
        lines = _train(plan, one, folder)
        names += [
            f"{one.part.name}/{file}"
            for file in ("train.jsonl", "test.jsonl", "edits.jsonl")
            if (folder / file).exists()
        ]
        tasks.append(described(one, plan, counted, lines))
    content: dict[str, Any] = {
        **facts,
        "episodes": [asdict(episode) for episode in episodes(plan)],
        "attacks": [
            {"name": attack.name, "spec": attack.spec, **merged(tallies[attack.name]).figures()}
            for attack in plan.attacks
        ],
        "tasks": tasks,
    }
    (whole / RECIPE).write_bytes(recipe.read_bytes())
    for file in plan.own_files:
        (whole / OWN).mkdir(exist_ok=True)
        (whole / OWN / Path(file).name).write_bytes((recipe.resolve().parent / file).read_bytes())
        names.append(f"{OWN}/{Path(file).name}")
    made = derived(content)
    for name, text in made.items():
        (whole / name).parent.mkdir(exist_ok=True)
        (whole / name).write_bytes(text.encode())
    content["files"] = listed(whole, [CARD, RECIPE, *names, *(name for name in made if name != CARD)])
    (whole / MANIFEST).write_bytes(encoded_manifest(content))
    return content


def derived(content: Mapping[str, Any]) -> dict[str, str]:
    """The files that follow from the manifest: the card, and the tasks for lm-evaluation-harness."""
    tasks = harness_files(content)
    return {CARD: card(content, tasks), **tasks}


def _test(plan: Blueprint, one: Source, parts: Sequence[Part], folder: Path) -> dict[str, Tally]:
    """Write the test rows and their evidence, variation by variation; how each attack fared."""
    counted: dict[str, Tally] = {}
    with (folder / "test.jsonl").open("wb") as rows, (folder / "edits.jsonl").open("wb") as edits:
        for name in (one.part.name, *(attack.name for attack in plan.attacks_of(one.part))):
            tally = Tally()
            for part in parts:
                rows.write(part.rows(name))
                data = part.edits(name)
                edits.write(data)
                if name != one.part.name:
                    for line in data.removesuffix(b"\n").split(b"\n"):
                        tally.add(orjson.loads(line))
            if name != one.part.name:
                counted[name] = tally
    return counted


def _train(plan: Blueprint, one: Source, folder: Path) -> list[str]:
    if one.train is None:
        return []
    lines = train_rows(one.part.name, one.train.rows, drawn(plan, one.part, len(one.train.rows)))
    (folder / "train.jsonl").write_bytes("".join(f"{line}\n" for line in lines).encode())
    return lines


def described(one: Source, plan: Blueprint, counted: Mapping[str, Tally], train: Sequence[str]) -> dict[str, Any]:
    """What the manifest says of a task."""
    return {
        "name": one.part.name,
        "task": one.task.name,
        "fields": list(one.task.fields),
        "gold": list(one.task.gold),
        "labels": _labels(one),
        "answered": all(
            field_paths.has_value(parsed(row.encode())[1], field) for row in one.test.rows for field in one.task.gold
        ),
        "metrics": list(one.task.metrics),
        "constraints": list(constraints(plan, one.part, one.task)),
        "licence": one.part.licence or plan.licence,
        "description": one.part.description,
        "test": len(one.test.rows),
        "train": len(train),
        "attacks": [{"name": name, **tally.figures()} for name, tally in counted.items()],
        "train_digests": [digest(line) for line in train],
    }


def _labels(one: Source) -> list[str | int]:
    """The right answers of the rows, in order, where each is one of a few; else none."""
    found: dict[str, str | int] = {}
    for line in (*one.test.rows, *(one.train.rows if one.train else ())):
        row = parsed(line.encode())[1]
        for value in (value for field in one.task.gold for value in field_paths.values(row, field)):
            if not isinstance(value, str | int):
                return []
            found.setdefault(str(value), value)
        if len(found) > _MOST_LABELS:
            return []
    return [found[name] for name in sorted(found)]
