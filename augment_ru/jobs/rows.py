"""A run over the rows of a file: what is read, what is written, the attacks, and how the work is split."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import Preparation
from augment_ru.errors import AugmentError, missing
from augment_ru.formats.encodings import UTF8, check_encoding, is_utf8
from augment_ru.formats.files import check_input, check_outputs
from augment_ru.formats.packed import check_packing
from augment_ru.formats.pieces import PIECE_BYTES
from augment_ru.formats.sources import JSON_LINES, PARQUET, kind_of
from augment_ru.jobs.outputs import is_shown, rejects_of
from augment_ru.records.task import Task, task_or_file
from augment_ru.run.engines import LOCAL, engine_of
from augment_ru.run.work import Engine


@dataclass(frozen=True, slots=True)
class Split:
    """How a run is split into parts, and where they are done.

    Attributes:
        workers: how many parts are done at a time; None for as many as the engine has, one in this process.
        resume: whether parts that a run which was killed has done are kept.
        engine: local, ray or ray:ADDRESS.
        part_bytes: bytes of the input in a part.
        facts: all that the rows depend on but the input, by name: options, the digests of files, versions.
    """

    workers: int | None = None
    resume: bool = False
    engine: str = LOCAL
    part_bytes: int = PIECE_BYTES
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_parts(self) -> bool:
        """Whether the run works in parts; else one process does it in one go."""
        return self.resume or (self.workers or 1) > 1 or self.engine != LOCAL

    def made(self) -> Engine:
        """The engine.

        Raises:
            AugmentError: there is no such engine, or it is not installed.
        """
        return engine_of(self.engine, self.workers)


@dataclass(frozen=True, slots=True)
class RowsJob:
    """A run of `perturb`, as the command line describes it.

    Attributes:
        source: the input file; `-` is stdin.
        output: the output file; None is stdout.
        perturbers: the attacks, in the order of the command line.
        preparation: annotates and protects the records.
        task: the name of the task of all rows; None recognises that of each row.
        fields: the fields to perturb, in place of the task's.
        with_original: whether each row is also written unperturbed.
        meta: full, brief or none: how much metadata is written.
        skip: whether bad rows go to the rejects file; otherwise the first one ends the run.
        limit: how many rows are read at most.
        report: the file of the closing table as JSON.
        reads: the files that options name: the recipe, rule files, dictionaries, folders of models.
        input_format: the format of the input, as the end of a file's name without its dot; None goes by the name.
        encoding: that of the input, if it is not in UTF-8.
        copies: how many perturbations each attack makes of a row, from different draws.
        csv_safe: whether a cell of a table that an edit made look like a formula gets an apostrophe before it.
        quiet: whether neither progress nor the closing table is shown.
        split: how the work is split into parts.
    """

    source: str
    output: str | None
    perturbers: Sequence[Perturber]
    preparation: Preparation
    task: str | None
    fields: Sequence[str]
    with_original: bool = False
    meta: str = "full"
    skip: bool = False
    limit: int | None = None
    report: str | None = None
    reads: Sequence[str] = ()
    input_format: str | None = None
    encoding: str = UTF8
    copies: int = 1
    csv_safe: bool = False
    quiet: bool = False
    split: Split = Split()

    @property
    def schema(self) -> Task | None:
        """The task of all rows; None if that of each row is recognised."""
        return task_or_file(self.task) if self.task else None

    def check(self) -> None:
        """Check names, constraints and files before anything is read.

        Raises:
            AugmentError: a name, a value or a file is wrong.
        """
        if not self.perturbers:
            raise AugmentError("no attack; name one with --attack; augment-ru list attacks shows them")
        self.preparation.check(self.schema)  # so that a wrong rule is an error of usage
        check_input(self.source)
        check_encoding(self.encoding)
        self._check_outputs()
        self._check_split()
        for name in (self.source, self.output or ""):
            check_packing(name)
        if PARQUET in {self.input_kind, self.format} and find_spec("pyarrow") is None:
            raise missing("Parquet files need pyarrow", "hf")
        if self.csv_safe and self.format not in {"CSV", "TSV"}:
            raise AugmentError(f"--csv-safe: the output is {self.format}, no table; leave it out")
        if self.input_kind == PARQUET and not is_utf8(self.encoding):
            raise AugmentError(f"--encoding {self.encoding}: Parquet files have no other encoding; leave it out")

    def _check_outputs(self) -> None:
        if self.skip and self.output is None:
            raise AugmentError("--on-error skip: needs -o, so that rejected lines can be written beside it")
        if self.skip and Path(self.output or "").exists() and not Path(self.output or "").is_file():
            raise AugmentError(f"--on-error skip: {self.output} is no plain file, so rejects have no place beside it")
        rejects = rejects_of(self.output) if self.skip and self.output else None
        outputs = [("-o", self.output), ("the rejects of --on-error skip:", rejects), ("--report", self.report)]
        check_outputs(outputs, [self.source, *self.reads])

    def _check_split(self) -> None:
        self.split.made()
        if self.split.resume and (self.output is None or ((path := Path(self.output)).exists() and not path.is_file())):
            raise AugmentError("--resume: needs -o with a file, so that what is done can be kept beside it")
        if self.split.has_parts and is_shown(self.output):
            raise AugmentError("--workers: one process shows differences on a terminal; give -o, or leave it out")

    @property
    def input_kind(self) -> str:
        """The format of the input: as it is named, or by the name of the file."""
        return kind_of(self.source, self.input_format)

    @property
    def format(self) -> str:
        """The format of the output: by its name; on stdout that of the input, or JSON Lines if that is Parquet."""
        if self.output is not None:
            return kind_of(self.output)
        return JSON_LINES if self.input_kind == PARQUET else self.input_kind
