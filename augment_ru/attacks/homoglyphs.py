"""Буквы заменены похожими из другого алфавита: «сахар» → «caxap» (все буквы второго слова латинские)."""

from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar

import numpy as np

from augment_ru.attacks.unseen import unseen_signs
from augment_ru.draws import Ints, Streams
from augment_ru.editing import word_letters
from augment_ru.editing.targets import check_targets, targeted
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.errors import AugmentError, check_known
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Codes, counted

_INVISIBLE = ("zero_width", "soft_hyphen")
"""The kinds of the attack `unseen` that a word may get: a line of text shows none of them."""
FORMS = {"plain": None, "wide": (0xFF21, 0xFF41), "math": (0x1D5A0, 0x1D5BA), "mono": (0x1D670, 0x1D68A)}
"""The forms of Latin letters, with the code points of A and a: full-width, mathematical sans-serif, monospace."""
_PLACE, _WHICH = 0, 1
"""The numbers of a word's draws in its own stream: where the invisible character is put, and which one it is."""


@dataclass(frozen=True, slots=True)
class Homoglyphs(Attack):
    """Replace letters by look-alikes of another alphabet, Cyrillic or Latin; a reader sees the same word.

    A changed word gets at least one look-alike. With `invisible`, it gets one invisible character, and may also get
    look-alikes.

    Args:
        probability: the share of the changeable words that change, in [0, 1].
        letters: in a changed word, the share of those letters replaced that have a look-alike; in [0, 1].
        near: whether letters are also replaced by letters that only resemble them, such as «и» by «u».
        invisible: whether a changed word gets an invisible character between two of its letters. Then all words with
            two letters side by side are changeable.
        targets: which words change: `content`, content words before others; `lexicon`, only words that moderation looks
            for; `random`, any; or the path of a text file with one word in each line.
        form: how the Latin letters look. `plain`: as usual. `wide`, `math` or `mono`: full-width or mathematical
            letters, both in «сахар» and in "sugar".
        pairs: a dictionary, or the path of a `.tsv` file with the columns letter, look-alike, `same` or `near`.

    Raises:
        AugmentError: `letters` is out of its range, there is no such dictionary, or one of its lines is malformed.
    """

    name: ClassVar[str] = "homoglyphs"
    group: ClassVar[str] = "adversaries"
    probability: float = 0.3
    letters: float = 1.0
    near: bool = False
    invisible: bool = False
    targets: str = "content"
    form: str = "plain"
    pairs: str = "homoglyphs"

    def __post_init__(self) -> None:
        if not 0.0 <= self.letters <= 1.0:
            raise AugmentError(f"homoglyphs.letters={self.letters}; needs a number from 0 to 1")
        check_targets(self.targets)
        check_known("form of homoglyphs", self.form, FORMS)
        # so that a wrong dictionary is an error before the run starts
        _look_alikes(self.pairs, self.form, near=self.near)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose a new spelling for every word that has a letter with a look-alike.

        With `invisible`, propose one for every word that has room for an invisible character between two letters.
        """
        table = _look_alikes(self.pairs, self.form, near=self.near)
        starts, stops = word_letters.words_of_segments(batch)
        if self.invisible:
            gaps = word_letters.letter_gaps(batch)
            changed = counted(gaps, starts + 1, stops) > 0
        else:
            changed = counted(word_letters.looked_up(table, batch.codes) > 0, starts, stops) > 0
        starts, stops, ranks = targeted(batch, streams, starts[changed], stops[changed], self.targets)

        def texts(indices: Ints) -> Replacements:
            begins, ends = starts[indices], stops[indices]
            characters = word_letters.Characters.of(begins, ends)
            codes = batch.codes[characters.places]
            twins = word_letters.looked_up(table, codes)
            has_twin = twins > 0
            draws = batch.draw(streams, characters.places, lane=1)
            taken = has_twin & (draws < self.letters)
            if self.letters < 1 and not self.invisible:
                taken |= characters.order(draws, has_twin) == 0
            codes = np.where(taken, twins, codes)
            if not self.invisible:
                return word_letters.with_inserted(codes, characters, indices.size, np.zeros(0, dtype=np.int64), ())
            keys = batch.keys(streams, begins)
            open_ = np.flatnonzero(gaps[characters.places] & (characters.within > 0))
            counts = np.bincount(characters.words[open_], minlength=indices.size)
            at = open_[np.cumsum(counts) - counts + (word_letters.drawn(keys, _PLACE) * counts).astype(np.int64)]
            invisible = np.array([ord(sign) for signs in unseen_signs("unseen", _INVISIBLE).values() for sign in signs])
            which = (word_letters.drawn(keys, _WHICH) * invisible.size).astype(np.int64)
            return word_letters.with_inserted(codes, characters, indices.size, at, invisible[which])

        proposals = Proposals.of_edits(starts, stops, ranks, texts, clean=True)
        return replace(
            proposals, notes=lambda indices: word_letters.read_as_words(batch, starts[indices], stops[indices])
        )


@cache
def _look_alikes(name: str, form: str, *, near: bool) -> Codes:
    """Return the look-alike of each letter, in both directions, as a table for `looked_up`.

    Args:
        name: the dictionary.
        form: how the Latin letters look; one of `FORMS`.
        near: whether pairs of the kind `near` count.

    Raises:
        AugmentError: a line does not have two different letters of the same case and a kind, or a letter has two
            look-alikes.
    """
    path = dictionary_path(name)
    pairs: dict[str, str] = {}
    left_out: set[str] = set()
    for one, other, kind in rows(path, columns=3):
        if not (len(one) == len(other) == 1 and one.isalpha() and other.isalpha() and one.isupper() == other.isupper()):
            raise AugmentError(f"{path.name}: {one} {other}: needs two letters of the same case")
        if kind not in ("same", "near"):
            raise AugmentError(f"{path.name}: {one} {other} {kind}; possible: same, near")
        if one == other or one in pairs or other in pairs:
            raise AugmentError(f"{path.name}: {one} {other}: each letter needs one look-alike, which is another letter")
        pairs |= {one: other, other: one}
        if kind == "near" and not near:
            left_out |= {one, other}
    table = {letter: twin for letter, twin in pairs.items() if letter not in left_out}
    if (firsts := FORMS[form]) is not None:
        shown = {chr(ord(a) + at): chr(first + at) for a, first in zip("Aa", firsts, strict=True) for at in range(26)}
        table = shown | {letter: shown[twin] for letter, twin in table.items() if twin in shown}
    return word_letters.lookup_table(table)
