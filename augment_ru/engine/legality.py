"""Decides which proposed changes are legal (may be made). No other module decides this."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import regex

from augment_ru.draws import Ints, first_of_each
from augment_ru.engine.proposals import Proposals, Replacements, ranges, wrongly_numbered
from augment_ru.errors import AugmentError
from augment_ru.text.batch import CONTEXT, Batch
from augment_ru.text.characters import CLUSTER, WORD, Codes, Mask, among, classes, decode, marked, surrogates


class Drop(NamedTuple):
    """A proposed change that the engine does not allow.

    Attributes:
        change: the index of the change in the proposals, from 0.
        reason: why it is not allowed.
    """

    change: int
    reason: str


def legal(
    batch: Batch, proposals: Proposals, drops: list[Drop] | None = None, *, alternatives: bool = False
) -> Proposals:
    """Return the changes among the proposals that the engine allows; these are called legal.

    A change is dropped if it changes nothing, or if one of its edits

    - touches a protected span, or puts a letter directly before or after one where there was no letter;
    - cuts or joins grapheme clusters (a letter with its combining marks);
    - reaches out of its text, or out of the segment in which the first edit of the change starts (segments lie between
      the borders of options and of labelled spans);
    - makes another word of a text that has only one or two letters;
    - in a text that is JSON, writes characters that strings may not hold, or writes before or after the JSON;
    - writes a lone surrogate;
    - overlaps a legal change of a lower rank (random number), or another edit of the same change.

    Args:
        batch: the texts, with the spans that are protected from the attack.
        proposals: what the attack proposes.
        drops: a list to which each dropped change is appended; None for no list.
        alternatives: whether to keep all changes that overlap each other, because no two of them will be applied
            together (`augment_ru.engine.pool`). A change whose own edits overlap is dropped nevertheless.

    Raises:
        AugmentError: a place is outside the batch, a rank is outside [0, 1), or the changes are not numbered in order.
    """
    _check(batch, proposals)
    numbers = np.arange(0 if drops is None else proposals.ranks.size)

    def drop(edits: Mask | None, reason: str) -> None:
        nonlocal proposals, numbers
        if edits is not None and edits.any():
            bad = marked(proposals.ranks.size, proposals.changes[edits])
            if drops is not None:
                drops.extend(Drop(number, reason) for number in numbers[bad].tolist())
                numbers = numbers[~bad]
            proposals = proposals.keep(~bad)

    ends = batch.starts[1:]
    drop(proposals.stops >= ends[batch.rows(proposals.starts)], "reaches across the border of a text or an option")
    if batch.untouchable is not None:
        drop(_touching(batch, proposals.starts, proposals.stops), "touches a protected span")
    drop(_breaking_json(batch, proposals), "breaks the JSON that its text is")
    drop(_respelling(batch, proposals), "makes another word of a text of one or two letters")
    if batch.cuttable is not None:
        drop(~(batch.cuttable[proposals.starts] & batch.cuttable[proposals.stops]), "breaks a grapheme cluster")
    if any(batch.borders):
        drop(_parting(batch, proposals), "hides the border of a labelled span or an option")
    if not (proposals.clean and _is_clean(batch, proposals)):
        proposals = replace(proposals, clean=False)
        drop(_crossing(batch, proposals), "reaches across the border of a text or an option")
        proposals = proposals.settled()
        texts = proposals.all_texts
        drop(texts.holding(surrogates(texts.codes)), "holds a lone surrogate")
        same = _without_effect(batch, proposals)
        drop(_all_of_change(proposals, same), "changes nothing")
        proposals = proposals.without(_without_effect(batch, proposals))
        if batch.untouchable is not None:
            drop(_sticking(batch, proposals), "sticks to a protected span")
        drop(_joining(batch, proposals), "breaks a grapheme cluster")
        if alternatives:
            drop(_tangled(proposals)[proposals.changes], "overlaps itself")
        else:
            drop(_beaten(proposals)[proposals.changes], "overlaps a change of a lower rank")
    return proposals


def _check(batch: Batch, proposals: Proposals) -> None:
    """Check the values that proposals have in their columns; a user's own attack may propose anything.

    Raises:
        AugmentError: a place is outside the batch, a rank is outside [0, 1), or changes are not numbered in order.
    """
    starts, stops, ranks, changes = proposals.starts, proposals.stops, proposals.ranks, proposals.changes
    if not starts.size:
        return
    last = batch.codes.size - 1  # where the line feed after the last text stands
    if starts.min() < 0 or starts.max() > last or (stops < starts).any():
        at = int(((starts < 0) | (starts > last) | (stops < starts)).argmax())
        raise AugmentError(
            f"proposed edit {at}: global places {starts[at]} to {stops[at]}; it starts at one of 0 to {last}, and stops"
            " there or later"
        )
    if not (ranks.min() >= 0.0 and ranks.max() < 1.0):
        wrong = int(((ranks >= 0.0) & (ranks < 1.0)).argmin())
        raise AugmentError(f"proposed change {wrong}: rank {ranks[wrong]}; a rank is in [0, 1)")
    steps = changes[1:] - changes[:-1]
    if steps.size and not (steps.min() >= 0 and steps.max() <= 1):
        raise AugmentError(wrongly_numbered(changes, ranks.size))


def _is_clean(batch: Batch, proposals: Proposals) -> bool:
    """Tell whether each candidate's edits are sorted and disjoint, none crosses a border, and none is an insertion."""
    starts, stops, of = proposals.starts, proposals.stops, proposals.candidates
    behind = starts[1:] >= stops[:-1]
    if of is not None:
        behind |= first_of_each(of[proposals.changes])[1:]
    ordered = bool(behind.all() and (starts < stops).all())
    if any(batch.borders):
        return ordered and not _crossing(batch, proposals).any()
    return ordered and bool((batch.rows(starts) == batch.rows(stops)).all())


def _touching(batch: Batch, starts: Ints, stops: Ints) -> Mask:
    """Return whether each edit replaces a protected character, or inserts inside a protected span; shape (edits,)."""
    covered = batch.untouchable_before
    touching: Mask = covered[starts] != covered[stops]
    insertions = (starts == stops).nonzero()[0]
    if insertions.size:
        begins, ends, _ = batch.spans
        places = starts[insertions]
        begun, ended = np.searchsorted(begins, places), np.searchsorted(np.sort(ends), places, side="right")
        touching[insertions] = begun > ended
    return touching


def _breaking_json(batch: Batch, proposals: Proposals) -> Mask | None:
    """Return whether each edit breaks a text that is JSON, shape (edits,); None if no text is.

    An edit breaks JSON if it writes a quote, a backslash or a control character, or if it touches the start or the end
    of the text.
    """
    if batch.in_json is None:
        return None
    rows = batch.rows(proposals.starts)
    texts = proposals.all_texts
    breaking = texts.holding(among(texts.codes, '"\\') | (texts.codes < ord(" ")))
    outside = (proposals.starts == batch.starts[rows]) | (proposals.stops == batch.starts[rows + 1] - 1)
    found: Mask = batch.in_json[rows] & (breaking | outside)
    return found


def _respelling(batch: Batch, proposals: Proposals) -> Mask | None:
    """Return whether each edit makes another word of a text with one or two letters, shape (edits,); None if none does.

    For example, the answer «А» must not become «С». Changes of letter case are allowed.
    """
    if (few := batch.prepared.of_few_letters) is None:
        return None
    found: Mask = few[batch.rows(proposals.starts)]
    at = np.flatnonzero(found)
    texts = proposals.replace(at)
    for number, edit in enumerate(at.tolist()):
        start, stop = int(proposals.starts[edit]), int(proposals.stops[edit])
        old = decode(batch.codes[start:stop])
        new = decode(texts.codes[texts.offsets[number] : texts.offsets[number + 1]])
        before, after = decode(batch.codes[start - 1 : start]), decode(batch.codes[stop : stop + 1])
        if start == stop:  # an insertion may stand beside a word, not in it
            found[edit] = (before.isalpha() and (after.isalpha() or new[:1].isalpha())) or (
                after.isalpha() and new[-1:].isalpha()
            )
        else:
            found[edit] = _word_in(old) != _word_in(new)
    return found


def _word_in(text: str) -> str:
    """Return the text from its first to its last letter, casefolded; "" if it has no letter."""
    letters = [at for at, char in enumerate(text) if char.isalpha()]
    return text[letters[0] : letters[-1] + 1].casefold() if letters else ""


def _crossing(batch: Batch, proposals: Proposals) -> Mask:
    """Return whether each edit reaches out of the segment in which its change's first edit starts, shape (edits,)."""
    if not proposals.starts.size:
        return np.zeros(0, dtype=np.bool_)
    here = batch.segments(proposals.starts)
    home = here[proposals.first_edits][proposals.changes]
    last = np.maximum(proposals.stops - 1, proposals.starts)
    crossing: Mask = (here != home) | (batch.segments(last) != home)
    return crossing


def _parting(batch: Batch, proposals: Proposals) -> Mask:
    """Return whether each edit hides where a labelled span or an option begins or ends, shape (edits,).

    An edit at such a border hides it if it replaces a letter by another sign or another sign by a letter, deletes a
    letter, or deletes other signs so that a letter moves to the border. Where only labelled spans are perturbed, only
    letters may be inserted at their edges, and nothing at the start or end of the text. Digits count as letters.
    """
    starts, stops = proposals.starts, proposals.stops
    firsts = batch.starts[:-1].tolist()
    borders = np.array([first + at for first, row in zip(firsts, batch.borders, strict=True) for at in row])
    begins, ends, labels = batch.spans
    rest = np.array([label == CONTEXT for label in labels], dtype=np.bool_)
    outer = np.concatenate([begins[rest], ends[rest]])
    texts = proposals.all_texts
    full, is_insertion = texts.lengths > 0, starts == stops
    parting: Mask = is_insertion & np.isin(starts, outer) & ~np.isin(starts, borders)
    for edges, old, new, beyond in (
        (starts, starts, texts.offsets[:-1], stops),
        (stops, stops - 1, texts.offsets[1:] - 1, starts - 1),
    ):
        for one in np.flatnonzero(np.isin(edges, borders)).tolist():
            was = _is_letter(batch.codes, old[one])
            if is_insertion[one]:
                parting[one] |= edges[one] in outer and not _is_letter(texts.codes, new[one])
            elif full[one]:
                parting[one] |= was != _is_letter(texts.codes, new[one])
            else:
                parting[one] |= was or _is_letter(batch.codes, beyond[one])
    return parting


def _is_letter(codes: Codes, at: int) -> bool:
    return 0 <= at < codes.size and chr(codes[at]).isalnum()


def _without_effect(batch: Batch, proposals: Proposals) -> Mask:
    """Return whether each edit replaces a range by the same text, shape (edits,)."""
    texts = proposals.all_texts
    same: Mask = texts.lengths == proposals.stops - proposals.starts
    candidates = np.flatnonzero(same)
    if candidates.size:
        new = texts.take(candidates)
        old = Replacements.of_ranges(batch.codes, proposals.starts[candidates], proposals.stops[candidates])
        same[candidates] = ~new.holding(new.codes != old.codes)
    return same


def _all_of_change(proposals: Proposals, edits: Mask) -> Mask:
    """Return, for each edit, whether the mask `edits` holds all edits of its change; both have shape (edits,)."""
    return ~marked(proposals.ranks.size, proposals.changes[~edits])[proposals.changes]


def _sticking(batch: Batch, proposals: Proposals) -> Mask:
    """Return whether each edit puts a letter at an edge of a protected span that had no letter there, shape (edits,).

    For example, «в Москву» must not become «вМоскву». Edits of one change that touch each other are judged together as
    one edit: if «!» after a link is deleted and «х» is inserted there, «х» is at the edge of the link.
    """
    order = np.lexsort((proposals.stops, proposals.starts, proposals.changes))
    begins = np.ones(order.size, dtype=np.bool_)
    begins[1:] = np.diff(proposals.changes[order]) != 0
    begins[1:] |= proposals.starts[order][1:] != proposals.stops[order][:-1]
    heads = np.flatnonzero(begins)
    tails = np.append(heads[1:], order.size)[: heads.size] - 1
    starts, stops = proposals.starts[order][heads], proposals.stops[order][tails]
    texts = proposals.replace(order)
    offsets = texts.offsets[np.append(heads, order.size)]

    spans, ends, _ = batch.spans
    padded = np.concatenate([batch.codes, batch.codes[-1:]])  # so that place -1 is a line feed too
    sticking = np.zeros(starts.size, dtype=np.bool_)
    for edges, beside, outer, inner, far, last in (
        (spans, stops, stops, stops - 1, starts - 1, True),
        (ends, starts, starts - 1, starts, stops, False),
    ):
        at = np.flatnonzero(np.isin(beside, edges))
        new = padded[far[at]]
        full = offsets[at] < offsets[at + 1]
        new[full] = texts.codes[(offsets[at + 1] - 1 if last else offsets[at])[full]]
        sticking[at] |= _binds(padded[outer[at]]) & _wordy(new) & ~_wordy(padded[inner[at]])
    found = np.empty_like(begins)
    found[order] = sticking[np.cumsum(begins) - 1]
    return found


def _joining(batch: Batch, proposals: Proposals) -> Mask:
    """Return whether each edit makes two grapheme clusters join into one, shape (edits,).

    For example, «🇷 кот🇺» must not become «🇷🇺».
    """
    joining = np.zeros(proposals.starts.size, dtype=np.bool_)
    for at in np.flatnonzero((batch.flags[proposals.stops] & CLUSTER) != 0).tolist():
        start, stop = int(proposals.starts[at]), int(proposals.stops[at])
        new = decode(proposals.replace(np.array([at])).codes)
        left, right = new[-1:] or decode(batch.codes[start - 1 : start]), decode(batch.codes[stop : stop + 1])
        joining[at] = start < stop and regex.fullmatch(r"\X", left + right) is not None
    return joining


_BINDING = "@#/="
"""Characters with which mentions, tags and links begin or end; a letter beside one would change what they are."""


def _binds(codes: Codes) -> Mask:
    """Return whether each code point makes a letter beside it seem part of a protected span that has it at its edge."""
    return _wordy(codes) | among(codes, _BINDING)


def _wordy(codes: Codes) -> Mask:
    wordy: Mask = (classes(codes) & WORD) != 0
    return wordy


def without_overlaps(proposals: Proposals) -> Proposals:
    """Return a copy without overlaps: of two changes that overlap, the one with the higher rank is left out.

    A rank is the random number of a change. A change that is left out does not cause others to be left out.
    """
    return proposals.keep(~_beaten(proposals))


def _beaten(proposals: Proposals) -> Mask:
    """Return whether each change has edits that overlap, or overlaps a kept change of a lower rank, shape (changes,).

    In each round, every change with a lower rank than all changes that overlap it is kept, and those are dropped.
    """
    firsts, lasts = _units(proposals)
    order = np.lexsort((lasts, firsts))
    clash = firsts[order][1:] < np.maximum.accumulate(lasts[order])[:-1]
    beaten = np.zeros(proposals.ranks.size, dtype=np.bool_)
    if not clash.any():
        return beaten
    beaten = _tangled(proposals)
    edits = order[np.append(clash, False) | np.append(False, clash)]
    edits = edits[~beaten[proposals.changes[edits]]]
    lengths = lasts[edits] - firsts[edits]
    owners = np.repeat(proposals.changes[edits].astype(np.int32), lengths)
    places = ranges(firsts[edits] - firsts[order[0]], lengths).astype(np.int32)
    priority = np.empty(beaten.size, dtype=np.int32)
    priority[np.argsort(proposals.ranks, kind="stable")] = np.arange(beaten.size)
    sizes = np.bincount(owners, minlength=beaten.size)
    while owners.size:
        lowest = np.full(int(places.max()) + 1, beaten.size, dtype=np.int32)
        np.minimum.at(lowest, places, priority[owners])
        is_lowest = lowest[places] == priority[owners]
        stays = np.bincount(owners, is_lowest, beaten.size) == sizes
        taken = marked(lowest.size, places[stays[owners]])
        near = np.bincount(owners, taken[places], beaten.size) > 0
        beaten |= near & ~stays
        owners, places = owners[~near[owners]], places[~near[owners]]
    return beaten


def _tangled(proposals: Proposals) -> Mask:
    """Return whether each change has two edits that overlap, shape (changes,)."""
    firsts, lasts = _units(proposals)
    order = np.lexsort((lasts, firsts, proposals.changes))
    changes = proposals.changes[order]
    meets = (changes[1:] == changes[:-1]) & (firsts[order][1:] < lasts[order][:-1])
    return marked(proposals.ranks.size, changes[1:][meets])


def _units(proposals: Proposals) -> tuple[Ints, Ints]:
    """Return the range of each edit in units such that two edits overlap if and only if they share a unit.

    Unit 2p is the gap before character p, and unit 2p + 1 is the character. An insertion covers its gap; any other edit
    covers its characters and the gaps between them. Each candidate has units of its own.

    Returns:
        The starts and the stops of the ranges, both of shape (edits,).
    """
    is_insertion = proposals.starts == proposals.stops
    firsts, lasts = 2 * proposals.starts + ~is_insertion, 2 * proposals.stops + is_insertion
    if proposals.candidates is not None:
        shifts = proposals.candidates[proposals.changes] * (int(lasts.max(initial=0)) + 1)
        firsts, lasts = firsts + shifts, lasts + shifts
    return firsts, lasts
