"""A server of an OpenAI-compatible model on this machine, which answers as a test says."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Box:
    """The requests to a server, and its answers."""

    def __init__(self, answer: Callable[[int, dict[str, Any]], tuple[int, Any]]) -> None:
        self.answer = answer
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.now = self.most = 0
        self.lock = threading.Lock()
        self.url, self.retry_after = "", "0.01"


@contextmanager
def serving(answer: Callable[[int, dict[str, Any]], tuple[int, Any]]) -> Iterator[Box]:
    """Run a server that answers each request, by its number, with a status and a body; a text is sent as it is."""
    box = Box(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            """Answer a question."""
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with box.lock:
                number = len(box.asked)
                box.asked.append(question)
                box.headers.append(dict(self.headers))
                box.paths.append(self.path)
                box.now += 1
                box.most = max(box.most, box.now)
            status, body = box.answer(number, question)
            with box.lock:
                box.now -= 1
            data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status)
            if status == 429:
                self.send_header("Retry-After", box.retry_after)
            if status == 302:
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):  # the client did not wait
                if status == 203:  # drips
                    for byte in data:
                        time.sleep(0.03)
                        self.wfile.write(bytes([byte]))
                else:
                    self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    box.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield box
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def chat(text: str | None) -> dict[str, Any]:
    """Return the body of an answer to a chat."""
    return {"choices": [{"message": {"role": "assistant", "content": text}}]}
