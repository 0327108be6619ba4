"""Забыли переключить раскладку: «привет, мир» → «ghbdtn, vbh»."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from augment_ru.draws import Ints, Streams
from augment_ru.editing.respelling import UNITS, respell, sentences_at
from augment_ru.editing.targets import check_targets
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.errors import AugmentError, check_known
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.batch import Batch
from augment_ru.text.characters import DIGIT, WORD, Codes, Mask, counted


class Layouts:
    """Two keyboard layouts: what each key types in one and in the other.

    The columns of the dictionary are: a character in the first layout, the character of the same key in the second
    layout. The arrays have the shape (2, largest code point + 2): the first index is the layout, the second index is
    the code point of a character.

    Args:
        name: the name of the dictionary, or a path that ends in .tsv.

    Attributes:
        typed: the code point that the character's key types in the other layout; 0 if this layout has no key for the
            character.
        letters: whether the character is a letter of this layout.

    Raises:
        AugmentError: there is no such dictionary, a line is malformed, or a letter is in both layouts.
    """

    def __init__(self, name: str) -> None:
        pairs = list(rows(dictionary_path(name), columns=2))
        for pair in pairs:
            if any(len(char) != 1 for char in pair) or pair[0] == pair[1]:
                raise AugmentError(f"{name}: '{pair[0]}', '{pair[1]}'; needs two different characters of one key")
        size = max((ord(char) for pair in pairs for char in pair), default=0) + 2
        self.typed, self.letters = np.zeros((2, size), dtype=np.uint32), np.zeros((2, size), dtype=np.bool_)
        for pair in pairs:
            for layout, char in enumerate(pair):
                self.typed[layout, ord(char)] = ord(pair[1 - layout])
                self.letters[layout, ord(char)] = char.isalpha()
        if shared := "".join(map(chr, np.flatnonzero(self.letters.all(axis=0)).tolist())):
            raise AugmentError(f"{name}: '{shared}' in both layouts; a letter must tell which layout it is of")

    def exchanged(self, batch: Batch) -> tuple[Codes, Mask]:
        """Type the texts of a batch in the other layout.

        A character without a key stays. A sign that is not a letter counts as typed in the layout of the letter before
        it in its text, or else of the letter after it. In a text without letters such a sign stays.

        Returns:
            The new code points, and whether each old one is a letter of a layout; both of shape (codes,).
        """
        keys = np.minimum(batch.codes, self.typed.shape[1] - 1).astype(np.int64)
        codes = batch.codes.copy()
        is_letter = self.letters[:, keys]
        for layout in (0, 1):
            codes[is_letter[layout]] = self.typed[layout, keys[is_letter[layout]]]
        any_letter = is_letter[0] | is_letter[1]
        signs = np.flatnonzero(((self.typed[0] | self.typed[1]) != 0)[keys] & ~any_letter)
        letters = np.flatnonzero(any_letter)
        if not (signs.size and letters.size):
            return codes, any_letter
        after = np.searchsorted(letters, signs)
        beside = letters[np.maximum(after - 1, 0)]
        lacking = (beside > signs) | (batch.rows(beside) != batch.rows(signs))
        beside[lacking] = letters[np.minimum(after, letters.size - 1)[lacking]]
        typed = self.typed[is_letter[1, beside].astype(np.int64), keys[signs]]
        fits = (batch.rows(beside) == batch.rows(signs)) & (typed != 0)
        codes[signs[fits]] = typed[fits]
        return codes, any_letter


layouts = cache(Layouts)


@dataclass(frozen=True, slots=True)
class WrongLayout(Attack):
    """Type words in the wrong layout: Russian ones by QWERTY, Latin ones by ЙЦУКЕН («hello» → «руддщ»).

    A word is not changed if no key types one of its letters («naïve», a letter with a stress mark).

    Args:
        unit: what is typed in the wrong layout as a whole, as when someone forgot to switch. `run`: the first few words
            of a sentence, with the signs between them («как, где?» → «rfr? ult&»). `sentence`: a sentence. `message`:
            the whole text. `word`: each word by itself, without signs. The probability is the share of the words, of
            the sentences (for `run`, too) or of the texts that change.
        targets: with `unit=word`, which words change. `content`: any, but content words change first. `lexicon`: only
            words that moderation looks for. `random`: any, with equal chances. A path of a text file: only the words in
            it, one in each line.
        layouts: a dictionary, or the path of a `.tsv` file with two columns: a character in one layout, the character
            of the same key in the other layout.

    Raises:
        AugmentError: there is no such unit, word list or dictionary, or one of its lines is malformed.
    """

    name: ClassVar[str] = "wrong_layout"
    group: ClassVar[str] = "people"
    probability: float = 0.1
    unit: str = "run"
    targets: str = "content"
    layouts: str = "layouts"

    def __post_init__(self) -> None:
        check_known(f"{self.name}.unit", self.unit, UNITS)
        check_targets(self.targets)
        layouts(self.layouts)  # so that a wrong dictionary is an error before the run starts

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose to type words in the other layout: single words, or all of a sentence or text (option `unit`)."""
        table = layouts(self.layouts)
        typed, letters = table.exchanged(batch)
        starts, stops = batch.words
        no_key = ((batch.flags & WORD) != 0) & ((batch.flags & DIGIT) == 0) & ~letters
        by_word = self.unit == "word"
        changing = letters if by_word else typed != batch.codes
        chosen = (counted(changing, starts, stops) > 0) & (counted(no_key, starts, stops) == 0)
        starts, stops = starts[chosen], stops[chosen]
        if not by_word:
            signs = _signs(batch, typed, starts, stops)
            starts, stops = np.concatenate([starts, signs]), np.concatenate([stops, signs + 1])
            order = np.argsort(starts, kind="stable")
            starts, stops = starts[order], stops[order]

        def replace(indices: Ints) -> Replacements:
            return Replacements.of_ranges(typed, starts[indices], stops[indices])

        # a comma may become a letter («hello,» → «руддщб»), so changes with signs are not clean
        return respell(batch, streams, (starts, stops), replace, unit=self.unit, targets=self.targets, clean=by_word)


def _signs(batch: Batch, typed: Codes, starts: Ints, stops: Ints) -> Ints:
    """Find the signs outside of words that are typed in the other layout together with the chosen words.

    These are the signs of each sentence that has a chosen word.

    A sign stays if a word directly before or after it stays, if it is protected, or if it is inside a grapheme cluster.

    Args:
        batch: the texts.
        typed: the code points of the batch in the other layout.
        starts: the global places where the chosen words start.
        stops: the global places where they stop.

    Returns:
        The global places of the signs.
    """
    size = batch.codes.size
    edges = np.zeros(size + 1, dtype=np.int8)
    edges[starts] += 1
    edges[stops] -= 1
    inside = np.cumsum(edges[:-1], dtype=np.int8) > 0
    free = np.ones(size, dtype=np.bool_) if batch.untouchable is None else ~batch.untouchable
    stays: Mask = ((batch.flags & WORD) != 0) & ~(inside | (free & ((batch.flags & DIGIT) != 0)))
    signs = np.flatnonzero((typed != batch.codes) & ((batch.flags & WORD) == 0) & ~inside & free)
    signs = signs[~stays[signs - 1] & ~stays[signs + 1]]
    if batch.cuttable is not None:
        signs = signs[batch.cuttable[signs] & batch.cuttable[signs + 1]]
    return signs[np.isin(sentences_at(batch, signs), sentences_at(batch, starts))]
