"""Runs work on a Ray cluster: does the parts of a run as Ray tasks, or perturbs the rows of a Ray Data dataset."""

import logging
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from io import StringIO
from pathlib import Path
from threading import Event, Thread
from typing import Any

from augment_ru.engine.augmenter import Augmenter, PerturbsColumns
from augment_ru.errors import AugmentError, optional, said
from augment_ru.formats.parquet import with_columns
from augment_ru.records.task import Task
from augment_ru.run.work import Done, Session, Work, set_to_one, shipped, unpacked_work
from augment_ru.signals import HeldSignals

_RETRIES = 8
"""How often a part is given to another machine after its machine was lost."""

_TICK, _PATIENCE = 0.1, 5.0
"""The seconds between two checks for signals, and the seconds that a signal waits at most for Ray to start."""

_SIZE_SECONDS = 1.0
"""For how many seconds the number of processors of a cluster is cached."""


_NO_HANDLER = "RAY_DISABLE_FAILURE_SIGNAL_HANDLER"
"""A variable that Ray reads on import. Without it, Ray's handler in C++ aborts a program 3 seconds after SIGTERM."""


def _ray() -> Any:  # noqa: ANN401  (a module, which has no types where it is not installed)
    with set_to_one((_NO_HANDLER,)), HeldSignals():  # the import takes seconds
        return optional("ray", "Ray is not installed", "ray")


class Ray:
    """An engine that does the parts of a run as tasks of a Ray cluster, each on one processor.

    If a machine is lost, its parts are done again on another one. Only the process that starts the run (the driver)
    reads the input and writes the output; Ray transports parts and results. Other files that options name must have the
    same path on every machine. Relative paths start from the working folder of the driver.

    Args:
        address: the address of the cluster; "" for the cluster that Ray finds (RAY_ADDRESS), or a new one on this
            machine.
        workers: how many parts are done at a time, at most; None for as many as the cluster has processors.

    Raises:
        AugmentError: Ray is not installed.
    """

    def __init__(self, address: str = "", workers: int | None = None) -> None:
        self._ray: Any = _ray()
        self._address, self._workers = address, workers

    @contextmanager
    def session(self, work: Work[Any, Any]) -> Iterator[Session]:
        """Start the engine: yield a session, to which parts of a run are given while the `with` block runs.

        A cluster that is started for the work ends with the block. In the block, a signal such as Ctrl-C takes effect
        only between two calls of Ray.

        Args:
            work: what is done with each part.

        Raises:
            AugmentError: the cluster cannot be reached or started.
        """
        with (
            redirect_stdout(sys.stderr or StringIO()),  # where Ray prints what it says of lost machines
            HeldSignals() as held,
            nullcontext() if self._ray.is_initialized() else self._cluster(held),
        ):
            tasks = _Tasks(self._ray, shipped(work), self._workers, held)
            try:
                yield tasks
            finally:
                tasks.cancel()

    @contextmanager
    def _cluster(self, held: HeldSignals) -> Iterator[None]:
        """Connect to the cluster, or start one, in a separate thread.

        In the main thread Ray would install its own signal handlers. The processes that Ray starts end with the thread.
        """
        errors: list[Exception] = []
        has_begun, is_over = Event(), Event()

        def live() -> None:
            try:
                self._init()
            except Exception as error:  # noqa: BLE001  (the main thread raises it)
                errors.append(error)
            has_begun.set()
            is_over.wait()
            self._ray.shutdown()

        thread = Thread(target=live, daemon=True)
        thread.start()
        try:
            while not has_begun.wait(_TICK):
                if held.came:
                    has_begun.wait(_PATIENCE)
                    held.deliver()
            for error in errors:
                first = str(error).split("\n", 1)[0]
                problem = f"`engine` ray:{self._address}: {first}; start a cluster with ray start --head"
                raise AugmentError(problem) from error
            yield
        finally:
            is_over.set()
            if has_begun.is_set():
                thread.join()

    def _init(self) -> None:
        self._ray.init(
            address=self._address or None,
            include_dashboard=None if self._address else False,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )


class _Tasks:
    def __init__(self, ray: Any, work: bytes, most: int | None, held: HeldSignals) -> None:  # noqa: ANN401
        self._ray, self._most, self._held = ray, most, held
        self._name = blake2b(work, digest_size=16).hexdigest()
        self._work, self._folder = ray.put(work), str(Path.cwd())
        self._task = ray.remote(num_cpus=1, max_retries=_RETRIES)(_do)
        self._running: dict[Any, int] = {}
        self._size, self._known_until = 1, 0.0

    @property
    def workers(self) -> int:
        if time.monotonic() >= self._known_until:
            self._size = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
            self._known_until = time.monotonic() + _SIZE_SECONDS
        return min(self._size, self._most or self._size)

    def submit(self, number: int, part: Any) -> None:  # noqa: ANN401
        self._held.deliver()
        self._running[self._task.remote(self._work, self._name, self._folder, part)] = number

    def wait(self) -> Sequence[Done]:
        ready: Sequence[Any] = ()
        while not ready:
            self._held.deliver()
            ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=_TICK)
        return [self._done(reference) for reference in ready]

    def _done(self, reference: Any) -> Done:  # noqa: ANN401
        number = self._running.pop(reference)
        try:
            outcome, error = self._ray.get(reference)
        except self._ray.exceptions.RayError as lost:
            first = str(lost).strip().split("\n", 1)[0]
            problem = f"`engine` ray: a part was lost {_RETRIES + 1} times: {type(lost).__name__}: {first}"
            return Done(number, None, AugmentError(problem))
        return Done(number, outcome, None if error is None else pickle.loads(error))  # noqa: S301  (of our own task)

    def cancel(self) -> None:
        """Cancel the tasks that are still running."""
        for reference in self._running:
            self._ray.cancel(reference, force=True)


_functions: dict[str, Callable[[Any], Any]] = {}


def _do(work: bytes, name: str, folder: str, part: Any) -> tuple[Any, bytes | None]:  # noqa: ANN401
    """Do a part in a Ray worker, which loads the work once. Return (outcome, None), or (None, the pickled error)."""
    try:
        if name not in _functions:
            _functions.clear()  # of another run
            with suppress(OSError):  # the folder is not on this machine
                os.chdir(folder)  # options may name files by their paths from the folder of the driver
            _functions[name] = unpacked_work(work).begin()
        return _functions[name](part), None
    except (Exception, SystemExit) as error:  # noqa: BLE001  (it is raised by the driver, when it is its turn)
        with suppress(pickle.PicklingError, TypeError, AttributeError):
            return None, pickle.dumps(error)
        return None, pickle.dumps(AugmentError(said(error)))


def perturb(
    dataset: Any,  # noqa: ANN401  (a ray.data.Dataset)
    augmenter: Augmenter,
    *,
    field: str | Sequence[str] | None = None,
    task: str | Task | None = None,
    meta: str = "full",
    batch_size: int = 1024,
    concurrency: int | None = None,
) -> Any:  # noqa: ANN401
    """Perturb the rows of a Ray Data dataset. The rows keep their order, and columns that are not perturbed stay.

    Args:
        dataset: a `ray.data.Dataset`. Its rows are perturbed when the result is read.
        augmenter: an `Augmenter`.
        field: the fields to perturb instead of the task's.
        task: a task or its name; None to recognise the task of each row.
        meta: `full`, `brief` or `none`: how much metadata is written as JSON to the new column `augment`.
        batch_size: how many rows are perturbed at a time; the output does not depend on it.
        concurrency: how many batches are perturbed at a time; None leaves it to Ray.

    Raises:
        AugmentError: Ray is not installed, or `dataset` is not a `ray.data.Dataset`. The errors of `Augmenter.records`
            are raised when the result is read.
    """
    _ray()
    from ray.data import Dataset  # noqa: PLC0415  (an extra)

    if not isinstance(dataset, Dataset):
        raise AugmentError(f"{type(dataset).__name__} is not a ray.data.Dataset; use records() for rows")
    dataset.context.execution_options.preserve_order = True  # of this dataset, and of those made of it
    batches = _Batches(PerturbsColumns(partial(augmenter.records, task=task, field=field), meta))
    return dataset.map_batches(
        batches, batch_size=batch_size, batch_format="pyarrow", zero_copy_batch=True, concurrency=concurrency
    )


@dataclass(frozen=True)
class _Batches:
    """Perturbs an Arrow table: replaces the perturbed columns, and adds the column of metadata."""

    columns: Callable[[dict[str, list[Any]]], Mapping[str, list[Any]]]

    def __call__(self, table: Any) -> Any:  # noqa: ANN401
        import pyarrow as pa  # noqa: PLC0415

        return with_columns(pa, table, self.columns(table.to_pydict()))
