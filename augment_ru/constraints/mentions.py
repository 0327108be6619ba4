"""Finds phrases in a text in any grammatical form: «Белая» in «на Белой»."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from augment_ru.edits import Span
from augment_ru.language.morphology import GENDERS, Reading, readings
from augment_ru.language.tokens import readable
from augment_ru.text.words import LETTERS_AND_DIGITS

_ENDINGS = (
    "", "а", "я", "у", "ю", "о", "е", "ы", "и", "ь", "ой", "ей", "ою", "ею", "ом", "ем", "ью", "ам", "ям", "ами", "ями",
    "ах", "ях", "ого", "его", "ому", "ему", "ым", "им", "ых", "их", "ая", "яя", "ое", "ее", "ый", "ий", "ую", "юю",
    "ыми", "ими",
)  # fmt: skip
_SHORTEST_STEM = 3
_NOMINAL = frozenset({"NOUN", "ADJF", "PRTF", "NUMR"})


def mentions(text: str, phrases: Sequence[str], label: str) -> Iterator[Span]:
    """Find the phrases in a text as whole words, in any grammatical form and letter case.

    A word that has a capital in the phrase must have one in the text, too: «Уса» is found in «по Усе», not in «усы в
    инее». This is not required in a text without capitals, or for a word that is most likely a name («с парижем»).

    Args:
        text: the text.
        phrases: the phrases.
        label: the label of the spans that are returned.

    >>> text = "Кама впадает в Волгу. Берега Камы круты, завод «Камаз» стоит."
    >>> [text[span.start : span.stop] for span in mentions(text, ["Кама"], "MAIN")]
    ['Кама', 'Камы']
    """
    text, origin = readable(text)
    there = list(LETTERS_AND_DIGITS.finditer(text))
    caseless = not any(word[0][0].isupper() for word in there)
    for phrase in dict.fromkeys(readable(phrase)[0] for phrase in phrases):
        wanted = list(LETTERS_AND_DIGITS.finditer(phrase))
        if not wanted:
            continue
        gaps = [phrase[left.end() : right.start()].strip() for left, right in pairwise(wanted)]
        initial = _folded(wanted[0][0][0])
        for at in range(len(there) - len(wanted) + 1):
            if _folded(there[at][0][0]) != initial:
                continue
            run = there[at : at + len(wanted)]
            if not all(_is_form(one[0], form[0], caseless=caseless) for one, form in zip(wanted, run, strict=True)):
                continue
            if gaps == [text[left.end() : right.start()].strip() for left, right in pairwise(run)]:
                start, stop = run[0].start(), run[-1].end()
                yield Span(origin[start], origin[stop], label) if origin else Span(start, stop, label)


def outermost(spans: Iterable[Span]) -> list[Span]:
    """Return the spans that do not lie inside another one: «Большая Уса» without the «Уса» in it."""
    found: list[Span] = []
    for span in sorted(set(spans), key=lambda span: (span.start, -span.stop)):
        if not found or span.stop > found[-1].stop:
            found.append(span)
    return found


def _is_form(word: str, form: str, *, caseless: bool) -> bool:
    """Tell whether `form` is a grammatical form of `word`; `caseless` says that the text has no capitals."""
    if word == form or _folded(word) == _folded(form):
        return True
    if word[0].isupper() and not (form[0].isupper() or caseless or _is_name(form)):
        return False
    return word[0].casefold() == form[0].casefold() and inflected(_folded(word), _folded(form))


def _is_name(form: str) -> bool:
    """Tell whether the likeliest reading of a word in lower case is a name."""
    return any(reading.name for reading in readings(form)[:1])


@lru_cache(maxsize=100_000)
def _folded(word: str) -> str:
    return word.casefold().replace("ё", "е")


@lru_cache(maxsize=100_000)
def inflected(word: str, form: str) -> bool:
    """Tell whether two words in lower case are forms of the same noun, adjective or numeral.

    If one of the words is not in the dictionary, their stems are compared.

    >>> inflected("орел", "орла"), inflected("шталем", "шталь"), inflected("казань", "казанка")
    (True, True, False)
    """
    ours, theirs = readings(word), readings(form)
    if any(_same(one, other) for one in ours for other in theirs):
        return True
    if any(reading.known for reading in ours) and any(reading.known for reading in theirs):
        return False
    return bool(_stems(word) & _stems(form))


def _same(one: Reading, other: Reading) -> bool:
    """Tell whether two readings belong to the same word; an adjective in two genders counts as two words."""
    if one.lemma.replace("ё", "е") != other.lemma.replace("ё", "е") or not {one.pos, other.pos} <= _NOMINAL:
        return False
    if "ADJF" not in {one.pos, other.pos}:
        return True
    return bool(one.grammemes & other.grammemes & GENDERS) or "plur" in one.grammemes | other.grammemes


def _stems(word: str) -> frozenset[str]:
    """Return the stems that a word may have: the word without each ending that it may end in."""
    return frozenset(
        word[: len(word) - len(ending)]
        for ending in _ENDINGS
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM
    )
