"""Hostile texts under every attack without networks, and under attacks of others that propose anything."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, ClassVar

import regex

from augment_ru import Attack, AugmentError, Change, Doc, Edit, Perturber, Preparation, Result, Rng, Script, SomeOf
from augment_ru.constraints.rule_file import constraint_paths
from augment_ru.engine.attack import make
from faults import hostile
from faults.fuzzer import Case, Fault, Fuzzer
from strategies import OFFLINE

_TEXTS, _ROUNDS = 24, 3
_RARELY = 0.01
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
            {"texts": [hostile.text(random)[:300] for _ in range(8)], "gate": random.random() < 0.3},
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
        attack = _Proposes(tuple(case.pieces))
        perturber = Perturber(attack, similarity="meaning" if case.settings["gate"] else "none", seed=1)
        texts = case.settings["texts"]
        try:
            (prepared,) = Preparation(()).texts(texts, needs=[perturber.needs])
            results = perturber.perturb(prepared).results
        except AugmentError as error:
            if "\n" in str(error):
                raise Fault(f"an error of several lines: {error}") from error
            self.note("refused")
            return len(texts)
        for text, result in zip(texts, results, strict=True):
            check_result(text, result)
            self.note(result.status)
        return len(texts)
