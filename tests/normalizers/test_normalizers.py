"""Laws of every normalizer, and golden cases: what is read, and what stays."""

import json
import pickle
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import AugmentError, Normalization, Normalizer, Script, registry
from augment_ru.attacks.evasion import Evasion
from augment_ru.edits import Edit, Span
from augment_ru.engine.augmenter import Augmenter
from augment_ru.normalizers._reading import _texts
from commands import run

NAMES = registry.names("normalizers")

CLEAN = [
    "В субботу в Перми прошёл полумарафон, на старт вышли три тысячи человек.",
    "Мама мыла раму, а папа читал газету; дети спали.",
    "За́мок стоит на горе, а замо́к висит на двери.",
    "Слава Україні, ми любимо каву і книжки щодня.",
    "Аз съм от София и обичам да чета книги вечер.",
    "Мен қазақша сөйлеймін, ал сен орысша сөйлейсің.",
    "Љубав је све што нам треба, мој пријатељу.",
    "Формула воды H2O, площадь 54,3 м², счётчик накрутил 312 кВт·ч.",
    "Взял iPhone 15, а брат ездит на ВАЗ-2107.",
    "Цена 5ооо р, от 3ооо в день.",
    "Разряды т7, м10 и к3, а надвор'е — это погода.",
    "Ищем junior’а, а слово посѣтить писали через ять.",
    "Живём на 5-м этаже, кино смотрели в 3D, матч 3:0, цена 1 500 руб.",
    "Роман написал А. С. Пушкин, т. е. классик, и т. д.",
    "Коляска б/у, звоните мне и/или маме.",
    "Ростов-на-Дону, кое-как, Сине-бело-красный шарф, тук-тук.",
    "Ааа, ура-а-а! Нууу, тссс, брр, ха-ха-ха.",
    "Щас приду, ваще устал, чё ты как маленький.",
    "Это *важно*: 5*3 = 15, отель 4*, код *100#.",
    "Смеюсь :-) и плачу :( ¯\\_(ツ)_/¯ ❤️ 👨‍👩‍👧",
    "Пейте витамин C, поменяйте SIM-карту и USB-кабель.",
    "Ник xX_Volk_Xx, почта ivanov.p.s@mail.ru, файл /var/log/error.log, t.me/kanal",
    "Досмотрел Game of Thrones, купил Lego City, в меню pasta carbonara и tom yum.",
    "После 1. e4 c5 2. Кf3 d6 ход белых; ответ (А) Лима, (Б) Кито.",
    "Скорость v тела и радиус r окружности; где m — масса, а F — сила.",
    "for i in range(10): print(x != None)",
    "Фамилии: Казинов, Кредитова, Щебзухов, Пшебышевский.",
    "Яйцо С0 дороже, чем С1, а топ-3 прежний; на рецепте OD −1,75, OS −2,25.",
    "Поставь точку. Ру — не зона, а собака лает; тел. 8 900 123-45-67, домен яндекс.рф",
    "Въ городѣ былъ пожаръ, и всѣ бѣжали.",
    "Отличный отель 🔥🔥 и бар🍸, супер❤️",
    "#доброеутро всем, @user_name, пароль qW3rTy!uI0",
    "Функция сумма(а, б), друг(подруга), А∪В, sin х, вектор a⃗, 5м/с, лист 1л, класс 5Б и 7А, клавиша l1.",
    "Ник «Л_ё_х_а» и К.О.Т., в слове к_рова пропущена буква.",
    "Бр-р-р! Она п р о с т о молчала, понимаете? Просто. АлАТ по КоАП, ОДН и ГВС.",
    "Помощник* и **верный ответ** на хлеб|масло, мама+папа, чай&кофе; «вызвал1», 'стал', (со)автор и Ведь…у нас.",
    "АвтоВАЗ, КамАЗ, УрФО.",
    "Продам гречку по3рубля, звоните в6часов, есть6мест, весит от5кг; дай5рублей, работал с7лет, по3дня, на3й день.",
    "Купи3слона: у меня3кошки на4месяца, детям от3лет, осталось3шт, был с9до18часов.",
    "Покупка 349р PYATEROCHKA 5512; студент(ка), при(ш)ёл, [за]платил, «[В]от», (не)возможно.",
    "Karta *7788: oplata 1250.00 RUR; dostupno 8430.22 RUR",
    "Писатель Э. Т. А. Гофман и критик Н. Н. Страхов",
    "C'est la vie, mon ami, on n'y peut rien",
    "Корпус О5, база 7А, β-каротин, в7 часов, на3й день; под-снеж-ник-□; мо-ло-ко, ко-ро-ва.",
    "Играю под ником Т3рминатор, слово casino пришло из Италии; покр. — 1800 р.; в HTML пишут &#1071; и &lt;b&gt;.",
    "Отсюда точка ру выглядит лишней; летим в 🇫🇷, тональность C-dur, Латинское veni, vidi, vici знают все.",
    "Смотрю канал PIAN, зрители его хвалят.",
    "Ведёт ДедМазай0в, зрители — ЛисаПодДождём, 3axap и МойДомТут.",
    "Читаю по буквам: Д-У-Р-А-К, З А Г О Л О В О К набирают в разрядку.",
    "Передал: С, У, К, и, дальше ##-### и звук [дрян'], а Анна-Мария и Жан-Жак ждут.",
    "Д.м.н. Петров и д.э.н. Орлов (к.т.н.), и.о. директора, д.б.н.; с.-х. техника, м.п. и п.г.т. Лесной.",
    "Привiт, як справи? Добрий вечiр усiм, хто тут.",
    "Точки А, Б и В на прямой; отправь эс-эм-эс; дед пел «Ой, чий то кінь стоїть».",
    "Калі ласка, дзень добры, тры квіткі.",
]
"""Texts that every filter's owner has, and that no normalizer may touch, except `spoken` for what it is for."""

READ = [
    ("invisible", "ка\u200bзи\u00adно и к̶р̶е̶д̶и̶т̶", "казино и кредит"),
    ("invisible", "\u202eонизак\u202c ждёт", "казино ждёт"),
    (
        "contacts",
        "почта лена собака кошка точка ру, восемь девятьсот три нуля 12 34",
        "почта lena@koshka.ru, 8 900 000 12 34",
    ),
    ("invisible", "к&#1072;зино, &#1079;&#1072;&#1081;&#1084; и ка&#8203;зино", "казино, займ и казино"),
    ("masks", "О5 про100 100лица, с3лять и смо3", "Опять просто столица, стрелять и смотри"),
    ("evasion", "Ищу кзлу и читеров: кньяк, СпаМ, ппооддппииссии", "Ищу козлу и читеров: коньяк, спам, подписи"),
    ("contacts", "Звоните 8-9OO-OOO-15-I6 или 8️⃣9️⃣0️⃣0️⃣0️⃣0️⃣0️⃣9️⃣1️⃣9️⃣1️⃣", "Звоните 8-900-000-15-16 или 89000009191"),
    ("evasion", "каз🎰но, прид***к и жывотное", "казино, придурок и животное"),
    ("evasion", "касазисиносо, та-та-чка-чка и ЗАрабоТАТЬ", "казино, тачка и заработать"),
    ("skeleton", "кaзинo, Κрεдит и ｋрeдит", "казино, Кредит и кредит"),
    ("skeleton", "казіно и ʞɐdʎɓ", "казино и дурак"),
    ("masks", "к@зин0 и 3айм, 6ез справок", "казино и займ, без справок"),
    ("masks", "по3дно, по4та, 3аработок и 0плата", "поздно, почта, заработок и оплата"),
    ("masks", "каз*но, }|{аба и д0/\\/\\ары", "казино, жаба и доллары"),
    ("separators", "к.а.з.и.н.о и к р е д и т", "казино и кредит"),
    ("evasion", "Ты л.о.х. Он у.р.о.д. М.о.л.ч.и.", "Ты лох. Он урод. Молчи."),
    ("evasion", "Лучшее казiно", "Лучшее казино"),
    ("evasion", "с-т-а-в-к-и на спорт", "ставки на спорт"),
    ("separators", "«к а з и н о» (з а й м  б е з  о т к а з а)", "«казино» (займ  без  отказа)"),
    ("separators", "ка зино, пишитевличку", "казино, пишите в личку"),
    ("layout", "Заходи в rfpbyj сегодня", "Заходи в казино сегодня"),
    ("layout", "Ghbdtn? gbib d kbxre", "Привет, пиши в личку"),
    ("transliteration", "Наше kazino платит, пишите v li4ku", "Наше казино платит, пишите в личку"),
    ("transliteration", "Zdes rešenie za čas", "Здесь решение за час"),
    ("stretching", "кааазинооо и сссылка", "казино и ссылка"),
    ("spelling", "Любой кридит без справок", "Любой кредит без справок"),
    ("evasion", "K r e d i t, 6оооонус и м0шшшенники", "Кредит, бонус и мошенники"),
    ("evasion", "npuBeT, HeT geHer?", "привет, нет денег?"),
    ("evasion", "крдт без отказа, любые кредти и кXрXеXдXиXт", "кредит без отказа, любые кредит и кредит"),
    ("evasion", "ка<b></b>зино, ду́ра́к, |<азин() и OT3bIBbI", "казино, дурак, казино и отзывы"),
    ("evasion", "Не «карова», а «корова»; «превед», ооочень жду", "Не «карова», а «корова»; «превед», ооочень жду"),
    ("evasion", "Дамвдолг под расписку", "Дам в долг под расписку"),
    ("evasion", "Какой дур ак, пиши в в а й б е р", "Какой дурак, пиши в вайбер"),
    ("evasion", "Ш丹УРМ丹, ту((м))ан и 【Б】онус, ка(зи)но", "ШАУРМА, туман и бонус, казино"),
    ("separators", "быдwло, дураqк и придуъърок", "быдло, дурак и придурок"),
    ("evasion", "u menya uje 4as ne gruzit kartu", "у меня уже час не грузит карту"),
    ("contacts", "Мой телеграм собака vika нижнее подчёркивание nails", "Мой телеграм @vika_nails"),
    ("contacts", "Карта 22оо ОООО I234 5б78, сайт супердом точка рф", "Карта 2200 0000 1234 5678, сайт супердом.рф"),
    (
        "contacts",
        "Звоните восемь девятьсот шестнадцать два два три сорок пять семнадцать",
        "Звоните 8 916 223-45-17",
    ),
    ("contacts", "Мастер 8-девять-ноль-ноль-555-8О-8О", "Мастер 8-900-555-80-80"),
    ("invisible", "%D0%94%D0%B8%D0%BF%D0%BB%D0%BE%D0%BC за день", "Диплом за день"),
    ("evasion", "нужын шофёр, аплата сразу", "нужен шофёр, оплата сразу"),
    ("evasion", "Превед, познакомицца хочет дибил", "Привет, познакомиться хочет дебил"),
    ("evasion", "врть не буду, бтлк и кньк", "врать не буду, бутылка и коньяк"),
    ("evasion", "вызвал к@зино, а дома жнеа", "вызвал казино, а дома жена"),
    ("evasion", "с**а, п*здец и каз1ино", "сука, пиздец и казино"),
    ("skeleton", "ᴋᴩыᴄᴀ, ᴧᴏх и қαɜυɳσ", "крыса, лох и казино"),
    ("evasion", "прода.м дипло.м, ты д*рак", "продам диплом, ты дурак"),
    ("evasion", "Куплю кредeт и ду||рак||", "Куплю кредит и дурак"),
    ("evasion", "Жду на эм-а-эс-эс-а-жэ", "Жду на массаж"),
    ("evasion", "Какая ч у ш ь, и б р е д", "Какая чушь, и бред"),
    ("evasion", "да тыжалкийурод, ПРДИУРОК", "да ты жалкий урод, ПРИДУРОК"),
    ("evasion", "продам նարկօտիկ и kalyan, слив&nbsp;курсов", "продам наркотик и кальян, слив курсов"),
    ("evasion", "пиши в еудупкфь", "пиши в telegram"),
    ("people", "Превет, я незнаю когда оооочень поздно", "Привет, я не знаю когда очень поздно"),
    ("spoken", "Щас ваще никак", "Сейчас вообще никак"),
    ("spoken", "Ща. потом злой препод. Экз сдал за 5 мин", "Сейчас. потом злой преподаватель. Экзамен сдал за 5 минут"),
    ("spoken", "1 экз. до 5 марта, 90 руб., акк. 5, 88 уд./мин.", "1 экз. до 5 марта, 90 руб., акк. 5, 88 уд./мин."),
]


@pytest.mark.parametrize(("name", "written", "read"), READ)
def test_what_is_read(name: str, written: str, read: str) -> None:
    """Each normalizer reads what it is for."""
    assert Normalizer(name)(written).text.lower() == read.lower()


@pytest.mark.parametrize("name", [name for name in NAMES if name != "spoken"])
def test_clean_texts_stay(name: str) -> None:
    """No normalizer changes a clean text."""
    assert [script.text for script in Normalizer(name).texts(CLEAN)] == CLEAN


def test_one_slip_is_no_evasion() -> None:
    """A misspelt, glued or split word that nobody hides stays, unless the text hides another word, too."""
    slips = [
        "В результатетеракта никто не пострадал.",
        "Сидел между дву мя окнами.",
        "Он потребовал розпустить совет.",
        "Резул… то есть прибли- и опять резул…",
        "Мне пишут «читак», а я просто метко стреляю.",
    ]
    assert [script.text for script in Normalizer().texts(slips)] == slips
    assert Normalizer()("Сидел в к@зино между дву мя окнами").text == "Сидел в казино между двумя окнами"


def test_jokes_nicks_and_cries_stay() -> None:
    """What people write for fun, nicks, cries and rare words are no evasion, and no evidence for other words."""
    plain = [
        "Превед, медвед! Аффтар жжот, пеши исчо — классика нулевых.",
        "Тимка и Роам играют с K1ller и Zлатой, моя собака rex лает, Гооол!",
        "В конце батла объявили первые три пада, а вард поставили у рошана.",
        "Назначили 50 мкг, ТТГ пересдать через 6 нед. и 3 мес.",
    ]
    assert [script.text for script in Normalizer().texts(plain)] == plain


def test_case_is_kept() -> None:
    """A reading has the case of what was written; a sign at the start of a sentence stands for a capital."""
    assert Normalizer()("КА3ИHO, Кaзино и 3аткнись. 3аткнись").text == "КАЗИНО, Казино и заткнись. Заткнись"


_WORDS = st.sampled_from("казино к@зин0 kazino rfpbyj к а з.а.й.м * кaрта ду рак é 🅰️ і д0м \u200b".split(" "))  # noqa: SIM905
_TEXTS = st.lists(_WORDS | st.text(max_size=6), max_size=8).map(" ".join)


@pytest.mark.parametrize("name", NAMES)
@given(texts=st.lists(_TEXTS, max_size=4))
def test_laws(name: str, texts: list[str]) -> None:
    """Scripts replay; a text's script depends on it alone; the names of parts are noted; pickling changes nothing."""
    normalizer = Normalizer(name)
    scripts = normalizer.texts(texts)
    parts = set(NAMES)
    for text, script in zip(texts, scripts, strict=True):
        assert Script(text, script.edits).text == script.text
        assert script == normalizer(text)
        assert all(note and set((note.kind or "").split("+")) <= parts for note in script.notes)
    again = pickle.loads(pickle.dumps(normalizer))  # noqa: S301
    assert again.texts(reversed(texts)) == scripts[::-1]


@pytest.mark.parametrize("name", NAMES)
def test_words_met_before_at_the_start_of_a_sentence_change_nothing(name: str) -> None:
    """A capitalised word is judged otherwise there, and words that were judged are remembered."""
    texts = [f"Вчера {written.title()}" for _, written, _ in READ]
    starts = [f"{word} пришёл." for text in texts for word in text.split()]
    _texts.cache_clear()
    inside = Normalizer(name).texts(texts)
    _texts.cache_clear()
    normalizer = Normalizer(name)
    first = normalizer.texts(starts)
    assert normalizer.texts(texts) == inside
    assert normalizer.texts(starts) == first


@pytest.mark.parametrize("name", NAMES)
def test_idempotent(name: str) -> None:
    """What was read is not read again."""
    normalizer = Normalizer(name)
    once = [script.text for script in normalizer.texts([written for _, written, _ in READ])]
    assert [script.text for script in normalizer.texts(once)] == once


def test_own_attack_is_read_back() -> None:
    """Most words that the attack `evasion` hides are read back, and hardly another word changes."""
    texts = ["Продам диван недорого, пишите в личные сообщения.", "Вчера мы долго ждали автобус на остановке."] * 5
    attack = Augmenter(Evasion(probability=0.6), constraints=(), similarity=None, seed=3)
    hidden = [attack.texts([text], draw=draw)[0].text for draw, text in enumerate(texts)]
    read = [script.text.lower() for script in Normalizer().texts(hidden)]
    words = [
        (word, word in got.split()) for text, got in zip(texts, read, strict=True) for word in text.lower().split()
    ]
    assert sum(found for _, found in words) >= 0.9 * len(words)


def test_places_follow_the_text() -> None:
    """A span behind a reading moves with the text."""
    script = Normalizer()("Играй в к.а.з.и.н.о за 100 рублей")
    moved = script.map(Span(23, 26))
    assert moved is not None
    assert moved.of(script.text) == "100"


def test_records_keep_offsets_and_say_what_was_read() -> None:
    """A row gets its new text, and metadata that lead back to the old one."""
    (one,) = Normalizer().records([{"id": 1, "text": "kaзино ждёт"}])
    row = one.row()
    assert (row["text"], one.status) == ("казино ждёт", "normalized")
    assert row["normalized"]["edits"] == {"text": [[0, 6, "казино"]]}
    assert row["normalized"]["notes"] == {"text": [{"kind": "skeleton"}]}
    assert one.row("brief")["normalized"] == {"normalizer": "evasion", "status": "normalized"}


def test_readings_have_shares() -> None:
    """A word that can be read in several ways stays, and its readings are told with their shares."""
    normalizer = Normalizer()
    assert normalizer("к*т").text == "к*т"
    found = normalizer.readings("к*т", 2)
    assert [one.script.text for one in found] == ["кот", "кит"]
    assert 1 > found[0].score > found[1].score > 0


class NoDots(Normalization):
    """Removes dots."""

    name = "no_dots"

    def edits(self, text: str) -> Iterable[Edit]:
        """Return an edit for each dot."""
        return [Edit(at, at + 1, "") for at, char in enumerate(text) if char == "."]


class OfWords(Normalization):
    """Gives texts instead of edits."""

    name = "of_words"

    def edits(self, text: str) -> Any:  # noqa: ANN401
        """Return the words."""
        return text.split()


class OutOfText(Normalization):
    """Edits what is not in the text."""

    name = "out_of_text"

    def edits(self, text: str) -> list[Edit]:
        """Return an edit behind the end."""
        return [Edit(len(text) + 1, len(text) + 2, "z")]


def test_rounding_loses_no_best_reading() -> None:
    for written, meant in (
        ("в ^ л ю т ы", "валюты"),
        ("п а л ^ т ы растут", "палаты растут"),
        ("г е к т ^ р о в", "гектаров"),
    ):
        assert Normalizer()(written).text == meant


def test_own_normalizer_in_a_chain(tmp_path: Path) -> None:
    """A normalizer of the user's own is joined with others by a plus."""
    file = tmp_path / "my_normalizer.py"
    file.write_text(
        "from augment_ru import Edit, Normalization\n\n\nclass NoTs(Normalization):\n    name = 'no_ts'\n\n"
        "    def edits(self, text):\n"
        "        return [Edit(at, at + 1, '') for at, char in enumerate(text) if char == 'т']\n"
    )
    assert Normalizer(f"skeleton+{file}")("кaт").text == "ка"
    assert [note and note.kind for note in Normalizer(NoDots())("a.b").notes] == ["no_dots"]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Normalizer("no"), "no normalizer called 'no'"),
        (lambda: Normalizer(cast("Any", 3)), "is not a normalizer"),
        (lambda: Normalizer().texts("кот"), "call the normalizer itself"),
        (lambda: Normalizer().texts(cast("Any", [3])), "3 is no text; give a text"),
        (lambda: Normalizer().readings(cast("Any", 3)), "3 is no text; give a text"),
        (lambda: Normalizer(OutOfText())("кот"), "normalizer 'out_of_text', 'кот': Edit.* lies outside a text of 3"),
        (lambda: Normalizer().readings("кот", 0), "n"),
        (lambda: Normalizer(OfWords())("кот"), "edits\\(\\) gave 'кот'; give Edit\\(start, stop, text\\) for each"),
    ],
)
def test_errors(make: Callable[[], object], said: str) -> None:
    """A wrong argument is an error that says what to do."""
    with pytest.raises(AugmentError, match=said):
        make()


def test_command(tmp_path: Path) -> None:
    """The rows of a file are the same for any number of workers and a continued run."""
    rows = [{"id": number, "text": written} for number, (_, written, _) in enumerate(READ)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    options = [[], ["--workers", "2", "--part-size", "0.0005"], ["--resume", "--part-size", "0.0005"]]
    made = []
    for number, more in enumerate(options):
        out = tmp_path / f"{number}.jsonl"
        run("normalize", str(tmp_path / "in.jsonl"), "-o", str(out), "-q", *more, forks=True)
        made.append(out.read_bytes())
    assert made[0] == made[1] == made[2]
    texts = [json.loads(line)["text"] for line in made[0].decode().splitlines()]
    assert texts == [script.text for script in Normalizer().texts([written for _, written, _ in READ])]
