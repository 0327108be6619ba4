"""The reader of answers: every form of an answer gives its text."""

from typing import Any

import pytest

from augment_ru.constraints.functions.multihop import multihop
from augment_ru.evaluation.answers import golds_of
from augment_ru.prompting.prompt import answer_text
from augment_ru.records.answers import answer_texts, answer_values, words_around
from augment_ru.records.record import Record, contexts_of
from augment_ru.records.task import task
from augment_ru.release import lm_eval_data
from augment_ru.text.doc import Doc

SEGMENT = {"label": "passage", "offset": 0, "length": 5, "segment": "Тверь"}


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ("Тверь", ["Тверь"]),
        (" Тверь\n", ["Тверь"]),
        (SEGMENT, ["Тверь"]),
        ({"text": "Тверь", "start": 0, "end": 5}, ["Тверь"]),
        ({"segment": "Тверь", "text": "Тверь и Клин"}, ["Тверь"]),
        ([SEGMENT, {"answer": "Клин"}, "Ржев", None], ["Тверь", "Клин", "Ржев"]),
        ({"segment": ["Тверь", "Клин"], "offset": [0, 9]}, ["Тверь", "Клин"]),
        (1930, ["1930"]),
        (1.0, ["1"]),
        (True, ["true"]),
        ({"offset": 0, "length": 5}, []),
        ({"segment": None}, []),
        (None, []),
        ([], []),
    ],
)
def test_an_answer_in_any_form_is_its_texts(value: object, texts: list[str]) -> None:
    assert answer_texts(value) == texts


@pytest.mark.parametrize(
    ("start", "stop", "place"),
    [
        (7, 11, (7, 12)),  # half a word
        (7, 12, (7, 13)),  # the character behind it may belong to it
        (0, 6, (0, 6)),  # but no space
        (7, 13, (7, 13)),
        (9, 99, (7, 19)),
    ],
)
def test_a_place_covers_whole_words(start: int, stop: int, place: tuple[int, int]) -> None:
    assert words_around("Купили доску, чтобы", start, stop) == place


def test_values_keep_their_types() -> None:
    assert list(answer_values([1, "1", {"text": 2.5}])) == [1, "1", 2.5]


@pytest.mark.parametrize("value", ["Тверь", [SEGMENT], [{"text": "Тверь"}], {"answer": "Тверь"}, ["Тверь"]])
def test_all_readers_of_a_row_find_the_same_answer(value: Any) -> None:  # noqa: ANN401  (a JSON value)
    """Constraints, contexts of attacks, prompts, the evaluation and the harness."""
    multiq = {"support_text": "Тверь стоит.", "main_text": "Она на Волге.", "question": "Что стоит на Волге?"}
    row = multiq | {"bridge_answers": [], "main_answers": value}
    assert multihop(row, {"support_text": Doc("Тверь стоит.")})["support_text"]
    assert contexts_of([Record(row, task("multiq"))])[0].answers == ("Тверь",)
    assert answer_text(value) == "Тверь"
    assert golds_of([row], task("multiq"), "answers") == [(("Тверь",),)]
    doc = lm_eval_data._doc(row, {}, "main_answers", is_shown=False)  # noqa: SLF001
    assert doc["answers"] == ["Тверь"]
