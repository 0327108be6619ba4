"""Attacks whose places no draw decides: what the engine makes of them for all candidates at once."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Augmenter, AugmentError, Batch, Streams
from augment_ru.draws import Floats, Ints, digests
from augment_ru.engine.legality import legal
from augment_ru.engine.proposals import Replacements
from augment_ru.engine.site_attack import SiteAttack, Sites, legal_at_sites
from augment_ru.engine.tiles import Tiles
from strategies import texts

ATTACKS = [Augmenter(name).attack for name in ("butterfingers", "case")]


@given(st.sampled_from(ATTACKS), st.lists(texts(), min_size=1, max_size=4), st.integers(1, 4))
def test_all_candidates_at_once_are_the_candidates_one_by_one(
    attack: SiteAttack, sources: list[str], count: int
) -> None:
    batch = Batch(sources)
    tiles = Tiles(batch, np.arange(len(sources)), len(sources), count)
    keys = digests([f"{tile}:{source}" for tile in range(count) for source in sources])
    found = legal_at_sites(attack, tiles, Streams(keys))
    assert found is not None
    together, tries = found
    each = [legal(batch, attack.propose_batch(batch, Streams(own))) for own in keys.reshape(count, -1)]
    alone = tiles.proposals(each)
    for name in ("starts", "stops", "changes", "ranks"):
        assert getattr(together, name).tolist() == getattr(alone, name).tolist()
    every = np.arange(together.starts.size)
    assert together.replace(every).codes.tolist() == alone.replace(every).codes.tolist()
    some = every[::3][::-1]  # in any order
    assert together.replace(some).codes.tolist() == alone.replace(some).codes.tolist()
    assert tries.tolist() == tiles.rows(together.starts).tolist()
    assert (tiles.home(together.starts) < batch.codes.size).all()


@dataclass(frozen=True)
class Dots(SiteAttack):
    """Writes a dot in place of each of two characters, in any order of places."""

    name: ClassVar[str] = "dots"
    places: tuple[int, ...] = (0, 1)
    probability: float = 1.0

    def sites(self, batch: Batch) -> Sites:
        """The same places in every text."""
        starts = (batch.starts[:-1, None] + np.array(self.places)).ravel()
        return Sites(starts, starts + 1, np.zeros_like(starts))

    def written(self, kinds: Ints, draws: Floats) -> Replacements:
        """A dot."""
        del draws
        return Replacements.of(["."] * kinds.size)


def test_places_out_of_order_are_edits_like_any_others() -> None:
    sources = ["кот спит", "дом"]
    for places in ((0, 1), (1, 0), (1, 1, 0)):
        results = Augmenter(Dots(places), constraints=(), threshold=0.0).texts(sources)
        assert [result.text for result in results] == ["..т спит", "..м"]


def test_an_edit_that_reaches_out_of_its_text_is_dropped() -> None:
    assert Augmenter(Dots((1, 3)), constraints=(), similarity="none").texts(["кот", "дома"])[0].text == "к.т"


def test_places_out_of_the_batch_are_refused() -> None:
    with pytest.raises(AugmentError, match="global places -2 to -1"):
        Augmenter(Dots((-2,)), constraints=())("кот")


@dataclass(frozen=True)
class Fails(Dots):
    """Fails where it looks for sites."""

    name: ClassVar[str] = "fails"

    def sites(self, batch: Batch) -> Sites:
        """Raise an error."""
        raise KeyError(len(batch))


@pytest.mark.parametrize("similarity", ["meaning", "none"])
def test_an_attack_that_fails_is_named(similarity: str) -> None:
    with pytest.raises(AugmentError, match="attack 'fails' failed: KeyError"):
        Augmenter(Fails(), constraints=(), similarity=similarity)("кот")
