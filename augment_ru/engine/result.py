"""What became of records: the scripts of their texts, how similar they are, and how their rows are written."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from augment_ru.edits import Script, Span
from augment_ru.engine.prepare import Prepared
from augment_ru.engine.proposals import Applied
from augment_ru.errors import AugmentError, unknown
from augment_ru.formats.row import Changed, replaced, written
from augment_ru.records.field_paths import Path, path_of
from augment_ru.records.record import Record

Status = Literal["perturbed", "unchanged", "rejected"]
"""perturbed: passed, and differs; unchanged: nothing may be changed; rejected: no perturbation passed."""

STATUSES = ("perturbed", "unchanged", "rejected")

METAS = ("full", "brief", "none")
"""How much of the metadata is written: all; without source, edits and protected spans; nothing."""

Scripts = Mapping[str, Script]
Spans = Mapping[str, tuple[Span, ...]]
NO_SPANS: Spans = {}


class Settings(NamedTuple):
    """What the results of one attack share."""

    attack: str
    seed: int
    scorer: str
    """The similarity's signature; "none" without a gate."""
    threshold: float | None


class Outcome(NamedTuple):
    """What the search found for a record; None for what holds of perturbed records alone."""

    status: Status
    probability: float | None = None
    similarity: float | None = None
    candidate: int | None = None
    warnings: tuple[str, ...] = ()


class Chunk(NamedTuple):
    """The records of a chunk as an attack saw them, and the texts and edits of each candidate."""

    prepared: Prepared
    applied: Sequence[Applied]

    def scripts(self, at: int, candidate: int | None) -> Scripts:
        """What a candidate did to each field of a record."""
        prepared, batch = self.prepared, self.prepared.batch
        applied = self.applied[candidate or 0]
        return {
            prepared.fields[row]: Script.of_columns(
                batch.texts[row], applied.texts[row], applied, row, int(batch.starts[row])
            )
            for row in prepared.rows(at)
        }

    def text(self, at: int, candidate: int | None) -> str | None:
        """The new text of a record's only field; None if one of the records has several."""
        only = len(self.prepared.fields) == len(self.prepared)
        return self.applied[candidate or 0].texts[at] if only else None

    def protected(self, at: int) -> Spans:
        """The protected spans of each field of a record."""
        prepared = self.prepared
        if not prepared.batch.spans[2]:
            return NO_SPANS
        return {prepared.fields[row]: tuple(prepared.batch.protected(row)) for row in prepared.rows(at)}


class Result:
    """What became of a record. Immutable and picklable.

    The record, the scripts and the protected spans of a chunk's results are made when they are first read, so
    that a million results cost little.
    """

    __slots__ = ("_at", "_chunk", "_outcome", "_protected", "_record", "_scripts", "settings")
    settings: Settings
    """Attack, seed, scorer and threshold."""
    _chunk: Chunk | None
    _at: int
    _outcome: Outcome
    _record: Record | None
    _scripts: Scripts | None
    _protected: Spans | None

    def __init__(
        self, record: Record, scripts: Scripts, protected: Spans, outcome: Outcome, settings: Settings
    ) -> None:
        self._record, self._scripts, self._protected = record, scripts, protected
        self._outcome, self.settings, self._chunk = outcome, settings, None

    @classmethod
    def of_chunk(cls, chunk: Chunk, at: int, outcome: Outcome, settings: Settings) -> "Result":
        """The result of record number `at` of a chunk."""
        result = cls.__new__(cls)
        result._chunk, result._at = chunk, at  # noqa: SLF001  (a result like this one)
        result._outcome, result.settings = outcome, settings  # noqa: SLF001
        result._record = result._scripts = result._protected = None  # noqa: SLF001
        return result

    @property
    def record(self) -> Record:
        """The record, as it came."""
        if self._record is None:
            self._record = cast("Chunk", self._chunk).prepared.records[self._at]
        return self._record

    @property
    def scripts(self) -> Scripts:
        """What was done to each perturbed field; empty scripts unless `status` is "perturbed"."""
        if self._scripts is None:
            self._scripts = cast("Chunk", self._chunk).scripts(self._at, self.candidate)
        return self._scripts

    @property
    def protected(self) -> Spans:
        """The spans of each field that no edit could touch, by rule."""
        if self._protected is None:
            self._protected = cast("Chunk", self._chunk).protected(self._at)
        return self._protected

    @property
    def status(self) -> Status:
        """Perturbed, unchanged or rejected."""
        return self._outcome.status

    @property
    def probability(self) -> float | None:
        """The largest probability at which just these changes are active; None unless perturbed."""
        return self._outcome.probability

    @property
    def similarity(self) -> float | None:
        """The lowest among the texts that changed, in [0, 1], to 4 digits; None unless perturbed and scored."""
        return self._outcome.similarity

    @property
    def candidate(self) -> int | None:
        """Which of the candidates was chosen, from 0; None unless perturbed."""
        return self._outcome.candidate

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader of the similarity must know: that a text was longer than the model takes."""
        return self._outcome.warnings

    def _values(self) -> tuple[Record, Scripts, Spans, Outcome, Settings]:
        return self.record, self.scripts, self.protected, self._outcome, self.settings

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((self.record.key, self._outcome, self.settings))

    def __repr__(self) -> str:
        texts = {name: script.text for name, script in self.scripts.items()}
        return f"Result({self.status}, {texts}, similarity={self.similarity}, probability={self.probability})"

    def __reduce__(self) -> tuple[type["Result"], tuple[Record, Scripts, Spans, Outcome, Settings]]:
        return type(self), self._values()

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
        text = None if self._chunk is None else self._chunk.text(self._at, self.candidate)
        return self.script.text if text is None else text

    @property
    def source(self) -> str:
        """The original text of the only perturbed field."""
        return self.script.source

    def row(self, meta: str = "full") -> dict[str, Any]:
        """The record with its new texts and offsets, and the metadata under `augment`."""
        return replaced(self.record, self.changed(meta))

    def line(self, meta: str = "full") -> str:
        """The row as a line of JSON; what did not change keeps the characters it was read with."""
        return written(self.record, self.changed(meta))

    def changed(self, meta: str = "full") -> Changed:
        """What is new in the row: texts, places, and the metadata."""
        row = self.record.values
        new = {name: script.text for name, script in self.scripts.items() if script.text != script.source}
        values: dict[Path, Any] = {path_of(row, name): text for name, text in new.items()}
        if new:
            for place in self.record.offsets():
                if place.text in new:
                    values[place.path] = place.after(self.scripts[place.text])
        return Changed(values, self.metadata(meta))

    def metadata(self, meta: str = "full") -> dict[str, Any] | None:
        """What is written under `augment`: see docs/formats.md; None for "none"."""
        if meta not in METAS:
            raise unknown("metadata", meta, METAS)
        if meta == "none":
            return None
        brief: dict[str, Any] = {
            "attack": self.settings.attack,
            "status": self.status,
            "probability": self.probability,
            "similarity": self.similarity,
            "scorer": self.settings.scorer,
            "threshold": self.settings.threshold,
            "seed": self.settings.seed,
            "candidate": self.candidate,
        }
        if self.warnings:
            brief["warnings"] = list(dict.fromkeys(self.warnings))
        if meta == "brief":
            return brief
        protected = self.protected
        return brief | {
            "source": {name: script.source for name, script in self.scripts.items()},
            "edits": {
                name: [[edit.start, edit.stop, edit.text] for edit in script.edits]
                for name, script in self.scripts.items()
            },
            "protected": {
                name: [[span.start, span.stop, span.label] for span in protected.get(name, ())] for name in self.scripts
            },
        }


def original(record: Record, seed: int) -> Result:
    """The record unperturbed, as a row of the attack "original"."""
    scripts = {name: Script(text) for name, text in record.texts().items()}
    return Result(record, scripts, NO_SPANS, Outcome("unchanged"), Settings("original", seed, "none", None))
