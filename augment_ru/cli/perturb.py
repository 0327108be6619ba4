"""`augment-ru perturb`."""

from pathlib import Path
from typing import Any

import click

from augment_ru.cli.choices import choices, files_read, merged, split_of
from augment_ru.cli.complete import complete_attacks
from augment_ru.cli.shared_options import (
    DEBUG,
    INPUT,
    PROBABILITY,
    QUIET,
    ROWS,
    SEARCH,
    SETUP,
    SPLIT,
    usage,
    with_options,
)
from augment_ru.errors import AugmentError


@click.command()
@click.argument("source", metavar="IN|-")
@click.option("-o", "--output", metavar="OUT", help="Output file, written when the run is complete.  [default: stdout]")
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    metavar="NAME[+NAME...]|FILE.py",
    shell_complete=complete_attacks,
    help="An attack (see augment-ru list attacks); A+B applies A, then B. Repeatable.",
)
@with_options(INPUT)
@with_options(PROBABILITY)
@with_options(SEARCH)
@with_options(SETUP)
@click.option(
    "--recipe", metavar="FILE.toml", help="Read options from a file; options of the command line override them."
)
@click.option("--with-original", is_flag=True, help='Also write each row unperturbed, as attack "original".')
@with_options(ROWS)
@click.option("--report", metavar="FILE.json", help="Write the table at the end of the run as JSON.")
@click.option(
    "--copies",
    type=click.IntRange(min=1),
    metavar="N",
    help="Perturbations of each row by each attack, from different draws.  [default: 1]",
)
@with_options(SPLIT)
@with_options(QUIET)
@with_options(DEBUG)
def perturb(**given: Any) -> None:  # noqa: ANN401
    """Perturb the rows of a file.

    Writes one row for each input row and attack. The end of a file's name gives its format: .jsonl, .json, .csv,
    .tsv, .parquet, or .txt with a text on each line; all but .parquet may be packed (.gz, .zst). stdin holds JSON
    Lines. On a terminal, without -o, the differences are shown in colours.

    \b
    augment-ru perturb in.jsonl -o out.jsonl --attack butterfingers
    augment-ru perturb train.csv -o out.csv --attack emojify --field "Tweet text"
    augment-ru perturb in.jsonl --attack eda_swap --attack butterfingers+emojify --seed 7
    """  # noqa: D301  (the backspace tells click to keep the line breaks)
    from augment_ru.engine.recipe import read_recipe  # noqa: PLC0415
    from augment_ru.jobs.perturb import run  # noqa: PLC0415
    from augment_ru.jobs.rows import RowsJob  # noqa: PLC0415  (so that --help loads nothing heavy)

    try:
        if given["recipe"]:
            given = merged(given, read_recipe(Path(given["recipe"])))
        preparation, run_ = choices(given, given["attacks"])
        reads = files_read(given)
        job = RowsJob(
            source=given["source"],
            output=given["output"],
            perturbers=run_.perturbers,
            preparation=preparation,
            task=given["task"],
            fields=given["fields"],
            with_original=given["with_original"],
            meta=given["meta"] or "full",
            skip=given["on_error"] == "skip",
            limit=given["limit"],
            report=given["report"],
            reads=reads,
            copies=given["copies"] or 1,
            csv_safe=given["csv_safe"],
            quiet=given["quiet"],
            input_format=given["input_format"],
            encoding=given["encoding"] or "utf-8",
            split=split_of(given, reads),
        )
        job.check()
    except AugmentError as error:
        raise usage(error) from error
    click.get_current_context().exit(run(job))
