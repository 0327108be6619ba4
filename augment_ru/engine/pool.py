"""The pool of a record: all changes of several attacks that are legal by themselves, and which of them conflict.

`perturb` takes one random draw of the changes that an attack can make. A search against a model chooses among the
changes of several draws and attacks: all whose rank (random number) is below the probability of their attack. So there
may be several alternatives for a word.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.engine.edit_table import EditTable, one_by_one
from augment_ru.engine.legality import legal
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import Prepared
from augment_ru.records.groups import grouped
from augment_ru.script import Script
from augment_ru.text.characters import decode

_LONG = 2**14
"""Of a pool with more changes than this, only those that are made are ever objects; the others stay in columns."""


@dataclass(frozen=True)
class RecordPool:
    """Holds the changes of a record that a search against a model may choose, without repeats, sorted by place.

    The search looks for the fewest of these changes that turn the model's right answer wrong.

    Attributes:
        fields: the fields of the record's texts.
        sources: the original texts.
        first_row: the index of the record's first text in the batch.
        changes: a table with an entry for each change: its edits of the text that it edits.
        texts: for each change, the index in `fields` of the text that it edits.
        attacks: for each change, the index of the attack that proposed it.
        places: the index of the word that each change edits, shape (changes,). Words are counted from 0 through all
            texts of the record, without words that no change edits. A change that starts between words counts for the
            word before it. Changes of one word are alternatives, or change different letters of it.
        sizes: the length in characters of the word that each change edits, shape (changes,); 0 if the edit stands
            before the first word of its text.
    """

    fields: Sequence[str]
    sources: Sequence[str]
    first_row: int
    changes: EditTable
    texts: Sequence[int]
    attacks: Sequence[int]
    places: Ints
    sizes: Floats

    def __len__(self) -> int:
        return len(self.changes)

    @cached_property
    def conflicts(self) -> Sequence[Sequence[int]]:
        """Entry i lists the changes that cannot be made together with change i: their indices, ascending.

        Two changes conflict if an edit of one overlaps an edit of the other. Two insertions at one place overlap, too.
        """
        found = defaultdict[int, list[int]](list)  # most changes exclude no others, or few
        numbers = self.changes.owners
        places = self.changes.rows[numbers], self.changes.starts, self.changes.stops, numbers
        edits = sorted(zip(*(one.tolist() for one in places), strict=True))
        reached: list[tuple[int, int, int, int]] = []
        for text, start, stop, number in edits:
            if reached and reached[-1][:2] != (text, start):
                reached = [one for one in reached if one[0] == text and one[2] > start]
            for _, begun, ended, other in reached:
                if other != number and ((begun < stop and ended > start) or (begun == start and ended == stop)):
                    found[number].append(other)
                    found[other].append(number)
            reached.append((text, start, stop, number))
        return [tuple(sorted(set(found.get(number, ())))) for number in range(len(self))]

    @cached_property
    def has_letters(self) -> bool:
        """Whether at least one word can get several changes at once, in different letters."""
        counts = np.bincount(self.places, minlength=1).tolist()
        conflicts = self.conflicts
        return any(len(conflicts[number]) < counts[place] - 1 for number, place in enumerate(self.places.tolist()))

    def scripts(self, chosen: Iterable[int]) -> dict[int, Script]:
        """Make some changes of the record together, and return the script (edits) of each text that they edit.

        Args:
            chosen: the indices of the changes in the pool.

        Returns:
            The scripts, by the index of the text among the texts of the record, from 0.

        Raises:
            AugmentError: two of the changes conflict.
        """
        chosen = list(chosen)
        if len(chosen) < len(self) > _LONG:
            return self.only(chosen).scripts(range(len(chosen)))
        parts = self.changes.parts
        of_texts = grouped((self.texts[number], at) for number in chosen for at in range(*parts[number][1:]))
        triples, notes = self.changes.triples, self.changes.notes
        return {
            text: Script.together(self.sources[text], [triples[at] for at in own], [notes[at] for at in own if notes])
            for text, own in sorted(of_texts.items())
        }

    def attacks_of(self, chosen: Iterable[int], text: int) -> list[int]:
        """Return the index of the attack that made each edit of a text, in the order of the places of the edits.

        Args:
            chosen: the indices of the changes that are made.
            text: the index of the text among the texts of the record, from 0.
        """
        own = self.only([number for number in chosen if self.texts[number] == text])
        pairs = zip(own.changes, own.attacks, strict=True)
        return [attack for _, attack in sorted((triple, attack) for one, attack in pairs for triple in one.triples)]

    def only(self, kept: Sequence[int]) -> "RecordPool":
        """Return a pool of only the changes that have these indices, in this order."""
        numbers = np.array(kept, dtype=np.int64)
        return replace(
            self,
            changes=self.changes.take(numbers),
            texts=[self.texts[number] for number in kept],
            attacks=[self.attacks[number] for number in kept],
            places=self.places[numbers],
            sizes=self.sizes[numbers],
        )


def pools(prepared: Prepared, perturbers: Sequence[Perturber], draws: int) -> list[RecordPool]:
    """Make the pool of each record: all changes that attacks can make in it and that the engine allows.

    Only changes with a rank (random number) below the probability of their attack are in the pool; at 1 all are.

    Args:
        prepared: the records.
        perturbers: the attacks.
        draws: how often each attack is asked for random changes, at least 1. So an attack offers at most this many
            alternatives for a word.
    """
    found = [_of_attack(prepared, perturber, draws) for perturber in perturbers]
    every, attacks = EditTable.joined(found), np.arange(len(found)).repeat([*map(len, found)])
    found.clear()  # a long text has millions of changes
    kept = _different(every)
    every = every.take(kept)
    return _by_record(prepared, every, attacks[kept])


def _of_attack(prepared: Prepared, perturber: Perturber, draws: int) -> EditTable:
    """Return the different changes that several draws of an attack offer."""
    seen, tables = prepared.seen_by(perturber.attack), list[EditTable]()
    for draw in range(draws):
        proposed = legal(seen.batch, perturber.proposals(seen, draw), alternatives=True)
        tables.append(one_by_one(seen.batch, proposed.keep(proposed.ranks < perturber.attack.probability).settled()))
    every = EditTable.joined(tables)
    tables.clear()
    return every.take(_different(every))


def _different(changes: EditTable) -> Ints:
    """Return the indices of different changes, sorted by text and by edits; of equal changes only the first is kept."""
    text, numbers = decode(changes.new.codes), dict[str, int]()
    bounds = pairwise(changes.new.offsets.tolist())
    new = np.fromiter((numbers.setdefault(text[start:stop], len(numbers)) for start, stop in bounds), np.int64)
    ranks = np.argsort(np.array([numbers[one] for one in sorted(numbers)], np.int64))
    edits = [one.astype(np.int32) for one in (changes.starts, changes.stops, ranks[new])]
    firsts, several = changes.firsts[:-1], (np.diff(changes.firsts) > 1).nonzero()[0]
    ends = zip((firsts[several] + 1).tolist(), changes.firsts[several + 1].tolist(), strict=True)
    further = [tuple(zip(*(one[start:stop].tolist() for one in edits), strict=True)) for start, stop in ends]
    order_of = {one: number for number, one in enumerate(sorted(set(further)), 1)}
    rest = np.zeros(len(changes), np.int32)
    rest[several] = [order_of[one] for one in further]
    keys: list[Any] = [changes.rows, *(one[firsts] for one in edits), rest]
    order = np.lexsort(keys[::-1])
    different = np.ones(order.size, dtype=bool)
    different[1:] = np.any([(own := key[order])[1:] != own[:-1] for key in keys], axis=0)
    return order[different]


def _by_record(prepared: Prepared, changes: EditTable, attacks: Ints) -> list[RecordPool]:
    """Make the pools from the changes of all records, sorted by text, and the attack of each; find places and sizes."""
    batch = prepared.batch.prepared
    begins, ends = batch.words
    bounds = np.searchsorted(prepared.owners[changes.rows], np.arange(len(prepared) + 1)).tolist()
    texts = batch.starts[changes.rows]
    starts = texts + changes.starts[changes.firsts[:-1]]
    words = np.searchsorted(begins, starts, side="right") - 1
    before = words < np.searchsorted(begins, texts)  # the first word of its text
    sizes = np.where(before, 0, np.append(ends - begins, 0)[words]).astype(np.float64)
    names = np.where(before, -1 - texts, words)
    return [
        RecordPool(
            [prepared.fields[row] for row in own],
            [batch.texts[row] for row in own],
            own.start,
            changes.part(start, stop),
            (changes.rows[start:stop] - own.start).tolist(),
            attacks[start:stop].tolist(),
            np.unique(names[start:stop], return_inverse=True)[1],
            sizes[start:stop],
        )
        for own, (start, stop) in zip(map(prepared.rows, range(len(prepared))), pairwise(bounds), strict=True)
    ]
