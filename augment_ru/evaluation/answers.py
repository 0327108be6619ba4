"""The metrics, and right answers and predictions in the form that metrics compare (`records.metric_kinds.Kind`).

Scores are in [0, 1]; the score of MCC is in [-1, 1].
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from typing import Any, NamedTuple, TypeAlias

from augment_ru.errors import AugmentError, saying_where
from augment_ru.evaluation import exercises, rankings, spans
from augment_ru.evaluation.answer_scores import (
    best_token_f1,
    f1_of_true,
    macro_f1,
    matthews,
    normalised,
    same_answer,
    whole,
)
from augment_ru.evaluation.examples import Prediction
from augment_ru.records import field_paths, metric_kinds
from augment_ru.records.answers import answer_texts, label_of
from augment_ru.records.groups import grouped
from augment_ru.records.offsets import check_opened
from augment_ru.records.task import Scoring, Task

Kind: TypeAlias = metric_kinds.Kind

Gold: TypeAlias = (
    str
    | tuple[str, ...]
    | tuple[tuple[str, ...], ...]
    | rankings.Relevant
    | exercises.Exercise
    | tuple[spans.LabelledSpan, ...]
)
"""A right answer. Its form depends on the kind: for "labels" a label; for "answers" all texts that count as right; for
"lists" the labels of the options, in a tuple for each question; for "rankings" the relevant documents; for "spans" the
spans; for "exercises" the exercise."""


class Metric(NamedTuple):
    """A function that scores predictions, with the kind of answers that it takes.

    Attributes:
        kind: the kind of the answers, such as "labels" or "spans".
        score: the function: takes the right answers and the predictions of all rows, and returns their score.
        of_label: takes a label, and returns a function that scores only the spans with this label; None if answers are
            not spans.
    """

    kind: Kind
    score: Callable[[Sequence[Any], Sequence[Any]], float]
    of_label: Callable[[str], Callable[[Sequence[Any], Sequence[Any]], float]] | None = None


def accuracy(golds: Sequence[object], predictions: Sequence[object]) -> float:
    """Return the share of predictions that equal the right label of their row.

    Args:
        golds: the right label of each row.
        predictions: the predicted label of each row.
    """
    return _mean([float(gold == given) for gold, given in zip(golds, predictions, strict=True)])


def exact_match(golds: Sequence[Sequence[str]], predictions: Sequence[str], form: str = "russian") -> float:
    """Return the share of predictions that equal one of the right answers of their row.

    Args:
        golds: for each row, its right answers.
        predictions: for each row, the answer of the model.
        form: "russian" or "squad": how case, punctuation and spaces are made alike before texts are compared.
    """
    return _mean([float(same_answer(gold, given, form)) for gold, given in zip(golds, predictions, strict=True)])


def f1(golds: Sequence[Sequence[str]], predictions: Sequence[str], form: str = "russian") -> float:
    """Return the mean over rows of the F1 between the words of the prediction and those of the closest right answer.

    Args:
        golds: for each row, its right answers.
        predictions: for each row, the answer of the model.
        form: "russian" or "squad": how case, punctuation and spaces are made alike before words are compared.
    """
    return _mean([best_token_f1(gold, given, form) for gold, given in zip(golds, predictions, strict=True)])


Questions: TypeAlias = Sequence[Sequence[str]]
"""For each question of a row, the labels of its options."""


def muserc_f1a(golds: Sequence[Questions], predictions: Sequence[Sequence[str]]) -> float:
    """Return MuSeRC's F1a: the F1 of the label 1 over the options of all questions (Khashabi et al. 2018, section 4).

    A row of MuSeRC has a passage with several questions, and each option of a question has the label 0 or 1.

    Args:
        golds: for each row and each of its questions, the right labels of the options.
        predictions: for each row, the predicted labels of all its options, one question after the other.
    """
    return f1_of_true((gold, given) for _, gold, given in _options(golds, predictions))


def muserc_em(golds: Sequence[Questions], predictions: Sequence[Sequence[str]]) -> float:
    """Return MuSeRC's EM: the share of questions whose options all have the right label.

    A row of MuSeRC has a passage with several questions, and each option of a question has the label 0 or 1.

    Args:
        golds: for each row and each of its questions, the right labels of the options.
        predictions: for each row, the predicted labels of all its options, one question after the other.
    """
    return whole((question, gold == given) for question, gold, given in _options(golds, predictions))


def _options(
    golds: Sequence[Questions], predictions: Sequence[Sequence[str]]
) -> Iterator[tuple[tuple[int, int], str, str]]:
    """Yield for each option its question (row number, question number), its right label and its predicted label.

    The predicted label is "" if `predictions` has no label for the option.
    """
    for row, (questions, given) in enumerate(zip(golds, predictions, strict=True)):
        wanted = [((row, number), label) for number, question in enumerate(questions) for label in question]
        for (question, label), said in zip(wanted, chain(given, repeat("")), strict=False):
            yield question, label, said


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


_SCORES: Mapping[str, Callable[[Sequence[Any], Sequence[Any]], float]] = {
    "accuracy": accuracy,
    "macro_f1": lambda golds, predictions: macro_f1(zip(golds, predictions, strict=True)),
    "mcc": lambda golds, predictions: matthews(zip(golds, predictions, strict=True)),
    "exact_match": exact_match,
    "f1": f1,
    "grade_norm": exercises.grade_norm,
    "muserc_f1a": muserc_f1a,
    "muserc_em": muserc_em,
}
OTHER_FORM = "_russian"
"""The suffix of metrics of written answers in the Russian normal form, if the benchmark itself uses another form."""
_WRITTEN = {"exact_match": exact_match, "f1": f1}


def _metric(name: str, kind: Kind) -> Metric:
    if kind == "spans":
        return Metric(kind, spans.span_score(name), partial(spans.span_score, name))
    return Metric(kind, rankings.ranking_score(name) if kind == "rankings" else _SCORES[name])


METRICS = {name: _metric(name, kind) for name, kind in metric_kinds.METRIC_KINDS.items()}


def metrics_of(names: Sequence[str], form: str = "russian") -> dict[str, Metric]:
    """Return the metrics with these names, by name.

    If `form` is not "russian", each metric that compares texts is returned twice: in this form under its own name, and
    in the Russian form with the suffix `_russian`, such as `f1_russian`.

    Args:
        names: the names of the metrics.
        form: "russian" or "squad": how case, punctuation and spaces are made alike before texts are compared.

    Raises:
        AugmentError: a name belongs to no metric, or the metrics are of different kinds.
    """
    metric_kinds.check_metrics(names)
    found = {name: METRICS[name] for name in names}
    if form == "russian" or METRICS[names[0]].kind != "answers":
        return found
    other = {name: Metric("answers", partial(_WRITTEN[name], form=form)) for name in names}
    return other | {f"{name}{OTHER_FORM}": one for name, one in found.items()}


def over_classes(metrics: Mapping[str, Metric], classes: Sequence[str]) -> dict[str, Metric]:
    """Return metrics whose macro F1 is the mean over all given classes, even those that occur in no row.

    Metrics other than macro F1 stay as they are.

    Args:
        metrics: the metrics, by name.
        classes: the classes.
    """

    def score(golds: Sequence[str], predictions: Sequence[str]) -> float:
        return macro_f1(zip(golds, predictions, strict=True), classes)

    return {name: Metric("labels", score) if name == "macro_f1" else metric for name, metric in metrics.items()}


def is_right(kind: Kind, gold: Any, prediction: Any, form: str = "russian") -> bool:  # noqa: ANN401  (of the kind)
    """Tell whether a prediction is right.

    What is right depends on the kind of the answer:

    - "labels": the prediction is the right label.
    - "answers": it is one of the right answers in the normal form `form`.
    - "lists": it has the right label for every option.
    - "spans": it has all right spans and no others.
    - "rankings": a relevant document is among its first ones (`Relevant.first` says how many).
    - "exercises": it earns all points.

    Args:
        kind: the kind of the answer.
        gold: the right answer.
        prediction: the answer of a model.
        form: "russian" or "squad": how case, punctuation and spaces are made alike before texts are compared.
    """
    if kind == "answers":
        return same_answer(gold, prediction, form)
    if kind == "rankings":
        return bool(gold.is_met(prediction))
    if kind == "exercises":
        return bool(gold.points(prediction) >= gold.most)
    if kind == "lists" and gold and not isinstance(gold[0], str):
        gold = tuple(label for question in gold for label in question)
    return bool(gold == prediction)


def as_compared(kind: Kind, answer: Any, form: str = "russian") -> Any:  # noqa: ANN401  (of the kind)
    """Return what is compared to tell whether two predictions are the same.

    For a written answer it is the text in the normal form `form`; for a ranking it is the first document. For any other
    kind it is the prediction itself.

    Args:
        kind: the kind of the answer.
        answer: the prediction.
        form: "russian" or "squad": how case, punctuation and spaces are made alike before texts are compared.
    """
    if kind == "answers":
        return normalised(answer, form)
    return answer[:1] if kind == "rankings" else answer


Answer: TypeAlias = tuple[Any, ...]
"""A prediction as metrics compare it: an entry for each name in `task.scoring.decided`, in the form of the kind."""

Golds: TypeAlias = Sequence[Sequence[Gold | None]]
"""For each original, a right answer for each name in `task.scoring.decided`; None if the original does not have it."""

_OF_CLASSES = ("labels", "lists")
"""The kinds of answers that consist of class labels."""
_SHOWN = 5
"""The most labels that an error message names."""
_UNLABELLED = "-1"
"""The label that the `datasets` package writes for rows whose labels are held back."""


def _gold_value(values: Mapping[str, Any], name: str, kind: Kind) -> Any:  # noqa: ANN401  (JSON values)
    """Return the value of the answer field `name`; for kind "lists", a list of labels for each question (MuSeRC)."""
    if kind != "lists":
        if "[]" in name and name not in values:
            return [value for value in field_paths.values(values, name) if value is not None]
        return field_paths.value(values, name)
    paths = [path for path in field_paths.every(values, name) if field_paths.has_value(values, path)]
    questions = grouped((path[: path.rfind("[")], field_paths.value(values, path)) for path in paths)
    return [labels[0] if len(labels) == 1 and isinstance(labels[0], list) else labels for labels in questions.values()]


def golds_of(rows: Sequence[Mapping[str, Any]], task: Task, kind: Kind) -> list[tuple[Gold | None, ...]]:
    """Return the right answers of each row: one for each field that the task asks for.

    If the task judges one text by several norms, there is one for each norm. An answer is None if the row does not have
    it. If the label in a field is -1 in all rows, the benchmark keeps its labels secret, and the answer is None in
    every row.

    Args:
        rows: the rows.
        task: their task.
        kind: the kind of the answers.

    Raises:
        AugmentError: a field must hold a label but holds another value, or does not hold a label for each norm.
    """
    return _without_held_back([_labelled(values, task, kind) for values in rows], task)


def different_golds(rows: Iterable[Mapping[str, Any]], task: Task) -> set[tuple[Gold | None, ...]]:
    """Return the different right answers of the rows; empty if answers are free texts (kind "answers").

    An item is the right answer of one row, as a tuple: one entry for each field that a model answers.

    Args:
        rows: the rows.
        task: their task.

    Raises:
        AugmentError: a field must hold a label but holds another value.
    """
    kind = answer_kind(task)
    return {_labelled(values, task, kind) for values in rows if kind in _OF_CLASSES}


def labels_of_different(golds: Iterable[tuple[Gold | None, ...]], task: Task) -> tuple[str, ...] | None:
    """Return the labels that occur in right answers, sorted; None if answers are free texts.

    Args:
        golds: the different right answers of all rows, each as a tuple with an entry for each field that a model
            answers.
        task: the task of the rows.
    """
    return labels_among(_without_held_back(list(golds), task), answer_kind(task))


def answer_kind(task: Task) -> Kind:
    """Return the kind of the answers of a task: labels, answers (texts), lists, rankings, spans or exercises."""
    return metric_kinds.METRIC_KINDS[task.scoring.metrics[0]]


def _labelled(values: Mapping[str, Any], task: Task, kind: Kind) -> tuple[Gold | None, ...]:
    return tuple(None if one in task.scoring.unlabelled else one for one in _golds(values, task, kind))


def _without_held_back(golds: Sequence[tuple[Gold | None, ...]], task: Task) -> list[tuple[Gold | None, ...]]:
    count = len(task.scoring.decided)
    held_back = {at for at in range(count) if golds and all(gold[at] == _UNLABELLED for gold in golds)}
    return [tuple(None if at in held_back else answer for at, answer in enumerate(gold)) for gold in golds]


def labels_among(golds: Iterable[object], kind: Kind) -> tuple[str, ...] | None:
    """Return the labels that occur in right answers, sorted; None if answers are free texts.

    Args:
        golds: the right answers.
        kind: the kind of the answers, such as "labels".
    """
    labels = {label for gold in golds for label in field_paths.strings(gold)} if kind in _OF_CLASSES else None
    return None if labels is None else tuple(sorted(labels))


def check_labels_shared(train: str, learned: Collection[str], asked: Collection[str] | None) -> None:
    """Raise an error if a train file has no label in common with the rows, since a model trained on it is always wrong.

    Args:
        train: the path of the train file, for the message.
        learned: the labels in the train file.
        asked: the labels of the rows; None or empty if they are not known, which passes the check.

    Raises:
        AugmentError: both label sets are known and have no label in common.
    """
    if learned and asked and not set(learned) & set(asked):
        own, others = (", ".join(sorted(one)[:_SHOWN]) for one in (learned, asked))
        raise AugmentError(f"{train}: its labels are {own}; those of the rows are {others}: none is the same")


def _golds(values: Mapping[str, Any], task: Task, kind: Kind) -> tuple[Gold | None, ...]:
    check_opened(values, [key for key in task.layout.opened if key in task.scoring.gold])
    if task.scoring.norms:
        return _norm_labels(field_paths.value(values, task.scoring.gold[0]), task)
    with saying_where(f"the right answer in {', '.join(task.scoring.gold)}"):
        golds = tuple(_gold(_gold_value(values, name, kind), kind, task.scoring) for name in task.scoring.gold)
        return (
            tuple(one and exercises.exercise_of(one, values.get("meta")) for one in golds)
            if kind == "exercises"
            else golds
        )


def _norm_labels(held: object, task: Task) -> tuple[Gold | None, ...]:
    """Return the label of each norm of the task.

    `held` is the row's value: a list in the order of the norms, or an object with a key for each norm. If it is None or
    empty, all labels are None.
    """
    norms = task.scoring.norms
    if held is None or held in ("", [], {}):
        return (None,) * len(norms)
    if isinstance(held, Mapping):
        by_norm = {norm: held[key] for norm in norms for key in held if key and norm.startswith(key)}
        if len(by_norm) == len(held) == len(norms):
            return tuple(_gold(by_norm[norm], "labels") for norm in norms)
    elif isinstance(held, Sequence) and not isinstance(held, str) and len(held) == len(norms):
        return tuple(_gold(label, "labels") for label in held)
    problem = f"field '{task.scoring.gold[0]}' is {held!r}; it must hold a label for each of {', '.join(norms)}"
    raise AugmentError(problem)


def _gold(value: object, kind: Kind, scoring: Scoring | None = None) -> Gold | None:
    if value is None or (value in ("", [], {}) and kind != "spans"):  # a text may hold no span
        return None
    if kind == "spans":
        return spans.spans_of(value)
    if kind == "rankings":
        return rankings.relevant_of(value, scoring.metrics[0] if scoring else "")
    if kind in {"labels", "exercises"}:
        if isinstance(value, Mapping | Sequence) and not isinstance(value, str):
            raise AugmentError(f"{value!r} is no label; name another field with `label_fields`, or a `task`")
        return label_of(value)
    if kind == "answers":
        return tuple(answer_texts(value, scoring.separator if scoring else None)) or None
    questions: list[Any] = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    found = tuple(tuple(label_of(label) for label in labels) for labels in questions)
    return None if any(label is None for labels in questions for label in labels) else found


def most_frequent(golds: Sequence[Gold | None]) -> str:
    """Return the most frequent right answer of the rows; "" if no row has one.

    If several are equally frequent, the alphabetically first is returned.

    Args:
        golds: the right answer of each row; None for a row without one.
    """
    texts = (gold if isinstance(gold, str) else str(gold[0]) for gold in golds if gold)
    counts = Counter(texts)
    return min(counts, key=lambda text: (-counts[text], text), default="")


def answer_of(prediction: Prediction, task: Task, kind: Kind) -> Answer:
    """Return a prediction in the form that metrics compare: a tuple of answers.

    It has an answer for each field that the task asks for. If a task judges one text by several norms, the model gives
    one answer, and the tuple repeats it for each norm.

    Args:
        prediction: what the model returned.
        task: the task of the row.
        kind: the kind of the answers.

    Raises:
        AugmentError: the prediction does not have the form that the task needs.
    """
    gold = task.scoring.gold
    if isinstance(prediction, Mapping) and prediction.keys() <= set(gold):
        prediction = [prediction.get(name) for name in gold]
        prediction = prediction[0] if len(gold) == 1 else prediction
    if len(gold) == 1 and not isinstance(prediction, Mapping):
        return (_entry(prediction, kind),) * len(task.scoring.decided)
    if isinstance(prediction, Sequence) and not isinstance(prediction, str) and len(prediction) == len(gold):
        return tuple(_entry(value, kind) for value in prediction)
    raise AugmentError(f"a prediction is {prediction!r}; the task needs an object with {', '.join(gold)}")


def _entry(value: object, kind: Kind) -> Any:  # noqa: ANN401  (of the kind)
    if kind == "rankings":
        return rankings.ranking_of(value or ())
    if kind == "spans":
        return spans.spans_of(value)
    if kind != "lists" and isinstance(value, str):
        return label_of(value)
    if kind == "lists":
        items = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        nested = [item if isinstance(item, Sequence) and not isinstance(item, str) else [item] for item in items]
        return tuple(label_of(label) for labels in nested for label in labels)
    if isinstance(value, Mapping) or (isinstance(value, Sequence) and not isinstance(value, str)):
        raise AugmentError(f"a prediction is {value!r}; the task needs a {'label' if kind == 'labels' else 'text'}")
    return label_of(value)


def by_field(answer: Sequence[Any], task: Task) -> Any:  # noqa: ANN401  (JSON values)
    """Return an answer as one JSON value: its only entry, or an object that maps names to entries.

    The names are the fields that a model answers, or the norms of the task (`task.scoring.decided`).

    Args:
        answer: the entries, in the order of these names.
        task: the task of the row.
    """
    if len(task.scoring.decided) == 1:
        return answer[0]
    return dict(zip(task.scoring.decided, answer, strict=True))


def prediction_json(answer: Answer, task: Task) -> Any:  # noqa: ANN401  (JSON values)
    """Return a prediction as one JSON value.

    A prediction with one entry becomes this entry. Several entries become an object that maps fields to entries. For a
    task that judges one text by several norms, the value is the single answer that the model gave for all norms.

    Args:
        answer: the entries of the prediction, in the order of `task.scoring.decided`.
        task: the task of the row.
    """
    return answer[0] if task.scoring.norms else by_field(answer, task)


def group_of(values: Mapping[str, Any], task: Task) -> str | None:
    """Return the group of a row, as a text: the value of the field that `task.scoring.grouped_by` names.

    The result is None if the row lacks the field, or if the task names none.

    Args:
        values: the row.
        task: its task.
    """
    held = field_paths.value(values, task.scoring.grouped_by) if task.scoring.grouped_by else None
    return None if held is None else label_of(held)
