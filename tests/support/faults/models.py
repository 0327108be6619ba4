"""Models of others: folders with changed files, and servers that answer anything, at any pace."""

import json
import shutil
import socket
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from augment_ru import AugmentError
from augment_ru.models.openai import Server, concurrent_answers
from faults import hostile
from faults.fuzzer import Case, Fault, Fuzzer

_CONFIG: Sequence[tuple[str, Any]] = (
    ("_attn_implementation", "owner/kernel"),
    ("_attn_implementation", "flash_attention_2"),
    ("auto_map", {"AutoConfig": "evil.Config", "AutoModel": "evil.Model", "AutoTokenizer": ["evil.T", None]}),
    ("auto_map", {"AutoModel": "owner/repo--evil.Model"}),
    ("tokenizer_class", "evil.Tokenizer"),
    ("custom_pipelines", {"x": {"impl": "evil.P"}}),
    ("quantization_config", {"quant_method": "owner/kernel"}),
    ("quantization_config", {"quant_method": "mxfp4"}),
    ("model_type", "evil"),
    ("hidden_size", 10**6),
    ("num_hidden_layers", 10**5),
    ("vocab_size", 10**8),
    ("max_position_embeddings", 10**9),
    ("architectures", ["evil"]),
    ("torch_dtype", "os.system"),
    ("dtype", "float64"),
    ("trust_remote_code", True),
    ("base_model_name_or_path", "a/b"),
)


class Models(Fuzzer):
    """Folders of models with changed files: one line, or a model; no code of theirs, no address looked up."""

    name: ClassVar[str] = "models"
    unit: ClassVar[str] = "folders"
    goal: ClassVar[int] = 1_000
    seconds: ClassVar[float] = 60.0

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        import small_models  # noqa: PLC0415  (torch takes seconds to load)

        self._good = small_models.bert(folder / "good", layers=1)
        self._evil = f"import pathlib\npathlib.Path({str(folder / 'ran')!r}).touch()\nConfig = Model = T = P = None\n"
        self._number = 0

    def draw(self, random: Random) -> Case:
        """Changes of values of its configuration, or of bytes of any file."""
        pieces: list[Any] = []
        for _ in range(random.choice([1, 1, 2])):
            file = random.choice(
                ["config.json", "config.json", "config.json", "tokenizer_config.json", "tokenizer.json"]
            )
            content = json.loads((self._good / file).read_text(encoding="utf-8")) if file.endswith("json") else {}
            if random.random() < 0.5:
                pieces.append(("key", file, random.choice(_CONFIG)))
            elif random.random() < 0.7:
                pieces.append(("value", file, hostile.change(random, content)))
            else:
                file = random.choice([file, "model.safetensors"])
                pieces.append(("bytes", file, hostile.byte_change(random, (self._good / file).stat().st_size)))
        return Case(pieces)

    def check(self, case: Case) -> int:
        """Load the model, and encode a text."""
        from augment_ru.inference import pretrained  # noqa: PLC0415

        self._number += 1
        folder = self.folder / f"model{self._number}"
        shutil.copytree(self._good, folder)
        (folder / "evil.py").write_text(self._evil, encoding="utf-8")
        for kind, file, change in case.pieces:
            _change_file(folder / file, kind, change)
        try:
            with _no_network():
                model = pretrained.load("AutoModel", str(folder), device="cpu")
                model.tokenizer("Кошка спит.")
            self.note("loaded")
        except AugmentError as error:
            if "\n" in str(error):
                raise Fault(f"an error of several lines: {error}") from error
            self.note("refused")
        finally:
            pretrained.release()
            shutil.rmtree(folder)
        if (self.folder / "ran").exists() or "evil" in sys.modules:
            (self.folder / "ran").unlink(missing_ok=True)
            raise Fault("code of the folder ran")
        return 1


def _change_file(path: Path, kind: str, change: Any) -> None:  # noqa: ANN401
    """Change a file; one that is no JSON any more stays."""
    if kind == "bytes":
        path.write_bytes(hostile.with_bytes(path.read_bytes(), [change]))
        return
    with suppress(ValueError, RecursionError):
        content = json.loads(path.read_text(encoding="utf-8", errors="replace"))
        if kind == "value":
            content = hostile.changed(content, [change])
        elif isinstance(content, dict):
            content[change[0]] = change[1]
        path.write_text(json.dumps(content), encoding="utf-8")


@contextmanager
def _no_network() -> Iterator[None]:
    """Whoever looks up an address fails, and is told on."""
    asked: list[str] = []

    def lookup(host: object, *_: object, **__: object) -> Any:  # noqa: ANN401
        asked.append(str(host))
        raise OSError("no network here")

    before, socket.getaddrinfo = socket.getaddrinfo, lookup
    try:
        yield
    finally:
        socket.getaddrinfo = before
    if asked:
        raise Fault(f"the network was used: {asked}")


_TIMEOUT, _SLACK = 0.3, 1.5
"""Seconds that an attempt may take, and that a busy machine may add."""
_PAUSES = (0.0,) * 12 + (0.01, 1.0)
_BODY = b'{"choices": [{"message": {"content": "1"}}]}'
_PARTS: Sequence[Sequence[bytes]] = (
    (b"HTTP/1.1 500 No\r\n", b"HTTP/1.1 302 Away\r\nLocation: http://a.ru\r\n", b"HTTP/9 \xff\r\n", b"", b"x" * 70_000),
    (
        b"Content-Length: -1\r\n",
        b"Content-Length: 1000000000\r\n",
        b"Content-Length: 5\r\n",
        b"",
        b"Transfer-Encoding: chunked\r\n",
        b"Content-Length: " + b"9" * 5000 + b"\r\n",
    ),
    (b"X: " + b"y" * 70_000 + b"\r\n", b"Retry-After: 1e400\r\n", b"X: y\r\n" * 200, b"\x1b[31m\r\n"),
    (b"\n", b""),
    (
        b"2c\r\n" + _BODY + b"\r\n0\r\n\r\n",
        b"ffffffffffffffff\r\n",
        b"-1\r\n",
        b"[" * 100_000,
        b'{"a": ' + b"9" * 5000 + b"}",
        b"null",
        b"{}",
        b"\xff\xfe",
        b'{"choices": []}',
        b'{"choices": [{"message": {"content": "\\ud800"}}]}',
    ),
)
"""What may stand in place of each part of an answer."""


def _content(answer: Any) -> str:  # noqa: ANN401
    return str(answer["choices"][0]["message"]["content"])


class Servers(Fuzzer):
    """Servers that send anything, whole or in drips: an answer or one line, never after the timeout."""

    name: ClassVar[str] = "servers"
    unit: ClassVar[str] = "answers"
    goal: ClassVar[int] = 3_000
    share: ClassVar[float] = 1.0

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._script: Sequence[tuple[bytes, float]] = ()
        threading.Thread(target=self._serve, daemon=True).start()

    def draw(self, random: Random) -> Case:
        """What the server sends: bytes, and pauses between them; a negative pause sends a byte at a time, for ever."""
        parts = [b"HTTP/1.1 200 OK\r\n", f"Content-Length: {len(_BODY)}\r\n".encode(), b"X: y\r\n", b"\r\n", _BODY]
        for _ in range(random.choice([0, 1, 1, 2])):
            at, choices = random.choice(list(enumerate(_PARTS)))
            parts[at] = random.choice(choices)
        if random.random() < 0.1:
            parts.insert(0, b"HTTP/1.1 100 Continue\r\n\r\n" * random.choice([1, 1000]))
        slow = random.choice([None, None, None, *range(len(parts))])
        pauses = [-0.05 if at == slow else random.choice(_PAUSES) for at in range(len(parts))]
        return Case(list(zip(parts, pauses, strict=True)))

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            threading.Thread(target=self._answer, args=(connection, self._script), daemon=True).start()

    @staticmethod
    def _answer(connection: socket.socket, script: Sequence[tuple[bytes, float]]) -> None:
        with connection, suppress(OSError):
            connection.settimeout(5)
            connection.recv(65536)
            for part, pause in script:
                if pause >= 0:
                    connection.sendall(part)
                    time.sleep(pause)
                    continue
                ends = time.monotonic() + 4
                while time.monotonic() < ends:
                    for at in range(max(1, min(len(part), 200))):
                        connection.sendall(part[at : at + 1] or b" ")
                        time.sleep(-pause)

    def check(self, case: Case) -> int:
        """Ask the server once."""
        self._script = case.pieces
        address = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1/chat/completions"
        server = Server(address, {}, _TIMEOUT, 0)
        began = time.monotonic()
        try:
            list(concurrent_answers(1, 1, lambda client, _: server.ask(client, {"x": 1}, _content)))
            self.note("answered")
        except AugmentError as error:
            if "\n" in str(error):
                raise Fault(f"an error of several lines: {error}") from error
            self.note("refused")
        if (took := time.monotonic() - began) > _TIMEOUT + _SLACK:
            raise Fault(f"an attempt with a timeout of {_TIMEOUT} s took {took:.1f} s")
        return 1
