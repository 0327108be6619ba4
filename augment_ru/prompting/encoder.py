"""Texts as tokens of a model: whole prompts, their budget, and the places where answers start."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from augment_ru.inference.pretrained import Pretrained
from augment_ru.inference.token_trees import Request, Tokens
from augment_ru.prompting.budget import Budget
from augment_ru.prompting.prompt import Filled


@dataclass(frozen=True, slots=True)
class Encoder:
    """The tokenizer of a model, with what it puts before every text.

    Attributes:
        tokenizer: transformers' own.
        start: the token that begins a text for this model; empty if it has none.
    """

    tokenizer: Any
    start: tuple[int, ...]

    @classmethod
    def of(cls, pretrained: Pretrained) -> "Encoder":
        """The encoder of a model; whether its texts begin with a token of their own is the tokenizer's choice."""
        tokenizer = pretrained.tokenizer
        begin = tokenizer.bos_token_id
        puts = begin is not None and tokenizer("Да")["input_ids"][:1] == [begin]
        return cls(tokenizer, (begin,) if puts else ())

    def ids(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text, without those that the tokenizer puts around it."""
        if not texts:
            return []
        encoded = self.tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        return [np.array(ids, dtype=np.int64) for ids in encoded]

    def perplexed(self, filled: Sequence[Filled], context: int) -> list[list[Request]]:
        """For each prompt the whole text of every candidate, scored from the first token that has one before it.

        Args:
            filled: prompts with candidates.
            context: how many tokens the model looks at; of longer prompts the beginning is cut off, for all candidates
                at the same place.
        """
        return [
            self._requests(texts, 0 if self.start or min(text.size for text in texts) == 1 else 1, context)
            for texts in self._whole(filled)
        ]

    def continued(self, filled: Sequence[Filled], context: int) -> list[list[Request]]:
        """For each prompt the whole text of every candidate, scored from where the candidate starts.

        A text is encoded whole, and starts after as many tokens as its context has by itself.
        """
        before = self.ids([one.context for one in filled])
        return [
            self._requests(texts, ids.size, context) for texts, ids in zip(self._whole(filled), before, strict=True)
        ]

    def prompts(self, filled: Sequence[Filled], context: int) -> list[Tokens]:
        """The tokens of each context, as many of the last as leave room for the answer."""
        begin = np.array(self.start, dtype=np.int64)
        found = []
        for one, ids in zip(filled, self.ids([one.context for one in filled]), strict=True):
            room = max(context - one.tokens - begin.size, 1)
            found.append(np.concatenate([begin, ids[-room:]]))
        return found

    def _whole(self, filled: Sequence[Filled]) -> list[list[Tokens]]:
        """The tokens of each prompt with each of its candidates."""
        found = iter(self.ids([one.context + candidate.text for one in filled for candidate in one.candidates]))
        return [[next(found) for _ in one.candidates] for one in filled]

    def _requests(self, texts: Sequence[Tokens], first: int, context: int) -> list[Request]:
        """The texts scored from the token `first` on; before the very first one stands what begins or ends texts."""
        start = self.start or (self._edge() if first == 0 else ())
        begin = np.array(start, dtype=np.int64)
        excess = max(max(text.size for text in texts) + begin.size - (context + 1), 0)  # the last one is not read
        found = []
        for text in texts:
            tokens = np.concatenate([begin, text[excess:]])
            found.append(Request(tokens, max(min(begin.size + first - excess, tokens.size - 1), 1)))
        return found

    def _edge(self) -> tuple[int, ...]:
        """What may stand before a text of a model that puts nothing there: where texts begin, or end."""
        tokenizer = self.tokenizer
        edge = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
        return () if edge is None else (edge,)

    def budget(self, tokens: int) -> Budget:
        """A budget of so many tokens of this model."""

        @lru_cache(maxsize=4096)  # demonstrations are the same for many rows
        def count(text: str) -> int:
            return len(self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

        @lru_cache(maxsize=4096)
        def cut(text: str, most: int) -> str:
            if count(text) <= most:
                return text
            low, high = 0, len(text)  # the longest beginning that fits: token counts hardly ever fall as texts grow
            while low < high:
                middle = (low + high + 1) // 2
                low, high = (middle, high) if count(text[:middle]) <= most else (low, middle - 1)
            return text[:low].rstrip()

        return Budget(tokens, count, cut)
