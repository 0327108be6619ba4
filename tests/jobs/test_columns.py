"""Lines that are done at once come to the bytes, counts and errors of the same lines done one by one."""

import json
import pickle
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from augment_ru import AugmentError, Perturber, Preparation
from augment_ru.engine.result import Perturbed
from augment_ru.formats import lines as lines_module
from augment_ru.formats.json_lines import PLAIN, encoded, objects_of, parsed
from augment_ru.formats.lines import BOM
from augment_ru.jobs import row_work
from augment_ru.jobs.perturb import perturbed_rows, run
from augment_ru.jobs.rows import RowsJob
from augment_ru.records.record import AlikeRecords, Record
from augment_ru.records.task import task_for_row
from profiles import examples

TEXTS = st.sampled_from(
    [
        "Кошка спит на окне.", "Маша купила билет в Казань.", "да", "", "text", "id", "В 10:30: «да»", 'он: "нет"',
        "путь C:\\temp/x", "см. https://ya.ru и @masha", "два\nряда\tи \u2028", "пёс 😀 и кот 👨‍👩‍👧",
        "a\u0301б\x7f", "::", ":", ",",
    ]
)  # fmt: skip
NUMBERS = st.sampled_from(["1", "-0", "1.50", "1e5", "1E400", "-1e400", str(2**53 + 1), str(2**63), str(2**70), "0.1"])
OTHERS = st.one_of(
    NUMBERS,
    st.sampled_from(["null", "true", "{}", "[]", '{"text": "да"}', '{"a": 1, "a": 2}', '[{"b": ":", "b": 1}]', '"x:"']),
    TEXTS.map(json.dumps),
)
KEYS = st.sampled_from(["id", "label", "text", "question1", "a:b", "augment", "да"])


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """A line that is a row, mostly."""
    text = draw(TEXTS)
    spelt = json.dumps(text, ensure_ascii=draw(st.integers(0, 5)) == 0)
    if draw(st.integers(0, 5)) == 0:
        spelt = spelt.replace("/", "\\/").replace(":", "\\u003a")
    colon, comma = draw(st.sampled_from([(":", ","), (": ", ", "), (" : ", " ,\t")]))
    members = [f'"text"{colon}{spelt}']
    if draw(st.integers(0, 5)) == 0:  # the same text in another spelling, and the key inside a text
        members.insert(
            0, draw(st.sampled_from([f'"x"{colon}{json.dumps(text)}', f'"x"{colon}{json.dumps(members[0])}']))
        )
    for key in draw(st.lists(KEYS.filter(lambda one: one not in {"text", "augment"}), max_size=2, unique=True)):
        members.insert(draw(st.integers(0, len(members))), f'"{key}"{colon}{draw(OTHERS)}')
    if draw(st.integers(0, 15)) == 0:
        members.append(f'"{draw(KEYS)}"{colon}{draw(OTHERS)}')
    space = draw(st.sampled_from(["", "", "", " ", "\t"]))
    line = f"{{{space}{comma.join(members)}{space}}}{draw(st.sampled_from(['', '', '', ' ']))}"
    return line.encode()


ODD = st.sampled_from(
    [
        b"", b" ", b"{", b"[1]", b"1,2", b'{"text":"a"},{"text":"b"}', b'{"text":["a"', b'"b"]}', b'"text"', b"{}",
        b'{"text": 1}', b'{"text": "\\ud800"}', b'{"text": "\xff"}', b'{"text": "a", "text": "b"}',
        BOM + b'{"text":"a"}',
        b'{"text": "\\ud83d\\ude00"}', b'{"text": "a"}\r', b"\r", b'{"text": "' + b"a" * 300 + b'"}', b"\x00",
        '{"text": "кот", "x": "\u2028"}'.encode(), b'{"other": "a"}', b'{"text": "a", "augment": {}}',
        b'{"text": "a", "x": NaN}', b'{"text": "' + b"[" * 100 + b'", "x": ' + b"[" * 60 + b"]" * 60 + b"}",
    ]
)  # fmt: skip
FILES = st.builds(
    lambda rows, odd, end, last, mark: BOM * mark + end.join(_with(rows, odd)) + end * last,
    st.lists(lines(), max_size=8),
    st.lists(st.tuples(st.integers(0, 8), ODD), max_size=2),
    st.sampled_from([b"\n", b"\n", b"\n", b"\r\n"]),
    st.booleans(),
    st.sampled_from([False, False, True]),
)


def _with(rows: Sequence[bytes], odd: Sequence[tuple[int, bytes]]) -> list[bytes]:
    found = [*rows]
    for at, line in odd:
        found.insert(at, line)
    return found


OPTIONS = st.fixed_dictionaries(
    {
        "skip": st.booleans(),
        "limit": st.none() | st.integers(0, 9),
        "with_original": st.booleans(),
        "meta": st.sampled_from(["full", "brief", "none"]),
        "copies": st.integers(1, 2),
        "task": st.none() | st.just("generic"),
        "fields": st.sampled_from([(), (), ("text",), ("label",)]),
    }
)
PERTURBERS = st.lists(
    st.builds(
        Perturber,
        st.sampled_from(["butterfingers", "case"]),
        similarity=st.just("none"),
        probability=st.sampled_from([0.0, 0.1, 0.5]),
        seed=st.sampled_from([1, 2**70]),
        min_changes=st.sampled_from([0, 1]),
    ),
    min_size=1,
    max_size=2,
    unique_by=lambda one: one.attack.name,
)


def outcome(folder: Path, job: RowsJob) -> tuple[object, dict[str, bytes]]:
    """The exit code of a run or its error, and the files that it wrote."""
    for path in folder.iterdir():
        if not path.name.startswith("in."):
            path.unlink()
    try:
        code: object = run(job)
    except AugmentError as error:
        code = str(error)
    return code, {path.name: path.read_bytes() for path in folder.iterdir()}


@settings(deadline=None)
@given(
    data=FILES, perturbers=PERTURBERS, options=OPTIONS, rows=st.integers(1, 4), ending=st.sampled_from(["", ".json"])
)
def test_a_run_does_not_depend_on_what_is_done_at_once(
    data: bytes, perturbers: list[Perturber], options: dict[str, Any], rows: int, ending: str
) -> None:
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        (folder / "in.jsonl").write_bytes(data)
        job = RowsJob(
            source=str(folder / "in.jsonl"),
            output=str(folder / f"out{ending}"),
            perturbers=perturbers,
            preparation=Preparation(constraints=()),
            report=str(folder / "report"),
            quiet=True,
            **options,
        )
        patch.setattr(lines_module, "MAX_LINE", 250)
        whole = outcome(folder, job)
        patch.setattr(row_work, "CHUNK_ROWS", rows)
        assert outcome(folder, job) == whole
        patch.setattr(row_work, "objects_of", lambda _raw: None)
        assert outcome(folder, job) == whole


def alike(lines: list[bytes]) -> AlikeRecords:
    """Records of these lines."""
    values = objects_of(lines)
    assert values is not None
    task = task_for_row(values[0], None)
    return AlikeRecords(task, values, [row["text"] for row in values], lines, PLAIN)


def assert_lines_are_those_of_results(records: AlikeRecords, found: Perturbed, meta: str) -> None:
    """The lines that are made at once are what results say, whether these are read alone or from a copy."""
    rows = perturbed_rows(records, [found], meta, 7)
    results = [*rows.results]
    assert [*(rows.lines or ())] == [f"{result.line(meta)}\n".encode() for result in results]
    copies = [pickle.loads(pickle.dumps(result)) for result in results]  # noqa: S301  (ours)
    assert [copy.line(meta) for copy in copies] == [result.line(meta) for result in results]


@settings(deadline=None)
@given(block=st.lists(st.one_of(lines(), ODD), min_size=1, max_size=5))
@example(block=[b'{"b":[{}', b'{}]},{"c":[{}', b"{}]},{}"])
@example(block=[b'{"text":1},{}', b'{"text":[1', b"2]}"])
def test_lines_read_at_once_are_what_each_is_by_itself(block: list[bytes]) -> None:
    values = objects_of(block)
    if values is not None:
        assert repr(values) == repr([parsed(line)[1] for line in block])


@pytest.mark.parametrize(
    "line",
    [
        '{"id": 1, "text": "а: б", "x": 0.5, "y": null}', '{"text": "а", "x": {"y": [":"]}}',
        '{"text": "а", "x": 1e400}', '{"text": "а", "x": 99999999999999999999}',
    ],
)  # fmt: skip
def test_usual_lines_are_read_at_once(line: str) -> None:
    assert objects_of([line.encode()] * 3) == [json.loads(line)] * 3
    records = alike([line.encode()] * 3)
    assert [*records] == [Record(json.loads(line), task_for_row(json.loads(line), None), line)] * 3
    assert records.keys == [record.key for record in records]
    assert records.texts == [record.text("text") for record in records]


@pytest.mark.parametrize("meta", ["full", "brief", "none"])
@pytest.mark.parametrize("attack", ["butterfingers", "case", "colloquial", "emojify", "homoglyphs"])
@settings(deadline=None, max_examples=examples(20))
@given(texts=st.lists(TEXTS, min_size=1, max_size=6), gated=st.booleans())
def test_rows_from_columns_are_those_of_the_results(attack: str, meta: str, texts: list[str], *, gated: bool) -> None:
    records = alike([f'{{"id": {at}, "text": {encoded(text)}}}'.encode() for at, text in enumerate(texts)])
    similarity = "meaning" if gated else "none"
    perturber = Perturber(attack, similarity=similarity, probability=0.5, min_changes=0)
    found = perturber.perturb(Preparation(constraints=()).chunk(records, [perturber.needs]))
    assert_lines_are_those_of_results(records, found, meta)


@pytest.mark.parametrize(
    "line",
    [
        '{"text": "мир"}',
        '{"text": "мир" }',
        '{"text": "мир"\t}',
        '{"text": "мир"} ',
        '{"text" : "мир"}',
        '{"text": "text"}',
        '{"text": ":"}',
        '{"text":":"}',
        '{"text": ",", "x": "y"}',
        '{"x": "мир", "text": "мир"}',
        '{"x": ["мир"], "text": "мир"}',
        '{"text": "\\u043c\\u0438\\u0440"}',
        '{"text": "\\u043C\\u0438\\u0440"}',
        '{"x": "\\u043c", "text": "мир"}',
        '{"x": "\\u043c\\u0438\\u0440", "text": "\\u043C\\u0438\\u0440"}',
        '{"x\\"text": "\\u043c\\u0438\\u0440", "text": "\\u043C\\u0438\\u0440"}',
        '{"x": {"text": "\\u043c\\u0438\\u0440"}, "text": "\\u043C\\u0438\\u0440"}',
        '{"x": "\\"text\\": \\"\\u043c\\"", "text": "\\u043c"}',
        '{"te\\u0078t": "\\u043c\\u0438\\u0440"}',
        '{"text": "м\\/р"}',
        '{"text": "м/р", "x": "\\/"}',
        '{"text": "\\u043c\\/\\u0440"}',
        '{"text": "\\ud83d\\ude00 мир"}',
        '{"text": "мир\\u0000"}',
        '{"text": "мир\\n\\"", "id": 1e3}',
    ],
)
def test_each_spelling_is_written_as_by_itself(line: str) -> None:
    records = alike([line.encode()] * 2)
    found = Perturber("case", similarity="none", probability=1).perturb(Preparation(constraints=()).chunk(records))
    for meta in ("full", "none"):
        assert_lines_are_those_of_results(records, found, meta)


@pytest.mark.parametrize(
    "line",
    [
        b'{"text": "a", "text": "b"}', b'{"text": "a", "text": "a:"}', b'{"text": "a", "x": {"b": 1, "b": ":"}}',
        b'{"text": "a", "text": "\\u003a"}',
        b'{"text": "\xff"}', b'{"text": "\\ud800"}', b'{"text": "a"},{"text": "b"}', b"", b"[]",
        BOM + b'{"text": "a"}', b'{"text": "a", "x": NaN}',
    ],
)  # fmt: skip
def test_lines_that_are_left_to_be_read_one_by_one(line: bytes) -> None:
    assert objects_of([line] * 2) is None
