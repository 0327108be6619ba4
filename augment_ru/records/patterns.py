"""Search texts with regular expressions from users' files; a search that takes over a second for a text is stopped."""

from collections.abc import Iterator
from functools import lru_cache

import regex

from augment_ru.errors import AugmentError, brief

_compiled = lru_cache(maxsize=1024)(regex.compile)  # regex itself takes longer to look a pattern up than to search
_PATIENCE = 1.0
"""The seconds that a regular expression may take for a text."""
_SHORT = 8
"""A text of at most this many characters is searched without a clock, which takes longer than the search, if the
pattern has at most `_REPEATS` repetitions: nested ones have about 3,000 ways to divide the text."""
_REPEATS = 6


def check_pattern(where: str, pattern: str) -> None:
    """Check that a string is a valid regular expression.

    Args:
        where: where it stands, for the message.
        pattern: the string.

    Raises:
        ValueError: the pattern is not a valid regular expression.
    """
    try:
        regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"{where}: no regular expression: {error}") from error


def matches(pattern: str, text: str) -> list[tuple[int, int]]:
    """Return the places where a regular expression matches a text: start and stop of each, in code points.

    Args:
        pattern: the regular expression.
        text: the text.

    Raises:
        AugmentError: the search takes over a second.
    """
    return [match.span() for match in _matches(pattern, text, "pattern")]


def is_found(pattern: str, text: str, what: str = "pattern") -> bool:
    """Tell whether a regular expression matches somewhere in a text.

    Args:
        pattern: the regular expression.
        text: the text.
        what: the name of the pattern in messages.

    Raises:
        AugmentError: the search takes over a second.
    """
    if len(text) <= _SHORT and _is_simple(pattern):
        return _compiled(pattern).search(text) is not None
    return next(_matches(pattern, text, what), None) is not None


def _matches(pattern: str, text: str, what: str) -> Iterator[regex.Match[str]]:
    try:
        yield from _compiled(pattern).finditer(text, timeout=_PATIENCE)
    except TimeoutError as error:
        problem = f"{what} {brief(pattern)}: over a second for the text {brief(text)}"
        raise AugmentError(f"{problem}; write one with fewer repetitions") from error


@lru_cache(maxsize=1024)
def _is_simple(pattern: str) -> bool:
    return sum(map(pattern.count, "*+?{")) <= _REPEATS
