"""The work of `augment-ru evaluate`, `compare` and `totals`: check the options, make a report or read some, write."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError, amount, brief, printable, saying_instead
from augment_ru.evaluation import totals
from augment_ru.evaluation.answers import labels_among
from augment_ru.evaluation.compare import compare, compared_page, compared_tables, named_report
from augment_ru.evaluation.defences import Defence
from augment_ru.evaluation.entries import Requirement
from augment_ru.evaluation.evaluation import Evaluation, checked_models, evaluate
from augment_ru.evaluation.examples import default_path, runs_network
from augment_ru.evaluation.loading import rows_file
from augment_ru.evaluation.protocol import EvaluationSettings, ModelRun
from augment_ru.evaluation.report import AnyReport, Report, as_json, read_report
from augment_ru.evaluation.table_text import LatexOptions, ShownTable, as_text
from augment_ru.evaluation.tables import SHORT, TABLES, check_tables, paper_table, tables_of
from augment_ru.formats.files import check_input, check_outputs, named_files
from augment_ru.formats.json_lines import encoded, encoded_row, json_text
from augment_ru.jobs.messages import check_used, checking, progress, say
from augment_ru.jobs.outputs import json_lines, write_file
from augment_ru.jobs.rows import check_device, model_options, stated
from augment_ru.records.field_paths import strings
from augment_ru.records.task import task_or_file

_FAILED = 3
"""The exit code if a number does not meet a requirement, such as "asr(people) <= 5"."""


def run_evaluation(given: Mapping[str, Any]) -> int:
    """Evaluate models, print the tables, and write the files. If the report goes to stdout, the tables go to stderr.

    Returns the exit code: 3 if a number does not meet a requirement, such as "asr(people) <= 5", else 0.

    Args:
        given: the values of the options of `evaluate`, by parameter name.

    Raises:
        AugmentError: an option, a row or a name is wrong, or a model fails.
    """
    source, quiet = given["source"], given["quiet"]
    keys = tuple(TABLES) if "all" in given["tables"] else given["tables"]
    keys = keys or (*SHORT, *(("contamination",) if given["fresh"] else ()))
    with checking():
        check_used(given, ("require_point",), ("require",), "says how these limits are judged")
        check_used(given, ("title", "date"), ("output", "html"), "stands in the report")
        check_used(given, ("flipping",), ("html",), "marks edits on the page")
        settings = _settings(given)
        if given["episodes"] is not None and (settings.shots == (0,) or settings.nearest):
            raise AugmentError("`episodes`: no demonstrations are drawn; give `shots` above 0 without `nearest`")
        models = checked_models(given["models"], settings.options, settings.nearest or "")
        specs = [*(str(spec) for _, spec in models), *filter(None, [settings.nearest])]
        check_device(settings.device, used=bool(settings.judges) or any(map(runs_network, specs)))
        for spec in settings.defences:
            Defence.of(spec)
        for text in settings.require:
            Requirement.of(text)
        check_tables(keys)
        latex = latex_options(given["latex"], given["form"])
        _check_files(given, settings)
    evaluation = evaluate(
        source,
        given["models"],
        settings,
        progress=lambda name, questions: progress(name, "answers", questions, quiet=quiet),
        on_model_done=partial(_print_counts, quiet=quiet),
    )
    report = evaluation.counted()
    write_json(given["output"], as_json(report))
    for path, rows in ((given["predictions"], evaluation.predictions), (given["worst_case"], evaluation.worst_case)):
        if path is not None:
            write_file(path, json_lines(rows()))
    if given["submission"] is not None:
        sent, path = evaluation.submission(), given["submission"]
        write_file(path, json_lines(sent)) if isinstance(sent, list) else write_json(path, sent)
    if given["html"] is not None:
        from augment_ru.evaluation.page import page  # noqa: PLC0415  (loaded only for `html`)

        day = None
        if given["date"] is None and source != "-":  # the report has no date
            written = Path(rows_file(source)).stat().st_mtime
            day = datetime.fromtimestamp(written, tz=UTC).date().isoformat()
        write_file(given["html"], [page(evaluation, date=day).encode("utf-8", "replace")])
    shown = tables_of(report, keys)
    print_shown(shown, given["form"], report, latex=latex, to_stderr=given["output"] == "-")
    _say_empty(() if quiet else given["tables"], report)
    _say_without_labels(evaluation, quiet=quiet)
    files = [given[name] for name in ("output", "html", "predictions", "worst_case", "submission")]
    say_written(files, "the report", "`output` REPORT.json keeps the report", quiet=quiet)
    failures = evaluation.failures(point=given["require_point"])
    for line in failures:
        say(f"failed: {printable(line)}")
    return _FAILED if failures else 0


def _say_empty(names: Sequence[str], report: Report) -> None:
    for name in names:
        if name in TABLES and report.attacks and not TABLES[name](report).rows:
            say(f"--table {name}: has no row; docs/evaluation.md says what it needs")


def _say_without_labels(evaluation: Evaluation, *, quiet: bool) -> None:
    """Say which models never answered with a label of the rows; their answers may be written in another way."""
    labels = labels_among(evaluation.pairs.golds, evaluation.pairs.kind)
    for run in (judged.run for judged in evaluation.judged):
        given = {label for episode in run.originals for answer in episode for label in strings(answer)}
        if labels and given.isdisjoint(labels):
            such, known = brief(min(given - {""}, default="")), brief(list(labels))
            say(f"{run.model}: no answer, such as {such}, is a label of the rows: {known}", quiet=quiet)


def _settings(given: Mapping[str, Any]) -> EvaluationSettings:
    """Return the settings that the options ask for.

    Raises:
        AugmentError: a value is not possible.
    """
    same = {one.name for one in fields(EvaluationSettings)} & given.keys() - {"text_fields", "options"}
    return EvaluationSettings(
        **stated(given, same)
        | {
            "text_fields": given["fields"],
            "shots": _shots(given["shots"] or ("task" if given["protocol"] else "0")),
            "device": given["device"] or "auto",
            "judges": dict(one.partition("=")[::2] for one in given["judges"]),
            "options": model_options(given["model_options"]),
            "cache": given["cache"] or default_path(),
            "submits": given["submission"] is not None,
            "date": None if given["date"] == "none" else given["date"],
            "flipping": given["flipping"] or ("auto" if given["html"] else "none"),
        }
    )


def _shots(text: str) -> tuple[int, ...] | None:
    """Parse the value of `shots`, such as 0,1,4,8; return None for `task`, which means the number that the task states.

    Raises:
        AugmentError: the text is neither `task` nor numbers with commas between them.
    """
    if text == "task":
        return None
    with saying_instead(f"`shots` {text}: must be numbers, as in 0,1,4,8, or task", ValueError):
        return tuple(int(part) for part in text.split(","))


def _check_files(given: Mapping[str, Any], settings: EvaluationSettings) -> None:
    """Check that all files can be read and written.

    Raises:
        AugmentError: a file cannot be read or written, or stdin would be read twice.
    """
    source, task = given["source"], given["task"] or ""
    if task:
        task_or_file(task)
    if given["train"] == "-":
        raise AugmentError("`train` -: stdin can be read once, a train file is read by each model; give a file")
    if source == given["originals"] == "-":
        raise AugmentError("`originals` -: PERTURBED is stdin already; give a file")
    inputs = {
        "": rows_file(source),
        **{f"`{name}`": given[name] for name in ("verdicts", "originals", "fresh", "train")},
    }
    for name, path in inputs.items():
        if path is not None:
            check_input(path, name)
    values = [value for named in settings.options.values() for value in named.values()]
    cache = [] if settings.cache == "none" else [str(settings.cache)]
    tasks = [task] if task.endswith(".toml") else []
    named = named_files([*settings.prompts, *given["models"], *values, *tasks])
    outputs = {name: given[name] for name in ("output", "html", "predictions", "worst_case", "submission")}
    if outputs["output"] == "-":
        del outputs["output"]
    check_outputs([(f"`{name}`", file) for name, file in outputs.items()], [*inputs.values(), *named, *cache])


def write_json(output: str | None, values: Mapping[str, Any]) -> None:
    """Write a report as JSON.

    Args:
        output: the file; - for one line on stdout; None to write nothing.
        values: the report.
    """
    if output == "-":
        print(encoded_row(values))
    else:
        write_file(output, [f"{json_text(values, indent=1, allow_nan=False)}\n".encode()])


def say_written(files: Iterable[str | None], what: str, remedy: str, *, quiet: bool) -> None:
    """Print a line on stderr that names the files that were written, unless `quiet`.

    Args:
        files: the files; - stands for stdout, and None is skipped.
        what: what is written to stdout, in words, such as "the report".
        remedy: advice on how to write a file, such as an option, which is printed if no file was written.
        quiet: whether nothing is printed.
    """
    wrote = ", ".join(f"{what} to stdout" if file == "-" else file for file in files if file)
    say(f"wrote {wrote or f'no file; {remedy}'}", quiet=quiet)


def latex_options(texts: Sequence[str], form: str) -> LatexOptions:
    """Parse the options of LaTeX tables.

    Args:
        texts: the values of the option `--latex`, such as "transposed" or "caption=TEXT".
        form: the format of the printed tables; only `latex` may have options.

    Raises:
        AugmentError: there is no such option, or the tables are not printed as LaTeX.
    """
    if texts and form != "latex":
        raise AugmentError(f"`latex` {texts[0]}: the tables are printed as {form}; give `form` latex, too")
    return LatexOptions.of(texts)


def print_shown(
    shown: Sequence[ShownTable],
    form: str,
    report: AnyReport | None = None,
    *,
    latex: LatexOptions | None = None,
    to_stderr: bool = False,
) -> None:
    """Print tables. Unless they are for the terminal, the findings of a report of `evaluate` follow on stderr.

    Args:
        shown: the tables.
        form: `table` for the terminal, or `markdown`, `csv` or `latex`. If it is `latex`, the table of rates is laid
            out as in a paper.
        report: the report that the tables belong to; None if they belong to none.
        latex: the options of LaTeX tables; caption and label are used for the first table only.
        to_stderr: whether they are printed on stderr instead of stdout.
    """
    if form == "table":
        from rich.console import Console  # noqa: PLC0415  (for tables alone)

        from augment_ru.evaluation.terminal import print_tables  # noqa: PLC0415

        print_tables(shown, report, Console(stderr=to_stderr))
    else:
        texts = []
        for table in shown:
            as_paper = form == "latex" and report is not None and table.key == "rates"
            own = paper_table(report, intervals=bool(latex and latex.intervals)) if report and as_paper else table
            texts.append(as_text(own, form, latex))
            latex = latex and latex._replace(caption=None, label=None)
        text = "\n".join(["% \\usepackage{booktabs}\n" * (form == "latex") + texts[0], *texts[1:]]) if texts else ""
        print(text, end="", file=sys.stderr if to_stderr else sys.stdout)
        if isinstance(report, Report) and any(table.key == "rates" for table in shown):
            from augment_ru.evaluation.findings import findings  # noqa: PLC0415

            for sentence in findings(report):  # a table for a paper has no room for them, but its author needs them
                print(printable(sentence), file=sys.stderr)


def _print_counts(runs: Sequence[ModelRun], *, quiet: bool) -> None:
    """Print a line on stderr about the number of questions that a model was asked."""
    name, counts = runs[0].model, runs[0].counts
    cached = f", {counts.from_cache:,} of them from the cache" if counts.from_cache else ""
    say(f"{name}: {amount(counts.questions, 'question')}, {counts.different:,} different{cached}", quiet=quiet)
    if counts.expected:
        prompt, completion = (counts.spent[f"{kind}_tokens"] for kind in ("prompt", "completion"))
        counted = f"{prompt:,} tokens in questions and {completion:,} in replies"
        say(f"{name}: about {counts.expected:,} tokens were expected in questions; {counted}", quiet=quiet)


def compare_reports(given: Mapping[str, Any]) -> None:
    """Compare reports, print the tables, and write the files. If the comparison goes to stdout, tables go to stderr.

    Args:
        given: the values of the options of `compare`, by parameter name.

    Raises:
        AugmentError: a file is not a report or cannot be written, or the reports share no rows.
    """
    reports, output, html, form = (given[name] for name in ("reports", "output", "html", "form"))
    with checking():
        check_used(given, ("title", "date"), ("output", "html"), "stands in the comparison")
        options = latex_options(given["latex"], form)
        for path in reports:
            check_input(path)
        check_outputs([("`output`", None if output == "-" else output), ("`html`", html)], reports)
    read = [named_report(Path(path)) for path in reports]
    found = compare(read, seed=given["seed"], title=given["title"], date=given["date"])
    tables = compared_tables(found)
    write_json(output, as_json(found))
    if html is not None:
        write_file(html, [compared_page(found, tables).encode("utf-8", "replace")])
    shown = [table for table in tables if table.key != "attacks" or form != "table"]
    print_shown(shown, form, found, latex=options, to_stderr=output == "-")
    say_written([output, html], "the comparison", "`html` PAGE.html makes a page", quiet=given["quiet"])


def print_totals(reports: Sequence[Path], form: str) -> None:
    """Print the means of models over several tasks, from the reports of `evaluate`.

    Args:
        reports: the files of the reports, one for each task.
        form: how the tables are printed: `table` for the terminal, `json`, `markdown`, `csv` or `latex`.

    Raises:
        AugmentError: a file is not a report.
    """
    with checking():
        read = [read_report(path) for path in reports]
    if form == "json":
        print(encoded(as_json(totals.totals(read))))
        return
    for table in totals.total_tables(read, [path.stem for path in reports]):
        print_shown([table], form)
        if form != "table":
            print()
