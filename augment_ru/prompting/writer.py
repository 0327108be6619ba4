"""Answers to prompts in a model's own words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from augment_ru.draws import Streams, digests
from augment_ru.inference.batches import TokensByDevice
from augment_ru.inference.decoding import Decoding
from augment_ru.inference.generate import generated
from augment_ru.inference.pretrained import Pretrained
from augment_ru.inference.token_trees import Tokens
from augment_ru.prompting.prompt import FilledPrompt
from augment_ru.prompting.replies import before_stop

_BATCH_TOKENS = TokensByDevice(cpu=4096, gpu=32_768)
"""Tokens of a batch, those of the answers included; models that are evaluated may be large."""


@dataclass(frozen=True, slots=True)
class Writer:
    """How answers are written.

    The draw of a token is a function of the seed, the prompt and the token's number, so an answer does not depend on
    the other prompts of its batch.

    Attributes:
        pretrained: a causal or a sequence-to-sequence model.
        top_p: the probability of the nucleus that tokens are drawn from, in (0, 1]; None takes the likeliest token.
        seed: the seed of the draws.
        batch_tokens: tokens of a batch, padding and answers included; None for the default of the device.
    """

    pretrained: Pretrained
    top_p: float | None
    seed: int
    batch_tokens: int | None = None

    def __call__(self, prompts: Sequence[FilledPrompt], tokens: Sequence[Tokens]) -> list[str]:
        """The answer to each prompt, up to its first stop.

        Args:
            prompts: the prompts.
            tokens: what the model reads, for each prompt.
        """
        answers = generated(
            self.pretrained,
            tokens,
            Streams.of(digests(prompt.context for prompt in prompts), self.seed, "generate").keys,
            Decoding(top_p=self.top_p, penalties=False),
            np.array([prompt.tokens for prompt in prompts], dtype=np.int64),
            stops=[prompt.stop for prompt in prompts],
            batch_tokens=self.batch_tokens or _BATCH_TOKENS.on(self.pretrained.device),
        )
        decode = self.pretrained.tokenizer.decode
        texts = [decode(ids or [], skip_special_tokens=True) for ids in answers]
        return [before_stop(text, prompt.stop).strip() for text, prompt in zip(texts, prompts, strict=True)]
