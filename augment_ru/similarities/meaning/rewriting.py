"""The features of new words: other words in place of old ones, and words that were added."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from augment_ru.language.frequency import information
from augment_ru.language.morphology import lemmas_of
from augment_ru.language.slovnet import word_vector
from augment_ru.similarities.meaning.marks import negates
from augment_ru.similarities.meaning.words import Fates

Vector: TypeAlias = npt.NDArray[np.float64]

_BLOCK = 512
"""Replaced stretches that are compared at once."""
_FEW = 64
"""Pairs of vectors that are multiplied one by one."""
_ROUNDING = 1e-9
"""More than two products of the same vectors of length 1 can differ by."""
_SHORT = 8
"""What so few words lose is kept: the same letters often make the same other words («и» for «в»)."""
_TELLING = 0.5
"""The least information of a word by which a sentence is about something."""


class Rewriting(NamedTuple):
    """What is lost and new where words stand in place of others, by word vectors.

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
        """What stretches of words lose and bring.

        Args:
            old: the words of each stretch.
            new: the words in their place.
        """
        if sum(map(len, old)) + sum(map(len, new)) <= _SHORT:
            return _kept(tuple(map(tuple, old)), tuple(map(tuple, new)))
        return _compared(old, new)

    def features(self, total: float) -> Iterator[tuple[str, float]]:
        """The features in a text whose words have this information in all."""
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
    """The features of other words in place of words of the text."""
    forms = fates.source.forms
    old = [[forms[number] for number in numbers] for numbers, _ in fates.replaced]
    yield from Rewriting.of(old, [found for _, found in fates.replaced]).features(fates.source.total)


def apart(ones: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> Iterator[tuple[str, float]]:
    """Each word of one side, and how far it is from the nearest of the other: 1 minus the cosine, in [0, 1].

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
    """How far each word is from the nearest of the others."""
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
    """The largest product of each vector with one of the others: the same digits for few and for many of them.

    A product of matrices rounds otherwise than one of vectors, so it only says which vectors are near the largest.
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
    """The features of words that were added: inside the text, and behind it, where they may contradict it."""
    if not fates.inserted:
        return
    end = len(fates.source.forms)
    yield "inserted", float(sum(at < end for at, _ in fates.inserted))
    behind = [word for at, word in fates.inserted if at == end]
    if not behind:
        return
    own = {lemma for form in fates.source.forms for lemma in lemmas_of(form)}
    telling = [word for word in behind if information(word) > _TELLING]
    shared = [word for word in telling if not own.isdisjoint(lemmas_of(word))]
    yield "added_same", sum(map(information, shared)) / max(sum(map(information, telling)), 1.0)
    yield "added_denial", float(bool(shared) and any(map(negates, behind)))
