"""Decides which proposals are legal. No other module decides this."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.engine.overlaps import overlapping, tangled
from augment_ru.engine.proposals import Proposals, Replacements, Sites
from augment_ru.errors import AugmentError
from augment_ru.text.batch import Batch
from augment_ru.text.characters import WORD, Codes, Counts, Mask, classes, counts_before, surrogates


class Drop(NamedTuple):
    """The number of a change in the proposals that is not legal, and the reason."""

    change: int
    reason: str


def legal(
    batch: Batch, proposals: Proposals, drops: list[Drop] | None = None, *, alternatives: bool = False
) -> Proposals:
    """The legal changes among the proposals.

    A change is dropped if it changes nothing, or if one of its edits

    - touches a protected span, or puts a letter beside one where none was;
    - cuts a grapheme cluster;
    - leaves its text or segment;
    - holds a lone surrogate;
    - overlaps a legal change of a lower rank.

    Args:
        batch: the texts, with the spans that are protected from the attack.
        proposals: what the attack proposes.
        drops: a list that each dropped change is appended to.
        alternatives: whether changes that overlap each other are all kept, because no two of them will be applied
            together (`augment_ru.engine.pool`); one whose own edits overlap is dropped still.

    Raises:
        AugmentError: the columns do not fit the batch or each other: a place is outside the batch, a rank is outside
            [0, 1), or the numbers of the changes are not 0, 1, 2, ... in order.
    """
    if proposals.sites is not None and proposals.clean and proposals.ranks.shape == proposals.sites.starts.shape:
        judged = batch.once(_judged, proposals.sites)
        if judged.clean:
            _check_ranks(proposals.ranks)
            if drops is not None:
                drops.extend(judged.drops)
            return proposals.at(judged.sites, judged.numbers)
    _check(batch, proposals)
    left = _Left(proposals, drops)
    left.drop_by_place(batch)
    if proposals.clean and _is_clean(batch, left.proposals):
        return left.proposals
    left.proposals = replace(left.proposals, clean=False)
    left.drop(_crossing(batch, left.proposals), _ACROSS)
    left.proposals = left.proposals.settled()
    left.drop(_surrogate(left.proposals), "holds a lone surrogate")
    left.drop(_all_of_change(left.proposals, _without_effect(batch, left.proposals)), "changes nothing")
    left.proposals = left.proposals.without(_without_effect(batch, left.proposals))
    if batch.untouchable is not None:
        left.drop(_sticking(batch, left.proposals), "sticks to a protected span")
    if alternatives:
        left.drop(tangled(left.proposals), "overlaps itself")
    else:
        left.drop(overlapping(batch, left.proposals), "overlaps a change of a lower rank")
    return left.proposals


_ACROSS = "reaches across the border of a text or an option"


class _Left:
    """The proposals that are left while others are dropped.

    Args:
        proposals: what an attack proposes.
        drops: a list that each dropped change is appended to.
    """

    def __init__(self, proposals: Proposals, drops: list[Drop] | None) -> None:
        self.proposals, self._drops = proposals, drops
        self.numbers = np.arange(proposals.ranks.size)

    def drop(self, edits: Mask, reason: str) -> None:
        """Drop the changes of the edits where the mask, of shape (edits,), is true."""
        if edits.any():
            bad = np.zeros(self.proposals.ranks.size, dtype=np.bool_)
            bad[self.proposals.changes[edits]] = True
            if self._drops is not None:
                self._drops.extend(Drop(number, reason) for number in self.numbers[bad].tolist())
            self.numbers, self.proposals = self.numbers[~bad], self.proposals.keep(~bad)

    def drop_by_place(self, batch: Batch) -> None:
        """Drop the changes of edits whose places are not legal, whatever they write."""
        text_ends = batch.starts[1:][batch.rows(self.proposals.starts)] - 1
        self.drop(self.proposals.stops > text_ends, _ACROSS)
        if batch.untouchable is not None:
            self.drop(_touching(batch, batch.untouchable_before, self.proposals), "touches a protected span")
        if (cuttable := batch.cuttable) is not None:
            starts, stops = self.proposals.starts, self.proposals.stops
            self.drop(~(cuttable[starts] & cuttable[stops]), "breaks a grapheme cluster")


class _Judged(NamedTuple):
    """Which of the sites of an attack are legal.

    Attributes:
        sites: those that are.
        numbers: their numbers among all.
        drops: the others.
        clean: whether the legal ones are as an attack states of clean edits.
    """

    sites: Sites
    numbers: Ints
    drops: Sequence[Drop]
    clean: bool


def _judged(batch: Batch, sites: Sites) -> _Judged:
    proposals = Proposals.of_sites(sites, np.zeros(sites.starts.size), Replacements.nothing)
    _check(batch, proposals)
    drops: list[Drop] = []
    left = _Left(proposals, drops)
    left.drop_by_place(batch)
    legal_ones = Sites(left.proposals.starts, left.proposals.stops)
    return _Judged(legal_ones, left.numbers, drops, _is_clean(batch, left.proposals))


def _check(batch: Batch, proposals: Proposals) -> None:
    """Refuses columns that do not describe edits of the batch, which an attack of one's own may propose.

    Raises:
        AugmentError: they do not; the message says which edit or change is wrong.
    """
    starts, stops, ranks, changes = proposals.starts, proposals.stops, proposals.ranks, proposals.changes
    if not starts.shape == stops.shape == changes.shape:
        raise AugmentError(
            f"proposed columns: {starts.size} starts, {stops.size} stops, {changes.size} numbers of changes;"
            " each edit needs one of each"
        )
    if not starts.size and not ranks.size:
        return
    last = batch.codes.size - 1  # where the line feed after the last text stands
    if starts.size and (starts.min() < 0 or starts.max() > last or (stops < starts).any()):
        at = int(((starts < 0) | (starts > last) | (stops < starts)).argmax())
        raise AugmentError(
            f"proposed edit {at}: global places {starts[at]} to {stops[at]}; it starts at one of 0 to {last}, and stops"
            " there or later"
        )
    _check_ranks(ranks)
    if not _is_numbered(changes, ranks.size):
        raise AugmentError("proposed columns: changes are numbered 0, 1, 2, ... in the order of their edits")


def _check_ranks(ranks: Floats) -> None:
    """Refuses ranks, shape (changes,), that are outside [0, 1).

    Raises:
        AugmentError: one is.
    """
    if ranks.size and not (ranks.min() >= 0.0 and ranks.max() < 1.0):
        wrong = int(((ranks >= 0.0) & (ranks < 1.0)).argmin())
        raise AugmentError(f"proposed change {wrong}: rank {ranks[wrong]}; a rank is in [0, 1)")


def _is_numbered(changes: Ints, count: int) -> bool:
    """Whether the numbers of the changes are 0 to `count` - 1, ascending, each at least once."""
    if changes.size == count:
        return bool((changes == np.arange(count)).all())
    if not changes.size or changes[0] != 0 or changes[-1] != count - 1:
        return False
    return not ((changes[1:] - changes[:-1]).astype(np.uint64) > 1).any()


def _is_clean(batch: Batch, proposals: Proposals) -> bool:
    """Whether the edits are sorted and disjoint, and each is inside one text and not an insertion."""
    starts, stops = proposals.starts, proposals.stops
    ordered = bool((starts < stops).all() and (starts[1:] >= stops[:-1]).all())
    return ordered and bool((batch.rows(starts) == batch.rows(stops)).all())


def _touching(batch: Batch, covered: Counts, proposals: Proposals) -> Mask:
    """Whether each edit replaces a protected character, or inserts inside a protected span; shape (edits,).

    `covered` is the number of protected characters before each place.
    """
    touching: Mask = covered[proposals.starts] != covered[proposals.stops]
    insertions = np.flatnonzero(proposals.starts == proposals.stops)
    if insertions.size:
        starts, stops, _ = batch.spans
        places = proposals.starts[insertions]
        begun, ended = (
            np.searchsorted(starts, places, side="left"),
            np.searchsorted(np.sort(stops), places, side="right"),
        )
        touching[insertions] = begun > ended
    return touching


def _crossing(batch: Batch, proposals: Proposals) -> Mask:
    """Whether each edit is not wholly in the segment where the first edit of its change starts; shape (edits,)."""
    if not proposals.starts.size:
        return np.zeros(0, dtype=np.bool_)
    here = batch.segments(proposals.starts)
    home = here[proposals.first_edits][proposals.changes]
    last = np.maximum(proposals.stops - 1, proposals.starts)
    crossing: Mask = (here != home) | (batch.segments(last) != home)
    return crossing


def _without_effect(batch: Batch, proposals: Proposals) -> Mask:
    """Whether each edit replaces a text by itself; shape (edits,)."""
    texts = proposals.replace(np.arange(proposals.starts.size))
    same: Mask = texts.lengths == proposals.stops - proposals.starts
    candidates = np.flatnonzero(same)
    if candidates.size:
        new = texts.take(candidates)
        old = Replacements.of_ranges(batch.codes, proposals.starts[candidates], proposals.stops[candidates])
        differences = counts_before(new.codes != old.codes)
        same[candidates] = differences[new.offsets[1:]] == differences[new.offsets[:-1]]
    return same


def _all_of_change(proposals: Proposals, edits: Mask) -> Mask:
    """Whether the mask is true for all edits of an edit's change; shape (edits,)."""
    others = np.zeros(proposals.ranks.size, dtype=np.bool_)
    others[proposals.changes[~edits]] = True
    found: Mask = np.logical_not(others[proposals.changes])
    return found


def _surrogate(proposals: Proposals) -> Mask:
    """Whether the new text of each edit holds a lone surrogate, which no text may; shape (edits,)."""
    texts = proposals.replace(np.arange(proposals.starts.size))
    lone = counts_before(surrogates(texts.codes))
    found: Mask = np.greater(lone[texts.offsets[1:]], lone[texts.offsets[:-1]])
    return found


def _sticking(batch: Batch, proposals: Proposals) -> Mask:
    """Whether each edit puts a letter beside a protected span where none was; shape (edits,).

    For example «в Москву» must not become «вМоскву».
    """
    spans, ends, _ = batch.spans
    texts = proposals.replace(np.arange(proposals.starts.size))
    padded = np.concatenate([batch.codes, batch.codes[-1:]])  # so that place -1 is a line feed too
    sticking = np.zeros(proposals.starts.size, dtype=np.bool_)
    for edges, beside, outer, inner, far, last in (
        (spans, proposals.stops, proposals.stops, proposals.stops - 1, proposals.starts - 1, 1),
        (ends, proposals.starts, proposals.starts - 1, proposals.starts, proposals.stops, 0),
    ):
        at = np.flatnonzero(np.isin(beside, edges))
        if at.size:
            chosen = texts.take(at)
            old = np.where(proposals.starts[at] == proposals.stops[at], far[at], inner[at])
            new = padded[far[at]]
            full = chosen.lengths > 0
            new[full] = chosen.codes[chosen.offsets[1:][full] - 1 if last else chosen.offsets[:-1][full]]
            sticking[at] |= _wordy(padded[outer[at]]) & _wordy(new) & ~_wordy(padded[old])
    return _judged_together(batch, proposals, sticking)


def _judged_together(batch: Batch, proposals: Proposals, sticking: Mask) -> Mask:
    """The mask, with the edits of a change that touch one another judged as the one edit that they make.

    For example, deleting «!» behind a link and inserting «х» in its place puts «х» beside the link.
    """
    order = np.lexsort((proposals.stops, proposals.starts, proposals.changes))
    starts, stops, changes = proposals.starts[order], proposals.stops[order], proposals.changes[order]
    meets = (changes[1:] == changes[:-1]) & (starts[1:] == stops[:-1])
    if not meets.any():
        return sticking
    found = sticking.copy()
    edges, ends = (set(places.tolist()) for places in batch.spans[:2])
    texts = proposals.replace(order)
    first = 0
    for last in np.flatnonzero(np.concatenate([~meets, [True]])).tolist():
        if last > first:
            new = texts.codes[texts.offsets[first] : texts.offsets[last + 1]]
            found[order[first : last + 1]] = _sticks(batch, int(starts[first]), int(stops[last]), new, edges, ends)
        first = last + 1
    return found


def _sticks(  # noqa: PLR0917  (an edit, and the edges of spans)
    batch: Batch, start: int, stop: int, new: Codes, edges: set[int], ends: set[int]
) -> bool:
    """Whether `new` in place of a range puts a letter beside the start or the end of a protected span."""
    before, after = (bool(_wordy(batch.codes[at : at + 1]).any()) for at in (start - 1, stop))
    left, right = after, before
    if new.size:
        left, right = (bool(_wordy(new[at]).any()) for at in (slice(0, 1), slice(-1, None)))

    old_left, old_right = (bool(_wordy(batch.codes[at : at + 1]).any()) for at in (start, stop - 1))
    at_end = start in ends and before and left and not old_left
    return at_end or (stop in edges and after and right and not old_right)


def _wordy(codes: Codes) -> Mask:
    wordy: Mask = (classes(codes) & WORD) != 0
    return wordy
