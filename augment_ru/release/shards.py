"""The work of a release in parts: some rows of a task, perturbed by every attack that the task takes.

A part is a function of the recipe and of its rows alone, so parts may be made in any order, by any number of
processes, and be kept or made again.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import CHUNK_CHARACTERS, Preparation, Prepared
from augment_ru.engine.presets import AttackChoice, GateChoice, preset, run_of
from augment_ru.engine.similarity import Scorer, Similarity
from augment_ru.formats.json_lines import parsed
from augment_ru.language.annotate import Annotator, annotator
from augment_ru.records.record import Record
from augment_ru.records.task import Task
from augment_ru.release.edit_log import of_original, of_result
from augment_ru.release.recipe import Blueprint, TaskPart, blueprint
from augment_ru.release.sources import protector, with_perturbation

PART_ROWS = 256
"""Rows of a part: about five seconds of work, which is what a killed run loses at most."""


_SEARCH = ("schedule", "candidates", "min_changes", "floor")


class Shared(Similarity):
    """A similarity that looks at the references of a part once for all attacks."""

    def __init__(self, inner: Similarity) -> None:
        self._inner = inner
        self._references: Sequence[str] = ()
        self._scorer: Scorer | None = None

    @property
    def signature(self) -> str:
        """That of the similarity itself."""
        return self._inner.signature

    @property
    def threshold(self) -> float:
        """That of the similarity itself."""
        return self._inner.threshold

    def against(self, references: Sequence[str]) -> Scorer:
        """A scorer for these references, the last one if they are the same list."""
        if self._scorer is None or references is not self._references:
            self._references, self._scorer = references, self._inner.against(references)
        return self._scorer


@dataclass(frozen=True, slots=True)
class Workshop:
    """The tools that a recipe asks for, made once in each process."""

    blueprint: Blueprint
    perturbers: Mapping[str, Perturber]
    """By the name of the attack in the recipe."""
    annotate: Annotator
    scorer: str
    """The signature of the similarity."""
    models: bool
    """Whether an attack or the similarity runs a model, which has a device."""


def workshop(plan: Blueprint, device: str = "auto") -> Workshop:
    """The tools of a recipe, its models on this device.

    Raises:
        AugmentError: an attack, a similarity or an annotator of it does not exist, or a value is out of range.
    """
    gate = plan.gate
    given = {"threshold": gate.threshold} | {key: getattr(gate, key) for key in _SEARCH}
    run = run_of(
        preset(plan.preset),
        [AttackChoice(one.spec, one.tables, one.probability, one.threshold, one.name) for one in plan.attacks],
        GateChoice(
            gate.similarity, dict(gate.options), {key: value for key, value in given.items() if value is not None}
        ),
        seed=plan.seed,
        device=device,
        wrap=Shared,
    )
    perturbers = {attack.name: perturber for attack, perturber in zip(plan.attacks, run.perturbers, strict=True)}
    return Workshop(plan, perturbers, annotator(gate.annotator or "natasha"), run.scorer, run.runs_network)


@cache
def _workshop(recipe: str, device: str) -> Workshop:
    return workshop(blueprint(json.loads(recipe), "recipe"), device)


class Variation(NamedTuple):
    """The rows of a part under one attack, and their evidence; lines without their ends."""

    name: str
    rows: list[str]
    edits: list[str]


@dataclass(slots=True)
class Timing:
    """Seconds, by what they were spent on."""

    annotation: float = 0.0
    perturbing: dict[str, float] = field(default_factory=dict)
    writing: float = 0.0
    clock: Callable[[], float] = time.perf_counter

    def add(self, other: "Timing") -> None:
        """Add another's seconds."""
        self.annotation += other.annotation
        self.writing += other.writing
        for name, seconds in other.perturbing.items():
            self.perturbing[name] = self.perturbing.get(name, 0.0) + seconds


def variations(
    shop: Workshop, part: TaskPart, task: Task, rows: Mapping[int, str], timing: Timing
) -> Iterator[Variation]:
    """The original rows, then each attack's; the texts are annotated once for all.

    Args:
        shop: the tools.
        part: the task in the recipe.
        task: its schema.
        rows: original rows of the release, as lines, by their number in the test file, from 0.
        timing: is told where the time goes.
    """
    records = [Record(parsed(row.encode())[1], task, row) for row in rows.values()]
    attacks = shop.blueprint.attacks_of(part)
    guard = protector(shop.blueprint, part, task)
    layers = frozenset().union(*(shop.perturbers[attack.name].attack.layers for attack in attacks))
    began = timing.clock()
    prepared = Preparation(guard.constraints, shop.annotate).chunk(records, layers)
    timing.annotation += timing.clock() - began
    protected = _protected(prepared)
    originals = zip(rows.items(), protected, strict=True)
    yield Variation(
        part.name,
        list(rows.values()),
        [of_original(number, part.name, row, spans) for (number, row), spans in originals],
    )
    for attack in attacks:
        began = timing.clock()
        results = shop.perturbers[attack.name].perturb(prepared).results
        done = timing.clock()
        lines = [with_perturbation(result.line("none"), attack.name) for result in results]
        edits = [
            of_result(number, attack.name, line, result, spans)
            for number, line, result, spans in zip(rows, lines, results, protected, strict=True)
        ]
        timing.perturbing[attack.name] = timing.perturbing.get(attack.name, 0.0) + done - began
        timing.writing += timing.clock() - done
        yield Variation(attack.name, lines, edits)


def _protected(prepared: Prepared) -> list[dict[str, list[list[Any]]]]:
    """What no attack may touch, by field, of each record."""
    return [
        {
            prepared.fields[text]: [[span.start, span.stop, span.label] for span in prepared.batch.protected(text)]
            for text in prepared.rows(at)
        }
        for at in range(len(prepared))
    ]


class Work(NamedTuple):
    """A part to be made."""

    recipe: str
    """The recipe's tables as JSON."""
    task: Task
    number: int
    """Of the task in the recipe, from 0."""
    first: int
    """The number of its first row."""
    rows: tuple[str, ...]
    device: str = "auto"


def works(work: Work, size: int = PART_ROWS) -> Iterator[Work]:
    """The parts of a task's whole work: so many rows, or fewer when they are long."""
    first = characters = 0
    for at, row in enumerate(work.rows):
        characters += len(row)
        if at + 1 == len(work.rows) or at + 1 - first == size or characters >= CHUNK_CHARACTERS:
            yield work._replace(first=first, rows=work.rows[first : at + 1])
            first, characters = at + 1, 0


def made(work: Work) -> tuple[bytes, Timing]:
    """A part as the bytes of its file: a line that says how long what follows is, then rows and evidence."""
    timing = Timing()
    shop = _workshop(work.recipe, work.device)
    rows = dict(enumerate(work.rows, start=work.first))
    blobs: list[bytes] = []
    names = []
    for name, own, edits in variations(shop, shop.blueprint.tasks[work.number], work.task, rows, timing):
        names.append(name)
        blobs += ("".join(f"{line}\n" for line in lines).encode() for lines in (own, edits))
    body = b"".join(blobs)
    header = {"names": names, "sizes": [len(blob) for blob in blobs], "sha256": sha256(body).hexdigest()}
    return json.dumps(header).encode() + b"\n" + body, timing


class Part(NamedTuple):
    """A part that is made: where the rows and the evidence of each variation stand in its file."""

    path: Path
    places: Mapping[str, tuple[tuple[int, int], tuple[int, int]]]
    """Variation to (start, stop) of its rows, and of its evidence."""

    def rows(self, name: str) -> bytes:
        """The rows of a variation; nothing if the part has none of this name."""
        return self._stretch(name, 0)

    def edits(self, name: str) -> bytes:
        """The evidence of a variation."""
        return self._stretch(name, 1)

    def _stretch(self, name: str, which: int) -> bytes:
        start, stop = self.places[name][which]
        with self.path.open("rb") as stream:
            stream.seek(start)
            return stream.read(stop - start)


def opened(path: Path) -> Part | None:
    """The part in a file; None if there is no such file, or it is not whole."""
    try:
        with path.open("rb") as stream:
            header = json.loads(stream.readline())
            start = stream.tell()
            if sha256(stream.read()).hexdigest() != header["sha256"]:
                return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    bounds = list(accumulate(header["sizes"], initial=start))
    stretches = list(pairwise(bounds))
    return Part(path, {name: (stretches[2 * at], stretches[2 * at + 1]) for at, name in enumerate(header["names"])})
