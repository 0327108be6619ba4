"""Слово становится ласковым, как в отзывах и чатах: «попили кофе у дома» → «попили кофеёк у домика»."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from augment_ru.draws import Rng
from augment_ru.editing.replacing import ReplacesWords
from augment_ru.resources import dictionary, exceptions
from augment_ru.text.doc import Doc
from augment_ru.text.phrases import in_phrase


@dataclass(frozen=True, slots=True)
class Diminutives(ReplacesWords):
    """Replace nouns by their diminutives, in the same form; what depends on a noun agrees with its new gender.

    Words are looked up by lemma and part of speech. A word stays in phrases that the dictionary names as exceptions.

    Args:
        words: the dictionary of diminutives.
        guards: the constraints whose spans are never changed, whatever the task, so that a sentence does not lose them.

    Raises:
        AugmentError: there is no such dictionary or constraint, or a line of the dictionary is malformed.
    """

    name: ClassVar[str] = "diminutives"
    group: ClassVar[str] = "people"
    probability: float = 0.5
    words: str = "diminutives"

    def check_words(self) -> None:
        """Read the dictionary and its exceptions."""
        exceptions(self.words)

    def lemmas(self, doc: Doc, at: int, rng: Rng) -> Sequence[str]:
        """Return one diminutive of word number `at`; empty if it has none or stands in one of the exceptions."""
        word, phrases = doc.words[at], exceptions(self.words)
        known = dictionary(self.words).get((word.lemma, word.pos))
        if not known or in_phrase(doc.text, doc.words, at, phrases.get((word.lemma, word.pos), ())):
            return ()
        return (rng.choice_best_first(known),)
