"""Слово замаскировано от фильтра, но читается: «красивый слон» → «кр@сивый с.л.о.н»."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from augment_ru.draws import Ints, Streams, unit
from augment_ru.editing import word_letters
from augment_ru.editing.on_demand import Rewritten, written_together
from augment_ru.editing.targets import check_targets, targeted
from augment_ru.edits import Note
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals, ranges
from augment_ru.errors import AugmentError, check_known
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.batch import Batch
from augment_ru.text.characters import DIGIT, counted

STYLES = ("star", "sign", "dots", "leet")
_SEPARATORS = ". "
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

    Only words with at least four letters and without digits are masked. The gate is told that a masked word can be read
    (the note of its edit has the word as its reading) unless stars replace more than a third of the letters.

    Args:
        probability: the share of the words that are masked, in [0, 1].
        styles: which of these styles are used. Each word is masked in one of those that fit its letters, all equally
            likely.
        targets: which words are masked. `content`: any, but content words are masked first. `lexicon`: only words that
            moderation looks for (the dictionary `filtered_words`). `random`: any, with equal chances. A path of a text
            file: only the words in it, one in each line; a dictionary form in the file stands for all forms of its
            word.
        signs: a dictionary, or the path of a `.tsv` file. Its columns are: style; letter in lower case; the character
            that replaces it.

    Raises:
        AugmentError: a style is unknown, a dictionary or file does not exist or has a malformed line, or `styles` is
            empty.
    """

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
        """Propose to mask every word that the option `targets` allows, in one of the styles that fit its letters."""
        letters, signs = word_letters.lone_letters(batch), _signs(self.signs)
        styles = list(dict.fromkeys(self.styles))
        starts, stops = word_letters.words_of_segments(batch)
        lengths = counted(letters, starts, stops)
        fit = (lengths >= _SHORTEST) & (counted((batch.flags & DIGIT) != 0, starts, stops) == 0)
        starts, stops = starts[fit], stops[fit]
        open_ = {style: letters & np.isin(batch.codes, [*map(ord, signs[style])]) for style in styles}
        open_["dots"] = word_letters.letter_gaps(batch)
        edges = [(starts + first, stops - last) for first, last in map(_EDGES.__getitem__, styles)]
        fits = np.stack([counted(open_[style], *edge) > 0 for style, edge in zip(styles, edges, strict=True)])
        words = np.flatnonzero(fits.any(axis=0))
        chosen, ranks = targeted(batch, streams, starts[words], self.targets)
        words = words[chosen]
        begins, ends = starts[words], stops[words]
        keys = batch.keys(streams, begins)
        kinds = word_letters.drawn_kinds(keys, _STYLE, fits[:, words])
        more = word_letters.drawn(keys, _MORE).tolist()

        def masked(index: int, word: str, draws: Sequence[float]) -> Rewritten:
            style, start = styles[kinds[index]], int(begins[index])
            first, last = _EDGES[style]
            places = [first + at for at in np.flatnonzero(open_[style][start + first : ends[index] - last]).tolist()]
            if style == "dots":
                sign = _SEPARATORS[int(more[index] * len(_SEPARATORS))]
                return "".join(sign + char if at in places else char for at, char in enumerate(word)), Note(word)
            taken = sorted(places, key=draws.__getitem__)[: 1 + (more[index] < _TWICE)]
            new = "".join(signs[style][char] if at in taken else char for at, char in enumerate(word))
            hidden = style == "star" and len(taken) * _READ > np.count_nonzero(letters[start : ends[index]])
            return new, None if hidden else Note(word)

        def make(indices: Ints, olds: list[str]) -> list[Rewritten]:
            lengths = (ends - begins)[indices]
            points = unit(np.repeat(keys[indices], lengths), ranges(np.full(lengths.size, _LETTERS), lengths))
            return list(map(masked, indices.tolist(), olds, word_letters.of_words(points, lengths)))

        return written_together(batch, begins, ends, ranks, make)


_READ = 3
"""A word with stars can be read if it has at least this many letters for each star."""
_EDGES = {"star": (1, 1), "sign": (1, 0), "leet": (0, 0), "dots": (1, 0)}
"""The number of characters at the start and at the end of a word that each style leaves as they are.

A word that begins with a sign would be taken for a mention («@бзац») or a price. Dots stand before letters.
"""


@cache
def _signs(name: str) -> dict[str, dict[str, str]]:
    """Map, for each style, letters in both cases to the signs that replace them.

    Raises:
        AugmentError: a line has an unknown style, or does not have a small letter and one other character.
    """
    path = dictionary_path(name)
    found: dict[str, dict[str, str]] = {style: {} for style in STYLES}
    for style, letter, sign in rows(path, columns=3):
        if style not in found or style == "dots":
            raise AugmentError(f"{path.name}: {style} {letter}; possible styles: star, sign, leet")
        if not (len(letter) == len(letter.upper()) == len(sign) == 1 and letter.islower() and letter != sign):
            raise AugmentError(f"{path.name}: {style} {letter} {sign}; needs a small letter and one other character")
        found[style] |= {letter: sign, letter.upper(): sign}
    return found
