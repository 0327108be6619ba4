"""Слово становится ласковым, как в отзывах и чатах: «попили кофе у дома» → «попили кофеёк у домика»."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from augment_ru.draws import Rng
from augment_ru.editing.replacing import replacement
from augment_ru.editing.syntax import Syntax
from augment_ru.edits import Change
from augment_ru.engine.attack import Attack, check_guards
from augment_ru.resources import dictionary, exceptions
from augment_ru.text.doc import Doc
from augment_ru.text.phrases import in_phrase


@dataclass(frozen=True, slots=True)
class Diminutives(Attack):
    """Replace nouns by their diminutives, in the same form; what depends on a noun agrees with its new gender.

    Words are looked up by lemma and part of speech. A word stays in the phrases that the dictionary states for it.

    Args:
        words: the dictionary of diminutives.
        guards: the constraints whose spans stay, whatever the task: what a sentence must not lose.

    Raises:
        AugmentError: there is no such dictionary or constraint, or a line of the dictionary is wrong.
    """

    name: ClassVar[str] = "diminutives"
    group: ClassVar[str] = "people"
    layers: ClassVar[frozenset[str]] = frozenset({"lemmas", "syntax"})
    probability: float = 0.5
    words: str = "diminutives"
    guards: tuple[str, ...] = ("negation", "negated", "restrictors")

    def __post_init__(self) -> None:
        check_guards(self.name, self.guards)
        exceptions(self.words)  # so that an unknown or wrong dictionary is an error before the run starts

    def propose(self, doc: Doc, rng: Rng) -> Iterator[Change]:
        """Propose the diminutive of every word in the dictionary outside its phrases."""
        known, phrases, syntax = dictionary(self.words), exceptions(self.words), Syntax(doc)
        for at, word in enumerate(doc.words):
            key = word.lemma, word.pos
            number = syntax.numbers.get(word.start)
            if number is None or key not in known or in_phrase(doc.text, doc.words, at, phrases.get(key, ())):
                continue
            edits = replacement(syntax, number, rng.choice_best_first(known[key]))
            if edits:
                yield rng.change(*edits)
