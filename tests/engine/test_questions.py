"""The options of a question: no attack makes two of them equal, whatever decides how many changes are made."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import Attack, Augmenter, Batch, Change, Edit, Preparation, Proposals, Record, Result, Streams
from augment_ru.engine.attack import make
from augment_ru.engine.search import SCHEDULES
from augment_ru.records.options import comparable, made_equal, questions_of
from profiles import examples
from small_models import SENTENCES as KNOWN
from strategies import ATTACKS

Row = dict[str, Any]
LAWS = settings(max_examples=examples(60))
ALIKE = (
    ("кот", "кит", "код", "кит"),
    ("белый кот", "рыжий кот", "кот", "белый кит"),
    ("Ёж спит.", "еж не спит", "Ёж", "спит"),
    ("да", "дал", "дала", "дам"),
    ("2 кг", "3 кг", "кг", "23"),
    (KNOWN[0], KNOWN[1], f"{KNOWN[0]} {KNOWN[1]}", "снег"),
)


def row(options: Sequence[str], number: int = 0) -> Row:
    """A row of RuOpenBookQA with these options, the second of them right."""
    marked = " ".join(f"({letter}) {option}" for letter, option in zip("ABCDEFG", options, strict=False))
    return {"ID": f"q-{number}", "question": f"Кто спит на окне? {marked}", "answer": "B"}


def pair(one: str, other: str) -> Row:
    """A row of PARus with these choices."""
    return {"premise": "Мама закрыла окно.", "choice1": one, "choice2": other, "question": "cause", "idx": 1}


def reply(options: Sequence[str]) -> Row:
    """A row of MERA's RuWorldTree with options in fields of their own."""
    fields = {f"option_{letter}": option for letter, option in zip("abcd", options, strict=True)}
    inputs = {"question": "Кто спит на окне?", **fields}
    return {"instruction": "{question}", "inputs": inputs, "outputs": "B", "meta": {"id": 1}}


def muserc(answers: Sequence[str]) -> Row:
    """A row of MuSeRC with two questions that have the same answers."""
    listed = [{"idx": number, "text": answer, "label": number % 2} for number, answer in enumerate(answers)]
    questions = [{"idx": number, "question": "Кто спит?", "answers": listed} for number in range(2)]
    return {"idx": 1, "passage": {"text": "(1) Кот спит. (2) Пёс лает.", "questions": questions}}


def equal(result: Result) -> list[tuple[int, int]]:
    """The pairs of options that became equal."""
    new = Record(result.row("none"), result.record.task)
    asked = zip(questions_of(result.record), questions_of(new), strict=True)
    forms = [[[comparable(option.text) for option in options] for options in both] for both in asked]
    return [found for before, after in forms for found in made_equal(before, after)]


@st.composite
def questions(draw: st.DrawFn) -> tuple[Row, list[str] | None]:
    """A row whose options differ in a letter or a word, and the fields to perturb if they are not the task's."""
    options = draw(st.one_of(st.sampled_from(ALIKE), st.lists(st.sampled_from(sum(ALIKE, ())), min_size=4, max_size=4)))
    found: tuple[Row, list[str] | None] = draw(
        st.sampled_from(
            [
                (row(options), None),
                (pair(*options[:2]), None),
                (reply(options), [f"inputs.option_{letter}" for letter in "abcd"]),
                (reply(options), ["inputs.option_c"]),
                (muserc(options), ["passage.questions[].answers[].text"]),
            ]
        )
    )
    return found


@LAWS
@given(st.sampled_from(ATTACKS), st.sampled_from([1.0, None]), questions(), st.integers(0, 3))
def test_no_attack_makes_options_equal(
    name: str, probability: float | None, asked: tuple[Row, list[str] | None], seed: int
) -> None:
    values, fields = asked
    augmenter = Augmenter(name, probability=probability, seed=seed, constraints=(), similarity="none")
    (result,) = augmenter.records([values], field=fields)
    assert equal(result) == []


@LAWS
@given(
    st.sampled_from(ATTACKS),
    st.sampled_from([1.0, None]),
    questions(),
    st.fixed_dictionaries(
        {
            "schedule": st.sampled_from(sorted(SCHEDULES)),
            "similarity": st.sampled_from(["meaning", "navec"]),
            "threshold": st.sampled_from([0.0, 0.5, 0.8]),
        }
    ),
)
def test_no_search_makes_options_equal(
    name: str, probability: float | None, asked: tuple[Row, list[str] | None], search: dict[str, Any]
) -> None:
    values, fields = asked
    augmenter = Augmenter(name, probability=probability, constraints=(), **search)
    (result,) = augmenter.records([values], field=fields)
    assert equal(result) == []
    assert result.similarity is None or 0 <= result.similarity <= 1


@LAWS
@given(
    st.sampled_from(["eda_delete", "eda_swap", "butterfingers", "eda_swap+eda_delete"]),
    st.lists(questions().filter(lambda asked: asked[1] is None), min_size=2, max_size=5),
    st.sampled_from(["none", "meaning"]),
    st.randoms(use_true_random=False),
)
def test_neighbours_and_order_do_not_matter(name: str, asked: list[tuple[Row, None]], gate: str, chance: Any) -> None:  # noqa: ANN401
    rows = [values for values, _ in asked]
    augmenter = Augmenter(name, probability=0.7, constraints=(), similarity=gate)
    alone = [next(augmenter.records([values])).row() for values in rows]
    order = chance.sample(range(len(rows)), len(rows))
    together = [result.row() for result in augmenter.records([rows[at] for at in order])]
    assert together == [alone[at] for at in order]


class Rewrites(Attack):
    """An attack of the test's own: replaces given words, at given ranks."""

    name = "rewrites"
    probability = 1.0

    def __init__(self, ranks: dict[tuple[str, str], float]) -> None:
        self.ranks = ranks

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """A change for each word that is found."""
        del streams
        changes = [
            [
                Change(rank, (Edit(text.index(old), text.index(old) + len(old), new),))
                for (old, new), rank in self.ranks.items()
                if old in text
            ]
            for text in batch.texts
        ]
        return Proposals.of_changes(batch, changes)


def rewritten(values: Row, ranks: dict[tuple[str, str], float], similarity: Any = "none", **options: Any) -> Result:  # noqa: ANN401
    """The row after these words were replaced."""
    (result,) = Augmenter(Rewrites(ranks), constraints=(), similarity=similarity, **options).records([values])
    return result


def test_the_change_of_the_highest_rank_is_left_out() -> None:
    ranks = {("рыжий", "белый"): 0.3, ("пёс", "кот"): 0.2, ("окне", "стуле"): 0.9}
    result = rewritten(row(["белый кот", "рыжий кот", "белый пёс"]), ranks)
    assert result.text == "Кто спит на стуле? (A) белый кот (B) рыжий кот (C) белый пёс"
    ranks = {("рыжий", "белый"): 0.3, ("кит", "кот"): 0.4, ("серый", "белый"): 0.1}
    result = rewritten(row(["серый кот", "рыжий кит"]), ranks)
    assert result.text == "Кто спит на окне? (A) белый кот (B) белый кит"


def test_case_marks_and_spaces_do_not_tell_options_apart() -> None:
    for new in ("Ёлка", "ЕЛКА", "«елка»", "ёлка!", " ёлка"):
        assert rewritten(row(["Ель", "ёлка"]), {("Ель", new): 0.5}).status == "rejected"
    assert rewritten(row(["Ель", "ёлка"]), {("Ель", "ёлки"): 0.5}).status == "perturbed"


def test_options_that_are_equal_in_the_original_may_stay_so() -> None:
    result = rewritten(row(["кот", "Кот.", "пёс"]), {("Кот.", "КОТ."): 0.5, ("пёс", "кот"): 0.7})
    assert result.text == "Кто спит на окне? (A) кот (B) КОТ. (C) пёс"


def test_options_in_fields_are_told_apart_from_those_that_no_attack_reaches() -> None:
    assert rewritten(pair("Пёс лаял.", "Пёс спал."), {("лаял", "спал"): 0.5}).status == "rejected"
    values = reply(["кот", "кит", "пёс", "сом"])
    augmenter = Augmenter(Rewrites({("кот", "кит"): 0.5}), constraints=(), similarity="none")
    (result,) = augmenter.records([values], field="inputs.option_a")
    assert result.status == "rejected"


def test_answers_to_different_questions_may_be_equal() -> None:
    values = muserc(["кот", "пёс"])
    values["passage"]["questions"][1]["answers"] = [{"idx": 2, "text": "кит", "label": 1}]
    field = "passage.questions[].answers[].text"
    (result,) = Augmenter(Rewrites({("кит", "кот"): 0.5}), constraints=(), similarity="none").records(
        [values], field=field
    )
    assert result.status == "perturbed"


def as_told(score: float) -> Any:  # noqa: ANN401
    """A similarity that gives every text the same score."""
    return lambda _, texts: [score] * len(texts)


RANKS = {("окне", "стуле"): 0.1, ("спит", "стоит"): 0.2, ("рыжий", "белый"): 0.3, ("Кто", "Кот"): 0.4}


@pytest.mark.parametrize(
    ("schedule", "text"),
    [
        ("paper", "Кто стоит на стуле? (A) белый кот (B) рыжий кот"),
        ("strongest", "Кто стоит на стуле? (A) белый кот (B) рыжий кот"),
    ],
)
def test_a_level_with_equal_options_fails(schedule: str, text: str) -> None:
    """The levels 3 and 4 hold the change that makes the options equal, whatever their similarity."""
    result = rewritten(
        row(["белый кот", "рыжий кот"]), RANKS, as_told(0.9), schedule=schedule, candidates=1, floor=0.05
    )
    assert (result.text, result.status, result.similarity) == (text, "perturbed", 0.9)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_where_every_level_has_equal_options_the_row_is_rejected_and_nothing_scored(schedule: str) -> None:
    result = rewritten(row(["белый кот", "рыжий кот"]), {("рыжий", "белый"): 0.3}, as_told(0.9), schedule=schedule)
    assert (result.status, result.similarity, result.probability) == ("rejected", None, None)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_similarity_that_screens_loses_only_the_changes_that_make_options_equal(schedule: str) -> None:
    result = rewritten(row(["белый кот", "рыжий кот"]), RANKS, "meaning", threshold=0.0, schedule=schedule)
    assert result.text == "Кот стоит на стуле? (A) белый кот (B) рыжий кот"


def test_deleted_words_leave_the_options_apart() -> None:
    rows = [row(["белый кот", "рыжий кот", "кот", "кит"], number) for number in range(300)]
    every = make("eda_delete", {"guards": (), "joins": (), "weighs": ""})
    found = list(Augmenter(every, probability=0.5, constraints=(), similarity="none").records(rows))
    assert [result.text for result in found if equal(result)] == []
    assert sum("(A) кот" in result.text for result in found) == 0
    statuses = [result.status for result in found]
    assert statuses.count("perturbed") > 290
    assert set(statuses) <= {"perturbed", "rejected"}


def test_rows_without_options_are_not_looked_at() -> None:
    for values in ({"text": "(A) кот (B) кит", "id": 1}, reply(["кот", "кит", "пёс", "сом"])):
        (prepared,) = Preparation(constraints=()).records([values])
        assert prepared.questions is None
