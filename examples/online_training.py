"""Training as a defence: fresh errors in every epoch and rows that a search finds, beside copies and clean training.

    python examples/online_training.py --kind linear
    python examples/online_training.py --kind transformer --rows 1000

Three ways of training on as many rows: `clean` sees every row twice an epoch; `copies` sees it and one copy with tricks
of `evasion`, the same in all epochs; `online` sees it and a fresh copy, and one in ten of these copies is what a search
of ten queries finds against the classifier as it is. Each is tested on clean rows, on rows with other draws of the
tricks, and by a search. Needs the extras `eval` and `models`.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import torch
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier
from transformers import BertConfig, BertForSequenceClassification

from augment_ru import Adversary, Augmenter, Example
from augment_ru.evaluation.examples import example_of
from augment_ru.formats.read import read_rows
from augment_ru.records.task import generic

DATA = Path(__file__).parent / "domains"
WAYS = ("clean", "copies", "online")
ATTACK = "evasion"
T95 = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78}
"""The 97.5 % points of Student's distribution for so many seeds."""
Rows = Sequence[dict[str, Any]]


class Linear:
    """Logistic regression on hashed n-grams of characters, trained batch by batch."""

    few_shot, deterministic = False, True

    def __init__(self, labels: Sequence[str], seed: int) -> None:
        self.labels = labels
        self.ngrams = HashingVectorizer(analyzer="char_wb", ngram_range=(1, 4), n_features=2**18)
        self.classifier = SGDClassifier(loss="log_loss", alpha=1e-5, random_state=seed)

    def learn(self, rows: Rows) -> None:
        """Learn from a batch."""
        inputs = self.ngrams.transform([row["text"] for row in rows])
        self.classifier.partial_fit(inputs, [row["label"] for row in rows], self.labels)

    def __call__(self, examples: Sequence[Example]) -> list[str]:
        """Return the labels."""
        return self.classifier.predict(self.ngrams.transform([one.text for one in examples])).tolist()


class Transformer:
    """A small transformer from a config, which reads characters, trained from nothing."""

    few_shot, deterministic = False, True
    longest, known = 96, 2**12

    def __init__(self, labels: Sequence[str], seed: int) -> None:
        torch.manual_seed(seed)
        size = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
        config = BertConfig(vocab_size=self.known, num_labels=len(labels), max_position_embeddings=self.longest, **size)
        self.labels = labels
        self.module = BertForSequenceClassification(config)
        self.steps = torch.optim.AdamW(self.module.parameters(), lr=2e-3)

    def _inputs(self, texts: Sequence[str]) -> dict[str, Any]:
        ids = [[1, *(2 + ord(char) % (self.known - 2) for char in text[: self.longest - 1])] for text in texts]
        width = max(map(len, ids))
        padded = torch.tensor([[*one, *[0] * (width - len(one))] for one in ids])
        return {"input_ids": padded, "attention_mask": (padded > 0).long()}

    def learn(self, rows: Rows) -> None:
        """Learn from a batch."""
        self.module.train()
        right = torch.tensor([self.labels.index(row["label"]) for row in rows])
        self.module(**self._inputs([row["text"] for row in rows]), labels=right).loss.backward()
        self.steps.step()
        self.steps.zero_grad()

    def __call__(self, examples: Sequence[Example]) -> list[str]:
        """Return the labels."""
        self.module.eval()
        with torch.inference_mode():
            scores = self.module(**self._inputs([one.text for one in examples])).logits
        return [self.labels[at] for at in scores.argmax(-1).tolist()]


def batches(rows: Rows, draw: random.Random, size: int = 32) -> Iterator[Rows]:
    """Yield the rows in batches, in a random order."""
    mixed = draw.sample(rows, len(rows))
    return (mixed[at : at + size] for at in range(0, len(mixed), size))


def found(model: Linear | Transformer, rows: Rows, budget: int, seed: int) -> list:
    """What a search finds for rows."""
    search = Adversary([ATTACK], model, budget=budget, minimal=False, draws=1, seed=seed)
    return list(search.records(rows, generic()))


def trained(kind: type, way: str, rows: Rows, labels: Sequence[str], *, epochs: int, seed: int) -> Linear | Transformer:
    """Train a classifier in one of the ways."""
    model, draw, tricks = kind(labels, seed), random.Random(seed), Augmenter(ATTACK, seed=seed)
    copies = {row["id"]: one.row("none") for row, one in zip(rows, tricks.records(rows, generic()), strict=True)}
    for epoch in range(epochs):
        for batch in batches(rows, draw):
            others = batch
            if way == "copies":
                others = [copies[row["id"]] for row in batch]
            elif way == "online":
                searched = len(batch) // 10 if epoch else 0  # the first epoch has nothing to search
                others = [one.row("none") for one in tricks.records(batch[searched:], generic(), draw=epoch)]
                others += [one.row("none") for one in found(model, batch[:searched], 10, seed + epoch)]
            model.learn([*batch, *others])
    return model


def tested(model: Linear | Transformer, test: Rows, searched: int) -> dict[str, float]:
    """Return in per cent: right answers on clean rows, and the rates under the tricks and under a search."""

    def right(rows: Rows) -> list[bool]:
        said = model([example_of(row, generic()) for row in rows])
        return [label == row["label"] for label, row in zip(said, rows, strict=True)]

    before = right(test)
    after = right([one.row("none") for one in Augmenter(ATTACK, seed=1000).records(test, generic())])
    held = [one for one in found(model, test[:searched], 20, 1000) if one.status != "wrong_before"]
    return {
        "clean": 100 * fmean(before),
        "tricks": 100 * sum(was and not now for was, now in zip(before, after, strict=True)) / max(sum(before), 1),
        "searched": 100 * sum(one.status == "broken" for one in held) / max(len(held), 1),
    }


def main() -> None:
    """Train in all ways with several seeds, and print means and the differences of online from copies."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=["linear", "transformer"], default="linear")
    parser.add_argument("--rows", type=int, default=1000, help="train rows")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seeds", type=int, default=5, choices=list(T95), help="how often each is trained")
    parser.add_argument("--tested", type=int, default=500, help="test rows")
    parser.add_argument("--searched", type=int, default=150, help="test rows that are searched")
    given = parser.parse_args()

    train = read_rows(str(DATA / "train.jsonl")).values[: given.rows]
    test = read_rows(str(DATA / "test.jsonl")).values[: given.tested]
    labels = sorted({row["label"] for row in train})
    kind = {"linear": Linear, "transformer": Transformer}[given.kind]
    results: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
    for seed in range(given.seeds):
        for way, own in results.items():
            own.append(tested(trained(kind, way, train, labels, epochs=given.epochs, seed=seed), test, given.searched))
            print(seed, way, {name: round(value, 1) for name, value in own[-1].items()}, flush=True)
    for name in ("clean", "tricks", "searched"):
        means = ", ".join(f"{way} {fmean(one[name] for one in own):.1f}" for way, own in results.items())
        apart = [one[name] - other[name] for one, other in zip(results["online"], results["copies"], strict=True)]
        half = T95[len(apart)] * stdev(apart) / len(apart) ** 0.5
        print(f"{name}: {means}; online − copies {fmean(apart):+.1f} points (95 %: ± {half:.1f})")


if __name__ == "__main__":
    main()
