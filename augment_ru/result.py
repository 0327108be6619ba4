"""What became of a record: the scripts of its texts, how similar they are, and how the row is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from augment_ru.errors import AugmentError
from augment_ru.records import Changed, Record, replaced, written
from augment_ru.script import Script, Span

Status = Literal["perturbed", "unchanged", "rejected"]
"""perturbed: passed, and differs; unchanged: nothing may be changed; rejected: no perturbation passed."""

METAS = ("full", "brief", "none")
"""How much of the metadata is written: all; without source, edits and protected spans; nothing."""

NO_SPANS: Mapping[str, tuple[Span, ...]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Run:
    """What the results of one augmenter share."""

    attack: str
    seed: int
    scorer: str
    threshold: float | None


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a record.

    Attributes:
        record: the record, as it came.
        scripts: what was done to each perturbed field; empty scripts unless `status` is "perturbed".
        status: perturbed, unchanged or rejected.
        probability: the largest one at which just these changes are active; None unless perturbed.
        similarity: the lowest among the texts that changed, in [0, 1], rounded to 4 digits; None unless
            perturbed and scored.
        candidate: which of the candidates won, from 0; None unless perturbed.
        protected: the spans of each field that no edit could touch, by rule.
        run: attack, seed and scorer.
    """

    record: Record
    scripts: Mapping[str, Script]
    status: Status
    probability: float | None
    similarity: float | None
    candidate: int | None
    protected: Mapping[str, tuple[Span, ...]]
    run: Run

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
        """The new text of the only perturbed field."""
        return self.script.text

    @property
    def source(self) -> str:
        """The original text of the only perturbed field."""
        return self.script.source

    def row(self, meta: str = "full") -> dict[str, Any]:
        """The record with its new texts and offsets, and the metadata under `augment`."""
        return replaced(self.record, self._changed(meta))

    def line(self, meta: str = "full") -> str:
        """The row as a line of JSON; what did not change keeps the characters it was read with."""
        return written(self.record, self._changed(meta))

    def _changed(self, meta: str) -> Changed:
        values: dict[tuple[str | int, ...], Any] = {
            (name,): script.text for name, script in self.scripts.items() if script.text != script.source
        }
        if values:
            for place in self.record.places():
                if (place.text,) in values:
                    values[place.path] = place.after(self.scripts[place.text])
        return Changed(values, self.metadata(meta))

    def metadata(self, meta: str = "full") -> dict[str, Any] | None:
        """What is written under `augment`: see docs/formats.md; None for "none"."""
        if meta == "none":
            return None
        brief: dict[str, Any] = {
            "attack": self.run.attack,
            "status": self.status,
            "probability": self.probability,
            "similarity": self.similarity,
            "scorer": self.run.scorer,
            "threshold": self.run.threshold,
            "seed": self.run.seed,
            "candidate": self.candidate,
        }
        if meta == "brief":
            return brief
        return brief | {
            "source": {name: script.source for name, script in self.scripts.items()},
            "edits": {
                name: [[edit.start, edit.stop, edit.text] for edit in script.edits]
                for name, script in self.scripts.items()
            },
            "protected": {
                name: [[span.start, span.stop, span.label] for span in self.protected.get(name, ())]
                for name in self.scripts
            },
        }


def original(record: Record, seed: int) -> Result:
    """The record unperturbed, as a row of the attack "original"."""
    scripts = {name: Script(text) for name, text in record.texts().items()}
    return Result(record, scripts, "unchanged", None, None, None, NO_SPANS, Run("original", seed, "none", None))
