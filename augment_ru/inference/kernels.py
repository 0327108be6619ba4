"""Configurations of models that come from others: no compiled code from the hub, no size beyond all models."""

import os
from typing import Any

from augment_ru.errors import AugmentError

_IMPLEMENTATIONS = {
    "_attn_implementation": (None, "eager", "sdpa"),
    "_experts_implementation": (None, "eager", "batched_mm", "grouped_mm"),
}
"""The attributes of a configuration that name how a part of a model computes, and the names that torch itself has."""


_LAYERS = ("num_hidden_layers", "num_layers", "n_layer", "n_layers", "encoder_layers", "decoder_layers")
_MOST_LAYERS = 1_000
"""The most layers of a model; transformers makes each before it looks for its weights."""


def check_size(name: str, config: Any) -> None:  # noqa: ANN401  (transformers' own)
    """Refuse a configuration with more layers than any model has.

    Raises:
        AugmentError: it has.
    """
    for part in _parts(config):
        for key in _LAYERS:
            layers = getattr(part, key, None)
            if isinstance(layers, int) and layers > _MOST_LAYERS:
                raise AugmentError(f"model {name}: its config.json has {key} {layers:,}; at most {_MOST_LAYERS:,}")


def _parts(config: Any) -> list[Any]:  # noqa: ANN401
    """A configuration and those in it."""
    return [config, *(value for value in vars(config).values() if hasattr(value, "_attn_implementation"))]


def forbid_kernels() -> None:
    """Keep transformers from getting layers as compiled code, unless the environment sets USE_HUB_KERNELS.

    Transformers reads the variable when it is imported, so call this before.
    """
    os.environ.setdefault("USE_HUB_KERNELS", "NO")


def without_kernels(config: Any) -> None:  # noqa: ANN401  (transformers' own)
    """Let transformers choose how a model computes where its configuration names something that torch does not have.

    A name such as `OWNER/NAME` stands for compiled code that transformers would get from the hub and run.
    """
    for part in _parts(config):
        for attribute, known in _IMPLEMENTATIONS.items():
            if getattr(part, attribute, None) not in known:
                setattr(part, attribute, None)
