"""Models as filters for one label, such as "toxic": rows they miss and false alarms, before and after attacks."""

from collections.abc import Mapping, Sequence
from math import ceil, floor

import numpy as np
from msgspec.structs import replace

from augment_ru.errors import AugmentError, check_known, saying_where
from augment_ru.evaluation.answers import labels_among
from augment_ru.evaluation.examples import Cache, NamedModel, QuestionCounts, ask
from augment_ru.evaluation.pairs import Pairs
from augment_ru.evaluation.protocol import EvaluationPlan
from augment_ru.evaluation.rates import JudgedRun, bootstrap, cells_of, percent, rate_of, wilson_rate
from augment_ru.evaluation.report import CatchAfter, CatchReport, Rate

_STEPS = 51
"""The number of thresholds from 0 to 1 at which curves are drawn."""
_PLACES = 10_000
"""Thresholds have four decimals."""
Catches = Mapping[str, Sequence[float | None]]
"""Maps each attack, and "" for the originals, to the score of each row: the softmax probability of the label to be
caught, in [0, 1]; None if it is not known."""


def check_catch(label: str | None, pairs: Pairs) -> None:
    """Check that a filter can be asked to catch a label, such as "toxic".

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
        For each attack, and "" for the originals, the probability of the label in each row (softmax of the scores). The
        probability is None for a row to which the model gives no scores of labels.
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


def catch_report(label: str, judged: JudgedRun, pairs: Pairs, scores: Catches | None, seed: int) -> CatchReport:
    """Return the errors of a filter that must catch a label, on the originals and after each attack.

    The filter misses a row if the row has the label and the model gives another one. It raises a false alarm if the row
    has another label and the model gives the label to be caught.

    Args:
        label: the label that the filter must catch.
        judged: the run of the model: its answers and which of them are right.
        pairs: the original and perturbed rows.
        scores: for each attack, and "" for the originals, the probability of the label in each row; None if the model
            gives none.
        seed: the seed of the bootstrap.
    """
    run, golds, thresholds = judged.run, pairs.golds, np.linspace(0.0, 1.0, _STEPS).round(4).tolist()
    is_label = np.array([gold[0] == label for gold in golds])
    is_other = np.array([gold[0] is not None for gold in golds]) & ~is_label
    caught = np.array([[answer[0] == label for answer in episode] for episode in run.originals])
    own = None if scores is None else _known(scores[""])

    def rate(hits: np.ndarray, trials: np.ndarray, rows: np.ndarray) -> Rate:
        decided = np.broadcast_to(trials, hits.shape)
        cells = cells_of(rows, (hits & decided)[None], decided[None], len(golds))
        return rate_of(cells, bootstrap([cells], seed)[0])

    def after(answers: np.ndarray, rows: np.ndarray, given: np.ndarray | None) -> CatchAfter:
        missed, alarms = (rate(one, trials[rows], rows) for one, trials in ((~answers, is_label), (answers, is_other)))
        curves = None
        if given is not None:
            curves = {
                "missed": [_share(given[is_label[rows]] < one) for one in thresholds],
                "false_alarms": [_share(given[is_other[rows]] >= one) for one in thresholds],
            }
        return CatchAfter(missed=missed, false_alarms=alarms, curves=curves)

    everything = np.arange(len(golds))
    before, attacks = after(caught, everything, own), dict[str, CatchAfter]()
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
            then = wilson_rate(int((own[is_other] >= threshold).sum()), int(is_other.sum()))
            found = replace(found, threshold=threshold, false_alarms_then=then)
        attacks[attack] = found
    return CatchReport(label=label, originals=before, attacks=attacks, thresholds=thresholds)


def _known(scores: Sequence[float | None]) -> np.ndarray | None:
    """Return scores as an array; None if one is not known."""
    return None if None in scores else np.array(scores, np.float64)


def _share(flags: np.ndarray) -> float | None:
    return percent(float(flags.mean())) if flags.size else None
