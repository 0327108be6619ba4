"""Write the files of a release from its shards: rows, edit logs, card, tasks for lm-evaluation-harness, manifest.

A shard is a part of the rows of a task, with all variations of them. A variation is the original rows, or the rows that
one attack or one search against a model made. For the manifest, the rows of each variation are counted.
"""

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from augment_ru.adversary.case import STATUSES
from augment_ru.engine.figures import Figures
from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import group_of
from augment_ru.evaluation.searches import can_be_broken, ratio
from augment_ru.records import field_paths
from augment_ru.records.groups import grouped
from augment_ru.release.card import card, shown_demonstrations, shown_pairs
from augment_ru.release.croissant import CROISSANT, column_types, croissant
from augment_ru.release.edit_log import line_digest
from augment_ru.release.hard import HARD, hard_split
from augment_ru.release.lm_eval import harness_files, stated_prompts
from augment_ru.release.manifest import MANIFEST, OWN, encoded_manifest, file_entries
from augment_ru.release.original_rows import TaskInput, constraints_of, episodes_of
from augment_ru.release.release_recipe import ReleaseRecipe, TaskRecipe
from augment_ru.run.stores import unsealed
from augment_ru.text.words import word_ranges

CARD, RECIPE = "README.md", "recipe.toml"
_MOST_LABELS = 20
"""A task with more different answers than this is not a classification."""


class AttackFigures(Figures):
    """Counts the rows that one attack made, by status, and their similarities and edits."""

    def count_entry(self, entry: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        """Add a row that the attack made to the counts.

        Args:
            entry: what the edit log says about the row.
            texts: the texts of the original of this row, by field.
        """
        edits = sum(map(len, entry["edits"].values()))
        self.count(entry["status"], entry["probability"], entry["similarity"], edits)
        if entry["status"] == "perturbed":
            self.words += sum(len(word_ranges(texts.get(name, ""))) for name in entry["edits"])


class SearchFigures(Counter[str]):
    """Counts the rows that one search against a model made.

    A row is broken if the search turned the model's right answer wrong. Under the name of a status is the number of its
    rows. `right` is the number of rows that the model answered right before the search, and `queries` is the number of
    queries for these rows. `changes` is the number of changes in broken rows. `minimal` is the number of broken rows in
    which every change is needed to break the answer.
    """

    def count_entry(self, entry: Mapping[str, Any], _texts: Mapping[str, str]) -> None:
        """Add a row that the search made to the counts.

        Args:
            entry: what the edit log says about the row.
            _texts: not used.
        """
        search = entry["search"]
        self[search["status"]] += 1
        if can_be_broken(search):
            self.update(right=1, queries=search["queries"])
        if search["status"] == "broken":
            self.update(changes=search["changes"], minimal=search["minimal"])

    def table(self) -> dict[str, Any]:
        """Return the figures of the search as JSON values by name, as the manifest of the release states them.

        `rows` is the number of all rows. `right`, `queries`, `minimal` and the number of rows of each status are those
        counted. Three figures are quotients, which are None if they divide by 0:

        - `asr`: the percentage of `right` rows that the search broke.
        - `queries_a_success`: `queries` divided by the number of broken rows.
        - `changes`: the mean number of changes in broken rows.
        """
        rows = {status: self[status] for status in STATUSES}
        right, broken, queries = (self[name] for name in ("right", "broken", "queries"))
        return {
            "rows": sum(rows.values()),
            "right": right,
            **rows,
            "asr": ratio(100 * broken, right),
            "queries": queries,
            "queries_a_success": ratio(queries, broken),
            "changes": ratio(self["changes"], broken),
            "minimal": self["minimal"],
        }


VariationFigures: TypeAlias = AttackFigures | SearchFigures
"""Counts over the rows of one variation: those that one attack or search made."""


def no_figures(recipe: ReleaseRecipe, task: TaskRecipe | None = None) -> dict[str, VariationFigures]:
    """Return the counts before any row is counted: for each attack and search of a task, by name, counts of 0.

    Args:
        recipe: the recipe of the release.
        task: the task; None for all variations of the release.
    """
    attacks = recipe.attacks if task is None else recipe.attacks_of(task)
    searches = recipe.searches if task is None else recipe.searches_of(task)
    found: dict[str, VariationFigures] = {attack.name: AttackFigures() for attack in attacks}
    return found | {name: SearchFigures() for name in searches}


def add_figures(totals: Mapping[str, Any], more: Mapping[str, VariationFigures]) -> None:
    """Add the counts of a task to those of the release.

    Args:
        totals: the counts of the release, by the name of the variation; they are changed in place.
        more: the counts of the task, by the name of the variation.
    """
    for name, found in more.items():
        totals[name].update(found)


def figure_entries(figures: Mapping[str, VariationFigures], recipe: ReleaseRecipe | None = None) -> dict[str, Any]:
    """Return the counts of variations for the manifest: a list `attacks`, and a list `searches` if there are any.

    Args:
        figures: maps the name of each variation to its counts.
        recipe: the recipe, if the specification of each attack is to be added from it; else None.
    """
    specs = {attack.name: {"spec": attack.spec} for attack in recipe.attacks} if recipe else {}
    kinds = {name: "searches" if isinstance(own, SearchFigures) else "attacks" for name, own in figures.items()}
    tables = ({"name": name, **specs.get(name, {}), **counted.table()} for name, counted in figures.items())
    return {"attacks": []} | grouped(zip(kinds.values(), tables, strict=True))


def assemble(
    recipe: ReleaseRecipe,
    tasks: Sequence[TaskInput],
    shards: Sequence[Sequence[Path]],
    *,
    facts: Mapping[str, Any],
    recipe_file: Path,
    target: Path,
) -> dict[str, Any]:
    """Write all files of a release from its finished shards.

    Args:
        recipe: the recipe of the release.
        tasks: the tasks of the recipe with their rows.
        shards: for each task, the files of its finished shards, in the order of the rows.
        facts: what the rows depend on: the first entries of the manifest.
        recipe_file: the file of the recipe.
        target: the folder of the release; everything in it is deleted first.

    Returns:
        The content of the manifest.
    """
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    totals = no_figures(recipe)
    entries = []
    names: list[str] = []
    for task, own in zip(tasks, shards, strict=True):
        folder = target / task.recipe.name
        folder.mkdir()
        figures = _write_test(recipe, task, own, folder)
        add_figures(totals, figures)
        if task.train:
            text = "".join(f"{record.line}\n" for record in task.train.records)
            (folder / "train.jsonl").write_bytes(text.encode())
        files = [*(["train.jsonl"] if task.train else []), "test.jsonl", "edits.jsonl"]
        names += [f"{task.recipe.name}/{file}" for file in files]
        entries.append(task_entry(recipe, task) | figure_entries(figures))
        if count := recipe.hard_of(task.recipe):
            searches, labelled = list(recipe.searches), bool(entries[-1]["labels"])
            rows, entries[-1][HARD] = hard_split(folder, task.test.records, searches, count, labelled=labelled)
            (folder / f"{HARD}.jsonl").write_bytes(rows)
            names.append(f"{task.recipe.name}/{HARD}.jsonl")
    content: dict[str, Any] = {**facts, **figure_entries(totals, recipe), "tasks": entries}
    (target / RECIPE).write_bytes(recipe_file.read_bytes())
    for file in recipe.own_files:
        (target / OWN).mkdir(exist_ok=True)
        (target / OWN / Path(file).name).write_bytes((recipe_file.resolve().parent / file).read_bytes())
        names.append(f"{OWN}/{Path(file).name}")
    content |= shown_entries(content, target)
    derived = derived_files(content, file_entries(target, names), target)
    for name, text in derived.items():
        (target / name).parent.mkdir(exist_ok=True)
        (target / name).write_bytes(text.encode())
    content["files"] = file_entries(target, [CARD, RECIPE, *names, *(name for name in derived if name != CARD)])
    (target / MANIFEST).write_bytes(encoded_manifest(content))
    return content


def shown_entries(content: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return what the manifest holds for the card: the prompts of tasks, pairs of rows, and demonstrations.

    Args:
        content: the manifest, with the entries of its tasks and input files.
        folder: the release, with the user's own task and prompt files.
    """
    return {
        "prompts": stated_prompts(content, folder / OWN),
        "examples": shown_pairs(folder, content["tasks"]),
        "demonstrations": shown_demonstrations(folder, content["tasks"], content["inputs"]),
    }


def derived_files(content: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]], folder: Path) -> dict[str, str]:
    """Return the files that follow from the manifest: card, Croissant metadata, and tasks for lm-evaluation-harness.

    Args:
        content: the manifest without its list of files.
        files: what that list says about the files of rows and edits, and about the user's own files, by path.
        folder: the release, with the user's own task and prompt files.

    Returns:
        Maps the path of each file in the release to its text.
    """
    tasks = harness_files(content, folder / OWN)
    return {CARD: card(content, tasks), CROISSANT: croissant(content, files), **tasks}


Shard: TypeAlias = Mapping[str, tuple[bytes, bytes]]
"""Maps the name of each variation of a shard to two blocks of lines: its rows, and their part of the edit log."""


def read_shard(path: Path) -> Shard | None:
    """Read the file of a shard; return its rows and edit log by variation. None if it is absent or not complete."""
    with suppress(OSError):
        return unsealed(path.read_bytes(), dict[str, tuple[bytes, bytes]])
    return None


def _write_test(
    recipe: ReleaseRecipe, task: TaskInput, shards: Sequence[Path], folder: Path
) -> dict[str, VariationFigures]:
    """Write the test rows and their edit log, variation by variation; return the figures of each perturbed variation.

    The figures are counts over the rows of a variation, by its name.
    """
    figures = no_figures(recipe, task.recipe)
    with (folder / "test.jsonl").open("wb") as rows, (folder / "edits.jsonl").open("wb") as edits:
        for name in (task.recipe.name, *figures):
            originals = iter(task.test.records)
            for path in shards:
                if (shard := read_shard(path)) is None:
                    raise AugmentError(f"{path}: was deleted or changed during the build; run again with `resume`")
                lines, entries = shard[name]
                rows.write(lines)
                edits.write(entries)
                if name in figures:
                    for line in entries.removesuffix(b"\n").split(b"\n"):
                        figures[name].count_entry(orjson.loads(line), next(originals).texts())
    return figures


def task_entry(recipe: ReleaseRecipe, task: TaskInput) -> dict[str, Any]:
    """Return what the manifest says about a task.

    The list `attacks` in it is empty; `figure_entries` returns the filled list when the rows have been counted.

    Args:
        recipe: the recipe of the release.
        task: the task with its rows.
    """
    train = task.train.records if task.train else ()
    episodes = episodes_of(recipe, task.recipe, task.schema) if train else [0]
    gold = task.schema.scoring.gold
    by_task = recipe.shots.k == "task" or any(one.shots is not None for one in recipe.tasks)
    return {
        "name": task.recipe.name,
        "task": task.schema.name,
        "language": task.schema.benchmark.language,
        "fields": list(task.schema.layout.fields),
        "gold": list(gold),
        "columns": column_types(task.test.records[0].values),
        "labels": _labels(task),
        **_groups(task),
        "answered": all(field_paths.values(record.values, field) for record in task.test.records for field in gold),
        "metrics": list(task.schema.scoring.metrics),
        "constraints": list(constraints_of(recipe, task.recipe, task.schema)),
        "licence": task.recipe.licence or recipe.licence,
        "description": task.recipe.description,
        "test": len(task.test.records),
        "train": len(train),
        "episodes": [{"number": number, "shots": shots} for number, shots in enumerate(episodes)],
        # no number that the user sets would fit tasks with different numbers of shots
        "default_episode": episodes.index(max(episodes)) if by_task else 0,
        "attacks": [],
        "train_digests": [line_digest(record.line or "") for record in train],
    }


def _groups(task: TaskInput) -> dict[str, Any]:
    """Return the groups of a task for its entry in the manifest; empty if its rows do not fall into groups.

    `groups` are the different groups of the test rows, sorted ([] if a row has none); `train_groups` is the group of
    each train row.
    """
    if task.schema.scoring.grouped_by is None:
        return {}
    found = [group_of(record.values, task.schema) for record in task.test.records]
    return {
        "groups": [] if None in found else sorted({group for group in found if group is not None}),
        "train_groups": [group_of(record.values, task.schema) for record in task.train.records] if task.train else [],
    }


def _labels(task: TaskInput) -> list[str | int]:
    """Return the different right answers of a task, sorted.

    The list is empty if there are more than `_MOST_LABELS`, or if one is neither a text nor an integer.
    """
    found: dict[str, str | int] = {}
    for record in (record for file in reversed(task.files.values()) for record in file.records):
        for value in (value for name in task.schema.scoring.gold for value in _single(record.values, name)):
            if not isinstance(value, str | int):
                return []
            found.setdefault(str(value), value)
        if len(found) > _MOST_LABELS:
            return []
    return [found[name] for name in sorted(found)]


def _single(row: Mapping[str, Any], field: str) -> Iterator[Any]:
    """Yield each label in an answer field. The field holds one label, or a list or an object of several."""
    for value in field_paths.values(row, field):
        held = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else [value]
        yield from held
