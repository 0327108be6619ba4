"""Outcomes of the search, in columns: what the results of a chunk of records are read from."""

import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import orjson

from augment_ru.edits import Note, Span
from augment_ru.engine.applied import Applied
from augment_ru.engine.prepared import Prepared
from augment_ru.engine.search import Found
from augment_ru.formats.json_lines import encoded
from augment_ru.formats.row import Changed, lines_with, written
from augment_ru.records.alike import AlikeRecords
from augment_ru.records.field_paths import Path, path_of
from augment_ru.records.record import Record
from augment_ru.script import Script
from augment_ru.text.characters import Mask, decode

Status = Literal["perturbed", "unchanged", "rejected"]
"""perturbed: a perturbation passed; unchanged: nothing may be changed, or the draw left the record clean; rejected: no
perturbation passed."""

CLEAN = "clean"
"""The reason of an unchanged record that has legal changes, of which none is active."""

METAS = ("full", "brief", "none")
"""How much metadata is written: all of it; all but the source, edits and protected spans; none."""

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

    def texts(self, at: int) -> list[str]:
        """The new text of each field."""
        return [self._applied.texts[row] for row in self._prepared.rows(at)]

    def changed(self, at: int, meta: str) -> Changed:
        """The new values of its row, and the metadata (`METAS`)."""
        prepared, applied, record = self._prepared, self._applied, self._prepared.records[at]
        metadata = None if meta == "none" else self.metadata(at, meta)
        if record.task.layout.states_offsets:
            return Changed(new_values(record, self.scripts(at)), metadata)
        sources, new = prepared.batch.texts, applied.texts
        values: dict[Path, Any] = {}
        for row in prepared.rows(at):
            if new[row] != sources[row]:
                values[path_of(record.values, prepared.fields[row])] = new[row]
        return Changed(values, metadata)

    def lines(self, records: AlikeRecords, meta: str) -> Iterator[bytes]:
        """The lines of JSON that are written for its records."""
        metadata = None if meta == "none" else self._full if meta == "full" else [one + b"}" for one in self._heads]
        return lines_with(
            records, self._applied.texts, metadata, lambda at: written(records[at], self.changed(at, meta))
        )

    def metadata(self, at: int, meta: str) -> str:
        """Its metadata, full or brief, as JSON."""
        return (self._full[at] if meta == "full" else self._heads[at] + b"}").decode()

    @cached_property
    def _heads(self) -> list[bytes]:
        """The brief metadata of each record as JSON, without the last brace; those of equal outcomes are made once."""
        columns = (self._candidates, self._probabilities, self._similarities, self._possible, self._clean)
        keys: list[object] = [*range(len(self))] if self._warned else list(zip(*columns, strict=True))
        numbers = dict(zip(keys, range(len(self)), strict=True))
        made = {key: brief_metadata(self.settings, self.outcome(at)) for key, at in numbers.items()}
        spelt = {key: encoded(one)[:-1].encode() for key, one in made.items()}
        return [spelt[key] for key in keys]

    @cached_property
    def _full(self) -> list[bytes]:
        """The full metadata of each record as JSON."""
        prepared = self._prepared
        known = {name: encoded(name).encode() + b":" for name in dict.fromkeys(prepared.fields)}
        names = [known[name] for name in prepared.fields]

        def column(values: Sequence[object]) -> list[bytes]:
            spelt = list(map(operator.add, names, map(orjson.dumps, values)))
            if prepared.has_one_text_each:
                return spelt
            return [b",".join(spelt[start:stop]) for start, stop in pairwise(prepared.first_rows)]

        has_notes = self._applied.every_note
        notes = [self._notes(at) for at in range(len(self))] if has_notes else [b""] * len(self)
        columns = (self._heads, column(prepared.batch.texts), column(self._edits), notes, column(self._spans))
        return [b'%b,"source":{%b},"edits":{%b}%b,"protected":{%b}}' % row for row in zip(*columns, strict=True)]

    def _notes(self, at: int) -> bytes:
        """The notes of its edits, for the metadata; empty if none has one."""
        rows, fields = self._prepared.rows(at), self._prepared.fields
        said = {fields[row]: self._applied.notes(row) for row in rows}
        notes = noted(said, {fields[row]: self._edits[row] for row in rows})
        return f",{encoded(notes)[1:-1]}".encode() if notes else b""

    def protected(self, at: int) -> Spans:
        """The protected spans of each field."""
        prepared = self._prepared
        if not prepared.batch.spans[2]:
            return {prepared.fields[row]: () for row in prepared.rows(at)}
        return {prepared.fields[row]: tuple(prepared.batch.protected(row)) for row in prepared.rows(at)}

    @cached_property
    def _edits(self) -> list[list[Triple]]:
        """The edits of each text."""
        applied = self._applied
        shifts = np.repeat(np.array(self._prepared.places[:-1], dtype=np.int64), np.diff(applied.first_edits))
        starts, stops = (applied.starts - shifts).tolist(), (applied.stops - shifts).tolist()
        text = decode(applied.replacements.codes)
        new = [text[start:stop] for start, stop in pairwise(applied.replacements.offsets.tolist())]
        every = list(zip(starts, stops, new, strict=True))
        return [every[start:stop] for start, stop in pairwise(applied.first_edits.tolist())]

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


def new_values(record: Record, scripts: Scripts) -> dict[Path, Any]:
    """The values of a row that scripts change, by their paths: its texts, and the offsets that move with them."""
    values: dict[Path, Any] = {}
    new: list[str] = []
    for name, script in scripts.items():
        text = script.text
        if text != script.source:
            values[path_of(record.values, name)] = text
            new.append(name)
    for place in record.offsets() if new else ():
        if place.text in new:
            values[place.path] = place.after(scripts[place.text])
    return values
