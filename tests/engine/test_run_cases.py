"""What every run promises, in concrete cases: protection, the gate, statuses, random draws, metadata."""

import random
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

import pytest

from augment_ru import Augmenter, Result
from augment_ru.engine.attack import make
from augment_ru.engine.search import SCHEDULES
from profiles import third
from strategies import ATTACKS, BY_WORD

PUSHKIN = "Пушкин жил в Москве, а умер в Петербурге."
SENTENCE = "Кошка пьёт молоко, собака тоже любит молоко."


def attacked(name: str, text: str, **options: Any) -> Result:  # noqa: ANN401
    """The result of an attack without constraints and gate."""
    return Augmenter(name, **{"constraints": (), "similarity": "none", **options})(text)


@pytest.mark.parametrize("name", third(ATTACKS, 1))
def test_protection_holds_on_every_round_of_every_attack(name: str) -> None:
    for schedule in SCHEDULES:
        for threshold in (0.0, 0.9, 0.97):
            augmenter = Augmenter(name, probability=1.0, schedule=schedule, threshold=threshold)
            result = augmenter(PUSHKIN)
            for word in ("Пушкин", "Москве", "Петербурге"):
                assert word in result.text


def test_a_word_is_changed_in_other_ways_in_other_rows_and_the_callers_random_state_stays() -> None:
    random.seed(7)
    before = random.getstate()
    rows = [{"id": number, "text": "молоко"} for number in range(40)]
    augmenter = Augmenter("butterfingers", constraints=(), similarity="none", probability=0.5)
    assert len({result.text for result in augmenter.records(rows)}) > 20
    assert random.getstate() == before


def test_pairs_are_scored_together_and_the_gate_can_be_off() -> None:
    calls: list[int] = []

    def count(references: Sequence[str], candidates: Sequence[str]) -> list[float]:
        assert len(references) == len(candidates)
        calls.append(len(candidates))
        return [1.0] * len(candidates)

    Augmenter("case", constraints=(), similarity=count).texts([f"{SENTENCE} {n}" for n in range(100)])
    assert calls == [300]
    assert attacked("case", SENTENCE).settings.scorer == "none"


def test_the_most_similar_candidate_wins_and_not_the_first_in_the_alphabet() -> None:
    scores = iter([0.81, 0.99, 0.85])
    result = Augmenter("case", constraints=(), similarity=lambda _, texts: [next(scores) for _ in texts])(SENTENCE)
    assert (result.candidate, result.similarity) == (1, 0.99)


def test_what_fails_the_gate_is_rejected_with_the_best_score_that_failed() -> None:
    text = "Первый абзац о кошке.\n\nВторой абзац о собаке."
    result = Augmenter("case", constraints=(), similarity=lambda _, texts: [0.1] * len(texts))(text)
    assert (result.status, result.similarity, result.text) == ("rejected", 0.1, text)


@pytest.mark.parametrize("name", third(BY_WORD, 2))
def test_probability_zero_changes_nothing_and_the_search_lowers_the_probability(name: str) -> None:
    assert attacked(name, SENTENCE, probability=0.0).status == "unchanged"
    asked: list[str] = []

    def never(_: Sequence[str], candidates: Sequence[str]) -> list[float]:
        asked.extend(candidates)
        return [0.0] * len(candidates)

    long = " ".join(
        f"{SENTENCE} Вчера сосед купил автомобиль. Через {n + 2} дня, т. е. в {n}5 часов." for n in range(10)
    )
    if name == "diminutives":
        long = "Ура, мама! Пьём чай, едим суп, хлеб, булку, огурец и котлету на балконе, я люблю тебя, ну очень вкусно!"
    Augmenter(name, constraints=(), similarity=never, candidates=1, probability=0.9)(long)
    kept = [SequenceMatcher(None, long.split(), text.split(), autojunk=False).ratio() for text in asked]
    assert len(asked) > 2
    assert kept[-1] > kept[0]


def test_every_row_holds_its_source_and_the_settings_of_the_run() -> None:
    (result,) = Augmenter("case", constraints=(), similarity="none").records([{"id": 5, "text": SENTENCE}])
    metadata = result.row()["augment"]
    assert metadata["source"] == {"text": SENTENCE}
    assert {"attack", "seed", "scorer", "threshold", "edits", "protected", "candidate"} <= metadata.keys()
    assert make("case").name == metadata["attack"]
