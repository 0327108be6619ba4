"""Outcomes of the search, in columns: what the results of a chunk of records are read from."""

import math
from collections.abc import Mapping
from typing import Literal, NamedTuple

from augment_ru.edits import Span
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
        self._similarities = [None if math.isnan(score) else score for score in scores]

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

    def only_text(self, at: int) -> tuple[str, str, str] | None:
        """Its only field, with the original text and the new one; None if a record of the chunk has several fields."""
        prepared = self._prepared
        if len(prepared.fields) != len(prepared):
            return None
        return prepared.fields[at], prepared.batch.texts[at], self._applied.texts[at]

    def protected(self, at: int) -> Spans:
        """The protected spans of each field."""
        prepared = self._prepared
        if not prepared.batch.spans[2]:
            return {prepared.fields[row]: () for row in prepared.rows(at)}
        return {prepared.fields[row]: tuple(prepared.batch.protected(row)) for row in prepared.rows(at)}

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
