"""The rows that are written for a chunk of records, one by one or as lines of JSON made from columns."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import Any

import orjson

from augment_ru.engine.metadata_columns import Metadata, is_spelt
from augment_ru.engine.result import Perturbed, Result, original, original_settings
from augment_ru.formats.json_blocks import lines_with, places_of
from augment_ru.formats.row import KEY, Changed, LinesAtOnce
from augment_ru.records.alike import AlikeRecords
from augment_ru.records.record import Record


class ResultRows(LinesAtOnce):
    """The rows that are written for a chunk of records. The rows of a record are adjacent, in the order of the attacks.

    As a sequence it holds pairs of a record and what changed in its row.

    Args:
        records: the records of the chunk, at least one.
        found: the results of each attack for these records.
        meta: how much metadata is written (`augment_ru.engine.result.METAS`).
        seed: if given, the unperturbed row of each record is written before its perturbed rows, with this seed in its
            metadata; None for no unperturbed rows.
    """

    def __init__(
        self, records: Sequence[Record], found: Sequence[Perturbed], meta: str, seed: int | None = None
    ) -> None:
        self._records, self._found, self._meta, self._seed = records, found, meta, seed

    @cached_property
    def results(self) -> list[Result]:
        """The results behind the rows, in the order of the rows."""
        columns = [perturbed.results for perturbed in self._found]
        if self._seed is not None:
            columns.insert(0, self._originals)
        return columns[0] if len(columns) == 1 else list(chain.from_iterable(zip(*columns, strict=True)))

    @cached_property
    def _originals(self) -> list[Result]:
        return [original(record, self._seed or 0) for record in self._records]

    @cached_property
    def _rows(self) -> list[tuple[Record, Changed]]:
        return [(result.record, result.changed(self._meta)) for result in self.results]

    def __len__(self) -> int:
        return len(self._records) * (len(self._found) + (self._seed is not None))

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401  (an index or a slice, as every sequence)
        return self._rows[at]

    def __iter__(self) -> Iterator[tuple[Record, Changed]]:
        return iter(self._rows)

    def lines(self) -> Sequence[bytes] | None:
        """Return the rows as lines of JSON with line ends; None if the rows cannot be made from columns."""
        records = self._records
        settings = [perturbed.settings for perturbed in self._found]
        if self._seed is not None:
            settings.append(original_settings(self._seed))
        if not isinstance(records, AlikeRecords) or not all(map(is_spelt, settings)):
            return None
        sources = list(map(orjson.dumps, records.texts))
        spelt = Metadata(self._meta, records.field, sources)

        places = places_of(records, sources)

        def column(
            new: Sequence[str], metadata: Sequence[bytes] | None, result: Callable[[int], Result]
        ) -> list[bytes]:
            def alone(at: int) -> str:
                return result(at).line(self._meta)

            return lines_with(records.lines, places, new, metadata=metadata, name=KEY, alone=alone)

        columns = [
            column(perturbed.edits.texts, spelt.of_chunk(perturbed), partial(_result, perturbed))
            for perturbed in self._found
        ]
        if self._seed is not None:
            metadata = spelt.of_originals(settings[-1])
            columns.insert(0, column(records.texts, metadata, lambda at: self._originals[at]))
        return columns[0] if len(columns) == 1 else list(chain.from_iterable(zip(*columns, strict=True)))


def _result(perturbed: Perturbed, at: int) -> Result:
    return perturbed.results[at]
