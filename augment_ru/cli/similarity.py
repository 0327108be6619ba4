"""`augment-ru similarity`."""

from pathlib import Path
from typing import Any

import click

from augment_ru.cli.shared_options import DEBUG, DEVICE, FILE_FORM, SIMILARITY, table_format, usage, with_options
from augment_ru.errors import AugmentError, amount


@click.command(short_help="Score given pairs of texts.")
@click.argument("source", metavar="PAIRS|-")
@with_options(SIMILARITY)
@with_options(FILE_FORM)
@with_options(DEVICE)
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="OUT.jsonl", help="Each pair with its score.")
@with_options(table_format())
@with_options(DEBUG)
def similarity(source: str, **given: Any) -> None:  # noqa: ANN401
    """Score given pairs of texts: rows with `original` and `perturbed`, or the output of perturb.

    Prints mean, deviation and quantiles by attack, × 100, as in Table 1 of TAPE, over all pairs, unchanged ones too.
    Rows of perturb that state their edits get the score that the gate gave them.

    \b
    augment-ru similarity pairs.jsonl --similarity bertscore:bert-base-multilingual-cased
    """  # noqa: D301  (the backspace is click's mark for lines that stay as they are)
    from augment_ru.engine.prepare import Preparation  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.engine.similarity import similarity_of  # noqa: PLC0415
    from augment_ru.evaluation.table_text import as_text  # noqa: PLC0415
    from augment_ru.evaluation.terminal import print_tables  # noqa: PLC0415
    from augment_ru.formats.encodings import UTF8, check_encoding  # noqa: PLC0415
    from augment_ru.formats.files import check_outputs, named_files, replacing  # noqa: PLC0415
    from augment_ru.formats.json_lines import encoded_row  # noqa: PLC0415
    from augment_ru.formats.read import read_rows  # noqa: PLC0415
    from augment_ru.jobs.progress import say  # noqa: PLC0415
    from augment_ru.jobs.similarity import figures, figures_table, pairs_in, scored  # noqa: PLC0415
    from augment_ru.own_code import own_files  # noqa: PLC0415

    spec, output, form = given["similarity"] or "meaning", given["output"], given["form"] or "table"
    encoding = given["encoding"] or UTF8
    try:
        found = similarity_of(spec, may_import=True)
        read = [source, *named_files([spec.partition(":")[2]]), *map(str, own_files())]
        check_outputs([("-o", None if output is None else str(output))], read)
        check_encoding(encoding)
        if found is None:
            raise AugmentError("--similarity none: nothing to score with; give meaning, navec or bertscore")  # noqa: TRY301
    except AugmentError as error:
        raise usage(error) from error
    pairs = [pair for row in read_rows(source, given["input_format"], encoding).rows for pair in pairs_in(row)]
    if not pairs:
        raise AugmentError(f"{source}: no pairs")
    scores = scored(pairs, found.on_device(given["device"] or "auto"), Preparation(()))
    if output is not None:
        with replacing(output) as stream:
            for pair, score in zip(pairs, scores, strict=True):
                texts = {"attack": pair.attack, "original": pair.original, "perturbed": pair.perturbed}
                stream.write(f"{encoded_row({**texts, 'similarity': score})}\n".encode())
        say(f"wrote {amount(len(pairs), 'pair')} to {output}")
    made = figures_table(figures(pairs, scores))
    if form == "table":
        print_tables([made])
    else:
        click.echo(as_text(made, form), nl=False)
