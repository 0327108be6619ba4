"""Ошибка в окончании, как у тех, кто учит русский: «живу в новой квартире» → «живу в новая квартире»."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

from augment_ru.draws import Rng
from augment_ru.editing.replacing import writes_yo, written_like
from augment_ru.editing.syntax import Syntax
from augment_ru.editing.wrong_endings import aspect_pairs, wrong_adjectives, wrong_aspects, wrong_cases, wrong_verbs
from augment_ru.edits import Change, Edit, Note
from augment_ru.engine.attack import Attack, check_guards
from augment_ru.errors import AugmentError, unknown
from augment_ru.language.morphology import is_known
from augment_ru.text.doc import Doc

_PLACES = (0, 1, 2)
"""Which of the wrong forms of a word is taken; the later ones are rarer, and looking for them takes time."""
CLASSES = ("adjective", "aspect", "case", "verb")


@dataclass(frozen=True, slots=True)
class Agreement(Attack):
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

    def propose(self, doc: Doc, rng: Rng) -> Iterator[Change]:
        """Propose a wrong form of every word that has one; likelier errors are drawn more often."""
        syntax = Syntax(doc)
        for word in doc.words:
            number = syntax.numbers.get(word.start)
            if number is None or word.pos not in _CLASSES_OF or not is_known(word.text.lower()):
                continue
            place = rng.choice_best_first(_PLACES)
            found = tuple(islice(self._wrong(syntax, number), place + 1))
            if found:
                kind, wrong = found[-1]
                text = written_like(wrong, word.text, yo="ё" not in wrong or writes_yo(doc.text))
                note = Note(doc.text[word.start : word.stop], kind)
                yield rng.change(Edit(word.start, word.stop, text, note))

    def _wrong(self, syntax: Syntax, number: int) -> Iterator[tuple[str, str]]:
        """The wrong forms of a word, each with its class."""
        for kind in _CLASSES_OF[syntax.tokens[number].pos]:
            if kind in self.classes:
                yield from ((kind, word) for word in self._of_class(kind, syntax, number))

    def _of_class(self, kind: str, syntax: Syntax, number: int) -> Iterator[str]:
        if kind == "aspect":
            return wrong_aspects(syntax, number, self.pairs)
        return _FINDERS[kind](syntax, number)


_FINDERS = {"adjective": wrong_adjectives, "case": wrong_cases, "verb": wrong_verbs}
_CLASSES_OF = {
    "NOUN": ("case",),
    "ADJ": ("adjective", "verb"),
    "DET": ("adjective",),
    "VERB": ("aspect", "verb", "adjective"),
    "AUX": ("verb",),
}
"""The classes of errors of each part of speech, the likeliest first."""
