"""Metrics: the numbers of scikit-learn where it has them, of the reference formula where it has not."""

import re
import unicodedata
import warnings
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

from augment_ru.errors import AugmentError
from augment_ru.evaluation.answer_scores import best_token_f1, macro_f1, normalised, token_f1
from augment_ru.evaluation.answers import (
    METRICS,
    accuracy,
    exact_match,
    f1,
    golds_of,
    is_right,
    metrics_of,
    muserc_em,
    muserc_f1a,
)
from augment_ru.records.record import Record, contexts_of
from augment_ru.records.task import task

LABELS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1, max_size=30)
WORDS = st.lists(st.sampled_from(["дом", "кот", "лес", "мир"]), max_size=6)


@given(LABELS)
def test_label_metrics_are_those_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    golds, predictions = [list(side) for side in zip(*pairs, strict=True)]
    assert accuracy(golds, predictions) == accuracy_score(golds, predictions)
    assert macro_f1(zip(golds, predictions, strict=True)) == f1_score(
        golds, predictions, average="macro", zero_division=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a single class
        found = METRICS["mcc"].score(golds, predictions)
        assert found == pytest.approx(matthews_corrcoef(golds, predictions), rel=1e-12, abs=0)


@given(WORDS, WORDS)
def test_token_f1_is_the_reference_formula(gold: list[str], predictions: list[str]) -> None:
    same = sum((Counter(gold) & Counter(predictions)).values())
    if not gold or not predictions:
        expected = float(gold == predictions)
    elif same == 0:
        expected = 0.0
    else:
        precision, recall = same / len(predictions), same / len(gold)
        expected = 2 * precision * recall / (precision + recall)
    assert token_f1(" ".join(gold), " ".join(predictions)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("«Ёлка»", "елка"),
        ("Й", "й"),
        ("И\u0306", "й"),  # и with a breve is й, not и
        ("за\u0301мок — замо\u0301к", "замок замок"),
        ("1941—1945 гг.", "19411945 гг"),
        ("  В \n Казани ,\tда!  ", "в казани да"),
        ("№ 5 + 2 €", "№ 5 + 2 €"),  # signs are no punctuation
        ("C++ | $5", "c++ | $5"),
        ("e\u0301", "é"),  # a letter of another language keeps its accent, composed or not
        ("е\u0301\u0308", "е"),  # a stress mark between е and its dots
        ("...", ""),
    ],
)
def test_answers_are_normalised_as_squad_does_for_russian(text: str, expected: str) -> None:
    assert normalised(text) == expected


@given(st.text(max_size=40))
def test_texts_of_one_canonical_form_have_one_normal_form(text: str) -> None:
    forms = {normalised(unicodedata.normalize(form, text)) for form in ("NFC", "NFD")}
    assert len(forms) == 1


@given(st.text(max_size=40))
def test_normalisation_is_done_once(text: str) -> None:
    assert normalised(normalised(text)) == normalised(text)


def test_the_nearest_of_several_right_answers_counts() -> None:
    golds = [("Антон Чехов", "Чехов"), ("Москва",)]
    assert exact_match(golds, ["чехов.", "в Москве"]) == 0.5
    assert f1(golds, ["А. П. Чехов", "город Москва"]) == pytest.approx((2 * 1 / (3 + 1) + 2 * 1 / (2 + 1)) / 2)


def test_muserc_pools_options_for_f1a_and_judges_questions_whole_for_em() -> None:
    golds = [(("1", "0"), ("0", "1", "1")), (("1",),)]
    predictions = [("1", "0", "1", "1", "1"), ("0",)]
    flat = [1, 0, 0, 1, 1, 1]
    assert muserc_f1a(golds, predictions) == f1_score(flat, [1, 0, 1, 1, 1, 0])
    assert muserc_em(golds, predictions) == pytest.approx(1 / 3)
    assert not is_right("lists", golds[0], predictions[0])
    assert is_right("lists", golds[1], ("1",))


def test_an_option_without_a_judgement_is_not_chosen() -> None:
    assert muserc_f1a([(("1", "1"),)], [("1",)]) == pytest.approx(2 / 3)
    assert muserc_em([(("1", "1"),)], [("1",)]) == 0.0


def test_metrics_of_different_kinds_do_not_mix() -> None:
    assert list(metrics_of(("accuracy", "mcc"))) == ["accuracy", "mcc"]
    with pytest.raises(AugmentError, match="different kinds"):
        metrics_of(("accuracy", "f1"))
    with pytest.raises(AugmentError, match=re.escape("did you mean 'macro_f1'")):
        metrics_of(("macrof1",))


def test_every_metric_of_every_task_is_known() -> None:
    from augment_ru import registry  # noqa: PLC0415
    from augment_ru.records.task import task  # noqa: PLC0415

    for name in registry.names("tasks"):
        assert set(task(name).scoring.metrics) <= METRICS.keys(), name
        metrics_of(task(name).scoring.metrics)


@pytest.mark.parametrize(
    ("name", "outputs", "right"),
    [
        ("mera_chegeka", "Шведы; шведские стрелки;", ["шведы", "Шведские стрелки!"]),
        ("mera_multiq", "Тверь;город Тверь", ["Тверь", "город Тверь"]),
        ("mera_multiq", [{"segment": "Тверь", "offset": 0, "length": 5}], ["Тверь"]),
    ],
)
def test_answers_joined_by_semicolons_are_several_in_mera(name: str, outputs: object, right: list[str]) -> None:
    ((golds,),) = golds_of([{"outputs": outputs}], task(name), "answers")
    assert golds is not None
    assert all(is_right("answers", golds, answer) for answer in right)
    assert not is_right("answers", golds, str(outputs)) or len(right) == 1
    assert f1([list(map(str, golds))], [right[-1]]) == 1.0


def test_tape_s_answers_are_not_split() -> None:
    ((golds,),) = golds_of([{"answer": "Ходит; не ходит"}], task("chegeka"), "answers")
    assert golds == ("Ходит; не ходит",)


def test_each_of_several_answers_is_protected_and_no_distractor_holds_one() -> None:
    row = {
        "instruction": "{text}",
        "inputs": {"text": "Тверь — город на Волге.", "support_text": "Лев родился в городе.", "question": "Где?"},
        "outputs": "Тверь;город на Волге",
        "meta": {"id": 1, "bridge_answers": "городе"},
    }
    record = Record(row, task("mera_multiq"))
    assert record.view["main_answers"] == ["Тверь", "город на Волге"]
    assert contexts_of([record])[0].answers == ("Тверь", "город на Волге")


@pytest.mark.parametrize(
    ("gold", "prediction", "squad", "russian"),
    [
        ("ёлка", "елка", 0, 1),
        ("«Мир»", "Мир", 0, 1),
        ("за\u0301мок", "замок", 0, 1),
        ("кто-то", "ктото", 1, 1),
        ("C++", "C", 1, 0),
        ("$5", "5", 1, 0),
        ("The Beatles", "Beatles", 1, 0),
        ("Казань", "Казань.", 1, 1),
    ],
)
def test_mera_scores_as_squads_script_does(gold: str, prediction: str, squad: int, russian: int) -> None:
    """The values of `squad` are those of `transformers.data.metrics.squad_metrics`, with which MERA's code scores."""
    scored = metrics_of(("f1", "exact_match"), task("mera_chegeka").scoring.normal_form)
    assert list(scored) == ["f1", "exact_match", "f1_russian", "exact_match_russian"]
    found = [scored[name].score([[gold]], [prediction]) for name in ("exact_match", "exact_match_russian")]
    assert found == [squad, russian]


def test_no_right_answer_scores_nothing() -> None:
    assert best_token_f1([], "кот") == 0.0
    assert best_token_f1(["пёс", "серый кот"], "кот") == pytest.approx(2 / 3)
