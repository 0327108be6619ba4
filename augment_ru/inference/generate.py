"""Texts from sequence models: translated, paraphrased, continued; in batches, with draws that are an argument.

A row's text depends on its own input and key alone. Each row stops at a length of its own; and what is drawn
is the likeliest token after Gumbel noise of the row's own stream was added to the logits, which is a draw from
the softmax (Gumbel 1954; Maddison, Tarlow and Minka 2014, "A* sampling"). Batches of other shapes round the
logits otherwise, so where two tokens are nearly as good the row is done again alone, and the choice is then
the same in every batch. Only beam search and the half-width formats are left to their rounding.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from augment_ru.draws import Floats, Ints, Keys, unit
from augment_ru.errors import AugmentError
from augment_ru.inference.pretrained import Pretrained, each_batch
from augment_ru.text.characters import Mask

if TYPE_CHECKING:
    from torch import Tensor

CLOSE = 2e-4
"""Logits of float32 that lie nearer than this are settled by the row alone."""
_TOKENS = {"cpu": 4096, "cuda": 65536}
"""Tokens of a batch, with their padding, by the kind of device."""
_TOKEN_BITS = np.uint64(24)
_LEAST, _MOST = 32, 512
"""New tokens that a text may have: of sizes 32, 64, … 512, so that rows of like length share a batch."""


@dataclass(frozen=True, slots=True)
class Decoding:
    """How the next token is chosen.

    Attributes:
        beams: the width of the beam search; 1 takes the likeliest token. Not used where a temperature is set.
        temperature: over 0: tokens are drawn, at 1 as likely as the model says; None: nothing is drawn.
        top_k: of how many of the likeliest tokens one is drawn.
        fixed: as many new tokens for every row, for measurements; None: until the model stops.

    Raises:
        AugmentError: a value is out of its range.
    """

    beams: int = 1
    temperature: float | None = None
    top_k: int = 50
    fixed: int | None = None

    def __post_init__(self) -> None:
        if self.beams < 1:
            raise AugmentError(f"beams {self.beams}; needs a number from 1")
        if self.temperature is not None and not self.temperature > 0:
            raise AugmentError(f"temperature {self.temperature}; needs a number over 0, or none for no draws")
        if self.top_k < 1:
            raise AugmentError(f"top_k {self.top_k}; needs a number from 1")

    @property
    def drawn(self) -> bool:
        """Whether the outcome depends on the row's key."""
        return self.temperature is not None


RUNNING = RLock()
"""One text generation at a time: threads share models, whose tokenizers are not theirs alone."""


def rewritten(model: Pretrained, texts: Sequence[str], keys: Keys, decoding: Decoding) -> list[str | None]:
    """What an encoder-decoder makes of each text.

    Args:
        model: loaded as `AutoModelForSeq2SeqLM`.
        texts: the inputs.
        keys: the key of each text's draws, shape (texts,).
        decoding: how tokens are chosen.

    Returns:
        A text for each input; None where the input is longer than the model reads, or no end was reached
        (a model that has lost its way repeats itself).
    """
    ids: list[list[int]] = tokenized(model, texts)
    longest = longest_input(model)
    limits = np.array([_limit(2 * len(row), longest) for row in ids], dtype=np.int64)
    possible = np.array([0 < len(row) <= longest for row in ids], dtype=np.bool_)
    tokens = _generated(model, ids, keys, decoding, np.where(possible, limits, 0))
    return [
        None if row is None or (decoding.fixed is None and len(row) >= limit - 1) else _text(model, row)
        for row, limit in zip(tokens, limits.tolist(), strict=True)
    ]


def continued(
    model: Pretrained, prompts: Sequence[str], keys: Keys, decoding: Decoding, new_tokens: int
) -> list[str | None]:
    """What a causal language model writes after each prompt, at most `new_tokens` tokens of it.

    The model reads the end of a prompt that is longer than it can.

    Args:
        model: loaded as `AutoModelForCausalLM`.
        prompts: the texts to go on from.
        keys: the key of each prompt's draws, shape (prompts,).
        decoding: how tokens are chosen.
        new_tokens: the most that are written.

    Returns:
        A text for each prompt, without the prompt; None where the prompt has no token.
    """
    room = max(longest_input(model) - new_tokens, 1)
    ids = [row[-room:] for row in tokenized(model, prompts)]
    limits = np.array([new_tokens if row else 0 for row in ids], dtype=np.int64)
    tokens = _generated(model, ids, keys, decoding, limits)
    return [None if row is None else _text(model, row) for row in tokens]


def tokenized(model: Pretrained, texts: Sequence[str]) -> list[list[int]]:
    """The tokens of each text, with those that the model wants around it."""
    if not texts:
        return []
    with RUNNING:
        found: list[list[int]] = model.tokenizer(list(texts), verbose=False)["input_ids"]
    return found


def longest_input(model: Pretrained) -> int:
    """Tokens that the model reads at once, at most 512."""
    known = (
        model.tokenizer.model_max_length,
        *(getattr(model.model.config, name, None) or _MOST for name in ("max_position_embeddings", "n_positions")),
    )
    return int(min(*known, _MOST))


def _limit(wanted: int, longest: int) -> int:
    limit = _LEAST
    while limit < min(wanted, longest):
        limit *= 2
    return min(limit, longest)


def _text(model: Pretrained, tokens: Sequence[int]) -> str:
    text: str = model.tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return text


def _generated(
    model: Pretrained, ids: Sequence[Sequence[int]], keys: Keys, decoding: Decoding, limits: Ints
) -> list[list[int] | None]:
    """The new tokens of each row, special ones among them; None where the limit is 0."""
    found: list[list[int] | None] = [None] * len(ids)
    budget = _TOKENS[model.device.type if model.device.type in _TOKENS else "cpu"]
    if not decoding.drawn:
        budget = max(budget // decoding.beams, 1)
    for limit in sorted({*limits.tolist()} - {0}):
        rows = np.flatnonzero(limits == limit)

        def call(batch: Ints, rows: Ints = rows, limit: int = limit) -> None:
            chosen = rows[batch]
            outputs, close = _batch(model, [ids[row] for row in chosen.tolist()], keys[chosen], decoding, limit)
            for row, output in zip(chosen.tolist(), outputs, strict=True):
                found[row] = output
            if chosen.size > 1:
                for row in chosen[close].tolist():
                    (found[row],), _ = _batch(model, [ids[row]], keys[row : row + 1], decoding, limit)

        each_batch(np.array([len(ids[row]) for row in rows.tolist()]), budget, call)
    return found


def _batch(
    model: Pretrained, ids: Sequence[Sequence[int]], keys: Keys, decoding: Decoding, limit: int
) -> tuple[list[list[int]], Mask]:
    """The new tokens of each row of a batch, and which rows had a close call."""
    import torch  # noqa: PLC0415  (an extra)

    encoder = bool(model.model.config.is_encoder_decoder)
    width = max(map(len, ids))
    pad = _pad(model)
    inputs = torch.full((len(ids), width), pad)
    mask = torch.zeros((len(ids), width), dtype=torch.long)
    for at, row in enumerate(ids):
        place = slice(0, len(row)) if encoder else slice(width - len(row), width)
        inputs[at, place] = torch.tensor(row)
        mask[at, place] = 1
    chooser = None
    if decoding.drawn or decoding.beams == 1:
        ends = _ends(model)
        tolerance = CLOSE if model.dtype == torch.float32 else 0.0
        chooser = _Chooser(keys, decoding, tolerance, 1 if encoder else width, ends)
    with RUNNING, torch.inference_mode():
        outputs = model.model.generate(
            inputs.to(model.device),
            attention_mask=mask.to(model.device),
            generation_config=_configured(model, decoding, limit, pad),
            logits_processor=[] if chooser is None else [chooser],
        )
    # an encoder-decoder starts with the decoder's start token, a language model with its prompt
    new = outputs[:, 1 if encoder else width :].tolist()
    close = np.zeros(len(ids), dtype=np.bool_) if chooser is None else chooser.close
    return [_until_end(row, _ends(model), pad) for row in new], close


def _until_end(tokens: list[int], ends: frozenset[int], pad: int) -> list[int]:
    """The tokens before the first end; all of them where there is none, without the padding behind."""
    for at, token in enumerate(tokens):
        if token in ends or token == pad:
            return tokens[:at]
    return tokens


def _pad(model: Pretrained) -> int:
    for value in (model.model.config.pad_token_id, model.tokenizer.pad_token_id, *sorted(_ends(model))):
        if value is not None and value >= 0:
            return int(value)
    return 0


def _ends(model: Pretrained) -> frozenset[int]:
    """The tokens that end a text."""
    end = model.model.generation_config.eos_token_id
    if end is None:
        end = model.tokenizer.eos_token_id
    return frozenset([] if end is None else [end] if isinstance(end, int) else end)


def _configured(model: Pretrained, decoding: Decoding, limit: int, pad: int) -> Any:  # noqa: ANN401  (transformers' own)
    """The model's own settings (forbidden tokens, repetition), with ours for the search and the length."""
    settings = copy.deepcopy(model.model.generation_config)
    new = {
        "do_sample": False,
        "num_beams": 1 if decoding.drawn else decoding.beams,
        "num_return_sequences": 1,
        "temperature": None,
        "top_k": None,
        "top_p": None,
        "typical_p": None,
        "max_length": None,
        "max_new_tokens": decoding.fixed or limit,
        "pad_token_id": pad,
        "use_cache": True,
    }
    for name, value in new.items():
        setattr(settings, name, value)
    if decoding.fixed is not None:
        settings.min_new_tokens, settings.min_length = decoding.fixed, None
        settings.forced_eos_token_id = None
    if decoding.drawn or decoding.beams == 1:
        settings.early_stopping = False
        settings.length_penalty = 1.0
    return settings


@dataclass(slots=True)
class _Chooser:
    """Leaves one token of each row: the likeliest, or the one that is drawn. A transformers logits processor."""

    keys: Keys
    decoding: Decoding
    tolerance: float
    start: int
    """How many tokens stand before the first one that is chosen."""
    ends: frozenset[int]
    close: Mask = field(init=False)
    """Which rows had two tokens that rounding might exchange."""
    _done: Mask = field(init=False)

    def __post_init__(self) -> None:
        self.close = np.zeros(self.keys.size, dtype=np.bool_)
        self._done = np.zeros(self.keys.size, dtype=np.bool_)

    def __call__(self, input_ids: "Tensor", scores: "Tensor") -> "Tensor":
        step = input_ids.shape[1] - self.start
        count = min((self.decoding.top_k if self.decoding.drawn else 1) + 1, scores.shape[1])
        values, tokens = scores.float().topk(count)
        names: Ints = tokens.cpu().numpy()
        chosen, close = chosen_of(
            values.cpu().numpy().astype(np.float64),
            names,
            self.keys,
            step,
            decoding=self.decoding,
            tolerance=self.tolerance,
        )
        self.close |= close & ~self._done
        token = np.take_along_axis(names, chosen[:, None], axis=1)
        self._done |= np.isin(token[:, 0], list(self.ends))
        only = scores.new_full(scores.shape, -float("inf"))
        return only.scatter_(1, tokens.new_tensor(token), 0.0)


def chosen_of(
    values: Floats, names: Ints, keys: Keys, step: int, *, decoding: Decoding, tolerance: float
) -> tuple[Ints, Mask]:
    """Which of the likeliest tokens each row takes, and whether rounding might have it take another.

    Args:
        values: logits in falling order, one more than may be drawn, shape (rows, tokens).
        names: the tokens, same shape.
        keys: the key of each row, shape (rows,).
        step: the number of the token in its text; draws are addressed by step and token.
        decoding: how it is chosen.
        tolerance: logits that lie nearer than this are a close call.
    """
    possible = np.minimum(decoding.top_k, values.shape[1]) if decoding.temperature is not None else 1
    noisy = values.copy()
    if decoding.temperature is not None:
        places = (np.uint64(step) << _TOKEN_BITS) + names.astype(np.uint64)
        noisy = values / decoding.temperature + gumbel(keys[:, None], places)
        tolerance /= min(decoding.temperature, 1.0)
    chosen: Ints = noisy[:, :possible].argmax(axis=1)
    if tolerance == 0:
        return chosen, np.zeros(chosen.size, dtype=np.bool_)
    best = np.take_along_axis(noisy, chosen[:, None], axis=1)
    rivals = noisy > best - tolerance  # the best one itself among them; none where nothing can be taken
    if values.shape[1] > possible:  # the one that just missed the list is a rival only where it might be in it
        missed = values[:, possible] > values[:, possible - 1] - tolerance
        last = missed & (chosen == possible - 1)
        rivals[:, possible] &= missed
        return chosen, (rivals.sum(axis=1) > 1) | last
    return chosen, rivals.sum(axis=1) > 1


def gumbel(keys: Keys, places: Keys) -> Floats:
    """Draws from the standard Gumbel distribution at places of the streams `keys`; shapes broadcast."""
    points = unit(keys, places) + 2.0**-54  # never 0
    noise: Floats = -np.log(-np.log(points))
    return noise
