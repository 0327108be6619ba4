"""Finds attacks, normalizers, similarities, tasks, models and rule functions by name.

A name may belong to this package, to another installed package, or to the user's own code.

A specification is what a user writes: a name; or, for the user's own code, `python:package.module:name` or a file such
as `my_attack.py`. Loading the user's own code runs its module. So only the command line and Python code may name it:
callers that read a recipe, a row or a manifest refuse it (`refuse`).
"""

import importlib
import re
import sys
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from augment_ru.errors import AugmentError, Terminated, check_known, said, saying_where
from augment_ru.resources import PACKAGE, folder

_FOLDERS = {
    "attacks": "attacks",
    "functions": "constraints/functions",
    "models": "models",
    "normalizers": "normalizers",
    "similarities": "similarities",
}
"""The folder of this package that holds the modules of each kind. The kind `tasks` is missing: its files are TOML.
Other packages add names through the entry points `augment_ru.KIND`."""
_CLASSES = frozenset({"attacks", "normalizers", "similarities"})


@cache
def offered(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of other installed packages in a group, such as `augment_ru.attacks`, by name.

    Raises:
        AugmentError: two packages offer the same name.
    """
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        if entry.name in found and found[entry.name].value != entry.value:
            problem = f"two packages offer '{entry.name}' in {group}: {found[entry.name].value} and {entry.value}"
            raise AugmentError(f"{problem}; uninstall one")
        found[entry.name] = entry
    return found


def names(kind: str) -> list[str]:
    """Return the sorted names of all objects of a kind, both of this package and of other installed packages.

    Args:
        kind: what is named: `attacks`, `functions`, `models`, `normalizers`, `similarities` or `tasks`.

    Raises:
        AugmentError: another package offers a name that this package has.
    """
    ours = _shipped(kind)
    theirs = offered(f"augment_ru.{kind}")
    if clash := sorted(ours & theirs.keys()):
        raise AugmentError(f"two {kind} called '{clash[0]}': ours and {theirs[clash[0]].value}; uninstall that one")
    return sorted(ours | theirs.keys())


@cache
def _shipped(kind: str) -> set[str]:
    if kind == "tasks":
        return {path.stem for path in folder("tasks").glob("*.toml")}
    here = PACKAGE / _FOLDERS[kind]
    files = {path.stem for path in here.glob("*.py")} | {path.parent.name for path in here.glob("*/__init__.py")}
    return {name for name in files if not name.startswith("_")}


def find(kind: str, singular: str, name: str) -> Any:  # noqa: ANN401  (each kind has its own type)
    """Return the object of a kind with this name, from another installed package or from a module of this package.

    The module is a file `name.py` or a folder `name` with `__init__.py`. The object is the first class in it with this
    name (`class_name`); for functions and models, the first function.

    Args:
        kind: what is named: `attacks`, `functions`, `models`, `normalizers` or `similarities`.
        singular: what one of them is called in messages, such as `attack`.
        name: the name.

    Raises:
        AugmentError: the kind has no such name, or the module of this name does not define the object.
    """
    known = names(kind)
    check_known(singular, name, known)
    entry = offered(f"augment_ru.{kind}").get(name)
    if entry is not None:
        return entry.load()
    module = import_module(f"augment_ru.{_FOLDERS[kind].replace('/', '.')}.{name}")
    for value in vars(module).values():
        own = class_name(value) if isinstance(value, type) else getattr(value, "__name__", None)
        if own == name and isinstance(value, type) == (kind in _CLASSES) and callable(value):
            return value
    raise AugmentError(f"augment_ru/{_FOLDERS[kind]}/{name} offers nothing that is called '{name}'")


def class_name(made: type) -> str:
    """Return the name under which users find a class: the one that it states as `name`, or its Python name in short.

    >>> class_name(type("EdaSwap", (), {})), class_name(type("SpellingNormalization", (), {}))
    ('eda_swap', 'spelling')
    """
    stated: Any = getattr(made, "name", None)
    bare = made.__name__.removesuffix("Normalization")
    return stated if isinstance(stated, str) else _BORDER.sub("_", bare).lower()


_BORDER = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MODULE = "python:"


def is_own(spec: str) -> bool:
    """Tell whether a name that a user gave stands for the user's own code.

    Such names are `python:MODULE:NAME`, `FILE.py` and `FILE.py:NAME`.
    """
    return spec.startswith(_MODULE) or _file_and_name(spec)[0].endswith(".py")


def chain_names(spec: str) -> tuple[str, ...]:
    """Split names that are joined by `+`, except at a `+` that belongs to the path of a file.

    If the file `b.py` exists, `a+b.py` means the attack `a` and the file `b.py`. Otherwise, if a file `a+b.py` exists,
    it means this file.
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
    """Raise an error if a name stands for the user's own code, such as `my_attack.py`.

    Raises:
        AugmentError: the name stands for such code (see `is_own`).
    """
    if is_own(spec):
        raise AugmentError(
            f"{spec}: code is imported only if the command line or your Python program names it, never by a recipe or "
            f"a row; give it as an option, or offer it under a name of its own (docs/extending.md)"
        )


def own_object(spec: str) -> Any:  # noqa: ANN401  (whatever the module defines)
    """Return the object of the user's own code that `python:MODULE:NAME` or `FILE.py:NAME` names.

    Raises:
        AugmentError: `spec` has another form, the code cannot be imported, or it does not define the name. The message
            begins with `spec`, or with the full path of a file that cannot be run.
    """
    if not spec.startswith(_MODULE):
        file, name = _file_and_name(spec)
        found = vars(load_file(Path(file).resolve()))
        if name not in found:
            own = ", ".join(sorted(key for key in found if not key.startswith("_") and callable(found[key]))) or "none"
            raise AugmentError(f"{spec}: no such function or class; the file has {own}; name one, as in {file}:NAME")
        return found[name]
    with saying_where(spec):
        return imported(spec.removeprefix(_MODULE))


_imported: dict[Path, None] = {}


def own_files() -> tuple[Path, ...]:
    """Return the paths of the user's own code in this process: files that it ran, and modules that it imported."""
    return (*_loaded, *_imported)


def imported(place: str) -> Any:  # noqa: ANN401  (whatever the module defines)
    """Return the object at `MODULE:NAME`, from an installed package or the current folder.

    Raises:
        AugmentError: `place` has another form, or the object cannot be imported. The message does not contain `place`.
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
        lacks = isinstance(error, ModuleNotFoundError) and error.name == top
        hint = f"; {top}.py must be in this folder, or the package installed" if lacks else ""
        raise AugmentError(f"cannot be imported: {said(error)}{hint}") from error
    return found


def own_class(spec: str, base: type) -> Any:  # noqa: ANN401  (a class below `base`)
    """Return the class of the user's own code that a name such as `my_attack.py` or `python:MODULE:NAME` stands for.

    `FILE.py` without `:NAME` stands for the only subclass of `base` that the file defines.

    Args:
        spec: the name.
        base: the class from which the user's class must inherit.

    Raises:
        AugmentError: the code cannot be imported; the named object is not a subclass of `base`; or no name is given,
            and the file does not define exactly one subclass.
    """
    file, name = _file_and_name(spec)
    if spec.startswith(_MODULE) or name:
        found = own_object(spec)
    else:
        module = load_file(Path(file).resolve())
        classes = [one for one in vars(module).values() if _is_below(one, base) and one.__module__ == module.__name__]
        if len(classes) != 1:
            names = ", ".join(one.__name__ for one in classes) or "none"
            problem = f"{spec}: must define one class below {base.__name__}; it has {names}; name one: {file}:NAME"
            raise AugmentError(problem)
        (found,) = classes
    if not _is_below(found, base):
        raise AugmentError(f"{spec}: is no class that inherits from augment_ru.{base.__name__}")
    return found


def _is_below(value: object, base: type) -> bool:
    return isinstance(value, type) and issubclass(value, base) and value is not base


def _file_and_name(spec: str) -> tuple[str, str]:
    """Split `FILE.py:NAME` into the file and the name; return any other specification whole, with the name ""."""
    file, colon, name = spec.rpartition(":")
    return (file, name) if colon and file.endswith(".py") else (spec, "")


_loaded: list[Path] = []


def loaded_files() -> tuple[Path, ...]:
    """Return the files of the user's own code that this process has run with `load_file`, in the order of loading."""
    return tuple(_loaded)


@cache
def load_file(path: Path) -> ModuleType:
    """Run a Python file once for this process, and return its module.

    Raises:
        AugmentError: there is no such file, or its code raises an error.
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
