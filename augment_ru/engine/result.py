"""What became of records: the results of a chunk in columns, each of them, and the row that is written."""

import json
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, pairwise, repeat
from typing import Any, ClassVar, Literal, NamedTuple, Self, cast

import numpy as np
import orjson

from augment_ru.edits import Note, Span
from augment_ru.engine.differences import result_html
from augment_ru.engine.edit_table import EditTable
from augment_ru.engine.prepare import Prepared
from augment_ru.engine.search import Cost, Found
from augment_ru.errors import AugmentError, brief, unknown
from augment_ru.formats.json_lines import encoded
from augment_ru.formats.row import Changed, lines_with, replaced, written
from augment_ru.records.alike import AlikeRecords
from augment_ru.records.field_paths import Path, path_of
from augment_ru.records.record import Record
from augment_ru.script import Script, Triple
from augment_ru.text.characters import Mask

Status = Literal["perturbed", "unchanged", "rejected", "broken", "withstood", "wrong_before"]
"""perturbed: a perturbation passed; unchanged: nothing may be changed, or the draw left the record clean; rejected: no
perturbation passed. Of a search against a model: broken, withstood, wrong before it, unchanged or rejected."""

CLEAN = "clean"
"""The reason of an unchanged record that has legal changes, of which none is active."""
SHORT = "short"
"""The reason of an unchanged record whose texts have one or two letters each: every change makes another word."""
NOTHING = "nothing"
"""The reason of any other unchanged record: it has nothing that the attack may change."""

STATUSES = ("perturbed", "unchanged", "rejected")

METAS = ("full", "brief", "none")
"""How much metadata is written: all of it; all but the source, edits and protected spans; none."""

Scripts = Mapping[str, Script]
Spans = Mapping[str, tuple[Span, ...]]
NO_SPANS: Spans = {}


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


UNCHANGED = Outcome("unchanged")
"""The outcome of the attack "original"."""


@dataclass(frozen=True, eq=False)
class Perturbed:
    """What became of a chunk of records under one attack, in columns.

    Attributes:
        settings: what the results share.
        prepared: the records, as the attack saw them.
        edits: the edits that were found for each text.
        found: what the search found.
        possible: the records that have an active change, shape (records,).
        clean: the records that have legal changes, but no active one, shape (records,).
    """

    settings: Settings
    prepared: Prepared
    edits: EditTable
    found: Found
    possible: Mask
    clean: Mask

    def __len__(self) -> int:
        return len(self.prepared)

    @property
    def cost(self) -> Cost:
        """The cost of the search."""
        return self.found.cost

    @cached_property
    def results(self) -> list["Result"]:
        """The results, in the order of the records; they are made when they are first read."""
        return [Result(self, at) for at in range(len(self))]

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """What the search found for each record; equal outcomes are one object."""
        found, warned = self.found, self.warned
        scores = [None if math.isnan(score) else score + 0.0 for score in found.similarities.tolist()]  # no -0.0
        columns = (found.candidates.tolist(), found.probabilities.tolist(), scores, self.possible.tolist())
        made: dict[tuple[Any, ...], Outcome] = {}
        outcomes = []
        for at, found_of in enumerate(zip(*columns, self._reasons, strict=True)):
            key = (*found_of, warned.get(at, ())) if warned else found_of
            outcome = made.get(key)
            if outcome is None:
                outcome = made[key] = _outcome(*key)
            outcomes.append(outcome)
        return outcomes

    @cached_property
    def _reasons(self) -> list[str]:
        """Why each record is unchanged, if it is."""
        rows, few = self.prepared.owners, self.prepared.batch.prepared.of_few_letters
        reasons = np.full(len(self), NOTHING, dtype=object)
        if few is not None:
            texts, longer = (np.bincount(of, minlength=len(self)) for of in (rows, rows[~few]))
            reasons[(texts > 0) & (longer == 0)] = SHORT
        reasons[self.clean] = CLEAN
        return cast("list[str]", reasons.tolist())

    @cached_property
    def warned(self) -> Mapping[int, tuple[str, ...]]:
        """The warnings of the records that have one, by the number of the record."""
        ours, found = self.prepared.warnings, self.found.warnings
        return {at: every for at in {*ours, *found} if (every := (*ours.get(at, ()), *found.get(at, ())))}

    def scripts(self, at: int) -> Scripts:
        """The script of each field of a record."""
        return {self.prepared.fields[row]: self.edits[row] for row in self.prepared.rows(at)}

    def protected(self, at: int) -> Spans:
        """The protected spans of each field of a record."""
        prepared = self.prepared
        if not prepared.batch.spans[2]:
            return {prepared.fields[row]: () for row in prepared.rows(at)}
        return {prepared.fields[row]: tuple(prepared.batch.protected(row)) for row in prepared.rows(at)}

    def changed(self, at: int, meta: str) -> Changed:
        """What is written for a record: the new values of its row, and the metadata (`METAS`)."""
        prepared, record, every = self.prepared, self.prepared.records[at], self.metadata(meta)
        metadata = None if every is None else every[at].decode()
        if record.task.layout.states_offsets:
            return Changed(new_values(record, self.scripts(at)), metadata)
        sources, new = prepared.batch.texts, self.edits.texts
        changed = [row for row in prepared.rows(at) if new[row] != sources[row]]
        return Changed({path_of(record.values, prepared.fields[row]): new[row] for row in changed}, metadata)

    def rows(self, meta: str) -> list[tuple[Record, Changed]]:
        """The records, and what is written for each: the same as its result says, which is not made."""
        return [(record, self.changed(at, meta)) for at, record in enumerate(self.prepared.records)]

    def lines(self, records: AlikeRecords, meta: str) -> Iterator[bytes]:
        """The lines of JSON that are written for its records, which are these."""
        return lines_with(
            records, self.edits.texts, self.metadata(meta), lambda at: written(records[at], self.changed(at, meta))
        )

    def metadata(self, meta: str) -> Sequence[bytes] | None:
        """The metadata of each record as JSON; None for "none".

        Raises:
            AugmentError: there is no such `meta`.
        """
        _check_meta(meta)
        return None if meta == "none" else self._full if meta == "full" else self._brief

    @cached_property
    def _brief(self) -> list[bytes]:
        made = {one: encoded(brief_metadata(self.settings, one)).encode() for one in dict.fromkeys(self.outcomes)}
        return [made[one] for one in self.outcomes]

    @cached_property
    def _full(self) -> list[bytes]:
        prepared, edits = self.prepared, self.edits
        bounds = list(pairwise(edits.firsts.tolist()))
        further: Iterable[Mapping[str, Any]] = repeat({})
        if edits.notes:
            notes = [edits.notes[start:stop] for start, stop in bounds]
            rows = map(prepared.rows, range(len(self)))
            further = [noted({prepared.fields[row]: notes[row] for row in held}) for held in rows]
        return full_metadata(
            self._brief,
            prepared.fields,
            prepared.first_rows,
            sources=prepared.batch.texts,
            edits=[edits.triples[start:stop] for start, stop in bounds],
            further=further,
            spans=self._spans,
        )

    @cached_property
    def _spans(self) -> Sequence[Sequence[Triple]]:
        """The protected spans of each text: starts, stops and labels."""
        batch, places = self.prepared.batch, self.prepared.batch.starts.tolist()
        starts, stops, labels = batch.spans
        found: list[list[Triple]] = [[] for _ in batch.texts]
        owners = batch.rows(starts).tolist() if labels else ()
        for row, start, stop, label in zip(owners, starts.tolist(), stops.tolist(), labels, strict=True):
            found[row].append((start - places[row], stop - places[row], label))
        return found


def _outcome(  # noqa: PLR0917  (the columns)
    candidate: int,
    probability: float,
    similarity: float | None,
    possible: bool,  # noqa: FBT001
    reason: str,
    warnings: tuple[str, ...] = (),
) -> Outcome:
    if candidate >= 0:
        return Outcome("perturbed", probability, similarity, candidate, warnings)
    if possible:
        return Outcome("rejected", None, similarity, None, warnings)
    return Outcome("unchanged", None, similarity, None, warnings, reason)


class Result:
    """What became of a record. Immutable and picklable.

    What it holds is taken from the columns of its chunk when it is first read, so that a million results cost little.
    """

    _VALUES: ClassVar[tuple[str, ...]] = ("record", "scripts", "protected", "outcome", "settings")
    _chunk: Perturbed
    _at: int

    def __init__(self, chunk: Perturbed, at: int) -> None:
        self.__dict__.update(_chunk=chunk, _at=at)

    @classmethod
    def of(
        cls, record: Record, scripts: Scripts, protected: Spans, outcome: Outcome, settings: Settings, **more: object
    ) -> Self:
        """A result by itself; `more` are the further values of a subclass."""
        result = cls.__new__(cls)
        result.__dict__.update(
            record=record, scripts=scripts, protected=protected, outcome=outcome, settings=settings, **more
        )
        return result

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable: cannot set {name} to {value!r}")

    @cached_property
    def record(self) -> Record:
        """The record, as it came."""
        return self._chunk.prepared.records[self._at]

    @cached_property
    def settings(self) -> Settings:
        """The settings that all results of one perturber share: attack, seed, scorer, threshold, corpus, draw."""
        return self._chunk.settings

    @cached_property
    def outcome(self) -> Outcome:
        """What the search found; `status` and others are short for its entries."""
        return self._chunk.outcomes[self._at]

    @cached_property
    def scripts(self) -> Scripts:
        """The edits of each perturbed field; empty scripts unless `status` is "perturbed"."""
        return self._chunk.scripts(self._at)

    @cached_property
    def protected(self) -> Spans:
        """The spans of each field that no edit could touch, by rule."""
        return self._chunk.protected(self._at)

    @property
    def status(self) -> Status:
        """The status: perturbed, unchanged or rejected."""
        return self.outcome.status

    @property
    def reason(self) -> str | None:
        """Why a record is unchanged; None for other records.

        "clean": it has legal changes, but none is active; "short": its texts have one or two letters each; "nothing":
        it has nothing that the attack may change.
        """
        return self.outcome.reason

    @property
    def probability(self) -> float | None:
        """The largest probability at which exactly these changes are active, but for those that fail alone.

        None unless perturbed.
        """
        return self.outcome.probability

    @property
    def similarity(self) -> float | None:
        """The lowest similarity of the changed texts, in [0, 1], to 4 digits; None if nothing was scored.

        That of a rejected record is the best that failed.
        """
        return self.outcome.similarity

    @property
    def candidate(self) -> int | None:
        """The number of the chosen candidate, from 0; None unless perturbed."""
        return self.outcome.candidate

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings: something to protect is missing, or a text is longer than the model of the similarity reads."""
        return self.outcome.warnings

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._VALUES)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((self.record.key, self.outcome, self.settings))

    def __reduce__(self) -> tuple[Callable[[], Self], tuple[()]]:
        return partial(type(self).of, **dict(zip(self._VALUES, self._values(), strict=True))), ()

    def __repr__(self) -> str:
        texts = {name: script.text for name, script in self.scripts.items()}
        return f"Result({self.status}, {brief(texts)}, similarity={self.similarity}, probability={self.probability})"

    def _repr_html_(self) -> str:
        """The texts with their changes marked, for notebooks."""
        return result_html(self)

    @property
    def script(self) -> Script:
        """The script of the only perturbed field.

        Raises:
            AugmentError: there are several fields.
        """
        if len(self.scripts) != 1:
            raise AugmentError(f"the record has {len(self.scripts)} texts: {', '.join(self.scripts)}; use .scripts")
        return next(iter(self.scripts.values()))

    @property
    def text(self) -> str:
        """The new text of the only perturbed field.

        Raises:
            AugmentError: there are several fields.
        """
        if "scripts" in self.__dict__ or len(rows := self._chunk.prepared.rows(self._at)) != 1:
            return self.script.text
        return self._chunk.edits.texts[rows.start]

    @property
    def source(self) -> str:
        """The original text of the only perturbed field."""
        return self.script.source

    def row(self, meta: str = "full") -> dict[str, Any]:
        """The row with its new texts and offsets, and the metadata (full, brief or none) under `augment`."""
        return replaced(self.record, self.changed(meta))

    def line(self, meta: str = "full") -> str:
        """The row as a line of JSON; values that did not change keep the characters that were read."""
        return written(self.record, self.changed(meta))

    def changed(self, meta: str = "full") -> Changed:
        """The new values of the row: texts, offsets, and the metadata."""
        if "_chunk" in self.__dict__:
            return self._chunk.changed(self._at, meta)
        return Changed(new_values(self.record, self.scripts), self._metadata(meta))

    def metadata(self, meta: str = "full") -> dict[str, Any] | None:
        """The metadata that is written under `augment` (docs/formats.md); None for "none"."""
        found: dict[str, Any] | None = json.loads(self._metadata(meta) or "null")
        return found

    def _metadata(self, meta: str) -> str | None:
        """The metadata as JSON; None for "none"."""
        if "_chunk" in self.__dict__:
            return self._chunk.changed(self._at, meta).metadata
        _check_meta(meta)
        if meta == "none":
            return None
        brief, scripts = encoded(self._brief()), self.scripts
        if meta == "brief":
            return brief
        found = [self.protected.get(name, ()) for name in scripts]
        (full,) = full_metadata(
            [brief.encode()],
            [*scripts],
            [0, len(scripts)],
            sources=[script.source for script in scripts.values()],
            edits=[script.triples for script in scripts.values()],
            further=[self._further()],
            spans=[[(span.start, span.stop, span.label) for span in spans] for spans in found],
        )
        return full.decode()

    def _brief(self) -> dict[str, Any]:
        """The metadata without the texts."""
        return brief_metadata(self.settings, self.outcome)

    def _further(self) -> dict[str, Any]:
        """What stands behind the edits in the metadata."""
        return self.notes()

    def notes(self) -> dict[str, Any]:
        """`{"notes": …}` with a list of notes beside each list of edits, for the metadata; empty if no edit has one."""
        scripts = self.scripts.items()
        return noted({name: script.notes or [None] * len(script.triples) for name, script in scripts})


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


def full_metadata(
    brief: Iterable[bytes],
    fields: Sequence[str],
    first_rows: Sequence[int],
    *,
    sources: Sequence[str],
    edits: Sequence[Sequence[Triple]],
    further: Iterable[Mapping[str, Any]],
    spans: Sequence[Sequence[Triple]],
) -> list[bytes]:
    """The full metadata of records as JSON.

    Args:
        brief: the brief metadata of each record as JSON.
        fields: the field of each text.
        first_rows: the number of the first text of each record, and at the end the number of texts.
        sources: each text before its edits.
        edits: the edits of each text.
        further: what stands behind the edits of each record, by name.
        spans: the protected spans of each text.
    """
    known = {name: encoded(name).encode() + b":" for name in dict.fromkeys(fields)}
    names = [known[name] for name in fields]
    have_one = list(first_rows) == list(range(len(fields) + 1))

    def column(values: Sequence[object]) -> list[bytes]:
        spelt = list(map(operator.add, names, map(orjson.dumps, values)))
        return spelt if have_one else [b",".join(spelt[start:stop]) for start, stop in pairwise(first_rows)]

    rows = zip(brief, column(sources), column(edits), further, column(spans), strict=False)
    return [
        b'%b,"source":{%b},"edits":{%b}%b,"protected":{%b}}'
        % (head[:-1], source, edits, f",{encoded(more)[1:-1]}".encode() if more else b"", own)
        for head, source, edits, more, own in rows
    ]


def noted(notes: Mapping[str, Sequence[Note | None]]) -> dict[str, Any]:
    """`{"notes": …}` for the metadata, from the note of each edit by field; empty if no edit has one."""
    values = {name: [note and note.values() for note in found] for name, found in notes.items()}
    return {"notes": values} if any(chain.from_iterable(values.values())) else {}


def _check_meta(meta: str) -> None:
    if meta not in METAS:
        raise unknown("metadata", meta, METAS)


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


def original(record: Record, seed: int) -> Result:
    """The result of the attack "original", which leaves a record unperturbed."""
    scripts = {name: Script(text) for name, text in record.texts().items()}
    return Result.of(record, scripts, NO_SPANS, UNCHANGED, Settings("original", seed, "none", None))
