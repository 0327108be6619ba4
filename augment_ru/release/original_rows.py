"""Read and check the original rows of a release, and add the fields `perturbation` and `episode` to them."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from augment_ru.constraints.rule_file import Constraint, constraint
from augment_ru.draws import Streams, digests
from augment_ru.edits import Edit
from augment_ru.engine.presets import preset
from augment_ru.errors import AugmentError, amount, saying_where
from augment_ru.evaluation.answers import group_of
from augment_ru.evaluation.protocol import drawn_rows
from augment_ru.formats.files import unpacked
from augment_ru.formats.json_lines import encoded, encoded_row, parsed
from augment_ru.formats.json_places import located
from augment_ru.formats.row import KEY
from augment_ru.formats.sources import kind_of, source_of
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.records.groups import grouped
from augment_ru.records.record import Record
from augment_ru.records.task import Task, check_found, recognise, task_or_file
from augment_ru.release.release_recipe import ReleaseRecipe, TaskRecipe, check_drawn
from augment_ru.script import Script


def asked_shots(recipe: ReleaseRecipe, task: TaskRecipe, schema: Task) -> tuple[int, ...]:
    """Return how many demonstrations the episodes of a task have, such as (1, 4, 8): ascending, without 0.

    An episode is one draw of demonstrations. The numbers stand in the recipe, for the task or else for the release. If
    the recipe sets "task" for the release, the only number is that of the task's benchmark (none if it shows 0).

    Args:
        recipe: the recipe of the release.
        task: the part of the recipe on the task.
        schema: the schema of the task, which states its benchmark.

    Raises:
        AugmentError: the benchmark shows more demonstrations than a release may draw.
    """
    if task.shots is not None:
        return task.shots
    if recipe.shots.k != "task":
        return recipe.shots.k
    check_drawn(f"{task.name}: the shots of its benchmark", [schema.benchmark.shots], recipe.shots.episodes)
    return (schema.benchmark.shots,) if schema.benchmark.shots else ()


def episodes_of(recipe: ReleaseRecipe, task: TaskRecipe, schema: Task) -> list[int]:
    """Return how many demonstrations each episode of a task has, ascending, such as [0, 1, 1, 4, 4]; episode 0 has 0.

    Args:
        recipe: the recipe of the release.
        task: the part of the recipe on the task.
        schema: the schema of the task, which states its benchmark.
    """
    return [0, *(shots for shots in asked_shots(recipe, task, schema) for _ in range(recipe.shots.episodes))]


def draw_episodes(
    recipe: ReleaseRecipe, task: TaskRecipe, schema: Task, groups: Sequence[str | None]
) -> list[list[int]]:
    """Draw the demonstrations of all episodes of a task from its train rows.

    Rows are drawn with or without replacement, as the task's benchmark does it. If the rows fall into groups, each
    episode draws its number of demonstrations from every group, because a question is shown only train rows of its own
    group. Each draw depends only on seed, task, group, episode and the number of the demonstration.

    Args:
        recipe: the recipe of the release.
        task: the part of the recipe on the task.
        schema: the schema of the task.
        groups: the group of each train row; None for the rows of a task without groups.

    Returns:
        For each train row, the numbers of the episodes that show it, ascending. A number repeats if its episode draws
        the row again.
    """
    found: list[list[int]] = [[] for _ in groups]
    for group, own in grouped((group, at) for at, group in enumerate(groups)).items():
        name = task.name if group is None else f"{task.name}:{group}"
        for episode, shots in enumerate(episodes_of(recipe, task, schema)):
            key = Streams.of(digests([name]), recipe.seed, "episode", episode)
            for at in drawn_rows(len(own), shots, key, replacement=schema.benchmark.replacement):
                found[own[at]].append(episode)
    return found


_log = logging.getLogger(__name__)

PERTURBATION, EPISODE, CANARY = "perturbation", "episode", "canary"
"""The fields that a release adds to a row: the name of its variation and the episodes that show it (both as in TAPE),
and the canary, which marks the row, so that training on it can be found out."""


def marks_of(recipe: ReleaseRecipe, variation: str) -> dict[str, Any]:
    """Return the fields that mark rows of a release: `perturbation` and, if the recipe has a canary, `canary`.

    `perturbation` holds `variation`: the name of the attack or search, or that of the task for its original rows.
    `canary` is a GUID by which training on the rows can be found out.
    """
    return {PERTURBATION: variation} | ({CANARY: recipe.canary.guid} if recipe.canary else {})


class InputFile(NamedTuple):
    """A file of original rows.

    Attributes:
        path: its path as it is written in the recipe.
        sha256: the SHA-256 of its bytes.
        records: its rows as the release has them; each record keeps its line of JSON, without the line break.
    """

    path: str
    sha256: str
    records: tuple[Record, ...]


class TaskInput(NamedTuple):
    """A task of a release, with its original rows.

    Attributes:
        recipe: the part of the recipe on the task.
        schema: the schema of the task.
        test: the file of the test rows, which are perturbed.
        train: the file of the train rows; None if there are none.
    """

    recipe: TaskRecipe
    schema: Task
    test: InputFile
    train: InputFile | None

    @property
    def files(self) -> dict[str, InputFile]:
        """The files of the task by split ("train", "test"); train comes first."""
        return {"train": self.train, "test": self.test} if self.train else {"test": self.test}


def schema_of(task: TaskRecipe, row: Mapping[str, Any], place: Callable[[str], Path]) -> Task:
    """Return the schema that the recipe names for a task, or else the one that fits a row of it.

    If the recipe lists fields to perturb, they replace those of the schema.

    Args:
        task: the part of the recipe on the task.
        row: a row of the task.
        place: returns the location of one of the user's own files, given its path in the recipe.

    Raises:
        AugmentError: no schema has this name, its file is wrong, no schema fits the row, or the row lacks a field that
            the recipe lists.
    """
    named = str(place(task.task)) if task.task and task.task.endswith(".toml") else task.task
    schema = task_or_file(named) if named else recognise(row)
    check_found(row, task.fields)
    return schema.changed(fields=task.fields) if task.fields else schema


def constraints_of(recipe: ReleaseRecipe, task: TaskRecipe, schema: Task) -> tuple[str, ...]:
    """Return the constraints of a task, as names or as paths of rule files.

    They are those that the recipe states for the task, or else those of the preset, or else those of the schema.

    Args:
        recipe: the recipe of the release.
        task: the part of the recipe on the task.
        schema: the schema of the task.

    Raises:
        AugmentError: there is no preset of this name.
    """
    if task.constraints is not None:
        return task.constraints
    choose = preset(recipe.preset).constraints
    return tuple(choose(schema)) if choose else schema.layout.constraints


def rules_of(recipe: ReleaseRecipe, task: TaskRecipe, schema: Task) -> tuple[Constraint, ...]:
    """Return the constraints of a task of a release.

    All are rule files: a recipe names no code, so no constraint is a function that the user wrote.

    Args:
        recipe: the recipe of the release.
        task: the part of the recipe on the task.
        schema: the schema of the task.

    Raises:
        AugmentError: the recipe or the schema names a constraint that does not exist.
    """
    return tuple(map(constraint, constraints_of(recipe, task, schema)))


def _check_files(recipe: ReleaseRecipe, task: TaskRecipe, schema: Task, folder: Path) -> None:
    """Check the prompt file of a task, and that the recipe names every rule or prompt file that the task file names.

    Other files would be missing from the release.

    Raises:
        AugmentError: the prompt file is wrong, or a file is named only in the task file.
    """
    for name in constraints_of(recipe, task, schema):
        if name.endswith(".toml") and name not in recipe.own_files:
            raise AugmentError(f"{task.task}: names the rule file {name}; name it in constraints of its [[task]], too")
    named = schema.benchmark.prompt or ""
    if named.endswith(".toml") and (folder / (task.prompt or "")).resolve() != Path(named).resolve():
        beside = Path(task.task or "").with_name(Path(named).name).as_posix()
        raise AugmentError(f'{task.task}: names the prompt file {beside}; write prompt = "{beside}" in its [[task]]')
    if task.prompt:
        prompt_of(schema, folder / task.prompt)


def read_task(recipe: ReleaseRecipe, task: TaskRecipe, folder: Path) -> TaskInput:
    """Read the rows of a task of a release.

    Args:
        recipe: the recipe of the release.
        task: the part of the recipe on the task.
        folder: the folder of the recipe, to which paths are relative.

    Raises:
        AugmentError: a file is missing, empty or wrong, or a row does not fit the task; the message names the row.
    """
    digest, rows = _read(folder, task.test, "a test set needs at least one")
    if (hard := recipe.hard_of(task)) > len(rows):
        raise AugmentError(f"[adversary]: hard = {hard}; {task.test} has {amount(len(rows), 'row')}")
    first = rows[0][1]
    with saying_where(f"[[task]] '{task.name}'" if task.task or task.prompt else f"{task.test}: row 1"):
        schema = schema_of(task, first, folder.joinpath).under(recipe.protocol)
        _check_files(recipe, task, schema, folder)
    marks = marks_of(recipe, task.name)
    test = InputFile(task.test, digest, _records(task.test, rows, schema, marks))
    train = None
    if task.train is not None and asked_shots(recipe, task, schema):
        need = "demonstrations are drawn from them (or set shots = [] in its [[task]])"
        digest, rows = _read(folder, task.train, need)
        numbers = draw_episodes(recipe, task, schema, [group_of(values, schema) for _, values in rows])
        train = InputFile(task.train, digest, _records(task.train, rows, schema, marks, numbers))
        _warn_of_shared(task.name, test, train)
    return TaskInput(task, schema, test, train)


def _warn_of_shared(name: str, test: InputFile, train: InputFile) -> None:
    """Log a warning if test rows have the texts of train rows: as demonstrations these would give answers away."""
    learned = {tuple(record.texts().values()) for record in train.records}
    if shared := sum(tuple(record.texts().values()) in learned for record in test.records):
        _log.warning(
            "task %s: %s of the %s stand in %s, too, so demonstrations give their answers away; take them out of it",
            name, f"{shared:,}", amount(len(test.records), "test row"), train.path,
        )  # fmt: skip


_Rows = list[tuple[str, dict[str, Any]]]
"""Rows, each as a line of JSON and as values."""


def _read(folder: Path, path: str, need: str) -> tuple[str, _Rows]:
    """Return the SHA-256 of a file, and its rows; if it has none, the error says what they are needed for (`need`)."""
    if (folder / path).exists() and not (folder / path).is_file():  # a device may have no end
        raise AugmentError(f"{folder / path}: is no plain file; give a file of rows")
    try:
        data = (folder / path).read_bytes()
    except (OSError, ValueError) as error:  # a ValueError: no name may have this character
        reason = getattr(error, "strerror", None) or error
        raise AugmentError(f"{folder / path}: cannot be read ({reason}); paths are relative to the recipe") from error
    source = source_of(kind_of(path), unpacked(BytesIO(data), path))
    rows = []
    for line in source:
        with saying_where(f"{path}: {source.unit} {line.number}"):
            text, values, _ = source.parsed(line.usable())
            if text is None:  # a row of a table is written as JSON and read back
                text, values = parsed(encoded_row(values).encode())
            elif "\n" in text:
                text = encoded_row(values)
        rows.append((text, values))
    if not rows:
        raise AugmentError(f"{path}: no rows; {need}")
    return sha256(data).hexdigest(), rows


def _records(
    path: str, rows: _Rows, schema: Task, marks: Mapping[str, str], episodes: Sequence[Sequence[int]] | None = None
) -> tuple[Record, ...]:
    """Return the rows of a file as records with more fields: the marks, and `episode`.

    Args:
        path: the path of the file, for messages.
        rows: the rows.
        schema: the schema of the task.
        marks: the values of the fields `perturbation` (the name of the task) and, if the release has one, `canary`.
        episodes: for each row, the numbers of the episodes that show it; None for test rows.

    Raises:
        AugmentError: a row lacks the right answer, has texts or offsets that do not fit, or is perturbed already.
    """
    required = {re.split(r"\[|\.", field)[0] for field in schema.scoring.gold}  # the field with which a path begins
    if episodes is None:
        required &= rows[0][1].keys()  # a test set may have no right answers
    records = []
    for number, (line, values) in enumerate(rows):
        record = Record(values, schema, line)
        with saying_where(f"{path}: row {number + 1}"):
            _check(record, marks, required)
            if episodes is None:  # train rows are not perturbed
                record.check_places()
        shown_in = list(episodes[number]) if episodes else []
        records.append(_with_fields(record, {**marks, EPISODE: shown_in}))
    return tuple(records)


def _check(record: Record, marks: Mapping[str, str], required: set[str]) -> None:
    """Check that a record is an original row that has its texts, fitting offsets, and the required fields.

    Raises:
        AugmentError: the row is perturbed, lacks a text or a required field, or has an offset that does not fit.
    """
    record.texts()
    record.anchors()
    if missing := sorted(required - record.values.keys()):
        raise AugmentError(f"no field '{missing[0]}', which holds the right answer")
    if KEY in record.values:
        raise AugmentError(f"has a field '{KEY}', so it is an output of perturb; give the original rows")
    if marks.get(CANARY) and marks[CANARY] in (record.line or ""):
        raise AugmentError("holds the canary of this recipe already; make a new GUID")
    found = record.values.get(PERTURBATION)
    if found not in (None, "", marks[PERTURBATION], record.task.name):
        raise AugmentError(f"field '{PERTURBATION}' is {found!r}, so it is perturbed already; give the original rows")


def _with_fields(record: Record, fields: Mapping[str, Any]) -> Record:
    """Return a copy of the record with these values. Existing fields keep their position; new ones go to the end."""
    line = record.line or ""
    edits = [Edit(*located(line, (name,)), encoded(fields[name])) for name in fields if name in record.values]
    new = [name for name in fields if name not in record.values]
    added = ", ".join(f"{encoded(name)}: {encoded(fields[name])}" for name in new)
    if added:
        end = line.rindex("}")
        edits.append(Edit(end, end, f"{', ' if record.values else ''}{added}"))
    return replace(record, values={**record.values, **fields}, line=Script(line, edits).text)


def with_perturbation(line: str, name: str) -> str:
    """Return a row with a new value in its field `perturbation`, which names the attack or search that made the row.

    Args:
        line: the row, as a line of JSON.
        name: the new value of its field `perturbation`.
    """
    start, stop = located(line, (PERTURBATION,))
    return line[:start] + encoded(name, like=line[start:stop]) + line[stop:]
