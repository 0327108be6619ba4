"""Hostile texts under every attack without networks, and under attacks of others that propose anything."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, ClassVar

import numpy as np
import regex

from augment_ru import (
    Attack,
    AugmentError,
    Batch,
    Change,
    Doc,
    Edit,
    Perturber,
    Preparation,
    Proposals,
    Replacements,
    Result,
    Rng,
    Scorer,
    Script,
    Similarity,
    SomeOf,
    Streams,
)  # fmt: skip
from augment_ru.constraints.rule_file import constraint_paths
from augment_ru.draws import Ints
from augment_ru.engine.attack import make
from faults import hostile
from faults.fuzzer import Case, Fault, Fuzzer
from strategies import OFFLINE

_TEXTS, _ROUNDS = 24, 3
_RARELY, _OFTEN = 0.01, 0.25
_WRONG = 10**6
"""Code points of an edit that is too long for any text."""


def check_result(text: str, result: Result) -> None:
    """What holds for every result, whatever the text and the attack.

    Raises:
        Fault: it does not.
    """
    script = result.script
    if script.source != text:
        raise Fault("the source is another text")
    if Script(text, script.edits).text != result.text:
        raise Fault("the edits do not replay")
    if (result.status == "perturbed") != bool(script.edits):
        raise Fault(f"status {result.status} with {len(script.edits)} edits")
    if any(0xD800 <= ord(char) <= 0xDFFF for char in result.text):
        raise Fault("a lone surrogate got into the text")
    for span in result.protected["text"]:
        moved = script.map(span)
        if moved is None or moved.of(result.text) != span.of(text):
            raise Fault(f"the protected {span.label} at {span.start} was changed")
    if script.edits:
        ends = {0, *(match.end() for match in regex.finditer(r"\X", text))}
        for edit in script.edits:
            if edit.start not in ends or edit.stop not in ends:
                raise Fault(f"the edit {edit.start}-{edit.stop} cuts a grapheme cluster")


class Perturbations(Fuzzer):
    """Texts under all attacks at some strength: edits replay, protection holds, and neighbours change nothing."""

    name: ClassVar[str] = "perturbations"
    unit: ClassVar[str] = "perturbations"
    goal: ClassVar[int] = 1_000_000
    share: ClassVar[float] = 6.0
    seconds: ClassVar[float] = 60.0

    def draw(self, random: Random) -> Case:
        """Some texts, which are annotated once; several settings of all attacks."""
        constraints = random.sample(sorted(_constraints()), random.choice([0, 1, 3]))
        rounds = [
            {
                "probability": random.choice([None, 0.05, 0.5, 1.0]),
                "schedule": random.choice(["paper", "strongest"]),
                "candidates": random.choice([1, 3]),
                "min_changes": random.choice([None, 0, 2]),
                "similarity": random.choice(["meaning", "meaning", "navec", "none"]),
                "seed": random.randint(0, 2**64),
                "attacks": random.sample(OFFLINE, random.choice([1, 2])),
            }
            for _ in range(_ROUNDS)
        ]
        texts = [hostile.text(random) for _ in range(_TEXTS)]
        return Case(texts, {"constraints": constraints, "alone": random.randrange(_TEXTS), "rounds": rounds})

    def check(self, case: Case) -> int:
        """Perturb the texts with each attack, and with two of them one after another."""
        perturbers = [one for given in case.settings["rounds"] for one in _perturbers(given)]
        texts, needs = list(case.pieces), [one.needs for one in perturbers]
        preparation = Preparation(tuple(case.settings["constraints"]))
        (prepared,) = preparation.texts(texts, needs=needs)
        at = case.settings["alone"] % len(texts)
        (alone,) = preparation.texts(texts[at : at + 1], needs=needs)
        for perturber in perturbers:
            results = list(perturber.perturb(prepared).results)
            for text, result in zip(texts, results, strict=True):
                check_result(text, result)
                self.note(result.status)
            if perturber.perturb(alone).results[0] != results[at]:
                raise Fault(f"{perturber.attack.name}: another result for the text alone: {texts[at]!r}")
        return len(texts) * len(perturbers)


def _perturbers(settings: Mapping[str, Any]) -> list[Perturber]:
    """Every attack with the settings, and some of them one after another."""
    given = {name: value for name, value in settings.items() if value is not None}
    options = {"probability": given.pop("probability")} if "probability" in given else {}
    chain = SomeOf(tuple(make(name, options) for name in given.pop("attacks")), 1)
    return [Perturber(attack, **given) for attack in (*(make(name, options) for name in OFFLINE), chain)]


@cache
def _constraints() -> Sequence[str]:
    """The constraints for Russian texts that need no fields of a record."""
    return [name for name in constraint_paths() if name != "key_words"]


@dataclass(frozen=True)
class _Proposes(Attack):
    """An attack of another: it proposes what it was told to."""

    changes: tuple[tuple[float, tuple[tuple[int, int, str], ...]], ...] = ()
    name: ClassVar[str] = "of_another"
    probability: float = 1.0

    def propose(self, doc: Doc, rng: Rng) -> Iterator[Change]:
        """The changes, at places of this text."""
        del rng
        size = len(doc.text)
        for rank, edits in self.changes:
            yield Change(rank, tuple(_placed(size, *edit) for edit in edits))


_LAZY: Mapping[str, Callable[[Ints], Any]] = {
    "texts": lambda indices: ["ы"] * indices.size,
    "columns": lambda indices: Replacements.of(["ы"] * indices.size),
    "raises": lambda indices: indices[indices.size],
    "nothing": lambda indices: None if indices.size else [],
    "a number": lambda indices: indices.size,
    "numbers": lambda indices: indices,
    "too few": lambda indices: ["ы"] * (indices.size - 1),
    "too many": lambda indices: Replacements.of(["ы"] * (indices.size + 1)),
    "wrong offsets": lambda indices: Replacements(np.zeros(3, dtype=np.uint32), np.arange(indices.size + 1) * 9),
    "text": lambda indices: "ы" * indices.size,
}
"""What a function of an attack returns, or does, when it is called."""
_SCORES: Mapping[str, Callable[[int], Any]] = {
    "one": np.ones, "none": lambda size: None if size else [], "too few": lambda size: np.ones(max(size - 1, 0)),
    "a table": lambda size: np.ones((size, 1)), "a number": float, "nan": lambda size: np.full(size, np.nan),
    "texts": lambda size: ["x"] * size, "high": lambda size: np.full(size, 7.0),
    "raises": lambda size: 1 / (size - size),
}  # fmt: skip
"""What a scorer returns, or does, for so many candidates."""


@dataclass(frozen=True)
class _ProposesColumns(Attack):
    """An attack of another in columns: its functions fail when they are called."""

    texts: str = "texts"
    notes: str = ""
    name: ClassVar[str] = "in_columns"
    probability: float = 1.0

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """A letter in the place of each word."""
        starts, stops = batch.words
        notes: Any = _LAZY[self.notes] if self.notes else None
        return Proposals.of_edits(starts, stops, batch.draw(streams, starts), _LAZY[self.texts], notes=notes)


@dataclass(frozen=True)
class _Scores(Similarity):
    """A similarity of another, whose scorer fails when it is asked."""

    kind: str
    signature: ClassVar[str] = "of_another"
    threshold: ClassVar[float] = 0.5

    def against(self, references: Sequence[str]) -> Scorer:
        """A scorer that does as it was told."""
        del references
        scores = _SCORES[self.kind]

        class Told(Scorer):
            def score(self, indices: Ints, candidates: Sequence[str]) -> Any:  # noqa: ANN401
                del indices
                return scores(len(candidates))

        return Told()


def _placed(size: int, start: int, length: int, new: str) -> Edit:
    """An edit in a text of this size; one of a negative start or length, or far too long, stays wrong."""
    if start < 0 or length < 0 or length > _WRONG:
        return Edit(start, start + length, new)
    start %= size + 1
    return Edit(start, min(start + length, size), new)


class OfOthers(Fuzzer):
    """Attacks of others that propose edits anywhere, of anything: what is applied is lawful, or it is one line."""

    name: ClassVar[str] = "third-party"
    unit: ClassVar[str] = "perturbations"
    goal: ClassVar[int] = 100_000
    share: ClassVar[float] = 1.0

    def draw(self, random: Random) -> Case:
        """Changes; the texts stay."""
        return Case(
            [self._change(random) for _ in range(random.randint(1, 12))],
            {
                "texts": [hostile.text(random)[:300] for _ in range(8)],
                "gate": random.random() < 0.3,
                "lazy": [random.choice([*_LAZY]), random.choice(["", *_LAZY])] if random.random() < _OFTEN else [],
                "scores": random.choice([*_SCORES]) if random.random() < _OFTEN else "",
            },
        )

    @staticmethod
    def _change(random: Random) -> Any:  # noqa: ANN401
        rank = random.choice([0.0, random.random(), random.random(), random.random(), 0.999])
        edits = []
        for _ in range(random.choice([1, 1, 2, 3])):
            start = random.randint(0, 400)
            length = random.choice([0, 0, 1, 1, 2, 5, 40])
            new = random.choice(["", "", "х", "ы ", " ", "-", "\u0301", "🇷", "a@b.ru", "<b>", hostile.text(random)[:9]])
            edits.append((start, length, new))
        if random.random() < _RARELY:
            rank = random.choice([-1.0, 1.0, 2.0, float("nan"), float("inf")])
        if random.random() < _RARELY:
            edits.append(random.choice([(5, -3, "x"), (-3, 2, "x"), (0, -5, ""), (1, 2, "\ud800"), (0, 10**9, "x")]))
        return rank, tuple(edits)

    def check(self, case: Case) -> int:
        """Perturb the texts with an attack that proposes the changes."""
        lazy, scores = case.settings["lazy"], case.settings["scores"]
        attack = _ProposesColumns(*lazy) if lazy else _Proposes(tuple(case.pieces))
        similarity = _Scores(scores) if scores else "meaning" if case.settings["gate"] else "none"
        perturber = Perturber(attack, similarity=similarity, seed=1)
        texts = case.settings["texts"]
        try:
            (prepared,) = Preparation(()).texts(texts, needs=[perturber.needs])
            results = list(perturber.perturb(prepared).results)
            for text, result in zip(texts, results, strict=True):
                check_result(text, result)
                self.note(result.status)
        except AugmentError as error:
            if "\n" in str(error):
                raise Fault(f"an error of several lines: {error}") from error
            self.note("refused")
        return len(texts)
