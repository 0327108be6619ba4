"""Golden cases of spoken forms and fillers."""

import collections
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Augmenter, AugmentError
from augment_ru.attacks.colloquial import spoken_forms
from augment_ru.engine.attack import make
from strategies import texts

CLASSES = ("ending", "filler", "word")


def free(*classes: str, probability: float = 1.0) -> Augmenter:
    """All forms of these classes, without constraints and gate."""
    attack = make("colloquial", {"styles": "any"} | ({"classes": classes} if classes else {}))
    return Augmenter(attack, constraints=(), similarity="none", probability=probability)


def outcomes(text: str, *classes: str, draws: int = 60) -> set[str]:
    """The texts that many draws give: those of as many rows."""
    return {result.text for result in free(*classes).records({"id": at, "text": text} for at in range(draws))}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Сейчас приду.", "Щас приду."),
        ("Он вообще не пришёл", "Он ваще не пришёл"),
        ("Когда ты только успел?", "Когда ты тока успел?"),
        ("Скинь фотографию и скриншоты", "Скинь фотку и скрины"),
        ("Много фотографий с компьютера", "Много фоток с компа"),
        ("Это на фотографии, в интернете", "Это на фотке, в инете"),
        ("Её фотографии", "Её фотографии"),  # one or several, of, to: the form alone does not say
        ("Новое видео", "Новое видео"),  # «видос» has another gender
        ("Посмотрел видео", "Посмотрел видос"),
        ("Может быть, приду", "Мб, приду"),
        ("Не может быть!", "Не может быть!"),
        ("Что случилось?", "Чё случилось?"),
        ("Думаю, что он прав", "Думаю, что он прав"),
        ("С днём рождения!", "С др!"),
        ("С днем рождения!", "С др!"),
        ("Молодой человек, можно вас?", "Молодой человек, можно вас?"),
        ("Кто-нибудь видел преподавателей?", "Кто-нить видел преподов?"),
        ("СПАСИБО, ВСЁ НОРМАЛЬНО", "СПС, ВСЁ НОРМ"),
        ("https://сейчас.рф/вообще", "https://сейчас.рф/вообще"),
    ],
)
def test_words(text: str, wrong: str) -> None:
    assert wrong in outcomes(text, "word")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Мне нравится учиться", "Мне нравицца учицца"),
        ("ХОЧЕТСЯ СПАТЬ", "ХОЧЕЦЦА СПАТЬ"),
        ("Она смеётся и боюсь", "Она смеёцца и боюсь"),
        ("тся, ться", "тся, ться"),
    ],
)
def test_endings(text: str, wrong: str) -> None:
    assert free("ending")(text).text == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Он опять опоздал.", {"Короче, он опять опоздал."}),
        ("Привет! он опять опоздал", {"Привет! ну он опять опоздал", "Привет! кстати, он опять опоздал"}),
        ("Вчера Анна опять опоздала.", {"Короче, вчера Анна опять опоздала."}),
        ("— Где ты был вчера?", {"— Ну где ты был вчера?"}),
        ("Не знаю, что делать.", {"Ну не знаю, что делать."}),
        ("Мы едем в семь, пл. Революции, у входа.", {"Короче, мы едем в семь, пл. Революции, у входа."}),
        ("и пришёл, но он спит", {"и пришёл, но блин он спит"}),
        ("и сказал, что он придёт", {"и сказал, что типа он придёт"}),
        ("и остался, потому что там дождь", {"и остался, потому что ну там дождь"}),
    ],
)
def test_fillers(text: str, wrong: set[str]) -> None:
    assert wrong <= outcomes(text, "filler", draws=200)


def test_no_filler_stands_between_an_initial_and_a_name() -> None:
    assert all("А. С. Пушкин" in text for text in outcomes("Пишет нам А. С. Пушкин из деревни", "filler"))


@pytest.mark.parametrize(
    "text",
    [
        "Он спит.",  # too short
        "Ну он опять опоздал.",  # has one
        "Он, блин, опять опоздал.",
        "«Война и мир» — роман в четырёх томах.",  # the sentence begins with a name in quotation marks
        "и умный, но ленивый",  # no clause
        "ЭТОТ ГОРОД ОСНОВАЛ ПЁТР",
        "2 билета до Казани",
        "Торт мы купили вчера.",  # only some first words
        "Куда: в отель у моря.",
        "Где тихо, там и спят.",  # no question
        "Кстати, мы уже приехали.",
        "Ответ: на столе у окна.",
        "1. Хлеб и молоко.",
        "- Взять паспорт и билеты",
        "Куда? — спросил он тихо.",
        "Итак, кто же это был?",
    ],
)
def test_no_filler(text: str) -> None:
    assert outcomes(text, "filler") == {text}


def test_no_filler_stands_behind_a_word_that_is_written_short() -> None:
    for text in ("Мы едем в семь, пл. Я в Туле, у входа.", "Он жил там (см. Пушкин в лицее)."):
        assert all(text[text.index(".") :] in one for one in outcomes(text, "filler"))


@given(texts(), st.integers(0, 3))
def test_a_sentence_gets_at_most_one_filler(text: str, seed: int) -> None:
    sentence = "Он сказал, что он не придёт, но я его жду, а он спит"
    result = Augmenter(
        make("colloquial", {"styles": "any"}), constraints=(), similarity="none", probability=1.0, seed=seed
    )(f"{sentence}. {text}")
    fillers = [edit for edit in result.script.edits if edit.note and edit.note.kind == "filler"]
    assert sum(edit.start < len(sentence) for edit in fillers) == 1


@given(texts(), st.integers(0, 3))
def test_every_edit_has_its_class_and_reads_as_the_original(text: str, seed: int) -> None:
    result = Augmenter(
        make("colloquial", {"styles": "any"}), constraints=(), similarity="none", probability=1.0, seed=seed
    )(text)
    assert result.script.read == text
    assert all(edit.note is not None and edit.note.kind in CLASSES for edit in result.script.edits)


def test_likelier_forms_are_likelier() -> None:
    words = free("word", probability=0.2)("вообще только " * 3000).text.split()
    counted = collections.Counter(words)
    assert counted["ваще"] > 5 * counted["тока"] > 0
    assert not counted["воще"]  # of the class `old`: only read


def test_the_dictionary_has_what_it_says() -> None:
    listed = spoken_forms("colloquial", CLASSES, CLASSES)
    forms = [form for entry in listed.entries for form in entry.forms]
    assert sum(form.kind == "word" for form in forms) >= 120
    assert {form.kind for form in forms} == set(CLASSES)
    assert all(form.text != entry.written for entry in listed.entries for form in entry.forms)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("сейчас\tщас\tslang\t.1", "class slang; possible: ending, filler, word"),
        ("^here*\tну *\tfiller\t.1", "kind 'here'; possible: asked, dated, later, said, told"),
        ("сейчас\tщас\tword\tmuch", "share much; needs a number over 0, at most 1"),
        ("сейчас\tщас\tword\t1.5", "share 1.5"),
        ("комп{,а}\tпк{,а,у}\tword\t.1", "2 endings, and 3 of what is spoken"),
    ],
)
def test_wrong_lines_are_refused(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "spoken.tsv"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(AugmentError, match=message):
        make("colloquial", {"forms": str(path)})


def test_wrong_classes_are_refused() -> None:
    with pytest.raises(AugmentError, match=r"no class of colloquial called .slang.; known: ending, filler, word"):
        make("colloquial", {"classes": "slang"})


def test_only_texts_in_the_style_of_a_chat_get_chat_words() -> None:
    chat = "Спасибо, очень вкусно! Сейчас вообще хочется ещё, завтра зайдём опять."
    report = "Министерство сообщило, что сейчас вообще ничего не изменится и закон опять примут."
    quote = "Мне очень нравится, спасибо! Директор сказал: «Сейчас вообще никто не опаздывает»."
    styled = Augmenter("colloquial", constraints=(), similarity="none", probability=1.0)
    chats, reports, quotes = ({one.text for one in styled.texts([text], n=10)} for text in (chat, report, quote))
    assert chat not in chats
    assert reports == {report}
    spoken = "Я вчера купил кота"
    filled = Augmenter(make("colloquial", {"classes": ("filler",)}), constraints=(), similarity="none", probability=1.0)
    assert filled(spoken).text != spoken
    assert filled(f"{spoken}.").text == f"{spoken}."
    assert all("«Сейчас вообще никто не опаздывает»" in text for text in quotes)
