"""Long texts: the memory of a run grows with the length of a text, not with its square."""

import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from augment_ru import Adversary, Perturber, Preparation
from augment_ru.adversary.knowledge import Surrogate
from augment_ru.engine.pool import pools
from augment_ru.evaluation.examples import NamedModel
from profiles import IS_FULL
from strategies import SENTENCES
from victims import Keywords, ScoredKeywords

SHORT, TIMES = 16 if IS_FULL else 5, 4
"""Sentences of the shorter text, and how many times as long the longer one is."""
MOST = 1.5
"""How many times as much memory a character of the longer text may take; 4 would be a square."""


def _peak(run: Callable[[], object]) -> int:
    """The most bytes that are held while a function runs."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _text(sentences: int) -> str:
    long = [text for text in SENTENCES if len(text) > 40]
    return " ".join(long[at % len(long)] for at in range(sentences))


def _grows_evenly(run: Callable[[str], object]) -> bool:
    short, long = _text(SHORT), _text(SHORT * TIMES)
    run(long)  # what is loaded, by its first need, and what caches keep of the words
    of_short, of_long = (_peak(partial(run, text)) / len(text) for text in (short, long))
    return of_long < MOST * of_short


@pytest.mark.parametrize("attack", ["butterfingers", "eda_delete", "emojify", "misspell", "word_order"])
def test_memory_of_a_perturbation_grows_with_the_text(attack: str) -> None:
    perturber, preparation = Perturber(attack), Preparation()

    def run(text: str) -> object:
        (prepared,) = preparation.texts([text], needs=[perturber.needs])
        return perturber.perturb(prepared).results[0].text

    assert _grows_evenly(run)


@pytest.mark.parametrize("model", [Keywords, ScoredKeywords])
def test_memory_of_a_search_grows_with_the_text(model: type[Keywords]) -> None:
    """Each change is scored by itself, and none of them holds the whole text."""

    def run(text: str) -> object:
        adversary = Adversary(["butterfingers"], model(frozenset({"на", "он"})), budget=5)
        return list(adversary.records([{"text": text, "label": "spam"}]))

    assert _grows_evenly(run)


def test_a_guide_is_asked_about_so_many_characters_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads the text once for each change; all of these texts together need not fit into memory."""
    words, row = frozenset({"на", "он"}), {"text": _text(5), "label": "spam"}
    found = []
    for most in (10**9, 3 * len(_text(5))):
        monkeypatch.setattr("augment_ru.adversary.adversary._CHARACTERS", most)
        guide = ScoredKeywords(words)
        adversary = Adversary(
            ["eda_delete"], Keywords(words), budget=5, similarity="none", guide=NamedModel.of("guide", guide)
        )
        found.append([finding.row() for finding in adversary.records([row])])
        texts = len(guide.asked)
        assert guide.calls == (1 if most == 10**9 else -(-texts // 3))
    assert found[0] == found[1]
    assert texts > 6


def test_sets_are_weighed_alike_in_any_number(monkeypatch: pytest.MonkeyPatch) -> None:
    (prepared,) = Preparation(constraints=()).texts([_text(2)])
    (pool,) = pools(prepared, [Perturber("eda_delete", probability=1.0)], 1)
    surrogate = Surrogate(pool, np.array([0.7, 0.9]))
    surrogate.learn((0, 2), np.array([0.5, 0.8]))
    sets = [tuple(range(size)) for size in range(1, len(pool) + 1)]
    together = surrogate.best.chances(sets)
    monkeypatch.setattr("augment_ru.adversary.knowledge._MANY", 1)
    assert surrogate.best.chances(sets) == together
    surrogate.learn((1, 3), np.array([0.5, 0.8]))  # its sums are made row by row now
    monkeypatch.undo()
    other = Surrogate(pool, np.array([0.7, 0.9]))
    for chosen in ((0, 2), (1, 3)):
        other.learn(chosen, np.array([0.5, 0.8]))
    assert (other.best.mean == surrogate.best.mean).all()
    assert other.best.chances(sets) == surrogate.best.chances(sets)
