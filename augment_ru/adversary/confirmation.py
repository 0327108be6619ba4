"""Tell whether a text broke the answer or the model slipped: models that do not always answer the same are asked again.

A slip is an answer that the model does not usually give to the text.
The test is Wald's sequential one (1945), for a share of slips that is known only roughly (mixtures: Robbins 1970). Its
three hypotheses about the answers that the model usually gives to the original and to a text are: kept and broken (the
text did it); both kept; both broken (the first answer to the original was a slip). Under each, an answer is a slip with
a probability s that has a Beta distribution, whose mean is the model's measured slip rate. The k-th text of a record is
confirmed if the first hypothesis is 100 · k (k + 1) times as likely as the likelier of the others. By Ville's
inequality (1939) slips alone reach this with a probability of at most .01 / (k (k + 1)), however often one asks; over
all k these add up to .01, whatever the budget.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, lgamma, log

from augment_ru.adversary.goal import Goal
from augment_ru.adversary.ledger import Ledger
from augment_ru.evaluation.examples import example_of
from augment_ru.records.record import Record

_ERROR = 0.01
"""The probability, for a record, that a text is confirmed although slips made the difference."""
_HOPELESS = 2.0
"""A text is given up if another hypothesis is at least this many times as likely; for most models, after two answers
that are not broken."""
_WEIGHT = 20.0
"""The weight of the measured slip rate, in answers: the lower it is, the more the rates of records may differ."""
_PRIOR = (1, 19)
"""Slips and other answers that are added to those measured: a few answers without a slip do not prove a rate of 0."""
MEASURED, _TIMES = 50, 4
"""How many originals the slip rate is measured on, and how often each is asked about."""


@dataclass(slots=True)
class Answers:
    """Counts the answers to one text.

    Attributes:
        broken: how many answers were what the search wants: wrong, or the target label.
        kept: how many answers were not what the search wants.
    """

    broken: int = 0
    kept: int = 0

    def count(self, *, broken: bool) -> None:
        """Count one more answer; `broken` says whether it was what the search wants."""
        self.broken += broken
        self.kept += not broken

    @property
    def asked(self) -> int:
        """How many answers were counted."""
        return self.broken + self.kept


@dataclass(slots=True)
class Confirmation:
    """Decides by repeated answers whether a new text really turns the model's answer wrong, or the model slipped.

    A slip is an answer that the model does not usually give to the text.

    Attributes:
        rate: how often the model slips, in (0, 1).
        least: the fewest times that a text that seems to break the answer is asked about again.
        original: the answers to the original.
        text: the answers to the text that seems to break the answer.
        again: how many queries for the record repeated an earlier question.
        odds: for the text that was last found to break the answer: how likely it is that only slips made its answers
            differ from those to the original. None if there is no such text.
    """

    rate: float
    least: int
    original: Answers = field(default_factory=Answers)
    text: Answers = field(default_factory=Answers)
    again: int = 0
    odds: float | None = None

    @property
    def of_original(self) -> bool:
        """Whether the next question is about the original, not about the text that seems to break the answer.

        The original is asked about until it has as many answers as the other text has wrong ones (answers that the
        search wants).
        """
        return self.text.broken > self.original.asked

    @property
    def asked(self) -> int:
        """How often the question that comes next (about the original or about the text) was answered before."""
        return (self.original if self.of_original else self.text).asked

    def verdict(self, number: int) -> bool | None:
        """Return whether the text turns the answer wrong, by all answers so far; None if the model must be asked again.

        Args:
            number: how many perturbed texts of the record were asked about so far, this one included. Of many texts,
                one is likelier to look broken by slips alone; so more answers are needed.
        """
        odds = number * (number + 1) * exp(-self._evidence())
        if odds < _ERROR and self.text.asked > self.least:
            self.odds = odds
            return True
        return False if self._evidence() < -log(_HOPELESS) else None

    @property
    def is_wrong_before(self) -> bool:
        """Whether most answers of the model to the original were wrong."""
        return self.original.broken > self.original.kept

    def as_json(self) -> dict[str, float | int | None]:
        """Return what a row states about the repeated answers.

        The keys are `again` (how many queries repeated a question), `slip_rate` (how often the model gives an unusual
        answer), and `odds` (how likely it is that only such slips made the answers to the text and to the original
        differ; two digits).
        """
        odds = None if self.odds is None else float(f"{self.odds:.1e}")
        return {"again": self.again, "slip_rate": round(self.rate, 4), "odds": odds}

    def _evidence(self) -> float:
        """Return the logarithm of how many times likelier it is that the text broke the answer than that slips did."""
        text, original = self.text, self.original
        broken, kept = text.broken + original.broken, text.kept + original.kept
        found = self._likelihood(text.kept, text.broken) + self._likelihood(original.broken, original.kept)
        return found - max(self._likelihood(broken, kept), self._likelihood(kept, broken))

    def _likelihood(self, slips: int, others: int) -> float:
        """Return the logarithm of the probability of a sequence of answers with these numbers of slips and others."""
        a, b = _WEIGHT * self.rate, _WEIGHT * (1 - self.rate)
        return _log_beta(a + slips, b + others) - _log_beta(a, b)


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def slip_rate(goals: Sequence[Goal], originals: Sequence[Record], ledger: Ledger) -> float:
    """Measure how often a model slips: the share of wrong answers to originals that it usually answers right.

    Args:
        goals: the goal of each original, which tells whether an answer is right.
        originals: the records. Only the first 50 are used, and each is asked about four times.
        ledger: asks the model, and keeps its answers.

    Returns:
        The rate, in (0, 1). So that it is never 0, one slip and 19 other answers are added to the counts.
    """
    slips, others = _PRIOR
    examples = [example_of(record.values, record.task) for record in originals[:MEASURED]]
    answers = [ledger.ask(examples, repeats=[time] * len(examples)) for time in range(_TIMES)]
    for goal, given in zip(goals, zip(*answers, strict=True), strict=False):  # goals of further records
        wrong = sum(not goal.is_right(goal.answer(scored)) for scored in given)
        if 2 * wrong <= _TIMES:
            slips, others = slips + wrong, others + _TIMES - wrong
    return slips / (slips + others)
