"""The protocol: the settings of an evaluation, and what each model is asked: demonstrations, episodes, dialogues."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from augment_ru.draws import Streams, digests
from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import Answer, Kind, answer_of, golds_of, group_of
from augment_ru.evaluation.examples import (
    EPISODE,
    PERTURBATION,
    Cache,
    Example,
    NamedModel,
    QuestionCounts,
    ask,
    example_of,
    without_metadata,
)
from augment_ru.evaluation.pairs import Pairs
from augment_ru.formats.encodings import UTF8, check_encoding
from augment_ru.options import integer
from augment_ru.records import field_paths
from augment_ru.records.answers import label_of
from augment_ru.records.metric_kinds import check_metrics
from augment_ru.records.record import Record
from augment_ru.records.task import Task

_FIRST = np.zeros(1, np.int64)


RowsOrFile: TypeAlias = str | Path | Iterable[Mapping[str, Any]]
"""Rows: the path of a file, or dictionaries."""

Wanted: TypeAlias = Literal["auto", "all", "none"]

EPISODES = 5
"""Sets of demonstrations for each number of shots (TAPE, section 4.1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSettings:
    """What an evaluation does with rows and models.

    Attributes:
        originals: the unperturbed rows, if the perturbed rows do not hold them.
        task: the name of the task; by default it is recognised by the fields of the first row.
        text_fields: the perturbed fields, instead of the task's.
        label_fields: the fields of the right answer, instead of the task's.
        metrics: the metrics, instead of the task's.
        train: a file of rows with right answers: demonstrations, and the training data of `linear` and similar models;
            by default, the train rows of the release.
        shots: the numbers of demonstrations, different ones from 0; None for as many as the benchmark of the task
            shows.
        episodes: the number of sets of demonstrations for each number above 0; at least 1.
        by: fields that split the report into subpopulations, beside the task's own.
        device: auto, cpu or cuda[:N].
        options: options of models, by kind.
        seed: the seed of demonstrations, of the bootstrap, and of models that draw.
        cache: the file of the cache of answers; None or "none" for no cache.
        title: the title of the report.
        date: the date that the report states; None for none.
        flipping: of which models the page marks the edits that flip an answer, which takes further questions: `auto`
            of those that are faster than the cache, `all`, or `none`.
        verdicts: a file of human verdicts (`augment-ru verdicts import`): every rate is then also counted over the rows
            that are valid.
        input_format: the format of the file of perturbed rows, as the end of a file's name without its dot; None goes
            by the name.
        encoding: the encoding of files of rows that are not in UTF-8: perturbed rows, originals, train rows.

    Raises:
        AugmentError: a value is not possible; the message names it.
    """

    originals: RowsOrFile | None = None
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
    verdicts: str | Path | None = None
    input_format: str | None = None
    encoding: str = UTF8

    def __post_init__(self) -> None:
        for name in ("text_fields", "label_fields", "metrics", "by"):
            if isinstance(one := getattr(self, name), str):
                raise AugmentError(f"`{name}` {one!r}: must be a list, such as [{one!r}]")
        check_metrics(self.metrics)
        check_encoding(self.encoding)
        if self.shots is not None:
            object.__setattr__(self, "shots", _numbers(self.shots))
        if integer("episodes", self.episodes) < 1:
            raise AugmentError("`episodes`: must be at least 1")
        if self.flipping not in get_args(Wanted):
            raise AugmentError(f"`flipping` {self.flipping!r}: must be one of {', '.join(get_args(Wanted))}")


def _numbers(shots: object) -> tuple[int, ...]:
    """Numbers of demonstrations.

    Raises:
        AugmentError: they are not different integers from 0.
    """
    if isinstance(shots, str) or not isinstance(shots, Iterable):
        raise AugmentError(f"`shots` {shots!r}: must be a list of integers, such as (0, 4)")
    found = tuple(integer("shots", number) for number in shots)
    if not found or min(found) < 0 or len(set(found)) < len(found):
        raise AugmentError("`shots`: must be different numbers from 0, as in 0,1,4,8")
    return found


def drawn_rows(rows: int, shots: int, stream: Streams) -> list[int]:
    """The numbers of so many rows of a file, drawn with replacement (TAPE, section 4.1), ascending.

    Args:
        rows: the number of rows, at least 1.
        shots: how many are drawn.
        stream: the draws of the episode; draw i is of shot i.
    """
    return sorted(int(stream.uniform(_FIRST, _FIRST + shot)[0] * rows) for shot in range(shots))


@dataclass(frozen=True, slots=True)
class Demonstrations:
    """The train rows that may be shown, and the episodes that show them.

    Attributes:
        rows: the rows, with their right answers.
        groups: the group of each row (`task.grouped_by`); a row is shown rows of its own group.
        task: their task.
        seed: the seed of the draws.
        stated: by number the episodes that the rows state, each with the numbers of its rows; empty if they are drawn.
    """

    rows: Sequence[Mapping[str, Any]]
    groups: Sequence[str | None]
    task: Task
    seed: int
    stated: Mapping[int, Sequence[int]]

    def episodes(self, shots: int, most: int) -> list[int]:
        """The numbers of the episodes with so many demonstrations: those that the rows state, else 0, 1, ….

        Raises:
            AugmentError: the rows state no such episode, or there are no rows.
        """
        if not self.rows:
            raise AugmentError(
                f"`shots` {shots}: the train file has no row that can be shown, with a right answer and not evaluated"
            )
        if not self.stated:
            return list(range(most))
        by_shots: dict[int, list[int]] = {}
        for number, shown in sorted(self.stated.items()):
            by_shots.setdefault(self._shots(shown), []).append(number)
        if shots not in by_shots:
            known = ", ".join(map(str, sorted(by_shots)))
            raise AugmentError(f"`shots` {shots}: the train rows state episodes of {known} demonstrations; take these")
        return by_shots[shots][:most]

    def _shots(self, shown: Sequence[int]) -> int:
        """The demonstrations of a stated episode: the most that it has of one group."""
        groups = [self.groups[at] for at in shown]
        return max(map(groups.count, groups))

    def sample(self, shots: int, episode: int, group: str | None = None) -> tuple[Mapping[str, Any], ...]:
        """The demonstrations of an episode for a row of this group, in the order of the train file.

        Raises:
            AugmentError: there is none of this group.
        """
        if self.stated:
            chosen = [at for at in self.stated[episode] if self.groups[at] == group]
        else:
            own = [at for at, other in enumerate(self.groups) if other == group]
            name = self.task.name if group is None else f"{self.task.name}:{group}"
            stream = Streams.of(digests([name]), self.seed, "demonstrations", shots, episode)
            chosen = [own[at] for at in drawn_rows(len(own), shots, stream)] if own else []
        if not chosen:
            field = self.task.scoring.grouped_by
            raise AugmentError(
                f"`shots` {shots}: no train row has {group} in '{field}', as a row that is evaluated has"
            )
        return tuple(self.rows[at] for at in chosen)


def demonstrations(train: Sequence[Mapping[str, Any]], pairs: Pairs, kind: Kind, seed: int) -> Demonstrations:
    """The rows of a train file that may be shown, and their episodes.

    Rows that state their episodes are shown as they state it. Of others those are drawn that have a right answer and
    whose texts are not evaluated.

    Raises:
        AugmentError: a row lacks a text, or is stated in an episode and has no right answer.
    """
    evaluated = {tuple(Record(original.values, pairs.task).texts().values()) for original in pairs.originals}
    is_stated = any(_episodes(values) for values in train)
    rows: list[Mapping[str, Any]] = []
    stated: dict[int, list[int]] = {}
    golds = golds_of(train, pairs.task, kind)
    for number, (values, gold) in enumerate(zip(train, golds, strict=True), start=1):
        row, own = without_metadata(values), _episodes(values)
        try:
            texts = tuple(Record(row, pairs.task).texts().values())
        except AugmentError as error:
            raise AugmentError(f"train file: row {number}: {error}") from error
        if own and None in gold:
            raise AugmentError(f"train file: row {number}: is shown in an episode, and has no right answer")
        for episode in own:
            stated.setdefault(episode, []).append(len(rows))
        if own or not (is_stated or texts in evaluated or None in gold):
            rows.append(row)
    return Demonstrations(rows, [group_of(row, pairs.task) for row in rows], pairs.task, seed, stated)


def _episodes(values: Mapping[str, Any]) -> Sequence[int]:
    """The numbers of the episodes that show a train row; a number stands as often as the episode shows it."""
    held = values.get(EPISODE) if PERTURBATION in values else None
    return held if isinstance(held, list) and all(type(one) is int for one in held) else ()


def with_contexts(rows: Sequence[Mapping[str, Any]], task: Task) -> list[Mapping[str, Any]]:
    """The rows, each with the dialogue before it in the field that the task names; of other tasks the rows themselves.

    Args:
        rows: the rows of one variation.
        task: their task.
    """
    if task.layout.dialogue is None:
        return list(rows)
    turns: dict[str, list[tuple[int, int]]] = {}
    for at, row in enumerate(rows):
        number = field_paths.value(row, task.layout.dialogue.turn)
        if isinstance(number, int):
            turns.setdefault(label_of(field_paths.value(row, task.layout.dialogue.id)), []).append((number, at))
    found = list(rows)
    for own in turns.values():
        said: dict[int, str] = {}
        for number, at in sorted(own):
            before = "\n".join(text for turn, text in said.items() if turn < number)
            found[at] = _with(rows[at], task.layout.dialogue.context, before)
            said[number] = _turn(rows[at], task)
    return found


def _turn(row: Mapping[str, Any], task: Task) -> str:
    """A question and its right answer, in the words of its option; the question alone if it has no right answer."""
    texts = [str(field_paths.value(row, name)) for name in task.layout.fields]
    label = label_of(field_paths.value(row, task.scoring.gold[0]))
    if label.isascii() and label.isdigit() and 1 <= int(label) <= len(task.layout.option_fields):
        texts.append(str(field_paths.value(row, task.layout.option_fields[int(label) - 1])))
    return "\n".join(texts)


def _with(row: Mapping[str, Any], name: str, text: str) -> Mapping[str, Any]:
    path = field_paths.path_of(row, name)
    holder = field_paths.value(row, field_paths.named(path[:-1])) if len(path) > 1 else row
    changed: Mapping[str, Any] = field_paths.with_value(row, path[:-1], {**holder, path[-1]: text})
    return changed


@dataclass(frozen=True, slots=True)
class ModelRun:
    """The answers of one model with one number of shots.

    Attributes:
        model: the name of the model.
        signature: all that defines its answers; None if the model does not state it.
        shots: the number of demonstrations; None for a model that does not read them.
        originals: by episode, the answer to each original.
        attacks: by attack and episode, the answer to each perturbed row.
        counts: how many questions were asked.
    """

    model: str
    signature: str | None
    shots: int | None
    originals: Sequence[Sequence[Answer]]
    attacks: Mapping[str, Sequence[Sequence[Answer]]]
    counts: QuestionCounts

    @property
    def episodes(self) -> int:
        """The number of episodes."""
        return len(self.originals)


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """What every model is asked.

    Attributes:
        pairs: the rows.
        kind: what answers are.
        shots: the numbers of demonstrations.
        episodes: the number of episodes for each number of shots above 0.
        demonstrations: the rows to draw demonstrations from; None if there are none.
    """

    pairs: Pairs
    kind: Kind
    shots: Sequence[int]
    episodes: int
    demonstrations: Demonstrations | None

    def check(self) -> None:
        """Nothing, if there are demonstrations for every number of shots.

        Raises:
            AugmentError: there are none.
        """
        if max(self.shots) > 0:
            if self.pairs.task.scoring.norms:
                raise AugmentError(f"`shots`: {self.pairs.task.name} has no one right answer to show; take `shots` 0")
            if self.demonstrations is None:
                raise AugmentError(f"`shots` {max(self.shots)}: needs demonstrations; give `train` FILE")
            for shots in self.shots:
                for group in {group_of(original.values, self.pairs.task) for original in self.pairs.originals}:
                    self._sample(shots, self._episodes(shots)[0], group)

    def _episodes(self, shots: int) -> list[int]:
        """The numbers of the episodes with so many demonstrations; a single one for zero."""
        if not shots or self.demonstrations is None:
            return [0]
        return self.demonstrations.episodes(shots, self.episodes)

    def _sample(self, shots: int | None, episode: int, group: str | None) -> tuple[Mapping[str, Any], ...]:
        if not shots or self.demonstrations is None:
            return ()
        return self.demonstrations.sample(shots, episode, group)

    def runs_of(self, model: NamedModel) -> list[tuple[int | None, list[int]]]:
        """The number of shots and the episodes of each run of a model."""
        if not model.few_shot:
            return [(None, [0])]
        return [(shots, self._episodes(shots)) for shots in self.shots]

    def questions(self, model: NamedModel) -> int:
        """The number of questions that a model is asked, equal ones counted each time."""
        rows = len(self.pairs.originals) + sum(map(len, self.pairs.attacks.values()))
        return rows * sum(len(episodes) for _, episodes in self.runs_of(model))

    def first_episode(self, shots: int | None) -> int:
        """The number of the first episode with so many demonstrations."""
        return self._episodes(shots or 0)[0]

    def asked(self, rows: Sequence[Mapping[str, Any]], shots: int | None, episode: int) -> list[Example]:
        """The questions of rows in an episode."""
        groups = [group_of(values, self.pairs.task) for values in rows]
        samples = {group: self._sample(shots, episode, group) for group in set(groups)}
        return [example_of(values, self.pairs.task, samples[group]) for values, group in zip(rows, groups, strict=True)]

    def examples(self, shots: int | None, episode: int) -> list[Example]:
        """The questions of one episode: the originals, then the rows of each attack."""
        rows = with_contexts([original.values for original in self.pairs.originals], self.pairs.task)
        for pairs in self.pairs.attacks.values():
            rows += with_contexts([pair.values for pair in pairs], self.pairs.task)
        return self.asked(rows, shots, episode)


def run_model(
    model: NamedModel,
    plan: EvaluationPlan,
    cache: Cache | None,
    advance: Callable[[int], None] = lambda _: None,
) -> list[ModelRun]:
    """Ask a model all questions: a run for each number of shots.

    Args:
        model: the model.
        plan: the questions.
        cache: the cache of answers; None asks every question.
        advance: is called with the number of new answers.

    Raises:
        AugmentError: the model raises an error, or a prediction has not the form that the task needs.
    """
    runs: list[ModelRun] = []
    for shots, episodes in plan.runs_of(model):
        counts = QuestionCounts()
        originals: list[Sequence[Answer]] = []
        attacks: dict[str, list[Sequence[Answer]]] = {attack: [] for attack in plan.pairs.attacks}
        for episode in episodes:
            predictions = ask(model, plan.examples(shots, episode), cache, counts, advance)
            try:
                answers = [answer_of(prediction, plan.pairs.task, plan.kind) for prediction in predictions]
            except AugmentError as error:
                raise AugmentError(f"`model` {model.name}: {error}") from error
            start = len(plan.pairs.originals)
            originals.append(answers[:start])
            for attack, pairs in plan.pairs.attacks.items():
                attacks[attack].append(answers[start : start + len(pairs)])
                start += len(pairs)
        runs.append(ModelRun(model.name, model.signature, shots, originals, attacks, counts))
    return runs
