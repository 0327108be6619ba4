"""Whether other processors and Pythons write the same rows: digests of perturbed rows under each of them.

    python scripts/processors.py [FILE.jsonl ...] [--rows N] [--attacks NAME,...] [--cores NAME,...]
    python scripts/processors.py --pythons python3.11,python3.12,python3.13 [FILE.jsonl ...]

Every attack that runs no network perturbs the texts of the files (by default those of the examples), with the default
gate and with either schedule, once for each kind of processor whose instructions this machine has: OpenBLAS is told to
compute as on that processor, and the first run has NumPy's own vector instructions switched off. With `--pythons` each
of these interpreters makes the rows once, with the packages that it has. Prints for each attack
how many rows differ from those of the first run, and exits with 1 if any does.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
CORES = ("Prescott", "Nehalem", "Sandybridge", "Haswell", "SkylakeX", "SapphireRapids", "ARMV8",
         "NEOVERSEN1", "NEOVERSEV1")  # fmt: skip
"""Kinds of processors that OpenBLAS can imitate; kinds of other architectures are skipped."""
WITH_NETWORKS = ("back_translation", "bae", "paraphrase")
SCHEDULES = ("paper", "strongest")


def texts_of(files: Iterable[Path], rows: int) -> list[str]:
    """Return the texts of the files: of each row the first string in a field called text, question or the like."""
    found = []
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines()[:rows]:
            row = json.loads(line)
            text = next((row[name] for name in ("text", "question", "sentence") if isinstance(row.get(name), str)), "")
            found += [text] if text else []
    return found


def digests(texts: Sequence[str], attacks: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each attack and schedule with a digest for each text: of its new text, edits, status and similarity."""
    from augment_ru import Perturber, Preparation  # noqa: PLC0415  (the environment has to be set first)

    perturbers = {
        f"{attack} {schedule}": Perturber(attack, schedule=schedule) for attack in attacks for schedule in SCHEDULES
    }
    found: dict[str, list[str]] = {name: [] for name in perturbers}
    for prepared in Preparation().texts(texts, needs=[one.needs for one in perturbers.values()]):
        for name, perturber in perturbers.items():
            for row in perturber.perturb(prepared).results:
                edits = [script.edits for script in row.scripts.values()]
                told = repr((row.text, edits, row.status, row.similarity, row.probability, row.candidate))
                found[name].append(hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16])
    yield from found.items()


def of_run(python: str, files: Sequence[Path], arguments: argparse.Namespace, **settings: str) -> dict[str, list[str]]:
    """Return the digests of a run of an interpreter in this environment; empty if this machine cannot run it."""
    environment = {**os.environ, "PYTHONPATH": str(arguments.package), "PYTHONWARNINGS": "ignore", **settings}
    command = [python, __file__, *map(str, files), "--rows", str(arguments.rows), "--digests"]
    command += ["--attacks", arguments.attacks] if arguments.attacks else []
    done = subprocess.run(command, env=environment, capture_output=True, check=False, text=True)
    if done.returncode < 0 or "Core not found" in done.stderr:  # killed by an instruction that this machine lacks
        return {}
    if done.returncode:
        sys.exit(done.stderr)
    return {str(name): list(found) for name, found in json.loads(done.stdout).items()}


def of_core(core: str, files: Sequence[Path], arguments: argparse.Namespace, *, plain: bool) -> dict[str, list[str]]:
    """Return the digests under the arithmetic of a kind of processor; empty if this machine cannot imitate it."""
    vectors: Any = np.show_config(mode="dicts")
    extra = vectors["SIMD Extensions"].get("found", [])
    return of_run(
        sys.executable,
        files,
        arguments,
        OPENBLAS_CORETYPE=core,
        OPENBLAS_VERBOSE="2",
        OMP_NUM_THREADS="1",
        NPY_DISABLE_CPU_FEATURES=" ".join(extra) if plain else "",
    )


def runs_of(arguments: argparse.Namespace, files: Sequence[Path]) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Yield the runs to compare, each with its label."""
    if arguments.pythons:
        for python in arguments.pythons.split(","):
            yield python, of_run(python, files, arguments)
        return
    first = True
    for core in arguments.cores.split(","):
        if found := of_core(core, files, arguments, plain=first):
            yield (f"{core}, plain NumPy" if first else core), found
            first = False


def main() -> None:
    """Print how many rows of each attack differ between the runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="rows with a field `text` or `question`")
    parser.add_argument("--rows", type=int, default=3000, help="of each file")
    parser.add_argument("--attacks", default="", help="names joined by commas; by default all without networks")
    parser.add_argument("--cores", default=",".join(CORES), help="kinds of processors, as OpenBLAS names them")
    parser.add_argument("--pythons", default="", help="interpreters with the packages of augment-ru; not processors")
    parser.add_argument("--package", type=Path, default=ROOT, help="the checkout that is run")
    parser.add_argument("--digests", action="store_true", help="print the digests of one run, on this processor")
    arguments = parser.parse_args()
    files = arguments.files or sorted((ROOT / "examples").glob("*.jsonl"))
    if arguments.digests:
        from augment_ru.registry import names  # noqa: PLC0415

        attacks = arguments.attacks.split(",") if arguments.attacks else names("attacks")
        attacks = [name for name in attacks if name not in WITH_NETWORKS]
        json.dump(dict(digests(texts_of(files, arguments.rows), attacks)), sys.stdout)
        return
    runs: dict[str, dict[str, list[str]]] = {}
    for label, found in runs_of(arguments, files):
        runs[label] = found
        print(f"{label}: {sum(map(len, found.values()))} rows", flush=True)
    (_, before), *others = runs.items()
    worst = 0
    for name, rows in before.items():
        differ = {core: sum(a != b for a, b in zip(rows, found[name], strict=True)) for core, found in others}
        any_differs = sum(len({found[name][at] for found in runs.values()}) > 1 for at in range(len(rows)))
        worst += any_differs
        print(f"{name:<28}{any_differs:>6} of {len(rows)} differ", {core: n for core, n in differ.items() if n} or "")
    print(f"{worst} of {sum(map(len, before.values()))} rows differ between {'; '.join(runs)}")
    sys.exit(bool(worst))


if __name__ == "__main__":
    main()
