"""What a search found for a record: the row that is written, and its metadata."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from augment_ru.adversary.case import Reason, Status
from augment_ru.engine.notebook import result_html
from augment_ru.engine.outcome import METAS, Outcome, Scripts, Settings, Spans, occasional
from augment_ru.engine.result import Result
from augment_ru.errors import brief, unknown
from augment_ru.evaluation.answers import by_field
from augment_ru.formats.json_lines import encoded
from augment_ru.formats.row import Changed, replaced, written
from augment_ru.records.record import Record

NAME = "adversary"
"""The attack of the rows, followed by a colon and the model's name."""
_OUTCOME = ("status", "reason")


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The settings that all results of one adversary share.

    Attributes:
        model: the name of the model.
        signature: all that defines its answers; None if it does not say.
        attacks: the names of the attacks.
        scorer: the signature of the gate's similarity; "none" without a gate.
        threshold: the lowest similarity that passes; None without a gate.
        seed: the seed.
        budget: the most queries for a record.
        target: the label that is aimed at; None for any wrong answer.
        corpus: the digest of a corpus that the attacks read; "" for none.
        guide: the signature of the guide, or its name if it states none; None without a guide.
    """

    model: str
    signature: str | None
    attacks: Sequence[str]
    scorer: str
    threshold: float | None
    seed: int
    budget: int
    target: str | None = None
    corpus: str = ""
    guide: str | None = None

    @property
    def attack(self) -> str:
        """The name of the attack in the rows."""
        return f"{NAME}:{self.model}"


@dataclass(frozen=True, slots=True)
class Finding:
    """What the search found for a record.

    Attributes:
        settings: what the results share.
        record: the record, as it came.
        status: what became of it.
        reason: why it withstood; "" for the others.
        scripts: the edits of each field; empty scripts unless it is broken.
        attacks: the number of the attack of each edit, by field.
        changes: how many changes were applied.
        protected: the spans of each field that no edit could touch.
        similarity: the lowest similarity of the changed texts; of a rejected record the best that failed.
        before: the answer to the original, an entry for each field of the right answer.
        after: the answer to the row that is returned.
        queries: how many different texts the model was asked about, the original among them.
        broken_at: which of the queries broke the answer first; None if none did.
        minimal: whether it is known that taking any one change back mends the answer.
        warnings: what the constraints or the similarity warn of.
    """

    settings: SearchSettings
    record: Record
    status: Status
    reason: Reason
    scripts: Scripts
    attacks: Mapping[str, Sequence[int]]
    changes: int
    protected: Spans
    similarity: float | None
    before: Sequence[Any]
    after: Sequence[Any]
    queries: int
    broken_at: int | None
    minimal: bool
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        texts = {name: script.text for name, script in self.scripts.items()}
        return f"Finding({self.status}, {brief(texts)}, changes={self.changes}, queries={self.queries})"

    def _repr_html_(self) -> str:
        """The texts with their changes marked, for notebooks."""
        return result_html(self)

    @property
    def text(self) -> str:
        """The new text of the only perturbed field.

        Raises:
            AugmentError: there are several fields.
        """
        return self._result.text

    @property
    def _result(self) -> Result:
        """The same texts as a result of perturb."""
        settings = Settings(self.settings.attack, self.settings.seed, self.settings.scorer, self.settings.threshold)
        return Result.of(self.record, self.scripts, self.protected, Outcome("perturbed"), settings)

    def notes(self) -> dict[str, Any]:
        """The notes of the edits, as in the metadata of perturb; empty if there are none."""
        return self._result.notes()

    def search(self) -> dict[str, Any]:
        """What the search came to, as JSON values (docs/adversary.md): status, answers, queries, changes."""
        task = self.record.task
        return {
            "status": self.status,
            **({"reason": self.reason} if self.reason else {}),
            "prediction": {"before": by_field(self.before, task), "after": by_field(self.after, task)},
            "queries": self.queries,
            "broken_at": self.broken_at,
            "budget": self.settings.budget,
            "changes": self.changes,
            "minimal": self.minimal,
        }

    def made_by(self) -> dict[str, list[str]]:
        """For each edit the attack that it comes from, by field."""
        return {name: [self.settings.attacks[at] for at in numbers] for name, numbers in self.attacks.items()}

    def row(self, meta: str = "full") -> dict[str, Any]:
        """The row with its new texts and offsets, and the metadata (full, brief or none) under `augment`."""
        return replaced(self.record, self.changed(meta))

    def line(self, meta: str = "full") -> str:
        """The row as a line of JSON; values that did not change keep the characters that were read."""
        return written(self.record, self.changed(meta))

    def changed(self, meta: str = "full") -> Changed:
        """The new values of the row, and the metadata."""
        metadata = self.metadata(meta)
        values = self._result.changed("none").values
        return Changed(values, None if metadata is None else encoded(metadata))

    def metadata(self, meta: str = "full") -> dict[str, Any] | None:
        """The metadata that is written under `augment` (docs/adversary.md); None for "none"."""
        if meta not in METAS:
            raise unknown("metadata", meta, METAS)
        if meta == "none":
            return None
        settings = self.settings
        search = self.search()
        outcome = {key: value for key, value in search.items() if key in _OUTCOME}
        found: dict[str, Any] = {
            "attack": settings.attack,
            **outcome,
            "model": settings.signature or settings.model,
            **{key: value for key, value in search.items() if key not in _OUTCOME},
            "similarity": self.similarity,
            "scorer": settings.scorer,
            "threshold": settings.threshold,
            "seed": settings.seed,
            **({} if settings.target is None else {"target": settings.target}),
            **({} if settings.guide is None else {"guide": settings.guide}),
            **occasional(corpus=settings.corpus, warnings=self.warnings),
        }
        if meta == "brief":
            return found
        result = self._result
        full = result.metadata() or {}
        own = {"source": full["source"], "edits": full["edits"], "attacks": self.made_by()}
        return found | own | {name: full[name] for name in ("notes", "protected") if name in full}
