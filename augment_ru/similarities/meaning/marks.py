"""Words that change what a whole sentence claims: negators, numbers and restrictors, lost, added or exchanged."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from augment_ru.constraints.protection import protected
from augment_ru.constraints.rule_file import constraint
from augment_ru.language.morphology import lemmas_of
from augment_ru.resources import opposites
from augment_ru.similarities.meaning.words import Fates, digits_of
from augment_ru.text.doc import Doc, Token

_MARKS = ("negation", "numbers", "restrictors")
BINDING = frozenset({"не", "ни", "без", "безо", "нет"})
"""Negators that bind the word behind them."""


@lru_cache(maxsize=100_000)
def marks_of(word: str) -> frozenset[str]:
    """Which of the constraints `negation`, `numbers` and `restrictors` protect a word that stands alone."""
    doc = Doc(word, (Token(0, len(word), word, frozenset({"tokens"})),), frozenset({"tokens"}))
    return frozenset(name for name in _MARKS if protected((constraint(name),), {}, {"text": doc})["text"])


_DENYING = frozenset({"не", "нет", "нельзя", "невозможно", "нету"})


def negates(word: str) -> bool:
    """Whether a word negates by itself; «никто» and «никогда» only repeat the «не» of their sentence."""
    return "negation" in marks_of(word) and not word.startswith("ни")


@lru_cache(maxsize=100_000)
def _restricts(word: str) -> bool:
    return "restrictors" in marks_of(word)


def of_marks(fates: Fates) -> Iterator[tuple[str, float]]:
    """The features of negators, numbers and restrictors, and of words in whose place stands their opposite.

    What is added behind the text has features of its own.
    """
    source = fates.source
    lost = [source.forms[number] for number in fates.lost]
    inserted = [word for at, word in fates.inserted if at < len(source.forms)]
    old = [source.forms[number] for numbers, _ in fates.replaced for number in numbers]
    put = [word for _, words in fates.replaced for word in words]
    gone, new = lost + old, inserted + put
    if not (gone or new):
        return
    # a lost «невесёлый» is a lost word; a lost «не», and one that is put or replaced, turns the sentence over
    turned = sum(map(_DENYING.__contains__, lost)) + sum(map(negates, old)) - sum(map(negates, new))
    yield "negation_changed", float(turned % 2)
    restrictors, others = set(filter(_restricts, gone)), set(filter(_restricts, new))
    yield "restrictors_changed", float(len(restrictors) != len(others))
    if gone and new:
        yield from _exchanged(gone, new)


def _exchanged(gone: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, float]]:
    """The features of words in whose place others stand."""
    numbers, others = (
        {digits_of(word) or word for word in words if "numbers" in marks_of(word)} for words in (gone, new)
    )
    yield "numbers_exchanged", float(bool(numbers and others and numbers.isdisjoint(others)))
    lemmas = {lemma for word in new for lemma in lemmas_of(word)}
    yield (
        "opposite",
        float(any(opposites().get(lemma, frozenset()) & lemmas for word in gone for lemma in lemmas_of(word))),
    )
