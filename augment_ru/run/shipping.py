"""Encodes work for another process, with the user's own code that it needs, and decodes it there."""

import os
import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from augment_ru.registry import load_file, loaded_files
from augment_ru.run.work import Work


@contextmanager
def set_to_one(names: Sequence[str]) -> Iterator[None]:
    """Set these environment variables to 1 while the `with` block runs, for the programs that are started in it.

    Variables that already have a value keep it.
    """
    before = {name: os.environ.get(name) for name in names}
    os.environ.update({name: value or "1" for name, value in before.items()})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)


def shipped(work: Work[Any, Any]) -> bytes:
    """Encode the work of a run as bytes, to send it to a worker that this process started.

    The bytes are a pickle. Decoding a pickle can run code, so never decode one from a file or from another program.
    """
    own = [str(path) for path in loaded_files()]
    return pickle.dumps((own, pickle.dumps(work)))


def unpacked_work(data: bytes) -> Work[Any, Any]:
    """Decode, in a worker, the work that `shipped` encoded in the process that started the worker.

    Raises:
        AugmentError: a file of the user's own code does not exist.
    """
    own, work = pickle.loads(data)  # noqa: S301  (made by the process that started this one)
    for path in own:
        load_file(Path(path))  # its classes are known by the module's name
    found: Work[Any, Any] = pickle.loads(work)  # noqa: S301
    return found
