"""The laws of the search against every kind of model that is found."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from augment_ru import Adversary, Script
from augment_ru.evaluation.examples import Example, ModelRequest, NamedModel, example_of
from augment_ru.models import adaboost
from augment_ru.records.task import generic
from augment_ru.registry import names
from commands import write
from kept_models import kept
from profiles import IS_FULL
from served import chat, serving
from small_causal import causal
from small_classifier import classifier
from small_models import SENTENCES
from small_seq2seq import seq2seq

LABELS = ("да", "нет")
ROWS = [{"id": number, "text": text} for number, text in enumerate(SENTENCES[:6])]
BUDGET = 48 if IS_FULL else 24
OF_LABELS = sorted(
    {*names("models")}
    - {"bm25", "hf_encoder", "ranking", "tfidf", "people"}  # tests/evaluation/test_rankings.py searches against these
    - {"hf_tokens", "slovnet", "spacy"}  # they find spans, which no search breaks
)  # fmt: skip
UNBROKEN = frozenset({"majority"})
"""It gives the same answer to any text."""


def by_length(texts: list[str]) -> list[str]:
    """A user's own function: its answers hang on the letters of a text."""
    return [LABELS[sum(map(ord, text)) % 2] for text in texts]


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[str, Mapping[str, str]]]]:
    """A specification of each kind, and the options of its model."""
    place = tmp_path_factory.mktemp("victims")
    train = write(
        place / "train.jsonl",
        *({"text": text, "label": LABELS[number % 2]} for number, text in enumerate(SENTENCES)),
        {"text": SENTENCES[0], "label": LABELS[0]},  # so that the labels are not equally frequent
    )
    with serving(lambda _, question: (200, chat(by_length([str(question["messages"][-1])])[0]))) as box:
        yield {
            "adaboost": (f"adaboost:{train}", {}),
            "hf_causal": (f"hf-causal:{kept(causal)}", {}),
            "hf_classifier": (f"hf-classifier:{kept(classifier, LABELS)}", {}),
            "hf_seq2seq": (f"hf-seq2seq:{kept(seq2seq)}", {}),
            "linear": (f"linear:{train}", {}),
            "majority": (f"majority:{train}", {}),
            "openai": (f"openai:{box.url}#tiny", {}),
            "python": (f"python:{__name__.rpartition('.')[2]}:by_length", {"input": "text"}),
            "random": ("random", {}),
        }


def test_every_kind_is_attacked(specs: Mapping[str, Any]) -> None:
    assert sorted(specs) == OF_LABELS


@pytest.mark.parametrize("kind", OF_LABELS)
def test_laws_for_every_model(
    kind: str, specs: Mapping[str, tuple[str, Mapping[str, str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    if not IS_FULL:  # scikit-learn asks each tree by itself
        monkeypatch.setattr(adaboost, "TREES", adaboost.TREES // 20)
    spec, options = specs[kind]
    model = NamedModel.made(spec, ModelRequest("", generic(), LABELS), options)
    rows = [{**row, "label": label} for row, label in zip(ROWS, answers(model, ROWS), strict=True)]
    adversary = Adversary(["butterfingers", "misspell"], model, budget=BUDGET)
    found = list(adversary.records(rows))
    broken = [one for one in found if one.status == "broken"]
    assert bool(broken) == (kind not in UNBROKEN)
    asked = answers(model, [{**row, "text": one.text} for row, one in zip(rows, found, strict=True)])
    for one, row, answer in zip(found, rows, asked, strict=True):
        assert one.before == (row["label"],)
        assert one.queries <= BUDGET
        assert Script(row["text"], one.scripts["text"].edits).text == one.text
        assert (answer != row["label"]) == (one.status == "broken")
        assert one.after == (answer,)
    some = [rows[at] for at in (4, 1)]
    assert [one.line() for one in adversary.records(some)] == [found[at].line() for at in (4, 1)]


def answers(model: NamedModel, rows: list[dict[str, Any]]) -> list[Any]:
    """What the model says of rows."""
    examples: list[Example] = [example_of(row, generic()) for row in rows]
    return [answer for _, answer in sorted(pair for part in model.answers(examples) for pair in part)]
