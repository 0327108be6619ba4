"""Laws of scripts, and cases that can be read."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import AugmentError, Edit, Note, Script, Span
from augment_ru.script import compose
from strategies import scripts, spans_of


def replay(source: str, edits: tuple[Edit, ...]) -> str:
    """The definition: edits done from the right, so that no place moves before its turn."""
    for edit in sorted(edits, reverse=True):
        source = source[: edit.start] + edit.text + source[edit.stop :]
    return source


@given(scripts())
def test_text_is_the_replay_of_the_edits(script: Script) -> None:
    assert script.text == replay(script.source, script.edits)


@given(st.data())
def test_map_keeps_characters(data: st.DataObject) -> None:
    script = data.draw(scripts())
    span = data.draw(spans_of(script.source))
    mapped = script.map(span)
    if mapped is not None:
        assert mapped.of(script.text) == span.of(script.source)


@given(st.data())
def test_a_span_that_no_edit_touches_maps(data: st.DataObject) -> None:
    script = data.draw(scripts())
    span = data.draw(spans_of(script.source))
    touched = any(edit.start < span.stop and span.start < edit.stop for edit in script.edits)
    assert (script.map(span) is None) == touched


@given(st.data())
def test_then_equals_applying_twice(data: st.DataObject) -> None:
    first = data.draw(scripts())
    second = data.draw(scripts(first.text))
    both = first.then(second)
    assert both.source == first.source
    assert both.text == second.text
    span = data.draw(spans_of(first.source))
    middle = first.map(span)
    last = second.map(middle) if middle else None
    if last is not None and span.start < span.stop:
        assert both.map(span) == last


@given(st.data())
def test_then_is_associative_in_its_texts(data: st.DataObject) -> None:
    one = data.draw(scripts())
    two = data.draw(scripts(one.text))
    three = data.draw(scripts(two.text))
    assert one.then(two).then(three).text == one.then(two.then(three)).text == three.text


@given(scripts())
def test_pickle_and_equality(script: Script) -> None:
    copy = pickle.loads(pickle.dumps(script))  # noqa: S301  (made here)
    assert copy == script
    assert hash(copy) == hash(script)


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([Edit(0, 3, "a"), Edit(2, 4, "b")], "overlap"),
        ([Edit(1, 1, "a"), Edit(1, 1, "b")], "overlap"),
        ([Edit(0, 9, "")], "outside"),
        ([Edit(3, 2, "")], "outside"),
        ([Edit(-1, 2, "")], "outside"),
    ],
)
def test_bad_edits_are_refused_at_birth(edits: list[Edit], message: str) -> None:
    with pytest.raises(AugmentError, match=message):
        Script("кошка", edits)


def test_touching_edits_and_an_insertion_before_a_replacement_are_fine() -> None:
    assert Script("кот", [Edit(0, 1, "К"), Edit(1, 2, "О")]).text == "КОт"
    assert Script("кот", [Edit(1, 2, "О"), Edit(1, 1, "-")]).text == "к-От"


def test_an_insertion_at_an_edge_stays_outside_the_span() -> None:
    script = Script("в Москве", [Edit(2, 2, "старой "), Edit(8, 8, "!")])
    mapped = script.map(Span(2, 8, "LOC"))
    assert mapped == Span(9, 15, "LOC")
    assert mapped.of(script.text) == "Москве"


def test_a_script_is_immutable() -> None:
    script = Script("кот", [])
    with pytest.raises(AttributeError, match="immutable"):
        script.source = "пёс"


def test_then_refuses_another_text() -> None:
    with pytest.raises(AugmentError, match="the source of the second script is not the text of the first"):
        Script("кот", []).then(Script("пёс", []))


def test_spans_must_be_ranges() -> None:
    with pytest.raises(AugmentError, match="start <= stop"):
        Span(3, 2)
    with pytest.raises(AugmentError, match="outside"):
        Script("кот", []).map(Span(0, 4))


def test_a_composed_edit_keeps_the_reading_of_what_the_second_script_left_whole() -> None:
    first = Script("кот спит", [Edit(0, 3, "🐱", Note("кот"))])
    beside = compose(first, Script(first.text, [Edit(1, 6, "")]))
    assert [(part.edit, part.edit.read) for part in beside] == [(Edit(0, 8, "🐱"), "кот")]
    over = compose(first, Script(first.text, [Edit(0, 1, "🐈")]))
    assert [(part.edit, part.edit.note) for part in over] == [(Edit(0, 3, "🐈"), None)]


def test_what_stands_where_an_edit_took_something_away_needs_no_reading_of_it() -> None:
    for note in (Note(None, "final"), Note(".")):
        first = Script("Кот спит.", [Edit(8, 9, "", note)])
        (part,) = compose(first, Script(first.text, [Edit(8, 8, ". Пёс лает.", Note(". Пёс ест."))]))
        assert part.edit.text == ". Пёс лает."
        assert part.edit.read == ". Пёс ест."


def test_a_script_is_read_with_the_readings_of_its_edits() -> None:
    script = Script("кот спит 2 часа", [Edit(0, 3, "🐱", Note("кот")), Edit(9, 10, "3")])
    assert (script.text, script.read) == ("🐱 спит 3 часа", "кот спит 3 часа")
    assert script == Script("кот спит 2 часа", [Edit(0, 3, "🐱"), Edit(9, 10, "3")])  # a note is no part of the edit


def test_edits_in_any_order_become_one_script_with_their_notes() -> None:
    one, other = Script("кот спит", [Edit(4, 8, "сп", Note("спит"))]), Script("кот спит", [Edit(0, 3, "кит")])
    together = Script.together("кот спит", [*one.triples, *other.triples], [*one.notes, None])
    assert together == Script("кот спит", [*other.edits, *one.edits])
    assert together.read == "кит спит"
    with pytest.raises(AugmentError, match="overlap"):
        Script.together("кот спит", [*other.triples, (1, 3, "")])


def test_places_are_whole_numbers() -> None:
    with pytest.raises(AugmentError, match="no whole numbers"):
        Script("кот", [Edit(0, 1.5, "")])  # type: ignore[arg-type]
