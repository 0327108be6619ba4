"""Finds the words that hold a sentence together: what joins its parts, what it is about, and what it says of that."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from augment_ru.constraints.rule_file import Docs, Row
from augment_ru.edits import Span
from augment_ru.language.morphology import has_lemma, has_reading, readings
from augment_ru.text.doc import Token

_PREDICATES = frozenset({"VERB", "INFN", "ADJS", "PRTS", "PRED", "COMP", "GRND"})
_BEFORE_NOUN = frozenset({"ADJF", "PRTF", "NUMR", "ADVB", "PRCL"})
_BE = frozenset({"быть"})
_LINKS = _BE | {"стать", "становиться", "казаться", "показаться", "оказаться", "оказываться", "являться"}
_LIMITING = frozenset({
    "бывший", "будущий", "возможный", "другой", "единственный", "иной", "ложный", "мнимый", "остальной", "отдельный",
    "поддельный", "предполагаемый", "прочий",
})  # fmt: skip
"""Adjectives without which the noun means something else."""
_COORDINATORS = frozenset({"и", "а", "но", "да", "зато", "однако"})
_QUESTIONS = frozenset({
    "где", "зачем", "как", "какой", "каков", "когда", "который", "кто", "куда", "насколько", "откуда", "отчего",
    "почему", "сколько", "чей", "что",
})  # fmt: skip
_CASE_OF_PLACE = {"в": "loct", "во": "loct", "на": "loct", "к": "datv", "ко": "datv"}
_CASE_OF_PLACE = {"в": "loct", "во": "loct", "на": "loct", "к": "datv", "ко": "datv"}
_CASES = frozenset({"nomn", "gent", "datv", "accs", "ablt", "loct"})
_REACH = 4
"""The most words from a preposition or an adjective to its noun."""


def framework(_: Row, docs: Docs) -> Mapping[str, Sequence[Span]]:
    """Find these words by their labels.

    JOINT: a predicate of any kind but «быть», a conjunction, preposition or question word, without which the rest is
    read in another way. CORE: a noun, and a word in the place of a noun. PHRASE: a preposition with its noun.
    """
    return {name: list(_spans(doc.tokens)) for name, doc in docs.items()}


def _spans(tokens: Sequence[Token]) -> Iterator[Span]:
    words = [token.text.lower() for token in tokens]
    kinds = [_kind(word) for word in words]
    for at, kind in enumerate(kinds):
        label = "" if _is_mark(words[at]) else _label(words, kinds, at)
        if label:
            yield Span(tokens[at].start, tokens[at].stop, label)
        if kind == "PREP" and (noun := _noun(kinds, at)):
            yield Span(tokens[at].start, tokens[noun].stop, "PHRASE")


def _label(words: Sequence[str], kinds: Sequence[str], at: int) -> str:
    """Return the label of a word; "" for one that only adds to others."""
    kind, word = kinds[at], words[at]
    if has_lemma(word, _QUESTIONS) or (kind in _PREDICATES and not has_lemma(word, _BE)):
        return "JOINT"
    if kind == "CONJ":
        return "" if _opens_clause(words, kinds, at) else "JOINT"
    if kind == "PREP":
        return "" if _tells_place(words, kinds, at) else "JOINT"
    if kind in ("ADJF", "PRTF") and has_lemma(word, _LIMITING):
        return "JOINT"
    if kind in ("ADJF", "PRTF"):
        return "" if _is_attribute(words, kinds, at) else "CORE"
    if kind in ("ADVB", "PRCL", "INTJ"):
        predicates = has_reading(word, "PRED") or (has_reading(word, "ADJS") and _is_alone(words, kinds, at))
        return "JOINT" if predicates else ""
    return "" if kind == "NPRO" and has_reading(word, "nomn") else "CORE"


@lru_cache(maxsize=100_000)
def _kind(word: str) -> str:
    """Return the part of speech of the likeliest reading; "" for marks and words that are not Russian."""
    return readings(word)[0].pos


def _noun(kinds: Sequence[str], at: int) -> int | None:
    """Return the number of the noun or pronoun that a preposition or adjective precedes; None without one."""
    for place in range(at + 1, min(at + 1 + _REACH, len(kinds))):
        if kinds[place] in ("NOUN", "NPRO"):
            return place
        if kinds[place] not in _BEFORE_NOUN:
            break
    return None


def _is_alone(words: Sequence[str], kinds: Sequence[str], at: int) -> bool:
    """Tell whether the clause of an adverb has no predicate but a link verb, so that the adverb is one: «стало ясно»."""
    first = next((place + 1 for place in range(at - 1, -1, -1) if _is_mark(words[place])), 0)
    last = next((place for place in range(at + 1, len(words)) if _is_mark(words[place])), len(words))
    return not any(kinds[place] in _PREDICATES and not has_lemma(words[place], _LINKS) for place in range(first, last))


def _is_mark(word: str) -> bool:
    return not any(map(str.isalnum, word))


def _opens_clause(words: Sequence[str], kinds: Sequence[str], at: int) -> bool:
    """Tell whether a coordinator stands behind a mark or in front, and a predicate follows before the next mark."""
    free = words[at] in _COORDINATORS and (at == 0 or _is_mark(words[at - 1]))
    if not free or words[at + 1 : at + 2] in (["не"], ["и"]):
        return False
    for word, kind in zip(words[at + 1 :], kinds[at + 1 :], strict=True):
        if _is_mark(word):
            break
        if kind in _PREDICATES:
            return True
    return False


def _tells_place(words: Sequence[str], kinds: Sequence[str], at: int) -> bool:
    """Tell whether a preposition may be left out, as the case of its noun alone still says where: «живёт [в] городе»."""
    case = _CASE_OF_PLACE.get(words[at])
    noun = _noun(kinds, at) if case else None
    return noun is not None and kinds[noun] == "NOUN" and has_reading(words[noun], case or "")


def _is_attribute(words: Sequence[str], kinds: Sequence[str], at: int) -> bool:
    """Tell whether an adjective stands before a noun that it agrees with."""
    noun = _noun(kinds, at)
    return noun is not None and not _agreement(words[at]).isdisjoint(_agreement(words[noun]))


@lru_cache(maxsize=100_000)
def _agreement(word: str) -> frozenset[tuple[str, bool]]:
    """Return the cases that a word may have, each with whether it is plural then."""
    return frozenset((case, "plur" in one.grammemes) for one in readings(word) for case in _CASES & one.grammemes)
