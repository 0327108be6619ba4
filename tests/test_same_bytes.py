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
    "abbreviations": "d833402973c478c7",
    "add_sent": "14c49d108c3b63bf",
    "address": "b77162b5e964aa97",
    "agreement": "e0c834ebe70cbd7b",
    "butterfingers": "df3d587e30231e3a",
    "case": "0b5e2cb0791811a3",
    "casing": "e0980e8fd50fab08",
    "colloquial": "6d450bdd030fe971",
    "diminutives": "e6c287335e316b46",
    "eda_delete": "e57d0572d023f186",
    "eda_swap": "5ae15c43a2dc8415",
    "emojify": "f6b25f27f6829ffb",
    "evasion": "962b19fab6356cce",
    "homoglyphs": "862b829965106d93",
    "masking": "a66d420c8e4f61ad",
    "misspell": "a6ccf9f100944a28",
    "names": "538456ec29f3b57f",
    "numbers": "0798c1116fb82f24",
    "ocr": "6bc5a1c11eb81707",
    "option_order": "b77162b5e964aa97",
    "people": "71d097ccf17877a9",
    "punctuation": "b97a3f0643166744",
    "spacing": "e75951af339344ee",
    "speech": "a1c386633a900055",
    "synonyms": "8c04bb877e515310",
    "transliteration": "8275e7fd7453eae6",
    "unseen": "bb19cabfbc2cb558",
    "word_order": "bba1e263d126ee3d",
    "wrong_layout": "e5ca288a7b75c637",
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
