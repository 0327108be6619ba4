"""What may happen to a text, in changes that an attack of one's own may propose."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Script
from augment_ru.edits import Change, Edit
from augment_ru.engine.edit_table import apply
from augment_ru.engine.legality import Drop, legal
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.errors import AugmentError
from augment_ru.text.batch import Batch

MAIL = "пишите a@b.ru! сюда"
START, STOP = 7, 13


def outcome(text: str, *edits: Edit) -> str:
    """The text with a change of these edits, or why it may not happen."""
    batch = Batch([text])
    drops: list[Drop] = []
    found = legal(batch, Proposals.of_changes(batch, [[Change(0.0, edits)]]), drops)
    if drops:
        return drops[0].reason
    return apply(batch, found, np.ones(found.ranks.size, dtype=np.bool_)).texts[0]


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([Edit(STOP, STOP + 1, ""), Edit(STOP + 1, STOP + 1, "х")], "sticks to a protected span"),
        ([Edit(STOP, STOP + 1, ""), Edit(STOP + 1, STOP + 2, "х")], "sticks to a protected span"),
        ([Edit(STOP, STOP, ""), Edit(STOP, STOP + 1, "х")], "sticks to a protected span"),
        ([Edit(STOP, STOP + 1, ""), Edit(STOP + 1, STOP + 1, " х")], "пишите a@b.ru х сюда"),
        ([Edit(STOP, STOP + 1, "?"), Edit(STOP + 1, STOP + 1, "х")], "пишите a@b.ru?х сюда"),
        ([Edit(START - 1, START, ""), Edit(START - 1, START - 1, ".")], "пишите.a@b.ru! сюда"),
        ([Edit(START - 2, START - 1, "х"), Edit(START - 1, START, "")], "sticks to a protected span"),
        ([Edit(START - 2, START - 1, "."), Edit(START - 1, START, "")], "пишит.a@b.ru! сюда"),
        ([Edit(STOP + 1, STOP + 2, ""), Edit(STOP, STOP + 1, "")], "sticks to a protected span"),
    ],
)
def test_letters_beside_protected_spans_are_judged_over_the_whole_change(edits: Sequence[Edit], expected: str) -> None:
    assert outcome(MAIL, *edits) == expected
    assert outcome(MAIL, *reversed(edits)) == expected


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("он и @anna", Edit(4, 5, "")),
        ("тема #кот", Edit(4, 5, "")),
        ("см. ya.ru/ и да", Edit(10, 11, "")),
        ("см. ya.ru/?q= и да", Edit(13, 14, "х")),
    ],
)
def test_a_letter_beside_a_mention_a_tag_or_a_path_would_be_part_of_it(text: str, edit: Edit) -> None:
    assert outcome(text, edit) == "sticks to a protected span"


def test_edits_of_a_change_that_change_nothing_are_left_out() -> None:
    batch = Batch(["кот спит"])
    change = Change(0.0, (Edit(0, 3, "кот"), Edit(4, 8, "ест"), Edit(4, 4, "")))
    found = legal(batch, Proposals.of_changes(batch, [[change]]))
    applied = apply(batch, found, np.ones(1, dtype=np.bool_))
    assert (applied.texts, applied[0].edits) == (["кот ест"], (Edit(4, 8, "ест"),))
    assert outcome("кот спит", Edit(0, 3, "кот"), Edit(4, 8, "спит")) == "changes nothing"


def test_no_lone_surrogate_gets_into_a_text() -> None:
    assert outcome("кот", Edit(0, 1, "\ud800")) == "holds a lone surrogate"
    batch = Batch(["кот"])
    place = np.array([0])
    stated = Proposals.of_edits(
        place, place + 1, np.array([0.0]), lambda indices: Replacements.of(["\udfff"]).take(indices), clean=True
    )
    with pytest.raises(AugmentError, match="a text with a lone surrogate"):
        apply(batch, legal(batch, stated), np.ones(1, dtype=np.bool_))


@given(st.lists(st.integers(0, 12), max_size=3, unique=True).map(sorted), st.data())
def test_no_change_reaches_across_a_border(borders: list[int], data: st.DataObject) -> None:
    """Options, and the texts of a row, keep what is theirs: all edits of a change lie on one side of each border."""
    text = "кот пёс дом м"
    drawn = data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=6, unique=True).map(sorted))
    edits = tuple(Edit(start, stop, "ъ") for start, stop in zip(drawn[::2], drawn[1::2], strict=False))
    batch = Batch([text], None, [], [borders])
    drops: list[Drop] = []
    found = legal(batch, Proposals.of_changes(batch, [[Change(0.0, edits)]]), drops)
    sides = {tuple(border <= at for border in borders) for edit in edits for at in (edit.start, edit.stop - 1)}
    reasons = {one.reason for one in drops}
    assert bool(reasons) >= (len(sides) > 1) >= ("reaches across the border of a text or an option" in reasons)
    assert not reasons or found.ranks.size == 0
    if not borders:
        assert apply(batch, found, np.ones(1, dtype=np.bool_)).texts == [Script(text, edits).text]
