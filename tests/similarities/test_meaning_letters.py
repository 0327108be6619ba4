"""The similarity meaning, of edits that change letters: many candidates together, and one alone."""

from itertools import pairwise

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from augment_ru import Edit, Perturber, Preparation, Script
from augment_ru.edits import Note
from augment_ru.engine.edit_table import EditTable, by_group, one_by_one
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.engine.similarity import Candidates
from augment_ru.language.morphology import has_form, is_known, morphology
from augment_ru.similarities.meaning import Meaning, MeaningScorer, weights_of
from augment_ru.text.batch import Batch
from augment_ru.text.words import RUSSIAN
from profiles import examples
from strategies import SENTENCES, texts

LAWS = settings(max_examples=examples(150), deadline=None)
meaning = Meaning()
_ODD = [
    "А в 12 домах и в 5 садах я не был. Кое-кто т.е. он, был и там; а я?",
    "е\u0301ж ё_ж d'Artagnan x²+y² = 4 . \n  кот\n\nΟΔΟΣ и İstanbul, мо\u0301ре.",
    "и в к с о у я",
]
_LETTERS = "абвеикмоуёщЯИВ0159xΣσİ²ß"


@st.composite
def _respelt(draw: st.DrawFn) -> Script:
    """A script that mostly puts letters in place of as many."""
    source = draw(st.one_of(st.sampled_from([*_ODD, *SENTENCES]), texts()))
    places = sorted(draw(st.lists(st.integers(0, len(source)), max_size=8, unique=True)))
    edits = []
    for start, stop in pairwise(places):
        length = min(draw(st.sampled_from([1, 1, 1, 2, 3])), stop - start)
        old = source[start : start + length]
        cased = [text for text in (old.upper(), old.lower(), old[::-1]) if len(text) == length]
        new = draw(st.one_of(st.text(_LETTERS, min_size=length, max_size=length), st.sampled_from(cased)))
        odd = draw(st.integers(0, 40))
        note = {0: Note("кот"), 1: Note(None, "x")}.get(odd)
        length = 0 if odd in {5, 6} else length
        edits.append(
            Edit(start, start + length, {2: "", 3: f"{new}-", 4: f"{new}и", 5: "н", 6: " н"}.get(odd, new), note)
        )
    return Script(source, edits)


def _together(scripts: list[Script]) -> list[float]:
    """The scores of scripts as candidates of one scorer."""
    scorer = meaning.against([script.source for script in scripts])
    return list(scorer.score(np.arange(len(scripts)), Candidates(scripts)).tolist())


def _alone(script: Script) -> float:
    """The score of a script by a scorer of its own, which has read no other text."""
    scorer = MeaningScorer(weights_of("meaning").values, [script.source])
    return float(scorer.score(np.zeros(1, dtype=np.int64), Candidates([script]))[0])


@LAWS
@given(st.lists(_respelt(), min_size=1, max_size=8))
@example([Script("е\u0301ж и кот", [Edit(0, 2, "он"), Edit(4, 5, "я")])])
@example([Script("я и кот", [Edit(0, 1, "щ"), Edit(2, 3, "И"), Edit(4, 5, "й")])])
@example([Script("ΑΒ и кот", [Edit(1, 2, "Σ")]), Script("Был и кот.", [Edit(4, 5, "И")])])
def test_scores_do_not_depend_on_other_candidates(scripts: list[Script]) -> None:
    expected = [_alone(script) for script in scripts]
    assert _together(scripts) == expected
    assert _together(scripts[::-1]) == expected[::-1]


@given(st.one_of(st.text("абвеё-'x", max_size=6), st.sampled_from(["еж", "ёж", "елка", "ёлка", "все", "кое-кто", "и"])))
def test_a_form_is_known_if_the_dictionary_says_so(word: str) -> None:
    known = bool(morphology().word_is_known(word)) and RUSSIAN.fullmatch(word) is not None
    assert has_form(word) == is_known(word) == known


def test_candidates_of_a_gate_are_the_scripts_that_their_columns_say() -> None:
    perturber = Perturber("misspell", probability=1.0)
    (prepared,) = Preparation(constraints=()).texts([*SENTENCES[:6], ""], needs=[perturber.needs])
    proposals = perturber.proposals(prepared, 0).settled()
    alone = one_by_one(prepared.batch, proposals)
    table = alone.take(np.arange(len(alone))[::2])
    scripts = list(table)
    assert alone[::2] == table[:] == scripts
    assert {script.source for script in scripts} <= set(prepared.batch.texts)
    made = EditTable.of_scripts(scripts, [one.source for one in scripts], np.arange(len(scripts)))
    assert list(made) == scripts
    for one, other in zip(
        (table.owners, table.starts, table.stops, table.new.codes, table.new.offsets),
        (made.owners, made.starts, made.stops, made.new.codes, made.new.offsets),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)
    assert list(table.notes) == list(made.notes)


def test_groups_of_edits_are_made_apart() -> None:
    batch = Batch(["кот спит", "дом", "лес"])
    places = np.array([0, 13, 4, 0])  # «к», «л», «с» and «к» again
    written = Replacements.of(["щ", "щ", "щ", "ж"])
    proposals = Proposals.of_edits(places, places + 1, np.zeros(4), written.take, clean=True)
    table, groups = by_group(batch, proposals, np.array([3, 2, 1, 0]), np.array([7, 2, 5, 2]))
    assert [script.text for script in table] == ["щот щпит", "щес", "жот спит"]
    assert groups.tolist() == [2, 5, 7]
