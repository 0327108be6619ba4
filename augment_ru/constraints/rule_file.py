"""Reads rule files, which say which spans of a text no edit may touch.

A rule file is TOML. It has `why` (the reason), rules and examples. A rule has a `label` and one of
  pattern  = a token pattern in the form of spaCy's Matcher (LEMMA, POS, MORPH, ENT_TYPE, …)
  fields   = names of record fields; their values are protected where a text contains them as whole words
  function = the name of a Python function: a module of this package in augment_ru/constraints/functions, or an entry
             point of another package; the rule keeps the spans that have its own label
`warns` names functions that warn of rows in which something is missing that a rule should protect.
An example marks what is protected with square brackets: text = "[Маша] спит."
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, update_wrapper
from pathlib import Path
from typing import Annotated, Any

import msgspec
import regex

from augment_ru.edits import Span
from augment_ru.errors import AugmentError, brief, check_known, saying_instead, saying_where
from augment_ru.language.annotate import closed
from augment_ru.registry import is_own, offered, own_object, refuse
from augment_ru.resources import folder
from augment_ru.strict_tables import SomeText, SomeTexts, read_toml, typed
from augment_ru.text.doc import Doc

_LAYER_OF = {
    "ENT_TYPE": "entities", "ENT_IOB": "entities", "POS": "morphology", "MORPH": "morphology",
    "LEMMA": "lemmas", "DEP": "syntax",
}  # fmt: skip
_ATTRIBUTES = {
    "TEXT", "ORTH", "NORM", "LOWER", "LENGTH", "SHAPE", "IS_ALPHA", "IS_ASCII", "IS_DIGIT", "IS_LOWER", "IS_UPPER",
    "IS_TITLE", "IS_PUNCT", "IS_QUOTE", "IS_BRACKET", "IS_LEFT_PUNCT", "IS_RIGHT_PUNCT", "IS_CURRENCY", "LIKE_NUM",
    "OP", *_LAYER_OF,
}  # fmt: skip
_PARTS_OF_SPEECH = {
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM",
    "VERB", "X",
}  # fmt: skip
_OPERATORS = re.compile(r"[?*+]|\{\d+(,\d*)?\}|\{,\d+\}")

_MOST_TOKENS, _MOST_ENDLESS = 100, 4
"""The most tokens of a pattern, and repetitions of a token; the most tokens of a pattern that repeat endlessly.

Each endless token may match from any place of a text to any other, so a pattern with many of them takes too long.
"""
_DIGITS = 9

LANGUAGES = {"ru": "Russian", "en": "English"}

Row = Mapping[str, Any]
Docs = Mapping[str, Doc]
"""The annotated fields of a row, by name."""
Function = Callable[[Row, Docs], Mapping[str, Iterable[Span]]]
"""A function of a rule: it takes a row and its annotated fields, and returns the protected spans of each field."""


class OfWords:
    """Makes a function for rules that finds the spans to protect by the tokens of a text alone, without annotation.

    Args:
        find: takes the tokens of a text, and returns the spans to protect. Each span is given by the index of its first
            token, the index of its last token, and its label.
        may: takes a token, and tells whether a text with this token may have spans to protect; texts without such a
            token are skipped. None to skip no text.
    """

    def __init__(
        self, find: Callable[[Sequence[str]], Iterable[tuple[int, int, str]]], may: Callable[[str], bool] | None = None
    ) -> None:
        self.find, self.may = find, may
        update_wrapper(self, find)

    def spans(self, doc: Doc) -> Iterator[Span]:
        """Yield the spans of a text that no edit may touch, as `find` finds them among its tokens."""
        places = doc.places
        for first, last, label in self.find(doc.forms):
            yield Span(places[first][0], places[last][1], label)

    def __call__(self, _: Row, docs: Docs) -> Mapping[str, Iterable[Span]]:
        """Find the spans of each text of a row."""
        return {name: list(self.spans(doc)) for name, doc in docs.items()}


class RuleExample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An example in a rule file: a text with square brackets around what the rules protect.

    A text without brackets is an example in which the rules protect nothing.
    """

    marked: SomeText = msgspec.field(name="text")
    record: dict[str, Any] = {}

    @property
    def text(self) -> str:
        """The text of the example without its square brackets."""
        return re.sub(r"[\[\]]", "", self.marked)

    @property
    def spans(self) -> list[Span]:
        """The parts of the example in square brackets, as spans of the text without brackets."""
        places = [bracket.start() - number for number, bracket in enumerate(re.finditer(r"[\[\]]", self.marked))]
        return [Span(*pair) for pair in zip(places[::2], places[1::2], strict=True)]


@dataclass(frozen=True)
class Rule:
    """States one way to find protected spans. Exactly one of `pattern`, `fields` and `function` is set.

    Attributes:
        label: the label of the spans that the rule finds.
        pattern: what each token of a span must be, in the form of spaCy's Matcher.
        fields: names of fields of the record, whose values are protected where they occur in the texts.
        function: the name of a Python function that finds spans, or a user's own function. Of the spans that a named
            function finds, only those with this `label` are kept.
        where: the file and the number of the rule in it, for messages.
    """

    label: str
    pattern: tuple[Mapping[str, Any], ...] = ()
    fields: tuple[str, ...] = ()
    function: str | Function = ""
    where: str = field(default="", compare=False)


@dataclass(frozen=True)
class Constraint:
    """States what is protected, and why, by the rules of a rule file or by a function of the user's own.

    Attributes:
        name: the name of the file without its ending, or the name of the function.
        why: the reason for the protection.
        rules: the rules.
        examples: texts that show what is protected, and what is not.
        extra_layers: the layers of annotation that the functions read.
        language: the language of the texts that the rules read; None for any.
        warns: the names of the functions that warn of rows in which something to protect is missing.
    """

    name: str
    why: str
    rules: tuple[Rule, ...] = field(hash=False)
    examples: tuple[RuleExample, ...] = field(hash=False)
    extra_layers: frozenset[str] = frozenset()
    language: str | None = None
    warns: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Constraint({self.name!r}, {len(self.rules)} rules, {brief(self.why)})"

    @cached_property
    def layers(self) -> frozenset[str]:
        """The layers of annotation that the patterns and functions read."""
        read = {attribute for rule in self.rules for token in rule.pattern for attribute in token}
        wanted = {_LAYER_OF[attribute] for attribute in read & _LAYER_OF.keys()}
        basic = {"tokens"} if any(rule.pattern for rule in self.rules) else set()
        return closed(frozenset(wanted | basic | self.extra_layers))

    def only(self, labels: Sequence[str]) -> "Constraint":
        """Return a copy of the constraint with only the rules that have these labels, without examples and warnings.

        Raises:
            AugmentError: no rule has one of the labels.
        """
        known = {rule.label for rule in self.rules}
        for label in labels:
            check_known(f"label of {self.name}", label, known)
        kept = tuple(rule for rule in self.rules if rule.label in labels)
        return replace(self, rules=kept, examples=(), warns=())


@cache
def constraint(spec: str, *, may_import: bool = False) -> Constraint:
    """Return the constraint with this name or from this `.toml` file.

    Args:
        spec: the name or file; `NAME:LABEL,LABEL` takes only the rules with these labels.
        may_import: whether `spec` may also name a function of the user's own, such as `my_rules.py`. That runs code, so
            it is allowed only if the user wrote `spec`.

    Raises:
        AugmentError: there is no such constraint, its file is malformed, or `spec` names a function although
            `may_import` is false.
    """
    if may_import and is_own(spec):
        return own_constraint(own_object(spec), spec)
    refuse(spec)
    if spec.endswith(".toml"):
        return read_constraint(Path(spec))
    name, _, labels = spec.partition(":")
    found = read_constraint(constraint_path(name))
    return found.only(labels.split(",")) if labels else found


def own_constraint(function: object, where: str = "") -> Constraint:
    """Make a constraint of a user's own function.

    The function takes a row and its annotated fields, and returns the spans of each field. A span without a label gets
    the name of the function in capitals. The function may have two attributes: `layers`, the layers of annotation that
    it reads, and `examples`, texts with square brackets around what it protects.

    Args:
        function: the function.
        where: the name used in messages; "" stands for the name of the function.

    Raises:
        AugmentError: `function` is not a function, or one of its attributes is wrong.
    """
    name = str(getattr(function, "__name__", type(function).__name__))
    where = where or f"constraint {name}"
    if not callable(function) or isinstance(function, type):
        problem = f"{where}: {brief(function)} is no function; possible: def {name}(row, docs), returns spans by field"
        raise AugmentError(problem)
    layers, examples = (getattr(function, key, ()) for key in ("layers", "examples"))
    for key, given in (("layers", layers), ("examples", examples)):
        if isinstance(given, str) or not all(isinstance(one, str) for one in given):
            raise AugmentError(f"{where}: {key} {brief(given)}; write a list of texts")
    why = (getattr(function, "__doc__", None) or "").partition("\n")[0]
    shown = tuple(_example(f"{where}: example {number}", {"text": one}) for number, one in enumerate(examples, 1))
    rule = Rule(name.upper(), function=function, where=where)
    return Constraint(name, why, (rule,), shown, _layers(where, layers))


def constraint_paths() -> dict[str, Path]:
    """Map the names of all rule files, of this package and of other installed packages, to their paths.

    Raises:
        AugmentError: two files have the same name.
    """
    paths = {path.stem: path for path in sorted(folder("constraints").glob("*.toml"))}
    for name, entry in offered("augment_ru.constraints").items():
        if name in paths:
            raise AugmentError(f"two constraints called '{name}': ours and {entry.value}; uninstall or rename one")
        paths[name] = Path(str(entry.load()))
    return paths


def constraint_path(name: str) -> Path:
    """Return the path of the rule file with this name.

    Raises:
        AugmentError: there is no such constraint.
    """
    paths = constraint_paths()
    check_known("constraint", name, [*paths, "FILE.toml", "FILE.py:FUNCTION"])
    return paths[name]


def name_of(path: Path) -> str:
    """Return the name of a rule file for messages: `constraints/NAME.toml` for one of this package, else the path."""
    return f"constraints/{path.name}" if path.parent == folder("constraints") else str(path)


def read_constraint(path: Path) -> Constraint:
    """Read and check a rule file.

    Raises:
        AugmentError: the file cannot be read or is not TOML, or a rule or example in it is wrong.
    """
    where = name_of(path)
    top = typed(where, read_toml(path, where), _File)
    rules = tuple(_rule(f"{where}: rule {number}", raw) for number, raw in enumerate(top.rule, 1))
    examples = tuple(_example(f"{where}: example {number}", raw) for number, raw in enumerate(top.example, 1))
    layers = _layers(where, top.layers)
    language = top.language or None
    if language is not None:
        with saying_where(where):
            check_known("language", language, LANGUAGES)
    return Constraint(path.stem, top.why, rules, examples, layers, language, top.warns)


def _layers(where: str, given: Iterable[str]) -> frozenset[str]:
    with saying_where(f"{where}: layers"):
        return closed(frozenset(given))


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    why: SomeText
    rule: Annotated[tuple[dict[str, Any], ...], msgspec.Meta(min_length=1)]
    example: tuple[dict[str, Any], ...] = ()
    language: str | None = None
    layers: SomeTexts = ()
    warns: SomeTexts = ()


class _RuleTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    label: SomeText
    pattern: tuple[Any, ...] | None = None
    fields: SomeTexts | None = None
    function: str | None = None


def _example(where: str, raw: Mapping[str, Any]) -> RuleExample:
    given = typed(where, raw, RuleExample)
    if given.marked.count("[") != given.marked.count("]"):
        raise AugmentError(f"{where}: a bracket is not closed: {given.marked}")
    return given


def _rule(where: str, raw: Mapping[str, Any]) -> Rule:
    given = typed(where, raw, _RuleTable)
    ways = [way for way in ("pattern", "fields", "function") if getattr(given, way) is not None]
    if len(ways) != 1:
        raise AugmentError(f"{where}: has {' and '.join(ways) or 'nothing'}; give one of pattern, fields, function")
    if ways == ["pattern"] and not given.pattern:
        raise AugmentError(f"{where}: an empty pattern matches nothing")
    pattern = given.pattern or ()
    for token in pattern:
        if not isinstance(token, dict):
            raise AugmentError(f'{where}: {token!r} in the pattern; each token must be a table, as {{ LEMMA = "кот" }}')
        for attribute, value in token.items():
            _check_attribute(where, attribute, value)
    _check_length(where, pattern)
    return Rule(given.label, pattern, given.fields or (), given.function or "", where)


def _check_length(where: str, pattern: Sequence[Mapping[str, Any]]) -> None:
    """Check that a pattern is not so long or so repetitive that matching takes too much memory or time.

    Raises:
        AugmentError: the pattern is too long, or its repetitions are too many or out of order.
    """
    if len(pattern) > _MOST_TOKENS:
        raise AugmentError(f"{where}: a pattern of {len(pattern)} tokens; it may have {_MOST_TOKENS}")
    endless = 0
    for token in pattern:
        operator = str(token.get("OP", ""))
        numbers = [int(number[:_DIGITS]) for number in re.findall(r"\d+", operator)]
        if max(numbers, default=0) > _MOST_TOKENS:
            raise AugmentError(f"{where}: OP '{operator}'; a token may be repeated {_MOST_TOKENS} times; or use *")
        if numbers != sorted(numbers):
            raise AugmentError(f"{where}: OP '{operator}'; the least number stands first")
        endless += operator in {"*", "+"} or operator.endswith(",}")
    if endless > _MOST_ENDLESS:
        problem = f"{where}: {endless} tokens without an end (*, +, {{n,}}); a pattern may have {_MOST_ENDLESS}"
        raise AugmentError(problem)


def _check_attribute(where: str, attribute: str, value: object) -> None:
    with saying_where(where):
        check_known("attribute", attribute, _ATTRIBUTES)
    for test, wanted in value.items() if isinstance(value, dict) else ():
        if test in ("IN", "NOT_IN") and not isinstance(wanted, list):
            raise AugmentError(f"{where}: {attribute} {test} must be a list, not {brief(repr(wanted))}")
        if test == "REGEX":
            with saying_where(f"{where}: {attribute} REGEX {brief(str(wanted))}"), saying_instead(str, regex.error):
                regex.compile(str(wanted))
    if attribute == "OP" and not _OPERATORS.fullmatch(str(value)):
        raise AugmentError(f"{where}: OP '{value}'; possible: ? * + {{n}} {{n,m}}; instead of '!' use NOT_IN")
    if attribute == "POS":
        tests = value.values() if isinstance(value, dict) else [[value]] if isinstance(value, str) else ()
        for pos in (one for named in tests if isinstance(named, list) for one in named):
            with saying_where(where):
                check_known("part of speech", str(pos), _PARTS_OF_SPEECH)
