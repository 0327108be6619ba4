"""The command `augment-ru evaluate`."""

from pathlib import Path
from typing import Any

import click

from augment_ru.cli.choices import merged, model_options
from augment_ru.cli.shared_options import (
    DEBUG,
    DEVICE,
    INPUT,
    MODEL,
    QUIET,
    table_format,
    usage,
    with_options,
)
from augment_ru.errors import AugmentError

_DEFAULTS = {"shots": "0", "episodes": 5, "device": "auto", "seed": 42, "form": "table", "encoding": "utf-8"}


@click.command(short_help="Count the right answers of models that perturbations break.")
@click.argument("source", metavar="PERTURBED.jsonl|FOLDER|-")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="KIND[:ARGUMENT]",
    help="See augment-ru list models. Repeatable.",
)
@click.option("--originals", metavar="FILE", help="The unperturbed rows, if PERTURBED does not hold them.")
@with_options(INPUT)
@with_options(MODEL)
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Metrics, in place of the task's. Repeatable.")
@click.option(
    "--shots",
    metavar="K,K,…|task",
    help="Numbers of demonstrations; task: as many as the task's benchmark shows.  [default: 0]",
)
@click.option("--episodes", type=int, metavar="N", help="Sets of demonstrations for each K.  [default: 5]")
@click.option("--by", multiple=True, metavar="FIELD", help="Also report by the values of a field. Repeatable.")
@with_options(DEVICE)
@click.option("--seed", type=int, metavar="N", help="The seed of the random numbers.  [default: 42]")
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
@with_options(table_format())
@click.option("--recipe", metavar="FILE.toml", help="Options in a file; those given here override them.")
@click.option("-o", "--output", metavar="REPORT.json", help="The report as JSON; - for stdout.")
@click.option("--html", metavar="REPORT.html", help="The report as a web page.")
@click.option("--predictions", metavar="FILE.jsonl", help="Every prediction, to recount the report.")
@click.option("--worst-case", metavar="FILE.jsonl", help="For each original the row that breaks most of the models.")
@with_options(QUIET)
@with_options(DEBUG)
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
            options=model_options(given["model_options"]),
            settings={
                "text_fields": given["fields"],
                **{
                    name: given[name]
                    for name in (
                        *("originals", "task", "label_fields", "metrics", "train", "input_format", "encoding"),
                        *("episodes", "by", "device", "seed", "title", "verdicts", "flipping"),
                    )
                },
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
