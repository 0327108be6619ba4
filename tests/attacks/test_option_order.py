"""Options in another order: the right answer follows, rows replay, and no letter is favoured."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import Adversary, AugmentError, Chain, Perturber, Preparation, evaluate
from augment_ru.engine.result import Result
from augment_ru.evaluation.pairs import pair_rows, restored_row
from augment_ru.formats.read import Row
from augment_ru.records.options import ordered_options
from augment_ru.records.record import Record
from augment_ru.records.task import Task, task
from augment_ru.release.edit_log import read_entry, replayed_line
from augment_ru.release.verify import verify_release
from profiles import IS_FULL, examples
from releases import RECIPE, built, recipe, rows_of

WORDS = ("камень", "пробка", "пух", "перо", "щепка", "гвоздь")
TASKS = ("ru_worldtree", "parus", "mera_rummlu")


def row(name: str, options: list[str], right: int, number: int = 0) -> dict[str, Any]:
    """Return a row of a task with these options, of which number `right` is the right one."""
    if name == "parus":
        held = {"choice1": options[0], "choice2": options[1]}
        return {"premise": f"Вода {number}.", "question": "effect", "idx": number, "label": right % 2, **held}
    letters = "ABCDEF"[: len(options)]
    if name == "mera_rummlu":
        held = {f"option_{letter.lower()}": text for letter, text in zip("ABCD", options, strict=False)}
        inputs = {"text": f"Что тонет {number}?", "subject": "физика", **held}
        return {
            "instruction": "{text}",
            "inputs": inputs,
            "outputs": letters[right],
            "meta": {"id": number, "domain": "x"},
        }
    text = " ".join(f"({letter}) {option}" for letter, option in zip(letters, options, strict=True))
    more = {"exam_name": "x", "knowledge_type": "k", "school_grade": 1}
    return {"question": f"Что тонет {number}? {text}", "answer": letters[right], **more}


def texts_of(values: dict[str, Any], name: str) -> tuple[list[str], str | None]:
    """Return the texts of the options of a row, and that of the right one."""
    found = ordered_options(Record(values, task(name)))
    assert found is not None
    texts = [option.text.strip() for option in found.options]
    return texts, None if found.right is None else texts[found.right]


def permuted(rows: list[dict[str, Any]], name: str, copy: int = 0, **options: Any) -> list[Result]:  # noqa: ANN401
    perturber = Perturber("option_order", **options).at_draw(copy)
    return [one for part in Preparation().records(rows, name) for one in perturber.perturb(part).results]


questions = st.sampled_from(TASKS).flatmap(
    lambda name: st.tuples(
        st.just(name),
        st.permutations(WORDS).map(lambda words: list(words[: 2 if name == "parus" else 4])),
        st.integers(0, 3),
        st.integers(0, 3),
    )
)


@settings(max_examples=examples(60))
@given(questions, st.sampled_from([0.0, 0.01, 1.0]))
def test_the_right_answer_follows_its_text_and_rows_replay(
    asked: tuple[str, list[str], int, int], probability: float
) -> None:
    name, options, right, seed = asked
    original = row(name, options, right)
    (result,) = permuted([original], name, seed=seed, probability=probability)
    new = result.row()
    before, after = texts_of(original, name), texts_of(result.row("none"), name)
    assert sorted(before[0]) == sorted(after[0])
    assert before[1] == after[1]
    assert (result.status == "perturbed") == (before[0] != after[0])
    assert result.status == "perturbed" or len(options) == 2
    assert result.similarity is None
    assert restored_row(Row("row 1", new), task(name)) == original
    for field, script in result.scripts.items():
        for span in result.protected[field]:
            mapped = script.map(span)
            assert mapped is not None
            assert mapped.of(script.text) == span.of(script.source)


@pytest.mark.parametrize(
    ("options", "fixed"),
    [
        (["кот", "пёс", "мышь", "ничего из перечисленного"], {3}),
        (["кот", "пёс", "мышь", "Все перечисленные варианты"], {3}),
        (["кот", "пёс", "мышь", "нет правильного ответа"], {3}),
        (["кот", "пёс", "мышь", "A и B"], {2, 3}),
        (["кот", "пёс", "мышь", "только C"], {2, 3}),
        (["ни то, ни другое", "пёс", "мышь", "кот"], {0}),
        (["А и Б сидели на трубе", "пёс и кот", "все коты", "витамин C"], set()),
    ],
)
def test_options_that_speak_of_others_stay(options: list[str], fixed: set[int]) -> None:
    stayed = [set(range(4))]
    for copy in range(8):
        (result,) = permuted([row("ru_worldtree", options, 0)], "ru_worldtree", copy)
        after, _ = texts_of(result.row("none"), "ru_worldtree")
        stayed.append({at for at in range(4) if after[at] == options[at]})
        if "A и B" in options:
            assert set(after[:2]) == set(options[:2])
    assert set.intersection(*stayed) == fixed


def test_the_entries_of_a_list_are_options_like_fields_of_their_own() -> None:
    keys: dict[str, Any] = {"fields": ["q"], "option_labels": ["A", "B", "C"], "gold": ["right"]}
    whole = Task.of("own", option_fields=["ask.options[]"], **keys)
    apart = Task.of("own", option_fields=[f"ask.options[{at}]" for at in range(3)], **keys)
    held: list[dict[str, Any]] = [
        {"q": f"Что тонет {at}?", "ask": {"options": list(WORDS[:3])}, "right": "ABC"[at % 3]} for at in range(8)
    ]
    held.append({"q": "Что тонет?", "ask": {"options": list(WORDS[:2])}, "right": "B"})
    perturber = Perturber("option_order", seed=1)
    ours, theirs = (
        [one.row("none") for part in Preparation().records(held, known) for one in perturber.perturb(part).results]
        for known in (whole, apart)
    )
    assert ours == theirs
    for old, new in zip(held[:-1], ours, strict=False):
        assert new["ask"]["options"] != old["ask"]["options"]
        places = "ABC".index(old["right"]), "ABC".index(new["right"])
        assert old["ask"]["options"][places[0]] == new["ask"]["options"][places[1]]
    four = {"q": "Что тонет?", "ask": {"options": list(WORDS[:4])}, "right": "B"}
    assert ordered_options(Record(four, whole)) is None  # the task states no label of the last one
    assert ordered_options(Record(four, whole.changed(option_labels=("A", "B", "C", "D")))) is not None


def test_copies_are_other_orders_with_the_right_answer_in_every_place() -> None:
    rows = [row("ru_worldtree", list(WORDS[:4]), number % 4, number) for number in range(20)]
    copies = [permuted(rows, "ru_worldtree", copy) for copy in range(8)]
    for of_row in zip(*copies, strict=True):
        orders = [one.order for one in of_row]
        assert len(set(orders)) == len(orders)
        assert {one.row()["answer"] for one in of_row[:4]} == set("ABCD")
    assert permuted(rows[::-1], "ru_worldtree")[0].order == copies[0][-1].order, "neighbours do not matter"


@pytest.mark.parametrize("gold", ["A", "spread"])
def test_a_model_that_always_says_a_gets_one_in_k(gold: str) -> None:
    count = 400 if IS_FULL else 200
    rows = [row("ru_worldtree", list(WORDS[:4]), 0 if gold == "A" else number % 4, number) for number in range(count)]
    made = [one.row() for one in permuted(rows, "ru_worldtree")]
    found = evaluate(made, {"a": lambda examples: ["A"] * len(examples)}, task="ru_worldtree").counted()
    (model,) = found.models
    entry = model.attacks["option_order"]
    changed = entry.metrics["accuracy"]
    assert changed.before == (100.0 if gold == "A" else 25.0)
    assert changed.after == pytest.approx(25.0, abs=2 * 43.3 / count**0.5)  # two standard errors
    assert entry.option_order is not None
    assert entry.option_order.rows == count
    assert entry.option_order.after["A"].value == 100.0
    assert (entry.option_order.kept.ci95 or [0, 0])[0] < 25.0 < (entry.option_order.kept.ci95 or [0, 0])[1]


def test_a_model_that_reads_the_options_keeps_its_answers() -> None:
    rows = [row("ru_worldtree", list(WORDS[:4]), number % 4, number) for number in range(40)]

    def knows(given: Any) -> list[str]:  # noqa: ANN401
        asked = [ordered_options(Record(one.record, one.task)) for one in given]
        return [one.labels[[option.text.strip() for option in one.options].index("камень")] for one in asked if one]

    made = [one.row() for one in permuted(rows, "ru_worldtree")]
    (model,) = evaluate(made, {"knows": knows}, task="ru_worldtree").counted().models
    entry = model.attacks["option_order"]
    assert (entry.rate.asr, entry.flips) == (0.0, 0)
    assert entry.option_order is not None
    assert entry.option_order.kept.value == 100.0
    pairs = pair_rows([Row(f"row {at}", one) for at, one in enumerate(made, 1)], task("ru_worldtree"))
    assert [one.values for one in pairs.originals] == rows


def test_it_joins_no_other_attack_and_leaves_rows_without_options() -> None:
    with pytest.raises(AugmentError, match="permutes options, and joins no other attack"):
        Chain(["option_order", "case"])
    with pytest.raises(AugmentError, match="has no changes to search"):
        Adversary(["option_order"], lambda examples: ["A"] * len(examples))
    (result,) = permuted([{"text": "Кошка спит."}], "generic")
    assert (result.status, result.reason) == ("unchanged", "nothing")


def test_releases_hold_and_verify_permuted_rows(tmp_path: Path) -> None:
    text = RECIPE.replace('"eda_swap+case"', '"option_order"')
    built(recipe(tmp_path, text), tmp_path / "out")
    assert list(verify_release(tmp_path / "out", rebuild=3)) == []
    rows = rows_of(tmp_path / "out/school/test.jsonl")
    new = [one for one in rows if one["perturbation"] == "swapped"]
    old = [one for one in rows if one["perturbation"] == "school"]
    assert any(one["answer"] != other["answer"] for one, other in zip(old, new, strict=True))
    for one, other in zip(old, new, strict=True):
        assert texts_of(one, "ru_worldtree")[1] == texts_of(other, "ru_worldtree")[1]
    log = tmp_path / "out/school/edits.jsonl"
    entries = [read_entry(line) for line in log.read_bytes().splitlines()]
    moved = next(entry for entry in entries if entry.get("order"))
    original = Record(old[moved["row"]], task("ru_worldtree"))
    with pytest.raises(AugmentError, match="other edits than the order"):
        replayed_line(original, "swapped", {**moved, "order": sorted(moved["order"])})
