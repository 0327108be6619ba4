"""A causal language model of Hugging Face: perplexity of filled prompts (TAPE, Eq. 1), or its own words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from augment_ru.inference.likelihood import context_of, scorer
from augment_ru.inference.pretrained import load
from augment_ru.options import chosen
from augment_ru.prompting.encoder import Encoder
from augment_ru.prompting.prompt import Filled
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.prompting.prompted_model import Prompted, at_least, limited, one_of, signature_of, within
from augment_ru.prompting.writer import Writer
from augment_ru.records.task import Task

SCORES = ("perplexity", "loglikelihood")


@dataclass(frozen=True, slots=True)
class Options:
    """What can be set with `--model-option hf-causal.NAME=VALUE`.

    Attributes:
        score: perplexity of the whole prompt with each answer in it (TAPE, Eq. 1), or loglikelihood of the answer
            alone (MERA, Eq. 1).
        template: a prompt file in place of the task's.
        variant: which of the file's templates, from 1.
        budget: RAFT's budget: tokens of the whole prompt.
        top_p: the nucleus from which generated answers are drawn (TAPE, section 5.2); none takes the likeliest token.
        max_tokens: of a generated answer, in place of the prompt file's; never more than half of the model's context.
        dtype: auto, float32, bfloat16 or float16.
        device_map: how a model is spread over several GPUs, as accelerate has it: auto, balanced, sequential.
        batch_tokens: tokens in a batch, padding included; by default what suits the device.
        seed: of the draws of generated answers.
    """

    score: str = "perplexity"
    template: str | None = None
    variant: int = 1
    budget: int | None = None
    top_p: float | None = 0.8
    max_tokens: int | None = None
    dtype: str = "auto"
    device_map: str | None = None
    batch_tokens: int | None = None
    seed: int = 42


def hf_causal(
    argument: str,
    /,
    *,
    task: Task,
    labels: tuple[str, ...] | None,
    device: str,
    options: Mapping[str, Any],
) -> Prompted:
    """The model in the folder, or of the hub's name, that `argument` is.

    Raises:
        AugmentError: there is no such model or prompt, or an option is wrong.
    """
    given = chosen("hf-causal", Options, options)
    one_of("score", given.score, SCORES)
    for name in ("budget", "max_tokens", "batch_tokens"):
        at_least(name, getattr(given, name), 1)
    within("top_p", given.top_p)
    prompt = prompt_of(task, given.template, variant=given.variant)
    spread = {"device_map": given.device_map} if given.device_map else {}
    pretrained = load("AutoModelForCausalLM", argument, device=device, dtype=given.dtype, **spread)
    encoder, context = Encoder.of(pretrained), context_of(pretrained)
    likelihoods = scorer(pretrained, given.batch_tokens)
    writer = Writer(pretrained, given.top_p, given.seed, given.batch_tokens)

    def score(filled: Sequence[Filled]) -> list[list[float]]:
        if given.score == "loglikelihood":
            return [list(found) for found in likelihoods(encoder.continued(filled, context))]
        questions = encoder.perplexed(filled, context)
        found = []
        for requests, sums in zip(questions, likelihoods(questions), strict=True):
            sizes = [request.tokens.size - len(encoder.start) for request in requests]
            longest = max(sizes)  # the mean over |t| tokens, times the same number for all: nats, as good to round
            found.append([float(total) / size * longest for total, size in zip(sums, sizes, strict=True)])
        return found

    def write(filled: Sequence[Filled]) -> list[str]:
        return writer(filled, encoder.prompts(filled, context))

    defining = {name: getattr(given, name) for name in ("score", "variant", "budget", "top_p", "max_tokens", "seed")}
    defining["labels"] = None if labels is None else ",".join(labels)  # what prompts name, and what may be said
    return Prompted(
        limited(prompt, given.max_tokens, context // 2),
        labels,
        score,
        write,
        signature_of("hf-causal", pretrained, prompt, defining),
        encoder.budget(min(given.budget, context)) if given.budget else None,
    )
