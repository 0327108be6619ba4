"""`augment-ru attack`."""

from typing import Any

import click

from augment_ru.adversary.defaults import ATTACKS, BUDGET, DRAWS
from augment_ru.cli.evaluate import model_options
from augment_ru.cli.shared_options import POOL, QUIET, ROWS, SPLIT, choices, files_read, split_of, usage, with_options
from augment_ru.errors import AugmentError


@click.command()
@click.argument("source", metavar="IN|-")
@click.option("-o", "--output", metavar="OUT", help="Output file, written when the run is complete.  [default: stdout]")
@click.option("--model", metavar="KIND[:ARGUMENT]", required=True, help="The model; see augment-ru list models.")
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    metavar="NAME[+NAME...]",
    help=f"An attack whose changes are in the pool. Repeatable.  [default: {', '.join(ATTACKS)}]",
)
@click.option(
    "--budget", type=int, default=BUDGET, metavar="N", help=f"The most questions about a row.  [default: {BUDGET}]"
)
@click.option("--targeted", metavar="LABEL", help="Make the model give this label.  [default: any wrong answer]")
@click.option("--no-minimal", is_flag=True, help="Stop at the first set of changes that breaks the answer.")
@click.option(
    "--draws",
    type=int,
    default=DRAWS,
    metavar="N",
    help=f"Random draws of each attack in the pool.  [default: {DRAWS}]",
)
@click.option("--time", "seconds", type=float, metavar="SECONDS", help="End the searches after this time.")
@click.option("--task", metavar="NAME", help="The task of the rows.  [default: recognised from their fields]")
@click.option(
    "--field", "fields", multiple=True, metavar="NAME", help="A field to change, in place of the task's. Repeatable."
)
@click.option(
    "--label-field",
    "label_fields",
    multiple=True,
    metavar="NAME",
    help="Answer fields, in place of the task's. Repeatable.",
)
@click.option("--train", metavar="FILE", help="Rows to train linear and similar models on.")
@click.option(
    "--model-option",
    "model_options",
    multiple=True,
    metavar="KIND.NAME=VALUE",
    help="An option of the model; see augment-ru list models -v. Repeatable.",
)
@click.option("--cache", metavar="FILE|none", help="The cache of answers.  [default: in the user's cache folder]")
@with_options(POOL)
@with_options(ROWS)
@with_options(SPLIT)
@with_options(QUIET)
@click.option("--debug", is_flag=True, hidden=True)
def attack(**given: Any) -> None:  # noqa: ANN401
    """Search for the smallest change of each row that turns a model's right answer wrong.

    Writes one row for each input row. A run that was killed asks only what is not in the cache.

    \b
    augment-ru attack in.jsonl -o out.jsonl --model linear:train.jsonl
    augment-ru attack in.jsonl -o out.jsonl --model hf-classifier:MODEL --attack butterfingers --attack homoglyphs
    """  # noqa: D301  (the backspace tells click to keep the line breaks)
    from augment_ru.formats.files import named_files  # noqa: PLC0415
    from augment_ru.jobs.attack import AttackJob, run_attack  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.jobs.job import Job  # noqa: PLC0415

    try:
        attacks = given["attacks"] or ATTACKS
        probability = 1.0 if given["probability"] is None else given["probability"]
        preparation, run = choices({**given, "probability": probability}, attacks, asks_model=True)
        chosen = [pair.partition("=")[2] for pair in given["model_options"]]
        reads = [*files_read(given), *named_files([given["model"], given["train"] or "", *chosen])]
        job = AttackJob(
            rows=Job(
                source=given["source"],
                output=given["output"],
                perturbers=run.perturbers,
                preparation=preparation,
                task=given["task"],
                fields=given["fields"],
                meta=given["meta"] or "full",
                skip=given["on_error"] == "skip",
                limit=given["limit"],
                reads=reads,
                split=split_of({**given, "attacks": attacks}, reads),
                quiet=given["quiet"],
                csv_safe=given["csv_safe"],
            ),
            model=given["model"],
            label_fields=given["label_fields"],
            train=given["train"],
            options=model_options(given["model_options"]),
            device=given["device"] or "auto",
            cache=given["cache"],
            search={
                "budget": given["budget"],
                "target": given["targeted"],
                "minimal": not given["no_minimal"],
                "draws": given["draws"],
                "seconds": given["seconds"],
            },
        )
        job.check()
    except AugmentError as error:
        raise usage(error) from error
    click.get_current_context().exit(run_attack(job))
