"""Files of every format: what does not change stays; what cannot be read is refused in one line."""

import csv
import io
import json
import os
import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import AugmentError, Perturber, Preparation, Record
from augment_ru.engine.prepare import CHUNK_ROWS
from augment_ru.formats import sinks
from augment_ru.formats.delimited import Table, TableLayout
from augment_ru.formats.files import check_outputs, named_files, replacing, written_files
from augment_ru.formats.json_array import JsonArray
from augment_ru.formats.json_lines import JsonLines
from augment_ru.formats.lines import MAX_LINE
from augment_ru.formats.parquet import arrow_module
from augment_ru.formats.row import Changed
from augment_ru.formats.sinks import SinkForm, sink_of
from augment_ru.formats.sources import RowSource, kind_of, source_of
from augment_ru.jobs.perturb import run
from augment_ru.jobs.rows import RowsJob
from augment_ru.records.task import generic
from layouts import EXAMPLES, ROWS
from profiles import examples
from strategies import texts

SAMPLES = Path(os.environ.get("AUGMENT_RU_SAMPLES", Path(__file__).parents[3] / "shared" / "samples"))


def perturb(source: Path, target: Path | None, *, attacks: tuple[str, ...] = ("case",), **options: Any) -> int:  # noqa: ANN401
    """What `augment-ru perturb` does, in this process; without options an attack that changes nothing."""
    probability = options.pop("probability", 0.0)
    job = {
        "source": str(source),
        "output": None if target is None else str(target),
        "perturbers": [Perturber(name, similarity="none", probability=probability) for name in attacks],
        "preparation": Preparation(()),
        "task": options.pop("task", None),
        "fields": options.pop("fields", ()),
        "with_original": False,
        "meta": "none",
        "skip": False,
        "limit": None,
        **options,
    }
    made = RowsJob(**job)
    made.check()
    return run(made)


def read(path: Path) -> list[dict[str, Any]]:
    """The values of the rows of a file."""
    with path.open("rb") as stream:
        source = source_of(kind_of(str(path)), stream)
        return [source.parsed(line)[1] for line in source]


# bytes

LINES = {
    "lines.jsonl": '{"id": 1.50, "text": "ко\\u0442 спит"}\n{"id":2,"text":"пёс \\/ кот", "n": 1e5}\n',
    "unended.jsonl": '{"id": 1, "text": "кот"}\n{"id": 2, "text": "пёс"}',
    "windows.jsonl": '{"id": 1, "text": "кот"}\r\n{"id": 2, "text": "пёс"}\r\n',
    "mark.jsonl": '\ufeff{"id": 1, "text": "кот"}\n{"id": 2, "text": "пёс"}\n',
    "lines.json": '{"id": 1, "text": "кот"}\n{"id": 2, "text": "пёс"}\n',
    "one.json": '{"id": 1, "text": "кот"}\n',
}
ARRAYS = {
    "array.json": '[\n  {\n    "id": 1.0,\n    "text": "к\\u043eт"\n  },\n  {"id": 2, "text": "пёс"}\n]\n',
    "tight.json": '[{"id":1,"text":"кот"},{"id":2,"text":"пёс"}]',
    "empty.json": "[ ]\n",
    "none.json": '{"data": {"train": []}}\n',
    "mera.json": '\ufeff{"v": 1, "data": {"a": [], "b": [ {"text": "кот"} ],\n "c":[{"text":"пёс"},{"text":"ёж"} ]}}',
    "wrapped.json": '{ "data" : [{"text": "кот"}] }',
}
TABLES = {
    "raft.csv": 'Tweet text,Label,ID\n@shop my order,complaint,0\n"Yes, ""now""\nplease",no complaint,1\n"plain",x,2\n',
    "windows.csv": '\ufeffid;text\r\n1;Кот, который спит\r\n2;Пёс 5" длиной\r\n3;',
    "quoted.csv": '"id","text"\n"1","Кот ""Барсик"""\n"2",""\n',
    "table.tsv": 'id\ttext\n1\t"Кот" спит\n2\t"Пёс\n3\t"Ёж ""колючий"""\n\t\n',
    "names.csv": "id,text\n",
    "names.tsv": "id\ttext",
    "nothing.csv": "",
}
FILES = {**LINES, **ARRAYS, **TABLES}
WRITTEN = {
    **LINES,
    "array.json": '[\n{"id": 1.0, "text": "к\\u043eт"},\n{"id": 2, "text": "пёс"}\n]\n',
    "tight.json": '[\n{"id":1,"text":"кот"},\n{"id":2,"text":"пёс"}\n]',
    "empty.json": "[]\n",
    "none.json": '{"data": {"train": []}}\n',
    "mera.json": '\ufeff{"v": 1, "data": {"a": [], "b": [\n{"text": "кот"}\n],\n '
    '"c":[\n{"text":"пёс"},\n{"text":"ёж"}\n]}}',
    "wrapped.json": '{ "data" : [\n{"text": "кот"}\n] }',
    "raft.csv": TABLES["raft.csv"].replace('"plain"', "plain"),
    "windows.csv": '\ufeffid;text\r\n1;Кот, который спит\r\n2;"Пёс 5"" длиной"\r\n3;\r\n',
    "quoted.csv": 'id,text\n1,"Кот ""Барсик"""\n2,\n',
    "table.tsv": 'id\ttext\n1\t"Кот" спит\n2\t"Пёс\n3\tЁж "колючий"\n\t\n',
    "names.csv": "id,text\n",
    "names.tsv": "id\ttext\n",
    "nothing.csv": "",
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_nothing_changes_is_written_in_one_way(tmp_path: Path, name: str) -> None:
    source, target, again = tmp_path / name, tmp_path / f"out.{name}", tmp_path / f"again.{name}"
    source.write_bytes(FILES[name].encode())
    assert perturb(source, target) == perturb(target, again) == 0
    assert target.read_bytes() == again.read_bytes() == WRITTEN[name].encode()
    assert read(target) == read(source)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="needs the benchmarks' sample files")
@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.glob("*.jsonl")) if SAMPLES.is_dir() else [])
def test_samples_of_the_benchmarks_keep_their_bytes(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    assert perturb(SAMPLES / name, target) == 0
    assert target.read_bytes() == (SAMPLES / name).read_bytes()


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_every_layout_survives_every_format(tmp_path: Path, name: str, number: int) -> None:
    row = ROWS[name][number]
    flat = all(isinstance(value, str) for value in row.values())
    written = {
        "a.jsonl": json.dumps(row, ensure_ascii=False).encode() + b"\n",
        "b.jsonl": json.dumps(row, separators=(",", ":")).replace("/", "\\/").encode(),
        "c.json": json.dumps([row, row], ensure_ascii=False, indent=2).encode(),
        "d.json": json.dumps({"data": {"test": [row]}}, ensure_ascii=False).encode(),
    }
    if flat:
        table = io.StringIO()
        writer = csv.DictWriter(table, row, lineterminator="\n")
        writer.writeheader()
        writer.writerows([row, row])
        written["e.csv"] = table.getvalue().encode()
    for file, data in written.items():
        (tmp_path / file).write_bytes(data)
        assert perturb(tmp_path / file, tmp_path / f"out.{file}", task=name) == 0
        assert read(tmp_path / f"out.{file}") == read(tmp_path / file)
        assert file.endswith("json") or (tmp_path / f"out.{file}").read_bytes() == data
    if (name, number) == ("chat", 1):
        return  # texts beside lists of parts: a column of Parquet has one type
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "f.parquet")
    assert perturb(tmp_path / "f.parquet", tmp_path / "out.parquet", task=name) == 0
    assert pq.read_table(tmp_path / "out.parquet").equals(pq.read_table(tmp_path / "f.parquet"))


def table_of(data: bytes, *, tsv: bool = False) -> tuple[Table, list[dict[str, str]]]:
    """A table and the values of its rows."""
    source = source_of("TSV" if tsv else "CSV", io.BytesIO(data))
    assert isinstance(source, Table)
    lines = list(source)
    assert [line.problem for line in lines] == [None] * len(lines)
    return source, [source.parsed(line)[1] for line in lines]


def written_table(source: Table, rows: list[dict[str, str]]) -> bytes:
    """The rows as a table of the source's layout, with nothing changed."""
    out = io.BytesIO()
    sink = sink_of("TSV" if source.layout.is_tsv else "CSV", out, source, SinkForm())
    sink.write([(Record(values, generic()), Changed({})) for values in rows])
    sink.finish()
    return out.getvalue()


@settings(max_examples=examples(80))
@given(
    st.lists(st.tuples(st.integers(0, 9), texts(), texts()), max_size=4),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_tables_of_any_text_are_read_as_the_csv_module_wrote_them(
    rows: list[tuple[int, str, str]],
    delimiter: str,
    quoting: Any,  # noqa: ANN401  (its type is no name of the csv module)
    end: str,
) -> None:
    if delimiter == "\t":  # a cell of TSV is one line
        rows = [(number, " ".join(text.split()), " ".join(other.split())) for number, text, other in rows]
    if end == "\n" and quoting == csv.QUOTE_MINIMAL:  # csv itself cannot read the carriage return that it then writes
        rows = [(number, text.replace("\r", ""), other.replace("\r", "")) for number, text, other in rows]
    table = io.StringIO()
    writer = csv.writer(table, delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writerows([("id", "text", "other"), *rows])
    source, found = table_of(table.getvalue().encode(), tsv=delimiter == "\t")
    assert [tuple(values.values()) for values in found] == [(str(number), *others) for number, *others in rows]
    again = written_table(source, found)
    assert table_of(again, tsv=delimiter == "\t")[1] == found
    assert again.count(end.encode()) >= len(rows) + 1


_CELLS = st.one_of(texts(), st.text('"a,;\t \r\n', max_size=6))


@given(
    st.integers(1, 3).flatmap(lambda columns: st.lists(st.lists(_CELLS, min_size=columns, max_size=columns))),
    st.sampled_from([",", "\t", ";"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_cells_of_any_text_are_read_as_they_were_written(rows: list[list[str]], delimiter: str, end: str) -> None:
    layout = TableLayout(delimiter, end)
    if layout.is_tsv:
        rows = [[cell.replace("\n", " ") for cell in row] for row in rows]
    names = [f"name {number}" for number in range(len(rows[0]) if rows else 1)]
    data = "".join(map(layout.row, [names, *rows])).encode()
    source = Table(io.BytesIO(data), delimiter)
    assert source.names == tuple(names)
    assert [list(source.parsed(line)[1].values()) for line in source] == rows


@given(st.lists(st.text('"ab \r\t', max_size=12), max_size=5), st.integers(1, 3), st.sampled_from(["", "\ufeff"]))
def test_whatever_is_read_from_tsv_is_read_again_from_what_is_written(
    lines: list[str], columns: int, mark: str
) -> None:
    names = "\t".join(f"n{number}" for number in range(columns))
    data = mark + "\n".join([names, *lines])
    source = Table(io.BytesIO(data.encode()), "\t")
    found = []
    for line in source:
        with suppress(AugmentError):
            found.append(source.parsed(line)[1])
    assert table_of(written_table(source, found), tsv=True)[1] == found
    plain = [line for line in lines if line.count("\t") + 1 == columns and '"' not in line and line.strip(" \r")]
    assert len(found) >= len(plain)


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ('"Кот" спит\tпёс', ['"Кот" спит', "пёс"]),
        ('"Кот\tпёс', ['"Кот', "пёс"]),
        ('"Кот ""Барсик"""\tпёс', ['Кот "Барсик"', "пёс"]),
        ('"Кот" спит\t"пёс"', ['"Кот" спит', '"пёс"']),  # one cell shows that quotation marks are characters here
        ('"Кот\tпёс"', ['"Кот', 'пёс"']),  # one cell for two columns, if they were not
        ('Кот 5"\tпёс 6"', ['Кот 5"', 'пёс 6"']),
    ],
)
def test_quotation_marks_of_tsv_are_characters_unless_they_enclose_cells(line: str, cells: list[str]) -> None:
    assert TableLayout("\t").cells_of_line(line, 2) == cells
    assert TableLayout("\t").cells_of_line(TableLayout("\t").row(cells).removesuffix("\n"), 2) == cells


def test_a_line_feed_has_no_place_in_tsv(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('id,text\n1,"кот\nпёс"\n', encoding="utf-8")
    with pytest.raises(AugmentError, match="a cell of TSV is one line, but a text has a line feed; write CSV"):
        perturb(tmp_path / "a.csv", tmp_path / "b.tsv")
    assert not (tmp_path / "b.tsv").exists()


def test_a_lone_surrogate_has_no_place_in_a_table(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "кот", "other": "\\ud800"}\n', encoding="utf-8")
    with pytest.raises(AugmentError, match="a text with a lone surrogate has no form in a table; write JSON lines"):
        perturb(tmp_path / "a.jsonl", tmp_path / "b.csv")
    perturb(tmp_path / "a.jsonl", tmp_path / "b.json")
    assert (tmp_path / "b.json").read_text(encoding="utf-8") == '[\n{"text": "кот", "other": "\\ud800"}\n]\n'


@pytest.mark.parametrize("kind", ["CSV", "TSV"])
def test_a_row_that_is_too_long_is_passed_over(kind: str) -> None:
    long = b"x" * (MAX_LINE + 10)
    data = b"id,text\n1," + long + b'\n2,a\n"3' + (b"" if kind == "TSV" else b"\n" + long + b'\n4"') + b",b\n5,c\n"
    source = source_of(kind, io.BytesIO(data.replace(b",", b"\t") if kind == "TSV" else data))
    lines = list(source)
    bad = [
        (line.number, len(line.data)) for line in lines if line.problem and "the longest row may have" in line.problem
    ]
    assert bad == ([(2, 80)] if kind == "TSV" else [(2, 80), (4, 80)])
    assert [source.parsed(line)[1]["text"] for line in lines if not line.problem][-1] == "c"


def test_a_quotation_mark_that_nothing_closes_ends_at_the_limit_of_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("augment_ru.formats.delimited.MAX_LINE", 40)
    data = b'id,text\n1,"open\n' + b"2,row of twelve\n" * 3 + b"6,last\n"
    source = source_of("CSV", io.BytesIO(data))
    broken, *rest = source
    assert (broken.number, "the longest row may have 40" in str(broken.problem)) == (2, True)
    assert [source.parsed(line)[1]["text"] for line in rest][-1] == "last"


_SPACE = st.text(" \n\t\r", max_size=3)


@settings(max_examples=examples(150))
@given(st.data())
def test_arrays_stay_whole_whatever_rows_are_written(data: st.DataObject) -> None:
    arrays = data.draw(st.lists(st.lists(texts(), max_size=3), min_size=1, max_size=3))
    space = [data.draw(_SPACE) for _ in range(7)]

    def spelt(rows: list[str]) -> str:
        spelt_rows = [
            f'{{{space[6]}"text"{space[4]}:{space[5]}{json.dumps(text, ensure_ascii=len(text) % 2 == 0)}{space[0]}}}'
            for text in rows
        ]
        return f"[{space[0]}" + f"{space[1]},{space[2]}".join(spelt_rows) + f"{space[3]}]"

    whole = spelt(arrays[0])
    if len(arrays) > 1:
        members = f"{space[4]},".join(f'"{number}"{space[5]}:{spelt(rows)}' for number, rows in enumerate(arrays))
        whole = f'{{"v": [1], "data": {{{members}}}, "w": 1.50}}{space[0]}'
    source = source_of("JSON", io.BytesIO(whole.encode()))
    records = [Record(values, generic(), text, origin) for text, values, origin in map(source.parsed, source)]
    copies = data.draw(st.lists(st.integers(0, 2), min_size=len(records), max_size=len(records)))

    def written(source: RowSource, records: list[Record], copies: list[int]) -> str:
        out = io.BytesIO()
        sink = sink_of("JSON", out, source, SinkForm())
        for record, number in zip(records, copies, strict=True):
            sink.write([(record, Changed({}))] * number)
        sink.finish()
        return out.getvalue().decode()

    left = iter(copies)
    wanted = [[{"text": text} for text in rows for _ in range(next(left))] for rows in arrays]
    made = written(source, records, copies)
    found = json.loads(made)
    assert (list(found["data"].values()) if len(arrays) > 1 else [found]) == wanted
    assert len(arrays) == 1 or '"w": 1.50' in made
    again = source_of("JSON", io.BytesIO(made.encode()))
    rows = [Record(values, generic(), text, origin) for text, values, origin in map(again.parsed, again)]
    assert written(again, rows, [1] * len(rows)) == made
    assert all("\n" not in str(row.line) and "\r" not in str(row.line) for row in rows)


@pytest.mark.parametrize("around", ["{}", '{{"data": {}}}', '{{"data": {{"test": {}}}}}'])
def test_arrays_in_an_array_are_dialogues(tmp_path: Path, around: str) -> None:
    dialogues = '[\n [{"id": 1, "text": "Кто там?"}, {"id": 2, "text": "Я."}],\n [{"id": 3, "text": "Да."}], []]'
    found = JsonArray(around.format(dialogues).encode())
    assert [found.parsed(line)[1:] for line in found] == [
        ({"id": 1, "text": "Кто там?"}, 0),
        ({"id": 2, "text": "Я."}, 0),
        ({"id": 3, "text": "Да."}, 1),
    ]
    source, out = tmp_path / "in.json", tmp_path / "out.json"
    source.write_text(around.format(dialogues), encoding="utf-8")
    assert perturb(source, out) == 0
    changed = json.loads(out.read_text(encoding="utf-8"))
    while isinstance(changed, dict):
        (changed,) = changed.values()
    assert [[row["id"] for row in dialogue] for dialogue in changed] == [[1, 2], [3], []]


def test_what_json_spells_in_its_own_way_stays_in_an_array(tmp_path: Path) -> None:
    numbers = '"n": 1.50, "e": 1e400, "big": 123456789012345678901234567890'
    row = f'{{{numbers}, "s": "\\ud800", "u": "a\u2028  b\u2029\x85", "text": "\x85кот\u2028"}}'
    (tmp_path / "a.json").write_text(f"[\n  {row.replace(', ', ',' + chr(10) + '    ')}\n]\n", encoding="utf-8")
    perturb(tmp_path / "a.json", tmp_path / "b.json", probability=1.0)
    perturb(tmp_path / "a.json", tmp_path / "b.jsonl", probability=1.0)
    wanted = row.replace("кот", "КОТ")
    assert (tmp_path / "b.json").read_text(encoding="utf-8") == f"[\n{wanted}\n]\n"
    assert (tmp_path / "b.jsonl").read_text(encoding="utf-8") == f"{wanted}\n"


# what changes


def shouted(text: str) -> str:
    """The text with every letter case turned, as `case` does at probability 1; a mention stays."""
    return " ".join(word if word.startswith("@") else word.swapcase() for word in text.split(" "))


@pytest.mark.parametrize("name", ["array.json", "mera.json", "raft.csv", "windows.csv", "table.tsv", "mark.jsonl"])
def test_only_what_changes_has_another_value(tmp_path: Path, name: str) -> None:
    source, target = tmp_path / name, tmp_path / f"out.{name}"
    source.write_bytes(FILES[name].encode())
    fields = ("Tweet text",) if name == "raft.csv" else ("text",)
    perturb(source, target, attacks=("case", "case"), probability=1.0, fields=fields)
    before, after = read(source), read(target)
    assert len(after) == 2 * len(before)
    for old, *new in zip(before, after[::2], after[1::2], strict=True):
        assert new[0] == new[1]
        assert new[0] == {**old, **{field: shouted(old[field]) for field in fields}}
    if name == "raft.csv":
        assert target.read_text(encoding="utf-8").split("\n")[:2] == [
            "Tweet text,Label,ID",
            "@shop MY ORDER,complaint,0",
        ]


def test_the_metadata_of_a_table_is_a_column_of_json(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(FILES["raft.csv"], encoding="utf-8")
    perturb(tmp_path / "in.csv", tmp_path / "out.csv", probability=1.0, meta="full")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    metadata = json.loads(rows[1]["augment"])
    assert metadata["source"] == {"Tweet text": 'Yes, "now"\nplease'}
    assert (metadata["status"], rows[1]["Label"], rows[1]["ID"]) == ("perturbed", "no complaint", "1")
    with pytest.raises(AugmentError, match=r"out\.csv: line 2: the row has a field 'augment' already"):
        perturb(tmp_path / "out.csv", tmp_path / "again.csv", meta="full")


@pytest.mark.parametrize("fields", [(), ("context", "question")])
def test_places_in_a_cell_of_a_table_are_refused(tmp_path: Path, fields: tuple[str, ...]) -> None:
    row = {"id": "1", "context": "Тверь стоит на Волге.", "question": "Где Тверь?"}
    places = {"text": ["на Волге"], "answer_start": [12]}
    (tmp_path / "in.jsonl").write_text(json.dumps({**row, "answers": places}), encoding="utf-8")
    perturb(tmp_path / "in.jsonl", tmp_path / "out.csv", probability=1.0, fields=fields)
    with pytest.raises(AugmentError, match=r"out\.csv: line 2: field 'answers' holds .*; give the rows as JSON lines"):
        perturb(tmp_path / "out.csv", tmp_path / "again.csv", fields=fields)


def test_a_file_of_one_column_is_written_with_its_compression(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["Кот спит"]}), tmp_path / "in.parquet", compression="gzip")
    perturb(tmp_path / "in.parquet", tmp_path / "out.parquet", probability=1.0, meta="none")
    found = pq.ParquetFile(tmp_path / "out.parquet")
    assert found.metadata.row_group(0).column(0).compression == "GZIP"
    assert found.read().to_pylist() == [{"text": "кОТ СПИТ"}]


def test_parquet_keeps_types_and_columns(tmp_path: Path) -> None:
    table = pa.table(
        {
            "id": pa.array([1, 2, 3], pa.int8()),
            "text": pa.array(["Кот спит", "Пёс лает", "Ёж бежит"], pa.large_string()),
            "score": pa.array([0.1, None, 3.0], pa.float32()),
            "when": pa.array([1, 2, 3], pa.timestamp("ns")),
            "kind": pa.array(["a", "b", "a"]).dictionary_encode(),
        }
    )
    pq.write_table(table, tmp_path / "in.parquet", compression="zstd", row_group_size=2)
    assert pq.read_schema(tmp_path / "in.parquet").field("kind").type.value_type == pa.string()
    perturb(
        tmp_path / "in.parquet", tmp_path / "out.parquet", attacks=("case", "eda_swap"), probability=1.0, meta="brief"
    )
    new = pq.read_table(tmp_path / "out.parquet")
    twice = table.take([0, 0, 1, 1, 2, 2])
    for name in ("id", "score", "when", "kind"):
        assert new.column(name).cast(table.schema.field(name).type).equals(twice.column(name))
    assert new.schema.field("text").type == pa.large_string()
    assert new.column("text").to_pylist()[:2] == ["кОТ СПИТ", "спит Кот"]
    assert json.loads(new.column("augment")[1].as_py())["attack"] == "eda_swap"
    perturb(tmp_path / "in.parquet", tmp_path / "kinds.parquet", probability=1.0, fields=("kind",))
    assert pq.read_table(tmp_path / "kinds.parquet").column("kind").to_pylist() == ["A", "B", "A"]
    assert pq.ParquetFile(tmp_path / "out.parquet").metadata.row_group(0).column(0).compression == "ZSTD"


ENDS = ["jsonl", "json", "csv", "tsv", "parquet"]


@pytest.mark.parametrize("one", ENDS)
@pytest.mark.parametrize("other", ENDS)
def test_any_format_turns_into_any_other(tmp_path: Path, one: str, other: str) -> None:
    rows = [{"id": "1", "text": 'Кот "Барсик", рыжий'}, {"id": "2", "text": "Пёс; чёрный"}]
    (tmp_path / "a.json").write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
    perturb(tmp_path / "a.json", tmp_path / f"b.{one}")
    perturb(tmp_path / f"b.{one}", tmp_path / f"c.{other}")
    assert read(tmp_path / f"b.{one}") == read(tmp_path / f"c.{other}") == rows
    start = (tmp_path / f"c.{other}").read_bytes()[:1]
    assert start == {"jsonl": b"{", "json": b"[", "csv": b"i", "tsv": b"i", "parquet": b"P"}[other]


@pytest.mark.parametrize("end", ["jsonl", "json", "csv", "parquet"])
def test_rows_do_not_depend_on_chunks(tmp_path: Path, end: str) -> None:
    rows = [{"id": str(number), "text": f"Кот номер {number} спит"} for number in range(CHUNK_ROWS + 40)]
    attacks = ("case", "eda_swap")
    outputs = []
    for name, part in (("all", rows), ("last", rows[-60:])):  # the last ones lie in two chunks, then in one
        plain = tmp_path / f"{name}.json"
        plain.write_text(json.dumps(part, ensure_ascii=False), encoding="utf-8")
        source, target = tmp_path / f"{name}.source.{end}", tmp_path / f"{name}.target.{end}"
        perturb(plain, source)
        perturb(source, target, probability=0.5, attacks=attacks)
        outputs.append(read(target))
    whole, last = outputs
    assert len(whole) == len(attacks) * len(rows)
    assert whole[-len(last) :] == last
    assert any(row["text"] != old["text"] for row, old in zip(last[::2], rows[-60:], strict=True))


# what cannot be read


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.json", b"[1, 2", "a.json: line 1: not JSON: Expecting ',' delimiter"),
        ("a.json", b'[{"text": "a"}] x', "a.json: line 1: not JSON: Extra data"),
        ("a.json", b"[1]", "a.json: row 1: a number or a truth value, not an object"),
        ("a.json", b'[{"text": "a", "text": "b"}]', "row 1: not JSON that can be read: the key 'text' stands twice"),
        (
            "a.json",
            b'{"data": [], "data": [{"text": "a"}]}',
            "a.json: not JSON that can be read: the key 'data' stands",
        ),
        ("a.json", b'[{"text": NaN}]', "row 1: not JSON that can be read: NaN is no JSON number"),
        ("a.json", b'["\xff"]', "a.json: not UTF-8 at byte 2"),
        ("a.json", b"[" * 100_000, "nested too deeply"),
        ("a.json", b'{"id": 1}', "a.json: line 1: no field 'text'"),
        ("a.csv", b"id,id\n", "a.csv: the line of names: 'id' stands twice"),
        (
            "a.csv",
            b"id,text\n1,2,3\n",
            "a.csv: line 2: cells: 3, names: 2; put a cell that holds a comma in quotation marks",
        ),
        (
            "a.csv",
            b"id,text\n1\n",
            "a.csv: line 2: cells: 1, names: 2; cells are parted by a comma; an empty cell needs it",
        ),
        (
            "a.csv",
            b"id,text,,\n1,a,,\n",
            "a.csv: the line of names: two columns have no name; name them, or delete them",
        ),
        ("a.csv", b"id,text\r1,a\r", "a.csv: the line of names: a lone carriage return; save the file with"),
        ("a.csv", b'id,text\n1,"a\nb\n', "a.csv: line 2: a quotation mark is not closed; inside a cell"),
        ("a.csv", b'id,text\n1,"a"b\n', "a.csv: line 2: a quotation mark is closed before the cell"),
        ("a.csv", b"id,text\n\n\n1,\xff\n", "a.csv: line 4: not UTF-8 at byte 2"),
        ("a.csv", b"\xff,text\n", "a.csv: the line of names: not UTF-8 at byte 0"),
        ("a.csv", "id,text\n".encode("utf-16"), "save the file as UTF-8, or give `encoding` utf-16"),
        (
            "a.csv",
            b"sep=;\nid;text\n",
            "a.csv: the line of names: 'sep=;' is a note for a spreadsheet program; delete this",
        ),
        ("a.parquet", b"PAR1", "a.parquet: not Parquet: "),
    ],
)
def test_what_is_no_row_is_refused_in_one_line(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(AugmentError) as caught:
        perturb(tmp_path / name, tmp_path / "out.jsonl")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out.jsonl").exists()


def test_a_russian_constraint_on_an_english_task_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(FILES["raft.csv"], encoding="utf-8")
    preparation = Preparation(("referents",))
    with pytest.raises(AugmentError, match="'referents' reads Russian"):
        perturb(tmp_path / "in.csv", tmp_path / "a.csv", preparation=preparation, task="raft_twitter_complaints")
    with pytest.raises(AugmentError, match="'referents' reads Russian"):
        perturb(tmp_path / "in.csv", tmp_path / "b.csv", preparation=preparation)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_rows_that_cannot_be_used_leave_a_whole_file(tmp_path: Path) -> None:
    rows = ['{"text": 1}', '{"text": "кот"}', "7", '{"text": "пёс"}', '{"text": null}']
    (tmp_path / "a.json").write_text(f"[ {', '.join(rows)} ]", encoding="utf-8")
    assert perturb(tmp_path / "a.json", tmp_path / "b.json", skip=True) == 1
    assert (tmp_path / "b.json").read_text(encoding="utf-8") == '[\n{"text": "кот"},\n{"text": "пёс"}\n]'
    rejects = [json.loads(line) for line in (tmp_path / "b.rejects.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [reject["line"] for reject in rejects] == [1, 3, 5]
    (tmp_path / "a.csv").write_text('id,text\n1\n2,"к,т"\n3,"x"y\n4,пёс\n5,"x\n', encoding="utf-8")
    assert perturb(tmp_path / "a.csv", tmp_path / "b.csv", skip=True) == 1
    assert (tmp_path / "b.csv").read_text(encoding="utf-8") == 'id,text\n2,"к,т"\n4,пёс\n'
    rejects = [json.loads(line) for line in (tmp_path / "b.rejects.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(reject["line"], reject["raw"]) for reject in rejects] == [(2, "1"), (4, '3,"x"y'), (6, '5,"x')]


def test_rows_of_other_fields_have_no_place_in_a_table(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "кот"}\n{"text": "пёс", "id": 1}\n', encoding="utf-8")
    with pytest.raises(AugmentError, match="a row has the fields text, id; the table has the columns text;"):
        perturb(tmp_path / "a.jsonl", tmp_path / "b.csv")
    perturb(tmp_path / "a.jsonl", tmp_path / "b.parquet")
    assert read(tmp_path / "b.parquet") == [{"text": "кот", "id": None}, {"text": "пёс", "id": 1}]


def test_the_end_of_a_name_tells_the_format() -> None:
    assert [kind_of(name) for name in ("a.JSON", "b.csv", "c.tsv", "d.parquet")] == ["JSON", "CSV", "TSV", "Parquet"]
    assert {kind_of(name) for name in ("a.jsonl", "a.ndjson", "a", "-", None)} == {"JSON lines"}
    found: list[RowSource] = [source_of("JSON", io.BytesIO(data)) for data in (b"[]", b'{"text": "a"}', b"")]
    assert [type(source) for source in found] == [JsonArray, JsonLines, JsonLines]


# what a format cannot hold

_TYPED = ("csv", "tsv", "parquet")
JSON_ROWS: dict[str, tuple[str, dict[str, str]]] = {
    "beyond": ('{"text": "кот", "n": {"a": [1e400]}}', dict.fromkeys(_TYPED, "'n.a[0]': a number beyond")),
    "near 0": ('{"text": "кот", "n": {"a": [0e-999, -1e-999]}}', dict.fromkeys(_TYPED, "'n.a[1]': a number")),
    "zeros": (f'{{"text": "кот", "n": 0.{"0" * 400}1}}', dict.fromkeys(_TYPED, "'n': a number that is nearer to 0")),
    "small": ('{"text": "кот", "n": [0e-999, 5e-324, 0.0E-400]}', {}),
    "surrogate": (r'{"text": "кот", "s": "\ud800"}', dict.fromkeys(_TYPED, "'s': a text with a lone")),
    "key": (r'{"text": "кот", "\ud800": 1}', dict.fromkeys(_TYPED, r"'\ud800': a text with a lone")),
    "long": ('{"text": "кот", "n": 18446744073709551616}', {"parquet": "'n': an integer over 64 bits"}),
    "empty": ('{"text": "кот", "o": {}}', {"parquet": "'o': an empty object"}),
    "deep": (f'{{"text": "кот", "o": {"[" * 500}{"]" * 500}}}', {"parquet": "'o': nested too deeply"}),
    "feed": (r'{"text": "кот", "s": "a\nb"}', {"tsv": "'s': a cell of TSV is one line"}),
    "mixed": ('{"text": "кот", "a": "x"}', {"parquet": "'a': a text, but an integer in a row before it"}),
    "fields": ('{"text": "кот", "x": 1}', dict.fromkeys(("csv", "tsv"), "a row has the fields text, x;")),
}  # fmt: skip


@pytest.mark.parametrize("end", ["jsonl", "json", "csv", "tsv", "parquet"])
@pytest.mark.parametrize("name", JSON_ROWS)
def test_a_row_that_a_format_cannot_hold_is_named_or_skipped(tmp_path: Path, name: str, end: str) -> None:
    row, problems = JSON_ROWS[name]
    first = '{"text": "ёж", "a": 1}' if name == "mixed" else row.replace(row[row.index(":") + 2 :], '"ёж"}')
    if name not in {"mixed", "fields"} and end in {"csv", "tsv"}:
        first = json.dumps({key: "ёж" if key == "text" else "1" for key in json.loads(row)})
    source, target = tmp_path / "in.jsonl", tmp_path / f"out.{end}"
    source.write_text("".join(f"{line}\n" for line in (first, row, first)), encoding="utf-8")
    if name == "key" and end in {"csv", "tsv"}:
        return  # the line of names cannot be written then, and the first row is the problem
    if end not in problems:
        assert perturb(source, target) == 0
        assert len(read(target)) == 3
        return
    with pytest.raises(AugmentError, match=rf"in\.jsonl: line 2: .*{re.escape(problems[end])}"):
        perturb(source, target)
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]
    assert perturb(source, target, skip=True) == 1
    assert [one["text"] for one in read(target)] == ["ёж", "ёж"]
    (reject,) = [json.loads(line) for line in (tmp_path / "out.rejects.jsonl").read_text("utf-8").splitlines()]
    assert (reject["line"], problems[end] in reject["reason"]) == (2, True)


@pytest.mark.parametrize(
    ("one", "other", "problem"),
    [
        ({"b": 1}, {"b": "x"}, "'a.b': a text, but an integer in a row before it"),
        ({"b": {"c": [1]}}, {"b": {"c": [True]}}, "'a.b.c[0]': a truth value, but an integer in a row before it"),
        ([1], ["x"], "'a[0]': a text, but an integer in a row before it"),
        ({"b": 1}, [1], "'a': a list, but an object in a row before it"),
        ([1], {"b": 1}, "'a': an object, but a list in a row before it"),
    ],
)
def test_a_column_of_parquet_has_one_type_inside_too(tmp_path: Path, one: object, other: object, problem: str) -> None:
    source = tmp_path / "in.jsonl"
    lines = [json.dumps({"text": "кот", "a": value}, ensure_ascii=False) for value in (one, other)]
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(AugmentError, match=rf"in\.jsonl: line 2: .*{re.escape(problem)}"):
        perturb(source, tmp_path / "out.parquet")


@pytest.mark.parametrize("end", ["jsonl", "csv"])
def test_a_map_that_only_parquet_holds_is_named(tmp_path: Path, end: str) -> None:
    values = pa.array([[("k", b"a")]], pa.map_(pa.string(), pa.binary()))
    pq.write_table(pa.table({"text": ["кот"], "v": values}), tmp_path / "in.parquet")
    with pytest.raises(AugmentError, match=r"in\.parquet: row 1: field 'v\[0\]\[1\]': .*'bytes'.*; write Parquet"):
        perturb(tmp_path / "in.parquet", tmp_path / f"out.{end}")


PARQUET_VALUES = [
    Decimal("1.50"), b"a\xff", timedelta(seconds=5), date(2020, 1, 1), datetime(2020, 1, 1, tzinfo=UTC), float("nan"),
    float("inf"), {"a": [Decimal(1)]},
]  # fmt: skip


@pytest.mark.parametrize("end", ["jsonl", "json", "csv", "tsv"])
@pytest.mark.parametrize("value", PARQUET_VALUES, ids=lambda value: type(value).__name__)
def test_what_only_parquet_holds_is_named(tmp_path: Path, value: object, end: str) -> None:
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({"text": ["кот", "пёс"], "v": [None, value]}), source)
    with pytest.raises(AugmentError, match=r"in\.parquet: row 2: field 'v.*': .*; write Parquet"):
        perturb(source, tmp_path / f"out.{end}")
    perturb(source, tmp_path / "out.parquet")
    assert str(read(tmp_path / "out.parquet")) == str(read(source))
    assert perturb(source, tmp_path / f"out.{end}", skip=True) == 1
    assert [row["text"] for row in read(tmp_path / f"out.{end}")] == ["кот"]


@pytest.mark.parametrize("inner", [False, True])
def test_two_columns_of_one_name_are_refused(tmp_path: Path, inner: bool) -> None:  # noqa: FBT001
    twins = pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    table = (
        pa.table({"text": ["кот"], "v": twins}) if inner else pa.table([["кот"], [1], [2]], names=["text", "a", "a"])
    )
    pq.write_table(table, tmp_path / "in.parquet")
    for end in ("jsonl", "parquet"):
        with pytest.raises(AugmentError, match=r"in\.parquet: 'a' stands twice; rename one column"):
            perturb(tmp_path / "in.parquet", tmp_path / f"out.{end}")


def test_a_date_that_python_has_not_is_one_line(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["кот"], "v": pa.array([4_000_000], type=pa.date32())}), tmp_path / "in.parquet")
    with pytest.raises(AugmentError, match=r"in\.parquet: after row 0: cannot be read: "):
        perturb(tmp_path / "in.parquet", tmp_path / "out.parquet")


def test_parquet_is_written_by_groups_of_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sinks, "_GROUP_ROWS", 600)
    rows: list[dict[str, Any]] = [{"text": f"кот {n}", "n": n, "o": {"a": [n]}} for n in range(1500)]
    rows[1200] |= {"n": 0.5, "o": {"b": "x"}, "late": True}  # columns and types that the first groups did not have
    (tmp_path / "in.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    perturb(tmp_path / "in.jsonl", tmp_path / "a.parquet")
    perturb(tmp_path / "a.parquet", tmp_path / "b.parquet")
    for name in ("a.parquet", "b.parquet"):
        file = pq.ParquetFile(tmp_path / name)
        assert [file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)] == [600, 600, 300]
        found = file.read().to_pylist()
        assert [row["text"] for row in found] == [row["text"] for row in rows]
        assert [row["n"] for row in found] == [row["n"] for row in rows]
        assert (found[0]["o"], found[1200]["o"]) == ({"a": [0], "b": None}, {"a": None, "b": "x"})
        assert [row["late"] for row in found if row["late"] is not None] == [True]


NESTED = st.fixed_dictionaries({
    "text": st.text("аяz", max_size=20), "n": st.integers(0, 9), "maybe": st.none() | st.text("ю", max_size=9),
    "o": st.fixed_dictionaries({"a": st.text("ш", max_size=5), "b": st.booleans()}),
    "few": st.lists(st.text("щ", max_size=4), max_size=3), "pairs": st.lists(st.lists(st.integers(0, 9)), max_size=2),
})  # fmt: skip
SCHEMA = pa.schema({
    "text": pa.string(), "n": pa.int64(), "maybe": pa.large_string(), "few": pa.list_(pa.string()),
    "o": pa.struct({"a": pa.string(), "b": pa.bool_()}), "pairs": pa.large_list(pa.list_(pa.int64())),
})  # fmt: skip


def bytes_of(value: object) -> int:
    """How much a value counts for the size of a group: a text its bytes, anything else 8, and what it holds."""
    if isinstance(value, dict):
        return sum(map(bytes_of, value.values()))
    if isinstance(value, list):
        return 8 + sum(map(bytes_of, value))
    return 0 if value is None else len(value.encode()) if isinstance(value, str) else 8


@given(st.lists(NESTED, min_size=1, max_size=20), st.integers(1, 7))
def test_a_group_of_rows_ends_with_the_row_that_fills_it(rows: list[dict[str, Any]], chunk: int) -> None:
    """However the rows are divided into tables: memory is bounded, and the bytes are the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sinks, "_GROUP_BYTES", 200)
        patch.setattr(sinks, "_GROUP_ROWS", 5)
        stream = io.BytesIO()
        groups = sinks._Groups(arrow_module(), stream, "none")  # noqa: SLF001
        for at in range(0, len(rows), chunk):
            groups.add(pa.Table.from_pylist(rows[at : at + chunk], SCHEMA))
        groups.finish(SCHEMA)
    wanted, filled = [0], 0
    for row in rows:
        if filled >= 200 or wanted[-1] == 5:
            wanted, filled = [*wanted, 0], 0
        wanted[-1] += 1
        filled += bytes_of(row)
    file = pq.ParquetFile(stream)
    assert [file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)] == wanted
    assert file.read().to_pylist() == rows


def test_what_was_written_is_named_until_it_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with replacing(path) as stream:
        stream.write(b"{}")
        assert path not in written_files()
    assert path in written_files()
    other = tmp_path / "other"
    other.write_bytes(b"[]")
    other.replace(path)
    assert path not in written_files()
    path.unlink()
    assert path not in written_files()


def test_a_table_with_tabs_stays_one(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("id\ttext\n1\tкот, пёс\n", encoding="utf-8")
    perturb(tmp_path / "in.csv", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "in.csv").read_bytes()


# files


@pytest.mark.parametrize("value", ["{}", "bert:{}", "a=b:{}@3", "{},other", "x,{}#m"])
def test_what_an_option_names_is_not_written(tmp_path: Path, value: str) -> None:
    inside = tmp_path / "model" / "weights.bin"
    inside.parent.mkdir()
    inside.touch()
    check_outputs([("-o", str(tmp_path / "model" / "new.json"))], named_files([value.format(inside.parent)]))
    for named in (inside, inside.parent):
        with pytest.raises(AugmentError, match="is read by this run"):
            check_outputs([("-o", str(inside))], named_files([value.format(named)]))


def test_words_that_name_no_file_are_passed_over() -> None:
    assert named_files(["", ":", "\0", "я" * 5000, "0.5", "a" + ":b" * 5000]) == []


def test_a_file_that_another_run_writes_is_not_swept(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with replacing(target) as first:
        first.write(b"first")
        with replacing(target) as second:
            second.write(b"second")
            names = [path.name for path in tmp_path.iterdir()]
            assert len(names) == 2
            assert all(re.fullmatch(r"\.out\.[0-9a-f]{16}\.part", name) for name in names)
        assert target.read_bytes() == b"second"
    assert target.read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_link_of_the_temporary_files_name_leads_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda _: "0" * 16)
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / f".out.{'0' * 16}.part").symlink_to(tmp_path / "mine")
    with pytest.raises(AugmentError, match="cannot be written: File exists"), replacing(tmp_path / "out"):
        raise AssertionError("the link was followed")
    assert (tmp_path / "mine").read_bytes() == b"mine"


def test_a_parquet_file_with_a_name_that_is_not_utf_8_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({"text": ["Кошка"], "jjjj": [1]}), path)
    path.write_bytes(path.read_bytes().replace(b"jjjj", b"j\xcejj"))
    with path.open("rb") as stream, pytest.raises(AugmentError, match=r"^not Parquet: 'utf-8' codec can't decode"):
        source_of("Parquet", stream)
