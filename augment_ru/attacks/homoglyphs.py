"""Буквы заменены похожими из другого алфавита: «сахар» → «caxap» (все буквы второго слова латинские)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from augment_ru.attacks.unseen import unseen_signs
from augment_ru.draws import Ints, Streams
from augment_ru.editing import word_letters
from augment_ru.editing.on_demand import Rewritten, written_together
from augment_ru.editing.targets import check_targets, targeted
from augment_ru.edits import Note
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals, ranges
from augment_ru.errors import AugmentError, check_known
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.batch import Batch
from augment_ru.text.characters import counted

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
        letters: how likely it is, in [0, 1], that a letter of a changed word is replaced if it has a look-alike.
        near: whether letters are also replaced by letters that only resemble them, such as «и» by «u».
        invisible: whether a changed word gets an invisible character between two of its letters. Then all words with
            two letters side by side are changeable.
        targets: which words change. `content`: any, but content words change first. `lexicon`: only words that
            moderation looks for. `random`: any, with equal chances. A path of a text file: only the words in it, one in
            each line.
        form: how the Latin letters look. `plain`: as usual. `wide`, `math` or `mono`: as full-width or mathematical
            letters; Latin words are then written in these letters, too.
        pairs: a dictionary, or the path of a `.tsv` file. Its columns are: letter; letter that looks like it; how much
            it does, `same` or `near`.

    Raises:
        AugmentError: `letters` is out of range, there is no such form, word list or dictionary, or a line is malformed.
    """

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
        """Propose a spelling with look-alikes for every word in which a letter has one.

        With `invisible`, propose one for every word that has room for an invisible character between two letters.
        """
        table = _look_alikes(self.pairs, self.form, near=self.near)
        starts, stops = word_letters.words_of_segments(batch)
        if self.invisible:
            gaps = word_letters.letter_gaps(batch)
            changed = counted(gaps, starts + 1, stops) > 0
        else:
            changed = counted(np.isin(batch.codes, [*map(ord, table)]), starts, stops) > 0
        starts, stops = starts[changed], stops[changed]
        chosen, ranks = targeted(batch, streams, starts, self.targets)
        starts, stops = starts[chosen], stops[chosen]

        keys = batch.keys(streams, starts)
        places, which = (word_letters.drawn(keys, number).tolist() for number in (_PLACE, _WHICH))
        every = str.maketrans(table)
        invisible = [sign for signs in unseen_signs("unseen", _INVISIBLE).values() for sign in signs]

        def written(index: int, word: str, draws: Sequence[float]) -> Rewritten:
            new = word.translate(every)
            if self.letters < 1:
                twins = [at for at, char in enumerate(word) if char in table]
                taken = {at for at in twins if draws[at] < self.letters}
                if not self.invisible:
                    taken.add(min(twins, key=draws.__getitem__))
                new = "".join(new[at] if at in taken else char for at, char in enumerate(word))
            if self.invisible:
                open_ = np.flatnonzero(gaps[starts[index] + 1 : stops[index]]) + 1
                at = open_[int(places[index] * open_.size)]
                new = new[:at] + invisible[int(which[index] * len(invisible))] + new[at:]
            return new, Note(word)

        def make(indices: Ints, olds: list[str]) -> list[Rewritten]:
            lengths = (stops - starts)[indices]
            points = batch.draw(streams, ranges(starts[indices], lengths), lane=1)
            return list(map(written, indices.tolist(), olds, word_letters.of_words(points, lengths)))

        return written_together(batch, starts, stops, ranks, make)


@cache
def _look_alikes(name: str, form: str, *, near: bool) -> dict[str, str]:
    """Return the look-alike of each letter, in both directions.

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
    return table
