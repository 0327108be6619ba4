"""A sequence-to-sequence model of Hugging Face: the encoder reads the prompt, the decoder scores or writes answers."""

from collections.abc import Sequence

import numpy as np

from augment_ru.draws import Ints
from augment_ru.evaluation.examples import ModelRequest
from augment_ru.inference.batches import TokensByDevice, each_batch, padded
from augment_ru.inference.generate import decoder_start
from augment_ru.inference.likelihood import Tokens
from augment_ru.inference.pretrained import Pretrained
from augment_ru.models._hugging_face import PromptedNetwork, PromptOptions
from augment_ru.prompting.prompt import FilledPrompt

Options = PromptOptions
_BATCH_TOKENS = TokensByDevice(cpu=1024, gpu=16_384)


class Seq2SeqModel(PromptedNetwork):
    """A sequence-to-sequence model that is asked with prompts.

    The score of an answer is the log-likelihood of its tokens and of the end of the text after them, given the prompt
    (paper of the benchmark MERA, Eq. 1).
    """

    def score(self, prompts: Sequence[FilledPrompt]) -> list[list[float]]:
        """Return for each prompt the score of each of its choices, in nats."""
        if not prompts:
            return []
        answers = self.encoder.ids([choice.text.strip() for prompt in prompts for choice in prompt.choices])
        end = np.array([self.pretrained.tokenizer.eos_token_id], dtype=np.int64)
        ended = iter([np.concatenate([ids, end]) for ids in answers])
        by_prompt = [[next(ended) for _ in prompt.choices] for prompt in prompts]
        budget = self.options.batch_tokens or _BATCH_TOKENS.on(self.pretrained.device)
        return log_likelihoods(self.pretrained, self._contexts(prompts), by_prompt, budget)

    def write(self, prompts: Sequence[FilledPrompt]) -> list[str]:
        """Return for each prompt a generated answer."""
        return self.written(prompts, self._contexts(prompts)) if prompts else []

    def _contexts(self, prompts: Sequence[FilledPrompt]) -> list[Tokens]:
        """Return the tokens of each context, with special tokens; a context that is too long loses its beginning."""
        encoded = self.pretrained.tokenizer([prompt.context for prompt in prompts], verbose=False)["input_ids"]
        return [np.array(ids[-self.context :], dtype=np.int64) for ids in encoded]


def hf_seq2seq(request: ModelRequest, /) -> Seq2SeqModel:
    """Load an encoder-decoder of transformers, which is asked with prompts.

    Args:
        request: what the model is made from; its `argument` is a folder or a name on the hub.

    Raises:
        AugmentError: there is no such model or prompt, or an option is wrong.
    """
    return Seq2SeqModel.of("hf-seq2seq", "AutoModelForSeq2SeqLM", request)


def log_likelihoods(
    pretrained: Pretrained, prompts: Sequence[Tokens], answers: Sequence[Sequence[Tokens]], budget: int
) -> list[list[float]]:
    """Return the log-likelihood of each answer to each prompt, in nats.

    The encoder reads each prompt once for all its answers.

    Args:
        pretrained: a sequence-to-sequence model.
        prompts: the tokens that the encoder reads.
        answers: for each prompt, the tokens of its answers.
        budget: the most tokens that a batch may have, padding included.

    Raises:
        AugmentError: a prompt with its answers does not fit into memory.
    """
    import torch  # noqa: PLC0415

    model, device = pretrained.model, pretrained.device
    found: list[list[float]] = [[] for _ in prompts]

    def score(batch: Ints) -> None:
        ids, mask = padded([prompts[index] for index in batch], device)
        rows = [row for row, index in enumerate(batch) for _ in answers[index]]
        targets, real = padded([answer for index in batch for answer in answers[index]], device)
        start = torch.full_like(targets[:, :1], decoder_start(pretrained))
        with torch.inference_mode():
            states = model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
            logits = model(
                encoder_outputs=(states[rows],),
                attention_mask=mask[rows],
                decoder_input_ids=torch.cat([start, targets[:, :-1]], dim=1),
                use_cache=False,
            ).logits.float()
            by_token = logits.gather(-1, targets[..., None])[..., 0] - logits.logsumexp(-1)
            sums = iter((by_token.double() * real).sum(-1).tolist())
        for index in batch:
            found[index] = [next(sums) for _ in answers[index]]

    pairs = zip(prompts, answers, strict=True)
    lengths = [prompt.size + sum(answer.size for answer in each) for prompt, each in pairs]
    each_batch(np.array(lengths, dtype=np.int64), budget, score)
    return found
