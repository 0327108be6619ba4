"""The pool: every change that is legal by itself, once, with what excludes what; the gate for sets of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import AugmentError, Perturber, Preparation, Script, Span
from augment_ru.attacks.butterfingers import Butterfingers
from augment_ru.engine.attack import Attack
from augment_ru.engine.legality import Drop, legal
from augment_ru.engine.pool import RecordPool, pools
from augment_ru.engine.pool_gate import PoolGate, Wanted
from augment_ru.engine.prepare import Prepared
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.engine.similarity import similarity_of
from augment_ru.text.batch import Batch
from profiles import examples
from strategies import ATTACKS, SENTENCES, attacks, texts
from victims import Blank

assert ATTACKS  # the fixture `published` looks for it
LAWS = settings(max_examples=examples(40))


def prepared_of(sources: list[str], perturber: Perturber) -> Prepared:
    (prepared,) = Preparation(constraints=()).texts(sources, needs=[perturber.needs])
    return prepared


def pool_of(text: str, *found: Attack, draws: int = 2) -> RecordPool:
    perturbers = [Perturber(attack, similarity="none", probability=1.0) for attack in found]
    (prepared,) = Preparation(constraints=()).texts([text], needs=[one.needs for one in perturbers])
    return pools(prepared, perturbers, draws)[0]


def test_a_place_has_all_its_alternatives_and_each_change_stands_once() -> None:
    pool = pool_of("кот спит", Blank(words=("он", "это")), Blank(words=("это", "то")))
    changes = [(*one.triples[0][::2], attack) for one, attack in zip(pool.changes, pool.attacks, strict=True)]
    assert changes == [(0, "он", 0), (0, "то", 1), (0, "это", 0), (4, "он", 0), (4, "то", 1), (4, "это", 0)]
    assert [list(others) for others in pool.conflicts] == [[1, 2], [0, 2], [0, 1], [4, 5], [3, 5], [3, 4]]
    assert pool.places.tolist() == [0, 0, 0, 1, 1, 1]
    assert pool.sizes.tolist() == [3, 3, 3, 4, 4, 4]


def test_changes_are_applied_together_unless_they_conflict() -> None:
    pool = pool_of("кот спит", Blank(words=("он", "это")))
    assert pool.scripts((0, 3))[0].text == "он это"
    assert pool.attacks_of((0, 3), 0) == [0, 0]
    with pytest.raises(AugmentError, match="overlap"):
        pool.scripts((0, 1))


def test_a_rank_above_the_probability_is_left_out() -> None:
    half = Perturber(Blank(), similarity="none", probability=0.5)
    prepared = prepared_of([" ".join(["слово"] * 50)], half)
    assert 0 < len(pools(prepared, [half], 1)[0]) < 50


@LAWS
@given(attacks(), st.lists(texts(), min_size=1, max_size=3))
def test_each_change_of_a_pool_is_legal_by_itself_and_with_any_that_it_does_not_conflict_with(
    attack: Attack, sources: list[str]
) -> None:
    perturber = Perturber(attack, similarity="none", probability=1.0)
    prepared = prepared_of(sources, perturber)
    for pool in pools(prepared, [perturber], 2):
        apart: list[int] = []
        for number, text in enumerate(pool.texts):
            script = pool.scripts((number,))[text]
            assert script.text != script.source
            for span in prepared.batch.protected(pool.first_row + text):
                assert script.map(span) is not None
            if not set(pool.conflicts[number]) & set(apart):
                apart.append(number)
        for script in pool.scripts(apart).values():
            assert Script(script.source, script.edits).text == script.text
        for one, others in enumerate(pool.conflicts):
            for other in others:
                assert one in pool.conflicts[other]
                with pytest.raises(AugmentError, match="overlap"):
                    pool.scripts((one, other))


@LAWS
@given(attacks(), st.lists(st.sampled_from(SENTENCES), min_size=2, max_size=4))
def test_a_pool_does_not_depend_on_the_other_records(attack: Attack, sources: list[str]) -> None:
    perturber = Perturber(attack, similarity="none", probability=1.0)
    together = pools(prepared_of(sources, perturber), [perturber], 2)
    for text, pool in zip(sources, together, strict=True):
        (alone,) = pools(prepared_of([text], perturber), [perturber], 2)
        assert list(alone.changes) == list(pool.changes)
        assert alone.places.tolist() == pool.places.tolist()
        assert alone.sizes.tolist() == pool.sizes.tolist()


def test_what_perturb_makes_is_in_the_pool() -> None:
    perturber = Perturber("butterfingers", similarity="none", probability=1.0)
    prepared = prepared_of(["Кошка спит на окне."], perturber)
    (pool,) = pools(prepared, [perturber], 1)
    (result,) = perturber.perturb(prepared).results
    assert {one.edits[0] for one in pool.changes} == set(result.script.edits)


def test_alternatives_are_kept_and_a_change_that_overlaps_itself_is_not() -> None:
    batch = Batch(["кот спит"], None, [[Span(4, 8, "X")]])
    texts_ = Replacements.of(["а", "б", "в", "г", "д"])
    starts, stops = (np.array(places) for places in ([0, 0, 0, 1, 4], [3, 2, 3, 2, 5]))
    proposals = Proposals(starts, stops, np.array([0, 1, 2, 2, 3]), np.array([0.5, 0.1, 0.2, 0.3]), texts_.take)
    drops: list[Drop] = []
    kept = legal(batch, proposals, drops, alternatives=True)
    assert kept.ranks.tolist() == [0.5, 0.1]
    assert [(drop.change, drop.reason) for drop in drops] == [(3, "touches a protected span"), (2, "overlaps itself")]


def test_the_gate_scores_sets_and_refuses_what_makes_two_options_equal() -> None:
    row = {"question": "Что пьют? (A) чай (B) сок (C) мел (D) лёд", "answer": "A"}
    perturber = Perturber(Blank(words=("чай",)), similarity="none", probability=1.0)
    (prepared,) = Preparation(constraints=()).records([row], "ru_worldtree", needs=[perturber.needs])
    (pool,) = pools(prepared, [perturber], 1)
    gate = PoolGate(prepared, [pool], None, 0.0)
    wanted = [Wanted(0, pool.scripts((number,))) for number in range(len(pool))]
    assert [gate.passes(score, one) for score, one in zip(gate.scores(wanted), wanted, strict=True)] == [
        True,
        True,
        False,
        False,
        False,
    ]  # (B) чай is (A) чай
    assert gate.scores([Wanted(0, pool.scripts((0, 2)))]).tolist() == [-np.inf]
    assert gate.scores([]).size == 0
    scored = PoolGate(prepared, [pool], similarity_of("meaning"), 0.73)
    assert [scored.passes(score, wanted[1]) for score in (-np.inf, 0.7, 0.73, 1.0)] == [False, False, True, True]


def test_a_pool_knows_whether_words_can_get_several_letters() -> None:
    assert not pool_of("кот спит", Blank(words=("он", "это"))).has_letters  # alternatives of whole words
    assert pool_of("погода хорошая", Butterfingers()).has_letters
