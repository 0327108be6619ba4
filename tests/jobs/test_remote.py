"""Input and output under URLs: fsspec's file system in memory stands for an object store."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.spec import AbstractBufferedFile

from augment_ru import AugmentError, Perturber, Preparation
from augment_ru.jobs.perturb import run
from augment_ru.jobs.rows import RowsJob, RunSplit
from engines import ShuffledSplit

ROWS = "".join(f'{{"id": {at}, "text": "Кошка спит на окне номер {at}."}}\n' for at in range(40))


class _ObjectFile(AbstractBufferedFile):  # type: ignore[misc]  # no type information upstream
    """A file of an object store, which is read and written in blocks."""

    def _fetch_range(self, start: int, end: int) -> bytes:
        return bytes(fsspec.filesystem("memory").cat_file(self.path, start, end))

    def _initiate_upload(self) -> None:
        self.blocks: list[bytes] = []

    def _upload_chunk(self, final: bool = False) -> bool:  # noqa: FBT001, FBT002  (the name and form of fsspec)
        self.blocks.append(self.buffer.getvalue())
        if final:
            if "/closed" in self.path:
                raise OSError("the bucket is closed")
            fsspec.filesystem("memory").pipe_file(self.path, b"".join(self.blocks))
        return True


class _Objects(MemoryFileSystem):  # type: ignore[misc]  # no type information upstream
    """The same objects as in memory://, through such files."""

    protocol = "objects"

    def _open(self, path: str, mode: str = "rb", **options: object) -> AbstractBufferedFile:
        del options
        if mode == "rb":
            return _ObjectFile(self, path, mode, block_size=64, size=self.size(path))
        return _ObjectFile(self, path, mode, block_size=64)

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(super()._strip_protocol(path.replace("objects://", "memory://")))


fsspec.register_implementation("objects", _Objects, clobber=True)


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    files = fsspec.filesystem("memory")
    files.pipe_file("/bucket/in.jsonl", ROWS.encode())
    yield files
    files.rm("/bucket", recursive=True)


def job(
    target: str = "memory://bucket/out.jsonl", *, source: str = "memory://bucket/in.jsonl", **options: object
) -> RowsJob:
    attacks = [Perturber("butterfingers", similarity="none")]
    base = RowsJob(source, target, attacks, Preparation(()), task=None, fields=(), quiet=True)
    return replace(base, **options)  # type: ignore[arg-type]  # any attribute


def names(memory: fsspec.AbstractFileSystem) -> list[str]:
    return sorted(name.rpartition("/")[2] for name in memory.find("/bucket"))


@pytest.mark.parametrize(
    "split", [RunSplit(), ShuffledSplit(2, part_bytes=300), ShuffledSplit(2, part_bytes=300, resume=True)]
)
def test_the_bytes_are_those_of_a_file(memory: fsspec.AbstractFileSystem, tmp_path: Path, split: RunSplit) -> None:
    (tmp_path / "in.jsonl").write_text(ROWS, encoding="utf-8")
    run(job(str(tmp_path / "out.jsonl"), source=str(tmp_path / "in.jsonl")))
    made = job(split=split, report="memory://bucket/report.json")
    made.check()
    assert run(made) == 0
    assert memory.cat_file("/bucket/out.jsonl") == (tmp_path / "out.jsonl").read_bytes()
    assert names(memory) == ["in.jsonl", "out.jsonl", "report.json"]


@pytest.mark.parametrize(
    "split", [RunSplit(), ShuffledSplit(2, part_bytes=300), ShuffledSplit(2, part_bytes=300, resume=True)]
)
def test_files_of_an_object_store_are_read_and_written_in_blocks(
    memory: fsspec.AbstractFileSystem, split: RunSplit
) -> None:
    run(job())
    run(job("objects://bucket/other.jsonl", source="objects://bucket/in.jsonl", split=split))
    assert memory.cat_file("/bucket/other.jsonl") == memory.cat_file("/bucket/out.jsonl")
    assert names(memory) == ["in.jsonl", "other.jsonl", "out.jsonl"]


def test_what_cannot_be_written_in_the_end_names_its_place(memory: fsspec.AbstractFileSystem) -> None:
    with pytest.raises(AugmentError, match=r"^objects://bucket/closed/o\.jsonl: .*the bucket is closed"):
        run(job("objects://bucket/closed/o.jsonl"))
    assert names(memory) == ["in.jsonl"]


def test_a_run_goes_on_under_a_url(memory: fsspec.AbstractFileSystem, capsys: pytest.CaptureFixture[str]) -> None:
    split = ShuffledSplit(1, part_bytes=300, resume=True)
    run(job(split=RunSplit()))
    expected = memory.cat_file("/bucket/out.jsonl")
    memory.rm("/bucket/out.jsonl")
    memory.pipe_file("/bucket/in.jsonl", ROWS.encode() + b"{")
    with pytest.raises(AugmentError, match="line 41: not JSON"):
        run(job(split=split))
    kept = sum(name.startswith("0") for name in names(memory))
    assert kept
    assert "out.jsonl" not in names(memory)
    memory.pipe_file("/bucket/in.jsonl", ROWS.encode())
    run(job(split=split, quiet=False))
    assert f"{kept} parts kept" in capsys.readouterr().err
    assert memory.cat_file("/bucket/out.jsonl") == expected
    assert names(memory) == ["in.jsonl", "out.jsonl"]


def test_rejects_stand_beside_the_output(memory: fsspec.AbstractFileSystem) -> None:
    memory.pipe_file("/bucket/in.jsonl", b"{\n" + ROWS.encode())
    assert run(job(skip=True)) == 1
    assert names(memory) == ["in.jsonl", "out.jsonl", "out.rejects.jsonl"]
    memory.pipe_file("/bucket/in.jsonl", ROWS.encode())
    assert run(job(skip=True)) == 0
    assert names(memory) == ["in.jsonl", "out.jsonl"]


def test_mistakes_are_one_line(memory: fsspec.AbstractFileSystem) -> None:
    assert names(memory) == ["in.jsonl"]
    with pytest.raises(AugmentError, match=r"memory://bucket/none\.jsonl: no such file"):
        job(source="memory://bucket/none.jsonl").check()
    with pytest.raises(AugmentError, match="is read by this run"):
        job("memory://bucket/in.jsonl").check()
    with pytest.raises(AugmentError, match=r"nowhere://in\.jsonl: .*nowhere"):
        job(source="nowhere://in.jsonl").check()
