"""The base of attacks that replace words by other lemmas in the same form, from a dictionary."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from augment_ru.draws import Rng
from augment_ru.editing.replacing import replacement
from augment_ru.editing.syntax import Syntax
from augment_ru.edits import Change
from augment_ru.engine.attack import Attack, check_guards
from augment_ru.resources import same_word
from augment_ru.text.doc import Doc


@dataclass(frozen=True, slots=True)
class ReplacesWords(Attack):
    """Replace words by other lemmas, in the same form; what depends on a noun agrees with its new gender.

    A lemma that already stands in the sentence is not taken, nor one that cannot be put into the form of the word.

    Args:
        words: the dictionary.
        guards: the constraints whose spans stay, whatever the task: what a sentence must not lose.

    Raises:
        AugmentError: there is no such dictionary or constraint, or a line of the dictionary is wrong.
    """

    layers: ClassVar[frozenset[str]] = frozenset({"lemmas", "syntax"})
    words: str = ""
    guards: tuple[str, ...] = ("negation", "negated", "restrictors")

    def __post_init__(self) -> None:
        check_guards(self.name, self.guards)
        self.check_words()

    @abstractmethod
    def check_words(self) -> None:
        """Read the dictionary, so that an unknown or wrong one is an error before the run starts."""

    @abstractmethod
    def lemmas(self, doc: Doc, at: int, rng: Rng) -> Sequence[str]:
        """What may stand in place of word number `at`, the choice of this draw first; empty if nothing may."""

    def propose(self, doc: Doc, rng: Rng) -> Iterator[Change]:
        """Propose another lemma for every word in the dictionary."""
        syntax = Syntax(doc)
        for at, word in enumerate(doc.words):
            number = syntax.numbers.get(word.start)
            lemmas = self.lemmas(doc, at, rng) if number is not None else ()
            if number is None or not lemmas:
                continue
            there = {same_word(syntax.tokens[other].lemma) for other in syntax.sentence(number)}
            for lemma in dict.fromkeys(lemmas):
                if same_word(lemma) not in there and (edits := replacement(syntax, number, lemma)):
                    yield rng.change(*edits)
                    break
