"""How answers and options of a row are treated, in concrete cases."""

import json

import pytest

from augment_ru import Augmenter, AugmentError
from strategies import ATTACKS


def test_a_short_word_of_an_answer_stays_free_elsewhere_in_the_text() -> None:
    row = {
        "support_text": "Кушалка впадает в реку у села. В селе живут в домах.",
        "main_text": "Мост стоит в городе и в селе.",
        "question": "Что стоит в селе?",
        "bridge_answers": [{"label": "passage", "offset": 16, "length": 13, "segment": "в реку у села"}],
        "main_answers": [],
    }
    augmenter = Augmenter("case", constraints=(), similarity="none", probability=1.0)
    (result,) = augmenter.records([row])
    assert result.scripts["main_text"].text == "мОСТ СТОИТ В ГОРОДЕ И В СЕЛЕ."
    assert "в реку у села" in result.scripts["support_text"].text


def test_data_is_never_evaluated() -> None:
    row = {
        "text": "Кошка сидит у окна, которое открыто.",
        "options": "__import__('os').abort()",
        "reference": "которое",
        "answer": "окна",
        "label": 1,
    }
    with pytest.raises(AugmentError, match=r"field 'options': .*is no list of texts"):
        list(Augmenter("case", similarity="none").records([row]))


def test_offsets_of_answers_are_mapped_and_the_source_rows_stay() -> None:
    row = {
        "support_text": "Волга, Волга и снова Волга.",
        "main_text": "Река.",
        "question": "Какая река?",
        "bridge_answers": [{"label": "passage", "offset": 21, "length": 5, "segment": "Волга"}],
        "main_answers": [{"label": "passage", "offset": 0, "length": 4, "segment": "Река"}],
    }
    before = json.dumps(row)
    for name in ATTACKS:
        (result,) = Augmenter(name, constraints=(), similarity="none", probability=1.0).records([row])
        (answer,) = result.row()["bridge_answers"]
        text = result.scripts["support_text"].text
        assert answer["offset"] == text.rindex("Волга")  # the third one, wherever the others went
    assert json.dumps(row) == before


def test_a_question_may_have_any_number_of_options() -> None:
    for letters in ("AB", "ABC", "ABCDE"):
        question = "Что это? " + " ".join(f"({letter}) что-то другое" for letter in letters)
        row = {"ID": "1", "question": question, "answer": "A"}
        (result,) = Augmenter("eda_swap", constraints=(), similarity="none", probability=1.0).records([row])
        assert [result.text.count(f"({letter})") for letter in letters] == [1] * len(letters)
