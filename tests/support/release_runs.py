"""Kill builds: each is a fork of a warm process, so that many of them take seconds.

Kills a build when it is about to do its first operation on a file of the release, resumes it and kills it at the
second one, and so on until no build is left to kill; every other build lives a random moment longer, so that
files are also left half-written. In the quick profile it kills at every fifth operation. Each complete release must
have the bytes of one that was never killed, and none may stand there before it is complete.
"""

import itertools
import json
import os
import random
import shutil
import signal
import sys
from pathlib import Path

from augment_ru.release.build import BuildReport
from profiles import IS_FULL
from releases import built, contents

STEP = 5
"""How far apart the operations are at which builds are killed in the quick profile; odd, so that every other one waits.
"""
LONGEST = 0.002
"""The longest time in seconds that a build lives on after the operation at which it is killed."""


def run(recipe: Path, target: Path, *, resume: bool = False) -> BuildReport:
    """Build a release in small shards."""
    return built(recipe, target, resume=resume, shard_rows=1)


def kill_at(operation: int, folder: Path, delay: float) -> None:
    """Kill this process `delay` seconds after it begins the given number of operations on files below a folder."""
    begun = itertools.count(1)

    def look(event: str, arguments: tuple[object, ...]) -> None:
        if event not in ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir"):
            return
        if not str(arguments[0]).startswith(str(folder)) or next(begun) != operation:
            return
        if delay:
            signal.setitimer(signal.ITIMER_REAL, delay)  # the alarm that nobody handles ends the process at once
        else:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(look)


def killed(recipe: Path, target: Path, operation: int, delay: float) -> bool:
    """Start or resume a build in a separate process that is killed; return False if the build was complete before."""
    child = os.fork()
    if child == 0:
        kill_at(operation, target.parent, delay)
        run(recipe, target, resume=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status):
        raise SystemExit("a resumed build failed")
    return os.WIFSIGNALED(status)


def main(recipe: Path, target: Path, seed: int) -> dict[str, int]:
    """Kill builds at every operation; return how many were killed, resumed and complete."""
    moments = random.Random(seed)
    whole = target.with_name("whole")
    run(recipe, whole)  # loads the models
    wanted = contents(whole)
    counts = {"kills": 0, "complete": 0, "resumed": 0}
    unfinished = target.with_name(f".{target.name}.unfinished")
    for operation in itertools.count(1, 1 if IS_FULL else STEP):
        fresh = not unfinished.exists()
        counts["resumed"] += any(unfinished.glob("shards/*"))
        delay = moments.uniform(0, LONGEST) if operation % 2 else 0.0
        was_killed = killed(recipe, target, operation, delay)
        counts["kills"] += was_killed
        if target.exists():
            assert contents(target) == wanted
            run(recipe, target, resume=True)  # clears what is left beside it
            assert not unfinished.exists()
            counts["complete"] += 1
            shutil.rmtree(target)
        if fresh and not was_killed and not delay:  # there is no such operation
            return counts
    raise AssertionError


def print_main(recipe: Path, target: Path, seed: int) -> None:
    """Print the numbers of `main`."""
    print(json.dumps(main(recipe, target, seed)))
