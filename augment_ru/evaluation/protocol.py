"""The protocol: which questions each model is asked, with how many demonstrations, in how many episodes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from augment_ru.draws import Streams, digests
from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import Answer, answer_of, golds_of
from augment_ru.evaluation.ask import Asked, Contestant, ask
from augment_ru.evaluation.cache import Cache
from augment_ru.evaluation.examples import Example, example_of
from augment_ru.evaluation.metrics import Kind
from augment_ru.evaluation.pairs import Pairs
from augment_ru.records.record import Record

SHOTS = (0,)
EPISODES = 5
"""Sets of demonstrations for each number of shots (TAPE, section 4.1)."""


@dataclass(frozen=True, slots=True)
class Demonstrations:
    """The train rows, in an order of its own for every episode."""

    rows: Sequence[Mapping[str, Any]]
    seed: int
    left_out: int = 0
    """Rows that are evaluated, too, or have no right answer, and so are never shown."""

    def sample(self, count: int, episode: int) -> tuple[Mapping[str, Any], ...]:
        """The first `count` rows in the order of the episode, so that more shots hold the fewer ones of the episode.

        Raises:
            AugmentError: there are not so many rows.
        """
        if count > len(self.rows):
            raise AugmentError(
                f"--shots {count}: the train file has only {len(self.rows)} rows that can be shown, with a right "
                f"answer and not evaluated; take fewer shots"
            )
        keys = Streams.of(digests(["demonstrations"]), self.seed, episode).keys
        draws = Streams(keys).uniform(np.zeros(len(self.rows), np.int64), np.arange(len(self.rows)))
        return tuple(self.rows[at] for at in np.argsort(draws, kind="stable")[:count])


def demonstrations(train: Sequence[Mapping[str, Any]], pairs: Pairs, kind: Kind, seed: int) -> Demonstrations:
    """The rows of a train file that may be shown: with their answers, and not among those that are evaluated.

    Raises:
        AugmentError: a row lacks a text.
    """
    asked = {tuple(Record(original.values, pairs.task).texts().values()) for original in pairs.originals}
    rows: list[Mapping[str, Any]] = []
    left_out = 0
    golds = golds_of(train, pairs.task, kind)
    for number, (values, gold) in enumerate(zip(train, golds, strict=True), start=1):
        row = {name: value for name, value in values.items() if name != "augment"}
        try:
            texts = tuple(Record(row, pairs.task).texts().values())
        except AugmentError as error:
            raise AugmentError(f"train file: row {number}: {error}") from error
        if texts in asked or None in gold:
            left_out += 1
        else:
            rows.append(row)
    return Demonstrations(rows, seed, left_out)


@dataclass(frozen=True, slots=True)
class Sitting:
    """What a model said with a number of shots: answers by episode, of the originals and of each attack's rows."""

    model: str
    signature: str | None
    shots: int | None
    """None for a model that does not look at demonstrations."""
    originals: Sequence[Sequence[Answer]]
    attacks: Mapping[str, Sequence[Sequence[Answer]]]
    asked: Asked

    @property
    def episodes(self) -> int:
        """How many episodes there were."""
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
class Plan:
    """How models are asked."""

    pairs: Pairs
    kind: Kind
    shots: Sequence[int]
    episodes: int
    shown: Demonstrations | None

    def check(self) -> None:
        """Nothing, if every number of shots can be sampled.

        Raises:
            AugmentError: there are no demonstrations, or not enough.
        """
        check_shots(self.shots, self.episodes)
        if max(self.shots) > 0:
            if self.shown is None:
                raise AugmentError(f"--shots {max(self.shots)}: needs demonstrations; give --train FILE")
            self.shown.sample(max(self.shots), 0)

    def sittings_of(self, contestant: Contestant) -> list[tuple[int | None, int]]:
        """The numbers of shots and of episodes of a model."""
        if not contestant.few_shot:
            return [(None, 1)]
        return [(shots, self.episodes if shots else 1) for shots in self.shots]

    def questions(self, contestant: Contestant) -> int:
        """How many questions a model is asked, before equal ones are put together."""
        rows = len(self.pairs.originals) + sum(map(len, self.pairs.attacks.values()))
        return rows * sum(episodes for _, episodes in self.sittings_of(contestant))

    def examples(self, shown: Sequence[Mapping[str, Any]]) -> list[Example]:
        """What is asked in one episode: the originals, and then the rows of each attack."""
        rows = [original.values for original in self.pairs.originals]
        rows += [pair.values for pairs in self.pairs.attacks.values() for pair in pairs]
        return [example_of(values, self.pairs.task, shown) for values in rows]


def sit(
    contestant: Contestant,
    plan: Plan,
    cache: Cache | None,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Sitting]:
    """What a model says, for each number of shots.

    Raises:
        AugmentError: the model fails, or says what the task has no use for.
    """
    found: list[Sitting] = []
    for shots, episodes in plan.sittings_of(contestant):
        asked = Asked()
        originals: list[Sequence[Answer]] = []
        attacks: dict[str, list[Sequence[Answer]]] = {attack: [] for attack in plan.pairs.attacks}
        for episode in range(episodes):
            shown = plan.shown.sample(shots, episode) if plan.shown and shots else ()
            said = ask(contestant, plan.examples(shown), cache, asked, advance)
            try:
                answers = [answer_of(one, plan.pairs.task, plan.kind) for one in said]
            except AugmentError as error:
                raise AugmentError(f"--model {contestant.name}: {error}") from error
            start = len(plan.pairs.originals)
            originals.append(answers[:start])
            for attack, pairs in plan.pairs.attacks.items():
                attacks[attack].append(answers[start : start + len(pairs)])
                start += len(pairs)
        found.append(Sitting(contestant.name, contestant.signature, shots, originals, attacks, asked))
    return found
