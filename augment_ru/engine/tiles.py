"""A batch once for each candidate, in one array, so that all candidates of all records are searched together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from augment_ru.draws import Ints
from augment_ru.engine.proposals import Proposals
from augment_ru.engine.side_by_side import one_behind_another
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Codes


@dataclass(frozen=True)
class Tiles:
    """A batch once for each candidate, one tile behind another. Text t of tile c is text number `c · texts + t`.

    A place in their array is shifted by `c · codes`. A try is a record in one tile: record r of tile c is try number
    `c · records + r`.

    Args:
        batch: the texts.
        owners: the record of each text, shape (texts,).
        records: how many records there are; some may have no text.
        count: how many tiles there are.
    """

    batch: Batch
    owners: Ints
    records: int
    count: int

    @cached_property
    def starts(self) -> Ints:
        """Where each text starts in the array, and where the last tile stops, shape (count · texts + 1,)."""
        own = self.batch.starts
        if self.count == 1:
            return own
        return np.append((own[:-1] + self.shifts).ravel(), own[-1] * self.count)

    @cached_property
    def shifts(self) -> Ints:
        """By how much places of each tile are shifted, shape (count, 1)."""
        return np.arange(self.count)[:, None] * self.batch.codes.size

    @cached_property
    def codes(self) -> Codes:
        """The code points of all tiles."""
        return np.tile(self.batch.codes, self.count)

    @cached_property
    def tries(self) -> Ints:
        """The try of each text, shape (count, texts)."""
        return self.owners + np.arange(self.count)[:, None] * self.records

    def home(self, places: Ints) -> Ints:
        """The places in the batch itself."""
        found: Ints = places % self.batch.codes.size
        return found

    @property
    def texts(self) -> Sequence[str]:
        """The texts of the batch, which each tile has."""
        return self.batch.texts

    def rows(self, places: Ints) -> Ints:
        """The number of the text that each place is in."""
        tile, place = np.divmod(places, self.batch.codes.size)
        found: Ints = self.batch.rows(place) + tile * len(self.batch)
        return found

    def proposals(self, candidates: Sequence[Proposals]) -> Proposals:
        """The proposals of each candidate for its tile of the batch, together."""
        return one_behind_another(candidates, self.shifts.ravel().tolist())

    def proposals_at_home(self, proposals: Proposals) -> Proposals:
        """The same proposals at their places in the batch itself; those of several candidates are out of order."""
        if self.count == 1:
            return proposals
        return replace(proposals, starts=self.home(proposals.starts), stops=self.home(proposals.stops), clean=False)
