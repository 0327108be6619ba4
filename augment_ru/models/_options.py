"""Shared by the options of models: prompts, and checks of values."""

from collections.abc import Sequence

from augment_ru.errors import AugmentError
from augment_ru.prompting.prompt_file import variants_of
from augment_ru.records.task import Task


class AskedWithPrompts:
    """The base class of the options of models that are asked with prompts; they have `template` and `variant`."""

    __slots__ = ()

    @staticmethod
    def variants(task: Task, template: str | None) -> int:
        """Return the number of variants in the prompt file of a task, or in the file `template` if it is not None."""
        return variants_of(task, template)


def check_one_of(option: str, value: str, possible: Sequence[str]) -> None:
    """Check that `value` is one of the possible values.

    Raises:
        AugmentError: the value is not possible.
    """
    if value not in possible:
        raise AugmentError(f"option {option}={value}; possible: {', '.join(possible)}")


def check_at_least(option: str, value: float | None, least: float) -> None:
    """Check that `value` is at least `least`; None passes.

    Raises:
        AugmentError: the value is too small.
    """
    if value is not None and value < least:
        raise AugmentError(f"option {option}={value}; must be at least {least}")


def check_positive(option: str, value: float) -> None:
    """Check that `value` is over 0.

    Raises:
        AugmentError: the value is 0 or less.
    """
    if not value > 0:
        raise AugmentError(f"option {option}={value}; must be positive")
