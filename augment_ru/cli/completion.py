"""`augment-ru completion`."""

import click
from click.shell_completion import get_completion_class

from augment_ru.cli.shared_options import DEBUG, with_options
from augment_ru.errors import AugmentError


@click.command(short_help="Print a script that completes commands in a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@with_options(DEBUG)
def completion(shell: str) -> None:
    """Print a script that completes commands, options and names in a shell.

    \b
    eval "$(augment-ru completion bash)"     # in ~/.bashrc
    eval "$(augment-ru completion zsh)"      # in ~/.zshrc
    augment-ru completion fish | source      # in ~/.config/fish/config.fish
    """  # noqa: D301  (the backspace tells click to keep the line breaks)
    made = get_completion_class(shell)
    if made is None:
        raise AugmentError(f"{shell}: click has no completion for it")
    root = click.get_current_context().find_root()
    click.echo(made(root.command, {}, "augment-ru", "_AUGMENT_RU_COMPLETE").source())
