"""From constraints and annotated records to protected spans: runs rules, record fields and functions."""

import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from augment_ru import registry
from augment_ru.constraints.lexicon import KNOWN, Lexicon, needs_matcher, reads_annotation
from augment_ru.constraints.rule_file import Constraint, Function, Rule, Values, Warn
from augment_ru.edits import Span
from augment_ru.errors import AugmentError
from augment_ru.records.field_paths import occurrences, strings, values
from augment_ru.text.doc import Doc


@dataclass(frozen=True)
class Protector:
    """Several constraints, ready to run. Picklable; each thread compiles the patterns for itself."""

    constraints: tuple[Constraint, ...] = ()

    @cached_property
    def layers(self) -> frozenset[str]:
        """The annotation that the constraints read."""
        return frozenset().union(*(constraint.layers for constraint in self.constraints))

    def __call__(self, records: Sequence[Values], docs: Sequence[Mapping[str, Doc]]) -> list[dict[str, list[Span]]]:
        """The protected spans of each annotated field of each record.

        Args:
            records: the rows, from which rules read field values.
            docs: the annotated fields of each record, by name.

        Returns:
            For each record and field, different spans with the labels of their rules, sorted.
        """
        found: list[dict[str, list[Span]]] = [{name: [] for name in fields} for fields in docs]
        self._match(docs, found)
        functions = self._callables
        by_fields = self._by_fields
        for record, fields, spans in zip(records, docs, found, strict=True):
            for rule in by_fields:
                words = [word for name in rule.fields for value in values(record, name) for word in strings(value)]
                for name in fields.keys() - set(rule.fields):
                    spans[name] += occurrences(fields[name].text, words, rule.label)
            for function, wanted in functions:
                for name, more in function(record, fields).items():
                    spans[name] += (span for span in more if span.label in wanted)
        return [{name: sorted(set(spans[name])) for name in spans} for spans in found]

    def warnings(self, record: Values, docs: Mapping[str, Doc]) -> tuple[str, ...]:
        """What a record lacks, so that a constraint cannot protect what it is there for; a line each.

        Args:
            record: the row.
            docs: its annotated fields, by name.
        """
        functions: Iterator[Warn] = (_function(name) for constraint in self.constraints for name in constraint.warns)
        return tuple(warning for function in functions for warning in function(record, docs))

    @property
    def warns(self) -> bool:
        """Whether one of the constraints may warn of a record."""
        return any(constraint.warns for constraint in self.constraints)

    @cached_property
    def _rules(self) -> list[Rule]:
        return [rule for constraint in self.constraints for rule in constraint.rules]

    @cached_property
    def _functions(self) -> dict[str, set[str]]:
        """The names of the functions, and the labels of the rules that name each."""
        labels: dict[str, set[str]] = {}
        for rule in self._rules:
            if rule.function:
                labels.setdefault(rule.function, set()).add(rule.label)
        return labels

    @cached_property
    def _callables(self) -> list[tuple[Function, set[str]]]:
        """The functions, each with the labels of the rules that name it."""
        return [(_function(name), own) for name, own in self._functions.items()]

    @cached_property
    def _by_fields(self) -> list[Rule]:
        return [rule for rule in self._rules if rule.fields]

    @cached_property
    def _listed(self) -> dict[str, list[Rule]]:
        """The rules whose patterns are matched here: those that read characters alone, and the others; by their text.

        Fewer different tokens are met by patterns that read characters alone.
        """
        rules = [rule for rule in self._rules if rule.pattern and not needs_matcher(rule.pattern)]
        parted = ([rule for rule in rules if reads_annotation(rule.pattern) is more] for more in (False, True))
        return {repr(part): part for part in parted if part}

    @cached_property
    def _matched(self) -> list[Rule]:
        """The rules whose patterns spaCy's Matcher reads."""
        return [rule for rule in self._rules if rule.pattern and needs_matcher(rule.pattern)]

    def _match(self, docs: Sequence[Mapping[str, Doc]], found: list[dict[str, list[Span]]]) -> None:
        for key, rules in self._listed.items():
            lexicon = _lexicon(rules, key)
            for fields, spans in zip(docs, found, strict=True):
                for name, doc in fields.items():
                    spans[name] += _joined(doc, lexicon.find(doc.tokens))
        if not self._matched:
            return
        matcher, vocab, labels = _matcher(self._matched)
        with vocab.memory_zone():  # frees the strings of these texts afterwards
            for fields, spans in zip(docs, found, strict=True):
                for name, doc in fields.items():
                    spans[name] += _matched(doc, as_spacy(doc, vocab), matcher, labels)

    def compiled(self) -> "Protector":
        """The protector itself, after its patterns were compiled and its functions were found.

        Raises:
            AugmentError: spaCy is needed and not installed, or refuses a pattern, or there is no such function.
        """
        for name in (*self._functions, *(name for constraint in self.constraints for name in constraint.warns)):
            _function(name)
        if self._matched:
            _matcher(self._matched)
        return self


_WINDOW, _OVERLAP = 400, 40
"""How many tokens are matched at once, and how many of them twice: on a long run of tokens that `OP = "+"` matches,
the time of spaCy's Matcher grows with the square of its length."""


def _matched(doc: Doc, parsed: Any, matcher: Any, labels: Mapping[int, str]) -> Iterator[Span]:  # noqa: ANN401
    """The spans that the patterns match."""
    matches: list[tuple[str, int, int]] = []
    for start in range(0, max(len(doc.tokens), 1), _WINDOW - _OVERLAP):
        window = parsed[start : start + _WINDOW] if len(doc.tokens) > _WINDOW else parsed
        matches += ((labels[rule], start + first, start + last) for rule, first, last in matcher(window))
        if window is parsed:
            break
    yield from _joined(doc, matches)


def _joined(doc: Doc, matches: Iterable[tuple[str, int, int]]) -> Iterator[Span]:
    """Matches (label, first token, token after the last) as spans; matches of one label that touch are merged."""
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


def _lexicon(rules: Sequence[Rule], key: str) -> Lexicon:
    """The lexicon of these rules, whose text is the key; each thread has its own."""
    lexicons: dict[str, Lexicon] = _thread.__dict__.setdefault("lexicons", {})
    if key not in lexicons:
        lexicons[key] = Lexicon([(rule.label, rule.pattern) for rule in rules])
    return lexicons[key]


def _matcher(rules: Sequence[Rule]) -> tuple[Any, Any, dict[int, str]]:
    """SpaCy's Matcher for these rules, its vocabulary, and the labels by match id; each thread has its own."""
    compiled: dict[str, tuple[Any, Any, dict[int, str]]] = _thread.__dict__.setdefault("compiled", {})
    key = repr(rules)
    if key not in compiled:
        try:
            from spacy.matcher import Matcher  # noqa: PLC0415  (a second, and only such rules need it)
            from spacy.vocab import Vocab  # noqa: PLC0415
        except ImportError as error:
            raise AugmentError(
                f"{rules[0].where}: only spaCy matches {needs_matcher(rules[0].pattern)}; "
                f'in the folder of augment-ru run: pip install ".[spacy]"; '
                f"{', '.join(KNOWN)} with IN, NOT_IN, REGEX need no spaCy"
            ) from error

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
    """The functions that compute the attributes of a word (LOWER, …) that patterns read; fewer of them is faster."""
    from spacy.attrs import IDS  # type: ignore[import-not-found]  # noqa: PLC0415
    from spacy.lang.lex_attrs import LEX_ATTRS  # noqa: PLC0415
    from spacy.lang.ru import RussianDefaults  # noqa: PLC0415

    read = {IDS[name] for rule in rules for token in rule.pattern for name in token if name in IDS}
    known = {**LEX_ATTRS, **RussianDefaults.lex_attr_getters}
    return {number: get for number, get in known.items() if number in read}


def as_spacy(doc: Doc, vocab: Any) -> Any:  # noqa: ANN401
    """A spaCy `Doc` of the tokens, with the layers that were computed; it has no tokens for white space."""
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


def _function(name: str) -> Any:  # noqa: ANN401  (a `Function` or a `Warn`)
    return registry.find("functions", "function", name)
