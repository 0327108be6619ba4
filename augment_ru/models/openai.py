"""A model on a server with an OpenAI-compatible endpoint (vLLM, llama.cpp, …): `openai:URL#MODEL`."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from augment_ru.errors import AugmentError, optional
from augment_ru.evaluation.examples import Example, Model, ModelRequest, Prediction
from augment_ru.evaluation.unread import REFUSED
from augment_ru.models._http import Server, concurrent_answers
from augment_ru.models._options import AskedWithPrompts, limited
from augment_ru.prompting.chat import FORMS, asked_to_choose, messages_of, system_of
from augment_ru.prompting.prompt import FilledPrompt, Prompt
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.prompting.prompted_model import index_of_best
from augment_ru.prompting.replies import answer_in

if TYPE_CHECKING:
    from httpx import AsyncClient

ENDPOINTS = {"chat": "/chat/completions", "completions": "/completions"}
KEY = "OPENAI_API_KEY"

_CHOICE_TOKENS = 64
"""The default maximum of tokens in a reply that names one of several choices."""

_CHARACTERS_A_TOKEN = 3.0
"""How many characters of Russian a token has, for an estimate: tokenizers of today's models have between 2.3 and 4."""


@dataclass(frozen=True, slots=True)
class Options(AskedWithPrompts):
    """The options of `--model-option openai.NAME=VALUE`.

    Attributes:
        endpoint: chat or completions.
        template: a prompt file that replaces the task's.
        variant: the number of the template in the file, from 1.
        score: how one of several choices is chosen: by a `reply` that names it, or by the `loglikelihood` of each. The
            latter needs the endpoint completions, on a server that echoes log-probabilities.
        chat: how demonstrations are shown to the endpoint chat: as `turns`, or in one `message`.
        system: a system message, for the endpoint chat; `mera` for MERA's own; None for no message.
        reasoning: how many tokens a reply may have for reasoning, in addition to those of its answer.
        temperature: sent to the server; 0 asks for the likeliest tokens; None to send nothing.
        top_p: sent to the server: the probability of the nucleus that tokens are drawn from; None to send nothing.
        max_tokens: the most tokens of a reply. None for 64 if the answer is one of several choices, and for the prompt
            file's limit if it is a free text.
        limit_field: how the server calls the field that limits a reply: max_tokens or max_completion_tokens.
        concurrency: how many questions are open at the same time.
        timeout: how many seconds an attempt may take.
        retries: how many attempts may follow the first.
        seed: sent to the server, which may ignore it; None to send nothing.
    """

    endpoint: str = limited("chat", possible=tuple(ENDPOINTS))
    score: str = limited("reply", possible=("reply", "loglikelihood"))
    chat: str = limited("turns", possible=FORMS)
    template: str | None = None
    variant: int = 1
    system: str | None = None
    reasoning: int = limited(0, least=0)
    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int | None = limited(None, least=1)
    limit_field: str = limited("max_tokens", possible=("max_tokens", "max_completion_tokens"))
    concurrency: int = limited(8, least=1)
    timeout: float = limited(120.0, positive=True)
    retries: int = limited(6, least=0)
    seed: int | None = 42


@dataclass(frozen=True, slots=True)
class ServerModel(Model):
    """A model on a server; it yields each prediction as soon as it arrives.

    Attributes:
        server: the server.
        name: the name of the model on the server.
        prompt: makes the prompts for rows.
        labels: the classes of the data; None if answers are free texts.
        options: the options that the user set.
        system: the system message; None for no message.
        spent: how many tokens the server counted in the questions and in its replies.
    """

    server: Server
    name: str
    prompt: Prompt
    labels: tuple[str, ...] | None
    options: Options
    system: str | None = None
    spent: Counter[str] = field(default_factory=Counter)

    @property
    def signature(self) -> str:
        """All that defines the answers: the address, model, prompt, labels, and the options that influence a reply."""
        shaping = ("endpoint", "variant", "system", "temperature", "top_p", "max_tokens", "seed")
        parts = [f"{name}={getattr(self.options, name)}" for name in shaping]
        further = ("score", "chat", "reasoning")  # only those that differ from the defaults
        parts += [f"{name}={own}" for name in further if (own := getattr(self.options, name)) != _DEFAULTS[name]]
        labels = ",".join(self.labels or ())
        return "|".join(["openai", self.server.url, self.name, f"prompt={self.prompt.digest}", labels, *parts])

    def __call__(self, examples: Sequence[Example], /) -> list[Prediction]:
        """Return a prediction for each example, in the order of the examples."""
        return [prediction for _, prediction in sorted(self.stream(examples), key=itemgetter(0))]

    def stream(self, examples: Sequence[Example], /) -> Iterator[tuple[int, Prediction]]:
        """Ask all questions; yield (index of the example, its prediction) in the order in which the server answers.

        Predictions that have arrived are yielded before a failure is raised.

        Args:
            examples: the questions.

        Raises:
            AugmentError: the server refuses a question, or does not answer it.
        """
        return concurrent_answers(
            len(examples), self.options.concurrency, lambda client, number: self._predict(client, examples[number])
        )

    def tokens(self, examples: Sequence[Example], /) -> int:
        """Estimate how many tokens the questions have from their number of characters; replies are not counted."""
        asked = (prompt.context for example in examples for prompt in self._prompts(example))
        return round(sum(len(context) + len(self.system or "") for context in asked) / _CHARACTERS_A_TOKEN)

    def _prompts(self, example: Example) -> list[FilledPrompt]:
        built = self.prompt.build(example.record, example.shots, labels=self.labels)
        if self.options.score == "loglikelihood":
            return list(built)
        return [asked_to_choose(one, example.task.benchmark.language) for one in built]

    async def _predict(self, client: "AsyncClient", example: Example) -> Prediction:
        return self.prompt.answer([await self._ask(client, prompt) for prompt in self._prompts(example)])

    async def _ask(self, client: "AsyncClient", prompt: FilledPrompt) -> str:
        """Return the answer to a prompt; if the prompt has choices, the label of one of them."""
        options = self.options
        if prompt.choices and options.score == "loglikelihood":
            scores = [await self._likelihood(client, prompt.context, choice.text) for choice in prompt.choices]
            return prompt.choices[index_of_best(scores)].label
        limit = options.max_tokens or (_CHOICE_TOKENS if prompt.choices else prompt.tokens)
        question = self._question(limit + options.reasoning)
        if options.endpoint == "chat":
            question["messages"] = messages_of(prompt, options.chat, self.system)
        else:
            question["prompt"] = prompt.context
        return await self.server.ask(client, question, partial(self._answer, prompt))

    async def _likelihood(self, client: "AsyncClient", context: str, answer: str) -> float:
        """Return the log-likelihood of an answer after its context, in nats, from the tokens that the server echoes.

        Raises:
            AugmentError: the server does not echo them.
        """
        question = self._question(1) | {"prompt": context + answer, "echo": True, "logprobs": 1}

        def read(reply: Any) -> Sequence[tuple[int, float | None]] | None:  # noqa: ANN401  (JSON values)
            self._count(reply)
            held = reply["choices"][0].get("logprobs") or {}
            if not {"text_offset", "token_logprobs"} <= held.keys():
                return None
            return list(zip(held["text_offset"], held["token_logprobs"], strict=True))

        found = await self.server.ask(client, question, read)
        end = len(context + answer)
        inside = [score for start, score in found or () if len(context) <= start < end]
        if not inside or None in inside:
            raise AugmentError(f"{self.server.url}: echoes no log-probabilities of the prompt; take score=reply")
        return sum(score for score in inside if score is not None)

    def _question(self, limit: int) -> dict[str, Any]:
        options = self.options
        held = {"temperature": options.temperature, options.limit_field: limit, "seed": options.seed}
        held["top_p"] = options.top_p
        return {"model": self.name, **{name: value for name, value in held.items() if value is not None}}

    def _count(self, answer: Any) -> None:  # noqa: ANN401  (JSON values)
        usage = answer.get("usage") or {}
        for name in ("prompt_tokens", "completion_tokens"):
            if isinstance(count := usage.get(name), int):
                self.spent[name] += count

    def _answer(self, prompt: FilledPrompt, reply: Any) -> str:  # noqa: ANN401  (JSON values)
        choice = reply["choices"][0]
        if self.options.endpoint == "chat":
            message = choice["message"]
            name, text = "content", message["content"] or ""  # None: no tokens left
            refused = bool(message.get("refusal")) or choice.get("finish_reason") == "content_filter"
        else:
            name, text, refused = "text", choice["text"], False
        if not isinstance(text, str):
            raise TypeError(f"{name} is {type(text).__name__}")
        self._count(reply)
        return REFUSED if refused else answer_in(text, prompt, was_cut=choice.get("finish_reason") == "length")


_DEFAULTS = asdict(Options())


def openai(request: ModelRequest, /) -> ServerModel:
    """Make a model that is asked on a server with the interface of OpenAI.

    If the server needs a key, the environment variable OPENAI_API_KEY holds it.

    Args:
        request: what the model is made from. Its `argument` is URL#MODEL: the address of the server, and the name of
            the model there.

    Raises:
        AugmentError: the address, the prompt or an option is wrong, or httpx is not installed.
    """
    optional("httpx", "models on a server need httpx", "openai")
    given: Options = request.options
    if given.score == "loglikelihood" and given.endpoint != "completions":
        raise AugmentError("option score=loglikelihood: chats echo no log-probabilities; take endpoint=completions")
    url, _, name = request.argument.partition("#")
    if not url.startswith(("http://", "https://")) or not name:
        raise AugmentError("must be openai:URL#MODEL, as in openai:http://localhost:8000/v1#gemma")
    url = url.rstrip("/")
    path = ENDPOINTS[given.endpoint]
    key = os.environ.get(KEY, "").strip()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    server = Server(url if url.endswith(path) else url + path, headers, given.timeout, given.retries)
    prompt = prompt_of(request.task, given.template, variant=given.variant)
    return ServerModel(server, name, prompt, request.labels, given, system_of(given.system))
