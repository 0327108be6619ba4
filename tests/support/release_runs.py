"""Builds that are killed: forks from a warm process, so that fifty of them take seconds.

    python tests/release_runs.py RECIPE TARGET KILLS SEED

Kills a build at a random moment, resumes it, and so on until it is complete, again and again; each complete
release must have the bytes of one that was never killed, and none may stand there before it is. Prints
{"kills", "complete", "resumed"}, or fails.
"""

import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

from augment_ru.release.build import BuildReport
from releases import built, contents


def run(recipe: Path, target: Path, *, resume: bool = False) -> BuildReport:
    """A build in small shards."""
    return built(recipe, target, resume=resume, shard_rows=1)


def killed(recipe: Path, target: Path, after: float) -> bool:
    """Start or resume a build in a process of its own and kill it; False if it was complete before."""
    child = os.fork()
    if child == 0:
        run(recipe, target, resume=True)
        os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status):
        raise SystemExit("a resumed build failed")
    return os.WIFSIGNALED(status)


def main(recipe: Path, target: Path, kills: int, seed: int) -> dict[str, int]:
    """Kill so many builds."""
    moments = random.Random(seed)
    whole = target.with_name("whole")
    run(recipe, whole)  # loads the models
    shutil.rmtree(whole)
    began = time.perf_counter()
    run(recipe, whole)
    seconds = time.perf_counter() - began
    wanted = contents(whole)
    counts = {"kills": 0, "complete": 0, "resumed": 0}
    unfinished = target.with_name(f".{target.name}.unfinished")
    while counts["kills"] < kills:
        counts["resumed"] += any(unfinished.glob("shards/*")) if unfinished.exists() else 0
        counts["kills"] += killed(recipe, target, moments.uniform(0, 0.9 * seconds))
        if target.exists():
            assert contents(target) == wanted
            run(recipe, target, resume=True)  # clears what is left beside it
            assert not unfinished.exists()
            counts["complete"] += 1
            shutil.rmtree(target)
    run(recipe, target, resume=True)
    assert contents(target) == wanted
    return counts


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))))
