"""A causal language model of Hugging Face: it scores each answer by perplexity (TAPE, Eq. 1), or writes the answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import ModelRequest
from augment_ru.inference.likelihood import Likelihoods, Request, Tokens
from augment_ru.models._hugging_face import PromptedNetwork, PromptOptions
from augment_ru.models._options import limited
from augment_ru.prompting.chat import FORMS, Chat, system_of
from augment_ru.prompting.prompt import FilledPrompt

SCORES = ("auto", "perplexity", "loglikelihood", "first-token", "reply")
CHATS = ("auto", *FORMS, "none")


@dataclass(frozen=True, slots=True)
class Options(PromptOptions):
    """The options of `--model-option hf-causal.NAME=VALUE`: those of `PromptOptions`, and how the model is asked.

    TAPE, MERA and RAFT are benchmarks; sections and equations are those of their papers.

    Attributes:
        score: how an answer is chosen from several. `perplexity` compares the perplexity of the whole prompt with each
            answer in it (TAPE, Eq. 1); `loglikelihood`, the log-likelihood of each answer alone (MERA, Eq. 1);
            `first-token`, that of its first token (RAFT, section 4.1.2). With `reply` the model writes a reply that
            names an answer. `auto` is `loglikelihood` in a chat, otherwise `perplexity`.
        chat: how the tokenizer's chat template is used: with demonstrations as `turns`, or in one `message`; `none` for
            plain texts. `auto` is `turns` where the tokenizer has a template, else `none`.
        system: the system message of a chat; `mera` for MERA's own; None for no message.
        reasoning: the most tokens of a reasoning block before the answer; 0 for no reasoning.
    """

    score: str = limited("auto", possible=SCORES)
    chat: str = limited("auto", possible=CHATS)
    system: str | None = None
    reasoning: int = limited(0, least=0)


@dataclass(frozen=True)
class CausalModel(PromptedNetwork):
    """A causal language model that is asked with prompts; its option `score` is not `auto`."""

    options: Options

    @cached_property
    def _likelihoods(self) -> Likelihoods:
        return Likelihoods.of(self.pretrained, self.options.batch_tokens)

    def score(self, prompts: Sequence[FilledPrompt]) -> list[list[float]]:
        """Return for each prompt the score of each of its choices, in nats, as the option `score` says."""
        way, encoder = self.options.score, self.encoder
        if way in {"loglikelihood", "first-token"}:
            before = self._contexts(prompts) if self.options.reasoning else None
            asked = encoder.continuations(prompts, self.context, before)
            if way == "first-token":
                asked = [_first_tokens(*pair) for pair in zip(asked, prompts, strict=True)]
            return [list(scores) for scores in self._likelihoods(asked)]
        questions = encoder.whole_texts(prompts, self.context)
        found = []
        for choices, sums in zip(questions, self._likelihoods(questions), strict=True):
            sizes = [choice.tokens.size - len(encoder.start) for choice in choices]
            longest = max(sizes)  # times the mean over |t| tokens: nats, which can be rounded like log-likelihoods
            found.append([float(total) / size * longest for total, size in zip(sums, sizes, strict=True)])
        return found

    def write(self, prompts: Sequence[FilledPrompt]) -> list[str]:
        """Return for each prompt a generated answer."""
        return self.written(prompts, self._contexts(prompts))

    def _contexts(self, prompts: Sequence[FilledPrompt]) -> list[Tokens]:
        return self.reasoned(prompts, self.encoder.contexts(prompts, self.context))


def hf_causal(request: ModelRequest, /) -> CausalModel:
    """Load a causal language model of transformers, which is asked with prompts.

    Args:
        request: what the model is made from; its `argument` is a folder or a name on the hub.

    Raises:
        AugmentError: there is no such model or prompt, or an option is wrong.
    """
    given: Options = request.options
    found = CausalModel.of("hf-causal", "AutoModelForCausalLM", request, lambda tokenizer: _chat(tokenizer, given))
    way = given.score if given.score != "auto" else "loglikelihood" if found.encoder.chat else "perplexity"
    if given.reasoning and way == "perplexity":
        raise AugmentError("option score=perplexity: reasoning belongs to no answer; take loglikelihood or reply")
    return replace(found, options=replace(given, score=way), replies=way == "reply")


def _first_tokens(asked: Sequence[Request], prompt: FilledPrompt) -> list[Request]:
    """Return the requests up to the first token of each choice.

    Raises:
        AugmentError: two choices begin with the same token.
    """
    firsts: dict[int, str] = {}
    for one, choice in zip(asked, prompt.choices, strict=True):
        same = firsts.setdefault(int(one.tokens[one.first]), choice.text.strip())
        if same != choice.text.strip():
            problem = f"option score=first-token: «{same}» and «{choice.text.strip()}» begin with the same token"
            raise AugmentError(f"{problem}; take loglikelihood, or a prompt that numbers them")
    return [Request(one.tokens[: one.first + 1], one.first) for one in asked]


def _chat(tokenizer: Any, given: Options) -> Chat | None:  # noqa: ANN401  (a tokenizer of transformers)
    """Return the chat that the options ask for; None if prompts are plain texts.

    Raises:
        AugmentError: a chat is asked for, and the tokenizer has no chat template.
    """
    has_one = getattr(tokenizer, "chat_template", None) is not None
    if given.chat in FORMS and not has_one:
        raise AugmentError(f"option chat={given.chat}: the tokenizer has no chat template; give chat=none")
    if given.chat == "none" or not has_one:
        for name in ("system", "reasoning"):
            if getattr(given, name):
                raise AugmentError(f"option {name}: is for chats, but this model is asked with texts; leave it out")
        return None
    return Chat(tokenizer, "turns" if given.chat == "auto" else given.chat, system_of(given.system), given.reasoning)
