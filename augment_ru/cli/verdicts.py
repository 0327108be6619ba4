"""`augment-ru verdicts`."""

from pathlib import Path
from typing import Any

import click

from augment_ru.cli.shared_options import DEBUG, INPUT, HelpfulGroup, usage, with_options
from augment_ru.errors import AugmentError


@click.group(cls=HelpfulGroup, short_help="Have people judge perturbed rows.")
def verdicts() -> None:
    """Have people judge perturbed rows, and count rates over those that they find valid.

    \b
    augment-ru verdicts export perturbed.jsonl -o tasks.json
    augment-ru verdicts import answers.json -o verdicts.jsonl
    augment-ru evaluate perturbed.jsonl --model linear:train.jsonl --verdicts verdicts.jsonl
    """  # noqa: D301  (the backspace is click's mark for lines that stay as they are)


@verdicts.command("export")
@click.argument("source", metavar="REPORT.json|ROWS")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="TASKS.json|TASKS.tsv",
    help="Tasks for Label Studio (.json, with the interface beside it in .xml) or for Toloka (.tsv).",
)
@click.option("--originals", metavar="FILE", help="The unperturbed rows, if they are elsewhere.")
@with_options(INPUT)
@click.option(
    "--predictions", metavar="FILE", help="The predictions of evaluate: draw every outcome in its proportion."
)
@click.option("--size", default=200, type=click.IntRange(min=1), metavar="N", help="Rows to judge.  [default: 200]")
@click.option("--seed", default=42, type=int, metavar="N", help="The seed of the draw.  [default: 42]")
@with_options(DEBUG)
def export(source: str, output: Path, **given: Any) -> None:  # noqa: ANN401
    """Write a sample of perturbed rows for annotators to judge.

    The question is in Russian, and no attack is named. If a report of evaluate is given, the rows are those that it
    counts, each outcome of its first model in its proportion.
    """
    from augment_ru.formats.encodings import UTF8, check_encoding  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.jobs.verdicts import export_sample  # noqa: PLC0415

    encoding = given["encoding"] or UTF8
    try:
        check_encoding(encoding)
    except AugmentError as error:
        raise usage(error) from error
    rows = {
        "originals": given["originals"],
        "task": given["task"],
        "text_fields": given["fields"],
        "input_format": given["input_format"],
        "encoding": encoding,
    }
    export_sample(source, output, rows, given["predictions"], given["size"], given["seed"])


@verdicts.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="ANSWERS...")
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), metavar="VERDICTS.jsonl", help="The verdicts."
)
@with_options(DEBUG)
def import_(files: tuple[Path, ...], output: Path) -> None:
    """Read the answers of annotators, exported by Label Studio (.json) or Toloka (.tsv)."""
    from augment_ru.jobs.verdicts import import_answers  # noqa: PLC0415

    import_answers(list(files), output)
