"""`augment-ru calibrate`."""

import sys
from pathlib import Path
from typing import Any

import click

from augment_ru.cli.choices import choices, files_read
from augment_ru.cli.complete import complete_attacks
from augment_ru.cli.misuse import REAL
from augment_ru.cli.shared_options import DEBUG, INPUT, PROBABILITY, SETUP, WORKERS, usage, with_options
from augment_ru.errors import AugmentError

_ATTACKS = ("butterfingers", "case", "emojify", "eda_delete", "eda_swap")


@click.command()
@click.argument("source", metavar="IN|-")
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    metavar="NAME[+NAME...]|FILE.py",
    shell_complete=complete_attacks,
    help="An attack whose perturbations should pass. Repeatable.  [default: five attacks]",
)
@click.option(
    "--accept",
    type=REAL,
    default=0.9,
    metavar="SHARE",
    show_default=True,
    help="Share of perturbations that should pass the threshold.",
)
@click.option(
    "--at", "probabilities", multiple=True, type=REAL, metavar="P", help="A probability to measure at. Repeatable."
)
@click.option(
    "--limit",
    type=click.IntRange(min=2),
    default=200,
    metavar="N",
    show_default=True,
    help="Read only the first N rows.",
)
@click.option("--report", metavar="FILE.json", help="Write the figures as JSON.")
@click.option(
    "--write-baseline", "baseline", metavar="FILE", help="Write bertscore's scores of unrelated texts for each layer."
)
@with_options(INPUT)
@with_options(PROBABILITY)
@with_options(SETUP)
@with_options(WORKERS)
@with_options(DEBUG)
def calibrate(source: str, **given: Any) -> None:  # noqa: ANN401
    """Measure a similarity on your texts and propose a threshold.

    Prints a histogram of the scores of unrelated texts, and one for each attack at several probabilities (one
    candidate, no search). At the proposed threshold, the share --accept of each attack's perturbations passes at
    the attack's own probability.

    \b
    augment-ru calibrate in.jsonl
    augment-ru calibrate in.jsonl --similarity bertscore --attack butterfingers --accept 0.95
    """  # noqa: D301  (the backspace tells click to keep the line breaks)
    from augment_ru.formats.files import check_outputs, replacing  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.formats.json_lines import indented  # noqa: PLC0415
    from augment_ru.jobs.calibrate import (  # noqa: PLC0415
        PROBABILITIES,
        calibrated,
        calibration_lines,
    )
    from augment_ru.jobs.progress import say, terminal_width  # noqa: PLC0415
    from augment_ru.jobs.reading import records_of  # noqa: PLC0415
    from augment_ru.jobs.rows import RowsJob  # noqa: PLC0415
    from augment_ru.run.engines import LOCAL, engine_of  # noqa: PLC0415

    try:
        preparation, run = choices(given, given["attacks"] or _ATTACKS)
        if not all(0 < probability <= 1 for probability in given["probabilities"]):
            raise AugmentError("--at: needs a probability over 0 and at most 1")  # noqa: TRY301
        job = RowsJob(
            source,
            None,
            run.perturbers,
            preparation,
            given["task"],
            given["fields"],
            meta="none",
            limit=given["limit"],
            report=given["report"],
            reads=files_read(given),
            input_format=given["input_format"],
            encoding=given["encoding"] or "utf-8",
        )
        if given["baseline"] is not None:
            check_outputs(
                [("--report", given["report"]), ("--write-baseline", given["baseline"])], [source, *job.reads]
            )
            _check_rescaled(run.similarity)
        job.check()
        engine = engine_of(LOCAL, given["workers"])
    except AugmentError as error:
        raise usage(error) from error
    records = list(records_of(job))
    found = calibrated(
        records,
        preparation,
        [perturber.attack for perturber in run.perturbers],
        run.similarity,
        seed=run.perturbers[0].seed,
        probabilities=given["probabilities"] or PROBABILITIES,
        accept=given["accept"],
        engine=engine,
    )
    for line in calibration_lines(found, terminal_width(sys.stdout)):
        click.echo(line)
    if given["report"]:
        with replacing(Path(given["report"])) as file:
            file.write(indented(found.table()))
    if given["baseline"]:
        _write_baseline(Path(given["baseline"]), records, run.similarity)
    if wrote := [file for file in (given["report"], given["baseline"]) if file]:
        say(f"wrote {', '.join(wrote)}")


def _check_rescaled(similarity: Any) -> None:  # noqa: ANN401  (a Similarity, which is loaded late)
    if similarity is None or not similarity.can_be_rescaled:
        raise AugmentError("--write-baseline: only bertscore can be rescaled; give --similarity bertscore")


def _write_baseline(path: Path, records: Any, similarity: Any) -> None:  # noqa: ANN401
    from augment_ru.formats.files import replacing  # noqa: PLC0415
    from augment_ru.jobs.calibrate import unrelated_pairs  # noqa: PLC0415

    with replacing(path) as file:
        for line in similarity.baseline_lines(*unrelated_pairs(records)):
            file.write(f"{line}\n".encode())
