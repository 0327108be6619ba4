"""The options of the command line that parameters of the library have: the library names parameters, commands options.

In a message a parameter stands in backquotes (`label_fields`), and is shown as its option (--label-field).
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from augment_ru.errors import AugmentError

_ALIKE = (
    "accept annotator budget by cache candidates copies csv_safe date device draws encoding engine episodes guide html "
    "input_format limit meta min_changes model no_constraints no_minimal on_error originals part_size predictions "
    "latex preset probability report resume schedule seed set shots similarity task threshold train verdicts "
    "with_original workers worst_case"
)
_OTHERS = {
    "__cause__": "--debug", "attacks": "--attack", "baseline": "--write-baseline", "constraints": "--constraint",
    "constraints=()": "--no-constraints", "fields": "--field", "form": "--format", "label_fields": "--label-field",
    "model_options": "--model-option", "models": "--model", "options": "--set", "output": "-o",
    "probabilities": "--at", "seconds": "--time", "target": "--targeted",
}  # fmt: skip
_OPTIONS = {**{name: f"--{name.replace('_', '-')}" for name in _ALIKE.split()}, **_OTHERS}
_NAMED = re.compile(rf"`({'|'.join(map(re.escape, _OPTIONS))})`")


def with_flags(message: str) -> str:
    """A message of the library with the options of the parameters that it names.

    >>> with_flags("no right answer; name its field with `label_fields`")
    'no right answer; name its field with --label-field'
    """
    return _NAMED.sub(lambda found: _OPTIONS[found[1]], message)


class MisuseError(AugmentError):
    """A command is used wrongly: a name, a value or a file of its options is wrong. Its exit code is 2."""


@contextmanager
def checking() -> Iterator[None]:
    """A block that checks the options of a command, before any work.

    Raises:
        MisuseError: an `AugmentError` is raised in the block.
    """
    try:
        yield
    except AugmentError as error:
        raise MisuseError(str(error)) from error
