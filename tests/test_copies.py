"""A command in this process does what it does in a copy, and a copy knows nothing of what this process did before."""

import json
import os
import re
import signal
from pathlib import Path

import pytest

from commands import copied, run, write
from copied_works import nested, print_known

TEXT = "Мама мыла раму и пела старую песню."


COMMANDS = (
    "perturb rows.jsonl --attack case --similarity none",
    "perturb nowhere.jsonl --attack case",
    "evaluate rows.jsonl --originals rows.jsonl --model majority:rows.jsonl --cache none --date none",
    "attack rows.jsonl --model majority:rows.jsonl --attack case --budget 3 --cache none",
    "normalize rows.jsonl",
    "release verify .",
    "explain Кошка. --attack case",
    "list similarities",
    "check task.toml",
    "calibrate rows.jsonl --attack case --at 0.5 --similarity none",
    "similarity pairs.jsonl",
    "compare rows.jsonl rows.jsonl",
    "totals rows.jsonl",
    "verdicts export rows.jsonl -o tasks.tsv",
    "models list",
    "completion bash",
    "--help",
)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_does_the_same_here_and_in_a_copy(line: str, tmp_path: Path) -> None:
    """It starts as a program there; with the exit code, all that it prints, and the files that it leaves."""
    found = []
    for fresh in (False, True):
        place = tmp_path / str(fresh)
        place.mkdir()
        write(place / "rows.jsonl", *({"id": at, "text": text, "label": at} for at, text in enumerate((TEXT, "Кот."))))
        write(place / "pairs.jsonl", {"original": TEXT, "perturbed": "Мама мыла рану."})
        (place / "task.toml").write_text('fields = ["text"]\n', encoding="utf-8")
        done = run(*line.split(), cwd=place, fresh=fresh)
        said = re.sub(rb"\d+\.\d s(, .*)?", b"", done.stderr)  # how long it took
        files = {file.name: file.read_bytes() for file in place.iterdir()}
        found.append((done.returncode, done.stdout, said, files))
    assert found[0] == found[1]


def test_a_copy_knows_nothing_of_this_process(tmp_path: Path) -> None:
    """No module of tests, no network, no variable, no folder of before; and a second copy nothing of the first."""
    for _ in range(2):
        done = copied(print_known, cwd=tmp_path, env={"A": "b"})
        modules, variables, folder = json.loads(done.stdout)
        assert not {"torch", "transformers", "pytest", "hypothesis", "small_networks"}.intersection(modules)
        assert "augment_ru.cli.main" in modules
        assert (variables, folder) == ({"A": "b"}, str(tmp_path))


def test_a_copy_can_ask_for_a_copy_and_end_with_a_code_or_a_signal() -> None:
    assert copied(nested, 3).stdout == b"0 1 2 3 "
    assert [copied(os._exit, 7).returncode, copied(os.abort).returncode] == [7, -signal.SIGABRT]
