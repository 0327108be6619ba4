"""Labelled spans: figures equal to seqeval's and nervaluate's, right places after any edit, models, layouts."""

import json
import random
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import Adversary, Augmenter
from augment_ru.edits import Edit, Span
from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import LabelledSpan, fates, span_score, spans_of
from augment_ru.evaluation.evaluation import evaluate
from augment_ru.evaluation.pairs import inverse_script, restored_row
from augment_ru.formats.read import Row
from augment_ru.formats.sources import layout_of, spans_of_tags
from augment_ru.records.task import task, with_spans
from augment_ru.script import Script
from commands import run
from kept_models import kept
from profiles import IS_FULL
from small_classifier import classifier

LABELS = ("LOC", "ORG", "PER")
MODES = ("context", "inside", "all")
ROWS = [
    {"id": 1, "text": "В Туле жил Лев Толстой, а в Твери — нет.", "spans": [
        {"start": 2, "end": 6, "label": "LOC"}, {"start": 11, "end": 22, "label": "PER"},
        {"start": 28, "end": 33, "label": "LOC", "text": "Твери"}]},
    {"id": 2, "text": "Завод «Красный Октябрь» стоит у реки, и М. Петров там работал.", "spans": [
        {"start": 6, "end": 23, "label": "ORG"}, {"start": 40, "end": 49, "label": "PER"}]},
    {"id": 3, "text": "Сегодня никто никуда не поехал.", "spans": []},
]  # fmt: skip


def tags(draw: random.Random, count: int) -> list[str]:
    """Tags in IOB2, in which both libraries read the same spans."""
    found: list[str] = []
    for _ in range(count):
        before = found[-1] if found else "O"
        mark = draw.choice("OOBI")
        label = before[2:] if mark == "I" and before != "O" else draw.choice(LABELS)
        found.append("O" if mark == "O" else f"{'I' if mark == 'I' and before != 'O' else 'B'}-{label}")
    return found


def test_figures_equal_those_of_seqeval_and_nervaluate_on_10_000_random_sentences() -> None:
    """On 2,000 in the quick profile."""
    seqeval, nervaluate = pytest.importorskip("seqeval.metrics"), pytest.importorskip("nervaluate")
    draw = random.Random(36)
    for _ in range(1000 if IS_FULL else 200):
        gold = [tags(draw, draw.randint(1, 12)) for _ in range(10)]
        given = [[one if draw.random() < 0.7 else draw.choice(own) for one in own] for own in gold]
        given = [tags(draw, len(own)) if draw.random() < 0.3 else own for own in given]
        wanted, found = ([spans(own) for own in side] for side in (gold, given))
        assert span_score("span_f1")(wanted, found) == pytest.approx(seqeval.f1_score(gold, given, zero_division=0))
        theirs = nervaluate.Evaluator(entities(wanted), entities(found), tags=list(LABELS), loader="dict").evaluate()
        for name, other in {"span_f1": "strict", "span_f1_relaxed": "ent_type"}.items():
            assert span_score(name)(wanted, found) == pytest.approx(theirs["overall"][other].f1)
            for label, own in theirs["entities"].items():
                assert span_score(name, label)(wanted, found) == pytest.approx(own[other].f1)


def spans(own: list[str]) -> tuple[LabelledSpan, ...]:
    return spans_of(spans_of_tags([(at, at + 1) for at in range(len(own))], own))


def entities(rows: list[tuple[LabelledSpan, ...]]) -> list[list[dict[str, Any]]]:
    """Spans as nervaluate has them, whose end is a part of the span."""
    return [[{"start": one.start, "end": one.stop - 1, "label": one.label} for one in own] for own in rows]


def test_what_became_of_a_right_span() -> None:
    gold = spans_of([(0, 4, "LOC"), (5, 9, "PER"), (10, 14, "ORG"), (15, 19, "LOC"), (20, 24, "PER")])
    before = (*gold[:4], LabelledSpan(30, 32, "PER"))
    after = spans_of([(0, 4, "LOC"), (5, 8, "PER"), (10, 14, "PER")])
    assert fates(gold, before, after) == {"kept": 1, "border": 1, "type": 1, "lost": 1}


@pytest.mark.parametrize(
    ("edits", "found"),
    [
        ([Edit(2, 3, "Т")], "Туле"),
        ([Edit(2, 2, "Т")], "ТТуле"),  # a letter at the edge of a name belongs to it
        ([Edit(6, 6, "е")], "Тулее"),
        ([Edit(2, 2, "«"), Edit(6, 6, "»")], "Туле"),  # a mark does not
        ([Edit(2, 6, "Tule")], "Tule"),
        ([Edit(4, 4, " ")], "Ту ле"),
        ([Edit(0, 2, ""), Edit(7, 10, "")], "Туле"),
    ],
)
def test_a_span_follows_edits_inside_it_and_beside_it(edits: list[Edit], found: str) -> None:
    script = Script("В Туле жил", edits)
    moved = script.carried(Span(2, 6, "LOC"))
    assert moved.of(script.text) == found
    assert inverse_script(script).carried(moved) == Span(2, 6, "LOC")


@given(
    attack=st.sampled_from(["butterfingers", "misspell", "spacing", "punctuation", "people", "evasion", "eda_swap",
                            "eda_delete", "emojify", "word_order", "wrong_layout", "ocr", "speech", "unseen"]),
    mode=st.sampled_from(MODES), seed=st.integers(0, 99), probability=st.sampled_from([0.2, 1.0]),
)  # fmt: skip
def test_places_are_right_and_the_original_comes_back(attack: str, mode: str, seed: int, probability: float) -> None:
    known = with_spans(task("spans"), mode)
    augmenter = Augmenter(attack, similarity=None, seed=seed, probability=probability)
    for row, result in zip(ROWS, augmenter.records(ROWS, known), strict=True):
        new, text = result.row(), str(row["text"])
        assert len(new["spans"]) == len(row["spans"])  # type: ignore[arg-type]
        outside = [text, str(new["text"])]
        for old, moved in reversed(list(zip(row["spans"], new["spans"], strict=True))):  # type: ignore[call-overload]
            held = new["text"][moved["start"] : moved["end"]]
            assert held.strip() == held != ""
            assert moved.get("text", held) == held
            if mode == "context":
                assert held == text[old["start"] : old["end"]]
            for at, place in enumerate((old, moved)):
                outside[at] = outside[at][: place["start"]] + outside[at][place["end"] :]
        assert mode != "inside" or outside[0] == outside[1]
        back = restored_row(Row("row", new), known)
        assert back == row


def test_only_rows_with_labelled_spans_have_spans_to_perturb() -> None:
    with pytest.raises(AugmentError, match="have no labelled spans"):
        with_spans(task("squad"), "inside")


def perturbed(attack: str, mode: str) -> list[dict[str, Any]]:
    augmenter = Augmenter(attack, similarity=None, probability=0.5)
    return [result.row() for result in augmenter.records(ROWS, with_spans(task("spans"), mode))]


def oracle(rows: list[dict[str, Any]]) -> Any:  # noqa: ANN401
    """A model that finds every span where it stands in the rows."""
    known = {row["text"]: row["spans"] for row in (*ROWS, *rows)}
    return lambda examples: [known[example.text] for example in examples]


@pytest.mark.parametrize("mode", MODES)
def test_a_model_that_follows_the_text_is_never_broken(mode: str) -> None:
    rows = perturbed("people", mode)
    (model,) = evaluate(rows, {"oracle": oracle(rows)}).counted().models
    attack = model.attacks["people"]
    assert model.metrics["span_f1"].value == attack.metrics["span_f1"].after == 100.0
    assert attack.rate.broken == attack.flips == 0
    assert attack.spans is not None
    assert (attack.spans["kept"].right, attack.spans["kept"].value) == (5, 100.0)
    assert [part.label for part in model.metrics["span_f1"].parts or ()] == list(LABELS)


def test_lost_spans_are_counted_by_their_kind() -> None:
    rows = perturbed("case", "all")
    known = {str(row["text"]): list(row["spans"]) for row in ROWS}  # type: ignore[call-overload]

    def model(examples: Any) -> list[Any]:  # noqa: ANN401
        return [known.get(example.text, ()) for example in examples]

    evaluation = evaluate(rows, {"blind": model})
    (report,) = evaluation.counted().models
    fate = report.attacks["case"].spans
    assert fate is not None
    assert [fate[name].value for name in ("lost", "type", "border")] == [100.0, 0.0, 0.0]
    assert "lost" in evaluation.to_markdown()


def finder(examples: Any) -> list[Any]:  # noqa: ANN401
    """A model that knows the names of the rows, and finds them where they are written rightly."""
    known = {(row["text"][one["start"] : one["end"]], one["label"]) for row in ROWS for one in row["spans"]}  # type: ignore[attr-defined,index]
    return [
        [{"start": at, "end": at + len(name), "label": label} for name, label in known
         if (at := example.text.find(name)) >= 0]
        for example in examples
    ]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_behind_a_defence_spans_stand_where_they_stood(mode: str) -> None:
    rows = perturbed("homoglyphs", mode) + perturbed("evasion", mode)
    bare, behind = evaluate(rows, {"finder": finder}, defences=("evasion",)).counted().models
    for attack, least in {"homoglyphs": 100.0, "evasion": 50.0}.items():
        after = [one.attacks[attack].metrics["span_f1"].after or 0.0 for one in (bare, behind)]
        assert after[0] < after[1] >= least or mode == "context"
    assert behind.metrics["span_f1"].value == bare.metrics["span_f1"].value == 100.0


@pytest.mark.parametrize("mode", MODES)
def test_a_search_finds_the_smallest_change_that_loses_a_name(mode: str) -> None:
    adversary = Adversary(["butterfingers"], finder, similarity="none")
    for row, found in zip(ROWS, adversary.records(ROWS, with_spans(task("spans"), mode)), strict=True):
        lost = row["spans"] and mode != "context"
        assert found.status == ("broken" if lost else "unchanged" if mode == "inside" else "withstood")
        if found.status == "broken":
            assert found.changes == 1
            assert len(found.after[0]) < len(row["spans"])  # type: ignore[arg-type]
    (evaluated,) = evaluate([one.row() for one in adversary.records(ROWS, with_spans(task("spans"), mode))],
                            {"finder": finder}).counted().models  # fmt: skip
    assert evaluated.attacks["adversary:model"].rate.broken == (0 if mode == "context" else 2)


def test_slovnet_finds_names_and_loses_them_where_letters_are_capital() -> None:
    rows = [result.row() for result in Augmenter("case", similarity=None, probability=1.0).records(
        ROWS, with_spans(task("spans"), "all"))]  # fmt: skip
    (model,) = evaluate(rows, ["slovnet"]).counted().models
    after = model.attacks["case"].metrics["span_f1_relaxed"]
    assert after.before == model.metrics["span_f1_relaxed"].value
    assert (after.before or 0) > 95 > (after.after or 0)


def test_a_spacy_pipeline_tags_texts(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("ru")
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "LOC", "pattern": "Туле"}])
    pipeline.to_disk(tmp_path / "rules")
    predictions = list(evaluate(ROWS, [f"spacy:{tmp_path / 'rules'}"]).predictions())
    assert predictions[0]["original_prediction"] == ((2, 6, "LOC"),)


def test_a_token_classifier_tags_whole_words_whatever_its_batch() -> None:
    labels = ("O", *(f"{mark}-{label}" for label in LABELS for mark in "BI"))
    spec = f"hf-tokens:{kept(classifier, labels, 'TokenClassification')}"
    together = [one["original_prediction"] for one in evaluate(ROWS, [spec]).predictions()]
    alone = [one["original_prediction"] for row in ROWS for one in evaluate([row], [spec]).predictions()]
    assert together == alone
    assert any(together)
    for row, found in zip(ROWS, together, strict=True):
        assert not any(str(row["text"])[start - 1 : start + 1].isalpha() for start, _, _ in found if start)


def read(kind: str, content: str) -> list[dict[str, Any]]:
    source = layout_of(kind, BytesIO(content.encode()))
    assert source is not None
    return [source.parsed(line)[1] for line in source]


WANTED: list[dict[str, Any]] = [{"text": "В Туле жил Лев Толстой.", "spans": [
    {"start": 2, "end": 6, "label": "LOC"}, {"start": 11, "end": 22, "label": "PER"}]}]  # fmt: skip


def test_conll_bio_and_label_studio_are_read_as_the_same_rows() -> None:
    tokens, marks = ["В", "Туле", "жил", "Лев", "Толстой", "."], ["O", "B-LOC", "O", "B-PER", "I-PER", "O"]
    lines = "".join(f"{token} _ {mark}\n" for token, mark in zip(tokens, marks, strict=True))
    assert read("conll", f"-DOCSTART- -X- O\n\n{lines}\n") == WANTED
    assert read("bio", json.dumps({"tokens": tokens, "ner_tags": marks})) == WANTED
    result = [{"type": "labels", "value": {"start": one["start"], "end": one["end"], "labels": [one["label"]]}}
              for one in WANTED[0]["spans"]]  # fmt: skip
    export = {"data": {"text": WANTED[0]["text"]}, "annotations": [{"was_cancelled": True, "result": []},
                                                                   {"result": result}]}  # fmt: skip
    assert read("labelstudio", json.dumps([export])) == WANTED
    minimal = {"text": "😀 Тула", "label": [{"start": 3, "end": 7, "text": "Тула", "labels": ["LOC"]}]}
    assert read("labelstudio", json.dumps([minimal]))[0]["spans"] == [{"start": 2, "end": 6, "label": "LOC"}]
    with pytest.raises(AugmentError, match="as many tags"):
        read("bio", json.dumps({"tokens": tokens, "ner_tags": [0, 1]}))


def test_the_command_perturbs_what_spans_names(tmp_path: Path) -> None:
    place = tmp_path / "rows.jsonl"
    place.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
    made = run(
        "perturb", place, "--attack", "case", "--probability", "1", "--spans", "inside", "-q"
    ).stdout.splitlines()
    assert [json.loads(line)["text"][:12] for line in made[:2]] == ["В тУЛЕ жил л", "Завод «кРАСН"]
    place.write_text('{"text": "В Туле"}\n', encoding="utf-8")
    failed = run("perturb", place, "--attack", "case", "--spans", "inside")
    assert failed.returncode == 1
    assert b"have no labelled spans" in failed.stderr
