"""Ask models as a protocol says: the settings of an evaluation, demonstrations, episodes, dialogues.

An episode is one set of demonstrations; shots are how many demonstrations it has.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, get_args

import numpy as np

from augment_ru.draws import Streams, digests
from augment_ru.edits import Edit
from augment_ru.errors import AugmentError, saying_where
from augment_ru.evaluation.answers import Answer, Spans, answer_of, golds_of, group_of, in_source, ranking_of, span_of
from augment_ru.evaluation.examples import (
    EPISODE,
    PERTURBATION,
    Cache,
    Example,
    NamedModel,
    Prediction,
    QuestionCounts,
    ask,
    example_of,
    without_metadata,
)
from augment_ru.evaluation.pairs import Original, Pair, Pairs, inverse_script, order_of
from augment_ru.evaluation.unread import UnreadCounts, unread_counts, without_marks
from augment_ru.formats.files import UTF8, check_encoding
from augment_ru.normalizers._normalization import Normalization
from augment_ru.options import integer
from augment_ru.records import field_paths
from augment_ru.records.dialogues import with_contexts
from augment_ru.records.groups import grouped
from augment_ru.records.metric_kinds import check_metrics
from augment_ru.records.options import ordered_options
from augment_ru.records.record import Record
from augment_ru.records.task import Task
from augment_ru.script import Script

T = TypeVar("T")
_FIRST = np.zeros(1, np.int64)


RowsOrFile: TypeAlias = str | Path | Iterable[Mapping[str, Any]]
"""Rows, given as the path of a file or as dictionaries."""

Wanted: TypeAlias = Literal["auto", "all", "none"]

EPISODES = 5
"""The default number of sets of demonstrations for each number of shots (TAPE, section 4.1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSettings:
    """The settings of an evaluation.

    Attributes:
        originals: the unperturbed rows, if the rows to be evaluated do not hold them.
        fresh: rows that no model can know, perturbed by the same attacks, with their originals (such as the output of
            perturb with full metadata). The report's `contamination` compares what models lose on the evaluated rows
            with what they lose on the fresh rows.
        task: the name of the task; None to recognise it by the fields of the first row.
        text_fields: the perturbed fields, instead of the task's.
        label_fields: the fields of the right answer, instead of the task's.
        metrics: the metrics, instead of the task's.
        train: a file of rows with right answers, used for demonstrations and to train `linear` and similar models; None
            for the train rows of the release, if there are any.
        shots: how many demonstrations are shown: one or more numbers, all different and at least 0; None for the number
            that the task's benchmark uses.
        episodes: the number of sets of demonstrations for each number of shots above 0; at least 1.
        by: fields whose values divide the rows into subpopulations of the report, in addition to those of the task.
        device: auto, cpu or cuda[:N].
        options: options of models: by kind, then by name.
        seed: the seed of demonstrations, of the bootstrap, and of models that use random draws.
        cache: the file of the cache of answers; None or "none" for no cache.
        title: the title of the report.
        date: the date that the report shows; None to show no date.
        flipping: for which models the page marks the edits that flip an answer: `auto` for models that answer faster
            than the cache can be read, `all`, or `none`. To find these edits, the models are asked further questions.
        repeats: how often each different question is asked, at least 1. If it is asked more than once, the report shows
            how often a model answers the same text differently, and also gives success rates that are corrected for
            this.
        require: requirements on the numbers, such as `asr(people) <= 5` (`Evaluation.failures`).
        catch: the label that a filter must catch; the report then has the missed rows and the false alarms.
        defences: normalizers (`Normalizer`); each model is evaluated alone and, as a further model, behind each
            normalizer.
        verdicts: a file of people's verdicts (`augment-ru verdicts import`); every rate is then also counted over the
            rows that people found valid.
        input_format: the format of the file of perturbed rows, written as a file name extension without the dot; None
            to take it from the file's name.
        encoding: the encoding of row files that are not UTF-8: perturbed rows, originals, train rows.
        prompts: the prompts with which each model that reads prompts is asked about the same rows: "all" for all
            variants in the task's prompt file, or the paths of prompt files, of which all variants are used.
        protocol: the name of a protocol (how a version of the task's benchmark asks and scores), such as `mera-2024`;
            None for the protocol that the task's file states.
        nearest: a model that ranks documents, such as `tfidf` or `hf-encoder:MODEL`; the demonstrations of a question
            are then the train rows that it ranks nearest to the question, the nearest last. None to draw them.
        judges: for rewritten texts (as in MERA's task ruDetox): maps `style`, `meaning` and `fluency` to the folders of
            the classifiers that judge them. MERA's joint score and its parts are then metrics, too
            (`evaluation.rewriting`).
        submits: whether `Evaluation.submission` is wanted; what it needs is then checked before a model is asked.

    Raises:
        AugmentError: a value is not possible; the message names the setting.
    """

    originals: RowsOrFile | None = None
    fresh: RowsOrFile | None = None
    task: str | None = None
    text_fields: Sequence[str] = ()
    label_fields: Sequence[str] = ()
    metrics: Sequence[str] = ()
    train: str | Path | None = None
    shots: Sequence[int] | None = (0,)
    episodes: int = EPISODES
    by: Sequence[str] = ()
    device: str = "auto"
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    seed: int = 42
    cache: str | Path | None = None
    title: str | None = None
    date: str | None = None
    flipping: Wanted = "auto"
    repeats: int = 1
    require: Sequence[str] = ()
    catch: str | None = None
    defences: Sequence[str | Normalization] = ()
    verdicts: str | Path | None = None
    input_format: str | None = None
    encoding: str = UTF8
    prompts: Sequence[str] = ()
    protocol: str | None = None
    nearest: str | None = None
    judges: Mapping[str, str] = field(default_factory=dict)
    submits: bool = False

    def __post_init__(self) -> None:
        for name in ("text_fields", "label_fields", "metrics", "by", "require", "defences", "prompts"):
            if isinstance(one := getattr(self, name), str):
                raise AugmentError(f"`{name}` {one!r}: must be a list, such as [{one!r}]")
        if twins := [one for number, one in enumerate(self.defences) if one in self.defences[:number]]:
            raise AugmentError(f"`defences` {twins[0]}: is given twice; name it once")
        check_metrics(self.metrics)
        check_encoding(self.encoding)
        if self.shots is not None:
            object.__setattr__(self, "shots", _numbers(self.shots))
        for name in ("episodes", "repeats"):
            if integer(name, getattr(self, name)) < 1:
                raise AugmentError(f"`{name}`: must be at least 1")
        if self.flipping not in get_args(Wanted):
            raise AugmentError(f"`flipping` {self.flipping!r}: must be one of {', '.join(get_args(Wanted))}")


def _numbers(shots: object) -> tuple[int, ...]:
    """Check the numbers of demonstrations, and return them as a tuple.

    Raises:
        AugmentError: they are not different integers of at least 0.
    """
    if isinstance(shots, str) or not isinstance(shots, Iterable):
        raise AugmentError(f"`shots` {shots!r}: must be a list of integers, such as (0, 4)")
    found = tuple(integer("shots", number) for number in shots)
    if not found or min(found) < 0 or len(set(found)) < len(found):
        raise AugmentError("`shots`: must be different numbers from 0, as in 0,1,4,8")
    return found


def drawn_rows(rows: int, shots: int, stream: Streams, *, replacement: bool = True) -> list[int]:
    """Draw rows of a file; return their indices (from 0) in ascending order.

    Args:
        rows: the number of rows in the file, at least 1.
        shots: how many rows to draw.
        stream: the random numbers of the episode (one draw of demonstrations); the same stream draws the same rows.
        replacement: whether a row may be drawn twice (TAPE, section 4.1); if not, at most all rows are drawn.
    """
    if not replacement:
        places = np.arange(rows)
        return sorted(np.argsort(stream.uniform(np.zeros_like(places), places), kind="stable")[:shots].tolist())
    return sorted(int(stream.uniform(_FIRST, _FIRST + shot)[0] * rows) for shot in range(shots))


@dataclass(frozen=True, slots=True)
class Demonstrations:
    """Chooses demonstrations from the train rows; an episode is one set of rows that are shown together.

    Attributes:
        rows: the train rows, with their right answers.
        groups: the group of each train row (the value of the field `task.scoring.grouped_by`); a question is shown only
            train rows of its own group.
        task: the task of the rows.
        seed: the seed of the draws.
        stated: maps the number of an episode to the indices of its rows, if the rows state their episodes; empty if
            demonstrations are drawn at random.
        nearest: the model that ranks the train rows by their nearness to a question, if the nearest rows are shown as
            demonstrations; else None.
    """

    rows: Sequence[Mapping[str, Any]]
    groups: Sequence[str | None]
    task: Task
    seed: int
    stated: Mapping[int, Sequence[int]]
    nearest: NamedModel | None = None

    def episodes(self, shots: int, most: int) -> list[int]:
        """Return the numbers of at most `most` episodes, each with `shots` demonstrations.

        If the train rows state their episodes, these are the stated numbers; otherwise they are 0, 1, and so on. If
        each question is shown the rows nearest to it, there is only the episode 0.

        Args:
            shots: the number of demonstrations.
            most: the most episodes.

        Raises:
            AugmentError: the rows state episodes, but not with so many demonstrations; or there are no rows.
        """
        if not self.rows:
            raise AugmentError(
                f"`shots` {shots}: the train file has no row that can be shown, with a right answer and not evaluated"
            )
        if self.nearest:
            return [0]
        if not self.stated:
            return list(range(most))
        by_shots = grouped((self._shots(shown), number) for number, shown in sorted(self.stated.items()))
        if shots not in by_shots:
            known = ", ".join(map(str, sorted(by_shots)))
            raise AugmentError(f"`shots` {shots}: the train rows state episodes of {known} demonstrations; take these")
        return by_shots[shots][:most]

    def _shots(self, shown: Sequence[int]) -> int:
        """Return how many demonstrations a stated episode shows: the largest number of its rows in one group."""
        groups = [self.groups[at] for at in shown]
        return max(map(groups.count, groups))

    def nearest_to(self, asked: Sequence[Example], shots: int) -> Iterator[tuple[Mapping[str, Any], ...]]:
        """Yield the train rows that are nearest to each question, as the model `nearest` ranks them.

        The nearest row comes last. If the task has groups, only rows of the question's group are shown.

        Args:
            asked: the questions.
            shots: how many rows are shown with each.
        """
        answers = ask(self.nearest, asked, None, QuestionCounts()) if self.nearest else ()
        for one, ranking in zip(asked, answers, strict=True):
            group = group_of(one.record, self.task)
            order = [at for at in map(int, ranking_of(ranking)) if self.groups[at] == group]
            yield tuple(self.rows[at] for at in reversed(order[:shots]))

    def sample(self, shots: int, episode: int, group: str | None = None) -> tuple[Mapping[str, Any], ...]:
        """Return the demonstrations of an episode, in the order of the train file.

        Args:
            shots: how many demonstrations are drawn; not used if the rows state their episodes.
            episode: the number of the episode.
            group: the group of the question, if the task has groups: only rows of this group are shown. None otherwise.

        Raises:
            AugmentError: there are no demonstrations of this group.
        """
        if self.stated:
            chosen = [at for at in self.stated[episode] if self.groups[at] == group]
        else:
            own = [at for at, other in enumerate(self.groups) if other == group]
            name = self.task.name if group is None else f"{self.task.name}:{group}"
            stream = Streams.of(digests([name]), self.seed, "demonstrations", shots, episode)
            drawn = drawn_rows(len(own), shots, stream, replacement=self.task.benchmark.replacement) if own else []
            chosen = [own[at] for at in drawn]
        if not chosen:
            field = self.task.scoring.grouped_by
            raise AugmentError(f"`shots` {shots}: no train row has {group} in '{field}', as an evaluated row has")
        return tuple(self.rows[at] for at in chosen)


def demonstrations(train: Sequence[Mapping[str, Any]], pairs: Pairs, seed: int) -> Demonstrations:
    """Collect the rows of a train file that may be shown as demonstrations, and their episodes.

    If rows of the file state their episodes, only these rows are shown. Otherwise demonstrations are drawn from the
    rows whose right answer is known and whose texts are not evaluated.

    Args:
        train: the train rows.
        pairs: the rows that are evaluated.
        seed: the seed of the draws.

    Raises:
        AugmentError: a row lacks a text, or states an episode while its right answer is not known.
    """
    evaluated = {tuple(Record(original.values, pairs.task).texts().values()) for original in pairs.originals}
    is_stated = any(_episodes(values) for values in train)
    rows: list[Mapping[str, Any]] = []
    stated: dict[int, list[int]] = {}
    golds = golds_of(train, pairs.task, pairs.kind)
    for number, (values, gold) in enumerate(zip(train, golds, strict=True), start=1):
        row, own = without_metadata(values), _episodes(values)
        with saying_where(f"train file: row {number}"):
            texts = tuple(Record(row, pairs.task).texts().values())
        if own and None in gold:
            raise AugmentError(f"train file: row {number}: is shown in an episode, and has no right answer")
        for episode in own:
            stated.setdefault(episode, []).append(len(rows))
        if own or not (is_stated or texts in evaluated or None in gold):
            rows.append(row)
    return Demonstrations(rows, [group_of(row, pairs.task) for row in rows], pairs.task, seed, stated)


def _episodes(values: Mapping[str, Any]) -> Sequence[int]:
    """Return the numbers of the episodes that show a train row, repeated if an episode shows it several times."""
    held = values.get(EPISODE) if PERTURBATION in values else None
    return held if isinstance(held, list) and all(type(one) is int for one in held) else ()


class PromptOf(NamedTuple):
    """The names of a model and of one of the several prompts that it is asked with.

    Attributes:
        model: the name of the model.
        prompt: the name of the prompt.
    """

    model: str
    prompt: str


@dataclass(frozen=True, slots=True)
class ModelRun:
    """The answers of one model with one number of shots (demonstrations).

    Attributes:
        model: the name of the model.
        signature: all that defines its answers; None if the model does not state it.
        shots: the number of demonstrations; None for a model that does not read them.
        originals: the answers to all originals, in each episode.
        attacks: the answers to the perturbed rows of each attack, in each episode.
        counts: how many questions the model was asked with all numbers of shots, and how many of them the cache
            answered.
        deterministic: whether the model states that it always answers a question in the same way.
        repeats: the runs in which the same questions were asked again; empty if they were asked once.
        prompt: the names of the model and of the prompt, if the model is asked with several prompts; otherwise None.
        unread: the number of replies without an answer by their kind, for each attack, and under "" for the originals.
        labels: how often the model gave each label, for each attack that permuted options. The labels are those in the
            permuted rows, not those in the originals.
    """

    model: str
    signature: str | None
    shots: int | None
    originals: Sequence[Sequence[Answer]]
    attacks: Mapping[str, Sequence[Sequence[Answer]]]
    counts: QuestionCounts
    deterministic: bool = True
    repeats: Sequence["ModelRun"] = ()
    prompt: PromptOf | None = None
    unread: Mapping[str, UnreadCounts] = field(default_factory=dict)
    labels: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def episodes(self) -> int:
        """The number of episodes."""
        return len(self.originals)


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """The questions that every model is asked.

    Attributes:
        pairs: the original and perturbed rows.
        shots: how many demonstrations are shown: each of these numbers in turn.
        episodes: the number of episodes for each number of shots above 0.
        demonstrations: the train rows that demonstrations are taken from; None if there are no train rows.
        repeats: how often each different question is asked.
    """

    pairs: Pairs
    shots: Sequence[int]
    episodes: int
    demonstrations: Demonstrations | None
    repeats: int = 1
    _last: dict[tuple[int, int], list[Example]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def check(self, *, needed: bool) -> None:
        """Check that there are enough demonstrations for every number of shots.

        Args:
            needed: True if the user asks for demonstrations or a model reads them; if False, nothing is checked.

        Raises:
            AugmentError: there are too few demonstrations; or the task judges a text by several norms (such as
                law and virtue), so that no single right answer can be shown.
        """
        if needed and max(self.shots) > 0:
            if self.pairs.task.scoring.norms:
                raise AugmentError(f"`shots`: {self.pairs.task.name} has no one right answer to show; take `shots` 0")
            if self.demonstrations is None:
                raise AugmentError(f"`shots` {max(self.shots)}: needs demonstrations; give `train` FILE")
            for shots in self.shots:
                for group in {group_of(original.values, self.pairs.task) for original in self.pairs.originals}:
                    self._sample(shots, self.numbers(shots)[0], group)

    def numbers(self, shots: int | None) -> list[int]:
        """Return the numbers of the episodes (sets of demonstrations) in which questions are asked.

        Args:
            shots: the number of demonstrations. If it is 0 or None (for a model that reads none), the result is [0].
        """
        return self.demonstrations.episodes(shots, self.episodes) if shots and self.demonstrations else [0]

    def _sample(self, shots: int | None, episode: int, group: str | None) -> tuple[Mapping[str, Any], ...]:
        return self.demonstrations.sample(shots, episode, group) if shots and self.demonstrations else ()

    def runs_of(self, model: NamedModel) -> list[tuple[int | None, list[int]]]:
        """Return how many demonstrations (shots) a model is asked with, each choice with the indices of its episodes.

        A model that does not read demonstrations is asked once, in episode 0, with None for the shots.
        """
        if not model.few_shot:
            return [(None, [0])]
        return [(shots, self.numbers(shots)) for shots in self.shots]

    def questions(self, model: NamedModel) -> int:
        """Return the number of all questions that a model is asked; equal questions are counted each time."""
        rows = len(self.pairs.originals) + sum(map(len, self.pairs.attacks.values()))
        return self.repeats * rows * sum(len(episodes) for _, episodes in self.runs_of(model))

    def asked(self, rows: Sequence[Mapping[str, Any]], shots: int | None, episode: int) -> list[Example]:
        """Return the questions about these rows, each with its demonstrations.

        Args:
            rows: the rows; if they hold their right answers, these are not shown.
            shots: the number of demonstrations; None for a model that does not read them.
            episode: the number of the episode.
        """
        if shots and self.demonstrations and self.demonstrations.nearest:
            asked = [example_of(values, self.pairs.task) for values in rows]
            near = self.demonstrations.nearest_to(asked, shots)
            return [replace(one, shots=shown) for one, shown in zip(asked, near, strict=True)]
        groups = [group_of(values, self.pairs.task) for values in rows]
        samples = {group: self._sample(shots, episode, group) for group in set(groups)}
        return [example_of(values, self.pairs.task, samples[group]) for values, group in zip(rows, groups, strict=True)]

    def examples(self, shots: int | None, episode: int) -> list[Example]:
        """Return all questions of one episode: the originals, then the rows of each attack.

        Args:
            shots: the number of demonstrations; None for a model that does not read them.
            episode: the number of the episode.
        """
        key = (shots or 0, episode)
        if key not in self._last:  # several models are asked the same questions
            rows, turns = list[Mapping[str, Any]](), self.pairs.task.turns
            every: list[Sequence[Original | Pair]] = [self.pairs.originals, *self.pairs.attacks.values()]
            for own in every:
                values = [one.values for one in own]
                rows += with_contexts(values, field_paths, **turns) if turns else values
            self._last.clear()
            self._last[key] = self.asked(rows, shots, episode)
        return self._last[key]

    def by_attack(self, found: Sequence[T]) -> dict[str, Sequence[T]]:
        """Divide the items of a list among the attacks; the list has one item for each question of an episode.

        The key "" holds the items of the originals.

        Args:
            found: the items, such as answers, in the order of the questions that `examples` returns.
        """
        sizes = {"": len(self.pairs.originals)} | {name: len(rows) for name, rows in self.pairs.attacks.items()}
        stops = accumulate(sizes.values())
        return {name: found[stop - size : stop] for (name, size), stop in zip(sizes.items(), stops, strict=True)}


def run_model(
    model: NamedModel,
    plan: EvaluationPlan,
    cache: Cache | None,
    advance: Callable[[int], None] = lambda _: None,
    prompt: PromptOf | None = None,
) -> list[ModelRun]:
    """Ask a model all questions, and return its answers: a run for each number of demonstrations.

    Args:
        model: the model.
        plan: the questions.
        cache: the cache of answers; None to ask every question.
        advance: called after each step with the number of new answers, to show progress.
        prompt: the names of the model and of the prompt, if the model is asked with several prompts.

    Raises:
        AugmentError: the model raises an error, or a prediction does not have the form that the task needs.
    """
    orders = {attack: old_labels(plan.pairs, attack) for attack in plan.pairs.attacks}

    def answer(prediction: Prediction) -> Answer:
        return answer_of(without_marks(prediction), plan.pairs.task, plan.pairs.kind)

    of_text = lru_cache(answer)  # most predictions are one of few labels

    def run_of(shots: int | None, episodes: Sequence[int], counts: QuestionCounts, repeat: int) -> ModelRun:
        originals: list[Sequence[Answer]] = []
        attacks: dict[str, list[Sequence[Answer]]] = {attack: [] for attack in plan.pairs.attacks}
        unread: dict[str, Counter[str]] = {attack: Counter() for attack in ("", *attacks)}
        labels: dict[str, Counter[str]] = {attack: Counter() for attack, own in orders.items() if own}
        for episode in episodes:
            predictions = ask(model, plan.examples(shots, episode), cache, counts, advance, repeat=repeat)
            with saying_where(f"`model` {model.name}"):
                answers = [of_text(one) if type(one) is str else answer(one) for one in predictions]
            by_attack = plan.by_attack(answers)
            originals.append(by_attack[""])
            for attack, own_predictions in plan.by_attack(predictions).items():
                unread[attack] += unread_counts(own_predictions)
            for attack, pairs in plan.pairs.attacks.items():
                own = list(by_attack[attack])
                if plan.pairs.kind == "spans":
                    both = zip(own, pairs, strict=True)
                    own = [(_in_original(answer[0], pair, plan.pairs),) for answer, pair in both]
                for at, order in orders[attack].items():
                    labels[attack][own[at][0]] += 1
                    own[at] = (order.get(own[at][0], own[at][0]),)
                attacks[attack].append(own)
        found = ModelRun(model.name, model.stated, shots, originals, attacks, counts, model.deterministic)
        return replace(found, prompt=prompt, unread=unread, labels=labels)

    runs, counts = list[ModelRun](), QuestionCounts()
    for shots, episodes in plan.runs_of(model):
        first, *others = (run_of(shots, episodes, counts, repeat) for repeat in range(plan.repeats))
        runs.append(replace(first, repeats=others))
    return runs


def _in_original(found: Spans, pair: Pair, pairs: Pairs) -> Spans:
    """Move the spans that a model finds in a perturbed text to their places in the original, where they are compared.

    Raises:
        AugmentError: the row does not say how it was edited.
    """
    original, gold = pairs.originals[pair.original].values, pairs.task.scoring.gold[0]
    name = pairs.task.layout.labelled or ""
    old, new = (Record(values, pairs.task).text(name) for values in (original, pair.values))
    if old == new:
        return found
    if pair.edits is None:
        raise AugmentError("a perturbed row does not say how its text was edited; perturb with `meta` full")
    back = inverse_script(Script(old, (Edit(*edit) for edit in pair.edits.get(name, ()))))
    before, after = (map(span_of, field_paths.value(values, gold) or ()) for values in (original, pair.values))
    return in_source(found, back, dict(zip(after, before, strict=True)))


def old_labels(pairs: Pairs, attack: str) -> dict[int, Mapping[str, str]]:
    """Return the labels that the options of permuted rows had in the original.

    A model answers a permuted row with the new label of an option. The old label can be compared with the right answer
    of the original.

    Args:
        pairs: the original and perturbed rows.
        attack: the name of the attack that permuted options.

    Returns:
        Maps the index of each permuted row, among the rows of the attack, to a mapping from new labels to old ones.
    """
    found: dict[int, Mapping[str, str]] = {}
    for at, pair in enumerate(pairs.attacks[attack]):
        if order := order_of(pair.metadata):
            known = ordered_options(Record(pairs.originals[pair.original].values, pairs.task))
            if known and len(known.labels) == len(order):
                found[at] = {known.labels[place]: known.labels[option] for place, option in enumerate(order)}
    return found
