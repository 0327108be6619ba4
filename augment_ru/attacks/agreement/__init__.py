"""Ошибка в окончании, как у тех, кто учит русский: «живу в новой квартире» → «живу в новая квартире»."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

import numpy as np

from augment_ru.attacks.agreement.wrong_endings import (
    aspect_pairs,
    wrong_adjectives,
    wrong_aspects,
    wrong_cases,
    wrong_verbs,
)
from augment_ru.draws import Ints, Streams
from augment_ru.editing.on_demand import MadeOnDemand, in_rounds
from augment_ru.editing.replacing import writes_yo, written_like
from augment_ru.editing.syntax import Syntax
from augment_ru.edits import Change, Edit, Note
from augment_ru.engine.attack import check_guards
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError, unknown
from augment_ru.language.morphology import is_known
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask

_SHARES = (4 / 7, 6 / 7)
"""Where a draw from U[0, 1) takes the second and the third wrong form of a word: each is half as frequent as the one
before it, and looking for it takes time."""
CLASSES = ("adjective", "aspect", "case", "verb")


@dataclass(frozen=True, slots=True)
class Agreement(MadeOnDemand):
    """Put words into a wrong form, as learners of Russian do; each new word is a real form of the same lemma.

    `adjective`: an adjective or participle in another gender, number or case than its noun; `case`: a noun in a case
    that its preposition, numeral, adjective or verb does not allow; `verb`: a verb or short adjective in another
    gender, number or person than its subject; `aspect`: a verb of the other aspect where only one is right. A form
    that might be right in its place, in another reading, is not taken.

    Args:
        classes: the classes of errors.
        pairs: the dictionary of verbs of both aspects.
        guards: the constraints whose spans stay, whatever the task; `acceptability`: texts that are judged for their
            grammar.

    Raises:
        AugmentError: there is no such class, dictionary or constraint, or no class is named.
    """

    name: ClassVar[str] = "agreement"
    group: ClassVar[str] = "learners"
    layers: ClassVar[frozenset[str]] = frozenset({"lemmas", "syntax"})
    probability: float = 0.1
    classes: tuple[str, ...] = CLASSES
    pairs: str = "aspect_pairs"
    guards: tuple[str, ...] = ("acceptability",)

    def __post_init__(self) -> None:
        check_guards(self.name, self.guards)
        for one in self.classes:
            if one not in CLASSES:
                raise unknown("class of errors", one, CLASSES)
        if not self.classes:
            raise AugmentError(f"{self.name}.classes: none; possible: {', '.join(CLASSES)}")
        aspect_pairs(self.pairs)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose a wrong form of every word that has one and may become active; likelier errors are drawn more often.

        Looking for wrong forms takes most of the time, so words are tried in rounds (`in_rounds`).
        """
        words = batch.once(_words, self.classes, self.pairs)
        rows = np.array([word.row for word in words], dtype=np.int64)
        starts = batch.starts[rows] + np.array([word.token.start for word in words], dtype=np.int64)
        ranks = batch.draw(streams, starts)
        chosen = np.searchsorted(_SHARES, batch.draw(streams, starts, lane=1), side="right")
        changes: list[list[Change]] = [[] for _ in range(len(batch))]

        def work(wanted: Ints) -> Mask:
            done = np.zeros(wanted.size, dtype=np.bool_)
            for place, at in enumerate(wanted.tolist()):
                edit = words[at].edit(int(chosen[at]))
                if edit is not None:
                    changes[words[at].row].append(Change(float(ranks[at]), (edit,)))
                    done[place] = True
            return done

        in_rounds(rows, ranks, self.probability, work, least=self.least)
        return Proposals.of_changes(batch, changes)


class _Word:
    """A word that may have wrong forms; they are looked for when they are asked for, each once.

    Attributes:
        row: the number of its text.
        token: the word.
    """

    def __init__(self, row: int, syntax: Syntax, number: int, forms: Iterator[tuple[str, str]]) -> None:
        self.row = row
        self.token = syntax.tokens[number]
        self._text = syntax.doc.text
        self._forms = forms
        self._found: list[tuple[str, str]] = []

    def edit(self, place: int) -> Edit | None:
        """The edit that writes the wrong form of this place, or the last one there is; None if there is none."""
        self._found += islice(self._forms, max(place + 1 - len(self._found), 0))
        if not self._found:
            return None
        kind, wrong = self._found[min(place, len(self._found) - 1)]
        start, stop = self.token.start, self.token.stop
        text = written_like(wrong, self.token.text, yo="ё" not in wrong or writes_yo(self._text))
        return Edit(start, stop, text, Note(self._text[start:stop], kind))


def _words(batch: Batch, classes: Sequence[str], pairs: str) -> list[_Word]:
    """The words of a batch that may be edited and whose part of speech has errors of these classes."""
    starts, stops = batch.words
    rows = batch.rows(starts)
    at = batch.starts[rows]
    trees = [Syntax(doc) for doc in batch.docs]
    found = []
    for row, start, stop in zip(rows.tolist(), (starts - at).tolist(), (stops - at).tolist(), strict=True):
        syntax = trees[row]
        number = syntax.numbers.get(start)
        if number is not None and syntax.tokens[number].stop == stop:
            kinds = tuple(kind for kind in _CLASSES_OF.get(syntax.tokens[number].pos, ()) if kind in classes)
            if kinds:
                found.append(_Word(row, syntax, number, _wrong(syntax, number, kinds, pairs)))
    return found


def _wrong(syntax: Syntax, number: int, kinds: Sequence[str], pairs: str) -> Iterator[tuple[str, str]]:
    """The wrong forms of a word, each with its class."""
    if is_known(syntax.tokens[number].text.lower()):
        for kind in kinds:
            if kind == "aspect":
                yield from ((kind, word) for word in wrong_aspects(syntax, number, pairs))
            else:
                yield from ((kind, word) for word in _FINDERS[kind](syntax, number))


_FINDERS = {"adjective": wrong_adjectives, "case": wrong_cases, "verb": wrong_verbs}
_CLASSES_OF = {
    "NOUN": ("case",),
    "ADJ": ("adjective", "verb"),
    "DET": ("adjective",),
    "VERB": ("aspect", "verb", "adjective"),
    "AUX": ("verb",),
}
"""The classes of errors of each part of speech, the likeliest first."""
