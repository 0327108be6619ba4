"""Rows of a release made anew from its manifest and its original rows, and compared byte for byte."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from augment_ru.draws import Streams, digests
from augment_ru.errors import AugmentError
from augment_ru.release.manifest import MANIFEST, OWN, data_files, environment
from augment_ru.release.recipe import blueprint
from augment_ru.release.shards import Timing, variations, workshop
from augment_ru.release.sources import constraints
from augment_ru.release.verify_rows import schema_of


def rebuilt(folder: Path, content: Mapping[str, Any], count: int) -> Iterator[str]:
    """The complaints: what is installed here and differs, and rows that come out otherwise.

    Args:
        folder: the release, whose bytes were checked.
        content: its manifest.
        count: rows of each task, drawn at random by the release's seed; all if it has fewer.
    """

    def place(name: str) -> Path:
        return folder / OWN / Path(name).name

    try:
        recipe = blueprint(content["recipe"], MANIFEST)
        plan = recipe.with_files(place)
        shop = workshop(plan)
        schemas = [schema_of(content, number, part) for number, part in enumerate(plan.tasks)]
        pairs = zip(recipe.tasks, schemas, strict=True)
        rules = {name for part, task in pairs for name in constraints(recipe, part, task)}
        other = list(_other(content, data_files(recipe, rules, place), shop.scorer, shop.models))
    except AugmentError as error:
        yield f"{MANIFEST}: nothing can be rebuilt here: {error}"
        return
    here = f" (here differ: {', '.join(other)})" if other else ""
    for part, task, known in zip(plan.tasks, schemas, content["tasks"], strict=True):
        rows, edits = (
            (folder / part.name / file).read_text(encoding="utf-8").split("\n")[:-1]
            for file in ("test.jsonl", "edits.jsonl")
        )
        size = known["test"]
        originals = {at: rows[at] for at in _chosen(part.name, plan.seed, size, count)}
        for variation, (name, new_rows, new_edits) in enumerate(variations(shop, part, task, originals, Timing())):
            for at, row, edit in zip(originals, new_rows, new_edits, strict=True):
                line = variation * size + at
                if (row, edit) != (rows[line], edits[line]):
                    file = "test" if row != rows[line] else "edits"
                    yield f"{part.name}/{file}.jsonl: row {line + 1}: '{name}' makes another of row {at + 1}{here}"


def _chosen(name: str, seed: int, size: int, count: int) -> list[int]:
    """Different rows, ascending, drawn by the seed."""
    if count >= size:
        return list(range(size))
    places = np.arange(size)
    draws = Streams.of(digests([name]), seed, "rebuild").uniform(np.zeros_like(places), places)
    return sorted(np.argsort(draws, kind="stable")[:count].tolist())


def _other(content: Mapping[str, Any], data: Mapping[str, str], scorer: str, models: bool) -> Iterator[str]:  # noqa: FBT001
    """What differs between the installation that built the release and this one."""
    before, now = content["environment"], environment(models)
    if before["augment_ru"] != now["augment_ru"]:
        yield f"augment-ru {before['augment_ru']}, {now['augment_ru']}"
    elif before["code"] != now["code"]:
        yield "the code of augment-ru"
    for key in ("python", "unicode"):
        if before[key] != now[key]:
            yield f"{key} {before[key]}, {now[key]}"
    for name, version in before["packages"].items():
        if now["packages"].get(name) != version:
            yield f"{name} {version}, {now['packages'].get(name, 'none')}"
    if content["scorer"] != scorer:
        yield f"scorer {content['scorer']}, {scorer}"
    for name, digest in content["data"].items():
        if data.get(name) != digest:
            yield name
