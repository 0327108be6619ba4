"""The class `Result`: the scripts of a record's texts, the status, the similarity, and the row that is written."""

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
"""perturbed: a perturbation passed; unchanged: nothing may be changed; rejected: no perturbation passed."""

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


class Outcome(NamedTuple):
    """The outcome of the search for a record; values that only perturbed records have are None for others."""

    status: Status
    probability: float | None = None
    similarity: float | None = None
    candidate: int | None = None
    warnings: tuple[str, ...] = ()


class Chunk(NamedTuple):
    """The records of a chunk with what was protected from the attack, and the texts and edits of each candidate."""

    prepared: Prepared
    applied: Sequence[Applied]

    def scripts(self, at: int, candidate: int | None) -> Scripts:
        """The script of each field of record number `at` in a candidate; None stands for candidate 0."""
        prepared, batch = self.prepared, self.prepared.batch
        applied = self.applied[candidate or 0]
        return {
            prepared.fields[row]: Script.of_columns(
                batch.texts[row], applied.texts[row], applied, row, int(batch.starts[row])
            )
            for row in prepared.rows(at)
        }

    def text(self, at: int, candidate: int | None) -> str | None:
        """The new text of record number `at` in a candidate; None if a record of the chunk has several texts."""
        only = len(self.prepared.fields) == len(self.prepared)
        return self.applied[candidate or 0].texts[at] if only else None

    def protected(self, at: int) -> Spans:
        """The protected spans of each field of record number `at`."""
        prepared = self.prepared
        if not prepared.batch.spans[2]:
            return NO_SPANS
        return {prepared.fields[row]: tuple(prepared.batch.protected(row)) for row in prepared.rows(at)}


class Result:
    """The result of perturbing a record. Immutable and picklable.

    The record, the scripts and the protected spans are made when they are first read, so that a result takes little
    time and memory.
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
        result._chunk, result._at = chunk, at  # noqa: SLF001  (another result of this class)
        result._outcome, result.settings = outcome, settings  # noqa: SLF001
        result._record = result._scripts = result._protected = None  # noqa: SLF001
        return result

    @property
    def record(self) -> Record:
        """The record before the perturbation."""
        if self._record is None:
            self._record = cast("Chunk", self._chunk).prepared.records[self._at]
        return self._record

    @property
    def scripts(self) -> Scripts:
        """The script of each perturbed field; the scripts have no edits unless `status` is "perturbed"."""
        if self._scripts is None:
            self._scripts = cast("Chunk", self._chunk).scripts(self._at, self.candidate)
        return self._scripts

    @property
    def protected(self) -> Spans:
        """The protected spans of each field."""
        if self._protected is None:
            self._protected = cast("Chunk", self._chunk).protected(self._at)
        return self._protected

    @property
    def status(self) -> Status:
        """The status: perturbed, unchanged or rejected."""
        return self._outcome.status

    @property
    def probability(self) -> float | None:
        """The largest probability at which exactly these changes are active; None unless perturbed."""
        return self._outcome.probability

    @property
    def similarity(self) -> float | None:
        """The lowest similarity of the changed texts, in [0, 1], to 4 digits; None unless perturbed and scored."""
        return self._outcome.similarity

    @property
    def candidate(self) -> int | None:
        """The number of the chosen candidate, from 0; None unless perturbed."""
        return self._outcome.candidate

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the similarity, such as that a text is longer than the model reads."""
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
        """The row with its new texts and offsets, and the metadata (full, brief or none) under `augment`."""
        return replaced(self.record, self.changed(meta))

    def line(self, meta: str = "full") -> str:
        """The row as a line of JSON; values that did not change keep the characters that were read."""
        return written(self.record, self.changed(meta))

    def changed(self, meta: str = "full") -> Changed:
        """The new values of the row: texts, offsets, and the metadata."""
        row = self.record.values
        new = {name: script.text for name, script in self.scripts.items() if script.text != script.source}
        values: dict[Path, Any] = {path_of(row, name): text for name, text in new.items()}
        if new:
            for place in self.record.offsets():
                if place.text in new:
                    values[place.path] = place.after(self.scripts[place.text])
        return Changed(values, self.metadata(meta))

    def metadata(self, meta: str = "full") -> dict[str, Any] | None:
        """The metadata that is written under `augment` (docs/formats.md); None for "none"."""
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
    """The result of the attack "original", which leaves a record unperturbed."""
    scripts = {name: Script(text) for name, text in record.texts().items()}
    return Result(record, scripts, NO_SPANS, Outcome("unchanged"), Settings("original", seed, "none", None))
