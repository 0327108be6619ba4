"""Embeddings of references, and how BERTScore matches candidates with them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from augment_ru.draws import Ints

if TYPE_CHECKING:
    from torch import Tensor


class ReferenceStore:
    """Embeddings of references, one after another without padding.

    Args:
        weights: the weight of each token id, shape (vocabulary,).
    """

    def __init__(self, weights: "Tensor") -> None:
        self.weights = weights
        self.tokens: list[Ints] = []
        self._parts: list[Tensor] = []
        self._starts: list[int] = []
        self._size = 0

    def add(self, rows: Sequence[Ints], embedded: "Tensor", mask: "Tensor") -> list[int]:
        """Store references.

        Args:
            rows: their token ids.
            embedded: a unit vector for each token, shape (references, tokens, width).
            mask: which tokens are no padding, shape (references, tokens).

        Returns:
            The numbers under which they are stored.
        """
        first = len(self.tokens)
        for ids in rows:
            self._starts.append(self._size)
            self._size += ids.size
            self.tokens.append(ids)
        self._parts.append(embedded[mask])
        return list(range(first, len(self.tokens)))

    def compare(self, owners: Ints, candidates: "Tensor", mask: "Tensor", ids: "Tensor") -> "Tensor":
        """Precision, recall and F1 of candidates against stored references, shape (candidates, 3).

        Zhang et al. 2019, section 3: a token is matched with the token of the other text that has the highest cosine.
        Special tokens may be matched; their own match has no weight.

        Args:
            owners: the number of each candidate's reference.
            candidates: a unit vector for each token, shape (candidates, tokens, width).
            mask: which tokens are no padding, shape (candidates, tokens).
            ids: the token ids, same shape.
        """
        import torch  # noqa: PLC0415  (an extra)

        if len(self._parts) > 1:
            self._parts = [torch.cat(self._parts)]
        device = candidates.device
        lengths = np.array([self.tokens[row].size for row in owners.tolist()])
        places = np.array([self._starts[row] for row in owners.tolist()])[:, None] + np.arange(lengths.max())
        known = np.arange(lengths.max()) < lengths[:, None]
        places[~known] = 0
        reference_ids = np.zeros_like(places)
        for row, owner in enumerate(owners.tolist()):
            reference_ids[row, : lengths[row]] = self.tokens[owner]
        with torch.inference_mode():
            present = torch.from_numpy(known).to(device)
            references = self._parts[0][torch.from_numpy(places).to(device)]
            cosines = torch.bmm(candidates, references.transpose(1, 2))
            cosines.masked_fill_(~(mask[:, :, None] & present[:, None, :]), -1.0)
            precision = _weighted(cosines.amax(2), self.weights[ids] * mask)
            recall = _weighted(cosines.amax(1), self.weights[torch.from_numpy(reference_ids).to(device)] * present)
            total = precision + recall
            scores = torch.where(total == 0, torch.zeros_like(total), 2 * precision * recall / total)
            return torch.nan_to_num(torch.stack([precision, recall, scores], dim=1))


def _weighted(values: "Tensor", weights: "Tensor") -> "Tensor":
    return (values * weights).sum(1) / weights.sum(1)
