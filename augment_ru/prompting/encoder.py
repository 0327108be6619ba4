"""Encode prompts as tokens of a model: to score choices, to generate answers, and to limit the length of prompts."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from augment_ru.inference.likelihood import Request, Tokens
from augment_ru.inference.pretrained import Pretrained
from augment_ru.prompting.chat import Chat
from augment_ru.prompting.prompt import FilledPrompt, PromptBudget


class PromptEncoder(NamedTuple):
    """Turns prompts into tokens with the tokenizer of a model, and with the token that it puts before every text.

    Attributes:
        tokenizer: a tokenizer of transformers.
        start: the token that the tokenizer puts before every text; empty if it puts none there. It is also empty in a
            chat, since the chat template writes this token.
        chat: writes a prompt in the chat template of the model; None for a model that gets it as plain text.
    """

    tokenizer: Any
    start: tuple[int, ...]
    chat: Chat | None = None

    @classmethod
    def of(cls, pretrained: Pretrained, chat: Chat | None = None) -> "PromptEncoder":
        """Make the encoder of a model.

        Args:
            pretrained: the network with its tokenizer.
            chat: writes a prompt in the chat template of the model; None for a model that gets it as plain text.
        """
        tokenizer = pretrained.tokenizer
        if chat is not None:
            return cls(tokenizer, (), chat)
        begin = tokenizer.bos_token_id
        is_put = begin is not None and tokenizer("Да")["input_ids"][:1] == [begin]
        return cls(tokenizer, (begin,) if is_put else ())

    def ids(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the tokens of each text, without special tokens around it."""
        if not texts:
            return []
        encoded = self.tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        return [np.array(ids, dtype=np.int64) for ids in encoded]

    def whole_texts(self, prompts: Sequence[FilledPrompt], context: int) -> list[list[Request]]:
        """Encode prompts for models that score whole texts: a prompt followed by one of its choices is one text.

        The result has a list for each prompt, with a request for each choice: all its tokens are scored. The first is
        not scored if the tokenizer puts no start token before it, unless a text has no other token.

        Args:
            prompts: prompts with choices.
            context: the length of the model's context window, in tokens. If a prompt does not fit, the same number of
                tokens at its beginning is cut off for all its choices.
        """
        before = self._before(prompts) if self.chat else ()
        return [
            self._requests(texts, 0 if self.start or min(text.size for text in texts) == 1 else 1, context)
            for texts in self._texts(prompts, before)
        ]

    def continuations(
        self, prompts: Sequence[FilledPrompt], context: int, before: Sequence[Tokens] | None = None
    ) -> list[list[Request]]:
        """Encode prompts for models that score only the choices, each as the continuation of its prompt.

        The result has a list for each prompt, with a request for each choice. In a chat, prompt and choice are encoded
        separately. Otherwise they are encoded as one text, and the choice is taken to start after as many tokens as the
        prompt has by itself.

        Args:
            prompts: prompts with choices.
            context: the length of the model's context window, in tokens. If a prompt does not fit, the same number of
                tokens at its beginning is cut off for all its choices.
            before: the tokens of each prompt of a chat up to the answer, if they include the model's reasoning.
        """
        before = self._before(prompts) if before is None else before
        both = zip(self._texts(prompts, before), before, strict=True)
        return [self._requests(texts, ids.size, context) for texts, ids in both]

    def contexts(self, prompts: Sequence[FilledPrompt], context: int) -> list[Tokens]:
        """Return the tokens of each prompt, up to the place of the answer.

        If a prompt leaves no room for reasoning and answer, its beginning is cut off.

        Args:
            prompts: the prompts.
            context: the length of the model's context window, in tokens.
        """
        begin = np.array(self.start, dtype=np.int64)
        found = []
        reasoning = self.chat.reasoning if self.chat else 0
        for prompt, ids in zip(prompts, self._before(prompts), strict=True):
            room = max(context - prompt.tokens - reasoning - begin.size, 1)
            found.append(np.concatenate([begin, ids[-room:]]))
        return found

    def _before(self, prompts: Sequence[FilledPrompt]) -> list[Tokens]:
        """Return the tokens of each prompt up to the answer."""
        return self.ids([self.chat.text(prompt) if self.chat else prompt.context for prompt in prompts])

    def _texts(self, prompts: Sequence[FilledPrompt], before: Sequence[Tokens]) -> list[list[Tokens]]:
        """Return the tokens of each prompt with each of its choices.

        In a chat, the tokens of a choice are put after those of the prompt (`before`), where a generated answer would
        start.
        """
        if not self.chat:
            found = iter(self.ids([prompt.context + choice.text for prompt in prompts for choice in prompt.choices]))
            return [[next(found) for _ in prompt.choices] for prompt in prompts]
        answers = iter(self.ids([choice.text.lstrip() for prompt in prompts for choice in prompt.choices]))
        both = zip(prompts, before, strict=True)
        return [[np.concatenate([ids, next(answers)]) for _ in prompt.choices] for prompt, ids in both]

    def _requests(self, texts: Sequence[Tokens], first: int, context: int) -> list[Request]:
        """Return requests that score the texts from their token `first` on.

        The tokenizer's start token, if there is one, is put before each text. If there is none but token 0 is scored, a
        token that begins or ends texts is put there. If one of the texts does not fit into `context` tokens, the same
        number of tokens is cut off at the beginning of every text.
        """
        start = self.start or (self._edge() if first == 0 else ())
        begin = np.array(start, dtype=np.int64)
        excess = max(max(text.size for text in texts) + begin.size - (context + 1), 0)  # the last token is not read
        found = []
        for text in texts:
            tokens = np.concatenate([begin, text[excess:]])
            found.append(Request(tokens, max(min(begin.size + first - excess, tokens.size - 1), 1)))
        return found

    def _edge(self) -> tuple[int, ...]:
        """Return the token for the beginning of a text, or else for its end; empty if the tokenizer has neither."""
        tokenizer = self.tokenizer
        edge = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
        return () if edge is None else (edge,)

    def budget(self, tokens: int) -> PromptBudget:
        """Return a limit on the length of prompts: at most `tokens` tokens, counted by this tokenizer."""

        @lru_cache(maxsize=4096)  # rows share demonstrations
        def count(text: str) -> int:
            return len(self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

        @lru_cache(maxsize=4096)
        def cut(text: str, most: int) -> str:
            if count(text) <= most:
                return text
            low, high = 0, len(text)  # bisection: a longer beginning hardly ever has fewer tokens
            while low < high:
                middle = (low + high + 1) // 2
                low, high = (middle, high) if count(text[:middle]) <= most else (low, middle - 1)
            return text[:low].rstrip()

        return PromptBudget(tokens, count, cut)
