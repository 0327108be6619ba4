"""Holds the words of an original text, and what edits did to them: lost, misspelt, moved, replaced and so on."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, TypeAlias, TypeVar
from unicodedata import normalize

from augment_ru.language.frequency import information
from augment_ru.language.morphology import WordKind, word_kind
from augment_ru.text.words import held_once

T = TypeVar("T")
Written: TypeAlias = tuple[int, int, str, str]
"""An edit: its start, its stop, its new text, and what a reader understands by this text (`as_said`)."""
ATTRIBUTES = frozenset({"adjective", "participle"})
NOMINAL = frozenset({"noun", "pronoun", "number"})
JOINERS = "-‑'’.:/"
"""The signs that join letters and digits on both sides into one word. In addition, a comma joins digits."""
_JOINER = rf"(?:[{JOINERS}]|(?<=\d),(?=\d))"
_LETTER = r"(?:[^\W_][\u0300-\u036f]*)"
_WORD = re.compile(rf"{_LETTER}+(?:{_JOINER}{_LETTER}+)*")
"""A word: letters and digits of any alphabet, with joining signs between them."""
_PLAIN_WORD = re.compile(rf"[^\W_]+(?:{_JOINER}[^\W_]+)*")
"""Matches the same words as `_WORD` in texts without combining marks, three times as fast."""
LONGEST = 128
"""A longer word is split into words of this many characters, since the cost of a change grows with its word."""
LONGEST_SENTENCE = 256
"""A longer sentence is split into parts of this many words, since the cost of a change grows with its sentence."""
COMBINING = re.compile("[\u0300-\u036f]")
_STRESS = re.compile("[\u0300\u0301]")
SENTENCE_END = re.compile(
    r"[.!?…\n](?:(?<=\n)\n*|(?<!\n)[.!?…]*[»”\")]*\s+(?=[«“\"(]*[A-ZА-ЯЁ0-9]))"  # one set first is searched for fast
)
"""The end of a sentence with the space after it. If a lower-case letter follows the space, the sentence goes on."""


def forms_of(text: str) -> list[str]:
    """Return the words of a text in the form in which they are compared: in lower case, with е for ё."""
    if text.isalpha() and len(text) <= LONGEST:  # most edits write one word
        return [text.lower().replace("ё", "е")]
    return [form_of(text[start:stop]) for start, stop in words_of(text)]


def words_of(text: str) -> list[tuple[int, int]]:
    """Return the start and the stop of each word of a text, in order; a word of over 128 characters is cut up."""
    pattern = _WORD if COMBINING.search(text) else _PLAIN_WORD
    places = [match.span() for match in pattern.finditer(text)]
    if len(text) > LONGEST and any(stop - start > LONGEST for start, stop in places):
        return [(at, min(at + LONGEST, stop)) for start, stop in places for at in range(start, stop, LONGEST)]
    return places


def form_of(word: str) -> str:
    """Return the form in which a word is compared: in lower case, with е for ё, without stress marks."""
    if not word.isalpha() and COMBINING.search(word):
        word = _STRESS.sub("", normalize("NFC", word))
    return word.lower().replace("ё", "е")


def digits_of(word: str) -> str:
    """Return the digits of a word as one string; "" if it has no digits."""
    return "" if word.isalpha() else "".join(char for char in word if char.isdigit())


def kept_source(text: str) -> "Source":
    """Return a text with its words; short texts are cached, so that they are divided into words only once."""
    return _kept(text) if len(text) <= _KEPT_LENGTH else Source(text)


class Source:
    """Holds an original text with its words, and caches what is computed for it: many texts are compared with it.

    Args:
        text: the text.

    Attributes:
        text: the text.
        starts, stops: the place in the text where each word starts and stops.
        forms: each word in the form in which words are compared: in lower case, with е for ё.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        places = words_of(text)
        self.starts = [start for start, _ in places]
        self.stops = [stop for _, stop in places]
        low = text.lower().replace("ё", "е")  # one letter for each, but for «İ»; «Σ» is another at the end of a word
        plain = len(low) == len(text) and "Σ" not in text and not COMBINING.search(text)
        self.forms = held_once(low[start:stop] if plain else form_of(text[start:stop]) for start, stop in places)
        self._parts: dict[tuple[int, int], Source] = {}
        self._found: dict[tuple[Callable[[Source, int], Any], int], Any] = {}

    @cached_property
    def _sentences(self) -> list[tuple[int, int]]:
        """The start and the stop of each sentence, or of each part of a very long one."""
        stops = [match.end() for match in SENTENCE_END.finditer(self.text)]
        edges = list(dict.fromkeys([0, *stops, len(self.text)]))
        if len(self.starts) > LONGEST_SENTENCE:
            firsts = [bisect_left(self.starts, edge) for edge in edges]
            words = (at for a, b in pairwise(firsts) for at in range(a + LONGEST_SENTENCE, b, LONGEST_SENTENCE))
            edges = sorted({*edges, *(self.starts[at] for at in words)})
        return list(pairwise(edges))

    def parts(self, edits: Sequence[Written]) -> list[tuple["Source", Sequence[Written]]]:
        """Divide the text into its sentences; return those that edits touch, each with its edits.

        Sentences stay together if one edit touches several of them. Words that are added after the last word of the
        text may contradict any sentence, so they are returned with the whole text.

        Args:
            edits: the edits, sorted by place. The places of the returned edits count from the start of their sentence.
        """
        if not self.forms:
            return [(self, edits)] if edits else []
        behind: Sequence[Written] = ()
        if edits and edits[-1][0] >= (end := self.stops[-1]):
            behind = [edit for edit in edits if edit[0] == edit[1] >= end]
            if len(behind) < len(edits):
                behind = self._added(edits, behind)
        inside = [edit for edit in edits if edit not in behind] if behind else edits
        found: list[tuple[Source, Sequence[Written]]] = [(self, behind)] if behind else []
        if len(self._sentences) == 1:
            return [*found, (self, inside)] if inside else found
        at = 0
        while at < len(inside):
            first = last = self.sentence_at(inside[at][0])
            until = at
            while until < len(inside) and self.sentence_at(inside[until][0]) <= last:
                start, stop, *_ = inside[until]
                last, until = max(last, self.sentence_at(max(stop - 1, start))), until + 1
            shift = self._sentences[first][0]
            own = [(start - shift, stop - shift, new, said) for start, stop, new, said in inside[at:until]]
            found.append((self._part(first, last), own))
            at = until
        return found

    def _added(self, edits: Sequence[Written], behind: Sequence[Written]) -> list[Written]:
        """Return the edits of `behind` that insert a new word, or no word at all.

        A word is new if no edit removes it elsewhere.

        Args:
            edits: all edits.
            behind: those of them that insert text after the last word.
        """
        lost = Counter[str]()
        for edit in edits:
            start, stop, _, said = edit
            lost.update(forms_of(self.text[start:stop]))
            if edit not in behind:
                lost.subtract(forms_of(said))
        return [edit for edit in behind if not (new := Counter(forms_of(edit[3]))) or new - lost]

    def sentence_at(self, place: int) -> int:
        """Return the index of the sentence that contains a place of the text, from 0."""
        return max(bisect_right(self._sentences, (place, len(self.text) + 1)) - 1, 0)

    def _part(self, first: int, last: int) -> "Source":
        if (first, last) not in self._parts:
            if len(self._parts) >= _MOST_PARTS:
                self._parts.clear()
            self._parts[first, last] = Source(self.text[self._sentences[first][0] : self._sentences[last][1]])
        return self._parts[first, last]

    @cached_property
    def shares(self) -> list[float]:
        """The share of each word in the information of the text, in [0, 1]; rare words have more than frequent ones.

        In a very short text the shares add up to less than 1.
        """
        informations = list(map(information, self.forms))
        total = max(sum(informations), 1.0)
        return [one / total for one in informations]

    @cached_property
    def clauses(self) -> list[int]:
        """The index of the clause that each word is in; any punctuation mark between two words separates clauses."""
        numbers = [0] * len(self.forms)
        for at in range(1, len(self.forms)):
            numbers[at] = numbers[at - 1] + bool(self.between(at - 1, at).strip())
        return numbers

    def between(self, left: int, right: int) -> str:
        """Return the characters between two words; index -1 stands for the start, one that is too high for the end."""
        start = self.stops[left] if left >= 0 else 0
        return self.text[start : self.starts[right] if right < len(self.starts) else None]

    def kind(self, number: int) -> WordKind:
        """Return the part of speech and the possible cases of a word of the text, given its index, from 0."""
        return word_kind(self.forms[number])

    def role(self, number: int) -> str:
        """Return the part of speech of a word of the text, such as "noun", "verb" or "preposition".

        The word is given by its index, from 0. The result is "" if the text has no such word.
        """
        return word_kind(self.forms[number]).role if 0 <= number < len(self.forms) else ""

    def once(self, find: Callable[["Source", int], T], number: int) -> T:
        """Return `find(self, number)`, computed once for each function and word and then taken from a cache.

        Args:
            find: a function of this text and the index of a word.
            number: the index of the word, from 0.
        """
        if (find, number) not in self._found:
            self._found[find, number] = find(self, number)
        found: T = self._found[find, number]
        return found

    def are_beside(self, left: int, right: int) -> bool:
        """Tell whether a word and the one after it both exist and stand in the same clause.

        Args:
            left: the index of the first word, from 0; it may be out of range.
            right: the index of the word after it.
        """
        return left >= 0 and right < len(self.forms) and self.clauses[left] == self.clauses[right]


_kept = lru_cache(maxsize=2048)(Source)
_KEPT_LENGTH = 1000
_MOST_PARTS = 256


@dataclass
class Fates:
    """Records what edits did to each word of a text. Words of the text are given by their index, from 0.

    Attributes:
        source: the text, with its words.
        lost: the words that are gone.
        damaged: the words that are misspelt, each with its new form and the number of letters that differ.
        reshaped: the words that are inflected in another way, each with the new form.
        replaced: groups of words, each with the new words that replace the group.
        signs: the words that are still read, but written in other signs, such as emoji; each with these signs.
        moved: the words that stand in another position.
        inserted: the new words, each with the index of the word before which it was inserted.
        order: the words that are left, in their new order; None if no word moved.
        other: the new text, if the edits were guessed from the two texts; None if they are known.
    """

    source: Source
    lost: list[int] = field(default_factory=list)
    damaged: list[tuple[int, str, int]] = field(default_factory=list)
    reshaped: list[tuple[int, str]] = field(default_factory=list)
    replaced: list[tuple[list[int], list[str]]] = field(default_factory=list)
    signs: list[tuple[int, str]] = field(default_factory=list)
    moved: list[int] = field(default_factory=list)
    inserted: list[tuple[int, str]] = field(default_factory=list)
    order: list[int] | None = None
    edits: Sequence[Written] = field(default=(), compare=False)
    """The edits, from which `after` is made."""
    other: Source | None = field(default=None, compare=False)
    """The new text, if the edits were guessed from two texts; then lost and inserted words may be one rewriting."""

    @property
    def is_guess(self) -> bool:
        """Whether the edits are not known, but were guessed from the original and the new text."""
        return self.other is not None

    @cached_property
    def after(self) -> Source:
        """The new text as a reader understands it: words in place of signs such as 🐱, and misspelt words corrected."""
        source, new = self.source, self.other
        if new is None:
            new = _rewritten(source.text, ((start, stop, said) for start, stop, _, said in self.edits))
        meant = {form: source.text[source.starts[number] : source.stops[number]] for number, form, _ in self.damaged}
        if meant.keys().isdisjoint(new.forms):
            return new
        words = zip(new.starts, new.stops, new.forms, strict=True)
        return _rewritten(new.text, ((start, stop, meant[form]) for start, stop, form in words if form in meant))


def _rewritten(text: str, ranges: Iterable[tuple[int, int, str]]) -> Source:
    """Return a text in which new texts replace some ranges, given by their starts and stops, ascending."""
    at, parts = 0, []
    for start, stop, new in ranges:
        parts += [text[at:start], new]
        at = stop
    return Source("".join([*parts, text[at:]]))
