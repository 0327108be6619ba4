"""Слово заменяется синонимом в той же форме: «на новой машине» → «на новом автомобиле»."""

from dataclasses import dataclass
from typing import ClassVar

from augment_ru.editing.replacing import ReplacesWords


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
    probability: float = 0.3
    words: str = "synonyms"
