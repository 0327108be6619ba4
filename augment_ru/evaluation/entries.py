"""Compute entries of a report (on an attack, contamination, noise, filters, prompts), and check requirements on them.

A run is the answers of a model; its outcomes say which of them are right. The noise of a model is how often it answers
the same text differently. A slip is an answer that the model does not usually give to the text. Slips break right
answers, too: if a model slips in a share s of its answers, about s of its right answers are wrong after an attack that
changes nothing.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, combinations
from math import ceil, floor
from typing import NamedTuple, TypeAlias

import numpy as np
from msgspec.structs import replace

from augment_ru.draws import Floats, digests
from augment_ru.errors import AugmentError, check_known, saying_where
from augment_ru.evaluation import rates, report
from augment_ru.evaluation.answers import FATES, Metric, accuracy, exact_match, labels_among
from augment_ru.evaluation.examples import Cache, NamedModel, QuestionCounts, ask
from augment_ru.evaluation.paired import Difference
from augment_ru.evaluation.pairs import CHOSEN, WORST_ROWS, Pair, Pairs
from augment_ru.evaluation.protocol import EvaluationPlan, ModelRun, old_labels
from augment_ru.evaluation.subpopulations import Subpopulation, binned
from augment_ru.evaluation.totals import F1
from augment_ru.evaluation.unread import KINDS
from augment_ru.records.groups import grouped
from augment_ru.records.record import Record

WIDE = 20.0
"""The report flags a cell of a table if its 95 % interval is wider than this, in percentage points."""

_ROUNDS = 30
"""The number of iterations in which the share of slips is computed; it converges after a few."""
_MOST_SLIPS = 0.45
"""The largest share of slips that is assumed; a model that slips more often cannot be told from one that guesses."""

Quartiles: TypeAlias = Mapping[str, Sequence[tuple[rates.Flags, str, Mapping[str, float]]]]
"""For `similarity` and `probability`, the quartiles of the rows of an attack: flags of the rows, of shape (rows,), the
name, and the lowest and highest value (`low` and `high`).
"""


def valid_rows_report(judged: rates.JudgedRun, attack: str, rows: Sequence[Pair]) -> report.ValidRows | None:
    """Return the rates over the rows of an attack that people found valid; None if people judged none of its rows.

    Args:
        judged: the run of a model (its answers), with its outcomes.
        attack: the name of the attack.
        rows: the rows of the attack.
    """
    known = sum(pair.verdict is not None for pair in rows)
    if not known:
        return None
    valid, outcomes = rates.flags_of(pair.verdict == "valid" for pair in rows), judged.outcomes[attack]
    count = int(valid.sum())
    rate = judged.rate(attack, f"{rates.OF_VALID}asr")
    return report.ValidRows(
        judged=known,
        valid=count,
        share=report.Rate(rates.percent(count / known), rates.percents(rates.wilson(count, known))),
        right=int((outcomes.right & valid).sum()),
        broken=int((outcomes.broken & valid).sum()),
        asr=rate,
        wide_interval=_is_wide(rate.ci95),
        asr_all_rows=judged.rate(attack, f"{rates.OF_VALID}asr_all_rows"),
        flip_rate=judged.rate(attack, f"{rates.OF_VALID}flip_rate"),
        performance_drop_rate=judged.drop_rate(attack, rates.OF_VALID),
    )


def spans_report(judged: rates.JudgedRun, attack: str) -> dict[str, report.Rate] | None:
    """Return what an attack does to the right spans that a model found in the originals.

    The result is the percentage of these spans that are found again in the perturbed text (`kept`), found with another
    border (`border`) or label (`type`), or not found (`lost`). It is None if the task's answers are no spans.

    Args:
        judged: the run of the model (its answers), with its outcomes.
        attack: the name of the attack.
    """
    cells = judged.cells.get((attack, f"{rates.FATE}kept"))
    right = None if cells is None else int(cells.trials.sum())
    return cells and {fate: judged.rate(attack, rates.FATE + fate, right) for fate in FATES}


def quartiles_of(rows: Sequence[Pair]) -> Quartiles:
    """Divide the perturbed rows of an attack into quartiles by their similarity, and by their probability.

    The probability is the share of possible changes that the attack made.
    """
    found: dict[str, list[tuple[rates.Flags, str, Mapping[str, float]]]] = {}
    for by in ("similarity", "probability"):
        values = [getattr(pair, by) if pair.status == "perturbed" else None for pair in rows]
        names, cell_of = binned(values) or ((), ())
        known = np.array(values, np.float64)
        for at, name in enumerate(names):
            inside = np.array(cell_of) == at
            if (own := known[inside & ~np.isnan(known)]).size:
                ends = {"low": float(own.min()), "high": float(own.max())}
                found.setdefault(by, []).append((inside, name, ends))
    return found


def cell_of_rows(outcomes: rates.AttackOutcomes, rows: rates.Flags, name: str, **further: float | None) -> report.Cell:
    """Return the success rate of an attack over some of its rows, with the percentages of right answers.

    Args:
        outcomes: the outcomes of the attack.
        rows: which rows count, flags of shape (rows,).
        name: the name of the cell.
        further: further attributes of the cell, such as its lowest and highest value, if it is a range.
    """
    rate, known = rates.success_rate(outcomes, (..., rows)), int(outcomes.known[..., rows].sum())
    return report.Cell(
        value=name,
        rate=rate,
        rows=int(rows.sum()),
        accuracy_before=rates.percent(rate.right / known if known else None),
        accuracy_after=rates.percent(float(outcomes.after[..., rows].sum()) / known if known else None),
        wide_interval=_is_wide(rate.ci95),
        **further,
    )


def group_cells(
    subpopulation: Subpopulation, metrics: Mapping[str, Metric], pairs: Pairs, judged: rates.JudgedRun, attack: str
) -> list[report.Cell]:
    """Return the success rate of an attack in each group of a subpopulation, with the F1 if it is one of the metrics.

    Args:
        subpopulation: the groups, and which originals are in each.
        metrics: the metrics of the evaluation by name.
        pairs: the original and perturbed rows.
        judged: the run of a model.
        attack: the name of the attack.
    """
    outcomes, found = judged.outcomes[attack], []
    f1 = {name: metric for name, metric in metrics.items() if name in F1}
    for at, cell in enumerate(subpopulation.cells):
        rows = (np.array(subpopulation.of) == at)[outcomes.original]
        where = np.flatnonzero(rows).tolist()
        scores = rates.changed_scores(f1, pairs, judged.run, attack, where).values() if f1 else ()
        further = {key: value for one in scores for key, value in (("f1_before", one.before), ("f1_after", one.after))}
        found.append(cell_of_rows(outcomes, rows, cell, **further))
    return found


def _is_wide(interval: report.Interval | None) -> bool:
    """Tell whether an interval is too wide for a conclusion, or missing."""
    return interval is None or interval[1] - interval[0] > WIDE


def unread_report(judged: rates.JudgedRun, attack: str) -> report.UnreadReport | None:
    """Count a model's replies without an answer to some rows: refused, empty, cut off, unreadable.

    The result is None if the model gave no such reply in the whole evaluation.

    Args:
        judged: the run of the model, with its outcomes.
        attack: the attack whose rows are counted; "" for the originals.
    """
    found = judged.run.unread
    if not any(kind in counts for counts in found.values() for kind in KINDS):
        return None
    counts = found[attack]
    kinds = {kind: counts.get(kind, 0) for kind in KINDS}
    return report.UnreadReport(
        answers=counts["answers"], **kinds, share=rates.wilson_rate(sum(kinds.values()), counts["answers"])
    )


def option_order_report(judged: rates.JudgedRun, pairs: Pairs, attack: str) -> report.OptionOrderReport | None:
    """Return how a model's answers change if an attack permutes the options; None if the attack permuted none.

    Several rows of one original count as one trial in the intervals.

    Args:
        judged: the run of the model, with its outcomes.
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
    return report.OptionOrderReport(
        rows=len(orders),
        kept=rates.wilson_rate(kept * of, of),
        before=_shares(before, labels, of),
        after=_shares(judged.run.labels[attack], labels, of),
    )


def _shares(counts: Mapping[str, int], labels: list[str], of: int) -> dict[str, report.Rate]:
    total = max(sum(counts.values()), 1)
    return {label: rates.wilson_rate(counts.get(label, 0) / total * of, of) for label in labels}


def contamination_report(
    judged: rates.JudgedRun, attack: str, pairs: Pairs, of_fresh: report.Report | None
) -> report.ContaminationReport:
    """Return how many right answers a model loses under an attack, for comparison with its loss on fresh rows.

    A model that learnt a test set by heart (contamination) answers its rows better than the same questions in other
    words. But a weak model loses right answers on perturbed questions, too. So its loss is compared with that on fresh
    rows, which no model can know and which are perturbed in the same way.

    Args:
        judged: the run of the model, with its outcomes.
        attack: the name of the attack.
        pairs: the original and perturbed rows.
        of_fresh: the report on the fresh rows; None if there are none.
    """
    models, run = of_fresh.models if of_fresh else (), judged.run
    own = (one for one in models if (one.model, one.shots) == (run.model, run.shots))
    fresh = next((one.attacks[attack].contamination for one in own if attack in one.attacks), None)
    outcomes, drawn = judged.outcomes[attack], judged.resamples[attack, rates.LOSS]
    counted = outcomes.known & rates.same_meaning(pairs.attacks[attack])
    records = len(pairs.originals)
    cells = [outcomes.cells(flags & counted, counted, records) for flags in (outcomes.before, outcomes.after)]
    before, after = (one.rate() for one in cells)
    lost = Difference.of(cells, (drawn, np.zeros_like(drawn)))
    difference = report.Rate(rates.percent(lost.value), rates.percents(lost.interval()), "bootstrap")
    return report.ContaminationReport(
        rows=int(np.any(counted, axis=(0, 1)).sum()),
        before=rates.percent(before),
        after=rates.percent(after),
        difference=difference,
        fresh=fresh,
        excess=_less(difference, fresh.difference) if fresh else None,
    )


def _less(a: report.Rate, b: report.Rate) -> report.Rate | None:
    """Return the difference a - b of two independent rates, in percentage points; None if one is not known."""
    if a.value is None or b.value is None or not (a.ci95 and b.ci95):
        return None
    ends = rates.of_difference((a.value, a.ci95), (b.value, b.ci95))
    return report.Rate(round(a.value - b.value, rates.DIGITS), [round(end, rates.DIGITS) for end in ends], "zou-donner")


def chosen_from(rows: Sequence[Pair]) -> report.ChosenFrom:
    """Return the attacks and models that worst-case rows were chosen from, as the metadata of the rows lists them."""
    said = [held for row in rows if isinstance(held := row.metadata.get(CHOSEN), Mapping)]

    def named(key: str) -> list[str]:
        lists = (held.get(key) for held in said)
        return list(dict.fromkeys(str(name) for names in lists if isinstance(names, list) for name in names))

    return report.ChosenFrom(named("attacks"), named("models"))


def check_fresh(pairs: Pairs, fresh: Pairs) -> None:
    """Check that fresh rows (rows that no model can know) can be compared with the evaluated rows.

    At least one attack must have perturbed both, and they must have no original in common.

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


def same_text_flips(run: ModelRun, pairs: Pairs, seed: int) -> report.Rate:
    """Return how often a model answers the same text differently when it is asked again.

    All answers to a text are compared in pairs. The share of pairs that differ is computed for each text, and the
    result is the mean over texts, in per cent.

    Args:
        run: the answers of the model, with at least one repeat of all questions.
        pairs: the original and perturbed rows; rows whose text is that of their original are left out.
        seed: the seed of the bootstrap.
    """
    runs, same_texts = (run, *run.repeats), {attack: _same_texts(pairs, attack) for attack in pairs.attacks}
    differing, counted = np.zeros((2, len(pairs.task.scoring.decided), run.episodes, len(pairs.originals)))
    for episode in range(run.episodes):
        given = [(at, [one.originals[episode][at] for one in runs]) for at in range(len(pairs.originals))]
        for attack, rows in pairs.attacks.items():
            given += [
                (pair.original, [one.attacks[attack][episode][row] for one in runs])
                for row, (pair, same) in enumerate(zip(rows, same_texts[attack], strict=True))
                if not same
            ]
        for at, answers in given:
            differing[:, episode, at] += np.subtract(1, rates.agreements(answers, pairs))
            counted[:, episode, at] += 1
    cells = rates.Cells(differing, counted)
    interval = rates.effective(cells, rates.bootstrap([cells], seed)[0])
    return report.Rate(rates.percent(cells.rate() or 0.0), rates.percents(interval), "effective")


def _same_texts(pairs: Pairs, attack: str) -> list[bool]:
    """Tell for each row of an attack whether a model reads the same in it as in its original."""
    read = [Record(original.values, pairs.task).read() for original in pairs.originals]
    return [Record(pair.values, pairs.task).read() == read[pair.original] for pair in pairs.attacks[attack]]


def flips_above_noise(run: ModelRun, pairs: Pairs, attack: str, seed: int) -> report.Rate:
    """Return how much more often an attack changes a model's answer than a mere repeat of the question does.

    For each row, answers are compared in pairs, and the share of unequal pairs is computed twice:

    - between: among pairs of an answer to the original and one to the perturbed text.
    - within: among pairs of answers to the same text.

    The result is the mean over rows of `between` minus `within`, in percentage points. Its expectation is 0 if the
    attack does not change how often the model gives each answer. The interval is that of the bootstrap over originals,
    or Newcombe's if all resamples are equal.

    Args:
        run: the answers of the model, with at least one repeat of all questions.
        pairs: the original and perturbed rows.
        attack: the name of the attack.
        seed: the seed of the bootstrap.
    """
    runs, same = (run, *run.repeats), _same_texts(pairs, attack)
    more, counted = np.zeros((2, len(pairs.task.scoring.decided), run.episodes, len(pairs.originals)))
    for episode in range(run.episodes):
        for row, (pair, alike) in enumerate(zip(pairs.attacks[attack], same, strict=True)):
            counted[:, episode, pair.original] += 1
            if not alike:
                before = [one.originals[episode][pair.original] for one in runs]
                after = [one.attacks[attack][episode][row] for one in runs]
                within = np.add(rates.agreements(before, pairs), rates.agreements(after, pairs)) / 2
                # of 2n answers, n (2n - 1) pairs agree as `every` says; n² of them join both texts
                every = np.array(rates.agreements(before + after, pairs))
                more[:, episode, pair.original] += (2 - 1 / len(runs)) * (within - every)
    cells = rates.Cells(more, counted)
    value, ends = cells.rate(), rates.percentile95(rates.bootstrap([cells], seed)[0])
    if value is not None and ends and ends[0] == ends[1]:
        rows = float((counted > 0).any(axis=(0, 1)).sum())
        ends = rates.newcombe((min(max(value, 0.0), 1.0), rows), (0.0, rows))
    return report.Rate(rates.percent(value), rates.percents(ends), "bootstrap")


def above_noise(judged: rates.JudgedRun, pairs: Pairs, attack: str, seed: int) -> report.Rate:
    """Return the success rate of an attack corrected for slips: the share of usually right answers that it breaks.

    A slip is an answer that the model does not usually give. It may look like a broken answer, or hide one. The
    correction (after Rogan and Gladen 1978) needs these numbers:

    - a: the share of right answers to the originals;
    - t: the share of right answers to the perturbed texts;
    - c: the share of pairs (answer to the original, answer to the perturbed text) of which both are right;
    - s: the probability that a usually right answer slips to a wrong one, estimated from repeats of a question;
    - u: the probability that a usually wrong answer slips to the right one: s / (k - 1) for k labels, and 0 for free
      texts.

    The result, returned in per cent, is 1 - (c - u (a + t) + u²) / ((a - u) (1 - s - u)). If it is below 0, the attack
    mends more answers than it breaks. If each question is always answered right or always wrong, the result is the
    attack success rate with its own interval. Otherwise the interval is that of the bootstrap over originals, widened,
    since resamples vary too little if there are few slips.

    Args:
        judged: the run of the model: its answers, with at least one repeat of all questions.
        pairs: the original and perturbed rows.
        attack: the name of the attack.
        seed: the seed of the bootstrap.
    """
    run = judged.run
    found = [rates.outcomes_of(one, pairs, attack) for one in (run, *run.repeats)]
    before: Floats = np.sum([one.right for one in found], axis=0, dtype=np.float64)
    after: Floats = np.sum([one.after & one.known for one in found], axis=0, dtype=np.float64)
    many = float(len(found))
    slips = (_mixed(before, many) + _mixed(after, many)) / 2
    if not slips.any():
        return judged.rate(attack, "asr")
    both = before * after / many**2
    same = np.array(_same_texts(pairs, attack))  # rows that read like their originals have the same answers
    both[..., same] = (before * (before - 1) / (many * (many - 1)))[..., same]
    shares = (before / many, after / many, both, slips)
    cells = [found[0].cells(hits, found[0].known, len(pairs.originals)) for hits in shares]
    labels = labels_among(pairs.golds, pairs.kind) or ()
    rate = partial(_usually_broken, other=1 / max(len(labels) - 1, 1) if pairs.kind == "labels" else 0.0)
    (value,) = rate(*(np.array([one.rate() or 0.0]) for one in cells)).tolist()
    drawn = rate(*rates.bootstrap(cells, seed))
    low, high = rates.percentile95(drawn) or (value, value)
    # The interval is widened until it holds c ± h for two centres c: the rate, and the centre of Wilson's interval with
    # a trial for each right answer (a rate from few broken rows is more often too low than too high). h is Student's t
    # times √(e² + 1/n²): e is the standard error of the bootstrap, n the number of right answers, and 1/n² stands for
    # one more row, because few slips vary more than their resamples.
    right, freedom = max(cells[0].hits.sum() / run.episodes, 1.0), max(len(pairs.originals) - 1, 2)
    quantile = rates.student(freedom)
    half = quantile * float(np.hypot(np.nanstd(drawn) * np.sqrt(1 + 1 / freedom), 1 / right))
    centres = value, (value * right + quantile**2 / 2) / (right + quantile**2)
    ends = min(low, min(centres) - half), max(high, max(centres) + half)
    return report.Rate(rates.percent(value), rates.percents(ends), "bootstrap")


def _mixed(right: Floats, many: float) -> Floats:
    """Return the share of ordered pairs of repeats of which the first is right and the second wrong."""
    return right * (many - right) / (many * (many - 1))


def _usually_broken(before: Floats, after: Floats, both: Floats, mixed: Floats, other: float) -> Floats:
    """Return the share of usually right answers that are usually wrong after an attack (`above_noise`).

    Args:
        before: the shares of right answers to the originals, shape (resamples,).
        after: the shares of right answers to the perturbed texts, same shape, as all that follow.
        both: the shares of pairs (answer to the original, answer to the perturbed text) of which both are right.
        mixed: the shares of ordered pairs of answers to one text of which the first is right and the second wrong.
        other: the probability that the slip of a wrong answer gives the right one, in [0, 1].
    """
    right, slip = (before + after) / 2, np.zeros_like(mixed)
    for _ in range(_ROUNDS):  # mixed = p s - q s², with p and q from the share of usually right answers
        usual = np.clip((right - other * slip) / (1 - slip - other * slip), 0.0, 1.0)
        p, q = usual + (1 - usual) * other, usual + (1 - usual) * other**2
        root = np.sqrt(np.maximum(p * p - 4 * q * mixed, 0.0))
        slip = np.minimum((p - root) / (2 * np.maximum(q, 1e-9)), _MOST_SLIPS)
    mended = other * slip
    left = np.maximum(before - mended, 1e-9) * (1 - slip - mended)
    return 1 - (both - mended * (before + after) + mended**2) / left


_STEPS = 51
"""The number of thresholds from 0 to 1 at which curves are drawn."""
_PLACES = 10_000
"""Thresholds have four decimals."""
Catches = Mapping[str, Sequence[float | None]]
"""Maps each attack, and "" for the originals, to the score of each row: the softmax probability of the label to be
caught, in [0, 1]; None if it is not known."""


def check_catch(label: str | None, pairs: Pairs) -> None:
    """Check that the rows allow to test a filter that must catch a label, such as "toxic".

    Args:
        label: the label; None if no label is to be caught.
        pairs: the original and perturbed rows.

    Raises:
        AugmentError: the task does not have exactly one label for each row, or no original has this label.
    """
    if label is None:
        return
    if pairs.kind != "labels" or len(pairs.task.scoring.decided) != 1:
        raise AugmentError(f"`catch` {label}: the task '{pairs.task.name}' has no single label")
    with saying_where("`catch`"):
        check_known("label of the rows", label, labels_among(pairs.golds, pairs.kind) or ())


def catch_scores(model: NamedModel, plan: EvaluationPlan, label: str, cache: Cache | None) -> Catches | None:
    """Ask a model for the probability of a label in each row, in [0, 1]; return None if the model gives no scores.

    Only the first set of demonstrations (episode) is used.

    Args:
        model: the model.
        plan: the questions.
        label: the label that a filter must catch.
        cache: the cache of answers; None to ask every question.

    Returns:
        The probability of the label in each row (softmax of the scores), by attack, and under "" for the originals. It
        is None for a row to which the model gives no scores of labels.
    """
    if model.scored is None:
        return None
    shots, episodes = plan.runs_of(model)[0]
    asked = model.with_scores()
    given = ask(asked, plan.examples(shots, episodes[0]), cache, QuestionCounts())
    return plan.by_attack([_probability(asked.scores_of(one).scores, label) for one in given])


def _probability(scores: Sequence[Mapping[str, float]], label: str) -> float | None:
    if len(scores) != 1 or label not in scores[0]:
        return None
    values = np.array(list(scores[0].values()))
    return float(np.exp(scores[0][label] - values.max()) / np.exp(values - values.max()).sum())


def catch_report(
    label: str, judged: rates.JudgedRun, pairs: Pairs, scores: Catches | None, seed: int
) -> report.CatchReport:
    """Return the errors of a filter that must catch a label, on the originals and after each attack.

    The filter misses a row if the row has the label and the model gives another one. It raises a false alarm if the row
    has another label and the model gives the label to be caught.

    Args:
        label: the label that the filter must catch.
        judged: the run of the model, with its outcomes.
        pairs: the original and perturbed rows.
        scores: the probability of the label in each row, by attack, and under "" for the originals; None if the model
            gives none.
        seed: the seed of the bootstrap.
    """
    run, golds, thresholds = judged.run, pairs.golds, np.linspace(0.0, 1.0, _STEPS).round(4).tolist()
    is_label = np.array([gold[0] == label for gold in golds])
    is_other = np.array([gold[0] is not None for gold in golds]) & ~is_label
    caught = np.array([[answer[0] == label for answer in episode] for episode in run.originals])
    own = None if scores is None else _known(scores[""])

    def rate(hits: np.ndarray, trials: np.ndarray, rows: np.ndarray) -> report.Rate:
        decided = np.broadcast_to(trials, hits.shape)
        cells = rates.cells_of(rows, (hits & decided)[None], decided[None], len(golds))
        return rates.rate_of(cells, rates.bootstrap([cells], seed)[0])

    def after(answers: np.ndarray, rows: np.ndarray, given: np.ndarray | None) -> report.CatchAfter:
        missed, alarms = (rate(one, trials[rows], rows) for one, trials in ((~answers, is_label), (answers, is_other)))
        curves = None
        if given is not None:
            curves = {
                "missed": [_share(given[is_label[rows]] < one) for one in thresholds],
                "false_alarms": [_share(given[is_other[rows]] >= one) for one in thresholds],
            }
        return report.CatchAfter(missed=missed, false_alarms=alarms, curves=curves)

    everything = np.arange(len(golds))
    before, attacks = after(caught, everything, own), dict[str, report.CatchAfter]()
    for attack, pairs_of in pairs.attacks.items():
        rows = np.array([pair.original for pair in pairs_of])
        answers = np.array([[answer[0] == label for answer in episode] for episode in run.attacks[attack]])
        given = None if scores is None else _known(scores[attack])
        found = after(answers, rows, given)
        if given is not None and own is not None and before.missed.value is not None:
            ranked = np.sort(given[is_label[rows]])[::-1]
            needed = ceil(ranked.size * (1 - before.missed.value / 100) - 1e-9)
            threshold = float(ranked[needed - 1]) if 0 < needed <= ranked.size else 1.0
            # rounded up, it would miss the row that it is taken from
            threshold = floor(round(threshold * _PLACES, 6)) / _PLACES
            then = rates.wilson_rate(int((own[is_other] >= threshold).sum()), int(is_other.sum()))
            found = replace(found, threshold=threshold, false_alarms_then=then)
        attacks[attack] = found
    return report.CatchReport(label=label, originals=before, attacks=attacks, thresholds=thresholds)


def _known(scores: Sequence[float | None]) -> np.ndarray | None:
    """Return scores as an array; None if one is not known."""
    return None if None in scores else np.array(scores, np.float64)


def _share(flags: np.ndarray) -> float | None:
    return rates.percent(float(flags.mean())) if flags.size else None


_FACTORS = ("prompt", "attack", "row")
_ROW = 2
_PARTS = tuple(chain.from_iterable(combinations(range(3), size) for size in (1, 2, 3)))
"""The sources of variance: each factor, each pair of factors, and all three together, as tuples of axes."""
SHARES = (*(" × ".join(_FACTORS[axis] for axis in part) for part in _PARTS[:-1]), "rest")


def prompts_report(judged: Sequence[rates.JudgedRun], seed: int) -> list[report.PromptsReport]:
    """Return how much the right answers of models depend on the prompt.

    There is a report for each model that is asked with several prompts, with each number of demonstrations.

    Args:
        judged: the runs of all models, with their outcomes.
        seed: the seed of the bootstrap.
    """
    groups = grouped(((one.run.prompt.model, one.run.shots), one) for one in judged if one.run.prompt is not None)
    found = [_report(model, shots, runs, seed) for (model, shots), runs in groups.items() if len(runs) > 1]
    return [one for one in found if one is not None]


def right_by_prompt(runs: Sequence[rates.JudgedRun]) -> tuple[list[str], Floats]:
    """Return the shares of a model's answers that are right, by prompt, condition and original.

    A condition is the original text or an attack. An original is left out if its right answer is not known, or if some
    attack has no row of it.

    Args:
        runs: the runs of one model, one for each prompt.

    Returns:
        Two values. The first has the names of the conditions: "original", then each attack. The second is an array of
        shape (prompts, conditions, originals) with the shares, in [0, 1]. A share is the mean over the rows of the
        original, the labels, and the episodes (sets of demonstrations).
    """
    attacks = [attack for attack in runs[0].outcomes if attack != WORST_ROWS]
    found = []
    for one in runs:
        hits = [one.cells["", rates.RIGHT].hits, *(one.cells[attack, "kept_accuracy"].hits for attack in attacks)]
        trials = [one.cells["", rates.RIGHT].trials, *(one.cells[attack, "asr_all_rows"].trials for attack in attacks)]
        sums = [[counts.sum(axis=(0, 1)) for counts in side] for side in (hits, trials)]
        with np.errstate(invalid="ignore", divide="ignore"):
            found.append(np.array(sums[0]) / np.array(sums[1]))
    values = np.array(found)
    return ["original", *attacks], values[..., ~np.isnan(values).any(axis=(0, 1))]


def variance_shares(values: Floats, weights: Floats | None = None) -> Floats:
    """Return how much of the variance of right answers the prompt, the attack and the row cause, as shares in [0, 1].

    There are seven shares: of prompt, attack and row, of each pair of them, and of the rest (the interaction of all
    three together with the error). They are estimated as in a crossed design with random effects (Brennan 2001,
    Generalizability Theory, chapter 3). A negative estimate counts as 0.

    Args:
        values: the share of right answers, shape (prompts, conditions, rows). The conditions are the original text and
            the attacks.
        weights: how often each bootstrap resample contains each row, shape (resamples, rows); None for no bootstrap:
            each row counts once.

    Returns:
        The shares in the order of `SHARES`, shape (resamples, 7); NaN where nothing varies.
    """
    sizes = values.shape
    weights = np.ones((1, sizes[2])) if weights is None else weights
    squares: dict[tuple[int, ...], Floats] = {}
    for part in ((), *_PARTS):
        left = tuple(axis for axis in range(2) if axis not in part)
        means = values.mean(axis=left, keepdims=True)
        if _ROW in part:
            sums = (weights @ (means**2).reshape(-1, sizes[2]).T).sum(axis=1)
        else:
            flat = means.reshape(-1, sizes[2])
            sums = ((weights @ flat.T / weights.sum(axis=1, keepdims=True)) ** 2).sum(axis=1) * sizes[2]
        repeats = np.prod([sizes[axis] for axis in left], initial=1.0)
        within = [other for other in squares if set(other) < set(part)]
        squares[part] = sums * repeats - sum((squares[other] for other in within), np.zeros(len(weights)))
    mean = {part: squares[part] / np.prod([sizes[axis] - 1.0 for axis in part]) for part in _PARTS}
    components = []
    for part in _PARTS:
        signed = [(-1) ** (len(other) - len(part)) * mean[other] for other in _PARTS if set(part) <= set(other)]
        others = np.prod([sizes[axis] for axis in range(3) if axis not in part], initial=1.0)
        components.append(np.maximum(sum(signed, np.zeros(len(weights))) / others, 0.0))
    found = np.stack(components, axis=1)
    total = found.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(found, total, out=np.full_like(found, np.nan), where=total > 0)
    return shares


def _report(model: str, shots: int | None, runs: Sequence[rates.JudgedRun], seed: int) -> report.PromptsReport | None:
    """Return the report of a model; None if no original is counted."""
    conditions, values = right_by_prompt(runs)
    prompts, rows = [one.run.prompt.prompt for one in runs if one.run.prompt is not None], values.shape[2]
    if not rows:
        return None
    key = int(digests([f"prompts:{seed}"])[0])
    weights = np.vstack([np.ones(rows), rates.resampled(key, rows, rates.RESAMPLES)])  # the rows, then resamples
    means = np.einsum("pcr,br->bpc", values, weights) / rows
    over = means.mean(axis=2)  # by prompt, over the conditions
    attacked = len(conditions) > 1
    shares = variance_shares(values, weights) if attacked and rows > 1 else np.empty((0, 0))
    return report.PromptsReport(
        model=model,
        shots=shots,
        rows=rows,
        prompts=[
            report.PromptEffect(
                name=name,
                original=_rate(means[:, at, 0]),
                attacked=_rate(means[:, at, 1:].mean(axis=1)) if attacked else None,
                effect=_rate(over[:, at] - over.mean(axis=1)),
            )
            for at, name in enumerate(prompts)
        ],
        attacks={
            name: _rate((means[..., at] - means[..., 0]).mean(axis=1)) for at, name in enumerate(conditions) if at
        },
        spread=_rate(np.ptp(means[..., 0], axis=1)),
        worst=prompts[over[0].argmin()],
        worst_in=rates.percent(float((over[1:].argmin(axis=1) == over[0].argmin()).mean())) or 0.0,
        shares={name: _rate(shares[:, at]) for at, name in enumerate(SHARES) if shares.size},
    )


def _rate(values: Floats) -> report.Rate:
    """Return the rate `values[0]`, in per cent, with the 95 % interval of its resamples `values[1:]`."""
    own = None if np.isnan(values[0]) else rates.percent(float(values[0]))
    return report.Rate(own, rates.percents(rates.percentile95(values[1:])), "bootstrap")


_FORM = re.compile(r"\s*(\w+)\s*(?:\((.*)\))?\s*(<=|>=)\s*(-?\d+(?:\.\d+)?)\s*%?\s*", re.DOTALL)
_OF_ATTACKS = (
    "asr", "asr_above_noise", "flips_above_noise", "asr_perturbed_rows", "asr_all_rows", "flip_rate",
    "performance_drop_rate",
)  # fmt: skip
_OF_MODELS = ("worst_case", "worst_case_asr", "consistency", "same_text_flips")
_OF_REPEATS = ("asr_above_noise", "flips_above_noise", "same_text_flips")
_SHARES = (accuracy, exact_match)
"""The metrics that are shares of right answers."""
_UNKNOWN = report.Rate(None, None)


class Requirement(NamedTuple):
    """A limit that a rate or a metric of every model must keep to, such as `asr(people) <= 5`.

    Attributes:
        text: the requirement as it was given.
        name: a metric, or the name of a rate in the report.
        attack: the attack; None if the text names no attack: a rate such as `asr` must then meet the requirement for
            each attack, and a metric must meet it on the originals.
        most: True if the number must be at most `limit`, False if it must be at least `limit`.
        limit: the limit, in per cent.
    """

    text: str
    name: str
    attack: str | None
    most: bool
    limit: float

    @classmethod
    def of(cls, text: str) -> "Requirement":
        """Read a requirement on a rate or metric of each model: `NAME <= NUMBER` or `NAME(ATTACK) >= NUMBER`.

        >>> Requirement.of("asr(people) <= 5").attack
        'people'

        Raises:
            AugmentError: the text has another form.
        """
        found = _FORM.fullmatch(text)
        if found is None:
            problem = f"`require` {text}: must be NAME <= NUMBER or NAME(ATTACK) >= NUMBER, as in asr(people) <= 5"
            raise AugmentError(problem)
        name, attack, sign, limit = found.groups()
        return cls(" ".join(text.split()), name, attack and attack.strip(), sign == "<=", float(limit))

    def check(self, metrics: Sequence[str], attacks: Sequence[str], repeats: int) -> None:
        """Check that an evaluation computes the rate or metric that this requirement limits, for its attack.

        Whether the value is within the limit is checked later.

        Args:
            metrics: the names of the metrics of the evaluation.
            attacks: its attacks.
            repeats: how often it asks each question.

        Raises:
            AugmentError: the evaluation does not compute this rate or metric.
        """
        known = [*metrics, *(_OF_ATTACKS + _OF_MODELS if attacks else ("same_text_flips",))]
        with saying_where(f"`require` {self.text}"):
            check_known("metric or rate", self.name, known)
            if self.attack is not None and self.name in _OF_MODELS:
                raise AugmentError(f"{self.name} is no number of one attack; leave ({self.attack}) out")
            if self.attack is not None:
                check_known("attack", self.attack, attacks)
            if self.name in _OF_REPEATS and repeats == 1:
                raise AugmentError("is known from repeats alone; give `repeats` 3")

    def problem(self, known: report.Rate, *, point: bool) -> str | None:
        """Say why a value is not within the limit of the requirement; None if it is.

        Args:
            known: the value of the rate or metric, with its interval.
            point: True to judge the value itself; False to judge the end of its 95 % interval that is nearer to
                failing: the upper end for <=, the lower end for >=.
        """
        ends = known.ci95
        if known.value is None or (ends is None and not point):
            return "is not known"
        judged = known.value if point or ends is None else ends[1 if self.most else 0]
        if judged <= self.limit if self.most else judged >= self.limit:
            return None
        beyond = f"{'over' if self.most else 'under'} {self.limit:g}"
        if point or ends is None:
            return f"is {known.value:.2f}, {beyond}"
        end = f"{'upper' if self.most else 'lower'} end"
        return f"is {known.value:.2f}, 95 % {ends[0]:.2f}–{ends[1]:.2f}; the {end} is {beyond}"

    def of_model(
        self, model: report.ModelReport, metric: Callable[[str, str | None], report.Rate]
    ) -> Iterator[tuple[str, report.Rate]]:
        """Yield the rates or metrics of a model that the requirement limits, each as (name, value).

        There may be several, such as the success rate of every attack.

        Args:
            model: the entry of the model in the report.
            metric: computes a metric by its name, on the rows of an attack, or on the originals if the attack is None.
        """
        if self.name in _OF_MODELS:
            yield self.name, getattr(model, self.name) or _UNKNOWN
        elif self.name not in _OF_ATTACKS:
            yield self.name if self.attack is None else f"{self.name}({self.attack})", metric(self.name, self.attack)
        else:
            for attack in [self.attack] if self.attack is not None else model.attacks:
                entry = model.attacks[attack]
                found = (
                    report.Rate(entry.rate.asr, entry.rate.ci95) if self.name == "asr" else getattr(entry, self.name)
                )
                yield f"{self.name}({attack})", found or _UNKNOWN


def metric_of(
    metrics: Mapping[str, Metric], pairs: Pairs, run: ModelRun, name: str, attack: str | None, *, seed: int
) -> report.Rate:
    """Return a metric with its 95 % interval, in per cent.

    The interval is Wilson's if the metric is a share of right answers and each record gives one decision; otherwise it
    is that of a bootstrap over records.

    Args:
        metrics: the metrics by name.
        pairs: the original and perturbed rows.
        run: the answers of the model.
        name: the name of the metric.
        attack: the attack whose rows are counted; None for the originals.
        seed: the seed of the bootstrap.
    """
    metric, episodes = metrics[name], run.originals if attack is None else run.attacks[attack]
    rows = range(len(pairs.originals)) if attack is None else [pair.original for pair in pairs.attacks[attack]]

    def value(chosen: Sequence[int]) -> float | None:
        answers = [[episode[at] for at in chosen] for episode in episodes]
        found = rates.scores({"": metric}, pairs, answers, [rows[at] for at in chosen])
        return found[""].value if found else None

    every = value(range(len(rows)))
    known = [at for at, original in enumerate(rows) if None not in pairs.golds[original]]
    scoring = pairs.task.scoring
    alone = len(scoring.decided) == len(episodes) == 1 and scoring.grouped_by is None
    if every is not None and metric.score in _SHARES and alone and len({rows[at] for at in known}) == len(known):
        return report.Rate(every, rates.percents(rates.wilson(every / 100 * len(known), len(known))))
    own, random = list(grouped((rows[at], at) for at in known).values()), np.random.default_rng([seed, 1])
    drawn = [
        np.nan if (one := value([at for record in picked for at in own[record]])) is None else one
        for picked in random.integers(len(own), size=(rates.RESAMPLES if own else 0, len(own))).tolist()
    ]
    return report.Rate(every, rates.percentile95(np.array(drawn, np.float64)))
