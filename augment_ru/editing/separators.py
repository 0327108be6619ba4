"""Where people join words, part them, and drop hyphens, and how often."""

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.editing.error_classes import ErrorRates
from augment_ru.editing.word_forms import WordForms, WordFunction
from augment_ru.language.morphology import is_known, word_kind
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask

JOINS = ("ne", "join_particle", "join_phrase", "join_preposition", "join_words")
"""The classes of joined words."""
_WHOLE = frozenset({"вместе", "затем", "немало", "немного", "немногие", "несколько", "потом"})
"""Words that mean something else when they are parted: «не много», «по том»."""
_SHORT = 3
"""Letters of a word that makes another word together with its neighbour: «не мой», «что бы»."""
_SHORTEST_REST = 3
"""Letters of what a parted word leaves behind its prefix: «нами» must not become «на ми»."""


_KNOWN = WordFunction(is_known)


class Joins(NamedTuple):
    """Words that people write together with the next one.

    Attributes:
        words: the numbers of the words, ascending, shape (joins,).
        rates: how often each pair is joined, same shape.
        kinds: the number in `JOINS` of the class of each, same shape.
    """

    words: Ints
    rates: Floats
    kinds: Ints


def joins(batch: Batch, forms: WordForms, rates: ErrorRates) -> Joins:
    """The words that people write together with the next one; a join makes no word of the dictionary («не мой»)."""
    rate_of = np.zeros(forms.starts.size)
    kind_of = np.zeros(forms.starts.size, dtype=np.int64)
    for kind, name in enumerate(JOINS):
        for one in rates.of(name):
            more = forms.begin(one.phrases) & (rate_of < one.rate)
            rate_of[more], kind_of[more] = one.rate, kind
    pairs = np.flatnonzero((rate_of[:-1] > 0) & forms.letters[:-1] & forms.letters[1:] & forms.beside[:-1])
    capital = batch.codes != forms.codes
    pairs = pairs[~capital[forms.starts[pairs + 1]] | capital[forms.stops[pairs] - 1]]  # «и Анна» stays
    lengths = forms.stops - forms.starts
    short = pairs[np.minimum(lengths[pairs], lengths[pairs + 1]) <= _SHORT]
    makes_word = np.zeros(forms.starts.size, dtype=np.bool_)
    makes_word[short] = forms.pair_values(short, _KNOWN) != 0
    pairs = pairs[~makes_word[pairs]]
    return Joins(pairs, rate_of[pairs], kind_of[pairs])


def lone(words: Floats, gaps: Floats) -> tuple[Mask, Mask]:
    """Which errors of words and of the gaps behind them are made, so that no word is in two: those of lower ranks.

    Args:
        words: the rank of the error in each word, shape (words,); over 1 where there is none.
        gaps: the rank of the error in the gap behind each word, same shape.
    """
    ranks = np.full(2 * words.size + 4, 2.0)
    ranks[2:-2:2], ranks[3:-1:2] = words, gaps
    word, gap = 2 * np.arange(words.size) + 2, 2 * np.arange(words.size) + 3
    free = (words <= 1) & (words < np.minimum(ranks[word - 1], ranks[word + 1]))
    near = np.minimum.reduce([ranks[gap + step] for step in (-2, -1, 1)])
    near = np.minimum(near, np.append(ranks, 2.0)[gap + 2])
    return free, (gaps <= 1) & (gaps < near)


def parted(forms: WordForms, rates: ErrorRates) -> tuple[Ints, Ints]:
    """The words that people part, and how many letters of each are the prefix, both of shape (words,)."""
    possible = np.zeros(forms.starts.size, dtype=np.bool_)
    prefixes = tuple(prefix.removesuffix("*") for one in rates.of("split") for prefix in one.phrases)
    for prefix in prefixes:
        possible |= forms.are(f"{prefix}*")
    words = np.flatnonzero(possible & forms.letters & (forms.stops - forms.starts > _SHORTEST_REST))
    lengths = forms.values(words, _prefix_lengths(prefixes))
    return words[lengths > 0], lengths[lengths > 0]


@cache
def _prefix_lengths(prefixes: tuple[str, ...]) -> WordFunction:
    return WordFunction(lambda word: prefix_length(word, prefixes))


_PARTED_ROLES = frozenset({"adverb", "conjunction", "pronoun", "preposition", "particle"})
"""The roles of words that people part behind a prefix: «на верное», «в роде», not «за вод» and «по гулять»."""
_DENIED_ROLES = frozenset({"adjective", "participle"})
"""Those of words that people part behind «не» and «ни» too: «не который», «не большой»."""


@lru_cache(maxsize=100_000)
def prefix_length(word: str, prefixes: tuple[str, ...]) -> int:
    """How many letters of a word are a prefix that people part from it; 0 if it has none.

    What is left is a word of at least three letters, and no finite verb («по чти»).
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
