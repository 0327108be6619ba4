"""The encoder of slovnet's models: word vectors, then three convolutions over neighbouring words.

It computes what slovnet's own code computes, with less work: the first convolution is linear in a word's vector, so its
products are kept for the words that were met, and no window of neighbours is copied.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.floating]

_MOST_WORDS = 4096
"""Words whose products are kept: 3 KB each in float32."""


_ALONE = 2**18
"""Products up to this number of multiplications are computed by one thread in OpenBLAS (interface/gemm.c:
SMP_THRESHOLD_MIN · GEMM_MULTITHREAD_THRESHOLD)."""
_NARROWEST = 16


def product(rows: Numbers, weights: Numbers) -> Numbers:
    """`rows @ weights`; of few rows in stripes of columns that one thread computes.

    Several threads gain nothing there, and on a busy machine BLAS waits milliseconds for them.

    Args:
        rows: shape (rows, inputs).
        weights: shape (inputs, outputs).
    """
    width = _ALONE // max(rows.size, 1) // _NARROWEST * _NARROWEST
    if width < _NARROWEST or width >= weights.shape[1]:
        return rows @ weights
    found = np.empty((len(rows), weights.shape[1]), rows.dtype)
    for start in range(0, weights.shape[1], width):
        stripe = slice(start, start + width)
        np.matmul(rows, weights[:, stripe], out=found[:, stripe])
    return found


class _Layer(NamedTuple):
    """A convolution, a rectifier and a normalisation.

    Attributes:
        weights: of the word before, the word itself and the word after, shape (inputs, 3 · outputs).
        bias: of the convolution, shape (outputs,).
        scale, shift: of the normalisation, shape (outputs,).
    """

    weights: Numbers
    bias: Numbers
    scale: Numbers
    shift: Numbers

    @classmethod
    def of(cls, layer: Any, dtype: npt.DTypeLike) -> "_Layer":  # noqa: ANN401  (slovnet has no types)
        """A layer of slovnet's, with its numbers in this type."""
        kernel = layer.conv.weight.array  # outputs, inputs, 3
        weights = np.ascontiguousarray(kernel.transpose(1, 2, 0).reshape(kernel.shape[1], -1), dtype=dtype)
        norm = layer.norm
        scale = norm.weight.array.astype(np.float64) / norm.std.array
        shift = norm.bias.array - norm.mean.array * scale
        return cls(weights, *(one.astype(dtype) for one in (layer.conv.bias.array, scale, shift)))

    def __call__(self, products: Numbers, gaps: npt.NDArray[np.bool_]) -> Numbers:
        """The output of each place, shape (places, outputs).

        Args:
            products: of the places with the weights, shape (places, 3 · outputs).
            gaps: whether each place is a gap, shape (places,); the output there is 0.
        """
        size = self.bias.size
        found = products[:, size : 2 * size] + self.bias
        found[1:] += products[:-1, :size]
        found[:-1] += products[1:, 2 * size :]
        np.maximum(found, 0, out=found)
        found *= self.scale
        found += self.shift
        found[gaps] = 0
        return found


class Encoder:
    """The encoder of one of slovnet's models.

    Args:
        model: the model.
        gap: the number of the word that stands for a gap.
        dtype: the type in which it computes.
    """

    def __init__(self, model: Any, gap: int, dtype: npt.DTypeLike) -> None:  # noqa: ANN401  (slovnet has no types)
        self._gap = gap
        layers = model.encoder.layers
        self._first, *self._others = (_Layer.of(layer, dtype) for layer in layers)
        self.reach = sum(layer.conv.padding for layer in layers)
        """How many words before and behind a word it sees."""
        words, shapes = model.emb.word, model.emb.shape.weight.array.astype(dtype)
        self._indexes, self._codes = words.indexes.array, words.codes.array.astype(dtype)
        self._parts = np.arange(len(self._codes))
        self._of_word, of_shape = self._first.weights[: words.dim], self._first.weights[words.dim :]
        self._of_shapes = shapes @ of_shape
        self._kept = np.empty((_MOST_WORDS, self._of_word.shape[1]), dtype)
        self._row_of: dict[int, int] = {}
        self._lock = Lock()

    def __call__(self, words: Sequence[int], shapes: Sequence[int]) -> Numbers:
        """The output for a sequence of words and gaps, shape (words, 64).

        Args:
            words: their numbers.
            shapes: the numbers of their shapes.
        """
        gaps = np.array(words) == self._gap
        products = self._products(words)
        products += self._of_shapes[np.array(shapes)]
        products[gaps] = 0
        found = self._first(products, gaps)
        for layer in self._others:
            found = layer(product(found, layer.weights), gaps)
        return found

    def _products(self, words: Sequence[int]) -> Numbers:
        """The products of the words' vectors with the weights of the first convolution, shape (words, 768)."""
        with self._lock:
            new = [word for word in dict.fromkeys(words) if word not in self._row_of]
            if len(self._row_of) + len(new) > _MOST_WORDS:
                self._row_of.clear()
                new = list(dict.fromkeys(words))
            if new:
                first = len(self._row_of)
                vectors: Numbers = self._codes[self._parts, self._indexes[new]].reshape(len(new), -1)
                self._kept[first : first + len(new)] = product(vectors, self._of_word)
                self._row_of.update(zip(new, range(first, first + len(new)), strict=True))
            rows = np.array([self._row_of[word] for word in words])
            found: Numbers = self._kept[rows]
            return found
