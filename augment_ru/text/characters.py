"""What characters are: classes of code points, words, places where a text may be cut, atoms.

Texts of a batch lie in one array of code points, each followed by a line feed, so that no word, link or
grapheme cluster reaches into the next text.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
import regex

from augment_ru.draws import Ints
from augment_ru.edits import Span
from augment_ru.resources import dictionary_path, rows

Codes = npt.NDArray[np.uint32]
Flags = npt.NDArray[np.uint16]
Mask = npt.NDArray[np.bool_]

KNOWN, WORD, DIGIT, JOINER, SPACE, BREAK, CLUSTER, ATOM, SIGN = (np.uint16(1 << bit) for bit in range(9))
"""Bits of a code point's class: seen before; part of a word; a decimal digit; joins two parts of a word;
white space within a line; ends a sentence or a line; may stand inside a grapheme cluster; hints at an atom;
may belong to a number, or spell out a line feed."""

_SEPARATOR = "\n"
_JOINERS = "-‐‑'’ʼ.,:/·_\u00ad"
_ENDS = ".!?…\n\r\u2028\u2029\x0b\x0c\x85"
_ATOM_HINTS = "@#.:\\<&`{%"
_BACKSLASH = ord("\\")
_MARKUP = np.array([ord(sign) for sign in "\\<&`{%"], dtype=np.uint32)
_ESCAPED = "nrt"
_SIGNS = "+-−±№#$€₽£₴¥%‰°"
_DEGREE = ord("°")
_LONGEST_UNIT = 8
_GROUP = 3
"""Digits of a thousand."""

_classes: Flags = np.zeros(0x110000, dtype=np.uint16)
"""The class of each code point that was seen; 0 is not seen yet. Filling it in twice changes nothing."""


_CLUSTERED = (
    (0x0D, 0x0D),  # CR, before LF
    (0x1100, 0x11FF),  # Hangul jamo
    (0x200C, 0x200D),  # zero-width (non-)joiner
    (0xAC00, 0xD7FF),  # Hangul syllables
    (0xFE00, 0xFE0F),  # variation selectors
    (0x1F1E6, 0x1F1FF),  # regional indicators
    (0x1F3FB, 0x1F3FF),  # emoji modifiers
    (0xE0020, 0xE007F),  # tags
)
_NO_WORD = ((0x20D0, 0x20FF), (0xFE00, 0xFE0F))  # marks on symbols and emoji, not on letters


def _within(code: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(low <= code <= high for low, high in ranges)


def _classify(code: int) -> int:
    char = chr(code)
    category = unicodedata.category(char)
    bits = {
        WORD: category[0] in "LMN" and not _within(code, _NO_WORD),
        DIGIT: category == "Nd",
        JOINER: char in _JOINERS,
        SPACE: category == "Zs" or char == "\t",
        BREAK: char in _ENDS,
        CLUSTER: category[0] == "M" or _within(code, _CLUSTERED),
        ATOM: char in _ATOM_HINTS,
        SIGN: char in _SIGNS or char == "\\",
    }
    return int(KNOWN) | sum(int(bit) for bit, holds in bits.items() if holds)


def encode(texts: Sequence[str]) -> tuple[Codes, Ints]:
    """The code points of the texts, and where each starts; `starts[i + 1] - 1` is where text i stops."""
    joined = _SEPARATOR.join([*texts, ""])
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32, copy=False)
    starts = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) + 1, out=starts[1:])
    return codes, starts


def decode(codes: Codes) -> str:
    """The text that the code points spell."""
    return codes.astype("<u4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")


def classes(codes: Codes) -> Flags:
    """The class of each code point, shape (codes,)."""
    found = _classes[codes]
    if not found.all():
        for code in np.unique(codes[found == 0]).tolist():
            _classes[code] = _classify(code)
        found = _classes[codes]
    return found


def words(codes: Codes, flags: Flags) -> tuple[Ints, Ints]:
    r"""Where the words start and stop.

    A word is a run of letters, digits and combining marks, with the signs inside it that join: «из-за»,
    «О'Генри», «км/ч», «3,14», «10:30». A comma joins digits only, a space thousands: «30 000». The letter of
    a line feed that is spelt out, as TAPE's MultiQ does («\nКазань»), is part of no word.
    """
    inside = (flags & WORD) != 0
    joiners = np.flatnonzero(flags & JOINER)
    if joiners.size:
        joiners = joiners[(joiners > 0) & (joiners < codes.size - 1)]
        before, after = flags[joiners - 1], flags[joiners + 1]
        joined = (before & after & WORD) != 0
        digits = (before & after & DIGIT) != 0
        signs = codes[joiners]
        joined &= digits | (signs != ord(",")) & (signs != ord(":"))
        inside[joiners[joined]] = True
    _join_signs(codes, flags, inside)
    _join_thousands(flags, inside)
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1  # the last code is a line feed: each start has a stop
    if inside.size and inside[0]:
        edges = np.concatenate([[0], edges])
    return _with_units(codes, flags, edges[::2], edges[1::2])


def _join_signs(codes: Codes, flags: Flags, inside: Mask) -> None:
    r"""Count the signs at a number as its own: «−15», «№7», «$5», «50%», «25°»; and «\n» as no letter."""
    for place in np.flatnonzero(flags & SIGN).tolist():
        sign, following = chr(codes[place]), int(place) + 1
        if sign == "\\":
            inside[following] &= chr(codes[following]) not in _ESCAPED
            continue
        before = place > 0 and bool(inside[place - 1])
        if (flags[following] & DIGIT and not before) or (before and flags[place - 1] & DIGIT and sign not in "+-−±№#"):
            inside[place] = True


def _with_units(codes: Codes, flags: Flags, starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
    """The words, with a number and the abbreviated unit after it as one: «25 м/с», «−15 °C», «2,5 кг»."""
    joined: list[int] = []
    numbers = np.flatnonzero((flags[starts] | flags[stops - 1]) & DIGIT)
    numbers = numbers[(flags[stops[numbers]] & SPACE) != 0]
    for word in numbers.tolist():
        stop = int(stops[word])
        if word + 1 < starts.size:
            degree = int(codes[stop + 1] == _DEGREE)
            following = int(starts[word + 1])
            if following == stop + 1 + degree and stops[word + 1] - following <= _LONGEST_UNIT:
                unit = decode(codes[stop + 1 : stops[word + 1]])
                if unit.lower() in _units():
                    joined.append(word)
    if not joined:
        return starts, stops
    return np.delete(starts, np.array(joined) + 1), np.delete(stops, joined)


@cache
def _units() -> frozenset[str]:
    """Abbreviated units, in lower case."""
    return frozenset(unit for (unit,) in rows(dictionary_path("units"), columns=1))


def _join_thousands(flags: Flags, inside: Mask) -> None:
    """Count the spaces in «30 000» as inside words: up to three digits before them, just three after."""
    digit = (flags & DIGIT) != 0
    spaces = np.flatnonzero(flags & SPACE)
    spaces = spaces[(spaces > 0) & (spaces < flags.size - _GROUP - 1)]
    spaces = spaces[digit[spaces - 1] & digit[spaces + 1]]
    for space in spaces.tolist():
        before, after = digit[max(space - _GROUP - 1, 0) : space], digit[space + 1 : space + _GROUP + 2]
        long = before.size > _GROUP and before.all()
        inside[space] = after[:-1].all() and not after[-1] and not long


def cuttable(codes: Codes, flags: Flags, starts: Ints) -> Mask | None:
    """Where the array may be cut without breaking a grapheme cluster, shape (codes + 1,); None: anywhere."""
    hints = np.flatnonzero(flags & CLUSTER)
    if not hints.size:
        return None
    may = np.ones(codes.size + 1, dtype=np.bool_)
    for start, stop in _texts_at(hints, starts):
        for cluster in regex.finditer(r"\X", decode(codes[start:stop])):
            may[start + cluster.start() + 1 : start + cluster.end()] = False
    return may


def atoms(codes: Codes, flags: Flags, starts: Ints) -> list[Span]:
    r"""Links, e-mail addresses, @mentions, #hashtags and markup: what no attack may touch.

    Markup: tags, entities and code as in HTML and Markdown, placeholders «{name}» and «%s», backslash
    commands and spelt-out line feeds («\n», as TAPE's MultiQ has them), paths «C:\…».

    The spans count in the array. A full stop counts as a hint only between letters, a colon before «/».
    """
    hints = np.flatnonzero(flags & ATOM)
    if hints.size:
        signs, after = codes[hints], hints + 1
        hints = hints[
            (signs == ord("@"))
            | (signs == ord("#"))
            | (signs == ord(".")) & ((flags[hints - 1] & flags[after] & WORD) != 0)
            | (signs == ord(":")) & (codes[after] == ord("/"))
            | np.isin(signs, _MARKUP)
        ]
    return [
        Span(start + span.start, start + span.stop, span.label)
        for start, stop in _texts_at(hints, starts)
        for span in atoms_of(decode(codes[start:stop]))
    ]


def _texts_at(places: Ints, starts: Ints) -> Iterator[tuple[int, int]]:
    """Where the texts that hold one of the places start and stop."""
    for row in np.unique(np.searchsorted(starts, places, side="right") - 1).tolist():
        yield int(starts[row]), int(starts[row + 1]) - 1


_DOMAINS = (
    "com|org|net|info|biz|edu|gov|mil|int|io|ai|me|tv|app|dev|pro|name|online|site|club|shop|xyz|moscow|su|ru|by|ua"
    "|kz|uz|eu|de|uk|fr|us|cn|рф|рус|бел|укр|москва|онлайн|сайт|дети"
)
_ATOM = re.compile(
    rf"""
    (?P<EMAIL> (?<![\w.+-]) (?:mailto:)? [\w.+%-]+ @ [\w-]+ (?:\.[\w-]+)+ )
  | (?P<URL>
        (?<![a-z0-9]) (?: [a-z][a-z0-9+.-]{{1,15}}:// | www\. ) [^\s<>«»"“”„]+
      | (?<![\w@.-]) [\w-]+ (?:\.[\w-]+)* \.(?:{_DOMAINS}) (?![\w-]) (?!\.\w) (?: :\d+ )? (?: [/?\#][^\s<>«»"“”„]* )?
    )
  | (?P<MENTION> (?<![\w@/]) @ \w (?: [\w.]* \w )? )
  | (?P<HASHTAG> (?<![\w\#&/]) \# \w [\w-]* )
  | (?P<MARKUP>
        </?[a-z][^<>\n]{{0,500}}> | <!--[^<>\n]{{0,500}}-->
      | &(?: \#\d{{1,7}} | \#x[0-9a-f]{{1,6}} | [a-z][a-z0-9]{{1,30}} );
      | `[^`\n]{{1,500}}`
      | \{{\{{[^{{}}\n]{{1,200}}\}}\}} | \{{[a-z_][\w.]{{0,80}}\}} | %(?:\(\w{{1,80}}\))?[sdif](?!\w)
      | (?<![a-z])[a-z]:\\[^\s<>|"]+ | \\[a-z]{{2,}} | \\[{_ESCAPED}]
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CLOSING = ".,;:!?…'*_~)]}"
_PAIRS = {")": "(", "]": "[", "}": "{"}


def atoms_of(text: str) -> Iterator[Span]:
    """The atoms of one text.

    >>> text = "Пишите на info@mail.ru или в @support: см. (ya.ru/maps)."
    >>> [span.of(text) for span in atoms_of(text)]
    ['info@mail.ru', '@support', 'ya.ru/maps']
    """
    for match in _ATOM.finditer(text):
        start, stop = match.span()
        if match.lastgroup == "URL":
            stop -= _not_of_link(text[start:stop])
        yield Span(start, stop, match.lastgroup or "")


def _not_of_link(link: str) -> int:
    """How many signs at the end belong to the sentence; the bracket of «…/Кот_(зверь)» is the link's own."""
    own = link
    while own and own[-1] in _CLOSING and own.count(_PAIRS.get(own[-1], " ")) < own.count(own[-1]):
        own = own[:-1]
    return len(link) - len(own)
