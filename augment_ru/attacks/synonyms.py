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
        guards: the constraints whose spans this attack never changes, whatever the task; none, because a synonym
            («лишь» for «только») loses nothing of what they keep.

    Raises:
        AugmentError: there is no such dictionary or constraint, or a line of the dictionary is malformed.
    """

    group: ClassVar[str] = "rewording"
    probability: float = 0.3
    words: str = "synonyms"
    guards: tuple[str, ...] = ()
