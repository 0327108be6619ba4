"""The search by sentence: each sentence of a text keeps its own changes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import Augmenter
from augment_ru.edits import Change, Edit
from augment_ru.engine.proposals import Proposals
from augment_ru.engine.result import Result
from augment_ru.engine.search import Units, raised_threshold
from augment_ru.engine.similarity import Candidates
from augment_ru.script import Script
from augment_ru.similarities.meaning import Meaning
from augment_ru.text.batch import Batch

SENTENCES = (
    "Вчера старый врач принял десять больных в районной больнице.",
    "Маша купила свежий хлеб и молоко в новом магазине.",
    "Поезд из Казани опоздал на два часа, и пассажиры долго ждали на перроне.",
    "Мой младший брат каждое утро бегает вокруг большого озера.",
    "Осенью учёные подробно изучили состав воды в трёх реках.",
    "Редактор внимательно прочитал длинную рукопись молодого автора.",
)
BY_WORD = ("butterfingers", "eda_delete", "eda_swap", "homoglyphs", "masking", "synonyms")


def scored_alone(result: Result) -> list[float]:
    """The score of the text with the changes of each changed sentence alone."""
    script = result.script
    scripts = [
        Script(script.source, [edit for edit in script.edits if start <= edit.start < stop])
        for _, start, stop, _ in result.sentences
    ]
    scorer = Meaning().against([script.source])
    scores = scorer.score(np.zeros(len(scripts), dtype=np.int64), Candidates(scripts))
    return np.round(scores, 4).tolist()  # type: ignore[no-any-return]


def test_the_threshold_of_a_sentence_grows_with_their_number() -> None:
    assert [raised_threshold(0.73, count) for count in (1, 2, 5, 10, 30)] == [0.73, 0.7675, 0.8102, 0.8378, 0.8742]
    assert (raised_threshold(0.0, 30), raised_threshold(1.0, 30)) == (0.0, 1.0)
    assert raised_threshold(0.73, 10_000) == raised_threshold(0.73, 256) == 0.9243


@settings(max_examples=12, deadline=None)
@given(
    attack=st.sampled_from(BY_WORD),
    schedule=st.sampled_from(["paper", "strongest"]),
    chosen=st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=8),
    seed=st.integers(0, 99),
)
def test_each_changed_sentence_passes_the_raised_threshold(
    attack: str, schedule: str, chosen: list[str], seed: int
) -> None:
    result = Augmenter(attack, schedule=schedule, seed=seed, constraints=())(" ".join(chosen))
    scores = [score for *_, score in result.sentences]
    assert scores == scored_alone(result)
    if scores:
        edited = [
            number
            for edit in result.script.edits
            for number, (_, start, stop, _) in enumerate(result.sentences)
            if start <= edit.start < stop
        ]
        assert sorted(set(edited)) == list(range(len(scores)))
        assert len(edited) == len(result.script.edits)
        assert result.similarity == min(scores) >= raised_threshold(0.73, len(scores))


@pytest.mark.parametrize("attack", ["butterfingers", "homoglyphs", "eda_swap", "agreement", "casing"])
def test_a_long_text_changes_as_much_as_a_short_one(attack: str) -> None:
    """The edits of thirty sentences in one text are at least .6 of those in thirty texts."""
    augmenter = Augmenter(attack, constraints=())
    many = SENTENCES * 5
    alone = sum(len(augmenter(sentence).script.edits) for sentence in many)
    assert len(augmenter(" ".join(many)).script.edits) >= 0.6 * alone


def test_a_row_states_the_score_of_each_changed_sentence() -> None:
    result = Augmenter("casing", probability=1.0, constraints=())("Кот спит. Маша поёт.")
    assert result.sentences == (("text", 0, 9, 1.0), ("text", 10, 20, 1.0))
    metadata = result.metadata("brief")
    assert metadata is not None
    assert metadata["sentences"] == {"text": [[0, 9, 1.0], [10, 20, 1.0]]}


def test_a_text_of_one_sentence_has_one_score() -> None:
    assert Augmenter("casing", probability=1.0, constraints=())("Маша поёт.").sentences == ()


def test_a_search_is_the_same_beside_other_texts() -> None:
    augmenter = Augmenter("eda_delete", constraints=())
    long = " ".join(SENTENCES)
    texts = ["Кот спит.", long, SENTENCES[0], f"{long}\n{long}"]
    assert [one.metadata() for one in augmenter.texts(texts)] == [augmenter(text).metadata() for text in texts]


def test_the_most_sentences_that_pass_together_change() -> None:
    """In a long text of sentences that lose as much, some change: as many as the threshold for so many lets pass."""
    text = " ".join(SENTENCES * 40)
    result = Augmenter("eda_delete", constraints=())(text)
    count = len(result.sentences)
    assert count >= 20
    assert min(score for *_, score in result.sentences) >= raised_threshold(0.73, count)
    assert len(Augmenter("eda_delete", constraints=())(" ".join(SENTENCES * 20)).sentences) <= count + 5


@given(
    st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=4), min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 15), st.integers(0, 15)), max_size=4),
    st.sets(st.integers(0, 2)),
)
def test_sentences_are_searched_together_if_a_change_edits_both(
    sizes: list[list[int]], drawn: list[tuple[int, int, int]], whole: set[int]
) -> None:
    """Each record has one text, whose sentences have these sizes; all between two edits of a change is one unit."""
    batch = Batch(["а" * sum(one) for one in sizes])
    begins = batch.starts.tolist()
    starts = [first + sum(one[:at]) for first, one in zip(begins, sizes, strict=False) for at in range(len(one))]
    places = [(row, one % sum(sizes[row]), other % sum(sizes[row])) for row, one, other in drawn if row < len(sizes)]
    changes: list[list[Change]] = [[] for _ in sizes]
    for row, *pair in places:
        changes[row].append(Change(0.5, tuple(Edit(at, at + 1, "б") for at in {*pair})))
    at_once = sorted(row for row in whole if row < len(sizes))
    legal = [Proposals.of_changes(batch, changes)]
    found = Units.sentences(batch, np.arange(len(sizes)), np.array(starts), legal, np.array(at_once, dtype=np.int64))
    spans = [(batch.starts[row] + min(pair), batch.starts[row] + max(pair)) for row, *pair in places]
    spans += [(batch.starts[row], batch.starts[row] + sum(sizes[row]) - 1) for row in at_once]
    apart = [start for start in starts if not any(first < start <= last for first, last in spans)]
    assert found.starts.tolist() == [*apart, batch.starts[-1]]
    assert found.records.tolist() == batch.rows(np.array(apart)).tolist()
    assert found.of_places(np.array(apart)).tolist() == list(range(len(apart)))
