"""Finds attacks, similarities, tasks, models and rule functions by name, in this package, in others and in own code.

Own code is named `python:package.module:name`, or by a file `my_attack.py`. Naming such an object runs its module. So
it may be named on the command line and in Python only: callers that read a recipe, a row or a manifest refuse it
(`refuse`).
"""

import importlib
import sys
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from augment_ru.errors import AugmentError, Terminated, said, unknown
from augment_ru.resources import PACKAGE, folder

_FOLDERS = {
    "attacks": "attacks",
    "functions": "constraints/functions",
    "models": "models",
    "similarities": "similarities",
}
"""The folder of this package with the modules of each kind; tasks are TOML files. Other packages add names by the
entry points `augment_ru.KIND`."""


@cache
def offered(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group, by name.

    Raises:
        AugmentError: two packages offer the same name.
    """
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        if entry.name in found and found[entry.name].value != entry.value:
            raise AugmentError(
                f"two packages offer '{entry.name}' in {group}: {found[entry.name].value} and {entry.value}; "
                f"uninstall one"
            )
        found[entry.name] = entry
    return found


def names(kind: str) -> list[str]:
    """The names of a kind (`attacks`, `functions`, `models`, `similarities`, `tasks`), of this package and of others.

    Raises:
        AugmentError: another package offers a name that this package has.
    """
    ours = _shipped(kind)
    theirs = offered(f"augment_ru.{kind}")
    if clash := sorted(ours & theirs.keys()):
        raise AugmentError(f"two {kind} called '{clash[0]}': ours and {theirs[clash[0]].value}; uninstall that one")
    return sorted(ours | theirs.keys())


def _shipped(kind: str) -> set[str]:
    if kind == "tasks":
        return {path.stem for path in folder("tasks").glob("*.toml")}
    here = PACKAGE / _FOLDERS[kind]
    files = {path.stem for path in here.glob("*.py")} | {path.parent.name for path in here.glob("*/__init__.py")}
    return {name for name in files if not name.startswith("_")}


def find(kind: str, singular: str, name: str) -> Any:  # noqa: ANN401  (each kind has its own type)
    """The object with this name: what its entry point loads, or what the module of this name in this package defines.

    A module of this package, a file or a folder with `__init__.py`, has one class, object or function called `name`.

    Raises:
        AugmentError: nothing has this name.
    """
    known = names(kind)
    if name not in known:
        raise unknown(singular, name, known)
    entry = offered(f"augment_ru.{kind}").get(name)
    if entry is not None:
        return entry.load()
    module = import_module(f"augment_ru.{_FOLDERS[kind].replace('/', '.')}.{name}")
    for value in vars(module).values():
        if name in (getattr(value, "name", None), getattr(value, "__name__", None)) and value is not module:
            return value
    raise AugmentError(f"augment_ru/{_FOLDERS[kind]}/{name} offers nothing that is called '{name}'")


_MODULE = "python:"


def is_own(spec: str) -> bool:
    """Whether a specification names code of the user: `python:MODULE:NAME`, `FILE.py` or `FILE.py:NAME`."""
    return spec.startswith(_MODULE) or _file_and_name(spec)[0].endswith(".py")


def chain_names(spec: str) -> tuple[str, ...]:
    """The names in a specification, which `+` joins; a `+` in the path of a file joins nothing.

    `a+b.py` is the attack `a` and the file `b.py`, if there is such a file, otherwise the file `a+b.py`: the shortest
    path that is a file is taken.
    """
    found: list[str] = []
    for part in spec.split("+"):
        found.append(part)
        if not _file_and_name(part.strip())[0].endswith(".py"):
            continue
        for start in reversed(range(len(found))):
            joined = "+".join(found[start:])
            if Path(_file_and_name(joined.strip())[0]).is_file():
                found[start:] = [joined]
                break
    return tuple(part.strip() for part in found)


def refuse(spec: str) -> None:
    """Raise an error if the specification names code of the user.

    Raises:
        AugmentError: it does.
    """
    if is_own(spec):
        raise AugmentError(
            f"{spec}: code is imported only if the command line or your Python program names it, never by a recipe or "
            f"a row; give it as an option, or offer it under a name of its own (docs/extending.md)"
        )


def own_object(spec: str) -> Any:  # noqa: ANN401  (whatever the module defines)
    """The object that `python:MODULE:NAME` names, from an installed package or the current folder, or `FILE.py:NAME`.

    Raises:
        AugmentError: it has another form, or cannot be imported; the message begins with `spec`.
    """
    if not spec.startswith(_MODULE):
        file, name = _file_and_name(spec)
        found = vars(load_file(Path(file).resolve()))
        if name not in found:
            raise AugmentError(f"{spec}: name a function or class of the file, as in {file}:NAME")
        return found[name]
    try:
        return imported(spec.removeprefix(_MODULE))
    except AugmentError as error:
        raise AugmentError(f"{spec}: {error}") from error


_imported: dict[Path, None] = {}


def own_files() -> tuple[Path, ...]:
    """The files of all code of the user that this process has run: of files and of modules."""
    return (*_loaded, *_imported)


def imported(place: str) -> Any:  # noqa: ANN401  (whatever the module defines)
    """The object at `MODULE:NAME`, from an installed package or the current folder.

    Raises:
        AugmentError: the place has another form, or the object cannot be imported; the message does not name it.
    """
    name, colon, path = place.partition(":")
    if not (name and colon and path):
        raise AugmentError("must be python:package.module:name")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(name)
        if file := getattr(found, "__file__", None):
            _imported[Path(file)] = None
        for part in path.split("."):
            found = getattr(found, part)
    except Terminated:
        raise
    except (Exception, SystemExit) as error:  # importing runs the user's own code, which may raise anything
        top = name.partition(".")[0]
        hint = f"; {top}.py must be in this folder, or the package installed" if _lacks(error, top) else ""
        raise AugmentError(f"cannot be imported: {said(error)}{hint}") from error
    return found


def _lacks(error: BaseException, name: str) -> bool:
    """Whether the error says that there is no module of this name."""
    return isinstance(error, ModuleNotFoundError) and error.name == name


def own_class(spec: str, base: type) -> Any:  # noqa: ANN401  (a class below `base`)
    """The class below `base` that a specification names: by module, or the only one that a file defines.

    Raises:
        AugmentError: the code cannot be imported, or does not define such a class, or defines several.
    """
    file, name = _file_and_name(spec)
    if spec.startswith(_MODULE) or name:
        found = own_object(spec)
    else:
        module = load_file(Path(file).resolve())
        classes = [one for one in vars(module).values() if _is_below(one, base) and one.__module__ == module.__name__]
        if len(classes) != 1:
            names = ", ".join(one.__name__ for one in classes) or "none"
            raise AugmentError(
                f"{spec}: must define one class below {base.__name__}; it has {names}; name one: {file}:NAME"
            )
        (found,) = classes
    if not _is_below(found, base):
        raise AugmentError(f"{spec}: is no class that inherits from augment_ru.{base.__name__}")
    return found


def _is_below(value: object, base: type) -> bool:
    return isinstance(value, type) and issubclass(value, base) and value is not base


def _file_and_name(spec: str) -> tuple[str, str]:
    """The file and the name behind its colon; "" for none."""
    file, colon, name = spec.rpartition(":")
    return (file, name) if colon and file.endswith(".py") else (spec, "")


_loaded: list[Path] = []


def loaded_files() -> tuple[Path, ...]:
    """The files whose modules this process has run, in their order; those of installed modules are not among them."""
    return tuple(_loaded)


@cache
def load_file(path: Path) -> ModuleType:
    """The module that a file makes; it is run once.

    Raises:
        AugmentError: there is no such file, or it raises an error.
    """
    made = spec_from_file_location(f"augment_ru_file_{path.stem}", path)
    if made is None or made.loader is None or not path.is_file():
        raise AugmentError(f"{path}: no such file")
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # for the modules beside it
    module = module_from_spec(made)
    sys.modules[made.name] = module  # dataclasses look it up
    try:
        made.loader.exec_module(module)
    except Terminated:
        raise
    except (Exception, SystemExit) as error:  # the user's own code may raise anything
        del sys.modules[made.name]
        raise AugmentError(f"{path}: cannot be imported: {said(error)}") from error
    _loaded.append(path)
    return module
