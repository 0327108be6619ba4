"""Names of values inside rows: each leads to its value and to no other, and what stands for many finds each of them."""

import json
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from augment_ru.records import field_paths
from augment_ru.records.answers import words_around
from augment_ru.records.record import options_in

KEYS = st.sampled_from(["text", "qas", "вопрос", "role", "id 2"])
LEAVES = st.sampled_from(["а", "б", 7, True]) | st.none()
ROWS = st.dictionaries(
    KEYS,
    st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)),
    min_size=1,
)


def leaves(held: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """The values of a row that hold no others, each with its path."""
    inner = held.items() if isinstance(held, dict) else enumerate(held) if isinstance(held, list) else None
    if inner is None:
        yield path, held
    else:
        for step, one in inner:
            yield from leaves(one, (*path, step))


@given(ROWS)
def test_a_name_leads_to_its_value(row: dict[str, Any]) -> None:
    before = json.dumps(row)
    for path, held in leaves(row):
        name = field_paths.named(path)
        assert field_paths.steps(name) == path
        assert field_paths.path_of(row, name) == path
        assert field_paths.has_value(row, name)
        assert field_paths.value(row, name) is held
        assert field_paths.values(row, name) == [held]
        for missing in (f"{name}.none", f"{name}[0]", re.sub(r"\[\d+\]", "[9]", name, count=1)):
            assert missing == name or (field_paths.value(row, missing, 5), field_paths.values(row, missing)) == (5, [])
        changed = field_paths.with_value(row, path, "новое")
        assert list(leaves(changed)) == [(at, "новое" if at == path else one) for at, one in leaves(row)]
        several = re.sub(r"\[\d+\]", "[]", name)
        alike = [one for one in leaves(row) if re.sub(r"\[\d+\]", "[]", field_paths.named(one[0])) == several]
        found = [one for one in field_paths.every(row, several) if field_paths.has_value(row, one)]
        assert [one for one in found if not isinstance(field_paths.value(row, one), dict | list)] == [
            field_paths.named(at) for at, _ in alike
        ]
        numbers = tuple(step for step in path if isinstance(step, int))
        assert field_paths.numbered(several, numbers) == name
        assert numbers in field_paths.entries(row, several)
    assert json.dumps(row) == before


@given(st.text("аб .,\n", min_size=1, max_size=12), st.data())
def test_places_grow_to_whole_words_and_no_further(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    stop = data.draw(st.integers(start + 1, len(text) + 2))
    first, last = words_around(text, start, stop)
    stop = min(stop, len(text))
    assert first <= start < stop <= last <= len(text)
    for at in (first, last):
        assert not text[at - 1 : at].isalnum() or not text[at : at + 1].isalnum() or at == 0
    assert text[first:start] == "" or text[first : start + 1].isalnum()
    meant = stop + (stop < len(text) and not any(map(str.isspace, text[stop - 1 : stop + 1])))
    assert last >= meant
    assert text[meant:last] == "" or text[meant - 1 : last].isalnum()


@given(st.lists(st.text("аб в", min_size=1, max_size=6).filter(str.strip), max_size=5), st.text("аб?", max_size=5))
def test_the_options_of_a_question_are_found_where_they_stand(options: list[str], question: str) -> None:
    text = question + "".join(f" ({letter}) {option}" for letter, option in zip("ABCDE", options, strict=False))
    found = options_in(text)
    if len(options) > 1:
        assert [marker.of(text) for marker, _ in found] == [f"({letter})" for letter in "ABCDE"[: len(options)]]
        assert [option.of(text) for _, option in found] == [option.strip() for option in options]
