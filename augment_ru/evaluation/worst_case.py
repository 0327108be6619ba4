"""The worst case of several attacks: for each original the row that breaks most of the models."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from augment_ru.evaluation.report import Evaluation
from augment_ru.formats.row import KEY

if TYPE_CHECKING:
    from augment_ru.evaluation.pairs import Pair


def worst_case(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    """For each original, in their order, the row that breaks the most decisions of all models and episodes.

    Of equal ones it is the most similar to its original, then the first in the order of the attacks. An original that
    no row of any attack breaks is given by its most similar row.
    """
    best: dict[int, tuple[tuple[int, float], Pair]] = {}
    for attack, rows in evaluation.pairs.attacks.items():
        broken = sum(judged.outcomes[attack].broken.sum(axis=(0, 1)) for judged in evaluation.judged)
        counts = [int(count) for count in broken] if evaluation.judged else [0] * len(rows)
        for pair, count in zip(rows, counts, strict=True):
            strength = (count, 1.0 if pair.similarity is None else pair.similarity)
            if pair.original not in best or strength > best[pair.original][0]:
                best[pair.original] = (strength, pair)
    for original in range(len(evaluation.pairs.originals)):
        if original in best:
            pair = best[original][1]
            yield {**pair.values, **({KEY: dict(pair.metadata)} if pair.metadata else {})}
