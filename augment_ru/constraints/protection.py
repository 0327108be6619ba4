"""Applies constraints to annotated rows: runs their patterns, field rules and functions, and returns protected spans.

Patterns that need spaCy's Matcher are run by it, if it is installed.
"""

import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import count, pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from augment_ru import registry
from augment_ru.constraints.rule_file import Constraint, Docs, Function, OfWords, Row, Rule
from augment_ru.edits import Span
from augment_ru.errors import AugmentError, brief, missing, said, saying_instead, saying_where
from augment_ru.records.field_paths import strings, values
from augment_ru.records.patterns import is_found
from augment_ru.text.doc import Doc, Token
from augment_ru.text.words import occurrences

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
        """Yield the matches of the patterns in one text or several.

        Args:
            words: what `read` returned for the tokens, with a line feed between texts; no match reaches across it.

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


_WINDOW, _OVERLAP = 400, 40
"""How many tokens are matched at once, and how many of them are matched again with the next ones.

On a long run of tokens that `OP = "+"` matches, the time of the Matcher grows with the square of its length.
"""
_thread = threading.local()


def spacy_matches(rules: Sequence[Rule], doc: Doc) -> Iterator[Match]:
    """Yield the matches of token patterns in a text, found by spaCy's Matcher.

    Args:
        rules: the rules with the patterns.
        doc: the annotated text.

    Yields:
        The label of the rule, the index of the first token, and the index of the token after the last one.

    Raises:
        AugmentError: spaCy is not installed, or it refuses a pattern.
    """
    matcher, vocab = _matcher(rules)
    with vocab.memory_zone():  # frees the strings of this text afterwards
        parsed = as_spacy(doc, vocab)
        for start in range(0, max(len(doc.tokens), 1), _WINDOW - _OVERLAP):
            window = parsed[start : start + _WINDOW] if len(doc.tokens) > _WINDOW else parsed
            for number, first, last in matcher(window):
                yield rules[int(vocab.strings[number])].label, start + first, start + last
            if window is parsed:
                break


def _matcher(rules: Sequence[Rule]) -> tuple[Any, Any]:
    """Return spaCy's Matcher for these rules, and its vocabulary; each thread has its own.

    Raises:
        AugmentError: spaCy is not installed, or it refuses a pattern.
    """
    compiled: dict[str, tuple[Any, Any]] = _thread.__dict__.setdefault("compiled", {})
    key = repr(rules)
    if key not in compiled:
        try:
            from spacy import blank  # noqa: PLC0415  (a second, and only such rules need it)
            from spacy.matcher import Matcher  # noqa: PLC0415
        except ImportError as error:
            free = f"{', '.join(KNOWN)} with IN, NOT_IN, REGEX need no spaCy"
            needed = f"{rules[0].where}: only spaCy matches {needs_matcher(rules[0].pattern)}; {free}"
            raise missing(needed, "spacy") from error
        vocab = blank("ru").vocab
        matcher = Matcher(vocab, validate=True)
        for number, rule in enumerate(rules):
            with saying_where(rule.where), saying_instead(_refused, ValueError, TypeError, re.error):
                matcher.add(str(number), [[dict(token) for token in rule.pattern]], greedy="LONGEST")
        compiled[key] = matcher, vocab
    return compiled[key]


def _refused(error: Exception) -> str:
    return f"spaCy refuses the pattern: {' '.join(str(error).split())}"


def as_spacy(doc: Doc, vocab: Any) -> Any:  # noqa: ANN401
    """Convert an annotated text to a spaCy `Doc` with the same tokens and annotation; white space gets no tokens.

    Args:
        doc: the annotated text.
        vocab: the `Vocab` of spaCy to which the new `Doc` belongs.
    """
    from spacy.tokens import Doc as SpacyDoc  # noqa: PLC0415

    tokens = doc.tokens
    values: dict[str, Any] = {}
    if "entities" in doc.layers:
        values["ents"] = [token.entity or "O" for token in tokens]
    if "morphology" in doc.layers:
        values["pos"] = [token.pos for token in tokens]
        values["morphs"] = [token.features for token in tokens]
    if "lemmas" in doc.layers:
        values["lemmas"] = [token.lemma for token in tokens]
    if "syntax" in doc.layers:
        values["heads"] = [token.head for token in tokens]
        values["deps"] = [token.relation for token in tokens]
    spaces = [left.stop < right.start for left, right in pairwise(tokens)]
    return SpacyDoc(vocab, words=[token.text for token in tokens], spaces=[*spaces, False] if tokens else [], **values)


def protected(constraints: tuple[Constraint, ...], row: Row, docs: Docs) -> dict[str, list[Span]]:
    """Find the protected spans of each annotated field of a row.

    Args:
        constraints: the constraints.
        row: the row, from which rules read field values.
        docs: the annotated fields of the row, by name.

    Returns:
        The spans of each field, by the field's name; sorted, each span once. The label of a span is that of its rule.

    Raises:
        AugmentError: a function fails or does not return spans of its texts; or spaCy is needed and not installed.
    """
    return dict(zip(docs, map(sorted, protected_in_rows(constraints, [docs], lambda _: row)), strict=True))


def protected_in_rows(
    constraints: tuple[Constraint, ...], rows: Sequence[Docs], row_of: Callable[[int], Row]
) -> list[set[Span]]:
    """Find the protected spans in the texts of many rows; each pattern searches all texts at once.

    Args:
        constraints: the constraints.
        rows: the annotated fields of each row, by name.
        row_of: returns a row by its index; it is called only if a rule reads more than texts.

    Returns:
        The spans of each text, row by row.

    Raises:
        AugmentError: a function fails or does not return spans of its texts; or spaCy is needed and not installed.
    """
    rules, docs = _compiled(constraints), [doc for held in rows for doc in held.values()]
    found = _matched(rules, docs)
    functions = [one for one in rules.functions if not isinstance(one[0], OfWords)]
    for words, labels in ((one, labels) for one, _, labels in rules.functions if isinstance(one, OfWords)):
        for doc, spans in zip(docs, found, strict=True):
            if words.may is None or any(map(words.may, doc.forms)):
                spans.update(span for span in words.spans(doc) if labels is None or span.label in labels)
    texts = iter(found)
    for at, held in enumerate(rows) if rules.of_fields or functions else ():
        row, own = row_of(at), {name: next(texts) for name in held}
        for rule in rules.of_fields:
            named = [word for name in rule.fields for value in values(row, name) for word in strings(value)]
            for name in held.keys() - set(rule.fields):
                own[name].update(occurrences(held[name].text, named, rule.label))
        for function, rule, labels in functions:
            for name, span in _called(function, rule, row, held):
                own[name].update({span} if labels is None or span.label in labels else ())
    return found


def _matched(rules: "_Rules", docs: Sequence[Doc]) -> list[set[Span]]:
    """Return the spans that the patterns of rules find in each text; a lexicon searches all texts at once."""
    matches: list[list[Match]] = [[] for _ in docs]
    firsts = np.cumsum([0, *(len(doc.forms) + 1 for doc in docs)])
    for lexicon in rules.lexicons:
        every = list(lexicon.find([word for doc in docs for word in (*lexicon.read(doc), "\n")]))
        texts = np.searchsorted(firsts, [begin for _, begin, _ in every], side="right") - 1
        for text, first, (label, begin, end) in zip(texts.tolist(), firsts[texts].tolist(), every, strict=True):
            matches[text].append((label, begin - first, end - first))
    for doc, own in zip(docs, matches, strict=True) if rules.for_spacy else ():
        own.extend(spacy_matches(rules.for_spacy, doc))
    return [set(_merged(doc, own)) for doc, own in zip(docs, matches, strict=True)]


def warnings(constraints: Iterable[Constraint], row: Row, docs: Docs) -> tuple[str, ...]:
    """Return a warning for each thing that constraints should protect but that a row lacks, such as a pronoun.

    Args:
        constraints: the constraints.
        row: the row.
        docs: the annotated fields of the row, by name.
    """
    return tuple(line for one in constraints for name in one.warns for line in _function(name)(row, docs))


class _Rules(NamedTuple):
    """The rules of several constraints, grouped by how they find spans.

    Attributes:
        lexicons: one for the patterns that read only characters, one for the patterns that read annotation.
        for_spacy: rules whose patterns spaCy's Matcher reads.
        of_fields: rules that name fields of the row.
        functions: each function, the first rule that names it, and the labels of all rules that name it. Spans with
            other labels are dropped; if the labels are None, all spans are kept.
    """

    lexicons: list[Lexicon]
    for_spacy: list[Rule]
    of_fields: list[Rule]
    functions: list[tuple[Function, Rule, set[str] | None]]


@lru_cache(maxsize=256)
def _compiled(constraints: tuple[Constraint, ...]) -> _Rules:
    rules = [rule for one in constraints for rule in one.rules]
    patterns = [(rule.label, rule.pattern) for rule in rules if rule.pattern and not needs_matcher(rule.pattern)]
    parts = ([one for one in patterns if reads_annotation(one[1]) is more] for more in (False, True))
    functions: list[tuple[Function, Rule, set[str] | None]] = []
    named: dict[str, list[Rule]] = {}
    for rule in rules:
        if not isinstance(rule.function, str):
            functions.append((rule.function, rule, None))
        elif rule.function:
            named.setdefault(rule.function, []).append(rule)
    functions += ((_function(name), several[0], {one.label for one in several}) for name, several in named.items())
    return _Rules(
        [Lexicon(part) for part in parts if part],
        [rule for rule in rules if rule.pattern and needs_matcher(rule.pattern)],
        [rule for rule in rules if rule.fields],
        functions,
    )


def _function(name: str) -> Callable[[Row, Docs], Any]:
    found: Callable[[Row, Docs], Any] = registry.find("functions", "function", name)
    return found


def check_rules(constraints: tuple[Constraint, ...]) -> None:
    """Compile the patterns of constraints and look up their functions, so that errors are found before the run.

    Raises:
        AugmentError: spaCy is needed and not installed, or refuses a pattern, or there is no such function.
    """
    rules = _compiled(constraints)
    if rules.for_spacy:
        list(spacy_matches(rules.for_spacy, Doc("")))
    for name in (name for one in constraints for name in one.warns):
        _function(name)


def _called(function: Function, rule: Rule, row: Row, docs: Docs) -> Iterator[tuple[str, Span]]:
    """Call a function and yield each span that it finds, with its field.

    Raises:
        AugmentError: the function fails, or returns anything but spans of the fields' texts.
    """
    found: list[tuple[str, Any]]
    row = row if isinstance(rule.function, str) else MappingProxyType(row)  # a user's own function may not change it
    with saying_instead(lambda error: f"{rule.where}: {said(error)} (--debug shows where)", Exception):
        by_field = function(row, docs)
        if not isinstance(by_field, Mapping):
            raise TypeError(f"returned {brief(by_field)}; return a list of spans for each field's name")
        found = [(name, span) for name, spans in by_field.items() for span in spans]
    for name, span in found:
        text = docs[name].text if name in docs else ""
        sound = isinstance(span, Span) and type(span.start) is type(span.stop) is int and isinstance(span.label, str)
        if name not in docs or not sound or span.stop > len(text):
            raise AugmentError(
                f"{rule.where}: returned {brief(span)} in {name!r}; possible: Span(start, stop, label) in "
                f"{', '.join(f'{field!r} (0 to {len(doc.text)})' for field, doc in docs.items())}"
            )
        yield name, span if span.label else Span(span.start, span.stop, rule.label)


def _merged(doc: Doc, matches: Iterable[Match]) -> Iterator[Span]:
    """Convert matches to spans; matches of one label that touch are merged."""
    runs: dict[str, list[tuple[int, int]]] = {}
    for label, begin, end in matches:
        runs.setdefault(label, []).append((begin, end))
    for label, ranges in runs.items():
        first, last = -1, -1
        for begin, end in [*sorted(ranges), (len(doc.places) + 1, 0)]:
            if begin > last:
                if first >= 0:
                    yield Span(doc.places[first][0], doc.places[last - 1][1], label)
                first, last = begin, end
            last = max(last, end)
