"""The proposals of several attacks for the same texts, put together."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from augment_ru.draws import Ints
from augment_ru.edits import Note
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.text.characters import Mask


def side_by_side(parts: Sequence[Proposals]) -> Proposals:
    """The proposals of several attacks for the same batch; if each edit is a change of its own, in their order.

    Args:
        parts: the proposals of each attack, at least one.
    """
    edits = np.cumsum([0, *(part.starts.size for part in parts)])
    changes = np.cumsum([0, *(part.ranks.size for part in parts)])

    def split(indices: Ints) -> Iterator[tuple[Proposals, Mask, Ints]]:
        """Each part, which of the edits are its own, and their indices in it."""
        for part, start, stop in zip(parts, edits[:-1], edits[1:], strict=True):
            own = (indices >= start) & (indices < stop)
            if own.any():
                yield part, own, indices[own] - start

    def texts(indices: Ints) -> Replacements:
        found = [(np.flatnonzero(own), part.replace(places)) for part, own, places in split(indices)]
        if not found:
            return Replacements.nothing(indices)
        lengths = np.concatenate([made.lengths for _, made in found])
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        every = Replacements(np.concatenate([made.codes for _, made in found]), offsets)
        return every.take(np.argsort(np.concatenate([order for order, _ in found])))

    def notes(indices: Ints) -> list[Note | None]:
        found: list[Note | None] = [None] * indices.size
        for part, own, places in split(indices):
            if part.notes:
                for index, note in zip(np.flatnonzero(own).tolist(), part.notes(places), strict=True):
                    found[index] = note
        return found

    every = Proposals(
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.stops for part in parts]),
        np.concatenate([part.changes + first for part, first in zip(parts, changes[:-1], strict=True)]),
        np.concatenate([part.ranks for part in parts]),
        texts,
        clean=all(part.clean for part in parts),
        notes=notes if any(part.notes for part in parts) else None,
    )
    return every if every.ranks.size < every.starts.size else _in_order(every)


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
