"""Turn click's messages on wrong usage into this package's form: where, what, what is possible, what to do."""

import os.path

import click

from augment_ru.errors import unknown
from augment_ru.options import meant_number

_TOO_MANY = "Got unexpected extra argument"


class Real(click.types.FloatParamType):
    """A number on the command line. If it has a comma or a per cent sign, the error suggests how to write it.

    >>> Real().convert("0.15", None, None)
    0.15
    """

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Convert a value to a float.

        Raises:
            click.BadParameter: the value is not a number.
        """
        try:
            return float(str(value))
        except ValueError:
            self.fail(f"'{value}' is not a number{meant_number(str(value))}", param, ctx)


REAL = Real()


def misuse(error: click.UsageError) -> str:
    """Return the message for an error in the use of a command (such as an unknown option), as one line."""
    command = error.ctx.command_path if error.ctx else ""
    hint = f" (see {command} --help)" if command else ""
    return f"{_said(error).removesuffix('.')}{hint}"


def is_file(text: str) -> bool:
    """Tell whether a text that was given on the command line is the path of a file.

    A text that is longer than a path can be is none.
    """
    return os.path.isfile(text)  # noqa: PTH113  (`Path.is_file` raises an error for a long one)


def no_command(group: click.Group, context: click.Context, args: list[str]) -> click.UsageError:
    """Return the error to raise if the first argument is not one of the commands.

    Args:
        group: the commands.
        context: click's context of the call, which the message uses.
        args: the arguments.
    """
    name = args[0]
    if is_file(name) and "perturb" in group.commands:
        said = f"{name}: is a file; a command stands before it, as in {context.command_path} perturb {name}"
    else:
        said = str(unknown("command", name, group.commands))
    return click.UsageError(said, context)


def _said(error: click.UsageError) -> str:
    context = error.ctx
    if isinstance(error, click.NoSuchOption) and context is not None:
        place = _place(error.option_name, context)
        return f"{error.message.removesuffix('.')}{place}" if place else error.format_message()
    if isinstance(error, click.MissingParameter):
        usage = "" if error.param and isinstance(error.param.type, click.Choice) else _usage(context)
        return f"{error.format_message().removesuffix('.')}{usage}"
    if isinstance(error, click.BadParameter) and error.param is not None:
        said = error.message.removesuffix(".").replace("is not a valid integer", "is not a whole number")
        return f"{max(error.param.opts, key=len)}: {said}" if isinstance(error.param, click.Option) else said
    if context is not None and error.message.startswith(_TOO_MANY):
        named = error.message.removeprefix(_TOO_MANY).lstrip("s ").removesuffix(".")
        repeated = ", and an option is repeated for each of its values (--attack A --attack B)"
        more = repeated if "--attack" in _option_names(context.command) else ""
        return f"too many arguments {named}; one run takes one input{more}{_usage(context)}"
    return error.format_message()


def _place(option: str, context: click.Context) -> str:
    """Return the end of a message about a wrong option: which commands have this option; "" if no command has it."""
    root = context.find_root()
    commands = root.command.commands.items() if isinstance(root.command, click.Group) else ()
    owners = [name for name, command in commands if option in _option_names(command)]
    if not owners:
        return ""
    if context is root:
        return f"; options stand after the command, as in {root.command_path} {owners[0]} … {option} …"
    return f"; it is an option of {', '.join(owners)}"


def _option_names(command: click.Command) -> set[str]:
    return {name for one in command.params if isinstance(one, click.Option) for name in one.opts}


def _usage(context: click.Context | None) -> str:
    if context is None:
        return ""
    return f"; usage: {context.command_path} {' '.join(context.command.collect_usage_pieces(context))}"
