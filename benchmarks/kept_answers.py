"""Seconds, memory and page of an evaluation whose answers are kept: no model answers, all is reading and counting.

    python benchmarks/kept_answers.py FOLDER [--originals 10000] [--attacks 5] [--models 5] [--repeats 3]

Sentences put together from words have the label `да` or `нет` by a rule of their letters; cheap models know a part of
the rule. `perturb` perturbs them at its defaults; the first run of `evaluate` fills the cache of answers in FOLDER, and
later ones are measured as a user would type them: seconds and processor seconds, the peak of memory (VmHWM), the size
of report and page with their digests, and the seconds until Chromium has drawn the page (tests/support/browser.py).
"""

import argparse
import os
import random
import resource
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import orjson
from scale import WORDS

ATTACKS = ("butterfingers", "eda_swap", "eda_delete", "homoglyphs", "people", "misspell", "evasion", "casing")
MODELS = '''"""Models that count letters."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Letters:
    more: str
    fewer: str
    deterministic = True

    @property
    def signature(self):
        return f"letters {self.more} {self.fewer}"

    def __call__(self, texts):
        return ["да" if sum(map(text.count, self.more)) > sum(map(text.count, self.fewer)) else "нет" for text in texts]


'''
RULE = ("аеинр", "отсвл")
"""The label is `да` where a text has more of the first letters than of the others."""


def models(count: int) -> str:
    """A module with models `m0`, `m1`, …, each of which counts some letters of the rule, and two others."""
    rng = random.Random(count)
    made = []
    for at in range(count):
        sides = ["".join(sorted(rng.sample(side, 4)) + rng.sample("укмд", 1)) for side in RULE]
        made.append(f"m{at} = Letters({sides[0]!r}, {sides[1]!r})\n")
    return MODELS + "".join(made)


def write_rows(path: Path, count: int) -> None:
    """Write rows of 5 to 20 words, which do not repeat, with their labels."""
    rng = random.Random(count)
    with path.open("wb") as stream:
        for at in range(count):
            text = " ".join(rng.choices(WORDS, k=rng.randint(5, 20))).capitalize() + "."
            yes = sum(map(text.count, RULE[0])) > sum(map(text.count, RULE[1]))
            stream.write(orjson.dumps({"id": at, "text": text, "label": "да" if yes else "нет"}) + b"\n")


def run(arguments: list[str], folder: Path) -> tuple[float, float, float]:
    """Run a command of augment-ru; return its seconds, processor seconds, and the peak of its memory in MiB."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    code = (
        "import sys; from augment_ru.__main__ import main\n"
        "try: main()\n"
        "finally:\n"
        "    (peak,) = [line for line in open('/proc/self/status') if line.startswith('VmHWM')]\n"
        "    print(peak.split()[1], file=sys.stderr)"
    )
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(  # noqa: S603  (our own command line)
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": path}, check=False, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(done.stderr)
    seconds, now = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    processors = now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime
    return seconds, processors, int(done.stderr.split()[-1]) / 1024


def opened(page: Path) -> str:
    """Return the seconds until the page is drawn, as text."""
    sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))
    import browser  # noqa: PLC0415  (of the tests)

    if not browser.AVAILABLE:
        return "no Chromium"
    with browser.browser() as window:
        window.visit("about:blank")
        began = time.perf_counter()
        window.open(page)
        return f"{time.perf_counter() - began:.2f} s"


def main() -> None:
    """Make the rows, ask, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--originals", type=int, default=10_000)
    parser.add_argument("--attacks", type=int, default=5)
    parser.add_argument("--models", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    folder = given.folder
    folder.mkdir(parents=True, exist_ok=True)
    rows, perturbed = folder / "rows.jsonl", folder / "perturbed.jsonl"
    if not perturbed.exists():
        write_rows(rows, given.originals)
        attacks = [part for name in ATTACKS[: given.attacks] for part in ("--attack", name)]
        run(["perturb", str(rows), "-o", str(perturbed), "-q", *attacks], folder)
    (folder / "letters.py").write_text(models(given.models), "utf-8")
    named = [part for at in range(given.models) for part in ("--model", f"m{at}=python:letters:m{at}")]
    report, page = folder / "report.json", folder / "report.html"
    command = ["evaluate", str(perturbed), *named, "--model-option", "python.input=text", "--label-field", "label"]
    command += ["--cache", str(folder / "answers.sqlite"), "-o", str(report), "--html", str(page), "-q"]
    first = not (folder / "answers.sqlite").exists()
    size = f"{perturbed.stat().st_size:,} bytes"
    print(f"{given.originals:,} originals, {given.attacks} attacks, {given.models} models, {size}")
    for number in range(first + given.repeats):
        seconds, processors, memory = run(command, folder)
        sizes = ", ".join(
            f"{one.name} {one.stat().st_size / 1e6:.2f} MB {sha256(one.read_bytes()).hexdigest()[:12]}"
            for one in (report, page)
        )
        what = "asked" if first and not number else "kept"
        print(f"{what}: {seconds:.1f} s, {processors:.1f} processor s, {memory:,.0f} MiB; {sizes}", flush=True)
    print(f"the page is drawn in {opened(page)}")


if __name__ == "__main__":
    main()
