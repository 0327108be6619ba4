"""Options by name: objects made from the texts that a user wrote."""

import dataclasses
import types
import typing
from collections.abc import Mapping
from operator import index
from typing import Any, SupportsIndex

from augment_ru.errors import AugmentError, unknown

T = typing.TypeVar("T")


def configured(name: str, made: Any, options: Mapping[str, Any]) -> Any:  # noqa: ANN401  (any dataclass)
    """An object of a dataclass with these options; texts are read as the type of the field.

    Args:
        name: what the class is called in messages.
        made: the dataclass.
        options: values by field.

    Raises:
        AugmentError: there is no such option, or a value does not fit.
    """
    return made(**values_of(name, made, options))


def on_device(one: T, device: str) -> T:
    """The same with its networks on a device; the object itself if it is no dataclass with an option `device`."""
    has_device = "device" in getattr(one, "__dataclass_fields__", ())
    return typing.cast("T", dataclasses.replace(typing.cast("Any", one), device=device)) if has_device else one


def values_of(name: str, made: Any, options: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ANN401  (any dataclass)
    """The values of options by field, read and checked as `configured` does.

    Raises:
        AugmentError: there is no such option, or a value does not fit.
    """
    known = options_of(made)
    values = {}
    for option, value in options.items():
        if option not in known:
            raise unknown(f"option of {name}", option, known)
        values[option] = parse(f"{name}.{option}", value, known[option]) if isinstance(value, str) else value
    return values


def meant_number(text: str) -> str:
    """For a message: what to write for a number with a decimal comma or a per cent sign; nothing for other texts.

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
    """The options of a dataclass and their types; none for any other class."""
    types_of = typing.get_type_hints(made) if _is_data(made) else {}
    return {field.name: types_of[field.name] for field in fields_of(made)}


def fields_of(made: Any) -> tuple[dataclasses.Field[Any], ...]:  # noqa: ANN401  (any dataclass)
    """The fields of a dataclass that are options; a field with `metadata={"option": False}` is set only in Python."""
    fields = dataclasses.fields(made) if _is_data(made) else ()
    return tuple(field for field in fields if field.metadata.get("option", True))


def _is_data(value: Any) -> bool:  # noqa: ANN401
    return dataclasses.is_dataclass(value)


def parse(where: str, text: str, wanted: Any) -> Any:  # noqa: ANN401  (a type form in, a value of it out)
    """The value of a text, read as a type: str, int, float, bool, tuple[str, ...], or X | None.

    Args:
        where: the name of the option, for the message.
        text: the text; `none` is None, commas separate the items of a tuple, and an empty text has none.
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
    """An argument as an integer of Python; one of NumPy is the same number.

    >>> integer("seed", True)
    1

    Args:
        name: the name of the argument, for the message.
        value: its value.
        least: the least that it may be; None if there is none.
        most: the most that it may be, where there is a least; None if there is none.

    Raises:
        AugmentError: it is no integer, or out of its range.
    """
    wanted = "" if least is None else f", {least} or more" if most is None else f" from {least} to {most}"
    try:
        number = index(value)
    except TypeError:
        number = None
    if number is None or (least is not None and number < least) or (most is not None and number > most):
        raise AugmentError(f"{name} {value!r}; needs an integer{wanted}")
    return number
