"""Options by name: parses the texts that a user wrote, and makes dataclass objects with these values."""

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, SupportsIndex

from augment_ru.errors import AugmentError, check_known

T = typing.TypeVar("T")


def configured(name: str, made: Any, options: Mapping[str, Any]) -> Any:  # noqa: ANN401  (any dataclass)
    """Make an object of a dataclass, such as an attack, from options; a string is parsed as the type of its field.

    Args:
        name: what the class is called in messages.
        made: the dataclass.
        options: the values by field name.

    Raises:
        AugmentError: the dataclass has no such option, or a value does not fit.
    """
    return made(**values_of(name, made, options))


def on_device(one: T, device: str) -> T:
    """Return a copy of an object with its option `device` set; the object itself if it has no such option.

    Args:
        one: the object, of a dataclass.
        device: the device, such as `cpu` or `cuda:0`.
    """
    has_device = "device" in getattr(one, "__dataclass_fields__", ())
    return typing.cast("T", dataclasses.replace(typing.cast("Any", one), device=device)) if has_device else one


def values_of(name: str, made: Any, options: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ANN401  (any dataclass)
    """Return the values of options by field name, parsed and checked, without making the object.

    Args:
        name: what the class is called in messages.
        made: the dataclass whose fields are the options.
        options: the values by field name; a value given as a string is parsed as its field's type.

    Raises:
        AugmentError: the dataclass has no such option, or a text cannot be parsed.
    """
    known = options_of(made)
    values = {}
    for option, value in options.items():
        check_known(f"option of {name}", option, known)
        values[option] = parse(f"{name}.{option}", value, known[option]) if isinstance(value, str) else value
    return values


def by_name(parameter: str, pairs: Sequence[str], wanted: str) -> dict[str, dict[str, str]]:
    """Split strings `NAME.OPTION=VALUE`, and return the values by name and option.

    >>> by_name("model_options", ["linear.longest=3"], "KIND.NAME=VALUE")
    {'linear': {'longest': '3'}}

    Args:
        parameter: the parameter that holds the strings, for the message.
        pairs: the strings.
        wanted: the form that the strings must have, for the message.

    Raises:
        AugmentError: a string has another form.
    """
    found: dict[str, dict[str, str]] = {}
    for pair in pairs:
        left, equals, value = pair.partition("=")
        name, dot, option = left.partition(".")
        if not (equals and dot and name and option):
            raise AugmentError(f"`{parameter}` {pair}: must be {wanted}")
        found.setdefault(name, {})[option] = value
    return found


def meant_number(text: str) -> str:
    """Return the end of an error message: how to write a number that has a decimal comma or a per cent sign.

    A text that is not such a number gives "".

    >>> meant_number("0,15"), meant_number("15 %"), meant_number("much")
    ('; write 0.15', '; write 0.15', '')
    """
    bare = text.strip().removesuffix("%").strip().replace(",", ".")
    try:
        number = float(bare)
    except ValueError:
        return ""
    return f"; write {number / 100 if text.strip().endswith('%') else number:g}"


def options_of(made: Any) -> dict[str, Any]:  # noqa: ANN401  (any dataclass)
    """Return the options of a dataclass and their types; an empty dictionary for any other class."""
    types_of = typing.get_type_hints(made) if _is_data(made) else {}
    return {field.name: types_of[field.name] for field in fields_of(made)}


def fields_of(made: Any) -> tuple[dataclasses.Field[Any], ...]:  # noqa: ANN401  (any dataclass)
    """Return the fields of a dataclass that are options: all but those with `metadata={"option": False}`.

    Fields that are not options can be set only in Python.
    """
    fields = dataclasses.fields(made) if _is_data(made) else ()
    return tuple(field for field in fields if field.metadata.get("option", True))


def _is_data(value: Any) -> bool:  # noqa: ANN401
    return dataclasses.is_dataclass(value)


def parse(where: str, text: str, wanted: Any) -> Any:  # noqa: ANN401  (a type form in, a value of it out)
    """Parse a text as a value of a type: str, int, float, bool, tuple[str, ...], or X | None.

    Args:
        where: the name of the option, for the message.
        text: the text. For X | None, `none` means None. Commas separate the items of a tuple; an empty text is an
            empty tuple. A bool is `true` or `false`.
        wanted: the type.

    Raises:
        AugmentError: the text is not a value of this type.
    """
    if typing.get_origin(wanted) in (typing.Union, types.UnionType):
        if text == "none":
            return None
        wanted = next(inner for inner in typing.get_args(wanted) if inner is not type(None))
    if typing.get_origin(wanted) is tuple:
        return tuple(item.strip() for item in text.split(",") if item.strip())
    if wanted is bool:
        if text not in ("true", "false"):
            raise AugmentError(f"{where}: '{text}'; possible: true, false")
        return text == "true"
    try:
        return wanted(text)
    except ValueError as error:
        kind = {int: "an integer", float: "a number"}.get(wanted, f"of type {wanted.__name__}")
        remedy = meant_number(text) if wanted is float else ""
        raise AugmentError(f"{where}: '{text}' is not {kind}{remedy}") from error


def integer(name: str, value: SupportsIndex, *, least: int | None = None, most: int | None = None) -> int:
    """Check an argument and return it as a Python integer; bools and NumPy integers count as integers, floats do not.

    >>> integer("seed", True)
    1

    Args:
        name: the name of the argument, for the message.
        value: its value.
        least: the least allowed value; None for no lower bound.
        most: the greatest allowed value, given only together with `least`; None for no upper bound.

    Raises:
        AugmentError: `value` is not an integer, or is out of range.
    """
    wanted = "" if least is None else f", {least} or more" if most is None else f" from {least} to {most}"
    try:
        number = index(value)
    except TypeError:
        number = None
    if number is None or (least is not None and number < least) or (most is not None and number > most):
        raise AugmentError(f"{name} {value!r}; needs an integer{wanted}")
    return number
