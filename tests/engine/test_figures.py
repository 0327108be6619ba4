"""Figures of a run: counts, acceptance, distributions."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Augmenter, Perturber, Preparation
from augment_ru.engine.figures import QUANTILES, Figures, distribution
from augment_ru.engine.search import Cost


def test_acceptance_leaves_out_rows_in_which_nothing_may_be_changed() -> None:
    figures = Figures()
    for status in ("perturbed", "perturbed", "perturbed", "rejected", "unchanged", "unchanged"):
        figures.count(status, probability=0.1, similarity=0.9, edits=2)
    table = figures.table()
    assert (table["rows"], table["perturbed"], table["unchanged"], table["rejected"]) == (6, 3, 2, 1)
    assert table["acceptance"] == 0.75
    assert table["edits_per_perturbed_row"] == 2
    assert table["similarity"]["mean"] == 0.9


def test_there_are_no_means_without_rows() -> None:
    table = Figures().table()
    assert all(table[key] is None for key in ("acceptance", "similarity", "probability", "edits_per_perturbed_row"))
    figures = Figures()
    figures.count("unchanged", None, None, 0)
    assert figures.acceptance is None


def test_figures_of_two_halves_add_up_to_those_of_the_whole() -> None:
    texts = ["Кошка спит на печи.", "Мы долго шли по пустой улице.", "Да.", "Собака ждёт у двери."]
    first, second, whole = (_figures("case", part, similarity="none") for part in (texts[::2], texts[1::2], texts))
    first.update(second)
    assert first == whole
    assert first.table()["rows"] == 4


@pytest.mark.parametrize("attack", ["case", "misspell", "add_sent", "butterfingers"])
@pytest.mark.parametrize("similarity", ["none", "meaning"])
def test_figures_in_columns_are_those_of_the_results_one_by_one(attack: str, similarity: str) -> None:
    texts = ["Кошка спит на печи.", "Да.", "—", "Мы долго шли по пустой улице, и снег скрипел под ногами.", ""]
    counted = Figures()
    for result in Augmenter(attack, similarity=similarity).texts(texts):
        edits = sum(len(script.edits) for script in result.scripts.values())
        counted.count(result.status, result.probability, result.similarity, edits)
        if result.status == "perturbed":
            counted.words += len(re.findall(r"\w+", result.source))
    found = _figures(attack, texts, similarity=similarity)
    assert replace(found, cost=counted.cost) == counted
    assert (found.cost.pairs > 0) == (similarity == "meaning" and found.statuses["perturbed"] > 0)


def _figures(attack: str, texts: list[str], *, similarity: str) -> Figures:
    """The figures of texts that are perturbed in one chunk."""
    perturber = Perturber(attack, similarity=similarity)
    (prepared,) = Preparation().texts(texts, needs=[perturber.needs])
    return Figures.of(perturber.perturb(prepared))


@given(st.lists(st.integers(0, 10_000).map(lambda number: number / 10_000), min_size=1, max_size=50))
def test_quantiles_are_those_of_numpy(values: list[float]) -> None:
    found = distribution(values)
    assert found is not None
    expected = np.quantile(values, list(QUANTILES.values())).tolist()
    assert [found[name] for name in QUANTILES] == pytest.approx(expected, abs=5.1e-5)
    assert found["mean"] == pytest.approx(np.mean(values), abs=5.1e-5)
    assert found["std"] == pytest.approx(np.std(values), abs=5.1e-5)


@given(st.lists(st.tuples(*[st.integers(0, 99)] * 3), min_size=1, max_size=4))
def test_what_parts_cost_adds_up_in_each_number(costs: list[tuple[int, int, int]]) -> None:
    whole = Figures()
    for one in costs:
        whole.update(Figures(cost=Cost(*one)))
    assert whole.cost == Cost(*map(sum, zip(*costs, strict=True)))
    assert whole == Figures(cost=whole.cost)


def test_figures_of_parts_add_up_to_those_of_the_whole() -> None:
    whole, *parts = (Figures(words=10, weak=one) for one in (4, 1, 3))
    for number, status in enumerate(("perturbed", "perturbed", "rejected", "perturbed")):
        for one in (whole, parts[number % 2]):
            one.count(status, probability=0.01, similarity=0.8, edits=1)
    parts[0].update(parts[1])
    whole.words = 20
    assert parts[0].table() == whole.table()
    assert parts[0].is_weak == whole.is_weak
    assert parts[0].weak == 4
