"""Models that give scores: the same predictions as without, and the scores agree with them."""

from pathlib import Path
from typing import Any

import pytest

from augment_ru.evaluation.examples import ModelRequest, example_of, model_of
from augment_ru.records.task import generic, task
from commands import write
from small_classifier import classifier
from small_models import SENTENCES

ROWS = [{"text": text, "label": ("a", "b", "c")[number % 3]} for number, text in enumerate(SENTENCES)]


@pytest.mark.parametrize("labels", [("a", "b", "c"), ("a", "b")])
@pytest.mark.parametrize("kind", ["linear", "adaboost"])
def test_bags_of_words(kind: str, labels: tuple[str, ...], tmp_path: Path) -> None:
    rows = [row for row in ROWS if row["label"] in labels]
    train = write(tmp_path / "train.jsonl", *rows)
    model: Any = model_of(f"{kind}:{train}", ModelRequest("", generic(), labels, "cpu"))
    examples = [example_of(row, generic()) for row in rows]
    scored = model.scored(examples)
    assert [one.prediction for one in scored] == model(examples)
    for one in scored:
        (scores,) = one.scores
        assert set(scores) == set(labels)
        assert scores[one.prediction] == max(scores.values())
    assert model.scored([]) == []


def test_a_model_without_a_decision_function_gives_labels_alone(tmp_path: Path) -> None:
    train = write(tmp_path / "train.jsonl", *({**row, "label": "a"} for row in ROWS))
    model: Any = model_of(f"linear:{train}", ModelRequest("", generic(), ("a",), "cpu"))
    (one,) = model.scored([example_of(ROWS[0], generic())])
    assert (one.prediction, one.scores) == ("a", ({"a": 0.0},))


@pytest.mark.parametrize("several", [False, True])
def test_a_classifier_of_hugging_face(several: bool, tmp_path: Path) -> None:  # noqa: FBT001
    schema = task("sit_ethics") if several else generic()
    folder = classifier(tmp_path / "bert", schema.scoring.gold if several else ("a", "b"))
    labels = ("0", "1") if several else ("a", "b")
    model: Any = model_of(f"hf-classifier:{folder}", ModelRequest("", schema, labels, "cpu"))
    rows = [{"text": text} for text in SENTENCES[:6]]
    examples = [example_of(row, schema) for row in rows]
    scored = model.scored(examples)
    assert [one.prediction for one in scored] == model(examples)
    for one in scored:
        decisions = one.prediction.values() if several else [one.prediction]
        for label, scores in zip(decisions, one.scores, strict=True):
            assert scores[label] >= max(scores.values()) - 1e-3
