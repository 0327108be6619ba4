"""What all perturbed versions of a record do together: the worst of them, and how far their predictions agree."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from augment_ru.evaluation.answer_scores import normalised
from augment_ru.evaluation.answers import Answer  # noqa: TC001  (as in the modules beside)
from augment_ru.evaluation.intervals import Cells
from augment_ru.evaluation.metrics import Kind
from augment_ru.evaluation.outcomes import AttackOutcomes
from augment_ru.evaluation.pairs import Pairs
from augment_ru.evaluation.protocol import ModelRun

WORST, WORST_ASR, CONSISTENCY = "worst_case", "worst_case_asr", "consistency"


def robustness_cells(
    run: ModelRun, outcomes: Mapping[str, AttackOutcomes], pairs: Pairs, kind: Kind
) -> dict[str, Cells]:
    """The hits and trials of the rates over all attacks and candidates of a record.

    - `worst_case`: decisions right on the original and on every perturbed row, of all decisions: the minimum over the
      versions of a record (Liang et al. 2023, HELM, section 4.3).
    - `worst_case_asr`: decisions that some perturbed row breaks, of those right on the original.
    - `consistency`: the share of pairs of versions of a record, the original among them, with the same prediction, as a
      mean over records (Nalbandyan et al. 2025, SCORE, section 3).
    """
    if not outcomes:
        return {}
    found = worst_cells(outcomes, len(pairs.originals))
    agreeing, counted = _agreement(run, pairs, kind, found[WORST].hits.shape)
    return {**found, CONSISTENCY: Cells(agreeing, counted)}


def worst_cells(outcomes: Mapping[str, AttackOutcomes], records: int) -> dict[str, Cells]:
    """The hits and trials of the worst case over attacks, for so many originals."""
    first = next(iter(outcomes.values()))
    shape = (*first.before.shape[:2], records)
    known, right = (np.zeros(shape, np.bool_) for _ in range(2))
    broken = np.zeros(shape, np.bool_)
    for one in outcomes.values():
        for row, at in enumerate(one.original.tolist()):
            known[..., at] |= one.known[:, None, row]
            right[..., at] |= one.right[..., row]
            broken[..., at] |= one.right[..., row] & ~one.after[..., row]
    return {
        WORST: Cells((right & ~broken).astype(np.float64), known.astype(np.float64)),
        WORST_ASR: Cells(broken.astype(np.float64), right.astype(np.float64)),
    }


def _agreement(run: ModelRun, pairs: Pairs, kind: Kind, shape: tuple[int, ...]) -> Cells:
    """For each record the share of pairs of its versions with one prediction, and 1 where it has two versions."""
    shares, counted = np.zeros(shape), np.zeros(shape)
    for episode in range(shape[1]):
        versions: list[list[Answer]] = [[answer] for answer in run.originals[episode]]
        for attack, rows in pairs.attacks.items():
            for pair, answer in zip(rows, run.attacks[attack][episode], strict=True):
                versions[pair.original].append(answer)
        for at, given in enumerate(versions):
            if len(given) > 1:
                counted[:, episode, at] = 1
                for field in range(shape[0]):
                    shares[field, episode, at] = agreeing_pairs([_form(answer[field], kind) for answer in given])
    return Cells(shares, counted)


def agreeing_pairs(values: Sequence[Any]) -> float:
    """The share of pairs of equal values, of at least two values.

    >>> agreeing_pairs(["a", "a", "b"])
    0.3333333333333333
    """
    pairs = sum(count * (count - 1) for count in Counter(values).values())
    return pairs / (len(values) * (len(values) - 1))


def _form(answer: Any, kind: Kind) -> Any:  # noqa: ANN401  (of the metrics' kind)
    return normalised(answer) if kind == "answers" else answer
