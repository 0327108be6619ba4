"""`augment-ru similarity`."""

from pathlib import Path

import click

from augment_ru.cli.shared_options import usage
from augment_ru.errors import AugmentError


@click.command()
@click.argument("source", metavar="PAIRS.jsonl|-")
@click.option(
    "--similarity",
    "spec",
    default="meaning",
    metavar="NAME",
    help="As for perturb: meaning, navec, bertscore[:MODEL[@LAYER]] …  [default: meaning]",
)
@click.option("--device", default="auto", metavar="NAME", help="auto, cpu or cuda[:N].  [default: auto]")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="OUT.jsonl", help="Each pair with its score.")
@click.option(
    "--format",
    "form",
    default="table",
    type=click.Choice(["table", "markdown", "csv", "latex"]),
    help="How the figures are printed.  [default: table]",
)
@click.option("--debug", is_flag=True, hidden=True)
def similarity(  # noqa: PLR0917  (click passes options by name)
    source: str,
    spec: str,
    device: str,
    output: Path | None,
    form: str,
    debug: bool,  # noqa: FBT001
) -> None:
    """Score given pairs of texts: rows with `original` and `perturbed`, or the output of perturb.

    Prints mean, deviation and quantiles by attack, × 100, as in Table 1 of TAPE, over all pairs, unchanged ones too.
    Rows of perturb that state their edits get the score that the gate gave them.

    \b
    augment-ru similarity pairs.jsonl --similarity bertscore:bert-base-multilingual-cased
    """  # noqa: D301  (the backspace is click's mark for lines that stay as they are)
    del debug
    from augment_ru.engine.prepare import Preparation  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.engine.similarity import similarity_of  # noqa: PLC0415
    from augment_ru.evaluation.table_text import as_text  # noqa: PLC0415
    from augment_ru.evaluation.terminal import print_table  # noqa: PLC0415
    from augment_ru.formats.files import check_outputs, named_files, replacing  # noqa: PLC0415
    from augment_ru.formats.json_lines import encoded_row  # noqa: PLC0415
    from augment_ru.formats.read import read_rows  # noqa: PLC0415
    from augment_ru.jobs.progress import say  # noqa: PLC0415
    from augment_ru.jobs.similarity import figures, figures_table, pairs_in, scored  # noqa: PLC0415
    from augment_ru.own_code import own_files  # noqa: PLC0415

    try:
        found = similarity_of(spec, may_import=True)
        read = [source, *named_files([spec.partition(":")[2]]), *map(str, own_files())]
        check_outputs([("-o", None if output is None else str(output))], read)
        if found is None:
            raise AugmentError("--similarity none: nothing to score with; give meaning, navec or bertscore")  # noqa: TRY301
    except AugmentError as error:
        raise usage(error) from error
    pairs = [pair for row in read_rows(source).rows for pair in pairs_in(row)]
    if not pairs:
        raise AugmentError(f"{source}: no pairs")
    scores = scored(pairs, found.on_device(device), Preparation(()))
    if output is not None:
        with replacing(output) as stream:
            for pair, score in zip(pairs, scores, strict=True):
                texts = {"attack": pair.attack, "original": pair.original, "perturbed": pair.perturbed}
                stream.write(f"{encoded_row({**texts, 'similarity': score})}\n".encode())
        say(f"wrote {len(pairs):,} pairs to {output}")
    made = figures_table(figures(pairs, scores))
    if form == "table":
        print_table(made)
    else:
        click.echo(as_text(made, form), nl=False)
