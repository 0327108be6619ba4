"""Options by name: dataclasses made from what a user wrote."""

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any

from augment_ru.errors import AugmentError, unknown

T = typing.TypeVar("T")


def configured(name: str, made: Any, options: Mapping[str, Any]) -> Any:  # noqa: ANN401  (any dataclass)
    """An object of the class with some of its fields set; strings are read as the field's type.

    Raises:
        AugmentError: there is no such field, or a value does not fit.
    """
    known = options_of(made)
    values = {}
    for option, value in options.items():
        if option not in known:
            raise unknown(f"option of {name}", option, known)
        values[option] = parse(f"{name}.{option}", value, known[option]) if isinstance(value, str) else value
    return made(**values)


def chosen(kind: str, made: type[T], options: Mapping[str, Any]) -> T:
    """The options of a kind of model; `train` and `seed` are given to all, and left out where they are of no use.

    Raises:
        AugmentError: there is no such option, or a value does not fit.
    """
    known = options_of(made)
    mine = {name: value for name, value in options.items() if name in known or name not in ("train", "seed")}
    found: T = configured(kind, made, mine)
    return found


def options_of(made: Any) -> dict[str, Any]:  # noqa: ANN401  (any dataclass)
    """The options of a class and their types."""
    types_of = typing.get_type_hints(made) if _is_data(made) else {}
    return {field.name: types_of[field.name] for field in fields_of(made)}


def fields_of(made: Any) -> tuple[dataclasses.Field[Any], ...]:  # noqa: ANN401  (any dataclass)
    """The fields that are options; those with `metadata={"option": False}` are set in Python alone."""
    fields = dataclasses.fields(made) if _is_data(made) else ()
    return tuple(field for field in fields if field.metadata.get("option", True))


def _is_data(value: Any) -> bool:  # noqa: ANN401
    return dataclasses.is_dataclass(value)


def parse(where: str, text: str, wanted: Any) -> Any:  # noqa: ANN401  (a type form in, a value of it out)
    """The value that a text stands for, read as a type: str, int, float, bool, tuple[str, ...], or X | None.

    Raises:
        AugmentError: the text is no such value.
    """
    if typing.get_origin(wanted) in (typing.Union, types.UnionType):
        if text == "none":
            return None
        wanted = next(inner for inner in typing.get_args(wanted) if inner is not type(None))
    if typing.get_origin(wanted) is tuple:
        return tuple(text.split(","))
    if wanted is bool:
        if text not in ("true", "false"):
            raise AugmentError(f"{where}: '{text}'; possible: true, false")
        return text == "true"
    try:
        return wanted(text)
    except ValueError as error:
        raise AugmentError(f"{where}: '{text}' is not of type {wanted.__name__}") from error
