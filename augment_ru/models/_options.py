"""Shared by the options of models: the check of their values, and the prompt file that they name."""

from collections.abc import Sequence
from dataclasses import field, fields
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.prompting.prompt_file import variants_of
from augment_ru.records.task import Task


def limited(default: Any, *, possible: Sequence[str] = (), least: float | None = None, positive: bool = False) -> Any:  # noqa: ANN401
    """Declare an option that may have only certain values: return a dataclass field. None is always allowed.

    Args:
        default: the default.
        possible: the allowed values; empty if any value is allowed.
        least: the smallest allowed value; None for no lower limit.
        positive: whether the value must be over 0.
    """
    return field(default=default, metadata={"possible": possible, "least": least, "positive": positive})


class CheckedOptions:
    """The base class of a model's options; it checks the values of options that are declared with `limited`.

    Raises:
        AugmentError: an option has a value that is not allowed.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        for one in fields(self):  # type: ignore[arg-type]  # a subclass is a dataclass
            value, limits, wanted = getattr(self, one.name), one.metadata, ""
            if value is None or not limits:
                continue
            if limits["possible"] and value not in limits["possible"]:
                wanted = f"possible: {', '.join(limits['possible'])}"
            elif limits["least"] is not None and value < limits["least"]:
                wanted = f"must be at least {limits['least']}"
            elif limits["positive"] and not value > 0:
                wanted = "must be positive"
            if wanted:
                raise AugmentError(f"option {one.name}={value}; {wanted}")


class AskedWithPrompts(CheckedOptions):
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
