"""Intervals and tests: against scipy, against counting by hand, and the same numbers every time."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2, t

from augment_ru.evaluation.paired import mcnemar
from augment_ru.evaluation.rates import Cells, bootstrap, effective, percentile95, student, wilson


@given(st.integers(0, 200), st.integers(1, 200))
def test_wilson_is_scipys(hits: int, more: int) -> None:
    trials = hits + more
    expected = binomtest(hits, trials).proportion_ci(0.95, "wilson")
    assert wilson(hits, trials) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_holds_the_ends() -> None:
    assert wilson(0, 0) is None
    low, high = wilson(0, 12) or (1.0, 1.0)
    assert (low, round(high, 4)) == (0.0, 0.2425)
    low, high = wilson(12, 12) or (0.0, 0.0)
    assert (round(low, 4), high) == (0.7575, 1.0)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_exact_binomial_test(a: int, b: int) -> None:
    expected = binomtest(a, a + b, 0.5).pvalue if a + b else 1.0
    assert mcnemar(a, b) == pytest.approx(expected)
    assert mcnemar(a, b) == mcnemar(b, a)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (0, 5, 0.0625),
        (2, 9, 2 * (1 + 11 + 55) / 2**11),
        (10, 10, 1.0),
        (59, 121, 4.43445e-6),
        (480, 520, 0.217448),
    ],
)
def test_mcnemar_gives_known_values(a: int, b: int, expected: float) -> None:
    """The sum of the binomial tail, doubled."""
    tail = sum(math.comb(a + b, count) for count in range(min(a, b) + 1))
    assert mcnemar(a, b) == pytest.approx(min(1.0, 2 * tail / 2 ** (a + b)), rel=1e-12)
    assert mcnemar(a, b) == pytest.approx(expected, rel=1e-5)


def test_mcnemar_of_many_pairs_is_the_chi_square_with_continuity() -> None:
    assert mcnemar(700, 600) == pytest.approx(float(chi2.sf((100 - 1) ** 2 / 1300, 1)))
    assert mcnemar(700, 700) == 1.0


def cells(hits: object, trials: object) -> Cells:
    return Cells(np.array(hits, float), np.array(trials, float))


def test_a_rate_is_the_mean_over_groups_and_episodes() -> None:
    one = cells([[[1, 0, 0, 0], [1, 1, 0, 0]]], [[[1, 1, 0, 0], [1, 1, 1, 1]]])
    assert one.rates() == [0.5, 0.5]
    assert one.rate() == 0.5
    two = cells([[[1, 1]], [[0, 0]]], [[[1, 1]], [[0, 0]]])
    assert two.rate() == 1.0, "a label that is never right has no rate"
    assert cells([[[0, 0]]], [[[0, 0]]]).rate() is None


def test_the_bootstrap_is_paired_and_repeats_itself() -> None:
    random = np.random.default_rng(1)
    trials = np.ones((1, 3, 80))
    one = Cells((random.random((1, 3, 80)) < 0.4).astype(float), trials)
    first, again = bootstrap([one, one], seed=7), bootstrap([one], seed=7)
    assert np.array_equal(first[0], first[1]), "all cells see the same draws"
    assert np.array_equal(first[0], again[0])
    assert not np.array_equal(first[0], bootstrap([one], seed=8)[0])
    low, high = percentile95(first[0]) or (0, 0)
    assert low < (one.rate() or 0) < high


def test_the_bootstrap_of_one_run_has_the_spread_of_the_binomial() -> None:
    hits = np.zeros((1, 1, 400))
    hits[0, 0, :120] = 1
    drawn = bootstrap([Cells(hits, np.ones((1, 1, 400)))], seed=1)[0]
    assert drawn.mean() == pytest.approx(0.3, abs=0.005)
    assert drawn.std() == pytest.approx((0.3 * 0.7 / 400) ** 0.5, rel=0.1)


def test_rows_of_one_record_are_drawn_together() -> None:
    """Ten copies of each row tell no more than one: the interval stays as wide."""
    hits = np.zeros((1, 1, 100))
    hits[0, 0, :30] = 1
    once = bootstrap([Cells(hits, np.ones((1, 1, 100)))], seed=1)[0]
    tenfold = bootstrap([Cells(hits * 10, np.full((1, 1, 100), 10.0))], seed=1)[0]
    assert np.allclose(once, tenfold)


def test_nothing_to_draw_is_no_number() -> None:
    drawn = bootstrap([cells([[[0, 0]]], [[[0, 0]]])], seed=1)[0]
    assert np.isnan(drawn).all()
    assert percentile95(drawn) is None


@given(st.integers(10, 5000))
def test_the_quantile_is_students(freedom: int) -> None:
    assert student(freedom) == pytest.approx(float(t.ppf(0.975, freedom)), abs=5e-4)


@given(st.integers(2, 40), st.integers(1, 6), st.integers(0, 2**32), st.floats(0.0, 1.0))
def test_an_effective_interval_holds_its_rate(records: int, rows: int, seed: int, share: float) -> None:
    """It stays in [0, 1], it turns with the outcome, and copies of the rows do not narrow it beyond their number."""
    random = np.random.default_rng(seed)
    hits, trials = random.binomial(rows, share, (1, 1, records)).astype(float), np.full((1, 1, records), float(rows))
    own, copied, turned = (Cells(*both) for both in ((hits, trials), (3 * hits, 3 * trials), (trials - hits, trials)))
    drawn = [bootstrap([one], 1)[0] for one in (own, copied, turned)]
    low, high = effective(own, drawn[0]) or (1, 0)
    assert 0 <= low <= (own.rate() or 0) <= high <= 1
    assert effective(turned, drawn[2]) == pytest.approx((1 - high, 1 - low), abs=1e-9)
    few, many = (ends[1] - ends[0] for ends in ((low, high), effective(copied, drawn[1]) or (0, 1)))
    assert many <= few + 1e-9, "more decisions never make it wider"
    assert many > (few / 3**0.5) * 0.9, "and copies tell at most as much as they are"


def test_an_effective_interval_holds_the_true_rate_where_the_percentiles_do_not() -> None:
    """60 records with two rows each, of a rate of 0.1: 300 draws of each method."""
    held = np.zeros(2)
    for seed in range(300):
        random = np.random.default_rng([seed, 8])
        hits = random.binomial(2, random.beta(0.1 * 0.25, 0.9 * 0.25, 60))
        one = Cells(hits[None, None].astype(float), np.full((1, 1, 60), 2.0))
        drawn = bootstrap([one], seed, 200)[0]
        for at, ends in enumerate((percentile95(drawn), effective(one, drawn))):
            held[at] += ends is not None and ends[0] <= 0.1 <= ends[1]
    assert held[0] < held[1], "and three standard deviations of 300 draws are 11"
    assert held[1] >= 285 - 11
