"""Originals are found again: from the metadata, from the rows of "original", from a file of their own."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Augmenter, Edit, Script
from augment_ru.engine.result import original
from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import golds_of
from augment_ru.evaluation.pairs import Pairs, as_float, inverse_script, pair_rows, task_of_rows
from augment_ru.formats.read import rows_of
from augment_ru.records.record import Record
from augment_ru.records.task import generic, task

TEXTS = ["Кошка спит на тёплом окне.", "Собака громко лает во дворе.", "Дети весело играют в прятки."]
FAST: dict[str, Any] = {"constraints": (), "similarity": None}
MULTIQ = {
    "support_text": "Роман «Обломов» написал Иван Гончаров, и книга быстро прославилась.",
    "main_text": "Писатель Иван Гончаров появился на свет в Симбирске, в купеческом доме.",
    "question": "В каком городе родился автор романа «Обломов»?",
    "bridge_answers": [{"label": "passage", "offset": 24, "length": 13, "segment": "Иван Гончаров"}],
    "main_answers": [{"label": "passage", "offset": 42, "length": 9, "segment": "Симбирске"}],
}
RWSD = {
    "idx": 8,
    "target": {"span1_text": "Женя", "span2_text": "она получила", "span1_index": 0, "span2_index": 6},
    "label": True,
    "text": "Женя поблагодарила Сашу за помощь, которую она получила.",
}


def rows(*attacks: str, ids: bool = True, meta: str = "full", with_original: bool = False) -> list[dict[str, Any]]:
    """Sentences under attacks, as perturb writes them."""
    found: list[dict[str, Any]] = []
    for number, text in enumerate(TEXTS):
        row = {**({"id": 10 + number} if ids else {}), "text": text, "label": number % 2}
        if with_original:
            found.append(original(Record(row, generic("text")), 42).row(meta))
        found += [next(iter(Augmenter(attack, **FAST).records([row]))).row(meta) for attack in attacks]
    return found


def pairs_of(given: list[dict[str, Any]], originals: list[dict[str, Any]] | None = None) -> Pairs:
    read = rows_of(given).rows
    clean = None if originals is None else rows_of(originals).rows
    return pair_rows(read, task_of_rows(read, None, (), ()), clean)


@given(
    st.text(max_size=30).flatmap(
        lambda text: st.tuples(
            st.just(text),
            st.lists(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)), st.text(max_size=3)), max_size=4),
        )
    )
)
def test_the_inverse_takes_a_text_back(case: tuple[str, list[tuple[int, int, str]]]) -> None:
    source, wanted = case
    edits: list[Edit] = []
    for start, stop, text in sorted((min(a, b), max(a, b), text) for a, b, text in wanted):
        if (
            not edits
            or start > edits[-1].stop
            or (start == edits[-1].stop and start < stop and edits[-1].start < start)
        ):
            edits.append(Edit(start, stop, text))
    script = Script(source, edits)
    assert inverse_script(script).text == source


def test_originals_come_from_the_metadata_once_for_all_attacks() -> None:
    found = pairs_of(rows("butterfingers", "eda_swap"))
    assert [one.values["text"] for one in found.originals] == TEXTS
    assert [one.id for one in found.originals] == [10, 11, 12]
    assert {attack: [pair.original for pair in pairs] for attack, pairs in found.attacks.items()} == {
        "butterfingers": [0, 1, 2],
        "eda_swap": [0, 1, 2],
    }
    assert all("augment" not in one.values for one in found.originals)


@pytest.mark.parametrize("ids", [True, False])
def test_originals_come_from_rows_of_the_attack_original(ids: bool) -> None:  # noqa: FBT001
    found = pairs_of(rows("butterfingers", "case", ids=ids, meta="brief", with_original=True))
    assert [one.values["text"] for one in found.originals] == TEXTS
    assert [pair.original for pair in found.attacks["case"]] == [0, 1, 2]
    assert [one.id for one in found.originals] == ([10, 11, 12] if ids else [1, 2, 3])


def test_originals_come_from_a_file_by_id_in_any_order() -> None:
    clean = [{"id": 10 + number, "text": text, "label": 0} for number, text in enumerate(TEXTS)]
    bare = [{name: value for name, value in row.items() if name != "augment"} for row in rows("butterfingers")]
    found = pairs_of(bare[::-1], clean)
    assert [pair.original for pair in found.attacks["perturbed"]] == [2, 1, 0]
    assert {pair.status for pair in found.attacks["perturbed"]} == {"perturbed"}
    assert found.attacks["perturbed"][0].edits is None


def test_originals_come_from_a_file_by_order_and_sizes_are_checked() -> None:
    clean = [{"text": text, "label": 0} for text in TEXTS]
    bare = [{"text": text.upper(), "label": 0} for text in TEXTS]
    bare[1]["text"] = TEXTS[1]
    found = pairs_of(bare, clean)
    assert [pair.status for pair in found.attacks["perturbed"]] == ["perturbed", "unchanged", "perturbed"]
    with pytest.raises(AugmentError, match="3 originals and 2 rows of perturbed"):
        pairs_of(bare[:2], clean)
    with pytest.raises(AugmentError, match=r"row 3: no original for it.*there are 2 originals"):
        pairs_of(bare, clean[:2])


def test_rows_that_are_aligned_by_order_must_all_be_there() -> None:
    given = rows("butterfingers", ids=False, meta="brief", with_original=True)
    del given[3]
    with pytest.raises(AugmentError, match="3 originals and 2 rows of butterfingers"):
        pairs_of(given)
    clean = [{"id": number, "text": text, "label": 0} for number, text in enumerate(TEXTS)]
    with pytest.raises(AugmentError, match="3 originals and 2 rows of perturbed"):
        pairs_of([{"text": text.upper(), "label": 0} for text in TEXTS[:2]], clean)


def test_ids_of_a_table_are_those_of_json() -> None:
    clean = [{"id": number, "text": text, "label": 0} for number, text in enumerate(TEXTS)]
    table = [{"id": str(number), "text": TEXTS[number].upper(), "label": "0"} for number in (2, 0)]
    assert [pair.original for pair in pairs_of(table, clean).attacks["perturbed"]] == [2, 0]


@pytest.mark.parametrize(
    "meta",
    [
        {"edits": [1, 2], "protected": "x"},
        {"edits": {"text": 5}, "protected": {"text": 7}},
        {"edits": {"text": [["a", "b", {}]]}, "protected": {"text": [[1, "<b>"]]}},
        {"source": {"text": "Другой текст."}, "edits": {"text": [[0, 6, "Кот"]]}, "protected": {"text": [[0, 6, "X"]]}},
    ],
)
def test_edits_that_are_not_of_the_given_originals_are_not_shown(meta: dict[str, Any]) -> None:
    clean = [{"id": 1, "text": TEXTS[0], "label": 0}]
    meta = {"attack": "a", "status": "perturbed", "source": {"text": TEXTS[0]}} | meta
    (pair,) = pairs_of([{"id": 1, "text": TEXTS[0].upper(), "label": 0, "augment": meta}], clean).attacks["a"]
    assert (pair.edits, pair.protected) == (None, None)


def test_tape_s_published_files_name_their_perturbations_in_a_field() -> None:
    row = {"question": "Сколько? (A) один (B) два", "answer": "A"}
    given = [{"ID": "1", **row, "perturbation": "ru_openbook"}, {"ID": "1", **row, "perturbation": "butter_fingers"}]
    found = pairs_of(given)
    assert list(found.attacks) == ["butter_fingers"]
    assert len(found.originals) == 1


@pytest.mark.parametrize(("row", "name"), [(MULTIQ, "multiq"), (RWSD, "rwsd")])
@pytest.mark.parametrize("attack", ["eda_delete", "eda_swap", "butterfingers"])
def test_offsets_are_taken_back_with_their_texts(row: dict[str, Any], name: str, attack: str) -> None:
    for seed in range(5):
        (result,) = Augmenter(attack, similarity=None, seed=seed).records([row])
        perturbed = result.row()
        found = pair_rows(rows_of([perturbed]).rows, task(name))
        assert json.dumps(found.originals[0].values, ensure_ascii=False) == json.dumps(row, ensure_ascii=False)


def test_rows_of_equal_texts_and_different_labels_are_two_originals() -> None:
    row = {"text": TEXTS[0], "label": 1}
    augmented = [result.row() for result in Augmenter("case", **FAST).records([row, {**row, "label": 0}])]
    found = pairs_of(augmented)
    assert [one.values["label"] for one in found.originals] == [1, 0]
    assert [pair.original for pair in found.attacks["case"]] == [0, 1]


def test_runs_with_several_seeds_share_their_originals() -> None:
    found = pairs_of([*rows("case", ids=False), *rows("case", ids=False)])
    assert len(found.originals) == 3
    assert [pair.original for pair in found.attacks["case"]] == [0, 1, 2, 0, 1, 2]


def test_equal_rows_keep_their_order_beside_a_file_of_originals() -> None:
    clean = [{"text": text, "label": 0} for text in (TEXTS[0], TEXTS[0], TEXTS[1])]
    found = pairs_of([{"text": text.upper(), "label": 0} for text in (TEXTS[0], TEXTS[0], TEXTS[1])], clean)
    assert [pair.original for pair in found.attacks["perturbed"]] == [0, 0, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": "Другой текст."}, "do not give the text of 'text'; was the file changed by hand"),
        ({"augment": {"attack": "case", "source": {"text": 5}, "edits": {"text": []}}}, "damaged"),
        ({"augment": {"attack": "case", "source": {"text": "Кот"}, "edits": {"text": [[0, 99, ""]]}}}, "lies outside"),
        ({"augment": {"attack": "case", "status": "perturbed"}}, "give `originals` FILE, or perturb with `meta` full"),
    ],
)
def test_damaged_metadata_is_an_error_that_names_the_row(change: dict[str, Any], message: str) -> None:
    given = rows("case")
    given[1] |= change
    with pytest.raises(AugmentError, match="row 2: ") as caught:
        pairs_of(given)
    assert message in str(caught.value)


def test_rows_without_attacks_are_originals_and_no_rows_are_an_error() -> None:
    found = pairs_of([{"id": number, "text": text} for number, text in enumerate(TEXTS)])
    assert (len(found.originals), dict(found.attacks)) == (len(TEXTS), {})
    assert dict(pairs_of(rows(with_original=True)).attacks) == {}
    with pytest.raises(AugmentError, match="no rows"):
        pairs_of([])


def test_the_perturbed_fields_of_the_run_go_before_the_task_s() -> None:
    row = {"title": "Кошка спит", "text": "Собака лает во дворе.", "label": 1}
    meta = {
        "attack": "case",
        "status": "perturbed",
        "source": {"title": row["title"]},
        "edits": {"title": [[0, 1, "к"]]},
    }
    found = pairs_of([row | {"title": "кошка спит", "augment": meta}])
    assert found.task.layout.fields == ("title",)
    assert found.originals[0].values == row


@pytest.mark.parametrize(("value", "number"), [(2, 2.0), (0.5, 0.5), (True, None), ("1", None), (10**400, None)])
def test_a_number_of_the_metadata_is_a_float_or_left_out(value: object, number: float | None) -> None:
    assert as_float(value) == number


def test_answers_in_a_cell_of_json_are_refused() -> None:
    context, answers = "Город Тверь стоит на Волге.", {"text": ["на Волге"], "answer_start": [18]}
    row = {"id": "a", "context": context, "question": "Где Тверь?", "answers": answers}
    (result,) = Augmenter("case", **FAST).records([row])
    cells = {**result.row(), "answers": json.dumps(answers, ensure_ascii=False)}
    with pytest.raises(
        AugmentError,
        match=r"row 1: field 'answers' holds answers and places as a text, .*; give the rows as JSON lines",
    ):
        pairs_of([cells])
    plain = {key: value for key, value in cells.items() if key != "augment"}
    assert golds_of([row], task("squad"), "answers") == [(("на Волге",),)]
    with pytest.raises(AugmentError, match="field 'answers' holds answers and places as a text"):
        golds_of([plain], task("squad"), "answers")
    for cell, gold in (("", None), ("на Волге", ("на Волге",))):
        assert golds_of([{**plain, "answers": cell}], task("squad"), "answers") == [(gold,)]
