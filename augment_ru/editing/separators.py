"""Where people join words, part them, and drop hyphens, and how often."""

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.editing.error_classes import ErrorRate, ErrorRates
from augment_ru.editing.word_forms import FormTable, WordForms, WordFunction
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


def joins(batch: Batch, forms: WordForms, rates: ErrorRates) -> tuple[Ints, Floats, Ints]:
    """The words that people write together with the next one; a join makes no word of the dictionary («не мой»).

    Returns:
        The numbers of the words, ascending; how often each pair is joined; the number in `JOINS` of the class of each.
        All of shape (joins,).
    """
    patterns = _patterns(tuple((kind, one) for kind, name in enumerate(JOINS) for one in rates.of(name)))
    pairs = np.flatnonzero(forms.beside[:-1] & forms.letters[:-1] & forms.letters[1:])
    best = patterns.best(forms, pairs)
    pairs, best = pairs[patterns.rates[best] > 0], best[patterns.rates[best] > 0]
    capital = batch.codes != forms.codes
    kept = ~capital[forms.starts[pairs + 1]] | capital[forms.stops[pairs] - 1]  # «и Анна» stays
    lengths = forms.stops - forms.starts
    short = kept & (np.minimum(lengths[pairs], lengths[pairs + 1]) <= _SHORT)
    kept[short] = forms.pair_values(pairs[short], _KNOWN) == 0
    return pairs[kept], patterns.rates[best[kept]], patterns.kinds[best[kept]]


class _Numbered(NamedTuple):
    """Words or phrases, and the number of the pattern of the highest rate for each."""

    forms: FormTable
    patterns: Ints

    @classmethod
    def of(cls, patterns: dict[str, int]) -> "_Numbered":
        return cls(FormTable(list(patterns)), np.array(list(patterns.values()), dtype=np.int64))


class _Patterns(NamedTuple):
    """Patterns of two words, numbered by their rates, the highest first: «не *», «* бы», «потому что», «* *».

    Attributes:
        firsts, seconds, pairs: the patterns with a star behind, with one in front, and without.
        anywhere: the number of «* *».
        rates, kinds: the rate and the class of each pattern; the last, of rate 0, stands for none.
    """

    firsts: _Numbered
    seconds: _Numbered
    pairs: _Numbered
    anywhere: int
    rates: Floats
    kinds: Ints

    def best(self, forms: WordForms, pairs: Ints) -> Ints:
        """The number of the pattern that fits each of these words with the next one, of the highest rate."""
        found = np.full(forms.starts.size, self.anywhere)
        for table, (words, numbers) in (
            (self.firsts, forms.find(self.firsts.forms, pairs)),
            (self.seconds, forms.find(self.seconds.forms, pairs + 1)),
            (self.pairs, forms.find_pairs(self.pairs.forms)),
        ):
            at = words - 1 if table is self.seconds else words
            found[at] = np.minimum(found[at], table.patterns[numbers])
        best: Ints = found[pairs]
        return best


@cache
def _patterns(rates: tuple[tuple[int, ErrorRate], ...]) -> _Patterns:
    """The patterns of rates, each with the number of its class."""
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
    return _Patterns(_Numbered.of(firsts), _Numbered.of(seconds), _Numbered.of(pairs), anywhere, every, kinds)


def lone(words: Floats, gaps: Floats) -> tuple[Mask, Mask]:
    """Which errors of words and of the gaps behind them are made, so that no word is in two: those of lower ranks.

    Args:
        words: the rank of the error in each word, shape (words,); over 1 where there is none.
        gaps: the rank of the error in the gap behind each word, same shape.
    """
    beside = np.full((2, words.size + 2), 2.0)
    beside[:, 1:-1] = words, gaps
    next_word, before, behind = beside[0, 2:], beside[1, :-2], beside[1, 2:]
    free = (words <= 1) & (words < np.minimum(before, gaps))
    near = np.minimum(np.minimum(words, next_word), np.minimum(before, behind))
    return free, (gaps <= 1) & (gaps < near)


def parted(forms: WordForms, rates: ErrorRates) -> tuple[Ints, Ints]:
    """The words that people part, and how many letters of each are the prefix, both of shape (words,)."""
    prefixes = tuple(prefix.removesuffix("*") for one in rates.of("split") for prefix in one.phrases)
    words = np.flatnonzero(forms.letters & (forms.stops - forms.starts > _SHORTEST_REST))
    words = words[forms.begin([f"{prefix}*" for prefix in prefixes], words)]
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
