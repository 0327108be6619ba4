"""Questions to a server over HTTP: JSON there and back, patient with what passes, plain about what does not."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException, HTTPMessage, HTTPResponse, IncompleteRead
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import IO, Any, TypeVar

from augment_ru.errors import AugmentError

T = TypeVar("T")

_PASSING = frozenset({408, 409, 425, 429})
"""Status codes that a later attempt may not get, beside all from 500."""

_SERVER = 500
_FIRST, _LONGEST = 0.5, 60.0
"""Seconds before the second attempt, doubled for each that follows; and the longest."""

_PIECE = 2**16
_MOST = 16 * 2**20
"""Bytes of the longest answer that is read."""

_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Server:
    """A server that answers JSON.

    Attributes:
        url: where questions are posted.
        headers: sent with each, beside the type of the content.
        timeout: seconds that an attempt may take.
        retries: attempts after the first.
    """

    url: str
    headers: Mapping[str, str]
    timeout: float
    retries: int

    def ask(self, question: Mapping[str, Any], read: Callable[[Any], str], stopped: Event) -> str:
        """What `read` finds in the answer; an answer in which it finds nothing (`LookupError`, `TypeError`) is retried.

        Raises:
            AugmentError: the server refuses the question, or no attempt was answered.
            CancelledError: `stopped` was set: nobody waits for the answer any more.
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
                if error.code not in _PASSING and error.code < _SERVER:
                    raise AugmentError(f"{self.url}: {problem}") from error
                wait = _asked_to_wait(error.headers)
            except (urllib.error.URLError, HTTPException, OSError) as error:
                reason = getattr(error, "reason", None) or error
                problem = f"{type(reason).__name__}: {reason}" if isinstance(reason, Exception) else str(reason)
            except (ValueError, LookupError, TypeError) as error:
                problem = f"no answer of the expected form: {type(error).__name__}: {error}"
        raise AugmentError(f"{self.url}: {self.retries + 1} attempts failed, the last with: {problem}")

    def _posted(self, body: bytes) -> Any:  # noqa: ANN401  (JSON values)
        headers = {"Content-Type": "application/json", **self.headers}
        request = urllib.request.Request(self.url, body, headers, method="POST")  # noqa: S310  (http and https alone)
        ends = time.monotonic() + self.timeout
        with _opener.open(request, timeout=self.timeout) as answer:
            return json.loads(_body(answer, ends))


def _body(answer: HTTPResponse, ends: float) -> bytes:
    """The whole body, as it comes: the timeout of a socket starts anew with every byte."""
    size, data = answer.length, bytearray()
    while part := answer.read1(_PIECE if size is None else min(_PIECE, size - len(data))):
        data += part
        if len(data) > _MOST:
            raise ValueError(f"over {_MOST:,} bytes")
        if time.monotonic() > ends:
            raise TimeoutError("timed out")
    if size is not None and len(data) < size:
        raise IncompleteRead(bytes(data), size - len(data))
    return bytes(data)


class _Stay(urllib.request.HTTPRedirectHandler):
    """Goes nowhere else: a redirected question would carry its key along."""

    def redirect_request(  # noqa: PLR0917  (urllib's own signature)
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> None:
        """Nothing, so that the status is an error."""


_opener = urllib.request.build_opener(_Stay)


def at_once(count: int, most: int, ask: Callable[[int, Event], T]) -> Iterator[tuple[int, T]]:
    """The numbers from 0 with what `ask` says of each, as they come, at most so many on their way.

    After a failure nothing new is asked, and what came is given before it is raised. Whoever stops listening waits for
    nothing: the threads are no pool, for whose threads an interrupted program, and so a server that hangs, would wait.
    """
    stopped = Event()
    waiting: SimpleQueue[int] = SimpleQueue()
    came: SimpleQueue[tuple[int, T] | BaseException | None] = SimpleQueue()
    for number in range(count):
        waiting.put(number)

    def work() -> None:
        came.put(_worked(waiting, lambda number: came.put((number, ask(number, stopped))), stopped))

    problem: BaseException | None = None
    working = min(most, count)
    try:
        for _ in range(working):
            Thread(target=work, daemon=True).start()
        while working:
            one = came.get()
            if isinstance(one, tuple):
                yield one
                continue
            working -= 1
            if not isinstance(one, CancelledError):
                problem = problem or one
    finally:
        stopped.set()
    if problem is not None:
        raise problem


def _worked(waiting: SimpleQueue[int], do: Callable[[int], None], stopped: Event) -> BaseException | None:
    """What stopped a thread from doing all that waits; None if nothing did."""
    try:
        while not stopped.is_set():
            do(waiting.get_nowait())
    except Empty:
        pass
    except BaseException as error:  # noqa: BLE001  (raised where it can be told)
        stopped.set()
        return error
    return None


def backoff(attempt: int) -> float:
    """Seconds before an attempt, the second being number 1: doubled each time.

    >>> [backoff(attempt) for attempt in (1, 2, 3, 20)]
    [0.5, 1.0, 2.0, 60.0]
    """
    return min(_LONGEST, _FIRST * 2.0 ** (attempt - 1))


def _asked_to_wait(headers: Message | None) -> float:
    """What `Retry-After` says, in seconds, if it does."""
    try:
        return min(_LONGEST, max(0.0, float(headers.get("Retry-After", "0") if headers else "0")))
    except ValueError:  # a date
        return 0.0


def _message(error: urllib.error.HTTPError) -> str:
    """What the server says is wrong, in a line."""
    try:
        text = error.read(_MOST).decode("utf-8", "replace")
    except (OSError, HTTPException):
        text = ""
    try:
        found = json.loads(text)
        text = found["error"]["message"] if isinstance(found["error"], dict) else str(found["error"])
    except (ValueError, LookupError, TypeError):
        pass
    text = " ".join(text.split()) or str(error.reason)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
