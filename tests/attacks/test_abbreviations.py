"""`abbreviations` writes out what has one meaning, in the case of its place, and back."""

import pytest

from augment_ru import Augmenter
from augment_ru.language.shortenings import every_form, shortenings, stands_for
from augment_ru.similarities.meaning import Meaning


def perturbed(text: str) -> str:
    """The text after all changes, without constraints and gate."""
    return Augmenter("abbreviations", constraints=(), similarity="none", probability=1.0)(text).text


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("Он родился в г. Казани.", "Он родился в городе Казани."),
        ("Ушёл, т. к. устал.", "Ушёл, так как устал."),
        ("Купили хлеб, сыр и т. д.", "Купили хлеб, сыр и так далее."),
        ("Купили 5 тыс. билетов.", "Купили 5 тысяч билетов."),
        ("Прошли 21 км за день.", "Прошли 21 километр за день."),
        ("Прошли 2,5 км за день.", "Прошли 2,5 километра за день."),
        ("Родился в 1980 г. в Омске.", "Родился в 1980 году в Омске."),
        ("Было это в 1990-х гг. там.", "Было это в 1990-х годах там."),
        ("Музыка XX в. такова.", "Музыка XX века такова."),
        ("Завод расположен в Тульской обл.", "Завод расположен в Тульской области."),
        ("Это завод им. Кирова.", "Это завод имени Кирова."),
        ("Он гражданин РФ.", "Он гражданин Российской Федерации."),
        ("Об этом пишут в сборнике ООН.", "Об этом пишут в сборнике Организации Объединённых Наций."),
    ],
)
def test_golden_cases_there_and_back(short: str, full: str) -> None:
    assert perturbed(short) == full
    assert perturbed(full) == short


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("На р. Ваг стоит с. Томино.", "На реке Ваг стоит село Томино."),
        ("Берёт начало западнее с. Берестовое.", "Берёт начало западнее села Берестовое."),
        ("Пели Басков, Орлова и др.", "Пели Басков, Орлова и другие."),
        ("Надоили 40 тыс. литров.", "Надоили 40 тысяч литров."),
        ("Больше всех пострадало с. Дябыла.", "Больше всех пострадало село Дябыла."),
    ],
)
def test_golden_cases_of_what_is_only_shortened(short: str, full: str) -> None:
    assert perturbed(full) == short


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("США ввели пошлины.", "Соединённые Штаты Америки ввели пошлины."),
        ("Спс, всё норм!", "Спасибо, всё нормально!"),
        ("Оружие, напр. копьё.", "Оружие, например копьё."),
        ("Вышло 500 р. за штуку.", "Вышло 500 рублей за штуку."),
        ("Устье находится в 14 км по левому берегу.", "Устье находится в 14 километрах по левому берегу."),
        ("Его оценили в 5 тыс. рублей.", "Его оценили в 5 тысяч рублей."),
        ("Насыпьте 250 г муки и влейте 50 мл молока.", "Насыпьте 250 граммов муки и влейте 50 миллилитров молока."),
        ("Столица, т. е. Москва, растёт.", "Столица, то есть Москва, растёт."),
        ("Купили хлеб и т. д. Потом ушли.", "Купили хлеб и так далее. Потом ушли."),
        ("Колонна дошла до пл. Мира.", "Колонна дошла до площади Мира."),
    ],
)
def test_golden_cases_of_what_is_only_written_out(short: str, full: str) -> None:
    assert perturbed(short) == full


def test_words_are_shortened_as_in_chats_only_in_chats() -> None:
    assert perturbed("Спасибо, очень классно, может быть, приду завтра!") == "Спс, оч классно, мб, приду завтра!"
    assert perturbed("Старик очень устал.") == "Старик очень устал."


@pytest.mark.parametrize(
    "text",
    [
        "Он уехал на ул. Ленина.", "Пошёл в ООН.", "Моего имени Барбоз не знал.", "Так как же быть?",
        "Города Саку и Томи.", "Нас ждал генерал Фролов.",
        "Я лёг, так как устал.", "Их повели в деревню Кокояси.", "Ждали командира города Девлетбея.",
        "Рассказал про город Томск.", "Было это в 1261-м году.", "Пел Басков и др.",
        "Соль растворили в 5 л воды.", "Мотор выдаёт 150 л.с. и греется.", "Такт нужно повторить 2 р., потом ещё.",
        "Матч длился 2 ч 48 мин.", "Длина составляет 40 км, площадь равна 316 кв км.", "На МРТ протрузия до 3 мм.",
        "Мука — 2 ст. (по 250 мл), соль — 1/2 ч. л.", "Есть абонемент за 3 500 р./мес., посещение 600 р.",
        "Кто помнит 2006 год?", "Олимпийские игры 1912 года в Стокгольме", "И т. д. и т. п. лучше не писать.",
        "Мы ждали, а они вернулись спустя 90 минут.", "Думаю, что мы играем очень хорошо, спасибо команде.",
        "Это «т. е.» есть сокращение.", "Здесь служит о. Павел.", "Он, то есть, я.",
        "Рядом город Дате, поселок Тояко и село Маккари.", "Акт подписали в 2 экз.",
        "В 1703 г. Пётр I заложил крепость.", "Доход составил 10 тыс. руб. за год.", "Длина равна 5 тыс. км.",
        "Ханы выступили и захватили город Тарнув.", "Кикн бросился в озеро Коноп и взлетел птицей.",
        "На станции Дарка есть буфет.", "Сильный взрыв потряс остров Липари.", "Вчера уехал звонарь, то есть сторож.",
        "Он плывёт в твоей лодке к озеру Сиху.", "При r = 3 см площадь равна 28,3 см².",
        "Кефир содержит 2,5%, творог 5–9%.", "Яйца — 3 шт., молоко — 0,5 л, ванилин — 1 г, мука — 2 ст.",
        "Продам машину, 2019 г., 54 т. км.", "Он из призыва 1978 г. в.",
        "Пришли гости, и т. д., и т. п., и пр., см. выше.",
        "Курс доллара США вырос.", "Дом в Московской области уже продан.", "Обыграли команды РФ и США уступят.",
        "В городе Иван купил дом.", "Может быть, приду.", "Горная область велика.",
    ],
)  # fmt: skip
def test_what_is_not_certain_stays(text: str) -> None:
    assert perturbed(text) == text


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Принят в 2000 году, а в 2003 году начал.", "Принят в 2000 г., а в 2003 г. начал."),
        ("Злых (3 процента) было больше (1 процент).", "Злых (3 %) было больше (1 %)."),
        ("Жили в X веке, в летописи с XII века.", "Жили в X в., в летописи с XII в."),
        ("Послы РФ и судьи ООН уехали.", "Послы Российской Федерации и судьи Организации Объединённых Наций уехали."),
        ("Это село в Омском районе Омской области, — сказал он.", "Это село в Омском р-не Омской обл., — сказал он."),
    ],
)
def test_one_word_changes_everywhere_or_nowhere(text: str, changed: str) -> None:
    for seed in range(5):
        found = Augmenter("abbreviations", constraints=(), similarity="none", probability=0.5, seed=seed)(text).text
        assert found in {text, changed}


def test_names_of_places_change_unless_the_answer_is_a_name() -> None:
    """`named_entities` protects «РФ» in all tasks; what is denoted stays the same."""
    text = "Он гражданин РФ."
    assert Augmenter("abbreviations", probability=1.0)(text).text == "Он гражданин Российской Федерации."
    row = {
        "support_text": "Он гражданин РФ.", "main_text": "Пермь стоит на Каме.", "question": "Где он гражданин?",
        "bridge_answers": [{"label": "passage", "offset": 0, "length": 2, "segment": "Он"}],
        "main_answers": [{"label": "passage", "offset": 15, "length": 4, "segment": "Каме"}],
    }  # fmt: skip
    (done,) = Augmenter("abbreviations", probability=1.0).records([row])
    assert done.status == "unchanged"


def test_every_form_of_the_dictionary_stands_for_its_abbreviation() -> None:
    for kind, short, words in shortenings():
        forms = every_form(kind, words)
        assert all(forms), words
        if "-" not in short:
            assert all(stands_for(short, form) and stands_for(form, short) for form in forms), words


def test_the_gate_reads_an_abbreviation_as_its_words() -> None:
    text = "Нужно 5 тыс. рублей в г. Казани."
    found = Augmenter("abbreviations", constraints=(), probability=1.0)(text)
    assert found.text == "Нужно 5 тысяч рублей в городе Казани."
    assert found.similarity == 1.0
    assert not stands_for("город", "деревня")
    assert Meaning()([text], [text.replace("тыс.", "миллионов")])[0] < Meaning().threshold
