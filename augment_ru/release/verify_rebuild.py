"""Rebuild rows of a release from its manifest and its original rows, and compare them byte for byte."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from augment_ru.draws import Streams, digests
from augment_ru.errors import AugmentError
from augment_ru.release.manifest import MANIFEST, data_files, environment
from augment_ru.release.original_rows import constraints_of
from augment_ru.release.release_recipe import TaskRecipe
from augment_ru.release.searched_models import Searched, Searches, model_entries, searched
from augment_ru.release.variations import Timing, Tools, make_tools, variations
from augment_ru.release.verify_rows import ReleaseFiles, TaskCheck


def rebuild_problems(release: ReleaseFiles, checks: Sequence[TaskCheck], count: int) -> Iterator[str]:
    """Yield a problem for each row that becomes another one when it is made again.

    Each problem says how this installation differs from the one that built the release.

    Args:
        release: the release.
        checks: the checks of its tasks.
        count: how many original rows of each task are made again. They are drawn with the seed of the release; all are
            taken if the task has fewer.
    """
    try:
        tools = make_tools(release.located)
        differences = list(_differences(release, checks, tools))
        given = [_searched(release, task, check) for task, check in zip(release.located.tasks, checks, strict=True)]
        if tools.searches:
            differences += _model_differences(release, checks, tools.searches, given)
    except AugmentError as error:
        yield f"{MANIFEST}: nothing can be rebuilt here: {error}"
        return
    here = f" (this installation differs: {', '.join(differences)})" if differences else ""
    for task, check, one in zip(release.located.tasks, checks, given, strict=True):
        if check.rows is None:
            yield f"{task.name}/test.jsonl: nothing was rebuilt: repair the rows first"
            continue
        rows, entries = (release.lines(f"{task.name}/{file}.jsonl") for file in ("test", "edits"))
        records = check.rows.test.records
        size = len(records)
        drawn = {at: records[at] for at in _draw_rows(task.name, release.recipe.seed, size, count)}
        for variation, (name, new_rows, new_entries) in enumerate(variations(tools, task, drawn, Timing(), one)):
            for at, row, entry in zip(drawn, new_rows, new_entries, strict=True):
                line = variation * size + at
                if (row.encode(), entry.encode()) != (rows[line], entries[line]):
                    file = "test" if row.encode() != rows[line] else "edits"
                    yield (
                        f"{task.name}/{file}.jsonl: row {line + 1}: '{name}' makes something else of row {at + 1}{here}"
                    )


def _searched(release: ReleaseFiles, task: TaskRecipe, check: TaskCheck) -> Searched | None:
    """Return the data that a task's models are made from; None if the task is not searched or has unreadable rows."""
    if check.rows is None or not release.recipe.searches_of(task):
        return None
    return searched(check.rows, release.folder / task.name / "train.jsonl" if check.rows.train else None)


def _model_differences(
    release: ReleaseFiles, checks: Sequence[TaskCheck], searches: Searches, given: Sequence[Searched | None]
) -> Iterator[str]:
    """Yield the models that differ from those of the release.

    Raises:
        AugmentError: a model cannot be made here.
    """
    rows = [check.rows for check in checks if check.rows is not None]
    here = [one for check, one in zip(checks, given, strict=True) if check.rows is not None]
    for now, before in zip(model_entries(release.recipe, searches, rows, here), release.content["models"], strict=True):
        if now["files"] != before["files"] or now["signatures"].items() - before["signatures"].items():
            yield f"the model {before['model']}"


def _draw_rows(name: str, seed: int, size: int, count: int) -> list[int]:
    """Draw `count` different row numbers below `size` with the seed; return them ascending."""
    if count >= size:
        return list(range(size))
    places = np.arange(size)
    draws = Streams.of(digests([name]), seed, "rebuild").uniform(np.zeros_like(places), places)
    return sorted(np.argsort(draws, kind="stable")[:count].tolist())


def _differences(release: ReleaseFiles, checks: Sequence[TaskCheck], tools: Tools) -> Iterator[str]:
    """Yield how the installation that built the release differs from this one: versions, scorer, data files.

    Raises:
        AugmentError: a dictionary or rule file of the release does not exist here.
    """
    content, recipe = release.content, release.recipe
    before, now = content["environment"], environment(tools.models)
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
    if content["scorer"] != tools.scorer:
        yield f"scorer {content['scorer']}, {tools.scorer}"
    rules = {
        name
        for check in checks
        if check.rows is not None
        for name in constraints_of(recipe, check.rows.recipe, check.rows.schema)
    }
    data: Mapping[str, Any] = data_files(recipe, rules, release.own)
    for name, digest in content["data"].items():
        if data.get(name) != digest:
            yield name
