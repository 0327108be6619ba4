"""Figures of a run: counts, acceptance, distributions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Augmenter
from augment_ru.engine.figures import QUANTILES, Figures, distribution
from augment_ru.jobs.summary import Summary


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
    summaries = [Summary(), Summary(), Summary()]
    for number, result in enumerate(Augmenter("case", similarity="none").texts(texts)):
        summaries[number % 2].add(result)
        summaries[2].add(result)
    first, second, whole = (summary.figures for summary in summaries)
    first.update(second)
    assert first == whole
    assert first.table()["rows"] == 4


@given(st.lists(st.integers(0, 10_000).map(lambda number: number / 10_000), min_size=1, max_size=50))
def test_quantiles_are_those_of_numpy(values: list[float]) -> None:
    found = distribution(values)
    assert found is not None
    expected = np.quantile(values, list(QUANTILES.values())).tolist()
    assert [found[name] for name in QUANTILES] == pytest.approx(expected, abs=5.1e-5)
    assert found["mean"] == pytest.approx(np.mean(values), abs=5.1e-5)
    assert found["std"] == pytest.approx(np.std(values), abs=5.1e-5)
