"""Persons, places, organisations and titled works: a model's finds, and what it misses."""

from collections.abc import Mapping, Sequence
from typing import Any

from augment_ru.doc import Doc
from augment_ru.functions import _extents as extents
from augment_ru.functions import _names as names
from augment_ru.functions._view import View
from augment_ru.functions._words import lemmas, readings
from augment_ru.script import Span

_STEPS = (
    names.model,
    names.capitals,
    names.initials,
    names.lower_case,
    extents.adjectival,
    extents.genitives,
    extents.titles,
    extents.joined,
    extents.organisations,
)


def named_entities(record: Mapping[str, Any], docs: Mapping[str, Doc]) -> Mapping[str, Sequence[Span]]:
    """The names in each text; a name found in one is known in all texts of the record.

    «Министерство [образования] и науки РФ» → «[Министерство образования и науки РФ]».
    """
    del record
    views = {name: View(doc) for name, doc in docs.items()}
    labels = {name: [""] * len(view.texts) for name, view in views.items()}
    for name, view in views.items():
        for step in _STEPS:
            step(view, labels[name])
    known = {lemma: label for name, view in views.items() for lemma, label in _known(view, labels[name])}
    for name, view in views.items():
        _repeat(view, labels[name], known)
    return {name: _spans(view, labels[name]) for name, view in views.items()}


def _known(view: View, labels: Sequence[str]) -> list[tuple[str, str]]:
    """The lemmas by which a name is known again: not those of common words inside it."""
    return [
        (lemma, label)
        for at, (word, label) in enumerate(zip(view.texts, labels, strict=True))
        if label and len(word) > 2 and view.capitals[at] and _tells(view, labels, at)  # noqa: PLR2004
        for lemma in lemmas(word)
    ]


def _tells(view: View, labels: Sequence[str], at: int) -> bool:
    """Whether a word of a name means the name when it stands alone."""
    word = view.texts[at]
    if any(reading.name or not reading.known for reading in readings(word)):
        return True
    alone = not (at and labels[at - 1]) and not (at + 1 < len(labels) and labels[at + 1])
    return alone and not names.head_kind(word) and all(reading.pos in {"NOUN", "ADJF"} for reading in readings(word))


def _repeat(view: View, labels: list[str], known: Mapping[str, str]) -> None:
    for at, word in enumerate(view.texts):
        free = view.capitals[at] or view.shouts[at] or view.lower
        if free and not labels[at] and len(word) > 2:  # noqa: PLR2004
            label = next((known[lemma] for lemma in lemmas(word) if lemma in known), "")
            if label and (view.capitals[at] or all(reading.pos == "NOUN" for reading in readings(word))):
                labels[at] = label


def _spans(view: View, labels: Sequence[str]) -> list[Span]:
    """Neighbouring tokens of one label as one span."""
    found: list[Span] = []
    tokens = view.doc.tokens
    for at, label in enumerate(labels):
        if label and at and labels[at - 1] == label:
            found[-1] = Span(found[-1].start, tokens[at].stop, label)
        elif label:
            found.append(Span(tokens[at].start, tokens[at].stop, label))
    return found
