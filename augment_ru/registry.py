"""Finds attacks, similarities, tasks, models and rule functions by name, in this package and in other packages."""

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from augment_ru.errors import AugmentError, unknown
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
