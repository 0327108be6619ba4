"""Count the rows of each variation of a release: those that an attack made, or a search against a model."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from augment_ru.adversary.case import STATUSES
from augment_ru.engine.figures import Figures
from augment_ru.evaluation.searches import can_be_broken, ratio
from augment_ru.records.groups import grouped
from augment_ru.release.release_recipe import ReleaseRecipe, TaskRecipe
from augment_ru.text.words import word_ranges


class AttackFigures(Figures):
    """Counts over the rows that one attack made: their statuses, similarities, edits."""

    def count_entry(self, entry: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        """Add a row that the attack made to the counts.

        Args:
            entry: what the edit log says about the row.
            texts: the texts of the original of this row, by field.
        """
        edits = sum(map(len, entry["edits"].values()))
        self.count(entry["status"], entry["probability"], entry["similarity"], edits)
        if entry["status"] == "perturbed":
            self.words += sum(len(word_ranges(texts.get(name, ""))) for name in entry["edits"])


@dataclass(slots=True)
class SearchFigures:
    """Counts over the rows that a search against a model made.

    Attributes:
        counts: the counts by name. Under the name of a status is the number of its rows. `right` is the number of rows
            that the model answered right before the search, and `queries` is the number of queries for these rows.
            `changes` is the number of changes in broken rows (those whose answer the search made wrong). `minimal` is
            the number of broken rows in which every change is needed to break the answer.
    """

    counts: Counter[str] = field(default_factory=Counter)

    def count_entry(self, entry: Mapping[str, Any], _texts: Mapping[str, str]) -> None:
        """Add a row that the search made to the counts.

        Args:
            entry: what the edit log says about the row.
            _texts: not used.
        """
        search = entry["search"]
        self.counts[search["status"]] += 1
        if can_be_broken(search):
            self.counts.update(right=1, queries=search["queries"])
        if search["status"] == "broken":
            self.counts.update(changes=search["changes"], minimal=search["minimal"])

    def update(self, other: "SearchFigures") -> None:
        """Add the counts of other rows to these."""
        self.counts.update(other.counts)

    def table(self) -> dict[str, Any]:
        """Return the figures of the search as JSON values by name, as the manifest of the release states them.

        `rows` is the number of all rows; the number for each status, `right`, `queries` and `minimal` are those of
        `counts`. `asr` is the percentage of `right` rows that the search broke. `queries_a_success` is `queries`
        divided by the number of broken rows, and `changes` is the mean number of changes in these; both, like `asr`,
        are None if there is nothing to divide by.
        """
        rows = {status: self.counts[status] for status in STATUSES}
        right, broken, queries = (self.counts[name] for name in ("right", "broken", "queries"))
        return {
            "rows": sum(rows.values()),
            "right": right,
            **rows,
            "asr": ratio(100 * broken, right),
            "queries": queries,
            "queries_a_success": ratio(queries, broken),
            "changes": ratio(self.counts["changes"], broken),
            "minimal": self.counts["minimal"],
        }


VariationFigures: TypeAlias = AttackFigures | SearchFigures
"""Counts over the rows of one variation: those that one attack or search made."""


def no_figures(recipe: ReleaseRecipe, task: TaskRecipe | None = None) -> dict[str, VariationFigures]:
    """Return counts of 0 for each attack and search that makes perturbed rows of a task, by its name.

    Args:
        recipe: the recipe of the release.
        task: the task; None for all variations of the release.
    """
    attacks = recipe.attacks if task is None else recipe.attacks_of(task)
    searches = recipe.searches if task is None else recipe.searches_of(task)
    found: dict[str, VariationFigures] = {attack.name: AttackFigures() for attack in attacks}
    return found | {name: SearchFigures() for name in searches}


def add_figures(totals: Mapping[str, Any], more: Mapping[str, VariationFigures]) -> None:
    """Add the counts of a task to those of the release.

    Args:
        totals: the counts of the release, by the name of the variation; they are changed in place.
        more: the counts of the task, by the name of the variation.
    """
    for name, found in more.items():
        totals[name].update(found)


def figure_entries(figures: Mapping[str, VariationFigures], recipe: ReleaseRecipe | None = None) -> dict[str, Any]:
    """Return the counts of variations for the manifest: a list `attacks`, and a list `searches` if there are any.

    Args:
        figures: maps the name of each variation to its counts.
        recipe: the recipe, if the specification of each attack is to be added from it; else None.
    """
    specs = {attack.name: {"spec": attack.spec} for attack in recipe.attacks} if recipe else {}
    kinds = {name: "searches" if isinstance(own, SearchFigures) else "attacks" for name, own in figures.items()}
    tables = ({"name": name, **specs.get(name, {}), **counted.table()} for name, counted in figures.items())
    return {"attacks": []} | grouped(zip(kinds.values(), tables, strict=True))


def entries_of(holder: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the counts that a manifest states for each variation (the rows of one attack or search).

    Args:
        holder: the manifest, to get the counts of the release; or the manifest's entry for a task, to get those of the
            task.
    """
    return [*holder["attacks"], *holder.get("searches", ())]
