"""A classifier of Hugging Face: a text, or a pair of texts, and a label of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from augment_ru.draws import Ints
from augment_ru.errors import AugmentError, unknown
from augment_ru.evaluation.examples import Example, Prediction
from augment_ru.inference.likelihood import context_of
from augment_ru.inference.pretrained import Pretrained, each_batch, load
from augment_ru.options import chosen
from augment_ru.prompting.prompted_model import DIGITS, at_least, signature_of
from augment_ru.prompting.template import text_of
from augment_ru.records.record import Record
from augment_ru.records.task import Task

_BUDGET = {"cpu": 2048, "cuda": 65_536}
_PAIR = 2


@dataclass(frozen=True, slots=True)
class Options:
    """What can be set with `--model-option hf-classifier.NAME=VALUE`.

    Attributes:
        fields: the fields that it reads, one or two with a comma between; by default those that are perturbed.
        mapping: the model's labels and the data's, as in LABEL_0=нет,LABEL_1=да; by default they are matched by name,
            and LABEL_0, LABEL_1, … by number.
        threshold: for models of several labels at once (sigmoid): from which probability on a label is given.
        dtype: auto, float32, bfloat16 or float16.
        device_map: how a model is spread over several GPUs, as accelerate has it: auto, balanced, sequential.
        batch_tokens: tokens in a batch, padding included; by default what suits the device.
    """

    fields: tuple[str, ...] = ()
    mapping: tuple[str, ...] = ()
    threshold: float = 0.5
    dtype: str = "auto"
    device_map: str | None = None
    batch_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Classifier:
    """The model, what it reads and what it says.

    Attributes:
        pretrained: the model.
        task: whose rows it reads.
        fields: which of their fields.
        said: the data's label for each of the model's outputs; for several labels at once the field of each output.
        several: whether it gives each output a yes or no of its own.
        threshold: from which probability on that is a yes.
        budget: tokens in a batch.
        signature: all that defines the answers.
    """

    pretrained: Pretrained
    task: Task
    fields: tuple[str, ...]
    said: tuple[str, ...]
    several: bool
    threshold: float
    budget: int
    signature: str
    few_shot: bool = False

    def __call__(self, examples: Sequence[Example], /) -> list[Prediction]:
        """A label for each example; for a task of several, an object."""
        logits = self.logits(examples)
        if self.several:
            given = np.round(1.0 / (1.0 + np.exp(-logits)), DIGITS) >= self.threshold
            return [dict(zip(self.said, ("1" if one else "0" for one in row), strict=True)) for row in given]
        return [self.said[index] for index in np.round(logits, DIGITS).argmax(axis=1)]

    def logits(self, examples: Sequence[Example]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The model's outputs, shape (examples, labels)."""
        import torch  # noqa: PLC0415

        tokenizer = self.pretrained.tokenizer
        texts = [self._texts(example) for example in examples]
        columns = [[row[number] for row in texts] for number in range(len(texts[0]))] if texts else []
        found = np.zeros((len(texts), len(self.said)))
        if not texts:
            return found
        encoded = tokenizer(*columns, truncation=True, max_length=context_of(self.pretrained), verbose=False)

        def classify(batch: Ints) -> None:
            inputs = tokenizer.pad(
                {name: [values[index] for index in batch] for name, values in encoded.items()},
                padding=tokenizer.pad_token_id is not None,
                return_tensors="pt",
                verbose=False,
            ).to(self.pretrained.device)
            with torch.inference_mode():
                found[batch] = self.pretrained.model(**inputs).logits.double().cpu().numpy()

        lengths = np.array([len(ids) for ids in encoded["input_ids"]], dtype=np.int64)
        each_batch(lengths, self.budget, classify, largest=1 if tokenizer.pad_token_id is None else 4096)
        return found

    def _texts(self, example: Example) -> list[str]:
        if self.fields:
            return [text_of(example.record, name) for name in self.fields]
        texts = list(Record(example.record, self.task).texts().values())
        return texts if len(texts) <= _PAIR else ["\n".join(texts)]


def hf_classifier(
    argument: str,
    /,
    *,
    task: Task,
    labels: tuple[str, ...] | None,
    device: str,
    options: Mapping[str, Any],
) -> Classifier:
    """The model in the folder, or of the hub's name, that `argument` is.

    Raises:
        AugmentError: there is no such model, an option is wrong, or the model's labels are not those of the data.
    """
    given = chosen("hf-classifier", Options, options)
    at_least("batch_tokens", given.batch_tokens, 1)
    if len(given.fields) > _PAIR:
        raise AugmentError(f"option fields={','.join(given.fields)}; must be one or two fields")
    spread = {"device_map": given.device_map} if given.device_map else {}
    pretrained = load("AutoModelForSequenceClassification", argument, device=device, dtype=given.dtype, **spread)
    config = pretrained.model.config
    own = tuple(str(config.id2label[index]) for index in range(config.num_labels))
    if len(own) < _PAIR and len(task.gold) == 1:
        raise AugmentError(f"model {argument}: gives a number, not a label; it has one output")
    several = len(task.gold) > 1
    said = meant(own, task.gold if several else labels, given.mapping, whole=several)
    defining = {"fields": ",".join(given.fields), "labels": ",".join(said), "threshold": given.threshold}
    return Classifier(
        pretrained,
        task,
        given.fields,
        said,
        several,
        given.threshold,
        given.batch_tokens or _BUDGET.get(pretrained.device.type, 4096),
        signature_of("hf-classifier", pretrained, None, defining),
    )


def meant(
    own: Sequence[str], labels: Sequence[str] | None, mapping: Sequence[str], *, whole: bool = False
) -> tuple[str, ...]:
    """The data's label for each label of the model; with `whole` all of the data's must be there, else some.

    >>> meant(("LABEL_0", "LABEL_1"), ("0", "1"), ()), meant(("NO", "Yes"), ("no", "yes"), ())
    (('0', '1'), ('no', 'yes'))

    Raises:
        AugmentError: a pair of the mapping is none, or the labels cannot be matched.
    """
    given: dict[str, str] = {}
    for pair in mapping:
        left, equals, right = pair.partition("=")
        if not equals:
            raise AugmentError(f"option mapping: '{pair}' is no pair of labels, as in LABEL_0=нет")
        if left not in own:
            raise unknown("label of the model", left, own)
        given[left] = right
    known = {label.lower(): label for label in labels or ()}
    numbered = all(name == f"LABEL_{index}" for index, name in enumerate(own))
    said = []
    for index, name in enumerate(own):
        guess = str(index) if numbered and (labels is None or str(index) in labels) else name
        said.append(given.get(name, known.get(guess.lower(), guess)))
    if labels is not None and not (set(labels) <= set(said) if whole else set(labels) & set(said)):
        raise AugmentError(
            f"the model's labels are {', '.join(own)}, the data's {', '.join(labels)}; "
            f"say which is which with the option mapping={own[0]}={labels[0]},…"
        )
    return tuple(said)
