"""Checks of the options of models."""

from collections.abc import Sequence

from augment_ru.errors import AugmentError


def check_one_of(option: str, value: str, possible: Sequence[str]) -> None:
    """Check that the value is possible.

    Raises:
        AugmentError: it is not.
    """
    if value not in possible:
        raise AugmentError(f"option {option}={value}; possible: {', '.join(possible)}")


def check_at_least(option: str, value: float | None, least: float) -> None:
    """Check that the value is large enough; None passes.

    Raises:
        AugmentError: it is too small.
    """
    if value is not None and value < least:
        raise AugmentError(f"option {option}={value}; must be at least {least}")


def check_positive(option: str, value: float) -> None:
    """Check that the value is over 0.

    Raises:
        AugmentError: it is not.
    """
    if not value > 0:
        raise AugmentError(f"option {option}={value}; must be positive")
