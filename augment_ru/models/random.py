"""A random class (baseline of the benchmark TAPE, section 5.1), or random words of the text (benchmark MERA, E.1)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from augment_ru.draws import Rng, Streams, digests
from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Example, Model, ModelRequest, Prediction
from augment_ru.records import field_paths
from augment_ru.records.metric_kinds import METRIC_KINDS

_WORDS = 2
"""How many words a random answer has."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the model `random` (it draws its answers), set by `--model-option random.NAME=VALUE`.

    Attributes:
        seed: the seed of the draws.
    """

    seed: int = 42


@dataclass(frozen=True, slots=True)
class Random(Model):
    """A model that gives random labels, all equally likely; without labels, two random words of the text.

    A text to be rewritten stays as it is; an exercise gets one word, or the numbers of one or two choices.
    A draw depends only on the seed and the row, so equal rows get equal answers.

    Attributes:
        labels: the labels that answers are drawn from; None to answer with words of the text.
        seed: the seed of the random numbers.
    """

    labels: tuple[str, ...] | None
    seed: int
    few_shot = False
    deterministic = True
    cached = False

    @property
    def signature(self) -> str:
        """All that defines the answers: the kind, the seed and the labels."""
        drawn = f"labels={','.join(self.labels)}" if self.labels else f"words={_WORDS}"
        return f"random|seed={self.seed}|{drawn}"

    def __call__(self, examples: Sequence[Example], /) -> list[Prediction]:
        """Return a random answer for each example; for a task with several labels, a mapping from fields to labels."""
        rows = [json.dumps(dict(example.record)) for example in examples]
        keys = Streams.of(digests(rows), "random", self.seed).keys
        found: list[Prediction] = []
        for example, key in zip(examples, keys.tolist(), strict=True):
            rng = Rng(key)
            labels = {name: self._drawn(rng, example, name) for name in example.task.scoring.gold}
            found.append(labels if len(labels) > 1 else next(iter(labels.values())))
        return found

    def _drawn(self, rng: Rng, example: Example, name: str) -> Prediction:
        """Draw an answer for a field of the right answer.

        With labels, it is a label, or if the name of the field contains `[]`, a list with a label for each entry.
        Without labels, it is two words of `inputs.text`, or else of the text, drawn with replacement and in lower case;
        if `inputs` is a text (ruDetox), it is this text; for an exercise, it is one word, or the numbers of one or two
        choices.
        """
        if not self.labels:
            given, text = (field_paths.value(example.record, name, None) for name in ("inputs", "inputs.text"))
            words = str(text or example.text).lower().split() or [""]
            if METRIC_KINDS[example.task.scoring.metrics[0]] != "exercises":
                return given if isinstance(given, str) else " ".join(rng.choice(words) for _ in range(_WORDS))
            if field_paths.value(example.record, "meta.type", None) == "text":
                return rng.choice(words)
            return ",".join(rng.choice("1234") for _ in range(rng.choice((1, 2))))
        drawn: list[Prediction] = [rng.choice(self.labels) for _ in field_paths.every(example.record, name)]
        return drawn if "[]" in name else drawn[0]


def random(request: ModelRequest, /) -> Random:
    """Make a model that gives random labels or, if the task has none, random words of the text.

    Args:
        request: what the model is made from; its `argument` must be empty.

    Raises:
        AugmentError: the answers of the task are neither classes nor texts, or an argument is given.
    """
    if request.argument:
        raise AugmentError("random takes no argument; set its seed with `seed`")
    if not request.labels and METRIC_KINDS[request.task.scoring.metrics[0]] not in {"answers", "exercises"}:
        raise AugmentError(f"{request.task.name} has no labels to choose from; random is for classification")
    return Random(request.labels, request.options.seed)
