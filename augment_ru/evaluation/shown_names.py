"""The names of models and attacks as tables show them: without the folders of the files that they name."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

_FOLDERS = re.compile(
    r"(?<=:)(?:[^:]*/(?=[^/:]+\.(?:jsonl|json|csv|tsv|parquet|txt)(?:\.\w+)?(?:$|:))|(?:\.{0,2}|~)/(?:[^:]*/)?(?=[^/:]+$))"
)
"""Folders in an argument behind a colon: of a file of rows, or of a path that begins with `/`, `./`, `../` or `~/`."""


def shown_names(names: Iterable[str]) -> Mapping[str, str]:
    """By name how it is shown; names that would be shown alike stay as they are.

    >>> shown_names(["linear:data/train.jsonl", "hf-causal:org/model"])
    {'linear:data/train.jsonl': 'linear:train.jsonl', 'hf-causal:org/model': 'hf-causal:org/model'}
    >>> shown_names(["linear:a/train.jsonl", "linear:b/train.jsonl"])
    {'linear:a/train.jsonl': 'linear:a/train.jsonl', 'linear:b/train.jsonl': 'linear:b/train.jsonl'}
    """
    short = {name: name if "://" in name else _FOLDERS.sub("", name) for name in names}
    count = Counter(short.values())
    return {name: one if count[one] == 1 else name for name, one in short.items()}


def names_of(report: Mapping[str, Any]) -> Mapping[str, str]:
    """How the models and attacks of a report are shown."""
    return shown_names([*(model["model"] for model in report["models"]), *report["attacks"]])
