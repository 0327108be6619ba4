"""Match the token patterns that only spaCy's Matcher can read; spaCy is an optional dependency."""

import re
import threading
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from augment_ru.constraints.lexicon import KNOWN, Match, needs_matcher
from augment_ru.constraints.rule_file import Rule
from augment_ru.errors import missing, saying_instead, saying_where
from augment_ru.text.doc import Doc

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
