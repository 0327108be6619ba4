"""Proposals of several attacks, or of several candidates, put together."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import repeat

import numpy as np

from augment_ru.draws import Ints
from augment_ru.edits import Note
from augment_ru.engine.proposals import Proposals, Replacements


def side_by_side(parts: Sequence[Proposals]) -> Proposals:
    """The proposals of several attacks for the same batch; if each edit is a change of its own, in their order.

    Args:
        parts: the proposals of each attack, at least one.
    """
    every = one_behind_another(parts)
    return every if every.ranks.size < every.starts.size else _in_order(every)


def one_behind_another(parts: Sequence[Proposals], shifts: Iterable[int] = repeat(0)) -> Proposals:
    """The edits and changes of each part, one part behind another.

    They are stated to be clean if those of all parts are. That holds where each part lies behind the one before it.

    Args:
        parts: proposals for the same array of texts, at least one.
        shifts: by how much the places of each part are moved; none of those of the first.
    """
    if len(parts) == 1:
        return parts[0]
    edits = np.cumsum([0, *(part.starts.size for part in parts)])
    changes = np.cumsum([0, *(part.ranks.size for part in parts)])

    def split(indices: Ints) -> Iterator[tuple[Proposals, Ints]]:
        """Each part with the indices in it of some edits, which are given in order."""
        bounds = np.searchsorted(indices, edits).tolist()
        for part, first, start, stop in zip(parts, edits.tolist(), bounds, bounds[1:], strict=False):
            if start < stop:
                yield part, indices[start:stop] - first

    def texts(indices: Ints) -> Replacements:
        order = None if (indices[1:] > indices[:-1]).all() else np.argsort(indices, kind="stable")
        found = [part.replace(places) for part, places in split(indices if order is None else indices[order])]
        if not found:
            return Replacements.nothing(indices)
        offsets = np.zeros(indices.size + 1, dtype=np.int64)
        np.cumsum(np.concatenate([made.lengths for made in found]), out=offsets[1:])
        every = Replacements(np.concatenate([made.codes for made in found]), offsets)
        return every if order is None else every.take(np.argsort(order))

    def notes(indices: Ints) -> list[Note | None]:
        order = np.argsort(indices, kind="stable")
        found: list[Note | None] = []
        for part, places in split(indices[order]):
            found += part.notes(places) if part.notes else [None] * places.size
        return [found[place] for place in np.argsort(order).tolist()]

    return Proposals(
        np.concatenate([part.starts + shift for part, shift in zip(parts, shifts, strict=False)]),
        np.concatenate([part.stops + shift for part, shift in zip(parts, shifts, strict=False)]),
        np.concatenate([part.changes + first for part, first in zip(parts, changes.tolist(), strict=False)]),
        np.concatenate([part.ranks for part in parts]),
        texts,
        clean=all(part.clean for part in parts),
        notes=notes if any(part.notes for part in parts) else None,
    )


def _in_order(proposals: Proposals) -> Proposals:
    """Proposals in which every edit is a change of its own, in the order of their places."""
    order = np.lexsort((proposals.stops, proposals.starts))
    texts, notes = proposals.replace, proposals.notes
    return replace(
        proposals,
        starts=proposals.starts[order],
        stops=proposals.stops[order],
        ranks=proposals.ranks[order],
        changes=np.arange(order.size),
        replace=lambda indices: texts(order[indices]),
        notes=(lambda indices: notes(order[indices])) if notes else None,
    )
