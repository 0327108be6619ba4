"""Which proposals overlap one another; those of lower ranks stay."""

from bisect import bisect_left, insort

import numpy as np

from augment_ru.draws import Ints
from augment_ru.engine.proposals import Proposals
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask


def without_overlaps(batch: Batch, proposals: Proposals) -> Proposals:
    """The proposals without changes that overlap one of a lower rank which itself stays."""
    bad = np.zeros(proposals.ranks.size, dtype=np.bool_)
    bad[proposals.changes[overlapping(batch, proposals)]] = True
    return proposals.keep(~bad)


def overlapping(batch: Batch, proposals: Proposals) -> Mask:
    """Whether an edit's change overlaps a change of a lower rank that is not dropped itself; shape (edits,).

    Two insertions at one place overlap.
    """
    order = np.lexsort((proposals.stops, proposals.starts))
    starts, stops = proposals.starts[order], proposals.stops[order]
    reach = np.maximum.accumulate(stops) if stops.size else stops
    clash = (starts[1:] < reach[:-1]) | ((starts[1:] == starts[:-1]) & (stops[1:] == stops[:-1]))
    bad = np.zeros(proposals.ranks.size, dtype=np.bool_)
    if not clash.any():
        return bad[proposals.changes]
    if proposals.ranks.size == proposals.starts.size:  # single edits need no loop, insertions only beyond pairs
        if (starts < stops).all():
            bad[_beaten(proposals, np.sort(order[np.append(clash, False) | np.append(False, clash)]))] = True
            return bad[proposals.changes]
        edge = np.concatenate([[False], clash, [False]])
        pairs = np.flatnonzero(edge[1:-1] & ~edge[:-2] & ~edge[2:] & (stops[:-1] == reach[:-1]))
        left, right = proposals.changes[order[pairs]], proposals.changes[order[pairs + 1]]
        bad[np.where(proposals.ranks[left] <= proposals.ranks[right], right, left)] = True
        clash[pairs] = False
    rows = batch.rows(proposals.starts)
    for row in np.unique(batch.rows(starts[1:][clash])).tolist():
        edits = np.flatnonzero(rows == row)
        by_change: dict[int, list[tuple[int, int]]] = {}
        for edit in edits.tolist():
            place = int(proposals.starts[edit]), int(proposals.stops[edit])
            by_change.setdefault(int(proposals.changes[edit]), []).append(place)
        taken: list[tuple[int, int]] = []
        for change in sorted(by_change, key=lambda number: (proposals.ranks[number], number)):
            if _free(taken, sorted(by_change[change])):
                for place in by_change[change]:
                    insort(taken, place)
            else:
                bad[change] = True
    return bad[proposals.changes]


def _beaten(proposals: Proposals, edits: Ints) -> Ints:
    """The numbers of the changes that overlap one of a lower rank that stays, of changes of one edit, no insertion.

    In each round the changes stay that have the lowest rank at all their places; what overlaps them is dropped.

    Args:
        proposals: the changes; each is a single edit.
        edits: the indices of the edits among which all overlaps are.
    """
    changes = proposals.changes[edits]
    priority = np.empty(edits.size, dtype=np.int64)
    priority[np.lexsort((changes, proposals.ranks[changes]))] = np.arange(edits.size)
    lengths = proposals.stops[edits] - proposals.starts[edits]
    owners = np.repeat(np.arange(edits.size), lengths)
    places = np.repeat(proposals.starts[edits] - np.cumsum(lengths) + lengths, lengths) + np.arange(owners.size)
    _, places = np.unique(places, return_inverse=True)
    beaten = np.zeros(edits.size, dtype=np.bool_)
    while owners.size:
        lowest = np.full(int(places.max()) + 1, edits.size)
        np.minimum.at(lowest, places, priority[owners])
        is_lowest = lowest[places] == priority[owners]
        stays = np.bincount(owners, is_lowest, edits.size) == lengths
        taken = np.zeros(lowest.size, dtype=np.bool_)
        taken[places[stays[owners]]] = True
        near = np.bincount(owners, taken[places], edits.size) > 0
        beaten |= near & ~stays
        left = ~near[owners]
        owners, places = owners[left], places[left]
    return changes[beaten]


def tangled(proposals: Proposals) -> Mask:
    """Whether two edits of an edit's change overlap, shape (edits,)."""
    bad = np.zeros(proposals.ranks.size, dtype=np.bool_)
    order = np.lexsort((proposals.stops, proposals.starts, proposals.changes))
    starts, stops, changes = proposals.starts[order], proposals.stops[order], proposals.changes[order]
    same = (starts[1:] == starts[:-1]) & (stops[1:] == stops[:-1])
    bad[changes[1:][(changes[1:] == changes[:-1]) & (same | (starts[1:] < stops[:-1]))]] = True
    return bad[proposals.changes]


def _free(taken: list[tuple[int, int]], places: list[tuple[int, int]]) -> bool:
    """Whether the places (in order) overlap neither each other nor the places in `taken` (disjoint, in order)."""
    for index, (start, stop) in enumerate(places):
        at = bisect_left(taken, (start, stop))
        neighbours = [*taken[max(0, at - 1) : at + 1], *places[index + 1 : index + 2]]
        if any((a, b) == (start, stop) or (a < stop and start < b) for a, b in neighbours):
            return False
    return True
