"""Files of every format: what does not change keeps its bytes; what cannot be read is said in one line."""

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import Augmenter, AugmentError, Perturber, Preparation, Record
from augment_ru.engine.prepare import CHUNK_ROWS
from augment_ru.engine.result import original
from augment_ru.formats.delimited import Dialect
from augment_ru.formats.json_array import JsonArray
from augment_ru.formats.json_lines import JsonLines
from augment_ru.formats.sinks import sink_of
from augment_ru.formats.sources import Source, kind_of, source_of
from augment_ru.jobs.perturb import Job, run
from augment_ru.records.task import generic
from layouts import EXAMPLES, ROWS
from strategies import ATTACKS, texts

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
    made = Job(**job)
    made.check()
    return run(made)


def read(path: Path) -> list[dict[str, Any]]:
    """The values of the rows of a file."""
    with path.open("rb") as stream:
        source = source_of(kind_of(str(path)), stream)
        return [source.parsed(line)[1] for line in source]


# bytes

FILES = {
    "lines.jsonl": '{"id": 1.50, "text": "ко\\u0442 спит"}\n{"id":2,"text":"пёс \\/ кот", "n": 1e5}\n',
    "unended.jsonl": '{"id": 1, "text": "кот"}\n{"id": 2, "text": "пёс"}',
    "windows.jsonl": '{"id": 1, "text": "кот"}\r\n{"id": 2, "text": "пёс"}\r\n',
    "mark.jsonl": '\ufeff{"id": 1, "text": "кот"}\n{"id": 2, "text": "пёс"}\n',
    "lines.json": '{"id": 1, "text": "кот"}\n{"id": 2, "text": "пёс"}\n',
    "one.json": '{"id": 1, "text": "кот"}\n',
    "array.json": '[\n  {\n    "id": 1.0,\n    "text": "к\\u043eт"\n  },\n  {"id": 2, "text": "пёс"}\n]\n',
    "tight.json": '[{"id":1,"text":"кот"},{"id":2,"text":"пёс"}]',
    "empty.json": "[ ]\n",
    "none.json": '{"data": {"train": []}}\n',
    "mera.json": '\ufeff{"v": 1, "data": {"a": [], "b": [ {"text": "кот"} ],\n "c":[{"text":"пёс"},{"text":"ёж"} ]}}',
    "wrapped.json": '{ "data" : [{"text": "кот"}] }',
    "raft.csv": 'Tweet text,Label,ID\n@shop my order,complaint,0\n"Yes, ""now""\nplease",no complaint,1\n"plain",x,2\n',
    "windows.csv": '\ufeffid;text\r\n1;Кот, который спит\r\n2;Пёс 5" длиной\r\n3;',
    "quoted.csv": '"id","text"\n"1","Кот ""Барсик"""\n"2",""\n',
    "table.tsv": 'id\ttext\n1\t"Кот" спит\n2\t"Пёс\n3\t"Ёж ""колючий"""\n\t\n',
    "names.csv": "id,text\n",
    "names.tsv": "id\ttext",
    "nothing.csv": "",
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_nothing_changes_keeps_its_bytes(tmp_path: Path, name: str) -> None:
    source, target = tmp_path / name, tmp_path / f"out.{name}"
    source.write_bytes(FILES[name].encode())
    assert perturb(source, target) == 0
    assert target.read_bytes() == FILES[name].encode()


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="needs the benchmarks' sample files")
@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.glob("*.jsonl")) if SAMPLES.is_dir() else [])
def test_samples_of_the_benchmarks_keep_their_bytes(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    assert perturb(SAMPLES / name, target) == 0
    assert target.read_bytes() == (SAMPLES / name).read_bytes()


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_every_layout_keeps_its_bytes_in_every_format(tmp_path: Path, name: str, number: int) -> None:
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
        writer = csv.DictWriter(table, row)
        writer.writeheader()
        writer.writerows([row, row])
        written["e.csv"] = table.getvalue().encode()
    for file, data in written.items():
        (tmp_path / file).write_bytes(data)
        assert perturb(tmp_path / file, tmp_path / f"out.{file}", task=name) == 0
        assert (tmp_path / f"out.{file}").read_bytes() == data
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "f.parquet")
    assert perturb(tmp_path / "f.parquet", tmp_path / "out.parquet", task=name) == 0
    assert pq.read_table(tmp_path / "out.parquet").equals(pq.read_table(tmp_path / "f.parquet"))


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), texts(), texts()), max_size=4),
    st.sampled_from([",", "\t"]),
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
    table = io.StringIO()
    writer = csv.writer(table, delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writerows([("id", "text", "other"), *rows])
    data = table.getvalue().encode()
    source = source_of("TSV" if delimiter == "\t" else "CSV", io.BytesIO(data))
    records = [Record(values, generic(), None, origin) for _, values, origin in map(source.parsed, source)]
    assert [tuple(record.values.values()) for record in records] == [(str(number), *others) for number, *others in rows]
    out = io.BytesIO()
    sink = sink_of("TSV" if delimiter == "\t" else "CSV", out, source, "none")
    sink.write([original(record, 1) for record in records])
    sink.finish()
    assert out.getvalue() == data


@given(st.lists(texts(), min_size=1, max_size=4), st.sampled_from([",", "\t", ";"]))
def test_a_cell_is_read_as_it_was_written(cells: list[str], delimiter: str) -> None:
    dialect = Dialect(delimiter)
    if dialect.is_tsv:
        cells = [" ".join(cell.split()) for cell in cells]
    line = dialect.row([dialect.written(cell) for cell in cells])
    assert [cell.text for cell in dialect.cells(line)] == cells
    assert not dialect.leaves_open(line)
    (row,) = csv.reader(io.StringIO(line, newline=""), delimiter=delimiter)
    assert row == cells


_SPACE = st.text(" \n\t\r", max_size=3)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_arrays_stay_whole_whatever_rows_are_written(data: st.DataObject) -> None:
    arrays = data.draw(st.lists(st.lists(texts(), max_size=3), min_size=1, max_size=3))
    space = [data.draw(_SPACE) for _ in range(6)]

    def spelt(rows: list[str]) -> str:
        spelt_rows = [json.dumps({"text": text}, ensure_ascii=len(text) % 2 == 0) for text in rows]
        return f"[{space[0]}" + f"{space[1]},{space[2]}".join(spelt_rows) + f"{space[3]}]"

    whole = spelt(arrays[0])
    if len(arrays) > 1:
        members = f"{space[4]},".join(f'"{number}"{space[5]}:{spelt(rows)}' for number, rows in enumerate(arrays))
        whole = f'{{"v": [1], "data": {{{members}}}, "w": 1.50}}{space[0]}'
    source = source_of("JSON", io.BytesIO(whole.encode()))
    records = [Record(values, generic(), text, origin) for text, values, origin in map(source.parsed, source)]
    copies = data.draw(st.lists(st.integers(0, 2), min_size=len(records), max_size=len(records)))

    def written(copies: list[int]) -> str:
        out = io.BytesIO()
        sink = sink_of("JSON", out, source, "none")
        for record, number in zip(records, copies, strict=True):
            sink.write([original(record, 1)] * number)
        sink.finish()
        return out.getvalue().decode()

    assert written([1] * len(records)) == whole
    left = iter(copies)
    wanted = [[{"text": text} for text in rows for _ in range(next(left))] for rows in arrays]
    found = json.loads(written(copies))
    assert (list(found["data"].values()) if len(arrays) > 1 else [found]) == wanted


# what changes


def shouted(text: str) -> str:
    """The text with every letter case turned, as `case` does at probability 1; a mention stays."""
    return " ".join(word if word.startswith("@") else word.swapcase() for word in text.split(" "))


@pytest.mark.parametrize("name", ["array.json", "mera.json", "raft.csv", "windows.csv", "table.tsv", "mark.jsonl"])
def test_only_what_changes_is_written_anew(tmp_path: Path, name: str) -> None:
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
        ("a.csv", b"id,text\r1,a\r", "a.csv: the line of names: its end is a lone carriage return; save the file with"),
        ("a.csv", b'id,text\n1,"a\nb\n', "a.csv: line 2: cell 2: its quotation mark is not closed"),
        ("a.csv", b'id,text\n1,"a"b\n', "a.csv: line 2: cell 2: its quotation mark is closed before the cell ends"),
        ("a.csv", b"id,text\n\n\n1,\xff\n", "a.csv: line 4: not UTF-8 at byte 2"),
        ("a.csv", b"\xff,text\n", "a.csv: the line of names: not UTF-8 at byte 0"),
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
    options = {"similarity": "none", "constraints": ("referents",)}
    with pytest.raises(AugmentError, match="'referents' reads Russian"):
        perturb(tmp_path / "in.csv", tmp_path / "a.csv", settings=options, task="raft_twitter_complaints")
    with pytest.raises(AugmentError, match="'referents' reads Russian"):
        perturb(tmp_path / "in.csv", tmp_path / "b.csv", settings=options)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_rows_that_cannot_be_used_leave_a_whole_file(tmp_path: Path) -> None:
    rows = ['{"text": 1}', '{"text": "кот"}', "7", '{"text": "пёс"}', '{"text": null}']
    (tmp_path / "a.json").write_text(f"[ {', '.join(rows)} ]", encoding="utf-8")
    assert perturb(tmp_path / "a.json", tmp_path / "b.json", skip=True) == 1
    assert (tmp_path / "b.json").read_text(encoding="utf-8") == '[ {"text": "кот"}, {"text": "пёс"} ]'
    rejects = [json.loads(line) for line in (tmp_path / "b.rejects.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [reject["line"] for reject in rejects] == [1, 3, 5]
    (tmp_path / "a.csv").write_text('id,text\n1\n2,"к,т"\n3,"x\n', encoding="utf-8")
    assert perturb(tmp_path / "a.csv", tmp_path / "b.csv", skip=True) == 1
    assert (tmp_path / "b.csv").read_text(encoding="utf-8") == 'id,text\n2,"к,т"\n'


def test_rows_of_other_fields_have_no_place_in_a_table(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "кот"}\n{"text": "пёс", "id": 1}\n', encoding="utf-8")
    with pytest.raises(AugmentError, match="a row has the fields text, id; the table has the columns text;"):
        perturb(tmp_path / "a.jsonl", tmp_path / "b.csv")
    perturb(tmp_path / "a.jsonl", tmp_path / "b.parquet")
    assert read(tmp_path / "b.parquet") == [{"text": "кот", "id": None}, {"text": "пёс", "id": 1}]


def test_the_end_of_a_name_tells_the_format() -> None:
    assert [kind_of(name) for name in ("a.JSON", "b.csv", "c.tsv", "d.parquet")] == ["JSON", "CSV", "TSV", "Parquet"]
    assert {kind_of(name) for name in ("a.jsonl", "a.ndjson", "a", "-", None)} == {"JSON lines"}
    found: list[Source] = [source_of("JSON", io.BytesIO(data)) for data in (b"[]", b'{"text": "a"}', b"")]
    assert [type(source) for source in found] == [JsonArray, JsonLines, JsonLines]


# datasets

DATA = [{"id": number, "text": f"Кот номер {number} спит на окне.", "label": number % 2} for number in range(60)]


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a dataset with its metadata as an object."""
    return {**row, "augment": json.loads(row["augment"])}


@pytest.mark.parametrize("attack", ATTACKS[:3])
def test_a_dataset_becomes_what_records_makes_of_its_rows(attack: str) -> None:
    augmenter = Augmenter(attack, constraints=(), similarity="none", probability=0.5)
    wanted = [json.loads(json.dumps(result.row())) for result in augmenter.records(DATA)]
    features = datasets.Features(
        {
            "id": datasets.Value("int16"),
            "text": datasets.Value("string"),
            "label": datasets.ClassLabel(names=["a", "b"]),
        }
    )
    whole = datasets.Dataset.from_list(DATA, features=features)
    for made in (
        augmenter.map_dataset(whole),
        augmenter.map_dataset(whole, batch_size=7, field="text"),
        augmenter.map_dataset(whole.to_iterable_dataset(), batch_size=7),
    ):
        assert [plain(row) for row in made] == wanted
        assert made.features == {**features, "augment": datasets.Value("string")}
    split = augmenter.map_dataset(datasets.DatasetDict({"train": whole, "test": whole.select([3])}), meta="none")
    assert split["test"].to_list() == [{key: wanted[3][key] for key in DATA[3]}]
    assert whole.to_list() == DATA


def test_a_dataset_without_rows_gets_the_columns_of_one_with_rows() -> None:
    augmenter = Augmenter("eda_swap", constraints=(), similarity="none")
    none = datasets.Dataset.from_list(DATA).select([])
    for meta in ("full", "none"):
        full = augmenter.map_dataset(datasets.Dataset.from_list(DATA), meta=meta)
        assert augmenter.map_dataset(none, meta=meta).features == full.features


def test_a_dataset_may_be_mapped_by_several_processes() -> None:
    augmenter = Augmenter("eda_swap", constraints=(), similarity="none")
    wanted = [result.row("none") for result in augmenter.records(DATA)]
    assert augmenter.map_dataset(datasets.Dataset.from_list(DATA), meta="none", num_proc=2).to_list() == wanted


def test_a_dataset_with_places_and_paths() -> None:
    rows = ROWS["multiq"] * 3
    augmenter = Augmenter("eda_delete", constraints=(), similarity="none", probability=1.0)
    made = augmenter.map_dataset(datasets.Dataset.from_list(rows), meta="none")
    assert made.to_list() == [result.row("none") for result in augmenter.records(rows)]
    row = ROWS["mera_parus"][0]
    (new,) = augmenter.map_dataset(datasets.Dataset.from_list([row]), field=["inputs.premise"], meta="none")
    assert new["inputs"]["premise"] != row["inputs"]["premise"]
    assert new["inputs"]["choice1"] == row["inputs"]["choice1"]


def test_what_is_no_dataset_is_refused() -> None:
    augmenter = Augmenter("case", constraints=(), similarity="none")
    with pytest.raises(AugmentError, match="list is not a dataset"):
        augmenter.map_dataset([{"text": "Кот"}])
    with pytest.raises(AugmentError, match="a streamed dataset cannot use several processes"):
        augmenter.map_dataset(datasets.Dataset.from_list(DATA).to_iterable_dataset(), num_proc=2)
    with pytest.raises(AugmentError, match="has a column 'augment' already"):
        augmenter.map_dataset(datasets.Dataset.from_list([{"text": "Кот", "augment": "x"}]))
