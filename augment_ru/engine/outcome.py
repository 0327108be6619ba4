"""Outcomes of the search, in columns: what the results of a chunk of records are read from."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

from augment_ru.edits import Note, Span
from augment_ru.engine.applied import Applied
from augment_ru.engine.prepared import Prepared
from augment_ru.engine.search import Found
from augment_ru.records.record import Record
from augment_ru.script import Script
from augment_ru.text.characters import Mask

Status = Literal["perturbed", "unchanged", "rejected"]
"""perturbed: a perturbation passed; unchanged: nothing may be changed, or the draw left the record clean; rejected: no
perturbation passed."""

CLEAN = "clean"
"""The reason of an unchanged record that has legal changes, of which none is active."""

STATUSES = ("perturbed", "unchanged", "rejected")

Scripts = Mapping[str, Script]
Spans = Mapping[str, tuple[Span, ...]]
NO_SPANS: Spans = {}


Triple = tuple[int, int, str]
"""A start, a stop, and a text: that of an edit or the label of a span."""


class Settings(NamedTuple):
    """The settings that all results of one perturber share."""

    attack: str
    seed: int
    scorer: str
    """The similarity's signature; "none" without a gate."""
    threshold: float | None
    corpus: str = ""
    """The digest of the corpus that the attack reads, if that is no part of a package; "" for none."""
    draw: int = 0
    """The number of the draw; each gives a text other changes."""


class Outcome(NamedTuple):
    """The outcome of the search for a record; values that only perturbed records have are None for others.

    The similarity of a rejected record is the best that failed.
    """

    status: Status
    probability: float | None = None
    similarity: float | None = None
    candidate: int | None = None
    warnings: tuple[str, ...] = ()
    reason: str | None = None


class Chunk:
    """The results of a chunk of records under one attack, in columns; each function takes the number of a record.

    Args:
        settings: what the results share.
        prepared: the records, as the attack saw them.
        applied: the texts with the edits that were found for each record.
        found: what the search found.
        possible: the records that have an active change, shape (records,).
        clean: the records that have legal changes, but no active one, shape (records,).
    """

    def __init__(
        self,
        settings: Settings,
        prepared: Prepared,
        applied: Applied,
        found: Found,
        *,
        possible: Mask,
        clean: Mask,
    ) -> None:
        self.settings = settings
        self._prepared, self._applied, self._warnings = prepared, applied, found.warnings
        self._candidates, self._possible, self._clean = found.candidates.tolist(), possible.tolist(), clean.tolist()
        self._warned = bool(prepared.warnings or found.warnings)
        self._probabilities = found.probabilities.tolist()
        scores: list[float] = found.similarities.tolist()
        self._briefs: dict[tuple[object, ...], dict[str, Any]] = {}
        self._similarities = [None if math.isnan(score) else score + 0.0 for score in scores]  # there is no -0.0

    def __len__(self) -> int:
        return len(self._candidates)

    def record(self, at: int) -> Record:
        """The record."""
        return self._prepared.records[at]

    def outcome(self, at: int) -> Outcome:
        """What the search found for it."""
        candidate, similarity = self._candidates[at], self._similarities[at]
        warnings = (*self._prepared.warnings.get(at, ()), *self._warnings.get(at, ())) if self._warned else ()
        if candidate < 0:
            reason = CLEAN if self._clean[at] else None
            status: Status = "rejected" if self._possible[at] else "unchanged"
            return Outcome(status, None, similarity, None, warnings, reason)
        return Outcome("perturbed", self._probabilities[at], similarity, candidate, warnings, None)

    def scripts(self, at: int) -> Scripts:
        """The script of each field."""
        prepared, texts = self._prepared, self._prepared.batch.texts
        applied = self._applied
        return {
            prepared.fields[row]: Script.of_columns(texts[row], applied, row, prepared.places[row])
            for row in prepared.rows(at)
        }

    def texts(self, at: int) -> list[tuple[str, str, str]]:
        """The name, the original text and the new text of each field."""
        prepared, sources, new = self._prepared, self._prepared.batch.texts, self._applied.texts
        return [(prepared.fields[row], sources[row], new[row]) for row in prepared.rows(at)]

    def brief(self, at: int) -> dict[str, Any]:
        """The metadata of its outcome; what equal outcomes share is made once."""
        if self._warned:
            return brief_metadata(self.settings, self.outcome(at))
        key = self._candidates[at], self._probabilities[at], self._similarities[at], self._possible[at], self._clean[at]
        if key not in self._briefs:
            self._briefs[key] = brief_metadata(self.settings, self.outcome(at))
        return {**self._briefs[key]}

    def metadata(self, at: int) -> dict[str, Any]:
        """Its full metadata, which share their lists with this chunk."""
        prepared, found = self._prepared, self.brief(at)
        fields, sources, edits, spans = prepared.fields, prepared.batch.texts, self._edits, self._spans
        rows = prepared.rows(at)
        found["source"] = {fields[row]: sources[row] for row in rows}
        found["edits"] = {fields[row]: edits[row] for row in rows}
        if self._applied.every_note:
            found |= noted({fields[row]: self._applied.notes(row) for row in rows}, found["edits"])
        found["protected"] = {fields[row]: spans[row] for row in rows}
        return found

    def protected(self, at: int) -> Spans:
        """The protected spans of each field."""
        prepared = self._prepared
        if not prepared.batch.spans[2]:
            return {prepared.fields[row]: () for row in prepared.rows(at)}
        return {prepared.fields[row]: tuple(prepared.batch.protected(row)) for row in prepared.rows(at)}

    @cached_property
    def _edits(self) -> list[list[Triple]]:
        """The edits of each text."""
        places, applied = self._prepared.places, self._applied
        return [applied.triples(row, place) for row, place in enumerate(places[:-1])]

    @cached_property
    def _spans(self) -> Sequence[Sequence[Triple]]:
        """The protected spans of each text."""
        batch, places = self._prepared.batch, self._prepared.places
        starts, stops, labels = batch.spans
        if not labels:
            return [()] * (len(places) - 1)
        found: list[list[Triple]] = [[] for _ in places[:-1]]
        columns = zip(batch.rows(starts).tolist(), starts.tolist(), stops.tolist(), labels, strict=True)
        for row, start, stop, label in columns:
            found[row].append((start - places[row], stop - places[row], label))
        return found

    def statuses(self) -> list[Status]:
        """The status of each record."""
        columns = zip(self._candidates, self._possible, strict=True)
        return ["perturbed" if found >= 0 else "rejected" if possible else "unchanged" for found, possible in columns]

    def scores(self) -> list[tuple[float, float | None]]:
        """The probability and the similarity of each perturbed record; the latter is None if nothing was scored."""
        columns = zip(self._candidates, self._probabilities, self._similarities, strict=True)
        return [(probability, similarity) for found, probability, similarity in columns if found >= 0]

    @property
    def edits(self) -> int:
        """The number of edits in all records."""
        return self._applied.starts.size

    @property
    def warned(self) -> set[int]:
        """The numbers of the records that have a warning."""
        return {at for warnings in (self._prepared.warnings, self._warnings) for at, held in warnings.items() if held}


def brief_metadata(settings: Settings, outcome: Outcome) -> dict[str, Any]:
    """The metadata of an outcome under these settings, without the source, the edits and the protected spans."""
    brief: dict[str, Any] = {"attack": settings.attack, "status": outcome.status}
    if outcome.reason:
        brief["reason"] = outcome.reason
    brief["probability"] = outcome.probability
    brief["similarity"] = outcome.similarity
    brief["scorer"] = settings.scorer
    brief["threshold"] = settings.threshold
    brief["seed"] = settings.seed
    brief["candidate"] = outcome.candidate
    if settings.draw or settings.corpus or outcome.warnings:
        brief |= occasional(draw=settings.draw, corpus=settings.corpus, warnings=outcome.warnings)
    return brief


def occasional(*, draw: int = 0, corpus: str = "", warnings: Sequence[str] = ()) -> dict[str, Any]:
    """The entries of the metadata that only some rows have: those that hold nothing are left out.

    A warning that came twice is there once.
    """
    entries = {"draw": draw, "corpus": corpus, "warnings": list(dict.fromkeys(warnings))}
    return {name: value for name, value in entries.items() if value}


def noted(notes: Mapping[str, Sequence[Note | None]], edits: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """`{"notes": …}` with a list of notes beside each list of edits, for the metadata; empty if no edit has one.

    Args:
        notes: the notes of the edits of each field; empty if none has one.
        edits: the edits of each field.
    """
    if not any(notes.values()):
        return {}
    values = {name: said or [None] * len(edits[name]) for name, said in notes.items()}
    return {"notes": {name: [note and note.values() for note in said] for name, said in values.items()}}
