"""The error class of this package, the end by a signal, and how values are shown in a few lines."""

import difflib
import reprlib
import unicodedata
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable

_BRIEF = reprlib.Repr()
_BRIEF.maxstring, _BRIEF.maxother = 200, 300
_BRIEF.maxlist = _BRIEF.maxtuple = _BRIEF.maxdict = 3
_HEAD, _TAIL = 1_500, 500
"""Characters of a long message that are shown: the first say where and what, the last what to do."""


def brief(value: object) -> str:
    """The `repr` of a value; of long texts and collections a part.

    >>> len(brief("кот " * 1000))
    200
    """
    return _BRIEF.repr(value)


def shortened(message: str) -> str:
    """The message; of a long one (more than 2,000 characters) the first 1,500 and the last 500.

    >>> said = shortened("rows.jsonl: no field " + "к" * 100_000 + "; name another")
    >>> said[:25], said[1495:1540], said[-20:]
    ('rows.jsonl: no field кккк', 'ккккк… (98,035 characters left out) …кккккккк', 'кккккк; name another')
    """
    left_out = len(message) - _HEAD - _TAIL
    if left_out <= 0:
        return message
    return f"{message[:_HEAD]}… ({left_out:,} characters left out) …{message[-_TAIL:]}"


def escaped(text: str) -> str:
    r"""A text in one line for a terminal: control characters, also those that turn its direction, are escaped.

    >>> print(escaped("кот\x1b[31m\n пёс\u202e"))
    кот\x1b[31m пёс\u202e
    """
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    r"""A text for a terminal: what is not printable, but for line ends and tabs, is escaped.

    >>> print(printable("кот\x1b[31m"))
    кот\x1b[31m
    """
    return "".join(
        char if char.isprintable() or char in "\n\t" or _is_space(char) else ascii(char)[1:-1] for char in text
    )


def amount(count: int, one: str, several: str = "") -> str:
    """A count with its noun; the noun for several is by default that for one with an `s`.

    >>> amount(1, "row"), amount(2000, "row"), amount(0, "query", "queries")
    ('1 row', '2,000 rows', '0 queries')
    """
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def _is_space(char: str) -> bool:
    return unicodedata.category(char) == "Zs"


class AugmentError(Exception):
    r"""An error that a user can correct. Its message is one line: where, what, what is possible, what to do.

    Of a message of more than 2,000 characters the middle is left out: a value of another's file may have any length.

    >>> AugmentError("rows.sqlite: no cache:\n\nfile is not a database")
    AugmentError('rows.sqlite: no cache: file is not a database')
    """

    def __init__(self, message: str) -> None:
        line = " ".join(filter(None, message.splitlines()))  # parts of it may come from elsewhere
        printed = line.encode("utf-8", "backslashreplace").decode()  # a lone surrogate cannot be printed
        super().__init__(shortened(printed))


def said(error: BaseException) -> str:
    """The class of an error and its message; code of others may raise anything, also what has no message.

    >>> said(KeyError("кот"))
    "KeyError: 'кот'"
    """
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001  (its __str__ is code of others, too)
        return f"{type(error).__name__}, whose message cannot be read"


class Terminated(SystemExit):
    """A signal ended the program; other exits, raised by code that the program calls, are errors of that code."""


def missing(what: str, extra: str) -> AugmentError:
    """The error for packages that are not installed; `what` says what needs which, `extra` is our extra with them.

    >>> str(missing("Parquet files need pyarrow", "hf"))
    'Parquet files need pyarrow; in the folder of augment-ru run: pip install ".[hf]"'
    """
    return AugmentError(f'{what}; in the folder of augment-ru run: pip install ".[{extra}]"')


def not_utf8(error: UnicodeDecodeError) -> AugmentError:
    """The error for rows in another encoding; that of a file that begins with the mark of UTF-16 is known."""
    is_utf16 = error.start == 0 and error.object[:2] in {BOM_UTF16_LE, BOM_UTF16_BE}
    remedy = "give `encoding` utf-16" if is_utf16 else "give its encoding, as in `encoding` cp1251"
    return AugmentError(f"not UTF-8 at byte {error.start}; save the file as UTF-8, or {remedy}")


def unknown(kind: str, name: str, known: Iterable[str]) -> AugmentError:
    """The error for an unknown name; its message has the known names, those first that are most similar to it.

    >>> str(unknown("attack", "keybord", ["keyboard", "case"]))
    "no attack called 'keybord'; did you mean 'keyboard'? known: keyboard, case"
    >>> str(unknown("attack", "case,keyboard", ["keyboard", "case"]))
    "no attack called 'case,keyboard'; name 'case' and 'keyboard' each by itself; known: case, keyboard"
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
