"""The examples of training run, and say what they found."""

import re
from pathlib import Path

import pytest

import augment_ru
from commands import run_script
from profiles import IS_FULL

ROOT = Path(augment_ru.__file__).parents[1]
EXAMPLES = ROOT / "examples"

pytestmark = pytest.mark.skipif(not EXAMPLES.exists(), reason="needs the repository's examples")


def printed(example: str, folder: Path, *arguments: str) -> str:
    """What an example prints on a part of the rows of examples/reviews: `train.jsonl` and `test.jsonl`."""
    for name, step in (("train", 1 if IS_FULL else 2), ("test", 4)):
        lines = (EXAMPLES / f"reviews_{name}.jsonl").read_text(encoding="utf-8").splitlines()
        (folder / f"{name}.jsonl").write_text("\n".join(lines[::step]) + "\n", encoding="utf-8")
    done = run_script(EXAMPLES / example, *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_it_trains_with_and_without_the_rows_found(tmp_path: Path) -> None:
    budget = "30" if IS_FULL else "10"
    out = printed("adversarial_training.py", tmp_path, "train.jsonl", "test.jsonl", "--budget", budget)
    rate = r"\d+ of 15 rows right, \d+ of them broken \([\d.]+ %\)"
    assert re.fullmatch(rf"without: {rate}\nrows found: [1-9]\d*\nwith:    {rate}\n", out)


def test_it_trains_with_and_without_copies(tmp_path: Path) -> None:
    """The page of training shows it on all rows of examples/domains."""
    out = printed("augmented_training.py", tmp_path, "--train", "train.jsonl", "--test", "test.jsonl", "--copies", "1")
    head, *lines = out.splitlines()
    assert head.split() == ["attack", "copies", "clean", "perturbed", "ASR"]
    for attack, (without, with_copies, difference) in zip(
        ("people", "butterfingers"), (lines[:3], lines[3:]), strict=True
    ):
        assert re.fullmatch(rf"{attack} +without +[\d.]+ +[\d.]+ +[\d.]+", without)
        assert re.fullmatch(rf"{attack} +with +[\d.]+ +[\d.]+ +[\d.]+", with_copies)
        assert re.fullmatch(
            r"  without − with: ASR [+-][\d.]+ points, 95 % interval [+-][\d.]+ to [+-][\d.]+", difference
        )
        rates = [float(line.split()[-1]) for line in (without, with_copies)]
        assert float(difference.split()[4]) == pytest.approx(rates[0] - rates[1], abs=0.011)


@pytest.mark.parametrize("kind", ["linear", "transformer"] if IS_FULL else ["linear"])
def test_it_trains_in_four_ways(kind: str, tmp_path: Path) -> None:
    rows, tested, searched = ("32", "12", "3") if IS_FULL else ("20", "8", "2")
    small = ("--rows", rows, "--epochs", "2", "--seeds", "2", "--tested", tested, "--searched", searched)
    out = printed("online_training.py", tmp_path, "--kind", kind, *small).splitlines()
    ways = ("clean", "twice", "copies", "online")
    assert [line.split(" {")[0] for line in out[:8]] == [f"{seed} {way}" for seed in (0, 1) for way in ways]
    tests = ["right", "evasion", "homoglyphs", "masking", "wrong_layout", "transliteration", "unseen", "searched"]
    for name, line in zip(tests, out[8:], strict=True):
        means = r"clean [\d.]+, twice [\d.]+, copies ([\d.]+), online ([\d.]+)"
        found = re.fullmatch(rf"{name}: {means}; online − copies ([+-][\d.]+) points .*", line)
        assert found
        assert float(found[3]) == pytest.approx(float(found[2]) - float(found[1]), abs=0.11)
