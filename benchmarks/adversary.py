"""The search against a model beside TextAttack's: success at a number of queries, changed words, time.

Both attack the same victims with the same candidate changes (three neighbouring-key variants of each word) and no
gate. TextAttack runs in an environment of its own (its requirements do not resolve together with ours):

    python -m venv ta
    ta/bin/pip install torch "transformers==4.57.*" "huggingface-hub<1.0" "datasets<4.5" "setuptools<81" flair nltk \
        Levenshtein scikit-learn editdistance language-tool-python lemminflect lru-dict more-itertools terminaltables \
        num2words OpenHowNet pycld2 click jieba pinyin
    ta/bin/pip install --no-build-isolation word2number
    ta/bin/pip install --no-deps textattack==0.3.11 bert-score
    mkdir -p nltk/corpora/stopwords && touch nltk/corpora/stopwords/english

    NLTK_DATA=nltk python benchmarks/adversary.py TRAIN.jsonl TEST.jsonl --textattack ta/bin/python

Without --textattack only our side is measured. Different texts are counted on both sides, the original among them;
every query counts, those of shrinking included. The rows are those that the victim answers right. Seconds are
processor time where nothing else is said.
"""

import argparse
import json
import re
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar, TypeAlias

import numpy as np

from augment_ru import Adversary, Attack, Change, Doc, Edit, Rng
from augment_ru.adversary.adversary import Finding
from augment_ru.draws import digests
from augment_ru.editing.characters import keyboards
from augment_ru.evaluation.examples import Example, Model, Scored, example_of
from augment_ru.formats.read import read_rows
from augment_ru.models._bag_of_words import BagOfWords, Train, fitted
from augment_ru.records.task import generic

BUDGETS = (10, 20, 50, 200)
VICTIMS = {"words 1–4": ("word", (1, 4)), "characters 2–5": ("char", (2, 5))}
WORD = re.compile(r"[\w'\-_*@]+")
"""A word as TextAttack finds it."""
VARIANTS = 3
PATIENCE, PATIENCE_FROM = 3000, 50
"""Queries with which our search tries what no search broke; the budget whose rate is put beside what all broke."""
METHODS = ("delete", "random")
Rows: TypeAlias = Sequence[Mapping[str, Any]]
Swaps: TypeAlias = Mapping[str, Sequence[str]]
"""The variants of each word of a row."""


@cache
def variants(word: str) -> tuple[str, ...]:
    """Up to three spellings of a word with a letter of a neighbouring key; the same for a word wherever it stands."""
    table = keyboards(("keyboard_en", "keyboard_ru"))
    rng = Rng(int(digests([word])[0]))
    places = [
        at for at, letter in enumerate(word) if ord(letter) < table.row_of.size and table.row_of[ord(letter)] >= 0
    ]
    found: dict[str, None] = {}
    for _ in range(20 if places else 0):
        at = rng.choice(places)
        row = table.row_of[ord(word[at])]
        letter = chr(table.substitutes[row, int((rng.uniform() >= table.bounds[row]).sum())])
        found[word[:at] + letter + word[at + 1 :]] = None
    return tuple(islice(found, VARIANTS))


@dataclass(frozen=True)
class NeighbouringKeys(Attack):
    """All variants of every word."""

    name: ClassVar[str] = "neighbouring_keys"
    probability: float = 1.0

    def propose(self, doc: Doc, rng: Rng) -> Iterator[Change]:
        """Propose the variants of every word."""
        for word in WORD.finditer(doc.text):
            for new in variants(word[0]):
                yield rng.change(Edit(word.start(), word.end(), new))


@dataclass
class Timed:
    """A victim that measures the time that it takes, with or without its scores."""

    model: Any
    seconds: float = 0.0
    questions: int = 0
    few_shot: ClassVar[bool] = False
    deterministic: ClassVar[bool] = True
    """Else each text that breaks the answer would be asked about again, and these questions would count."""
    cached: ClassVar[bool] = False
    chunk: ClassVar[int] = 2**20
    signature: None = field(default=None, init=False)

    def __call__(self, examples: Sequence[Example], /) -> Any:  # noqa: ANN401
        """The labels."""
        return self._measured(self.model, examples)

    def _measured(self, function: Any, examples: Sequence[Example]) -> Any:  # noqa: ANN401
        began = time.process_time()
        found = function(examples)
        self.seconds += time.process_time() - began
        self.questions += len(examples)
        return found


class TimedScores(Timed):
    """A victim that gives its scores."""

    def scored(self, examples: Sequence[Example], /) -> Sequence[Scored]:
        """The labels with their scores."""
        found: Sequence[Scored] = self._measured(self.model.scored, examples)
        return found


def victim(train: Rows, analyzer: str, ngrams: tuple[int, int]) -> BagOfWords:
    """Logistic regression on TF-IDF."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415

    def make() -> Any:  # noqa: ANN401
        vectors = TfidfVectorizer(analyzer=analyzer, ngram_range=ngrams, max_features=150_000)
        return make_pipeline(vectors, LogisticRegression(max_iter=1000))

    texts, labels = [row["text"] for row in train], [row["label"] for row in train]
    return fitted(Train(texts, {"label": labels}, ""), make, analyzer)


def right_rows(model: Model, rows: Rows, most: int) -> list[Mapping[str, Any]]:
    """The first rows that the victim answers right."""
    predictions = model([example_of(row, generic()) for row in rows])
    return [row for row, label in zip(rows, predictions, strict=True) if label == row["label"]][:most]


def ours(model: Timed, rows: Rows, budget: int) -> list[Finding]:
    """What our search finds."""
    adversary = Adversary([NeighbouringKeys()], model, budget=budget, draws=1, similarity="none", constraints=())
    return list(adversary.records(rows, generic()))


def verified(model: Model, found: Sequence[Finding]) -> float:
    """The share of the broken rows in which taking any one change back mends the answer, found by asking."""
    wholes = [one for one in found if one.status == "broken"]
    texts, owners = [], []
    for number, one in enumerate(wholes):
        edits = one.scripts["text"].edits
        for left_out in edits:
            kept = [edit for edit in edits if edit is not left_out]
            texts.append(type(one.scripts["text"])(one.record.values["text"], kept).text)
            owners.append(number)
    labels = model([Example({"text": text}, generic(), text) for text in texts])
    bad = {owner for owner, label in zip(owners, labels, strict=True) if label != wholes[owner].record.values["label"]}
    return 1 - len(bad) / max(len(wholes), 1)


def by_one_change(model: Model, rows: Rows) -> list[bool]:
    """Whether one change alone breaks each row, found by asking about all of them."""
    texts, owners = [], []
    for number, row in enumerate(rows):
        for word in WORD.finditer(row["text"]):
            texts += [row["text"][: word.start()] + new + row["text"][word.end() :] for new in variants(word[0])]
            owners += [number] * len(variants(word[0]))
    labels = model([Example({"text": text}, generic(), text) for text in texts])
    broken = {owner for owner, label in zip(owners, labels, strict=True) if label != rows[owner]["label"]}
    return [number in broken for number in range(len(rows))]


def textattack(
    python: str, labels: Sequence[str], model: Model, rows: Rows, swaps: Sequence[Swaps] | None = None
) -> dict[str, Any]:
    """What TextAttack finds, by the way it orders words; it asks the victim through a pipe.

    The candidates are the `swaps` of each row, the variants of each of its words, or else the neighbouring keys. For
    each way its `seconds` are by the clock, `processor` is the processor time of TextAttack itself, and `victim` the
    victim with its time.
    """
    if swaps is None:
        swaps = [{word: variants(word) for word in WORD.findall(row["text"])} for row in rows]
    task = {
        "seed": 1,
        "rows": [
            {"text": row["text"], "label": labels.index(row["label"]), "variants": own}
            for row, own in zip(rows, swaps, strict=True)
        ],
    }
    worker = Path(__file__).with_name("adversary_textattack.py")
    found = {}
    for method in METHODS:
        timed = TimedScores(model)
        found[method] = _through_pipe([python, str(worker)], {**task, "method": method}, labels, timed)
        found[method]["victim"] = timed
    return found


def _through_pipe(command: list[str], task: object, labels: Sequence[str], model: TimedScores) -> dict[str, Any]:
    """What the worker finds; its questions are answered by the model."""
    with subprocess.Popen(  # noqa: S603  (the interpreter that the user names)
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("no pipe")
        process.stdin.write(json.dumps(task) + "\n")
        process.stdin.flush()
        for line in process.stdout:
            said = json.loads(line)
            if "found" in said:
                found: dict[str, Any] = said["found"]
                return found
            scored = model.scored([Example({"text": text}, generic(), text) for text in said["texts"]])
            odds = np.array([[one.scores[0][label] for label in labels] for one in scored])
            chances = np.exp(odds - odds.max(axis=1, keepdims=True))
            process.stdin.write(json.dumps((chances / chances.sum(axis=1, keepdims=True)).tolist()) + "\n")
            process.stdin.flush()
    raise RuntimeError(f"{command[0]}: TextAttack ended without a result; run {command[1]} by hand to see why")


def compare(name: str, model: BagOfWords, rows: Rows, theirs: Mapping[str, Any]) -> None:
    """Print the lines of a victim."""
    ever = {at for side in theirs.values() for at, row in enumerate(side["rows"]) if row["broken"]}
    alone = by_one_change(model, rows)
    wirs: list[str] = []
    better = 0.0
    for budget in BUDGETS:
        timed = TimedScores(model)
        clock, began = time.perf_counter(), time.process_time()
        found = ours(timed, rows, budget)
        seconds = time.process_time() - began
        clock = time.perf_counter() - clock
        labels = ours(Timed(model), rows, budget)
        ever.update(at for some in (found, labels) for at, one in enumerate(some) if one.status == "broken")
        rate, by_labels = (100 * fmean(one.status == "broken" for one in some) for some in (found, labels))
        queries = sum(one.queries for one in found) / max(sum(one.status == "broken" for one in found), 1)
        line = f"| {name} | {budget} | {rate:.1f} | {by_labels:.1f}"
        best = 0.0
        for method, side in theirs.items():
            broken = [row["broken"] and row["queries"] <= budget for row in side["rows"]]
            both = [at for at, one in enumerate(found) if one.status == "broken" and broken[at]]
            own, other = (fmean(found[at].changes for at in both), fmean(side["rows"][at]["words"] for at in both))
            best = max(best, 100 * fmean(broken))
            by_one = sum(alone[at] for at in both)
            ours_by_one = sum(found[at].changes == 1 for at in both)
            wirs.append(
                f"{budget} queries, WIR {method}: {len(both)} broken by both, {by_one} of them breakable by one "
                f"change, {ours_by_one} broken so by ours, "
                f"{sum(side['rows'][at]['words'] == 1 for at in both)} by WIR"
            )
            line += f" | {100 * fmean(broken):.1f} | {own:.2f} / {other:.2f}"
        times = f"{rate / best:.2f}" if best else "–"
        minimal = 100 * verified(model, found)
        print(
            f"{line} | {times} | {queries:.1f} | {minimal:.1f} | {seconds - timed.seconds:.1f} + {timed.seconds:.1f}"
            f" | {clock:.1f} |",
            flush=True,
        )
        better = best if budget == PATIENCE_FROM else better
    print(*wirs, sep="\n")
    left = [at for at in range(len(rows)) if at not in ever]
    patient = ours(TimedScores(model), [rows[at] for at in left], PATIENCE) if left else []
    ever.update(at for at, one in zip(left, patient, strict=True) if one.status == "broken")
    share = 100 * len(ever) / len(rows)
    print(f"{share:.1f} % broken by any of these searches, or by ours in {PATIENCE} queries", end="")
    print(f"; {share / better:.3f} times the better WIR at {PATIENCE_FROM}" if theirs else "", flush=True)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--textattack", metavar="PYTHON", help="the interpreter of TextAttack's environment")
    parser.add_argument("--rows", type=int, default=600)
    given = parser.parse_args()
    train, test = read_rows(given.train).values, read_rows(given.test).values
    head = "| victim | queries | with scores | with labels"
    for method in METHODS if given.textattack else ():
        head += f" | WIR {method} | words: ours / WIR {method}"
    head += " | times the better WIR | queries a success | 1-minimal"
    head += " | processor seconds: ours + victim | seconds by the clock |"
    print(head)
    print("|---" * (head.count("|") - 1) + "|")
    for name, (analyzer, ngrams) in VICTIMS.items():
        model = victim(train, analyzer, ngrams)
        rows = right_rows(model, test, given.rows)
        began = time.perf_counter()
        labels = [str(label) for label in model.classifiers["label"].classes_]
        theirs = textattack(given.textattack, labels, model, rows) if given.textattack else {}
        compare(name, model, rows, theirs)
        for method, side in theirs.items():
            print(
                f"TextAttack {method}: {side['processor']:.1f} s of its own, victim {side['victim'].seconds:.1f} s; "
                f"{side['seconds']:.1f} s by the clock"
            )
        print(f"{name}: {len(rows)} rows, {time.perf_counter() - began:.0f} s in all")


if __name__ == "__main__":
    main()
