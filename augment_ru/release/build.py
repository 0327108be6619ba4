"""A release is built beside its place, part by part, and moved there when it is whole.

A part that is made is written and renamed, so that a run that was killed goes on from there; the release's
own folder appears in one rename, so what stands there is complete.
"""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.formats.files import replacing
from augment_ru.release.assemble import assembled
from augment_ru.release.manifest import FORMAT, MANIFEST, data_files, environment, own_digest
from augment_ru.release.recipe import Blueprint, read
from augment_ru.release.shards import PART_ROWS, Part, Timing, Work, Workshop, made, opened, works, workshop
from augment_ru.release.sources import Source, constraints, original_rows, protector, source
from augment_ru.release.staging import Place

_AHEAD = 2
"""Parts that are given out for each worker, so that none is idle."""

Advance = Callable[[int, int], None]
"""Called with how many more parts are done, and how many there are."""


@dataclass(slots=True)
class Report:
    """What a build did."""

    content: Mapping[str, Any] = field(default_factory=dict)
    """The manifest."""
    timing: Timing = field(default_factory=Timing)
    made: int = 0
    kept: int = 0
    """Parts that were made, and that a run before had made."""
    seconds: float = 0.0
    digest: str = ""
    """The manifest's own, which stands for the whole release."""

    def __str__(self) -> str:
        tasks = self.content["tasks"]
        rows = sum(task["test"] * (len(task["attacks"]) + 1) for task in tasks)
        seconds = (
            f"{self.seconds:.1f} s (annotation {self.timing.annotation:.1f}, "
            f"attacks and gate {sum(self.timing.perturbing.values()):.1f}, rows {self.timing.writing:.1f})"
        )
        parts = [
            f"{len(tasks):,} tasks, {rows:,} test rows, {sum(task['train'] for task in tasks):,} train rows",
            f"{self.made:,} parts made, {self.kept:,} kept",
            seconds,
            f"manifest {self.digest}",
        ]
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class Job:
    """A release to be built.

    Attributes:
        recipe: a TOML file; docs/release.md says what it may hold.
        target: the folder of the release; must not exist, or be empty.
        workers: processes; the bytes of the release do not depend on it.
        resume: go on where a run was killed; without it, what such a run left is refused.
        device: for models.
        part_rows: rows of a part.
    """

    recipe: Path
    target: Path
    workers: int = 1
    resume: bool = False
    device: str = "auto"
    part_rows: int = PART_ROWS

    def prepared(self) -> "Prepared":
        """The job with its tools made, before any row is read.

        Raises:
            AugmentError: the recipe, the folder or a number is wrong.
        """
        if self.workers < 1:
            raise AugmentError(f"workers {self.workers}; needs a number from 1 on")
        plan = read(self.recipe)
        folder = self.recipe.resolve().parent
        located = plan.with_files(lambda name: folder / name)
        return Prepared(self, Place.of(self.target), plan, located, workshop(located, self.device))


@dataclass(frozen=True, slots=True)
class Prepared:
    """A job that can run.

    Attributes:
        plan: the recipe as it is written.
        located: the same, with the user's own files where they stand.
        shop: its tools.
    """

    job: Job
    place: Place
    plan: Blueprint
    located: Blueprint
    shop: Workshop


def build(prepared: Prepared, advance: Advance = lambda count, total: None) -> Report:  # noqa: ARG005
    """Build the release.

    Args:
        prepared: the job.
        advance: called when parts are done.

    Raises:
        AugmentError: a row, a rule or a folder is wrong; then nothing stands in the folder of the release.
    """
    began = time.perf_counter()
    job, place, plan, located = prepared.job, prepared.place, prepared.plan, prepared.located
    folder = job.recipe.resolve().parent
    sources = [source(plan, part, folder) for part in plan.tasks]
    for one, part in zip(sources, located.tasks, strict=True):
        protector(located, part, one.task).compiled()  # a wrong rule is known before the work begins
    facts = facts_of(plan, sources, folder, prepared.shop)
    report = Report(place.taken(facts, resume=job.resume) or {})
    if not report.content:
        with place.locked():
            place.begin(facts | {"part_rows": job.part_rows}, resume=job.resume)
            parts = _parts(list(_works(prepared, sources)), place, job.workers, report, advance)
            report.content = assembled(plan, sources, parts, facts=facts, recipe=job.recipe, whole=place.whole)
            place.publish()
    report.digest = own_digest(place.target / MANIFEST)
    report.seconds = time.perf_counter() - began
    return report


def facts_of(plan: Blueprint, sources: Sequence[Source], folder: Path, shop: Workshop) -> dict[str, Any]:
    """All that the rows of a release depend on: the head of its manifest."""
    rules = {name for one in sources for name in constraints(plan, one.part, one.task)}
    files = [
        (one, split, file) for one in sources for split, file in (("train", one.train), ("test", one.test)) if file
    ]
    return {
        "format": FORMAT,
        "name": plan.name,
        "recipe": plan.content(),
        "environment": dict(environment(shop.models)),
        "annotator": shop.annotate.signature,
        "scorer": shop.scorer,
        "settings": {
            name: {"probability": one.attack.probability, "threshold": one.threshold, "candidates": one.candidates}
            for name, one in shop.perturbers.items()
        },
        "data": data_files(plan, rules, lambda name: folder / name),
        "inputs": [
            {"task": one.part.name, "split": split, "file": file.path, "rows": len(file.rows), "sha256": file.sha256}
            for one, split, file in files
        ],
    }


def _works(prepared: Prepared, sources: Sequence[Source]) -> Iterator[Work]:
    recipe = json.dumps(prepared.located.content(), ensure_ascii=False)
    for number, one in enumerate(sources):
        rows = tuple(original_rows(one.part.name, one.test.rows))
        yield from works(Work(recipe, one.task, number, 0, rows, prepared.job.device), prepared.job.part_rows)


def _parts(todo: Sequence[Work], place: Place, workers: int, report: Report, advance: Advance) -> list[list[Part]]:
    """The parts of each task in their order: those that are there, and the others made."""
    paths = [place.part(work.number, work.first) for work in todo]
    missing = [(work, path) for work, path in zip(todo, paths, strict=True) if opened(path) is None]
    report.kept = len(todo) - len(missing)
    advance(report.kept, len(todo))
    for timing in _saved(missing, workers):
        report.timing.add(timing)
        report.made += 1
        advance(1, len(todo))
    found: list[list[Part]] = [[] for _ in range(max(work.number for work in todo) + 1)]
    for work, path in zip(todo, paths, strict=True):
        part = opened(path)
        if part is None:
            raise AugmentError(f"{path}: is gone or was changed while the release was built; run again with --resume")
        found[work.number].append(part)
    return found


def _saved(missing: Sequence[tuple[Work, Path]], workers: int) -> Iterator[Timing]:
    """Make the parts and write them, in this process or in several."""
    if workers == 1 or len(missing) < 2:  # noqa: PLR2004  (one part needs no second worker)
        for work, path in missing:
            yield _save(work, path)
        return
    queue = iter(missing)
    try:
        with _pool(min(workers, len(missing))) as pool:
            running: set[Future[Timing]] = set()
            while True:
                for work, path in queue:
                    running.add(pool.submit(_save, work, path))
                    if len(running) >= _AHEAD * workers:
                        break
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
    except BrokenProcessPool as error:
        raise AugmentError(
            "a worker was killed (out of memory?); run again with --resume and fewer --workers"
        ) from error


def _save(work: Work, path: Path) -> Timing:
    data, timing = made(work)
    with replacing(path) as stream:
        stream.write(data)
    return timing


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that share nothing, with one thread for their matrices, and that end with this one."""
    threads = {name: os.environ.get(name) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    os.environ.update({name: value or "1" for name, value in threads.items()})
    try:
        pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_begin)
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)
    finally:
        for name, value in threads.items():
            if value is None:
                os.environ.pop(name, None)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells of an interruption
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
