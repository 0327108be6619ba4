"""The time that the search takes itself, beside that of a small transformer which it asks.

    python benchmarks/adversary_transformer.py TRAIN.jsonl TEST.jsonl

The transformer has six layers of width 512 and random weights: its time is that of a trained one. Random weights answer
any text alike, so the rows get the labels that it gives them. Processor time is measured, on one thread.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from adversary import NeighbouringKeys, TimedScores
from tokenizers import BertWordPieceTokenizer
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

from augment_ru import Adversary
from augment_ru.evaluation.examples import ModelRequest, example_of
from augment_ru.formats.read import read_rows
from augment_ru.models.hf_classifier import hf_classifier
from augment_ru.records.task import generic

VOCABULARY = 30_000
SPECIAL = {"pad_token": "[PAD]", "unk_token": "[UNK]"}


def saved(folder: Path, texts: list[str]) -> Path:
    """The transformer and its tokenizer, trained on these texts."""
    lines = folder / "texts.txt"
    lines.write_text("\n".join(texts), encoding="utf-8")
    trained = BertWordPieceTokenizer(lowercase=False, strip_accents=False)
    trained.train([str(lines)], vocab_size=VOCABULARY, show_progress=False)
    trained.save(str(folder / "tokenizer.json"))
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_file=str(folder / "tokenizer.json"), model_max_length=512, **SPECIAL
    ).save_pretrained(folder)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=VOCABULARY, hidden_size=512, num_hidden_layers=6, num_attention_heads=8, intermediate_size=2048,
        id2label={at: f"label {at}" for at in range(3)},
    )  # fmt: skip
    model = BertForSequenceClassification(config)
    torch.nn.init.normal_(model.classifier.weight, std=0.5)
    model.save_pretrained(folder)
    return folder


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--similarity", default="none", help="the gate")
    given = parser.parse_args()
    torch.set_num_threads(1)
    texts = [row["text"] for row in read_rows(given.train).values]
    with tempfile.TemporaryDirectory() as place:
        folder = saved(Path(place), texts)
        model = hf_classifier(ModelRequest(str(folder), generic(), None, "cpu", {}))
        found: list[dict[str, Any]] = [dict(row) for row in read_rows(given.test).values[: given.rows]]
        labels = model([example_of(row, generic()) for row in found])
        rows = [{**row, "label": label} for row, label in zip(found, labels, strict=True)]
        timed = TimedScores(model)
        adversary = Adversary([NeighbouringKeys()], timed, draws=1, similarity=given.similarity, constraints=())
        began, clock = time.process_time(), time.perf_counter()
        results = list(adversary.records(rows, generic()))
        seconds, clock = time.process_time() - began, time.perf_counter() - clock
    broken = sum(one.status == "broken" for one in results)
    own = seconds - timed.seconds
    print(f"{len(rows)} rows, {broken} broken, {timed.questions} queries; {clock:.0f} s by the clock")
    print(
        f"model {1000 * timed.seconds / timed.questions:.2f} ms a query, search {1000 * own / timed.questions:.2f} ms"
    )
    print(f"the search takes {100 * own / timed.seconds:.1f} % of the model's time")


if __name__ == "__main__":
    main()
