"""Spoken forms of words and phrases, as chats have them, and where they stand in a batch."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.editing.form_tables import FormTable
from augment_ru.editing.openings import LOWERED, opening
from augment_ru.editing.word_forms import WordForms
from augment_ru.edits import Note
from augment_ru.errors import AugmentError
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.characters import Mask

_BRACES = re.compile(r"\{([^{}]*)\}")
_FIRST, _COMMA, _ANY = "^", ", ", "*"
_REMEMBERED = 100_000


class Spoken(NamedTuple):
    """One spoken form, its class, and the share of the places where it is written."""

    text: str
    kind: str
    share: float


@dataclass(frozen=True, slots=True)
class Entry:
    """The spoken forms of one word or phrase.

    Attributes:
        written: the word or phrase in lower case, with its marks.
        forms: its spoken forms.
    """

    written: str
    forms: tuple[Spoken, ...]

    @property
    def rate(self) -> float:
        """The share of its places that have one of the forms."""
        return min(sum(form.share for form in self.forms), 1.0)

    def spoken(self, form: Spoken, old: str) -> str:
        """The form in the place of what is written; of a filler with it, of an ending behind its stem."""
        if self.written == _FIRST + _ANY:
            filler = form.text.removesuffix(_ANY)
            return _capitalised(filler, old) + _inside(old)
        if self.written.startswith(_ANY):
            stem = old[: 1 - len(self.written)]
            return stem + (form.text.upper() if _is_shouted(old) else form.text)
        if _is_shouted(old):
            return form.text.upper()
        return _capitalised(form.text, old)


def _capitalised(text: str, old: str) -> str:
    return text[:1].upper() + text[1:] if old[:1].isupper() else text


def _is_shouted(word: str) -> bool:
    return len(word) > 1 and word.isupper()


def _inside(word: str) -> str:
    """The first word of a sentence as it stands behind a filler; a name or abbreviation keeps its capital."""
    small = word[:1].lower() + word[1:]
    return small if small.islower() and opening(small) & LOWERED else word


class Made(NamedTuple):
    """What is written in the place of a word, and its note: how it is read, and its class."""

    text: str
    note: Note


class Places(NamedTuple):
    """Where spoken forms may stand, in columns: the number of the word, of the entry, and the rate of the entry."""

    words: Ints
    entries: Ints
    rates: Floats

    def only(self, chosen: Mask | Ints) -> "Places":
        """These of the places."""
        return Places(self.words[chosen], self.entries[chosen], self.rates[chosen])


class SpokenForms:
    """The spoken forms of a dictionary.

    Args:
        entries: what is written, and how it is spoken.

    Attributes:
        entries: as above.
        fillers: the words of the fillers.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self._forms = [(entry, form) for entry in entries for form in entry.forms]
        counts = np.array([len(entry.forms) for entry in entries], dtype=np.int64)
        self._bounds = np.concatenate([[0], np.cumsum(counts)])
        self._shares = np.concatenate([[0.0], np.cumsum([form.share for _, form in self._forms])])
        self._made: dict[tuple[int, str], Made] = {}
        self._rates = np.array([entry.rate for entry in entries])
        self._endings = [(entry.written[1:], at) for at, entry in enumerate(entries) if entry.written[0] == _ANY]
        self._any = np.array([at for at, entry in enumerate(entries) if entry.written == _FIRST + _ANY], dtype=np.int64)
        said = {form.text for at in self._any.tolist() for form in entries[at].forms}
        said |= {form.text for entry in entries if entry.written.startswith(_COMMA) for form in entry.forms}
        self.fillers = FormTable(sorted({text.removesuffix(f" {_ANY}").split()[-1].strip(",") for text in said}))
        self._words = _Listed.of(entries, lambda text: text[0] not in ",*" and _ANY not in text)
        self._behind = _Listed.of(entries, lambda text: text.startswith(_COMMA))

    def words(self, forms: WordForms, first: Mask) -> tuple[Places, Places]:
        """The words that have a spoken form, and the first words of the phrases that have one.

        Args:
            forms: the words of a batch.
            first: whether each word begins a sentence, shape (words,).
        """
        found = []
        for words, keys in (forms.find(self._words.forms), forms.find_pairs(self._words.forms)):
            entries = self._words.entries[first[words].astype(np.int64), keys]
            found.append((words[entries >= 0], entries[entries >= 0]))
        (single, entries), (pairs, phrases) = found
        ends = [(forms.end_in(ending), at) for ending, at in self._endings]
        words = np.concatenate([single, *(words for words, _ in ends)])
        entries = np.concatenate([entries, *(np.full(words.size, at) for words, at in ends)])
        _, at = np.unique(words, return_index=True)  # a word that is listed does not change its ending
        denied = np.concatenate([[False], forms.are("не")])[pairs]
        return self._places(words[at], entries[at]), self._places(pairs[~denied], phrases[~denied])

    def drawn(self, entries: Ints, points: Floats) -> Ints:
        """The number of one form of each entry, by a draw from U[0, 1); likelier forms are drawn as often as said."""
        firsts, lasts = self._bounds[entries], self._bounds[entries + 1]
        targets = self._shares[firsts] + points * (self._shares[lasts] - self._shares[firsts])
        numbers: Ints = np.clip(np.searchsorted(self._shares, targets, side="right") - 1, firsts, lasts - 1)
        return numbers

    def made(self, number: int, old: str) -> Made:
        """What is written in the place of a word or phrase if the form of this number is drawn."""
        made = self._made.get((number, old))
        if made is None:
            if len(self._made) > _REMEMBERED:
                self._made.clear()
            entry, form = self._forms[number]
            made = self._made[number, old] = Made(entry.spoken(form, old), Note(old, form.kind))
        return made

    def starts(self, words: Ints) -> Places:
        """Fillers in front of these words."""
        words = words if self._any.size else words[:0]
        return self._places(words, np.full(words.size, self._any[0] if self._any.size else 0))

    def behind(self, forms: WordForms, behind_comma: Mask, clause: Mask) -> tuple[Places, Places]:
        """Fillers behind conjunctions of one word, and of two.

        Args:
            forms: the words of a batch.
            behind_comma: whether each word stands behind a comma, shape (words,).
            clause: whether each word begins a clause if it stands behind a conjunction, shape (words,).
        """
        found = []
        padded = np.concatenate([clause, [False, False]])
        beside = np.concatenate([forms.beside, [False, False]])
        of_one, of_two = forms.find(self._behind.forms), forms.find_pairs(self._behind.forms)
        for length, (words, keys) in enumerate((of_one, of_two), start=1):
            fits = behind_comma[words] & beside[words + length - 1] & padded[words + length]
            found.append(self._places(words[fits], self._behind.entries[0, keys[fits]]))
        return found[0], found[1]

    def _places(self, words: Ints, entries: Ints) -> Places:
        return Places(words, entries, self._rates[entries] if words.size else np.zeros(0))


class _Listed(NamedTuple):
    """Words and phrases that a dictionary lists, and the entry of each elsewhere and at the start of a sentence.

    Attributes:
        forms: the words and phrases.
        entries: the numbers of their entries, shape (2, forms); -1 for none.
    """

    forms: FormTable
    entries: Ints

    @classmethod
    def of(cls, entries: Sequence[Entry], chosen: Callable[[str], bool]) -> "_Listed":
        """Those of the entries whose text is chosen."""
        numbers = {entry.written: at for at, entry in enumerate(entries) if chosen(entry.written)}
        forms = list(dict.fromkeys(written.removeprefix(_COMMA).removeprefix(_FIRST) for written in numbers))
        found = [[numbers.get(f"{sign}{form}", -1) for form in forms] for sign in ("", _FIRST, _COMMA)]
        elsewhere, first, behind = (np.array(column, dtype=np.int64) for column in found)
        elsewhere = np.maximum(elsewhere, behind)
        return cls(FormTable(forms), np.stack([elsewhere, np.where(first >= 0, first, elsewhere)]))


@cache
def spoken_forms(dictionary: str, classes: tuple[str, ...], possible: tuple[str, ...]) -> SpokenForms:
    """The spoken forms of some classes in a dictionary: as written, as spoken, class, share.

    Args:
        dictionary: the name of a shipped dictionary, or a path that ends in .tsv.
        classes: the classes wanted.
        possible: the classes that there are.

    Raises:
        AugmentError: there is no such dictionary, or a line of it is wrong.
    """
    found: dict[str, list[Spoken]] = {}
    for written, spoken, kind, cell in rows(dictionary_path(dictionary), columns=4):
        where = f"{dictionary}: {written} {spoken}"
        if kind not in possible:
            raise AugmentError(f"{where}: class {kind}; possible: {', '.join(possible)}")
        share = _share(where, cell)
        if kind in classes:
            for key, text in _expanded(where, written, spoken):
                found.setdefault(key, []).append(Spoken(text, kind, share))
    return SpokenForms([Entry(key, tuple(_fitting(key, found))) for key in found])


def _fitting(key: str, found: Mapping[str, list[Spoken]]) -> list[Spoken]:
    """The spoken forms of a key; at the start of a sentence those that stand anywhere, too."""
    anywhere = found.get(key.removeprefix(_FIRST), []) if key.startswith(_FIRST) else []
    return [*found[key], *anywhere]


def _share(where: str, cell: str) -> float:
    try:
        share = float(cell)
    except ValueError:
        share = 0.0
    if not 0.0 < share <= 1.0:
        raise AugmentError(f"{where}: share {cell}; needs a number over 0, at most 1")
    return share


def _expanded(where: str, written: str, spoken: str) -> Iterator[tuple[str, str]]:
    """Each form that a line stands for, and how it is spoken.

    >>> list(_expanded("", "комп{,а}", "пк{,шка}"))
    [('комп', 'пк'), ('компа', 'пкшка')]
    """
    old, new = _BRACES.search(written), _BRACES.search(spoken)
    if old is None:
        yield written, spoken
        return
    endings = old[1].split(",")
    others = new[1].split(",") if new else [""] * len(endings)
    if len(others) != len(endings):
        raise AugmentError(f"{where}: {len(endings)} endings, and {len(others)} of what is spoken; give as many")
    for ending, other in zip(endings, others, strict=True):
        text = spoken[: new.start()] + other + spoken[new.end() :] if new else spoken
        yield written[: old.start()] + ending + written[old.end() :], text
