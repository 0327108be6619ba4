"""Searches against models that slip: what is confirmed, what it costs, and what stays as it is."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from augment_ru import Adversary, Example
from augment_ru.adversary.adversary import Finding
from augment_ru.adversary.confirmation import Answers, Confirmation
from profiles import IS_FULL
from victims import Blank, Keywords

WORDS = (
    *("купи", "сегодня", "дешёвый", "билет", "на", "поезд", "в", "город", "где", "живёт", "твоя", "добрая", "тётя"),
    *("и", "семеро", "котов", "около", "озера", "среди", "тихого", "леса", "возле", "мельницы"),
)
KEYWORDS = frozenset({"билет", "поезд", "озера", "тётя", "леса", "город", "котов", "мельницы"})


class Slipping(Keywords):
    """A model of keywords that slips; without keywords it cannot be broken."""

    deterministic = False

    def __init__(self, keywords: frozenset[str], slips: float, least: int = 1) -> None:
        super().__init__(keywords, least)
        self.slips, self.random = slips, random.Random(3)

    def __call__(self, examples: Sequence[Example], /) -> list[str]:
        usual = super().__call__(examples)
        return [("ham" if one == "spam" else "spam") if self.random.random() < self.slips else one for one in usual]


def rows(count: int) -> list[dict[str, Any]]:
    draw = random.Random(5)
    texts = [" ".join(draw.sample(WORDS, draw.randint(6, 12))) for _ in range(count)]
    return [{"id": number, "text": text, "label": "spam"} for number, text in enumerate(texts)]


def searched(model: Keywords, given: Sequence[dict[str, Any]], **settings: Any) -> list[Finding]:  # noqa: ANN401
    attack = Blank(words=("нечто", "другое"))
    return list(Adversary([attack], model, similarity="none", constraints=(), **settings).records(given))


def broken(found: Sequence[Finding]) -> set[int]:
    return {one.record.values["id"] for one in found if one.status == "broken"}


@pytest.mark.parametrize("slips", [0.05, 0.1])
def test_slips_alone_break_nothing(slips: float) -> None:
    given = rows(100 if IS_FULL else 50)
    found = searched(Slipping(frozenset(), slips, least=0), given, budget=50)
    assert len(broken(found)) <= 1
    believed = searched(Slipping(frozenset(), slips, least=0), given, budget=50, confirm=0)
    assert len(broken(believed)) > len(given) / 5  # as the rates of one answer would have it
    assert all(one.queries <= 50 for one in found)


def test_what_breaks_without_slips_breaks_with_them_at_twice_the_queries() -> None:
    given = rows(100)
    without = broken(searched(Keywords(KEYWORDS, 2), given, budget=50))
    found = searched(Slipping(KEYWORDS, 0.05, 2), given, budget=100)
    assert len(without) > 60
    assert len(without & broken(found)) >= 0.9 * len(without)
    for one in found:
        assert one.queries <= 100
        stated = one.search()["confirmed"]
        assert stated["again"] < one.queries
        assert (stated["odds"] is not None) == (one.status == "broken")
        if one.status == "broken":
            assert stated["odds"] <= 0.01
            assert stated["again"] >= 4  # the text and its original, twice at least
            assert Keywords(KEYWORDS, 2).count(one.text) < 2  # the model usually answers so


def test_a_model_that_never_slips_is_broken_alike_at_more_queries() -> None:
    given = rows(30)
    sure = searched(Keywords(KEYWORDS, 2), given, budget=200)
    unsure = searched(Slipping(KEYWORDS, 0.0, 2), given, budget=200)
    assert [(one.text, one.status, one.minimal) for one in unsure] == [
        (one.text, one.status, one.minimal) for one in sure
    ]
    for one, other in zip(unsure, sure, strict=True):
        assert one.confirmation is not None
        assert one.queries == other.queries + one.confirmation.again
        assert "confirmed" not in other.search()


def test_an_original_that_is_right_by_a_slip_is_wrong_before() -> None:
    class Once(Keywords):
        deterministic = False

        def __call__(self, examples: Sequence[Example], /) -> list[str]:
            usual = super().__call__(examples)
            return ["spam" if self.calls == 5 else one for one in usual]  # the first after the rate was measured

    (one,) = searched(Once(frozenset({"никогда"})), rows(1), budget=50)
    assert (one.status, list(one.before)) == ("wrong_before", ["ham"])


def test_the_evidence_grows_with_answers_and_the_number_of_texts_asks_for_more() -> None:
    def needed(rate: float, number: int) -> int:
        test = Confirmation(rate, 2)
        test.original.count(broken=False)
        test.text.count(broken=True)
        while test.verdict(number) is None:
            (test.original if test.of_original else test.text).count(broken=not test.of_original)
            assert test.text.asked < 50
        return test.text.asked

    assert [needed(rate, 10) for rate in (0.001, 0.01, 0.05, 0.2)] == sorted(
        needed(r, 10) for r in (0.001, 0.01, 0.05, 0.2)
    )
    assert needed(0.05, 1) < needed(0.05, 20) < needed(0.05, 1000)
    given_up = Confirmation(0.05, 2, Answers(kept=1), Answers(broken=1, kept=2))
    assert given_up.verdict(1) is False
