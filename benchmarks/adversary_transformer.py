"""The search against a small transformer: the time that it takes itself, and the clock beside TextAttack's.

    python benchmarks/adversary_transformer.py TRAIN.jsonl TEST.jsonl --folder victim --textattack ta/bin/python

The victim is a BERT with random weights that learns the labels of the train file; it is kept in the folder, and used
again if it is there. The candidate changes and TextAttack's environment are those of benchmarks/adversary.py, the rows
the first that the victim answers right. Everything runs on one thread. "Own" is processor time without the victim's:
of the process that searches, and of TextAttack's process. Questions and answers of TextAttack go through a pipe; the
victim's time is without it.
"""

import argparse
import gc
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import torch
from adversary import WORD, NeighbouringKeys, Timed, TimedScores, right_rows, textattack, variants, verified
from tokenizers import BertWordPieceTokenizer
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

from augment_ru import Adversary
from augment_ru.evaluation.examples import ModelRequest, model_of
from augment_ru.formats.read import read_rows
from augment_ru.records.task import generic

VOCABULARY = 20_000
SPECIAL = {"pad_token": "[PAD]", "unk_token": "[UNK]"}
SHAPES = {"12×768": (12, 768, 12, 3072), "6×512": (6, 512, 8, 2048), "3×312": (3, 312, 12, 600)}
"""Layers, width, heads and inner width; the first is the shape of ruBert-base, the last that of rubert-tiny2."""
BATCH = 64
RATES = {"12×768": 1e-4, "6×512": 2e-4, "3×312": 5e-4}


def train(folder: Path, texts: list[str], labels: list[str], given: argparse.Namespace) -> None:
    """Train a transformer and its tokenizer, and save them."""
    lines = folder / "texts.txt"
    lines.write_text("\n".join(texts), encoding="utf-8")
    learnt = BertWordPieceTokenizer(lowercase=False, strip_accents=False)
    learnt.train([str(lines)], vocab_size=VOCABULARY, show_progress=False)
    learnt.save(str(folder / "tokenizer.json"))
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_file=str(folder / "tokenizer.json"), model_max_length=512, **SPECIAL
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(1)
    names = sorted(set(labels))
    layers, width, heads, inner = SHAPES[given.shape]
    config = BertConfig(
        vocab_size=VOCABULARY, hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads,
        intermediate_size=inner, id2label=dict(enumerate(names)), label2id={name: at for at, name in enumerate(names)},
    )  # fmt: skip
    device = torch.device(given.device)
    model: Any = BertForSequenceClassification(config)
    model.to(device)
    steps = given.epochs * (len(texts) // BATCH)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATES[given.shape], weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATES[given.shape], total_steps=steps)
    golds = torch.tensor([names.index(label) for label in labels]).to(device)
    for _ in range(given.epochs):
        order = torch.randperm(len(texts))
        for at in range(0, len(texts) - BATCH + 1, BATCH):
            rows = order[at : at + BATCH]
            inputs = tokenizer([texts[row] for row in rows], padding=True, return_tensors="pt").to(device)
            loss = model(**inputs, labels=golds[rows]).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
    model.train(mode=False).save_pretrained(folder)


def measured(timed: Timed, rows: Sequence[dict[str, object]], budget: int, similarity: str) -> None:
    """Search for all rows, and print a line."""
    adversary = Adversary(
        [NeighbouringKeys()], timed, budget=budget, draws=1, similarity=similarity, constraints=()
    )  # fmt: skip
    began, clock = time.process_time(), time.perf_counter()
    found = list(adversary.records(rows, generic()))
    own, clock = time.process_time() - began - timed.seconds, time.perf_counter() - clock
    broken = [one for one in found if one.status == "broken"]
    asked = "scores" if isinstance(timed, TimedScores) else "labels"
    row(f"ours, {asked}, {budget} queries", len(broken) / len(found), timed, own, clock)
    changes = fmean(one.changes for one in broken) if broken else 0.0
    print(
        f"  1-minimal {100 * verified(timed.model, found):.1f} %; {changes:.2f} changes; "
        f"{1000 * own / timed.questions:.2f} ms beside {1000 * timed.seconds / timed.questions:.2f} ms a query",
        flush=True,
    )


def row(name: str, rate: float, timed: Timed, own: float, clock: float) -> None:
    """Print a row of the table."""
    shown = f"{timed.questions} | {own:.1f} | {timed.seconds:.1f} | {100 * own / timed.seconds:.1f} | {clock:.0f}"
    print(f"| {name} | {100 * rate:.1f} | {shown} |", flush=True)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--folder", help="where the victim is kept; by default it is trained and forgotten")
    parser.add_argument("--shape", choices=SHAPES, default="6×512")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--device", default="cpu", help="where the victim learns and answers: cpu or cuda")
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--budget", type=int, action="append", help="repeatable; 50 by default")
    parser.add_argument("--similarity", default="none", help="the gate of our search")
    parser.add_argument("--textattack", metavar="PYTHON", help="the interpreter of TextAttack's environment")
    given = parser.parse_args()
    torch.set_num_threads(1)
    rows = read_rows(given.train).values
    texts, labels = [str(one["text"]) for one in rows], [str(one["label"]) for one in rows]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(given.folder or place)
        if not (folder / "model.safetensors").exists():
            folder.mkdir(parents=True, exist_ok=True)
            train(folder, texts, labels, given)
        names = tuple(sorted(set(labels)))
        model: Any = model_of(f"hf-classifier:{folder}", ModelRequest("", generic(), names, given.device))
        test = read_rows(given.test).values
        right = right_rows(model, test, len(test))
        print(f"{given.shape}: right on {100 * len(right) / len(test):.1f} % of {len(test)} test rows", flush=True)
        chosen = [dict(one) for one in right[: given.rows]]
        for text in (str(one["text"]) for one in chosen):  # the changes are given to both sides, not made by them
            for word in WORD.findall(text):
                variants(word)
        gc.freeze()  # as the command line does: cycles are not sought among what torch has made, and seldom elsewhere
        gc.set_threshold(50_000, *gc.get_threshold()[1:])
        print(f"{len(chosen)} rows; seconds of processor time, and by the clock\n")
        print(
            "| search | broken, % | queries | own | victim | own / victim, % | clock |\n|---|---|---|---|---|---|---|"
        )
        for budget in given.budget or [50]:
            for timed in (TimedScores(model), Timed(model)):
                measured(timed, chosen, budget, given.similarity)
        if given.textattack:
            theirs = textattack(given.textattack, names, model, chosen)
            for method, side in theirs.items():
                for budget in given.budget or [50]:
                    within = fmean(one["broken"] and one["queries"] <= budget for one in side["rows"])
                    print(f"  WIR {method}: {100 * within:.1f} % broken in {budget} queries")
                rate = fmean(one["broken"] for one in side["rows"])
                row(f"WIR {method}", rate, side["victim"], side["processor"], side["seconds"])


if __name__ == "__main__":
    main()
