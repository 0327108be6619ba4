"""An extension of griffe for the documentation site: examples in docstrings become blocks of code."""

import re
from typing import Any

from griffe import Extension

_EXAMPLE = re.compile(r"(?m)^>>> (?:.+\n?)+")
"""A doctest: its lines to the next empty one, or to the end."""


class Examples(Extension):
    """Puts a fence around each doctest; as Markdown it would be a quotation."""

    def on_object(self, *, obj: Any, **kwargs: Any) -> None:  # noqa: ANN401, D102  (griffe's own signature)
        del kwargs
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    r"""A docstring whose doctests are blocks of code.

    >>> fenced(">>> 1 + 1\n2")
    '```pycon\n>>> 1 + 1\n2\n```'
    """
    return _EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```", docstring)
