"""Temporary folders that are deleted with their process; a later run deletes the folders of a killed process."""

import atexit
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path


def own_folder(kind: str) -> Path:
    """Make a folder that is deleted when this process ends; delete folders of this kind whose process has ended.

    Args:
        kind: the beginning of the folder's name.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{kind}-[0-9]*-*"):
        number = left.name[len(kind) + 1 :].split("-", 1)[0]
        if number.isdecimal() and not _is_there(int(number)):
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{kind}-{os.getpid()}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _is_there(process: int) -> bool:
    """Tell whether a process with this number runs; true where the system cannot tell."""
    if os.name != "posix":
        return True
    with suppress(PermissionError):
        try:
            os.kill(process, 0)
        except (ProcessLookupError, OverflowError):
            return False
    return True
