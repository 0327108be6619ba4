"""Finds words: those that an attack may edit (`word_bounds`), and words by several narrower patterns.

The patterns differ in whether digits belong to a word, whether a hyphen or an apostrophe joins two parts into one word,
and whether letters of other alphabets count.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from augment_ru.draws import Ints
from augment_ru.edits import Span
from augment_ru.resources import listed_in
from augment_ru.text import characters

RUSSIAN = re.compile(r"[а-яё]+(?:[-’'][а-яё]+)*", re.IGNORECASE)
"""A word of Russian letters alone, which the dictionary of word forms may have: «кое-кто»; not «iPhone», «МиГ-29»."""

LETTERS = re.compile(r"[^\W\d_]+(?:[-’'][^\W\d_]+)*")
"""A word of letters of any alphabet; a hyphen or an apostrophe joins its parts: «д'Артаньян», «wi-fi»."""

LETTERS_AND_DIGITS = re.compile(r"[^\W_]+(?:[-‑'’][^\W_]+)*")
"""A word of letters and digits of any alphabet; a hyphen, a non-breaking hyphen or an apostrophe joins its parts:
«МиГ-29», «1945»."""

_HYPHENATED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_RUSSIAN_PART = re.compile(r"[^\W\d_]*[а-яё][^\W\d_]*", re.IGNORECASE)
_PLAIN_WORD = re.compile("[а-яёА-ЯЁ]+(?:-[а-яёА-ЯЁ]+)*")
_PLAIN = re.compile(rf"""(?:[«"(]?{_PLAIN_WORD.pattern}[»")]?[.,!?;:…]{{0,3}}(?:\s+|\Z)|[—–]\s+)*+""")
"""Matches texts of Russian words with marks around them, which `word_bounds` splits into the same words, but slowly."""
_DEGREE = ord("°")
_LONGEST_UNIT = 8
"""The most characters that an abbreviated unit, such as «м/с», may have."""
_GROUP = 3
"""The number of digits in each group of a number that is written with spaces: «30 000»."""


_STOP = re.compile(r"(?<!\w)(\w{1,5}+)(\.[^\S\n]*)(?=([a-zа-яё\d,])?)")
"""A word so short that it may be an abbreviation, its full stop, and what goes on behind that."""


def inner_stops(text: str) -> Iterator[tuple[int, int]]:
    """Yield the full stops that end no sentence: «2 экз. книги», «на ул. Мира», «в 5 ч., утром».

    Such a stop is behind a short word. After it comes a small letter, a digit or a comma, or the word is one of the
    dictionary `shortened_words`.

    Yields:
        The place of the stop, and the place where the text goes on after white space in the same line.
    """
    for found in _STOP.finditer(text):
        if found[3] or found[1].lower() in listed_in("shortened_words"):
            yield found.span(2)


def hyphenated_words(text: str) -> list[str]:
    """Return the words by which the length and the readability of a text are measured.

    Such a word consists of letters, perhaps with hyphens inside.

    >>> hyphenated_words("Из-за О'Генри, 5 раз")
    ['Из-за', 'О', 'Генри', 'раз']
    """
    return _HYPHENATED.findall(text)


def count_russian_words(text: str) -> int:
    """Count the words of a text that contain a Russian letter; each part of a word with a hyphen counts as a word.

    >>> count_russian_words("Из-за iPhone, 5 раз")
    3
    """
    return len(_RUSSIAN_PART.findall(text))


def word_ranges(text: str) -> list[tuple[int, int]]:
    """Return the start and the stop of each word of one text; a number with its unit («25 м/с») is one word.

    >>> text = "Из-за ветра 25 м/с, то есть −15 °C"
    >>> [text[start:stop] for start, stop in word_ranges(text)]
    ['Из-за', 'ветра', '25 м/с', 'то', 'есть', '−15 °C']
    """
    if _PLAIN.fullmatch(text):
        return [match.span() for match in _PLAIN_WORD.finditer(text)]
    codes, _ = characters.encode([text])
    starts, stops = word_bounds(codes, characters.classes(codes))
    return list(zip(starts.tolist(), stops.tolist(), strict=True))


def word_bounds(codes: characters.Codes, flags: characters.Flags) -> tuple[Ints, Ints]:
    r"""Find the words in an array of code points.

    A word is a run of letters, digits and combining marks. Signs inside it may join its parts: «из-за», «О'Генри»,
    «км/ч». A comma and a colon join only digits («3,14», «10:30»), and a space joins only groups of three digits
    («30 000») or a number and an abbreviated unit («25 м/с»). If a line feed is written as a backslash and a letter
    («\nКазань», as in the data set MultiQ), this letter belongs to no word.

    Args:
        codes: the texts as one array, made by `characters.encode`, shape (codes,).
        flags: what each code point is (letter, digit, …), as `characters.classes` returns it, same shape.

    Returns:
        The start and the stop of each word in `codes`, in order, both of shape (words,).
    """
    inside = (flags & characters.WORD) != 0
    joiners = np.flatnonzero((flags & characters.JOINER) != 0)
    if joiners.size:
        joiners = joiners[(joiners > 0) & (joiners < codes.size - 1)]
        before, after = flags[joiners - 1], flags[joiners + 1]
        joined = (before & after & characters.WORD) != 0
        digits = (before & after & characters.DIGIT) != 0
        signs = codes[joiners]
        joined &= digits | (signs != ord(",")) & (signs != ord(":"))
        inside[joiners[joined]] = True
    _join_signs(codes, flags, inside)
    _join_thousands(flags, inside)
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1  # the last code is a line feed, so each word stops
    if inside.size and inside[0]:
        edges = np.concatenate([[0], edges])
    return _with_units(codes, flags, edges[::2], edges[1::2])


def _join_signs(codes: characters.Codes, flags: characters.Flags, inside: characters.Mask) -> None:
    r"""Update `inside`: add the signs of numbers («−15», «№7», «50%»), and remove the letter of «\n»."""
    for place in np.flatnonzero((flags & characters.SIGN) != 0).tolist():
        sign, following = chr(codes[place]), int(place) + 1
        if sign == "\\":
            inside[following] &= chr(codes[following]) not in characters.ESCAPED
            continue
        before = place > 0 and bool(inside[place - 1])
        if (flags[following] & characters.DIGIT and not before) or (
            before and flags[place - 1] & characters.DIGIT and sign not in "+-−±№#"
        ):
            inside[place] = True


def _with_units(codes: characters.Codes, flags: characters.Flags, starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
    """Join each number with the abbreviated unit after it, and return the words: «25 м/с», «−15 °C», «2,5 кг»."""
    joined: list[int] = []
    numbers = np.flatnonzero((flags[starts] | flags[stops - 1]) & characters.DIGIT)
    numbers = numbers[(flags[stops[numbers]] & characters.SPACE) != 0]
    for word in numbers.tolist():
        stop = int(stops[word])
        if word + 1 < starts.size:
            degree = int(codes[stop + 1] == _DEGREE)
            following = int(starts[word + 1])
            if following == stop + 1 + degree and stops[word + 1] - following <= _LONGEST_UNIT:
                unit = characters.decode(codes[stop + 1 : stops[word + 1]])
                if unit.lower() in listed_in("units"):
                    joined.append(word)
    if not joined:
        return starts, stops
    return np.delete(starts, np.array(joined) + 1), np.delete(stops, joined)


def _join_thousands(flags: characters.Flags, inside: characters.Mask) -> None:
    """Update `inside`: add a space as in «30 000», with one to three digits before it and exactly three after it."""
    digit = (flags & characters.DIGIT) != 0
    spaces = np.flatnonzero(digit[:-2] & digit[2:] & ((flags[1:-1] & characters.SPACE) != 0)) + 1
    spaces = spaces[spaces < flags.size - _GROUP - 1]
    for space in spaces.tolist():
        before, after = digit[max(space - _GROUP - 1, 0) : space], digit[space + 1 : space + _GROUP + 2]
        long = before.size > _GROUP and before.all()
        inside[space] = after[:-1].all() and not after[-1] and not long


def occurrences(text: str, words: Sequence[str], label: str) -> Iterator[Span]:
    """Yield a span wherever one of some words occurs in a text as a whole word, in any letter case.

    Args:
        text: the text.
        words: the words, or phrases.
        label: the label of the spans.
    """
    places: dict[str, list[int]] = {}
    for run in _RUN.finditer(text):
        places.setdefault(_same(run[0]), []).append(run.start())
    for word in sorted({word.strip() for word in words}):
        runs = [(match.start(), _same(match[0])) for match in _RUN.finditer(word)]
        found = min(((places.get(run, ()), at) for at, run in runs), key=lambda one: len(one[0]), default=None)
        if not word or (found is not None and not found[0]):
            continue
        pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
        if found is None:  # a word without a letter or a digit
            yield from (Span(*match.span(), label) for match in pattern.finditer(text))
            continue
        stop = 0
        for start in (place - found[1] for place in found[0]):
            if start >= stop and (match := pattern.match(text, start)):
                yield Span(start, match.end(), label)
                stop = match.end()


_RUN = re.compile(r"\w+")


def _same(run: str) -> str:
    """Fold the case of letters and digits: two runs become equal if `re.IGNORECASE` treats them as equal."""
    return "".join(char.lower()[0].upper()[0] for char in run)


def held_once(words: Iterable[str]) -> list[str]:
    """Return the words of a text as a list in which equal words are one object, so that a long text takes less memory.

    Args:
        words: the words, in the order of the text.
    """
    once: dict[str, str] = {}
    return [once.setdefault(word, word) for word in words]
