"""Predict Russian words for a gap in a text with a masked language model, in batches."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from augment_ru.draws import Ints
from augment_ru.inference.batches import TokensByDevice, each_batch, padded
from augment_ru.inference.generate import longest_input, tokenized
from augment_ru.inference.pretrained import Pretrained
from augment_ru.language.morphology import morphology
from augment_ru.text.words import RUSSIAN

if TYPE_CHECKING:
    from torch import Tensor

LISTED = 200
"""The most words that are returned for a gap."""
_LEAST_SCORE = 0.05
"""Parses of a word to which pymorphy3 gives a lower probability are ignored."""
_WINDOW = 300
"""How many characters before and after a gap the model sees."""
_BATCH_TOKENS = TokensByDevice(cpu=4096, gpu=65_536)
GAP = "\ue000"
"""Stands for the gap in a text; a private-use character, which texts do not contain."""

_ONE_LETTER_WORDS = frozenset("аивкосуя")


class GapWord(NamedTuple):
    """A word that a masked language model puts into a gap of a text.

    Attributes:
        text: the word.
        logit: the logit that the model gives it.
        token: the token of the word.
    """

    text: str
    logit: float
    token: int


def with_gap(text: str, start: int, stop: int) -> str:
    """Replace a part of a text by the mark of a gap, which a masked language model fills.

    The text is cut to the whole words within 300 characters on each side of the gap.

    Args:
        text: the text.
        start: the place where the part starts.
        stop: the place after its last character.
    """
    left, right = text[max(start - _WINDOW, 0) : start], text[stop : stop + _WINDOW]
    if start > _WINDOW:
        left = left.partition(" ")[2]
    if stop + _WINDOW < len(text):
        right = right.rpartition(" ")[0]
    return f"{left}{GAP}{right}".replace("\n", " ").replace("\r", " ")


def words_for(model: Pretrained, contexts: Sequence[str]) -> list[tuple[GapWord, ...]]:
    """Return the likeliest Russian words for the gap in each context, the likeliest first, at most `LISTED`.

    Only words that are one token of the model can be found. A context gets no words if it is longer than the model
    reads or contains the model's mask token itself.

    Args:
        model: loaded as `AutoModelForMaskedLM`.
        contexts: texts, each with one gap (the mark `GAP`).
    """
    found: list[tuple[GapWord, ...]] = [()] * len(contexts)
    texts = [text.replace(GAP, model.tokenizer.mask_token) for text in contexts]
    ids = tokenized(model, texts)
    mask = model.tokenizer.mask_token_id
    usable = np.array([len(row) <= longest_input(model) and row.count(mask) == 1 for row in ids], dtype=np.bool_)
    rows = np.flatnonzero(usable & np.array([text.count(GAP) == 1 for text in contexts], dtype=np.bool_))
    words = whole_words(model.name, model.tokenizer)
    allowed = np.fromiter(words, dtype=np.int64, count=len(words))

    def call(batch: Ints) -> None:
        members = rows[batch].tolist()
        for row, best in zip(members, _best(model, [ids[row] for row in members], allowed), strict=True):
            found[row] = tuple(GapWord(words[token], logit, token) for token, logit in best)

    lengths = np.array([len(ids[row]) for row in rows.tolist()], dtype=np.int64)
    each_batch(lengths, _BATCH_TOKENS.on(model.device), call)
    return found


def _best(model: Pretrained, ids: Sequence[Sequence[int]], allowed: Ints) -> list[list[tuple[int, float]]]:
    """Return the likeliest of the allowed tokens at the mask of each row, with their logits."""
    import torch  # noqa: PLC0415  (an extra)

    if not allowed.size:
        return [[] for _ in ids]
    inputs, attention = padded(ids, model.device, pad=model.tokenizer.pad_token_id or 0)
    gaps = torch.tensor([row.index(model.tokenizer.mask_token_id) for row in ids], device=model.device)
    with torch.inference_mode():
        logits = _logits(model, inputs, attention, gaps)
        values, order = logits.float()[:, torch.from_numpy(allowed).to(model.device)].topk(min(LISTED, allowed.size))
    tokens = allowed[order.cpu().numpy()]
    return [list(zip(*row, strict=True)) for row in zip(tokens.tolist(), values.cpu().tolist(), strict=True)]


HEADS = {"bert": "cls", "roberta": "lm_head", "xlm-roberta": "lm_head"}
"""Maps a kind of model to the attribute of its prediction head; running it only on the gaps saves much time."""


def _logits(model: Pretrained, inputs: "Tensor", attention: "Tensor", gaps: "Tensor") -> Any:  # noqa: ANN401  (a tensor)
    """Return the logits at the gap of each row, shape (rows, vocabulary)."""
    network = model.model
    rows = range(inputs.shape[0])
    head = getattr(network, HEADS.get(network.config.model_type, ""), None)
    if head is None:
        return network(input_ids=inputs, attention_mask=attention).logits[rows, gaps]
    hidden = network.base_model(input_ids=inputs, attention_mask=attention)[0][rows, gaps]
    return head(hidden)


@lru_cache(maxsize=8)
def whole_words(name: str, tokenizer: Any) -> dict[int, str]:  # noqa: ANN401  (transformers' own)
    """Map the number of each token that is a whole Russian word to this word.

    The result is cached.

    Args:
        name: the name of the model, by which the cache finds the result.
        tokenizer: the tokenizer of the model.
    """
    del name
    tokens: list[str] = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    starts = next((sign for sign in ("▁", "Ġ") if any(token.startswith(sign) for token in tokens)), "")
    found: dict[int, str] = {}
    for number, token in enumerate(tokens):
        if starts and not token.startswith(starts):
            continue
        word = tokenizer.decode([number]).strip() if starts == "Ġ" else token.removeprefix(starts)
        low = word.lower()
        if RUSSIAN.fullmatch(word) and (low in _ONE_LETTER_WORDS if len(low) == 1 else morphology().word_is_known(low)):
            found[number] = word
    return found


def same_kind(one: str, other: str) -> bool:
    """Tell whether two Russian words have a likely part of speech in common, as two nouns do (`parts_of_speech`)."""
    return bool(parts_of_speech(one.lower()) & parts_of_speech(other.lower()))


@lru_cache(maxsize=100_000)
def parts_of_speech(word: str) -> frozenset[str]:
    """Return the likely parts of speech of a Russian word, as pymorphy3 names them.

    Those to which pymorphy3 gives a probability under .05 are left out; for example, «из» is not a noun.
    """
    analyses = morphology().parse(word)
    return frozenset(str(analysis.tag.POS) for analysis in analyses if analysis.score >= _LEAST_SCORE)
