"""A real server: `transformers serve` with a tiny local model; skipped where its packages are not installed."""

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from augment_ru import evaluate
from commands import wait_until
from kept_models import kept
from small_causal import causal

for _package in ("fastapi", "uvicorn", "openai", "rich"):
    pytest.importorskip(_package)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    folder = str(kept(causal, "chat"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = tmp_path_factory.mktemp("home")
    command = [sys.executable, "-c", "from transformers.cli.transformers import main; main()", "serve"]
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"],
            env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(home)},
            stdout=log,
            stderr=log,
        )
        try:

            def answers() -> bool:
                assert server.poll() is None, (home / "log").read_text(encoding="utf-8")[-2000:]
                with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1) as reply:
                    return bool(reply.status == 200)
                return False

            wait_until(answers)
            yield f"http://127.0.0.1:{port}/v1", folder
        finally:
            server.terminate()
            server.wait(30)


def test_a_real_server_is_asked_once(served: tuple[str, str], tmp_path: Path) -> None:
    url, folder = served
    rows = [
        {
            "id": number,
            "text": f"текст {number}.",
            "label": ("да", "нет")[number % 2],
            "augment": {
                "attack": "a",
                "status": "perturbed",
                "source": {"text": f"Текст {number}."},
                "edits": {"text": [[0, 1, "т"]]},
            },
        }
        for number in range(3)
    ]
    options = {"openai": {"max_tokens": 3, "system": "Отвечай одним словом.", "concurrency": 2}}
    found = [evaluate(rows, [f"openai:{url}#{folder}"], cache=tmp_path / "a.sqlite", options=options) for _ in range(2)]
    first, second = (one.judged[0].run for one in found)
    assert first.counts.from_cache == 0
    assert second.counts.from_cache == second.counts.different == 6
    assert first.counts.spent["prompt_tokens"] > 0
    assert first.originals == second.originals
