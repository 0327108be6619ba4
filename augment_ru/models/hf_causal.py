"""A causal language model of Hugging Face: it scores each answer by perplexity (TAPE, Eq. 1), or writes the answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from augment_ru.evaluation.examples import ModelRequest
from augment_ru.inference.likelihood import Likelihoods
from augment_ru.models._hugging_face import PromptedNetwork, PromptOptions
from augment_ru.models._options import check_one_of
from augment_ru.prompting.prompt import FilledPrompt
from augment_ru.prompting.prompted_model import PromptedModel

SCORES = ("perplexity", "loglikelihood")


@dataclass(frozen=True, slots=True)
class Options(PromptOptions):
    """The options of `--model-option hf-causal.NAME=VALUE`: those of `PromptOptions`, and `score`.

    Attributes:
        score: how an answer is scored: `perplexity` of the whole prompt with the answer in it (TAPE, Eq. 1), or
            `loglikelihood` of the answer alone (MERA, Eq. 1).
    """

    score: str = "perplexity"


def hf_causal(request: ModelRequest, /) -> PromptedModel:
    """Load the model whose folder or name on the hub is `argument`.

    Raises:
        AugmentError: there is no such model or prompt, or an option is wrong.
    """
    given: Options = request.options
    check_one_of("score", given.score, SCORES)
    network = PromptedNetwork.of("hf-causal", "AutoModelForCausalLM", request, given)
    encoder, context = network.encoder, network.context
    likelihoods = Likelihoods.of(network.pretrained, given.batch_tokens)

    def score(prompts: Sequence[FilledPrompt]) -> list[list[float]]:
        if given.score == "loglikelihood":
            return [list(scores) for scores in likelihoods(encoder.continuations(prompts, context))]
        questions = encoder.whole_texts(prompts, context)
        found = []
        for choices, sums in zip(questions, likelihoods(questions), strict=True):
            sizes = [choice.tokens.size - len(encoder.start) for choice in choices]
            longest = max(sizes)  # times the mean over |t| tokens: nats, which can be rounded like log-likelihoods
            found.append([float(total) / size * longest for total, size in zip(sums, sizes, strict=True)])
        return found

    def write(prompts: Sequence[FilledPrompt]) -> list[str]:
        return network.written(prompts, encoder.contexts(prompts, context))

    return network.model(request.labels, score, write)
