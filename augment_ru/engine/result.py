"""The class `Result`: the scripts of a record's texts, the status, the similarity, and the row that is written."""

import json
from collections.abc import Callable
from typing import Any, cast

from augment_ru.engine.notebook import result_html
from augment_ru.engine.outcome import (
    METAS,
    NO_SPANS,
    Chunk,
    Outcome,
    Scripts,
    Settings,
    Spans,
    Status,
    brief_metadata,
    new_values,
    noted,
)
from augment_ru.errors import AugmentError, brief, unknown
from augment_ru.formats.json_lines import encoded
from augment_ru.formats.row import Changed, replaced, written
from augment_ru.records.record import Record
from augment_ru.script import Script

UNCHANGED = Outcome("unchanged")
"""The outcome of the attack "original"."""


class Result:
    """What became of a record. Immutable and picklable.

    What it holds is taken from the columns of its chunk when it is first read, so that a million results cost little.
    """

    __slots__ = ("_at", "_chunk", "_outcome", "_protected", "_record", "_scripts", "_settings")
    _record: Record
    _settings: Settings

    def __init__(self, chunk: Chunk, at: int) -> None:
        self._chunk: Chunk | None = chunk
        self._at = at
        self._outcome: Outcome | None = None
        self._scripts: Scripts | None = None
        self._protected: Spans | None = None

    @classmethod
    def of(cls, record: Record, scripts: Scripts, protected: Spans, outcome: Outcome, settings: Settings) -> "Result":
        """A result by itself."""
        result = cls.__new__(cls)
        result._chunk, result._at = None, 0  # noqa: SLF001  (a result like this one)
        result._record, result._settings = record, settings  # noqa: SLF001
        result._scripts, result._protected, result._outcome = scripts, protected, outcome  # noqa: SLF001
        return result

    @property
    def record(self) -> Record:
        """The record, as it came."""
        return self._record if self._chunk is None else self._chunk.record(self._at)

    @property
    def settings(self) -> Settings:
        """The settings that all results of one perturber share: attack, seed, scorer, threshold, corpus, draw."""
        return self._settings if self._chunk is None else self._chunk.settings

    @property
    def outcome(self) -> Outcome:
        """What the search found; `status` and others are short for its entries."""
        if self._outcome is None:
            self._outcome = self._of_chunk.outcome(self._at)
        return self._outcome

    @property
    def scripts(self) -> Scripts:
        """The edits of each perturbed field; empty scripts unless `status` is "perturbed"."""
        if self._scripts is None:
            self._scripts = self._of_chunk.scripts(self._at)
        return self._scripts

    @property
    def protected(self) -> Spans:
        """The spans of each field that no edit could touch, by rule."""
        if self._protected is None:
            self._protected = self._of_chunk.protected(self._at)
        return self._protected

    @property
    def _of_chunk(self) -> Chunk:
        return cast("Chunk", self._chunk)  # a result without a chunk has all three

    @property
    def status(self) -> Status:
        """The status: perturbed, unchanged or rejected."""
        return self.outcome.status

    @property
    def reason(self) -> str | None:
        """Why a record is unchanged: "clean" if it has legal changes, but none is active; else None."""
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

    def _values(self) -> tuple[Record, Scripts, Spans, Outcome, Settings]:
        return self.record, self.scripts, self.protected, self.outcome, self.settings

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((self.record.key, self.outcome, self.settings))

    def __repr__(self) -> str:
        texts = {name: script.text for name, script in self.scripts.items()}
        return f"Result({self.status}, {brief(texts)}, similarity={self.similarity}, probability={self.probability})"

    def _repr_html_(self) -> str:
        """The texts with their changes marked, for notebooks."""
        return result_html(self)

    def __reduce__(self) -> tuple[Callable[..., "Result"], tuple[Record, Scripts, Spans, Outcome, Settings]]:
        return Result.of, self._values()

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
        texts = () if self._chunk is None else self._chunk.texts(self._at)
        return texts[0] if len(texts) == 1 else self.script.text

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
        if meta not in METAS:
            raise unknown("metadata", meta, METAS)
        if self._chunk is not None:
            return self._chunk.changed(self._at, meta)
        metadata = self.metadata(meta)
        return Changed(new_values(self.record, self.scripts), None if metadata is None else encoded(metadata))

    def metadata(self, meta: str = "full") -> dict[str, Any] | None:
        """The metadata that is written under `augment` (docs/formats.md); None for "none"."""
        if meta not in METAS:
            raise unknown("metadata", meta, METAS)
        if meta == "none":
            return None
        if self._chunk is not None:
            read: dict[str, Any] = json.loads(self._chunk.metadata(self._at, meta))
            return read
        scripts, metadata = self.scripts, brief_metadata(self.settings, self.outcome)
        if meta == "full":
            edits = {name: [*map(list, script.triples)] for name, script in scripts.items()}
            metadata["source"] = {name: script.source for name, script in scripts.items()}
            metadata["edits"] = edits
            metadata |= noted({name: script.notes for name, script in scripts.items()}, edits)
            spans = {name: self.protected.get(name, ()) for name in scripts}
            metadata["protected"] = {
                name: [[span.start, span.stop, span.label] for span in found] for name, found in spans.items()
            }
        return metadata

    def notes(self) -> dict[str, Any]:
        """`{"notes": …}` as in the metadata; empty if no edit has a note."""
        found = self.metadata() or {}
        return {name: found[name] for name in ("notes",) if name in found}


def original(record: Record, seed: int) -> Result:
    """The result of the attack "original", which leaves a record unperturbed."""
    scripts = {name: Script(text) for name, text in record.texts().items()}
    return Result.of(record, scripts, NO_SPANS, UNCHANGED, original_settings(seed))


def original_settings(seed: int) -> Settings:
    """The settings of the attack "original"."""
    return Settings("original", seed, "none", None)
