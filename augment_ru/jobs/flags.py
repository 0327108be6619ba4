"""The options of the command line that parameters of the library have: the library names parameters, commands options.

In a message a parameter stands in backquotes (`label_fields`), and is shown as its option (--label-field).
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from augment_ru.errors import AugmentError

_OPTIONS = {
    "__cause__": "--debug", "accept": "--accept", "annotator": "--annotator", "attacks": "--attack",
    "baseline": "--write-baseline", "budget": "--budget", "by": "--by", "cache": "--cache",
    "candidates": "--candidates", "constraints": "--constraint", "constraints=()": "--no-constraints",
    "copies": "--copies", "csv_safe": "--csv-safe", "date": "--date", "device": "--device", "draws": "--draws",
    "encoding": "--encoding", "engine": "--engine", "episodes": "--episodes", "fields": "--field", "form": "--format",
    "guide": "--guide", "html": "--html", "input_format": "--input-format", "label_fields": "--label-field",
    "limit": "--limit", "meta": "--meta", "min_changes": "--min-changes", "model": "--model",
    "model_options": "--model-option", "models": "--model", "no_constraints": "--no-constraints",
    "no_minimal": "--no-minimal", "on_error": "--on-error", "options": "--set", "originals": "--originals",
    "output": "-o", "part_size": "--part-size", "predictions": "--predictions", "preset": "--preset",
    "probabilities": "--at", "probability": "--probability", "report": "--report", "resume": "--resume",
    "schedule": "--schedule", "seconds": "--time", "seed": "--seed", "settings": "--set", "shots": "--shots",
    "similarity": "--similarity", "target": "--targeted", "task": "--task", "threshold": "--threshold",
    "train": "--train", "verdicts": "--verdicts", "with_original": "--with-original", "workers": "--workers",
    "worst_case": "--worst-case",
}  # fmt: skip
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
