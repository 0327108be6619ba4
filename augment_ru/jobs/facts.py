"""What the rows of a run depend on beside its input: so that parts of another run are not taken for its own."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.own_code import own_files
from augment_ru.release.manifest import environment

_MODULE = "python:"
_BLOCK = 2**20


def facts_of(options: Mapping[str, Any], files: Iterable[str], specs: Iterable[str]) -> dict[str, Any]:
    """All that rows depend on, by the name that messages have for it.

    Args:
        options: the options of the command by their names, and their values.
        files: the files and folders that options name.
        specs: the attacks, similarities and models, of which some may be the user's own code.

    Raises:
        AugmentError: a file cannot be read.
    """
    read = {*files, *map(str, own_files())}
    for spec in specs:  # a model is imported later
        module = Path(f"{spec.removeprefix(_MODULE).partition(':')[0].replace('.', '/')}.py")
        if spec.startswith(_MODULE) and module.is_file():
            read.add(str(module.resolve()))
    return {
        **options,
        **{f"the content of {name}": _digest(Path(name)) for name in sorted(read)},
        **{f"the version of {name}": value for name, value in environment(models=True).items()},
    }


def _digest(path: Path) -> str:
    """The SHA-256 of a file, or of the names and contents of the files in a folder."""
    found = sha256()
    try:
        files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        for file in files:
            name = file.relative_to(path).as_posix().encode("utf-8", "surrogatepass")
            found.update(name + b" %d\0" % file.stat().st_size)
            with file.open("rb") as stream:
                while block := stream.read(_BLOCK):
                    found.update(block)
    except OSError as error:
        raise AugmentError(f"{path}: cannot be read ({error.strerror})") from error
    return found.hexdigest()
