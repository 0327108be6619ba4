"""The rounds of a search: for all records of a chunk at once, one call of the gate and one of the model a round."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from augment_ru.adversary.by_guide import Guidance
from augment_ru.adversary.case import SearchCase
from augment_ru.adversary.ledger import Ledger
from augment_ru.engine.pool_gate import PoolGate, Wanted
from augment_ru.script import Script

if TYPE_CHECKING:
    from augment_ru.adversary.knowledge import ChangeSet
    from augment_ru.evaluation.examples import Scored

_CHARACTERS = 2**24
"""Characters of the texts that a guide is asked about at a time."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a search may go on.

    Attributes:
        budget: how many different texts of a record the model is asked about at most, its original among them.
        deadline: when the run ends, on the clock of `time.monotonic`; None for no end.
    """

    budget: int
    deadline: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether the run's time is over."""
        return self.deadline is not None and time.monotonic() >= self.deadline


def ask_originals(cases: Sequence[SearchCase], ledger: Ledger) -> None:
    """Ask the model about the originals."""
    for case, scored in zip(cases, ledger.ask([case.example({}) for case in cases]), strict=True):
        case.asked_original(scored)


def guidance_of(case: SearchCase, guide: Ledger) -> Guidance | None:
    """What a guide says about each change of a case alone; None if it does not know the right label or the target."""
    sets: list[ChangeSet] = [(), *((change,) for change in range(len(case.pool)))]
    at_once = max(_CHARACTERS // max(sum(map(len, case.pool.sources)), 1), 1)
    answers: list[Scored] = []
    for first in range(0, len(sets), at_once):
        answers += guide.ask([case.example(case.pool.scripts(one)) for one in sets[first : first + at_once]])
    original, *changed = answers
    guide.forget()
    rivals = case.goal.rivals(original)
    if rivals is None:
        return None
    margins = case.goal.margins(original, rivals)
    return Guidance(margins, margins - np.array([case.goal.margins(scored, rivals) for scored in changed]))


def search_all(
    cases: Sequence[SearchCase],
    gate: PoolGate,
    ledger: Ledger,
    limits: Limits,
    on_finished: Callable[[SearchCase], None] = lambda _: None,
) -> None:
    """Run the searches that have begun, in rounds, until all have ended.

    Args:
        cases: the records whose searches have begun.
        gate: scores a set before it is asked about.
        ledger: the model, with what it was asked.
        limits: how long a search may go on.
        on_finished: is called with each case when its search has ended.
    """
    active = list(cases)
    while active:
        questions, ended = _questions(active, gate, limits)
        for case in ended:
            on_finished(case)
        over = limits.is_over
        replies = [] if over else ledger.ask([question.case.example(question.scripts) for question in questions])
        for question, scored in zip(questions, replies, strict=not over):
            question.case.answered(question.texts, scored, question.similarity)
        active = [question.case for question in questions]
        if over:
            for case in active:
                case.finish("time")
                on_finished(case)
            return


class _Question(NamedTuple):
    """A set that the gate lets pass and that the model is to be asked about."""

    case: SearchCase
    scripts: Mapping[int, Script]
    texts: tuple[str, ...]
    similarity: float


def _questions(
    active: Sequence[SearchCase], gate: PoolGate, limits: Limits
) -> tuple[list[_Question], list[SearchCase]]:
    """The next question of each case, in the order of the cases, and the cases whose searches ended."""
    found: dict[int, _Question] = {}
    ended: list[SearchCase] = []
    pending = list(active)
    while pending:
        for case in pending:
            if case.wanted is None:
                case.finish("")
                ended.append(case)
        asking = [(case, case.pool.scripts(chosen)) for case in pending if (chosen := case.wanted) is not None]
        scores = gate.scores([Wanted(case.number, scripts) for case, scripts in asking]).tolist()
        pending = []
        for (case, scripts), score in zip(asking, scores, strict=True):
            if not gate.passes(score):
                case.refused(score, limits.budget)
                pending.append(case)
                continue
            texts = tuple(scripts[at].text if at in scripts else text for at, text in enumerate(case.pool.sources))
            known = case.known_answer(texts)
            if known is not None:
                case.answered(texts, known, score)
                pending.append(case)
            elif case.queries >= limits.budget:
                case.finish("budget")
                ended.append(case)
            else:
                found[case.number] = _Question(case, scripts, texts, score)
    return [found[case.number] for case in active if case.number in found], ended
