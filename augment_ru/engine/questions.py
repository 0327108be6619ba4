"""Keeps the options of a question apart: finds edits that make two of them equal."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from augment_ru.draws import Ints
from augment_ru.engine.edit_table import EditTable
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.records.options import Option, comparable, made_equal, offers_options, questions_of
from augment_ru.records.record import Record, tasks_of
from augment_ru.script import Script, Triple
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask, decode


class Questions:
    """The questions of a chunk, with those of their options in columns that edits can reach.

    Two options are equal in their comparable form (`records.options.comparable`). Options that are equal in the
    original may stay so.

    Args:
        questions: the options of each question, with the global place of each; None for an option in a field that is
            not perturbed.
        starts: the global place at which each text of the batch starts.
    """

    def __init__(self, questions: Sequence[Sequence[tuple[Option, int | None]]], starts: Ints) -> None:
        self._texts_at = starts
        self._before = [[comparable(option.text) for option, _ in question] for question in questions]
        reached = sorted(
            (place, question, number, option.text)
            for question, options in enumerate(questions)
            for number, (option, place) in enumerate(options)
            if place is not None
        )
        self._texts = [text for _, _, _, text in reached]
        self._numbers = [(question, number) for _, question, number, _ in reached]
        """The question of each option, and the number of the option in it."""
        self._starts = np.array([place for place, _, _, _ in reached], dtype=np.int64)
        self._stops = self._starts + np.array([len(text) for text in self._texts], dtype=np.int64)

    @classmethod
    def of(cls, records: Sequence[Record], fields: Sequence[str], owners: Ints, batch: Batch) -> "Questions | None":
        """Return the questions of records; None if edits reach no option of theirs.

        Args:
            records: the records.
            fields: the field of each text of the batch.
            owners: the record of each text, shape (texts,).
            batch: the texts.
        """
        if not any(offers_options(task) for task in tasks_of(records)):
            return None
        places: dict[tuple[int, str], int] = dict(
            zip(zip(owners.tolist(), fields, strict=True), batch.starts.tolist(), strict=False)
        )
        found = []
        for number, record in enumerate(records):
            for options in questions_of(record) if offers_options(record.task) else ():
                starts = [places.get((number, option.field)) for option in options]
                if any(start is not None for start in starts):
                    pairs = zip(options, starts, strict=True)
                    found.append([(one, None if at is None else at + one.span.start) for one, at in pairs])
        return cls(found, batch.starts) if found else None

    def broken(self, edits: EditTable, units: Ints) -> Ints:
        """Return the units in which two options became equal, ascending.

        Args:
            edits: edits of the texts of the batch.
            units: the record of each edit, shape (edits,).
        """
        at = self._texts_at[edits.rows[edits.owners]]
        return self._units(self._made_equal(at + edits.starts, at + edits.stops, edits.new.take, units))

    def broken_alone(self, proposals: Proposals, asked: Mask) -> Mask:
        """Return whether each of the changes that are asked makes two options equal by itself, shape (changes,)."""
        edits = np.flatnonzero(asked[proposals.changes])
        found = self._made_equal_by(proposals, edits, proposals.changes[edits])
        broken = np.zeros_like(asked)
        broken[self._units(found)] = True
        return broken

    def kept_apart(self, proposals: Proposals, owners: Ints, active: Mask) -> Mask:
        """The active changes, without those of the highest ranks in options that they make equal, shape (changes,).

        Args:
            proposals: legal changes.
            owners: the record of each change, shape (changes,).
            active: whether each change is active, shape (changes,).
        """
        active = active.copy()
        edits = np.flatnonzero(active[proposals.changes])
        while found := self._made_equal_by(proposals, edits, owners[proposals.changes[edits]]):
            equal = np.array(sorted(set().union(*found.values())), dtype=np.int64)
            inside = np.isin(self._reached(proposals.starts[edits], proposals.stops[edits]), equal)
            changes = np.unique(proposals.changes[edits[inside]])
            changes = changes[np.lexsort((proposals.ranks[changes], owners[changes]))]
            active[changes[np.diff(owners[changes], append=-1) != 0]] = False  # the last change of each record
            edits = edits[np.isin(owners[proposals.changes[edits]], self._units(found))]
            edits = edits[active[proposals.changes[edits]]]
        return active

    def _reached(self, starts: Ints, stops: Ints) -> Ints:
        """The option that each edit is in, shape (edits,); -1 for none. What touches the edge of one is in it."""
        at = np.searchsorted(self._starts, starts, side="right") - 1
        return np.where((at >= 0) & (stops <= self._stops[at]), at, -1)

    def _made_equal_by(self, proposals: Proposals, edits: Ints, units: Ints) -> Mapping[int, set[int]]:
        starts, stops = proposals.starts[edits], proposals.stops[edits]
        return self._made_equal(starts, stops, lambda indices: proposals.replace(edits[indices]), units)

    def _made_equal(
        self, starts: Ints, stops: Ints, texts: Callable[[Ints], Replacements], units: Ints
    ) -> Mapping[int, set[int]]:
        """For each unit the options that became equal; units without such options are left out.

        Args:
            starts: the global places where the edits start, shape (edits,).
            stops: those where they stop, shape (edits,).
            texts: returns the new texts of edits.
            units: what the edits are applied to by themselves: a record, or one change of it; shape (edits,).
        """
        options = self._reached(starts, stops)
        inside = np.flatnonzero(options >= 0)
        if not inside.size:
            return {}
        new = texts(inside)
        joined, bounds = decode(new.codes), new.offsets.tolist()
        edits: dict[tuple[int, int], list[Triple]] = {}
        for at, (index, unit, option) in enumerate(
            zip(inside.tolist(), units[inside].tolist(), options[inside].tolist(), strict=True)
        ):
            start = int(self._starts[option])
            edit = int(starts[index]) - start, int(stops[index]) - start, joined[bounds[at] : bounds[at + 1]]
            edits.setdefault((unit, option), []).append(edit)
        asked: dict[tuple[int, int], dict[int, int]] = {}
        for unit, option in edits:
            question, number = self._numbers[option]
            asked.setdefault((unit, question), {})[number] = option
        equal: dict[int, set[int]] = {}
        for (unit, question), changed in asked.items():
            after = list(self._before[question])
            for number, option in changed.items():
                after[number] = comparable(Script.of(self._texts[option], sorted(edits[unit, option])).text)
            for pair in made_equal(self._before[question], after):
                equal.setdefault(unit, set()).update(changed[number] for number in pair if number in changed)
        return equal

    @staticmethod
    def _units(found: Mapping[int, set[int]]) -> Ints:
        return np.array(sorted(found), dtype=np.int64)
