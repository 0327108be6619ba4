"""How long a release takes, and on what, compared with annotating its texts once plus scoring.

    python benchmarks/release.py [--rows 1000] [--workers 1 2] [--keep FOLDER]

Seven tasks in TAPE's layout, six attacks, the navec gate. The rows are put together from sentences and options
written for augment-ru, so that texts differ from row to row and are about as long as TAPE's. The lower bound is
measured in one process over the same shards: the annotation (layers, constraints) of each shard once, and all calls
of the similarity that the searches make. The release itself then runs with each number of workers. One worker
is compared with the lower bound in processor time, so that other programs on the machine do not count.
"""

import argparse
import json
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from release_rows import TASKS

from augment_ru.draws import Floats, Ints
from augment_ru.engine.similarity import Scorer, Similarity
from augment_ru.release.build import SHARD_ROWS, BuildReport, build_release
from augment_ru.release.original_rows import read_task
from augment_ru.release.release_recipe import ReleaseRecipe, read_release_recipe
from augment_ru.release.variations import make_tools, variations

RECIPE = """
name = "benchmark"
licence = "apache-2.0"

[gate]
similarity = "navec"

{attacks}
{tasks}
"""
ATTACKS = ("butterfingers", "case", "emojify", "eda_delete", "eda_swap", "case+butterfingers")


def recipe(folder: Path, rows: int) -> Path:
    """The inputs and the recipe of a release of so many test rows a task."""
    for name, row in TASKS.items():
        rng = random.Random(name)
        (folder / name).mkdir(parents=True)
        for split, count in (("train", 60), ("test", rows)):
            lines = [json.dumps(row(rng, number), ensure_ascii=False) for number in range(count)]
            (folder / name / f"{split}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    attacks = "\n".join(f'[[attack]]\nspec = "{attack}"' for attack in ATTACKS)
    tasks = "\n".join(
        f'[[task]]\nname = "{name}"\ntask = "{name}"\ntrain = "{name}/train.jsonl"\ntest = "{name}/test.jsonl"'
        for name in TASKS
    )
    path = folder / "recipe.toml"
    path.write_text(RECIPE.format(attacks=attacks, tasks=tasks), encoding="utf-8")
    return path


class Timed(Scorer):
    """A scorer that adds up the time of its calls."""

    def __init__(self, inner: Scorer, add: Callable[[float, int], None]) -> None:
        self._inner, self._add = inner, add

    def score(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        """The inner scorer's scores."""
        began = time.process_time()
        found = self._inner.score(indices, candidates)
        self._add(time.process_time() - began, len(candidates))
        return found


class Scoring(Similarity):
    """A similarity that adds up the time of its calls."""

    def __init__(self, inner: Any) -> None:  # noqa: ANN401  (a Similarity)
        self._inner = inner
        self.seconds, self.pairs = 0.0, 0

    signature = property(lambda self: self._inner.signature)
    threshold = property(lambda self: self._inner.threshold)

    def against(self, references: Sequence[str]) -> Timed:
        """The inner similarity's scorer, timed."""
        began = time.process_time()
        scorer = self._inner.against(references)
        self.seconds += time.process_time() - began
        return Timed(scorer, self._add)

    def _add(self, seconds: float, pairs: int) -> None:
        self.seconds += seconds
        self.pairs += pairs


def lower_bound(plan: ReleaseRecipe, folder: Path) -> tuple[float, Scoring]:
    """The seconds of annotation, and the processor time of scoring, over all shards."""
    tools = make_tools(plan)
    scoring = Scoring(next(iter(tools.perturbers.values())).similarity)
    for perturber in tools.perturbers.values():
        perturber.similarity = scoring
    timing: Counter[str] = Counter()
    for part in plan.tasks:
        records = read_task(plan, part, folder).test.records
        for first in range(0, len(records), SHARD_ROWS):
            shard = dict(enumerate(records[first : first + SHARD_ROWS], start=first))
            for _ in variations(tools, part, shard, timing):
                pass
    return timing["annotation"] / 1e9, scoring


def show(workers: int, report: BuildReport, seconds: float, least: float) -> None:
    """Print where the time of a build went."""
    print(f"release, {workers} worker(s): {report.seconds:.1f} s of wall-clock time", end="")
    print(f"; {seconds:.1f} s of processor time, {seconds / least:.2f} times the lower bound" if workers == 1 else "")
    for what, spent in report.timing.items():
        print(f"  {what:<24}{spent / 1e9:>9.1f} s of wall-clock time, all workers together")


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--keep", type=Path, help="where the releases are kept; by default they are deleted")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    try:
        path = recipe(folder / "in", options.rows)
        plan = read_release_recipe(path)
        size = sum((folder / "in" / part.test).stat().st_size for part in plan.tasks)
        print(
            f"{len(plan.tasks)} tasks, {len(plan.attacks)} attacks, {options.rows} rows a task: {size:,} bytes of rows"
        )
        lower_bound(read_release_recipe(recipe(folder / "few", 10)), folder / "few")  # loads the models
        annotation, scoring = lower_bound(plan, path.parent)
        least = annotation + scoring.seconds
        print(f"lower bound: annotation {annotation:.1f} s + scoring {scoring.seconds:.1f} s = {least:.1f} s")
        print(f"  {scoring.pairs:,} pairs scored")
        target = options.keep or folder
        for workers in options.workers:
            began = time.process_time()
            report = build_release(path, target / f"release-{workers}", workers=workers)
            show(workers, report, time.process_time() - began, least)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
