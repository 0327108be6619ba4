"""Write YAML: tables, lists, texts and numbers, always in the same form."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"})


@dataclass(frozen=True, slots=True)
class Function:
    """A reference to a function in a YAML file of lm-evaluation-harness: `!function MODULE.NAME`.

    The harness imports the function.

    Attributes:
        name: the name, with its module.
    """

    name: str


def yaml(content: Mapping[str, Any]) -> str:
    """Write a table as YAML, with its keys in their order.

    >>> print(yaml({"pretty_name": "Обзор: 1", "language": ["ru"], "sizes": {"train": 3, "test": []}}), end="")
    pretty_name: "Обзор: 1"
    language:
    - ru
    sizes:
      train: 3
      test: []
    """
    return "".join(f"{line}\n" for line in _table(content))


def _table(content: Mapping[str, Any]) -> list[str]:
    lines = []
    for key, value in content.items():
        inner = _inner(value)
        if inner is None:
            lines.append(f"{_scalar(key)}: {_scalar(value)}")
        else:
            indent = "" if isinstance(value, Sequence) else "  "
            lines += [f"{_scalar(key)}:", *(indent + line for line in inner)]
    return lines


def _inner(value: object) -> list[str] | None:
    """Return the lines of a table or list that is not empty; None for any other value."""
    if isinstance(value, Mapping) and value:
        return _table(value)
    if isinstance(value, Sequence) and not isinstance(value, str) and value:
        lines = []
        for one in value:
            first, *rest = _inner(one) or [_scalar(one)]
            lines += [f"- {first}", *(f"  {line}" for line in rest)]
        return lines
    return None


def _scalar(value: object) -> str:
    if isinstance(value, Function):
        return f"!function {value.name}"
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    if isinstance(value, str):
        quoted = json.dumps(value, ensure_ascii=False)
        return "".join(char if char.isprintable() else _escaped(char) for char in quoted)
    if isinstance(value, float):
        mantissa, exponent, power = repr(value).partition("e")
        return f"{mantissa}{'' if '.' in mantissa else '.0'}{exponent}{power}"  # YAML reads 1e-9 as a text
    if isinstance(value, Mapping | Sequence):
        return "{}" if isinstance(value, Mapping) else "[]"
    return json.dumps(value)


def _escaped(char: str) -> str:
    return f"\\U{ord(char):08x}" if ord(char) > 0xFFFF else f"\\u{ord(char):04x}"  # noqa: PLR2004
