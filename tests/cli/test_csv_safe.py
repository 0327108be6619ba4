"""Tables for spreadsheets: `--csv-safe`."""

import csv
from pathlib import Path

import pytest

from commands import fails, run, write


@pytest.mark.parametrize("name", ["out.csv", "out.tsv"])
def test_a_cell_that_an_edit_makes_a_formula_gets_an_apostrophe_if_that_is_wished(name: str, tmp_path: Path) -> None:
    rows = [{"text": "Маша - кот", "other": "=1"}, {"text": "=Маша - кот", "other": "@"}]
    source = write(tmp_path / "in.jsonl", *rows)
    (tmp_path / "first.py").write_text(
        "from dataclasses import dataclass\nfrom typing import ClassVar\n"
        "from augment_ru import Attack, Edit\n\n"
        "@dataclass(frozen=True)\nclass First(Attack):\n"
        "    name: ClassVar[str] = 'first'\n    probability: float = 1.0\n"
        "    def propose(self, doc, rng):\n"
        "        yield rng.change(Edit(doc.text.index('Маша'), doc.text.index('-'), ''))\n",
        encoding="utf-8",
    )
    target = tmp_path / name
    command: list[str | Path] = [
        "perturb",
        source,
        "-o",
        target,
        "--attack",
        tmp_path / "first.py",
        "--similarity",
        "none",
    ]
    common = ["--no-constraints", "--meta", "none", "-q"]
    wishes: list[tuple[list[str], str]] = [([], "- кот"), (["--csv-safe"], "'- кот")]
    for wished, first in wishes:
        assert run(*command, *common, *wished).returncode == 0
        with target.open(encoding="utf-8", newline="") as file:
            found = list(csv.DictReader(file, delimiter="\t" if name.endswith("tsv") else ","))
        assert found == [{"text": first, "other": "=1"}, {"text": "=- кот", "other": "@"}]
    assert "no table; leave it out" in fails(2, *command[:3], tmp_path / "o.jsonl", *command[4:], "--csv-safe")
