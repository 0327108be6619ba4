"""A sequence-to-sequence model of Hugging Face: the encoder reads the prompt, the decoder scores or writes answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from augment_ru.draws import Ints
from augment_ru.inference.likelihood import context_of
from augment_ru.inference.pretrained import Pretrained, each_batch, load
from augment_ru.inference.token_trees import Tokens
from augment_ru.options import chosen
from augment_ru.prompting.encoder import Encoder
from augment_ru.prompting.prompt import Filled
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.prompting.prompted_model import Prompted, at_least, limited, signature_of, within
from augment_ru.prompting.writer import Writer, decoder_start
from augment_ru.records.task import Task

if TYPE_CHECKING:
    from torch import Tensor

_BUDGET = {"cpu": 1024, "cuda": 16_384}


@dataclass(frozen=True, slots=True)
class Options:
    """What can be set with `--model-option hf-seq2seq.NAME=VALUE`.

    Attributes:
        template: a prompt file in place of the task's.
        variant: which of the file's templates, from 1.
        budget: RAFT's budget: tokens of the whole prompt.
        top_p: the nucleus from which generated answers are drawn; none takes the likeliest token.
        max_tokens: of a generated answer, in place of the prompt file's.
        dtype: auto, float32, bfloat16 or float16.
        device_map: how a model is spread over several GPUs, as accelerate has it: auto, balanced, sequential.
        batch_tokens: tokens in a batch, padding included; by default what suits the device.
        seed: of the draws of generated answers.
    """

    template: str | None = None
    variant: int = 1
    budget: int | None = None
    top_p: float | None = 0.8
    max_tokens: int | None = None
    dtype: str = "auto"
    device_map: str | None = None
    batch_tokens: int | None = None
    seed: int = 42


def hf_seq2seq(
    argument: str,
    /,
    *,
    task: Task,
    labels: tuple[str, ...] | None,
    device: str,
    options: Mapping[str, Any],
) -> Prompted:
    """The model in the folder, or of the hub's name, that `argument` is.

    An answer's score is the log-likelihood of its tokens and of the end of the text after them, given the prompt
    (MERA, Eq. 1).

    Raises:
        AugmentError: there is no such model or prompt, or an option is wrong.
    """
    given = chosen("hf-seq2seq", Options, options)
    for name in ("budget", "max_tokens", "batch_tokens"):
        at_least(name, getattr(given, name), 1)
    within("top_p", given.top_p)
    prompt = prompt_of(task, given.template, variant=given.variant)
    spread = {"device_map": given.device_map} if given.device_map else {}
    pretrained = load("AutoModelForSeq2SeqLM", argument, device=device, dtype=given.dtype, **spread)
    encoder, context = Encoder.of(pretrained), context_of(pretrained)
    tokens = given.batch_tokens or _BUDGET.get(pretrained.device.type, 4096)
    writer = Writer(pretrained, given.top_p, given.seed, given.batch_tokens, reads=True)

    def read(filled: Sequence[Filled]) -> list[Tokens]:
        """Whole contexts with what the tokenizer puts around them; the last tokens of those that are too long."""
        return [
            np.array(ids if len(ids) <= context else ids[-context:], dtype=np.int64)
            for ids in pretrained.tokenizer([one.context for one in filled], verbose=False)["input_ids"]
        ]

    def score(filled: Sequence[Filled]) -> list[list[float]]:
        if not filled:
            return []
        answers = encoder.ids([candidate.text.strip() for one in filled for candidate in one.candidates])
        end = np.array([pretrained.tokenizer.eos_token_id], dtype=np.int64)
        ended = iter([np.concatenate([ids, end]) for ids in answers])
        return log_likelihoods(
            pretrained, read(filled), [[next(ended) for _ in one.candidates] for one in filled], tokens
        )

    def write(filled: Sequence[Filled]) -> list[str]:
        return writer(filled, read(filled)) if filled else []

    defining = {name: getattr(given, name) for name in ("variant", "budget", "top_p", "max_tokens", "seed")}
    defining["labels"] = None if labels is None else ",".join(labels)  # what prompts name, and what may be said
    return Prompted(
        limited(prompt, given.max_tokens, context),
        labels,
        score,
        write,
        signature_of("hf-seq2seq", pretrained, prompt, defining),
        encoder.budget(min(given.budget, context)) if given.budget else None,
    )


def log_likelihoods(
    pretrained: Pretrained, prompts: Sequence[Tokens], answers: Sequence[Sequence[Tokens]], budget: int
) -> list[list[float]]:
    """The log-likelihood of each answer to each prompt; the encoder reads a prompt once for all its answers.

    Args:
        pretrained: a sequence-to-sequence model.
        prompts: the tokens that the encoder reads.
        answers: for each prompt the tokens of its answers.
        budget: tokens in a batch.
    """
    import torch  # noqa: PLC0415

    model, device = pretrained.model, pretrained.device
    found: list[list[float]] = [[] for _ in prompts]

    def padded(sequences: Sequence[Tokens]) -> tuple["Tensor", "Tensor"]:
        length = max(one.size for one in sequences)
        ids, mask = np.zeros((2, len(sequences), length), dtype=np.int64)
        for row, one in enumerate(sequences):
            ids[row, : one.size], mask[row, : one.size] = one, 1
        return torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device)

    def score(batch: Ints) -> None:
        ids, mask = padded([prompts[index] for index in batch])
        rows = [row for row, index in enumerate(batch) for _ in answers[index]]
        targets, real = padded([one for index in batch for one in answers[index]])
        start = torch.full_like(targets[:, :1], decoder_start(model))
        with torch.inference_mode():
            states = model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
            logits = model(
                encoder_outputs=(states[rows],),
                attention_mask=mask[rows],
                decoder_input_ids=torch.cat([start, targets[:, :-1]], dim=1),
                use_cache=False,
            ).logits.float()
            told = logits.gather(-1, targets[..., None])[..., 0] - logits.logsumexp(-1)
            sums = iter((told.double() * real).sum(-1).tolist())
        for index in batch:
            found[index] = [next(sums) for _ in answers[index]]

    lengths = np.array(
        [prompt.size + sum(one.size for one in each) for prompt, each in zip(prompts, answers, strict=True)],
        dtype=np.int64,
    )
    each_batch(lengths, budget, score)
    return found
