"""The rows that a release starts from: read, checked, and given the fields `perturbation` and `episode`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from augment_ru.constraints.protector import Protector
from augment_ru.constraints.rule_file import constraint
from augment_ru.draws import Streams, digests
from augment_ru.edits import Edit, Script
from augment_ru.engine.presets import preset
from augment_ru.errors import AugmentError
from augment_ru.formats.json_lines import encoded, encoded_row, located, parsed
from augment_ru.formats.row import KEY
from augment_ru.formats.sources import kind_of, source_of
from augment_ru.records.record import Record
from augment_ru.records.task import Task, recognise
from augment_ru.records.task import task as task_of
from augment_ru.release.recipe import Blueprint, TaskPart

PERTURBATION, EPISODE = "perturbation", "episode"
"""The fields that TAPE adds to a task's own."""
_FIRST = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Episode:
    """A set of demonstrations: its number, and how many they are."""

    number: int
    shots: int


@dataclass(frozen=True, slots=True)
class File:
    """An input file: its path as the recipe has it, the SHA-256 of its bytes, its rows as lines without their ends."""

    path: str
    sha256: str
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A task of the release with its schema and its rows."""

    part: TaskPart
    task: Task
    test: File
    train: File | None


def schema(part: TaskPart, row: Mapping[str, Any] | None = None) -> Task:
    """The schema of a task: the one that it names, else the one that fits the row; with the fields it sets.

    Raises:
        AugmentError: no schema has this name, or none fits.
    """
    task = task_of(part.task) if part.task else recognise(row or {})
    return replace(task, fields=part.fields) if part.fields else task


def constraints(plan: Blueprint, part: TaskPart, task: Task) -> tuple[str, ...]:
    """The names or files of a task's constraints: those that its part sets, else the preset's, else the schema's.

    Raises:
        AugmentError: there is no such preset.
    """
    if part.constraints is not None:
        return part.constraints
    choose = preset(plan.preset).constraints
    return tuple(choose(task)) if choose else task.constraints


def protector(plan: Blueprint, part: TaskPart, task: Task) -> Protector:
    """The constraints of a task.

    Raises:
        AugmentError: there is no such constraint.
    """
    return Protector(tuple(map(constraint, constraints(plan, part, task))))


def source(blueprint: Blueprint, part: TaskPart, folder: Path) -> Source:
    """A task's files, read; paths are relative to the folder of the recipe.

    Raises:
        AugmentError: a file is missing or empty, or a row of it is none of the task: which line, and why.
    """
    test = _file(folder, part.test)
    if not test.rows:
        raise AugmentError(f"{part.test}: no rows; a test set needs at least one")
    task = schema(part, parsed(test.rows[0].encode())[1])
    train = None
    if blueprint.shots and part.train is not None:
        train = _file(folder, part.train)
        if not train.rows:
            raise AugmentError(f"{part.train}: no rows; demonstrations are drawn from them (or set k = [] in [shots])")
    names = {part.name, task.name}
    gold = {re.split(r"\[|\.", field)[0] for field in task.gold}  # of a path the field that holds it
    for file in (test, train):
        wanted = gold if file is train else gold & parsed(test.rows[0].encode())[1].keys()
        for number, line in enumerate(file.rows if file else (), start=1):
            try:
                _check(Record(parsed(line.encode())[1], task, line), names, wanted)
            except AugmentError as error:
                raise AugmentError(f"{file.path if file else ''}: row {number}: {error}") from error
    return Source(part, task, test, train)


def _check(record: Record, names: set[str], wanted: set[str]) -> None:
    """Nothing, if the row is an original one with its texts, its places and its right answers.

    Raises:
        AugmentError: it is not.
    """
    record.texts()
    record.anchors()
    if missing := sorted(wanted - record.values.keys()):
        raise AugmentError(f"no field '{missing[0]}', which holds the right answer")
    if KEY in record.values:
        raise AugmentError(f"has a field '{KEY}', so it is an output of perturb; give the rows that it was made from")
    found = record.values.get(PERTURBATION)
    if found not in (None, "") and found not in names:
        raise AugmentError(f"field '{PERTURBATION}' is {found!r}, so it is perturbed already; give original rows")


def _file(folder: Path, path: str) -> File:
    try:
        data = (folder / path).read_bytes()
    except OSError as error:
        raise AugmentError(
            f"{folder / path}: cannot be read ({error.strerror}); paths are relative to the recipe"
        ) from error
    found = source_of(kind_of(path), BytesIO(data))
    rows = []
    for line in found:
        try:
            if line.problem:
                raise AugmentError(line.problem)  # noqa: TRY301  (one place that says where)
            text, values, _ = found.parsed(line)
        except AugmentError as error:
            raise AugmentError(f"{path}: {found.unit} {line.number}: {error}") from error
        rows.append(encoded_row(values) if text is None or "\n" in text else text)
    return File(path, sha256(data).hexdigest(), tuple(rows))


def episodes(blueprint: Blueprint) -> list[Episode]:
    """The episodes of a release: 0 has no shots; then each number of shots has its episodes, in order."""
    numbers = [0, *(shots for shots in blueprint.shots for _ in range(blueprint.episodes))]
    return [Episode(number, shots) for number, shots in enumerate(numbers)]


def drawn(blueprint: Blueprint, part: TaskPart, rows: int) -> list[list[int]]:
    """The episodes of each train row, ascending; a number stands as often as the row was drawn for it.

    The shots of an episode are drawn with replacement (TAPE, section 4.1), each a function of seed, task,
    episode and shot alone.
    """
    found: list[list[int]] = [[] for _ in range(rows)]
    for episode in episodes(blueprint):
        key = Streams.of(digests([part.name]), blueprint.seed, "episode", episode.number)
        for shot in range(episode.shots):
            at = int(key.uniform(_FIRST, _FIRST + shot)[0] * rows)
            found[at].append(episode.number)
    return found


def original_rows(name: str, rows: Sequence[str]) -> list[str]:
    """The test rows unperturbed: `perturbation` is the task's name, `episode` is empty."""
    return [_marked(line, {PERTURBATION: name, EPISODE: []}) for line in rows]


def train_rows(name: str, rows: Sequence[str], numbers: Sequence[Sequence[int]]) -> list[str]:
    """The train rows: `perturbation` is the task's name, `episode` the episodes that show them."""
    return [_marked(row, {PERTURBATION: name, EPISODE: list(own)}) for row, own in zip(rows, numbers, strict=True)]


def with_perturbation(line: str, name: str) -> str:
    """The row with another `perturbation`."""
    start, stop = located(line, (PERTURBATION,))
    return line[:start] + encoded(name, like=line[start:stop]) + line[stop:]


def _marked(line: str, fields: Mapping[str, Any]) -> str:
    """The row with these fields, in their own place where it has them, else at its end."""
    values = parsed(line.encode())[1]
    end = line.rindex("}")
    edits = []
    added = ""
    for name, value in fields.items():
        if name in values:
            edits.append(Edit(*located(line, (name,)), encoded(value)))
        else:
            added += f"{', ' if values or added else ''}{encoded(name)}: {encoded(value)}"
    return Script(line, [*edits, *([Edit(end, end, added)] if added else [])]).text
