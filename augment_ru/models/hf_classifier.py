"""A classifier of Hugging Face: it reads a text or a pair of texts, and gives one of its labels.

A model of textual entailment can classify without training: for each label it is asked whether the text entails a
sentence with this label.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from augment_ru.draws import Floats, Ints
from augment_ru.errors import AugmentError, check_known
from augment_ru.evaluation.examples import Example, Model, ModelRequest, Scored
from augment_ru.inference.batches import MOST_SEQUENCES, each_batch, padded
from augment_ru.inference.pretrained import Pretrained, context_of
from augment_ru.models._hugging_face import LoadingOptions, batch_budget, loaded, signature_of
from augment_ru.prompting.prompt import text_of
from augment_ru.prompting.replies import DIGITS
from augment_ru.records.record import Record
from augment_ru.records.task import Task

_PAIR = 2


@dataclass(frozen=True, slots=True)
class Options(LoadingOptions):
    """The options of `--model-option hf-classifier.NAME=VALUE`: those of `LoadingOptions`, and the following.

    Attributes:
        fields: the one or two fields that the model reads, separated by a comma. By default it reads the fields of the
            task; if there are more than two, their texts are joined into one.
        mapping: which label of the data each label of the model means, for example LABEL_0=нет,LABEL_1=да. By default
            labels are matched by name, and LABEL_0, LABEL_1, … by number.
        threshold: for a task with several labels: an output counts as a yes if its sigmoid is at least this.
        hypothesis: a sentence with {label}, such as "This example is {label}."; the label whose sentence the text
            entails most is the answer (Yin et al. 2019; RAFT, section 4.2). One output of the model must be entailment.
    """

    fields: tuple[str, ...] = ()
    mapping: tuple[str, ...] = ()
    threshold: float = 0.5
    hypothesis: str | None = None


@dataclass(frozen=True, slots=True)
class Classifier(Model):
    """A classifier of transformers, with the fields that it reads and the meaning of its outputs.

    Attributes:
        pretrained: the model.
        options: its options.
        task: the task of the rows.
        labels: the label of each output of the model, as the data write it; for a task with several labels, the field
            of each output.
        several: whether the task has several labels, so that each output is a separate decision, yes or no.
        signature: all that defines the answers.
        hypotheses: for a model of entailment, a sentence for each label, such as "This example is {label}."; empty for
            other models.
        entails: the index of the output that means entailment.
    """

    pretrained: Pretrained
    options: Options
    task: Task
    labels: tuple[str, ...]
    several: bool
    signature: str
    hypotheses: tuple[str, ...] = ()
    entails: int = 0
    few_shot = False

    @property
    def deterministic(self) -> bool:
        """Whether the model runs on the CPU, where it always answers in the same way."""
        return bool(self.pretrained.device.type == "cpu")

    def scored(self, examples: Sequence[Example], /) -> list[Scored]:
        """Return a label for each example, with the logits as scores.

        For a task with several labels, the prediction maps each field to "0" or "1". The score of "1" is then the logit
        of the output, minus the logit of the threshold; the score of "0" is 0.

        Args:
            examples: the questions.
        """
        logits = self.logits(examples)
        if not self.several:
            best = np.round(logits, DIGITS).argmax(axis=1)
            scores = (dict(zip(self.labels, row, strict=True)) for row in logits.tolist())
            return [Scored(self.labels[at], (own,)) for at, own in zip(best, scores, strict=True)]
        threshold = self.options.threshold
        is_yes = np.round(1.0 / (1.0 + np.exp(-logits)), DIGITS) >= threshold
        edge = np.log(threshold / (1.0 - threshold)) if 0.0 < threshold < 1.0 else 0.0
        found = (dict(zip(self.labels, ("1" if yes else "0" for yes in row), strict=True)) for row in is_yes)
        rows = (tuple({"0": 0.0, "1": value} for value in row) for row in (logits - edge).tolist())
        return list(map(Scored, found, rows))

    def logits(self, examples: Sequence[Example]) -> Floats:
        """Return the model's logits, shape (examples, labels).

        For a model of entailment, a label's logit is that of entailment between the text and the label's sentence.

        Raises:
            AugmentError: an example does not fit into memory, or lacks a field.
        """
        texts = [self._texts(example) for example in examples]
        if not self.hypotheses:
            return self._outputs(texts)
        pairs = [["\n".join(own), sentence] for own in texts for sentence in self.hypotheses]
        return self._outputs(pairs)[:, self.entails].reshape(len(texts), len(self.hypotheses))

    def _outputs(self, texts: Sequence[Sequence[str]]) -> Floats:
        """Return the logits for texts or pairs of texts, shape (texts, outputs)."""
        import torch  # noqa: PLC0415

        tokenizer = self.pretrained.tokenizer
        found = np.zeros((len(texts), int(self.pretrained.model.config.num_labels)))
        if not texts:
            return found
        columns = [list(column) for column in zip(*texts, strict=True)]
        encoded = tokenizer(*columns, truncation=True, max_length=context_of(self.pretrained), verbose=False)

        pads = {"input_ids": tokenizer.pad_token_id or 0, "token_type_ids": tokenizer.pad_token_type_id}
        left = tokenizer.padding_side == "left"

        def classify(batch: Ints) -> None:
            inputs = {}
            for name, values in encoded.items():
                rows = [values[index] for index in batch]
                inputs[name], _ = padded(rows, self.pretrained.device, pad=pads.get(name, 0), left=left)
            with torch.inference_mode():
                found[batch] = self.pretrained.model(**inputs).logits.double().cpu().numpy()

        lengths = np.array([len(ids) for ids in encoded["input_ids"]], dtype=np.int64)
        most = 1 if tokenizer.pad_token_id is None else MOST_SEQUENCES  # without a padding token, one at a time
        each_batch(lengths, batch_budget(self.pretrained, self.options), classify, most)
        return found

    def _texts(self, example: Example) -> list[str]:
        if self.options.fields:
            return [text_of(example.record, name) for name in self.options.fields]
        texts = list(Record(example.record, self.task).read().values())
        return texts if len(texts) <= _PAIR else ["\n".join(texts)]


def hf_classifier(request: ModelRequest, /) -> Classifier:
    """Load a classifier of transformers.

    Args:
        request: what the model is made from; its `argument` is a folder or a name on the hub.

    Raises:
        AugmentError: there is no such model, an option is wrong, or the model's labels are not those of the data.
    """
    given: Options = request.options
    if len(given.fields) > _PAIR:
        raise AugmentError(f"option fields={','.join(given.fields)}; must name one or two fields")
    pretrained = loaded("AutoModelForSequenceClassification", request.argument, request.device, given)
    config = pretrained.model.config
    own = tuple(str(config.id2label[index]) for index in range(config.num_labels))
    if len(own) < _PAIR and len(request.task.scoring.gold) == 1:
        raise AugmentError(f"model {request.argument}: has one output, so it gives a number and not a label")
    several = len(gold := request.task.scoring.gold) > 1
    hypotheses: tuple[str, ...] = ()
    entails, matched = 0, request.labels or ()
    if given.hypothesis is None:
        matched = matched_labels(own, gold if several else request.labels, given.mapping, whole=several)
        defining = {"fields": ",".join(given.fields), "labels": ",".join(matched), "threshold": given.threshold}
    else:
        hypotheses, entails = _hypotheses(own, matched, given)
        defining = {"fields": ",".join(given.fields), "hypothesis": "|".join(hypotheses), "entails": entails}
    signature = signature_of("hf-classifier", pretrained, None, defining)
    return Classifier(pretrained, given, request.task, matched, several, signature, hypotheses, entails)


def _hypotheses(own: Sequence[str], labels: Sequence[str], given: Options) -> tuple[tuple[str, ...], int]:
    """Return the sentence of each label for a model of entailment, and the index of the output that means entailment.

    Raises:
        AugmentError: no output or several are called entailment, the sentence has no {label}, or labels are not known.
    """
    stated = _pairs(own, given.mapping)
    entails = [at for at, name in enumerate(own) if stated.get(name, name).lower().startswith("entail")]
    if len(entails) != 1:
        raise AugmentError(f"option hypothesis: the labels are {', '.join(own)}; name one with mapping=X=entailment")
    if "{label}" not in (sentence := given.hypothesis or "") or not labels:
        raise AugmentError("option hypothesis: needs a sentence with {label}, and a task with labels")
    return tuple(sentence.replace("{label}", label) for label in labels), entails[0]


def matched_labels(
    own: Sequence[str], labels: Sequence[str] | None, mapping: Sequence[str], *, whole: bool = False
) -> tuple[str, ...]:
    """Find out which label of the data each label of the model means; return these, in the order of the model's.

    Labels are matched by `mapping`, or else by name without regard to case; LABEL_0, LABEL_1, … are matched by number.
    A label of the model without a match keeps its own name.

    >>> matched_labels(("LABEL_0", "LABEL_1"), ("0", "1"), ()), matched_labels(("NO", "Yes"), ("no", "yes"), ())
    (('0', '1'), ('no', 'yes'))

    Args:
        own: the model's labels.
        labels: the data's labels; None if they are not known.
        mapping: pairs MODEL=DATA of labels that do not match by name or number.
        whole: whether every label of the data must have a match; otherwise one with a match is enough.

    Raises:
        AugmentError: an entry of the mapping is not a pair, or labels cannot be matched.
    """
    given = _pairs(own, mapping)
    known = {label.lower(): label for label in labels or ()}
    numbered = all(name == f"LABEL_{index}" for index, name in enumerate(own))
    matched = []
    for index, name in enumerate(own):
        guess = str(index) if numbered and (labels is None or str(index) in labels) else name
        matched.append(given.get(name, known.get(guess.lower(), guess)))
    if labels is not None and not (set(labels) <= set(matched) if whole else set(labels) & set(matched)):
        remedy = f"match them with the option mapping={own[0]}={labels[0]},…"
        raise AugmentError(f"the model's labels are {', '.join(own)}, the data's {', '.join(labels)}; {remedy}")
    return tuple(matched)


def _pairs(own: Sequence[str], mapping: Sequence[str]) -> dict[str, str]:
    """Split pairs `MODEL=DATA`; map each label of the model to the label of the data that it stands for."""
    found: dict[str, str] = {}
    for pair in mapping:
        left, equals, right = pair.partition("=")
        if not equals:
            raise AugmentError(f"option mapping: '{pair}' is no pair of labels; write MODEL=DATA, as in LABEL_0=нет")
        check_known("label of the model", left, own)
        found[left] = right
    return found
