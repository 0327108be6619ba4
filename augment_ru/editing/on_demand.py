"""Makes changes only where they may be applied, and new texts only when needed, for edits that take long to make."""

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

Rewritten = tuple[str, Note | None]
"""A new text, and its note, which says how the text is read and which class of error it has."""
Edits = Sequence[Iterable[Edit]]
"""For each of some changes, its edits; empty for a change that cannot be made."""
Work = Callable[[Ints], Mask]
"""A function that tries to make the changes with these indices in one batch, and tells for each whether it was made."""


@dataclass(frozen=True, slots=True)
class MadeOnDemand(Attack):
    """An attack whose edits take long to make; it makes them only for changes that may be applied.

    These are the changes whose rank (a random number in [0, 1)) is below the probability. If a text has fewer than
    `least` of them, those with the next lowest ranks are added.

    Args:
        least: how many changes of each text are made at any positive probability, if the text has that many possible
            ones; at least 1. The engine sets it to the number of changes that are forced (`min_changes`).
    """

    least: int = field(default=1, repr=False, compare=False, kw_only=True, metadata={"option": False})

    def with_min_changes(self, count: int) -> Self:
        """Return a copy of the attack that proposes at least `count` changes of each text, if there are so many.

        If `count` is 0, the copy proposes at least one change, so that the engine can tell which texts could be
        changed.
        """
        return replace(self, least=max(count, 1))


def changes_in_rounds(
    batch: Batch,
    places: Ints,
    ranks: Floats,
    probability: float,
    write: Callable[[Ints], Edits],
    *,
    least: int,
    groups: Ints | None = None,
) -> Proposals:
    """Propose changes whose edits take long to write; only those that may be applied are written.

    First, all changes whose rank (a random number in [0, 1)) is below the probability are written. If a text then has
    fewer than `least` changes, those with the next lowest ranks are written, until it has enough.

    Args:
        batch: the texts.
        places: a global place (an offset in `batch.codes`) of each possible change, shape (changes,).
        ranks: the rank of each change, same shape.
        probability: the share of the possible changes that the attack makes; at 0 no change is proposed.
        write: a function that writes several changes at once. It takes their indices and returns the edits of each; a
            change that turns out to be impossible has no edits.
        least: how many changes each text needs, at least 1.
        groups: the index of the sentence of each possible change, same shape, if each sentence needs `least` changes;
            by default each text does.
    """
    rows = batch.rows(places)
    changes: list[list[Change]] = [[] for _ in range(len(batch))]

    def work(wanted: Ints) -> Mask:
        found = [tuple(edits) for edits in write(wanted)]
        for row, rank, edits in zip(rows[wanted].tolist(), ranks[wanted].tolist(), found, strict=True):
            if edits:
                changes[row].append(Change(rank, edits))
        return np.array([bool(edits) for edits in found], dtype=np.bool_)

    in_rounds(rows if groups is None else groups, ranks, probability, work, least=least)
    return Proposals.of_changes(batch, changes)


def in_rounds(rows: Ints, ranks: Floats, probability: float, work: Work, *, least: int = 1) -> None:
    """Try to make changes, but only as many as are needed, since it takes long to make one.

    First, all changes whose rank (a random number in [0, 1)) is below the probability are tried. If fewer than `least`
    changes of a text could then be made, those with the next lowest ranks are tried, until there are enough.

    Args:
        rows: the index of the text of each possible change, shape (changes,).
        ranks: the rank of each change, same shape.
        probability: the share of the possible changes that the attack makes; at 0 nothing is done.
        work: a function that tries to make the changes with the given indices, and returns for each whether it was
            made.
        least: how many changes each text needs, at least 1.
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


def places_of(batch: Batch, places: Iterable[tuple[int, int]]) -> Ints:
    """Turn places in single texts into global places: offsets in `batch.codes`, shape (places,).

    Args:
        batch: the texts.
        places: for each place, the index of its text and the place in that text.
    """
    rows, starts = np.array(list(places), dtype=np.int64).reshape(-1, 2).T
    return batch.starts[rows] + starts


def texts_at(batch: Batch, starts: Ints, stops: Ints) -> list[str]:
    """Return the characters of ranges of a batch.

    Args:
        batch: the texts.
        starts: the global place (offset in `batch.codes`) where each range starts, shape (ranges,).
        stops: the global place where it stops, in the same text; same shape.
    """
    rows_of = batch.rows(starts)
    at = batch.starts[rows_of]
    ranges = zip(rows_of.tolist(), (starts - at).tolist(), (stops - at).tolist(), strict=True)
    return [batch.texts[row][start:stop] for row, start, stop in ranges]


def written_together(
    batch: Batch, starts: Ints, stops: Ints, ranks: Floats, make: Callable[[Ints, list[str]], Sequence[Rewritten]]
) -> Proposals:
    """Return proposals whose new texts and notes are made together, and only for the edits that the engine tries.

    Each change has only one edit. The edits must be sorted and disjoint, each must change its text, and none may put a
    letter where there was no letter.

    Args:
        batch: the texts.
        starts: the global places (offsets in `batch.codes`) where the edits start, shape (edits,).
        stops: the global places where the edits stop, same shape.
        ranks: the ranks of the edits (their random numbers in [0, 1)), same shape.
        make: a function that takes the indices of edits and the texts that they replace. It returns each new text with
            its note (what the edit carries besides, such as its reading).
    """
    known: dict[int, Rewritten] = {}

    def made(indices: Ints) -> Sequence[Rewritten]:
        numbers = indices.tolist()
        if unknown := [number for number in numbers if number not in known]:
            new = make(np.array(unknown), texts_at(batch, starts[unknown], stops[unknown]))
            known.update(zip(unknown, new, strict=True))
        return [known[number] for number in numbers]

    return Proposals.of_edits(
        starts,
        stops,
        ranks,
        lambda indices: Replacements.of([text for text, _ in made(indices)]),
        clean=True,
        notes=lambda indices: [note for _, note in made(indices)],
    )
