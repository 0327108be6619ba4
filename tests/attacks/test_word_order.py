"""Golden cases of word_order: orders that a native would say, and what must stay where it is."""

from collections.abc import Iterator, Sequence
from functools import cache

import pytest

from augment_ru import Augmenter, Result, Span
from augment_ru.attacks.word_order import orders_of
from augment_ru.draws import Streams, digests
from augment_ru.engine.attack import make
from augment_ru.engine.edit_table import apply
from augment_ru.engine.legality import legal
from augment_ru.jobs.check import dictionary_problems
from augment_ru.language.annotate import Natasha
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.batch import Batch
from augment_ru.text.doc import Doc

DRAWS = 40


class Once(Natasha):
    """Annotates texts of which many are equal."""

    def __call__(self, texts: Sequence[str], layers: frozenset[str]) -> list[Doc]:
        known = {doc.text: doc for doc in super().__call__(list(dict.fromkeys(texts)), layers)}
        return [known[text] for text in texts]


def drawn(text: str) -> Iterator[Result]:
    """The results for many rows of this text, without constraints and gate."""
    free = Augmenter("word_order", probability=1.0, constraints=(), similarity="none", annotator=Once())
    return free.records({"id": at, "text": text} for at in range(DRAWS))


@cache
def outcomes(text: str) -> frozenset[str]:
    """The other texts that these rows get."""
    return frozenset(result.text for result in drawn(text)) - {text}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a time moves to the front, to the end, to the verb
        ("Поезд пришёл утром.", "Утром пришёл поезд."),
        ("Утром пришёл скорый поезд.", "Скорый поезд пришёл утром."),
        ("Он переехал в Москву в 1990 году.", "В 1990 году он переехал в Москву."),
        ("В 1990 году он переехал в Москву.", "Он в 1990 году переехал в Москву."),
        ("Вчера Маша купила новый билет.", "Маша вчера купила новый билет."),
        ("Вчера Маша купила новый билет.", "Маша купила новый билет вчера."),
        ("Иван Петров вчера купил машину.", "Вчера Иван Петров купил машину."),
        # a place
        ("В старом доме жил лесник.", "Лесник жил в старом доме."),
        ("Чёрная кошка спит на тёплом окне.", "На тёплом окне спит чёрная кошка."),
        # a subject and an object exchange sides where their cases tell them apart
        ("Репин написал эту картину.", "Эту картину написал Репин."),
        ("Эту картину написал Репин.", "Репин написал эту картину."),
        ("Дети уже посмотрели этот фильм.", "Этот фильм уже посмотрели дети."),
        ("Об этом рассказал директор школы.", "Директор школы рассказал об этом."),
        ("Институтом руководил известный физик.", "Известный физик руководил институтом."),
        ("Умер известный писатель.", "Известный писатель умер."),
        # passives
        ("Дом был построен в 1905 году.", "В 1905 году был построен дом."),
        ("На площади установлен памятник Пушкину.", "Памятник Пушкину установлен на площади."),
        ("Картина написана неизвестным художником.", "Неизвестным художником написана картина."),
        # two complements
        ("Сестра подарила брату книгу.", "Сестра подарила книгу брату."),
        # a pronoun beside its verb
        ("Я тебя очень люблю.", "Я очень люблю тебя."),
        ("Мне нравится эта песня.", "Эта песня мне нравится."),
        ("Врач решил его осмотреть.", "Врач решил осмотреть его."),
        # an adverb
        ("Старый учитель вышел из класса медленно.", "Старый учитель медленно вышел из класса."),
        ("Вдруг старик остановился.", "Старик вдруг остановился."),
        ("Также компания откроет новый завод.", "Компания также откроет новый завод."),
        # «не» goes with its verb
        ("Мы не купили хлеб.", "Хлеб мы не купили."),
        ("Он не ответил на письмо.", "На письмо он не ответил."),
        # a clause by itself; commas and conjunctions stay
        ("Учитель сказал, что дети вчера посадили дерево.", "Учитель сказал, что вчера дети посадили дерево."),
        ("Вот море, в которое впадает река.", "Вот море, в которое река впадает."),
        # who has something; an object in another case
        ("У Маши есть чёрная кошка.", "Есть у Маши чёрная кошка."),
        ("Он достиг окна.", "Окна он достиг."),
        ("Когда пришла весна, снег растаял.", "Когда весна пришла, снег растаял."),
        # lists
        ("Мама принесла хлеб и молоко.", "Мама принесла молоко и хлеб."),
        ("В корзине лежали яблоки, груши и сливы.", "В корзине лежали сливы, груши и яблоки."),
    ],
)
def test_orders_that_a_native_would_say(text: str, expected: str) -> None:
    assert expected in outcomes(text)


@pytest.mark.parametrize(
    "text",
    [
        "Мать любит дочь.",  # nobody could tell who loves whom
        "Трактор обогнал автобус.",
        "Платье задело кресло.",
        "Кто вчера купил билет?",
        "Вчера Маша купила билет?",
        "Приходи завтра к нам домой.",
        "Москва — столица России.",
        "Это большой красивый дом.",
        "Он был хорошим врачом.",
        "Мунн бросил меч и захохотал.",  # the parser joins the second verb to «меч»
        "Эта книга интересная.",
        "Маша любит свою маму.",  # «свою» is Masha's
        "Иван принял участие в конкурсе.",  # one idea
        "Только Маша купила билет.",
        "Никто не купил билет.",
        "Не Маша купила билет.",
        "Маша купила бы билет.",
        "Фильм «Москва слезам не верит» получил премию.",
        "Роман «Война и мир» читают везде.",
        "Он родился в 1990 г.",  # the full stop is that of the abbreviation
        "В результате старый царь погиб.",  # «погиб в результате» is something else
        "Отец и мать ушли рано.",
        "День и ночь шёл дождь.",
        "— Да, — сказал старый мастер.",  # after direct speech the verb comes first
        "Дом, который построил дед, стоит на горе, где растут сосны?",
        "Мороз и солнце; день чудесный!",  # nobody knows whether the capital is that of a name
        "На севере, на границе области находится гора.",  # a comma would be left where nothing repeats
    ],
)
def test_what_stays_as_it_is(text: str) -> None:
    assert not outcomes(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Вчера в магазине Маша не купила свежий хлеб.", ["не купила", "свежий хлеб", "в магазине"]),
        ("Же это или нет, но он же вчера приехал в город.", ["он же"]),
        ("Летом старый дедушка жил в большом доме у реки.", ["старый дедушка", "в большом доме", "у реки"]),
        ("Осенью студенты сдали экзамен, а преподаватель уехал.", ["экзамен", ", а "]),
        ("Художник, который родился в Твери, в 1990 году переехал в Москву.", ["Художник, который", "в Москву."]),
        ("В 1990 году город посетил министр культуры Франции.", ["министр культуры Франции", "1990 году"]),
        ("Министерство культуры и спорта объявило конкурс.", ["министерство культуры и спорта"]),
        ("Вчера Маша, по её словам, купила билет (самый дешёвый).", [", по её словам,", "(самый дешёвый)."]),
        # a full stop of an abbreviation ends nothing
        ("Фирма купила 2 экз. книги.", ["2 экз. книги."]),
        ("Повар добавил 3 ст. л. сахара и 1 ч. л. соли.", ["3 ст. л. сахара и 1 ч. л. соли."]),
        ("Врач прописал 1 табл. 2 р. в день после еды.", ["1 табл. 2 р. в день после еды."]),
        ("Пациент принимает 1 таб. утром.", ["1 таб. утром."]),
        ("Завтра директор подпишет доп. соглашение.", ["доп. соглашение."]),
    ],
)
def test_phrases_stay_whole(text: str, kept: list[str]) -> None:
    for outcome in outcomes(text):
        assert all(phrase.lower() in outcome.lower() for phrase in kept)
        assert sorted(outcome.lower()) == sorted(text.lower())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Репин написал эту картину.", "Эту картину написал Репин."),  # a name keeps its capital
        ("МЧС закрыло дорогу вчера.", "Вчера МЧС закрыло дорогу."),
        ("Студент вчера сдал экзамен.", "Вчера студент сдал экзамен."),
        ("В 1990 году Иванов написал роман.", "Иванов в 1990 году написал роман."),
    ],
)
def test_the_capital_goes_to_the_new_first_word(text: str, expected: str) -> None:
    assert expected in outcomes(text)
    assert all(outcome[0].isupper() for outcome in outcomes(text))


def test_what_is_protected_stays_where_it_is_and_other_constituents_move() -> None:
    text = "Вчера Маша купила новый билет."
    span = Span(text.index("Маша"), text.index("Маша") + len("Маша"), "PER")
    attack = make("word_order")
    batch = Batch([text], Natasha()([text], attack.layers), [[span]])
    found = set()
    for seed in range(DRAWS):
        proposals = attack.propose_batch(batch, Streams.of(digests([text]), seed))
        drops: list[object] = []
        kept = legal(batch, proposals, drops)  # type: ignore[arg-type]
        assert not drops
        found |= set(apply(batch, kept, kept.ranks < 1).texts)
    assert "Маша вчера купила новый билет." in found


def test_an_edit_is_no_longer_than_what_moves() -> None:
    text = "Вчера старый учитель музыки купил билет."
    for result in drawn(text):
        if result.text == "Старый учитель музыки вчера купил билет.":
            assert [(edit.start, edit.stop, edit.text) for edit in result.script.edits] == [
                (0, 7, "С"),
                (28, 28, "вчера "),
            ]
            return
    pytest.fail("no row got this order")


def test_each_clause_is_one_change() -> None:
    text = "Утром пришёл скорый поезд. Вечером уехал старый друг. Об этом рассказал директор школы."
    results = [
        Augmenter("word_order", probability=p, constraints=(), similarity="none")(text).text
        for p in (0.0, 0.3, 0.6, 1.0)
    ]
    pairs = [zip(text.split(". "), result.split(". "), strict=True) for result in results]
    counts = [sum(old != new for old, new in pair) for pair in pairs]
    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (0, 3)


@pytest.mark.parametrize("name", ["word_order", "clause_orders"])
def test_the_dictionaries_keep_their_form(name: str) -> None:
    assert not list(dictionary_problems(dictionary_path(name)))


def test_the_dictionary_of_orders_can_be_read() -> None:
    lines = list(rows(dictionary_path("clause_orders"), columns=4))
    assert len(lines) > 200
    for source, target, _, example in lines:
        pattern = source.removesuffix("*")
        assert orders_of(pattern)
        before, after = example.split(" → ")
        assert sorted(before.lower()) == sorted(after.lower()), (source, target)
