"""A random class, all equally likely: TAPE's baseline (section 5.1)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from augment_ru.draws import Rng, Streams, digests
from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import CHUNK, Example, ModelRequest, Prediction
from augment_ru.formats.json_lines import encoded_row
from augment_ru.options import chosen


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `--model-option random.NAME=VALUE`.

    Attributes:
        seed: the seed of the draws.
    """

    seed: int = 42


@dataclass(frozen=True, slots=True)
class Random:
    """Random labels; the draw depends on the seed and the row alone, so equal rows get equal labels."""

    labels: tuple[str, ...]
    seed: int
    few_shot: bool = field(default=False, init=False)
    cached: bool = field(default=False, init=False)
    chunk: int = field(default=CHUNK, init=False)

    @property
    def signature(self) -> str:
        """The seed and the labels."""
        return f"random|seed={self.seed}|labels={','.join(self.labels)}"

    def __call__(self, examples: Sequence[Example], /) -> list[Prediction]:
        """A label for each example; for a task with several labels, an object from field to label."""
        rows = [encoded_row(example.record) for example in examples]
        keys = Streams.of(digests(rows), "random", self.seed).keys
        found: list[Prediction] = []
        for example, key in zip(examples, keys.tolist(), strict=True):
            rng = Rng(key)
            labels = {name: rng.choice(self.labels) for name in example.task.gold}
            found.append(labels if len(labels) > 1 else next(iter(labels.values())))
        return found


def random(request: ModelRequest, /) -> Random:
    """The model.

    Raises:
        AugmentError: the task has no classes, or an argument is given.
    """
    seed = chosen("random", Options, request.options).seed
    if request.argument:
        raise AugmentError("random takes no argument; set its seed with --seed")
    if not request.labels:
        raise AugmentError(f"{request.task.name} has no labels to choose from; random is for classification")
    return Random(request.labels, seed)
