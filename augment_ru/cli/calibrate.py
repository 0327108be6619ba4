"""`augment-ru calibrate`."""

from pathlib import Path
from typing import Any

import click

from augment_ru.cli.shared_options import SEARCH, chosen, usage, with_options
from augment_ru.errors import AugmentError

_ATTACKS = ("butterfingers", "case", "emojify", "eda_delete", "eda_swap")


@click.command()
@click.argument("source", metavar="IN.jsonl|-")
@click.option(
    "--attack", "attacks", multiple=True, metavar="NAME[+NAME...]", help="What is to pass.  [default: all five]"
)
@click.option("--task", metavar="NAME", help="By default recognised by the fields.")
@click.option("--field", "fields", multiple=True, metavar="NAME", help="Fields to perturb, in place of the task's.")
@click.option("--accept", type=float, default=0.9, metavar="SHARE", show_default=True, help="Wanted acceptance.")
@click.option("--at", "probabilities", multiple=True, type=float, metavar="P", help="Where to measure; repeatable.")
@click.option("--limit", type=click.IntRange(min=2), default=200, show_default=True, help="Only the first N rows.")
@click.option("--report", metavar="FILE.json", help="Where the figures go as JSON.")
@click.option("--write-baseline", "baseline", metavar="FILE", help="bertscore's scores of unrelated texts, by layer.")
@with_options(SEARCH)
@click.option("--debug", is_flag=True, hidden=True)
def calibrate(source: str, **given: Any) -> None:  # noqa: ANN401
    """Measure a similarity on your texts and propose a threshold.

    Scores of unrelated texts and of each attack at several probabilities, one candidate each, drawn as a
    histogram; the threshold passes the wanted share of every attack at its own probability.

    \b
    augment-ru calibrate in.jsonl
    augment-ru calibrate in.jsonl --similarity bertscore --attack butterfingers --accept 0.95
    """  # noqa: D301  (the backspace is click's mark for lines that stay as they are)
    import orjson  # noqa: PLC0415  (so that --help loads nothing heavy)

    from augment_ru.formats.files import check_outputs, replacing  # noqa: PLC0415
    from augment_ru.jobs.calibrate import PROBABILITIES, calibrated, lines  # noqa: PLC0415
    from augment_ru.jobs.perturb import Job, records_of  # noqa: PLC0415

    try:
        attacks, settings = chosen({"similarity": None, **given}, given["attacks"] or _ATTACKS)
        if not all(0 < probability <= 1 for probability in given["probabilities"]):
            raise AugmentError("--at: a probability is over 0, up to 1")  # noqa: TRY301
        job = Job(
            source,
            None,
            attacks,
            given["task"],
            given["fields"],
            settings,
            meta="none",
            limit=given["limit"],
            report=given["report"],
        )
        if given["baseline"] is not None:
            check_outputs([("--report", given["report"]), ("--write-baseline", given["baseline"])], [source])
            _check_rescaled(settings["similarity"])
        prepared = job.prepared()
    except AugmentError as error:
        raise usage(error) from error
    records = list(records_of(prepared))
    found = calibrated(
        records,
        attacks,
        settings,
        probabilities=given["probabilities"] or PROBABILITIES,
        accept=given["accept"],
    )
    for line in lines(found):
        click.echo(line)
    if given["report"]:
        with replacing(Path(given["report"])) as file:
            file.write(orjson.dumps(found.table(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    if given["baseline"]:
        _write_baseline(Path(given["baseline"]), records, settings["similarity"])


def _check_rescaled(similarity: Any) -> None:  # noqa: ANN401  (a Similarity, which is loaded late)
    if not hasattr(similarity, "baseline_lines"):
        raise AugmentError("--write-baseline: only bertscore is rescaled with a baseline; give --similarity bertscore")


def _write_baseline(path: Path, records: Any, similarity: Any) -> None:  # noqa: ANN401
    from augment_ru.formats.files import replacing  # noqa: PLC0415
    from augment_ru.jobs.calibrate import pairs_of  # noqa: PLC0415

    with replacing(path) as file:
        for line in similarity.baseline_lines(*pairs_of(records)):
            file.write(f"{line}\n".encode())
