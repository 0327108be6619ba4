"""Constraints: rule files that say which spans of a text no edit may touch.

A rule file is TOML: `why`, rules and examples. A rule is one of
  pattern  = token pattern in the form of spaCy's Matcher (LEMMA, POS, MORPH, ENT_TYPE, …)
  fields   = names of record fields whose values are protected wherever they stand as whole words
  function = a Python function by name: a file in augment_ru/functions, or what a package offers under it;
             of what it finds the rule keeps the spans of its own label
and each has a `label`. Examples mark what is protected: text = "[Маша] спит."
"""

import re
import threading
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from augment_ru import registry
from augment_ru.annotate import closed
from augment_ru.data import folder
from augment_ru.doc import Doc
from augment_ru.errors import AugmentError, unknown
from augment_ru.lexical import Lexicon, is_lexical
from augment_ru.registry import offered
from augment_ru.script import Span

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

Values = Mapping[str, Any]
Function = Callable[[Values, Mapping[str, Doc]], Mapping[str, Sequence[Span]]]
"""Record and its annotated fields, to protected spans of each field: the exception where no pattern will do."""


@dataclass(frozen=True)
class Example:
    """A text whose protected parts stand in square brackets; none in it: nothing may be protected."""

    marked: str
    record: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The text without the marks."""
        return re.sub(r"[\[\]]", "", self.marked)

    @property
    def spans(self) -> list[Span]:
        """The marked spans of the text."""
        spans: list[Span] = []
        at = opened = 0
        for char in self.marked:
            if char == "[":
                opened = at
            elif char == "]":
                spans.append(Span(opened, at))
            else:
                at += 1
        return spans


@dataclass(frozen=True)
class Rule:
    """One way to find what must be left alone; exactly one of the three ways is set."""

    label: str
    pattern: tuple[Mapping[str, Any], ...] = ()
    fields: tuple[str, ...] = ()
    function: str = ""
    where: str = field(default="", compare=False)


@dataclass(frozen=True)
class Constraint:
    """A rule file."""

    name: str
    why: str
    rules: tuple[Rule, ...]
    examples: tuple[Example, ...]
    extra_layers: frozenset[str] = frozenset()

    @property
    def layers(self) -> frozenset[str]:
        """The annotation that its patterns read."""
        wanted = {
            _LAYER_OF[attribute]
            for rule in self.rules
            for token in rule.pattern
            for attribute in token
            if attribute in _LAYER_OF
        }
        basic = {"tokens"} if any(rule.pattern for rule in self.rules) else set()
        return closed(frozenset(wanted | basic | self.extra_layers))

    def only(self, labels: Sequence[str]) -> "Constraint":
        """The constraint with the rules of these labels alone.

        Raises:
            AugmentError: no rule has one of the labels.
        """
        known = {rule.label for rule in self.rules}
        for label in labels:
            if label not in known:
                raise unknown(f"label of {self.name}", label, known)
        kept = tuple(rule for rule in self.rules if rule.label in labels)
        return Constraint(self.name, self.why, kept, (), self.extra_layers)


def constraint(spec: str) -> Constraint:
    """The constraint of this name or file; `NAME:LABEL,LABEL` takes some of its rules.

    Raises:
        AugmentError: there is no such constraint, or its file is wrong.
    """
    if spec.endswith(".toml"):
        return _read(Path(spec))
    name, _, labels = spec.partition(":")
    found = _read(constraint_path(name))
    return found.only(labels.split(",")) if labels else found


def constraint_paths() -> dict[str, Path]:
    """The rule files that can be named: ours, and those that other packages offer.

    Raises:
        AugmentError: two files claim one name.
    """
    paths = {path.stem: path for path in sorted(folder("constraints").glob("*.toml"))}
    for name, entry in offered("augment_ru.constraints").items():
        if name in paths:
            raise AugmentError(f"two constraints called '{name}': ours and {entry.value}; uninstall or rename one")
        paths[name] = Path(str(entry.load()))
    return paths


def constraint_path(name: str) -> Path:
    """The rule file of a named constraint."""
    paths = constraint_paths()
    if name not in paths:
        raise unknown("constraint", name, [*paths, "FILE.toml"])
    return paths[name]


@cache
def _read(path: Path) -> Constraint:
    return read_constraint(path)


def name_of(path: Path) -> str:
    """How a rule file is called in messages: ours by folder and name, others as they were given."""
    return f"constraints/{path.name}" if path.parent == folder("constraints") else str(path)


def read_constraint(path: Path) -> Constraint:
    """Read and check a rule file.

    Raises:
        AugmentError: the file is missing, not TOML, or a rule in it is wrong: where and what.
    """
    where = name_of(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AugmentError(f"{path}: cannot be read ({error.strerror}); give the path of a rule file") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise AugmentError(f"{where}: not TOML: {error}") from error
    _only_keys(where, content, {"why", "layers", "rule", "example"}, {"why", "rule"})
    rules = tuple(
        _rule(f"{where}: rule {number}", raw) for number, raw in enumerate(_tables(where, content, "rule"), 1)
    )
    if not rules:
        raise AugmentError(f"{where}: no rule; add [[rule]]")
    examples = []
    for number, raw in enumerate(_tables(where, content, "example"), 1):
        here = f"{where}: example {number}"
        _only_keys(here, raw, {"text", "record"}, {"text"})
        marked, record = _typed(here, raw, "text", str), _typed(here, raw, "record", dict)
        if marked.count("[") != marked.count("]"):
            raise AugmentError(f"{here}: a bracket is not closed: {marked}")
        examples.append(Example(marked, record))
    layers = frozenset(_texts(where, content, "layers"))
    try:
        closed(layers)
    except AugmentError as error:
        raise AugmentError(f"{where}: layers: {error}") from error
    return Constraint(path.stem, _typed(where, content, "why", str), rules, tuple(examples), layers)


T = TypeVar("T")


def _typed(where: str, table: Mapping[str, Any], key: str, wanted: type[T]) -> T:
    """The value of a key, or an empty one."""
    value = table.get(key, wanted())
    if not isinstance(value, wanted):
        kinds = {"str": "a text", "dict": "a table", "list": "a list"}
        raise AugmentError(f"{where}: '{key}' is {value!r}; it must be {kinds[wanted.__name__]}")
    return value


def _texts(where: str, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """The texts of a list, which may be absent and may not be empty."""
    values = _typed(where, table, key, list)
    if not all(isinstance(value, str) for value in values) or (key in table and not values):
        raise AugmentError(f"{where}: '{key}' is {values!r}; it must be a list of texts")
    return tuple(values)


def _tables(where: str, content: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    tables = content.get(key, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise AugmentError(f"{where}: '{key}' must be tables; write [[{key}]] above each")
    return tables


def _only_keys(where: str, table: Mapping[str, Any], known: set[str], needed: set[str]) -> None:
    if missing := sorted(needed - table.keys()):
        raise AugmentError(f"{where}: '{missing[0]}' is missing")
    for key in table:
        if key not in known:
            raise AugmentError(f"{where}: {unknown('key', key, known)}")


def _rule(where: str, raw: dict[str, Any]) -> Rule:
    _only_keys(where, raw, {"label", "pattern", "fields", "function"}, {"label"})
    ways = [way for way in ("pattern", "fields", "function") if way in raw]
    if len(ways) != 1:
        raise AugmentError(f"{where}: has {' and '.join(ways) or 'nothing'}; give one of pattern, fields, function")
    label, function = _typed(where, raw, "label", str), _typed(where, raw, "function", str)
    pattern = _typed(where, raw, "pattern", list)
    if ways == ["pattern"] and not pattern:
        raise AugmentError(f"{where}: an empty pattern matches nothing")
    for token in pattern:
        if not isinstance(token, dict):
            raise AugmentError(f'{where}: {token!r} in the pattern; each token must be a table, as {{ LEMMA = "кот" }}')
        for attribute, value in token.items():
            _check_attribute(where, attribute, value)
    return Rule(label, tuple(pattern), _texts(where, raw, "fields"), function, where)


def _check_attribute(where: str, attribute: str, value: object) -> None:
    if attribute not in _ATTRIBUTES:
        raise AugmentError(f"{where}: {unknown('attribute', attribute, _ATTRIBUTES)}")
    if attribute == "OP" and not _OPERATORS.fullmatch(str(value)):
        raise AugmentError(f"{where}: OP '{value}'; possible: ? * + {{n}} {{n,m}}; instead of '!' use NOT_IN")
    if attribute == "POS":
        named = value if isinstance(value, str) else [one for part in _inner(value) for one in part]
        for pos in [named] if isinstance(named, str) else named:
            if pos not in _PARTS_OF_SPEECH:
                raise AugmentError(f"{where}: {unknown('part of speech', str(pos), _PARTS_OF_SPEECH)}")


def _inner(value: object) -> list[list[object]]:
    """The lists in `{ IN = [...] }` and `{ NOT_IN = [...] }`."""
    return [part for part in value.values() if isinstance(part, list)] if isinstance(value, dict) else []


@dataclass(frozen=True)
class Protector:
    """Several constraints, ready to run. Picklable; the compiled patterns belong to each thread."""

    constraints: tuple[Constraint, ...] = ()

    @property
    def layers(self) -> frozenset[str]:
        """The annotation that the constraints read."""
        return frozenset().union(*(constraint.layers for constraint in self.constraints))

    def __call__(self, records: Sequence[Values], docs: Sequence[Mapping[str, Doc]]) -> list[dict[str, list[Span]]]:
        """The protected spans of each annotated field of each record, with rule labels, in order."""
        found: list[dict[str, list[Span]]] = [{name: [] for name in fields} for fields in docs]
        self._match(docs, found)
        rules = [rule for constraint in self.constraints for rule in constraint.rules]
        labels = {rule.function: {one.label for one in rules if one.function == rule.function} for rule in rules}
        functions = [(_function(name), labels[name]) for name in labels if name]
        by_fields = [rule for rule in rules if rule.fields]
        for record, fields, spans in zip(records, docs, found, strict=True):
            for rule in by_fields:
                words = [word for name in rule.fields for word in strings(record.get(name))]
                for name in fields.keys() - set(rule.fields):
                    spans[name] += occurrences(fields[name].text, words, rule.label)
            for function, wanted in functions:
                for name, more in function(record, fields).items():
                    spans[name] += (span for span in more if span.label in wanted)
        return [{name: sorted(set(spans[name])) for name in spans} for spans in found]

    def _match(self, docs: Sequence[Mapping[str, Doc]], found: list[dict[str, list[Span]]]) -> None:
        rules = [rule for constraint in self.constraints for rule in constraint.rules if rule.pattern]
        listed = [rule for rule in rules if is_lexical(rule.pattern)]
        if listed:
            lexicon = _lexicon(listed)
            for fields, spans in zip(docs, found, strict=True):
                for name, doc in fields.items():
                    spans[name] += _joined(doc, lexicon.find([token.text for token in doc.tokens]))
        rules = [rule for rule in rules if not is_lexical(rule.pattern)]
        if not rules:
            return
        matcher, vocab, labels = _matcher(rules)
        with vocab.memory_zone():  # frees the strings of these texts afterwards
            for fields, spans in zip(docs, found, strict=True):
                for name, doc in fields.items():
                    spans[name] += _matched(doc, as_spacy(doc, vocab), matcher, labels)

    def compiled(self) -> "Protector":
        """The protector itself, when its patterns and functions are found to be sound.

        Raises:
            AugmentError: spaCy refuses a pattern, or there is no such function.
        """
        rules = [rule for constraint in self.constraints for rule in constraint.rules]
        for rule in rules:
            if rule.function:
                _function(rule.function)
        if others := [rule for rule in rules if rule.pattern and not is_lexical(rule.pattern)]:
            _matcher(others)
        return self


_WINDOW, _OVERLAP = 400, 40
"""Tokens matched at once: spaCy's Matcher takes quadratic time for a run that `OP = "+"` matches whole."""


def _matched(doc: Doc, parsed: Any, matcher: Any, labels: Mapping[int, str]) -> Iterator[Span]:  # noqa: ANN401
    """What the patterns match."""
    matches: list[tuple[str, int, int]] = []
    for start in range(0, max(len(doc.tokens), 1), _WINDOW - _OVERLAP):
        window = parsed[start : start + _WINDOW] if len(doc.tokens) > _WINDOW else parsed
        matches += ((labels[rule], start + first, start + last) for rule, first, last in matcher(window))
        if window is parsed:
            break
    yield from _joined(doc, matches)


def _joined(doc: Doc, matches: Iterable[tuple[str, int, int]]) -> Iterator[Span]:
    """Matches (label, first token, the one after the last) as spans, those of one label that touch as one."""
    runs: dict[str, list[tuple[int, int]]] = {}
    for label, begin, end in matches:
        runs.setdefault(label, []).append((begin, end))
    for label, ranges in runs.items():
        first, last = -1, -1
        for begin, end in [*sorted(ranges), (len(doc.tokens) + 1, 0)]:
            if begin > last:
                if first >= 0:
                    yield Span(doc.tokens[first].start, doc.tokens[last - 1].stop, label)
                first, last = begin, end
            last = max(last, end)


_thread = threading.local()


def _lexicon(rules: Sequence[Rule]) -> Lexicon:
    """The table of words for these rules, one a thread."""
    lexicons: dict[str, Lexicon] = _thread.__dict__.setdefault("lexicons", {})
    return lexicons.setdefault(repr(rules), Lexicon([(rule.label, rule.pattern) for rule in rules]))


def _matcher(rules: Sequence[Rule]) -> tuple[Any, Any, dict[int, str]]:
    """SpaCy's Matcher for these patterns and the label of each, one a thread: vocabularies are not shared."""
    compiled: dict[str, tuple[Any, Any, dict[int, str]]] = _thread.__dict__.setdefault("compiled", {})
    key = repr(rules)
    if key not in compiled:
        from spacy.matcher import Matcher  # noqa: PLC0415  (a second, and only such rules need it)
        from spacy.vocab import Vocab  # noqa: PLC0415

        vocab = Vocab(lex_attr_getters=_getters(rules))
        matcher = Matcher(vocab, validate=True)
        labels: dict[int, str] = {}
        for number, rule in enumerate(rules):
            try:
                matcher.add(str(number), [[dict(token) for token in rule.pattern]], greedy="LONGEST")
            except (ValueError, TypeError, re.error) as error:
                raise AugmentError(
                    f"{rule.where}: spaCy refuses the pattern: {' '.join(str(error).split())}"
                ) from error
            labels[vocab.strings[str(number)]] = rule.label
        compiled[key] = matcher, vocab, labels
    return compiled[key]


def _getters(rules: Sequence[Rule]) -> Any:  # noqa: ANN401
    """What a vocabulary must know of a word (LOWER, IS_UPPER, …): only what the patterns read, for speed."""
    from spacy.attrs import IDS  # type: ignore[import-not-found]  # noqa: PLC0415
    from spacy.lang.lex_attrs import LEX_ATTRS  # noqa: PLC0415
    from spacy.lang.ru import RussianDefaults  # noqa: PLC0415

    read = {IDS[name] for rule in rules for token in rule.pattern for name in token if name in IDS}
    known = {**LEX_ATTRS, **RussianDefaults.lex_attr_getters}
    return {number: get for number, get in known.items() if number in read}


def as_spacy(doc: Doc, vocab: Any) -> Any:  # noqa: ANN401
    """A spaCy `Doc` of the tokens; white space is no token in it, so that rules need not know of it."""
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


def strings(value: object) -> Iterator[str]:
    """The strings in the value of a field: itself, or those of a list or of an object's values."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from strings(inner)


def occurrences(text: str, words: Sequence[str], label: str) -> Iterator[Span]:
    """Where the words stand in the text as whole words, letter case aside."""
    for word in {word.strip() for word in words}:
        if word:
            for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE):
                yield Span(*match.span(), label)


def _function(name: str) -> Function:
    found: Function = registry.find("functions", "function", name)
    return found
