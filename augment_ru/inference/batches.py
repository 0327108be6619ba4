"""Divide token sequences into batches, pad them, and halve batches that do not fit into memory."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from augment_ru.draws import Ints
from augment_ru.errors import AugmentError

if TYPE_CHECKING:
    from torch import Tensor
    from torch import device as Device  # noqa: N812  (a class)

MOST_SEQUENCES = 4096


class TokensByDevice(NamedTuple):
    """How many tokens a batch may have, padding included, on each kind of device.

    Attributes:
        cpu: on a CPU, and on any device that is not a CUDA GPU.
        gpu: on a CUDA GPU.
    """

    cpu: int
    gpu: int

    def on(self, device: "Device") -> int:
        """Return how many tokens a batch may have at most on this device."""
        return self.gpu if device.type == "cuda" else self.cpu


def padded(
    sequences: Sequence[Sequence[int] | Ints], device: "Device", *, pad: int = 0, left: bool = False
) -> tuple["Tensor", "Tensor"]:
    """Return token sequences as one padded tensor, and its attention mask; both int64, shape (sequences, longest).

    The mask is 1 at tokens and 0 at padding.

    Args:
        sequences: the tokens of each sequence.
        device: where the tensors are put.
        pad: the token that fills up the shorter sequences.
        left: whether the padding comes before the tokens, as causal models need it for generation.
    """
    import torch  # noqa: PLC0415  (an extra)

    longest = max(map(len, sequences), default=0)
    tokens = np.full((len(sequences), longest), pad, dtype=np.int64)
    mask = np.zeros_like(tokens)
    for row, sequence in enumerate(sequences):
        filled = slice(longest - len(sequence), longest) if left else slice(0, len(sequence))
        tokens[row, filled], mask[row, filled] = sequence, 1
    both = torch.from_numpy(tokens), torch.from_numpy(mask)
    if device.type == "cuda":
        both = both[0].pin_memory(), both[1].pin_memory()
    return both[0].to(device, non_blocking=True), both[1].to(device, non_blocking=True)


def batches(lengths: Ints, budget: int, most: int = MOST_SEQUENCES) -> Iterator[Ints]:
    """Divide sequences into batches of similar length; yield the indices of the sequences of each batch.

    Batches of longer sequences come first.

    Args:
        lengths: the number of tokens of each sequence, shape (sequences,).
        budget: the most tokens in a batch, padding included; a longer sequence gets a batch of its own.
        most: the most sequences in a batch.
    """
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < order.size:
        size = min(max(budget // max(int(lengths[order[start]]), 1), 1), most)
        yield order[start : start + size]
        start += size


def each_batch(lengths: Ints, budget: int, call: Callable[[Ints], None], most: int = MOST_SEQUENCES) -> None:
    """Call a function with each batch of sequences of similar length; a batch is given as the indices of its sequences.

    A batch that runs out of memory is halved, and each half is tried again.

    Args:
        lengths: the number of tokens of each sequence, shape (sequences,).
        budget: the most tokens in a batch, padding included; a longer sequence gets a batch of its own.
        call: the function; it takes the indices of a batch's sequences.
        most: the most sequences in a batch.

    Raises:
        AugmentError: a single sequence does not fit into memory.
    """
    for batch in batches(lengths, budget, most):
        _call_or_halve(batch, lengths, call)


def _call_or_halve(batch: Ints, lengths: Ints, call: Callable[[Ints], None]) -> None:
    import torch  # noqa: PLC0415  (an extra)

    try:
        call(batch)
    except (torch.OutOfMemoryError, MemoryError) as error:
        if batch.size == 1:
            remedy = "use a smaller model, dtype bfloat16, or `device` cpu"
            raise AugmentError(f"out of memory at a sequence of {int(lengths[batch[0]])} tokens; {remedy}") from error
    else:
        return
    if torch.cuda.is_available():  # after the handler, whose traceback would keep the tensors alive
        torch.cuda.empty_cache()
    half = batch.size // 2
    _call_or_halve(batch[:half], lengths, call)
    _call_or_halve(batch[half:], lengths, call)
