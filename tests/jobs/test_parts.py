"""A run in parts writes the bytes of a run in one go: any format, size of parts, number of workers, order of ends."""

import json
import tempfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import AugmentError, Perturber, Preparation
from augment_ru.jobs.parts import workers_advice
from augment_ru.jobs.perturb import run
from augment_ru.jobs.rows import RowsJob, RunSplit
from engines import ShuffledSplit
from profiles import examples

VALUES: st.SearchStrategy[object] = (
    st.none() | st.booleans() | st.integers(-5, 5) | st.just(2**60) | st.just(0.5) | st.sampled_from(["", "пёс, кот"])
)
TEXTS = st.sampled_from(["Кошка спит на окне.", "Маша купила билет в Казань.", "да", "Тихо, тепло;\tсухо"])
ROWS = st.lists(
    st.builds(
        lambda text, more, late: {"text": text, **more, **({"late": {"b": late}} if late is not None else {})},
        TEXTS,
        st.fixed_dictionaries({"n": VALUES}),
        st.none() | st.integers(0, 3),
    ),
    max_size=12,
)
LIKE_TABLES = st.lists(st.fixed_dictionaries({"id": st.integers(0, 99), "text": TEXTS}), max_size=12)
BAD_LINES = st.sampled_from(["", " ", "{", '{"text": 1}', '{"other": "кот"}', "[1]"])
BAD = st.lists(st.tuples(st.integers(0, 12), BAD_LINES), max_size=3)
OUT = [".jsonl", ".json", ".csv", ".tsv", ".txt", ".parquet", ".jsonl.gz", ".csv.zst"]


def lines_of(rows: list[dict[str, Any]], bad: list[tuple[int, str]]) -> bytes:
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    for at, line in bad:
        lines.insert(at, line)
    return "\n".join(lines).encode()


def content(kind: str, rows: list[dict[str, Any]], bad: list[tuple[int, str]]) -> bytes:
    """The rows as a file of this kind, with bad ones among them where the kind can hold them."""
    if kind == ".jsonl":
        return lines_of(rows, bad)
    if kind == ".txt":
        return "\n".join(row["text"] for row in rows).encode()
    if kind == ".json":
        half = len(rows) // 2
        return json.dumps({"data": {"a": rows[:half], "none": [], "b": rows[half:]}}, ensure_ascii=False).encode()
    if kind == ".parquet":
        stream = BytesIO()
        pq.write_table(pa.Table.from_pylist(rows, pa.schema({"id": pa.int64(), "text": pa.string()})), stream)
        return stream.getvalue()
    end = "\t" if kind == ".tsv" else ";"
    cells = [f"{row['id']}{end}{row['text'].replace(';', ',').replace(chr(9), ' ')}" for row in rows]
    for at, line in bad:
        cells.insert(at, line)
    return "\r\n".join([f"id{end}text", *cells]).encode()


def outcome(folder: Path, job: RowsJob) -> tuple[object, dict[str, bytes]]:
    """The exit code of a run or its error, and the files that it wrote, without leftovers."""
    for path in folder.iterdir():
        if path.name.startswith(("out", ".out", "report")):
            path.unlink()
    try:
        code: object = run(job)
    except AugmentError as error:
        code = str(error)
    return code, {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith("in.")}


def same(job: RowsJob, split: RunSplit) -> None:
    folder = Path(job.source).parent
    assert outcome(folder, replace(job, split=split)) == outcome(folder, job)


OPTIONS = st.fixed_dictionaries(
    {
        "skip": st.booleans(),
        "limit": st.none() | st.integers(0, 9),
        "with_original": st.booleans(),
        "meta": st.sampled_from(["full", "none"]),
        "copies": st.integers(1, 2),
        "csv_safe": st.booleans(),
    }
)
SPLITS = st.builds(ShuffledSplit, workers=st.integers(1, 3), part_bytes=st.integers(1, 400), seed=st.integers())


def job_of(folder: Path, kind: str, end: str, data: bytes, options: dict[str, Any]) -> RowsJob:
    source = folder / f"in{kind}"
    source.write_bytes(data)
    attacks = [Perturber(name, similarity="none", probability=0.5) for name in ("case", "butterfingers")]
    names: dict[str, Any] = {"report": str(folder / "report.json"), "task": "generic", "quiet": True}
    return RowsJob(str(source), str(folder / f"out{end}"), attacks, Preparation(()), fields=(), **names, **options)


@pytest.mark.parametrize("end", OUT)
@given(rows=ROWS, bad=BAD, options=OPTIONS, split=SPLITS)
@settings(max_examples=examples(25))
def test_json_lines_to_any_format(
    end: str, rows: list[dict[str, Any]], bad: list[tuple[int, str]], options: dict[str, Any], split: RunSplit
) -> None:
    with tempfile.TemporaryDirectory() as name:
        same(job_of(Path(name), ".jsonl", end, lines_of(rows, bad), options), split)


@pytest.mark.parametrize("kind", [".txt", ".json", ".csv", ".tsv", ".parquet"])
@given(end=st.none() | st.sampled_from(OUT), file=st.tuples(LIKE_TABLES, BAD), options=OPTIONS, split=SPLITS)
@settings(max_examples=examples(40))
def test_any_format_to_any(kind: str, end: str | None, file: Any, options: dict[str, Any], split: RunSplit) -> None:  # noqa: ANN401
    with tempfile.TemporaryDirectory() as name:
        same(job_of(Path(name), kind, end or kind, content(kind, *file), options), split)


@pytest.mark.parametrize(
    ("workers", "parts", "processors", "said"),
    [
        (1, 1, 1, ""),
        (4, 4, 4, ""),
        (4, 400, 8, ""),
        (4, 1, 8, "`workers` 4: the input has 1 part, so `workers` 1 is as fast; a lower `part_size` makes"),
        (4, 0, 8, "`workers` 4: the input has 0 parts, so `workers` 1 is as fast;"),
        (4, 400, 2, "`workers` 4: this machine has 2 processors, so `workers` 2 is as fast"),
        (8, 4, 2, "`workers` 8: this machine has 2 processors, so `workers` 2 is as fast"),
        (8, 2, 4, "`workers` 8: the input has 2 parts, so `workers` 2 is as fast;"),
    ],
)
def test_more_workers_than_parts_or_processors_gain_nothing(
    workers: int, parts: int, processors: int, said: str
) -> None:
    advice = workers_advice(workers, parts, processors)
    assert advice.startswith(said)
    assert bool(advice) == bool(said)


def test_a_run_says_that_more_workers_gain_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = {"skip": False, "limit": None}
    job = job_of(tmp_path, ".jsonl", ".jsonl", lines_of([{"id": 1, "text": "кошка спит"}], []), options)
    split = ShuffledSplit(workers=9, part_bytes=400, seed=1)
    run(replace(job, quiet=False, split=split))
    assert "augment-ru: --workers 9: the input has 1 part, so --workers 1 is as fast" in capsys.readouterr().err
    run(replace(job, split=split))
    assert "is as fast" not in capsys.readouterr().err
