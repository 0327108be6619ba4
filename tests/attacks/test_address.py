"""Golden cases of «ты» and «Вы»; to be read by a linguist."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Augmenter, AugmentError, Perturber, Preparation
from augment_ru.engine.attack import Needs, make


def addressed(text: str, requests: float = 0.0, **options: object) -> str:
    """The text with the other form of address, without constraints and gate."""
    attack = make("address", {"requests": requests, **options})
    return Augmenter(attack, constraints=(), similarity="none")(text).text


@pytest.mark.parametrize(
    ("familiar", "polite"),
    [
        ("Пришли мне, пожалуйста, отчёт.", "Пришлите мне, пожалуйста, отчёт."),
        ("Ты — полезный помощник. Отвечай кратко.", "Вы — полезный помощник. Отвечайте кратко."),
        ("Если не сможешь прийти, позвони своей сестре.", "Если не сможете прийти, позвоните своей сестре."),
        ("Что ты думаешь о твоём городе?", "Что Вы думаете о Вашем городе?"),
        ("Я верю тебе и помню о тебе.", "Я верю Вам и помню о Вас."),
        ("Не бойся, по-твоему, разве это ложь?", "Не бойтесь, по-вашему, разве это ложь?"),
        ("ТЫ НЕ ПРАВ? Он сказал: «Ты не прав».", "ВЫ НЕ ПРАВЫ? Он сказал: «Ты не прав»."),
    ],
)
def test_the_whole_text_addresses_otherwise(familiar: str, polite: str) -> None:
    assert addressed(familiar) == polite


@pytest.mark.parametrize(
    ("familiar", "polite"),
    [
        ("Ты пришла и села.", "Вы пришли и сели."),
        ("Твоя мама звонила.", "Ваша мама звонила."),
        ("Будь уверен: ты сам готов.", "Будьте уверены: Вы сами готовы."),
        ("Ты, конечно, забыл об этом.", "Вы, конечно, забыли об этом."),
        ("Купи хлеба, и пойдём.", "Купите хлеба, и пойдём."),
        ("У тебя ж есть телефон.", "У Вас же есть телефон."),
        ("Ты ведь сам только что сказал это.", "Вы ведь сами только что сказали это."),
        ("Прежде чем дать ответ, перечитай вопрос.", "Прежде чем дать ответ, перечитайте вопрос."),
        ("Поля должны совпадать, см. схему. Ты всё проверил?", "Поля должны совпадать, см. схему. Вы всё проверили?"),
    ],
)
def test_what_agrees_with_the_pronoun_follows(familiar: str, polite: str) -> None:
    assert addressed(familiar) == polite


@pytest.mark.parametrize(
    ("polite", "familiar"),
    [
        ("Вы купите хлеб?", "Ты купишь хлеб?"),
        ("Купите хлеб и закройте дверь.", "Купи хлеб и закрой дверь."),
        ("Мы с вами об этом говорили, а Вам всё равно.", "Мы с тобой об этом говорили, а тебе всё равно."),
        ("Не могли бы Вы прислать отчёт?", "Пришли отчёт."),
        ("Вы сама видели это?", "Ты сама видела это?"),
        ("Не могли бы Вы проверить абзац и исправить опечатки?", "Проверь абзац и исправь опечатки."),
        ("Могли бы Вы объяснить это проще?", "Объясни это проще."),
    ],
)
def test_and_back(polite: str, familiar: str) -> None:
    assert addressed(polite) == familiar


@pytest.mark.parametrize(
    "text",
    [
        "Ты вчера ждал вас у входа.",  # two are addressed
        "Сынок, ты поел?",  # nobody says «Вы» to a son
        "Дурак ты, Саня!",
        "Вы правы, господин доктор.",
        "Ребята, вы куда?",
        "Вы вчера пришли поздно.",  # «пришёл» or «пришла»
        "Не будь дождя, мы бы гуляли.",
        "Приди он раньше, всё было бы иначе.",
        "Тише едешь — дальше будешь.",
        "Бог ты мой, уже полночь.",
        "«Ты куда?» — спросила Анна.",
        "Город Тузи стоит на реке.",
        "Ты давал всё, что мог.",  # whose past tense it is, the sentence does not say
        "Ты, Саня, зря спешишь.",
        "Я его, почитай, с детства знаю.",
        "Мири был в их руках, но город сдался.",
        "С вилкой проглотите!",  # an imperative, or what will happen
        "Ты сначала полей цветы, а потом покорми кота.",  # «полей» is read as a noun
        "Мой посуду и стирай бельё, а ты ленишься.",
        "Ты ешь и пей, лей воду.",
        "Порядок полей задан (см. схему).",
    ],
)
def test_what_is_not_certain_stays(text: str) -> None:
    assert addressed(text) == text


def test_requests_may_be_indirect() -> None:
    assert addressed("Пришли мне отчёт.", 1.0) == "Не могли бы Вы прислать мне отчёт?"
    assert addressed("Пришли мне отчёт!", 1.0) == "Пришлите мне отчёт!"
    assert addressed("Умри, но сделай.", 1.0) == "Умрите, но сделайте."


def test_options() -> None:
    assert addressed("Что ты думаешь?", capital=False) == "Что вы думаете?"
    assert addressed("Что ты думаешь?", to="ты") == "Что ты думаешь?"
    with pytest.raises(AugmentError, match=r"address\.to: 'you'; possible: either, ты, Вы"):
        make("address", {"to": "you"})
    with pytest.raises(AugmentError, match=r"address\.requests: 2\.0; needs a number from 0 to 1"):
        make("address", {"requests": 2.0})


@given(st.lists(st.sampled_from(["Помоги мне.", "Что ты видишь?", "Я жду тебя.", "Где твой дом?"]), min_size=1))
def test_two_ways_lead_back(sentences: list[str]) -> None:
    text = " ".join(sentences)
    assert addressed(addressed(text)) == text


WORDS = ["ты", "Вас", "пришли", "Иван", "ждал", "Анну", "день", "мой", "–", "«", "скажи-ка", "Петрову", "помнишь", "."]


@pytest.mark.parametrize("name", ["address", "names"])
@given(texts=st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=1, max_size=3))
def test_what_an_attack_does_not_want_annotated_would_stay(name: str, texts: list[str]) -> None:
    attack, preparation = Perturber(name, similarity="none"), Preparation(constraints=())
    wanted, every = (
        [one.text for each in preparation.texts(texts, needs=[needs]) for one in attack.perturb(each).results]
        for needs in (attack.needs, Needs(attack.attack.layers))
    )
    assert wanted == every


def test_a_text_without_a_word_that_may_address_is_not_annotated() -> None:
    texts = ["Город стоит на реке.", "Ты прав."]
    [prepared] = Preparation(constraints=()).texts(texts, needs=[Perturber("address", similarity="none").needs])
    assert [len(doc.tokens) for doc in prepared.batch.docs] == [0, 3]
