"""`augment-ru attack`."""

from typing import Any

import click

from augment_ru.adversary.defaults import ATTACKS, BUDGET, DRAWS
from augment_ru.cli.choices import choices, files_read, model_options, split_of
from augment_ru.cli.complete import complete_attacks
from augment_ru.cli.misuse import REAL
from augment_ru.cli.shared_options import DEBUG, INPUT, MODEL, POOL, QUIET, ROWS, SPLIT, usage, with_options
from augment_ru.errors import AugmentError


@click.command(short_help="Search for the smallest changes that break a model's answers.")
@click.argument("source", metavar="IN|-")
@click.option("-o", "--output", metavar="OUT", help="Output file, written when the run is complete.  [default: stdout]")
@click.option("--model", metavar="KIND[:ARGUMENT]", required=True, help="The model; see augment-ru list models.")
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    metavar="NAME[+NAME...]|FILE.py",
    shell_complete=complete_attacks,
    help=f"An attack whose changes are in the pool. Repeatable.  [default: {', '.join(ATTACKS)}]",
)
@click.option(
    "--budget", type=int, default=BUDGET, metavar="N", help=f"The most queries for a row.  [default: {BUDGET}]"
)
@click.option(
    "--guide",
    metavar="KIND[:ARGUMENT]",
    help="A model with scores that orders the queries of one that gives labels alone; asking it is not counted.",
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
@click.option("--time", "seconds", type=REAL, metavar="SECONDS", help="End the searches after this time.")
@with_options(INPUT)
@with_options(MODEL)
@with_options(POOL)
@with_options(ROWS)
@with_options(SPLIT)
@with_options(QUIET)
@with_options(DEBUG)
def attack(**given: Any) -> None:  # noqa: ANN401
    """Search for the smallest change of each row that turns a model's right answer wrong.

    Writes one row for each input row. A query is a text that the model is asked about. A run that was killed asks only
    what is not in the cache. On a terminal, without -o, the differences are shown in colours.

    \b
    augment-ru attack in.jsonl -o out.jsonl --model linear:train.jsonl
    augment-ru attack in.jsonl -o out.jsonl --model hf-classifier:MODEL --attack butterfingers --attack homoglyphs
    """  # noqa: D301  (the backspace tells click to keep the line breaks)
    from augment_ru.evaluation.cache import default_path  # noqa: PLC0415
    from augment_ru.formats.files import named_files  # noqa: PLC0415
    from augment_ru.jobs.attack import AttackJob, run_attack  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.jobs.rows import RowsJob  # noqa: PLC0415

    try:
        attacks = given["attacks"] or ATTACKS
        probability = 1.0 if given["probability"] is None else given["probability"]
        preparation, run = choices({**given, "probability": probability}, attacks, asks_model=True)
        chosen = [pair.partition("=")[2] for pair in given["model_options"]]
        reads = [
            *files_read(given),
            *named_files([given["model"], given["guide"] or "", given["train"] or "", *chosen]),
        ]
        job = AttackJob(
            rows=RowsJob(
                source=given["source"],
                output=given["output"],
                perturbers=run.perturbers,
                preparation=preparation,
                task=given["task"],
                fields=given["fields"],
                meta=given["meta"] or "full",
                skip=given["on_error"] == "skip",
                limit=given["limit"],
                reads=[*reads, *([] if given["cache"] == "none" else [given["cache"] or str(default_path())])],
                split=split_of({**given, "attacks": attacks}, reads),
                quiet=given["quiet"],
                csv_safe=given["csv_safe"],
                input_format=given["input_format"],
                encoding=given["encoding"] or "utf-8",
            ),
            model=given["model"],
            guide=given["guide"],
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
