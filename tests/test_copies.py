"""A command in this process does what it does in a copy, and a copy knows nothing of what this process did before."""

import re
import shutil
from pathlib import Path

import pytest

from augment_ru import Augmenter
from augment_ru.attacks.paraphrase import Paraphrase
from commands import fails, run, write
from kept_models import kept_copy
from small_networks import hub

ATTACKS = ("back_translation", "bae")
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


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_copy_knows_no_network_of_this_process(attack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Augmenter(attack, similarity=None)(TEXT)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert "neither a folder nor in the local cache" in fails(1, "explain", TEXT, "--attack", attack, fresh=True)


def test_a_copy_knows_no_network_that_was_deleted(tmp_path: Path) -> None:
    folder = kept_copy(tmp_path / "hub", hub) / "models--cointegrated--rut5-base-paraphraser" / "snapshots" / "small"
    Augmenter(Paraphrase(model=str(folder)), similarity=None)(TEXT)
    shutil.rmtree(folder)
    said = fails(1, "explain", TEXT, "--attack", "paraphrase", "--set", f"paraphrase.model={folder}", fresh=True)
    assert "no such folder" in said
