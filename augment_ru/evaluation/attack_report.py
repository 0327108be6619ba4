"""Parts of the report on an attack: valid rows, groups of rows, spans, replies without an answer, permuted options."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from augment_ru.evaluation import rates
from augment_ru.evaluation.answers import FATES
from augment_ru.evaluation.pairs import Pair, Pairs
from augment_ru.evaluation.protocol import old_labels
from augment_ru.evaluation.report import Cell, Interval, OptionOrderReport, Rate, UnreadReport, ValidRows
from augment_ru.evaluation.subpopulations import binned
from augment_ru.evaluation.unread import KINDS

WIDE = 20.0
"""The report flags a cell of a table if its 95 % interval is wider than this, in percentage points."""

Quartiles: TypeAlias = Mapping[str, Sequence[tuple[rates.Flags, str, float, float]]]
"""For `similarity` and `probability`, the quartiles of the rows of an attack: flags of the rows, of shape (rows,), the
name, and the lowest and highest value.
"""


def valid_rows_report(judged: rates.JudgedRun, attack: str, rows: Sequence[Pair]) -> ValidRows | None:
    """Return the rates over the rows that people found valid, and the number of judged rows; None if it is 0."""
    known = sum(pair.verdict is not None for pair in rows)
    if not known:
        return None
    valid, outcomes = rates.flags_of(pair.verdict == "valid" for pair in rows), judged.outcomes[attack]
    count = int(valid.sum())
    rate = judged.rate(attack, f"{rates.OF_VALID}asr")
    return ValidRows(
        judged=known,
        valid=count,
        share=Rate(rates.percent(count / known), rates.percents(rates.wilson(count, known))),
        right=int((outcomes.right & valid).sum()),
        broken=int((outcomes.broken & valid).sum()),
        asr=rate,
        wide_interval=_is_wide(rate.ci95),
        asr_all_rows=judged.rate(attack, f"{rates.OF_VALID}asr_all_rows"),
        flip_rate=judged.rate(attack, f"{rates.OF_VALID}flip_rate"),
        performance_drop_rate=judged.drop_rate(attack, rates.OF_VALID),
    )


def spans_report(judged: rates.JudgedRun, attack: str) -> dict[str, Rate] | None:
    """Return the share of each fate (`spans.FATES`) among the right spans that the model found in the originals.

    The result is None if the answers of the task are no spans.
    """
    cells = judged.cells.get((attack, f"{rates.FATE}kept"))
    right = None if cells is None else int(cells.trials.sum())
    return cells and {fate: judged.rate(attack, rates.FATE + fate, right) for fate in FATES}


def quartiles_of(rows: Sequence[Pair]) -> Quartiles:
    """Divide the perturbed rows of an attack into quartiles of their similarity, and of their probability."""
    found: dict[str, list[tuple[rates.Flags, str, float, float]]] = {}
    for by in ("similarity", "probability"):
        values = [getattr(pair, by) if pair.status == "perturbed" else None for pair in rows]
        names, cell_of = binned(values) or ((), ())
        known = np.array(values, np.float64)
        for at, name in enumerate(names):
            inside = np.array(cell_of) == at
            if (own := known[inside & ~np.isnan(known)]).size:
                found.setdefault(by, []).append((inside, name, float(own.min()), float(own.max())))
    return found


def cell_of_rows(outcomes: rates.AttackOutcomes, rows: rates.Flags, name: str, **further: float | None) -> Cell:
    """Return the success rate over some rows of an attack.

    Args:
        outcomes: the outcomes of the attack.
        rows: which rows count, flags of shape (rows,).
        name: the name of the cell.
        further: further attributes of the cell, such as its lowest and highest value, if it is a range.
    """
    rate, known = rates.success_rate(outcomes, (..., rows)), int(outcomes.known[..., rows].sum())
    return Cell(
        value=name,
        rate=rate,
        rows=int(rows.sum()),
        accuracy_before=rates.percent(rate.right / known if known else None),
        accuracy_after=rates.percent(float(outcomes.after[..., rows].sum()) / known if known else None),
        wide_interval=_is_wide(rate.ci95),
        **further,
    )


def _is_wide(interval: Interval | None) -> bool:
    """Tell whether an interval is too wide for a conclusion, or missing."""
    return interval is None or interval[1] - interval[0] > WIDE


def unread_report(judged: rates.JudgedRun, attack: str) -> UnreadReport | None:
    """Count a model's replies from which no answer could be read (refused, empty, cut off, unreadable).

    The result is None if the model gave no such reply to any row of the evaluation.

    Args:
        judged: the run of the model: its answers and which of them are right.
        attack: the attack whose rows are counted; "" for the originals.
    """
    found = judged.run.unread
    if not any(kind in counts for counts in found.values() for kind in KINDS):
        return None
    counts = found[attack]
    kinds = {kind: counts.get(kind, 0) for kind in KINDS}
    return UnreadReport(
        answers=counts["answers"], **kinds, share=rates.wilson_rate(sum(kinds.values()), counts["answers"])
    )


def option_order_report(judged: rates.JudgedRun, pairs: Pairs, attack: str) -> OptionOrderReport | None:
    """Return how a model's answers change if an attack permutes the options; None if the attack permuted none.

    Several rows of one original count as one trial in the intervals.

    Args:
        judged: the run of the model: its answers and which of them are right.
        pairs: the original and perturbed rows.
        attack: the name of the attack.
    """
    if attack not in judged.run.labels:
        return None
    orders = old_labels(pairs, attack)
    originals = [pairs.attacks[attack][at].original for at in orders]
    of = len({*originals})
    kept = 1 - float(judged.outcomes[attack].flipped[0][:, list(orders)].mean())
    before = Counter(answers[at][0] for answers in judged.run.originals for at in originals)
    labels = sorted({label for names in orders.values() for label in names})
    return OptionOrderReport(
        rows=len(orders),
        kept=rates.wilson_rate(kept * of, of),
        before=_shares(before, labels, of),
        after=_shares(judged.run.labels[attack], labels, of),
    )


def _shares(counts: Mapping[str, int], labels: list[str], of: int) -> dict[str, Rate]:
    total = max(sum(counts.values()), 1)
    return {label: rates.wilson_rate(counts.get(label, 0) / total * of, of) for label in labels}
