"""The class `Prepared`: records with annotated texts and protected spans, which all attacks on them share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from augment_ru.draws import Ints, Keys
from augment_ru.engine.attack import Attack
from augment_ru.engine.questions import Questions
from augment_ru.engine.similarity import References
from augment_ru.records.record import Record
from augment_ru.text.batch import Batch


@dataclass(frozen=True)
class Prepared:
    """Records with annotated texts and protected spans, which all attacks on them share."""

    records: Sequence[Record]
    fields: Sequence[str]
    """The field of each text of the batch."""
    owners: Ints
    """The number of the record of each text of the batch, ascending."""
    keys: Keys
    """The key of each record."""
    batch: Batch
    references: References = field(init=False)
    """The texts of the batch, as a similarity reads them."""
    questions: Questions | None = None
    """The questions whose options edits can reach; None if there are none."""
    warnings: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """What constraints warn of, by the number of the record."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "references", References(self.batch))

    def __len__(self) -> int:
        return len(self.records)

    @cached_property
    def first_rows(self) -> list[int]:
        """The number of the first text of each record, and at the end the number of texts."""
        rows: list[int] = np.searchsorted(self.owners, np.arange(len(self.records) + 1)).tolist()
        return rows

    @cached_property
    def has_one_text_each(self) -> bool:
        """Whether each record has one text; the list of texts of a row may be empty."""
        return np.array_equal(self.owners, np.arange(len(self.records)))

    @cached_property
    def places(self) -> list[int]:
        """The global place at which each text of the batch starts."""
        places: list[int] = self.batch.starts.tolist()
        return places

    def rows(self, record: int) -> range:
        """The numbers of the texts of a record."""
        return range(self.first_rows[record], self.first_rows[record + 1])

    def seen_by(self, attack: Attack) -> "Prepared":
        """The records with the spans that are protected from this attack."""
        batch = self.batch.seen_by(attack)
        if batch is self.batch:
            return self
        other = replace(self, batch=batch)
        object.__setattr__(other, "references", self.references)  # a scorer of these texts serves all attacks
        return other
