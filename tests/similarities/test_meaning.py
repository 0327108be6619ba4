"""The similarity meaning: laws of its scores, what it reads off the edits, and golden cases."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import Augmenter, AugmentError, Edit, Script
from augment_ru.edits import Note
from augment_ru.engine.attack import make
from augment_ru.engine.similarity import Candidates
from augment_ru.resources import dictionary_path
from augment_ru.similarities.meaning import Meaning, weights_of
from augment_ru.similarities.meaning.features import features_of
from augment_ru.similarities.meaning.matching import edit_distance, fates_of, guessed_fates
from augment_ru.similarities.meaning.words import Fates, Source
from commands import run_script
from profiles import examples
from strategies import OFFLINE, scripts, texts

LAWS = settings(max_examples=examples(60))
meaning = Meaning()
GRADED = Path(__file__).resolve().parents[2] / "benchmarks" / "graded"


def score(source: str, text: str) -> float:
    """The score of two bare texts."""
    return float(meaning([source], [text])[0])


def of_script(script: Script) -> float:
    """The score of a script."""
    return float(meaning.against([script.source]).score(np.zeros(1, dtype=np.int64), Candidates([script]))[0])


def written(source: str, *edits: tuple[str, str]) -> Script:
    """The script that replaces words of a source, each once."""
    return Script(source, [Edit(source.index(old), source.index(old) + len(old), new) for old, new in edits])


def features(source: str, text: str) -> dict[str, float]:
    """The features of two bare texts."""
    read = Source(source)
    return features_of(guessed_fates(read, text))


@LAWS
@given(texts(), texts())
def test_scores_of_bare_texts_lie_in_the_unit_interval(one: str, other: str) -> None:
    assert 0 <= score(one, other) <= 1
    assert score(one, one) == 1


@LAWS
@given(scripts())
def test_scores_of_scripts_lie_in_the_unit_interval(script: Script) -> None:
    assert 0 <= of_script(script) <= 1


@LAWS
@given(st.sampled_from(OFFLINE), texts(), st.integers(0, 3))
def test_scores_of_perturbations_lie_in_the_unit_interval(name: str, text: str, seed: int) -> None:
    result = Augmenter(make(name), similarity="none", constraints=(), probability=1.0, seed=seed)(text)
    assert 0 <= of_script(result.script) <= 1


@LAWS
@given(st.lists(st.tuples(texts(), texts()), min_size=1, max_size=4))
def test_scores_do_not_depend_on_the_other_pairs(pairs: list[tuple[str, str]]) -> None:
    together = meaning([one for one, _ in pairs], [other for _, other in pairs])
    assert together.tolist() == [score(one, other) for one, other in pairs]


SENTENCE = "Вчера старая кошка соседа тихо спала на тёплом окне, а дети не шумели и рисовали дождь."


@pytest.mark.parametrize(("one", "two"), list(itertools.combinations([0, 6, 13, 20, 26, 35, 44, 60, 76], 2)))
def test_a_further_loss_never_raises_the_score(one: int, two: int) -> None:
    def lost(*starts: int) -> float:
        stops = [SENTENCE.index(" ", start) if " " in SENTENCE[start:] else len(SENTENCE) - 1 for start in starts]
        edits = [Edit(start, stop, "") for start, stop in zip(starts, stops, strict=True)]
        return of_script(Script(SENTENCE, edits))

    assert lost(one, two) <= min(lost(one), lost(two))


PASS = (
    ("Кошка спит на окне.", "Кошка спит на окне!"),
    ("По словам соседей, этот дом был построен ещё до войны.", "По словам соседей, этот дом построен ещё до войны."),
    (
        "На выходных дети очень громко смеялись во дворе нашего большого дома и играли в мяч.",
        "На выходных дети громко смеялись во дворе нашего большого дома и играли в мяч.",
    ),
    ("Поезд прибывает в полночь.", "Поезд прибываит в полночь."),
    ("Вечером кошка тихо спала на окне.", "Вечером тихо кошка спала на окне."),
    ("Губернатор подписал указ о выходном дне.", "Указ о выходном дне подписал губернатор."),
)
FAIL = (
    ("Шампанское не было в холодильнике.", "Шампанское было в холодильнике."),
    ("Собаки допускаются в вагон.", "Собаки не допускаются в вагон."),
    ("Мать разбудила сына на рассвете.", "Сын разбудил мать на рассвете."),
    ("Северный склон горы круче южного.", "Северный склон горы положе южного."),
    ("Институтом руководит жена декана.", "Институтом руководит декана."),
    ("Кошка спит на окне.", "Кгшфа спжз на окше."),
    ("Кошка спит на окне.", "Завод выпустил новый трактор."),
)


@pytest.mark.parametrize(("source", "text"), PASS)
def test_golden_cases_that_mean_the_same(source: str, text: str) -> None:
    assert score(source, text) >= meaning.threshold


@pytest.mark.parametrize(("source", "text"), FAIL)
def test_golden_cases_that_mean_something_else(source: str, text: str) -> None:
    assert score(source, text) < meaning.threshold


@pytest.mark.parametrize(
    ("source", "text", "feature"),
    [
        ("Он живёт у вокзала.", "Он живёт у.", "orphan_preposition"),
        ("Ты где сейчас живёшь?", "Ты сейчас живёшь?", "lost_question"),
        ("Автобус ходит через день.", "Автобус ходит день.", "lost_preposition"),
        ("Он не пришёл домой.", "Он пришёл домой.", "negation_changed"),
        ("У осьминога восемь рук.", "У осьминога шесть рук.", "numbers_exchanged"),
        ("Цена стала выше.", "Цена стала ниже.", "opposite"),
        ("Учитель простил ученика.", "Ученик простил учителя.", "exchanged_roles"),
        ("Он видел кота.", "Он видел кода.", "other_thing"),
    ],
)
def test_features_are_found(source: str, text: str, feature: str) -> None:
    assert features(source, text)[feature] > 0


def test_never_and_nobody_only_repeat_a_negation() -> None:
    assert "negation_changed" not in features("Он никогда не спал.", "Он не спал.")
    assert "negation_changed" in features("Он никогда не спал.", "Он никогда спал.")


def test_a_misspelt_word_is_told_from_another_word() -> None:
    typo = features_of(fates_of(Source("кот спит"), [(1, 2, "й", "й")]))
    other = features_of(fates_of(Source("кот спит"), [(1, 2, "и", "и")]))
    assert "became_word" not in typo
    assert "became_word" in other


def test_a_sign_is_read_as_its_word_and_costs_little() -> None:
    source = "Кошка спит на окне."
    read = Script(source, [Edit(0, 5, "🐈", Note("Кошка"))])
    unread = Script(source, [Edit(0, 5, "🐈")])
    assert of_script(unread) < meaning.threshold <= of_script(read) < 1


def test_what_is_added_is_judged_by_what_it_says() -> None:
    review = "Номер чистый, завтрак вкусный."
    added = {
        "other": f"{review} Дежурный сторож запер калитку и погасил фонарь.",
        "contrary": f"{review} Завтрак не вкусный, номер грязный.",
    }
    assert score(review, added["other"]) >= meaning.threshold > score(review, added["contrary"])
    assert score("Да.", "Да. Дежурный сторож запер калитку и погасил фонарь.") >= meaning.threshold


def test_a_long_text_is_judged_sentence_by_sentence() -> None:
    sentences = [f"Старый почтальон номер {number} привёз в деревню письма и газеты." for number in range(40)]
    lost = [Edit(0, 7, "")]
    alone = of_script(Script(sentences[0], lost))
    text = " ".join(sentences)
    starts = [text.index(sentence) for sentence in sentences]
    every = Script(text, [Edit(start, start + 7, "") for start in starts])
    assert of_script(every) == pytest.approx(alone)
    assert of_script(Script(text, lost)) == pytest.approx(alone)
    result = Augmenter("emojify", constraints=(), probability=1.0)(text)
    assert result.status != "rejected"


def test_lost_words_count_beside_a_replaced_one() -> None:
    text = "Утром старый почтальон привёз с вокзала письма в нашу деревню."
    lost = [Edit(13, 23, ""), Edit(41, 48, "")]
    replaced = Edit(text.index(" с ") + 1, text.index(" с ") + 2, "в")
    assert of_script(Script(text, [*lost, replaced])) <= of_script(Script(text, lost))


def test_every_feature_of_the_graded_pairs_is_in_the_dictionary_and_no_weight_is_above_0() -> None:
    weights = weights_of("meaning").values
    assert all(weight <= 0 for name, weight in weights.items() if name != "constant")
    for source, text in (*PASS, *FAIL):
        assert features(source, text).keys() <= weights.keys()


@pytest.mark.skipif(not GRADED.exists(), reason="needs the repository")
def test_the_weights_are_those_that_the_graded_pairs_give() -> None:
    pytest.importorskip("scipy")
    root = GRADED.parents[1]
    done = run_script(root / "scripts" / "fit_meaning.py", "--check", cwd=root)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.skipif(not GRADED.exists(), reason="needs the repository")
def test_held_out_texts_were_not_fitted() -> None:
    fitted, held = (
        {json.loads(line)["text"] for line in (GRADED / name).read_text(encoding="utf-8").splitlines()}
        for name in ("fitted.jsonl", "held_out.jsonl")
    )
    assert not fitted & held


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("constant\tx\tno number\n", "constant: weight x; needs a number over"),
        ("constant\t2\tthe sum\nlost_share\t0.5\ta gain\n", "lost_share: weight 0.5"),
        ("lost_share\t-1\ta loss\n", "no line for added_denial"),
        ("lost_shar\t-1\ta loss\n", "did you mean 'lost_share'"),
        ("lost_share\t-1\ta\nlost_share\t-2\tb\n", "lost_share: stands twice"),
        ("constant\tnan\tthe sum\n", "constant: weight nan"),
    ],
)
def test_wrong_weights_are_refused(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "own.tsv"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(AugmentError, match=message):
        Meaning(weights=str(path))


def test_weights_of_ones_own_change_the_signature(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    lines = dictionary_path("meaning").read_text(encoding="utf-8").splitlines()
    names = [line.split("\t")[0] for line in lines if not line.startswith("#")]
    path.write_text("".join(f"{name}\t0\tnothing counts\n" for name in names), encoding="utf-8")
    assert Meaning(weights=str(path)).signature != meaning.signature
    assert float(Meaning(weights=str(path))(["кот"], ["кит"])[0]) == 0.5


@given(st.text("абв", max_size=6), st.text("абв", max_size=6))
def test_the_distance_of_words_is_a_metric(one: str, other: str) -> None:
    assert edit_distance(one, other) == edit_distance(other, one)
    assert (edit_distance(one, other) == 0) == (one == other)
    assert abs(len(one) - len(other)) <= edit_distance(one, other) <= max(len(one), len(other))


def test_the_grades_of_scores_are_shares_that_rise_with_the_score() -> None:
    """Shares of the grades same, partly lost, destroyed, reversed; of several scores their mean."""
    scores = np.array([0.1, 0.75, 0.95])
    each = [grades for at in range(3) if (grades := Meaning().grades(scores[at : at + 1])) is not None]
    assert [grades.shape for grades in each] == [(4,)] * 3
    assert np.sum(each, axis=1) == pytest.approx(1.0, abs=0.002)
    same, *_, destroyed, _ = np.transpose(each)
    assert list(same) == sorted(same)
    assert list(destroyed) == sorted(destroyed, reverse=True)
    assert Meaning().grades(scores) == pytest.approx(np.mean(each, axis=0))
    assert Meaning().grades(np.zeros(0)) is None


@pytest.mark.parametrize(
    ("edit", "damaged", "lost"),
    [
        ((3, 3, "ы", "ы"), [(0, "коты", 1)], []),
        ((4, 4, "у", "у"), [(1, "успит", 1)], []),
        ((2, 3, "ты", "ты"), [(0, "коты", 2)], []),
        ((3, 4, "о", "о"), [(1, "котоспит", 4)], [0]),  # a letter between two words makes one of them
        ((3, 4, "", ""), [(0, "кот", 0), (1, "спит", 0)], []),  # words that only grow together are read
    ],
)
def test_letters_that_touch_a_word_are_part_of_it(
    edit: tuple[int, int, str, str], damaged: list[tuple[int, str, int]], lost: list[int]
) -> None:
    fates = fates_of(Source("кот спит"), [edit])
    assert (fates.damaged, fates.lost) == (damaged, lost)


def test_the_fates_of_words_that_are_gone_or_change_places() -> None:
    source = Source("Кошка спит в доме")
    assert fates_of(source, [(6, 11, "", "")]) == Fates(source, lost=[1])
    assert fates_of(source, [(0, 5, "в доме", "в доме"), (11, 17, "кошка", "кошка")]) == Fates(
        source, moved=[2, 3, 0], order=[2, 3, 1, 0]
    )
    assert fates_of(source, [(0, 5, "спит", "спит"), (6, 10, "пёс", "пёс")]) == Fates(
        source, lost=[0], moved=[1], inserted=[(1, "пес")], order=[1, 2, 3]
    )
