"""Use a torch module as a model: on its device, without gradients, in batches that fit into memory."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from augment_ru.draws import Ints
from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import CHUNK, Example, Model, Prediction
from augment_ru.inference.batches import each_batch
from augment_ru.inference.pretrained import device_of, dtype_of

if TYPE_CHECKING:
    from torch.nn import Module

Collate = Callable[[Sequence[Example]], Any]
"""A function that returns the module's input for a batch: a tensor, or a tuple, list or mapping of tensors."""
Decode = Callable[[Any], Sequence[Prediction]]
"""A function that turns the module's output into predictions, one for each example of the batch."""


def text_length(example: Example) -> int:
    """Return the length of an example's text in characters, by which batches of similar length are made by default."""
    return len(example.text)


@dataclass(frozen=True, slots=True)
class TorchModel(Model):
    """A model made of a torch module, which answers examples in batches of similar length.

    The module is moved to the device and put into evaluation mode.

    Attributes:
        module: the module.
        collate: takes the examples of a batch, and returns the module's input; tensors in it are moved to the device. A
            tuple is passed as the module's arguments, a mapping as its keyword arguments, any other value as its only
            argument.
        labels: the label of each output; the prediction is the label of the highest output. Give either this or
            `decode`.
        decode: turns the module's output into predictions. Give either this or `labels`.
        length: a function that returns the length of an example; by default in characters.
        budget: the maximum size of a batch: the number of its examples times the length of the longest.
        device: where the module runs; given as auto, cpu or cuda[:N].
        autocast: the dtype of torch's autocast; given as auto (bfloat16 on a GPU, off on the CPU), a dtype, or None for
            off.
        few_shot: whether the module reads demonstrations.
        signature: a text that states all that defines the answers; None if the answers must not be cached.
        cached: whether the cache keeps the answers; without a signature it never does.
        chunk: the most examples in one call of the model, which divides them into batches.

    Raises:
        AugmentError: there is no such device or dtype, or not exactly one of `labels` and `decode` is given.
    """

    module: "Module"
    collate: Collate
    labels: Sequence[str] | None = None
    _: KW_ONLY
    decode: Decode | None = None
    length: Callable[[Example], int] = text_length
    budget: int = 16_384
    device: Any = "auto"
    autocast: Any = "auto"
    few_shot: bool = False
    signature: str | None = None
    cached: bool = True
    chunk: int = CHUNK

    def __post_init__(self) -> None:
        if (self.labels is None) == (self.decode is None):
            raise AugmentError("a torch model needs labels (one for each output) or decode (a function of the output)")
        place = device_of(self.device)
        casts = self.autocast is not None and not (self.autocast == "auto" and place.type == "cpu")
        object.__setattr__(self, "module", self.module.to(place).eval())
        object.__setattr__(self, "device", place)
        object.__setattr__(self, "autocast", dtype_of(self.autocast, place) if casts else None)

    @property
    def deterministic(self) -> bool:
        """Whether the module runs on the CPU, where it always answers in the same way."""
        return bool(self.device.type == "cpu")

    def __call__(self, examples: Sequence[Example], /) -> list[Prediction]:
        """Return a prediction for each example, in the order of the examples.

        Raises:
            AugmentError: a single example does not fit into memory, `decode` returns another number of predictions, or
                the module has another number of outputs than `labels`.
        """
        import torch  # noqa: PLC0415
        from accelerate.utils import send_to_device  # noqa: PLC0415

        found: list[Prediction] = [None] * len(examples)
        decode = self.decode or highest(self.labels or ())
        casting = torch.autocast(self.device.type, dtype=self.autocast) if self.autocast is not None else nullcontext()

        def answer(batch: Ints) -> None:
            members = [examples[index] for index in batch]
            with torch.inference_mode(), casting:
                inputs = send_to_device(self.collate(members), self.device)
                if isinstance(inputs, Mapping):
                    output = self.module(**inputs)
                else:
                    output = self.module(*inputs) if isinstance(inputs, tuple) else self.module(inputs)
            predictions = decode(output)
            if len(predictions) != len(members):
                raise AugmentError(
                    f"{len(predictions)} predictions for {len(members)} examples; decode must return as many"
                )
            for index, prediction in zip(batch, predictions, strict=True):
                found[index] = prediction

        lengths = np.array([max(self.length(example), 1) for example in examples], dtype=np.int64)
        each_batch(lengths, self.budget, answer)
        return found


def highest(labels: Sequence[str]) -> Decode:
    """Return a function that turns a module's output into labels: for each text, the label with the highest output.

    The function takes a tensor of shape (texts, labels), an object with such a tensor in `logits`, or a tuple that
    begins with one. It raises an AugmentError if the module has another number of outputs than there are labels.

    Args:
        labels: the label of each output.
    """

    def decode(output: Any) -> list[Prediction]:  # noqa: ANN401  (whatever the module returns)
        scores = getattr(output, "logits", output)
        scores = scores[0] if isinstance(scores, tuple) else scores
        if scores.shape[-1] != len(labels):
            raise AugmentError(f"the module has {scores.shape[-1]} outputs for {len(labels)} labels")
        return [labels[index] for index in scores.float().argmax(-1).tolist()]

    return decode
