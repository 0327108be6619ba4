"""Shared by the options of models: prompts, and checks of values."""

from collections.abc import Sequence

from augment_ru.errors import AugmentError
from augment_ru.prompting.prompt_file import variants_of
from augment_ru.records.task import Task


class AskedWithPrompts:
    """The base class of the options of models that are asked with prompts.

    Such options have `template` (a prompt file) and `variant` (the number of the template in it).
    """

    __slots__ = ()

    @staticmethod
    def variants(task: Task, template: str | None) -> int:
        """Return the number of variants (different wordings) in a prompt file.

        Args:
            task: the task, whose prompt file it is.
            template: another prompt file; None for that of the task.
        """
        return variants_of(task, template)


def check_one_of(option: str, value: str, possible: Sequence[str]) -> None:
    """Check that the value of an option is one of those that are possible.

    Args:
        option: the name of the option, for messages.
        value: the value.
        possible: the possible values.

    Raises:
        AugmentError: the value is not possible.
    """
    if value not in possible:
        raise AugmentError(f"option {option}={value}; possible: {', '.join(possible)}")


def check_at_least(option: str, value: float | None, least: float) -> None:
    """Check that the value of an option is not too small; None passes.

    Args:
        option: the name of the option, for messages.
        value: the value.
        least: the smallest value that passes.

    Raises:
        AugmentError: the value is too small.
    """
    if value is not None and value < least:
        raise AugmentError(f"option {option}={value}; must be at least {least}")


def check_positive(option: str, value: float) -> None:
    """Check that the value of an option is over 0.

    Args:
        option: the name of the option, for messages.
        value: the value.

    Raises:
        AugmentError: the value is 0 or less.
    """
    if not value > 0:
        raise AugmentError(f"option {option}={value}; must be positive")
