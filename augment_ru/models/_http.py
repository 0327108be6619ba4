"""Questions to a server over HTTP, in JSON; failures that may pass are retried, others are errors."""

import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException, HTTPResponse, IncompleteRead
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, TypeVar

from augment_ru.errors import AugmentError
from augment_ru.models._deadline import OPENER

T = TypeVar("T")

_RETRIED = frozenset({408, 409, 425, 429})
"""Status codes below 500 after which a question is asked again."""

_SERVER_ERROR = 500
_FIRST, _LONGEST = 0.5, 60.0
"""Seconds before the second attempt, doubled for each further one, and the most seconds before any."""

_READ_SIZE = 2**16
_MOST_BYTES = 16 * 2**20
"""An answer with more bytes is an error."""

_MESSAGE_LENGTH = 200
"""The most characters of a server's message in an error."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server that answers in JSON.

    Attributes:
        url: the address that questions are posted to.
        headers: sent with each question, beside the content type.
        timeout: how many seconds an attempt may take, from the connection to the last byte.
        retries: how many attempts may follow the first.
    """

    url: str
    headers: Mapping[str, str]
    timeout: float
    retries: int

    def ask(self, question: Mapping[str, Any], read: Callable[[Any], str], stopped: Event) -> str:
        """The answer to a question.

        Args:
            question: the body, a JSON object.
            read: returns the text of an answer; after a LookupError, TypeError or ValueError the question is retried.
            stopped: is set when the answer is not wanted any more.

        Raises:
            AugmentError: the server refuses the question, or every attempt failed.
            CancelledError: `stopped` was set while this method waited for the next attempt.
        """
        body = json.dumps(question, ensure_ascii=False).encode("utf-8", "replace")
        problem, wait = "", 0.0
        for attempt in range(self.retries + 1):
            if attempt and stopped.wait(max(wait, backoff(attempt))):
                raise CancelledError
            wait = 0.0
            try:
                return read(self._posted(body))
            except urllib.error.HTTPError as error:
                problem = f"HTTP {error.code}: {_message(error)}"
                if error.code not in _RETRIED and error.code < _SERVER_ERROR:
                    raise AugmentError(f"{self.url}: {problem}") from error
                wait = _retry_after(error.headers)
            except (urllib.error.URLError, HTTPException, OSError) as error:
                reason = getattr(error, "reason", None) or error
                problem = f"{type(reason).__name__}: {reason}" if isinstance(reason, Exception) else str(reason)
            except (ValueError, LookupError, TypeError, RecursionError) as error:
                problem = f"answer of an unexpected form: {type(error).__name__}: {error}"
        raise AugmentError(f"{self.url}: {self.retries + 1} attempts failed, the last with: {_one_line(problem)}")

    def _posted(self, body: bytes) -> Any:  # noqa: ANN401  (JSON values)
        headers = {"Content-Type": "application/json", **self.headers}
        request = urllib.request.Request(self.url, body, headers, method="POST")  # noqa: S310  (http and https alone)
        with OPENER.open(request, timeout=self.timeout) as answer:
            return json.loads(_body(answer))


def _body(answer: HTTPResponse) -> bytes:
    """The whole body."""
    size, data = answer.length, bytearray()
    while part := answer.read1(_READ_SIZE if size is None else min(_READ_SIZE, size - len(data))):
        data += part
        if len(data) > _MOST_BYTES:
            raise ValueError(f"over {_MOST_BYTES:,} bytes")
    if size is not None and len(data) < size:
        raise IncompleteRead(bytes(data), size - len(data))
    return bytes(data)


def concurrent_answers(count: int, threads: int, ask: Callable[[int, Event], T]) -> Iterator[tuple[int, T]]:
    """Ask all questions in threads, and yield the number of each with its answer as soon as the answer arrives.

    After a failure no further question is asked; the answers that did arrive are yielded, and then it is raised. If the
    caller stops iterating, it does not wait for open questions: daemon threads are used in place of a pool, because an
    interrupted program waits for the threads of a pool, and so for a server that hangs.

    Args:
        count: the number of questions, which are numbered from 0.
        threads: how many questions are open at once at most.
        ask: returns the answer to the question of a number; its second argument is set when answers are not wanted any
            more.
    """
    stopped = Event()
    waiting: SimpleQueue[int] = SimpleQueue()
    results: SimpleQueue[tuple[int, T] | BaseException | None] = SimpleQueue()
    for number in range(count):
        waiting.put(number)

    def work() -> None:
        results.put(_work(waiting, lambda number: results.put((number, ask(number, stopped))), stopped))

    problem: BaseException | None = None
    running = min(threads, count)
    try:
        for _ in range(running):
            Thread(target=work, daemon=True).start()
        while running:
            result = results.get()
            if isinstance(result, tuple):
                yield result
                continue
            running -= 1
            if not isinstance(result, CancelledError):
                problem = problem or result
    finally:
        stopped.set()
    if problem is not None:
        raise problem


def _work(waiting: SimpleQueue[int], do: Callable[[int], None], stopped: Event) -> BaseException | None:
    """Do what waits until nothing is left; the error that ended it, or None."""
    try:
        while not stopped.is_set():
            do(waiting.get_nowait())
    except Empty:
        pass
    except BaseException as error:  # noqa: BLE001  (raised in the caller's thread)
        stopped.set()
        return error
    return None


def backoff(attempt: int) -> float:
    """Seconds to wait before an attempt; the second attempt is number 1.

    >>> [backoff(attempt) for attempt in (1, 2, 3, 20)]
    [0.5, 1.0, 2.0, 60.0]
    """
    return min(_LONGEST, _FIRST * 2.0 ** (attempt - 1))


def _retry_after(headers: Message | None) -> float:
    """The seconds of the header `Retry-After`; 0 if it is absent or a date."""
    try:
        return min(_LONGEST, max(0.0, float(headers.get("Retry-After", "0") if headers else "0")))
    except ValueError:  # a date
        return 0.0


def _message(error: urllib.error.HTTPError) -> str:
    """The server's message of an error, in one line."""
    try:
        text = error.read(_MOST_BYTES).decode("utf-8", "replace")
    except (OSError, HTTPException):
        text = ""
    try:
        found = json.loads(text)
        text = found["error"]["message"] if isinstance(found["error"], dict) else str(found["error"])
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    return _one_line(text) or _one_line(str(error.reason))


def _one_line(text: str) -> str:
    """A text in one line; of a long one the beginning."""
    text = " ".join(text.split())
    return text if len(text) <= _MESSAGE_LENGTH else text[:_MESSAGE_LENGTH] + "…"
