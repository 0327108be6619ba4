"""What a recogniser of speech writes: golden cases and the error rate."""

import pytest

from augment_ru import Augmenter, AugmentError
from augment_ru.engine.attack import make
from augment_ru.language.morphology import lemmas_of, shares_lemma
from augment_ru.language.sound import transcription
from profiles import IS_FULL

_SENTENCES = (
    "Компания обещала вернуть деньги до конца месяца, но никто не позвонил.",
    "Завтра начнётся дождь, поэтому лучше остаться дома и читать.",
    "Он долго смотрел в окно, а потом сказал, что пора идти.",
    "Старые письма лежали в ящике стола, и никто их не читал.",
)


def heard(text: str, wer: float = 0.0, seed: int = 0) -> str:
    """The text as a recogniser writes it, without constraints and gate."""
    return Augmenter(make("speech", {"wer": wer}), constraints=(), similarity="none", seed=seed)(text).text


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Пришло 35 человек, т. е. все!", "пришло тридцать пять человек то есть все"),
        ("Скидка — 20 %.", "скидка двадцать процентов"),
        ("Война 1941—1945 гг.", "война тысяча девятьсот сорок первого тысяча девятьсот сорок пятого годов"),
        ("Кто-то купил iPhone в ГУМ.", "кто-то купил ифон в гум"),
        ("НДС (и не только)…", "эндээс и не только"),
        ("Утром -7 °C, днём +2 °C.", "утром минус семь градусов цельсия днём плюс два градуса цельсия"),
        ("Долг: -500 рублей, -2 %.", "долг минус пятьсот рублей минус два процента"),
        ("Ночью −5 градусов, счёт 3-1.", "ночью минус пять градусов счёт три один"),
        ("Если 3 < 5, 7 > 2, а сон ≤ 8.", "если три меньше пять семь больше два а сон меньше или равно восемь"),
        ("Вывод -> в XXI веке и в конце XIX века.", "вывод в двадцать первом веке и в конце девятнадцатого века"),
        ("Ушла II армия, глава IV.", "ушла вторая армия глава четыре"),
        (
            "Рост на 2.1 %, до 2,5 кг.",
            "рост на две целых и одна десятая процента до двух целых и пяти десятых килограмма",
        ),
        ("До −15 °C, к 5 км, 100 км/ч.", "до минус пятнадцати градусов цельсия к пяти километрам сто километров в час"),
        ("Спал с 4 до 6 утра.", "спал с четырёх до шести утра"),
        (
            "От 2 до 4 млн человек, из 10, около 4 тысяч.",
            "от двух до четырёх миллионов человек из десяти около четырёх тысяч",
        ),
        ("С 5 по 10 мая, 5–10 мая.", "с пятого по десятое мая пятого десятого мая"),
        ("После 7 вопроса, с 8 полком.", "после седьмого вопроса с восьмым полком"),
        ("В 3 сезоне, 22-го октября.", "в третьем сезоне двадцать второго октября"),
        ("В 1930-х годах, в 80-е.", "в тысяча девятьсот тридцатых годах в восьмидесятые"),
        ("Як-1 и МТЗ-80 за $20.", "як один и эмтэзэ восемьдесят за двадцать долларов"),
        ("Цена 1 200 000 руб.", "цена один миллион двести тысяч рублей"),
        ("С 2010 по 2015 г.", "с две тысячи десятого по две тысячи пятнадцатый год"),
        ("Родился 7.05.2020.", "родился седьмого мая две тысячи двадцатого года"),
        ("В XX в., при Николае II.", "в двадцатом веке при николае втором"),
        ('Взял "сыр"(5 см).', "взял сыр пять сантиметров"),
    ],
)
def test_what_is_written_is_what_is_said(text: str, spoken: str) -> None:
    assert " ".join(heard(text).split()) == spoken


@pytest.mark.parametrize(
    ("one", "other"),
    [("компания", "кампания"), ("учится", "учиться"), ("код", "кот"), ("лестный", "лесной"), ("звезда", "везда")],
)
def test_words_that_sound_alike(one: str, other: str) -> None:
    alike = (one, other) not in {("лестный", "лесной"), ("звезда", "везда")}
    assert (transcription(one) == transcription(other)) == alike


@pytest.mark.parametrize("one", ["стали", "ёлка", "бутявка", "печь"])
def test_words_that_share_a_lemma(one: str) -> None:
    for other in ("сталь", "стать", "елки", "бутявки", "печи", "печёт"):
        assert shares_lemma(one, other) == (not set(lemmas_of(one)).isdisjoint(lemmas_of(other)))


@pytest.mark.parametrize(
    ("word", "others"),
    [("учится", {"учиться"}), ("компания", {"кампания"}), ("коза", {"коса"}), ("замок", {"самок"})],
)
def test_what_is_heard_is_a_frequent_word_one_change_away(word: str, others: set[str]) -> None:
    attack = make("speech", {"wer": 0.5})
    made: set[str] = set()
    for seed in range(40):
        augmenter = Augmenter(attack, constraints=(), similarity="none", seed=seed)
        alone = augmenter(f"{word} {word}").text
        assert augmenter.texts([*_SENTENCES, f"{word} {word}"])[-1].text == alone  # whatever words are met beside it
        made.update(alone.split())
    assert others <= made


def test_errors_are_as_many_as_asked_for() -> None:
    errors = words = 0
    for seed in range(60 if IS_FULL else 20):
        for text in _SENTENCES:
            right, wrong = heard(text).split(), heard(text, 0.2, seed).split()
            errors += abs(len(right) - len(wrong)) + sum(a != b for a, b in zip(right, wrong, strict=False)) * (
                len(right) == len(wrong)
            )
            words += len(right)
    assert 0.15 < errors / words < 0.25


def test_no_is_never_lost() -> None:
    assert all("не" in heard("Он не пришёл и не позвонил.", 0.5, seed).split() for seed in range(50))


def test_the_rate_has_bounds() -> None:
    with pytest.raises(AugmentError, match=r"speech\.wer: 0\.7; needs a number from 0 to 0\.5"):
        make("speech", {"wer": 0.7})
    with pytest.raises(AugmentError, match=r"speech\.refused: 1\.0; needs a number from 0, below 1"):
        make("speech", {"refused": 1.0})
