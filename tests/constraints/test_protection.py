"""A function of the user's own as a constraint: it is run as rules are, and what is wrong with it is one line."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import Augmenter, AugmentError, Doc, Preparation, Span
from augment_ru.constraints.rule_file import constraint, own_constraint
from profiles import examples
from strategies import SENTENCES

Docs = Mapping[str, Doc]


def capitals(row: Mapping[str, Any], docs: Docs) -> Mapping[str, Iterable[Span]]:
    """Words in capitals, by a label of their own, and numbers."""
    del row
    return {
        name: [*_spans(doc, "[А-ЯЁ]{2,}", "LOUD"), *_spans(doc, "[0-9]+", "")] for name, doc in docs.items() if doc.text
    }


def _spans(doc: Doc, pattern: str, label: str) -> Iterable[Span]:
    return (Span(*found.span(), label) for found in re.finditer(pattern, doc.text))


def verbs(row: Mapping[str, Any], docs: Docs) -> Mapping[str, Iterable[Span]]:
    """Verbs, by annotation."""
    del row
    return {"text": [Span(word.start, word.stop) for word in docs["text"].tokens if word.pos == "VERB"]}


def test_spans_keep_their_label_or_get_the_name_of_the_function() -> None:
    result = Augmenter("case", constraints=[capitals, "negation"], similarity="none")("НИКОГДА: 15")
    found = [(span.of(result.source), span.label) for span in result.protected["text"]]
    assert found == [("НИКОГДА", "LOUD"), ("НИКОГДА", "NEGATION"), ("15", "CAPITALS")]


def test_a_function_alone_is_a_constraint_and_one_of_a_task_chooses() -> None:
    assert Augmenter("case", constraints=capitals, probability=1.0)("НЕТ").status == "unchanged"
    names = {"generic": ("negation",)}
    found = Preparation(lambda task: names[task.name])
    (prepared,) = found.texts(["НЕТ"])
    assert [span.label for span in prepared.batch.protected(0)] == ["NEGATION"]


def test_layers_are_those_that_the_function_names() -> None:
    made = own_constraint(verbs)
    assert made.layers == frozenset()
    verbs.layers = ["morphology"]  # type: ignore[attr-defined]
    assert own_constraint(verbs).layers == {"tokens", "morphology"}
    (prepared,) = Preparation([verbs]).texts(["Кошка спит."])
    assert [span.label for span in prepared.batch.protected(0)] == ["VERBS"]
    verbs.layers = ["syntaxx"]  # type: ignore[attr-defined]
    with pytest.raises(AugmentError, match="constraint verbs: layers: no layer called 'syntaxx'"):
        Preparation([verbs])


@pytest.mark.parametrize(
    ("returned", "problem"),
    [
        (None, "TypeError: returned None; return a list of spans for each field's name"),
        ({"text": 5}, "TypeError: 'int' object is not iterable"),
        ({"text": [(0, 2)]}, r"returned \(0, 2\) in 'text'; possible: Span\(start, stop, label\) in 'text' \(0 to 9\)"),
        ({"text": [Span(0, 10)]}, r"returned Span\(start=0, stop=10, label=''\) in 'text'"),
        ({"text": [Span(0, 2.0)]}, r"returned Span\(start=0, stop=2.0"),  # type: ignore[arg-type]
        ({"text": [Span(0, 2, 5)]}, r"returned Span\(start=0, stop=2, label=5\)"),  # type: ignore[arg-type]
        ({"title": [Span(0, 0)]}, "returned .* in 'title'; possible"),
        ({"text": (Span(at, at - 1) for at in [3])}, r"AugmentError: Span\(3, 2\): needs 0 <= start <= stop"),
    ],
)
def test_what_is_wrong_with_a_function_is_one_line(returned: Any, problem: str) -> None:  # noqa: ANN401
    def wrong(row: Mapping[str, Any], docs: Docs) -> Any:  # noqa: ANN401
        del row, docs
        return returned

    with pytest.raises(AugmentError, match=f"^constraint wrong: {problem}"):
        Augmenter("case", constraints=[wrong])("Коту пять")


def test_a_function_that_fails_or_changes_the_row_is_an_error() -> None:
    def changing(row: Any, docs: Docs) -> Mapping[str, Iterable[Span]]:  # noqa: ANN401
        row["text"] = "Пёс"
        return {name: [] for name in docs}

    with pytest.raises(AugmentError, match="'mappingproxy' object does not support item assignment"):
        Augmenter("case", constraints=[changing])("Кот")


@pytest.mark.parametrize("given", [Augmenter, 5, "asides.py:"])
def test_what_is_no_function_is_refused(given: Any) -> None:  # noqa: ANN401
    with pytest.raises(AugmentError, match=r"is no function|possible: names|no such file|no constraint called"):
        Preparation([given])


def test_a_name_is_never_code_without_leave() -> None:
    with pytest.raises(AugmentError, match="never by a recipe or a row"):
        constraint("asides.py:asides")


@settings(max_examples=examples(40))
@given(texts=st.lists(st.sampled_from([*SENTENCES, "КОТ 15", ""]), min_size=1, max_size=8), size=st.integers(1, 8))
def test_spans_are_the_same_in_any_chunk(texts: list[str], size: int) -> None:
    augmenter = Augmenter("eda_delete", constraints=[capitals, "negation"], similarity="none")
    parts = [texts[at : at + size] for at in range(0, len(texts), size)]
    whole = [(one.text, one.protected) for one in augmenter.texts(texts)]
    assert [(one.text, one.protected) for part in parts for one in augmenter.texts(part)] == whole
