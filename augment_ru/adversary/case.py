"""The state of the search for one record: what it asks next, what it has learnt, and how it ended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from augment_ru.adversary.breaking import Guidance, search_of
from augment_ru.adversary.confirmation import Answers, Confirmation
from augment_ru.adversary.goal import Goal
from augment_ru.adversary.knowledge import ChangeSet, Draws, Knowledge, Search, Verdict
from augment_ru.draws import Floats
from augment_ru.engine.pool import RecordPool
from augment_ru.engine.result import new_values
from augment_ru.evaluation.examples import Example, Scored, example_of
from augment_ru.formats.row import Changed, new_row
from augment_ru.records.record import Record
from augment_ru.script import Script
from augment_ru.text.characters import Mask

Status = Literal["broken", "withstood", "rejected", "wrong_before", "unchanged"]
Reason = Literal["", "budget", "nothing left to try", "time", "right already", "not asked"]

STATUSES = ("broken", "withstood", "rejected", "wrong_before", "unchanged")

_SURE = 2
"""This many answers to an original that may be slips decide whether it is right."""
_MOST_REFUSALS = 10
"""A search ends when the gate has refused this many sets for each query of the budget."""


_SHORT = 2**14
"""Texts of a record with at least this many characters together are identified by a digest."""
_Texts: TypeAlias = tuple[str, ...] | bytes
"""The key of a version of a record: its texts, or their digest if they are long."""


class Doubted(NamedTuple):
    """A version of a record that seems to turn the model's answer wrong, but the model may have slipped.

    A slip is an answer that the model does not usually give to the text.

    Attributes:
        texts: the texts of this version, one for each perturbed field.
        similarity: the score of these texts in the gate (similarity check).
        answers: maps True to the latest answer that is what the search wants, and False to the latest other answer.
    """

    texts: tuple[str, ...]
    similarity: float
    answers: dict[bool, Scored]


@dataclass(slots=True)
class SearchCase:
    """The state of the search for one record.

    A broken set is a set of changes that breaks the model's answer: turns it from right to wrong, or into a given
    label. The gate is the similarity check that changed texts must pass. A slip is an answer that the model does not
    usually give to the text.

    Attributes:
        number: the index of the record among the records that are searched together, from 0.
        record: the record.
        goal: tells which answers the search looks for: any wrong one, or a given label.
        pool: the changes of the record that the search may choose.
        before: the answer to the original; None if the model was not asked yet.
        queries: how often the model was asked about a text of the record, including the original.
        broken_at: which query was the first to break the answer, counted from 1; None if none did.
        after: the answer to the texts with the smallest broken set.
        similarity: the gate's score of the smallest broken set; for a rejected record, the best score that failed.
        status: how the search ended; None while it goes on.
        reason: why the search ended, if the status alone does not say it; otherwise "".
        minimal: whether every change of the smallest broken set is needed to break the answer, as far as is known.
        knowledge: which sets of changes were tried, and what came of each; None if no search was begun.
        confirmation: the repeated answers that tell slips from broken answers; None if the first answer is believed.
        wanted: the set of changes that the search asks the model about next; None if the search has ended.
        rivals: the labels that may replace the right ones, each as (index of the field that holds the right one,
            label); None if the model gave no usable scores.
        doubted: the texts that seem to break the answer, but are not confirmed yet; None if there are none.
    """

    number: int
    record: Record
    goal: Goal
    pool: RecordPool
    before: Any = None
    queries: int = 0
    broken_at: int | None = None
    after: Any = None
    similarity: float | None = None
    status: Status | None = None
    reason: Reason = ""
    minimal: bool = False
    knowledge: Knowledge | None = None
    confirmation: Confirmation | None = None
    _original: Scored | None = None
    _similarities: Floats | None = None
    _search: Search | None = None
    wanted: ChangeSet | None = None
    _refusals: int = 0
    doubted: Doubted | None = None
    _settled: dict[_Texts, bool] = field(default_factory=dict)
    _answers: dict[_Texts, Scored] = field(default_factory=dict)
    rivals: list[tuple[int, str]] | None = None
    _question: Example | None = None
    _read: dict[str, str] | None = None

    @property
    def changes(self) -> ChangeSet:
        """The smallest set of changes known to turn the answer wrong, as indices in `pool`; empty if none is known."""
        return (self.knowledge.smallest if self.knowledge else None) or ()

    @property
    def is_open(self) -> bool:
        """Whether the search for the record has not ended, so that it has no status yet, such as `broken`."""
        return self.status is None

    def asked_original(self, scored: Scored, most: int) -> bool:
        """Store an answer to the original, and return whether the model must be asked about the original again.

        A wrong answer may be a slip (one that the model does not usually give). If answers are confirmed, the model is
        then asked up to two more times, and the answer that it gives twice counts. The search ends at once if the
        original is answered wrong, if the target is the right label already, or if there is no change to choose.

        Args:
            scored: the answer.
            most: the most queries for the record; when they are spent, the model is not asked again.
        """
        answer = self.goal.answer(scored)
        self.queries += 1
        if self.confirmation is None:
            self.before = answer
        else:
            given = self.confirmation.original
            given.count(broken=not self.goal.is_right(answer))
            self.confirmation.again = given.asked - 1
            if not self.goal.is_right(answer) or given.kept > given.broken:
                self.before = answer
            if given.broken and max(given.broken, given.kept) < _SURE and self.queries < most:
                return True
        if not self.goal.is_right(self.before):
            self.status = "wrong_before"
        elif self.goal.target is not None and self.goal.target == self.goal.golds[0]:
            self.status, self.reason = "unchanged", "right already"
        elif not len(self.pool):
            self.status = "unchanged"
        self._original = scored
        self.rivals = self.goal.rivals(scored)
        return False

    def screened(self, similarities: Floats, passing: Mask) -> None:
        """Remove from the pool the changes that fail the gate (similarity check) alone; if all do, reject the record.

        Args:
            similarities: the gate's score of each change by itself, shape (changes,).
            passing: whether each change passes the gate by itself, shape (changes,).
        """
        self._similarities = similarities[passing]
        if not passing.any():
            self.status = "rejected"
            best = float(similarities.max())
            self.similarity = best if np.isfinite(best) else None
        elif not passing.all():
            self.pool = self.pool.only(np.flatnonzero(passing).tolist())

    def begin(self, key: int, *, minimal: bool, guidance: Guidance | None = None) -> None:
        """Start the search.

        Args:
            key: the number that seeds the random draws of this search.
            minimal: whether changes that are not needed to make the answer wrong are undone in the end.
            guidance: what the scores of a guide (a second model) say about the record; None for no guide.
        """
        if self._original is None:  # the time was over before
            self.finish("time")
            return
        self._answers[_key(self.pool.sources)] = self._original
        margins = self._margins(self._original)
        self.knowledge = Knowledge(self.pool, self._similarities, Verdict(1.0, passed=True, margins=margins))
        self._search = search_of(self.knowledge, margins, guidance, Draws(key), minimal=minimal)
        self._advance(None)

    def _margins(self, scored: Scored) -> Floats | None:
        return None if self.rivals is None else self.goal.margins(scored, self.rivals)

    def _advance(self, verdict: Verdict | None) -> None:
        if self._search is None:
            return
        try:
            self.wanted = next(self._search) if verdict is None else self._search.send(verdict)
        except StopIteration:
            self.wanted, self._search = None, None

    def refused(self, similarity: float, most: int) -> None:
        """Store that the gate (similarity check) refused the set of changes that the search wanted to ask about.

        Args:
            similarity: the gate's score of the set.
            most: the most queries for the record. The search ends when the gate has refused ten times this many sets.
        """
        if np.isfinite(similarity):
            self.similarity = max(similarity, self.similarity or 0.0)
        self._refusals += 1
        self._taken(Verdict(similarity, passed=False))
        if self._refusals >= _MOST_REFUSALS * most:
            self.stop()

    def known_answer(self, texts: tuple[str, ...]) -> Scored | None:
        """Return the answer to these texts (one for each field); None if the model was not asked about them yet."""
        return self._answers.get(_key(texts))

    def answered(self, texts: tuple[str, ...], scored: Scored, similarity: float) -> None:
        """Store the answer of the model to the set of changes that the search asked about.

        Args:
            texts: the texts of the record with these changes, one for each field.
            scored: the answer.
            similarity: the score of the texts in the gate (similarity check).
        """
        key = _key(texts)
        if key not in self._answers:
            self._answers[key] = scored
            self.queries += 1
        broken = self._settled.get(key, self._is_broken(scored))
        if broken and self.confirmation is not None and key not in self._settled:
            self.confirmation.text = Answers(broken=1)
            self.doubted = Doubted(texts, similarity, {True: scored})
            return
        self._judged(scored, similarity, broken=broken)

    def answered_again(self, scored: Scored) -> None:
        """Store one more answer to a question that is asked again, since an answer may be a slip (not the usual one).

        `Confirmation.of_original` says which question that is: about the original, or about the text that seems to
        break the answer.
        """
        known, doubted = self.confirmation, self.doubted
        if known is None or doubted is None:
            return
        answer = self.goal.answer(scored)
        if known.of_original:
            wrong = not self.goal.is_right(answer)
            known.original.count(broken=wrong)
            self.before = answer if wrong and known.is_wrong_before else self.before
        else:
            broken = self._is_broken(scored)
            known.text.count(broken=broken)
            doubted.answers[broken] = scored
        known.again, self.queries = known.again + 1, self.queries + 1
        verdict = known.verdict(len(self._answers) - 1)
        if verdict is None:
            return
        self.doubted = None
        if not verdict and known.is_wrong_before:
            self.stop()
            self.status = "wrong_before"
            return
        key = _key(doubted.texts)
        self._settled[key] = verdict
        self._answers[key] = doubted.answers.get(verdict, doubted.answers[True])
        self._judged(self._answers[key], doubted.similarity, broken=verdict)

    def _is_broken(self, scored: Scored) -> bool:
        """Tell whether the answer to the wanted set is broken."""
        labelled = self.record.task.layout.labelled
        script = self.scripts(self.wanted or ()).get(labelled) if labelled and self.goal.kind == "spans" else None
        return self.goal.is_broken(self.goal.answer(scored), script)

    def _judged(self, scored: Scored, similarity: float, *, broken: bool) -> None:
        """Let the search know whether the wanted set broke the answer."""
        if broken and self.broken_at is None:
            self.broken_at = self.queries
        self._taken(Verdict(similarity, passed=True, broken=broken, margins=self._margins(scored)))

    def _taken(self, verdict: Verdict) -> None:
        if self.knowledge is not None and self.wanted is not None:
            self.knowledge.learn(self.wanted, verdict)
            self._advance(verdict)

    def stop(self) -> None:
        """End the search, so that it asks nothing more; `finish` sets the status of the record later."""
        self._search, self.wanted = None, None

    def finish(self, reason: Reason) -> None:
        """End the search, and set the status of the record: `broken`, `withstood`, `rejected`, or `unchanged`.

        Args:
            reason: what cut the search short, such as "budget" or "time"; "" if nothing did.
        """
        self.stop()
        knowledge = self.knowledge
        if self.status is not None:  # the original proved to be answered wrong
            return
        if knowledge is not None and (chosen := knowledge.smallest) is not None:
            self.status = "broken"
            self.similarity = knowledge.known[chosen].similarity
            self.after = self.goal.answer(self._answers[_key(self.texts(chosen))])
            self.minimal = knowledge.is_minimal(chosen)
        elif not self.queries:  # the time was over before its original was asked about
            self.status, self.reason = "unchanged", "not asked"
        elif self.queries > 1 or reason:
            self.status, self.reason, self.similarity = "withstood", reason or "nothing left to try", None
        else:
            self.status = "rejected"
        self._answers, self._search = {}, None

    def scripts(self, chosen: ChangeSet) -> dict[str, Script]:
        """Return, for each field, the script (the edits) that makes some changes, given by their indices in `pool`."""
        return self._by_field(self.pool.scripts(chosen))

    def _by_field(self, found: Mapping[int, Script]) -> dict[str, Script]:
        """Return the script of each field; an unchanged text gets a script without edits."""
        fields = enumerate(zip(self.pool.fields, self.pool.sources, strict=True))
        return {name: found.get(number) or Script(source) for number, (name, source) in fields}

    def texts(self, chosen: ChangeSet) -> tuple[str, ...]:
        """Return the texts of the record, one for each perturbed field, with some of its possible changes made.

        The changes are given by their indices in `pool`.
        """
        return tuple(script.text for script in self.scripts(chosen).values())

    def example(self, scripts: Mapping[int, Script]) -> Example:
        """Make some changes of the record, and return the question that the model is asked about it.

        Args:
            scripts: the script of each changed text, by the index of the text in the record, from 0; empty for the
                original.
        """
        if self._question is None:
            self._question = example_of(self.record.values, self.record.task)
            held = self._question.record
            if not self.record.offsets() and all(isinstance(held.get(name), str) for name in self.pool.fields):
                self._read = Record(held, self.record.task).read()
        if not scripts:
            return self._question
        if self._read is not None:  # nothing else of the row changes
            texts = {self.pool.fields[at]: script.text for at, script in scripts.items()}
            read = "\n".join((self._read | texts).values())
            return Example({**self._question.record, **texts}, self.record.task, read)
        values = new_row(self.record.values, Changed(new_values(self.record, self._by_field(scripts))))
        return example_of(values, self.record.task)


def _key(texts: Sequence[str]) -> _Texts:
    if sum(map(len, texts)) < _SHORT:
        return tuple(texts)
    return blake2b(repr(tuple(texts)).encode(), digest_size=32).digest()
