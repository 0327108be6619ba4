"""Contamination: does perturbation cost a model more right answers on a benchmark than on rows that it cannot know?

A model that learnt a test set by heart answers its rows better than the same questions in other words. But a weak model
loses right answers on perturbed questions, too. So the loss is compared with the loss on fresh rows, which no model
can know and which are perturbed in the same way.
"""

import numpy as np

from augment_ru.errors import AugmentError
from augment_ru.evaluation import rates
from augment_ru.evaluation.paired import Difference
from augment_ru.evaluation.pairs import Pairs
from augment_ru.evaluation.report import ContaminationReport, Rate
from augment_ru.records.record import Record


def contamination_report(
    judged: rates.JudgedRun, attack: str, pairs: Pairs, fresh: ContaminationReport | None
) -> ContaminationReport:
    """Return how many right answers a model loses under an attack, compared with its loss on rows that it cannot know.

    If it loses more on the evaluated rows than on such fresh rows, it may have learned the evaluated rows by heart
    (contamination).

    Args:
        judged: the run of the model: its answers and which of them are right.
        attack: the name of the attack.
        pairs: the original and perturbed rows.
        fresh: the report of the fresh rows under the same attack; None if there are no fresh rows.
    """
    outcomes, drawn = judged.outcomes[attack], judged.resamples[attack, rates.LOSS]
    counted = outcomes.known & rates.same_meaning(pairs.attacks[attack])
    records = len(pairs.originals)
    cells = [outcomes.cells(flags & counted, counted, records) for flags in (outcomes.before, outcomes.after)]
    before, after = (one.rate() for one in cells)
    lost = Difference.of(cells, (drawn, np.zeros_like(drawn)))
    difference = Rate(rates.percent(lost.value), rates.percents(lost.interval()), "bootstrap")
    return ContaminationReport(
        rows=int(np.any(counted, axis=(0, 1)).sum()),
        before=rates.percent(before),
        after=rates.percent(after),
        difference=difference,
        fresh=fresh,
        excess=_less(difference, fresh.difference) if fresh else None,
    )


def _less(a: Rate, b: Rate) -> Rate | None:
    """Return the difference a - b of two independent rates, in percentage points; None if one is not known."""
    if a.value is None or b.value is None or not (a.ci95 and b.ci95):
        return None
    ends = rates.of_difference((a.value, a.ci95), (b.value, b.ci95))
    return Rate(round(a.value - b.value, rates.DIGITS), [round(end, rates.DIGITS) for end in ends], "zou-donner")


def check_fresh(pairs: Pairs, fresh: Pairs) -> None:
    """Check that fresh rows (rows that no model can know) can be compared with the evaluated rows.

    At least one attack must have perturbed both the fresh and the evaluated rows. No original may be in both.

    Args:
        pairs: the evaluated rows.
        fresh: the fresh rows.

    Raises:
        AugmentError: the two have no attack in common, or have an original in common.
    """
    own, other = (", ".join(one.attacks) or "none" for one in (pairs, fresh))
    if not pairs.attacks.keys() & fresh.attacks.keys():
        raise AugmentError(f"`fresh`: its attacks are {other}; those of the rows are {own}; perturb both in one way")
    known, others = (
        [tuple(Record(row.values, one.task).read().items()) for row in one.originals] for one in (pairs, fresh)
    )
    if shared := sum(map(set(known).__contains__, others)):
        raise AugmentError(f"`fresh`: {shared:,} of its {len(others):,} originals stand in the rows, too; give others")
