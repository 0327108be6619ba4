"""The similarity navec: properties of its scores, and that its threshold separates light noise from broken texts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import Augmenter, AugmentError
from augment_ru.edits import Edit, Note
from augment_ru.engine.attack import make
from augment_ru.engine.similarity import Candidates, similarity_of
from augment_ru.script import Script
from augment_ru.similarities.navec import Navec, NavecScorer
from profiles import IS_FULL, examples
from strategies import texts

SENTENCES = (
    "Кошка тихо спит на подоконнике, а во дворе громко лает соседская собака.",
    "В прошлом году завод выпустил в полтора раза больше тракторов, чем планировал.",
    "Мы заказали пиццу и салат, но курьер перепутал адрес и приехал через два часа.",
    "Учёные обнаружили, что пчёлы умеют считать до четырёх и запоминать лица людей.",
    "Я впервые прочитал этот роман в школе, а понял его только через двадцать лет.",
    "Если завтра пойдёт дождь, занятия перенесут из парка в спортивный зал.",
)
PAPER: dict[str, dict[str, object]] = {
    "eda_delete": {"guards": (), "joins": (), "weighs": ""},
    "eda_swap": {"scope": "anywhere"},
}
similarity = Navec()


def score(one: str, other: str) -> float:
    """The similarity of two texts."""
    return float(similarity([one], [other])[0])


@settings(max_examples=examples(50))
@given(texts(), texts())
def test_scores_lie_in_the_unit_interval_and_are_symmetric(one: str, other: str) -> None:
    assert 0.0 <= score(one, other) <= 1.0
    assert score(one, one) == 1.0
    assert score(one, other) == pytest.approx(score(other, one), abs=1e-6)


@settings(max_examples=examples(30))
@given(st.lists(st.tuples(texts(), texts()), min_size=1, max_size=5))
def test_a_score_does_not_depend_on_the_other_pairs(pairs: list[tuple[str, str]]) -> None:
    together = similarity([one for one, _ in pairs], [other for _, other in pairs])
    assert together.tolist() == [score(one, other) for one, other in pairs]


def test_a_typo_stays_near_its_word_and_another_word_does_not() -> None:
    assert score("кошка", "кошеа") > 0.6
    assert score("кошка", "кошеа") > score("кошка", "подшипник") + 0.3
    assert score("кошка", "кот") > score("кошка", "трактор") + 0.2


def test_an_edit_is_compared_as_it_is_read() -> None:
    def read(source: str, edit: Edit) -> float:
        scorer = Navec().against([source])
        return float(scorer.score(np.zeros(1, dtype=np.int64), Candidates([Script(source, [edit])]))[0])

    assert read("кошка спит", Edit(0, 5, "🐱", Note("кошка"))) == 1.0
    assert read("кошка спит", Edit(0, 5, "🚜", Note("трактор"))) == score("кошка спит", "трактор спит")
    assert score("кошка спит", "🐱 спит") < 0.9  # two bare texts: nobody says what the emoji stands for


def test_order_counts() -> None:
    assert 0.5 < score("собака укусила человека вечером", "вечером собака человека укусила") < 1.0


def test_texts_without_words() -> None:
    assert score("", "") == 1.0
    assert score("…", "…") == 1.0
    assert score("…", "?!") == 0.0
    assert score("", "кот") == 0.0


ROUNDING = 2 * 300 * 2**-24
"""How far two float32 computations of one score may lie apart: 3.6e-5.

A float32 dot product of two unit vectors of 300 dimensions is off by at most 300 units of rounding (2**-24), in
whatever order its products are added, and a score is a mean of such products. One neighbour that is lost between two
blocks of the text below changes its score by 6.7e-5.
"""


def test_long_texts_are_matched_in_blocks_with_the_same_score() -> None:
    long = " ".join(SENTENCES * (20 if IS_FULL else 10))
    other = long.replace("собака", "кошка").replace("завод", "комбинат")
    whole, *in_blocks = (
        NavecScorer(similarity.context, [long], block).score(np.zeros(1, dtype=np.int64), [other])
        for block in (10_000, 7, 100)
    )
    assert 0.9 < whole[0] < 1.0
    for scores in in_blocks:
        assert scores == pytest.approx(whole, abs=ROUNDING)


def test_a_very_long_text_takes_time_by_its_length() -> None:
    """50,000 words, matched whole, would take a matrix of 10 GB; 6,250 take 0.2."""
    long = " ".join(SENTENCES * (800 if IS_FULL else 100))
    assert 0.9 < score(long, long.replace("собака", "кошка")) < 1.0


@pytest.mark.parametrize(
    ("attack", "light", "heavy"),
    [("butterfingers", 0.05, 0.6), ("eda_delete", 0.1, 0.8), ("eda_swap", 0.1, 1.0)],
)
def test_the_threshold_passes_light_noise_and_rejects_broken_texts(attack: str, light: float, heavy: float) -> None:
    """The threshold was chosen on other texts (docs/similarity.md)."""
    scores = {}
    for probability in (light, heavy):
        sources = [sentence for sentence in SENTENCES for _ in range(5)]
        paper = make(attack, PAPER.get(attack))
        perturbed = [
            Augmenter(paper, constraints=(), similarity="none", probability=probability, seed=seed)(text).text
            for seed, text in enumerate(sources)
        ]
        scores[probability] = similarity(sources, perturbed)
    assert np.mean(scores[light] >= similarity.threshold) >= 0.95
    assert np.mean(scores[heavy] < similarity.threshold) >= 0.9


def test_unrelated_sentences_are_far_below_the_threshold() -> None:
    pairs = [(one, other) for one in SENTENCES for other in SENTENCES if one != other]
    assert max(score(*pair) for pair in pairs) < similarity.threshold - 0.2


def test_what_stands_after_the_colon_is_an_argument() -> None:
    strict = similarity_of("meaning:strict")
    assert strict is not None
    assert strict.threshold > similarity.threshold
    with pytest.raises(AugmentError, match="similarity meaning:: nothing after the colon"):
        similarity_of("meaning:")


def test_the_signature_names_all_that_defines_the_number() -> None:
    assert Navec(context=0.3).signature != similarity.signature
    assert "navec" in similarity.signature
