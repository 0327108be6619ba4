"""Temporary folders of a process that outlive no run: what a killed one left is deleted by the next."""

import atexit
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path


def own_folder(kind: str) -> Path:
    """A new folder that is deleted when this process ends; folders of this kind whose process is gone are deleted now.

    Args:
        kind: how its name begins.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{kind}-[0-9]*-*"):
        number = left.name[len(kind) + 1 :].split("-", 1)[0]
        if number.isdecimal() and not _is_there(int(number)):
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{kind}-{os.getpid()}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _is_there(process: int) -> bool:
    """Whether a process of this number runs; true where one cannot ask."""
    if os.name != "posix":
        return True
    with suppress(PermissionError):
        try:
            os.kill(process, 0)
        except (ProcessLookupError, OverflowError):
            return False
    return True
