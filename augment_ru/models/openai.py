"""A model on a server with an OpenAI-compatible endpoint (vLLM, llama.cpp, …): `openai:URL#MODEL`.

Questions are sent over HTTP, in JSON; temporary failures are retried, others are errors.
"""

import asyncio
import json
import logging
import os
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from math import inf
from operator import itemgetter
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from augment_ru.errors import MALFORMED, AugmentError, optional, said
from augment_ru.evaluation.examples import Example, Model, ModelRequest, Prediction
from augment_ru.evaluation.unread import REFUSED
from augment_ru.models._options import AskedWithPrompts, limited
from augment_ru.prompting.chat import FORMS, asked_to_choose, messages_of, system_of
from augment_ru.prompting.prompt import FilledPrompt, Prompt
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.prompting.replies import answer_in, index_of_best
from augment_ru.signals import HeldSignals

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx import AsyncClient, Response


T = TypeVar("T")

_log = logging.getLogger(__name__)

_RETRIED = frozenset({408, 409, 425, 429})
"""The status codes below 500 after which a question is sent again."""

_SUCCESS, _SERVER_ERROR = range(200, 300), 500
_FIRST, _LONGEST = 0.5, 60.0
"""The wait before the second attempt in seconds, doubled for each further attempt, and the longest wait."""

_WAIT_SAID = 5.0
"""A wait that the server asks for is logged if it is longer, in seconds; once, since every open question meets it."""

_waited_for: set[str] = set()

_AT_END = 8.0
"""How many seconds an interrupted program waits for open questions; containers are killed 10 seconds after SIGTERM."""

_LOOK = 0.1
"""The interval, in seconds, of the checks whether a signal came."""

_MOST_BYTES = 16 * 2**20
"""An answer with more bytes is an error."""

_MESSAGE_LENGTH = 200
"""The maximum number of characters of a server's message that an error quotes."""


class Server(NamedTuple):
    """A server that answers in JSON.

    Attributes:
        url: the address that questions are posted to.
        headers: the headers sent with each question, besides the content type.
        timeout: how many seconds an attempt may take, from the connection to the last byte.
        retries: how many attempts may follow the first.
    """

    url: str
    headers: Mapping[str, str]
    timeout: float
    retries: int

    async def ask(self, client: "AsyncClient", question: Mapping[str, Any], read: Callable[[Any], T]) -> T:
        """Send a question until the server answers it; return what `read` takes from the answer.

        Args:
            client: the HTTP client that sends it.
            question: the body, a JSON object.
            read: takes the answer (JSON values), and returns what the caller wants of it. If it raises a LookupError,
                TypeError, ValueError or AttributeError, the question is sent again.

        Raises:
            AugmentError: the server refuses the question, or every attempt failed.
        """
        import httpx  # noqa: PLC0415  (an extra)

        problem, wait = "", 0.0
        for attempt in range(self.retries + 1):
            if attempt:
                if wait > _WAIT_SAID and self.url not in _waited_for:
                    _waited_for.add(self.url)
                    _log.warning(
                        "%s: %s; it asks to wait; asking again after %.0f s", self.url, _one_line(problem), wait
                    )
                await asyncio.sleep(max(wait, backoff(attempt)))
            wait, content = 0.0, b""
            try:
                async with asyncio.timeout(self.timeout):
                    answer, content = await self._posted(client, question)
                if answer.status_code in _SUCCESS:
                    return read(json.loads(content))
            except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
                problem = _first(error)
            except MALFORMED as error:
                held = repr(content.decode("utf-8", "replace")[:_MESSAGE_LENGTH]) if content else ""
                problem = f"answer of an unexpected form: {held} ({said(error)})"
            else:
                problem = f"HTTP {answer.status_code}: {_message(answer, content)}"
                if answer.status_code not in _RETRIED and answer.status_code < _SERVER_ERROR:
                    break
                wait = _retry_after(answer.headers.get("Retry-After", ""))
        else:
            problem = f"{self.retries + 1} attempts failed, the last with: {problem}"
        fewer = "; a smaller openai.concurrency may help" if ": HTTP 429: " in problem else ""
        raise AugmentError(f"{self.url}: {_one_line(problem)}{fewer}")

    async def _posted(self, client: "AsyncClient", question: Mapping[str, Any]) -> tuple["Response", bytes]:
        """Make one attempt; return the response and its content."""
        body = json.dumps(question, ensure_ascii=False).encode("utf-8", "replace")
        headers, content = {"Content-Type": "application/json", **self.headers}, bytearray()
        async with client.stream("POST", self.url, content=body, headers=headers) as answer:
            async for part in answer.aiter_bytes():
                content += part
                if len(content) > _MOST_BYTES:
                    raise ValueError(f"over {_MOST_BYTES:,} bytes")
        return answer, bytes(content)


def concurrent_answers(
    count: int, most: int, ask: Callable[["AsyncClient", int], Coroutine[Any, Any, T]]
) -> Iterator[tuple[int, T]]:
    """Ask several questions at a time; yield each answer as soon as it arrives, as (index of the question, answer).

    After a failure, no further question is asked. Answers to questions that were asked already are still yielded; then
    the error is raised. After a signal such as Ctrl-C, such answers are yielded for a limited time, or until a second
    signal.

    Args:
        count: the number of questions, which are numbered from 0.
        most: the maximum number of questions that wait for an answer at the same time.
        ask: takes the HTTP client and the index of a question, and returns its answer.
    """
    import httpx  # noqa: PLC0415  (an extra)

    waiting = deque(range(count))
    results: SimpleQueue[tuple[int, T] | BaseException | None] = SimpleQueue()

    async def some(client: httpx.AsyncClient) -> None:
        while waiting:
            number = waiting.popleft()
            try:
                results.put((number, await ask(client, number)))
            except BaseException:
                waiting.clear()
                raise

    async def all_() -> None:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        try:
            async with httpx.AsyncClient(verify=_certificates(), timeout=None, limits=limits) as client:  # noqa: S113  (`Server.ask` has one)
                ended = await asyncio.gather(*(some(client) for _ in range(min(most, count))), return_exceptions=True)
            results.put(next((error for error in ended if error is not None), None))
        except BaseException as error:  # noqa: BLE001  (raised in the caller's thread)
            results.put(error)

    # a daemon, because an interrupted program would wait for any other thread, and so for a server that hangs
    Thread(target=lambda: asyncio.run(all_()), daemon=True).start()
    try:
        yield from _received(results, waiting)
    finally:
        waiting.clear()


def _received(results: SimpleQueue[T | BaseException | None], waiting: deque[int]) -> Iterator[T]:
    """Yield results until one is None; raise a result that is an exception; end after a signal (`concurrent_answers`).

    Args:
        results: the queue of results.
        waiting: the numbers of the questions that are not asked yet; a signal clears them.
    """
    until = inf
    with HeldSignals() as held:  # also while the caller handles an answer
        while len(held.came) <= 1 and monotonic() < until:
            if held.came and until == inf:
                waiting.clear()
                until = monotonic() + _AT_END
            try:
                result = results.get(timeout=_LOOK)
            except Empty:
                continue
            if result is None:
                break
            if isinstance(result, BaseException):
                raise result
            yield result


@cache
def _certificates() -> "SSLContext":
    """Load the certificates of the authorities once, because reading them takes a tenth of a second."""
    import httpx  # noqa: PLC0415  (an extra)

    return httpx.create_ssl_context()


def backoff(attempt: int) -> float:
    """Return how many seconds to wait before a question is sent again.

    Args:
        attempt: the number of the repetition that comes next, from 1.

    >>> [backoff(attempt) for attempt in (1, 2, 3, 20)]
    [0.5, 1.0, 2.0, 60.0]
    """
    return min(_LONGEST, _FIRST * 2.0 ** (attempt - 1))


def _retry_after(header: str) -> float:
    """Return the seconds in the header `Retry-After`, at most 60; 0 if the header is absent or a date."""
    with suppress(ValueError):
        return min(_LONGEST, max(0.0, float(header)))
    return 0.0


def _message(answer: "Response", content: bytes) -> str:
    """Return the error message in the server's answer, or else the meaning of the status code."""
    text = content.decode("utf-8", "replace")
    with suppress(*MALFORMED):
        found = json.loads(text)
        text = found["error"]["message"] if isinstance(found["error"], dict) else str(found["error"])
    return text.strip() or answer.reason_phrase


def _first(error: BaseException) -> str:
    """Return the message of the error that was raised first in a chain of errors raised from others."""
    while isinstance(earlier := error.__cause__ or error.__context__, Exception):
        error = earlier
    return said(error).removesuffix(": ")


def _one_line(text: str) -> str:
    """Put a text on one line, and shorten it if it is too long."""
    text = " ".join(text.split())
    return text if len(text) <= _MESSAGE_LENGTH else text[:_MESSAGE_LENGTH] + "…"


ENDPOINTS = {"chat": "/chat/completions", "completions": "/completions"}
KEY = "OPENAI_API_KEY"

_CHOICE_TOKENS = 64
"""The default maximum of tokens in a reply that names one of several choices."""

_CHARACTERS_A_TOKEN = 3.0
"""How many characters of Russian a token has, for an estimate: tokenizers of today's models have between 2.3 and 4."""


@dataclass(frozen=True, slots=True)
class Options(AskedWithPrompts):
    """The options of the model `openai` (one on a server), set by `--model-option openai.NAME=VALUE`.

    Attributes:
        endpoint: chat or completions.
        template: a prompt file that replaces the task's.
        variant: the number of the template in the file, from 1.
        score: how one of several choices is chosen: by a `reply` that names it, or by the `loglikelihood` of each. The
            latter needs the endpoint `completions`, on a server that echoes log-probabilities.
        chat: how demonstrations are shown to the endpoint `chat`: as `turns`, or in one `message`.
        system: a system message, for the endpoint `chat`; `mera` for that of the benchmark MERA; None for no message.
        reasoning: how many tokens a reply may have for reasoning, in addition to those of its answer.
        temperature: sent to the server; 0 asks for the likeliest tokens; None to send nothing.
        top_p: sent to the server: the probability of the nucleus that tokens are drawn from; None to send nothing.
        max_tokens: the most tokens of a reply. None for 64 if the answer is one of several choices, and for the prompt
            file's limit if it is a free text.
        limit_field: the server's name of the field that limits a reply: max_tokens or max_completion_tokens.
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
        spent: how many tokens the server counted in questions (`prompt_tokens`) and replies (`completion_tokens`).
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
        held = {"temperature": options.temperature, options.limit_field: limit}
        held |= {"seed": options.seed, "top_p": options.top_p}
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
