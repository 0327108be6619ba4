"""Labelled spans of a text: their metrics, and the fates of right spans under an attack."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from augment_ru.edits import Span
from augment_ru.errors import MALFORMED, brief, saying_instead
from augment_ru.script import Script


class LabelledSpan(NamedTuple):
    """A part of a text with a label as a right answer, such as a named entity. Spans are sorted by place.

    Attributes:
        start: the place of its first character.
        stop: the place after its last character.
        label: the label.
    """

    start: int
    stop: int
    label: str


Spans: TypeAlias = Sequence[LabelledSpan]
Fate: TypeAlias = Literal["kept", "border", "type", "lost"]
FATES: Sequence[Fate] = ("kept", "border", "type", "lost")
"""What became of a right span: found again; found with another border; found with another label; or not at all."""


def spans_of(value: object) -> tuple[LabelledSpan, ...]:
    """Return the labelled spans in a list, sorted and without repeats.

    Args:
        value: a list of objects with `start`, `end` and `label`, or of lists [start, end, label]; None for no spans.

    Raises:
        AugmentError: the value has another form.
    """
    with saying_instead(f"{brief(value)}: no list of spans; give start, end and label of each", *MALFORMED):
        return tuple(sorted({span_of(one) for one in value or ()}))  # type: ignore[attr-defined]


def span_of(one: Any) -> LabelledSpan:  # noqa: ANN401  (JSON values)
    """Return the labelled span in one item of a list of spans.

    Args:
        one: an object with `start`, `end` and `label`, or a list [start, end, label].

    Raises:
        TypeError, ValueError, KeyError: the item is no span.
    """
    start, stop, label = (one["start"], one["end"], one["label"]) if isinstance(one, Mapping) else one
    if not 0 <= int(start) < int(stop):
        raise ValueError("no span")
    return LabelledSpan(int(start), int(stop), str(label))


def in_source(spans: Spans, back: Script, moved: Mapping[LabelledSpan, LabelledSpan]) -> tuple[LabelledSpan, ...]:
    """Return spans of a perturbed text as spans of the original, so that the two can be compared.

    Args:
        spans: the spans that a model finds in the perturbed text.
        back: the script that turns the perturbed text back into the original.
        moved: maps each right span of the perturbed text to the same span of the original.
    """
    size = len(back.source)
    inside = (one._replace(start=min(one.start, size), stop=min(one.stop, size)) for one in spans)
    pairs = zip(spans, carried(inside, back), strict=True)
    return tuple(sorted({moved.get(one) or own for one, own in pairs}))


def carried(spans: Iterable[LabelledSpan], script: Script) -> list[LabelledSpan]:
    """Move spans of a text to their places in the new text that edits lead to.

    Args:
        spans: the spans of the script's source.
        script: the edits.
    """
    found = (script.carried(Span(*one)) for one in spans)
    return [LabelledSpan(one.start, one.stop, one.label) for one in found]


def span_score(metric: str, label: str | None = None) -> Callable[[Sequence[Spans], Sequence[Spans]], float]:
    """Return the function that computes a metric of labelled spans: F1 over all spans of all rows, in [0, 1].

    The function takes the right spans and the predicted spans of all rows. `span_f1` counts predicted spans with the
    right borders and label (as seqeval does, and nervaluate's `strict`). `span_f1_relaxed` counts predicted spans that
    overlap a right one with the same label (nervaluate's `ent_type`, of SemEval 2013).

    Args:
        metric: `span_f1` or `span_f1_relaxed`.
        label: only spans with this label count; None to count all spans.
    """
    count = _overlapping if metric.endswith("relaxed") else _exact

    def score(golds: Sequence[Spans], given: Sequence[Spans]) -> float:
        right = possible = found = 0
        for gold, own in zip(golds, given, strict=True):
            wanted, ours = ([one for one in side if label in {None, one.label}] for side in (gold, own))
            right, possible, found = right + count(wanted, ours), possible + len(wanted), found + len(ours)
        return 2 * right / (possible + found) if possible + found else 0.0

    return score


def _exact(gold: Spans, given: Spans) -> int:
    return len(set(gold) & set(given))


def _overlapping(gold: Spans, given: Spans) -> int:
    """Count the given spans that match a right span, as nervaluate does.

    Each given span is matched with the nearest right span that overlaps it and has its label. If no such span is free,
    it uses up an overlapping one of another label, and does not count.
    """
    open_, right = list(gold), 0
    for one in given:
        near = [other for other in open_ if other.start < one.stop and one.start < other.stop]
        same = [other for other in near if other.label == one.label]
        if near:
            best = min(same, key=lambda other: abs(other.start - one.start) + abs(other.stop - one.stop), default=None)
            open_.remove(best or near[0])
            right += best is not None
    return right


def fates(gold: Spans, before: Spans, after: Spans) -> Counter[Fate]:
    """Count what a perturbed text does to the right spans that a model found in the original.

    In the perturbed text, the model finds such a span again (kept), with another border (border), with another label
    (type), or not at all (lost).

    Args:
        gold: the right spans of the original.
        before: the spans that the model found in the original.
        after: the spans that it found in the perturbed text, moved to their places in the original (`in_source`).
    """
    found: Counter[Fate] = Counter()
    for one in set(gold) & set(before):
        near = [other for other in after if other.start < one.stop and one.start < other.stop]
        labels = {other.label for other in near}
        found["kept" if one in near else "border" if one.label in labels else "type" if near else "lost"] += 1
    return found
