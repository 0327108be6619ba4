"""Checking the manifest of a release: it must follow from the recipe and the rows, as when it was built."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.release.assemble import CARD, RECIPE, task_entry
from augment_ru.release.manifest import MANIFEST, OWN
from augment_ru.release.pairs_shown import shown_demonstrations, shown_pairs
from augment_ru.release.search_figures import add_figures, entries_of, figure_entries, no_figures
from augment_ru.release.sources import TaskInput
from augment_ru.release.variations import make_tools, settings_of
from augment_ru.release.verify_rows import ReleaseFiles, TaskCheck


def expected_files(release: ReleaseFiles) -> set[str]:
    """The files that the release must have, except those that are made from the manifest."""
    rows = {
        f"{task['name']}/{file}.jsonl"
        for task in release.content["tasks"]
        for file in ("test", "edits", *(("train",) if task["train"] else ()))
    }
    return {CARD, RECIPE, *rows, *(f"{OWN}/{Path(name).name}" for name in release.recipe.own_files)}


def manifest_problems(release: ReleaseFiles, checks: Sequence[TaskCheck]) -> Iterator[str]:
    """The problems of the manifest of a release whose rows have none."""
    content, recipe = release.content, release.recipe
    head = {
        "name": (recipe.name, "the name of the recipe"),
        "settings": (_settings(release), "what the recipe sets"),
        "examples": (shown_pairs(release.folder, content["tasks"]), "pairs of rows of the release"),
        "demonstrations": (
            shown_demonstrations(release.folder, content["tasks"], content["inputs"]),
            "demonstrations of the release",
        ),
    }
    for key, (expected, what) in head.items():
        if content.get(key) != expected:
            yield f"{MANIFEST}: '{key}' is not {what}"
    known_tasks = {task.name for task in recipe.tasks}
    yield from (
        f"{MANIFEST}: 'inputs' has one of '{one['task']}', which is no task of the recipe"
        for one in content["inputs"]
        if one["task"] not in known_tasks
    )
    totals = no_figures(recipe)
    stated_models = {one["name"]: one["model"] for one in content.get("models", ())}
    if stated_models != recipe.searches:
        yield f"{MANIFEST}: its models are not those of the recipe"
    for check, known in zip(checks, content["tasks"], strict=True):
        if check.rows is not None:
            yield from _task_problems(release, check.rows, known)
        add_figures(totals, check.figures)
    for entry, stated in zip(entries_of(figure_entries(totals, recipe)), entries_of(content), strict=True):
        if entry != stated:
            yield f"{MANIFEST}: the figures of '{entry['name']}' over all tasks are not those of the rows"


def _settings(release: ReleaseFiles) -> Mapping[str, Any]:
    """The settings of the attacks as the recipe gives them; those stated, if what it needs is not installed here."""
    try:
        return settings_of(make_tools(release.located))
    except AugmentError:
        stated: Mapping[str, Any] = release.content["settings"]
        return stated


def _task_problems(release: ReleaseFiles, rows: TaskInput, known: Mapping[str, Any]) -> Iterator[str]:
    """The problems of the entry of a task, apart from its figures."""
    name = rows.recipe.name
    inputs = [(one["split"], one["file"], one["rows"]) for one in release.content["inputs"] if one["task"] == name]
    expected = [(split, getattr(rows.recipe, split), known[split]) for split in ("train", "test") if known[split]]
    if inputs != expected:
        yield f"{MANIFEST}: the inputs of '{name}' are not those of the recipe with the numbers of rows of the release"
    for key, value in task_entry(release.recipe, rows).items():
        if key not in ("attacks", "searches") and value != known.get(key):
            yield f"{MANIFEST}: '{key}' of '{name}' does not follow from its rows and the recipe"
