"""Rows: which task they are of, what of them changes, and that the rest keeps its bytes."""

import json
import re
import time
from functools import partial
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Augmenter, AugmentError, Perturber, Preparation, Record, Result, Span
from augment_ru.formats.json_lines import encoded, parsed
from augment_ru.formats.json_places import located
from augment_ru.formats.lines import MAX_LINE, read_lines
from augment_ru.records.field_paths import steps
from augment_ru.records.offsets import offsets_of
from augment_ru.records.record import options_in
from augment_ru.records.task import generic, recognise, task
from augment_ru.registry import names
from augment_ru.text.words import occurrences
from budgets import calls_of
from profiles import third
from strategies import texts

MULTIQ = {
    "support_text": "Кушалка — река в России. Устье реки находится в 69 км по левому берегу реки Медведица.",
    "main_text": "Медведица — река в Тверской области, впадает в Волгу. На Медведице обитают бобры.",
    "question": "Куда впадает река, в которую впадает Кушалка?",
    "bridge_answers": [{"label": "passage", "offset": 76, "length": 9, "segment": "Медведица"}],
    "main_answers": [{"label": "passage", "offset": 47, "length": 5, "segment": "Волгу"}],
}
RWSD = {
    "idx": 7,
    "target": {"span1_text": "вазу", "span2_text": "она разбилась", "span1_index": 3, "span2_index": 7},
    "label": True,
    "text": "Вечером Маша уронила вазу на пол, и она разбилась.",
}
OPTIONS = {
    "ID": "14-788",
    "question": "Что делают из глины? (A) кирпичи и горшки (B) стекло (C) бумагу для книг (D) ток",
    "answer": "A",
}
ATTACKS = names("attacks")


def drawn(row: dict[str, Any], attack: str, draws: int) -> list[Result]:
    """What several draws of an attack at full strength give, ungated, without constraints."""
    return list(Augmenter(attack, constraints=(), similarity="none", probability=1.0).records([row], n=draws))


def perturbed(row: dict[str, Any], attack: str) -> Result:
    """The row after such an attack."""
    (result,) = drawn(row, attack, 1)
    return result


@pytest.mark.parametrize("attack", third([*ATTACKS, "eda_delete+emojify", "eda_swap+butterfingers"], 0))
def test_answer_offsets_follow_their_text(attack: str) -> None:
    before = json.dumps(MULTIQ)
    for result in drawn(MULTIQ, attack, 5):
        row = result.row()
        for answers, text in (("bridge_answers", "support_text"), ("main_answers", "main_text")):
            for answer in row[answers]:
                stop = answer["offset"] + answer["length"]
                assert row[text][answer["offset"] : stop] == answer["segment"]
    assert json.dumps(MULTIQ) == before  # the published toolkit writes into the source rows


def test_the_words_that_a_span_names_are_protected_without_the_punctuation_behind_them() -> None:
    target = {"span1_text": "вазу", "span2_text": "она разбилась", "span1_index": 2, "span2_index": 4}
    text = "Женя ставит вазу, и она разбилась!.. Вот так."
    row = {"idx": 1, "text": text, "target": target}
    (result,) = Augmenter("butterfingers", probability=1.0, similarity="none").records([row])
    spans = [text[span.start : span.stop] for span in result.protected["text"] if span.label == "REFERENT"]
    assert {"вазу", "она разбилась"} <= set(spans)
    assert not any(span.endswith((",", "!", ".")) for span in spans)


def test_the_places_of_words_are_those_of_the_text() -> None:
    target = {"span1_text": "вазу", "span2_text": "она разбилась", "span1_index": 2, "span2_index": 4}
    text = "Женя ставит вазу, и она разбилась!.. Вот так."
    places = [one.span for one in offsets_of({"text": text, "target": target}, task("rwsd"), ["text"])]
    assert [text[span.start : span.stop] for span in places] == ["вазу", "она разбилась"]


@pytest.mark.parametrize("attack", third([*ATTACKS, "eda_delete+emojify"], 1))
def test_word_numbers_follow_their_text(attack: str) -> None:
    for result in drawn(RWSD, attack, 5):
        row = result.row()
        target = row["target"]
        for number in ("1", "2"):
            first = target[f"span{number}_index"]
            span = target[f"span{number}_text"].split()
            words = row["text"].split()[first : first + len(span)]
            assert [re.sub(r"^\W+|\W+$", "", word) for word in words] == span  # signs beside a word are none of it
        assert {**target, "span1_index": 3, "span2_index": 7} == RWSD["target"]


@pytest.mark.parametrize("attack", third([*ATTACKS, "eda_delete+eda_swap"], 2))
def test_each_option_stays_its_own(attack: str) -> None:
    def options(question: str) -> list[list[str]]:
        return [part.split() for part in re.split(r"\([A-D]\)", question)]

    old = options(str(OPTIONS["question"]))
    for result in drawn(OPTIONS, attack, 10):
        new = options(result.text)
        assert len(new) == 5
        assert all(new)  # no option is emptied
        if attack.startswith("eda"):
            for before, after in zip(old, new, strict=True):
                assert {word.strip("?") for word in after} <= {word.strip("?") for word in before}


@pytest.mark.parametrize("markers", ["(A)x(B)y", "(A) да (B) нет (C) может быть", "(А) да (Б) нет"])
def test_markers_of_any_number_of_options(markers: str) -> None:
    question = f"Верно ли это? {markers}"
    result = perturbed({"ID": "1", "question": question, "answer": "A"}, "butterfingers")
    for marker in ("(A)", "(B)", "(C)", "(А)", "(Б)"):
        assert result.text.count(marker) == question.count(marker)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {**MULTIQ, "main_answers": [{"offset": 3, "length": 5, "segment": "Волгу"}]},
            r"main_answers\[0\]: 'Волгу' does",
        ),
        ({**MULTIQ, "main_answers": [{"offset": -1, "length": 1, "segment": "."}]}, "does not stand at offset -1"),
        ({**MULTIQ, "bridge_answers": [{"offset": "3"}]}, r"bridge_answers\[0\]: needs a number offset"),
        ({**MULTIQ, "bridge_answers": ["Медведица"]}, "holds a text, not an object"),
        ({**MULTIQ, "bridge_answers": "x"}, "holds a text, not a list"),
        ({**MULTIQ, "question": 5}, "field 'question' holds a number, not a text"),
        ({**RWSD, "target": {"span1_text": "вазу", "span1_index": 99}}, "target.span1_index: word 99 of a text of 9"),
        ({**RWSD, "target": None}, "target: holds nothing, not an object"),
    ],
)
def test_a_row_that_contradicts_itself_is_refused(row: dict[str, Any], message: str) -> None:
    with pytest.raises(AugmentError, match=message):
        perturbed(row, "case")


def test_an_error_names_the_record() -> None:
    rows = [RWSD, {**RWSD, "idx": 77, "target": {"span1_text": "x", "span1_index": 50}}]
    with pytest.raises(AugmentError, match=r"record id:77: target\.span1_index: word 50"):
        list(Augmenter("case", constraints=(), similarity="none").records(rows))


@pytest.mark.parametrize("name", [one for one in names("tasks") if task(one).layout.keys])
def test_each_task_is_recognised_by_its_own_fields(name: str) -> None:
    known = task(name)
    row = dict.fromkeys(known.layout.keys, "текст")
    twins = [one for one in names("tasks") if task(one).layout.keys == known.layout.keys]
    if len(twins) == 1:
        assert recognise(row) is known
    else:
        with pytest.raises(AugmentError, match=rf"fit several tasks: {', '.join(twins)}; choose with `task`"):
            recognise(row)
    never = {"answer", "label", "options", "idx", "ID", "question_id", "bridge_answers", "main_answers", "Label"}
    perturbed = {step for field in known.layout.fields for step in steps(field)}
    assert not perturbed & (never | {"instruction", "outputs", "meta"})


def test_rows_of_no_task_say_what_to_do() -> None:
    assert recognise({"text": "x", "label": 1}).name == "generic"
    with pytest.raises(AugmentError, match="name the text field with `field`"):
        recognise({"body": "x"})
    nested = {"id": 1, "data": {"review": {"text": "кот"}}, "turns": [{"said": "да"}], "meta": {}}
    with pytest.raises(
        AugmentError, match=r"id, data, turns, meta \(inside them: data\.review\.text, turns\[\]\.said\);"
    ):
        recognise(nested)
    with pytest.raises(AugmentError, match=r"'data' holds an object, not a text \(inside it: data\.review\.text\);"):
        list(Augmenter("case", similarity="none").records([nested], field="data"))
    deep: object = "кот"
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(AugmentError, match=r"no task has the fields a; name"):  # no name of so many steps is shown
        recognise({"a": deep})
    with pytest.raises(AugmentError, match="did you mean 'multiq'"):
        task("multi_q")


# lines

ROW = (
    r'{"id": 1.50, "text": "ко\u0442 спит", "big": 123456789012345678901234567890, '
    r'"u": "http:\/\/a", "n": null, "s": "\ud800"}'
)


def line_of(raw: str, attack: str = "case", meta: str = "none", **options: Any) -> str:  # noqa: ANN401
    """The line after an attack."""
    text, values = parsed(raw.encode())
    perturber = Perturber(attack, similarity="none", probability=1.0, **options)
    (result,) = perturber.perturb(Preparation(()).chunk([Record(values, generic(), text)])).results
    return result.line(meta)


def test_only_the_perturbed_value_changes_in_a_line() -> None:
    assert line_of(ROW) == ROW.replace(r"ко\u0442 спит", "КОТ СПИТ")


def test_escapes_are_kept_in_the_style_of_the_line() -> None:
    raw = r'{"text":"\u043a\u043e\u0442\/\u043f\u0451\u0441"}'
    written = line_of(raw)
    assert written.isascii()
    assert r"\/" in written
    assert json.loads(written) == {"text": "КОТ/ПЁС"}


def test_metadata_comes_last_and_replays() -> None:
    row = json.loads(line_of(ROW, meta="full"))
    metadata = row.pop("augment")
    assert list(row) == list(json.loads(ROW))
    text = metadata["source"]["text"]
    for start, stop, new in reversed(metadata["edits"]["text"]):
        text = text[:start] + new + text[stop:]
    assert text == row["text"] == "КОТ СПИТ"


_KEYS = st.text("abc", min_size=1, max_size=2)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(_KEYS, _JSON, max_size=4), texts(), st.sampled_from([(", ", ": "), (",", ":"), (" ,\t", " : ")]))
def test_a_value_is_found_in_any_line(rest: dict[str, Any], text: str, separators: tuple[str, str]) -> None:
    row = {**rest, "text": text, "z": [rest, {"k": 1}]}
    line = "  " + json.dumps(row, separators=separators, ensure_ascii=len(text) % 2 == 0) + " "
    for path, value in ((("text",), text), (("z", 1, "k"), 1), (("z", 0), rest)):
        start, stop = located(line, path)
        assert json.loads(line[start:stop]) == value


@given(texts())
def test_texts_are_written_as_json(text: str) -> None:
    for like in ("", r"\u0441", r"\/", r"\u0441\/"):
        assert json.loads(encoded(text, like=like)) == text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{bad", "not JSON: Expecting property name"),
        (b'{"text": "x"} trailing', "not JSON: Extra data"),
        (b"[1]", "a list, not an object"),
        (b'"x"', "a text, not an object"),
        (b"12", "a number or a truth value, not an object"),
        (b"null", "null, not an object"),
        (b'{"text": NaN}', "NaN is no JSON number"),
        (b'{"text": "\xff"}', "not UTF-8 at byte 10"),
        (b'{"a": 1, "a": 2}', "the key 'a' stands twice"),
        (b'{"text": "\x00"}', "not JSON: Invalid control character"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"n": ' + b"9" * 5000 + b"}", "not JSON that can be read"),
    ],
)
def test_what_is_no_row_is_refused_in_one_line(data: bytes, message: str) -> None:
    with pytest.raises(AugmentError, match=r"^[^\n]*$") as caught:
        parsed(data)
    assert message in str(caught.value)


def test_lines_are_counted_from_one_with_blank_ones() -> None:
    found = list(read_lines(BytesIO(b'\xef\xbb\xbf{"a":1}\r\n\n  \n{"b":2}')))
    assert [(line.number, line.data) for line in found] == [(1, b'{"a":1}'), (4, b'{"b":2}')]


def test_a_line_that_is_too_long_is_passed_over() -> None:
    data = b'{"text": "' + b"x" * (MAX_LINE + 10) + b'"}\n{"text": "y"}\n'
    long, short = read_lines(BytesIO(data))
    assert long.number == 1
    assert "the longest line may have" in str(long.problem)
    assert (short.number, short.data) == (2, b'{"text": "y"}')


def test_a_marker_that_the_question_mentions_is_no_option() -> None:
    question = "Витамин (A) и витамин (B) полезны. Какой важнее? (A) первый из них (B) второй из них (C) оба вместе"
    for result in drawn({"ID": "1", "question": question, "answer": "A"}, "eda_swap", 10):
        options = result.text[result.text.index("?") :].replace("(B)", "|").replace("(C)", "|").split("|")
        assert ["первый" in options[0], "второй" in options[1], "оба" in options[2]] == [True] * 3


def test_lookalikes_mark_options_too() -> None:
    row = {"ID": "1", "question": "Кто? (А) кот спит (В) пёс лает (С) ёж бежит", "answer": "A"}
    assert [span.label for span in perturbed(row, "case").protected["question"]] == ["OPTION"] * 3


def test_each_row_is_recognised_by_itself() -> None:
    rows: list[dict[str, Any]] = [{"text": "Простая строка про кошку."}, RWSD, MULTIQ]
    augmenter = Augmenter("eda_delete", constraints=(), similarity="none")
    found = list(augmenter.records(rows))
    assert [result.record.task.name for result in found] == ["generic", "rwsd", "multiq"]
    assert [result.line() for result in found] == [next(augmenter.records([row])).line() for row in rows]


def test_a_row_made_in_python_shares_nothing_with_its_result() -> None:
    row: dict[str, Any] = {"id": 1, "text": "Кошка спит", "tags": ["a"]}
    (result,) = Augmenter("case", constraints=(), similarity="none").records([row])
    result.row()["tags"].append("b")
    row["id"] = 2
    assert (result.record.values["id"], row["tags"]) == (1, ["a"])
    with pytest.raises(AugmentError, match="no form in JSON"):
        perturbed({"text": "Кошка", "f": float("nan")}, "case").line()
    with pytest.raises(AugmentError, match="'augment' already"):
        perturbed({"text": "Кошка", "augment": 1}, "case").row()
    with pytest.raises(AugmentError, match="no metadata called 'ful'; did you mean 'full'"):
        result.row("ful")


def one_by_one(text: str, words: list[str]) -> set[Span]:
    """Where the words stand as whole words, each looked for in the whole text."""
    return {
        Span(*match.span(), "X")
        for word in {word.strip() for word in words} - {""}
        for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)
    }


LETTERS = st.text(st.sampled_from("аАбßẞſsSİiIıµμΜςσ1_ -+.«"), max_size=12)


@given(LETTERS.map(lambda text: text * 3), st.lists(LETTERS.map(lambda text: text[:5]), max_size=6))
def test_words_are_found_as_if_looked_for_one_by_one(text: str, words: list[str]) -> None:
    found = list(occurrences(text, words, "X"))
    assert set(found) == one_by_one(text, words)


def test_thousands_of_words_take_time_in_proportion() -> None:
    words = [f"слово{number}" for number in range(8000)]
    began = time.process_time()
    assert len(list(occurrences(" ".join(words), words, "X"))) == len(words)
    assert time.process_time() - began < 15  # all of it in few calls, so its time is measured


def test_the_calls_for_thousands_of_offsets_grow_in_proportion() -> None:
    augmenter = Augmenter("butterfingers", similarity="none", constraints=())

    def moved(count: int) -> dict[str, Any]:
        answers = [{"offset": 9 * number, "length": 3, "segment": "кот"} for number in range(count)]
        row = {"main_text": "кот спит " * count, "support_text": "а", "question": "кто?", "bridge_answers": [],
               "main_answers": answers}  # fmt: skip
        (result,) = augmenter.records([row])
        new: dict[str, Any] = json.loads(result.line("none"))
        return new

    new = moved(4000)
    for answer in new["main_answers"]:
        assert new["main_text"][answer["offset"] :][: answer["length"]] == "кот"
    short, long = (calls_of(partial(moved, count)) for count in (1000, 4000))
    assert long <= 4.4 * short  # it would be 16, if it grew with the square


def test_options_stand_behind_their_markers() -> None:
    text = "Что тонет? (A) камень  (B) пробка (C)"
    assert [(one.of(text), other.of(text)) for one, other in options_in(text)] == [
        ("(A)", "камень"),
        ("(B)", "пробка"),
        ("(C)", ""),
    ]
