"""Batches of token sequences: within the budget, padded on either side, halved where memory does not suffice."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")

import torch

from augment_ru.errors import AugmentError
from augment_ru.inference.batches import TokensByDevice, batches, each_batch, padded
from profiles import examples

CPU = torch.device("cpu")


@pytest.mark.parametrize(("left", "tokens"), [(False, [[4, 5, 6], [7, 9, 9]]), (True, [[4, 5, 6], [9, 9, 7]])])
def test_shorter_sequences_are_padded_and_masked(left: object, tokens: list[list[int]]) -> None:
    found, mask = padded([np.array([4, 5, 6]), [7]], CPU, pad=9, left=bool(left))
    assert found.tolist() == tokens
    assert found.dtype == mask.dtype == torch.int64
    assert (found * mask).sum(dim=1).tolist() == [15, 7]
    assert mask.sum(dim=1).tolist() == [3, 1]


def test_no_sequences_and_empty_ones_are_padded() -> None:
    assert padded([], CPU)[0].shape == (0, 0)
    assert padded([[], []], CPU)[0].shape == (2, 0)


def test_the_size_of_a_batch_depends_on_the_kind_of_device() -> None:
    sizes = TokensByDevice(cpu=3, gpu=5)
    assert [sizes.on(torch.device(name)) for name in ("cpu", "cuda:1", "meta")] == [3, 5, 3]


def test_out_of_memory_halves_the_batch() -> None:
    lengths = np.array([3, 9, 5, 1, 7, 8])
    done: list[int] = []

    def call(batch: np.ndarray) -> None:
        if batch.size > 2:
            raise torch.OutOfMemoryError("no")
        done.extend(batch.tolist())

    each_batch(lengths, 1000, call)
    assert done == [1, 5, 4, 2, 0, 3]
    with pytest.raises(AugmentError, match="9 tokens"):
        each_batch(lengths, 1000, _never_fits)


def _never_fits(batch: np.ndarray) -> None:
    raise torch.OutOfMemoryError(f"no room for {batch.size}")


@settings(max_examples=examples(50))
@given(lengths=st.lists(st.integers(1, 600), max_size=60), budget=st.integers(1, 3000))
def test_batches_hold_each_sequence_once_within_the_budget(lengths: list[int], budget: int) -> None:
    found = list(batches(np.array(lengths, dtype=np.int64), budget))
    assert sorted(index for batch in found for index in batch.tolist()) == list(range(len(lengths)))
    assert all(len(batch) == 1 or len(batch) * max(lengths[at] for at in batch) <= budget for batch in found)
