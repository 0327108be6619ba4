"""The search: which perturbation is spent, what it costs, and what is said of those that fail."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import Augmenter, AugmentError, Script
from augment_ru.engine.legality import legal
from augment_ru.engine.search import SCHEDULES, cut
from profiles import examples
from strategies import ATTACKS, SENTENCES, texts

TEXT = "Кошка тихо спит на тёплом окне, а собака громко лает во дворе на соседа."


def share_kept(references: Sequence[str], candidates: Sequence[str]) -> list[float]:
    """A similarity that can be counted by hand: the share of characters that stayed, place by place."""
    return [
        sum(old == new for old, new in zip(reference, candidate, strict=False)) / max(len(reference), len(candidate), 1)
        for reference, candidate in zip(references, candidates, strict=True)
    ]


class Recording:
    """A similarity that keeps what it was asked."""

    def __init__(self, scores: Sequence[float] = ()) -> None:
        self.calls: list[list[tuple[str, str]]] = []
        self.scores = list(scores)

    def __call__(self, references: Sequence[str], candidates: Sequence[str]) -> list[float]:
        self.calls.append(list(zip(references, candidates, strict=True)))
        return [self.scores.pop(0) for _ in candidates] if self.scores else share_kept(references, candidates)


def augmenter(similarity: object, **options: object) -> Augmenter:
    """Typos at 0.5, three candidates."""
    settings: dict[str, object] = {"probability": 0.5, "threshold": 0.8, "constraints": (), **options}
    return Augmenter("butterfingers", similarity=similarity, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("threshold", [0.5, 0.8, 0.95])
def test_what_is_returned_was_scored_and_passed(schedule: str, threshold: float) -> None:
    asked = Recording()
    result = augmenter(asked, schedule=schedule, threshold=threshold)(TEXT)
    assert result.status == "perturbed"
    assert (TEXT, result.text) in [pair for call in asked.calls for pair in call]
    assert result.similarity == round(share_kept([TEXT], [result.text])[0], 4)
    assert result.similarity >= threshold


def test_the_most_similar_of_the_passing_candidates_wins() -> None:
    """The published toolkit sorts (text, score) pairs, and so returns the alphabetically last text."""
    result = augmenter(Recording([0.81, 0.99, 0.9]))(TEXT)
    assert (result.candidate, result.similarity, result.probability) == (1, 0.99, 0.5)


def test_below_the_threshold_the_probability_is_halved() -> None:
    asked = Recording([0.7, 0.79, 0.5, 0.1, 0.8, 0.79])
    result = augmenter(asked)(TEXT)
    assert [len(call) for call in asked.calls] == [3, 3]
    assert (result.candidate, result.similarity, result.probability) == (1, 0.8, 0.25)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_what_failed_is_rejected_and_marked(schedule: str) -> None:
    result = Augmenter("eda_swap", similarity=lambda _, texts: [0.5] * len(texts), schedule=schedule, constraints=())(
        TEXT
    )
    assert (result.status, result.text, result.similarity, result.probability, result.candidate) == (
        "rejected",
        TEXT,
        0.5,
        None,
        None,
    )
    assert result.script == Script(TEXT)


def test_a_level_is_not_scored_twice() -> None:
    asked = Recording()
    augmenter(asked, threshold=1.0, candidates=1, floor=0.001)("кот спит")
    pairs = [pair for call in asked.calls for pair in call]
    assert len(pairs) == len(set(pairs))


def test_the_floor_ends_the_search() -> None:
    asked = Recording([0.0] * 99)
    augmenter(asked, candidates=1, floor=0.2)(TEXT)
    assert len(asked.calls) == 2  # 0.5 and 0.25


def test_strongest_takes_about_log2_rounds_and_the_most_that_passes() -> None:
    asked = Recording()
    result = augmenter(asked, schedule="strongest", candidates=1, probability=1.0)(TEXT)
    letters = sum(char.isalpha() for char in TEXT)
    allowed = int(len(TEXT) * 0.2)
    assert len(result.script.edits) == allowed
    assert len(asked.calls) <= letters.bit_length() + 1


def test_strongest_spends_at_least_as_much_as_paper() -> None:
    sources = [*SENTENCES, TEXT]
    by_schedule = {
        schedule: augmenter(share_kept, schedule=schedule, candidates=1).texts(sources) for schedule in SCHEDULES
    }
    for paper, strongest in zip(by_schedule["paper"], by_schedule["strongest"], strict=True):
        assert len(strongest.script.edits) >= len(paper.script.edits)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_probability_told_gives_the_same_edits_again(schedule: str) -> None:
    for result in augmenter(share_kept, schedule=schedule).texts([TEXT, *SENTENCES]):
        if result.status == "perturbed":
            again = augmenter(share_kept, probability=result.probability, candidates=(result.candidate or 0) + 1)
            (prepared,) = again.preparation.texts([result.source])
            proposed = legal(prepared.batch, again.perturber.proposals(prepared, result.candidate or 0))
            active = cut(proposed, np.zeros_like(proposed.changes), again.attack.probability, min_changes=1)
            assert active.sum() == len(result.script.edits)


@settings(max_examples=examples(25))
@given(st.sampled_from(ATTACKS), st.lists(texts(), max_size=5), st.sampled_from(sorted(SCHEDULES)))
def test_the_gate_does_not_see_the_batch(name: str, sources: list[str], schedule: str) -> None:
    gated = Augmenter(name, constraints=(), schedule=schedule, candidates=2)
    together = gated.texts(sources)
    assert [(r.text, r.similarity, r.status) for r in together] == [
        (r.text, r.similarity, r.status) for r in map(gated, sources)
    ]


def test_rounds_are_shared_by_all_records() -> None:
    asked = Recording()
    augmenter(asked, threshold=0.0).texts([f"{TEXT} {number}" for number in range(50)])
    assert [len(call) for call in asked.calls] == [150]


def test_the_cost_of_a_search_is_counted() -> None:
    made = augmenter(share_kept, threshold=0.0)
    (prepared,) = made.preparation.texts([TEXT])
    cost = made.perturber.perturb(prepared).cost
    assert (cost.calls, cost.pairs) == (1, 3)


def test_without_a_gate_nothing_is_scored() -> None:
    result = augmenter("none", threshold=None)(TEXT)
    assert (result.status, result.similarity, result.settings.scorer, result.settings.threshold) == (
        "perturbed",
        None,
        "none",
        None,
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 1.5}, "`threshold` 1.5"),
        ({"threshold": float("nan")}, "`threshold` nan"),
        ({"schedule": "papper"}, "did you mean 'paper'"),
        ({"candidates": 0}, "`candidates` 0"),
        ({"probability": float("nan")}, "probability nan"),
        ({"probability": -0.1}, "probability -0.1"),
        ({"floor": 0.0}, "`floor` 0.0"),
        ({"similarity": "navecc"}, "did you mean 'navec'"),
        ({"annotator": "natashka"}, "did you mean 'natasha'"),
        ({"constraints": ["named_entity"]}, "did you mean 'named_entities'"),
        ({"constraints": 5}, "constraints=5: possible: names"),
        ({"constraints": [5]}, r"constraints=\[5\]: possible: names"),
        ({"annotator": None}, "annotator=None: possible: a name"),
    ],
)
def test_wrong_settings_are_refused_in_one_line(options: dict[str, object], message: str) -> None:
    with pytest.raises(AugmentError, match=message) as caught:
        augmenter(options.pop("similarity", "navec"), **options)
    assert "\n" not in str(caught.value)


def test_a_similarity_that_miscounts_is_an_error() -> None:
    with pytest.raises(AugmentError, match="scores of shape"):
        augmenter(lambda references, candidates: [1.0])(TEXT)  # noqa: ARG005
