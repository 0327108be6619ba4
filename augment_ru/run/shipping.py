"""Work on its way to another process: its bytes, the user's own code that it is made of, and its environment."""

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
    """Set these environment variables to 1 for the block, if they have no value: what is started there reads them."""
    before = {name: os.environ.get(name) for name in names}
    os.environ.update({name: value or "1" for name, value in before.items()})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)


def shipped(work: Work[Any, Any]) -> bytes:
    """The work as bytes for a process that this one starts, or that serves it.

    The bytes never come from a file, and no other program may send them.
    """
    own = [str(path) for path in loaded_files()]
    return pickle.dumps((own, pickle.dumps(work)))


def unpacked_work(data: bytes) -> Work[Any, Any]:
    """The work of these bytes, which `shipped` made in the process that commands this one.

    Raises:
        AugmentError: a file of the user's own code is not there.
    """
    own, work = pickle.loads(data)  # noqa: S301  (made by the process that started this one)
    for path in own:
        load_file(Path(path))  # its classes are known by the module's name
    found: Work[Any, Any] = pickle.loads(work)  # noqa: S301
    return found
