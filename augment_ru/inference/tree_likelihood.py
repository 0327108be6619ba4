"""Log-likelihoods of trees of tokens: stems that the model keeps, and rows of trees on them."""

import copy
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.errors import AugmentError
from augment_ru.inference.pretrained import Pretrained, each_batch
from augment_ru.inference.token_trees import Family, Request, Tree, families, packed, seen, tree

if TYPE_CHECKING:
    from torch import Tensor

_WORTH = {"cpu": 64, "cuda": 2048}
"""How many tokens a stem must save to be worth a call of its own: about what a device computes in a call's overhead."""
_ROW = {"cpu": 512, "cuda": 1024}
"""Tokens of trees in a row: attention costs the square of it, padding and calls the inverse."""
_SMALLEST = 32
"""Tokens of a piece of a stem below which no smaller ones are tried."""


def by_trees(
    pretrained: Pretrained, questions: Sequence[Sequence[Request]], budget: int, worth: int | None = None
) -> list[Floats]:
    """The log-likelihood of each sequence.

    Args:
        pretrained: a model that computes trees as it computes their sequences.
        questions: the sequences of each question.
        budget: tokens in a batch.
        worth: how many tokens a stem must save; by default what suits the device.
    """
    kind = pretrained.device.type
    row = min(_ROW.get(kind, 512), budget)
    found: list[Floats] = [np.zeros(0)] * len(questions)
    for family in families(questions, _WORTH.get(kind, 256) if worth is None else worth):
        stem = _Stem.of(pretrained, family, budget)
        trees = [tree(questions[member], family.stem.size) for member in family.members]
        scores = _scores(pretrained, stem, trees, row, budget)
        for member, one, score_of in zip(family.members, trees, scores, strict=True):
            found[member] = np.array(
                [
                    stem.sum_from(request.first) + float(score_of[path].sum())
                    for request, path in zip(questions[member], one.paths, strict=True)
                ]
            )
    return found


def _scores(pretrained: Pretrained, stem: "_Stem", trees: Sequence[Tree], row: int, budget: int) -> list[Floats]:
    """The log-probabilities of the scored tokens of each tree, in rows of at most `row` tokens if they fit."""
    found: list[Floats] = [np.zeros(0)] * len(trees)

    def score(batch: Ints) -> None:
        rows = packed([trees[index].tokens.size for index in batch], row)
        _score_rows(pretrained, stem, trees, [[batch[at] for at in each] for each in rows], found)

    each_batch(np.array([max(one.tokens.size, 1) for one in trees]), budget, score)
    return found


@dataclass(frozen=True, slots=True)
class _Stem:
    """What the model keeps of a stem.

    Attributes:
        size: its tokens.
        past: its keys and values; None for an empty stem.
        following: the log-probabilities of the token after it, shape (vocabulary,).
        sums: the sum of the log-probabilities of its tokens from each on, shape (size + 1,).
    """

    size: int
    past: Any
    following: "Tensor | None"
    sums: Floats

    @classmethod
    def of(cls, pretrained: Pretrained, family: Family, piece: int) -> "_Stem":
        """The model's view of the stem, which it reads in pieces of so many tokens, or in smaller ones that fit.

        Raises:
            AugmentError: it does not fit into memory.
        """
        import torch  # noqa: PLC0415

        while True:
            try:
                return cls._read(pretrained, family, piece)
            except torch.OutOfMemoryError as error:
                if piece <= _SMALLEST:
                    raise AugmentError(
                        f"out of memory at demonstrations of {family.stem.size} tokens; "
                        f"use fewer, a smaller model, dtype bfloat16, or --device cpu"
                    ) from error
            piece //= 2

    @classmethod
    def _read(cls, pretrained: Pretrained, family: Family, budget: int) -> "_Stem":
        import torch  # noqa: PLC0415

        size = family.stem.size
        scores = np.zeros(size + 1)
        past, following = None, None
        tokens = torch.from_numpy(family.stem).to(pretrained.device)
        with torch.inference_mode():
            for start in range(0, size, budget):
                stop = min(start + budget, size)
                wanted = max(family.first - 1, start)  # what stands at i tells the token at i + 1
                options = _keep(pretrained, list(range(min(wanted, stop - 1) - start, stop - start)), stop - start)
                places = torch.arange(start, stop, device=pretrained.device)[None]
                out = pretrained.model(
                    input_ids=tokens[None, start:stop],
                    position_ids=places,
                    past_key_values=past,
                    use_cache=True,
                    **options,
                )
                past = out.past_key_values
                logits = out.logits[0].float()
                following = logits[-1].log_softmax(-1)
                end = min(stop, size - 1)
                if wanted < end:
                    told = logits[-(stop - wanted) :][: end - wanted]
                    nexts = tokens[wanted + 1 : end + 1]
                    scores[wanted + 1 : end + 1] = chosen(told, nexts)
        return cls(size, past, following, np.cumsum(scores[::-1])[::-1])

    def sum_from(self, first: int) -> float:
        """The log-likelihood of its tokens from this one on."""
        return float(self.sums[min(first, self.size)])

    def copies(self, rows: int) -> Any:  # noqa: ANN401  (transformers' cache)
        """Its keys and values for so many rows; the model appends to what it is given."""
        if self.past is None:
            return None
        past = copy.deepcopy(self.past)
        if rows > 1:
            past.batch_repeat_interleave(rows)
        return past


def _score_rows(
    pretrained: Pretrained, stem: _Stem, trees: Sequence[Tree], rows: Sequence[Sequence[int]], scores: list[Floats]
) -> None:
    """Put the log-probabilities of the scored tokens of every tree in the rows into `scores`."""
    import torch  # noqa: PLC0415

    length = max(sum(trees[index].tokens.size for index in row) for row in rows)
    ids = np.zeros((len(rows), length), dtype=np.int64)
    places = np.zeros_like(ids)
    asked: list[tuple[int, int, int]] = []
    for number, row in enumerate(rows):
        at = 0
        for index in row:
            size = trees[index].tokens.size
            ids[number, at : at + size], places[number, at : at + size] = trees[index].tokens, trees[index].depths
            asked.append((number, at, index))
            at += size
    with torch.inference_mode():
        logits, columns, sums = None, np.zeros(length, dtype=np.int64), None
        if length:
            wanted = sorted({at + parent for _, at, index in asked for parent in trees[index].parents if parent >= 0})
            options = _keep(pretrained, wanted, length)
            columns[wanted] = np.arange(len(wanted)) if options else wanted
            mask = np.stack([seen([trees[index] for index in row], length, stem.size) for row in rows])
            logits = pretrained.model(
                input_ids=torch.from_numpy(ids).to(pretrained.device),
                position_ids=torch.from_numpy(places).to(pretrained.device),
                attention_mask=_additive(mask, pretrained),
                past_key_values=stem.copies(len(rows)),
                use_cache=stem.size > 0,
                **options,
            ).logits.float()
            sums = logits.logsumexp(-1)
        for number, at, index in asked:
            one = trees[index]
            told = np.zeros(one.scored.size)
            tokens = torch.from_numpy(one.scored).to(pretrained.device)
            inner = np.flatnonzero(one.parents >= 0)
            if logits is not None and sums is not None and inner.size:
                column = torch.from_numpy(columns[at + one.parents[inner]]).to(pretrained.device)
                chosen = logits[number, column, tokens[inner]] - sums[number, column]
                told[inner] = chosen.double().cpu().numpy()
            outer = np.flatnonzero(one.parents < 0)
            if outer.size and stem.following is not None:
                told[outer] = stem.following[tokens[outer]].double().cpu().numpy()
            scores[index] = told


def chosen(logits: "Tensor", tokens: "Tensor") -> Floats:
    """The log-probability of each token by its row of logits, float64."""
    picked = logits.gather(-1, tokens[:, None])[:, 0] - logits.logsumexp(-1)
    found: Floats = picked.double().cpu().numpy()
    return found


def _additive(mask: Any, pretrained: Pretrained) -> "Tensor":  # noqa: ANN401  (Bools; what sdpa and eager attention take)
    import torch  # noqa: PLC0415

    lowest = torch.finfo(pretrained.dtype).min
    allowed = torch.from_numpy(mask).to(pretrained.device)[:, None]
    return torch.zeros(allowed.shape, dtype=pretrained.dtype, device=pretrained.device).masked_fill_(~allowed, lowest)


def _keep(pretrained: Pretrained, wanted: Sequence[int], length: int) -> dict[str, Any]:
    """The option by which the model computes the logits of these places only; none if it has no such option."""
    import torch  # noqa: PLC0415

    if len(wanted) == length or not wanted or not _keeps(pretrained.model.forward):
        return {}
    return {"logits_to_keep": torch.tensor(wanted, device=pretrained.device)}


def _keeps(forward: Callable[..., Any]) -> bool:
    return "logits_to_keep" in inspect.signature(forward).parameters
