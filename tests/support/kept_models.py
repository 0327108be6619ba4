"""Small models that are built once on a machine, and kept in its temporary folder under a hash of what makes them."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

from filelock import FileLock

_MAKERS = ("sentencepiece", "tokenizers", "torch", "transformers")


@cache
def _folder() -> Path:
    """Return the folder of models made by these versions and this code; AUGMENT_RU_SMALL_MODELS names another place."""
    made_by = [sys.version, *(f"{name} {version(name)}" for name in _MAKERS)]
    made_by += [path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("small_*.py"))]
    user = os.getuid() if hasattr(os, "getuid") else 0
    place = os.environ.get("AUGMENT_RU_SMALL_MODELS") or Path(tempfile.gettempdir()) / f"augment-ru-small-models-{user}"
    return Path(place) / blake2b("\0".join(made_by).encode(), digest_size=8).hexdigest()


def kept(build: Callable[..., object], *given: object) -> Path:
    """Return the folder that `build(folder, *given)` fills, built if it does not exist; nobody may write to it."""
    folder = _folder() / "-".join([build.__name__, *(str(one).lower() for one in given)])
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{folder}.lock"):
            if not folder.exists():
                begun = folder.with_name(f"{folder.name}.begun")
                shutil.rmtree(begun, ignore_errors=True)  # of a process that was killed
                build(begun, *given)
                begun.rename(folder)
    return folder


def kept_copy(target: Path, build: Callable[..., object], *given: object) -> Path:
    """Copy a kept model to a folder that a test may change."""
    shutil.copytree(kept(build, *given), target, dirs_exist_ok=True)
    return target
