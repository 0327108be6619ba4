"""What more processes and machines gain: rows a second, memory, the same bytes, and a machine that is lost.

    python benchmarks/scale.py [--rows 600000] [--gated 20000] [--repeats 3] [--workers 1 2] [--nodes 3]

The command `perturb` runs on rows put together from words, light (an attack without gate and constraints, brief
metadata) and as it is by default (constraints and the gate `meaning`). The runs of a round follow each other, so that
other programs on the machine meet all of them; of the rounds the best time of each counts. Two sizes of the input are
run: the rate without the start of the processes, and the seconds of processors for a million rows, are those of the
rows by which they differ. Memory is that of all processes of a run together, sampled (proportional set size, so that
shared pages count once). With Ray installed, the same runs go to a cluster of nodes on this machine, each with one
processor; then a node is added and lost on the way.
"""

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from os import getloadavg, sysconf
from pathlib import Path
from threading import Thread
from typing import Any

import orjson

TEXT = (
    "кошка спит на тёплом окне и смотрит вниз где едет трамвай а Маша купила билет в Казань за 2500 рублей но вечером "
    "позвонила сестра из Твери и сказала что приедет только в пятницу если не будет дождя"
)
WORDS = TEXT.split()
LIGHT = ("--attack", "butterfingers", "--similarity", "none", "--no-constraints", "--meta", "brief")
DEFAULT = ("--attack", "butterfingers")
_START = 10
"""The small input has one row of so many."""


def write_rows(path: Path, count: int) -> Path:
    """Rows of 5 to 20 words, which do not repeat."""
    rng = random.Random(count)
    with path.open("wb") as stream:
        for at in range(count):
            text = " ".join(rng.choices(WORDS, k=rng.randint(5, 20))).capitalize() + "."
            stream.write(orjson.dumps({"id": at, "text": text}) + b"\n")
    return path


@dataclass(slots=True)
class Measured:
    """What a run took.

    Seconds; seconds of processors, of all its processes and of the first one alone, which reads, joins and writes; the
    most memory in bytes; and the digest of what it wrote. The tasks of Ray are none of its processes.
    """

    seconds: float
    processors: float
    driver: float
    memory: int
    digest: str


def descendants(root: int) -> list[int]:
    """A process and all that it has started."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            after = path.read_text().rpartition(")")[2].split()
            parents.setdefault(int(after[1]), []).append(int(path.parent.name))
    found = [root]
    for one in found:
        found += parents.get(one, [])
    return found


def memory_of(pids: Sequence[int]) -> int:
    """Bytes that processes hold together."""
    total = 0
    for pid in pids:
        with suppress(OSError, ValueError):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            total += 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total


def own_seconds(pid: int) -> float:
    """Seconds of processors that a process has used itself."""
    with suppress(OSError, ValueError, IndexError):
        after = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(after[11]) + int(after[12])) / sysconf("SC_CLK_TCK")
    return 0.0


def measured(source: Path, target: Path, options: Sequence[str], lose: Callable[[], None] | None = None) -> Measured:
    """Run `perturb`; `lose` is called in a thread beside it."""
    command = [sys.executable, "-m", "augment_ru", "perturb", str(source), "-o", str(target), "-q", *options]
    began, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command)  # noqa: S603  (our own command line)
    thread = Thread(target=lose) if lose else None
    if thread:
        thread.start()
    memory = 0
    driver = 0.0
    while process.poll() is None:
        memory = max(memory, memory_of(descendants(process.pid)))
        driver = max(driver, own_seconds(process.pid))
        time.sleep(0.2)
    seconds = time.perf_counter() - began
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    processors = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    if thread:
        thread.join()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: ended with {process.returncode}")
    found = Measured(seconds, processors, driver, memory, sha256(target.read_bytes()).hexdigest()[:16])
    target.unlink()
    return found


def compare(name: str, folder: Path, rows: int, ways: dict[str, Sequence[str]], given: argparse.Namespace) -> None:
    """Run all ways side by side, and print them as a table."""
    options = {"light": LIGHT, "default": DEFAULT}[name]
    whole = write_rows(folder / f"{name}.jsonl", rows)
    start = write_rows(folder / f"{name}-start.jsonl", rows // _START)
    best: dict[str, list[Measured]] = {}
    for _ in range(given.repeats):
        for way, chosen in ways.items():
            runs = [measured(source, folder / "out.jsonl", [*options, *chosen]) for source in (start, whole)]
            kept = best.setdefault(way, runs)
            best[way] = [min(pair, key=lambda one: one.seconds) for pair in zip(kept, runs, strict=True)]
    print(f"\n{name}: {rows:,} rows, {whole.stat().st_size / 2**20:.1f} MiB, {' '.join(options)}")
    names = ("s", "rows/s", "ratio", "without start", "ratio", "CPU s", "driver", "a million", "MiB")
    widths = (8, 9, 7, 15, 7, 8, 8, 11, 7)
    columns = zip(names, widths, strict=True)
    print(f"{'':<12}{''.join(f'{what:>{width}}' for what, width in columns)}  digest")
    first: list[float] = []
    for way, (small, large) in best.items():
        rates = [rows / large.seconds, (rows - rows // _START) / max(large.seconds - small.seconds, 1e-9)]
        first = first or rates
        more = 1e6 * (large.processors - small.processors) / (rows - rows // _START)
        total, steady = (rate / one for rate, one in zip(rates, first, strict=True))
        print(
            f"{way:<12}{large.seconds:>8.1f}{rates[0]:>9,.0f}{total:>7.2f}{rates[1]:>15,.0f}{steady:>7.2f}"
            f"{large.processors:>8.1f}{large.driver:>8.1f}{more:>11.1f}{large.memory / 2**20:>7,.0f}  {large.digest}"
        )
    digests = {large.digest for _, large in best.values()}
    print(f"the bytes are {'equal' if len(digests) == 1 else 'NOT EQUAL'}")


def lose_a_node(cluster: Any, folder: Path, rows: int) -> None:  # noqa: ANN401
    """Run on the cluster with one node more, which is lost when a few parts are done."""
    source = write_rows(folder / "lost.jsonl", rows)
    target = folder / "out.jsonl"
    expected = measured(source, target, LIGHT)
    node = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()

    def lose() -> None:
        while len([*folder.glob(".out.jsonl.*.parts/0*")]) < 3:
            time.sleep(0.05)
        cluster.remove_node(node, allow_graceful=False)

    options = (*LIGHT, "--engine", f"ray:{cluster.address}", "--resume")
    found = measured(source, target, options, lose)
    print(
        f"\na node lost on the way: {rows:,} rows in {found.seconds:.1f} s; "
        f"the bytes are {'equal' if found.digest == expected.digest else 'NOT EQUAL'}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=600_000, help="rows of the light run")
    parser.add_argument("--gated", type=int, default=20_000, help="rows of the default run")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--nodes", type=int, default=3, help="nodes of the Ray cluster; 0 for none")
    given = parser.parse_args()
    ways: dict[str, Sequence[str]] = {
        f"{count} worker{'s' if count > 1 else ''}": ("--workers", str(count)) for count in given.workers
    }
    print(f"load of the machine before: {getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cluster: Any = None
        if given.nodes and find_spec("ray") is not None:
            from ray.cluster_utils import Cluster  # noqa: PLC0415  (an extra)

            cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
            for _ in range(given.nodes - 1):
                cluster.add_node(num_cpus=1)
            ways[f"Ray, {given.nodes}"] = ("--engine", f"ray:{cluster.address}")
        try:
            compare("light", folder, given.rows, ways, given)
            compare("default", folder, given.gated, ways, given)
            if cluster is not None:
                lose_a_node(cluster, folder, given.rows)
        finally:
            if cluster is not None:
                cluster.shutdown()
    print(f"load of the machine after: {getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
