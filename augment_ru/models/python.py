"""Your own function, `python:MODULE:FUNCTION`: it takes a list of examples and returns their predictions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Example, Model, ModelRequest, NamedModel, PredictFunction, Prediction
from augment_ru.models._options import CheckedOptions, limited
from augment_ru.registry import imported, is_own, own_object

INPUTS = ("example", "record", "text")


@dataclass(frozen=True, slots=True)
class Options(CheckedOptions):
    """The options of the model `python` (a function of the user), set by `--model-option python.NAME=VALUE`.

    Attributes:
        input: the type of the entries in the list that the function takes: `example` (`augment_ru.Example`), `record`
            (the row as a dictionary) or `text`.
    """

    input: str = limited("example", possible=INPUTS)


@dataclass(frozen=True, slots=True)
class FunctionModel(Model):
    """A model that calls a function with texts, or with rows as dictionaries, instead of examples.

    It gets no demonstrations.

    Attributes:
        function: the function.
        input: what the list passed to the function holds: `text` or `record`.
        signature: all that defines the answers; None if the answers must not be cached.
        deterministic: whether the function always answers a question in the same way.
    """

    function: Callable[[list[Any]], Sequence[Prediction]]
    input: str
    signature: str | None
    deterministic: bool = False
    few_shot = False

    def __call__(self, examples: Sequence[Example], /) -> Sequence[Prediction]:
        """Return the predictions of the function, one for each example, in their order."""
        return self.function([example.text if self.input == "text" else example.record for example in examples])


def python(request: ModelRequest, /) -> Model | PredictFunction:
    """Import a user's function as a model, from an installed package or from the current folder.

    Args:
        request: what the model is made from; its `argument` names the function.

    Raises:
        AugmentError: the name cannot be imported or is not that of a function, or an option is wrong.
    """
    kind = request.options.input
    place = request.argument
    found: Any = own_object(place) if is_own(place) else imported(place)
    if not callable(found):
        raise AugmentError(f"is of type {type(found).__name__}, not a function")
    if kind == "example":
        model: PredictFunction = found
        return model
    stated = NamedModel.of(request.argument, found)
    signature = None if stated.signature is None else f"{stated.signature}|input={kind}"
    return FunctionModel(found, kind, signature, stated.deterministic)
