"""Слова пишут слитно или раздельно не там: «потому что как-то не знаю» → «потомучто как то незнаю»."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from augment_ru.draws import Floats, Ints, Streams
from augment_ru.editing.error_classes import CountedErrors, ErrorRates, weighted_ranks
from augment_ru.editing.word_forms import WordForms
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.language.morphology import is_known, word_kind
from augment_ru.text.batch import Batch
from augment_ru.text.characters import DIGIT, SPACE, WORD, Codes

JOINS = ("join_negation", "join_particle", "join_phrase", "join_preposition", "join_words")
CLASSES = ("comma", "hyphen_dropped", "hyphen_space", *JOINS, "split")
_HYPHENS = np.array([ord(sign) for sign in "-‐‑"], dtype=np.uint32)
_GONE = np.uint32(0xFFFFFFFF)
_PARTED = np.uint32(1 << 24)
"""Added to a code point that gets a space behind it."""
_SHORT = 3
"""Letters of a word that makes another word together with its neighbour: «не мой», «что бы»."""
_SHORTEST_REST = 3
"""Letters of what a parted word leaves behind its prefix: «нами» must not become «на ми»."""


@dataclass(frozen=True, slots=True)
class Spacing(CountedErrors):
    """Join words, part them, drop hyphens or the space behind a comma, each as often as people do.

    A join makes no word of the dictionary («не мой» stays), and no word takes part in two errors, so that at most two
    words grow together. Likelier errors come first (`weighted_ranks`).

    Args:
        classes: the classes of errors.
        rates: the dictionary of the classes, and how often people make each error.

    Raises:
        AugmentError: there is no such class or dictionary, or none is named.
    """

    name: ClassVar[str] = "spacing"
    known: ClassVar[tuple[str, ...]] = CLASSES
    probability: float = 0.1
    classes: tuple[str, ...] = CLASSES
    rates: str = "spacing"

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the errors that are possible between words and in them."""
        rates, forms = self.counted(), WordForms(batch)
        written = batch.codes.copy()  # what stands at each place if all changes are made
        found = [
            *_joins_and_splits(batch, streams, forms, rates, written),
            _commas(batch, streams, forms, rates, written),
            _hyphens(batch, streams, forms, rates, written),
        ]
        starts, stops, ranks = (np.concatenate(column) for column in zip(*found, strict=True))
        order = np.argsort(starts, kind="stable")
        starts, stops = starts[order], stops[order]

        def replace(indices: Ints) -> Replacements:
            taken = Replacements.of_ranges(written, starts[indices], stops[indices])
            parted = (taken.codes != _GONE) & (taken.codes >= _PARTED)
            counts = (taken.codes != _GONE).astype(np.int64) + parted
            ends = np.concatenate([[0], np.cumsum(counts)])
            codes = np.repeat(np.where(parted, taken.codes - _PARTED, taken.codes), counts)
            codes[ends[1:][parted] - 1] = ord(" ")
            return Replacements(codes, ends[taken.offsets])

        return Proposals.of_edits(starts, stops, ranks[order], replace, clean=True)


_Edits = tuple[Ints, Ints, Floats]
"""The starts, stops and ranks of edits."""


def _joins_and_splits(
    batch: Batch, streams: Streams, forms: WordForms, rates: ErrorRates, written: Codes
) -> tuple[_Edits, _Edits]:
    """Pairs of words to be written together, and words to be parted; no word is in two of them.

    Of errors that share a word, that of the lowest rank is proposed.
    """
    starts, stops = forms.starts, forms.stops
    pairs, joined = _pairs(batch, forms, rates)
    words, prefixes = _partings(forms, rates)
    ranks = np.full(2 * starts.size + 4, 2.0)  # each word and the gap behind it, between two on either side
    ranks[2 * pairs + 3] = weighted_ranks(batch.draw(streams, stops[pairs]), joined, rates.mean)
    split = np.full(words.size, rates.rate("split"))
    ranks[2 * words + 2] = weighted_ranks(batch.draw(streams, starts[words]), split, rates.mean)

    gap, word = 2 * pairs + 3, 2 * words + 2
    near = np.minimum.reduce([ranks[gap + step] for step in (-2, -1, 1, 2)])
    pairs = pairs[ranks[gap] < near]
    kept = ranks[word] < np.minimum(ranks[word - 1], ranks[word + 1])
    words, prefixes = words[kept], prefixes[kept]
    written[stops[pairs]] = _GONE
    written[starts[words] + prefixes - 1] += _PARTED
    joins = starts[pairs], stops[pairs + 1], ranks[2 * pairs + 3]
    places = starts[words] + prefixes - 1
    return joins, (places, places + 1, ranks[2 * words + 2])


def _pairs(batch: Batch, forms: WordForms, rates: ErrorRates) -> tuple[Ints, Floats]:
    """The words that may be written together with the next one, and the rate of each."""
    rate_of = np.zeros(forms.starts.size)
    for name in JOINS:
        for one in rates.of(name):
            np.maximum(rate_of, one.rate, out=rate_of, where=forms.begin(one.phrases))
    pairs = np.flatnonzero((rate_of[:-1] > 0) & forms.letters[:-1] & forms.letters[1:])
    capital = batch.codes != forms.codes
    pairs = pairs[~capital[forms.starts[pairs + 1]] | capital[forms.stops[pairs] - 1]]  # «и Анна» stays
    lengths = forms.stops - forms.starts
    short = pairs[np.minimum(lengths[pairs], lengths[pairs + 1]) <= _SHORT]
    makes_word = np.zeros(forms.starts.size, dtype=np.bool_)
    makes_word[short] = forms.pair_values(short, is_known) != 0
    pairs = pairs[~makes_word[pairs]]
    return pairs, rate_of[pairs]


def _partings(forms: WordForms, rates: ErrorRates) -> tuple[Ints, Ints]:
    """The words that may be parted, and how many letters of each are the prefix."""
    possible = np.zeros(forms.starts.size, dtype=np.bool_)
    prefixes = tuple(prefix.removesuffix("*") for one in rates.of("split") for prefix in one.phrases)
    for prefix in prefixes:
        possible |= forms.are(f"{prefix}*")
    words = np.flatnonzero(possible & forms.letters & (forms.stops - forms.starts > _SHORTEST_REST))
    lengths = forms.values(words, lambda word: _prefix_length(word, prefixes))
    return words[lengths > 0], lengths[lengths > 0]


_PARTED_ROLES = frozenset({"adverb", "conjunction", "pronoun", "preposition", "particle"})
"""The roles of words that people part behind a prefix: «на верное», «в роде», not «за вод» and «по гулять»."""
_DENIED_ROLES = frozenset({"adjective", "participle"})
"""Those of words that people part behind «не» and «ни» too: «не который», «не большой»."""


@lru_cache(maxsize=100_000)
def _prefix_length(word: str, prefixes: tuple[str, ...]) -> int:
    """How many letters of a word are a prefix that people part from it; 0 if it has none.

    What is left is a word of at least three letters, and no finite verb («по чти»).
    """
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


def _commas(batch: Batch, streams: Streams, forms: WordForms, rates: ErrorRates, written: Codes) -> _Edits:
    """The spaces behind commas; that of «2, 5» stays, since «2,5» is another number."""
    ends = forms.stops[:-1] if rates.of("comma") else forms.stops[:0]
    gaps = ends[(batch.codes[ends] == ord(",")) & (forms.starts[1 : ends.size + 1] == ends + 2)]
    gaps = gaps[(batch.flags[gaps + 1] & SPACE != 0) & (batch.flags[gaps - 1] & batch.flags[gaps + 2] & DIGIT == 0)]
    written[gaps + 1] = _GONE
    ranks = weighted_ranks(batch.draw(streams, gaps), np.full(gaps.size, rates.rate("comma")), rates.mean)
    return gaps + 1, gaps + 2, ranks


def _hyphens(batch: Batch, streams: Streams, forms: WordForms, rates: ErrorRates, written: Codes) -> _Edits:
    """The hyphens between letters; each is dropped or becomes a space, as often as people do either."""
    dropped, space = rates.rate("hyphen_dropped"), rates.rate("hyphen_space")
    letter = (batch.flags & WORD != 0) & (batch.flags & DIGIT == 0)
    places = np.flatnonzero(np.isin(batch.codes, _HYPHENS)) if dropped + space else np.zeros(0, dtype=np.int64)
    places = places[(places > 0) & letter[places - 1] & letter[places + 1]]
    words = np.searchsorted(forms.starts, places, side="right") - 1
    places = places[(words >= 0) & (places < forms.stops[words])] if forms.stops.size else places[:0]
    points = batch.draw(streams, places, lane=1) * (dropped + space)
    written[places] = np.where(points < dropped, _GONE, np.uint32(ord(" ")))
    ranks = weighted_ranks(batch.draw(streams, places), np.full(places.size, dropped + space), rates.mean)
    return places, places + 1, ranks
