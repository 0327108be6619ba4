"""What became of a record: the scripts of its texts, how similar they are, and how the row is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from augment_ru.edits import Script, Span
from augment_ru.errors import AugmentError, unknown
from augment_ru.formats.row import Changed, replaced, written
from augment_ru.records.field_paths import Path, path_of
from augment_ru.records.record import Record

Status = Literal["perturbed", "unchanged", "rejected"]
"""perturbed: passed, and differs; unchanged: nothing may be changed; rejected: no perturbation passed."""

STATUSES = ("perturbed", "unchanged", "rejected")

METAS = ("full", "brief", "none")
"""How much of the metadata is written: all; without source, edits and protected spans; nothing."""

NO_SPANS: Mapping[str, tuple[Span, ...]] = {}


@dataclass(frozen=True, slots=True)
class Run:
    """What the results of one augmenter share."""

    attack: str
    seed: int
    scorer: str
    threshold: float | None


class Outcomes(Protocol):
    """What became of several records, in columns."""

    @property
    def run(self) -> Run:
        """What the results share."""

    def record(self, at: int) -> Record:
        """The record of this number."""

    def scripts(self, at: int) -> Mapping[str, Script]:
        """What was done to each field of it."""

    def text(self, at: int) -> str | None:
        """The new text of its only field; None if it has several."""

    def protected(self, at: int) -> Mapping[str, tuple[Span, ...]]:
        """The protected spans of each field of it."""

    def verdict(self, at: int) -> "Verdict":
        """What the search found for it."""


class Verdict(NamedTuple):
    """What the search found for a record."""

    status: Status
    probability: float | None = None
    similarity: float | None = None
    candidate: int | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class One:
    """The outcome for one record alone."""

    only_record: Record
    only_scripts: Mapping[str, Script]
    only_protected: Mapping[str, tuple[Span, ...]]
    only_verdict: Verdict
    run: Run

    def record(self, at: int) -> Record:  # noqa: ARG002
        """The record."""
        return self.only_record

    def scripts(self, at: int) -> Mapping[str, Script]:  # noqa: ARG002
        """What was done to each field."""
        return self.only_scripts

    def text(self, at: int) -> str | None:  # noqa: ARG002
        """The new text of the only field; None if there are several."""
        return next(iter(self.only_scripts.values())).text if len(self.only_scripts) == 1 else None

    def protected(self, at: int) -> Mapping[str, tuple[Span, ...]]:  # noqa: ARG002
        """The protected spans of each field."""
        return self.only_protected

    def verdict(self, at: int) -> Verdict:  # noqa: ARG002
        """What the search found."""
        return self.only_verdict


class Result:
    """What became of a record. Immutable, picklable; a view, so that a million of them cost little."""

    __slots__ = ("_at", "_outcomes", "_scripts")
    _scripts: Mapping[str, Script]

    def __init__(self, outcomes: Outcomes, at: int = 0) -> None:
        self._outcomes = outcomes
        self._at = at

    @property
    def record(self) -> Record:
        """The record, as it came."""
        return self._outcomes.record(self._at)

    @property
    def scripts(self) -> Mapping[str, Script]:
        """What was done to each perturbed field; empty scripts unless `status` is "perturbed"."""
        try:
            return self._scripts
        except AttributeError:
            self._scripts = self._outcomes.scripts(self._at)
            return self._scripts

    @property
    def status(self) -> Status:
        """Perturbed, unchanged or rejected."""
        return self._outcomes.verdict(self._at).status

    @property
    def probability(self) -> float | None:
        """The largest probability at which just these changes are active; None unless perturbed."""
        return self._outcomes.verdict(self._at).probability

    @property
    def similarity(self) -> float | None:
        """The lowest among the texts that changed, in [0, 1], to 4 digits; None unless perturbed and scored."""
        return self._outcomes.verdict(self._at).similarity

    @property
    def candidate(self) -> int | None:
        """Which of the candidates won, from 0; None unless perturbed."""
        return self._outcomes.verdict(self._at).candidate

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader of the similarity must know: that a text was longer than the model takes."""
        return self._outcomes.verdict(self._at).warnings

    @property
    def protected(self) -> Mapping[str, tuple[Span, ...]]:
        """The spans of each field that no edit could touch, by rule."""
        return self._outcomes.protected(self._at)

    @property
    def run(self) -> Run:
        """Attack, seed and scorer."""
        return self._outcomes.run

    def _alone(self) -> One:
        verdict = self._outcomes.verdict(self._at)
        return One(self.record, self.scripts, self.protected, verdict, self.run)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._alone() == other._alone()

    def __hash__(self) -> int:
        return hash((self.record.key, self.status, self.run))

    def __repr__(self) -> str:
        texts = {name: script.text for name, script in self.scripts.items()}
        return f"Result({self.status}, {texts}, similarity={self.similarity}, probability={self.probability})"

    def __reduce__(self) -> tuple[type["Result"], tuple[One]]:
        return type(self), (self._alone(),)

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
        text = self._outcomes.text(self._at)
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
        verdict = self._outcomes.verdict(self._at)
        brief: dict[str, Any] = {
            "attack": self.run.attack,
            "status": verdict.status,
            "probability": verdict.probability,
            "similarity": verdict.similarity,
            "scorer": self.run.scorer,
            "threshold": self.run.threshold,
            "seed": self.run.seed,
            "candidate": verdict.candidate,
        }
        if verdict.warnings:
            brief["warnings"] = list(dict.fromkeys(verdict.warnings))
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
    return Result(One(record, scripts, NO_SPANS, Verdict("unchanged"), Run("original", seed, "none", None)))
