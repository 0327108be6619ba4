"""Protects words that deny by themselves: those written together with не- or без-, and words such as «запретить»."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, partial

from augment_ru.constraints.rule_file import OfWords
from augment_ru.language.morphology import Reading, lemmas_of, readings
from augment_ru.resources import denials

_SHORTEST = 4
"""The fewest letters after «не»: words with a shorter rest have it by chance («немой», «неон», «невод»)."""
_WITHOUT = re.compile(r"без(?=[бвгджзлмнрйъ]|[аиоуэюя])|бес(?=[кпстфхцчшщ])")
"""The prefix as it is spelt before voiced and before voiceless letters; so «бесноватый» does not have it."""
_UNLIKE = re.compile(r"(ие|ье|ость|ица|ник|ство|щина)$")
"""Endings of nouns that are made from «без» and a noun: «бездорожье», «безработица»."""
_PASSIVE = re.compile(r"([иеё]м|[ая]нн|енн)(ый|о)$")
"""Endings of words for what cannot be done or was not done: «невиданный», «неоспоримо».

The rest of such a word is often not a word by itself.
"""
_CLASSES = {
    "NOUN": "noun", "ADJF": "adjective", "PRTF": "adjective", "ADJS": "short", "PRTS": "short", "ADVB": "short",
    "PRED": "short", "COMP": "short",
}  # fmt: skip
"""The classes of the parts of speech that не- is joined to; parts of speech of one class may stand for each other.

«неработающий» is an adjective, «работающий» a participle.
"""
_FINITE = frozenset({"VERB", "INFN", "PRTF", "PRTS", "GRND"})


@lru_cache(maxsize=100_000)
def denies(word: str) -> bool:
    """Tell whether a word denies, forbids or ends something by itself.

    >>> [denies(word) for word in ("запрещён", "неправильно", "безвкусный", "неплохой", "неделя", "невеста", "беседа")]
    [True, True, True, True, False, False, False]
    """
    word = word.lower()
    return says_opposite(word) or (word.startswith(_starts()) and _says(word, "denies"))


@partial(OfWords, may=denies)
def negation(words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Find the words that deny in a text: «Он [недоволен]: суд [отверг] жалобу».

    Args:
        words: the tokens of the text.

    Yields:
        The index of the first token of a span, the index of its last token, and its label.
    """
    return ((at, at, "NEGATION") for at, word in enumerate(words) if denies(word))


@lru_cache(maxsize=100_000)
def says_opposite(word: str) -> bool:
    """Tell whether a word begins with не- or без- and means the opposite of the rest of the word.

    >>> [says_opposite(word) for word in ("недоволен", "недооценил", "бесплатно", "небо", "немец", "запрещён")]
    [True, True, True, False, False, False]
    """
    word = word.lower()
    if not word.startswith(("не", "бе")) or _says(word, "affirms"):
        return False
    if word.startswith("не"):
        return _is_opposite(word, word[2:])
    prefix = _WITHOUT.match(word)
    return prefix is not None and _is_without(word, word[prefix.end() :])


def _is_opposite(word: str, rest: str) -> bool:
    """Tell whether a word without its не- is a word of the same class: true for «неправда», false for «неделя».

    Args:
        word: the word in lower case.
        rest: the word without не-.
    """
    if word.startswith("недо") and any(one.pos in _FINITE and one.known for one in readings(word)):
        return any(one.pos in _FINITE and one.known for one in (*readings(rest[2:]), *readings(rest)))
    if len(rest) < _SHORTEST:
        return False
    if any(one.pos in _CLASSES and one.known and _PASSIVE.search(one.lemma) for one in readings(word)):
        return True
    return says_opposite(rest) or any(
        _is_pair(one, other) for other in readings(rest) if _is_common(other) for one in readings(word)
    )


def _is_pair(one: Reading, other: Reading) -> bool:
    kind = _CLASSES.get(one.pos)
    if kind is None or kind != _CLASSES.get(other.pos):
        return False
    return kind != "noun" or one.lemma == "не" + other.lemma


def _is_common(reading: Reading) -> bool:
    """Tell whether a reading is a word of the dictionary, and neither a name nor a pronoun."""
    return reading.known and not reading.name and "Apro" not in reading.grammemes


def _is_without(word: str, rest: str) -> bool:
    """Tell whether a word with без- means that something is lacking, as «бездорожье» does, but not «безе».

    It must be an adjective, an adverb, or a noun that is made from an adjective or from another noun.

    Args:
        word: the word in lower case.
        rest: the word without the prefix.
    """
    kinds = [(one, _CLASSES.get(one.pos)) for one in readings(word)]
    if any(kind == "adjective" and not one.name for one, kind in kinds):  # also an unknown one: «безголевой»
        return True
    of_noun = any(other.pos == "NOUN" and _is_common(other) for other in readings(rest))
    known = [(one, kind) for one, kind in kinds if _is_common(one)]
    return any(kind == "short" or (kind == "noun" and (of_noun or _UNLIKE.search(one.lemma))) for one, kind in known)


def _says(word: str, what: str) -> bool:
    known = denials()
    return any(known.get(lemma) == what for lemma in lemmas_of(word))


@cache
def _starts() -> tuple[str, ...]:
    """Return the first three letters of the words that deny; a word with another beginning needs no analysis."""
    return tuple({lemma[:3] for lemma, what in denials().items() if what == "denies"})
