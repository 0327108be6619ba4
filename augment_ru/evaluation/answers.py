"""Convert right answers and predictions to the form that metrics compare, and compute the metrics.

The form depends on the kind of the answers (`records.metric_kinds.Kind`).

Scores are in [0, 1]; the score of MCC is in [-1, 1]. The metrics of rankings have the values of trec_eval's.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from math import log2
from operator import eq
from typing import Any, Literal, NamedTuple, TypeAlias

from augment_ru.edits import Span
from augment_ru.errors import MALFORMED, AugmentError, brief, saying_instead, saying_where
from augment_ru.evaluation import answer_scores
from augment_ru.evaluation.examples import Prediction
from augment_ru.records import field_paths, metric_kinds
from augment_ru.records.answers import answer_texts, label_of
from augment_ru.records.groups import grouped
from augment_ru.records.offsets import check_opened
from augment_ru.records.task import Scoring, Task
from augment_ru.script import Script

_NO_LETTERS = re.compile(r"[\d\W]+")
_WITH_PARTS = "16"
"""The number of the exercise that gives a point for each right choice; others need all right choices."""


class Exercise(NamedTuple):
    """The right answer to an exercise of USE (MERA's task from the Russian school exam), and how it is scored.

    Attributes:
        answer: the right words (any one is enough) or the numbers of all right choices, separated by commas.
        kind: `text` (an answer in words), `matching` (a number for each item), or one of the kinds of multiple choice.
        number: the number of the exercise in the exam.
        variant: the number of the variant of the exam (a full set of exercises).
        most: the most points that the exercise can give.
    """

    answer: str
    kind: str
    number: str
    variant: str
    most: float

    def points(self, given: str) -> int:
        """Return the points that an answer earns, by the rules of the benchmark's own code.

        A right word earns 1 point. Matching earns 1 for each right number, if the answer has as many numbers as the
        right one. Multiple choice earns 1 if all choices are right; in exercise 16, 1 for each right choice, minus the
        number of choices beyond those needed.

        Args:
            given: the answer of a model: a word, or numbers with commas between them.
        """
        wanted, found = self.answer.split(","), given.split(",")
        if self.kind == "text":
            return int(_NO_LETTERS.sub("", given).lower() in wanted)
        if self.kind == "matching":
            return sum(map(str.__eq__, wanted, found)) if len(wanted) == len(found) else 0
        if self.number == _WITH_PARTS:
            return max(0, len({*wanted} & {*found}) - max(len(found) - len(wanted), 0))
        return int({*wanted} == {*found})


def exercise_of(answer: object, meta: object) -> Exercise:
    """Return the exercise of a row of USE, MERA's task from the Russian school exam.

    Args:
        answer: the right answer that the row states.
        meta: the row's field `meta`. If it has no `score`, the exercise gives at most one point.

    Raises:
        AugmentError: `meta` is no object.
    """
    if not isinstance(meta, Mapping):
        raise AugmentError(f"field 'meta' is {brief(meta)}; it must be an object with type, id_task, variant and score")
    kind, number, variant = (label_of(meta.get(key)) for key in ("type", "id_task", "variant"))
    return Exercise(label_of(answer), kind, number, variant, float(meta.get("score") or 1))


def grade_norm(golds: Sequence[Exercise], predictions: Sequence[str]) -> float:
    """Return MERA's grade norm: the share of the possible points, averaged over variants of the exam, in [0, 1].

    The share of a variant is the points that its exercises earn, divided by the most points that they can give (MERA,
    section 4.2).

    Args:
        golds: the exercises, with their right answers.
        predictions: the answer of the model to each.
    """
    points, most = Counter[str](), Counter[str]()
    for gold, given in zip(golds, predictions, strict=True):
        points[gold.variant] += gold.points(given)
        most[gold.variant] += gold.most  # type: ignore[assignment]
    return sum(points[variant] / most[variant] for variant in most) / len(most) if most else 0.0


Ranking: TypeAlias = Sequence[str]
"""The ids of documents, the best first."""


class Relevant(NamedTuple):
    """The right answer to a query of a search engine: the documents that are relevant to it.

    Attributes:
        grades: the id and the relevance grade (above 0) of each relevant document.
        first: the cutoff k: a ranking is right if a relevant document is among its first k documents.
    """

    grades: tuple[tuple[str, float], ...]
    first: int = 1

    @property
    def gains(self) -> dict[str, float]:
        """Return the grade of each relevant document (how relevant it is, above 0), by the id of the document."""
        return dict(self.grades)

    def is_met(self, ranking: Ranking) -> bool:
        """Tell whether a relevant document is among the first `first` documents of the ranking."""
        return _hit(self.gains, ranking, self.first) > 0

    def margin(self, scores: Mapping[str, float]) -> float:
        """Return how far the ranking by these scores is from being wrong; above 0 it is right.

        A ranking is right if a relevant document is among its first k documents (k is `first`). The result is the
        highest score of a relevant document, minus the k-th highest score of the other documents.

        Args:
            scores: the score of each document; a document without a score counts as having the lowest score.
        """
        gains, lowest = self.gains, min(scores.values(), default=0.0)
        others = sorted((value for name, value in scores.items() if name not in gains), reverse=True)
        last = others[self.first - 1] if len(others) >= self.first else lowest
        return max((scores[name] for name in gains if name in scores), default=lowest) - last


def relevant_of(value: object, metric: str) -> Relevant | None:
    """Return the documents that are relevant to a query, as its row states them; None if none is relevant.

    Args:
        value: a mapping from ids of documents to grades, as in TREC's qrels; or a list of ids, or a single id: each
            of these documents then has the grade 1.
        metric: the main metric of the task. With `hit@10`, a ranking is right if a relevant document is among its first
            10. Without a number, the first document must be relevant.

    Raises:
        AugmentError: the value has another form, or a grade is no number.
    """
    held = value if isinstance(value, Mapping) else dict.fromkeys(ranking_of(value), 1)
    with saying_instead(f"{brief(value)}: has a grade that is no number; give ids with numbers", TypeError, ValueError):
        grades = tuple((str(name), float(grade)) for name, grade in held.items() if float(grade) > 0)
    return Relevant(grades, int(metric.partition("@")[2] or 1)) if grades else None


def ranking_of(value: object) -> tuple[str, ...]:
    """Return the ids of ranked documents as texts, the best first, without repeats.

    Args:
        value: a list of ids, or a single id.

    Raises:
        AugmentError: the value is no list of ids.
    """
    items = [value] if isinstance(value, str | int) else value
    if not isinstance(items, Sequence) or not all(isinstance(one, str | int) for one in items):
        raise AugmentError(f"{brief(value)} is no ranking; the task needs a list of the ids of documents")
    return tuple(dict.fromkeys(map(str, items)))


def _recall(gains: Mapping[str, float], ranking: Ranking, first: int | None) -> float:
    return sum(name in gains for name in ranking[:first]) / len(gains)


def _hit(gains: Mapping[str, float], ranking: Ranking, first: int | None) -> float:
    return float(not gains.keys().isdisjoint(ranking[:first]))


def _ndcg(gains: Mapping[str, float], ranking: Ranking, first: int | None) -> float:
    best = _discounted(sorted(gains.values(), reverse=True)[:first])
    return _discounted([gains.get(name, 0.0) for name in ranking[:first]]) / best


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(place + 2) for place, gain in enumerate(gains))


def _reciprocal_rank(gains: Mapping[str, float], ranking: Ranking, first: int | None) -> float:
    return next((1 / place for place, name in enumerate(ranking[:first], start=1) if name in gains), 0.0)


_RANKING_SCORES = {"hit": _hit, "recall": _recall, "ndcg": _ndcg, "mrr": _reciprocal_rank}


def ranking_score(metric: str) -> Callable[[Sequence[Relevant], Sequence[Ranking]], float]:
    """Return the function that computes a metric of rankings, such as `ndcg@10`, as the mean over queries, in [0, 1].

    The function takes the relevant documents and the rankings of all queries. The metrics are those of trec_eval under
    other names: `hit` is success, `ndcg` is ndcg_cut (the gain of a document is its grade), and `mrr` is the mean of
    recip_rank.

    Args:
        metric: `hit`, `ndcg` or `mrr`, with @ and the number of documents that count.
    """
    name, _, at = metric.partition("@")
    one, first = _RANKING_SCORES[name], int(at) if at else None

    def score(golds: Sequence[Relevant], rankings: Sequence[Ranking]) -> float:
        return _mean([one(gold.gains, ranking, first) for gold, ranking in zip(golds, rankings, strict=True)])

    return score


class LabelledSpan(NamedTuple):
    """A part of a text with a label, as a right answer or a prediction; such as a named entity.

    Spans are sorted by `start`, then by `stop` and label.

    Attributes:
        start: the place (index in the text, from 0) of its first character.
        stop: the place after its last character.
        label: the label.
    """

    start: int
    stop: int
    label: str


Spans: TypeAlias = Sequence[LabelledSpan]
Fate: TypeAlias = Literal["kept", "border", "type", "lost"]
FATES: Sequence[Fate] = ("kept", "border", "type", "lost")
"""What becomes of a right span under an attack: found again; with another border; with another label; or not at all."""


def spans_of(value: object) -> tuple[LabelledSpan, ...]:
    """Return the labelled spans in a list, sorted and without repeats.

    Args:
        value: a list of objects with `start`, `end` and `label`, or of lists [start, end, label]; None for no spans.

    Raises:
        AugmentError: the value has another form.
    """
    with saying_instead(f"{brief(value)}: no list of spans; give start, end and label of each", *MALFORMED):
        return tuple(sorted({span_of(one) for one in value or ()}))  # type: ignore[attr-defined]


def span_of(one: Any) -> LabelledSpan:  # noqa: ANN401  (JSON values)
    """Return the labelled span in one item of a list of spans.

    Args:
        one: an object with `start`, `end` and `label`, or a list [start, end, label].

    Raises:
        TypeError, ValueError, KeyError: the item is no span.
    """
    start, stop, label = (one["start"], one["end"], one["label"]) if isinstance(one, Mapping) else one
    if not 0 <= int(start) < int(stop):
        raise ValueError("no span")
    return LabelledSpan(int(start), int(stop), str(label))


def in_source(spans: Spans, back: Script, moved: Mapping[LabelledSpan, LabelledSpan]) -> tuple[LabelledSpan, ...]:
    """Move spans of a perturbed text to their places in the original, so that they can be compared with its spans.

    Args:
        spans: the spans that a model finds in the perturbed text.
        back: the edits that turn the perturbed text back into the original.
        moved: maps each right span of the perturbed text to the same span of the original, whose place is known.
    """
    size = len(back.source)
    inside = (one._replace(start=min(one.start, size), stop=min(one.stop, size)) for one in spans)
    return tuple(sorted({moved.get(one) or own for one, own in zip(spans, carried(inside, back), strict=True)}))


def carried(spans: Iterable[LabelledSpan], script: Script) -> list[LabelledSpan]:
    """Move spans of a text to their places in the new text that a script (a list of edits) makes of it.

    Args:
        spans: the spans of the text before the edits (`script.source`).
        script: the edits.
    """
    found = (script.carried(Span(*one)) for one in spans)
    return [LabelledSpan(one.start, one.stop, one.label) for one in found]


def span_score(metric: str, label: str | None = None) -> Callable[[Sequence[Spans], Sequence[Spans]], float]:
    """Return the function that computes a metric of labelled spans: F1 over all spans of all rows, in [0, 1].

    The function takes the right spans and the predicted spans of all rows. `span_f1` counts predicted spans with the
    right borders and label (as seqeval does, and nervaluate's `strict`). `span_f1_relaxed` counts predicted spans that
    overlap a right one with the same label (nervaluate's `ent_type`, of SemEval 2013).

    Args:
        metric: `span_f1` or `span_f1_relaxed`.
        label: only spans with this label count; None to count all spans.
    """
    count = _overlapping if metric.endswith("relaxed") else _exact

    def score(golds: Sequence[Spans], given: Sequence[Spans]) -> float:
        right = possible = found = 0
        for gold, own in zip(golds, given, strict=True):
            wanted, ours = ([one for one in side if label in {None, one.label}] for side in (gold, own))
            right, possible, found = right + count(wanted, ours), possible + len(wanted), found + len(ours)
        return 2 * right / (possible + found) if possible + found else 0.0

    return score


def _exact(gold: Spans, given: Spans) -> int:
    return len(set(gold) & set(given))


def _overlapping(gold: Spans, given: Spans) -> int:
    """Count the given spans that match a right span, as nervaluate does.

    Each given span is matched with the nearest right span that overlaps it and has its label. If no such span is free,
    it uses up an overlapping one of another label, and does not count.
    """
    open_, right = list(gold), 0
    for one in given:
        near = [other for other in open_ if other.start < one.stop and one.start < other.stop]
        same = [other for other in near if other.label == one.label]
        if near:
            best = min(same, key=lambda other: abs(other.start - one.start) + abs(other.stop - one.stop), default=None)
            open_.remove(best or near[0])
            right += best is not None
    return right


def fates(gold: Spans, before: Spans, after: Spans) -> Counter[Fate]:
    """Count what an attack does to the right spans that a model found in the original.

    In the perturbed text the model finds such a span again (kept), with another border (border), with another label
    (type), or not at all (lost).

    Args:
        gold: the right spans of the original.
        before: the spans that the model found in the original.
        after: the spans that it found in the perturbed text, moved to their places in the original (`in_source`).
    """
    found: Counter[Fate] = Counter()
    for one in set(gold) & set(before):
        near = [other for other in after if other.start < one.stop and one.start < other.stop]
        labels = {other.label for other in near}
        found["kept" if one in near else "border" if one.label in labels else "type" if near else "lost"] += 1
    return found


Kind: TypeAlias = metric_kinds.Kind

Gold: TypeAlias = str | tuple[str, ...] | tuple[tuple[str, ...], ...] | Relevant | Exercise | tuple[LabelledSpan, ...]
"""A right answer. Its form depends on the kind: for "labels" a label; for "answers" all texts that count as right; for
"lists" the labels of the options, in a tuple for each question; for "rankings" the relevant documents; for "spans" the
spans; for "exercises" the exercise."""


class Metric(NamedTuple):
    """A function that scores predictions, with the kind of answers that it takes.

    Attributes:
        kind: the kind of the answers, such as "labels" or "spans".
        score: takes the right answers and the predictions of all rows, and returns the score of the predictions.
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
    return sum(map(eq, golds, predictions)) / len(golds) if golds else 0.0


def exact_match(golds: Sequence[Sequence[str]], predictions: Sequence[str], form: str = "russian") -> float:
    """Return the share of predictions that equal one of the right answers of their row.

    Args:
        golds: the right answers of each row.
        predictions: the answer of the model to each row.
        form: the normal form of texts, "russian" or "squad" (`answer_scores.normalised`).
    """
    return _mean([answer_scores.same_answer(*pair, form) for pair in zip(golds, predictions, strict=True)])


def f1(golds: Sequence[Sequence[str]], predictions: Sequence[str], form: str = "russian") -> float:
    """Return the mean of the token F1 of each row: the F1 between the words of the prediction and of the right answer.

    If a row has several right answers, the closest one counts.

    Args:
        golds: the right answers of each row.
        predictions: the answer of the model to each row.
        form: the normal form of texts, "russian" or "squad" (`answer_scores.normalised`).
    """
    return _mean([answer_scores.best_token_f1(*pair, form) for pair in zip(golds, predictions, strict=True)])


Questions: TypeAlias = Sequence[Sequence[str]]
"""For each question of a row, the labels of its options."""


def muserc_f1a(golds: Sequence[Questions], predictions: Sequence[Sequence[str]]) -> float:
    """Return MuSeRC's F1a: the F1 of the label 1 over the options of all questions (Khashabi et al. 2018, section 4).

    A row of MuSeRC, a task of the benchmark Russian SuperGLUE, has a passage with several questions, and each option of
    a question has the label 0 or 1.

    Args:
        golds: the right labels of the options of each question, in a list for each row.
        predictions: the predicted labels of all options, one question after the other, in a list for each row.
    """
    return answer_scores.f1_of_true((gold, given) for _, gold, given in _options(golds, predictions))


def muserc_em(golds: Sequence[Questions], predictions: Sequence[Sequence[str]]) -> float:
    """Return MuSeRC's EM: the share of questions for which the labels of all options are predicted right.

    A row of MuSeRC, a task of the benchmark Russian SuperGLUE, has a passage with several questions, and each option of
    a question has the label 0 or 1.

    Args:
        golds: the right labels of the options of each question, in a list for each row.
        predictions: the predicted labels of all options, one question after the other, in a list for each row.
    """
    return answer_scores.whole((question, gold == given) for question, gold, given in _options(golds, predictions))


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
    "macro_f1": lambda golds, predictions: answer_scores.macro_f1(zip(golds, predictions, strict=True)),
    "mcc": lambda golds, predictions: answer_scores.matthews(zip(golds, predictions, strict=True)),
    "exact_match": exact_match,
    "f1": f1,
    "grade_norm": grade_norm,
    "muserc_f1a": muserc_f1a,
    "muserc_em": muserc_em,
}
OTHER_FORM = "_russian"
"""The suffix of metrics of written answers whose case, punctuation and spaces are made alike as for Russian, in tasks
whose benchmark makes them alike in another way.
"""
_WRITTEN = {"exact_match": exact_match, "f1": f1}


def _metric(name: str, kind: Kind) -> Metric:
    if kind == "spans":
        return Metric(kind, span_score(name), partial(span_score, name))
    return Metric(kind, ranking_score(name) if kind == "rankings" else _SCORES[name])


METRICS = {name: _metric(name, kind) for name, kind in metric_kinds.METRIC_KINDS.items()}


def metrics_of(names: Sequence[str], form: str = "russian") -> dict[str, Metric]:
    """Return the metrics with these names, by name.

    If `form` is not "russian", each metric that compares texts is returned twice: in this form under its own name, and
    in the Russian form with the suffix `_russian`, such as `f1_russian`.

    Args:
        names: the names of the metrics.
        form: the normal form of texts, "russian" or "squad" (`answer_scores.normalised`).

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
    """Make macro F1 the mean over all given classes, even those that occur in no row; return the new metrics.

    Metrics other than macro F1 stay as they are.

    Args:
        metrics: the metrics, by name.
        classes: the classes.
    """

    def score(golds: Sequence[str], predictions: Sequence[str]) -> float:
        return answer_scores.macro_f1(zip(golds, predictions, strict=True), classes)

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
        form: the normal form of texts, "russian" or "squad" (`answer_scores.normalised`).
    """
    if kind == "answers":
        return answer_scores.same_answer(gold, prediction, form)
    if kind == "rankings":
        return bool(gold.is_met(prediction))
    if kind == "exercises":
        return bool(gold.points(prediction) >= gold.most)
    if kind == "lists" and gold and not isinstance(gold[0], str):
        gold = tuple(label for question in gold for label in question)
    return bool(gold == prediction)


def as_compared(kind: Kind, answer: Any, form: str = "russian") -> Any:  # noqa: ANN401  (of the kind)
    """Return a prediction in the form in which two predictions are compared.

    A written answer becomes a text in the normal form `form`, a ranking its first document. Predictions of other kinds
    stay as they are.

    Args:
        kind: the kind of the answer.
        answer: the prediction.
        form: the normal form of texts, "russian" or "squad" (`answer_scores.normalised`).
    """
    if kind == "answers":
        return answer_scores.normalised(answer, form)
    return answer[:1] if kind == "rankings" else answer


Answer: TypeAlias = tuple[Any, ...]
"""A prediction as metrics compare it: an entry for each norm of the task or each field of its right answer
(`task.scoring.decided`), in the form of the kind of answer (`Gold`).
"""

Golds: TypeAlias = Sequence[Sequence[Gold | None]]
"""For each original row, a right answer for each norm of the task or each field of its right answer
(`task.scoring.decided`); None if the row does not state it.
"""

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
    """Return the right answers of each row as a tuple, with an answer for each field that a model must answer.

    If the task judges one text by several norms (such as law and virtue), the tuple has an answer for each norm. A
    right answer is None if the row does not state it, or if its label means that it is not known
    (`Scoring.unlabelled`). If a field is -1 in all rows, the benchmark keeps its labels secret: all are None.

    Args:
        rows: the rows.
        task: their task.
        kind: the kind of the answers.

    Raises:
        AugmentError: a field must hold a label but holds another value, or does not hold a label for each norm.
    """
    return _without_held_back([_labelled(values, task, kind) for values in rows], task)


def different_golds(rows: Iterable[Mapping[str, Any]], task: Task) -> set[tuple[Gold | None, ...]]:
    """Return the different right answers of the rows, as tuples with an entry for each field that a model answers.

    The result is empty unless the answers are labels (kinds "labels" and "lists").

    Args:
        rows: the rows.
        task: their task.

    Raises:
        AugmentError: a field must hold a label but holds another value.
    """
    kind = answer_kind(task)
    return {_labelled(values, task, kind) for values in rows if kind in _OF_CLASSES}


def labels_of_different(golds: Iterable[tuple[Gold | None, ...]], task: Task) -> tuple[str, ...] | None:
    """Return the labels that occur in right answers, sorted; None if answers are no labels, such as free texts.

    Args:
        golds: the different right answers of all rows, each as a tuple with an entry for each field that a model
            answers. A field with the label -1 in all of them is left out: its labels are kept secret.
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
    """Return the labels that occur in right answers, sorted; None if answers are no labels, such as free texts.

    Args:
        golds: the right answers.
        kind: the kind of the answers, such as "labels".
    """
    labels = {label for gold in golds for label in field_paths.strings(gold)} if kind in _OF_CLASSES else None
    return None if labels is None else tuple(sorted(labels))


def check_labels_shared(train: str, learned: Collection[str], asked: Collection[str] | None) -> None:
    """Check that a train file has a label in common with the rows; a model trained on it would else be always wrong.

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
        return tuple(one and exercise_of(one, values.get("meta")) for one in golds) if kind == "exercises" else golds


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
        return spans_of(value)
    if kind == "rankings":
        return relevant_of(value, scoring.metrics[0] if scoring else "")
    if kind in {"labels", "exercises"}:
        if isinstance(value, Mapping | Sequence) and not isinstance(value, str):
            raise AugmentError(f"{value!r} is no label; name a field, or an entry such as tags[0], with `label_fields`")
        return label_of(value)
    if kind == "answers":
        return tuple(answer_texts(value, scoring.separator if scoring else None)) or None
    questions: list[Any] = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    found = tuple(tuple(label_of(label) for label in labels) for labels in questions)
    return None if any(label is None for labels in questions for label in labels) else found


def most_frequent(golds: Sequence[Gold | None]) -> str:
    """Return the most frequent right answer of the rows, which a model must beat; "" if no right answer is known.

    If several are equally frequent, the alphabetically first is returned.

    Args:
        golds: the right answer of each row; None if it is not known.
    """
    counts = Counter(gold if isinstance(gold, str) else str(gold[0]) for gold in golds if gold)
    return min(counts, key=lambda text: (-counts[text], text), default="")


def answer_of(prediction: Prediction, task: Task, kind: Kind) -> Answer:
    """Return a prediction in the form that metrics compare: a tuple of answers.

    The tuple has an answer for each field that a model must answer. If the task judges one text by several norms (such
    as law and virtue), the model gives one answer, and the tuple repeats it for each norm.

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
        return ranking_of(value or ())
    if kind == "spans":
        return spans_of(value)
    if kind == "lists":
        items = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        nested = [item if isinstance(item, Sequence) and not isinstance(item, str) else [item] for item in items]
        return tuple(label_of(label) for labels in nested for label in labels)
    if not isinstance(value, str) and isinstance(value, (Mapping, Sequence)):
        raise AugmentError(f"a prediction is {value!r}; the task needs a {'label' if kind == 'labels' else 'text'}")
    return label_of(value)


def by_field(answer: Sequence[Any], task: Task) -> Any:  # noqa: ANN401  (JSON values)
    """Return an answer as one JSON value: its only entry, or an object with all entries.

    The keys of the object are the fields that a model answers, or the norms of the task (`task.scoring.decided`).

    Args:
        answer: the entries, in the order of these keys.
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

    The result is None if the row lacks the field, or if the task names no field.

    Args:
        values: the row.
        task: its task.
    """
    held = field_paths.value(values, task.scoring.grouped_by) if task.scoring.grouped_by else None
    return None if held is None else label_of(held)
