"""Generate text with sequence models, in batches: translations, paraphrases, continuations, answers.

The shape of a batch changes how logits are rounded. So that a row's text depends only on its own input and key, a row
in which two candidates for a token have nearly equal logits is generated again by itself. This is not done for beam
search, nucleus sampling or half-precision weights; there the text may depend on the batch.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from augment_ru.draws import Floats, Ints, Keys, unit
from augment_ru.errors import AugmentError
from augment_ru.inference.batches import TokensByDevice, each_batch, padded
from augment_ru.inference.pretrained import Pretrained, context_of
from augment_ru.options import integer
from augment_ru.text.characters import Mask

if TYPE_CHECKING:
    from torch import Tensor


CLOSE = 2e-4
"""Two logits are close if they differ by less than this; float32 rounding depends on the batch and could swap them."""
_TOKEN_BITS = np.uint64(24)


@dataclass(frozen=True, slots=True)
class Decoding:
    """How a language model that generates text chooses the next token.

    Attributes:
        beams: the width of the beam search; 1 takes the likeliest token. Ignored if tokens are drawn.
        temperature: if set (over 0), tokens are drawn from the `top_k` likeliest; 1 uses the model's own probabilities.
        top_k: from how many of the likeliest tokens one is drawn if `temperature` is set.
        top_p: if set, in (0, 1], tokens are drawn from the likeliest tokens that together have this probability (the
            nucleus).
        fixed: the exact number of new tokens of every text, for measurements; None to generate until the model stops.
        penalties: whether the repetition penalties in the model's own generation settings apply.

    Raises:
        AugmentError: a value is out of its range.
    """

    beams: int = 1
    temperature: float | None = None
    top_k: int = 50
    top_p: float | None = None
    fixed: int | None = None
    penalties: bool = True

    def __post_init__(self) -> None:
        integer("beams", self.beams, least=1)
        if self.temperature is not None and not self.temperature > 0:
            raise AugmentError(f"temperature {self.temperature}; needs a number over 0, or none for no draws")
        integer("top_k", self.top_k, least=1)
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise AugmentError(f"top_p {self.top_p}; needs a number over 0 and at most 1, or none for no draws")

    @property
    def drawn(self) -> bool:
        """Whether tokens are drawn at random (`temperature` or `top_p` is set)."""
        return self.temperature is not None or self.top_p is not None

    @property
    def searched(self) -> bool:
        """Whether tokens are chosen by beam search (`beams` is over 1, and tokens are not drawn)."""
        return self.beams > 1 and not self.drawn


class TokenChooser:
    """Chooses the next token of each text, and excludes all others; a logits processor for transformers.

    Args:
        keys: the key on which each text's random draws depend, shape (texts,).
        decoding: how tokens are chosen; must not be a beam search.
        tolerance: rounding could swap two logits that differ by less than this.
        start: how many tokens a text has before the first generated one.
        ends: the tokens that end a text.

    Attributes:
        close: for each text, whether rounding could have changed the choice of one of its tokens, shape (texts,).
    """

    def __init__(self, keys: Keys, decoding: Decoding, tolerance: float, start: int, ends: frozenset[int]) -> None:
        self._keys, self._decoding, self._tolerance, self._start, self._ends = keys, decoding, tolerance, start, ends
        self.close: Mask
        self.close, self._ended = np.zeros((2, keys.size), dtype=np.bool_)

    def __call__(self, input_ids: "Tensor", scores: "Tensor") -> "Tensor":
        """Return scores that are 0 for each row's chosen token, else minus infinity; shape (rows, vocabulary)."""
        step = input_ids.shape[1] - self._start
        chosen = self._from_nucleus(scores, step) if self._decoding.top_p else self._from_likeliest(scores, step)
        self._ended |= np.isin(chosen, list(self._ends))
        only = scores.new_full(scores.shape, -float("inf"))
        return only.scatter_(1, input_ids.new_tensor(chosen)[:, None], 0.0)

    def _from_likeliest(self, scores: "Tensor", step: int) -> Ints:
        count = min((self._decoding.top_k if self._decoding.drawn else 1) + 1, scores.shape[1])
        highest = scores.float().topk(count)
        logits = highest.values.cpu().numpy().astype(np.float64)
        tokens: Ints = highest.indices.cpu().numpy()
        places, close = chosen_of(logits, tokens, self._keys, step, decoding=self._decoding, tolerance=self._tolerance)
        self.close |= close & ~self._ended
        chosen: Ints = np.take_along_axis(tokens, places[:, None], axis=1)[:, 0]
        return chosen

    def _from_nucleus(self, scores: "Tensor", step: int) -> Ints:
        draws = unit(self._keys, np.full(self._keys.size, step)).tolist()
        probabilities = scores.float().softmax(-1).double().cpu().numpy()
        rows = zip(probabilities, draws, strict=True)
        return np.array([draw_from_nucleus(row, self._decoding.top_p or 1.0, draw) for row, draw in rows])


def chosen_of(
    logits: Floats, tokens: Ints, keys: Keys, step: int, *, decoding: Decoding, tolerance: float
) -> tuple[Ints, Mask]:
    """Choose the next token of each text, and tell whether rounding errors could have changed the choice.

    Args:
        logits: the highest logits of each text in falling order, shape (texts, tokens): those of the tokens that may be
            chosen, and the next one, which rounding could bring among them.
        tokens: the tokens of these logits, same shape.
        keys: the key on which each text's random draws depend, shape (texts,).
        step: how many new tokens the text already has; the random draws depend on it.
        decoding: how tokens are chosen: the likeliest, or by temperature and top-k.
        tolerance: rounding could swap two logits that differ by less than this; 0 to ignore rounding.

    Returns:
        The index of the chosen token in `tokens` for each text, and whether rounding could have changed the choice;
        both of shape (texts,).
    """
    possible = np.minimum(decoding.top_k, logits.shape[1]) if decoding.temperature is not None else 1
    noisy = logits.copy()
    if decoding.temperature is not None:
        positions = (np.uint64(step) << _TOKEN_BITS) + tokens.astype(np.uint64)
        noisy = logits / decoding.temperature + gumbel(keys[:, None], positions)
        tolerance /= min(decoding.temperature, 1.0)
    chosen: Ints = noisy[:, :possible].argmax(axis=1)
    if tolerance == 0:
        return chosen, np.zeros(chosen.size, dtype=np.bool_)
    best = np.take_along_axis(noisy, chosen[:, None], axis=1)
    rivals = noisy > best - tolerance  # with the best one itself; none where every logit is minus infinity
    if logits.shape[1] > possible:  # the one that just missed the list is a rival only if it might be on it
        missed = logits[:, possible] > logits[:, possible - 1] - tolerance
        last = missed & (chosen == possible - 1)
        rivals[:, possible] &= missed
        return chosen, (rivals.sum(axis=1) > 1) | last
    return chosen, rivals.sum(axis=1) > 1


def gumbel(keys: Keys, positions: Keys) -> Floats:
    """Draw numbers from the standard Gumbel distribution; the same arguments give the same numbers.

    If such a number is added to the logit of each token, the token with the highest sum is a random draw by the
    softmax of the logits.

    Args:
        keys: the keys of random streams.
        positions: for each key, the index of the draw in its stream. Both arguments are broadcast to one shape.
    """
    points = unit(keys, positions) + 2.0**-54  # never 0
    noise: Floats = -np.log(-np.log(points))
    return noise


def draw_from_nucleus(probabilities: Floats, top_p: float, draw: float) -> int:
    """Draw a token from the nucleus: the likeliest tokens that together have the probability `top_p`.

    Args:
        probabilities: the probability of every token, shape (vocabulary,).
        top_p: the probability of the nucleus, in (0, 1].
        draw: a random number in [0, 1), which selects the token.

    >>> [draw_from_nucleus(np.array([0.1, 0.5, 0.3, 0.1]), 0.8, draw) for draw in (0.0, 0.6, 0.7, 0.99)]
    [1, 1, 2, 2]
    """
    order = likeliest(probabilities, top_p)
    sums = np.cumsum(probabilities[order])
    kept = min(int(np.searchsorted(sums, top_p - 1e-9)) + 1, order.size)
    return int(order[np.searchsorted(sums[:kept], draw * sums[kept - 1], side="right").clip(max=kept - 1)])


def likeliest(probabilities: Floats, top_p: float) -> Ints:
    """Return the likeliest tokens, the likeliest first; together they have at least the probability `top_p`.

    They are often more than needed. Of equally likely tokens, the one with the lower index comes first.

    Args:
        probabilities: the probability of every token, shape (vocabulary,).
        top_p: the probability that the tokens must have together, up to rounding.
    """
    for few in (256, 4096):  # a full sort of the vocabulary is slow, and seldom needed
        if few < probabilities.size:
            highest = np.argpartition(-probabilities, few)[:few]
            values = probabilities[highest]
            inner = highest[values > values.min()]  # tokens as likely as the lowest one may be missing here
            if probabilities[inner].sum() >= top_p:
                found: Ints = inner[np.lexsort((inner, -probabilities[inner]))]
                return found
    return np.argsort(-probabilities, kind="stable")


BATCH_TOKENS = TokensByDevice(cpu=8192, gpu=131_072)
"""The most tokens of a batch, generated ones included; with beam search, this is divided by the number of beams."""
_LONGEST_INPUT = 512
_SMALLEST_LIMIT = 32
"""The smallest limit of new tokens; limits are 32, 64, …, so that rows of similar length share a batch."""
_TAIL = 8
"""How many of the last tokens are searched for a stop string."""
RUNNING = RLock()
"""The lock that allows one generation at a time: threads share models, and the tokenizers are not thread-safe."""


def rewritten(model: Pretrained, texts: Sequence[str], keys: Keys, decoding: Decoding) -> list[str | None]:
    """Generate the output of an encoder-decoder for each text, for example its translation.

    Args:
        model: loaded as `AutoModelForSeq2SeqLM`.
        texts: the inputs.
        keys: the key on which each text's random draws depend, shape (texts,).
        decoding: how tokens are chosen, such as by beam search.

    Returns:
        A text for each input; None if the input is empty or longer than the model reads, or if the model did not stop
        (then it usually repeats itself).
    """
    inputs = tokenized(model, texts)
    longest = longest_input(model)
    limits = [_limit(2 * len(tokens), longest) if 0 < len(tokens) <= longest else 0 for tokens in inputs]
    outputs = _before_padding(model, generated(model, inputs, keys, decoding, np.array(limits, dtype=np.int64)))
    return [
        None if tokens is None or (decoding.fixed is None and len(tokens) >= limit - 1) else _text(model, tokens)
        for tokens, limit in zip(outputs, limits, strict=True)
    ]


def continued(
    model: Pretrained, prompts: Sequence[str], keys: Keys, decoding: Decoding, new_tokens: int
) -> list[str | None]:
    """Generate a continuation of each prompt with a causal language model.

    Args:
        model: loaded as `AutoModelForCausalLM`.
        prompts: the texts to continue; of a prompt that is too long, only the end is read.
        keys: the key on which each prompt's random draws depend, shape (prompts,).
        decoding: how tokens are chosen, such as by random draws.
        new_tokens: the most tokens that are generated.

    Returns:
        A text for each prompt, without the prompt; None if the prompt has no tokens.
    """
    longest = max(longest_input(model) - new_tokens, 1)
    inputs = [tokens[-longest:] for tokens in tokenized(model, prompts)]
    limits = np.array([new_tokens if tokens else 0 for tokens in inputs], dtype=np.int64)
    outputs = _before_padding(model, generated(model, inputs, keys, decoding, limits))
    return [None if tokens is None else _text(model, tokens) for tokens in outputs]


def generated(
    model: Pretrained,
    inputs: Sequence[Sequence[int] | Ints],
    keys: Keys,
    decoding: Decoding,
    limits: Ints,
    *,
    stops: Sequence[Sequence[str]] = (),
    batch_tokens: int | None = None,
) -> list[list[int] | None]:
    """Generate an output for each input, up to the token that ends a text; inputs and outputs are tokens.

    Args:
        model: an encoder-decoder, or a causal language model.
        inputs: the tokens of each input.
        keys: the key on which each output's random draws depend, shape (inputs,).
        decoding: how tokens are chosen, such as by beam search or by random draws.
        limits: the most tokens of each output, shape (inputs,); an input with the limit 0 is skipped.
        stops: for each input, strings that end its output: the token that completes such a string is the last one.
            Empty if no output has such strings.
        batch_tokens: the most tokens of a batch, generated ones included; None for `BATCH_TOKENS`.

    Returns:
        The tokens of each output, special tokens and padding included; None for an input with the limit 0.

    Raises:
        AugmentError: a single input with its output does not fit into memory.
    """
    found: list[list[int] | None] = [None] * len(inputs)
    budget = batch_tokens or BATCH_TOKENS.on(model.device)
    if decoding.searched:
        budget = max(budget // decoding.beams, 1)

    def write(members: Ints, limit: int, batch: Ints) -> None:
        rows = members[batch].tolist()
        endings = [stops[row] for row in rows] if stops else []
        outputs, close = _written(
            model, [inputs[row] for row in rows], keys[rows], decoding, limit=limit, stops=endings
        )
        for row, output in zip(rows, outputs, strict=True):
            found[row] = output
        if len(rows) > 1:
            for at in np.flatnonzero(close):
                write(members, limit, batch[at : at + 1])

    for limit in sorted({*limits.tolist()} - {0}):
        members = np.flatnonzero(limits == limit)
        lengths = np.array([len(inputs[row]) + limit for row in members.tolist()], dtype=np.int64)
        each_batch(lengths, budget, partial(write, members, limit))
    return found


def tokenized(model: Pretrained, texts: Sequence[str]) -> list[list[int]]:
    """Return the tokens of each text, with the special tokens that the model expects around them."""
    if not texts:
        return []
    with RUNNING:
        found: list[list[int]] = model.tokenizer(list(texts), verbose=False)["input_ids"]
    return found


def longest_input(model: Pretrained) -> int:
    """Return how many tokens the model is given at most: the length of its context window, but not over 512."""
    return min(context_of(model), _LONGEST_INPUT)


def decoder_start(model: Pretrained) -> int:
    """Return the token that a decoder starts from.

    If none is configured, it is the token that begins a text, or else the one for padding, as in T5.
    """
    config = model.model.config
    possible = [getattr(one, "decoder_start_token_id", None) for one in (model.model.generation_config, config)]
    possible += [getattr(config, name, None) for name in ("bos_token_id", "pad_token_id")]
    return next((int(token) for token in possible if token is not None), 0)


def _limit(wanted: int, longest: int) -> int:
    limit = _SMALLEST_LIMIT
    while limit < min(wanted, longest):
        limit *= 2
    return min(limit, longest)


def _text(model: Pretrained, tokens: Sequence[int]) -> str:
    text: str = model.tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return text


def _written(
    model: Pretrained,
    inputs: Sequence[Sequence[int] | Ints],
    keys: Keys,
    decoding: Decoding,
    *,
    limit: int,
    stops: Sequence[Sequence[str]],
) -> tuple[list[list[int]], Mask]:
    """Generate the new tokens of each row of one batch.

    Returns:
        The tokens of each row, and flags of the rows in which two candidates had nearly equal logits, shape (rows,).
    """
    import torch  # noqa: PLC0415  (an extra)

    ends = _ends(model)
    pad = _pad(model)
    reads = bool(model.model.config.is_encoder_decoder)
    tokens, mask = padded(inputs, model.device, pad=pad, left=not reads)
    # the output begins with the token that starts the decoder, or with the input of a causal model
    start = 1 if reads else tokens.shape[1]
    tolerance = CLOSE if model.dtype == torch.float32 else 0.0
    chooser = None if decoding.searched else TokenChooser(keys, decoding, tolerance, start, ends)

    def ended(input_ids: "Tensor", _scores: object, **_: object) -> "Tensor":
        """Return whether the last tokens of each row contain one of its stop strings, shape (rows,)."""
        tails = model.tokenizer.batch_decode(input_ids[:, max(start, input_ids.shape[1] - _TAIL) :])
        found = [any(stop in tail for stop in own) for tail, own in zip(tails, stops, strict=True)]
        return torch.tensor(found, device=input_ids.device)

    with RUNNING, torch.inference_mode():
        outputs = model.model.generate(
            tokens,
            attention_mask=mask,
            generation_config=_settings(model, decoding, limit, pad),
            logits_processor=[] if chooser is None else [chooser],
            stopping_criteria=[ended] if stops else [],
        )
    close = np.zeros(len(inputs), dtype=np.bool_) if chooser is None else chooser.close
    return [_before(row, ends) for row in outputs[:, start:].tolist()], close


def _before_padding(model: Pretrained, outputs: Sequence[list[int] | None]) -> list[list[int] | None]:
    """Cut each output at its first padding token: a weak model may generate one, and what follows it is useless."""
    pad = frozenset({_pad(model)})
    return [None if tokens is None else _before(tokens, pad) for tokens in outputs]


def _before(tokens: list[int], ends: frozenset[int]) -> list[int]:
    return tokens[: next((at for at, token in enumerate(tokens) if token in ends), len(tokens))]


def _pad(model: Pretrained) -> int:
    """Return the token for padding; if the tokenizer has none, a token that ends a text."""
    return next((token for token in (model.tokenizer.pad_token_id, *sorted(_ends(model))) if token is not None), 0)


def _ends(model: Pretrained) -> frozenset[int]:
    """Return the tokens that end a text."""
    end = model.model.generation_config.eos_token_id
    if end is None:
        end = model.tokenizer.eos_token_id
    return frozenset([] if end is None else [end] if isinstance(end, int) else end)


def _settings(model: Pretrained, decoding: Decoding, limit: int, pad: int) -> Any:  # noqa: ANN401  (transformers' own)
    """Return the model's own generation settings (forbidden tokens and so on), with ours for search and length."""
    settings = copy.deepcopy(model.model.generation_config)
    ours: dict[str, Any] = {
        **dict.fromkeys(("temperature", "top_k", "top_p", "typical_p", "max_length")),
        "do_sample": False,  # `TokenChooser` draws
        "num_beams": decoding.beams if decoding.searched else 1,
        "num_return_sequences": 1,
        "max_new_tokens": decoding.fixed or limit,
        "pad_token_id": pad,
        "eos_token_id": sorted(_ends(model)) or None,
        "use_cache": True,
    }
    if model.model.config.is_encoder_decoder:
        ours["decoder_start_token_id"] = decoder_start(model)
    if decoding.fixed is not None:
        ours |= {"min_new_tokens": decoding.fixed, "min_length": None, "forced_eos_token_id": None}
    if not decoding.searched:
        ours |= {"early_stopping": False, "length_penalty": 1.0}
    if not decoding.penalties:
        ours |= {"repetition_penalty": 1.0, "no_repeat_ngram_size": 0}
    for name, value in ours.items():
        setattr(settings, name, value)
    return settings
