"""Regular expressions that files of users hold: each may take a second for a text, whoever wrote it."""

import regex

from augment_ru.errors import AugmentError, brief

_PATIENCE = 1.0
"""Seconds that a regular expression may take for a text."""


def check_pattern(where: str, pattern: str) -> None:
    """Refuse what is no regular expression.

    Raises:
        ValueError: where it stands, and what is wrong.
    """
    try:
        regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"{where}: no regular expression: {error}") from error


def matches(pattern: str, text: str, what: str = "pattern") -> list[tuple[int, int]]:
    """The places where a regular expression matches a text: start and stop of each, in code points.

    Args:
        pattern: the regular expression.
        text: the text.
        what: what the pattern is called in messages.

    Raises:
        AugmentError: it takes over a second.
    """
    try:
        return [match.span() for match in regex.finditer(pattern, text, timeout=_PATIENCE)]
    except TimeoutError as error:
        raise _too_long(pattern, text, what) from error


def is_found(pattern: str, text: str, what: str = "pattern") -> bool:
    """Whether a regular expression matches somewhere in a text; the arguments are those of `matches`.

    Raises:
        AugmentError: it takes over a second.
    """
    try:
        return regex.search(pattern, text, timeout=_PATIENCE) is not None
    except TimeoutError as error:
        raise _too_long(pattern, text, what) from error


def _too_long(pattern: str, text: str, what: str) -> AugmentError:
    return AugmentError(
        f"{what} {brief(pattern)}: over a second for the text {brief(text)}; write one with fewer repetitions"
    )
