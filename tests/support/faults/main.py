"""`python -m tests.long`: all fuzzers, for so many minutes or until each has reached its goal; then a table."""

import argparse
import secrets
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field

from faults.catalogue import FUZZERS
from faults.fuzzer import Failure, Fuzzer, say, told, tried
from own_folders import own_folder


@dataclass
class _Count:
    """What a fuzzer did."""

    cases: int = 0
    units: int = 0
    seconds: float = 0.0
    failures: list[Failure] = field(default_factory=list)


def main(arguments: list[str] | None = None) -> int:
    """Run fuzzers; 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.long", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="how long  [default: 60]")
    parser.add_argument(
        "--seed", type=int, default=None, help="what the cases depend on  [default: drawn, and printed]"
    )
    parser.add_argument("--only", default=",".join(FUZZERS), help=f"of {', '.join(FUZZERS)}")
    parser.add_argument("--case", type=int, default=None, help="the number of one case, to repeat it")
    given = parser.parse_args(arguments)
    seed = secrets.randbits(32) if given.seed is None else given.seed
    say(f"seed {seed}")
    folder, fuzzers = own_folder("augment-ru-long"), {}
    for name in given.only.split(","):
        (folder / name).mkdir()
        fuzzers[name] = FUZZERS[name](folder / name)
    counts = {name: _Count() for name in fuzzers}
    with suppress(KeyboardInterrupt):  # the table says how far it came
        _run(fuzzers, counts, seed, given.minutes * 60, given.case)
    say(table(fuzzers, counts))
    return int(any(count.failures for count in counts.values()))


def _run(fuzzers: dict[str, Fuzzer], counts: dict[str, _Count], seed: int, seconds: float, only: int | None) -> None:
    """Give each fuzzer its share of the time, and count what each does."""
    kinds: set[str] = set()
    ends = time.monotonic() + seconds
    said = time.monotonic()
    while time.monotonic() < ends:
        open_ones = [name for name, fuzzer in fuzzers.items() if counts[name].units < fuzzer.goal]
        if not open_ones:
            break
        name = min(open_ones, key=lambda one: counts[one].seconds / fuzzers[one].share)
        count, began = counts[name], time.monotonic()
        units, failure = tried(fuzzers[name], seed, count.cases if only is None else only)
        count.cases += 1
        count.units += units
        count.seconds += time.monotonic() - began
        if failure is not None and failure.kind not in kinds:
            kinds.add(failure.kind)
            count.failures.append(failure)
            say(told(seed, failure))
        if only is not None:
            break
        if time.monotonic() - said > 60:
            said = time.monotonic()
            say(f"{(ends - said) / 60:.0f} min left: " + ", ".join(f"{one} {counts[one].units:,}" for one in counts))


def table(fuzzers: dict[str, Fuzzer], counts: dict[str, _Count]) -> str:
    """The figures in Markdown."""
    lines = ["| fuzzer | tried | what became of it | seconds | failures |", "|---|--:|---|--:|--:|"]
    for name, fuzzer in fuzzers.items():
        count = counts[name]
        notes = ", ".join(f"{number:,} {what}" for what, number in sorted(fuzzer.notes.items()))
        tried_ones = f"{count.units:,} {fuzzer.unit}"
        lines.append(f"| `{name}` | {tried_ones} | {notes or '–'} | {count.seconds:,.0f} | {len(count.failures)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
