"""Figures of the variations of a release: those of attacks, and those of searches against models."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from augment_ru.adversary.case import STATUSES
from augment_ru.engine.figures import Figures
from augment_ru.evaluation.searches import can_be_broken
from augment_ru.release.release_recipe import ReleaseRecipe, TaskRecipe


@dataclass(slots=True)
class SearchFigures:
    """Counts over the rows of one search: rows by status, those that can be broken, queries, changes, minimal ones."""

    counts: Counter[str] = field(default_factory=Counter)

    def count(self, search: Mapping[str, Any]) -> None:
        """Count a row by the `search` of its entry in the edit log."""
        self.counts[search["status"]] += 1
        if can_be_broken(search):
            self.counts.update(right=1, queries=search["queries"])
        if search["status"] == "broken":
            self.counts.update(changes=search["changes"], minimal=search["minimal"])

    def update(self, other: "SearchFigures") -> None:
        """Add the rows of other figures."""
        self.counts.update(other.counts)

    def table(self) -> dict[str, Any]:
        """The figures as JSON values: rows by status, the attack success rate in per cent, and means, to 2 digits."""
        rows = {status: self.counts[status] for status in STATUSES}
        right, broken, queries = (self.counts[name] for name in ("right", "broken", "queries"))
        return {
            "rows": sum(rows.values()),
            "right": right,
            **rows,
            "asr": _ratio(100 * broken, right),
            "queries": queries,
            "queries_a_success": _ratio(queries, broken),
            "changes": _ratio(self.counts["changes"], broken),
            "minimal": self.counts["minimal"],
        }


def _ratio(count: int, of: int) -> float | None:
    return round(count / of, 2) if of else None


Counted: TypeAlias = Figures | SearchFigures


def no_figures(recipe: ReleaseRecipe, task: TaskRecipe | None = None) -> dict[str, Counted]:
    """Figures of nothing for each perturbed variation of a task, or of the whole release, in their order."""
    attacks = recipe.attacks if task is None else recipe.attacks_of(task)
    searches = recipe.searches if task is None else recipe.searches_of(task)
    found: dict[str, Counted] = {attack.name: Figures() for attack in attacks}
    return found | {name: SearchFigures() for name in searches}


def count_entry(figures: Counted, entry: Mapping[str, Any]) -> None:
    """Add the entry of a perturbed row, a line of the edit log, to the figures of its variation."""
    if isinstance(figures, SearchFigures):
        figures.count(entry["search"])
    else:
        edits = sum(map(len, entry["edits"].values()))
        figures.count(entry["status"], entry["probability"], entry["similarity"], edits)


def add_figures(totals: Mapping[str, Counted], more: Mapping[str, Counted]) -> None:
    """Add the figures of a task to those of the release."""
    for name, found in more.items():
        total = totals[name]
        if isinstance(found, SearchFigures):
            if isinstance(total, SearchFigures):
                total.update(found)
        elif isinstance(total, Figures):
            total.update(found)


def figure_entries(figures: Mapping[str, Counted], recipe: ReleaseRecipe | None = None) -> dict[str, Any]:
    """The figures in the manifest: `attacks`, and `searches` if there are any.

    Args:
        figures: by the name of the variation.
        recipe: its attacks name their specs; None leaves the specs out.
    """
    specs = {attack.name: {"spec": attack.spec} for attack in recipe.attacks} if recipe else {}
    found: dict[str, list[dict[str, Any]]] = {"attacks": []}
    for name, counted in figures.items():
        part = "searches" if isinstance(counted, SearchFigures) else "attacks"
        found.setdefault(part, []).append({"name": name, **specs.get(name, {}), **counted.table()})
    return found


def entries_of(holder: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The figures of all variations in the manifest, or in its entry of a task."""
    return [*holder["attacks"], *holder.get("searches", ())]
