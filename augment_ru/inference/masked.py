"""Words that a masked language model would put into a gap, with their logits; gaps of all texts in batches."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from augment_ru.draws import Ints
from augment_ru.inference.generate import longest_input, tokenized
from augment_ru.inference.pretrained import Pretrained, each_batch
from augment_ru.language.morphology import morphology
from augment_ru.text.words import RUSSIAN

LISTED = 200
"""Words listed for a gap."""
_NOW_AND_THEN = 0.05
"""The least share of a word's uses that counts."""
_AROUND = 300
"""Characters that the model sees before and behind a gap."""
_TOKENS = {"cpu": 4096, "cuda": 65536}
"""Tokens of a batch, with their padding, by the kind of device."""
GAP = "\ue000"
"""Stands for the gap in a text; the first private character, which no text of a language has."""

_LETTERS = frozenset("аивкосуя")
"""The letters that are words."""


class Word(NamedTuple):
    """A word for a gap, and the model's logit for it."""

    text: str
    logit: float
    token: int


def context(text: str, start: int, stop: int) -> str:
    """The text around a range, with a gap in its place: whole words, as many as the model needs to see."""
    left, right = text[max(start - _AROUND, 0) : start], text[stop : stop + _AROUND]
    if start > _AROUND:
        left = left.partition(" ")[2]
    if stop + _AROUND < len(text):
        right = right.rpartition(" ")[0]
    return f"{left}{GAP}{right}".replace("\n", " ").replace("\r", " ")


def words_for(model: Pretrained, contexts: Sequence[str]) -> list[tuple[Word, ...]]:
    """The likeliest Russian words for the gap in each context, the likeliest first, `LISTED` at most.

    Only words that are one token of the model are found. None for a context that is longer than the model
    reads, or that holds a mask of its own.

    Args:
        model: loaded as `AutoModelForMaskedLM`.
        contexts: texts with one `GAP` each.
    """
    found: list[tuple[Word, ...]] = [()] * len(contexts)
    texts = [text.replace(GAP, model.tokenizer.mask_token) for text in contexts]
    ids = tokenized(model, texts)
    mask = model.tokenizer.mask_token_id
    usable = np.array([len(row) <= longest_input(model) and row.count(mask) == 1 for row in ids], dtype=np.bool_)
    rows = np.flatnonzero(usable & np.array([text.count(GAP) == 1 for text in contexts], dtype=np.bool_))
    names = whole_words(model.name, model.tokenizer)
    allowed = np.fromiter(names, dtype=np.int64, count=len(names))

    def call(batch: Ints) -> None:
        chosen = rows[batch].tolist()
        for row, best in zip(chosen, _best(model, [ids[row] for row in chosen], allowed), strict=True):
            found[row] = tuple(Word(names[token], logit, token) for token, logit in best)

    budget = _TOKENS[model.device.type if model.device.type in _TOKENS else "cpu"]
    each_batch(np.array([len(ids[row]) for row in rows.tolist()], dtype=np.int64), budget, call)
    return found


def _best(model: Pretrained, ids: Sequence[Sequence[int]], allowed: Ints) -> list[list[tuple[int, float]]]:
    """The likeliest of the allowed tokens at the mask of each row, with their logits."""
    import torch  # noqa: PLC0415  (an extra)

    if not allowed.size:
        return [[] for _ in ids]
    width = max(map(len, ids))
    inputs = torch.full((len(ids), width), model.tokenizer.pad_token_id or 0)
    seen = torch.zeros((len(ids), width), dtype=torch.long)
    for at, row in enumerate(ids):
        inputs[at, : len(row)] = torch.tensor(row)
        seen[at, : len(row)] = 1
    places = torch.tensor([row.index(model.tokenizer.mask_token_id) for row in ids])
    with torch.inference_mode():
        logits = _logits(model, inputs.to(model.device), seen.to(model.device), places.to(model.device))
        values, order = logits.float()[:, torch.from_numpy(allowed).to(model.device)].topk(min(LISTED, allowed.size))
    tokens = allowed[order.cpu().numpy()]
    return [list(zip(*row, strict=True)) for row in zip(tokens.tolist(), values.cpu().tolist(), strict=True)]


HEADS = {"bert": "cls", "roberta": "lm_head", "xlm-roberta": "lm_head"}
"""Where the head of a kind of model is, so that it need not run on every token: a vocabulary is large."""


def _logits(model: Pretrained, inputs: Any, seen: Any, places: Any) -> Any:  # noqa: ANN401  (tensors)
    """The logits at one place of each row, shape (rows, vocabulary)."""
    network = model.model
    rows = range(inputs.shape[0])
    head = getattr(network, HEADS.get(network.config.model_type, ""), None)
    if head is None:
        return network(input_ids=inputs, attention_mask=seen).logits[rows, places]
    hidden = network.base_model(input_ids=inputs, attention_mask=seen)[0][rows, places]
    return head(hidden)


@lru_cache(maxsize=8)
def whole_words(name: str, tokenizer: Any) -> dict[int, str]:  # noqa: ANN401  (transformers' own)
    """The tokens that are whole Russian words, and the words; `name` is the model's."""
    del name
    tokens: list[str] = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    starts = next((sign for sign in ("▁", "Ġ") if any(token.startswith(sign) for token in tokens)), "")
    found: dict[int, str] = {}
    for number, token in enumerate(tokens):
        if starts and not token.startswith(starts):
            continue
        word = tokenizer.decode([number]).strip() if starts == "Ġ" else token.removeprefix(starts)
        low = word.lower()
        if RUSSIAN.fullmatch(word) and (low in _LETTERS if len(low) == 1 else morphology().word_is_known(low)):
            found[number] = word
    return found


def same_kind(one: str, other: str) -> bool:
    """Whether two words can be the same part of speech."""
    return bool(parts_of_speech(one.lower()) & parts_of_speech(other.lower()))


@lru_cache(maxsize=100_000)
def parts_of_speech(word: str) -> frozenset[str]:
    """The parts of speech that a Russian word is now and then, as pymorphy3 names them; «из» is no noun."""
    analyses = morphology().parse(word)
    return frozenset(str(analysis.tag.POS) for analysis in analyses if analysis.score >= _NOW_AND_THEN)


def in_case(word: str, like: str) -> str:
    """The word in the letter case of another: «Кошка», «КОШКА», «кошка».

    >>> in_case("собака", "Кошка"), in_case("Собака", "КОШКА"), in_case("Собака", "кошка"), in_case("и", "Я")
    ('Собака', 'СОБАКА', 'собака', 'И')
    """
    if like.isupper() and len(like) > 1:
        return word.upper()
    lower = word.lower()
    return lower[0].upper() + lower[1:] if like[0].isupper() else lower
