"""Слово становится ласковым, как в отзывах и чатах: «попили кофе у дома» → «попили кофеёк у домика»."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from augment_ru.draws import Rng
from augment_ru.editing.replacing import ReplacesWords
from augment_ru.editing.style import STYLES, chat_points, is_quoted
from augment_ru.errors import check_known
from augment_ru.resources import dictionary, dictionary_path, exceptions, rows
from augment_ru.text.doc import Doc
from augment_ru.text.phrases import in_phrase


@dataclass(frozen=True, slots=True)
class Diminutives(ReplacesWords):
    """Replace nouns by diminutives in the same grammatical form; the words that agree with a noun are adapted.

    Words are looked up by lemma and part of speech. A word is left unchanged in phrases that the dictionary lists as
    exceptions, in quotations, beside a numeral, and after an adjective that says how great or how official the thing
    is.

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

    name: ClassVar[str] = "diminutives"
    group: ClassVar[str] = "people"
    read = staticmethod(dictionary)
    probability: float = 0.5
    words: str = "diminutives"
    styles: str = "chat"

    def check_words(self) -> None:
        """Read the dictionary of diminutives and check the option `styles`, so that errors are found before the run."""
        exceptions(self.words)
        check_known(f"{self.name}.styles", self.styles, STYLES)

    def wants(self, doc: Doc) -> bool:
        """Tell whether a text may have a diminutive, and has the style that allows one."""
        return ReplacesWords.wants(self, doc) and (self.styles == "any" or chat_points(doc.text) >= _LEAST_POINTS)

    def lemmas(self, doc: Doc, at: int, rng: Rng) -> Sequence[str]:
        """Return one diminutive of a word; an empty sequence if the word has none or must not be replaced.

        A word is not replaced in a phrase that the dictionary lists as an exception, in quotations, beside a numeral,
        and after an adjective that says how great or how official the thing is.

        Args:
            doc: the text with its annotation.
            at: the index of the word in `doc.words`, from 0.
            rng: the random draws, which choose one of several diminutives.
        """
        word, phrases = doc.words[at], exceptions(self.words)
        known = dictionary(self.words).get((word.lemma, word.pos))
        if (
            not known
            or not self._may_be_small(doc, at)
            or in_phrase(doc.text, doc.words, at, phrases.get((word.lemma, word.pos), ()))
        ):
            return ()
        return (rng.choice_best_first(known),)

    def _may_be_small(self, doc: Doc, at: int) -> bool:
        """Tell whether the style of the text and the words around word number `at` allow a diminutive."""
        word, words = doc.words[at], doc.words
        if self.styles == "chat" and chat_points(doc.text) < _LEAST_POINTS:
            return False
        if is_quoted(doc.text, word.start):
            return False
        beside = words[max(at - _REACH, 0) : at + 2]
        great = _great()
        if any(one.text.istitle() for one in words[at + 1 : at + 2]):
            return False  # «концерт Пуленка»
        return not any(one.pos == "NUM" or one.lemma.replace("ё", "е") in great or one.text.isdigit() for one in beside)


_LEAST_POINTS = 2
_REACH = 2
"""How many words before a noun are looked at; of the words after it only the next one is."""


@cache
def _great() -> frozenset[str]:
    return frozenset(word.replace("ё", "е") for (word,) in rows(dictionary_path("great_words"), columns=1))
