"""Attacks whose edits have the same places in every candidate: they propose for all candidates at once."""

from abc import abstractmethod
from collections.abc import Callable
from typing import NamedTuple

from augment_ru.draws import Floats, Ints, Streams, unit
from augment_ru.engine.attack import Attack, errors_of
from augment_ru.engine.legality import legal_places
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.engine.tiles import Tiles
from augment_ru.text.batch import Batch


class Sites(NamedTuple):
    """Where edits may be made in a batch, in order; all arrays have shape (sites,).

    Attributes:
        starts, stops: global places.
        kinds: a number of each, by which the attack knows what it may write there.
    """

    starts: Ints
    stops: Ints
    kinds: Ints


class SiteAttack(Attack):
    """An attack that may edit at places that no draw decides; each edit is a change of its own.

    What it states of its edits is what `Proposals.clean` says. An attack of this kind can be hashed, as a frozen
    dataclass can.
    """

    __slots__ = ()

    @abstractmethod
    def sites(self, batch: Batch) -> Sites:
        """Where it may edit the texts of a batch."""

    @abstractmethod
    def written(self, kinds: Ints, draws: Floats) -> Replacements:
        """What it writes.

        Args:
            kinds: those of some sites, shape (edits,).
            draws: a draw from U[0, 1) for each, shape (edits,).
        """

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose an edit at every site."""
        return proposals_at(self.sites(batch), self.written, batch, streams)


def proposals_at(
    sites: Sites, written: Callable[[Ints, Floats], Replacements], batch: Batch, streams: Streams
) -> Proposals:
    """An edit at every site, each a change of its own; `written` as in `SiteAttack`."""
    starts, stops, kinds = sites

    def texts(indices: Ints) -> Replacements:
        return written(kinds[indices], batch.draw(streams, starts[indices], lane=1))

    return Proposals.of_edits(starts, stops, batch.draw(streams, starts), texts, clean=True)


class _LegalSites(NamedTuple):
    """The legal sites of an attack in a batch.

    Attributes:
        sites: these.
        rows: the number of the text of each.
        places: where each starts in its text.
    """

    sites: Sites
    rows: Ints
    places: Ints


def _legal_sites(batch: Batch, attack: SiteAttack) -> _LegalSites | None:
    """The legal sites; None if they are not as the attack states."""
    with errors_of(attack):
        sites = attack.sites(batch)
    legal = legal_places(batch, sites.starts, sites.stops)
    if legal is None:
        return None
    if not legal.all():
        sites = Sites(*(column[legal] for column in sites))
    rows = batch.rows(sites.starts)
    return _LegalSites(sites, rows, sites.starts - batch.starts[rows])


def legal_at_sites(attack: SiteAttack, tiles: Tiles, streams: Streams) -> tuple[Proposals, Ints] | None:
    """The legal changes of all candidates, and the try of each change; None if the edits are not as the attack states.

    They are those of `propose_batch` for each candidate.

    Args:
        attack: the attack.
        tiles: a tile of the batch for each candidate.
        streams: those of the texts of all tiles.
    """
    batch = tiles.batch
    found = batch.once(_legal_sites, attack)
    if found is None:
        return None
    (starts, stops, kinds), rows, places = found
    count = max(starts.size, 1)
    keys = streams.keys.reshape(tiles.count, -1)[:, rows]

    def texts(indices: Ints) -> Replacements:
        own = indices % count
        return attack.written(kinds[own], unit(keys.ravel()[indices], places[own], lane=1))

    moved = (starts + tiles.shifts).ravel(), (stops + tiles.shifts).ravel()
    proposals = Proposals.of_edits(*moved, unit(keys, places).ravel(), texts, clean=True)
    return proposals, tiles.tries[:, rows].ravel()
