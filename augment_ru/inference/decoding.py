"""Choose the next token of a text: the likeliest one, or a random draw that depends only on the row's key.

A key is a number made from what tells rows apart, such as their ids or texts. There are two ways to draw.

Top-k: Gumbel noise from the row's own stream is added to the k highest logits, and the highest sum wins, which is a
draw from their softmax (Gumbel 1954; Maddison, Tarlow and Minka 2014, "A* sampling").
Nucleus: a token is drawn from the smallest set of tokens that together have a given probability (Holtzman et al. 2020).
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from augment_ru.draws import Floats, Ints, Keys, unit
from augment_ru.errors import AugmentError
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


@dataclass(slots=True)
class TokenChooser:
    """A logits processor for transformers: chooses the next token of each text, and excludes all others.

    Attributes:
        keys: the key on which each text's random draws depend, shape (texts,).
        decoding: how tokens are chosen; must not be a beam search.
        tolerance: rounding could swap two logits that differ by less than this.
        start: how many tokens a text has before the first generated one.
        ends: the tokens that end a text.
        close: for each text, whether rounding could have changed the choice of one of its tokens, shape (texts,).
    """

    keys: Keys
    decoding: Decoding
    tolerance: float
    start: int
    ends: frozenset[int]
    close: Mask = field(init=False)
    _ended: Mask = field(init=False)

    def __post_init__(self) -> None:
        self.close = np.zeros(self.keys.size, dtype=np.bool_)
        self._ended = np.zeros(self.keys.size, dtype=np.bool_)

    def __call__(self, input_ids: "Tensor", scores: "Tensor") -> "Tensor":
        """Return scores that are 0 for each row's chosen token, else minus infinity; shape (rows, vocabulary)."""
        step = input_ids.shape[1] - self.start
        chosen = self._from_nucleus(scores, step) if self.decoding.top_p else self._from_likeliest(scores, step)
        self._ended |= np.isin(chosen, list(self.ends))
        only = scores.new_full(scores.shape, -float("inf"))
        return only.scatter_(1, input_ids.new_tensor(chosen)[:, None], 0.0)

    def _from_likeliest(self, scores: "Tensor", step: int) -> Ints:
        count = min((self.decoding.top_k if self.decoding.drawn else 1) + 1, scores.shape[1])
        highest = scores.float().topk(count)
        logits = highest.values.cpu().numpy().astype(np.float64)
        tokens: Ints = highest.indices.cpu().numpy()
        places, close = chosen_of(logits, tokens, self.keys, step, decoding=self.decoding, tolerance=self.tolerance)
        self.close |= close & ~self._ended
        chosen: Ints = np.take_along_axis(tokens, places[:, None], axis=1)[:, 0]
        return chosen

    def _from_nucleus(self, scores: "Tensor", step: int) -> Ints:
        draws = unit(self.keys, np.full(self.keys.size, step)).tolist()
        probabilities = scores.float().softmax(-1).double().cpu().numpy()
        rows = zip(probabilities, draws, strict=True)
        return np.array([draw_from_nucleus(row, self.decoding.top_p or 1.0, draw) for row, draw in rows])


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

    The token whose logit plus such a number is highest is a random draw by the softmax of the logits.

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
    """Return the likeliest tokens, enough to have together at least the probability `top_p`; often more than needed.

    The likeliest come first; of equally likely tokens, the one with the lower index.

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
