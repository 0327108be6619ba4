"""What the benchmarks ask for: dialogues of ruTiE, rows without a right answer, classes, shots, training sets."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import f1_score, matthews_corrcoef

from augment_ru import AugmentError, Example, evaluate
from augment_ru.evaluation.answers import answer_kind, golds_of
from augment_ru.evaluation.examples import example_of
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.records.record import Record
from augment_ru.records.task import recognise, task
from benchmark_rows import benchmark_rows
from kept_models import kept
from layouts import OPTIONS, ROWS, mera
from small_models import bert


def write(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


# ruTiE


def turn(number: int, question: str, choices: tuple[str, str], right: str, attack: str) -> dict[str, Any]:
    row = mera(
        {"question": question, "choice1": choices[0], "choice2": choices[1]}, right, dialog_id=0, question_id=number
    )
    row["instruction"] = "Диалог:\n{context}\n{question}\n1) {choice1}\n2) {choice2}\nОтвет:"
    return {**row, "augment": {"attack": attack}}


def test_a_question_of_a_dialogue_is_asked_with_what_was_said_before() -> None:
    """In the order of `question_id`, whatever that of the file; each variation keeps to its own texts."""
    turns = [
        (1, "А у муравья?", ("Две", "Шесть"), "2"),
        (0, "Сколько ног у человека?", ("Две", "Четыре"), "1"),
        (2, "А у змеи?", ("Ни одной", "Одна"), "1"),
    ]
    rows = [turn(*one, "original") for one in turns] + [turn(n, q.upper(), c, r, "a") for n, q, c, r in turns]
    seen: dict[str, str] = {}

    def model(examples: Sequence[Example]) -> list[str]:
        for one in examples:
            (filled,) = prompt_of(one.task).build(one.record, labels=("1", "2"))
            seen[one.record["inputs"]["question"]] = filled.context
        return ["1"] * len(examples)

    with pytest.raises(AugmentError, match="`flipping` all: no edit of a dialogue"):
        evaluate(rows, {"m": model}, flipping="all")
    assert not seen, "the error comes before the first question"
    evaluate(rows, {"m": model})
    assert seen["Сколько ног у человека?"].startswith("Диалог:\n\nСколько ног")
    assert seen["А у змеи?"] == (
        "Диалог:\nСколько ног у человека?\nДве\nА у муравья?\nШесть\nА у змеи?\n1) Ни одной\n2) Одна\nОтвет:"
    )
    assert seen["А У ЗМЕИ?"].startswith("Диалог:\nСКОЛЬКО НОГ У ЧЕЛОВЕКА?\nДве\nА У МУРАВЬЯ?\nШесть\n")


# recognition


@pytest.mark.parametrize("field", ["text", "question"])
def test_both_layouts_of_ru_open_book_qa_are_recognised(field: str) -> None:
    row = mera({field: "Чем собака виляет от радости?", **OPTIONS}, "D", id=0)
    found = recognise(row)
    assert found.name == "mera_ruopenbookqa"
    assert list(Record(row, found).texts()) == [f"inputs.{field}"]
    assert recognise(ROWS["mera_ruworldtree"][0]).name == "mera_ruworldtree"


# RAFT


@pytest.mark.parametrize("label", ["Unlabeled", 0])
def test_unlabeled_rows_of_raft_have_no_right_answer(label: object, tmp_path: Path) -> None:
    known: list[dict[str, Any]] = [
        {"Query": f"Why {n}?", "ID": str(n), "Label": name} for n, name in enumerate(["a", "b", "c"] * 2)
    ]
    held_back: dict[str, Any] = {"Query": "Why not?", "ID": "99", "Label": label}
    train = write(tmp_path / "train.jsonl", known)
    originals = [*known[:2], held_back]
    given = [{**row, "Query": row["Query"].upper(), "augment": {"attack": "x"}} for row in originals]
    said = {"Why 0?": "a", "Why 1?": "a", "Why not?": "a", "WHY 0?": "b", "WHY 1?": "b", "WHY NOT?": "b"}

    def model(examples: Sequence[Example]) -> list[str]:
        return [said[one.record["Query"]] for one in examples]

    report = evaluate(given, {"m": model}, originals=originals, task="raft_banking_77", train=train).report()
    assert report["originals_without_gold"] == 1
    metrics = report["models"][0]["attacks"]["x"]["metrics"]["macro_f1"]
    for side, answers in (("before", ["a", "a"]), ("after", ["b", "b"])):
        expected = f1_score(["a", "b"], answers, labels=["a", "b", "c"], average="macro", zero_division=0.0)
        assert metrics[side] == pytest.approx(100 * expected, abs=1e-4), "c occurs nowhere, and is a class"


# shots and training sets


def test_as_many_shots_as_the_benchmark_of_the_task_shows(tmp_path: Path) -> None:
    """MERA, Table 2; ruMMLU shows rows of the same domain."""
    rows = [
        mera(
            {"text": f"Вопрос {n}?", **OPTIONS, "subject": "наука"},
            "ABCD"[n % 4],
            id=n,
            domain=["anatomy", "law"][n % 2],
        )
        for n in range(24)
    ]
    train = write(tmp_path / "train.jsonl", rows[4:])
    originals = rows[:4]
    given = [{**row, "augment": {"attack": "x"}} for row in originals]
    counts: set[int] = set()

    def model(examples: Sequence[Example]) -> list[str]:
        for one in examples:
            counts.add(len(one.shots))
            assert {shot["meta"]["domain"] for shot in one.shots} == {one.record["meta"]["domain"]}
        return ["A"] * len(examples)

    report = evaluate(given, {"m": model}, originals=originals, train=train, shots=None, episodes=2).report()
    assert counts == {5}
    parts = report["models"][0]["metrics"]["accuracy"]["parts"]
    assert [(one["group"], one["value"]) for one in parts] == [("anatomy", 50.0), ("law", 0.0)]
    assert report["models"][0]["metrics"]["accuracy"]["value"] == 25.0
    only = write(tmp_path / "one.jsonl", [row for row in rows[4:] if row["meta"]["domain"] == "law"])
    with pytest.raises(AugmentError, match=r"no train row has anatomy in 'meta.domain'"):
        evaluate(given, {"m": model}, originals=originals, train=only, shots=None)
    alone = evaluate(given, ["random"], originals=originals, shots=None).report()
    assert alone["models"][0]["shots"] is None, "no model reads what the task shows, so no train rows are asked for"


def test_lidirus_is_learned_from_terra(tmp_path: Path) -> None:
    """Russian SuperGLUE has no train rows for it."""
    pairs = [("Идёт снег.", "Снег идёт.", "entailment"), ("Идёт снег.", "Вода горяча.", "not_entailment")]
    train = write(
        tmp_path / "terra.jsonl",
        [{"premise": a, "hypothesis": b, "label": label, "idx": n} for n, (a, b, label) in enumerate(pairs * 8)],
    )
    base = {"knowledge": "", "lexical-semantics": "", "logic": "", "predicate-argument-structure": ""}
    rows = [
        {"sentence1": a, "sentence2": b, **base, "idx": n, "label": label} for n, (a, b, label) in enumerate(pairs * 2)
    ]
    given = [{**row, "augment": {"attack": "x"}} for row in rows]
    for how in ({"models": [f"linear:{train}"]}, {"models": ["linear"], "train": train}):
        report = evaluate(given, originals=rows, **how).report()
        assert report["models"][0]["metrics"]["mcc"]["value"] == 100.0


def test_the_baseline_of_russian_superglue_counts_words_of_a_corpus(tmp_path: Path) -> None:
    """Words of the corpus alone are known: a word of the train rows that it lacks decides nothing."""
    corpus = write(tmp_path / "corpus.jsonl", [{"text": "кот спит"}, {"text": "дом стоит"}])
    train = write(tmp_path / "train.jsonl", [{"text": "кот чих", "label": "a"}, {"text": "дом пых", "label": "b"}] * 4)
    rows = [{"id": 1, "text": "чих дом", "label": "b"}, {"id": 2, "text": "пых кот", "label": "a"}]
    given = [{**row, "augment": {"attack": "x"}} for row in rows]
    options = {"linear": {"longest": "1", "features": "10000", "corpus": str(corpus)}}
    report = evaluate(given, [f"linear:{train}"], originals=rows, options=options).report()
    assert report["models"][0]["metrics"]["accuracy"]["value"] == 100.0
    assert "corpus=" in report["models"][0]["signature"]
    with pytest.raises(AugmentError, match=r"option longest=1; must be at least 2"):
        evaluate(given, [f"linear:{train}"], originals=rows, options={"linear": {"shortest": "2", "longest": "1"}})


def test_the_baseline_of_russian_superglue_takes_what_is_nearest_to_the_passage(tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.jsonl", [{"text": "кошка спит дома"}, {"text": "собака лежит во дворе у реки"}])
    options = {"linear": {"longest": "1", "features": "10000", "corpus": str(corpus)}}
    questions = {
        "Кто спит?": ("кошка", "собака", "никто из них", "кошка дома"),
        "Что во дворе?": ("река",),
    }
    muserc = {
        "idx": 4,
        "passage": {
            "text": "(1) Кошка спит дома.",
            "questions": [
                {
                    "idx": at,
                    "question": asked,
                    "answers": [{"idx": n, "text": one, "label": 1} for n, one in enumerate(own)],
                }
                for at, (asked, own) in enumerate(questions.items())
            ],
        },
    }
    found = evaluate([muserc], ["linear"], task="muserc", options=options)
    assert [one["original_prediction"] for one in found.predictions()] == [("1", "0", "0", "1", "1")]
    assert found.submission() == [
        {
            "idx": 4,
            "passage": {
                "questions": [
                    {"idx": 0, "answers": [{"idx": n, "label": label} for n, label in enumerate((1, 0, 0, 1))]},
                    {"idx": 1, "answers": [{"idx": 0, "label": 1}]},
                ]
            },
        }
    ]
    text = "Собака лежит у реки. Кошка спит.\n@highlight\nСобака лежит во дворе"
    rucos = {
        "idx": 9,
        "passage": {"text": text, "entities": [{"start": 21, "end": 26}, {"start": 0, "end": 6}]},
        "qas": [{"query": "@placeholder во дворе", "idx": 9, "answers": [{"start": 0, "end": 6, "text": "Собака"}]}],
    }
    found = evaluate([rucos], ["linear"], task="rucos", options=options)
    assert found.submission() == [{"idx": 9, "label": "Собака"}]
    with pytest.raises(AugmentError, match="chooses by the words of a corpus"):
        evaluate([rucos], ["linear"], task="rucos")


def test_lidirus_is_scored_by_linguistic_feature() -> None:
    """MCC over the rows that have a feature; a row may have several of one kind."""
    base = {"sentence1": "Кот спит.", "knowledge": "", "lexical-semantics": "", "predicate-argument-structure": ""}
    logic = ["Negation", "Negation;Conditionals", "Negation", "Conditionals", ""]
    golds, given = [1, 0, 1, 0, 1], ["1", "0", "0", "1", "1"]
    rows = [
        {**base, "sentence2": f"Кот номер {at}.", "logic": held, "idx": at, "label": golds[at]}
        for at, held in enumerate(logic)
    ]
    marked = [{**row, "augment": {"attack": "original"}} for row in rows]
    found = evaluate(marked, {"m": lambda asked: [given[int(one.text[-2])] for one in asked]}, task="lidirus")
    score = found.report()["models"][0]["metrics"]["mcc"]
    pairs = list(zip(golds, map(int, given), strict=True))
    members = {"logic: Negation": pairs[:3], "logic: Conditionals": [pairs[1], pairs[3]]}
    assert score["value"] == pytest.approx(100 * matthews_corrcoef(*zip(*pairs, strict=True)), abs=1e-3)
    assert {one["label"]: one["value"] for one in score["parts"]} == pytest.approx(
        {name: 100 * matthews_corrcoef(*zip(*own, strict=True)) for name, own in members.items()}, abs=1e-3
    )


@pytest.mark.parametrize("name", ["lidirus", "rcb", "parus", "terra", "russe", "rwsd", "danetqa", "muserc", "rucos"])
def test_answers_are_submitted_to_russian_superglue_in_the_types_of_its_files(name: str) -> None:
    """A model that answers rightly submits the labels of the rows themselves, in the order of `idx`: 8, 9, 10, 11."""
    rows = benchmark_rows(name, "Так было")
    for at, row in enumerate(rows):
        row["idx"] = at + 8
    right = {
        example_of(row, task(name)).text: golds_of([row], task(name), answer_kind(task(name)))[0][0] for row in rows
    }

    def answers(asked: Sequence[Example]) -> list[Any]:
        golds: list[Any] = [right[one.text] for one in asked]
        return [[label for question in gold for label in question] if name == "muserc" else gold for gold in golds]

    if name == "rucos":
        answers = lambda asked: [right[one.text][0] for one in asked]  # type: ignore[index]  # noqa: E731
    sent: Any = evaluate(rows[::-1], {"m": answers}, task=name).submission()
    assert [one["idx"] for one in sent] == [row["idx"] for row in rows]
    if name == "muserc":
        labels = [a["label"] for row in sent for q in row["passage"]["questions"] for a in q["answers"]]
        assert labels == [a["label"] for row in rows for q in row["passage"]["questions"] for a in q["answers"]]
    elif name == "rucos":
        assert [one["label"] for one in sent] == [row["qas"][0]["answers"][0]["text"] for row in rows]
    else:
        assert [(type(one["label"]), one["label"]) for one in sent] == [(type(r["label"]), r["label"]) for r in rows]
    with pytest.raises(AugmentError, match="needs a task of MERA or Russian SuperGLUE"):
        evaluate(ROWS["ru_openbook"], ["random"], task="ru_openbook").submission()


def test_a_row_without_an_id_cannot_be_submitted() -> None:
    bare = [{**row, "meta": {}} for row in ROWS["mera_parus"]]
    with pytest.raises(AugmentError, match=r"`submission`: a row has no meta\.id"):
        evaluate(bare, ["random"], task="mera_parus").submission()


# RAFT


@pytest.mark.parametrize("kind", ["tfidf", "hf-encoder"])
def test_demonstrations_are_the_nearest_rows_the_nearest_last(kind: str, tmp_path: Path) -> None:
    spec = kind if kind == "tfidf" else f"hf-encoder:{kept(bert)}"
    texts = ["The cat sleeps.", "A train is late.", "The cat and the dog sleep.", "Water boils."]
    train = write(
        tmp_path / "train.jsonl",
        [
            {"Tweet": text, "ID": str(at), "Label": "hate speech" if at % 2 else "not hate speech"}
            for at, text in enumerate(texts)
        ],
    )
    rows = [
        {"Tweet": text, "ID": str(9 + at), "Label": "hate speech"}
        for at, text in enumerate(["The cat and the dog!", "Late is the train"])
    ]
    shown: dict[str, list[str]] = {}

    def answers(asked: Sequence[Example]) -> list[str]:
        shown.update({one.text: [str(row["Tweet"]) for row in one.shots] for one in asked})
        return ["hate speech"] * len(asked)

    how: Any = {"task": "raft_tweet_eval_hate", "train": train, "shots": (2,), "episodes": 5, "nearest": spec}
    report = evaluate(rows, {"m": answers}, **how).report()
    assert report["models"][0]["episodes"] == 1
    assert f"nearest={kind}" in report["signature"]
    assert {len(own) for own in shown.values()} == {2}
    if kind == "tfidf":
        assert [own[-1] for own in shown.values()] == [texts[2], texts[1]]
    evaluate([{**row, "Tweet": text} for row, text in zip(rows, texts, strict=False)], {"m": answers}, **how)
    with pytest.raises(AugmentError, match="`nearest` majority: ranks no documents"):
        evaluate(rows, {"m": answers}, **{**how, "nearest": "majority"})


def test_letter_case_is_a_feature_if_it_is_kept(tmp_path: Path) -> None:
    train = write(tmp_path / "train.jsonl", [{"text": "КОТ", "label": "a"}, {"text": "кот", "label": "b"}] * 4)
    rows: list[dict[str, Any]] = [{"id": 1, "text": "КОТ", "label": "a"}, {"id": 2, "text": "кот", "label": "b"}]
    given = [{**row, "text": row["text"].swapcase(), "augment": {"attack": "x"}} for row in rows]
    options = {"linear": {"case": "true"}}
    entry = evaluate(given, [f"linear:{train}"], originals=rows, options=options).report()["models"][0]["attacks"]["x"]
    assert (entry["right"], entry["broken"]) == (2, 2)
