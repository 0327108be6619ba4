"""Which edits flip an answer: found by asking again with edits taken back."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import AugmentError, Example, evaluate
from augment_ru.evaluation.flipping import smallest
from augment_ru.evaluation.page import page


def asked(count: int, breaks: Callable[[set[int]], bool]) -> tuple[set[int], list[set[int]]]:
    """What the search keeps of `count` edits, and the sets that it asked about."""
    search = smallest([(("text", at),) for at in range(count)])
    questions: list[set[int]] = []
    answer = None
    while True:
        try:
            kept = next(search) if answer is None else search.send(answer)
        except StopIteration as end:
            return {at for unit in end.value for _, at in unit}, questions
        questions.append({at for unit in kept for _, at in unit})
        answer = breaks(questions[-1])


@given(st.integers(2, 24), st.integers(0, 2**32 - 1))
def test_what_is_kept_breaks_and_nothing_of_it_is_needless(count: int, seed: int) -> None:
    """Of any model, one that is not monotone too: its answer to a set is a hash of the set."""

    def breaks(kept: set[int]) -> bool:
        return len(kept) == count or bool(kept and hash((seed, *sorted(kept))) % 3 == 0)

    kept, _ = asked(count, breaks)
    assert breaks(kept)
    assert len(kept) == 1 or not any(breaks(kept - {one}) for one in kept)


@given(st.integers(2, 24), st.data())
def test_of_a_model_that_needs_certain_edits_just_these_are_kept(count: int, data: st.DataObject) -> None:
    needed = data.draw(st.sets(st.integers(0, count - 1), min_size=1))
    kept, questions = asked(count, lambda one: needed <= one)
    assert kept == needed
    assert all(0 < len(one) < count for one in questions), "neither the original nor the whole row is asked again"


class Fast:
    """Says good if «хорош» and «вкус» are both in the text; faster than the cache."""

    cached = False
    few_shot = False

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, examples: Sequence[Example]) -> list[str]:
        self.asked += [one.text for one in examples]
        return ["good" if "хорош" in one.text and "вкус" in one.text else "bad" for one in examples]


def misspelt() -> dict[str, Any]:
    """«хорош» loses a letter; three more edits break nothing."""
    source = "Номер хорош, завтрак вкусный, вид на море."
    edits = [[0, 5, "Нмоер"], [6, 11, "хрош"], [13, 20, "завтрк"], [30, 33, "вдо"]]
    text = "Нмоер хрош, завтрк вкусный, вдо на море."
    meta = {"attack": "typo", "status": "perturbed", "source": {"text": source}, "edits": {"text": edits}}
    return {"id": 1, "text": text, "label": "good", "augment": meta}


def swapped() -> dict[str, Any]:
    """Two words change places: the two edits are taken back together."""
    source = "вкусно и хорошо тут"
    edits = [[0, 6, "хорошо"], [9, 15, "вкусно"], [16, 19, "там"]]
    meta = {"attack": "typo", "status": "perturbed", "source": {"text": source}, "edits": {"text": edits}}
    return {"id": 2, "text": "хорошо и вкусно там", "label": "good", "augment": meta}


def test_the_edit_that_flips_the_answer_is_found() -> None:
    done = evaluate([misspelt()], {"fast": Fast()})
    assert done.flipping == {(0, "typo", 0): {"text": [1]}}
    assert '"flipping":[{"text":[1]}]' in page(done)


def test_edits_that_exchange_words_are_one() -> None:
    model = Fast()

    def first_word(examples: Sequence[Example]) -> list[str]:
        model.asked += [one.text for one in examples]
        return ["good" if one.text.startswith("вкусно") else "bad" for one in examples]

    first_word.cached = False  # type: ignore[attr-defined]
    done = evaluate([swapped()], {"fast": first_word})
    assert done.flipping == {(0, "typo", 0): {"text": [0, 1]}}
    assert "хорошо и хорошо тут" not in model.asked


def test_slow_models_are_asked_only_if_it_is_wanted() -> None:
    def slow(examples: Sequence[Example]) -> list[str]:
        return Fast()(examples)

    assert evaluate([misspelt()], {"slow": slow}).flipping == {}
    assert evaluate([misspelt()], {"slow": slow}, flipping="all").flipping == {(0, "typo", 0): {"text": [1]}}
    model = Fast()
    assert evaluate([misspelt()], {"fast": model}, flipping="none").flipping == {}
    assert len(model.asked) == 2
    with pytest.raises(AugmentError, match="must be one of auto, all, none"):
        evaluate([misspelt()], {"fast": model}, flipping="some")


def test_rows_without_edits_or_with_one_are_not_asked() -> None:
    one = misspelt()
    one["augment"]["edits"]["text"] = [[6, 11, "хрош"]]
    one["text"] = "Номер хрош, завтрак вкусный, вид на море."
    assert evaluate([one], {"fast": Fast()}).flipping == {}
    original = {"id": 1, "text": "Номер хорош, завтрак вкусный, вид на море.", "label": "good"}
    plain = {"id": 1, "text": "Нмоер хрош, завтрак вкусный", "label": "good"}
    assert evaluate([plain], {"fast": Fast()}, originals=[original]).flipping == {}
