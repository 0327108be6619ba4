"""What `augment-ru evaluate` does around an evaluation: files are checked first, and written when all is done."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.evaluation.cache import default_path
from augment_ru.evaluation.evaluate import check_models, evaluate
from augment_ru.evaluation.metrics import metrics_of
from augment_ru.evaluation.protocol import Sitting, check_shots
from augment_ru.formats.files import check_input, check_outputs, replacing
from augment_ru.formats.json_lines import encoded_row
from augment_ru.jobs.progress import progress
from augment_ru.records.task import task as task_of


@dataclass(frozen=True, slots=True)
class Job:
    """What the command line asks for."""

    source: str
    models: Sequence[str]
    shots: Sequence[int]
    options: Mapping[str, Mapping[str, str]]
    settings: Mapping[str, Any]
    cache: str | None
    report: str | None
    html: str | None
    predictions: str | None

    def check(self) -> None:
        """Nothing, if the names are known and the files can be read and written.

        Raises:
            AugmentError: one is not, or cannot.
        """
        check_models(self.models, self.options)
        check_shots(self.shots, self.settings["episodes"])
        metrics_of(self.settings["metrics"])
        if self.settings["task"]:
            task_of(self.settings["task"])
        if self.settings["train"] == "-":
            raise AugmentError("--train -: stdin can be read once, a train file is read by each model; give a file")
        if self.source == self.settings["originals"] == "-":
            raise AugmentError("--originals -: PERTURBED is stdin already; give a file")
        self._check_files()

    def _check_files(self) -> None:
        inputs = {"": self.source, "--originals": self.settings["originals"], "--train": self.settings["train"]}
        for option, path in inputs.items():
            if path is not None:
                check_input(path, option)
        report = None if self.report == "-" else self.report
        check_outputs([("-o", report), ("--html", self.html), ("--predictions", self.predictions)], inputs.values())


def run(job: Job) -> None:
    """Do the job: the tables go to stdout, or to stderr where the report does.

    Raises:
        AugmentError: rows, names or options are wrong, or a model fails.
    """
    done = evaluate(
        job.source,
        job.models,
        shots=job.shots,
        options=job.options,
        cache=None if job.cache == "none" else job.cache or default_path(),
        watch=lambda name, questions: progress(name, "answers", questions),
        told=_told,
        **job.settings,
    )
    report = done.report()
    if job.report == "-":
        print(encoded_row(report))
    elif job.report is not None:
        with replacing(Path(job.report)) as stream:
            stream.write(_pretty(report))
    if job.predictions is not None:
        with replacing(Path(job.predictions)) as stream:
            for row in done.predictions():
                stream.write(f"{encoded_row(row)}\n".encode("utf-8", "surrogatepass"))
    if job.html is not None:
        from augment_ru.evaluation.page import page  # noqa: PLC0415  (only if it is wanted)

        with replacing(Path(job.html)) as stream:
            stream.write(page(done, report).encode("utf-8", "replace"))
    from rich.console import Console  # noqa: PLC0415

    from augment_ru.evaluation.terminal import show  # noqa: PLC0415

    show(report, Console(stderr=job.report == "-"))


def _pretty(report: Mapping[str, Any]) -> bytes:
    import json  # noqa: PLC0415

    text = json.dumps(report, ensure_ascii=False, indent=1, allow_nan=False)
    try:
        return f"{text}\n".encode()
    except UnicodeEncodeError:  # a lone surrogate in a label or in a field of --by
        return f"{json.dumps(report, indent=1, allow_nan=False)}\n".encode()


def _told(said: Sequence[Sitting]) -> None:
    """A line on stderr for each model that is done."""
    if sys.stderr is None:
        return
    questions, different, known = (
        sum(getattr(one.asked, name) for one in said) for name in ("questions", "different", "known")
    )
    from_cache = f", {known:,} of them from the cache" if known else ""
    print(f"augment-ru: {said[0].model}: {questions:,} questions, {different:,} different{from_cache}", file=sys.stderr)
