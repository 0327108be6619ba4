"""The one error that users see."""

import difflib
from collections.abc import Iterable


class AugmentError(Exception):
    """Something a user can mend: one line that says where, what, what is possible, what to do."""


def unknown(kind: str, name: str, known: Iterable[str]) -> AugmentError:
    """The error for a name that nothing has, with the nearest one that exists.

    >>> str(unknown("attack", "keybord", ["keyboard", "case"]))
    "no attack called 'keybord'; did you mean 'keyboard'? known: case, keyboard"
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f" did you mean '{near[0]}'?" if near else ""
    return AugmentError(f"no {kind} called '{name}';{hint} known: {', '.join(names) or 'none'}")
