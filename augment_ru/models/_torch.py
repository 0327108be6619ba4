"""Any torch module as a model: on its device, without gradients, in batches that fit into memory."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from augment_ru.draws import Ints
from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Example, Prediction
from augment_ru.inference.pretrained import device_of, dtype_of, each_batch

if TYPE_CHECKING:
    from torch.nn import Module

Collate = Callable[[Sequence[Example]], Any]
"""Makes the module's input of a batch: a tensor, or a tuple, list or object of tensors."""
Decode = Callable[[Any], Sequence[Prediction]]
"""Makes predictions of the module's output, one for each example of the batch."""


def text_length(example: Example) -> int:
    """The length of an example in characters, where nothing better is known."""
    return len(example.text)


@dataclass(frozen=True, slots=True, init=False)
class TorchModel:
    """A torch module that answers examples.

    The module is moved to the device and put into evaluation mode when the model is made. Examples go through it in
    batches of like length, the longest first; a batch that does not fit into memory is halved and tried again.

    Attributes:
        module: the module.
        collate: makes its input of a batch; tensors in it are moved to the device. A tuple is the module's arguments,
            an object its keyword arguments, all else its only argument.
        decode: makes predictions of its output.
        length: how long an example is, in the unit of `budget`.
        budget: how much a batch may hold, with padding to its longest example.
        device: where it runs.
        autocast: the dtype of torch's autocast, or None for none.
        few_shot: whether it looks at demonstrations.
        signature: all that defines the answers, for the cache of responses; None keeps none.
    """

    module: "Module"
    collate: Collate
    decode: Decode
    length: Callable[[Example], int]
    budget: int
    device: Any
    autocast: Any
    few_shot: bool
    signature: str | None

    def __init__(
        self,
        module: "Module",
        collate: Collate,
        labels: Sequence[str] | None = None,
        *,
        decode: Decode | None = None,
        length: Callable[[Example], int] = text_length,
        budget: int = 16_384,
        device: str = "auto",
        autocast: str | None = "auto",
        few_shot: bool = False,
        signature: str | None = None,
    ) -> None:
        """The model of a module.

        Args:
            module: what is called.
            collate: makes its input of a batch.
            labels: the label of each output; the highest output of a row is its answer. In place of `decode`.
            decode: makes predictions of its output.
            length: how long an example is; by default in characters.
            budget: how much a batch may hold, in the unit of `length`.
            device: auto, cpu or cuda[:N].
            autocast: auto (bfloat16 on a GPU, none on the CPU), a dtype, or None for none.
            few_shot: whether the module looks at demonstrations.
            signature: all that defines the answers.

        Raises:
            AugmentError: there is no such device or dtype, neither labels nor decode are given, or both are.
        """
        if (labels is None) == (decode is None):
            raise AugmentError("a torch model needs either labels, one for each output, or decode(output)")
        where = device_of(device)
        number = None
        if autocast is not None and not (autocast == "auto" and where.type == "cpu"):
            number = dtype_of(autocast, where)
        values = {
            "module": module.to(where).eval(),
            "collate": collate,
            "decode": decode or highest(labels or ()),
            "length": length,
            "budget": budget,
            "device": where,
            "autocast": number,
            "few_shot": few_shot,
            "signature": signature,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __call__(self, examples: Sequence[Example], /) -> list[Prediction]:
        """A prediction for each example, in their order.

        Raises:
            AugmentError: an example by itself does not fit into memory, or there is not a prediction for each.
        """
        import torch  # noqa: PLC0415

        found: list[Prediction] = [None] * len(examples)
        casting = torch.autocast(self.device.type, dtype=self.autocast) if self.autocast is not None else nullcontext()

        def answer(batch: Ints) -> None:
            asked = [examples[index] for index in batch]
            with torch.inference_mode(), casting:
                inputs = moved(self.collate(asked), self.device)
                if isinstance(inputs, Mapping):
                    output = self.module(**inputs)
                else:
                    output = self.module(*inputs) if isinstance(inputs, tuple) else self.module(inputs)
            said = self.decode(output)
            if len(said) != len(asked):
                raise AugmentError(f"{len(said)} predictions for {len(asked)} examples; decode must give one for each")
            for index, one in zip(batch, said, strict=True):
                found[index] = one

        lengths = np.array([max(self.length(example), 1) for example in examples], dtype=np.int64)
        each_batch(lengths, self.budget, answer)
        return found


def highest(labels: Sequence[str]) -> Decode:
    """The label of the highest output of each row; the output is a tensor, or has it as `logits` or first.

    Raises:
        AugmentError: when it is called: there is not an output for each label.
    """

    def decode(output: Any) -> list[Prediction]:  # noqa: ANN401  (whatever the module returns)
        scores = getattr(output, "logits", output)
        scores = scores[0] if isinstance(scores, tuple) else scores
        if scores.shape[-1] != len(labels):
            raise AugmentError(f"the module has {scores.shape[-1]} outputs for {len(labels)} labels")
        return [labels[index] for index in scores.float().argmax(-1).tolist()]

    return decode


def moved(value: Any, device: Any) -> Any:  # noqa: ANN401  (what a collate function returns)
    """The value with every tensor in it on the device."""
    if callable(getattr(value, "to", None)):  # tensors, packed sequences, what tokenizers return
        return value.to(device)
    if isinstance(value, Mapping):
        return {name: moved(one, device) for name, one in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(moved(one, device) for one in value)
    return value
