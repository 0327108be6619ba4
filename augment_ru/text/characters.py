"""Finds what each code point is, where a text may be cut, and spans such as links and markup.

The texts of a batch lie in one array of code points. A line feed follows each text, so that no word, link or
grapheme cluster reaches into the next text.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import regex

from augment_ru.draws import Ints
from augment_ru.edits import Span
from augment_ru.text.code_blocks import SIGNS, blocks_of, json_of

Codes = npt.NDArray[np.uint32]
Flags = npt.NDArray[np.uint16]
Mask = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int32]

KNOWN, WORD, DIGIT, JOINER, SPACE, BREAK, CLUSTER, ATOM, LINK, SIGN = (np.uint16(1 << bit) for bit in range(10))
"""The bits of a code point's class.

KNOWN: the class was computed. WORD: part of a word. DIGIT: a decimal digit. JOINER: joins two parts of a word.
SPACE: white space within a line. BREAK: ends a sentence or a line. CLUSTER: may stand inside a grapheme cluster.
ATOM: may belong to an address, a mention or markup. LINK: may belong to a link, if letters or a slash stand beside it.
SIGN: may belong to a number, or is a backslash.
"""

_SEPARATOR = "\n"
_LINE_FEED = ord(_SEPARATOR)
_JOINERS = "-‐‑'’ʼ.,:/·_\u00ad"
_ENDS = ".!?…\n\r\u2028\u2029\x0b\x0c\x85"
_ATOM_HINTS = "@#\\<&`{%" + SIGNS
_LINK_HINTS = ".:"
ESCAPED = "nrt"
"""The letters after the backslash where a text spells white space with two characters: «\\n», «\\r», «\\t»."""
_SIGNS = "+-−±№#$€₽£₴¥%‰°"

_classes: Flags = np.zeros(0x110000, dtype=np.uint16)
"""The class of each code point; 0 if it was not computed yet. Threads may share it: they compute the same values."""

_SURROGATES = (0xD800, 0xDFFF)
_REGIONS = (0x1F1E6, 0x1F1FF)
"""The first and the last regional indicator; a pair of them is shown as a flag."""
_NO_WORD = ((0x20D0, 0x20FF), (0xFE00, 0xFE0F))  # marks on symbols and emoji, not on letters


def _classify(code: int) -> int:
    char = chr(code)
    category = unicodedata.category(char)
    bits = {
        WORD: category[0] in "LMN" and not any(low <= code <= high for low, high in _NO_WORD),
        DIGIT: category == "Nd",
        JOINER: char in _JOINERS,
        SPACE: category == "Zs" or char == "\t",
        BREAK: char in _ENDS,
        CLUSTER: category[0] == "M" or _joins(char),
        ATOM: char in _ATOM_HINTS,
        LINK: char in _LINK_HINTS,
        SIGN: char in _SIGNS or char == "\\",
    }
    return int(KNOWN) | sum(int(bit) for bit, holds in bits.items() if holds)


def _joins(char: str) -> bool:
    """Tell whether a character forms a grapheme cluster with an «a» on either side, a copy of itself or a line feed."""
    return any(regex.fullmatch(r"\X", pair) for pair in (f"a{char}", f"{char}a", char + char, f"{char}\n"))


def encode(texts: Sequence[str]) -> tuple[Codes, Ints]:
    """Join texts into one array of code points.

    Returns:
        `codes`: the code points, with a line feed after each text. `starts`, shape (texts + 1,): the place where each
        text starts, and as the last value the end of the array. Text i is `codes[starts[i]:starts[i + 1] - 1]`.
    """
    joined = _SEPARATOR.join([*texts, ""])
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32, copy=False)
    starts = np.zeros(len(texts) + 1, dtype=np.int64)
    (np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) + 1).cumsum(out=starts[1:])
    return codes, starts


def decode(codes: Codes) -> str:
    """Return an array of code points as a text."""
    return codes.astype("<u4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")


def among(codes: Codes, signs: str) -> Mask:
    """Return, for each code point of an array, whether it is one of some characters, same shape."""
    found: Mask = np.zeros(codes.shape, dtype=np.bool_)
    for sign in signs:
        found |= codes == ord(sign)
    return found


def surrogates(codes: Codes) -> Mask:
    """Return whether each code point is a surrogate, which valid texts do not contain; shape (codes,)."""
    return (codes >= _SURROGATES[0]) & (codes <= _SURROGATES[1])


def classes(codes: Codes) -> Flags:
    """Return what each code point is, as a sum of bits (`WORD`, `DIGIT`, `SPACE` and so on), shape (codes,)."""
    found = _classes.take(codes)
    if not found.all():
        for code in np.unique(codes[found == 0]).tolist():
            _classes[code] = _classify(code)
        found = _classes.take(codes)
    return found


def marked(size: int, places: Ints) -> Mask:
    """Return a mask that is True only at certain places.

    Args:
        size: the number of its values.
        places: the places.
    """
    found = np.zeros(size, dtype=np.bool_)
    found[places] = True
    return found


def counts_before(mask: Mask) -> Counts:
    """Return, for each index of a mask and for its end, how many True values come before it; shape (size + 1,)."""
    counts = np.zeros(mask.size + 1, dtype=np.int32)
    mask.cumsum(dtype=np.int32, out=counts[1:])
    return counts


def counted(mask: Mask, starts: Ints, stops: Ints) -> Ints:
    """Return the number of True values of a mask in each range `mask[start:stop]`, shape (ranges,)."""
    before = counts_before(mask)
    return (before[stops] - before[starts]).astype(np.int64)


def cuttable(codes: Codes, flags: Flags, starts: Ints) -> Mask | None:
    """Find where an array of code points may be cut without breaking a grapheme cluster (a letter with its marks).

    Args:
        codes: the code points of all texts.
        flags: what each code point is, as `classes` returns it.
        starts: the place where each text starts, and the end of the array.

    Returns:
        Whether the array may be cut before each code point, and as the last value at its end, shape (codes + 1,). None
        if it may be cut everywhere.
    """
    hints = np.flatnonzero((flags & CLUSTER) != 0)
    if not hints.size:
        return None
    may = np.ones(codes.size + 1, dtype=np.bool_)
    flags_of_regions = (codes >= _REGIONS[0]) & (codes <= _REGIONS[1])
    plain = np.where(flags_of_regions, np.uint32(ord("a")), codes)  # `regex` counts each from the start of its run
    for start, stop in _texts_at(hints, starts):
        for cluster in regex.finditer(r"\X", decode(plain[start:stop])):
            may[start + cluster.start() + 1 : start + cluster.end()] = False
    regions = np.flatnonzero(flags_of_regions)
    if regions.size:  # two of a run are a flag
        first = np.concatenate([[True], np.diff(regions) > 1])
        begun = np.maximum.accumulate(np.where(first, np.arange(regions.size), 0))
        may[regions[(np.arange(regions.size) - begun) % 2 == 1]] = False
    return may


def atoms(codes: Codes, flags: Flags, starts: Ints) -> list[Span]:
    r"""Find the parts of all texts that no attack may touch: links, e-mail addresses, mentions, markup and the like.

    Code and formulas are described at `blocks_of`. Of a text that is JSON, only the string values may change (see
    `json_of`). Markup is:

    - tags, entities and code of HTML and Markdown;
    - placeholders: «{name}», «{имя клиента}», «{items[0]:.2f}», «{% if … %}», «${имя}», «$имя», «<имя>», «%s»;
    - backslash commands, paths «C:\…», and white space written as a backslash and a letter («\n», as in the
      data set MultiQ).

    Args:
        codes: the code points of all texts in one array.
        flags: what each code point is, as `classes` returns it.
        starts: the place where each text starts, and the end of the array.

    Returns:
        Spans with places in the array, labelled EMAIL, URL, MENTION, HASHTAG, MARKUP, CODE, FORMULA or JSON.
    """
    hints = (flags & (ATOM | LINK)).nonzero()[0]  # only texts that have one are searched
    if hints.size:
        signs, after = codes[hints], hints + 1
        of_link = ((flags[hints - 1] & flags[after] & WORD) != 0) & (signs == ord("."))
        of_link |= (signs == ord(":")) & (codes[after] == ord("/"))
        hints = hints[of_link | ((flags[hints] & ATOM) != 0)]
    lines = (codes[:-1] == _LINE_FEED).nonzero()[0] + 1
    indented = lines[among(codes[lines], " \t")]
    firsts = starts[:-1][among(codes[starts[:-1]], "[ \t\r\n")]  # «{» is a hint
    hints = np.concatenate([hints, indented, firsts])
    return [
        Span(start + span.start, start + span.stop, span.label)
        for start, stop in _texts_at(hints, starts)
        for span in atoms_of(decode(codes[start:stop]))
    ]


def _texts_at(places: Ints, starts: Ints) -> Iterator[tuple[int, int]]:
    """Yield the start and the stop of each text that contains one of the places."""
    for row in sorted(set((starts.searchsorted(places, side="right") - 1).tolist())):
        yield int(starts[row]), int(starts[row + 1]) - 1


_DOMAINS = (
    "com|org|net|info|biz|edu|gov|mil|int|io|ai|me|tv|app|dev|pro|name|online|site|club|shop|xyz|moscow|su|ru|by|ua"
    "|kz|uz|eu|de|uk|fr|us|cn|рф|рус|бел|укр|москва|онлайн|сайт|дети"
)
_ATOM = re.compile(
    rf"""
    (?P<EMAIL> (?<![\w.+%-]) (?:mailto:)? [\w.+%-]+ @ [\w-]+ (?:\.[\w-]+)+ )
  | (?P<URL>
        (?<![a-z0-9]) (?: [a-z][a-z0-9+.-]{{1,15}}:// | www\. ) [^\s<>«»"“”„]+
      | (?<![\w@.-]) [\w-]+ (?:\.[\w-]+)* \.(?:{_DOMAINS}) (?![\w-]) (?!\.\w) (?: :\d+ )? (?: [/?\#][^\s<>«»"“”„]* )?
    )
  | (?P<MENTION> (?<![\w@/]) @ \w (?: [\w.]* \w )? )
  | (?P<HASHTAG> (?<![\w\#&/]) \# \w [\w-]* )
  | (?P<MARKUP>
        </?[a-z][^<>\n]{{0,500}}> | (?<!<) </?[а-яё][\w-]{{0,80}}(?:\ [\w-]{{1,80}}){{0,3}}> (?!>)
      | <!--[^<>\n]{{0,500}}-->
      | &(?: \#\d{{1,7}} | \#x[0-9a-f]{{1,6}} | [a-z][a-z0-9]{{1,30}} );
      | (?<!`)`[^`\n]{{1,500}}`(?!`)
      | \{{\{{[^{{}}\n]{{1,200}}\}}\}} | \{{%[^{{}}\n]{{1,200}}%\}} | \$\{{[^{{}}\n]{{1,200}}\}}
      | \{{ \ ? (?: \d{{1,3}} | [^\W\d][\w-]{{0,80}} (?:\ [\w-]{{1,80}}){{0,3}} )?
            (?: \.\w{{1,80}} | \[["']?[\w-]{{1,80}}["']?\] ){{0,5}} (?: ![rsa] )? (?: :[^\s{{}}]{{0,20}} )? \ ? \}}
      | (?<![\w$\\]) \$[^\W\d]\w{{0,80}} (?![\w$]) | %(?:\(\w{{1,80}}\))?[sdif](?!\w)
      | (?<![a-z])[a-z]:\\[^\s<>|"]+ | \\[a-z]{{2,}} | \\[{ESCAPED}]
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CLOSING = ".,;:!?…'*_~)]}"
_PAIRS = {")": "(", "]": "[", "}": "{"}


def atoms_of(text: str) -> Iterator[Span]:
    """Yield the spans of one text that no attack may touch: links, e-mail addresses, mentions, markup and the like.

    They are described at `atoms`. Code and formulas come after the others, and JSON syntax comes last.

    >>> text = "Пишите на info@mail.ru или в @support: см. (ya.ru/maps)."
    >>> [span.of(text) for span in atoms_of(text)]
    ['info@mail.ru', '@support', 'ya.ru/maps']
    """
    for match in _ATOM.finditer(text):
        start, stop = match.span()
        if match.lastgroup == "URL":
            stop -= _trailing_marks(text[start:stop])
        yield Span(start, stop, match.lastgroup or "")
    yield from blocks_of(text)
    yield from json_of(text)


def _trailing_marks(link: str) -> int:
    """Return how many marks at the end of a link belong to the sentence around it.

    A closing bracket belongs to the link if the link also has the opening one, as in «…/Кот_(зверь)».
    """
    open_ones = {closing: link.count(opening) - link.count(closing) for closing, opening in _PAIRS.items()}
    stop = len(link)
    while stop and link[stop - 1] in _CLOSING and open_ones.get(link[stop - 1], -1) < 0:
        if link[stop - 1] in open_ones:
            open_ones[link[stop - 1]] += 1
        stop -= 1
    return len(link) - stop
