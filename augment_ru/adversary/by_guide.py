"""The search with labels alone and a guide: another model, whose scores say which changes are likely to help.

Before the first wrong answer a label says nothing about which change matters. What breaks one model often breaks
another one of the same task, so the guide's scores order the questions. They stay guesses: the effects are varied at
random, more widely and less widely in turn, and one question in some is drawn without them.
"""

from dataclasses import dataclass

import numpy as np

from augment_ru.adversary.by_labels import random_sets
from augment_ru.adversary.knowledge import Draws, Knowledge, Search, as_set
from augment_ru.draws import Floats

_NOISE = (0.0, 0.3, 0.0, 0.6, 0.3, 1.0)
"""Standard deviations that are added to the effects, in turn, in units of the deviation of all effects."""
_BLIND = 8
"""One of this number of questions is drawn without the guide."""
_TRIES = 50
"""Sets in a row that were asked before, after which the guide has nothing more to say."""


@dataclass(frozen=True, slots=True)
class Guidance:
    """What a guide says about a record.

    Attributes:
        margins: how far each rival is from winning in the original, in nats, shape (rivals,).
        effects: what each change alone takes off each margin, shape (changes, rivals).
    """

    margins: Floats
    effects: Floats


def break_by_guide(knowledge: Knowledge, guidance: Guidance, draws: Draws) -> Search:
    """Look for a set that breaks the answer; ends when one does, or when nothing is left to try."""
    blind = random_sets(knowledge, draws)
    scale = float(guidance.effects.std())
    nearest = np.argsort(guidance.margins, kind="stable")
    turn = asked = failures = 0
    while failures < _TRIES:
        rival = nearest[turn // len(_NOISE) % len(nearest)]
        noise = _NOISE[turn % len(_NOISE)] * scale
        turn += 1
        gains = guidance.effects[:, rival] + (noise * draws.bell(len(knowledge)) if noise else 0.0)
        chosen = as_set(knowledge.fitting(np.argsort(-gains, kind="stable").tolist(), gains.tolist()))
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
