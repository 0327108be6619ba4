"""The pool of a record: all changes of several attacks that are legal by themselves, and which of them conflict.

`perturb` takes one random draw of the changes that an attack can make. A search against a model chooses among the
changes of several draws and attacks: all whose rank (random number) is below the probability of their attack. So there
may be several alternatives for a word.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.engine.edit_table import one_by_one
from augment_ru.engine.legality import legal
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import Prepared
from augment_ru.engine.proposals import Proposals
from augment_ru.records.groups import grouped
from augment_ru.script import Script, Triple


@dataclass(frozen=True)
class RecordPool:
    """The pool of a record: the changes that a search against a model may choose, without repeats, sorted by place.

    The search looks for the fewest of these changes that turn the model's right answer wrong.

    Attributes:
        fields: the fields of the record's texts.
        sources: the original texts.
        first_row: the index of the record's first text in the batch.
        changes: each change by itself, as a script (edits) of the text that it edits.
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
    changes: Sequence[Script]
    texts: Sequence[int]
    attacks: Sequence[int]
    places: Ints
    sizes: Floats

    def __len__(self) -> int:
        return len(self.changes)

    @cached_property
    def conflicts(self) -> Sequence[Sequence[int]]:
        """For each change, the indices of the changes that cannot be made together with it, ascending.

        Two changes conflict if an edit of one overlaps an edit of the other. Two insertions at one place overlap, too.
        """
        found = defaultdict[int, list[int]](list)  # most changes exclude no others, or few
        edits = sorted(
            (text, start, stop, number)
            for number, (text, change) in enumerate(zip(self.texts, self.changes, strict=True))
            for start, stop, _ in change.triples
        )
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
        """Return the scripts (edits) that some changes of the record give together, one for each text that they edit.

        Args:
            chosen: the indices of the changes in the pool.

        Returns:
            The scripts, by the index of the text among the texts of the record, from 0.

        Raises:
            AugmentError: two of the changes conflict.
        """
        of_texts = grouped((self.texts[number], self.changes[number]) for number in chosen)
        return {text: Script.together(self.sources[text], of_texts[text]) for text in sorted(of_texts)}

    def attacks_of(self, chosen: Iterable[int], text: int) -> list[int]:
        """Return the index of the attack that made each edit of a text, in the order of the places of the edits.

        Args:
            chosen: the indices of the changes that are made.
            text: the index of the text among the texts of the record, from 0.
        """
        found = [
            (triple, self.attacks[number])
            for number in chosen
            if self.texts[number] == text
            for triple in self.changes[number].triples
        ]
        return [attack for _, attack in sorted(found)]

    def without(self, dropped: Iterable[int]) -> "RecordPool":
        """Return a copy of the pool without the changes that have these indices."""
        gone = set(dropped)
        kept = [number for number in range(len(self.changes)) if number not in gone]
        return replace(
            self,
            changes=[self.changes[number] for number in kept],
            texts=[self.texts[number] for number in kept],
            attacks=[self.attacks[number] for number in kept],
            places=self.places[kept],
            sizes=self.sizes[kept],
        )


_Key: TypeAlias = tuple[int, tuple[Triple, ...]]
"""The key of a change of a record: the number of the text, and the edits."""
_Held: TypeAlias = dict[_Key, tuple[Script, int]]
"""The changes of a record: the script of each, and the number of its attack."""


def pools(prepared: Prepared, perturbers: Sequence[Perturber], draws: int) -> list[RecordPool]:
    """Make the pool of each record: all changes that attacks can make in it and that the engine allows.

    Only changes with a rank (random number) below the probability of their attack are in the pool; at 1 all are.

    Args:
        prepared: the records.
        perturbers: the attacks.
        draws: how often each attack is asked for random changes, at least 1. So an attack offers at most this many
            alternatives for a word.
    """
    found: list[_Held] = [{} for _ in range(len(prepared))]
    for number, perturber in enumerate(perturbers):
        seen = prepared.seen_by(perturber.attack)
        for draw in range(draws):
            proposed = legal(seen.batch, perturber.proposals(seen, draw), alternatives=True)
            _add(found, seen, proposed.keep(proposed.ranks < perturber.attack.probability), number)
    return _with_places(prepared, found)


def _add(found: Sequence[_Held], prepared: Prepared, proposed: Proposals, number: int) -> None:
    """Add the proposed changes of attack `number` to `found`, the changes of each record; known ones are skipped."""
    firsts, owners = prepared.first_rows, prepared.owners.tolist()
    alone = one_by_one(prepared.batch, proposed.settled())
    for at, (row, start, stop) in enumerate(alone.parts):
        held, key = found[owners[row]], (row - firsts[owners[row]], tuple(alone.triples[start:stop]))
        if key not in held:  # draws of an attack have many changes in common
            held[key] = alone[at], number


def _with_places(prepared: Prepared, found: Sequence[_Held]) -> list[RecordPool]:
    """Make the pools from the changes of each record: sort the changes, and find their places and sizes."""
    batch = prepared.batch.prepared
    begins, ends = batch.words
    bounds = np.cumsum([0, *map(len, found)])
    rows = [prepared.rows(at) for at in range(len(found))]
    keys = [sorted(held) for held in found]
    firsts = [(own[text], triples[0][0]) for own, held in zip(rows, keys, strict=True) for text, triples in held]
    own_rows, places_in_text = np.array(firsts, dtype=np.int64).reshape(-1, 2).T
    texts = batch.starts[own_rows]
    starts = texts + places_in_text
    words = np.searchsorted(begins, starts, side="right") - 1
    before = words < np.searchsorted(begins, texts)  # the first word of its text
    sizes = np.where(before, 0, np.append(ends - begins, 0)[words]).astype(np.float64)
    names = np.where(before, -1 - texts, words)
    return [
        RecordPool(
            [prepared.fields[row] for row in own],
            [batch.texts[row] for row in own],
            own.start,
            [held[key][0] for key in ordered],
            [text for text, _ in ordered],
            [held[key][1] for key in ordered],
            np.unique(names[start:stop], return_inverse=True)[1],
            sizes[start:stop],
        )
        for own, held, ordered, start, stop in zip(
            rows, found, keys, bounds.tolist(), bounds[1:].tolist(), strict=False
        )
    ]
