"""Outcomes of the search, in columns: what the results of a chunk of records are read from."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from augment_ru.edits import Note, Span
from augment_ru.engine.edit_table import EditTable
from augment_ru.engine.prepared import Prepared
from augment_ru.engine.search import Found
from augment_ru.records.record import Record
from augment_ru.script import Script, Triple
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

    __slots__ = (
        "_applied",
        "_candidates",
        "_clean",
        "_possible",
        "_prepared",
        "_probabilities",
        "_similarities",
        "_warned",
        "_warnings",
        "settings",
    )

    def __init__(
        self,
        settings: Settings,
        prepared: Prepared,
        applied: EditTable,
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

    def outcomes(self) -> list[Outcome]:
        """What the search found for each record; outcomes without warnings that are equal are one object."""
        numbers = range(len(self))
        if self._warned:
            return [self.outcome(at) for at in numbers]
        columns = (self._candidates, self._probabilities, self._similarities, self._possible, self._clean)
        keys = list(zip(*columns, strict=True))
        found = {key: self.outcome(at) for key, at in dict(zip(keys, numbers, strict=True)).items()}
        return [found[key] for key in keys]

    def scripts(self, at: int) -> Scripts:
        """The script of each field."""
        return {self._prepared.fields[row]: self._applied[row] for row in self._prepared.rows(at)}

    def only_text(self, at: int) -> tuple[str, str, str] | None:
        """Its only field, with the original text and the new one; None unless each record of the chunk has one."""
        prepared = self._prepared
        if not prepared.has_one_text_each:
            return None
        return prepared.fields[at], prepared.batch.texts[at], self._applied.texts[at]

    def only_texts(self) -> list[str]:
        """The new texts of all records, each of which has one field."""
        return self._applied.texts

    def only_edits(self) -> Iterator[tuple[list[Triple], Sequence[Note | None]]]:
        """The edits of all records, each of which has one field: their triples, and their notes if one has a note."""
        triples, notes = self._applied.triples, self._applied.notes
        for start, stop in pairwise(self._applied.firsts.tolist()):
            yield triples[start:stop], notes[start:stop]

    def protected(self, at: int) -> Spans:
        """The protected spans of each field."""
        prepared = self._prepared
        if not prepared.batch.spans[2]:
            return {prepared.fields[row]: () for row in prepared.rows(at)}
        return {prepared.fields[row]: tuple(prepared.batch.protected(row)) for row in prepared.rows(at)}

    def only_protected(self) -> list[list[Triple]]:
        """The protected spans of all records, each of which has one field: starts, stops and labels."""
        batch, places = self._prepared.batch, self._prepared.places
        starts, stops, labels = batch.spans
        found: list[list[Triple]] = [[] for _ in self._candidates]
        owners = batch.rows(starts).tolist() if labels else ()
        for row, start, stop, label in zip(owners, starts.tolist(), stops.tolist(), labels, strict=True):
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
