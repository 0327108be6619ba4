"""A command in a copy of this process knows nothing of what this process did before."""

import shutil
from pathlib import Path

import pytest

from augment_ru import Augmenter
from augment_ru.attacks.paraphrase import Paraphrase
from commands import fails
from kept_models import kept_copy
from small_networks import hub

ATTACKS = ("back_translation", "bae")
TEXT = "Мама мыла раму и пела старую песню."


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
