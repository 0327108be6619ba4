"""A model on a server with an OpenAI-compatible endpoint (vLLM, llama.cpp, …): `openai:URL#MODEL`."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Example, Model, ModelRequest, Prediction
from augment_ru.inference.pretrained import short_digest
from augment_ru.models._http import Server, check_httpx, concurrent_answers
from augment_ru.models._options import check_at_least, check_one_of, check_positive
from augment_ru.prompting.prompt import FilledPrompt, Prompt
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.prompting.replies import before_stop, label_in, prompt_text

if TYPE_CHECKING:
    from httpx import AsyncClient

ENDPOINTS = {"chat": "/chat/completions", "completions": "/completions"}
KEY = "OPENAI_API_KEY"

_CHOICE_TOKENS = 64
"""The default maximum of tokens in a reply that names one of several choices."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `--model-option openai.NAME=VALUE`.

    Attributes:
        endpoint: chat or completions.
        template: a prompt file that replaces the task's.
        variant: the number of the template in the file, from 1.
        system: a system message, for the endpoint chat; None for no message.
        temperature: sent to the server; 0 asks for the likeliest tokens.
        top_p: sent to the server: the probability of the nucleus that tokens are drawn from; None to send nothing.
        max_tokens: the most tokens of a reply. None for 64 if the answer is one of several choices, and for the prompt
            file's limit if it is a free text.
        concurrency: how many questions are open at the same time.
        timeout: how many seconds an attempt may take.
        retries: how many attempts may follow the first.
        seed: sent to the server, which may ignore it.
    """

    endpoint: str = "chat"
    template: str | None = None
    variant: int = 1
    system: str | None = None
    temperature: float = 0.0
    top_p: float | None = None
    max_tokens: int | None = None
    concurrency: int = 8
    timeout: float = 120.0
    retries: int = 6
    seed: int = 42


@dataclass(frozen=True, slots=True)
class ServerModel(Model):
    """A model on a server; it yields each prediction as soon as it arrives.

    Attributes:
        server: the server.
        name: the name of the model on the server.
        prompt: makes the prompts for rows.
        labels: the classes of the data; None if answers are free texts.
        options: the options that the user set.
    """

    server: Server
    name: str
    prompt: Prompt
    labels: tuple[str, ...] | None
    options: Options
    chunk = 4096

    @property
    def signature(self) -> str:
        """All that defines the answers: address, model, prompt, labels, and the options that influence a reply."""
        words = json.dumps(asdict(replace(self.prompt, task=None)), ensure_ascii=False, sort_keys=True)  # type: ignore[arg-type]  # (a cache key has the task)
        shaping = ("endpoint", "variant", "system", "temperature", "top_p", "max_tokens", "seed")
        parts = [f"{name}={getattr(self.options, name)}" for name in shaping]
        labels = ",".join(self.labels or ())
        prompt = f"prompt={self.prompt.name}-{short_digest(words.encode())}"
        return "|".join(["openai", self.server.url, self.name, prompt, labels, *parts])

    def __call__(self, examples: Sequence[Example], /) -> list[Prediction]:
        """Return a prediction for each example, in the order of the examples."""
        found: list[Prediction] = [None] * len(examples)
        for number, prediction in self.stream(examples):
            found[number] = prediction
        return found

    def stream(self, examples: Sequence[Example], /) -> Iterator[tuple[int, Prediction]]:
        """Yield the number of each example with its prediction, in the order in which the server answers.

        Predictions that have arrived are yielded before a failure is raised.

        Raises:
            AugmentError: the server refuses a question, or does not answer it.
        """
        return concurrent_answers(
            len(examples), self.options.concurrency, lambda client, number: self._predict(client, examples[number])
        )

    async def _predict(self, client: "AsyncClient", example: Example) -> Prediction:
        prompts = self.prompt.build(example.record, example.shots, labels=self.labels)
        language = example.task.benchmark.language
        return self.prompt.answer([await self._ask(client, prompt, language) for prompt in prompts])

    async def _ask(self, client: "AsyncClient", prompt: FilledPrompt, language: str) -> str:
        """Return the reply to a prompt; if the prompt has choices, the label that the reply names."""
        options = self.options
        limit = options.max_tokens or (_CHOICE_TOKENS if prompt.choices else prompt.tokens)
        question: dict[str, Any] = {
            "model": self.name,
            "temperature": options.temperature,
            "max_tokens": limit,
            "seed": options.seed,
            **({"top_p": options.top_p} if options.top_p is not None else {}),
        }
        text = prompt_text(prompt, language)
        if options.endpoint == "chat":
            system = [{"role": "system", "content": options.system}] if options.system else []
            question["messages"] = [*system, {"role": "user", "content": text}]
        else:
            question["prompt"] = text
        read = _of_chat if options.endpoint == "chat" else _of_completion
        reply = await self.server.ask(client, question, read)
        if prompt.choices:
            return label_in(reply, prompt.choices)
        return before_stop(reply.strip(), prompt.stop).strip()


def _of_chat(answer: Any) -> str:  # noqa: ANN401  (JSON values)
    content = answer["choices"][0]["message"]["content"]
    if content is None:  # a refusal, or the model's reasoning took all tokens
        return ""
    if not isinstance(content, str):
        raise TypeError(f"content is {type(content).__name__}")
    return content


def _of_completion(answer: Any) -> str:  # noqa: ANN401
    text = answer["choices"][0]["text"]
    if not isinstance(text, str):
        raise TypeError(f"text is {type(text).__name__}")
    return text


def openai(request: ModelRequest, /) -> ServerModel:
    """Make the model MODEL of the server at URL; `argument` is URL#MODEL.

    If the server needs a key, the environment variable OPENAI_API_KEY holds it.

    Raises:
        AugmentError: the address, the prompt or an option is wrong, or httpx is not installed.
    """
    check_httpx()
    given: Options = request.options
    check_one_of("endpoint", given.endpoint, tuple(ENDPOINTS))
    check_at_least("concurrency", given.concurrency, 1)
    check_at_least("retries", given.retries, 0)
    check_at_least("max_tokens", given.max_tokens, 1)
    check_positive("timeout", given.timeout)
    url, _, name = request.argument.partition("#")
    if not url.startswith(("http://", "https://")) or not name:
        raise AugmentError("must be openai:URL#MODEL, as in openai:http://localhost:8000/v1#gemma")
    url = url.rstrip("/")
    path = ENDPOINTS[given.endpoint]
    key = os.environ.get(KEY, "").strip()
    server = Server(
        url if url.endswith(path) else url + path,
        {"Authorization": f"Bearer {key}"} if key else {},
        given.timeout,
        given.retries,
    )
    return ServerModel(
        server, name, prompt_of(request.task, given.template, variant=given.variant), request.labels, given
    )
