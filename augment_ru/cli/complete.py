"""What a shell offers after an option: the names of attacks, tasks and constraints, or files."""

from collections.abc import Sequence

import click
from click.shell_completion import CompletionItem


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
