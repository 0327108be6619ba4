"""Answers written by a model: greedily, or by nucleus sampling (Holtzman et al. 2020) with draws of our own.

The draw of a token is a function of the seed, the prompt and the token's number, so an answer does not depend on which
prompts share its batch.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from augment_ru.draws import Ints, Keys, Streams, digests, unit
from augment_ru.inference.pretrained import Pretrained, each_batch
from augment_ru.inference.token_trees import Tokens
from augment_ru.prompting.prompt import Filled

if TYPE_CHECKING:
    from torch import Tensor

_BUDGET = {"cpu": 4096, "cuda": 32_768}
"""Tokens in a batch, those of the answers included."""
_TAIL = 8
"""Tokens in which the end of an answer is looked for."""


@dataclass(frozen=True, slots=True)
class Writer:
    """How answers are written.

    Attributes:
        pretrained: a causal model, or a sequence-to-sequence one.
        top_p: tokens are drawn from the fewest that have this probability together; None takes the likeliest.
        seed: of the draws.
        budget: tokens in a batch, with padding and answers; None for what suits the device.
        reads: whether prompts are read by an encoder of their own.
    """

    pretrained: Pretrained
    top_p: float | None
    seed: int
    budget: int | None = None
    reads: bool = False

    def __call__(self, filled: Sequence[Filled], prompts: Sequence[Tokens]) -> list[str]:
        """The answer to each prompt, up to what ends it.

        Args:
            filled: the prompts.
            prompts: their tokens.
        """
        keys = Streams.of(digests(one.context for one in filled), self.seed, "generate").keys
        answers = [""] * len(filled)

        def write(batch: Ints) -> None:
            for index, text in zip(
                batch,
                self._batch([filled[at] for at in batch], [prompts[at] for at in batch], keys[batch]),
                strict=True,
            ):
                answers[index] = text

        budget = self.budget or _BUDGET.get(self.pretrained.device.type, 4096)
        by_limit: dict[int, list[int]] = {}
        for index, one in enumerate(filled):
            by_limit.setdefault(one.tokens, []).append(index)
        for limit, members in by_limit.items():
            wanted = np.array(members)
            lengths = np.array([prompts[index].size + limit for index in members], dtype=np.int64)
            each_batch(lengths, budget, lambda batch, wanted=wanted: write(wanted[batch]))  # type: ignore[misc]
        return answers

    def _batch(self, filled: Sequence[Filled], prompts: Sequence[Tokens], keys: Keys) -> list[str]:
        import torch  # noqa: PLC0415
        from transformers import GenerationConfig  # noqa: PLC0415

        tokenizer, model = self.pretrained.tokenizer, self.pretrained.model
        pad = first_of(tokenizer.pad_token_id, tokenizer.eos_token_id, 0)
        length = max(prompt.size for prompt in prompts)
        ids = np.full((len(prompts), length), pad, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, prompt in enumerate(prompts):
            place = slice(0, prompt.size) if self.reads else slice(length - prompt.size, length)
            ids[row, place], mask[row, place] = prompt, 1
        written = 1 if self.reads else length
        plan = GenerationConfig(  # type: ignore[no-untyped-call]
            max_new_tokens=filled[0].tokens,
            do_sample=False,
            num_beams=1,
            repetition_penalty=1.0,
            no_repeat_ngram_size=0,
            pad_token_id=pad,
            eos_token_id=first_of(model.generation_config.eos_token_id, tokenizer.eos_token_id),
            decoder_start_token_id=decoder_start(model) if self.reads else None,
        )
        with torch.inference_mode(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out = model.generate(
                input_ids=torch.from_numpy(ids).to(self.pretrained.device),
                attention_mask=torch.from_numpy(mask).to(self.pretrained.device),
                generation_config=plan,
                logits_processor=[] if self.top_p is None else [_Nucleus(self.top_p, keys, written)],
                stopping_criteria=[_Ended(tokenizer, [one.stop for one in filled], written)],
            )
        texts = tokenizer.batch_decode(out[:, written:], skip_special_tokens=True)
        return [before(text, one.stop).strip() for text, one in zip(texts, filled, strict=True)]


def decoder_start(model: Any) -> int:  # noqa: ANN401  (transformers' own)
    """The token that a decoder starts from; by default the one for padding, as T5 has it."""
    given, config = model.generation_config, model.config
    start = (getattr(one, "decoder_start_token_id", None) for one in (given, config))
    found: int = first_of(*start, getattr(config, "bos_token_id", None), getattr(config, "pad_token_id", None), 0)
    return found


def first_of(*values: Any) -> Any:  # noqa: ANN401
    """The first value that is not None."""
    return next((value for value in values if value is not None), None)


def before(text: str, stops: Sequence[str]) -> str:
    """The text up to the first of the stops.

    >>> before(" Шведы; ЧГК", [";", "."])
    ' Шведы'
    """
    ends = [at for at in (text.find(stop) for stop in stops) if at >= 0]
    return text[: min(ends)] if ends else text


class _Nucleus:
    """Leaves of each row of logits the one token that is drawn."""

    __slots__ = ("_keys", "_start", "_top_p")

    def __init__(self, top_p: float, keys: Keys, start: int) -> None:
        self._top_p, self._keys, self._start = top_p, keys, start

    def __call__(self, input_ids: "Tensor", scores: "Tensor") -> "Tensor":
        """The logits with all but one at minus infinity, shape (rows, vocabulary)."""
        step = np.full(len(self._keys), input_ids.shape[1] - self._start)
        draws = unit(self._keys, step)
        chosen = [drawn(row, self._top_p, float(u)) for row, u in zip(_likely(scores), draws, strict=True)]
        out = scores.new_full(scores.shape, -float("inf"))
        out[range(len(chosen)), chosen] = 0.0
        return out


def _likely(scores: "Tensor") -> Any:  # noqa: ANN401  (float64 rows of probabilities)
    return scores.float().softmax(-1).double().cpu().numpy()


def drawn(probabilities: Any, top_p: float, draw: float) -> int:  # noqa: ANN401  (Floats)
    """The token that a draw from U[0, 1) falls on among the fewest tokens with probability `top_p` together.

    >>> [drawn(np.array([0.1, 0.5, 0.3, 0.1]), 0.8, u) for u in (0.0, 0.6, 0.7, 0.99)]
    [1, 1, 2, 2]
    """
    order = likeliest(probabilities, top_p)
    sums = np.cumsum(probabilities[order])
    kept = min(int(np.searchsorted(sums, top_p - 1e-9)) + 1, order.size)
    return int(order[np.searchsorted(sums[:kept], draw * sums[kept - 1], side="right").clip(max=kept - 1)])


def likeliest(probabilities: Any, top_p: float) -> Any:  # noqa: ANN401  (Floats to Ints)
    """Tokens from the likeliest down, equal ones by number: at least those of the nucleus, so that few are sorted."""
    for few in (256, 4096):
        if few < probabilities.size:
            some = np.argpartition(-probabilities, few)[:few]
            told = probabilities[some]
            inner = some[told > told.min()]  # of those as likely as the last one, some may be left out
            if probabilities[inner].sum() >= top_p:
                return inner[np.lexsort((inner, -probabilities[inner]))]
    return np.argsort(-probabilities, kind="stable")


class _Ended:
    """Whether each row's answer has come to an end."""

    __slots__ = ("_start", "_stops", "_tokenizer")

    def __init__(self, tokenizer: Any, stops: Sequence[Sequence[str]], start: int) -> None:  # noqa: ANN401
        self._tokenizer, self._stops, self._start = tokenizer, stops, start

    def __call__(self, input_ids: "Tensor", scores: Any, **_: Any) -> "Tensor":  # noqa: ANN401
        """True for each row that has a stop among its last tokens, shape (rows,)."""
        import torch  # noqa: PLC0415

        del scores
        tails = self._tokenizer.batch_decode(input_ids[:, max(self._start, input_ids.shape[1] - _TAIL) :])
        ended = [any(stop in tail for stop in stops) for tail, stops in zip(tails, self._stops, strict=True)]
        return torch.tensor(ended, device=input_ids.device)
