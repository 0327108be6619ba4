"""The search against a model that gives only labels, with a guide: a model whose scores order the queries.

Before the first wrong answer, labels do not tell which changes matter. Changes that break one model often break another
one of the same task, so the guide's scores order the queries. Since they are only guesses, random noise of varying size
is added to the effects that they predict, and some queries are drawn without the guide.
"""

from dataclasses import dataclass

import numpy as np

from augment_ru.adversary.by_labels import random_sets
from augment_ru.adversary.knowledge import Draws, Knowledge, Search, as_set
from augment_ru.draws import Floats

_NOISE = (0.0, 0.3, 0.0, 0.6, 0.3, 1.0)
"""The standard deviations of the noise added to the effects, used in turn; the unit is that of all effects."""
_BLIND = 8
"""One of this many queries is drawn without the guide."""
_LETTERS = 4
"""One of this many sets may change several letters of a word; the others change one at most. With the gate, which often
refuses sets of many letters, one change a word breaks more answers; without it, further letters do, against models of
characters (benchmarks/measurements.md)."""
_TRIES = 50
"""After this many proposed sets in a row that cannot be asked about, the guide is not used any more."""


@dataclass(frozen=True, slots=True)
class Guidance:
    """What the scores of a guide say about a record.

    A rival is a label that may replace the right one. Its margin is how far its score is behind that of the right
    label.

    Attributes:
        margins: the margin of each rival in the original, in nats, shape (rivals,).
        effects: by how much each change of the record, applied alone, lowers each margin, shape (changes, rivals).
    """

    margins: Floats
    effects: Floats


def break_by_guide(knowledge: Knowledge, guidance: Guidance, draws: Draws) -> Search:
    """Search for a set of changes that breaks the answer, in the order that a guide's scores suggest.

    The generator yields the next set to ask the model about; the caller sends back what came of the set. The search
    ends when a set broke the answer, or when no new set is found.

    Args:
        knowledge: which sets of the record's changes were tried already, and what came of each.
        guidance: what the guide's scores say about the record.
        draws: the random numbers of the search.
    """
    blind = random_sets(knowledge, draws)
    scale = float(guidance.effects.std())
    nearest = np.argsort(guidance.margins, kind="stable")
    turn = asked = failures = 0
    while failures < _TRIES:
        rival = nearest[turn // len(_NOISE) % len(nearest)]
        noise = _NOISE[turn % len(_NOISE)] * scale
        turn += 1
        alone = turn % _LETTERS != 0
        gains = guidance.effects[:, rival] + (noise * draws.bell(len(knowledge)) if noise else 0.0)
        order = np.argsort(-gains, kind="stable").tolist()
        chosen = as_set(knowledge.fitting(order, gains.tolist(), alone=alone))
        if not chosen or not knowledge.is_open(chosen):
            failures += 1
            continue
        failures = 0
        verdict = yield chosen
        asked += 1
        if not verdict.broken and asked % (_BLIND - 1) == 0 and (drawn := next(blind, None)) is not None:
            verdict = yield drawn
        if verdict.broken:
            return
    for drawn in blind:
        verdict = yield drawn
        if verdict.broken:
            return
