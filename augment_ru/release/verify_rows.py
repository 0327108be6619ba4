"""Checking the rows of a release, task by task: digests, replay of the edits, what must have survived."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from augment_ru.errors import AugmentError
from augment_ru.formats.json_lines import parsed
from augment_ru.records.record import Record
from augment_ru.records.task import Task
from augment_ru.release.edit_log import Evidence, broken, digest, replayed, signed, unlike
from augment_ru.release.figures import Tally, merged
from augment_ru.release.manifest import MANIFEST, file_digest
from augment_ru.release.recipe import Blueprint, TaskPart, blueprint
from augment_ru.release.sources import EPISODE, PERTURBATION, drawn, schema


@dataclass(frozen=True)
class Files:
    """A release: its folder and its manifest."""

    folder: Path
    content: Mapping[str, Any]

    @cached_property
    def plan(self) -> Blueprint:
        """The recipe."""
        return blueprint(self.content["recipe"], MANIFEST)

    def lines(self, name: str) -> list[bytes]:
        """The lines of a file, without their ends."""
        return (self.folder / name).read_bytes().removesuffix(b"\n").split(b"\n")

    def as_listed(self, name: str) -> bool:
        """Whether a file has the bytes that the manifest knows."""
        return file_digest(self.folder / name) == str(self.content["files"][name]["sha256"])


def schema_of(content: Mapping[str, Any], number: int, part: TaskPart) -> Task:
    """The schema of a task of a manifest, which knows by name what the recipe left to be recognised.

    Raises:
        AugmentError: this installation has no such schema.
    """
    return schema(replace(part, task=content["tasks"][number]["task"]))


class _Row(NamedTuple):
    """A test row with its evidence; None where either cannot be read."""

    number: int
    """From 1, as an editor shows it."""
    data: bytes
    record: Record | None
    evidence: Evidence | None


def task_problems(files: Files, number: int) -> Iterator[str]:
    """The complaints about the rows of a task."""
    part = files.plan.tasks[number]
    try:
        task = schema_of(files.content, number, part)
    except AugmentError as error:
        yield f"{part.name}/test.jsonl: its rows cannot be checked: {error}"
        return
    yield from _train(files, number, part)
    names = [part.name, *(attack.name for attack in files.plan.attacks_of(part))]
    size = files.content["tasks"][number]["test"]
    rows: list[_Row] = []
    complaints = list(_readable(files, part, task, rows))
    yield from complaints
    whole = True
    for name in _names(part):
        if (count := len(files.lines(name))) != size * len(names):
            whole = False
            yield f"{name}: {count} rows; {MANIFEST} says {size} in each of {len(names)} variations"
    if not whole:
        return
    for variation, name in enumerate(names):
        for at in range(size):
            yield from _row_problems(part, name, at, rows[at], rows[variation * size + at])
    if not complaints:
        yield from _figures(files, number, names, rows, size)


def _names(part: TaskPart) -> tuple[str, str]:
    return f"{part.name}/test.jsonl", f"{part.name}/edits.jsonl"


def _readable(files: Files, part: TaskPart, task: Task, rows: list[_Row]) -> Iterator[str]:
    """Fill `rows`; complain of lines that are not what was written, or cannot be read.

    A row and its evidence that do not belong together are a complaint about the file that is not what the
    manifest knows, and about the row if that holds of both files or of none.
    """
    test, edits = _names(part)
    data = files.lines(test)
    proofs: list[Evidence | None] = []
    for number, line in enumerate(files.lines(edits), start=1):
        try:
            proofs.append(signed(line))
        except AugmentError as error:
            proofs.append(None)
            yield f"{edits}: row {number}: {error}"
    digests = [digest(line) for line in data]
    known = [None if proof is None else str(proof["line"]) for proof in proofs]
    places = _aligned(known, digests)
    blamed = edits if files.as_listed(test) and not files.as_listed(edits) else test
    if blamed == edits:
        for number, (own, place) in enumerate(zip(known, _aligned(digests, known), strict=True), start=1):
            if own is not None and (place is None or digests[place] != own):
                yield f"{edits}: row {number}: was changed: it is about another row than the one in {test}"
    for number, (line, own, place) in enumerate(zip(data, digests, places, strict=True), start=1):
        proof = None if place is None else proofs[place]
        record = None
        try:
            text, values = parsed(line)
            record = Record(values, task, text)
            record.texts()
        except AugmentError as error:
            record = None
            yield f"{test}: row {number}: {error}"
        if place is None or (proof is not None and proof["line"] != own):
            if blamed == test and record is not None:
                yield f"{test}: row {number}: was changed: its digest in {edits} is another"
            record = proof = None
        rows.append(_Row(number, line, record, proof))


def _aligned(known: Sequence[str | None], found: Sequence[str | None]) -> list[int | None]:
    """For each line that was found the place of the one that was written; None where there is none.

    A line that was added, deleted, cut in two or joined to the next must not make strangers of all that follow:
    where the numbers of lines differ, those at the start and at the end that are as they were keep their places.
    """
    if len(known) == len(found):
        return list(range(len(found)))
    least = min(len(known), len(found))
    head = next((at for at in range(least) if known[at] != found[at] or known[at] is None), least)
    rest = range(least - head)
    tail = next((at for at in rest if known[-1 - at] != found[-1 - at] or known[-1 - at] is None), len(rest))
    middle = len(found) - head - tail
    return [*range(head), *[None] * middle, *range(len(known) - tail, len(known))]


def _row_problems(part: TaskPart, name: str, at: int, original: _Row, row: _Row) -> Iterator[str]:
    """The complaints about a row whose bytes are what was written: is it what may have been written?"""
    test, edits = f"{part.name}/test.jsonl: row {row.number}", f"{part.name}/edits.jsonl: row {row.number}"
    if original.record is None or original.evidence is None or row.record is None or row.evidence is None:
        return
    if row.record.values.get(PERTURBATION) != name:
        yield f"{test}: perturbation {row.record.values.get(PERTURBATION)!r}; {name!r} stands here"
    if row.record.values.get(EPISODE) != []:
        yield f"{test}: a test row has no episodes"
    if complaint := _misplaced(row.evidence, at, name, original=row is original):
        yield f"{edits}: {complaint}"
        return
    try:
        if row is original:
            row.record.anchors()
            return
        done = row.evidence["edits"]
        if row.evidence["status"] != "perturbed" and any(done.values()):
            yield f"{edits}: status {row.evidence['status']!r}, but there are edits"
        if complaint := broken(original.record, row.evidence, original.evidence["protected"]):
            yield f"{edits}: {complaint}"
        if complaint := unlike(original.record, replayed(original.record, name, done), row.record):
            yield f"{test}: {complaint}"
    except AugmentError as error:
        yield f"{test}: {error}"


def _misplaced(proof: Evidence, at: int, name: str, *, original: bool) -> str | None:
    """Why the evidence is of no row that stands here, as a complaint; None if it may be."""
    about = proof["row"], proof[PERTURBATION]
    if about != (at, name):
        return f"is about row {about[0]} under {about[1]!r}, not {at} under {name!r}"
    if (proof["status"] == "original") != original:
        return f"status {proof['status']!r} does not fit perturbation {name!r}"
    return None


def _train(files: Files, number: int, part: TaskPart) -> Iterator[str]:
    """The complaints about the train rows: their bytes, and the episodes that show them."""
    task = files.content["tasks"][number]
    name = f"{part.name}/train.jsonl"
    if not task["train"]:
        return
    lines = files.lines(name)
    if len(lines) != task["train"]:
        yield f"{name}: {len(lines)} rows; {MANIFEST} says {task['train']}"
    known, digests = task["train_digests"], [digest(line) for line in lines]
    episodes = drawn(files.plan, part, task["train"])
    for at, (line, place) in enumerate(zip(lines, _aligned(known, digests), strict=True), start=1):
        if place is None or known[place] != digests[at - 1]:
            yield f"{name}: row {at}: was changed: its digest in {MANIFEST} is another"
            continue
        values = parsed(line)[1]
        if values.get(PERTURBATION) != part.name:
            yield f"{name}: row {at}: perturbation {values.get(PERTURBATION)!r}; {part.name!r} stands here"
        if values.get(EPISODE) != episodes[place]:
            yield f"{name}: row {at}: episode {values.get(EPISODE)}; the seed draws {episodes[place]}"


def _figures(files: Files, number: int, names: Sequence[str], rows: Sequence[_Row], size: int) -> Iterator[str]:
    """The manifest's figures must be those of the rows."""
    task = files.content["tasks"][number]
    for variation, name in enumerate(names[1:], start=1):
        tally = Tally()
        for row in rows[variation * size : (variation + 1) * size]:
            if row.evidence is not None:
                tally.add(row.evidence)
        if {"name": name, **merged([tally]).figures()} != task["attacks"][variation - 1]:
            yield f"{MANIFEST}: the figures of '{name}' on '{task['name']}' are not those of the rows"
