"""Token patterns that read only the characters of words, matched without spaCy.

Word lists are the most common rules («не», «ни», «без»; a number and its unit). Each token of a text is encoded as
one letter that stands for the set of pattern tokens that it fits; a pattern is then a regular expression over these
letters. The letter of a token is looked up, so that a token seen before costs one dictionary access.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

_MOST_WORDS = 100_000
_FIRST_LETTER = 0xE000

Pattern = Sequence[Mapping[str, Any]]


def is_lexical(pattern: Pattern) -> bool:
    """Whether a pattern reads only the characters of words.

    >>> is_lexical([{"LOWER": {"IN": ["не", "ни"]}}]), is_lexical([{"POS": "PART"}])
    (True, False)
    """
    return all(token and all(_is_known(name, value) for name, value in token.items()) for token in pattern)


def _is_known(name: str, value: object) -> bool:
    if name == "OP":
        return True
    if name not in _READ:
        return False
    tests = value.items() if isinstance(value, Mapping) else (("==", value),)
    return all(test in _TESTS and _is_sound(test, wanted) for test, wanted in tests)


def _is_sound(test: str, wanted: object) -> bool:
    """Whether a test is well formed; a malformed one is left to spaCy, which says what is wrong."""
    if test == "REGEX":
        try:
            re.compile(str(wanted))
        except re.error:
            return False
    return test not in {"IN", "NOT_IN"} or isinstance(wanted, list)


@dataclass(slots=True)
class Lexicon:
    """Patterns that read only characters, with a table of the words seen so far.

    Attributes:
        patterns: labels and patterns.

    >>> list(Lexicon([("N", [{"TEXT": {"REGEX": "[0-9]"}}, {"LOWER": "км", "OP": "?"}])]).find(["до", "5", "км"]))
    [('N', 1, 3)]
    """

    patterns: Sequence[tuple[str, Pattern]]
    _tokens: list[Mapping[str, Any]] = field(init=False)  # of all patterns, one after another
    _letters: dict[str, str] = field(default_factory=dict)  # word to letter
    _kinds: dict[tuple[bool, ...], str] = field(default_factory=dict)  # which of the tokens fit, to letter
    _expressions: list[tuple[str, re.Pattern[str]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._tokens = [token for _, pattern in self.patterns for token in pattern]

    def find(self, words: Sequence[str]) -> Iterator[tuple[str, int, int]]:
        """The matches: label, number of the first word, number of the word after the last."""
        known = len(self._kinds)
        letters = self._letters
        try:
            line = "".join([letters[word] for word in words])
        except KeyError:
            line = "".join([self._letter(word) for word in words])
        if len(self._kinds) > known or not self._expressions:
            self._expressions = [(label, self._expression(number)) for number, (label, _) in enumerate(self.patterns)]
        for label, expression in self._expressions:
            for match in expression.finditer(line):
                yield label, *match.span()

    def _letter(self, word: str) -> str:
        letter = self._letters.get(word)
        if letter is None:
            kind = tuple(_fits(word, token) for token in self._tokens)
            letter = self._kinds.setdefault(kind, chr(_FIRST_LETTER + len(self._kinds)))
            if len(self._letters) >= _MOST_WORDS:
                self._letters.clear()
            self._letters[word] = letter
        return letter

    def _expression(self, number: int) -> re.Pattern[str]:
        """A pattern as a regular expression over the letters given out so far."""
        first = sum(len(pattern) for _, pattern in self.patterns[:number])
        parts = []
        for place, token in enumerate(self.patterns[number][1], start=first):
            fitting = "".join(letter for kind, letter in self._kinds.items() if kind[place])
            parts.append((f"[{fitting}]" if fitting else r"(?!)") + str(token.get("OP", "")))
        return re.compile("".join(f"(?:{part})" if part.startswith("(") else part for part in parts))


def _fits(word: str, token: Mapping[str, Any]) -> bool:
    for name, value in token.items():
        if name == "OP":
            continue
        read = _READ[name](word)
        tests = value.items() if isinstance(value, Mapping) else (("==", value),)
        if not all(_TESTS[test](read, wanted) for test, wanted in tests):
            return False
    return True


@cache
def _like_num() -> Callable[[str], bool]:
    from spacy.lang.ru.lex_attrs import like_num  # noqa: PLC0415  (a second, and only some rules need it)

    found: Callable[[str], bool] = like_num
    return found


def _is_number(word: str) -> bool:
    return _like_num()(word)


_READ: Mapping[str, Callable[[str], Any]] = {
    "LOWER": str.lower,
    "TEXT": str,
    "ORTH": str,
    "LENGTH": len,
    "IS_UPPER": str.isupper,
    "IS_LOWER": str.islower,
    "IS_TITLE": str.istitle,
    "IS_ALPHA": str.isalpha,
    "IS_DIGIT": str.isdigit,
    "LIKE_NUM": _is_number,
}
_TESTS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": lambda read, wanted: bool(read == wanted),
    "IN": lambda read, wanted: read in wanted,
    "NOT_IN": lambda read, wanted: read not in wanted,
    "REGEX": lambda read, wanted: re.search(wanted, read) is not None,
}
