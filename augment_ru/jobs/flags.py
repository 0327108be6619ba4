"""The options of the command line that parameters of the library have: the library names parameters, commands options.

In a message a parameter stands in backquotes (`label_fields`), and is shown as its option (--label-field).
"""

import re

_OPTIONS = {
    "__cause__": "--debug", "attacks": "--attack", "budget": "--budget", "by": "--by", "cache": "--cache",
    "constraints=()": "--no-constraints", "device": "--device", "draws": "--draws", "encoding": "--encoding",
    "engine": "--engine", "episodes": "--episodes", "fields": "--field", "form": "--format", "guide": "--guide",
    "label_fields": "--label-field", "meta": "--meta", "model": "--model", "model_options": "--model-option",
    "models": "--model", "originals": "--originals", "predictions": "--predictions", "resume": "--resume",
    "seconds": "--time", "seed": "--seed", "settings": "--set", "shots": "--shots", "similarity": "--similarity",
    "target": "--targeted", "task": "--task", "train": "--train", "verdicts": "--verdicts", "workers": "--workers",
}  # fmt: skip
_NAMED = re.compile(rf"`({'|'.join(map(re.escape, _OPTIONS))})`")


def with_options(message: str) -> str:
    """A message of the library with the options of the parameters that it names.

    >>> with_options("no right answer; name its field with `label_fields`")
    'no right answer; name its field with --label-field'
    """
    return _NAMED.sub(lambda found: _OPTIONS[found[1]], message)
