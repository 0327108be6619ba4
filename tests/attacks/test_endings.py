"""Golden cases of the attacks that inflect: agreement, diminutives, synonyms."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Augmenter, AugmentError
from augment_ru.attacks.agreement import aspect_pairs
from augment_ru.engine.attack import make
from augment_ru.language.inflection import known_forms
from augment_ru.language.morphology import is_known, readings
from augment_ru.resources import dictionary_path, rows, senses
from outcomes import drawn
from strategies import texts


def changed(name: str, text: str, **options: object) -> str:
    """The text with all changes of an attack, without constraints and gate."""
    return Augmenter(make(name, options), constraints=(), similarity="none", probability=1.0)(text).text


def outcomes(name: str, text: str, **options: object) -> set[str]:
    """The texts that many draws give."""
    free = Augmenter(make(name, options), constraints=(), similarity="none", probability=1.0)
    return {result.text for result in drawn(free, text, 12)}


# agreement


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("adjective", "Я купил новую книгу.", {"новый", "новое", "новая"}),
        ("adjective", "Мы живём в новой квартире.", {"новом", "новая"}),
        ("adjective", "На столе лежат новые книги.", {"новый", "новая"}),
        ("adjective", "Написанная им книга вышла.", {"Написанный", "Написанное", "Написанные"}),
        ("adjective", "Раненый Вучкович командовал.", {"Раненый"}),  # it may be her name
        ("case", "Он пьёт чай без сахара.", {"сахар", "сахаром", "сахаре"}),
        ("case", "Она купила пять столов.", {"стол", "стола", "столы"}),
        ("case", "Он читает книгу.", {"книга"}),
        ("case", "Прочитал книгу.", {"книгу"}),  # «прочитал книга» might be read with a subject
        ("verb", "Она пришла домой.", {"пришёл", "пришло", "пришли"}),
        ("verb", "Дети бегут домой.", {"бежит"}),
        ("verb", "Где ты был, спросила мать.", {"спросила"}),  # «спросил мать» is right, too
        ("verb", "Врач пришёл домой.", {"пришло", "пришли"}),  # «врач пришла» is right
        ("verb", "Большинство пришло домой.", {"пришло"}),  # either number is right
        ("aspect", "Он начал читать.", {"прочитать"}),
        ("aspect", "Завтра мы будем писать.", {"написать"}),
        ("aspect", "Я успел сделать уроки.", {"делать"}),
        ("aspect", "Вчера он прочитал книгу.", {"прочитал"}),  # «читал» is right, too
    ],
)
def test_agreement(name: str, text: str, wrong: set[str]) -> None:
    found = outcomes("agreement", text, classes=(name,))
    words = {
        new
        for one in found
        for new, old in zip(one.strip(".").split(), text.strip(".").split(), strict=True)
        if new != old or old in wrong
    }
    assert words
    assert words <= wrong


@given(texts(), st.integers(0, 3))
def test_a_wrong_form_is_a_form_of_the_same_word(text: str, seed: int) -> None:
    attack = make("agreement", {"classes": ("adjective", "case", "verb")})
    result = Augmenter(attack, constraints=(), similarity="none", probability=1.0, seed=seed)(text)
    for edit in result.script.edits:
        old, new = text[edit.start : edit.stop].lower().replace("\u0301", ""), edit.text.lower()
        assert {one.lemma for one in known_forms(old)} & {one.lemma for one in known_forms(new)}
        assert is_known(new)
        assert edit.read == text[edit.start : edit.stop]
        assert edit.note is not None
        assert edit.note.kind in ("adjective", "case", "verb")


def test_texts_whose_label_is_their_grammar_stay() -> None:
    row = {"id": 1, "text": "Она пришла домой.", "acceptable": 1}
    statuses = [
        next(Augmenter(make("agreement", options), similarity="none", probability=1.0).records([one])).status
        for one, options in ((row, {}), (row, {"guards": ()}), ({"id": 1, "text": row["text"]}, {}))
    ]
    assert statuses == ["unchanged", "perturbed", "perturbed"]


def test_a_class_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(AugmentError, match="no class of agreement called 'cases'"):
        make("agreement", {"classes": ("cases",)})
    with pytest.raises(AugmentError, match="classes: none"):
        make("agreement", {"classes": ()})


def test_every_pair_of_aspects_has_both() -> None:
    for one, others in aspect_pairs("aspect_pairs").items():
        for other in others:
            found = {
                aspect
                for lemma in (one, other)
                for reading in known_forms(lemma)
                if reading.lemma == lemma and "INFN" in reading.word
                for aspect in reading.word & {"perf", "impf"}
            }
            assert found == {"perf", "impf"}, (one, other)


# diminutives


@pytest.mark.parametrize(
    ("text", "diminutive"),
    [
        ("Кошка спит на диване.", "Кошечка спит на диванчике."),
        ("Мы попили кофе и съели суп.", "Мы попили кофеёк и съели супчик."),
        ("Съели два салата и огромный торт.", "Съели два салата и огромный торт."),
        ("Он сказал: «Кошка спит», и налил чай.", "Он сказал: «Кошка спит», и налил чаёк."),
        ("Сделали новое фото.", "Сделали новую фоточку."),
        ("Живём в уютном доме.", "Живём в уютном домике."),
        ("КОШКА СПИТ", "КОШЕЧКА СПИТ"),
        ("Ее кошка пьет кофе с мёдом.", "Ее кошечка пьет кофеёк с медком."),
        ("Ее кошка пьет чай.", "Ее кошечка пьет чаек."),  # the text writes е for ё
        ("Он купил стиральную машину.", "Он купил стиральную машину."),
        ("Сегодня день рождения.", "Сегодня день рождения."),
        ("Кошка спит, а кошка соседа — нет.", "Кошка спит, а кошка соседа — нет."),  # all mentions or none
        ("Подожди минуту, три минуты кипит.", "Подожди минуту, три минуты кипит."),
        ("Дом стоит у дороги, буду через час.", "Дом стоит у дороги, буду через часик."),
        ("Купил на рынке труда.", "Купил на рынке труда."),
        ("Не купил ни рыбы, ни хлеба.", "Не купил ни рыбы, ни хлеба."),
    ],
)
def test_diminutives(text: str, diminutive: str) -> None:
    assert changed("diminutives", text, styles="any") == diminutive


def test_diminutives_stand_only_in_texts_of_a_chat() -> None:
    assert changed("diminutives", "Спасибо, суп был очень вкусный!") == "Спасибо, супчик был очень вкусный!"
    report = "Суд установил, что ответчик продал суп и чай без договора."
    complaint = "Ужасный сервис, я больше не приду! Кофе принесли через час."
    book = "— Пойдём домой, — сказал Андрей Матвею. — Собака спит, чай готов."
    assert [changed("diminutives", text) for text in (report, complaint, book)] == [report, complaint, book]


def test_diminutives_are_nouns_of_the_same_animacy() -> None:
    known = senses("diminutives")
    assert len(known) >= 150
    for (lemma, pos), ((diminutives, *_),) in known.items():
        (diminutive,) = diminutives
        old = [one for one in known_forms(lemma) if one.kind == "NOUN" and one.lemma == lemma]
        new = [one for one in known_forms(diminutive) if one.kind == "NOUN" and one.lemma == diminutive]
        assert (pos, bool(old), bool(new)) == ("NOUN", True, True), lemma
        assert {one.animacy for one in old} & {one.animacy for one in new}, lemma


# synonyms

WORDS = """машина	NOUN	автомобиль	швейный машина	-
кошка	NOUN	кот	-	-
дорога	NOUN	путь	-	-
дом	NOUN	здание, изба	-	-
врач	NOUN	доктор	-	-
стол	NOUN	парта	-	-
озеро	NOUN	водоём	-	-
окно	NOUN	форточка	-	-
мир	NOUN	согласие	-	в мире и
мир	NOUN	свет	мир/война и	-
большой	ADJ	огромный, крупный	-	-
пойти	VERB	направиться	-	-
быстро	ADV	скоро	-	-
именно	PART	как раз	-	-
ранний	ADV	прежде	-	раньше
"""


@pytest.fixture
def words(tmp_path: Path) -> str:
    path = tmp_path / "synonyms.tsv"
    path.write_text(WORDS, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("text", "synonym"),
    [
        ("Моя новая машина стояла у реки и была вымыта.", "Мой новый автомобиль стоял у реки и был вымыт."),
        ("Ехали на новой машине.", "Ехали на новом автомобиле."),
        ("Увидел свою старую машину.", "Увидел свой старый автомобиль."),
        ("Новые машины стояли рядом.", "Новые автомобили стояли рядом."),
        ("Это была старая дорога.", "Это был старый путь."),
        ("Мы говорили о враче.", "Мы говорили о докторе."),
        ("Мы говорили об озере.", "Мы говорили о водоёме."),
        ("Он подошёл с врачом.", "Он подошёл с доктором."),
        ("МАШИНА стоит.", "АВТОМОБИЛЬ стоит."),
        ("Машина, которая стояла тут, уехала.", "Машина, которая стояла тут, уехала."),
        ("Машина сломалась, и она стоит.", "Машина сломалась, и она стоит."),
        ("Две машины сломались.", "Две машины сломались."),
        ("Одна из машин сломалась.", "Одна из машин сломалась."),
        ("Пять машин сломались.", "Пять автомобилей сломались."),
        ("Швейная машина и автомобиль.", "Швейная машина и автомобиль."),
        ("Машина лучше, чем автомобиль.", "Машина лучше, чем автомобиль."),  # it stands there already
        ("Она пошла домой, и очень быстро.", "Она направилась домой, и очень скоро."),
        ("Они жили в мире и любви.", "Они жили в согласии и любви."),
        ("Он объехал весь мир.", "Он объехал весь свет."),
        ("Только машина не сломалась.", "Только автомобиль не сломался."),  # no guard: a synonym loses nothing
        ("Он приехал раньше.", "Он приехал прежде."),
        ("Именно он и приехал.", "Как раз он и приехал."),
        ("Что значит слово машина?", "Что значит слово машина?"),  # a question about words
        ("Подбери синоним: «новая машина».", "Подбери синоним: «новая машина»."),
        ("Он дал слово, что машина уедет.", "Он дал слово, что автомобиль уедет."),
    ],
)
def test_synonyms(text: str, synonym: str, words: str) -> None:
    assert changed("synonyms", text, words=words) == synonym


def test_a_change_of_gender_is_one_change(words: str) -> None:
    attack = make("synonyms", {"words": words})
    result = Augmenter(attack, constraints=(), similarity="none", probability=1e-9)("Моя новая машина стояла у реки.")
    assert result.text == "Мой новый автомобиль стоял у реки."
    assert result.script.read == "Моя новая машина стояла у реки."


_PARTS = {
    "NOUN": {"NOUN"}, "ADJ": {"ADJF", "ADJS", "COMP"}, "VERB": {"VERB", "INFN", "PRTF", "PRTS", "GRND"},
    "ADV": {"ADVB", "COMP", "PRED"}, "ADP": {"PREP"}, "SCONJ": {"CONJ"}, "CCONJ": {"CONJ"}, "PART": {"PRCL"},
}  # fmt: skip


def _is_lemma(word: str, pos: str) -> bool:
    return is_known(word) and any(one.lemma == word and one.pos in _PARTS[pos] for one in readings(word))


def test_the_dictionary_of_synonyms_is_well_formed() -> None:
    known = senses("synonyms")
    assert len({lemma for lemma, _ in known}) >= 3000
    for (lemma, pos), found in known.items():
        bare = pos not in {"NOUN", "VERB", "ADJ", "DET"}  # written as it stands: «в первый раз»
        part = "ADJ" if pos == "DET" else pos
        assert is_known(lemma) if bare else _is_lemma(lemma, part), (lemma, pos)
        for sense in found:
            assert len(set(sense.synonyms)) == len(sense.synonyms)
            assert lemma not in sense.synonyms
            for one in sense.synonyms:
                assert all(map(is_known, one.split())) if bare else _is_lemma(one, part), (lemma, one)


def test_the_header_of_the_dictionary_of_synonyms_counts_it() -> None:
    path = dictionary_path("synonyms")
    lines = list(rows(path, columns=5))
    header = path.read_text(encoding="utf-8").partition("\nа")[0]
    assert f"Lines: {len(lines)}. Distinct lemmas: {len({lemma for lemma, *_ in lines})}." in header
    assert f"Synonyms: {sum(len(line[2].split(', ')) for line in lines)}." in header


def test_a_line_that_is_wrong_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("дом\tNOUN\tздание\n", encoding="utf-8")
    with pytest.raises(AugmentError, match=r"mine\.tsv: line 1: 3 columns, not 5"):
        make("synonyms", {"words": str(path)})
