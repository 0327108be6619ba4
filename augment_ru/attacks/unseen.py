"""В тексте стоит то, чего не видно: «казино» → «ка<U+200B>зино», «ка<U+00AD>зино»."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from augment_ru.draws import Ints, Streams
from augment_ru.editing import word_letters
from augment_ru.editing.on_demand import Rewritten, written_together
from augment_ru.editing.targets import check_targets, targeted
from augment_ru.edits import Note
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError, check_known
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.batch import Batch
from augment_ru.text.characters import WORD, Mask, counted, counts_before

_KIND, _PLACE, _WHICH = 2, 0, 1
"""The numbers of a word's draws in its own stream: the kind, the place, and which of the kind's signs it is."""


@dataclass(frozen=True, slots=True)
class Unseen(Attack):
    """Put signs that a reader does not see, or hardly notices, into words or between them; the letters stay.

    Each changed word gets one kind of sign, drawn from those that fit it. Zero-width signs, variation selectors, tags,
    soft hyphens and controls of direction are put between two letters. A combining line strikes or underlines every
    letter. A special space replaces the space after the word.

    Args:
        probability: the share of the changeable words that change, in [0, 1].
        kinds: the kinds of signs; `all` stands for all of them.
        targets: which words change. `content`: any, but content words change first. `lexicon`: only words that
            moderation looks for. `random`: any, with equal chances. A path of a text file: only the words in it, one in
            each line.
        signs: a dictionary, or the path of a `.tsv` file. Its columns are: kind of sign; code points that are written
            together, such as `U+200B`; a note on where they come from.

    Raises:
        AugmentError: there is no such kind, word list or dictionary, a line is malformed, or `kinds` is empty.
    """

    group: ClassVar[str] = "channels"
    probability: float = 0.15
    kinds: tuple[str, ...] = ("all",)
    targets: str = "content"
    signs: str = "unseen"

    def __post_init__(self) -> None:
        check_targets(self.targets)
        if not self._signs():
            raise AugmentError("unseen.kinds: none; name at least one, such as zero_width")

    def _signs(self) -> dict[str, Sequence[str]]:
        return unseen_signs(self.signs, tuple(self.kinds))

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose, for every word that a kind of sign fits and that `targets` allows, signs of one kind.

        A kind fits if the word has a place for it: a gap between two letters, or the space after the word, for `space`.
        For `strike`, no letter of the word may have a mark of its own.
        """
        signs = self._signs()
        starts, stops = word_letters.words_of_segments(batch)
        gaps, letters = word_letters.letter_gaps(batch), word_letters.lone_letters(batch)
        whole = counted(letters, starts, stops) == stops - starts  # a letter with a mark of its own is not struck
        open_ = {"strike": whole.astype(np.int64), "space": _spaces(batch, stops)}
        between = counted(gaps, starts + 1, stops)
        fits = np.stack([open_.get(kind, between) > 0 for kind in signs])
        words = np.flatnonzero(fits.any(axis=0))
        chosen, ranks = targeted(batch, streams, starts[words], self.targets)
        words = words[chosen]
        starts, stops = starts[words], stops[words]
        keys = batch.keys(streams, starts)
        kinds = word_letters.drawn_kinds(keys, _KIND, fits[:, words])
        names = list(signs)
        is_space = kinds == (names.index("space") if "space" in names else -1)
        which = word_letters.drawn(keys, _WHICH)
        points = counts_before(gaps)[starts + 1] + (word_letters.drawn(keys, _PLACE) * between[words]).astype(np.int64)
        places = np.append(np.flatnonzero(gaps), 0)[points] - starts
        begins, ends = np.where(is_space, stops, starts), np.where(is_space, stops + 1, stops)

        def written(index: int, word: str) -> str:
            among = signs[names[kinds[index]]]
            sign = among[int(which[index] * len(among))]
            if is_space[index]:
                return sign
            if names[kinds[index]] == "strike":
                return "".join(char + sign for char in word)
            return word[: places[index]] + sign + word[places[index] :]

        def make(indices: Ints, read: Sequence[str]) -> list[Rewritten]:
            pairs = zip(indices.tolist(), read, strict=True)
            return [(written(index, text), Note(text, names[kinds[index]])) for index, text in pairs]

        return written_together(batch, begins, ends, ranks, make)


def _spaces(batch: Batch, stops: Ints) -> Ints:
    """Return 1 for each word with a single unprotected space between it and the next word, else 0; shape (words,)."""
    codes = np.append(batch.codes, batch.codes[-1:])
    found: Mask = (codes[stops] == ord(" ")) & ((batch.flags[np.minimum(stops + 1, codes.size - 2)] & WORD) != 0)
    if batch.untouchable is not None:
        found &= ~batch.untouchable[stops]
    return found.astype(np.int64)


@cache
def unseen_signs(name: str, kinds: tuple[str, ...]) -> dict[str, Sequence[str]]:
    """Read a dictionary of signs that a reader does not see, and return the signs of each kind.

    Args:
        name: the name of the dictionary, or the path of a `.tsv` file.
        kinds: the kinds wanted, such as zero-width signs; `all` stands for all of them.

    Raises:
        AugmentError: there is no such dictionary or kind, or a line has no code points.
    """
    path = dictionary_path(name)
    found: dict[str, list[str]] = {}
    for kind, points, _ in rows(path, columns=3):
        if not re.fullmatch("U\\+[0-9A-F]{4,5}( U\\+[0-9A-F]{4,5})*", points):
            raise AugmentError(f"{path.name}: {kind} {points}; needs code points such as U+200B")
        found.setdefault(kind, []).append("".join(chr(int(one.replace("U+", "0x"), 0)) for one in points.split()))
    for kind in kinds:
        check_known("kind of unseen", kind, ("all", *found))
    return {kind: signs for kind, signs in found.items() if kind in kinds or "all" in kinds}
