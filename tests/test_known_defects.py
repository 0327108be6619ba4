"""Thirty defects of the published toolkit of the same kind, by number; each that applies has its test here.

Where a law elsewhere covers one in general, the case here is the concrete one. 9, 13 and 24 (BAE,
back-translation, AddSent) concern attacks that this version does not have.
"""

import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest

from augment_ru import Augmenter, AugmentError, Result
from augment_ru.engine.attack import make
from augment_ru.engine.schedules import SCHEDULES
from augment_ru.resources import dictionary_path, rows
from strategies import ATTACKS, BY_WORD

PUSHKIN = "Пушкин жил в Москве, а умер в Петербурге."
MOLOKO = "Кошка пьёт молоко, собака тоже любит молоко."


def plain(name: str, text: str, **options: Any) -> Result:  # noqa: ANN401
    """The text after an attack without constraints and gate."""
    return Augmenter(name, **{"constraints": (), "similarity": "none", **options})(text)


@pytest.mark.parametrize("name", ATTACKS)
def test_01_02_04_protection_holds_on_every_round_of_every_attack(name: str) -> None:
    for schedule in SCHEDULES:
        for threshold in (0.0, 0.9, 0.97):
            augmenter = Augmenter(name, probability=1.0, schedule=schedule, threshold=threshold)
            result = augmenter(PUSHKIN)
            for word in ("Пушкин", "Москве", "Петербурге"):
                assert word in result.text


def test_03_chosen_entity_types_are_the_protected_ones() -> None:
    result = Augmenter("case", constraints="named_entities:PER", similarity="none", probability=1.0)(PUSHKIN)
    assert "Пушкин" in result.text
    assert "Москве" not in result.text


def test_05_06_short_words_of_an_answer_do_not_freeze_the_text() -> None:
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


def test_08_data_is_never_evaluated() -> None:
    row = {
        "text": "Кошка сидит у окна, которое открыто.",
        "options": "__import__('os').abort()",
        "reference": "которое",
        "answer": "окна",
        "label": 1,
    }
    with pytest.raises(AugmentError, match=r"field 'options': .*is no list of texts"):
        list(Augmenter("case", similarity="none").records([row]))


def test_10_one_word_is_not_spoilt_alike_in_every_row_and_the_callers_random_state_stays() -> None:
    random.seed(7)
    before = random.getstate()
    rows = [{"id": number, "text": "молоко"} for number in range(40)]
    augmenter = Augmenter("butterfingers", constraints=(), similarity="none", probability=0.5)
    assert len({result.text for result in augmenter.records(rows)}) > 20
    assert random.getstate() == before


def test_11_every_number_of_swaps_changes_the_text() -> None:
    text = "один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать"
    moved = [sum(a != b for a, b in zip(text.split(), plain("eda_swap", text, probability=p).text.split(), strict=True))
             for p in (0.05, 0.15, 0.3, 0.6, 1.0)]  # fmt: skip
    assert moved == sorted(moved)
    assert moved[0] >= 2
    assert moved[-1] == 12


def test_12_candidates_differ_and_swap_and_delete_are_two_attacks() -> None:
    asked: list[str] = []

    def keep(references: Sequence[str], candidates: Sequence[str]) -> list[float]:
        asked.extend(candidates)
        return [1.0] * len(references)

    Augmenter("eda_swap", constraints=(), similarity=keep, candidates=10)(MOLOKO * 3)
    assert len(set(asked)) == 10
    assert {"eda_swap", "eda_delete"} <= set(ATTACKS)


def test_14_the_order_of_the_output_does_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps({"text": MOLOKO}) + "\n", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "augment_ru",
        "perturb",
        str(source),
        "--attack",
        "eda_swap",
        "--attack",
        "emojify",
    ]
    outputs = {
        subprocess.run(command, capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


def test_15_pairs_are_scored_together_and_the_gate_can_be_off() -> None:
    calls: list[int] = []

    def count(references: Sequence[str], candidates: Sequence[str]) -> list[float]:
        assert len(references) == len(candidates)
        calls.append(len(candidates))
        return [1.0] * len(candidates)

    Augmenter("case", constraints=(), similarity=count).texts([f"{MOLOKO} {n}" for n in range(100)])
    assert calls == [300]
    assert plain("case", MOLOKO).settings.scorer == "none"


def test_16_the_most_similar_passes_not_the_first_in_the_alphabet() -> None:
    scores = iter([0.81, 0.99, 0.85])
    result = Augmenter("case", constraints=(), similarity=lambda _, texts: [next(scores) for _ in texts])(MOLOKO)
    assert (result.candidate, result.similarity) == (1, 0.99)


def test_17_18_what_failed_the_gate_is_marked_and_has_no_score() -> None:
    text = "Первый абзац о кошке.\n\nВторой абзац о собаке."
    result = Augmenter("case", constraints=(), similarity=lambda _, texts: [0.1] * len(texts))(text)
    assert (result.status, result.similarity, result.text) == ("rejected", None, text)


@pytest.mark.parametrize("name", BY_WORD)
def test_19_probability_zero_is_zero_and_strength_falls_over_the_rounds(name: str) -> None:
    assert plain(name, MOLOKO, probability=0.0).status == "unchanged"
    asked: list[str] = []

    def never(_: Sequence[str], candidates: Sequence[str]) -> list[float]:
        asked.extend(candidates)
        return [0.0] * len(candidates)

    long = MOLOKO * 10
    Augmenter(name, constraints=(), similarity=never, candidates=1, probability=0.9)(long)
    kept = [SequenceMatcher(None, long.split(), text.split(), autojunk=False).ratio() for text in asked]
    assert len(asked) > 2
    assert kept[-1] > kept[0]


@pytest.mark.parametrize("name", BY_WORD)
def test_20_spaces_and_quotes_stay_where_they_were(name: str) -> None:
    text = "Вторая,  строка: «да»\t—\u00a0нет…\n\n  Конец ."
    result = plain(name, text, probability=1.0)
    rest = iter(result.text)
    if name != "eda_delete":  # which takes a space along with a word
        assert all(sign in rest for sign in (char for char in text if not char.isalnum()))
    assert result.text.count("\n") == 2


def test_21_case_deletes_nothing() -> None:
    assert plain("case", "12 345! Дом №7", probability=1.0).text == "12 345! дОМ №7"


def test_22_every_key_has_neighbours_but_itself_and_letters_alone() -> None:
    keys = {key for key, _, _ in rows(dictionary_path("keyboard_ru"), columns=3)}
    assert keys == set("абвгдеёжзийклмнопрстуфхцчшщъыьэюя")
    for letter in keys:
        slipped = {plain("butterfingers", letter * 50, probability=1.0, seed=seed).text for seed in range(3)}
        assert not any(letter in text or set(text) - keys for text in slipped)


def test_23_words_are_protected_by_their_place_in_the_text() -> None:
    text = " \n Пушкин  писал,  а Пушкин гулял."
    result = Augmenter("eda_delete", probability=1.0, similarity="none")(text)
    assert result.text.count("Пушкин") == 2


def test_25_offsets_are_mapped_not_searched_and_the_source_rows_stay() -> None:
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


def test_27_any_number_of_options() -> None:
    for letters in ("AB", "ABC", "ABCDE"):
        question = "Что это? " + " ".join(f"({letter}) что-то другое" for letter in letters)
        row = {"ID": "1", "question": question, "answer": "A"}
        (result,) = Augmenter("eda_swap", constraints=(), similarity="none", probability=1.0).records([row])
        assert [result.text.count(f"({letter})") for letter in letters] == [1] * len(letters)


def test_29_importing_loads_nothing_heavy() -> None:
    code = "import augment_ru, sys; print({'numpy', 'spacy', 'natasha', 'torch', 'transformers'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"set()\n"


def test_30_every_row_names_its_source() -> None:
    (result,) = Augmenter("case", constraints=(), similarity="none").records([{"id": 5, "text": MOLOKO}])
    metadata = result.row()["augment"]
    assert metadata["source"] == {"text": MOLOKO}
    assert {"attack", "seed", "scorer", "threshold", "edits", "protected", "candidate"} <= metadata.keys()
    assert make("case").name == metadata["attack"]
