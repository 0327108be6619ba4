"""The worst case of several attacks: for each original the row that breaks most of the models.

Such rows are chosen by what they break, so a rate over them is that of no attack: `evaluate` counts them as an attack
of their own, and says from which attacks and by which models they were chosen.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from augment_ru.evaluation.pairs import CHOSEN, WORST_ROWS, Pair, Pairs
from augment_ru.evaluation.rates import JudgedRun
from augment_ru.formats.row import KEY


def worst_case(pairs: Pairs, runs: Sequence[JudgedRun]) -> Iterator[dict[str, Any]]:
    """For each original, in their order, the row that breaks the most decisions of all models and episodes.

    Of equal ones it is the most similar to its original, then the first in the order of the attacks. An original that
    no row of any attack breaks is given by its most similar row. Each row says what it was chosen from.
    """
    best: dict[int, tuple[tuple[int, float], Pair]] = {}
    for attack, rows in pairs.attacks.items():
        broken = sum(judged.outcomes[attack].broken.sum(axis=(0, 1)) for judged in runs)
        counts = [int(count) for count in broken] if runs else [0] * len(rows)
        for pair, count in zip(rows, counts, strict=True):
            strength = (count, 1.0 if pair.similarity is None else pair.similarity)
            if pair.original not in best or strength > best[pair.original][0]:
                best[pair.original] = (strength, pair)
    models = list(dict.fromkeys(judged.run.model for judged in runs))
    chosen = {CHOSEN: {"attacks": list(pairs.attacks), "models": models}}
    for original in range(len(pairs.originals)):
        if original in best:
            pair = best[original][1]
            yield {**pair.values, KEY: {"attack": pair.attack, **pair.metadata, **chosen}}


def chosen_from(pairs: Pairs) -> dict[str, Any]:
    """`{"worst_of": …}`, the attacks and the models of rows that were chosen; nothing if there are none."""
    found: dict[str, dict[str, None]] = {"attacks": {}, "models": {}}
    for pair in pairs.attacks.get(WORST_ROWS, ()):
        said = pair.metadata.get(CHOSEN)
        for key, names in found.items():
            listed = said.get(key) if isinstance(said, Mapping) else None
            names.update(dict.fromkeys(map(str, listed) if isinstance(listed, list) else ()))
    return {CHOSEN: {key: list(names) for key, names in found.items()}} if WORST_ROWS in pairs.attacks else {}


def about_chosen(chosen: Mapping[str, Any]) -> str:
    """What rows that were chosen are, in two sentences."""
    models = f" ({', '.join(chosen['models'])})" if chosen["models"] else ""
    attacks = f" among the rows of {', '.join(chosen['attacks'])}" if chosen["attacks"] else ""
    return (
        f"Of each original the row that breaks most of the models{models}{attacks}: what an adversary who may choose "
        "the attack does to these models. To others it is no worst case."
    )
