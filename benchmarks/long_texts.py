"""Time and memory of every offline attack on one long text, by its length; with --plot, as a picture.

    python benchmarks/long_texts.py SENTENCES.jsonl [--attack NAME] [--lengths 10000 …] [--plot FILE.svg]

SENTENCES.jsonl has a `text` in each row; different sentences are joined by spaces. Every point is a process of its own
at the defaults (constraints and the gate `meaning`): processor seconds for annotation and attack, after a short text
has loaded what is loaded once, and the peak of resident memory, metadata included. The picture needs matplotlib.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from augment_ru import Perturber, Preparation
from augment_ru.registry import names

LENGTHS = (10_000, 50_000, 100_000, 200_000, 400_000)
NETWORKS = {"back_translation", "bae", "paraphrase"}
RECORDS = {"add_sent", "option_order"}
"""Attacks on questions with options, which such a text is not."""
MOST_MIB, MOST_OF_LINEAR = 330, 1.1
"""The picture names the attacks that are beyond these bounds."""


def long_text(path: Path, length: int) -> str:
    """Different sentences, joined."""
    parts, total = list[str](), 0
    for line in path.read_text("utf-8").splitlines():
        parts.append(json.loads(line)["text"])
        total += len(parts[-1]) + 1
        if total > length:
            break
    return " ".join(parts)[:length]


def measure(path: Path, attack: str, length: int) -> tuple[float, float]:
    """Processor seconds and the peak of memory in MiB, of this process."""
    perturber, preparation = Perturber(attack), Preparation()
    for short in (True, False):
        text = long_text(path, 500 if short else length)
        began = time.process_time()
        (prepared,) = preparation.texts([text], needs=[perturber.needs])
        json.dumps(perturber.perturb(prepared).results[0].metadata(), ensure_ascii=False, default=str)
    taken = time.process_time() - began
    status = Path("/proc/self/status").read_text("utf-8")
    return taken, int(status.partition("VmHWM:")[2].split()[0]) / 1024


def draw(found: dict[str, list[tuple[int, float, float]]], path: Path) -> None:
    """Draw the time a character and the memory by length; the attacks beyond a bound at the end are named."""
    import matplotlib.pyplot as plt  # noqa: PLC0415

    plt.rcParams |= {"svg.hashsalt": "long_texts", "svg.fonttype": "none"}
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
    named: dict[Any, list[tuple[float, str]]] = {left: [], right: []}
    for attack, points in found.items():
        lengths = [length for length, _, _ in points]
        times = [1_000_000 * seconds / length for length, seconds, _ in points]
        memory = [mib for _, _, mib in points]
        for axes, values, beyond in (
            (left, times, times[-1] > MOST_OF_LINEAR * times[0]),
            (right, memory, memory[-1] > MOST_MIB),
        ):
            axes.plot(lengths, values, color="tab:red" if beyond else "0.6", linewidth=1.2, marker=".", markersize=3)
            if beyond:
                named[axes].append((values[-1], attack))
    for axes, most, title in (
        (left, None, f"processor time, µs a character (named: over {MOST_OF_LINEAR} times that of the shortest text)"),
        (right, MOST_MIB, "peak memory of the process, MiB"),
    ):
        axes.set(xscale="log", title=title, xlabel="characters of the text", ylim=(0, None))
        axes.title.set_fontsize(9)
        axes.set_xticks(LENGTHS, [f"{length:,}" for length in LENGTHS], fontsize=8)
        axes.minorticks_off()
        if most is not None:
            axes.axhline(most, color="black", linestyle=":", linewidth=1)
        lowest, step = 0.0, axes.get_ylim()[1] / 30
        for value, attack in sorted(named[axes]):
            lowest = max(value, lowest + step)
            axes.annotate(
                attack, (LENGTHS[-1], value), xytext=(1.02, lowest), textcoords=("axes fraction", "data"), fontsize=8
            )
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--attack", action="append")
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--point", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.point:
        print(json.dumps(measure(given.file, given.point[0], int(given.point[1]))))
        return
    found: dict[str, list[tuple[int, float, float]]] = {}
    print(f"| attack | {' | '.join(f'{length:,}' for length in given.lengths)} | of linear |")
    print("|---" * (len(given.lengths) + 2) + "|")
    for attack in given.attack or sorted(set(names("attacks")) - NETWORKS - RECORDS):
        found[attack] = []
        for length in given.lengths:
            command = [sys.executable, __file__, str(given.file), "--point", attack, str(length)]
            seconds, mib = json.loads(subprocess.check_output(command))  # noqa: S603  (this file)
            found[attack].append((length, seconds, mib))
        cells = " | ".join(f"{seconds:.2f} s, {mib:.0f} MiB" for _, seconds, mib in found[attack])
        (first, short, _), *_, (last, long, _) = found[attack]
        print(f"| `{attack}` | {cells} | {long / last / (short / first):.2f} |", flush=True)
    if given.plot:
        draw(found, given.plot)


if __name__ == "__main__":
    main()
