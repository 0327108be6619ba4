"""Translate parameter names in messages into options: the library names parameters, the command line has options.

In a message, a parameter is written in backquotes (`label_fields`); it is shown as its option (--label-field).
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from augment_ru.errors import AugmentError

_ALIKE = (
    "accept annotator budget by cache candidates catch confirm copies csv_safe date defence device draws encoding "
    "engine episodes field fresh guide html input_format latex limit meta min_changes model nearest no_constraints "
    "no_minimal on_error originals part_size predictions preset probability prompts protocol repeats report require "
    "resume schedule seed set shots similarity spans submission task threshold train verdicts with_original "
    "workers worst_case"
)
_OTHERS = {
    "__cause__": "--debug", "attacks": "--attack", "baseline": "--write-baseline", "constraints": "--constraint",
    "constraints=()": "--no-constraints",
    "defences": "--defence", "fields": "--field", "form": "--format",
    "judges": "--judge", "label_fields": "--label-field",
    "metrics": "--metric", "model_options": "--model-option", "models": "--model", "normalizers": "--normalizer",
    "options": "--set", "output": "-o",
    "probabilities": "--at", "seconds": "--time", "target": "--targeted",
}  # fmt: skip
_OPTIONS = {**{name: f"--{name.replace('_', '-')}" for name in _ALIKE.split()}, **_OTHERS}
_NAMED = re.compile(rf"`({'|'.join(map(re.escape, _OPTIONS))})`")


def with_flags(message: str) -> str:
    """Put options of the command line in place of the names of parameters in a message of the library.

    Args:
        message: the message, with names of parameters in backquotes.

    >>> with_flags("no right answer; name its field with `label_fields`")
    'no right answer; name its field with --label-field'
    """
    return _NAMED.sub(lambda found: _OPTIONS[found[1]], message)


class MisuseError(AugmentError):
    """A command was used wrongly: a name, a value or a file of its options is wrong. The exit code is 2."""


@contextmanager
def checking() -> Iterator[None]:
    """Run a block that checks the options of a command; an error in it becomes an error of usage (exit code 2).

    Raises:
        MisuseError: an `AugmentError` is raised in the block.
    """
    try:
        yield
    except AugmentError as error:
        raise MisuseError(str(error)) from error
