"""Every metric and rate of a report, counted again from the predictions by other code, for every task.

The formulas are written here anew, from their definitions: nothing of the package's own metrics is used.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from augment_ru import evaluate
from augment_ru.evaluation.examples import Example
from augment_ru.records.task import Task
from augment_ru.records.task import task as task_of
from benchmark_rows import benchmark_rows, benchmark_tasks

TRUE = ("1", "true")


def plain(value: object) -> str:
    """A label as text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def words(text: str) -> list[str]:
    """The words of an answer in normal form."""
    lower = unicodedata.normalize("NFC", text.lower()).replace("ё", "е").replace("\u0301", "")
    return re.sub(r"[^\w\s+$|№]", "", lower).split()


def token_f1(right: str, given: str) -> float:
    wanted, found = words(right), words(given)
    common = sum(min(wanted.count(one), found.count(one)) for one in set(wanted))
    return 2 * common / (len(wanted) + len(found)) if common else float(wanted == found)


def macro_f1(pairs: Sequence[tuple[str, str]], classes: Sequence[str]) -> float:
    scores = []
    for label in {*classes} | {one for pair in pairs for one in pair}:
        hits = sum(right == given == label for right, given in pairs)
        total = sum((right == label) + (given == label) for right, given in pairs)
        scores.append(2 * hits / total if total else 0.0)
    return fmean(scores)


def mcc(pairs: Sequence[tuple[str, str]]) -> float:
    """Of two classes it is Pearson's correlation of the indicators."""
    right, given = (np.array([one in ("1", "not_entailment") for one in side]) for side in zip(*pairs, strict=True))
    return 0.0 if right.std() == 0 or given.std() == 0 else float(np.corrcoef(right, given)[0, 1])


def right_answers(row: Mapping[str, Any], task: Task) -> list[str]:
    """All right answers of a row with written answers."""
    held = row["qas"][0]["answers"] if task.name == "rucos" else row[task.scoring.gold[0]]
    held = held["text"] if task.name == "squad" else held
    listed = held if isinstance(held, list) else [held]
    texts = [str(one.get("segment", one.get("text"))) if isinstance(one, dict) else str(one) for one in listed]
    return [part.strip() for text in texts for part in (text.split(";") if task.scoring.separator else [text])]


def f1_of_options(pairs: Sequence[tuple[Any, Any]]) -> float:
    """The F1 of the label 1 over all options of MuSeRC."""
    options = [pair for right, given in questions(pairs) for pair in zip(right, given, strict=True)]
    flat = [(one in TRUE, other in TRUE) for one, other in options]
    hits, size = sum(one and other for one, other in flat), sum(one + other for one, other in flat)
    return 2 * hits / size if size else 0.0


SCORES: Mapping[str, Callable[[Sequence[tuple[Any, Any]]], float]] = {
    "accuracy": lambda pairs: fmean(right == given for right, given in pairs),
    "mcc": mcc,
    "f1": lambda pairs: fmean(max(token_f1(one, given) for one in right) for right, given in pairs),
    "exact_match": lambda pairs: fmean(any(words(one) == words(given) for one in right) for right, given in pairs),
    "muserc_f1a": f1_of_options,
    "muserc_em": lambda pairs: fmean(right == given for right, given in questions(pairs)),
}


def score(metric: str, pairs: Sequence[tuple[Any, Any]], classes: Sequence[str]) -> float:
    """A metric of pairs of what is right and what was predicted."""
    return macro_f1(pairs, classes) if metric == "macro_f1" else SCORES[metric](pairs)


def questions(pairs: Sequence[tuple[Any, Any]]) -> list[tuple[list[str], list[str]]]:
    """The right and the predicted labels of the options of each question of MuSeRC."""
    found = []
    for row, given in pairs:
        start = 0
        for question in row["passage"]["questions"]:
            right = [plain(one["label"]) for one in question["answers"]]
            found.append((right, list(given[start : start + len(right)])))
            start += len(right)
    return found


def model_of(task: Task, rows: Sequence[Mapping[str, Any]]) -> Any:  # noqa: ANN401  (a function)
    """A model whose answer is a draw from its question."""
    free = [answer for row in rows for answer in right_answers(row, task)] if "f1" in task.scoring.metrics else []
    single = len(task.scoring.gold) == 1 and not (free or task.scoring.norms or task.name == "muserc")
    labels = sorted({plain(row[task.scoring.gold[0]]) for row in rows}) if single else ["0", "1"]

    def answer(example: Example, salt: str = "") -> str:
        draw = crc32((example.text + salt).encode())
        options = [*free, *(f"{one.upper()} и ещё, кое-что" for one in free)] or labels
        return options[draw % len(options)]

    def predict(examples: Sequence[Example]) -> list[Any]:
        if task.name == "muserc":
            return [[answer(one, str(at)) for at in range(3)] for one in examples]
        if len(task.scoring.gold) > 1:
            return [{name: answer(one, name) for name in task.scoring.gold} for one in examples]
        return [answer(one) for one in examples]

    return predict


def decisions(task: Task, rows: Sequence[Mapping[str, Any]], given: Sequence[Any]) -> dict[str, list[tuple[Any, Any]]]:
    """The pairs of what is right and what was predicted, by what is scored apart: labels, norms, groups of rows."""
    found: dict[str, list[tuple[Any, Any]]] = {}
    for row, one in zip(rows, given, strict=True):
        group = str(row["meta"][task.scoring.grouped_by.removeprefix("meta.")]) if task.scoring.grouped_by else ""
        if task.scoring.norms:
            pairs = {f"{group} {at}": (label, one) for at, label in enumerate(row["outputs"])}
        elif len(task.scoring.gold) > 1:
            pairs = {name: (plain(row[name]), plain(one[name])) for name in task.scoring.gold}
        elif "f1" in task.scoring.metrics:
            pairs = {"": (right_answers(row, task), one)}
        else:
            pairs = {group: (row if task.name == "muserc" else plain(row[task.scoring.gold[0]]), one)}
        for name, pair in pairs.items():
            found.setdefault(name, []).append(pair)
    return found


def is_right(right: Any, given: Any) -> bool:  # noqa: ANN401  (of any kind)
    if isinstance(right, Mapping):
        return all(one == other for one, other in questions([(right, given)]))
    return any(words(one) == words(given) for one in right) if isinstance(right, list) else bool(right == given)


@pytest.mark.parametrize("name", benchmark_tasks())
def test_every_number_is_that_of_other_code(name: str) -> None:
    pytest.importorskip("sklearn")
    task = task_of(name)
    originals, perturbed = (benchmark_rows(name, ending) for ending in ("Так было", "Так стало"))
    for row in (*originals, *perturbed):  # what TAPE's files add would name the attack
        row.pop("perturbation", None)
        row.pop("episode", None)
    for number, row in enumerate(originals):
        if task.scoring.separator:  # several right answers in one text
            for rows in (originals, perturbed):
                rows[number]["outputs"] = f"{right_answers(row, task)[0]}; кто-то другой"
    evaluation = evaluate(perturbed, {"drawn": model_of(task, originals)}, originals=originals, task=name)
    (entry,) = evaluation.report()["models"]
    rows = list(evaluation.predictions())
    sides = [decisions(task, originals, [row[key] for row in rows]) for key in ("original_prediction", "prediction")]
    classes = sorted({plain(row[task.scoring.gold[0]]) for row in originals}) if task.scoring.every_class else []
    attack = entry["attacks"]["perturbed"]
    for metric in task.scoring.metrics:
        before, after = (100 * fmean(score(metric, pairs, classes) for pairs in side.values()) for side in sides)
        assert entry["metrics"][metric]["value"] == pytest.approx(before, abs=1e-3), metric
        assert attack["metrics"][metric]["before"] == pytest.approx(before, abs=1e-3), metric
        assert attack["metrics"][metric]["after"] == pytest.approx(after, abs=1e-3), metric
    flags = [
        (is_right(*one), is_right(*other))
        for part in sides[0]
        for one, other in zip(sides[0][part], sides[1][part], strict=True)
    ]
    assert attack["right"] == sum(one for one, _ in flags)
    assert attack["broken"] == sum(one and not other for one, other in flags)
    assert attack["fixed"] == sum(other and not one for one, other in flags)
