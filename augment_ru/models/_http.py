"""Send questions to a server over HTTP, in JSON; temporary failures are retried, others are errors."""

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import suppress
from functools import cache
from math import inf
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from augment_ru.errors import MALFORMED, AugmentError, said
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
        """Send a question, and return what `read` takes from the answer.

        Args:
            client: the HTTP client that sends it.
            question: the body, a JSON object.
            read: takes the answer (JSON values), and returns what is wanted of it. If it raises a LookupError,
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
        raise AugmentError(f"{self.url}: {_one_line(problem)}")

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
    """Ask several questions at a time; yield (index of the question, answer) as soon as an answer arrives.

    After a failure, no further question is asked. Answers to questions that were asked already are still yielded; then
    the error is raised. After a signal such as Ctrl-C, they are yielded for a limited time, or until a second signal.

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
