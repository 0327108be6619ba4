"""Changes computed only where they may become active, and new texts only where they are asked for."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from augment_ru.draws import Floats, Ints, first_of_each
from augment_ru.edits import Change, Edit, Note
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals, Replacements, ranges
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask

Rewritten = tuple[str, Note]
"""What is written in the place of a text, and its note: how it is read, and its class."""
Edits = Sequence[Iterable[Edit]]
"""The edits of some changes."""
Work = Callable[[Ints], Mask]
"""Tries to make the changes with these indices, in one batch; returns for each whether it was made."""


@dataclass(frozen=True, slots=True)
class MadeOnDemand(Attack):
    """An attack that makes only the changes that may become active.

    Args:
        least: how many changes of each text are made at any positive probability, if it has so many; from 1. It is the
            number that is forced (`min_changes`), and set by the engine.
    """

    least: int = field(default=1, repr=False, compare=False, kw_only=True, metadata={"option": False})

    def with_min_changes(self, count: int) -> Self:
        """The attack if so many changes of a record are forced; one is made even then, which tells clean texts."""
        return replace(self, least=max(count, 1))


def changes_in_rounds(
    batch: Batch, places: Ints, ranks: Floats, probability: float, write: Callable[[Ints], Edits], *, least: int
) -> Proposals:
    """Proposals of changes that are made in rounds (`in_rounds`).

    Args:
        batch: the texts.
        places: a global place of each possible change, shape (changes,).
        ranks: their ranks, same shape.
        probability: as in `in_rounds`.
        write: returns the edits of the changes with these indices, made in one batch; none of one that cannot be made.
        least: as in `in_rounds`.
    """
    rows = batch.rows(places)
    changes: list[list[Change]] = [[] for _ in range(len(batch))]

    def work(wanted: Ints) -> Mask:
        found = [tuple(edits) for edits in write(wanted)]
        for row, rank, edits in zip(rows[wanted].tolist(), ranks[wanted].tolist(), found, strict=True):
            if edits:
                changes[row].append(Change(rank, edits))
        return np.array([bool(edits) for edits in found], dtype=np.bool_)

    in_rounds(rows, ranks, probability, work, least=least)
    return Proposals.of_changes(batch, changes)


def in_rounds(rows: Ints, ranks: Floats, probability: float, work: Work, *, least: int = 1) -> None:
    """Try all changes with a rank below the probability; then, in texts with too few changes, the next lowest ranks.

    So a text has the changes of its lowest possible ranks, which a search may make active at any probability, and no
    change is computed that can never become active.

    Args:
        rows: the number of the text of each possible change, shape (changes,).
        ranks: their ranks, same shape.
        probability: at 0 nothing is tried.
        work: makes the changes.
        least: how many changes a text needs; from 1.
    """
    if probability <= 0 or not rows.size:
        return
    made = np.zeros(int(rows.max()) + 1, dtype=np.int64)
    wanted = np.flatnonzero(ranks < probability)
    if wanted.size:
        np.add.at(made, rows[wanted[work(wanted)]], 1)
    left = np.flatnonzero(ranks >= probability)
    left = left[np.lexsort((ranks[left], rows[left]))]
    begins = np.flatnonzero(first_of_each(rows[left]))
    ends = np.append(begins[1:], left.size)
    of_row = rows[left[begins]]
    while begins.size:
        poor = (made[of_row] < least) & (begins < ends)
        begins, ends, of_row = begins[poor], ends[poor], of_row[poor]
        counts = np.minimum(ends - begins, least - made[of_row])
        wanted = np.sort(left[ranges(begins, counts)])
        if wanted.size:
            np.add.at(made, rows[wanted[work(wanted)]], 1)
        begins = begins + counts


def texts_at(batch: Batch, starts: Ints, stops: Ints) -> list[str]:
    """What stands at these ranges of global places, each inside one text."""
    rows_of = batch.rows(starts)
    at = batch.starts[rows_of]
    ranges = zip(rows_of.tolist(), (starts - at).tolist(), (stops - at).tolist(), strict=True)
    return [batch.texts[row][start:stop] for row, start, stop in ranges]


def written_together(
    batch: Batch, starts: Ints, stops: Ints, ranks: Floats, make: Callable[[Ints, list[str]], Sequence[Rewritten]]
) -> Proposals:
    """Proposals of clean edits whose new texts and notes are made together, when they are asked for.

    Args:
        batch: the texts.
        starts: the global places where the edits start, shape (edits,).
        stops: those where they stop, same shape.
        ranks: their ranks, same shape.
        make: from the indices of edits and what stands there to the new texts with their notes.
    """
    last: list[tuple[Ints, Sequence[Rewritten]]] = []

    def made(indices: Ints) -> Sequence[Rewritten]:
        if not (last and np.array_equal(last[0][0], indices)):
            last[:] = [(indices, make(indices, texts_at(batch, starts[indices], stops[indices])))]
        return last[0][1]

    return Proposals.of_edits(
        starts,
        stops,
        ranks,
        lambda indices: Replacements.of([text for text, _ in made(indices)]),
        clean=True,
        notes=lambda indices: [note for _, note in made(indices)],
    )
