"""Measure with injected slips whether intervals hold the true rate, and what `attack --confirm` calls broken.

python benchmarks/noise.py rates      # intervals of `asr_above_noise` and of `asr`, 100 runs of each setting
python benchmarks/noise.py coverage   # intervals of rates of records with several rows or episodes, 1,000 draws of each
python benchmarks/noise.py immune     # rows called broken of a model that no change can break
python benchmarks/noise.py power      # rows broken without slips that stay broken with slips, at twice the queries
"""

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from augment_ru import Adversary, Attack, Change, Doc, Edit, Example, Rng, evaluate
from augment_ru.evaluation.rates import Cells, bootstrap, effective, percentile95
from augment_ru.text.words import LETTERS

SLIPS = (0.0, 0.01, 0.05, 0.1)
WORDS = (
    *("купи", "сегодня", "дешёвый", "билет", "на", "поезд", "в", "город", "где", "живёт", "твоя", "добрая", "тётя"),
    *("и", "семеро", "котов", "около", "большого", "озера", "среди", "тихого", "леса", "возле", "мельницы"),
)


@dataclass
class Slipping:
    """A model that answers as `usual` says, and slips to another label with the probability `slips`."""

    usual: Callable[[str], str]
    slips: float
    labels: Sequence[str]
    random: random.Random
    deterministic: bool = False
    few_shot: ClassVar[bool] = False

    def __call__(self, examples: Sequence[Example]) -> list[str]:
        """Return the labels."""
        return [self._answer(self.usual(example.text)) for example in examples]

    def _answer(self, usual: str) -> str:
        if self.random.random() >= self.slips:
            return usual
        return self.random.choice([label for label in self.labels if label != usual])


@dataclass(frozen=True)
class Blank(Attack):
    """An attack that may replace each word by one of two."""

    name: ClassVar[str] = "blank"
    probability: float = 0.5

    def propose(self, doc: Doc, rng: Rng) -> Iterator[Change]:
        """Propose to replace each word by each of the two."""
        for word in LETTERS.finditer(doc.text):
            for new in ("нечто", "другое"):
                yield rng.change(Edit(word.start(), word.end(), new))


def rates() -> None:
    """Print in how many of 100 runs each interval holds the true rate."""
    for count, repeats, labels in ((300, 3, "AB"), (200, 2, "ABC"), (150, 5, "ABCD")):
        for slips in SLIPS:
            for right, broken, fixed in ((0.9, 0.0, 0.0), (0.85, 0.08, 0.03), (0.8, 0.25, 0.1)):
                held = [0, 0]
                for run in range(100):
                    draw = random.Random(f"{run} {slips} {broken} {labels}")
                    originals, rows, usual = _rows(count, draw, labels, (right, broken, fixed))
                    model = Slipping(usual.__getitem__, slips, labels, draw)
                    found = evaluate(rows, {"m": model}, originals=originals, repeats=repeats, seed=run).counted()
                    entry = found.models[0].attacks["letters"]
                    for at, rate in enumerate((entry.asr_above_noise, entry.rate)):
                        ends = rate and rate.ci95
                        held[at] += bool(ends and ends[0] <= 100 * broken <= ends[1])
                print(f"{count} rows, {repeats} repeats, {len(labels)} labels, {slips:.0%} slips, {broken:.0%}: {held}")


def coverage() -> None:
    """Print the share of 1,000 draws in which each interval holds the true rate, and its mean width.

    A record breaks with a probability of its own, drawn from the beta distribution whose rows correlate by `alike`; the
    model is right on four of five records. With episodes it is right on other records in each.
    """
    for records in (20, 60, 200):
        for rows, episodes in ((2, 1), (5, 1), (10, 1), (1, 5)):
            for rate in (0.02, 0.1, 0.3, 0.5):
                line = []
                for alike in (0.0, 0.3, 0.8):
                    held, widths, counted = np.zeros(2), np.zeros(2), 0
                    for run in range(1000):
                        random = np.random.default_rng([records, rows, episodes, int(100 * rate), int(10 * alike), run])
                        own = np.full(records, rate)
                        if alike:
                            own = random.beta(rate * (1 / alike - 1), (1 - rate) * (1 / alike - 1), records)
                        trials = rows * (random.random((1, episodes, records)) < 0.8).astype(np.int64)
                        one = Cells(random.binomial(trials, own).astype(np.float64), trials.astype(np.float64))
                        drawn = bootstrap([one], run, 400)[0]
                        ends = np.array([percentile95(drawn), effective(one, drawn)])
                        held += (ends[:, 0] <= rate) & (rate <= ends[:, 1])
                        widths, counted = widths + ends[:, 1] - ends[:, 0], counted + 1
                    line.append(f"{alike}: {(held / counted).round(3)} {(widths / counted).round(3)}")
                print(f"{records} records, {rows} rows, {episodes} episodes, {rate:.0%}: {', '.join(line)}", flush=True)


def _rows(count: int, draw: random.Random, labels: str, shares: tuple[float, float, float]) -> tuple[Any, Any, Any]:
    """Return originals, perturbed rows and usual answers; shares of right, of broken, and of mended answers."""
    originals, rows, usual = [], [], dict[str, str]()
    for number in range(count):
        gold = draw.choice(labels)
        wrong = draw.choice([label for label in labels if label != gold])
        before = gold if draw.random() < shares[0] else wrong
        flips = draw.random() < shares[1 if before == gold else 2]
        text, changed = f"текст номер {number}", f"тикст номир {number}"
        usual |= {text: before, changed: (wrong if before == gold else gold) if flips else before}
        originals.append({"id": number, "text": text, "label": gold})
        rows.append({"id": number, "text": changed, "label": gold, "augment": {"attack": "letters"}})
    return originals, rows, usual


def _texts(count: int, draw: random.Random) -> list[dict[str, Any]]:
    texts = [" ".join(draw.sample(WORDS, draw.randint(6, 14))) for _ in range(count)]
    return [{"id": number, "text": text, "label": "spam"} for number, text in enumerate(texts)]


def _broken(model: Slipping, rows: Sequence[dict[str, Any]], budget: int) -> set[int]:
    adversary = Adversary([Blank()], model, similarity="none", constraints=(), budget=budget)
    return {one.record.values["id"] for one in adversary.records(rows) if one.status == "broken"}


def immune() -> None:
    """Print how many of 12 · 250 rows are called broken of a model whose usual answers no change can break."""
    for slips in SLIPS[1:]:
        for budget in (20, 50, 200):
            broken = 0
            for seed in range(12):
                draw = random.Random(f"{slips} {budget} {seed}")
                model = Slipping(lambda text: "spam" if len(text.split()) % 7 else "ham", slips, ("spam", "ham"), draw)
                broken += len(_broken(model, _texts(250, draw), budget))
            print(f"{slips:.0%} slips, {budget} queries: {broken} of 3,000 called broken")


def power() -> None:
    """Print the share of rows broken without slips that are broken with them, too, at twice the queries."""
    for slips in SLIPS:
        for budget in (20, 50, 200):
            draw = random.Random(f"{slips} {budget}")
            rows, keys = _texts(300, draw), set(draw.sample(WORDS, 12))

            def usual(text: str, keys: set[str] = keys) -> str:
                return "spam" if sum(word in keys for word in text.split()) > 1 else "ham"

            labels = ("spam", "ham")
            without = _broken(Slipping(usual, 0.0, labels, draw, deterministic=True), rows, budget)
            stayed = without & _broken(Slipping(usual, slips, labels, draw), rows, 2 * budget)
            print(f"{slips:.0%} slips, {budget} queries: {len(stayed)} of {len(without)}")


if __name__ == "__main__":
    {"rates": rates, "coverage": coverage, "immune": immune, "power": power}[sys.argv[1]]()
