"""`augment-ru models`."""

import click

from augment_ru.cli.shared_options import DEBUG, HelpfulGroup, with_options
from augment_ru.errors import AugmentError


@click.group(cls=HelpfulGroup)
@with_options(DEBUG)
def models() -> None:
    """Download models for attacks and similarities."""


@models.command()
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--preset", help="Download every model that a preset needs.")
@click.option("--revision", metavar="COMMIT", help="Branch, tag or commit to download.")
@with_options(DEBUG)
def pull(names: tuple[str, ...], preset: str | None, revision: str | None) -> None:
    """Download models from the Hugging Face hub into the local cache.

    Downloads weights as safetensors if the repository has them, and never code. No other part of augment-ru uses
    the internet, except the servers that you name (openai:URL).

    \b
    augment-ru models pull bert-base-multilingual-cased
    augment-ru models pull --preset tape
    """  # noqa: D301  (the backspace tells click to keep the line breaks)
    from augment_ru.engine.presets import preset as preset_of  # noqa: PLC0415  (so that --help loads nothing heavy)
    from augment_ru.inference.hub import pull as fetch  # noqa: PLC0415

    try:
        wanted = [*names, *(preset_of(preset).models if preset else ())]
    except AugmentError as error:
        raise click.UsageError(str(error)) from error
    if not wanted and preset:
        raise click.UsageError(f"preset {preset} needs no model; name a model, or give --preset tape")
    if not wanted:
        raise click.UsageError("no model is named; name one, or give --preset tape")
    for name in wanted:
        click.echo(f"{name}: {fetch(name, revision)}")
