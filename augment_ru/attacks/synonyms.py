"""Слово заменяется синонимом в той же форме: «на новой машине» → «на новом автомобиле»."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from augment_ru.draws import Rng
from augment_ru.editing.replacing import replacement
from augment_ru.editing.syntax import Syntax
from augment_ru.edits import Change, Edit
from augment_ru.engine.attack import Attack, check_guards
from augment_ru.resources import Sense, same_word, senses
from augment_ru.text.doc import Doc
from augment_ru.text.phrases import in_phrase


@dataclass(frozen=True, slots=True)
class Synonyms(Attack):
    """Replace words by words of the same sense, in the same form; what depends on a noun agrees with its new gender.

    Words are looked up by lemma and part of speech. Of several senses the first is taken whose phrases allow it. A
    synonym that already stands in the sentence is not taken, nor one that cannot be put into the form of the word.

    Args:
        words: the dictionary of synonyms.
        guards: the constraints whose spans stay, whatever the task: what a sentence must not lose.

    Raises:
        AugmentError: there is no such dictionary or constraint, or a line of the dictionary is wrong.
    """

    name: ClassVar[str] = "synonyms"
    group: ClassVar[str] = "rewording"
    layers: ClassVar[frozenset[str]] = frozenset({"lemmas", "syntax"})
    probability: float = 0.3
    words: str = "synonyms"
    guards: tuple[str, ...] = ("negation", "negated", "restrictors")

    def __post_init__(self) -> None:
        check_guards(self.name, self.guards)
        senses(self.words)  # so that an unknown or wrong dictionary is an error before the run starts

    def propose(self, doc: Doc, rng: Rng) -> Iterator[Change]:
        """Propose a synonym for every word in the dictionary; better ones are likelier."""
        known, syntax = senses(self.words), Syntax(doc)
        for at, word in enumerate(doc.words):
            number = syntax.numbers.get(word.start)
            if number is None or not (found := known.get((word.lemma, word.pos))):
                continue
            sense = _sense(doc, at, found)
            if sense is None:
                continue
            first = rng.choice_best_first(sense.synonyms)
            edits = _first_that_fits(syntax, number, (first, *sense.synonyms))
            if edits:
                yield rng.change(*edits)


def _sense(doc: Doc, at: int, found: tuple[Sense, ...]) -> Sense | None:
    for sense in found:
        if in_phrase(doc.text, doc.words, at, sense.stays):
            continue
        if not sense.only or in_phrase(doc.text, doc.words, at, sense.only):
            return sense
    return None


def _first_that_fits(syntax: Syntax, number: int, synonyms: tuple[str, ...]) -> tuple[Edit, ...] | None:
    there = {same_word(syntax.tokens[other].lemma) for other in syntax.sentence(number)}
    for lemma in dict.fromkeys(synonyms):
        if same_word(lemma) not in there and (edits := replacement(syntax, number, lemma)):
            return edits
    return None
