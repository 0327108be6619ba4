"""Searches against a model: each yields sets of changes to ask about, until one breaks the answer, then smaller ones.

**With scores**, a surrogate predicts the effects of sets of changes from all answers so far. The next set is chosen in
one of three ways:

- the smallest set that the surrogate expects to break the answer; if there is none, the one expected nearest to it;
- the set that came nearest to breaking the answer, with one change added, taken back or exchanged. Effects are not
  quite additive, and the surrogate errs least near a set that was asked;
- a random set, as against a model that gives only labels: unless an answer showed that further letters of a word add
  something, because models of words often break when most words are changed; and if the other ways find no new set.

**With labels alone**, the answers before the first wrong one do not tell which changes matter. So the search draws sets
of six sizes: the largest change all places, the smallest half of them. A place is a word that can be changed, and each
gets one change; one set of nine changes all letters of its words that can be changed. Every place is drawn about
equally often, and so is every alternative at a place. Many changes at once break most answers. Some answers break only
if certain words stay as they are; smaller sets leave more words as they are.

**With a guide**, a model whose scores order the queries: changes that break one model often break another one of the
same task. Since the guide's scores are only guesses, random noise of varying size is added to the effects that they
predict, and some queries are drawn without the guide.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from math import fsum
from typing import TypeAlias

import numpy as np

from augment_ru.adversary.knowledge import ChangeSet, Draws, Knowledge, Regression, Search, Surrogate, as_set
from augment_ru.draws import Floats

_SHARES = (1.0, 0.8, 0.9, 0.7, 0.6, 0.8, 0.9, 0.5)
"""The shares of the places that sets change, used in turn.

They were chosen on sentences of three domains against linear models of words and of characters
(benchmarks/measurements.md). If all places were always changed, a third fewer answers of the word models broke; with
the best single share, 0.8, a tenth fewer at 10 queries.
"""
_BLIND_LETTERS = 9
"""One of this many sets changes all letters of its words that can be changed; the others change one of each word."""
_BLIND_TRIES = 100
"""After this many draws in a row without a new set, the search ends."""


def break_by_labels(sets: Iterator[ChangeSet]) -> Search:
    """Search for changes that turn the model's right answer wrong, if the model gives labels without scores.

    The generator yields the next set to ask the model about; the caller sends back what came of it (`Verdict`). The
    search ends when a set broke the right answer, or when there is no further set.

    Args:
        sets: the sets to ask about, such as `random_sets`.
    """
    for chosen in sets:
        verdict = yield chosen
        if verdict.broken:
            return


def random_sets(knowledge: Knowledge, draws: Draws) -> Iterator[ChangeSet]:
    """Yield random sets of changes that the model was not asked about before, until 100 draws in a row give no new set.

    A set changes at least half of the words that can be changed, or fewer if more would probably fail the gate
    (similarity check). Words and changes that were seldom chosen so far are preferred.

    Args:
        knowledge: which sets of the record's changes were tried already, and what came of each.
        draws: the random numbers of the search.
    """
    turn = failures = 0
    count = len(knowledge)
    places = knowledge.pool.places
    most = int(places.max()) + 1
    alike = [1.0] * count
    drawn, drawn_at = np.zeros(count), np.zeros(most)
    while failures < _BLIND_TRIES:
        share = _SHARES[turn % len(_SHARES)]
        turn += 1
        by_place = draws.uniform(most)
        order = np.lexsort((draws.uniform(count), drawn, by_place[places], drawn_at[places]))
        found = knowledge.fitting(order.tolist(), alike, most=max(1, round(share * most)), alone=True)
        if turn % _BLIND_LETTERS == 0:
            found = knowledge.fitting(order[np.isin(places[order], places[found])].tolist(), alike)
        drawn[found] += 1
        drawn_at += np.bincount(places[found], minlength=most)
        chosen = as_set(found)
        if chosen and knowledge.is_open(chosen):
            failures = 0
            yield chosen
        else:
            failures += 1


def shrink_by_labels(knowledge: Knowledge) -> Search:
    """Make the smallest set of changes that turned the answer wrong smaller, until none of them can be undone.

    The generator yields the next set to ask the model about; the caller sends back what came of it (`Verdict`). The
    method is delta debugging (Zeller and Hildebrandt 2002), of whole words first, then of single changes.

    Args:
        knowledge: which sets of the record's changes were tried already, and what came of each.
    """
    places = knowledge.pool.places.tolist()
    for word_of in (places.__getitem__, None):
        broken = knowledge.smallest or ()
        parts = 2
        while len(units := [tuple(own) for _, own in groupby(broken, word_of)]) > 1:
            bounds = [len(units) * at // parts for at in range(parts + 1)]
            groups = [as_set(chain(*units[start:stop])) for start, stop in pairwise(bounds)]
            others = [as_set(set(broken) - set(group)) for group in groups]
            tried = groups if parts == 2 else others  # noqa: PLR2004  (each half is the rest of the other)
            for chosen in tried:
                if knowledge.is_open(chosen):
                    yield chosen
                if knowledge.is_broken(chosen):
                    parts = 2 if tried is groups else max(parts - 1, 2)
                    broken = chosen
                    break
            else:
                if parts == len(units):
                    break
                parts = min(2 * parts, len(units))


_NOISE = (0.0, 0.3, 0.0, 0.6, 0.3, 1.0)
"""The standard deviations of the noise added to the effects, used in turn; the unit is that of all effects."""
_BLIND = 8
"""One of this many queries is drawn without the guide."""
_GUIDED_LETTERS = 4
"""One of this many sets may change several letters of a word; the others change one at most. With the gate, which often
refuses sets of many letters, one change a word breaks more answers; without it, further letters do, against models of
characters (benchmarks/measurements.md)."""
_GUIDED_TRIES = 50
"""After this many proposed sets in a row that cannot be asked about, the guide is not used any more."""


@dataclass(frozen=True, slots=True)
class Guidance:
    """The margins and effects that a guide (a second model, whose scores order the queries) gives for a record.

    A rival is a label that may replace the right one. Its margin is how far its score is behind that of the right
    label.

    Attributes:
        margins: the margin of each rival in the guide's answer to the original, in nats, shape (rivals,).
        effects: by how much each change of the record, applied alone, lowers each margin, shape (changes, rivals).
    """

    margins: Floats
    effects: Floats


def break_by_guide(knowledge: Knowledge, guidance: Guidance, draws: Draws) -> Search:
    """Search for changes that turn a right answer wrong, in the order that a guide (a second model) suggests.

    The generator yields the next set to ask the model about; the caller sends back what came of it (`Verdict`). The
    search ends when a set broke the right answer, or when no new set is found.

    Args:
        knowledge: which sets of the record's changes were tried already, and what came of each.
        guidance: what the guide's scores say about the record.
        draws: the random numbers of the search.
    """
    blind = random_sets(knowledge, draws)
    scale = float(guidance.effects.std())
    nearest = np.argsort(guidance.margins, kind="stable")
    turn = asked = failures = 0
    while failures < _GUIDED_TRIES:
        rival = nearest[turn // len(_NOISE) % len(nearest)]
        noise = _NOISE[turn % len(_NOISE)] * scale
        turn += 1
        alone = turn % _GUIDED_LETTERS != 0
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
    yield from break_by_labels(blind)


_BEYOND, _BARELY = 0.5, 0.05
"""A set is expected to break the answer if a margin is expected this far below 0, as a share of the original's: at
first, and once the gate (similarity check) has refused a set of several changes. With 0.05 from the start, 10
queries broke about twelve points fewer answers of a model of characters, and two of a model of words (200 sentences of
three domains, `butterfingers`, no gate)."""
_ROUND = 5
"""While no set comes nearer to breaking, one of this many sets is chosen freely, the others near the nearest set."""
_WIDE, _NEAR, _DARING = 0.3, 0.1, 1.0
"""The size of the random noise added to the effects, in their standard deviations: for a choice among all sets after a
failure; for a choice near a set; and for sets smaller than a minimal one, where only unknown effects give hope."""
_STEP = 3
"""Against a model of words, one of this many failures is followed by a step or a free choice, the others by random
sets."""
_TRIES = 20
"""How many times the noise is drawn before a way of choosing gives up."""
_MORE = 5
"""How many smaller sets are asked about once the smallest is minimal; each that breaks the answer resets the count."""
_Tried: TypeAlias = dict[tuple[ChangeSet, float], set[int]]
"""The changes by which `_near` tried to step from a set, by the set and the view's `adds`."""


def break_by_scores(knowledge: Knowledge, surrogate: Surrogate, draws: Draws) -> Search:
    """Search for a set of changes that turns the model's right answer wrong, with the help of the model's scores.

    The generator yields the next set to ask the model about; the caller sends back what came of it (`Verdict`). The
    search ends when a set broke the right answer, or when no new set is found.

    Args:
        knowledge: which sets of the record's changes were tried already, and what came of each.
        surrogate: predicts by how much each change lowers the score of the right label; it learns from each answer.
        draws: the random numbers of the search.
    """
    failures = asked = 0
    latest: ChangeSet = ()
    tried: _Tried = {}
    blind = random_sets(knowledge, draws)
    while True:
        asked += 1
        base: Floats | None = None
        nearest = knowledge.nearest
        chosen = None
        here = nearest or latest
        if failures and len(surrogate.views) > 1 and (chosen := _letters(knowledge, surrogate, here)):
            base = knowledge.known[here].margins
        elif surrogate.is_of_words and failures % _STEP:
            chosen = next(blind, None)
        elif failures and asked % _ROUND:
            chosen = _near(knowledge, surrogate.best, draws, tried)
        if chosen is None:
            chosen = _promising(knowledge, surrogate, draws, _WIDE if failures else 0.0) or next(blind, None)
        if chosen is None:
            return
        verdict = yield chosen
        if verdict.margins is not None:
            latest = chosen
            surrogate.learn(chosen, verdict.margins)
            if base is not None:
                surrogate.settle(base, verdict.margins)
        if verdict.broken:
            return
        failures = 0 if knowledge.nearest != nearest else failures + 1


def _promising(
    knowledge: Knowledge, surrogate: Surrogate, draws: Draws, spread: float, most: int | None = None
) -> ChangeSet | None:
    """Choose the smallest set that is expected to break the answer; if there is none, the one expected nearest to it.

    If the chosen set is not open (`Knowledge.is_open`), the choice is repeated with new noise, up to `_TRIES` times.

    Args:
        knowledge: what is known about the record's sets.
        surrogate: predicts the effects of the changes.
        draws: the random numbers of the search.
        spread: the size of the noise added to the effects, in their standard deviations; with 0, the first attempt is
            made without noise.
        most: the most changes that the set may have; None for any number.

    Returns:
        The set; None if no choice gave an open set.
    """
    for attempt in range(_TRIES):
        found: list[tuple[bool, float, ChangeSet]] = []
        for view in surrogate.regressions:
            noise = _noise(view, draws, spread or _WIDE) if spread or attempt else None
            found = []
            for effects, margin in zip(view.mean, view.margins.tolist(), strict=True):
                wanted = margin + (_BARELY if knowledge.is_limited else _BEYOND) * view.scale
                drawn = effects if noise is None else effects + noise
                order, gains = view.ordered(drawn)
                chosen = knowledge.fitting(order, gains, enough=wanted, most=most, alone=not view.adds)
                rest = wanted - fsum(gains[one] for one in chosen)
                found.append((rest > 0, rest if rest > 0 else len(chosen), as_set(chosen)))
            fails, _, best = min(found)
            if not fails:
                break
        if best and knowledge.is_open(best):
            return best
    return None


def _letters(knowledge: Knowledge, surrogate: Surrogate, base: ChangeSet) -> ChangeSet | None:
    """Return a set that was asked about, `base`, with a further change in each of its words.

    In one of them only, once the gate (similarity check) has refused a set of several changes.

    The views differ most about such a set: either it has the same margins, or much lower ones. The result is None if
    no word can get a further change, or if the set is not open (`Knowledge.is_open`).
    """
    here, places, conflicts = list(base), knowledge.pool.places, knowledge.pool.conflicts
    if not here:
        return None
    free = np.bincount(places[here], minlength=places.max() + 1)[places] > 0
    free[list(chain(here, *(conflicts[change] for change in here)))] = False
    if not free.any():  # as after deleted words
        return None
    order = np.argsort(-surrogate.best.mean.sum(0), kind="stable")
    order = order[free[order]].tolist()
    most = 1 if knowledge.is_limited else None
    chosen = as_set([*here, *knowledge.fitting(order, [1.0] * len(places), most=most, alone=True)])
    return chosen if chosen and knowledge.is_open(chosen) else None


def _near(knowledge: Knowledge, view: Regression, draws: Draws, tried: _Tried) -> ChangeSet | None:
    """Choose the open set, one step from `knowledge.nearest`, that is expected to come nearest to breaking the answer.

    A step takes a change back, or adds one and takes back those that conflict with it. The result is None if no such
    set is open, or if the nearest set has no margins. `tried` gets the steps that were tried: a set that is not open
    never becomes so.
    """
    here = list(knowledge.nearest)  # ascending
    margins = knowledge.known[knowledge.nearest].margins
    if margins is None:
        return None
    places = knowledge.pool.places
    closed = tried.setdefault((knowledge.nearest, view.adds), set())
    effects = view.mean + _noise(view, draws, _NEAR)
    steps = effects.copy()
    if here:
        gone = [knowledge.pool.conflicts[one] if view.adds else (places == places[one]).nonzero()[0] for one in here]
        all_gone, lost = np.fromiter(chain(*gone), np.int64), effects.take(here, 1)
        for gains, losses in zip(steps, lost.repeat([*map(len, gone)], 1), strict=True):
            np.subtract.at(gains, all_gone, losses)
        steps[:, here] = -lost
    expected = np.minimum.reduce(margins[:, None] - steps)
    for change in expected.argsort(kind="stable").tolist():
        if change in closed:
            continue
        closed.add(change)
        if change in here:
            chosen = tuple(one for one in here if one != change)
        else:
            apart = knowledge.pool.conflicts[change]
            kept = [one for one in here if one not in apart and (view.adds or places[one] != places[change])]
            chosen = as_set([*kept, change])
        if chosen and knowledge.is_open(chosen):
            return chosen
    return None


def _noise(view: Regression, draws: Draws, size: float) -> Floats:
    variance = view.variance
    noise: Floats = draws.bell(variance.size) * np.sqrt(variance) * size
    return noise


def shrink_by_scores(knowledge: Knowledge, surrogate: Surrogate, draws: Draws) -> Search:
    """Make the smallest set of changes that turned the answer wrong smaller, with the help of the model's scores.

    The generator yields the next set to ask the model about; the caller sends back what came of it (`Verdict`). First,
    changes are undone until undoing any further one would make the answer right again. Then the model is asked about a
    few smaller sets of other changes, since one of them may turn the answer wrong, too.

    Args:
        knowledge: which sets of the record's changes were tried already, and what came of each.
        surrogate: predicts by how much each change lowers the score of the right label; it learns from each answer.
        draws: the random numbers of the search.
    """
    yield from _minimal(knowledge, surrogate)
    left = _MORE
    while left and (broken := knowledge.smallest) is not None and len(broken) > 1:
        chosen = _promising(knowledge, surrogate, draws, _DARING, len(broken) - 1)
        if chosen is None:
            return
        left -= 1
        verdict = yield chosen
        if verdict.margins is not None:
            surrogate.learn(chosen, verdict.margins)
        if verdict.broken:
            yield from _minimal(knowledge, surrogate)
            left = _MORE


def _minimal(knowledge: Knowledge, surrogate: Surrogate) -> Search:
    """Take changes back until the smallest broken set is known to be minimal.

    A set saves some changes and has some chance to break the answer. The next set is the one with the largest product
    of saved changes · chance³. (With the first power, fewer sets were minimal at the end of a small budget.) After a
    failure at most half as many changes are saved, after a success as many to twice as many: where effects do not add
    up, the chances err. If one is to be saved, the change that is likeliest not to be needed is taken back.
    """
    chosen: ChangeSet = ()
    margins: Floats | None = None
    least, most = 1, len(knowledge)
    while (broken := knowledge.smallest) is not None and len(broken) > 1:
        singles = [one for one in knowledge.without_one(broken) if knowledge.is_open(one)]
        if not singles:
            return
        if margins is not None:
            surrogate.learn(chosen, margins)
        found = _smaller(knowledge, surrogate, broken) if most > 1 else ()
        smaller = [one for one in found if least <= len(broken) - len(one) <= most] or singles
        chances = zip(surrogate.best.chances(smaller), smaller, strict=True)
        chosen = max((chance**3 * (len(broken) - len(one)), one) for chance, one in chances)[1]
        saved = len(broken) - len(chosen)
        verdict = yield chosen
        margins = verdict.margins
        least, most = (saved, 2 * saved) if verdict.broken else (1, max(saved // 2, 1))


def _smaller(knowledge: Knowledge, surrogate: Surrogate, broken: ChangeSet) -> Iterable[ChangeSet]:
    """Return open sets (`Knowledge.is_open`) with fewer changes than a broken set.

    For each rival and each size there are two: the strongest set of any changes, and the strongest subset of the broken
    set.
    """
    most = len(broken) - 1
    found: dict[ChangeSet, None] = {}
    view = surrogate.best
    for effects in view.mean:
        strongest, gains = view.ordered(effects)
        for order in (strongest, sorted(broken, key=lambda one: -gains[one])):
            ordered = knowledge.fitting(order, gains, most=most, alone=not view.adds)
            found.update((as_set(ordered[:size]), None) for size in range(1, len(ordered) + 1))
    return filter(knowledge.is_open, found)


def search_of(
    knowledge: Knowledge, margins: Floats | None, guidance: Guidance | None, draws: Draws, *, minimal: bool
) -> Search:
    """Run the whole search for a record: find changes that turn the model's right answer wrong, then fewer of them.

    The generator yields the next set to ask the model about; the caller sends back what came of it (`Verdict`).

    Args:
        knowledge: which sets of the record's changes were tried already, and what came of each.
        margins: how far each rival label is behind the right one in score, for the original, in nats, shape (rivals,);
            None if the model gives no usable scores.
        guidance: what the scores of a guide (a second model) say about the record, used only without margins; None for
            no guide.
        draws: the random numbers of the search.
        minimal: whether the set that broke the answer is made smaller.
    """
    if margins is None:
        if guidance is None:
            yield from break_by_labels(random_sets(knowledge, draws))
        else:
            yield from break_by_guide(knowledge, guidance, draws)
        if minimal:
            yield from shrink_by_labels(knowledge)
        return
    surrogate = Surrogate(knowledge.pool, margins)
    yield from break_by_scores(knowledge, surrogate, draws)
    if minimal:
        yield from shrink_by_scores(knowledge, surrogate, draws)
