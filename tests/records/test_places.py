"""Numbers that are places in texts, and layouts that state them without a length, without an end, or in pairs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from augment_ru import Augmenter, AugmentError, Record
from augment_ru.engine.attack import make
from augment_ru.evaluation.pairs import task_of_rows
from augment_ru.formats.read import rows_of
from augment_ru.records.places import may_hold_places
from augment_ru.records.task import Task, task
from commands import run
from profiles import third
from strategies import OFFLINE

TEXT = "Пушкин жил в старой Москве, а потом очень долго болел и умер в Петербурге."


def perturbed(row: dict[str, Any], known: Task | str | None, attack: str = "eda_delete", **options: Any) -> Any:  # noqa: ANN401
    """The row under an attack, without a gate."""
    augmenter = Augmenter(make(attack), probability=0.5, similarity="none", constraints=(), **options)
    return next(iter(augmenter.records([row], known))).row("none")


@pytest.mark.parametrize(
    ("row", "where"),
    [
        ({"text": TEXT, "answers": {"text": ["Москве"], "answer_start": [20]}}, r"answers\.answer_start\[0\]"),
        ({"text": TEXT, "answer": "Москве", "answer_start": 20}, "answer_start"),
        ({"text": TEXT, "marks": [{"start": 0, "end": 6}]}, r"marks\[0\]\.start"),
        ({"text": TEXT, "span": {"offset": 20, "value": "Москве"}}, r"span\.offset"),
        ({"text": TEXT, "answer": "Москве", "answer_start": "20"}, "answer_start"),
        ({"text": TEXT, "answer": "Москве", "answer_start": 20.0}, "answer_start"),
        ({"text": TEXT, "char_start": "20", "char_end": "26"}, "char_start"),
        ({"text": TEXT, "answers": [{"text": "Москве", "answer_start": "20"}]}, r"answers\[0\]\.answer_start"),
        ({"text": TEXT, "answers": {"text": ["Москве"], "answer_start": ["20"]}}, r"answers\.answer_start\[0\]"),
        ({"text": TEXT, "answer": "Москве", "span": [20, 26]}, r"span\[0\]"),
        ({"text": TEXT, "ranges": [[5, 9], ["20", "26"]]}, r"ranges\[1\]\[0\]"),
        ({"text": TEXT, "entities": [[20, 26, "LOC"]]}, r"entities\[0\]\[0\]"),
        ({"text": TEXT, "label": [["LOC", 20, 26]]}, r"label\[0\]\[1\]"),
    ],
)
def test_a_place_that_would_not_move_is_an_error(row: dict[str, Any], where: str) -> None:
    assert may_hold_places([row])
    with pytest.raises(
        AugmentError, match=rf"'{where}' holds a place in 'text', which the task '(generic|spans)' does not"
    ):
        perturbed(row, None)
    kept = Task.of("own", fields=["text"], kept=["answers.text[]", "answer"])
    with pytest.raises(AugmentError, match="state it in a task file"):
        perturbed(row, kept)


@pytest.mark.parametrize(
    "row",
    [
        {"text": TEXT, "start": 20, "name": "Анна"},
        {"text": TEXT, "begin": 3, "end": 9},
        {"text": TEXT, "start_year": 1799, "end_year": 1837},
        {"text": TEXT, "answer": "Москве", "number": 20},
        {"text": TEXT, "start": "20", "name": "Анна", "end": "x", "begin": "9" * 5000},
        {"text": TEXT, "label": [0, 6], "votes": [20, 26, "за"], "scores": [20, 26], "span": [20, 26, 0]},
        {"text": TEXT, "ranges": [[1, 7], [20, 25], [26, 20], [-1, 6], [20, 999], [True, 6], [None, 6]]},
        {"text": TEXT, "other": "Маша", "marks": [{"start": -1, "text": ""}, {"start": None, "text": "Пушкин"}]},
    ],
)
def test_other_numbers_are_none_of_its_business(row: dict[str, Any]) -> None:
    assert perturbed(row, None)["text"] != TEXT


SQUAD: dict[str, Any] = {
    "id": 7, "context": TEXT, "question": "Где тогда жил поэт Пушкин?",
    "answers": {"text": ["старой Москве", "Москве", "Петербурге"], "answer_start": [13, 20, TEXT.index("Петербурге")]},
}  # fmt: skip


@pytest.mark.parametrize("attack", third(OFFLINE, 1))
def test_answers_of_squad_stand_where_the_row_says(attack: str) -> None:
    for seed in range(3):
        new = perturbed(SQUAD, None, attack, seed=seed)
        assert new["answers"]["text"] == SQUAD["answers"]["text"]
        for start, answer in zip(new["answers"]["answer_start"], new["answers"]["text"], strict=True):
            assert new["context"][start : start + len(answer)] == answer


def test_both_texts_of_squad_change_and_places_move() -> None:
    new = perturbed(SQUAD, None, seed=1)
    assert new["context"] != TEXT
    assert new["question"] != SQUAD["question"]
    assert new["answers"]["answer_start"] != SQUAD["answers"]["answer_start"]


@pytest.mark.parametrize("answers", [{"text": [], "answer_start": []}, {"text": [""], "answer_start": [-1]}])
def test_squad_without_an_answer(answers: dict[str, Any]) -> None:
    assert perturbed({**SQUAD, "answers": answers}, None)["answers"] == answers


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (
            {"text": ["Москва"], "answer_start": [20]},
            r"answer_start\[0\]: 'Москва' does not stand at offset 20 of 'con",
        ),
        ({"text": ["Москве"], "answer_start": []}, r"0 and 1 entries; each number needs its counterpart"),
        ({"text": ["Москве"], "answer_start": [None]}, "needs a number and a text"),
    ],
)
def test_wrong_places_of_squad(answers: dict[str, Any], message: str) -> None:
    with pytest.raises(AugmentError, match=message):
        perturbed({**SQUAD, "answers": answers}, "squad")


IN_CELL = {**SQUAD, "answers": json.dumps(SQUAD["answers"], ensure_ascii=False)}
"""The row as a table holds it."""


@pytest.mark.parametrize("known", ["squad", None])
@pytest.mark.parametrize("fields", [None, ("context", "question")])
def test_answers_in_a_cell_of_json_are_refused(known: str | None, fields: tuple[str, ...] | None) -> None:
    augmenter = Augmenter("eda_delete", probability=0.5, similarity="none", constraints=())
    with pytest.raises(
        AugmentError, match=r"field 'answers' holds answers and places as a text, .*; give the rows as JSON lines"
    ):
        list(augmenter.records([IN_CELL], known, field=fields))
    (result,) = augmenter.records([IN_CELL], known, field="question")  # its answers stand in another text
    assert result.row("none")["answers"] == IN_CELL["answers"]
    assert result.row("none")["question"] != SQUAD["question"]


def test_answers_in_a_cell_that_is_no_json_are_refused_by_the_task() -> None:
    with pytest.raises(AugmentError, match="give the rows as JSON lines"):
        perturbed({**SQUAD, "answers": "{'text': array(['Москве']), 'answer_start': array([20])}"}, "squad")
    assert perturbed({**SQUAD, "answers": ""}, "squad")["context"] != TEXT  # null, as a table writes it


def test_places_in_a_cell_of_json_are_noticed_without_a_task() -> None:
    row = {"text": TEXT, "found": json.dumps([{"text": "Москве", "start": 20}], ensure_ascii=False)}
    assert may_hold_places([row])
    with pytest.raises(
        AugmentError, match=r"'found\[0\]\.start' holds a place in 'text', .*; give the rows as JSON lines"
    ):
        perturbed(row, None)
    whole = json.dumps({"text": "Москве", "start": 1, "end": 9})
    assert "start" in perturbed({"text": whole}, None)["text"]  # inside the text itself nothing is looked for
    assert not may_hold_places([{"text": TEXT, "note": "[неразборчиво]"}])


def test_pairs_and_lists_of_answers() -> None:
    marks = {"text": "text", "start": "marks[][0]", "stop": "marks[][1]", "label": "MARK"}
    pairs = Task.of("own", fields=["text"], characters=[marks])
    new = perturbed({"text": TEXT, "marks": [[20, 26], [0, 6]]}, pairs, seed=1)
    assert [new["text"][start:stop] for start, stop in new["marks"]] == ["Москве", "Пушкин"]
    assert new["marks"] != [[20, 26], [0, 6]]
    answers = {"text": "text", "start": "answers[].answer_start", "segment": "answers[].text", "label": "ANSWER"}
    listed = Task.of("own", fields=["text"], characters=[answers])
    new = perturbed({"text": TEXT, "answers": [{"text": "Москве", "answer_start": 20}]}, listed, seed=1)
    (answer,) = new["answers"]
    assert new["text"][answer["answer_start"] :].startswith("Москве")


QUIZ: dict[str, Any] = {
    "passage": TEXT, "ask": "Где умер Пушкин?", "found": [{"at": 20, "words": "Москве"}], "names": [[0, 6]],
    "meta": {"answers": [{"offset": 20, "length": 6, "segment": "Москве"}]},
}  # fmt: skip
QUIZ_TASK = Task.of(
    "quiz",
    fields=["passage", "ask"],
    characters=[
        {"text": "passage", "start": "found[].at", "segment": "found[].words", "label": "ANSWER"},
        {"text": "passage", "start": "names[][0]", "stop": "names[][1]", "label": "NAME"},
    ],
    answers=[{"text": "passage", "field": "meta.answers", "label": "ANSWER"}],
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"found": {"at": 20, "words": "Москве"}}, "found is an object; the task states found[].at; mend the row"),
        ({"found": [[20, "Москве"]]}, "found[0] is a list; the task states found[].at"),
        ({"found": 20}, "found is a number; the task states found[].at"),
        ({"found": "20"}, "found is a text; the task states found[].at"),  # a cell of a table
        ({"names": [0, 6]}, "names[0] is a number; the task states names[][0]"),
        ({"names": [[0, 6], 20]}, "names[1] is a number; the task states names[][0]"),
        ({"names": {"0": 0, "1": 6}}, "names is an object; the task states names[][0]"),
        ({"meta": [{"answers": QUIZ["meta"]["answers"]}]}, "meta is a list; the task states meta.answers"),
    ],
)
def test_places_in_another_form_than_the_task_states_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(AugmentError, match=re.escape(message)):
        perturbed({**QUIZ, **change}, QUIZ_TASK)


_NO_PLACES: list[Any] = [[], {}, None, "", "нет ответа", [None], [{}], [{"at": None, "words": None}]]


@pytest.mark.parametrize(
    "change",
    [
        *({"found": held} for held in _NO_PLACES),
        *({"names": held} for held in (*_NO_PLACES[:1], None, [[]], [None])),
        *({"meta": held} for held in (None, {}, {"answers": None}, "")),
    ],
)
def test_a_row_may_state_no_place(change: dict[str, Any]) -> None:
    new = perturbed({**QUIZ, **change}, QUIZ_TASK)
    assert new["passage"] != TEXT
    assert {key: new[key] for key in change} == change


@pytest.mark.parametrize("gap", [None, []])
def test_places_beside_an_entry_without_one_move(gap: Any) -> None:  # noqa: ANN401
    new = perturbed({**QUIZ, "names": [[20, 26], gap]}, QUIZ_TASK, seed=1)
    (start, stop), rest = new["names"]
    assert (start, rest) != (20, gap)
    assert new["passage"][start:stop] == "Москве"


@pytest.mark.parametrize(
    ("places", "row", "message"),
    [
        (
            {"characters": [{"start": "ans[].at", "segment": "ans[].words"}]},
            {"ans": [{"at": 20, "words": "Москве"}]},
            "ans[0].at: 'Москве' does not stand at offset 20 of 'doc.parts[1]'",
        ),
        (
            {"characters": [{"start": "at", "stop": "to"}]},
            {"at": 20, "to": 26},
            "20 to 26 is no span of 'doc.parts[1]'",
        ),
        ({"answers": [{"field": "ans"}]}, {"ans": QUIZ["meta"]["answers"]}, "offset 20 of 'doc.parts[1]'"),
        ({"words": [{"field": "ans", "pairs": [["word", "at"]]}]}, {"ans": {"word": "умер", "at": 11}}, "of 0 words"),
    ],
)
def test_a_place_in_a_text_that_the_row_lacks_is_refused(
    places: dict[str, list[dict[str, Any]]], row: dict[str, Any], message: str
) -> None:
    stated = {key: [{"text": "doc.parts[1]", "label": "X", **one} for one in many] for key, many in places.items()}
    known = Task.of("own", fields=["doc.parts[]"], **stated)
    with pytest.raises(AugmentError, match=re.escape(message)):
        perturbed({"doc": {"parts": [TEXT]}, **row}, known)
    if "ans" not in row or "answers" in places:
        none = dict.fromkeys(row)
        assert perturbed({"doc": {"parts": [TEXT]}, **none}, known)["doc"]["parts"] != [TEXT]
    new = perturbed({"doc": {"parts": ["Он поэт.", TEXT]}, **row}, known, seed=1)
    assert {key: new[key] for key in row} != row


def test_answers_in_the_entries_of_a_list_move() -> None:
    answers = [{"text": "doc.parts[-1]", "field": "ans[].found", "label": "X"}]
    row = {"doc": {"parts": ["Он поэт.", TEXT]}, "ans": [{"found": QUIZ["meta"]["answers"]}, {"found": None}]}
    new = perturbed(row, Task.of("own", fields=["doc.parts[]"], answers=answers), seed=1)
    (answer,) = new["ans"][0]["found"]
    assert answer["offset"] != 20
    assert new["doc"]["parts"][1][answer["offset"] :].startswith("Москве")


def test_places_in_a_text_that_stays_are_stated_too() -> None:
    places = {"text": "text", "start": "at[].start", "stop": "at[].end", "label": "X"}
    task = Task.of("own", fields=["question"], characters=[places])
    row = {"text": TEXT, "question": TEXT, "at": [{"start": 20, "end": 26}]}
    new = perturbed(row, task, seed=1)
    assert new["question"] != TEXT
    assert new["at"] == row["at"]


MAIL: dict[str, Any] = {
    "parts": [
        {"role": "user", "text": "Очень старая первая часть письма пришла вчера.", "at": 13, "to": 19},
        {"role": "bot", "text": "Получено."},
        {"role": "user", "text": "Вчера вечером вторая часть не пришла.", "at": 14, "to": 20},
    ]
}  # fmt: skip


@pytest.mark.parametrize("item", ["parts[]", "parts[role=user]"])
def test_places_beside_each_of_several_texts_move_with_their_own_text(item: str) -> None:
    places = {"text": f"{item}.text", "start": f"{item}.at", "stop": f"{item}.to", "label": "FACT"}
    known = Task.of("own", fields=["parts[].text"], characters=[places])
    for seed in range(5):
        new = perturbed(MAIL, known, seed=seed)["parts"]
        assert new != MAIL["parts"]
        assert [part["text"][part["at"] : part["to"]] for part in (new[0], new[2])] == ["первая", "вторая"]
        assert "at" not in new[1]


@pytest.mark.parametrize(
    ("part", "places", "key"),
    [
        ("characters", {"start": "facts[].at", "stop": "facts[].to"}, "start"),
        ("characters", {"start": "parts[].at", "segment": "words[]"}, "segment"),
        ("answers", {"field": "answers"}, "field"),
        ("words", {"field": "target", "pairs": [["word", "at"]]}, "field"),
    ],
)
def test_places_elsewhere_than_beside_each_of_several_texts_are_refused(
    part: str, places: dict[str, Any], key: str
) -> None:
    said = f"'{key}' is {places[key]}, but each parts[] has a text of its own, parts[].text; begin '{key}' with parts[]"
    with pytest.raises(AugmentError, match=re.escape(f"[[{part}]] 1: {said}")):
        Task.of("own", fields=["parts[].text"], **{part: [{"text": "parts[].text", "label": "X", **places}]})
    one = {part: [{"text": "parts[role=user][-1].text", "label": "X", **places}]}
    assert Task.of("own", fields=["parts[].text"], **one).layout.offsets


def test_a_span_has_an_end_or_a_text() -> None:
    with pytest.raises(AugmentError, match="needs either 'stop'"):
        Task.of("own", fields=["text"], characters=[{"text": "text", "start": "a", "label": "X"}])


CHAT: dict[str, Any] = {
    "id": 1,
    "messages": [
        {"role": "system", "content": "Отвечай кратко."},
        {"role": "user", "content": "Привет, как дела?"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "content": "погода хорошая"},
        {"role": "user", "content": "Расскажи про `погоду`."},
    ],
}  # fmt: skip
PARTS: dict[str, Any] = {
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Что тут?"},
                {"type": "image", "url": "a"},
                {"type": "text", "text": "Одним словом."},
            ],
        }
    ]
}


def turns(row: dict[str, Any], *fields: str, **options: Any) -> list[Any]:  # noqa: ANN401
    """What the turns say under `wrong_layout`."""
    augmenter = Augmenter(make("wrong_layout", {"unit": "word"}), probability=1.0, similarity="none", constraints=())
    (result,) = augmenter.records([row], field=fields or None, **options)
    assert json.loads(result.line("none")) == result.row("none")
    return [turn["content"] for turn in result.row("none")["messages"]]


def test_the_last_turn_of_the_user_is_perturbed() -> None:
    said = [turn["content"] for turn in CHAT["messages"]]
    assert turns(CHAT) == [*said[:-1], "Hfccrf;b ghj `погоду`."]
    assert turns(CHAT, "messages[role=user].content") == [
        said[0],
        "Ghbdtn, rfr ltkf?",
        *said[2:4],
        "Hfccrf;b ghj `погоду`.",
    ]
    assert turns(CHAT, "messages[-2].content") == [*said[:3], "gjujlf [jhjifz", said[4]]
    (content,) = turns(PARTS)
    assert [part.get("text") for part in content] == ["Xnj nen?", None, "Jlybv ckjdjv."]
    with pytest.raises(AugmentError, match=r"no field 'messages\[role=robot\]\[-1\]\.content'"):
        turns(CHAT, "messages[role=robot][-1].content")


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (CHAT, "messages[role=usr].content"),
        ({"messages": []}, "messages[role=user].content"),
        ({"messages": [CHAT["messages"][0]]}, "messages[role=user].content"),
    ],
)
def test_a_given_name_that_stands_for_nothing_is_an_error(row: dict[str, Any], field: str) -> None:
    with pytest.raises(AugmentError, match=rf"^no field '{re.escape(field)}': no entry of the list fits it; see "):
        turns(row, field)
    with pytest.raises(AugmentError, match="no entry of the list fits it"):
        turns(CHAT, "messages[-1].content", field) if row is CHAT else turns(row, field, task="chat")
    with pytest.raises(AugmentError, match=rf"row 1: no field '{re.escape(field)}'"):
        task_of_rows(rows_of([row]).rows, task("chat"), (field,), ())


def test_an_empty_list_that_only_the_task_names_is_none_of_its_business() -> None:
    row = {"idx": 1, "passage": {"text": TEXT, "questions": []}}
    assert perturbed(row, "muserc")["passage"]["text"] != TEXT


@pytest.mark.parametrize("suffix", ["jsonl", "json", "parquet"])
def test_chats_in_every_format_that_holds_lists(tmp_path: Path, suffix: str) -> None:
    rows, path, out = [CHAT, {**CHAT, "id": 2}], tmp_path / f"chats.{suffix}", tmp_path / f"out.{suffix}"
    if suffix == "parquet":
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text("\n".join(map(json.dumps, rows)) if suffix == "jsonl" else json.dumps(rows), encoding="utf-8")
    options = [
        "--attack",
        "wrong_layout",
        "--set",
        "wrong_layout.unit=word",
        "--probability",
        "1",
        "--similarity",
        "none",
        "--meta",
        "none",
    ]
    done = run("perturb", path, *options, "-o", out)
    assert done.returncode == 0, done.stderr.decode()
    if suffix == "parquet":
        found = pq.read_table(out).to_pylist()
    else:
        said = out.read_text(encoding="utf-8")
        found = json.loads(said) if suffix == "json" else list(map(json.loads, said.splitlines()))
    assert [row["messages"][-1]["content"] for row in found] == ["Hfccrf;b ghj `погоду`."] * 2
    assert found[0]["messages"][1]["content"] == "Привет, как дела?"


def test_tasks_of_layouts_are_known() -> None:
    assert task("squad").scoring.gold == ("answers",)
    assert task("chat").layout.fields == ("messages[role=user][-1].content",)


def test_marks_are_borders_and_answers_may_be_texts_only_where_the_task_says_so() -> None:
    row = {"text": "Кот (2) ждёт.", "answer": "Кот"}
    marks = {"text": "text", "pattern": r"\(\d\)", "label": "MARK"}
    answers = {"field": "answer", "text": "text", "label": "ANSWER"}
    for more, borders in (({}, {}), ({"border": True}, {"text": [4]})):
        own = Task.of("own", fields=["text"], marks=[marks | more])
        found = Record(row, own).anchors()
        assert [span.of(row["text"]) for span in found.spans["text"]] == ["(2)"]
        assert {name: places for name, places in found.borders.items() if places} == borders
    with pytest.raises(AugmentError, match="answer"):
        Record(row, Task.of("own", fields=["text"], answers=[answers])).anchors()
    assert not any(Record(row, Task.of("own", fields=["text"], answers=[answers | {"may_be_text": True}])).offsets())
