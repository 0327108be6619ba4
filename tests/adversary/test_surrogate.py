"""The surrogate: what an answer about further letters in the same words says of a record."""

import numpy as np
import pytest

from augment_ru import Adversary, Preparation
from augment_ru.adversary.knowledge import Surrogate
from augment_ru.engine.pool import RecordPool, pools
from victims import Keywords


def pool() -> RecordPool:
    adversary = Adversary(["butterfingers"], Keywords(frozenset({"погода"}), 1), similarity="none")
    (prepared,) = Preparation(constraints=()).texts(["погода хорошая"], needs=adversary.needs)
    return pools(prepared, adversary.perturbers, 3)[0]


@pytest.mark.parametrize(("after", "adds"), [(0.5, False), (0.2, True), (0.8, True)])
def test_further_letters_count_if_they_move_the_margin(after: float, adds: bool) -> None:  # noqa: FBT001
    surrogate = Surrogate(pool(), np.array([1.0]))
    assert [view.adds > 0 for view in surrogate.regressions] == [False, True]
    surrogate.settle(np.array([0.5]), np.array([after]))
    assert [view.adds > 0 for view in surrogate.regressions] == [adds]


def test_letters_of_one_word_have_their_mean_effect_or_more() -> None:
    changes = pool()
    first = int(changes.places[0])
    clashing = {0, *changes.conflicts[0]}
    other = next(one for one in range(len(changes)) if changes.places[one] == first and one not in clashing)
    whole, letters = Surrogate(changes, np.array([1.0])).regressions
    for view in (whole, letters):
        view.learn((0,), np.array([0.4]))
        view.learn((0, other), np.array([0.4]))
    assert whole.mean[0, other] == pytest.approx(whole.mean[0, 0], abs=0.05)
    assert letters.mean[0, other] < letters.mean[0, 0] - 0.1
