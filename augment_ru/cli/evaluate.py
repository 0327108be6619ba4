"""The command `augment-ru evaluate`."""

from pathlib import Path
from typing import Any

import click

from augment_ru.cli.completion import complete_tasks
from augment_ru.cli.shared_options import QUIET, merged, usage, with_options
from augment_ru.errors import AugmentError

_DEFAULTS = {"shots": "0", "episodes": 5, "device": "auto", "seed": 42, "form": "table"}


@click.command()
@click.argument("source", metavar="PERTURBED.jsonl|FOLDER|-")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="KIND[:ARGUMENT]",
    help="See augment-ru list models. Repeatable.",
)
@click.option("--originals", metavar="FILE", help="The unperturbed rows, if PERTURBED does not hold them.")
@click.option(
    "--task",
    metavar="NAME|FILE.toml",
    shell_complete=complete_tasks,
    help="The task.  [default: recognised by the fields]",
)
@click.option(
    "--field",
    "text_fields",
    multiple=True,
    metavar="NAME",
    help="Perturbed fields, in place of the task's. Repeatable.",
)
@click.option(
    "--label-field",
    "label_fields",
    multiple=True,
    metavar="NAME",
    help="Answer fields, in place of the task's. Repeatable.",
)
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Metrics, in place of the task's. Repeatable.")
@click.option("--train", metavar="FILE", help="Rows for demonstrations, and to train linear and similar models.")
@click.option(
    "--shots",
    metavar="K,K,…|task",
    help="Numbers of demonstrations; task: as many as the task's benchmark shows.  [default: 0]",
)
@click.option("--episodes", type=int, metavar="N", help="Sets of demonstrations for each K.  [default: 5]")
@click.option("--by", multiple=True, metavar="FIELD", help="Also report by the values of a field. Repeatable.")
@click.option("--device", metavar="NAME", help="auto, cpu or cuda[:N].  [default: auto]")
@click.option(
    "--model-option",
    "options",
    multiple=True,
    metavar="KIND.NAME=VALUE",
    help="An option of the models of a kind; see augment-ru list models -v. Repeatable.",
)
@click.option("--seed", type=int, metavar="N", help="The seed of the random numbers.  [default: 42]")
@click.option("--cache", metavar="FILE|none", help="The cache of answers.  [default: in the user's cache folder]")
@click.option("--verdicts", metavar="FILE.jsonl", help="Human verdicts: count every rate also over valid rows.")
@click.option("--title", metavar="TEXT", help="The title of the report.")
@click.option(
    "--date",
    metavar="TEXT|none",
    help="The date of the report.  [default: on the page the day on which the file of rows was written]",
)
@click.option(
    "--flipping",
    type=click.Choice(["auto", "all", "none"]),
    help="Which models are asked what edits flip an answer, for the page; auto: the fast ones.  [default: auto]",
)
@click.option(
    "--table",
    "tables",
    multiple=True,
    metavar="NAME",
    help="Print this table: rates, counts, together, valid, curve, transfer, models, attacks, strength, "
    "subpopulations, or all. Repeatable.  [default: the first six]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "csv", "latex"]),
    help="How the tables are printed.  [default: table]",
)
@click.option("--recipe", metavar="FILE.toml", help="Options in a file; those given here override them.")
@click.option("-o", "--output", metavar="REPORT.json", help="The report as JSON; - for stdout.")
@click.option("--html", metavar="REPORT.html", help="The report as a web page.")
@click.option("--predictions", metavar="FILE.jsonl", help="Every prediction, to recount the report.")
@click.option("--worst-case", metavar="FILE.jsonl", help="For each original the row that breaks most of the models.")
@with_options(QUIET)
@click.option("--debug", is_flag=True, hidden=True)
def evaluate(**given: Any) -> None:  # noqa: ANN401
    """Count how many of a model's right predictions the attacks break.

    \b
    augment-ru evaluate perturbed.jsonl --model linear:train.jsonl --html report.html
    augment-ru evaluate release/task --model hf-causal:gpt --shots 0,4
    augment-ru evaluate perturbed.jsonl --model hf-causal:gpt --train train.jsonl --shots 0,1,4,8 -o report.json
    """  # noqa: D301  (the backspace is click's mark for lines that stay as they are)
    from augment_ru.engine.recipe import EVALUATE_KEYS, EVALUATE_LISTS, read_recipe  # noqa: PLC0415
    from augment_ru.jobs.evaluate import EvaluationJob, run_evaluation  # noqa: PLC0415  (so that --help loads nothing heavy)

    try:
        if given["recipe"]:
            recipe = read_recipe(Path(given["recipe"]), EVALUATE_KEYS, EVALUATE_LISTS)
            given = merged(given, {"form" if name == "format" else name: value for name, value in recipe.items()})
        given |= {name: value for name, value in _DEFAULTS.items() if given[name] is None}
        given["flipping"] = given["flipping"] or ("auto" if given["html"] else "none")
        job = EvaluationJob(
            source=given["source"],
            models=given["models"],
            shots=_shots(given["shots"]),
            options=model_options(given["options"]),
            settings={
                name: given[name]
                for name in (
                    *("originals", "task", "text_fields", "label_fields", "metrics", "train"),
                    *("episodes", "by", "device", "seed", "title", "verdicts", "flipping"),
                )
            },
            cache=given["cache"],
            report=given["output"],
            html=given["html"],
            predictions=given["predictions"],
            form=given["form"],
            worst_case=given["worst_case"],
            tables=given["tables"],
            date=given["date"],
            quiet=given["quiet"],
        )
        job.check()
    except AugmentError as error:
        raise usage(error) from error
    run_evaluation(job)


def _shots(text: str) -> tuple[int, ...] | None:
    """The numbers; None for those of the task."""
    if text == "task":
        return None
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise AugmentError(f"--shots {text}: must be numbers, as in 0,1,4,8, or task") from error


def model_options(pairs: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Texts `KIND.NAME=VALUE` as options by kind of model and name."""
    found: dict[str, dict[str, str]] = {}
    for pair in pairs:
        left, equals, value = pair.partition("=")
        kind, dot, name = left.partition(".")
        if not (equals and dot and kind and name):
            raise AugmentError(f"--model-option {pair}: must be KIND.NAME=VALUE, as in linear.analyzer=char")
        found.setdefault(kind, {})[name] = value
    return found
