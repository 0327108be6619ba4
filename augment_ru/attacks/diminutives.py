"""Слово становится ласковым, как в отзывах и чатах: «попили кофе у дома» → «попили кофеёк у домика»."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from augment_ru.draws import Rng
from augment_ru.editing.replacing import ReplacesWords
from augment_ru.editing.style import STYLES, chat_points, is_quoted
from augment_ru.errors import check_known
from augment_ru.resources import same_word, word_lists
from augment_ru.text.doc import Doc


@dataclass(frozen=True, slots=True)
class Diminutives(ReplacesWords):
    """Replace nouns by diminutives in the same grammatical form; the words that agree with a noun are adapted.

    Words are looked up by lemma and part of speech. The dictionary may limit a word to some phrases, or except some. A
    word also stays if the text has it twice, in quotations, beside a numeral, beside a word that says how great or how
    official the thing is, before a word with a capital and, unless `styles` is `any`, in complaints.

    Args:
        probability: the share of the nouns with a diminutive that are replaced, in [0, 1].
        words: the dictionary of diminutives.
        styles: which texts change: `chat`, texts in the style of a chat or a review (`editing.style`); `any`, all
            texts.
        guards: the constraints that protect what a sentence must not lose, such as its negations and numbers. This
            attack never changes their spans, whatever the task.

    Raises:
        AugmentError: there is no such dictionary or constraint, or a line of the dictionary is malformed.
    """

    group: ClassVar[str] = "people"
    probability: float = 0.5
    words: str = "diminutives"
    styles: str = "chat"

    def __post_init__(self) -> None:
        ReplacesWords.__post_init__(self)
        check_known(f"{self.name}.styles", self.styles, STYLES)

    def wants(self, doc: Doc) -> bool:
        """Tell whether a text has a word that may have a diminutive, and is in a style that allows diminutives."""
        return ReplacesWords.wants(self, doc) and (self.styles == "any" or chat_points(doc.text) >= _LEAST_POINTS)

    def lemmas(self, doc: Doc, at: int, rng: Rng) -> Sequence[str]:
        """Return one diminutive of a word; an empty sequence if the word has none or must not be replaced.

        Args:
            doc: the text with its annotation.
            at: the index of the word in `doc.words`, from 0.
            rng: the random draws, which choose one of several diminutives.
        """
        found = ReplacesWords.lemmas(self, doc, at, rng)[:1]
        return found if found and self._may_be_small(doc, at) else ()

    def _may_be_small(self, doc: Doc, at: int) -> bool:
        """Tell whether the style of the text and the words around word number `at` allow a diminutive."""
        word, great = doc.words[at], word_lists("great_words")
        is_bad = not great["bad"].isdisjoint(doc.lemma_counts)  # a complaint
        if self.styles == "chat" and (is_bad or chat_points(doc.text) < _LEAST_POINTS):
            return False
        following = doc.words[at + 1 : at + 2]
        if any(one.text.istitle() for one in following) or is_quoted(doc.text, word.start):
            return False  # «концерт Пуленка»
        beside = (*doc.words[max(at - _REACH, 0) : at], *following)
        if doc.lemma_counts[same_word(word.lemma)] > 1 or any(one.pos == "NUM" or one.text.isdigit() for one in beside):
            return False
        return great["beside"].isdisjoint(same_word(one.lemma) for one in beside)


_LEAST_POINTS = 2
_REACH = 2
"""How many words before a noun are looked at; of the words after it only the next one is."""
