"""A run over the rows of a file: its input, its outputs, its attacks, and its division into parts."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

from augment_ru.engine.attack import Needs
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import Preparation
from augment_ru.engine.presets import asked_run
from augment_ru.errors import AugmentError, saying_instead
from augment_ru.formats import files
from augment_ru.formats.parquet import arrow_module
from augment_ru.formats.row import KEY
from augment_ru.formats.sources import JSON_LINES, KINDS, PARQUET, PART_BYTES, kind_of
from augment_ru.jobs.outputs import is_shown, rejects_of
from augment_ru.options import by_name
from augment_ru.records.record import Record
from augment_ru.records.task import Task, task_or_file
from augment_ru.registry import chain_names, own_files
from augment_ru.release.manifest import digests_in, environment
from augment_ru.run.engines import LOCAL, engine_of
from augment_ru.run.work import Engine


@dataclass(frozen=True, slots=True)
class RunSplit:
    """States how the input of a run is split into parts, and where these are processed.

    Attributes:
        workers: how many parts are done at a time. None means one part with the local engine, and with Ray one for each
            processor of the cluster.
        resume: whether finished parts are stored, so that a killed run can be continued.
        engine: `local` for processes of this machine, `ray` or `ray:ADDRESS` for a cluster.
        part_bytes: how many bytes of the input a part has.
        facts: everything besides the input that the new rows depend on, by name: options, digests of files, versions.
            Parts that were stored by an earlier run are used only if its facts were the same.
    """

    workers: int | None = None
    resume: bool = False
    engine: str = LOCAL
    part_bytes: int = PART_BYTES
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_parts(self) -> bool:
        """Whether the run is split into parts; otherwise this process does it as a whole.

        It is split if `resume` is set, if there are several workers, or if the engine is not `local`.
        """
        return self.resume or (self.workers or 1) > 1 or self.engine != LOCAL

    def made(self) -> Engine | None:
        """Return the engine that does the parts: processes of this machine, or a Ray cluster; None for this process.

        Raises:
            AugmentError: the name of the engine is unknown, the engine is not installed, or `workers` is below 1.
        """
        return engine_of(self.engine, self.workers)


@dataclass(frozen=True, slots=True)
class RowsJob:
    """A run of a command over rows, as the command line describes it.

    Attributes:
        source: the input file; `-` is stdin.
        output: the output file; None is stdout.
        perturbers: the attacks, in the order of the command line.
        preparation: computes the annotation and the protected spans of the records.
        task: the name or file of the task of all rows; None to recognise the task of each row.
        fields: the fields to perturb instead of the task's.
        with_original: whether each row is also written unperturbed.
        meta: `full`, `brief` or `none`: how much metadata is written.
        skip: whether rows that cannot be used go to the rejects file; otherwise the first one ends the run.
        limit: the maximum number of rows to read; None for all.
        report: the file for the closing table as JSON; None for no file.
        reads: the files that options name, besides the input: the recipe, rule files, dictionaries, folders of models.
        input_format: the format of the input, such as jsonl; None to take it from the name of the file.
        encoding: the encoding of the input.
        copies: how many perturbations each attack makes of a row, each with its own random draw.
        csv_safe: whether an apostrophe is put before a table cell that looks like a formula because of edits.
        quiet: whether no progress and no closing table are shown.
        split: how the input is split into parts.
        key: the name of the field that holds the metadata.
        spans: which part of a text with labelled spans is perturbed, written as in a task file (`Layout.spans`); None
            for the task's own setting.
        accepts: a function that checks a record beyond what its task asks for, and raises an error if the run cannot
            use it.
    """

    source: str
    output: str | None
    perturbers: Sequence[Perturber]
    preparation: Preparation
    task: str | None = None
    fields: Sequence[str] = ()
    with_original: bool = False
    meta: str = "full"
    skip: bool = False
    limit: int | None = None
    report: str | None = None
    reads: Sequence[str] = ()
    input_format: str | None = None
    encoding: str = files.UTF8
    copies: int = 1
    csv_safe: bool = False
    quiet: bool = False
    split: RunSplit = RunSplit()
    key: str = KEY
    spans: str | None = None
    accepts: Callable[[Record], object] | None = None

    @property
    def schema(self) -> Task | None:
        """The task of all rows; None if the task of each row is recognised."""
        return task_or_file(self.task) if self.task else None

    def check_length(self, record: Record) -> None:
        """Check that the texts of a record are not too long, if the run annotates them or scores their similarity.

        Raises:
            AugmentError: the texts are too long for this.
        """
        self.preparation.check_length(record, Needs.of_all(one.needs for one in self.perturbers))

    def check(self) -> None:
        """Check the names, constraints and files of a run before anything is read.

        Raises:
            AugmentError: a name, a value or a file is wrong.
        """
        if not self.perturbers and self.key == KEY:
            raise AugmentError("no attack; name one with `attacks`; augment-ru list attacks shows them")
        self.preparation.check(self.schema)  # so that a wrong rule is an error of usage
        files.check_input(self.source)
        files.check_encoding(self.encoding)
        self._check_outputs()
        for name in (self.source, self.output or ""):
            files.check_packing(name)
        if PARQUET in {self.input_kind, self.format}:
            arrow_module()
        if self.csv_safe and self.format not in {"CSV", "TSV"}:
            raise AugmentError(f"`csv_safe`: the output is {self.format}, no table; leave it out")
        if self.input_kind == PARQUET and not files.is_utf8(self.encoding):
            raise AugmentError(f"`encoding` {self.encoding}: Parquet files have no other encoding; leave it out")

    def _check_outputs(self) -> None:
        has_place = self.output is not None and (Path(self.output).is_file() or not Path(self.output).exists())
        if self.skip and self.output is None:
            raise AugmentError("`on_error` skip: needs `output`, so that rejected lines can be written beside it")
        if self.skip and not has_place:
            raise AugmentError(f"`on_error` skip: {self.output} is no plain file, so rejects have no place beside it")
        rejects = rejects_of(self.output) if self.skip and self.output else None
        outputs = [("`output`", self.output), ("the rejects of `on_error` skip:", rejects), ("`report`", self.report)]
        files.check_outputs(outputs, [self.source, *self.reads])
        self.split.made()
        if self.split.resume and not has_place:
            raise AugmentError("`resume`: needs `output` with a file, so that what is done can be kept beside it")
        if self.split.has_parts and is_shown(self.output):
            raise AugmentError("`workers`: one process shows differences on a terminal; give `output`, or leave it out")

    @property
    def input_kind(self) -> str:
        """The format of the input: that of `input_format`, or else that of the file's name."""
        return kind_of(self.source, self.input_format)

    @property
    def format(self) -> str:
        """The format of the output, from the name of its file.

        Stdout gets the format of the input, or JSON lines if the input is Parquet or has a layout such as CoNLL.
        """
        if self.output is not None:
            return kind_of(self.output)
        return self.input_kind if self.input_kind in {*KINDS.values()} - {PARQUET} else JSON_LINES


def asked_attacks(
    given: Mapping[str, Any], attacks: Sequence[str], *, asks_model: bool = False
) -> tuple[Preparation, list[Perturber]]:
    """Return the `Preparation` of the records and the attacks (`Perturber`) that a command's options ask for.

    The preset supplies the values of options that the user did not set.

    Args:
        given: the values of the options, by parameter name; an option that the user did not set is None or empty.
        attacks: the specifications of the attacks.
        asks_model: whether the run asks a model with a network; then it may name a device even if no attack needs one.

    Raises:
        AugmentError: a name is unknown, a value is wrong, or options contradict each other.
    """
    if twins := [attack for number, attack in enumerate(attacks) if attack in attacks[:number]]:
        raise AugmentError(f"`attacks` {twins[0]}: is given twice; name it once")
    if given["no_constraints"] and given["constraints"]:
        raise AugmentError("`constraints` and `no_constraints` contradict each other; give one")
    run, constraints = asked_run(given, attacks)
    check_device(given["device"], used=run.runs_network or asks_model)
    return Preparation(constraints, given["annotator"] or "natasha"), run.perturbers


def check_device(device: str | None, *, used: bool) -> None:
    """Check that something runs on the device that the user named.

    Args:
        device: the device; None if the user named none.
        used: whether the run has a network.

    Raises:
        AugmentError: a GPU is named, and nothing uses it.
    """
    if device not in (None, "auto", "cpu") and not used:
        raise AugmentError(f"`device` {device}: nothing in this run uses a GPU; leave it out")


def stated(given: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the values of some parameters, without those that are None.

    Args:
        given: the values of all parameters, by name.
        names: the names of the wanted parameters.
    """
    return {name: given[name] for name in names if given.get(name) is not None}


def rows_job(given: Mapping[str, Any], attacks: Sequence[str], *, asks_model: bool = False) -> RowsJob:
    """Return the run that the options of a command ask for.

    Args:
        given: the values of the options, by parameter name; an option that the user did not set is None or empty.
        attacks: the specifications of the attacks.
        asks_model: whether the run asks a model with a network; then it may name a device even if no attack needs one.

    Raises:
        AugmentError: a name is unknown, a value is wrong, or a file cannot be read.
    """
    preparation, perturbers = asked_attacks(given, attacks, asks_model=asks_model)
    return job_of({**given, "attacks": attacks}, perturbers, preparation, _files_read(given), KEY)


def job_of(
    given: Mapping[str, Any], perturbers: Sequence[Perturber], preparation: Preparation, reads: Sequence[str], key: str
) -> RowsJob:
    """Return the run that the options of a command ask for, with attacks that are made already.

    Args:
        given: the values of the options, by parameter name; an option that the user did not set is None or empty.
        perturbers: the attacks that the options name, already made.
        preparation: how the texts of the run are annotated and protected.
        reads: the paths of the files that the run reads besides its input.
        key: the name of the field that a row gets for its metadata.

    Raises:
        AugmentError: the input cannot be divided into parts as the options say, or a file that the rows depend on
            cannot be read.
    """
    own = stated(given, {one.name for one in fields(RowsJob)} - {"output"})
    own |= {"perturbers": perturbers, "preparation": preparation, "reads": reads, "key": key}
    job = RowsJob(output=given.get("output"), skip=given.get("on_error") == "skip", **own)
    return _with_split(job, given) if "part_size" in given else job


def _with_split(job: RowsJob, given: Mapping[str, Any]) -> RowsJob:
    """Return a copy of a run that is split into parts as the options of a command ask for.

    Args:
        job: the run.
        given: the values of the options, by parameter name.

    Raises:
        AugmentError: a file that the rows depend on cannot be read, or the size of a part is not finite.
    """
    if given["part_size"] is not None and not isfinite(given["part_size"]):
        raise AugmentError(f"`part_size` {given['part_size']}: needs a number of mebibytes over 0")
    facts = _facts(given, job.reads) if given["resume"] else {}
    size = PART_BYTES if given["part_size"] is None else max(1, int(given["part_size"] * 2**20))
    split = RunSplit(given["workers"], given["resume"], given["engine"], size, facts)
    if given["part_size"] is not None and given["workers"] is None and not split.has_parts:
        raise AugmentError("`part_size`: the input is one part; give `workers` or `resume`, or leave it out")
    return replace(job, split=split)


def _files_read(given: Mapping[str, Any]) -> list[str]:
    """Return the files and folders that options name, and the loaded files of the user's own code."""
    texts = [given.get(name) or "" for name in ("recipe", "model", "guide", "train")]
    texts += [task for task in [given["task"] or ""] if task.endswith(".toml")]
    chosen = [pair.partition("=")[2] for pair in (*given["options"], *given.get("model_options", ()))]
    named = files.named_files([*texts, *given["constraints"], *chosen, (given["similarity"] or "").partition(":")[2]])
    return [*named, *map(str, own_files())]


_NO_FACTS = {"source", "output", "report", "quiet", "recipe", "cache", "workers", "resume", "engine"}
"""Parameters that do not affect any row."""


def _facts(given: Mapping[str, Any], reads: Iterable[str]) -> dict[str, Any]:
    """Return everything that rows depend on besides the input, by the name that messages use.

    If one of these values differs, stored parts of an earlier run cannot be used.

    Raises:
        AugmentError: a file cannot be read.
    """
    specs = [*given.get("attacks", ()), *given.get("normalizers", ())]
    specs += [given.get(one) or "" for one in ("similarity", "model")]
    own = [part for spec in specs for part in chain_names(spec)]
    read = {*reads, *files.named_files(own)}  # also of a model, which is imported later
    return {
        **{f"`{name}`": value for name, value in given.items() if name not in _NO_FACTS},
        **{f"the content of {name}": _digest(Path(name)) for name in sorted(read)},
        **{f"the version of {name}": value for name, value in environment(models=True).items()},
    }


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and contents of all files in a folder."""
    with saying_instead(lambda error: f"{path}: cannot be read ({error.strerror})", OSError):
        found = digests_in(path)
    return found.get(".") or sha256(json.dumps(found).encode()).hexdigest()


def model_options(pairs: Sequence[str]) -> dict[str, dict[str, str]]:
    """Parse the options of models: ["linear.longest=3"] gives {"linear": {"longest": "3"}}.

    Args:
        pairs: the values of `--model-option`, each KIND.NAME=VALUE.

    Raises:
        AugmentError: a value does not have this form.
    """
    return by_name("model_options", pairs, "KIND.NAME=VALUE, as in linear.analyzer=char")
