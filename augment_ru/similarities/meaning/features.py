"""The features of edits: numbers that say what a text loses; `dictionaries/meaning.tsv` explains each.

The file goes from words that change what a sentence claims (negators, numbers, restrictors) to words that moved, words
that replace others, and words that are lost or misspelt.
"""

from bisect import bisect, bisect_left, insort
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from operator import add, ne
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from augment_ru.constraints.protection import protected
from augment_ru.constraints.rule_file import constraint
from augment_ru.language.frequency import information
from augment_ru.language.morphology import has_form, is_known, lemmas_of, word_kind
from augment_ru.language.slovnet import word_vector
from augment_ru.resources import opposites
from augment_ru.similarities.meaning.words import ATTRIBUTES, NOMINAL, Fates, Source, digits_of
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
    """Tell whether a word negates by itself; «никто» and «никогда» only repeat the «не» of their sentence."""
    return "negation" in marks_of(word) and not word.startswith("ни")


def of_marks(fates: Fates) -> Iterator[tuple[str, float]]:
    """Yield the features of negators, numbers and restrictors, and of words replaced by their opposite.

    Words added behind the text are not read here: `of_added` reads them.
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
    restrictors, others = ({word for word in words if "restrictors" in marks_of(word)} for words in (gone, new))
    yield "restrictors_changed", float(len(restrictors) != len(others))
    if gone and new:
        yield from _exchanged_words(gone, new)


def _exchanged_words(gone: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield the features of numbers that other numbers replace, and of words that their opposites replace."""
    numbers, others = (
        {digits_of(word) or word for word in words if "numbers" in marks_of(word)} for words in (gone, new)
    )
    yield "numbers_exchanged", float(bool(numbers and others and numbers.isdisjoint(others)))
    lemmas = {lemma for word in new for lemma in lemmas_of(word)}
    yield (
        "opposite",
        float(any(opposites().get(lemma, frozenset()) & lemmas for word in gone for lemma in lemmas_of(word))),
    )


_PASSIVE = frozenset({"participle"})
_GOVERNED = NOMINAL | {"adjective"}
"""What stands behind a preposition."""


def of_moved(fates: Fates) -> Iterator[tuple[str, float]]:
    """Yield the features of words that stand at another place, while no other words came in."""
    if fates.order is None or (fates.is_guess and fates.replaced):
        return
    source, moved, order = fates.source, set(fates.moved), fates.order
    left = sorted(order)
    first, end = _exchanged_stretch(order, left)
    place = {number: at for at, number in enumerate(order[first:end], first)}
    far = sum(abs(place[number] - bisect_left(left, number)) for number in moved if number in place)
    yield "moved_far", far / len(order)
    yield from _parted(source, place)
    yield from _newly_beside(fates, moved)
    yield from _exchanged(source, sorted(moved & place.keys()), place)


def _exchanged_stretch(order: Sequence[int], left: Sequence[int]) -> tuple[int, int]:
    """Return the first place and the one behind the last where the order differs, with a neighbour on either side."""
    others = list(map(ne, order, left))
    if True not in others:
        return 0, 0
    return max(others.index(True) - 1, 0), len(others) - others[::-1].index(True) + 1


def _parted(source: Source, place: Mapping[int, int]) -> Iterator[tuple[str, float]]:
    """Yield the features of neighbours that belong together and were parted."""
    for left, at in sorted(place.items()):
        right = left + 1
        to = place.get(right)
        if to is None or to == at + 1 or not source.are_beside(left, right):
            continue
        role, following = source.kind(left).role, source.kind(right)
        if source.forms[left] in BINDING:
            yield "turned_negation" if to < at else "parted_negation", 1.0
        elif role == "preposition" and to < at:
            yield "turned_preposition", 1.0
        elif role == "noun" and following.role in {"noun", "adjective"} and "gent" in following.cases:
            yield "parted_genitive", 1.0


def _newly_beside(fates: Fates, moved: set[int]) -> Iterator[tuple[str, float]]:
    """Yield the features of words that have become neighbours."""
    source = fates.source
    for before, after in pairwise(fates.order or ()):
        if after == before + 1:
            continue
        if source.kind(before).role == "preposition":
            fits = source.kind(after).role in _GOVERNED
            yield "other_after_preposition" if fits else "wrong_after_preposition", 1.0
        if source.forms[before] in BINDING:
            yield "other_negated", 1.0
        if source.clauses[before] != source.clauses[after] and (before in moved or after in moved):
            yield "clause_edge", 1.0


def _exchanged(source: Source, moved: Sequence[int], place: Mapping[int, int]) -> Iterator[tuple[str, float]]:
    """Pairs of words of one role whose order is reversed; a long text may have billions of pairs."""
    nominals = alike = verbs = 0
    places: dict[frozenset[str] | None, list[int]] = {}  # where the words so far stand, by their cases; None is verbs
    for number in moved:
        kind, at = source.kind(number), place[number]
        if kind.role in NOMINAL:
            for cases, found in places.items():
                if cases is not None:
                    reversed_ = len(found) - bisect(found, at)
                    nominals += reversed_
                    alike += reversed_ if kind.cases & cases else 0
            insort(places.setdefault(kind.cases, []), at)
        elif kind.role == "verb":
            found = places.setdefault(None, [])
            verbs += len(found) - bisect(found, at)
            insort(found, at)
    yield from (("exchanged_nominals", float(nominals)), ("exchanged_same_case", float(alike))) if nominals else ()
    yield from (("exchanged_verbs", float(verbs)),) if verbs else ()


def of_reshaped(fates: Fates) -> Iterator[tuple[str, float]]:
    """Yield the features of words that stand in another form: who does what to whom.

    If a noun came into the nominative, and another one left it, or may be either («мать») and stood before it, they
    exchanged roles; unless a passive exchanged them back.
    """
    source = fates.source
    nouns = [
        (number, source.forms[number], form) for number, form in fates.reshaped if source.kind(number).role in NOMINAL
    ]
    came = {number for number, old, new in nouns if not _is_lemma(old) and _is_lemma(new)}
    left = any(_is_lemma(old) and not _is_lemma(new) for _, old, new in nouns)
    forms = [form for _, form in fates.reshaped]
    forms += [word for _, found in fates.replaced for word in found]
    forms += [word for _, word in fates.inserted]
    passive = any(word_kind(form).role in _PASSIVE or form.endswith("ся") for form in forms)
    exchanged = came and (left or _is_overtaken(fates, came))
    yield "exchanged_roles", float(bool(exchanged and not passive))


def _is_overtaken(fates: Fates, came: Container[int]) -> bool:
    """Tell whether one of these words now stands before a noun that stood before it and may be subject or object."""
    place = {number: at for at, number in enumerate(fates.order or ())}
    last = -1
    for number, form in enumerate(fates.source.forms if place else ()):
        at = place.get(number)
        if at is None:
            continue
        if at < last and number in came:
            return True
        kind = word_kind(form)
        if kind.role in NOMINAL and {"nomn", "accs"} <= kind.cases:
            last = max(last, at)
    return False


def _is_lemma(word: str) -> bool:
    return lemmas_of(word)[0] == word


Vector: TypeAlias = npt.NDArray[np.float64]

_BLOCK = 512
"""Replaced stretches that are compared at once."""
_FEW = 64
"""Pairs of vectors that are multiplied one by one."""
_ROUNDING = 1e-9
"""A bound above the difference of two products of the same vectors of length 1."""
_KEPT_WORDS = 8
"""The loss of up to so many words is kept: the same letters often make the same words («и» for «в»)."""
_TELLS = 0.5
"""The least information of a word by which a sentence is about something."""


class Rewriting(NamedTuple):
    """The loss and the news where words replace others, by word vectors.

    Attributes:
        unsaid: the information of the old words that is not said any more.
        unheard: that of the new words that was not said before.
        unsaid_most, unheard_most: the most of a single word.
    """

    unsaid: float
    unheard: float
    unsaid_most: float
    unheard_most: float

    @classmethod
    def of(cls, old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]) -> "Rewriting":
        """Compare stretches of words with the words that replace them.

        Args:
            old: the words of each stretch.
            new: the words that replace them, by the same stretches.
        """
        if sum(map(len, old)) + sum(map(len, new)) <= _KEPT_WORDS:
            return _kept(tuple(map(tuple, old)), tuple(map(tuple, new)))
        return _compared(old, new)

    def features(self, total: float) -> Iterator[tuple[str, float]]:
        """Yield the features in a text whose words have this information in all."""
        yield "unsaid", self.unsaid / total
        yield "unheard", min(self.unheard / total, 1.0)
        yield "unsaid_most", self.unsaid_most
        yield "unheard_most", self.unheard_most


def _compared(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]) -> Rewriting:
    unsaid = [information(word) * far for word, far in apart(old, new)]
    unheard = [information(word) * far for word, far in apart(new, old)]
    return Rewriting(sum(unsaid), sum(unheard), max(unsaid, default=0.0), max(unheard, default=0.0))


_kept = lru_cache(maxsize=20_000)(_compared)


def of_rewritten(fates: Fates) -> Iterator[tuple[str, float]]:
    """Yield the features of words that other words replace."""
    forms = fates.source.forms
    old = [[forms[number] for number in numbers] for numbers, _ in fates.replaced]
    yield from Rewriting.of(old, [found for _, found in fates.replaced]).features(fates.source.total)


def apart(ones: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> Iterator[tuple[str, float]]:
    """Yield each word of one side, and how far it is from the nearest of the other: 1 minus the cosine, in [0, 1].

    Args:
        ones: the words of one side, by stretch of the text.
        others: those of the other side, by the same stretches. In a text of more than `_BLOCK` stretches a word is
            compared with those of its own block of so many and of the blocks beside it, so that time grows with the
            text, not with its square.
    """
    for start in range(0, len(ones), _BLOCK):
        mine = list(chain.from_iterable(ones[start : start + _BLOCK]))
        near = dict.fromkeys(chain.from_iterable(others[max(0, start - _BLOCK) : start + 2 * _BLOCK]))
        far = _apart_from(dict.fromkeys(mine), near)  # long texts repeat their words
        yield from ((word, far[word]) for word in mine)


def _apart_from(ones: Iterable[str], others: Iterable[str]) -> dict[str, float]:
    """Return the distance of each word from the nearest word of the other side, in [0, 1]."""
    lemmas = {lemma for word in others for lemma in lemmas_of(word)}
    vectors = [vector for word in others if (vector := word_vector(word)) is not None]
    found = {}
    asked: dict[str, Vector] = {}
    for word in ones:
        if not lemmas.isdisjoint(lemmas_of(word)):
            found[word] = 0.0
        elif not vectors or (mine := word_vector(word)) is None:
            found[word] = 1.0
        else:
            asked[word] = mine
    nearest = _nearest(list(asked.values()), vectors)
    return found | {word: 1 - min(max(cosine, 0.0), 1.0) for word, cosine in zip(asked, nearest, strict=True)}


def _nearest(ones: Sequence[Vector], others: Sequence[Vector]) -> list[float]:
    """The largest product of each vector with one of the others; the number of vectors does not change its digits.

    A product of matrices rounds in another way than one of vectors, so it only finds the vectors near the largest.
    """
    if len(ones) * len(others) <= _FEW:
        return [max(float(one @ other) for other in others) for one in ones]
    rough = np.stack(ones) @ np.stack(others).T
    close = rough >= rough.max(axis=1, keepdims=True) - _ROUNDING
    return [
        max(float(one @ others[at]) for at in np.flatnonzero(row).tolist())
        for one, row in zip(ones, close, strict=True)
    ]


def of_added(fates: Fates) -> Iterator[tuple[str, float]]:
    """Yield the features of words that were added: inside the text, and behind it, where they may contradict it."""
    if not fates.inserted:
        return
    end = len(fates.source.forms)
    yield "inserted", float(sum(at < end for at, _ in fates.inserted))
    behind = [word for at, word in fates.inserted if at == end]
    if not behind:
        return
    own = {lemma for form in fates.source.forms for lemma in lemmas_of(form)}
    telling = [word for word in behind if information(word) > _TELLS]
    shared = [word for word in telling if not own.isdisjoint(lemmas_of(word))]
    yield "added_same", sum(map(information, shared)) / max(sum(map(information, telling)), 1.0)
    yield "added_denial", float(bool(shared) and any(map(negates, behind)))


_FUNCTION = frozenset({"preposition", "conjunction", "particle", "interjection"})
_ACTIONS = frozenset({"verb", "infinitive", "gerund"})
_LIGHT = 0.6
"""Verbs and modifiers of less information are read without being there: «был», «стал», «самый», «этот»."""
_LIGHT_NAME = 0.4
_LIGHT_PREPOSITION = 0.45
"""Prepositions of more information tell something by themselves: «через», «после»; not «в», «на», «для»."""
_QUESTIONS = frozenset({
    "где", "зачем", "как", "какой", "каков", "когда", "который", "кто", "куда", "откуда", "почему", "сколько", "чей",
    "что",
})  # fmt: skip
_TELLING = frozenset({"action", "argument", "circumstance", "modifier", "preposition", "question"})
SHORT = 3
LEGIBLE, ILLEGIBLE = 0.2, 0.6
"""The shares of changed letters up to which a word is read easily, and from which it is not read at all."""


def features_of(fates: Fates) -> dict[str, float]:
    """Return the features of the fates of a text's words; those that are 0 are left out."""
    parts = (
        (of_lost, fates.lost),
        (of_damaged, fates.damaged),
        (of_signs, fates.signs),
        (of_marks, fates.lost or fates.inserted or fates.replaced),
        (of_moved, fates.moved),
        (of_reshaped, fates.reshaped),
        (of_rewritten, fates.replaced),
        (of_added, fates.inserted),
    )
    found: dict[str, float] = {}
    for part in (part for part, cause in parts if cause):
        for name, value in part(fates):
            if value:
                found[name] = found.get(name, 0.0) + value
    return found


def of_lost(fates: Fates) -> Iterator[tuple[str, float]]:
    """Yield the features of words that are gone, with nothing in their place."""
    source, gone = fates.source, set(fates.lost)
    for number in fates.lost:
        kind = source.once(_place_of, number)
        yield "lost_share", source.shares[number]
        if kind in _TELLING:
            yield f"lost_{kind}", 1.0
        if number and source.text[source.starts[number]].isupper():
            yield "lost_name", 1.0
        yield from _orphans(source, number, gone)


def _place_of(source: Source, number: int) -> str:
    """A part of the sentence: `question`, `light`, `action`, `modifier`, `circumstance`, `argument` or another."""
    form = source.forms[number]
    role, tells = word_kind(form).role, information(form)
    if not _QUESTIONS.isdisjoint(lemmas_of(form)):
        return "question"
    if role == "preposition" and tells > _LIGHT_PREPOSITION:
        return "preposition"
    if role in _FUNCTION or tells < (_LIGHT_NAME if role in NOMINAL else _LIGHT):
        return "light"
    for roles, name in ((_ACTIONS, "action"), (ATTRIBUTES | {"adverb"}, "modifier"), ({"pronoun"}, "pronoun")):
        if role in roles:
            return name
    return _place_of_noun(source, number)


def _place_of_noun(source: Source, number: int) -> str:
    kind = source.kind(number)
    phrase = number - 1
    if source.are_beside(phrase, number) and source.role(phrase) == "noun" and "gent" in kind.cases:
        return "modifier"
    following = number + 1
    if (
        source.are_beside(number, following)
        and source.text[source.starts[following]].isupper()
        and source.kind(following).cases & kind.cases
    ):
        return "modifier"  # «судья Петров»: the name stays
    while source.are_beside(phrase, number) and source.role(phrase) in ATTRIBUTES:
        phrase -= 1
    if source.are_beside(phrase, number) and source.role(phrase) == "preposition":
        return "circumstance"
    return "argument" if {"nomn", "accs"} & kind.cases or not kind.known else "circumstance"


def _orphans(source: Source, number: int, gone: set[int]) -> Iterator[tuple[str, float]]:
    """Yield the features of words that are left without the word that they belong to."""
    before, after = number - 1, number + 1
    if not source.are_beside(before, number) or before in gone:
        return
    if source.role(before) == "preposition":
        goes_on = source.are_beside(number, after) and after not in gone and source.role(after) in NOMINAL | ATTRIBUTES
        if not goes_on:
            yield "orphan_preposition", 1.0
    if source.forms[before] in BINDING:
        yield "lost_negated", 1.0


DAMAGE = ("became_word", "damaged_letters", "damaged_unknown", "illegible_share", "illegible_words")
"""The features of misspelt words, in the order in which features are added up."""


Column: TypeAlias = Any
"""A number, or a column of numbers, shape (words,)."""


def damage(
    share: Column, part: Column, illegible: Column, became: Column, unknown: Column, *, long: Column
) -> tuple[Column, ...]:
    """Compute what misspelt words add to the features `DAMAGE`, from numbers or from columns.

    Args:
        share: the share of a word in the information of its sentence.
        part: the share of its letters that differ, at most 1.
        illegible: how far it cannot be read, by this share: from 0 up to `LEGIBLE` to 1 from `ILLEGIBLE` on.
        became: whether it became another word.
        unknown: whether the dictionary does not have it.
        long: whether it has more than `SHORT` letters; a shorter one is not illegible as a whole.
    """
    letters = share * part
    return share * became, letters, letters * unknown, share * illegible, (illegible > 1 / 2) & long


def damage_of(source: Source, words: Sequence[tuple[int, str, int]]) -> tuple[float, ...]:
    """Return the values of the features `DAMAGE` of misspelt words.

    Args:
        source: the text.
        words: the number, the new form and the count of letters that differ of each.
    """
    forms, shares = source.forms, source.shares
    totals: tuple[float, ...] = ()
    for number, form, apart in words:
        old = forms[number]
        length = len(old)
        part = apart / length if apart < length else 1.0
        illegible = min((part - LEGIBLE) / (ILLEGIBLE - LEGIBLE), 1.0) if part > LEGIBLE else 0.0
        became = has_form(form) and len(form) > 1 and set(lemmas_of(form)).isdisjoint(lemmas_of(old))
        values = damage(shares[number], part, illegible, became, not is_known(old), long=length > SHORT)
        totals = tuple(map(add, totals, values)) if totals else values
    return totals or (0.0,) * len(DAMAGE)


def of_damaged(fates: Fates) -> Iterator[tuple[str, float]]:
    """Yield the features of misspelt words."""
    return zip(DAMAGE, damage_of(fates.source, fates.damaged), strict=True)


def of_signs(fates: Fates) -> Iterator[tuple[str, float]]:
    """Yield the features of words that are written as signs; a number in other digits is as legible as before."""
    for number in fates.signs:
        yield "signs", float(not fates.source.forms[number].isdecimal())
