"""Rules of misspelling, read from a dictionary: which letters are replaced by which, and what must stand beside them.

A rule is written `left(old>new)right`. `left`, `old` and `right` are letters, sets of letters (`[кгх]`) or one of the
capitals Б (any letter), Г (a vowel), С (a consonant). `|` is the edge of a word or a hyphen; `=` in `old` repeats the
letter before it. `~` after an old vowel says that it must be unstressed, `!` that it must be stressed: the rate of
the rule is multiplied by how likely that is. `new` is letters, a set as long as the old one (letter by letter), or
signs: `1` and `2` are the first and the second old letter, `@` a neighbouring key of the first, `?` a letter that
sounds or looks like the first, `+` the first old letter one to four times.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate

import numpy as np

from augment_ru.draws import Floats, Ints, weighted
from augment_ru.editing.characters import neighbouring_keys
from augment_ru.errors import AugmentError
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.characters import Mask

_MOST = 8
"""The most syllables of a word that are told apart.

In a longer word those before the last eight count like the eighth from the end.
"""


@cache
def _tables() -> tuple[dict[str, int], Floats]:
    """Read the dictionary of stress.

    Returns:
        The number of each ending, from 1. And the share of words in which a syllable is stressed, shape (endings + 1,
        syllables + 1, syllables + 1). The indices of a share are: the number of the word's ending (0 for an unknown
        one), how many syllables the word has, and the number of the syllable, counted from the end.
    """
    lines = list(rows(dictionary_path("stress"), columns=3))
    plain = np.zeros((_MOST + 1, _MOST + 1))
    endings: dict[str, tuple[int, float]] = {}
    for ending, *cells in lines:
        syllable, share = int(cells[0]), float(cells[1])
        if not (1 <= syllable <= _MOST and 0 < share <= 1):
            raise AugmentError(f"stress: {ending} {syllable} {share}; needs a syllable from 1 to {_MOST} and a share")
        if ending.isdigit():
            plain[int(ending), syllable] = share
        else:
            endings[ending] = syllable, share
    plain[1:] /= plain[1:].sum(axis=1, keepdims=True)
    shares = np.repeat(plain[None], len(endings) + 1, axis=0)
    for number, (syllable, share) in enumerate(endings.values(), start=1):
        for count in range(syllable, _MOST + 1):
            rest = plain[count].copy()
            rest[syllable] = 0.0
            shares[number, count] = rest / rest.sum() * (1.0 - share) if rest.any() else 0.0
            shares[number, count, syllable] = share
    return {ending: number for number, ending in enumerate(endings, start=1)}, shares


def unstressed(words: Sequence[str], owners: Ints, vowels: Mask, yo: Mask) -> Floats:
    """Return the probability that each vowel of some words is unstressed, shape (letters,); other letters have 1.

    The letters are those of all words, one word after another, with one entry for the gap between two words.

    The vowel of a word of one syllable is always stressed, and so is ё.

    Args:
        words: the words in lower case.
        owners: for each letter the index of its word, from 0; -1 for a gap.
        vowels: whether each letter is a vowel, same shape.
        yo: whether each letter is ё, same shape.
    """
    endings, shares = _tables()
    longest = max(map(len, endings))
    numbers = np.array(
        [
            next((endings[word[-length:]] for length in range(longest, 0, -1) if word[-length:] in endings), 0)
            for word in words
        ],
        dtype=np.int64,
    )
    places = np.flatnonzero(vowels)
    mine = owners[places]
    counts = np.bincount(mine, minlength=len(words))
    behind = np.minimum(np.cumsum(counts)[mine] - np.arange(places.size), _MOST)  # 1 for the last syllable of a word
    found = np.ones(owners.size)
    found[places] = 1.0 - shares[numbers[mine], np.minimum(counts, _MOST)[mine], behind]
    marked = np.bincount(mine, yo[places], minlength=len(words)) > 0
    found[places[marked[mine]]] = 1.0
    found[places[(counts[mine] == 1) | yo[places]]] = 0.0
    return found


ALPHABET = "абвгдежзийклмнопрстуфхцчшщъыьэюяё"
_VOWELS = "аеёиоуыэюя"
_CONSONANTS = "".join(letter for letter in ALPHABET if letter not in _VOWELS + "ьъй") + "й"
_NUMBERS = {letter: number for number, letter in enumerate(ALPHABET + "-", start=1)}
"""The number of each letter and of the hyphen; 0 stands for any other character and for the gap between two words."""
_SETS = {"Б": ALPHABET, "Г": _VOWELS, "С": _CONSONANTS}
_ALIKE = {
    "а": "ое", "б": "пвд", "в": "фбм", "г": "кх", "д": "тбз", "е": "и", "ё": "ео", "ж": "шз",
    "з": "сж", "и": "е", "й": "и", "к": "гхт", "л": "рн", "м": "нб", "н": "мл", "о": "а",
    "п": "бт", "р": "л", "с": "зш", "т": "дп", "у": "ою", "ф": "вп", "х": "кг", "ц": "с",
    "ч": "щ", "ш": "щ", "щ": "ш", "ъ": "ь", "ы": "и", "ь": "ъ", "э": "е", "ю": "у",
    "я": "еи",
}  # fmt: skip
"""Letters that people write by mistake for a letter because they sound or look alike.

They are used for errors that neither spelling nor keyboard explains. With other letters, two readers found the errors
unbelievable: «промукт», «лтоит», «прёшлась».
"""
_EDGE = frozenset({0, _NUMBERS["-"]})
_RULE = re.compile(r"([^()]*)\(([^()>]*)>([^()]*)\)([^()]*)")
_ELEMENT = re.compile(r"\[[а-яё]+\]|.")
_COPIES = tuple(accumulate((0.12, 0.41, 0.32, 0.15)))
"""Cumulative shares of how many copies are added to a letter that is repeated, one to four: «оочень», «ооочень», …

They were counted in blogs.
"""
_WEIGHTS = np.array([0.0, 0.0, 0.12, 0.25, 0.25, 0.65, 1.0])
"""How often people make an error in a letter of a word of 0, 1, 2, … letters, relative to longer words."""
_FIRST = 0.3
"""How often people err in the first letter of a word, relative to other letters.

4 % of their errors are there, but 12 % of the letters.
"""


class Words:
    """The letters of some words in arrays, one word after another, with a gap between two, and eight at both ends.

    Args:
        words: the words in lower case.

    Attributes:
        numbers: a number for each letter, shape (letters,): 1 for а, 2 for б and so on to 32 for я, without ё, which
            has 33. A hyphen has 34, a gap or another sign 0.
        words: the index of the word of each letter, from 0; -1 for a gap; same shape.
        starts: the index in `numbers` of the first letter of each word, shape (words,).
        weights: how likely an error is at each letter, relative to a letter inside a long word; shape (letters,).
        unstressed: the probability that each vowel is unstressed, shape (letters,). Letters other than vowels have 1.
    """

    def __init__(self, words: Sequence[str]) -> None:
        lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        codes = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), dtype="<u4")
        self.starts = np.cumsum(lengths + 1) - lengths - 1 + _MARGIN
        size = int((lengths + 1).sum()) + 2 * _MARGIN
        within = np.arange(codes.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        places = np.repeat(self.starts, lengths) + within
        self.numbers = np.zeros(size, dtype=np.int64)
        self.numbers[places] = _table()[np.minimum(codes, _table().size - 1)]
        self.words = np.full(size, -1, dtype=np.int64)
        self.words[places] = np.repeat(np.arange(lengths.size), lengths)
        per_word = _WEIGHTS[np.minimum(lengths, _WEIGHTS.size - 1)]
        self.weights = np.zeros(size)
        self.weights[places] = np.repeat(per_word, lengths)
        self.weights[self.starts[lengths > 0]] *= _FIRST
        self.weights[self.numbers == _NUMBERS["-"]] = 1.0
        is_vowel = _members(_VOWELS)[self.numbers]
        self.unstressed = unstressed(words, self.words, is_vowel, self.numbers == _NUMBERS["ё"])


_MARGIN = 8
"""How many gaps are before the first word and after the last one: the most letters that a rule has."""


@cache
def _table() -> Ints:
    """Return the number of each code point in `_NUMBERS`; the last entry, 0, stands for all higher code points."""
    table = np.zeros(max(map(ord, _NUMBERS)) + 2, dtype=np.int64)
    for letter, number in _NUMBERS.items():
        table[ord(letter)] = number
    return table


@cache
def _members(letters: str) -> Mask:
    """Tell for each letter, by its number in `_NUMBERS`, whether it is one of these; false for a gap."""
    members = np.zeros(len(_NUMBERS) + 1, dtype=np.bool_)
    members[[_NUMBERS[letter] for letter in letters]] = True
    return members


class LetterRule:
    """A rule of misspelling: some letters become others, such as `(о~>а)` for an unstressed о.

    Args:
        text: the rule, `left(old>new)right`: after `left` and before `right`, `old` is replaced by `new`. All four are
            letters or sets of letters.

    Attributes:
        context: pairs (place, mask), sorted by place: which letters the rule allows at the old letters and around them.
            Place 0 is the first old letter, place -1 the letter before it. The mask tells for each letter, by its
            number in `Words.numbers`, whether it may stand there.
        length: how many letters are replaced.
        equal: the places of those old letters that must equal the letter before them.
        stress: "~" if the old vowel must be unstressed, "!" if it must be stressed, else "".
        old: the old letters or sets of letters, as the rule writes them.
        new: the letters or signs that replace them, as the rule writes them.

    Raises:
        AugmentError: the text is not such a rule.
    """

    def __init__(self, text: str) -> None:
        found = _RULE.fullmatch(text)
        if found is None:
            raise AugmentError(f"rule {text}: needs left(old>new)right, such as С(о~>а)")
        left, old, self.new, right = found.groups()
        self.stress = "".join(sign for sign in "~!" if sign in old)
        self.old = old.replace("~", "").replace("!", "")
        elements = _ELEMENT.findall(self.old)
        context = [(at, part) for at, part in enumerate(elements) if part != "="]
        before = _ELEMENT.findall(left)
        context += [(at - len(before), part) for at, part in enumerate(before)]
        behind = _ELEMENT.findall(right)
        context += [(at + len(elements), part) for at, part in enumerate(behind)]
        if len(before) + len(elements) + len(behind) > _MARGIN or (len(elements) == 0 and not before):
            raise AugmentError(f"rule {text}: too long, or it says neither what is replaced nor what stands before it")
        if "[" in self.new and len(self.new) != len(self.old):
            raise AugmentError(f"rule {text}: the new set needs a letter for each of the old one")
        self.length = len(elements)
        self.equal = [at for at, part in enumerate(elements) if part == "="]
        self.context = [(at, _allowed(part, text)) for at, part in sorted(context)]

    def places(self, words: Words) -> tuple[Ints, Floats]:
        """Find where this rule of misspelling fits some words.

        Args:
            words: the words, letter by letter.

        Returns:
            The index in `words.numbers` of the first letter that the rule replaces, for each place where the rule fits,
            ascending; and how likely the error is at each of them, relative to a letter inside a long word.
        """
        size = words.numbers.size - 2 * _MARGIN

        def at(step: int) -> Ints:
            return words.numbers[_MARGIN + step : _MARGIN + step + size]

        fits = np.ones(size, dtype=np.bool_)
        for step, allowed in self.context:
            fits &= allowed[at(step)]
        for step in self.equal:
            fits &= at(step) == at(step - 1)
        if self.new in ("21", "22"):
            fits &= at(0) != at(1)
        places = np.flatnonzero(fits) + _MARGIN
        here = places if self.length else places - 1  # an insertion belongs to the word of the letter before it
        weights = words.weights[here]
        if self.stress:
            share = words.unstressed[places]
            weights = weights * (share if self.stress == "~" else 1.0 - share)
        return places, weights

    def written(self, old: str, draw: Callable[[], float]) -> str:
        """Return what this rule of misspelling writes instead of the letters that it replaces.

        Args:
            old: the letters that are replaced, in lower case.
            draw: a function that returns a new draw from U[0, 1) at each call.
        """
        if self.new.startswith("["):
            return self.new[self.old.index(old)]
        return "".join(self._written_one(sign, old, draw) for sign in self.new)

    @staticmethod
    def _written_one(sign: str, old: str, draw: Callable[[], float]) -> str:
        if sign in "12":
            return old[int(sign) - 1]
        if sign == "@":
            near = neighbouring_keys("keyboard_ru").get(old[0], ((old[0], 1.0),))
            return near[weighted([weight for _, weight in near], draw())][0]
        if sign == "?":
            others = _ALIKE[old[0]]
            return others[int(draw() * len(others))]
        if sign == "+":
            point = draw()
            return old[0] * (1 + sum(point >= bound for bound in _COPIES[:-1]))
        return sign


def _allowed(part: str, rule: str) -> Mask:
    """Return which letters an element of a rule stands for, as a mask over their numbers.

    Raises:
        AugmentError: the element is not in the notation of rules.
    """
    if part == "|":
        return np.array([number in _EDGE for number in range(len(_NUMBERS) + 1)])
    letters = _SETS.get(part, part.strip("[]"))
    if not letters or any(letter not in _NUMBERS for letter in letters):
        raise AugmentError(f"rule {rule}: '{part}'; possible: Russian letters, [sets], Б, Г, С, |, =")
    return _members(letters)
