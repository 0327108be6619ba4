"""Слово заменяется синонимом в той же форме: «на новой машине» → «на новом автомобиле»."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from augment_ru.draws import Rng
from augment_ru.editing.replacing import ReplacesWords
from augment_ru.resources import senses
from augment_ru.text.doc import Doc
from augment_ru.text.phrases import in_phrase


@dataclass(frozen=True, slots=True)
class Synonyms(ReplacesWords):
    """Replace words by synonyms in the same grammatical form; the words that agree with a noun are adapted.

    Words are looked up by lemma and part of speech. If a word has several senses, the first one that the dictionary
    allows in the surrounding phrase is taken. A synonym is skipped if the sentence already contains it, or if it has no
    form that fits.

    Args:
        probability: the share of the words with a synonym that are replaced, in [0, 1].
        words: the dictionary of synonyms.
        guards: the constraints that protect what a sentence must not lose, such as its negations and numbers. This
            attack never changes their spans, whatever the task.

    Raises:
        AugmentError: there is no such dictionary or constraint, or a line of the dictionary is malformed.
    """

    name: ClassVar[str] = "synonyms"
    group: ClassVar[str] = "rewording"
    read = staticmethod(senses)
    probability: float = 0.3
    words: str = "synonyms"

    def check_words(self) -> None:
        """Read the dictionary of synonyms, so that an unknown or malformed one is an error before the run starts."""
        senses(self.words)

    def lemmas(self, doc: Doc, at: int, rng: Rng) -> Sequence[str]:
        """Return the synonyms of a word in the sense that fits its phrase, shuffled; better ones tend to come first.

        Args:
            doc: the text with its annotation.
            at: the index of the word in `doc.words`, from 0.
            rng: the random draws of the text.
        """
        word = doc.words[at]
        for sense in senses(self.words).get((word.lemma, word.pos), ()):
            if in_phrase(doc.text, doc.words, at, sense.stays):
                continue
            if not sense.only or in_phrase(doc.text, doc.words, at, sense.only):
                return (rng.choice_best_first(sense.synonyms), *sense.synonyms)
        return ()
