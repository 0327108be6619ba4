"""Two parts of a report: on replies without an answer, and on permuted options."""

from collections import Counter
from collections.abc import Mapping

from augment_ru.evaluation.pairs import Pairs
from augment_ru.evaluation.protocol import old_labels
from augment_ru.evaluation.rates import AttackOutcomes, JudgedRun, flags_of, wilson_rate
from augment_ru.evaluation.report import OptionOrderReport, Rate, UnreadReport
from augment_ru.evaluation.unread import KINDS, UnreadCounts


def unread_report(judged: JudgedRun, attack: str) -> UnreadReport | None:
    """Count a model's replies from which no answer could be read (refused, empty, cut off, unreadable).

    The result is None if the model gave no such reply to any row of the evaluation.

    Args:
        judged: the run of the model: its answers and which of them are right.
        attack: the attack whose rows are counted; "" for the originals.
    """
    found = judged.run.unread
    if not any(kind in counts for counts in found.values() for kind in KINDS):
        return None
    counts: UnreadCounts = found[attack]
    kinds = {kind: counts.get(kind, 0) for kind in KINDS}
    return UnreadReport(answers=counts["answers"], **kinds, share=wilson_rate(sum(kinds.values()), counts["answers"]))


def option_order_report(judged: JudgedRun, pairs: Pairs, attack: str) -> OptionOrderReport | None:
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
    outcomes: AttackOutcomes = judged.outcomes[attack]
    permuted = flags_of(at in orders for at in range(len(pairs.attacks[attack])))
    originals = [pairs.attacks[attack][at].original for at in orders]
    of = len({*originals})
    kept = 1 - float(outcomes.flipped[0][:, permuted].mean())
    before = Counter(answers[at][0] for answers in judged.run.originals for at in originals)
    labels = sorted({label for names in orders.values() for label in names})
    return OptionOrderReport(
        rows=len(orders),
        kept=wilson_rate(kept * of, of),
        before=_shares(before, labels, of),
        after=_shares(judged.run.labels[attack], labels, of),
    )


def _shares(counts: Mapping[str, int], labels: list[str], of: int) -> dict[str, Rate]:
    total = max(sum(counts.values()), 1)
    return {label: wilson_rate(counts.get(label, 0) / total * of, of) for label in labels}
