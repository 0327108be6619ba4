"""A class at random, each as likely as any other: TAPE's baseline (section 5.1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from augment_ru.draws import Rng, Streams, digests
from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Example, Prediction
from augment_ru.options import chosen
from augment_ru.records.task import Task


@dataclass(frozen=True, slots=True)
class Options:
    """What can be set with `--model-option random.NAME=VALUE`.

    Attributes:
        seed: of the draws.
    """

    seed: int = 42


@dataclass(frozen=True, slots=True)
class Random:
    """Labels drawn by the seed and the text, so that equal texts get equal labels."""

    labels: tuple[str, ...]
    seed: int
    few_shot: bool = field(default=False, init=False)
    cached: bool = field(default=False, init=False)

    @property
    def signature(self) -> str:
        """The seed and the labels."""
        return f"random|seed={self.seed}|labels={','.join(self.labels)}"

    def __call__(self, examples: Sequence[Example], /) -> list[Prediction]:
        """A label for each example, or an object of labels."""
        keys = Streams.of(digests([example.text for example in examples]), "random", self.seed).keys
        found: list[Prediction] = []
        for example, key in zip(examples, keys.tolist(), strict=True):
            rng = Rng(key)
            said = {name: rng.choice(self.labels) for name in example.task.gold}
            found.append(said if len(said) > 1 else next(iter(said.values())))
        return found


def random(
    argument: str,
    /,
    *,
    task: Task,
    labels: tuple[str, ...] | None,
    device: str,
    options: Mapping[str, Any],
) -> Random:
    """The model.

    Raises:
        AugmentError: the task has no labels.
    """
    del device
    seed = chosen("random", Options, options).seed
    if argument:
        raise AugmentError("random takes no argument; its seed is that of --seed")
    if not labels:
        raise AugmentError(f"{task.name} has no labels to choose from; random is for classification")
    return Random(labels, seed)
