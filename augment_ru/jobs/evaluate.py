"""The work of `augment-ru evaluate`: check the files, evaluate, write the report."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError, amount
from augment_ru.evaluation.cache import default_path
from augment_ru.evaluation.evaluate import check_models, evaluate
from augment_ru.evaluation.metrics import metrics_of
from augment_ru.evaluation.protocol import SHOTS, ModelRun, check_shots
from augment_ru.evaluation.released import rows_file
from augment_ru.evaluation.report import AnyReport, as_json
from augment_ru.evaluation.table_text import ShownTable, as_text
from augment_ru.evaluation.tables import SHORT, TABLES, check_tables, tables_of
from augment_ru.formats.encodings import check_encoding
from augment_ru.formats.files import check_input, check_outputs, named_files, replacing
from augment_ru.formats.json_lines import encoded_row
from augment_ru.jobs.progress import progress, say
from augment_ru.records.task import task_or_file


@dataclass(frozen=True, slots=True)
class EvaluationJob:
    """The arguments of the command.

    Attributes:
        source: the file of perturbed rows, or - for stdin.
        models: specifications of models.
        shots: the numbers of demonstrations; None for that of the task.
        options: options of models, by kind.
        settings: further keyword arguments of `evaluate`.
        cache: the file of the cache, or none; None for the user's cache folder.
        report: the file of the report as JSON, or - for stdout; None for no report.
        html: the file of the report as a page; None for no page.
        predictions: the file of the predictions; None for no file.
        form: how the tables are printed: as a table, or as a format of `evaluation.table_text`.
        worst_case: the file of the strongest row of each original; None for no file.
        tables: which tables are printed, by their names in `evaluation.tables`; empty for the short ones.
        date: the date of the report; `none` for none; None for none in the report, and on the page the day on which
            the file of rows was written.
        quiet: whether there is neither progress nor any message; the tables are printed all the same.
    """

    source: str
    models: Sequence[str]
    shots: Sequence[int] | None
    options: Mapping[str, Mapping[str, str]]
    settings: Mapping[str, Any]
    cache: str | None
    report: str | None
    html: str | None
    predictions: str | None
    form: str = "table"
    worst_case: str | None = None
    tables: Sequence[str] = ()
    date: str | None = None
    quiet: bool = False

    def check(self) -> None:
        """Nothing, if all names exist and all files can be read and written.

        Raises:
            AugmentError: a name does not exist, or a file cannot be read or written.
        """
        check_models(self.models, self.options)
        check_shots(SHOTS if self.shots is None else self.shots, self.settings["episodes"])
        metrics_of(self.settings["metrics"])
        check_encoding(self.settings["encoding"])
        check_tables(self.keys)
        if self.settings["task"]:
            task_or_file(self.settings["task"])
        if self.settings["train"] == "-":
            raise AugmentError("--train -: stdin can be read once, a train file is read by each model; give a file")
        if self.source == self.settings["originals"] == "-":
            raise AugmentError("--originals -: PERTURBED is stdin already; give a file")
        self._check_files()

    @property
    def keys(self) -> Sequence[str]:
        """The tables that are printed."""
        return tuple(TABLES) if "all" in self.tables else self.tables or SHORT

    @property
    def page_date(self) -> str | None:
        """The date on the page, if the report states none."""
        if self.date is not None or self.source == "-":
            return None
        written = Path(rows_file(self.source)).stat().st_mtime
        return datetime.fromtimestamp(written, tz=UTC).date().isoformat()

    def _check_files(self) -> None:
        inputs = {
            "--verdicts": self.settings["verdicts"],
            "": rows_file(self.source),
            "--originals": self.settings["originals"],
            "--train": self.settings["train"],
        }
        task = self.settings["task"] or ""
        for option, path in inputs.items():
            if path is not None:
                check_input(path, option)
        report = None if self.report == "-" else self.report
        outputs = [("-o", report), ("--html", self.html), ("--predictions", self.predictions)]
        check_outputs(
            [*outputs, ("--worst-case", self.worst_case)],
            [*inputs.values(), *named_files([task] if task.endswith(".toml") else []), *self._read_by_models()],
        )

    def _read_by_models(self) -> list[str]:
        """The files and folders that models are made from, and the cache."""
        arguments = [model.partition(":")[2] for model in self.models]
        code = [f"{argument.partition(':')[0].replace('.', '/')}.py" for argument in arguments]  # of python:MODULE:NAME
        values = [value for options in self.options.values() for value in options.values()]
        cache = [] if self.cache == "none" else [self.cache or str(default_path())]
        return [*named_files([*arguments, *code, *values]), *cache]


def run_evaluation(job: EvaluationJob) -> None:
    """Evaluate, print the tables, write the files. The tables go to stderr if the report goes to stdout.

    Raises:
        AugmentError: rows, names or options are wrong, or a model fails.
    """
    evaluation = evaluate(
        job.source,
        job.models,
        shots=job.shots,
        options=job.options,
        cache=None if job.cache == "none" else job.cache or default_path(),
        progress=lambda name, questions: progress(name, "answers", questions, quiet=job.quiet),
        on_model_done=partial(_print_counts, quiet=job.quiet),
        date=None if job.date == "none" else job.date,
        **job.settings,
    )
    report = evaluation.counted()
    if job.report == "-":
        print(encoded_row(as_json(report)))
    elif job.report is not None:
        with replacing(Path(job.report)) as stream:
            stream.write(pretty(as_json(report)))
    for path, rows in ((job.predictions, evaluation.predictions), (job.worst_case, evaluation.worst_case)):
        if path is not None:
            with replacing(Path(path)) as stream:
                for row in rows():
                    stream.write(f"{encoded_row(row)}\n".encode("utf-8", "surrogatepass"))
    if job.html is not None:
        from augment_ru.evaluation.page import page  # noqa: PLC0415  (loaded only for --html)

        with replacing(Path(job.html)) as stream:
            stream.write(page(evaluation, report, job.page_date).encode("utf-8", "replace"))
    print_shown(tables_of(report, job.keys), job.form, report, to_stderr=job.report == "-")
    files = [file for file in (job.report, job.html, job.predictions, job.worst_case) if file]
    wrote = ", ".join("the report to stdout" if file == "-" else file for file in files)
    say(f"wrote {wrote or 'no file; -o REPORT.json keeps the report'}", quiet=job.quiet)


def print_shown(shown: Sequence[ShownTable], form: str, report: AnyReport, *, to_stderr: bool) -> None:
    """Print tables of a report: for a terminal, or in a format of `evaluation.table_text`."""
    if form == "table":
        from rich.console import Console  # noqa: PLC0415  (for tables alone)

        from augment_ru.evaluation.terminal import print_tables  # noqa: PLC0415

        print_tables(shown, report, Console(stderr=to_stderr))
    else:
        text = "\n".join(as_text(table, form) for table in shown)
        print(text, end="", file=sys.stderr if to_stderr else sys.stdout)


def pretty(report: Mapping[str, Any]) -> bytes:
    """A report as JSON for a file."""
    import json  # noqa: PLC0415

    text = json.dumps(report, ensure_ascii=False, indent=1, allow_nan=False)
    try:
        return f"{text}\n".encode()
    except UnicodeEncodeError:  # a label, or a field of --by, contains a lone surrogate
        return f"{json.dumps(report, indent=1, allow_nan=False)}\n".encode()


def _print_counts(runs: Sequence[ModelRun], *, quiet: bool) -> None:
    """Print a line on stderr about the questions of a model."""
    questions = sum(run.counts.questions for run in runs)
    different = sum(run.counts.different for run in runs)
    from_cache = sum(run.counts.from_cache for run in runs)
    cached = f", {from_cache:,} of them from the cache" if from_cache else ""
    say(f"{runs[0].model}: {amount(questions, 'question')}, {different:,} different{cached}", quiet=quiet)
