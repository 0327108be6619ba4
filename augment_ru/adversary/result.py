"""The result of a search for a record: the row that is written, and its metadata."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from augment_ru.adversary.confirmation import Confirmation
from augment_ru.engine.result import Result, occasional
from augment_ru.errors import brief
from augment_ru.evaluation.answers import by_field

NAME = "adversary"
"""The name of the attack in rows is this, a colon, and the name of the model."""
_OUTCOME = ("status", "reason")


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The settings of an `Adversary` beside those that results of `perturb` have, too. All its results share them.

    Attributes:
        model: the name of the model.
        signature: the text that states all that defines the model's answers; None if the model has no signature.
        attacks: the names of the attacks.
        budget: the most queries for a record.
        target: the label that the model is to give; None for any wrong answer.
        guide: the signature of the guide, or its name if it has no signature; None without a guide.
    """

    model: str
    signature: str | None
    attacks: Sequence[str]
    budget: int
    target: str | None = None
    guide: str | None = None


class Finding(Result):
    """The result of the search for a record.

    The texts are changed only if the answer broke. If the answer withstood, `reason` says why the search ended.
    `similarity` is the lowest score of a changed text. For a rejected record it is the best score that failed.

    Attributes:
        search_settings: the settings of the search, which all results share.
        attacks: for each edit of each field, the attack that made it, as an index of `search_settings.attacks`.
        changes: how many changes were applied.
        before: the answer to the original, with an entry for each gold field.
        after: the answer to the new texts, in the same form.
        queries: how many queries were made, including the original.
        broken_at: which query was the first to break the answer, counted from 1; None if none did.
        minimal: whether every change is needed: without it, the answer would be right, or the texts would fail the
            gate.
        confirmation: the repeated answers that told slips from broken answers; None if one answer was believed.
        tried: how many different edits the model was asked about, by the features of edits
            (`evaluation.broke.FEATURES`) and their values.
    """

    _VALUES: ClassVar[tuple[str, ...]] = (
        "record", "scripts", "protected", "outcome", "settings",
        "search_settings", "attacks", "changes", "before", "after", "queries", "broken_at", "minimal",
        "confirmation", "tried",
    )  # fmt: skip
    search_settings: SearchSettings
    attacks: Mapping[str, Sequence[int]]
    changes: int
    before: Sequence[Any]
    after: Sequence[Any]
    queries: int
    broken_at: int | None
    minimal: bool
    confirmation: Confirmation | None
    tried: Mapping[str, Mapping[str, int]]

    def __repr__(self) -> str:
        texts = {name: script.text for name, script in self.scripts.items()}
        return f"Finding({self.status}, {brief(texts)}, changes={self.changes}, queries={self.queries})"

    def search(self) -> dict[str, Any]:
        """Return the outcome of the search as values of JSON: status, answers, queries, number of changes.

        docs/adversary.md explains the keys.
        """
        task = self.record.task
        return {
            "status": self.status,
            **({"reason": self.reason} if self.reason else {}),
            "prediction": {"before": by_field(self.before, task), "after": by_field(self.after, task)},
            "queries": self.queries,
            "broken_at": self.broken_at,
            "budget": self.search_settings.budget,
            "changes": self.changes,
            "minimal": self.minimal,
            **({} if self.confirmation is None else {"confirmed": self.confirmation.as_json()}),
        }

    def made_by(self) -> dict[str, list[str]]:
        """Return, for each field, the name of the attack that made each edit, in the order of the edits."""
        return {name: [self.search_settings.attacks[at] for at in numbers] for name, numbers in self.attacks.items()}

    def _brief(self) -> dict[str, Any]:
        """Return the metadata that is written under `augment` (docs/adversary.md), without the texts."""
        settings, of_rows = self.search_settings, self.settings
        search = self.search()
        outcome = {key: value for key, value in search.items() if key in _OUTCOME}
        return {
            "attack": of_rows.attack,
            **outcome,
            "model": settings.signature or settings.model,
            **{key: value for key, value in search.items() if key not in _OUTCOME},
            "similarity": self.similarity,
            "scorer": of_rows.scorer,
            "threshold": of_rows.threshold,
            "seed": of_rows.seed,
            **({} if settings.target is None else {"target": settings.target}),
            **({} if settings.guide is None else {"guide": settings.guide}),
            **occasional(corpus=of_rows.corpus, warnings=self.warnings),
        }

    def _further(self) -> dict[str, Any]:
        tried = {"tried": self.tried} if self.tried.get("kind") else {}
        return {"attacks": self.made_by(), **tried, **super()._further()}
