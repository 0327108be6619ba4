"""A document as the search for names reads it: which capitals say nothing, and which words shout."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

from augment_ru.doc import Doc
from augment_ru.truecase import shouted

_ENDS = frozenset({".", "!", "?", "…", "...", "?!", "!!!", "!!", "?..", "!..", "•", "*"})
_OPENING = frozenset("«„“\"'(‘[—–-")
_ABBREVIATIONS = frozenset({
    "г", "гг", "ул", "пр", "пл", "пер", "д", "дом", "р", "оз", "о", "обл", "пос", "с", "св", "им", "проф",
    "акад", "доц", "ген", "гр", "тов", "мр", "м-р", "т", "ж", "п", "ст", "наб", "бул", "просп",
})  # fmt: skip
_MARKER = re.compile(r"[A-HА-З]")


@dataclass(frozen=True)
class View:
    """The tokens of a text with what their letter case is worth."""

    doc: Doc

    @cached_property
    def texts(self) -> list[str]:
        """The tokens as they are written."""
        return [token.text for token in self.doc.tokens]

    @cached_property
    def capitals(self) -> list[bool]:
        """Which tokens start with a capital, and do not shout."""
        if True not in self.shouts:
            return [word[0].isupper() for word in self.texts]
        return [word[0].isupper() and not shout for word, shout in zip(self.texts, self.shouts, strict=True)]

    @cached_property
    def capitalised(self) -> list[int]:
        """The places of those tokens."""
        return [at for at, capital in enumerate(self.capitals) if capital]

    @cached_property
    def starts(self) -> set[int]:
        """The places of capitals that start a sentence, a quotation or an option, and so say nothing."""
        return {at for at in self.capitalised if self._starts(at)}

    @cached_property
    def shouts(self) -> list[bool]:
        """Which tokens stand in a run of words in capitals: their capitals say nothing."""
        return shouted(self.texts)

    @cached_property
    def lower(self) -> bool:
        """Whether the text has no capitals at all."""
        return self.doc.text.islower()

    @cached_property
    def informal(self) -> bool:
        """Whether no capital stands inside a sentence: then even names may be written in lower case."""
        return len(self.starts) == len(self.capitalised)

    def _starts(self, at: int) -> bool:
        before = at - 1
        while before >= 0 and self.texts[before] in _OPENING:
            before -= 1
        if before < 0:
            return True
        last, tokens = self.texts[before], self.doc.tokens
        if "\n" in self.doc.text[tokens[before].stop : tokens[at].start] or self._after_marker(before):
            return True
        if last == ":":
            return before < at - 1
        if last == "." and before:
            word = self.texts[before - 1]
            return not (word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isupper()))
        return last in _ENDS or unicodedata.category(last[0]) == "So"  # an emoji ends a sentence

    def _after_marker(self, at: int) -> bool:
        """Whether an option's marker «(A)» stops here, or the two characters that MultiQ has for a new line."""
        before = self.texts[max(at - 2, 0) : at]
        if self.texts[at] == ")":
            return len(before) == 2 and before[0] == "(" and _MARKER.fullmatch(before[1]) is not None  # noqa: PLR2004
        return self.texts[at] == "n" and before[-1:] == ["\\"]
