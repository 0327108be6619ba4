"""Holds the tokens of a text with what their letter case tells about names, and reads word lists about names."""

import re
import unicodedata
from functools import cache, lru_cache

from augment_ru.language.morphology import readings
from augment_ru.language.truecase import shouted
from augment_ru.resources import name_heads, word_lists
from augment_ru.text.doc import Doc

_ENDS = frozenset({".", "!", "?", "…", "...", "?!", "!!!", "!!", "?..", "!..", "•", "*"})
_OPENING = frozenset("«„“\"'(‘[—–-")
_MARKER = re.compile(r"[A-HА-З]|[0-9]{1,3}")


Labels = list[str]
"""The label of each token; "" for a token outside names."""


@cache
def name_words(kind: str) -> frozenset[str]:
    """Return the words of one kind, such as `particle` («де», «фон»), from the dictionary `name_words`."""
    return word_lists("name_words")[kind]


@lru_cache(maxsize=100_000)
def head_kind(word: str) -> str:
    """Return LOC or ORG for the main noun of a place or organisation («море» in «Чёрное море»), else "".

    >>> head_kind("министерством"), head_kind("кошка")
    ('ORG', '')
    """
    heads = name_heads()
    return next((heads[reading.lemma] for reading in readings(word) if reading.lemma in heads), "")


class View:
    """Holds the tokens of a text, with what their letter case tells about names.

    Attributes:
        doc: the text.
        texts: the tokens as they are written.
        shouts: whether each token is in a run of words in capitals, where a capital does not mark a name.
        capitals: whether each token starts with a capital that may mark a name: it is not in a run of words in
            capitals.
        capitalised: the indices of the tokens for which `capitals` is true.
        starts: the indices of the tokens with a capital that start a sentence, a quotation or an option, where a
            capital does not mark a name.
        lower: whether the text has no capitals at all.
        loud: whether any token is in a run of words in capitals.
        informal: whether no capital stands inside a sentence, so that names may be written in lower case.
    """

    __slots__ = ("capitalised", "capitals", "doc", "informal", "loud", "lower", "shouts", "starts", "texts")

    def __init__(self, doc: Doc) -> None:
        self.doc = doc
        self.texts = doc.forms
        self.shouts = shouted(self.texts)
        self.capitals = [word[0].isupper() for word in self.texts]
        self.loud = True in self.shouts
        if self.loud:
            self.capitals = [capital and not shout for capital, shout in zip(self.capitals, self.shouts, strict=True)]
        self.capitalised = [at for at, capital in enumerate(self.capitals) if capital]
        self.starts = {at for at in self.capitalised if self._starts(at)}
        self.lower = doc.text.islower()
        self.informal = len(self.starts) == len(self.capitalised)

    def _starts(self, at: int) -> bool:
        """Tell whether the token starts a sentence, a quotation or an option."""
        before = at - 1
        while before >= 0 and self.texts[before] in _OPENING:
            before -= 1
        if before < 0:
            return True
        last, tokens = self.texts[before], self.doc.tokens
        if "\n" in self.doc.text[tokens[before].stop : tokens[at].start] or self._after_marker(before):
            return True
        if last == ":":
            return True
        if last == "." and before:
            word = self.texts[before - 1]
            return not (word.lower() in name_words("shortened") or (len(word) == 1 and word.isupper()))
        return last in _ENDS or unicodedata.category(last[0]) == "So"  # an emoji ends a sentence

    def _after_marker(self, at: int) -> bool:
        """Tell whether this token ends a marker «(A)» or «(12)», or a line feed written as a backslash and n."""
        before = self.texts[max(at - 2, 0) : at]
        if self.texts[at] == ")":
            return len(before) == 2 and before[0] == "(" and _MARKER.fullmatch(before[1]) is not None  # noqa: PLR2004
        return self.texts[at] == "n" and before[-1:] == ["\\"]
