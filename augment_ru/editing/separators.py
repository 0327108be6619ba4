"""Finds the words that people wrongly join with the next word or split in two, and how often they do."""

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.editing.error_classes import ErrorRate, ErrorRates
from augment_ru.editing.word_forms import FormTable, WordForms, with_e
from augment_ru.language.morphology import is_known, word_kind
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask

JOINS = ("ne", "join_particle", "join_phrase", "join_preposition", "join_words")
"""The classes of errors in which two words are joined."""
_WHOLE = frozenset({"вместе", "затем", "немало", "немного", "немногие", "несколько", "потом"})
"""Words that mean something else when they are split: «не много», «по том»."""
_SHORT = 3
"""Two words of which one has at most this many letters are not joined if that makes another word («не мой»)."""
_SHORTEST_REST = 3
"""The fewest letters that must be left after the prefix when a word is split: «нами» must not become «на ми»."""


def joins(batch: Batch, forms: WordForms, rates: ErrorRates) -> tuple[Ints, Floats, Ints]:
    """Find the words that people write together with the next word.

    Three kinds of pairs of words are left out:

    - one word is short, and written together they make another word of the dictionary («не мой»);
    - the second word begins with a capital («и Анна»), and the first word does not end in a capital;
    - the second word is a preposition or a conjunction («картошку в»), and people do not join this very pair.

    Args:
        batch: the texts.
        forms: the words of the batch.
        rates: how often people make each error.

    Returns:
        Three arrays of shape (pairs,): the index of the first word of each pair, ascending; the rate at which people
        join the pair; and the index in `JOINS` of the class of this error.
    """
    patterns = _patterns(tuple((kind, one) for kind, name in enumerate(JOINS) for one in rates.of(name)))
    pairs = np.flatnonzero(forms.beside[:-1] & forms.letters[:-1] & forms.letters[1:])
    best = patterns.best(forms, pairs)
    pairs, best = pairs[patterns.rates[best] > 0], best[patterns.rates[best] > 0]
    capital = batch.codes != forms.codes
    kept = ~capital[forms.starts[pairs + 1]] | capital[forms.stops[pairs] - 1]  # «и Анна» stays
    kept[kept] = (best[kept] != patterns.anywhere) | (forms.values(pairs[kept] + 1, _leans_right) == 0)
    lengths = forms.stops - forms.starts
    short = kept & (np.minimum(lengths[pairs], lengths[pairs + 1]) <= _SHORT)
    kept[short] = forms.pair_values(pairs[short], is_known) == 0
    return pairs[kept], patterns.rates[best[kept]], patterns.kinds[best[kept]]


@lru_cache(maxsize=100_000)
def _leans_right(word: str) -> bool:
    return word_kind(word).role in ("preposition", "conjunction")


class _Patterns(NamedTuple):
    """Patterns of two neighbouring words, where a star is any word: «не *», «* бы», «потому что», «* *».

    The rate of a pattern says how often people join such words. Patterns are numbered by their rates, the highest
    first.

    Attributes:
        firsts: the words of patterns such as «не *», each with the lowest number of its patterns.
        seconds: those of patterns such as «* бы».
        pairs: the phrases of patterns without a star.
        anywhere: the number of the pattern «* *».
        rates, kinds: the rate of each pattern, and the number of the class of its error; the last entry, of rate 0,
            stands for "no pattern".
    """

    firsts: FormTable
    seconds: FormTable
    pairs: FormTable
    anywhere: int
    rates: Floats
    kinds: Ints

    def best(self, forms: WordForms, pairs: Ints) -> Ints:
        """Return, for each of some words, the index of the pattern that fits it and the word after it.

        If several patterns fit, the one with the highest rate counts.

        Args:
            forms: the words of the batch.
            pairs: the indices of these words, each the first word of a pair.
        """
        found = [
            min(
                self.firsts.get(forms.texts[at], self.anywhere),
                self.seconds.get(forms.texts[at + 1], self.anywhere),
                self.pairs.get(forms.pairs[at], self.anywhere),
            )
            for at in pairs.tolist()
        ]
        return np.array(found, dtype=np.int64)


@cache
def _patterns(rates: tuple[tuple[int, ErrorRate], ...]) -> _Patterns:
    """Build the patterns, one from each rate.

    Args:
        rates: pairs of the index of a class in `JOINS` and one of its rates.
    """
    ordered = sorted(rates, key=lambda one: -one[1].rate)
    firsts: dict[str, int] = {}
    seconds: dict[str, int] = {}
    pairs: dict[str, int] = {}
    for number, (_, one) in enumerate(ordered):
        for phrase in one.phrases:
            first, second = phrase.split(" ")
            if second == "*":
                firsts.setdefault(first, number)
            elif first == "*":
                seconds.setdefault(second, number)
            else:
                pairs.setdefault(phrase, number)
    anywhere = firsts.pop("*", len(ordered))
    kinds = np.array([*(kind for kind, _ in ordered), 0], dtype=np.int64)
    every = np.array([*(one.rate for _, one in ordered), 0.0])
    return _Patterns(with_e(firsts), with_e(seconds), with_e(pairs), anywhere, every, kinds)


def lone(words: Floats, gaps: Floats) -> tuple[Mask, Mask]:
    """Choose among errors in words and errors between words, so that no word takes part in two of them.

    An error is made if its rank (its random number) is lower than that of every other error that shares a word with it.

    Args:
        words: the rank of the error in each word, shape (words,); over 1 for a word without an error.
        gaps: the rank of the error between each word and the next one, same shape; over 1 if there is no error. Both
            words take part in this error.

    Returns:
        Whether the error in each word is made, and whether the error after each word is made, both of shape (words,).
    """
    beside = np.full((2, words.size + 2), 2.0)
    beside[:, 1:-1] = words, gaps
    next_word, before, behind = beside[0, 2:], beside[1, :-2], beside[1, 2:]
    free = (words <= 1) & (words < np.minimum(before, gaps))
    near = np.minimum(np.minimum(words, next_word), np.minimum(before, behind))
    return free, (gaps <= 1) & (gaps < near)


def parted(forms: WordForms, rates: ErrorRates) -> tuple[Ints, Ints]:
    """Find the words that people split after a prefix («на верное»), and return how long each prefix is.

    Args:
        forms: the words of a batch.
        rates: how often people make each error.

    Returns:
        The indices in `forms` of the words that were found, and the lengths of their prefixes in letters, both of shape
        (words found,).
    """
    prefixes = tuple(prefix.removesuffix("*") for one in rates.of("split") for prefix in one.phrases)
    words = np.flatnonzero(forms.letters & (forms.stops - forms.starts > _SHORTEST_REST))
    lengths = forms.values(words, lambda word: prefix_length(word, prefixes))
    return words[lengths > 0], lengths[lengths > 0]


_PARTED_ROLES = frozenset({"adverb", "conjunction", "pronoun", "preposition", "particle"})
"""The roles of words that people split after a prefix: «на верное», «в роде», not «за вод» and «по гулять»."""
_DENIED_ROLES = frozenset({"adjective", "participle"})
"""The roles of further words that people split after «не» and «ни»: «не большой»."""


@lru_cache(maxsize=100_000)
def prefix_length(word: str, prefixes: tuple[str, ...]) -> int:
    """Return the length, in letters, of the prefix that people split off a word; 0 if it has no such prefix.

    The rest must be a word of at least three letters, and not a finite verb («по чти»).

    Args:
        word: the word in lower case.
        prefixes: the possible prefixes.
    """
    if not word.startswith(prefixes) or word in _WHOLE:
        return 0
    for prefix in prefixes:
        rest = word.removeprefix(prefix)
        if rest == word or len(rest) < _SHORTEST_REST or not is_known(rest):
            continue
        if prefix == "в" and rest[0] == "о":
            continue  # the prefix is «во»: «вокруг» is no «в округ»
        role, left = word_kind(word).role, word_kind(rest).role
        if (role in _PARTED_ROLES and left != "verb") or (
            prefix in ("не", "ни") and role in _DENIED_ROLES and left == role
        ):
            return len(prefix)
    return 0
