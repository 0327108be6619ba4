"""Token patterns as regular expressions: over the characters of words, or over tokens with their annotation.

Word lists are the most common rules («не», «ни», «без»; a number and its unit). Each token of a text is encoded as
one letter that stands for the set of pattern tokens that it fits; a pattern is then a regular expression over these
letters. The letter of a token is looked up, so that a token seen before costs one dictionary access.

Patterns have the form of spaCy's Matcher. What is not matched here (`needs_matcher`) is left to spaCy itself.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from augment_ru.text.doc import Token

_MOST_WORDS = 100_000
_FIRST_LETTER = 0xE000

Pattern = Sequence[Mapping[str, Any]]
_Key = str | tuple[str, ...]


def reads_annotation(pattern: Pattern) -> bool:
    """Whether a pattern reads more of a token than its characters.

    >>> reads_annotation([{"LOWER": {"IN": ["не", "ни"]}}]), reads_annotation([{"POS": "PART"}])
    (False, True)
    """
    return any(name != "OP" and name not in _OF_WORDS for token in pattern for name in token)


def needs_matcher(pattern: Pattern) -> str:
    """What only spaCy's Matcher knows in a pattern; empty if it is matched here.

    A repeated token that reads annotation is left to the Matcher, which takes the longest of all matches where a
    regular expression takes the first.

    >>> needs_matcher([{"LEMMA": "кот", "OP": "+"}]), needs_matcher([{"SHAPE": "Xxx"}]), needs_matcher([{"POS": "X"}])
    ('OP beside annotation', 'SHAPE', '')
    """
    for token in pattern:
        if not token:
            return "a token without attributes"
        for name, value in token.items():
            if name != "OP" and name not in _OF_WORDS and name not in _OF_TOKENS:
                return name
            unknown = [test for test in value if test not in _TESTS] if isinstance(value, Mapping) else []
            if unknown:
                return f"{name} with {unknown[0]}"
    if any("OP" in token for token in pattern) and reads_annotation(pattern):
        return "OP beside annotation"
    return ""


@dataclass(slots=True)
class Lexicon:
    """Patterns with a table of the tokens seen so far. All of them read characters alone, or they all may read more.

    Attributes:
        patterns: labels and patterns.

    >>> tokens = [Token(0, 2, "до", frozenset()), Token(3, 4, "5", frozenset()), Token(5, 7, "км", frozenset())]
    >>> list(Lexicon([("N", [{"TEXT": {"REGEX": "[0-9]"}}, {"LOWER": "км", "OP": "?"}])]).find(tokens))
    [('N', 1, 3)]
    """

    patterns: Sequence[tuple[str, Pattern]]
    _attributes: tuple[str, ...] = field(init=False)  # of annotation, that patterns read
    _tokens: list[Mapping[str, Any]] = field(init=False)  # of all patterns, one after another
    _letters: dict[_Key, str] = field(default_factory=dict)  # what is read of a token, to letter
    _kinds: dict[tuple[bool, ...], str] = field(default_factory=dict)  # which of the tokens fit, to letter
    _expressions: list[tuple[str, re.Pattern[str]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._tokens = [token for _, pattern in self.patterns for token in pattern]
        self._attributes = tuple(sorted({name for token in self._tokens for name in token} & _OF_TOKENS.keys()))

    def find(self, tokens: Sequence[Token]) -> Iterator[tuple[str, int, int]]:
        """The matches: label, number of the first token, number of the token after the last."""
        readers = [_OF_TOKENS[name] for name in self._attributes]
        words: list[_Key] = [token.text for token in tokens]
        if readers:
            words = [(token.text, *(read(token) for read in readers)) for token in tokens]
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

    def _letter(self, word: _Key) -> str:
        letter = self._letters.get(word)
        if letter is None:
            text, *more = (word,) if isinstance(word, str) else word
            annotation = dict(zip(self._attributes, more, strict=True))
            kind = tuple(_fits(text, annotation, token) for token in self._tokens)
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


def _fits(word: str, annotation: Mapping[str, str], token: Mapping[str, Any]) -> bool:
    for name, value in token.items():
        if name == "OP":
            continue
        read = annotation[name] if name in annotation else _OF_WORDS[name](word)
        tests = value.items() if isinstance(value, Mapping) else (("==", value),)
        if not all(_TESTS[test](read, wanted) for test, wanted in tests):
            return False
    return True


_OF_WORDS: Mapping[str, Callable[[str], Any]] = {
    "LOWER": str.lower,
    "TEXT": str,
    "ORTH": str,
    "LENGTH": len,
    "IS_UPPER": str.isupper,
    "IS_LOWER": str.islower,
    "IS_TITLE": str.istitle,
    "IS_ALPHA": str.isalpha,
    "IS_DIGIT": str.isdigit,
}
_OF_TOKENS: Mapping[str, Callable[[Token], str]] = {
    "LEMMA": lambda token: token.lemma,
    "POS": lambda token: token.pos,
    "MORPH": lambda token: "|".join(sorted(token.features.split("|"), key=str.lower)),
    "ENT_TYPE": lambda token: token.entity.rpartition("-")[2],
    "DEP": lambda token: token.relation,
}
KNOWN = (*_OF_WORDS, *_OF_TOKENS)
"""The attributes of tokens that patterns may read without spaCy."""
_TESTS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": lambda read, wanted: bool(read == wanted),
    "IN": lambda read, wanted: read in wanted,
    "NOT_IN": lambda read, wanted: read not in wanted,
    "REGEX": lambda read, wanted: re.search(wanted, read) is not None,
}
