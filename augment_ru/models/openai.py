"""Any server with an OpenAI-compatible endpoint (vLLM, llama.cpp, …): `openai:URL#MODEL`."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from threading import Event
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Example, Prediction
from augment_ru.models._http import Server, at_once
from augment_ru.options import configured
from augment_ru.prompting.prompt import Filled, Prompt
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.prompting.replies import asked, cut, meant
from augment_ru.records.task import Task

ENDPOINTS = {"chat": "/chat/completions", "completions": "/completions"}
KEY = "OPENAI_API_KEY"

_CHOICE_TOKENS = 64
"""Tokens of a reply that names one of several answers."""


@dataclass(frozen=True, slots=True)
class Options:
    """What can be set with `--model-option openai.NAME=VALUE`.

    Attributes:
        endpoint: chat or completions.
        template: a prompt file in place of the task's.
        variant: which of the file's templates, from 1.
        system: a system message, for chat.
        temperature: 0 takes the likeliest words, as far as the server does.
        top_p: the nucleus from which words are drawn; none leaves it to the server.
        max_tokens: of a reply; by default 64 where the answer is chosen, else the prompt file's limit.
        concurrency: questions on their way at once.
        timeout: seconds for an attempt.
        retries: attempts after the first.
        seed: sent along, for servers that heed it.
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
class Remote:
    """The model."""

    server: Server
    name: str
    prompt: Prompt
    labels: tuple[str, ...] | None
    options: Options
    chunk: int = field(default=4096, init=False)

    @property
    def signature(self) -> str:
        """The address, the model, the prompt's words, and what shapes a reply; not how fast it is fetched."""
        words = json.dumps(asdict(replace(self.prompt, task=None)), ensure_ascii=False, sort_keys=True)  # type: ignore[arg-type]  # (the task is in every key)
        digest = blake2b(words.encode(), digest_size=4).hexdigest()
        shaping = ("endpoint", "variant", "system", "temperature", "top_p", "max_tokens", "seed")
        parts = [f"{name}={getattr(self.options, name)}" for name in shaping]
        labels = ",".join(self.labels or ())
        return "|".join(["openai", self.server.url, self.name, f"prompt={self.prompt.name}-{digest}", labels, *parts])

    def __call__(self, examples: Sequence[Example], /) -> list[Prediction]:
        """A prediction for each example, in their order."""
        found: list[Prediction] = [None] * len(examples)
        for number, said in self.stream(examples):
            found[number] = said
        return found

    def stream(self, examples: Sequence[Example], /) -> Iterator[tuple[int, Prediction]]:
        """The number of an example and its prediction, as they come; what came is given before a failure is raised.

        Raises:
            AugmentError: the server refuses a question, or does not answer it.
        """
        return at_once(len(examples), self.options.concurrency, lambda at, stopped: self._answer(examples[at], stopped))

    def _answer(self, example: Example, stopped: Event) -> Prediction:
        prompts = self.prompt.build(example.record, example.shots, labels=self.labels)
        return self.prompt.answer([self._said(filled, example.task.language, stopped) for filled in prompts])

    def _said(self, filled: Filled, language: str, stopped: Event) -> str:
        """The label that the reply to a prompt names, or the reply itself."""
        options = self.options
        limit = options.max_tokens or (_CHOICE_TOKENS if filled.candidates else filled.tokens)
        question: dict[str, Any] = {
            "model": self.name,
            "temperature": options.temperature,
            "max_tokens": limit,
            "seed": options.seed,
            **({"top_p": options.top_p} if options.top_p is not None else {}),
        }
        words = asked(filled, language)
        if options.endpoint == "chat":
            system = [{"role": "system", "content": options.system}] if options.system else []
            question["messages"] = [*system, {"role": "user", "content": words}]
        else:
            question["prompt"] = words
        reply = self.server.ask(question, _of_chat if options.endpoint == "chat" else _of_completion, stopped)
        return meant(reply, filled.candidates) if filled.candidates else cut(reply, filled.stop)


def _of_chat(answer: Any) -> str:  # noqa: ANN401  (JSON values)
    content = answer["choices"][0]["message"]["content"]
    if content is None:  # a refusal, or a reply that had no room after its reasoning
        return ""
    if not isinstance(content, str):
        raise TypeError(f"content is {type(content).__name__}")
    return content


def _of_completion(answer: Any) -> str:  # noqa: ANN401
    text = answer["choices"][0]["text"]
    if not isinstance(text, str):
        raise TypeError(f"text is {type(text).__name__}")
    return text


def openai(
    argument: str,
    /,
    *,
    task: Task,
    labels: tuple[str, ...] | None,
    device: str,
    options: Mapping[str, Any],
) -> Remote:
    """The model `#MODEL` of the server at `URL`; the key is that of the environment variable OPENAI_API_KEY, if set.

    Raises:
        AugmentError: the address, a prompt or an option is wrong.
    """
    del device
    given = {name: value for name, value in options.items() if name != "train"}
    chosen: Options = configured("openai", Options, given)
    if chosen.endpoint not in ENDPOINTS:
        raise AugmentError(f"option endpoint={chosen.endpoint}: must be chat or completions")
    for name, least in (("concurrency", 1), ("retries", 0), ("max_tokens", 1)):
        if getattr(chosen, name) is not None and getattr(chosen, name) < least:
            raise AugmentError(f"option {name}={getattr(chosen, name)}: must be at least {least}")
    if not chosen.timeout > 0:
        raise AugmentError(f"option timeout={chosen.timeout}: must be positive")
    url, _, name = argument.partition("#")
    if not url.startswith(("http://", "https://")) or not name:
        raise AugmentError("must be openai:URL#MODEL, as in openai:http://localhost:8000/v1#gemma")
    url = url.rstrip("/")
    path = ENDPOINTS[chosen.endpoint]
    key = os.environ.get(KEY, "").strip()
    server = Server(
        url if url.endswith(path) else url + path,
        {"Authorization": f"Bearer {key}"} if key else {},
        chosen.timeout,
        chosen.retries,
    )
    return Remote(server, name, prompt_of(task, chosen.template, variant=chosen.variant), labels, chosen)
