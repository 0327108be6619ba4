"""Digests of what every command writes: the same before and after a change that must not change outputs.

    python scripts/digests.py [--corpora DIR] [--samples DIR] [--rows N] > before.json
    python scripts/digests.py [the same] --against before.json

Runs the command line of its own checkout over the examples and over the files of the folders. Attacks that run a
network run the small ones of the tests. Prints a digest for each file and stream; with --against, what differs.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
OFFLINE = ("butterfingers", "case", "emojify", "eda_delete", "eda_swap", "add_sent")
COMPOSED = ("eda_swap+emojify", "case+butterfingers+eda_delete")
NETWORKS = ("back_translation", "bae", "paraphrase", "add_sent+bae")
MODELS = ("bert", "causal", "hub")
SECONDS = re.compile(r"\d+\.\d+ s\b")


def perturbations(source: Path, name: str, rows: int) -> Iterator[tuple[str, list[str]]]:
    """Runs of `perturb` over a file: every attack, both schedules, gate on and off."""
    attacks = [word for attack in (*OFFLINE, *COMPOSED) for word in ("--attack", attack)]
    networks = [word for attack in NETWORKS for word in ("--attack", attack)]
    limit = ["--limit", str(rows)]
    for schedule in ("paper", "strongest"):
        yield f"{name} {schedule}", ["perturb", str(source), *attacks, "--schedule", schedule, *limit]
    yield f"{name} no gate", ["perturb", str(source), *attacks, "--similarity", "none", "--no-constraints", *limit]
    yield f"{name} networks", ["perturb", str(source), *networks, "--limit", str(min(rows, 20)), "--device", "cpu"]


def runs(place: Path, corpora: Path | None, samples: Path | None, rows: int) -> Iterator[tuple[str, list[str]]]:
    """The names of all runs, and their arguments."""
    sources = sorted(EXAMPLES.glob("*.jsonl")) + sorted(EXAMPLES.glob("release/*/test.jsonl"))
    for folder in (corpora, samples):
        sources += sorted(folder.glob("*.jsonl")) if folder else []
    for source in sources:
        name = f"{source.parent.name}/{source.name}"
        yield from perturbations(source, name, rows)
    reviews = EXAMPLES / "reviews.jsonl"
    perturb = ["perturb", str(reviews), "--attack", "butterfingers"]
    for meta in ("brief", "none"):
        yield f"meta {meta}", [*perturb, "--meta", meta, "--with-original"]
    for seed in (0, 7):
        yield f"seed {seed}", [*perturb, "--seed", str(seed), "--candidates", "5", "--threshold", "0.9"]
    for ending in ("json", "csv", "tsv", "parquet"):
        target = place / f"reviews.{ending}"
        yield f"to {ending}", [*perturb, "-o", str(target), "--report", str(place / f"{ending}.report.json")]
        yield f"from {ending}", ["perturb", str(target), "--attack", "emojify", "--meta", "none"]
        yield f"{ending} to itself", ["perturb", str(target), "--attack", "case", "--meta", "none", "-o",
                                      str(place / f"again.{ending}")]  # fmt: skip
    bert = f"bertscore:{place / 'bert'}@2"
    yield "bertscore", [*perturb, "--attack", "eda_swap", "--similarity", bert, "--device", "cpu"]
    yield "explain", ["explain", "Маша купила билет в Казань за 2500 рублей.", "--attack", "emojify"]
    yield "calibrate", ["calibrate", str(reviews), "--report", str(place / "calibrate.json")]
    yield "check", ["check"]
    for kind in ("attacks", "constraints", "similarities", "tasks", "models"):
        yield f"list {kind}", ["list", kind]
    train = str(EXAMPLES / "reviews_train.jsonl")
    perturbed = str(place / "perturbed.jsonl")
    yield "perturb to evaluate", ["perturb", str(EXAMPLES / "reviews_test.jsonl"), "-o", perturbed, "--attack",
                                  "butterfingers", "--attack", "eda_delete", "--with-original"]  # fmt: skip
    models = ["--model", "linear", "--model", "adaboost", "--model", "majority", "--model", "random"]
    yield "evaluate", ["evaluate", perturbed, *models, "--train", train, "--cache", "none", "-o",
                       str(place / "report.json"), "--html", str(place / "report.html"), "--predictions",
                       str(place / "predictions.jsonl")]  # fmt: skip
    causal = f"hf-causal:{place / 'causal'}"
    yield "evaluate shots", ["evaluate", perturbed, "--model", causal, "--train", train, "--shots", "0,2",
                             "--episodes", "2", "--device", "cpu", "--cache", "none", "-o",
                             str(place / "shots.json"), "--predictions", str(place / "shots.jsonl")]  # fmt: skip
    small = str(EXAMPLES / "release" / "small.toml")
    yield "release", ["release", small, "-o", str(place / "small"), "--device", "cpu"]
    yield "verify", ["release", "verify", str(place / "small"), "--rebuild", "3"]


def models(place: Path) -> None:
    """The small models of the tests, in folders of the place and under the published names in a cache."""
    tests = next(path for path in (ROOT / "tests" / "support", ROOT / "tests") if (path / "small_models.py").exists())
    code = (
        f"import sys; sys.path[:0] = {[str(tests), str(ROOT / 'tests')]!r}; from pathlib import Path; "
        "import torch; torch.set_num_threads(1); import small_models, small_causal, small_networks; "
        f"p = Path({str(place)!r}); small_models.bert(p / 'bert'); small_causal.causal(p / 'causal'); "
        "small_networks.hub(p / 'hub')"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=environment(place))


def environment(place: Path) -> dict[str, str]:
    """The same arithmetic on every processor, one thread, the cache of small models, the package of this checkout."""
    return {
        **os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_CACHE": str(place / "hub"), "HF_HUB_OFFLINE": "1",
        "OPENBLAS_CORETYPE": "Haswell", "OMP_NUM_THREADS": "1", "COLUMNS": "160", "PYTHONWARNINGS": "ignore",
    }  # fmt: skip


def digests(place: Path, arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """The digest of each stream and file."""
    if arguments.models is None or not arguments.models.exists():
        models(place)
        if arguments.models is not None:
            for name in MODELS:
                shutil.copytree(place / name, arguments.models / name)
    else:
        shutil.copytree(arguments.models, place, dirs_exist_ok=True)
    for number, (name, words) in enumerate(runs(place, arguments.corpora, arguments.samples, arguments.rows)):
        if not re.search(arguments.only, name):
            continue
        command = [sys.executable, "-m", "augment_ru", *words]
        done = subprocess.run(command, env=environment(place), cwd=place, capture_output=True, check=False)
        said = SECONDS.sub("… s", done.stderr.decode()).replace(str(place), "PLACE")
        out = done.stdout.replace(str(place).encode(), b"PLACE")
        if arguments.keep:
            (arguments.keep / f"{number:03}.out").write_bytes(out)
            (arguments.keep / f"{number:03}.err").write_text(f"{name}\n{said}", encoding="utf-8")
        print(name, done.returncode, file=sys.stderr, flush=True)
        yield f"{name}: exit code", str(done.returncode)
        yield f"{name}: stdout", digest(out)
        yield f"{name}: stderr", digest(said.encode())
    for path in sorted(place.rglob("*")):
        inside = path.relative_to(place).as_posix()
        if path.is_file() and not inside.startswith(tuple(f"{name}/" for name in MODELS)):
            data = path.read_bytes().replace(str(place).encode(), b"PLACE")
            if arguments.keep:
                kept = arguments.keep / inside
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(data)
            yield f"file {inside}", digest(data)


def digest(data: bytes) -> str:
    """The first 16 digits of SHA-256."""
    return hashlib.sha256(data).hexdigest()[:16]


def main() -> None:
    """Print the digests, or what differs from those of another run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=lambda path: Path(path).resolve())
    parser.add_argument("--samples", type=lambda path: Path(path).resolve())
    parser.add_argument("--rows", type=int, default=1000, help="of each file")
    parser.add_argument("--only", default="", help="a regular expression: only runs whose names it finds")
    parser.add_argument("--models", type=Path, help="a folder of small models, made if it is not there; training them "
                        "anew gives other ones")  # fmt: skip
    parser.add_argument("--keep", type=Path, help="a folder for the outputs themselves")
    parser.add_argument("--against", type=Path, help="digests of a run before")
    arguments = parser.parse_args()
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="augment-ru-digests-") as place:
        found = dict(digests(Path(place), arguments))
    if arguments.against is None:
        print(json.dumps(found, ensure_ascii=False, indent=1))
        return
    before = json.loads(arguments.against.read_text(encoding="utf-8"))
    different = [name for name in {**before, **found} if before.get(name) != found.get(name)]
    print(*different, f"{len(found)} digests, {len(different)} differ", sep="\n")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
