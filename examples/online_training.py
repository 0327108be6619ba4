"""Training as a defence: fresh tricks in every epoch and rows that a search finds, beside copies and clean training.

    python examples/online_training.py --kind linear
    python examples/online_training.py --kind transformer

Four ways of training: `clean` sees every row once an epoch; `twice` sees it twice, so it takes as many steps as the
next ones; `copies` sees it and one copy with tricks of `evasion`, the same in all epochs; `online` sees it and a fresh
copy, and one in ten of these copies breaks the classifier as it is: searches of ten queries go on over the rows until
so many are found. Each is tested on clean rows, on rows with other draws of tricks, and by a search. Each seed divides
the comments anew into those that are learnt and those that are tested; `--train` and `--test` take other files. Needs
the extras `eval` and `models`.
"""

import argparse
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from statistics import fmean, stdev
from typing import Any
from zlib import crc32

import torch
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier
from torch.nn.utils.rnn import pad_sequence
from transformers import BertConfig, BertForSequenceClassification

from augment_ru import Adversary, Augmenter, Example
from augment_ru.evaluation.examples import example_of
from augment_ru.formats.read import read_rows
from augment_ru.records.task import generic

COMMENTS = [str(Path(__file__).parent / name) for name in ("comments.jsonl", "comments_train.jsonl")]
WAYS = ("clean", "twice", "copies", "online")
ATTACK = "evasion"
TESTS = (ATTACK, "homoglyphs", "masking", "wrong_layout", "transliteration", "unseen")
"""The attacks on the test rows; no training sees the last one."""
T95 = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78}
"""The 97.5 % points of Student's distribution for so many seeds."""
Rows = Sequence[dict[str, Any]]


class Linear:
    """Logistic regression on hashed n-grams of characters, trained batch by batch."""

    few_shot, deterministic = False, True

    def __init__(self, labels: Sequence[str], seed: int) -> None:
        self.labels = labels
        self.ngrams = HashingVectorizer(analyzer="char_wb", ngram_range=(1, 4), n_features=2**18)
        self.classifier = SGDClassifier(loss="log_loss", alpha=1e-5, random_state=seed, average=True)

    def learn(self, rows: Rows) -> None:
        """Learn from a batch."""
        inputs = self.ngrams.transform([row["text"] for row in rows])
        self.classifier.partial_fit(inputs, [row["label"] for row in rows], self.labels)

    def __call__(self, examples: Sequence[Example]) -> list[str]:
        """Return the labels."""
        return self.classifier.predict(self.ngrams.transform([one.text for one in examples])).tolist()


class Transformer:
    """A small transformer from a config, trained from nothing; a word is the mean of its hashed n-grams."""

    few_shot, deterministic = False, True
    longest, known = 64, 2**14

    def __init__(self, labels: Sequence[str], seed: int) -> None:
        torch.manual_seed(seed)
        size = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
        config = BertConfig(vocab_size=1, num_labels=len(labels), max_position_embeddings=self.longest, **size)
        self.labels = labels
        self.words = torch.nn.EmbeddingBag(self.known, 64)
        torch.nn.init.normal_(self.words.weight, std=0.1)
        self.module = BertForSequenceClassification(config)
        self.steps = torch.optim.AdamW([*self.words.parameters(), *self.module.parameters()], lr=1e-3)

    def _inputs(self, texts: Sequence[str]) -> dict[str, Any]:
        split = [["", *text.lower().split()][: self.longest] for text in texts]
        grams, starts = [], []
        for word in (f"<{word}>" for words in split for word in words):
            starts.append(len(grams))
            parts = (word[at : at + size] for size in range(1, 5) for at in range(len(word) - size + 1))
            grams += [crc32(part.encode()) % self.known for part in parts]
        vectors = self.words(torch.tensor(grams), torch.tensor(starts)).split([len(words) for words in split])
        mask = pad_sequence([torch.ones(len(words), dtype=torch.long) for words in split], batch_first=True)
        return {"inputs_embeds": pad_sequence(vectors, batch_first=True), "attention_mask": mask}

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


def found(model: Linear | Transformer, rows: Rows, budget: int, seed: int) -> list:
    """What a search finds for rows."""
    search = Adversary([ATTACK], model, budget=budget, minimal=False, seed=seed)
    return list(search.records(rows, generic()))


def broken(model: Linear | Transformer, rows: Rows, draw: random.Random, seed: int) -> Iterator[tuple[int, dict]]:
    """Search rows in random order; yield the place of each that ten queries break, and the row that breaks it."""
    order = draw.sample(range(len(rows)), len(rows))
    for part in (order[at : at + 32] for at in range(0, len(order), 32)):
        for at, one in zip(part, found(model, [rows[at] for at in part], 10, seed), strict=True):
            if one.status == "broken":
                yield at, one.row("none")


def hidden(attack: str, rows: Rows, *, seed: int, draw: int = 0) -> list[dict[str, Any]]:
    """The rows with the tricks of an attack."""
    return [one.row("none") for one in Augmenter(attack, seed=seed).records(rows, generic(), draw=draw)]


def trained(kind: type, way: str, rows: Rows, labels: Sequence[str], *, epochs: int, seed: int) -> Linear | Transformer:
    """Train a classifier in one of the ways."""
    model, draw = kind(labels, seed), random.Random(seed)
    others: list[dict[str, Any]] | None = {"clean": [], "twice": list(rows)}.get(way)
    for epoch in range(epochs):
        if others is None or way == "online":
            others = hidden(ATTACK, rows, seed=seed, draw=epoch)
        if way == "online" and epoch:  # at first there is nothing to search
            for at, row in islice(broken(model, rows, draw, seed + epoch), len(rows) // 10):
                others[at] = row
        order = draw.sample(range(len(rows)), len(rows))
        for batch in (order[at : at + 32] for at in range(0, len(order), 32)):
            model.learn([*(rows[at] for at in batch), *(others[at] for at in batch if others)])
    return model


def tested(model: Linear | Transformer, test: Mapping[str, Rows], searched: int) -> dict[str, float]:
    """Return in per cent: right answers on clean rows, and the rates under each attack and under a search."""
    right = {
        attack: [label == row["label"] for label, row in zip(model(examples), rows, strict=True)]
        for attack, rows in test.items()
        for examples in [[example_of(row, generic()) for row in rows]]
    }
    before = right.pop("")
    rates = {
        attack: 100 * sum(was and not now for was, now in zip(before, after, strict=True)) / max(sum(before), 1)
        for attack, after in right.items()
    }
    held = [one for one in found(model, test[""][:searched], 20, 1000) if one.status != "wrong_before"]
    searched_rate = 100 * sum(one.status == "broken" for one in held) / max(len(held), 1)
    return {"right": 100 * fmean(before), **rates, "searched": searched_rate}


def main() -> None:
    """Train in all ways with several seeds, and print means and the differences of online from copies."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=["linear", "transformer"], default="linear")
    parser.add_argument("--train", nargs="+", default=COMMENTS, help="rows with id, text and label")
    parser.add_argument("--test", nargs="*", default=[], help="rows for the test; without, a third of the train rows")
    parser.add_argument("--rows", type=int, help="the most train rows")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=5, choices=list(T95), help="how often each is trained")
    parser.add_argument("--tested", type=int, default=500, help="the most test rows")
    parser.add_argument("--searched", type=int, default=150, help="the most test rows that are searched")
    given = parser.parse_args()

    every, others = ([row for path in paths for row in read_rows(path).values] for paths in (given.train, given.test))
    labels = sorted({row["label"] for row in every})
    kind = {"linear": Linear, "transformer": Transformer}[given.kind]
    results: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
    for seed in range(given.seeds):
        mixed = random.Random(seed).sample(every, len(every))
        kept = 0 if others else len(mixed) // 3
        train, clean = mixed[kept:][: given.rows], (others or mixed[:kept])[: given.tested]
        test = {"": clean, **{attack: hidden(attack, clean, seed=1000) for attack in TESTS}}
        for way, own in results.items():
            own.append(tested(trained(kind, way, train, labels, epochs=given.epochs, seed=seed), test, given.searched))
            print(seed, way, {name: round(value, 1) for name, value in own[-1].items()}, flush=True)
    for name in results["clean"][0]:
        means = ", ".join(f"{way} {fmean(one[name] for one in own):.1f}" for way, own in results.items())
        apart = [one[name] - other[name] for one, other in zip(results["online"], results["copies"], strict=True)]
        half = T95[len(apart)] * stdev(apart) / len(apart) ** 0.5
        print(f"{name}: {means}; online − copies {fmean(apart):+.1f} points (95 %: ± {half:.1f})")


if __name__ == "__main__":
    main()
