"""Keeps the options (offered answers) of a question different: finds edits that make two options equal."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from augment_ru.draws import Ints
from augment_ru.engine.edit_table import EditTable
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.records.options import Option, comparable, made_equal, offers_options, questions_of
from augment_ru.records.record import Record, tasks_of
from augment_ru.script import Script, Triple
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask, decode, marked


class Questions:
    """Finds edits that make two options (offered answers) of a question equal, in some records.

    Options count as equal if they differ only in what readers overlook, such as letter case
    (`records.options.comparable`). Options that are equal in the original may stay equal.

    Args:
        questions: the options of each question, each with the place in `Batch.codes` where it starts, or None if the
            option is in a field that is not perturbed.
        starts: the place in `Batch.codes` (the joined texts) at which each text of the batch starts.
        records: the index of the record of each question.
    """

    def __init__(
        self, questions: Sequence[Sequence[tuple[Option, int | None]]], starts: Ints, records: Sequence[int] = ()
    ) -> None:
        self._texts_at = starts
        self.records = np.array(records, dtype=np.int64)
        self._before = [[comparable(option.text) for option, _ in question] for question in questions]
        reached = sorted(
            (place, question, number, option.text)
            for question, options in enumerate(questions)
            for number, (option, place) in enumerate(options)
            if place is not None
        )
        self._texts = [text for _, _, _, text in reached]
        self._numbers = [(question, number) for _, question, number, _ in reached]
        """For each option that edits can reach, the number of its question and its number in the question."""
        self._starts = np.array([place for place, _, _, _ in reached], dtype=np.int64)
        self._stops = self._starts + np.array([len(text) for text in self._texts], dtype=np.int64)

    @classmethod
    def of(cls, records: Sequence[Record], fields: Sequence[str], owners: Ints, batch: Batch) -> "Questions | None":
        """Collect the questions of records; None if no record has an option that edits can reach.

        Args:
            records: the records.
            fields: the field of each text of the batch.
            owners: the index of the record that each text belongs to, shape (texts,).
            batch: the texts.
        """
        if not any(offers_options(task) for task in tasks_of(records)):
            return None
        places: dict[tuple[int, str], int] = dict(
            zip(zip(owners.tolist(), fields, strict=True), batch.starts.tolist(), strict=False)
        )
        found, asking = [], []
        for number, record in enumerate(records):
            for options in questions_of(record) if offers_options(record.task) else ():
                starts = [places.get((number, option.field)) for option in options]
                if any(start is not None for start in starts):
                    pairs = zip(options, starts, strict=True)
                    found.append([(one, None if at is None else at + one.span.start) for one, at in pairs])
                    asking.append(number)
        return cls(found, batch.starts, asking) if found else None

    def broken(self, edits: EditTable, units: Ints) -> Ints:
        """Return which sets of edits make two options of a question equal.

        Args:
            edits: edits of the texts of the batch.
            units: the index of the set that each edit belongs to, shape (edits,); a set is, for example, all edits of a
                record.

        Returns:
            The indices of these sets, ascending.
        """
        at = self._texts_at[edits.rows[edits.owners]]
        found = self._made_equal(at + edits.starts, at + edits.stops, edits.new.take, units)
        return np.array(sorted(found), dtype=np.int64)

    def broken_alone(self, proposals: Proposals, asked: Mask) -> Mask:
        """Return whether each change alone makes two options of a question equal, shape (changes,).

        Args:
            proposals: the changes that the engine allows.
            asked: which changes are examined, shape (changes,). The result is False for the others.
        """
        edits = np.flatnonzero(asked[proposals.changes])
        found = self._made_equal_by(proposals, edits, proposals.changes[edits])
        return marked(asked.size, np.array(sorted(found), dtype=np.int64))

    def kept_apart(self, proposals: Proposals, owners: Ints, active: Mask) -> Mask:
        """Leave out changes so that no two options become equal; return which changes stay, shape (changes,).

        If options would become equal, the changes in them are left out one by one, those with the highest ranks (random
        numbers) first, until the options differ.

        Args:
            proposals: the changes that the engine allows.
            owners: the index of the record that each change belongs to, shape (changes,).
            active: which changes are to be made, shape (changes,).
        """
        active = active.copy()
        edits = np.flatnonzero(active[proposals.changes])
        while found := self._made_equal_by(proposals, edits, owners[proposals.changes[edits]]):
            equal = np.array(sorted(set().union(*found.values())), dtype=np.int64)
            inside = np.isin(self._reached(proposals.starts[edits], proposals.stops[edits]), equal)
            changes = np.unique(proposals.changes[edits[inside]])
            changes = changes[np.lexsort((proposals.ranks[changes], owners[changes]))]
            active[changes[np.diff(owners[changes], append=-1) != 0]] = False  # the last change of each record
            edits = edits[np.isin(owners[proposals.changes[edits]], list(found))]
            edits = edits[active[proposals.changes[edits]]]
        return active

    def _reached(self, starts: Ints, stops: Ints) -> Ints:
        """Return the number of the option that each edit is in, shape (edits,); -1 for edits outside all options.

        An insertion at the edge of an option counts as inside it.
        """
        at = np.searchsorted(self._starts, starts, side="right") - 1
        return np.where((at >= 0) & (stops <= self._stops[at]), at, -1)

    def _made_equal_by(self, proposals: Proposals, edits: Ints, units: Ints) -> Mapping[int, set[int]]:
        starts, stops = proposals.starts[edits], proposals.stops[edits]
        return self._made_equal(starts, stops, lambda indices: proposals.replace(edits[indices]), units)

    def _made_equal(
        self, starts: Ints, stops: Ints, texts: Callable[[Ints], Replacements], units: Ints
    ) -> Mapping[int, set[int]]:
        """Map each unit to the numbers of its edited options that became equal to another option.

        Units in which no options became equal are left out.

        Args:
            starts: the global place where each edit starts, shape (edits,).
            stops: the global place where each edit stops, shape (edits,).
            texts: a function from the indices of edits to their new texts.
            units: the unit of each edit, such as the number of its record or of its change, shape (edits,).
        """
        options = self._reached(starts, stops)
        inside = np.flatnonzero(options >= 0)
        if not inside.size:
            return {}
        new = texts(inside)
        joined, bounds = decode(new.codes), new.offsets.tolist()
        edits: dict[tuple[int, int], dict[int, list[Triple]]] = {}  # by unit and question, then by option
        rows = zip(inside.tolist(), units[inside].tolist(), options[inside].tolist(), pairwise(bounds), strict=True)
        for index, unit, option, (begin, end) in rows:
            start = int(self._starts[option])
            edit = int(starts[index]) - start, int(stops[index]) - start, joined[begin:end]
            edits.setdefault((unit, self._numbers[option][0]), {}).setdefault(option, []).append(edit)
        equal: dict[int, set[int]] = {}
        for (unit, question), changed in edits.items():
            after = list(self._before[question])
            options_at = {self._numbers[option][1]: option for option in changed}
            for number, option in options_at.items():
                after[number] = comparable(Script.of(self._texts[option], sorted(changed[option])).text)
            for pair in made_equal(self._before[question], after):
                equal.setdefault(unit, set()).update(options_at[one] for one in pair if one in options_at)
        return equal
