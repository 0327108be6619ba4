"""The same bytes for the versions in requirements/same-bytes.txt: what every offline attack makes of README's rows.

A change of the package that alters outputs alters digests here, and is listed in CHANGELOG.md.
"""

import json
import re
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from augment_ru.registry import names
from augment_ru.release.manifest import environment
from commands import run

ROOT = Path(__file__).resolve().parents[1]
PINNED = ROOT / "requirements" / "same-bytes.txt"
NETWORKS = {"back_translation", "bae", "paraphrase"}
DIGESTS = {
    "add_sent": "14c49d108c3b63bf",
    "agreement": "623f15d177c3ec8d",
    "butterfingers": "8ea963eeb7a6672e",
    "case": "b9bf1dc529a95e3a",
    "casing": "50e947611edcc76a",
    "colloquial": "9d9c37a8b6a4c559",
    "diminutives": "253bf47b254890bc",
    "eda_delete": "4befa77df56faedf",
    "eda_swap": "7c8f6d1e33e6c6fd",
    "emojify": "04c6ffdbefc2fddb",
    "evasion": "13b8460be0f33b75",
    "homoglyphs": "fc54c7eb2db3501f",
    "masking": "d36bf16c969b66c8",
    "misspell": "cbdd23c49bb10fd7",
    "people": "11cdd3015dc5e171",
    "punctuation": "07b93d98824dfae8",
    "spacing": "712a3a607dbef3c8",
    "synonyms": "9039d60fde120a19",
    "transliteration": "d4d24899341b26d3",
    "word_order": "3ff5cc8c3034fcfe",
    "wrong_layout": "0e3ddee75cb481a0",
}

pytestmark = pytest.mark.skipif(not PINNED.exists(), reason="needs the repository's files")


def pinned() -> dict[str, str]:
    """The version of each package in the file."""
    return dict(re.findall(r"(?m)^([^#\s=]+)==(\S+)$", PINNED.read_text(encoding="utf-8")))


def test_the_file_pins_every_package_that_a_release_states() -> None:
    assert set(environment(models=True)["packages"]) <= set(pinned())
    lines = PINNED.read_text(encoding="utf-8").splitlines()
    assert len(pinned()) == sum(bool(line) and not line.startswith("#") for line in lines)


def test_every_offline_attack_makes_the_same_bytes() -> None:
    """Texts, statuses and similarities of the gate at the defaults; skipped with other versions than the pinned."""
    others = []
    for name, wanted in pinned().items():
        try:
            found = version(name).partition("+")[0]
        except PackageNotFoundError:  # an extra
            continue
        if found != wanted:
            others.append(f"{name} {found}, not {wanted}")
    if others:
        pytest.skip(f"other versions than in requirements/{PINNED.name} are installed: {'; '.join(others)}")
    attacks = [word for name in names("attacks") if name not in NETWORKS for word in ("--attack", name)]
    done = run("perturb", ROOT / "examples" / "reviews.jsonl", "--meta", "brief", "-q", *attacks)
    assert done.returncode == 0, done.stderr.decode()
    made: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        row = json.loads(line)
        said = row["augment"]
        made.setdefault(said["attack"], []).append(f"{row['text']}|{said['status']}|{said['similarity']}")
    digests = {name: blake2b("\n".join(rows).encode(), digest_size=8).hexdigest() for name, rows in made.items()}
    assert digests == DIGESTS
