"""Compiled code that transformers would get from the hub for a model: never, unless the user asks for it."""

import os
from typing import Any

_IMPLEMENTATIONS = {
    "_attn_implementation": (None, "eager", "sdpa"),
    "_experts_implementation": (None, "eager", "batched_mm", "grouped_mm"),
}
"""The attributes of a configuration that name how a part of a model computes, and the names that torch itself has."""


def forbid_kernels() -> None:
    """Keep transformers from getting layers as compiled code, unless the environment sets USE_HUB_KERNELS.

    Transformers reads the variable when it is imported, so call this before.
    """
    os.environ.setdefault("USE_HUB_KERNELS", "NO")


def without_kernels(config: Any) -> None:  # noqa: ANN401  (transformers' own)
    """Let transformers choose how a model computes where its configuration names something that torch does not have.

    A name such as `OWNER/NAME` stands for compiled code that transformers would get from the hub and run.
    """
    parts = [value for value in vars(config).values() if hasattr(value, "_attn_implementation")]
    for part in (config, *parts):
        for attribute, known in _IMPLEMENTATIONS.items():
            if getattr(part, attribute, None) not in known:
                setattr(part, attribute, None)
