"""Search: figures equal to trec_eval's, models that rank, queries that are perturbed, attacked and defended."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from augment_ru.adversary.adversary import Adversary
from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import Relevant, ranking_of, ranking_score, relevant_of
from augment_ru.evaluation.evaluation import Evaluation, evaluate
from augment_ru.evaluation.examples import ModelRequest, NamedModel, example_of
from augment_ru.formats.read import read_rows
from augment_ru.records.metric_kinds import METRIC_KINDS
from augment_ru.records.task import task
from kept_models import kept
from profiles import IS_FULL
from small_classifier import classifier

DOCUMENTS = {
    "d1": "Кот спит на тёплой печке",
    "d2": "Собака лает на почтальона",
    "d3": "Кошки и собаки живут в нашем доме",
    "d4": "Почтальон принёс письма",
}
QUERIES = {"q1": ("печка кот", {"d1": 1}), "q2": ("лает собака", {"d2": 2, "d3": 1}), "q3": ("письма", {"d4": 1})}


def test_the_depths_of_the_figures() -> None:
    depths = (1, 3, 5, 10, 20, 50, 100)  # as docs/evaluation.md says
    known = {f"{name}@{depth}" for name in ("hit", "ndcg", "recall") for depth in depths} | {"mrr"}
    assert {name for name, kind in METRIC_KINDS.items() if kind == "rankings"} == known


def cases(count: int) -> Iterator[tuple[dict[str, int], list[str]]]:
    draw = random.Random(36)
    for _ in range(count):
        names = [f"d{number}" for number in range(draw.randint(1, 40))]
        judged = draw.sample(names, draw.randint(1, len(names)))
        grades = {name: draw.choice([0, 0, 0, 1, 1, 2, 3]) for name in judged}
        grades[judged[0]] = max(grades[judged[0]], 1)
        yield grades, draw.sample(names, draw.randint(1, len(names)))


def test_figures_equal_those_of_trec_eval_on_10_000_random_cases() -> None:
    """On 2,000 in the quick profile."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    wanted = dict(enumerate(cases(10_000 if IS_FULL else 2_000)))
    queries = {str(number): grades for number, (grades, _) in wanted.items()}
    run = {
        str(number): {name: -float(place) for place, name in enumerate(ranking)}
        for number, (_, ranking) in wanted.items()
    }
    theirs = {"recall@10": "recall_10", "ndcg@10": "ndcg_cut_10", "ndcg@3": "ndcg_cut_3", "mrr": "recip_rank",
              "hit@1": "success_1", "hit@5": "success_5"}  # fmt: skip
    measures = {"recall.10", "ndcg_cut.3,10", "recip_rank", "success.1,5"}
    found = pytrec_eval.RelevanceEvaluator(queries, measures).evaluate(run)
    for number, (grades, ranking) in wanted.items():
        gold = relevant_of(grades, "hit@1")
        assert gold is not None
        ours = {name: ranking_score(name)([gold], [ranking]) for name in theirs}
        assert ours == pytest.approx({name: found[str(number)][other] for name, other in theirs.items()})


def test_what_a_row_and_a_prediction_may_state() -> None:
    assert relevant_of({"d1": 0, "d2": 2}, "hit@5") == Relevant((("d2", 2.0),), 5)
    assert relevant_of(["d1", 3], "mrr") == Relevant((("d1", 1.0), ("3", 1.0)), 1)
    assert relevant_of({"d1": 0}, "mrr") is None
    assert ranking_of(["d1", "d2", "d1"]) == ("d1", "d2")
    for wrong in ({"a": 1}, [["d1"]], 1.5):
        with pytest.raises(AugmentError, match="no ranking"):
            ranking_of(wrong)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Queries, documents and judgements in the layout of BEIR, in the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").mkdir()
    write("corpus.jsonl", [{"_id": name, "title": "", "text": text} for name, text in DOCUMENTS.items()])
    write("queries.jsonl", [{"_id": name, "text": text} for name, (text, _) in QUERIES.items()] + [
        {"_id": "q4", "text": "никто не судил"}])  # fmt: skip
    judged = [(name, document, grade) for name, (_, own) in QUERIES.items() for document, grade in own.items()]
    lines = ["query-id\tcorpus-id\tscore", *("\t".join(map(str, one)) for one in judged)]
    Path("qrels/test.tsv").write_text("\n".join(lines), encoding="utf-8")
    keys = ("query-id", "corpus-id", "score")
    write("qrels/test.jsonl", [dict(zip(keys, one, strict=True)) for one in judged])
    return tmp_path


def write(name: str, rows: list[dict[str, Any]]) -> None:
    Path(name).write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")


def perturbed() -> list[dict[str, Any]]:
    """Each query as it is, and with a letter that no document has."""
    rows = [{"_id": name, "text": text, "relevant": own} for name, (text, own) in QUERIES.items()]
    new = [{**row, "text": str(row["text"]).replace("а", "ъ"), "perturbation": "letters"} for row in rows]
    return [{**row, "perturbation": "original"} for row in rows] + new


@pytest.mark.parametrize("ending", ["tsv", "jsonl"])
def test_queries_are_read_with_their_judgements(folder: Path, ending: str) -> None:
    rows = read_rows(str(folder / "queries.jsonl"), f"beir:{folder}/qrels/test.{ending}").values
    assert rows == [{"_id": name, "text": text, "relevant": own} for name, (text, own) in QUERIES.items()]
    with pytest.raises(AugmentError, match="no such file of judgements"):
        read_rows(str(folder / "queries.jsonl"), "beir:dev.tsv")


@pytest.mark.usefixtures("folder")
def test_words_and_lemmas_rank_documents_and_break() -> None:
    pytest.importorskip("bm25s")
    models = {"words": "bm25:corpus.jsonl", "lemmas": "bm25:lemmas:corpus.jsonl"}
    found: Evaluation = evaluate(perturbed(), models, metrics=("hit@1", "recall@10"), defences=("people",))
    words, lemmas, *_ = found.counted().models
    assert words.metrics["hit@1"].value == 100.0
    assert words.metrics["recall@10"].value == pytest.approx(
        100 * (1 + 0.5 + 1) / 3, abs=1e-3
    )  # «собаки» is another word
    assert lemmas.metrics["recall@10"].value == 100.0
    assert words.attacks["letters"].outcomes == [["kbb"]]  # only «кот» is left of the three queries
    assert found.report()["models"][0]["metrics"]["hit@1"]["value"] == 100.0


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("kind", ["bm25", "hf-encoder"])
def test_a_search_throws_the_relevant_document_out_of_the_first(kind: str) -> None:
    pytest.importorskip("bm25s")
    specs = {"bm25": "bm25:lemmas:corpus.jsonl", "hf-encoder": f"hf-encoder:{kept(classifier)}"}
    options = {"corpus": "corpus.jsonl"} if kind == "hf-encoder" else {}
    row: dict[str, Any] = {"_id": "q1", "text": "тёплая печка", "relevant": {"d1": 1}}
    model = NamedModel.made(specs[kind], ModelRequest("", task("retrieval")), options)
    if kind == "hf-encoder":  # whose weights are random: what it finds first counts as relevant
        ((_, found),) = next(model.answers([example_of(row, task("retrieval"))]))
        row["relevant"] = {ranking_of(found)[0]: 1}
    (finding,) = Adversary(["butterfingers"], model, similarity=None).records([row])
    assert finding.status == "broken"
    ((_, found),) = next(model.answers([example_of({**row, "text": finding.text}, task("retrieval"))]))
    assert ranking_of(found)[:1] != tuple(row["relevant"])


@pytest.mark.usefixtures("folder")
def test_rankings_of_ones_own_engine_are_read_by_the_text_of_the_query() -> None:
    texts = {str(row["text"]) for row in perturbed()}
    write("mine.jsonl", [{"text": text, "ranking": ["d1", "d2"]} for text in sorted(texts)])
    (model,) = evaluate(perturbed(), ["ranking:mine.jsonl"], metrics=("hit@10",)).counted().models
    assert model.metrics["hit@10"].value == pytest.approx(200 / 3, abs=1e-3)
    write("mine.jsonl", [{"text": "печка кот", "ranking": []}])
    with pytest.raises(AugmentError, match="has no answer to"):
        evaluate(perturbed(), ["ranking:mine.jsonl"])


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_an_encoder_finds_a_document_by_its_own_text(pooling: str) -> None:
    rows = [{"_id": name, "text": text, "relevant": {name: 1}} for name, text in DOCUMENTS.items()]
    options = {"hf-encoder": {"corpus": "corpus.jsonl", "pooling": pooling}}
    (model,) = evaluate(rows, [f"hf-encoder:{kept(classifier)}"], options=options).counted().models
    assert model.metrics["hit@1"].value == 100.0
