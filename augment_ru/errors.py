"""The errors of this package, and functions that make values and texts fit to be shown in messages."""

import difflib
import reprlib
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

_BRIEF = reprlib.Repr()
_BRIEF.maxstring, _BRIEF.maxother = 200, 300
_BRIEF.maxlist = _BRIEF.maxtuple = _BRIEF.maxdict = 3
_HEAD, _TAIL = 1_500, 500
"""How many characters of a long message are kept at its beginning (where, what) and at its end (what to do)."""


def brief(value: object) -> str:
    """Return the `repr` of a value, with long texts and collections shortened.

    >>> len(brief("кот " * 1000))
    200
    """
    return _BRIEF.repr(value)


def shortened(message: str) -> str:
    """Return a message; if it has more than 2,000 characters, only the first 1,500 and the last 500 are kept.

    >>> said = shortened("rows.jsonl: no field " + "к" * 100_000 + "; name another")
    >>> said[:25], said[1495:1540], said[-20:]
    ('rows.jsonl: no field кккк', 'ккккк… (98,035 characters left out) …кккккккк', 'кккккк; name another')
    """
    left_out = len(message) - _HEAD - _TAIL
    if left_out <= 0:
        return message
    return f"{message[:_HEAD]}… ({left_out:,} characters left out) …{message[-_TAIL:]}"


def escaped(text: str) -> str:
    r"""Put a text on one line and escape what is not printable, such as control and text direction characters.

    >>> print(escaped("кот\x1b[31m\n пёс\u202e"))
    кот\x1b[31m пёс\u202e
    """
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    r"""Escape the characters of a text that are not printable, except line ends and tabs.

    >>> print(printable("кот\x1b[31m"))
    кот\x1b[31m
    """
    return "".join(char if _is_shown(char) else ascii(char)[1:-1] for char in text)


def _is_shown(char: str) -> bool:
    return char.isprintable() or char in "\n\t" or unicodedata.category(char) == "Zs"


def amount(count: int, one: str, several: str = "") -> str:
    """Return a count with its noun. Without `several`, the plural is the singular `one` with an `s`.

    >>> amount(1, "row"), amount(2000, "row"), amount(0, "query", "queries")
    ('1 row', '2,000 rows', '0 queries')
    """
    return f"{count:,} {one if count == 1 else several or one + 's'}"


class AugmentError(Exception):
    r"""An error that a user can correct. Its message is one line: where, what, what is possible, what to do.

    The middle of a message of more than 2,000 characters is left out, since a message may quote a value of any length.

    >>> AugmentError("rows.sqlite: no cache:\n\nfile is not a database")
    AugmentError('rows.sqlite: no cache: file is not a database')
    """

    def __init__(self, message: str) -> None:
        line = " ".join(filter(None, message.splitlines()))  # parts of it may come from elsewhere
        printed = line.encode("utf-8", "backslashreplace").decode()  # a lone surrogate cannot be printed
        super().__init__(shortened(printed))


def said(error: BaseException) -> str:
    """Return the class name and the message of an error, even if its own `__str__` raises an error.

    >>> said(KeyError("кот"))
    "KeyError: 'кот'"
    """
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001  (its __str__ is code of others, too)
        return f"{type(error).__name__}, whose message cannot be read"


def first_line(error: BaseException) -> str:
    """Return the first line of the message of an error; if it has none, the name of its class."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


@contextmanager
def failing(what: str) -> Iterator[None]:
    """Context manager for third-party code: turn any error of its block into an `AugmentError`, except a `MemoryError`.

    Args:
        what: what fails, for the beginning of the message.

    Raises:
        AugmentError: the block raised an error; the message begins with `what` and quotes that error.
    """
    try:
        yield
    except (AugmentError, MemoryError):
        raise
    except Exception as error:
        raise AugmentError(f"{what} failed: {said(error)} (`__cause__` shows where)") from error


@contextmanager
def saying_where(where: str) -> Iterator[None]:
    """Context manager: put text in front of the message of an `AugmentError` that its block raises.

    Args:
        where: the text, such as the file and the line.

    Raises:
        AugmentError: the block raised an `AugmentError`; the message begins with `where`.
    """
    try:
        yield
    except AugmentError as error:
        raise AugmentError(f"{where}: {error}") from error


MALFORMED = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""The errors that code may raise when it reads a value of an unexpected form."""


@contextmanager
def saying_instead(told: str | Callable[[Any], str], *kinds: type[BaseException]) -> Iterator[None]:
    """Context manager: turn errors of some classes that its block raises into an `AugmentError`.

    Args:
        told: the message, or a function from the error to the message.
        kinds: the classes of the errors to turn.

    Raises:
        AugmentError: the block raised an error of these classes, which is the cause of this one.
    """
    try:
        yield
    except kinds as error:
        raise AugmentError(told if isinstance(told, str) else told(error)) from error


class Terminated(SystemExit):
    """Raised when a signal other than Ctrl-C, such as SIGTERM, ends the program.

    Any other `SystemExit` comes from code that the program calls, such as an attack of the user. Such an exit counts as
    an error of that code.
    """


@contextmanager
def raised_by(whose: str, hint: Callable[[BaseException], str] = lambda _: "") -> Iterator[None]:
    """Context manager for third-party code: turn anything that its block raises into an `AugmentError`.

    That includes a `SystemExit`, but no signal that ends the program (`KeyboardInterrupt`, `Terminated`).

    Args:
        whose: whose code it is, for the beginning of the message.
        hint: takes the error, and returns what to do, for the end of the message.

    Raises:
        AugmentError: the block raised anything else.
    """
    try:
        yield
    except (KeyboardInterrupt, Terminated):
        raise
    except BaseException as error:
        told = error if isinstance(error, AugmentError) else f"{said(error)} (`__cause__` shows where){hint(error)}"
        raise AugmentError(f"{whose}: {told}") from error


def missing(what: str, extra: str) -> AugmentError:
    """Return the error for packages that are not installed.

    Args:
        what: the beginning of the message; it says what needs which packages.
        extra: the extra of augment-ru that installs them.

    >>> str(missing("Parquet files need pyarrow", "hf"))
    'Parquet files need pyarrow; in the folder of augment-ru run: pip install ".[hf]"'
    """
    return AugmentError(f'{what}; in the folder of augment-ru run: pip install ".[{extra}]"')


def optional(module: str, what: str, extra: str) -> Any:  # noqa: ANN401  (a module)
    """Import and return a module of a package that an extra of augment-ru installs.

    Args:
        module: the name of the module.
        what: the beginning of the message if the package is not installed; it says what needs which packages.
        extra: the name of the extra.

    Raises:
        AugmentError: the package is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise missing(what, extra) from error


def unknown(kind: str, name: str, known: Iterable[str]) -> AugmentError:
    """Return the error for an unknown name; its message lists the known names, the most similar ones first.

    >>> str(unknown("attack", "keybord", ["keyboard", "case"]))
    "no attack called 'keybord'; did you mean 'keyboard'? known: keyboard, case"
    >>> str(unknown("attack", "case,keyboard", ["keyboard", "case"]))
    "no attack called 'case,keyboard'; name 'case' and 'keyboard' each by itself; known: case, keyboard"

    Args:
        kind: what the name should name, such as "attack".
        name: the unknown name.
        known: the known names.
    """
    names = sorted(known)
    parts = name.replace(",", " ").split()
    if len(parts) > 1 and set(parts) <= set(names):
        several = " and ".join(f"'{part}'" for part in parts)
        return AugmentError(f"no {kind} called '{name}'; name {several} each by itself; known: {', '.join(names)}")
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    hint = f" did you mean '{near[0]}'?" if near else ""
    ordered = [*near, *(one for one in names if one not in near)]
    return AugmentError(f"no {kind} called '{name}';{hint} known: {', '.join(ordered) or 'none'}")


def check_known(kind: str, name: str, known: Collection[str]) -> None:
    """Check that a name is one of the known names.

    Args:
        kind: what the name should name, such as "attack", for the message.
        name: the name.
        known: the known names.

    Raises:
        AugmentError: the name is not one of the known names.
    """
    if name not in known:
        raise unknown(kind, name, known)
