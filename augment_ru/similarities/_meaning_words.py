"""The words of a text, and what became of each: lost, misspelt, moved, written as a sign, or replaced by others."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from augment_ru.language.frequency import information
from augment_ru.language.morphology import WordKind, word_kind

_WORD = re.compile(r"[^\W_]+(?:[-‑'’.,:/][^\W_]+)*")
"""Letters and digits of any alphabet, with the signs between them that join; a sign with a space behind it does not."""


class Word(NamedTuple):
    """A word of a text: its place, and its form in lower case with е for ё."""

    start: int
    stop: int
    form: str

    @property
    def kind(self) -> WordKind:
        """What the form is."""
        return word_kind(self.form)

    @property
    def information(self) -> float:
        """How much it tells, in (0, 1]."""
        return information(self.form)


def words_of(text: str) -> list[Word]:
    """The words of a text, in order."""
    return [Word(match.start(), match.end(), form_of(match.group())) for match in _WORD.finditer(text)]


def forms_of(text: str) -> list[str]:
    """The forms of the words of a text, in order."""
    return [form_of(word) for word in _WORD.findall(text)]


def form_of(word: str) -> str:
    """A word as it is compared: in lower case, with е for ё."""
    return word.lower().replace("ё", "е")


class Source:
    """An original text with its words; what is computed for it serves all its candidates.

    Args:
        text: the text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = words_of(text)
        self.starts = [word.start for word in self.words]
        self.stops = [word.stop for word in self.words]

    @cached_property
    def total(self) -> float:
        """The information of all its words; at least 1, so that a word of a very short text is not everything."""
        return max(sum(word.information for word in self.words), 1.0)

    @cached_property
    def clauses(self) -> list[int]:
        """The number of the clause of each word: marks part clauses."""
        numbers = [0] * len(self.words)
        for at in range(1, len(self.words)):
            between = self.text[self.words[at - 1].stop : self.words[at].start]
            numbers[at] = numbers[at - 1] + bool(between.strip())
        return numbers

    def share(self, number: int) -> float:
        """The share of a word in the information of the text."""
        return self.words[number].information / self.total

    def role(self, number: int) -> str:
        """The role of a word (`WordKind.role`); "" beyond the ends of the text."""
        return self.words[number].kind.role if 0 <= number < len(self.words) else ""

    def clause(self, number: int) -> Iterator[int]:
        """The numbers of the words of a word's clause."""
        first = number
        while first > 0 and self.clauses[first - 1] == self.clauses[number]:
            first -= 1
        while first < len(self.words) and self.clauses[first] == self.clauses[number]:
            yield first
            first += 1

    def are_beside(self, left: int, right: int) -> bool:
        """Whether two neighbours exist and stand in one clause."""
        return left >= 0 and right < len(self.words) and self.clauses[left] == self.clauses[right]


@dataclass(slots=True)
class Fates:
    """What became of the words of a text.

    Attributes:
        source: the text.
        lost: the words that are gone.
        damaged: the words that are misspelt, with the new form and the number of letters that differ.
        reshaped: the words that stand in another form of theirs, with this form.
        replaced: stretches of words, with the words that stand in their place.
        signs: the words that are written as signs, and read as they were.
        moved: the words that stand at another place.
        inserted: the words that were added, with the number of the word in front of which they stand.
        order: the numbers of the words that are left, in their new order; None if no word moved.
    """

    source: Source
    lost: list[int] = field(default_factory=list)
    damaged: list[tuple[int, str, int]] = field(default_factory=list)
    reshaped: list[tuple[int, str]] = field(default_factory=list)
    replaced: list[tuple[list[int], list[str]]] = field(default_factory=list)
    signs: list[int] = field(default_factory=list)
    moved: list[int] = field(default_factory=list)
    inserted: list[tuple[int, str]] = field(default_factory=list)
    order: list[int] | None = None

    @property
    def is_rewriting(self) -> bool:
        """Whether other words stand in place of words of the text."""
        return bool(self.replaced or (self.lost and self.inserted))

    @property
    def gone(self) -> list[str]:
        """The forms of the words that are no longer there."""
        numbers = sorted([*self.lost, *(number for old, _ in self.replaced for number in old)])
        return [self.source.words[number].form for number in numbers]

    @property
    def new(self) -> list[str]:
        """The forms of the words that were not there."""
        return [word for _, word in self.inserted] + [word for _, found in self.replaced for word in found]
