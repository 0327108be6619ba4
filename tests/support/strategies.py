"""Hypothesis strategies: texts as users have them, scripts, and all registered attacks."""

from hypothesis import strategies as st

from augment_ru import Chain, Edit, Script, SomeOf, Span
from augment_ru.engine.attack import Attack, make
from augment_ru.registry import names

ATTACKS = [name for name in names("attacks") if not make(name).permutes_options]
"""The attacks that change words; those that permute the options of rows have laws of their own."""
OFFLINE = [name for name in ATTACKS if name not in ("back_translation", "bae", "paraphrase")]
"""The attacks that run no network."""
BY_WORD = [
    name for name in ATTACKS if name not in ("add_sent", "address", "back_translation", "names", "paraphrase", "speech")
]
"""The attacks that make many small changes instead of changing a whole sentence."""

SENTENCES = (
    "Вчера Анна Ахматова гуляла по Москве и кормила 25 голубей.",
    "Он купил 2,5 кг яблок (свежих!) за 300 руб. — дёшево…",
    "«Зенит» обыграл «Спартак» со счётом 3:1; болельщики ликовали.",
    "Пишите на info@mail.ru, читайте https://ru.wikipedia.org/wiki/Кот_(значения), #новости от @редакция!",
    "За́мок стоит на горе́, а замо́к висит на двери.",
    "Й и ё бывают разложены: й, ё; а флаг 🇷🇺, семья 👨‍👩‍👧 и ладонь 👋🏽 — целы.",
    "Из-за дождя матч отменили, кое-кто расстроился.\nЗавтра будет солнце.",
    "   Двойные  пробелы\tи табуляция\u00a0— не беда.  ",
    "<b>Жирный</b> текст &amp; markdown **важно** `код`",
    "ЭТОТ ГОРОД основал Пётр I в 1703 году",
    "eto translit, and this is English text",
    "я",
    "",
    "  \n ",
    "…?!",
    "🙂🙂",
)

_ALPHABET = st.one_of(
    st.sampled_from(list("абвгдеёжзийклмнопрстуфхцчшщъыьэюяАБВЁЪ  \n,.!?-—«»()@#/:’")),
    st.sampled_from(["\u0301", "\u0306", "\u200d", "\ufe0f", "🇷", "🇺", "👋", "🏽", "1", "7", "\u00a0", "\u00ad", "\r"]),
    st.characters(exclude_categories=["Cs"]),
)


def texts() -> st.SearchStrategy[str]:
    """Draw sentences, sentences with an odd insertion, and arbitrary strings."""
    odd = st.text(_ALPHABET, max_size=12)
    mixed = st.builds(
        lambda text, at, more: text[: at % (len(text) + 1)] + more + text[at % (len(text) + 1) :],
        st.sampled_from(SENTENCES),
        st.integers(0, 200),
        odd,
    )
    return st.one_of(st.sampled_from(SENTENCES), mixed, st.text(_ALPHABET, max_size=40))


PROMISED = (
    "```python\nпечать = 'Кошка спит.'\n```",
    "\n~~~\nкошка спит, собака бежит\n~~~\n",
    "``кошка ` спит``",
    "<code>кошка спит</code>",
    "<pre>Кошка спит,\nсобака бежит.</pre>",
    "<script>если (кошка) спит;</script>",
    "<style>кошка {цвет: белый}</style>",
    r"$v_{кошка} = 5$",
    "$$ кошка + собака $$",
    r"\(кошка + собака\)",
    r"\[кошка^2\]",
    "{кошка}",
    "{{кошка спит}}",
    "%(кошка)s",
    "<кошка>",
)
"""Code, formulas and placeholders in which nothing may change."""
INDENTED = "\n\n    кошка = спит(собака)\n    если кошка:\n        бежит()\n"
"""Code that is indented."""


def texts_with_promises() -> st.SearchStrategy[tuple[str, list[str]]]:
    """Draw a text of sentences with code, formulas and placeholders between them, and a list of these insertions."""

    def put_together(sentences: list[str], kept: list[str], gap: str) -> tuple[str, list[str]]:
        parts = [part for pair in zip(sentences, [*kept, ""], strict=False) for part in pair]
        return gap.join(parts), [part.strip("\n") for part in kept]

    between = st.sampled_from([*PROMISED, INDENTED])
    prose = st.sampled_from([text for text in SENTENCES if "`" not in text])
    return st.lists(between, min_size=1, max_size=3).flatmap(
        lambda kept: st.builds(
            put_together, st.lists(prose, min_size=len(kept) + 1, max_size=len(kept) + 1), st.just(kept),
            st.sampled_from([" ", "\n"]),
        )
    )  # fmt: skip


def texts_of_json() -> st.SearchStrategy[object]:
    """Draw objects and lists of JSON whose texts are sentences."""
    leaves = st.one_of(st.sampled_from(SENTENCES), texts(), st.none(), st.booleans(), st.integers(-9, 99))
    inner = st.recursive(
        leaves,
        lambda each: st.one_of(
            st.lists(each, max_size=3), st.dictionaries(st.sampled_from(["кошка", "Имя", "text"]), each, max_size=3)
        ),
        max_leaves=6,
    )
    return inner.filter(lambda value: isinstance(value, list | dict))


@st.composite
def scripts(draw: st.DrawFn, source: str | None = None) -> Script:
    """Draw a script of a few edits, which may change nothing or touch each other."""
    text = draw(st.text("abc", max_size=8)) if source is None else source
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    edits: dict[tuple[int, int], Edit] = {}
    for place in zip(places[::2], places[1::2], strict=False):
        edits[place] = Edit(*place, draw(st.text("xyz", max_size=2)))
    return Script(text, edits.values())


@st.composite
def spans_of(draw: st.DrawFn, text: str) -> Span:
    """Draw a span of the text."""
    start, stop = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
    return Span(start, stop)


def attacks() -> st.SearchStrategy[Attack]:
    """Draw a registered attack with any probability, or a composition."""
    single = st.builds(
        lambda name, probability: make(name, {"probability": probability}),
        st.sampled_from(ATTACKS),
        st.sampled_from([0.01, 0.15, 0.5, 1.0]),
    )
    several = st.lists(single, min_size=1, max_size=3).map(tuple)
    return st.one_of(single, several.map(Chain), several.map(lambda parts: SomeOf(parts, 1)))
