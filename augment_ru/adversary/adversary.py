"""The class `Adversary`: searches for the smallest legal change that turns a model's right answer wrong."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, NamedTuple

import numpy as np

from augment_ru.adversary.breaking import Guidance
from augment_ru.adversary.case import SearchCase
from augment_ru.adversary.confirmation import Confirmation, slip_rate
from augment_ru.adversary.defaults import BUDGET, DRAWS, LEAST
from augment_ru.adversary.goal import Goal
from augment_ru.adversary.ledger import Ledger
from augment_ru.draws import Streams
from augment_ru.engine.attack import Attack, Needs
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.pool import pools
from augment_ru.engine.pool_gate import PoolGate, Wanted
from augment_ru.engine.prepare import Constraints, Preparation, Prepared
from augment_ru.engine.result import Outcome, Result, Settings, occasional
from augment_ru.engine.similarity import ScoreFunction, Similarity
from augment_ru.errors import AugmentError, brief, saying_where
from augment_ru.evaluation.answers import by_field
from augment_ru.evaluation.examples import Cache, Model, NamedModel, PredictFunction, Scored
from augment_ru.evaluation.searches import counted_edits, summed
from augment_ru.language.annotate import Annotator
from augment_ru.options import integer
from augment_ru.records.record import Record
from augment_ru.records.task import Task
from augment_ru.script import Script, Triple

NAME = "adversary"
"""The beginning of the attack's name in rows, which is `adversary:MODEL`."""
_OUTCOME = ("status", "reason")


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The settings of a search against a model: model, attacks, limits. All results of one `Adversary` share them.

    Settings that attacks without a search also have, such as seed and threshold, are in `Finding.settings`.

    Attributes:
        model: the name of the model.
        signature: a text that states all that defines the model's answers; None if the model has none.
        attacks: the names of the attacks.
        budget: the most queries for a record: texts that the model is asked about, including the original; a text
            counts again if the model is asked again to tell slips.
        target: the label that the model is to give; None for any wrong answer.
        guide: the signature of the guide (a second model whose scores order the queries), or its name if it has no
            signature; None without a guide.
    """

    model: str
    signature: str | None
    attacks: Sequence[str]
    budget: int
    target: str | None = None
    guide: str | None = None


class Finding(Result):
    """The result of the search for a record.

    The texts are changed only if the answer broke (turned from right to wrong). If it withstood, `reason` says why the
    search ended. `similarity` is the lowest score of a changed text. For a rejected record it is the best score that
    failed.

    Attributes:
        search_settings: the settings of the search, which all results share.
        attacks: maps each field to the attacks that made its edits, as indices of `search_settings.attacks`.
        changes: how many changes were applied (a change is edits that are applied together).
        before: the model's answer to the original, with an entry for each field that holds a right answer.
        after: the answer to the new texts, in the same form.
        queries: how many queries were made, including the original.
        broken_at: which query was the first to break the answer, counted from 1; None if none did.
        minimal: whether every change is needed: without it, the answer would be right, or the texts would fail the
            gate (the similarity check that a changed text must pass).
        confirmation: the repeated answers that showed whether the answer broke or the model slipped (gave an answer
            that it does not usually give); None if the first answer was believed.
        tried: how many different edits the model was asked about, by feature (`evaluation.searches.FEATURES`, such as
            `attack`) and value of the feature.
    """

    _VALUES: ClassVar[tuple[str, ...]] = (
        "record", "scripts", "protected", "outcome", "settings",
        "search_settings", "attacks", "changes", "before", "after", "queries", "broken_at", "minimal",
        "confirmation", "tried",
    )  # fmt: skip
    search_settings: SearchSettings
    attacks: Mapping[str, Sequence[int]]
    changes: int
    before: Sequence[Any]
    after: Sequence[Any]
    queries: int
    broken_at: int | None
    minimal: bool
    confirmation: Confirmation | None
    tried: Mapping[str, Mapping[str, int]]

    def __repr__(self) -> str:
        texts = {name: script.text for name, script in self.scripts.items()}
        return f"Finding({self.status}, {brief(texts)}, changes={self.changes}, queries={self.queries})"

    def search(self) -> dict[str, Any]:
        """Return how the search ended as values of JSON: status, answers, number of questions to the model and so on.

        docs/adversary.md explains the keys.
        """
        task = self.record.task
        return {
            "status": self.status,
            **({"reason": self.reason} if self.reason else {}),
            "prediction": {"before": by_field(self.before, task), "after": by_field(self.after, task)},
            "queries": self.queries,
            "broken_at": self.broken_at,
            "budget": self.search_settings.budget,
            "changes": self.changes,
            "minimal": self.minimal,
            **({} if self.confirmation is None else {"confirmed": self.confirmation.as_json()}),
        }

    def made_by(self) -> dict[str, list[str]]:
        """Map each field to the names of the attacks that made its edits, one for each edit, in their order."""
        return {name: [self.search_settings.attacks[at] for at in numbers] for name, numbers in self.attacks.items()}

    def _brief(self) -> dict[str, Any]:
        """Return the metadata that is written under `augment` (docs/adversary.md), without the texts."""
        settings, of_rows = self.search_settings, self.settings
        search = self.search()
        outcome = {key: search.pop(key) for key in _OUTCOME if key in search}
        return {
            "attack": of_rows.attack,
            **outcome,
            "model": settings.signature or settings.model,
            **search,
            "similarity": self.similarity,
            "scorer": of_rows.scorer,
            "threshold": of_rows.threshold,
            "seed": of_rows.seed,
            **({} if settings.target is None else {"target": settings.target}),
            **({} if settings.guide is None else {"guide": settings.guide}),
            **occasional(corpus=of_rows.corpus, warnings=self.warnings),
        }

    def _further(self) -> dict[str, Any]:
        tried = {"tried": self.tried} if self.tried.get("kind") else {}
        return {"attacks": self.made_by(), **tried, **super()._further()}


_MOST_DRAWS = 100


class Adversary:
    """Searches for the smallest set of legal changes of a record that turns a model's right answer wrong.

    All changes that the attacks can make form one pool. A search chooses sets of changes from the pool and asks the
    model about the texts that they give. Only texts that `perturb` could return are asked about: the engine allows
    their edits, no edit touches a protected span, and the texts pass the gate (the check that they are similar enough
    to the original). The result for a record depends only on the settings, the seed, the model and the record.

    Args:
        attacks: names of attacks, names joined by `+`, or attacks. They get the similarity, threshold, seed and
            probability given below. A `Perturber` may be given instead of an attack. Its own probability and seed are
            then used, and the gate of the first perturber is the gate of the search.
        model: a function from a list of `Example` to their predictions, or a `Model`. A model that has the method
            `scored` is asked for scores, too; the search then needs fewer queries.
        name: the name by which the results and the rows call the model.
        budget: the most queries for a record: texts that the model is asked about, including the original.
        target: the label that the model is to give; None for any wrong answer.
        minimal: whether changes are undone again without which the answer is wrong, too.
        draws: how often each attack is asked for random changes for the pool. So an attack offers at most this many
            alternatives for a word.
        similarity: scores how alike a text and its original are: a name (`meaning`, `navec`, `none`), a `Similarity`,
            or a function (references, candidates) -> scores.
        threshold: the lowest similarity that passes, in [0, 1]; None for the similarity's own.
        seed: the seed of all random draws, any integer.
        probability: the pool holds only changes whose rank (a random number in [0, 1)) is below this number, in [0, 1];
            1 for all changes.
        constraints: what is protected: names of constraints, rule files, or `Constraint` objects. () for nothing; None
            for the constraints that each record's task names.
        annotator: `natasha`, `spacy:PIPELINE`, or an `Annotator`.
        preparation: a `Preparation`, which is used instead of `constraints` and `annotator`.
        guide: a second model, whose scores order the queries if `model` gives only labels. It has the method `scored`.
            Questions to the guide are not counted as queries. None for no guide.
        cache: keeps the answers of the model and of the guide on disk; None keeps them only in memory.
        seconds: how many seconds all searches together may take; None for no limit. With a limit, results depend on
            speed.
        confirm: how often, at least, the model is asked again about a text that it answered wrong, to find out whether
            the answer was a slip (one that the model does not usually give to the text). These questions count as
            queries. With 0 the first answer is believed. None means 0 for a model that states that it is deterministic,
            and 2 for any other.

    Raises:
        AugmentError: a name is unknown, a value is out of range, the guide gives no scores, or there is a guide
            although the model gives scores.

    >>> def model(examples):
    ...     return ["good" if "отлич" in example.text.lower() else "bad" for example in examples]
    >>> adversary = Adversary(["eda_delete"], model, similarity="none", constraints=())
    >>> (found,) = adversary.records([{"text": "Отличный фильм про море.", "label": "good"}])
    >>> found.status, found.text, found.changes, found.minimal
    ('broken', 'фильм про море.', 1, True)
    """

    def __init__(
        self,
        attacks: Sequence[str | Attack | Perturber],
        model: Model | PredictFunction | NamedModel,
        *,
        name: str = "model",
        budget: int = BUDGET,
        target: str | None = None,
        minimal: bool = True,
        draws: int = DRAWS,
        similarity: str | Similarity | ScoreFunction | None = "meaning",
        threshold: float | None = None,
        seed: int = 42,
        probability: float = 1.0,
        constraints: Constraints = None,
        annotator: str | Annotator = "natasha",
        preparation: Preparation | None = None,
        guide: Model | NamedModel | None = None,
        cache: Cache | None = None,
        seconds: float | None = None,
        confirm: int | None = None,
    ) -> None:
        if isinstance(attacks, str):
            raise AugmentError(f"attacks: '{attacks}' is one text; give a list of attacks")
        self.perturbers = tuple(
            one
            if isinstance(one, Perturber)
            else Perturber(one, similarity=similarity, threshold=threshold, seed=seed, probability=probability)
            for one in attacks
        )
        check_search([one.attack for one in self.perturbers], budget, draws, seconds, confirm)
        budget, draws = int(budget), int(draws)  # such as NumPy's
        self.preparation = preparation or Preparation(constraints, annotator)
        self.budget, self.target, self.minimal, self.draws = budget, target, minimal, draws
        self.ledger = Ledger(model if isinstance(model, NamedModel) else NamedModel.of(name, model), cache)
        self._guide = None if guide is None else _guide_of(guide, self.ledger.model, cache)
        first = self.perturbers[0]
        self._similarity, self._threshold, self._seconds = first.similarity, first.threshold, seconds
        self._deadline: float | None = None
        self.confirm = (0 if self.ledger.model.deterministic else LEAST) if confirm is None else confirm
        self._slip_rate: float | None = None
        shared, asked, names = first.settings, self.ledger.model, tuple(one.attack.name for one in self.perturbers)
        corpora = "+".join(dict.fromkeys(digest for one in self.perturbers if (digest := one.attack.corpus_digest)))
        guided = None if self._guide is None else self._guide.model.signature or self._guide.model.name
        self._of_rows = Settings(f"{NAME}:{asked.name}", first.seed, shared.scorer, shared.threshold, corpora)
        self.settings = SearchSettings(asked.name, asked.stated, names, budget, target, guided)

    def __repr__(self) -> str:
        attacks = ", ".join(one.attack.name for one in self.perturbers)
        return f"Adversary({brief(attacks)}, model={self.ledger.model.name!r}, budget={self.budget})"

    @property
    def needs(self) -> tuple[Needs, ...]:
        """The needs of each attack about the texts of a record, such as annotation layers and guards (constraints)."""
        return tuple(one.needs for one in self.perturbers)

    def use_cache(self, cache: Cache | None) -> None:
        """Keep the answers of the model (and of a second one, the guide) in this cache; with None, only in memory."""
        for ledger in filter(None, (self.ledger, self._guide)):
            ledger.cache = cache

    def records(
        self,
        records: Iterable[Mapping[str, Any]],
        task: str | Task | None = None,
        *,
        field: str | Sequence[str] | None = None,
        label_field: str | Sequence[str] = (),
    ) -> Iterator[Finding]:
        """Run a search for each row of a dataset, and yield the results in the order of the rows.

        Args:
            records: rows as dictionaries, with their right answers; they are not modified.
            task: a task or its name; by default each row's task is recognised from its fields.
            field: the fields to perturb instead of the task's, such as `text`, `inputs.text` or `qas[].query`.
            label_field: the fields that hold the right answer, instead of the task's.

        Raises:
            AugmentError: no task fits a row, a row lacks a field or a right answer, or the model fails.
        """
        golds = (label_field,) if isinstance(label_field, str) else tuple(label_field)
        for prepared in self.preparation.records(records, task, field=field, needs=self.needs):
            if golds:
                own = [replace(one, task=one.task.changed(gold=golds)) for one in prepared.records]
                yield from self.search(replace(prepared, records=own))
            else:
                yield from self.search(prepared)

    def search(self, prepared: Prepared, on_finished: Callable[[SearchCase], None] = lambda _: None) -> list[Finding]:
        """Run a search for each of the prepared records, and return the results in the order of the records.

        Args:
            prepared: the records, prepared by a `Preparation` that was given `Adversary.needs`.
            on_finished: a function that is called when the search of a record has ended, with the state of that search.

        Raises:
            AugmentError: a record has no right answer, or an attack, the similarity or the model fails.
        """
        if not len(prepared):
            return []
        if self._deadline is None and self._seconds is not None:
            self._deadline = time.monotonic() + self._seconds
        limits = Limits(self.budget, self._deadline)
        held = pools(prepared, self.perturbers, self.draws)
        goals = [self._goal(record) for record in prepared.records]
        if self.confirm and self._slip_rate is None and not limits.is_over:
            self._slip_rate = slip_rate(goals, prepared.records, self.ledger)
        cases = [SearchCase(number, *one) for number, one in enumerate(zip(prepared.records, goals, held, strict=True))]
        if self.confirm and self._slip_rate is not None:
            for case in cases:
                case.confirmation = Confirmation(self._slip_rate, self.confirm)
        ask_originals(cases, self.ledger, limits)
        gate = screened(prepared, cases, self._similarity, self._threshold)
        keys = Streams.of(prepared.keys, self._of_rows.seed, NAME).keys.tolist()
        for case in cases:
            if case.is_open:
                guide = self._guide if case.rivals is None and not limits.is_over else None
                guidance = None if guide is None else guidance_of(case, guide)
                case.begin(keys[case.number], minimal=self.minimal, guidance=guidance)
            if not case.is_open:
                on_finished(case)
        search_all([case for case in cases if case.is_open], gate, self.ledger, limits, on_finished)
        self.ledger.forget()
        return [self._found(prepared, case, gate) for case in cases]

    def measure_slips(self, records: Sequence[Record]) -> None:
        """Measure how often the model slips on these records, and use this rate in all searches from now on.

        A slip is an answer that the model does not usually give to a text. Without this call, the first search measures
        the rate on its own records. If the setting `confirm` is 0, the rate is not needed: every answer is believed.
        """
        self._slip_rate = slip_rate([self._goal(record) for record in records], records, self.ledger)

    def _goal(self, record: Record) -> Goal:
        """Return the goal of the search for a record.

        Raises:
            AugmentError: the record has no right answer, or there is a target, but the task has no single label.
        """
        goal = Goal.of(record, self.target)
        with saying_where(f"record {record.key}"):
            goal.check_known()
        if self.target is not None and (goal.kind != "labels" or len(goal.golds) > 1):
            task = record.task.name
            raise AugmentError(f"`target` {self.target}: the task '{task}' has no single label; leave it out")
        return goal

    def _found(self, prepared: Prepared, case: SearchCase, gate: PoolGate) -> Finding:
        batch = prepared.batch
        if case.status is None:
            raise RuntimeError("a search that has not ended has no result")
        chosen = case.changes
        before = (None,) * len(case.goal.golds) if case.before is None else case.before
        warnings = (*prepared.warnings.get(case.number, ()), *gate.warnings(case.number))
        return Finding.of(
            case.record,
            case.scripts(chosen),
            {prepared.fields[row]: tuple(batch.protected(row)) for row in prepared.rows(case.number)},
            Outcome(
                case.status,
                similarity=None if self._similarity is None else case.similarity,
                warnings=warnings,
                reason=case.reason,
                sentences=gate.sentences(Wanted(case.number, case.pool.scripts(chosen))) if chosen else (),
            ),
            self._of_rows,
            search_settings=self.settings,
            attacks={name: case.pool.attacks_of(chosen, number) for number, name in enumerate(case.pool.fields)},
            changes=len(chosen),
            before=before,
            after=case.after if case.status == "broken" else before,
            queries=case.queries,
            broken_at=case.broken_at,
            minimal=case.minimal,
            confirmation=case.confirmation,
            tried=self._tried(case),
        )

    def _tried(self, case: SearchCase) -> Mapping[str, Mapping[str, int]]:
        """Count the different edits that the model was asked about, by feature and value (`Finding.tried`)."""
        known, edits = case.knowledge, dict[int, list[tuple[Triple, str]]]()
        tried = [] if known is None else [chosen for chosen, said in known.known.items() if said.passed]
        pool = case.pool.only(sorted(set(chain(*tried))))
        for text, attack, change in zip(pool.texts, pool.attacks, pool.changes, strict=True):
            edits.setdefault(text, []).extend((one, self.settings.attacks[attack]) for one in change.triples)
        counts = summed(counted_edits(pool.sources[text], own) for text, own in edits.items())
        return {name: dict(sorted(own.items())) for name, own in counts.items()}


def _guide_of(guide: Model | NamedModel, model: NamedModel, cache: Cache | None) -> Ledger:
    """Return the ledger through which a guide is asked.

    Raises:
        AugmentError: the guide gives no scores, or the model gives scores itself and needs no guide.
    """
    if model.scored is not None:
        raise AugmentError(f"`guide`: `model` {model.name} gives scores itself and needs no guide; leave it out")
    named = guide if isinstance(guide, NamedModel) else NamedModel.of("guide", guide)
    if named.scored is None:
        raise AugmentError(f"`guide` {named.name}: gives no scores; linear, adaboost and the hf- models give some")
    return Ledger(named, cache)


def check_search(
    attacks: Sequence[str | Attack], budget: int, draws: int, seconds: float | None = None, confirm: int | None = None
) -> None:
    """Check the settings of a search against a model.

    Args:
        attacks: the attacks, or the names of attacks that are not made yet.
        budget: the most queries for a record, at least 1.
        draws: how often each attack is asked for random changes, from which the search chooses, from 1 to 100.
        seconds: how many seconds all searches may take, greater than 0; None for no limit.
        confirm: how often the model is asked again about a text that it answered wrong, at least 0; None if that
            depends on the model.

    Raises:
        AugmentError: there is no attack, one reorders options, or a number is out of range.
    """
    if not attacks:
        raise AugmentError("no attack; name one with `attacks`; augment-ru list attacks shows them")
    if alone := next((one.name for one in attacks if isinstance(one, Attack) and one.permutes_options), None):
        raise AugmentError(f"`attacks` {alone}: permutes options, and has no changes to search; leave it to perturb")
    integer("`budget`", budget, least=1)
    integer("`draws`", draws, least=1, most=_MOST_DRAWS)
    integer("`confirm`", confirm or 0, least=0)
    if seconds is not None and not seconds > 0:
        raise AugmentError(f"`seconds` {seconds}; needs a number of seconds over 0")


def screened(
    prepared: Prepared, cases: Sequence[SearchCase], similarity: Similarity | None, threshold: float | None
) -> PoolGate:
    """Make the gate of several searches, and remove from their pools the changes that fail it by themselves.

    The gate is the similarity check that a changed text must pass; a pool holds the changes that a search may choose.
    Changes are removed only if the similarity asks for it (`screens`), and only from searches that have not ended.

    Args:
        prepared: the records that are searched.
        cases: the state of the search of each record.
        similarity: the similarity of the gate; None if everything passes.
        threshold: the lowest similarity that passes; None if everything passes.
    """
    pending = [case for case in cases if case.is_open]
    gate = PoolGate(prepared, [case.pool for case in cases], similarity, threshold or 0.0)
    if not gate.screens:
        return gate
    scores = gate.scores_alone([case.pool for case in pending])
    at = 0
    for case in pending:
        own = scores[at : at + len(case.pool)]
        at += len(case.pool)
        case.screened(own, own >= gate.threshold)
    return gate


_CHARACTERS = 2**24
"""The most characters of the texts that a guide is asked about in one call."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a search.

    Attributes:
        budget: the most queries for a record: texts that the model is asked about, including the original.
        deadline: when all searches end, as a value of `time.monotonic`; None for no limit.
    """

    budget: int
    deadline: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed; always False without one."""
        return self.deadline is not None and time.monotonic() >= self.deadline


def ask_originals(cases: Sequence[SearchCase], ledger: Ledger, limits: "Limits") -> None:
    """Ask the model about the original of each record in one call, and store each answer in the state of its search.

    If an answer may be a slip (one that the model does not usually give), the question is asked up to three times. If
    the time is over, no record is asked about, and all searches end.

    Args:
        cases: the state of the search of each record.
        ledger: asks the model, and keeps its answers.
        limits: the most queries for a record, and the time when all searches end.
    """
    if limits.is_over:
        for case in cases:
            case.finish("time")
        return
    repeat, open_ = 0, list(cases)
    while open_:
        replies = ledger.ask([case.example({}) for case in open_], repeats=[repeat] * len(open_))
        pairs = zip(open_, replies, strict=True)
        repeat, open_ = repeat + 1, [case for case, scored in pairs if case.asked_original(scored, limits.budget)]


def guidance_of(case: SearchCase, guide: Ledger) -> Guidance | None:
    """Ask a guide (a second model, with scores) about the original of a record and about each possible change alone.

    Args:
        case: the state of the record's search; its pool holds the changes that the search may choose.
        guide: asks the guide, and keeps its answers.

    Returns:
        What the guide's scores say about the record; None if they cannot be used (see `Goal.rivals`).
    """
    sets: list[tuple[int, ...]] = [(), *((change,) for change in range(len(case.pool)))]
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
    """Run searches in rounds until all have ended; each round calls the model once, with one question of each search.

    Args:
        cases: the state of the search of each record; the searches have begun.
        gate: the similarity check that a changed text must pass before the model is asked about it.
        ledger: asks the model, and keeps its answers.
        limits: the most queries for a record, and the time when all searches end.
        on_finished: a function that is called when the search of a record has ended, with the state of that search.
    """
    active = list(cases)
    while active:
        questions, ended = _questions(active, gate, limits)
        for case in ended:
            on_finished(case)
        over = limits.is_over
        examples = [] if over else [question.case.example(question.scripts) for question in questions]
        replies = ledger.ask(examples, repeats=[question.repeat for question in questions][: len(examples)])
        for question, scored in zip(questions, replies, strict=not over):
            if question.repeat:
                question.case.answered_again(scored)
            else:
                question.case.answered(question.texts, scored, question.similarity)
        active = [question.case for question in questions]
        if over:
            for case in active:
                case.finish("time")
                on_finished(case)
            return


class _Question(NamedTuple):
    """A question about a set of changes that passes the gate.

    Attributes:
        case: the case.
        scripts: the scripts of the set, by the number of the text.
        texts: the texts of the record under these changes.
        similarity: the gate's score.
        repeat: how often the model was asked about these texts before.
    """

    case: SearchCase
    scripts: Mapping[int, Script]
    texts: tuple[str, ...]
    similarity: float
    repeat: int = 0


def _doubts(active: Sequence[SearchCase], limits: Limits) -> tuple[list[SearchCase], list[_Question], list[SearchCase]]:
    """Divide cases by whether a text of theirs is in doubt: its first answer broke, but is not confirmed yet.

    Returns:
        The cases without a text in doubt; for the others, a question that asks again; and those of the others that have
        no query left.
    """
    sure, again, spent = list[SearchCase](), list[_Question](), list[SearchCase]()
    for case in active:
        if case.doubted is None or case.confirmation is None:
            sure.append(case)
        elif case.queries >= limits.budget:
            spent.append(case)
        else:
            scripts = {} if case.confirmation.of_original else case.pool.scripts(case.wanted or ())
            again.append(_Question(case, scripts, *case.doubted[:2], case.confirmation.asked))
    return sure, again, spent


def _questions(
    active: Sequence[SearchCase], gate: PoolGate, limits: Limits
) -> tuple[list[_Question], list[SearchCase]]:
    """Find the next question of each open case.

    Sets that the gate refuses and texts that were asked before need no question: the search of the case goes on with
    the next set at once.

    Returns:
        The questions in the order of the cases, at most one for each; and the cases whose searches ended.
    """
    found: dict[int, _Question] = {}
    ended: list[SearchCase] = []
    pending, again, spent = _doubts(active, limits)
    found |= {question.case.number: question for question in again}
    for case in spent:
        case.finish("budget")
        ended.append(case)
    while pending:
        for case in pending:
            if case.wanted is None:
                case.finish("")
                ended.append(case)
        asking = [(case, case.pool.scripts(chosen)) for case in pending if (chosen := case.wanted) is not None]
        wanted = [Wanted(case.number, scripts) for case, scripts in asking]
        scores = gate.scores(wanted).tolist()
        pending = []
        for (case, scripts), one, score in zip(asking, wanted, scores, strict=True):
            if not gate.passes(score, one):
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
