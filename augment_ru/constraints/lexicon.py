"""Match token patterns by regular expressions, without spaCy.

Most rules list words («не», «ни», «без»; a number and its unit). A pattern is a sequence of pattern tokens, which each
say what one token of a text must be. Each token of a text is encoded as one letter that stands for the set of pattern
tokens that it fits; a pattern is then a regular expression over these letters. The letter of a token is looked up, so a
token seen before costs one dictionary access.

Patterns have the form of spaCy's Matcher. Patterns that this module cannot match (`needs_matcher`) are left to spaCy.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

from augment_ru.records.patterns import is_found
from augment_ru.text.doc import Doc, Token

_MOST_WORDS = 100_000
_FIRST_LETTER = 0xE000

Pattern = Sequence[Mapping[str, Any]]
Match = tuple[str, int, int]
"""A label, the number of the first token, and the number of the token after the last one."""
_Key = str | tuple[str, ...]
_Fits = Callable[[str, Sequence[str]], bool]


def reads_annotation(pattern: Pattern) -> bool:
    """Tell whether a token pattern reads annotation (such as parts of speech), not only the characters of tokens.

    >>> reads_annotation([{"LOWER": {"IN": ["не", "ни"]}}]), reads_annotation([{"POS": "PART"}])
    (False, True)
    """
    return any(name != "OP" and name not in _OF_WORDS for token in pattern for name in token)


def needs_matcher(pattern: Pattern) -> str:
    """Return the part of a token pattern that needs spaCy's Matcher, or "" if `Lexicon` can read the whole pattern.

    A pattern that repeats a token (OP) and also reads annotation is left to the Matcher: `Lexicon` would find other
    matches.

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


class Lexicon:
    """Finds token patterns in texts.

    A token pattern says what each of several tokens must be, in the form of spaCy's Matcher. Put patterns that read
    annotation into a lexicon of their own: the search is then faster. Threads may share a lexicon.

    Args:
        patterns: pairs of a label and a pattern.

    >>> lexicon = Lexicon([("N", [{"TEXT": {"REGEX": "[0-9]"}}, {"LOWER": "км", "OP": "?"}])])
    >>> list(lexicon.find(["до", "5", "км"]))
    [('N', 1, 3)]
    """

    def __init__(self, patterns: Iterable[tuple[str, Pattern]]) -> None:
        self._patterns = tuple(patterns)
        every = [{name: token[name] for name in token if name != "OP"} for _, one in self._patterns for token in one]
        self._attributes = sorted({name for token in every for name in token} & _OF_TOKENS.keys())
        self._tokens = {repr(token): self._fits(token) for token in every}  # many patterns have the same tokens
        self._places = list(map(repr, every))
        self._words: dict[str, list[str]] = {}  # maps a word in lower case to the tokens that name it
        self._others: list[str] = []  # the tokens that name no words
        for key, token in {repr(token): token for token in every}.items():
            named = _words_named(token)
            for word in named or ():
                self._words.setdefault(word, []).append(key)
            if named is None:
                self._others.append(key)
        self._letters: dict[_Key, str] = {"\n": "\n"}  # maps what is read of a token to its letter
        self._kinds: dict[frozenset[str], str] = {}  # maps which pattern tokens fit to a letter
        self._unused = map(chr, count(_FIRST_LETTER))
        self._expressions: tuple[int, list[tuple[str, re.Pattern[str]]]] = 0, []  # number of kinds, for them

    def read(self, doc: Doc) -> Sequence[_Key]:
        """Return what the patterns read of each token of a text: its characters, or these and its annotation."""
        if not self._attributes:
            return doc.forms
        readers = [_OF_TOKENS[name] for name in self._attributes]
        return [(token.text, *(read(token) for read in readers)) for token in doc.tokens]

    def find(self, words: Sequence[_Key]) -> Iterator[Match]:
        """Yield the matches of the patterns in what was read of tokens (`read`), of one text or of several.

        No match reaches across a line feed, which stands between texts.

        Yields:
            The label of the pattern, the index of the first token, and the index of the token after the last one.
        """
        letters = self._letters
        line = "".join([letters.get(word) or self._letter(word) for word in words])
        known, expressions = self._expressions
        if known < len(self._kinds):
            kinds = dict(self._kinds)
            expressions = list(self._compiled(kinds))
            self._expressions = len(kinds), expressions
        for label, expression in expressions:
            for match in expression.finditer(line):
                yield label, *match.span()

    def _letter(self, word: _Key) -> str:
        """Return the letter of a word that has none yet."""
        text, *more = (word,) if isinstance(word, str) else word
        tokens = self._tokens
        kind = frozenset(
            [key for key in (*self._words.get(text.lower(), ()), *self._others) if tokens[key](text, more)]
        )
        letter = self._kinds.get(kind) or self._kinds.setdefault(kind, next(self._unused))
        if len(self._letters) >= _MOST_WORDS:
            self._letters = {"\n": "\n"}
        self._letters[word] = letter
        return letter

    def _fits(self, token: Mapping[str, Any]) -> _Fits:
        """Return a function that tells whether a pattern token fits the characters of a token and its annotation."""
        tests = [
            self._test(name, *one)
            for name, value in token.items()
            for one in (value.items() if isinstance(value, Mapping) else (("==", value),))
        ]
        return tests[0] if len(tests) == 1 else lambda text, more: all(test(text, more) for test in tests)

    def _test(self, name: str, test: str, wanted: Any) -> _Fits:  # noqa: ANN401  (whatever a rule file has)
        fits = _TESTS[test](wanted)
        if name in _OF_TOKENS:
            at = self._attributes.index(name)
            return lambda _, more: fits(more[at])
        read = _OF_WORDS[name]
        return lambda text, _: fits(read(text))

    def _compiled(self, kinds: Mapping[frozenset[str], str]) -> Iterator[tuple[str, re.Pattern[str]]]:
        """Yield the patterns as regular expressions over the letters of these kinds, each with its label."""
        classes = dict.fromkeys(self._tokens, "")
        for kind, letter in kinds.items():
            for key in kind:
                classes[key] += letter
        places = iter(self._places)
        for label, pattern in self._patterns:
            parts = []
            for token in pattern:
                fitting = classes[next(places)]
                parts.append((f"[{fitting}]" if fitting else "(?:(?!))") + str(token.get("OP", "")))
            yield label, re.compile("".join(parts))


def _words_named(token: Mapping[str, Any]) -> Collection[str] | None:
    """Return the words that a pattern token lists, in lower case: it fits no other word. None if it lists no words."""
    value = token.get("LOWER", token.get("TEXT"))
    named = value.get("IN") if isinstance(value, Mapping) else value
    return named if named is None else {word.lower() for word in ([named] if isinstance(named, str) else named)}


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
_TESTS: Mapping[str, Callable[[Any], Callable[[Any], bool]]] = {
    "==": lambda wanted: lambda read: bool(read == wanted),
    "IN": lambda wanted: lambda read: read in wanted,
    "NOT_IN": lambda wanted: lambda read: read not in wanted,
    "REGEX": lambda wanted: partial(is_found, wanted, what="REGEX"),
}
"""For each test, a function from the wanted value to a function that tells whether a token's value passes the test."""
