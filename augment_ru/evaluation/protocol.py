"""The protocol: which questions each model is asked, with how many demonstrations, in how many episodes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import Answer, answer_of, group_of
from augment_ru.evaluation.cache import Cache
from augment_ru.evaluation.demonstrations import Demonstrations
from augment_ru.evaluation.dialogues import with_contexts
from augment_ru.evaluation.examples import Example, example_of
from augment_ru.evaluation.metrics import Kind
from augment_ru.evaluation.named_model import NamedModel, QuestionCounts, ask
from augment_ru.evaluation.pairs import Pairs

SHOTS = (0,)
EPISODES = 5
"""Sets of demonstrations for each number of shots (TAPE, section 4.1)."""


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


def check_shots(shots: Sequence[int], episodes: int) -> None:
    """Nothing, if these can be numbers of shots and of episodes.

    Raises:
        AugmentError: they cannot.
    """
    if not shots or min(shots) < 0 or len(set(shots)) < len(shots):
        raise AugmentError("--shots: must be different numbers from 0, as in 0,1,4,8")
    if episodes < 1:
        raise AugmentError("--episodes: must be at least 1")


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
        check_shots(self.shots, self.episodes)
        if max(self.shots) > 0:
            if self.pairs.task.scoring.norms:
                raise AugmentError(f"--shots: {self.pairs.task.name} has no one right answer to show; take --shots 0")
            if self.demonstrations is None:
                raise AugmentError(f"--shots {max(self.shots)}: needs demonstrations; give --train FILE")
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
                raise AugmentError(f"--model {model.name}: {error}") from error
            start = len(plan.pairs.originals)
            originals.append(answers[:start])
            for attack, pairs in plan.pairs.attacks.items():
                attacks[attack].append(answers[start : start + len(pairs)])
                start += len(pairs)
        runs.append(ModelRun(model.name, model.signature, shots, originals, attacks, counts))
    return runs
