"""How much attacks change in texts of 1 to 30 sentences, at the defaults.

    python benchmarks/length.py SENTENCES.jsonl [--attack NAME] [--sentences 300] [--schedule paper]

SENTENCES.jsonl has a `text` and a `label` in each row, such as the sentences of RuBLiMP; those labelled `wikinews` with
at least 8 words are joined, so that all lengths hold the same sentences. Printed is the share of words that an edit
touches, in per cent, for each length, and the share at the greatest length divided by that at one sentence.
"""

import argparse
import json
import random
from bisect import bisect_left, bisect_right
from pathlib import Path

from augment_ru import Perturber, Preparation
from augment_ru.engine.result import Result
from augment_ru.registry import names
from augment_ru.similarities.meaning.words import SENTENCE_END, words_of

LENGTHS = (1, 2, 5, 10, 30)
NETWORKS = {"back_translation", "bae", "paraphrase", "add_sent"}


def touched(result: Result) -> int:
    """Return how many words of the original the edits of a result touch."""
    words = words_of(result.source)
    starts, stops = [start for start, _ in words], [stop for _, stop in words]
    found: set[int] = set()
    for edit in result.script.edits:
        first, last = bisect_right(stops, edit.start), bisect_left(starts, edit.stop)
        found.update(range(first, max(last, first + (edit.start == edit.stop and first < len(words)))))
    return len(found)


def share(perturber: Perturber, texts: list[str]) -> float:
    """Return the share of words that a perturber changes in these texts, in per cent."""
    changed = sum(
        touched(result)
        for prepared in Preparation().texts(texts, needs=[perturber.needs])
        for result in perturber.perturb(prepared).results
    )
    return 100 * changed / sum(len(words_of(text)) for text in texts)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--attack", action="append")
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--schedule", default="paper")
    given = parser.parse_args()
    rows = map(json.loads, given.file.read_text("utf-8").splitlines())
    news = [
        row["text"]
        for row in rows
        if row["label"] == "wikinews"
        and len(words_of(row["text"])) >= 8
        and row["text"][-1] in ".!?"
        and not SENTENCE_END.search(row["text"])
    ]
    random.Random(5).shuffle(news)
    news = news[: given.sentences]
    for attack in given.attack or sorted(set(names("attacks")) - NETWORKS):
        perturber = Perturber(attack, schedule=given.schedule)
        shares = [
            share(perturber, [" ".join(news[at : at + length]) for at in range(0, len(news) - length + 1, length)])
            for length in LENGTHS
        ]
        print(attack.ljust(16), *(f"{one:6.1f}" for one in shares), f"{shares[-1] / max(shares[0], 0.01):7.2f}")


if __name__ == "__main__":
    main()
