"""Что не видно, уходит: «ка<U+200B>зи<U+00AD>но» → «казино»."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from urllib.parse import unquote

from augment_ru.edits import Edit
from augment_ru.normalizers._lattice import RUSSIAN
from augment_ru.normalizers._normalization import Normalization

_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef"
)
_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_SPACES = "\u2000-\u200a\u205f"
_FOUND = re.compile(
    "\u202e(?P<reversed>[^\u202a-\u202e\u2066-\u2069\n]+)[\u202c\u2069]?"
    f"|[{_UNSEEN}]+|[{_MARKS}]+|(?P<space>[{_SPACES}])"
    r"|(?<=[А-ЯЁа-яё])(?P<tags>(?:</?[a-z]+>|\[/?[a-z]+\]|<!--.*?-->)+)(?=[а-яё])"
    r"|(?P<codes>(?:[&\\](?:#\d{2,6};|#[xX][\da-fA-F]{2,5};|[a-zA-Z]+;|u[\da-f]{4}))+)"
    r"|(?<!\S)(?P<percents>(?:%D[01]%[89AB][\dA-F]){2,})(?!\S)"
)
_LIKELY = re.compile(f"[{_UNSEEN}{_MARKS}{_SPACES}<&\\[\\\\]|%D[01]%")
"""What every text with something invisible contains."""
_ALL = re.compile(f"[{_UNSEEN}{_MARKS}]")
_STRESS = "\u0300\u0301"
_OF_LETTERS = {"и\u0306", "е\u0308", "у\u0306", "і\u0308"}
"""Letters that are written as a letter and a mark: й, ё, ў, ї."""
_APART, _LONG = re.compile(rf"[^\w{_MARKS}]"), 40
_STRESSED = "аеёиоуыэюяaeiouy"
_PICTURES = {"So", "Sk", "Cn"}


@dataclass(frozen=True, slots=True)
class InvisibleNormalization(Normalization):
    """Remove what is not seen: zero-width characters, soft hyphens, selectors, tags, marks that strike letters out.

    Letters that are written as codes of HTML, JSON or URLs («к&#1072;зино») are read.

    Spaces of other widths become plain ones; non-breaking spaces stay. Text that a right-to-left override shows in
    reverse is written in the order in which it is read. Stress marks and the marks of «й» and «ё» stay. So do joiners
    and selectors where emoji or a script need them.
    """

    def changing(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the indices of the texts that may have an unseen character to remove."""
        return [at for at, text in enumerate(texts) if _LIKELY.search(text)]

    def edits(self, text: str) -> Iterator[Edit]:
        """Yield the edits that write a text as it is seen: without unseen characters, with letters for their codes."""
        for found in _FOUND.finditer(text):
            start, stop = found.span()
            if (inner := found["reversed"]) is not None:
                yield Edit(start, stop, _ALL.sub("", inner)[::-1])
            elif codes := found["codes"]:
                shown = _ALL.sub("", unescape(re.sub(r"\\u(.{4})", r"&#x\1;", codes)))
                is_word = len(shown) > 2 or not RUSSIAN.isdisjoint(text[start - 1 : start] + text[stop : stop + 1])  # noqa: PLR2004
                if is_word and (not shown or shown.isalpha() or shown.isspace()):
                    yield Edit(start, stop, " " if shown.isspace() else shown)
            elif percents := found["percents"]:
                yield Edit(start, stop, unquote(percents))
            elif found["space"]:
                yield Edit(start, stop, " ")
            elif found["tags"] or not _belongs(text, start, stop):
                yield Edit(start, stop, "")


def _belongs(text: str, start: int, stop: int) -> bool:
    """Tell whether these marks or unseen characters belong to the character before them, so that they stay."""
    before, marks = text[start - 1 : start], text[start:stop]
    kind = unicodedata.category(before) if before else ""
    selects = "\ufe00" <= marks[0] <= "\ufe0f" or marks[0] >= "\U000e0000"
    if (
        selects or unicodedata.category(marks[0])[0] != "M"
    ):  # a joiner or a selector: of an emoji, a keycap, a script that joins its letters
        joins = "\u0600" <= before <= "\u0fff" or "\u1780" <= before <= "\u18af"  # such as Arabic or Hindi
        return kind in _PICTURES or joins or (marks[0] == "\ufe0f" and before in "0123456789#*©®™‼⁉〰〽")
    if not "а" <= before.lower() <= "ӿ" and not before.isascii():
        return True  # marks of other scripts
    around = _APART.split(text[max(0, start - _LONG) : start])[-1] + _APART.split(text[stop : stop + _LONG])[0]
    if sum(map(str.isalpha, around)) < 2 and marks not in around and not "а" <= before.lower() <= "ё":  # noqa: PLR2004  (a sign, a vector)
        return True
    if kind[:1] in "NSPZ" or not before:
        return False
    if (before + marks).lower() in _OF_LETTERS:
        return not re.search(rf"[^еиуі\W]{marks}", around, re.IGNORECASE)
    stressed = _STRESSED + "кг" * (marks == _STRESS[1])  # Macedonian has «ќ» and «ѓ»
    return marks in _STRESS and before.lower() in stressed and marks not in around  # a word has one stress
