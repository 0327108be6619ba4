"""Completion in the shell: the names of attacks, tasks and constraints, and `augment-ru completion`."""

from collections.abc import Sequence

import click
from click.shell_completion import CompletionItem, get_completion_class

from augment_ru.errors import AugmentError


def complete_attacks(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The attacks whose names begin as the part that is typed after the last `+`; where none does, files."""
    del context, parameter
    before, plus, last = typed.rpartition("+")
    return _items("attacks", last, before + plus)


def complete_tasks(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The tasks whose names begin as what is typed; where none does, files."""
    del context, parameter
    return _items("tasks", typed, more=("generic",))


def complete_constraints(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The constraints whose names begin as what is typed; where none does, files."""
    del context, parameter
    from augment_ru.constraints.rule_file import constraint_paths  # noqa: PLC0415  (loads what --help does not need)

    names = [name for name in constraint_paths() if name.startswith(typed)]
    return [CompletionItem(name) for name in names] or [CompletionItem(typed, type="file")]


def _items(kind: str, typed: str, before: str = "", more: Sequence[str] = ()) -> list[CompletionItem]:
    from augment_ru.registry import names  # noqa: PLC0415

    found = [CompletionItem(f"{before}{name}") for name in [*names(kind), *more] if name.startswith(typed)]
    return found or [CompletionItem(f"{before}{typed}", type="file")]


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.option("--debug", is_flag=True, hidden=True)
def completion(shell: str, debug: bool) -> None:  # noqa: FBT001  (click passes options by name)
    """Print a script that completes commands, options and names in a shell.

    \b
    eval "$(augment-ru completion bash)"     # in ~/.bashrc
    eval "$(augment-ru completion zsh)"      # in ~/.zshrc
    augment-ru completion fish | source      # in ~/.config/fish/config.fish
    """  # noqa: D301  (the backspace tells click to keep the line breaks)
    del debug
    made = get_completion_class(shell)
    if made is None:
        raise AugmentError(f"{shell}: click has no completion for it")
    root = click.get_current_context().find_root()
    click.echo(made(root.command, {}, "augment-ru", "_AUGMENT_RU_COMPLETE").source())
