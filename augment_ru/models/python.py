"""A function of yours: `python:package.module:function` takes a list of examples and returns a list of predictions."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Example, Model, PredictFunction, Prediction
from augment_ru.options import chosen
from augment_ru.records.task import Task

INPUTS = ("example", "record", "text")


@dataclass(frozen=True, slots=True)
class Options:
    """What can be set with `--model-option python.NAME=VALUE`.

    Attributes:
        input: what the function gets a list of: example (`augment_ru.Example`), record (the row as a dictionary) or
            text.
    """

    input: str = "example"


@dataclass(frozen=True, slots=True)
class Simple:
    """A function that takes texts, or rows as dictionaries, in place of examples."""

    function: Callable[[list[Any]], Sequence[Prediction]]
    given: str
    few_shot: bool = False

    @property
    def signature(self) -> str | None:
        """That of the function, if it has one."""
        found = getattr(self.function, "signature", None)
        return f"{found}|input={self.given}" if isinstance(found, str) else None

    def __call__(self, examples: Sequence[Example], /) -> Sequence[Prediction]:
        """What the function says."""
        return self.function([example.text if self.given == "text" else example.record for example in examples])


def python(
    argument: str,
    /,
    *,
    task: Task,
    labels: tuple[str, ...] | None,
    device: str,
    options: Mapping[str, Any],
) -> Model | PredictFunction:
    """The function, imported; modules of the current folder are found.

    Raises:
        AugmentError: it cannot be imported, or is no function.
    """
    del task, labels, device
    given = chosen("python", Options, options).input
    if given not in INPUTS:
        raise AugmentError(f"option input={given}: must be one of {', '.join(INPUTS)}")
    name, colon, path = argument.partition(":")
    if not (name and colon and path):
        raise AugmentError("must be python:package.module:function")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = import_module(name)
        for part in path.split("."):
            found = getattr(found, part)
    except Exception as error:  # importing runs the user's own code, which may raise anything
        raise AugmentError(f"cannot be imported: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise AugmentError(f"{path} of {name} is a {type(found).__name__}, not a function")
    model: PredictFunction = found
    return model if given == "example" else Simple(found, given)
