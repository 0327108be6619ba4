"""Слово замаскировано от фильтра, но читается: «красивый слон» → «кр@сивый с.л.о.н»."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from augment_ru.draws import Ints, Keys, Streams, unit
from augment_ru.editing import word_letters
from augment_ru.editing.targets import check_targets, targeted
from augment_ru.edits import Note
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.errors import AugmentError, check_known
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.batch import Batch
from augment_ru.text.characters import DIGIT, Codes, counted

STYLES = ("star", "sign", "dots", "leet")
_SEPARATORS = np.array([ord("."), ord(" ")], dtype=np.uint32)
_SHORTEST = 4
"""The fewest letters of a word that is masked."""
_TWICE = 0.5
"""The share of the words in which two letters are masked instead of one, if two can be."""
_STYLE, _MORE, _LETTERS = 0, 1, 2
"""The numbers of a word's draws in its own stream.

They are: its style; its separator, or whether two letters change; and from the last number on one draw for each letter.
"""


@dataclass(frozen=True, slots=True)
class Masking(Attack):
    """Write words as people do to slip past moderation; most can still be read.

    - `star`: a star instead of one or two vowels inside the word, «кр*сивый»;
    - `sign`: a sign that looks like the letter, instead of one or two letters after the first, «кр@сивый»;
    - `dots`: dots or spaces between the letters, «с.л.о.в.о»;
    - `leet`: a digit that looks like the letter, instead of one or two letters, «4ел0век».

    Only words with at least four letters and without digits are masked. A masked word counts as readable if stars
    replace at most a third of its letters.

    Args:
        probability: the share of the words that are masked, in [0, 1].
        styles: which of these styles are used. Each word is masked in one of those that fit its letters, all equally
            likely.
        targets: which words are masked. `content`: content words before function words. `lexicon`: only words that
            moderation looks for (the dictionary `filtered_words`). `random`: any. The path of a text file with one word
            in each line: only these words; a word in its dictionary form stands for all its forms.
        signs: a dictionary, or the path of a `.tsv` file with the columns style, letter in lower case, the character
            that replaces it.

    Raises:
        AugmentError: a style is unknown, a dictionary or file does not exist or has a malformed line, or `styles` is
            empty.
    """

    name: ClassVar[str] = "masking"
    group: ClassVar[str] = "adversaries"
    probability: float = 0.15
    styles: tuple[str, ...] = STYLES
    targets: str = "content"
    signs: str = "masks"

    def __post_init__(self) -> None:
        if not self.styles:
            raise AugmentError(f"masking.styles: none; possible: {', '.join(STYLES)}")
        for style in self.styles:
            check_known("masking style", style, STYLES)
        _signs(self.signs)  # so that a wrong file is an error before the run starts
        check_targets(self.targets)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose to mask every word that may be masked (see the option `targets`) and that one of the styles fits."""
        words = _Words(self, batch, streams)
        return Proposals.of_edits(words.starts, words.stops, words.ranks, words.masked, clean=True, notes=words.notes)


class _Words:
    """The words of a batch that may be masked, and how many of their letters or gaps each style can change.

    Args:
        attack: the attack, with its styles, signs and targets.
        batch: the texts.
        streams: the random draws of each text.

    Attributes:
        starts, stops: the global places where the words start and stop.
        ranks: the rank of each word.
    """

    def __init__(self, attack: Masking, batch: Batch, streams: Streams) -> None:
        self._batch, self._streams = batch, streams
        self._letters, self._gaps = word_letters.lone_letters(batch), word_letters.letter_gaps(batch)
        starts, stops = word_letters.words_of_segments(batch)
        lengths = counted(self._letters, starts, stops)
        fit = (lengths >= _SHORTEST) & (counted((batch.flags & DIGIT) != 0, starts, stops) == 0)
        self.starts, self.stops = starts, stops = starts[fit], stops[fit]
        self._styles = tuple(dict.fromkeys(attack.styles))
        self._tables = [_signs(attack.signs)[style] for style in self._styles]
        counts = np.stack([self._places_of(number) for number in range(len(self._styles))])
        fit = (counts > 0).any(axis=0)
        self.starts, self.stops, self.ranks = targeted(batch, streams, starts[fit], stops[fit], attack.targets)
        self._counts = counts[:, np.searchsorted(starts, self.starts)]
        """In how many places each style can mask each word, shape (styles, words)."""

    def _places_of(self, number: int) -> Ints:
        style = self._styles[number]
        if style == "dots":
            return counted(self._gaps, self.starts + 1, self.stops)
        open_ = self._letters & (word_letters.looked_up(self._tables[number], self._batch.codes) > 0)
        first, last = _EDGES[style]
        return counted(open_, self.starts + first, self.stops - last)

    def _styles_of(self, keys: Keys, indices: Ints) -> Ints:
        """Draw the style of each word; return its index in the attack's styles."""
        return word_letters.drawn_kinds(keys, _STYLE, self._counts[:, indices] > 0)

    def masked(self, indices: Ints) -> Replacements:
        """Return the masked spellings of the words with these indices."""
        batch, starts, stops = self._batch, self.starts[indices], self.stops[indices]
        keys = batch.keys(self._streams, starts)
        styles = self._styles_of(keys, indices)
        characters = word_letters.Characters.of(starts, stops)
        codes = batch.codes[characters.places]
        signs = np.zeros_like(codes)
        dotted = np.zeros(codes.size, dtype=np.bool_)
        behind = (stops - starts)[characters.words] - characters.within - 1  # how many characters follow
        for number, style in enumerate(self._styles):
            mine = (styles == number)[characters.words]
            if style == "dots":
                dotted = mine & (characters.within > 0) & self._gaps[characters.places]
            else:
                first, last = _EDGES[style]
                mine &= self._letters[characters.places] & (characters.within >= first) & (behind >= last)
                signs[mine] = word_letters.looked_up(self._tables[number], codes[mine])
        order = characters.order(unit(keys[characters.words], characters.within + _LETTERS), signs > 0)
        taken = (order >= 0) & (order < self._most(keys)[characters.words])
        codes = np.where(taken, signs, codes)
        separators = _SEPARATORS[(word_letters.drawn(keys, _MORE) * _SEPARATORS.size).astype(np.int64)]
        at = np.flatnonzero(dotted)
        return word_letters.with_inserted(codes, characters, indices.size, at, separators[characters.words[at]])

    def notes(self, indices: Ints) -> Sequence[Note | None]:
        """Return the notes of these edits: each has the old word as its reading; None if it can no longer be read."""
        starts, stops = self.starts[indices], self.stops[indices]
        readable = np.ones(indices.size, dtype=np.bool_)
        if "star" in self._styles:
            star = self._styles.index("star")
            keys = self._batch.keys(self._streams, starts)
            hidden = np.minimum(self._most(keys), self._counts[star, indices])
            hidden[self._styles_of(keys, indices) != star] = 0
            readable = 3 * hidden <= counted(self._letters, starts, stops)
        return word_letters.read_as_words(self._batch, starts, stops, readable)

    def _most(self, keys: Keys) -> Ints:
        """Draw how many letters of each word are masked at most, 1 or 2."""
        most: Ints = 1 + (word_letters.drawn(keys, _MORE) < _TWICE)
        return most


_EDGES = {"star": (1, 1), "sign": (1, 0), "leet": (0, 0)}
"""The number of characters at the start and at the end of a word that each style leaves as they are.

A word that begins with a sign would be taken for a mention («@бзац») or a price.
"""


@cache
def _signs(name: str) -> dict[str, Codes]:
    """Return a table for `looked_up` for each style; it maps letters, in both cases, to the signs that replace them.

    Raises:
        AugmentError: a line has an unknown style, or does not have a small letter and one other character.
    """
    path = dictionary_path(name)
    found: dict[str, dict[str, str]] = {style: {} for style in STYLES}
    for style, letter, sign in rows(path, columns=3):
        if style not in _EDGES:
            raise AugmentError(f"{path.name}: {style} {letter}; possible styles: {', '.join(_EDGES)}")
        if not (len(letter) == len(letter.upper()) == len(sign) == 1 and letter.islower() and letter != sign):
            raise AugmentError(f"{path.name}: {style} {letter} {sign}; needs a small letter and one other character")
        found[style] |= {letter: sign, letter.upper(): sign}
    return {style: word_letters.lookup_table(table) for style, table in found.items()}
