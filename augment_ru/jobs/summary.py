"""Make the table at the end of a run: the figures of each attack, and the cost of its similarity check."""

import time
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from augment_ru.engine.figures import Figures
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.result import STATUSES
from augment_ru.errors import amount
from augment_ru.evaluation.table_text import column_groups
from augment_ru.formats.json_lines import indented
from augment_ru.version import __version__


def attack_table(figures: Figures) -> dict[str, Any]:
    """Return the counts and costs of an attack as JSON values.

    `forward_passes_per_perturbed_row` is None if no network ran.
    """
    passes = figures.cost.passes
    return {
        **figures.table(),
        "scored_pairs": figures.cost.pairs,
        "forward_passes": passes,
        "forward_passes_per_perturbed_row": figures.per_perturbed_row(passes) if passes else None,
    }


_SLOW = 10
"""The rows per second below which the rate is shown with a decimal."""


@dataclass(slots=True)
class Tally:
    """The counts of a run.

    Attributes:
        summaries: for each attack, counts of its rows.
        searches: counts over searches against a model: rows by status, rows whose right answer is already the target
            (`right already`), `queries`, those to confirm a result (`again`), and answers from the cache (`cached`).
        rows: the number of rows that were read and used.
        read: the number of bytes of the input that were read, including skipped rows.
        written: the number of rows that were written.
        skipped: the number of rows that could not be used.
        warned: the number of rows with warnings.
        kept: the number of parts of the input that were taken from an earlier run.
        recognised: the names of the known tasks that were recognised from the fields of rows.
        began: when the run began, in seconds of `time.perf_counter`.
    """

    summaries: Mapping[str, Figures]
    searches: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    read: int = 0
    written: int = 0
    skipped: int = 0
    warned: int = 0
    kept: int = 0
    recognised: set[str] = field(default_factory=set)
    began: float = field(default_factory=time.perf_counter)

    @classmethod
    def of(cls, perturbers: Iterable[Perturber]) -> "Tally":
        """Return the counts before a run, all of them 0.

        Args:
            perturbers: the attacks of the run.
        """
        return cls({perturber.attack.name: Figures() for perturber in perturbers})

    def add(self, other: "Tally") -> None:
        """Add other counts, such as those of a part of the input, to these."""
        for name in ("rows", "read", "written", "skipped", "warned"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name, summary in self.summaries.items():
            summary.update(other.summaries[name])
        self.searches.update(other.searches)
        self.recognised |= other.recognised

    def __str__(self) -> str:
        every = Figures()
        for figures in self.summaries.values():
            every.update(figures)
        status, cost = every.statuses, every.cost
        of = f", read as {', '.join(sorted(self.recognised))}" if self.recognised else ""
        parts = [f"{amount(self.rows, 'row')} in{of}", ", ".join(f"{status[name]:,} {name}" for name in STATUSES)]
        if cost.pairs:
            parts.append(f"{amount(cost.pairs, 'pair')} scored in {amount(cost.calls, 'call')}")
        if cost.passes:
            each = f", {cost.passes / status['perturbed']:.2f} per perturbed row" if status["perturbed"] else ""
            parts.append(f"{amount(cost.passes, 'forward pass', 'forward passes')}{each}")
        line = self.line(*parts)
        if self.kept or not self.rows:
            return line
        rate = self.rows / max(time.perf_counter() - self.began, 1e-9)
        return f"{line}, {rate:,.{1 if rate < _SLOW else 0}f} rows a second"

    def line(self, *parts: str) -> str:
        """Return a line about a run, made of some texts and some of the counts.

        The texts come first, then the numbers of rows with warnings, of skipped lines, and of parts from an earlier
        run, if they are not 0. At the end are the seconds that the run took.

        Args:
            parts: the texts, which are joined.
        """
        others = ((self.warned, "row", "with warnings"), (self.skipped, "line", "skipped"), (self.kept, "part", "kept"))
        said = [f"{amount(count, noun)} {what}" for count, noun, what in others if count]
        return "; ".join([*parts, *said, f"{time.perf_counter() - self.began:.1f} s"])

    def report(self, first: Perturber) -> bytes:
        """Return the counts of all attacks as JSON, with the settings that they have in common.

        The time is left out, so that reports of several runs can be compared.

        Args:
            first: one of the attacks with its settings, from which the common settings are taken.
        """
        settings = first.settings
        report = {
            "version": 1,
            "augment_ru": __version__,
            "scorer": settings.scorer,
            "threshold": settings.threshold,
            "schedule": first.schedule if first.similarity else None,
            "candidates": first.candidates if first.similarity else 1,
            "seed": first.seed,
            "rows": self.rows,
            "skipped": self.skipped,
            "attacks": {name: attack_table(figures) for name, figures in self.summaries.items()},
        }
        return indented(report)


_COLUMNS = (
    "attack", "rows", "perturbed", "unchanged", "rejected", "acceptance", "similarity", "± sd", "5 %", "50 %", "95 %",
    "probability", "edits per 100 words", "passes per perturbed row",
)  # fmt: skip


def summary_lines(summaries: Mapping[str, Figures], room: int | None = None) -> Iterator[str]:
    """Yield the lines of the table that is printed at the end of a run, one for each attack.

    The last column is left out if no network ran. After the table comes a line for each weak attack. An attack is weak
    if at least a quarter of its perturbed rows were perturbed at less than half of its probability, because more
    changes did not pass the similarity check.

    Args:
        summaries: the counts of each attack.
        room: the width of the terminal in characters; a wider table is folded. None if there is no terminal.
    """
    rows = [_COLUMNS, *(_row(name, attack_table(figures)) for name, figures in summaries.items())]
    if not any(figures.cost.passes for figures in summaries.values()):
        rows = [row[:-1] for row in rows]
    yield from folded(rows, [max(map(len, column)) for column in zip(*rows, strict=True)], 1, room, {0})
    for name, figures in summaries.items():
        if figures.is_weak:
            weak, every = figures.weak, figures.statuses["perturbed"]
            yield f"{name}: {weak:,} of {every:,} perturbed rows reached less than half of the probability asked"


def folded(
    rows: Sequence[Sequence[str]], widths: Sequence[int], fixed: int, room: int | None, left: Container[int]
) -> Iterator[str]:
    """Yield the lines of a table for the terminal.

    If the table is wider than the terminal, it is folded: its columns are shown in groups, one below the other.

    Args:
        rows: the cells of each row.
        widths: the width of each column in characters.
        fixed: how many of the first columns are repeated in each group.
        room: the width of the terminal in characters; None if there is no terminal.
        left: the indices of the columns that are aligned left; the others are aligned right.
    """
    for group in column_groups(widths, fixed, room or sum(widths) * 3, gap=2):
        for row in rows:
            cells = (row[at].ljust(widths[at]) if at in left else row[at].rjust(widths[at]) for at in group)
            yield "  ".join(cells).rstrip()


def _row(name: str, table: Mapping[str, Any]) -> tuple[str, ...]:
    def number(value: float | None, form: str = ".3f") -> str:
        return "–" if value is None else format(value, form)

    similarity, probability = table["similarity"] or {}, table["probability"] or {}
    return (
        name,
        *(f"{table[status]:,}" for status in ("rows", "perturbed", "unchanged", "rejected")),
        number(table["acceptance"], ".1%"),
        *(number(similarity.get(key)) for key in ("mean", "std", "5%", "50%", "95%")),
        number(probability.get("mean")),
        number(table.get("edits_per_100_words"), ".1f"),
        number(table["forward_passes_per_perturbed_row"], ".2f"),
    )
