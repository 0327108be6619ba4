"""Connections that end at a deadline, whatever arrives: a socket's own timeout starts again with every byte."""

import io
import socket
import time
import urllib.request
from http.client import HTTPConnection, HTTPMessage, HTTPResponse, HTTPSConnection
from typing import IO, Any

_LONGEST = 1e6
"""The most seconds that a socket is told to wait."""


class _Reader(io.RawIOBase):
    """What arrives at a socket until its deadline."""

    def __init__(self, connected: socket.socket, ends: float) -> None:
        self._socket, self._ends = connected, ends
        self._raw = connected.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:  # noqa: ANN401  (whatever has a buffer)
        self._socket.settimeout(remaining(self._ends))
        count: int | None = self._raw.readinto(buffer)
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Source:
    """A socket, as far as a response reads it."""

    def __init__(self, connected: socket.socket, ends: float) -> None:
        self._connected, self._ends = connected, ends

    def makefile(self, mode: str) -> IO[bytes]:
        """What arrives, buffered."""
        del mode  # "rb"
        return io.BufferedReader(_Reader(self._connected, self._ends))


def remaining(ends: float) -> float:
    """Seconds until a deadline, of the monotonic clock.

    Raises:
        TimeoutError: there are none.
    """
    left = ends - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    return min(left, _LONGEST)


class _Deadline(HTTPConnection):
    """A connection whose timeout is for all that it does: connecting, the handshake, sending, and each byte read.

    Only the operating system bounds how long it looks up the name of the server.
    """

    def __init__(self, host: str, **options: Any) -> None:  # noqa: ANN401  (those of the base class)
        super().__init__(host, **options)
        self._ends = time.monotonic() + float(self.timeout or _LONGEST)
        self._create_connection = self._connected  # of the base class: the function that makes its socket

    def response_class(self, connected: socket.socket, **options: Any) -> HTTPResponse:  # type: ignore[override]  # noqa: ANN401  (called as the class is)
        """The response that arrives."""
        return HTTPResponse(_Source(connected, self._ends), **options)  # type: ignore[arg-type]  # (reads from makefile alone)

    def _connected(self, address: tuple[str, int], *others: object) -> socket.socket:
        del others  # the timeout, which is that of the deadline, and an address of this machine
        problem: OSError = OSError(f"{address[0]} has no address")
        for family, kind, protocol, _, place in socket.getaddrinfo(*address, type=socket.SOCK_STREAM):
            made = socket.socket(family, kind, protocol)
            try:
                made.settimeout(remaining(self._ends))
                made.connect(place)
            except OSError as error:
                made.close()
                problem = error
            else:
                made.settimeout(remaining(self._ends))
                return made
        raise problem

    def send(self, data: Any) -> None:  # noqa: ANN401  (bytes, as in the base class)
        """Send some bytes."""
        if self.sock is None:
            self.connect()
        self.sock.settimeout(remaining(self._ends))
        super().send(data)


class _SecureDeadline(_Deadline, HTTPSConnection):
    """The same over TLS."""


class _Plain(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_Deadline, req)


class _Secure(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_SecureDeadline, req)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Does not follow redirects, which would send the key to another server."""

    def redirect_request(  # noqa: PLR0917  (urllib's own signature)
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> None:
        """Return None, so that the redirect is an error with its status."""


OPENER = urllib.request.build_opener(_NoRedirects, _Plain, _Secure)
"""Opens addresses; the timeout is that of the whole exchange, with the body."""
