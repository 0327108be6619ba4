"""Golden cases of the attacks that err as people do: spacing, casing, punctuation."""

import collections
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Augmenter, AugmentError
from augment_ru.attacks.misspell.letter_rules import LetterRule
from augment_ru.editing.error_classes import error_rates, weighted_ranks
from augment_ru.editing.separators import JOINS
from augment_ru.engine.attack import make
from augment_ru.resources import dictionary_path, rows
from outcomes import drawn
from strategies import texts


def errs(name: str, text: str, *classes: str, seed: int = 0, probability: float = 1.0) -> str:
    """The text with all errors of these classes, without constraints and gate."""
    return free(name, classes, probability, seed)(text).text


def free(name: str, classes: tuple[str, ...], probability: float = 1.0, seed: int = 0) -> Augmenter:
    """An attack with these classes, without constraints and gate."""
    attack = make(name, {"classes": classes} if classes else {})
    return Augmenter(attack, constraints=(), similarity="none", probability=probability, seed=seed)


def draws_of(name: str, text: str, *classes: str, draws: int) -> list[str]:
    """The texts with all errors of these classes in many draws: those of as many rows."""
    return [result.text for result in drawn(free(name, classes), text, draws)]


# spacing


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("ne", "Я не знаю, кто это был.", "Я незнаю, кто это был."),
        ("ne", "Ни слова не сказал.", "Нислова несказал."),
        ("ne", "Это не мой дом.", "Это не мой дом."),  # «немой» is another word
        ("ne", "Было не 5, а 6.", "Было не 5, а 6."),
        ("join_particle", "Если бы он пришёл!", "Еслибы он пришёл!"),
        ("join_particle", "Что бы ни случилось, он придёт.", "Что бы ни случилось, он придёт."),  # «чтобы»
        ("join_particle", "Знает ли он?", "Знаетли он?"),
        ("join_phrase", "Сплю, потому что устал, то есть отдыхаю.", "Сплю, потомучто устал, тоесть отдыхаю."),
        ("join_phrase", "Потому-то, что это правда.", "Потому-то, что это правда."),
        ("join_preposition", "В смысле завтра?", "Всмысле завтра?"),
        ("join_preposition", "Приехал к Анне.", "Приехал к Анне."),  # no capital inside a word
        ("split", "Поэтому я наверное останусь.", "По этому я на верное останусь."),
        ("split", "Некоторые вещи вроде неплохие.", "Не которые вещи в роде не плохие."),
        (
            "split",
            "Погода на неделю, завод, поехал, почти вокруг, с нами.",
            "Погода на неделю, завод, поехал, почти вокруг, с нами.",
        ),
        ("hyphen_dropped", "Как-то раз из-за угла…", "Както раз изза угла…"),
        ("hyphen_space", "Кто-нибудь пришёл?", "Кто нибудь пришёл?"),
        ("hyphen_space", "Т-34 и 5-й", "Т-34 и 5-й"),
        ("comma", "Пришёл, увидел, победил", "Пришёл,увидел,победил"),
        ("comma", "Счёт 2, 5 и 7, а там 8", "Счёт 2, 5 и 7,а там 8"),
    ],
)
def test_spacing(name: str, text: str, wrong: str) -> None:
    assert errs("spacing", text, name) == wrong


def test_at_most_two_words_grow_together() -> None:
    for joined in draws_of("spacing", "а он уже давно там один", "join_words", draws=20):
        assert 2 <= joined.count(" ") <= 4
        assert all(len(word) <= len("ужедавно") for word in joined.split())


@given(texts(), st.integers(0, 3))
def test_spacing_changes_spaces_and_hyphens_only(text: str, seed: int) -> None:
    def rest(one: str) -> str:
        return "".join(char for char in one if not char.isspace() and char not in "-‐‑")

    assert rest(errs("spacing", text, seed=seed, probability=0.5)) == rest(text)


def test_both_ends_of_a_hyphen_are_drawn_as_often_as_people_do_either() -> None:
    words = errs("spacing", "как-то, " * 3000, "hyphen_dropped", "hyphen_space").split(", ")
    assert words.count("както") / 3000 == pytest.approx(61 / 99, abs=0.04)


def test_people_lose_a_hyphen_more_often_than_the_space_of_two_words() -> None:
    text = "вот как-то он идёт домой, " * 3000
    wrong = errs("spacing", text, "hyphen_dropped", "join_words", probability=0.02)
    hyphens, spaces = text.count("-") - wrong.count("-"), text.count(" ") - wrong.count(" ")
    assert hyphens > 10 * spaces > 0


# casing


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("sentence", "Привет! Я дома. Анна тоже.", "привет! я дома. анна тоже."),
        ("sentence", "«Да», — сказал он.\nНет.", "«да», — сказал он.\nнет."),
        ("sentence", "Мы с Анной в США.", "мы с Анной в США."),
        ("name", "Мы с Анной в Нижнем Новгороде.", "Мы с анной в нижнем новгороде."),
        ("name", "Он из Санкт-Петербурга, читал О'Генри в США.", "Он из санкт-петербурга, читал о'генри в США."),
        ("capitals", "Я очень рад, США и iPhone 5s", "Я ОЧЕНЬ РАД, США и IPHONE 5s"),
        ("double", "Привет, Он и Анна", "ПРивет, Он и АНна"),
        ("inverted", "Привет, Он и Анна в США", "пРИВЕТ, оН и аННА в США"),
    ],
)
def test_casing(name: str, text: str, wrong: str) -> None:
    assert errs("casing", text, name) == wrong


@given(texts(), st.integers(0, 3))
def test_casing_changes_no_letter(text: str, seed: int) -> None:
    wrong = errs("casing", text, seed=seed)
    assert len(wrong) == len(text)
    assert all(new in (old, old.lower(), old.upper()) for old, new in zip(text, wrong, strict=True))


# punctuation


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("comma", "Знаю, что он, который жил там, придёт.", "Знаю что он который жил там придёт."),
        ("comma", "Вышло 2,5 или 2, 5, но не 3", "Вышло 2,5 или 2, 5 но не 3"),
        ("comma", "Он сказал: «Да, приду», и ушёл.", "Он сказал: «Да, приду» и ушёл."),
        ("comma", 'Сказал: "Да, приду", а потом, увы, ушёл.', 'Сказал: "Да, приду" а потом увы ушёл.'),
        ("comma", "Играли Нейл, Вильюн, Деон и, кажется, Анна.", "Играли Нейл, Вильюн, Деон и кажется Анна."),
        ("comma", "Привет, Маша, как дела?", "Привет Маша как дела?"),
        ("final", "Он пришёл. Она ушла.", "Он пришёл. Она ушла"),
        ("final", "Он пришёл. \nОна ушла!", "Он пришёл \nОна ушла!"),
        ("final", "Молоко, хлеб и т. д.", "Молоко, хлеб и т. д."),
        ("final", "Это стоит 300 руб.", "Это стоит 300 руб."),
        ("final", "Где?.. Там...", "Где?.. Там..."),
        ("ellipsis", "Он ушёл.", "Он ушёл..."),
        ("bracket", "Он ушёл (совсем).", "Он ушёл (совсем))"),
        ("yo_dropped", "Ёлка ещё НАША, ВСЁ", "Елка еще НАША, ВСЕ"),
        ("yo_written", "Елка, ребенок и все небо", "Ёлка, ребёнок и все небо"),
        ("yo_written", "ЕЩЕ трехлетний КОТЕНОК пьет", "ЕЩЁ трёхлетний КОТЁНОК пьёт"),
    ],
)
def test_punctuation(name: str, text: str, wrong: str) -> None:
    assert errs("punctuation", text, name) == wrong


def test_a_comma_is_lost_before_some_words_more_often_than_before_others() -> None:
    text = "он дома, но спит, когда темно " * 3000
    wrong = errs("punctuation", text, "comma", probability=0.2)
    lost = wrong.count("темно") * 2 - wrong.count(",")
    when = 3000 - wrong.count(", когда")
    assert when / 3000 > 4 * (lost - when) / 3000 > 0


@given(texts(), st.integers(0, 3))
def test_punctuation_edits_single_characters(text: str, seed: int) -> None:
    attack = Augmenter("punctuation", constraints=(), similarity="none", probability=1.0, seed=seed)
    assert all(edit.stop == edit.start + 1 for edit in attack(text).script.edits)


# classes and rates


@pytest.mark.parametrize("name", ["spacing", "casing", "punctuation"])
def test_classes_are_checked_before_the_run(name: str) -> None:
    with pytest.raises(AugmentError, match=f"no class of {name} called .typos.; known: "):
        make(name, {"classes": "typos"})
    with pytest.raises(AugmentError, match=f"{name}: classes: none; name at least one of"):
        make(name, {"classes": ""})
    with pytest.raises(AugmentError, match=r"no dictionary called .none."):
        make(name, {"rates": "none"})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("final\tends\t1\t2\tx", "no line 'comma'"),
        ("comma\t*\tone\t2\tx", "errors one; needs a number over 0, at most 2"),
        ("comma\t*\t3\t2\tx", "errors 3; needs a number over 0, at most 2"),
    ],
)
def test_rates_of_ones_own_are_checked(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "rates.tsv"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(AugmentError, match=message):
        make("punctuation", {"classes": "comma", "rates": str(path)})


def test_the_mean_counts_places_that_classes_share_once() -> None:
    classes = ("hyphen_dropped", "hyphen_space")
    rates = error_rates("spacing", "spacing", classes, classes)
    assert rates.mean == pytest.approx(99 / 346) == rates.rate("hyphen_dropped") + rates.rate("hyphen_space")


@pytest.mark.parametrize(
    ("rate", "share"), [(0.01, 0.1), (0.02, 0.1833), (0.001, 0.0109), (0.5, 0.9167), (1.0, 0.9991)]
)
def test_weighted_ranks_are_below_a_probability_as_often_as_the_odds_say(rate: float, share: float) -> None:
    draws = np.linspace(0, 1, 100_001)[:-1]
    ranks = weighted_ranks(draws, np.full(draws.size, rate), 0.01)
    assert (ranks < 0.1).mean() == pytest.approx(share, abs=1e-3)
    assert ranks.min() >= 0
    assert ranks.max() < 1


# misspell


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("tsya", "Ему хочется учиться.", "Ему хочеться учится."),
        ("nn", "деревянные", "деревяные"),
        ("hyphen_dropped", "Как-то раз", "Както раз"),
        ("hyphen_space", "Как-то раз", "Как то раз"),
        ("join_phrase", "В общем, да", "Вобщем, да"),
        ("ne", "Я не знаю, где он.", "Я незнаю, где он."),
        ("ne", "Это не мой дом.", "Это не мой дом."),
        ("split", "Он некоторое время молчал.", "Он не которое время молчал."),
        ("silent", "агентство", "агенство"),
        ("hiatus", "вообще", "вобще"),
        ("sh_shch", "ещё", "ешё"),
        ("double_dropped", "искусство", "искуство"),
        ("soft_sign", "Будешь", "Будеш"),
        ("prefix", "чересчур", "черезчур"),
        ("vowel_oa", "дом", "дом"),  # one syllable is stressed
        ("vowel_oa", "молоко", "малоко"),
        ("slang", "кот", "кот"),
        ("key_adjacent", "США, НАТО и МиГ-29", "США, НАТО и МиГ-29"),  # abbreviations and numbers stay
        ("letter_dropped", "iPhone", "iPhone"),
    ],
)
def test_misspell(name: str, text: str, wrong: str) -> None:
    found = set(draws_of("misspell", text, name, draws=40))
    assert wrong in found
    assert (found == {text}) == (wrong == text)


def test_forms_on_purpose_stand_only_in_texts_of_a_chat() -> None:
    chat, report = (
        "Спасибо, очень вкусно, сегодня опять зайдём!",
        "Сегодня суд очень быстро постановил, что закон прав.",
    )
    for name in ("slang", "stretched"):
        assert set(draws_of("misspell", chat, name, draws=9)) != {chat}
        assert set(draws_of("misspell", report, name, draws=9)) == {report}
    anywhere = make("misspell", {"classes": ("slang",), "styles": "any"})
    found = Augmenter(anywhere, constraints=(), similarity="none", probability=1.0)
    assert found(report).text == "Седня суд оч быстро постановил, что закон прав."


def test_unstressed_vowels_are_misspelt_more_often() -> None:
    made = collections.Counter(draws_of("misspell", "новость", "vowel_oa", draws=300))
    assert made["новасть"] > made["навость"] > 0
    assert "вада" in draws_of("misspell", "вода", "vowel_oa", draws=30)


def test_misspellings_are_seldom_other_words() -> None:
    words = "Они сделали все работы и вернулись без короля, а поэт читает новые версии"
    made = set(" ".join(draws_of("misspell", words, "letter_dropped", "vowel_ei", draws=200)).split())
    assert not {"сделал", "роботы", "бег", "пот", "кроля"} & made


@pytest.mark.parametrize(
    "text",
    ["ОЧЕНЬ ХОРОШО РАБОТАЕТ", "ЗАВТРА В МАГАЗИН", "См. рис. 5 и ул. Ленина, стр. 7."],
    ids=["one", "two", "short"],
)
def test_words_in_capitals_and_abbreviations_stay(text: str) -> None:
    made = set(draws_of("misspell", text, draws=20))
    kept = {"См.", "рис.", "ул.", "стр."} & set(text.split()) or {text}
    assert all(word in one for one in made for word in kept)


def test_the_class_of_each_error_stands_in_the_notes() -> None:
    attack = make("misspell", {"classes": ("tsya", "ne")})
    result = Augmenter(attack, constraints=(), similarity="none", probability=1.0)("Ему не хочется спать.")
    assert result.text in {"Ему не хочеться спать.", "Ему нехочется спать."}
    (notes,) = result.row()["augment"]["notes"].values()
    assert [note["kind"] in {"tsya", "ne"} for note in notes] == [True]


def test_most_sentences_are_clean_at_the_default() -> None:
    texts_ = [f"Сегодня утром соседка рассказала историю номер {number}." for number in range(400)]
    results = Augmenter("misspell", constraints=(), similarity="none").texts(texts_)
    clean = sum(result.reason == "clean" for result in results)
    assert all(result.status == "perturbed" for result in results if result.reason is None)
    assert 120 < clean < 360


def test_the_probability_is_the_share_of_wrong_words() -> None:
    words = "потому рассказать деревянный настроение получается интересно довольно хорошего сообщить посмотреть"
    given_rows = [{"id": number, "text": words} for number in range(400)]
    shares = []
    for probability in (0.02, 0.045, 0.2, 0.6):
        results = Augmenter("misspell", constraints=(), similarity="none", probability=probability).records(given_rows)
        shares.append(sum(len(result.script.edits) for result in results) / 4000)
    assert shares == sorted(shares)
    assert 0.03 < shares[1] < 0.25  # these words are long and hard
    assert shares[3] > 0.6


@pytest.mark.parametrize("profile", ["messenger", "careful"])
def test_profiles(profile: str) -> None:
    attack = make("misspell", {"profile": profile})
    results = Augmenter(attack, constraints=(), similarity="none", probability=0.5).texts(
        [f"Сегодня вообще очень хочется отдыхать, номер {number}" for number in range(200)]
    )
    kinds = collections.Counter(edit.note.kind for result in results for edit in result.script.edits if edit.note)
    assert (kinds["slang"] > 0) == (profile == "messenger")


def test_profiles_join_words_more_or_less_often() -> None:
    texts = [f"Он не спит, ещё бы, а так вот лежит в постели, номер {number}" for number in range(2000)]
    found = {}
    for profile in ("blog", "messenger", "careful"):
        attack = make("misspell", {"profile": profile, "classes": ("ne", "join_preposition", "tsya", "vowel_oa")})
        results = Augmenter(attack, constraints=(), similarity="none").texts(texts)
        kinds = collections.Counter(edit.note.kind for result in results for edit in result.script.edits if edit.note)
        found[profile] = (kinds["ne"] + kinds["join_preposition"]) / kinds["vowel_oa"]
    assert found["careful"] < found["blog"] < found["messenger"]


def test_every_class_of_the_lexicon_and_the_rules_is_counted() -> None:
    classes = {name for name, *_ in rows(dictionary_path("misspell_classes"), columns=5)}
    listed = {kind for _, _, kind, _ in rows(dictionary_path("misspellings"), columns=4)}
    ruled = {kind for kind, *_ in rows(dictionary_path("misspell"), columns=5)}
    assert listed | ruled | {*JOINS, "split"} == classes | {"old"}  # normalizers alone read these
    assert all(right != wrong for right, wrong, *_ in rows(dictionary_path("misspellings"), columns=4))


@pytest.mark.parametrize(
    ("rule", "reason"), [("о>а", "needs left"), ("(o>а)", "possible: Russian"), ("([аб]>[в])", "each of")]
)
def test_wrong_rules_are_refused(rule: str, reason: str) -> None:
    with pytest.raises(AugmentError, match=reason):
        LetterRule(rule)


@pytest.mark.parametrize(
    ("options", "reason"),
    [({"classes": ()}, "none"), ({"classes": ("typos",)}, "typos"), ({"profile": "school"}, "school")],
)
def test_wrong_options_of_misspell_are_refused(options: dict[str, object], reason: str) -> None:
    with pytest.raises(AugmentError, match=reason):
        make("misspell", options)
