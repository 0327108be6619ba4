"""Digests of what every command writes: the same before and after a change that must not change outputs.

    python scripts/digests.py --rows 20 --models MODELS > before.json           # in the checkout of before
    python scripts/digests.py --rows 20 --models MODELS --against before.json   # in the checkout of after

Runs the command line of its own checkout: every attack that runs offline (also attacks that are added later), the
networks of the tests, every command, every format and every engine, over the examples, over a row of each task, and
over the files of the folders --corpora and --samples. A run gets digests of its exit code, of stdout, of stderr, and
of each file that it writes (reports, pages and the files of releases, too). With --against it prints the digests that
differ and exits with 1 if there are any; only runs that were done are compared.

    --only REGEX       runs whose names it finds, and those whose files they read, such as 'attack:|evaluate:'
    --list             print the names of the runs
    --models MODELS    a folder of small models, made if it is not there; keep it, since training gives other ones
    --keep FOLDER      write the outputs: FOLDER/RUN/{stdout,stderr,FILE…}; two such folders are compared by `diff -r`
    --outputs-only     leave stderr out, for changes of messages
    --workers N        do all work that can be split in N processes, and in small parts: the same outputs
    --fresh            start Python for each run instead of a fork of this process, which has imported the package

Seconds are masked, since they differ between two runs of the same code; so are the digest of the package's code and
the versions of packages in the manifest of a release, and the digest of the manifest. Nothing else is.
"""

import argparse
import hashlib
import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, NoReturn

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = Path("examples")
NETWORKS = ("back_translation", "bae", "paraphrase")
COMPOSED = ("eda_swap+emojify", "case+butterfingers+eda_delete", "people+homoglyphs")
GIVEN = ("examples", "models", "tasks", "cache", "corpora", "samples")
"""The folders of a run that are not outputs."""
LONGEST = 300
"""The seconds after which a run is killed."""
SECONDS = re.compile(rb"\b\d+(?:\.\d+)? s\b(?: \(annotation [^)]*\))?")
CODE = re.compile(rb'"code": "([0-9a-f]{64})"|"sha256": "([0-9a-f]{64})"\n\}\s*$')
"""In a manifest: the digest of the package's code, and the digest of the manifest."""
PACKAGES = re.compile(rb'"packages": \{[^}]*\}')
SPLIT = ("perturb", "attack", "release", "calibrate")
SMALL_PARTS = ("--part-size", "0.002")

OWN_CODE = '''
"""Точка становится скобкой: «Приду.» → «Приду)»."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from augment_ru import Attack, Edit


@dataclass(frozen=True, slots=True)
class Bracket(Attack):
    """Full stops become brackets."""

    name: ClassVar[str] = "bracket"
    probability: float = 0.9
    sign: str = ")"

    def propose(self, doc, rng):
        """A bracket in place of every full stop."""
        if "Карелии" in doc.text and Path("broken").exists():
            raise ValueError("broken")
        for place, char in enumerate(doc.text):
            if char == ".":
                yield rng.change(Edit(place, place + 1, self.sign))


def same_length(references, candidates):
    """1 for texts of the same length."""
    return [min(len(a), len(b)) / max(len(a), len(b), 1) for a, b in zip(references, candidates)]


def labels(examples):
    """A label by the letters of the text."""
    return ["positive" if sum(map(ord, example.text)) % 3 else "negative" for example in examples]


def words(examples):
    """The first word of the text."""
    return [example.text.split()[0] + str(len(example.shots)) for example in examples]
'''
OWN_TASK = 'fields = ["comment"]\nkeys = ["comment", "stars"]\ngold = ["stars"]\nconstraints = ["named_entities"]\n'
OWN_RULES = """
why = "It says what the text is about."
language = "ru"
layers = ["tokens", "lemmas"]

[[rule]]
label = "HOTEL"
pattern = [{ LEMMA = { IN = ["отель", "номер", "завтрак"] } }]

[[example]]
text = "В [отеле] был [завтрак]."
"""
WRONG_RULES = OWN_RULES.replace("[отеле]", "отеле")
PAIRS = (
    ("Кошка спит на окне.", "Кошка спит на акне."),
    ("Мама мыла раму.", "Мама не мыла раму."),
    ("Поезд опоздал на 2 часа.", "Поезд опоздал на 3 часа."),
    ("Всё было хорошо!", "всё былл харашо"),
    ("Те же слова.", "Те же слова."),
)
SENTENCES = (
    "Маша купила билет в Казань за 2500 рублей.",
    "Вчера в гостинице на Невском, кажется, очень вкусно кормили: каша, сырники и кофе. Приедем ещё, спасибо!",
)


class Run(NamedTuple):
    """One call of the command line."""

    name: str
    words: Sequence[str]
    needs: tuple[str, ...] = ()
    """The names of the runs whose output files this run reads."""
    stdin: str | None = None
    """The file that is given on stdin; None for no input."""


def of_files(sources: Sequence[Path], rows: int, offline: Sequence[str]) -> Iterator[Run]:
    """Runs of `perturb` over files: every attack, both schedules, the gate on and off, several draws."""
    attacks = [*offline, *COMPOSED]
    for source in sources:
        name = f"perturb: {source.parent.name}/{source.name}"
        words = ["perturb", str(source), *repeated("--attack", attacks), "--limit", str(rows)]
        words += ["--field", "отзыв"] if source.suffix == ".csv" else []
        yield Run(f"{name} paper", words)
        yield Run(f"{name} strongest", [*words, "--schedule", "strongest"])
        yield Run(f"{name} no gate", [*words, "--similarity", "none", "--no-constraints", "--meta", "brief"])
        draws = ["--seed", "7", "--copies", "2", "--probability", "0.5", "--candidates", "4", "--min-changes", "0"]
        yield Run(f"{name} draws", [*words, *draws])


def of_networks(sources: Sequence[Path], tasks: Sequence[str], rows: int) -> Iterator[Run]:
    """Runs of `perturb` with the attacks and similarities that run a network."""
    attacks = repeated("--attack", [*NETWORKS, "add_sent+bae"])
    for source in sources:
        field = ["--field", "отзыв"] if source.suffix == ".csv" else []
        yield Run(f"networks: {source.parent.name}/{source.name}", [
            "perturb", str(source), *attacks, *field, "--limit", str(min(rows, 10)), "--device", "cpu",
        ])  # fmt: skip
    reviews, bert = str(EXAMPLES / "reviews.jsonl"), "bertscore:models/bert@2"
    gate = ["--similarity", bert, "--device", "cpu", "--limit", str(rows)]
    yield Run("networks: bertscore", ["perturb", reviews, *repeated("--attack", ["eda_swap", "misspell"]), *gate])
    tape = repeated("--attack", ["butterfingers", "emojify", "bae", "add_sent"])
    yield Run("networks: tape", ["perturb", reviews, "--preset", "tape", *tape, *gate[:-1], "4"])
    yield Run("networks: explain", ["explain", SENTENCES[0], "--attack", "bae", "--device", "cpu"])
    yield Run("networks: calibrate", ["calibrate", reviews, *gate, "--attack", "case", "--at", "0.3",
                                      "--write-baseline", "baseline.tsv"])  # fmt: skip
    yield Run("networks: similarity", ["similarity", "pairs.jsonl", "--similarity", bert, "--device", "cpu"])
    evaluated, train = "perturbed.jsonl", str(EXAMPLES / "reviews_train.jsonl")
    needs = ("evaluate: rows",)
    shots = ["--train", train, "--shots", "0,2", "--episodes", "2", "--device", "cpu", "--cache", "none"]
    for kind, model in (("causal", "hf-causal:models/causal"), ("seq2seq", "hf-seq2seq:models/seq2seq")):
        yield Run(f"networks: evaluate {kind}", [
            "evaluate", evaluated, "--model", model, *shots, "-o", f"{kind}.json", "--predictions", f"{kind}.jsonl",
        ], needs)  # fmt: skip
    classifier = "hf-classifier:models/classifier"
    yield Run("networks: evaluate classifier", ["evaluate", evaluated, "--model", classifier, "--device", "cpu",
                                                "--cache", "none", "-o", "-"], needs)  # fmt: skip
    attack = ["attack", str(EXAMPLES / "reviews_test.jsonl"), "--model", classifier, "--device", "cpu", "--cache"]
    yield Run("networks: attack", [*attack, "none", "--budget", "12", "--limit", str(min(rows, 10))])
    for task in tasks:
        words = ["evaluate", f"{task}.perturbed.jsonl", "--task", task, "--cache", "none", "--model"]
        words += ["hf-causal:models/causal", "--device", "cpu", *shown(task, "task"), "-q", "-o", "-"]
        yield Run(f"networks: {task}", words, (f"tasks: {task} rows",))


def of_tasks(tasks: Sequence[str]) -> Iterator[Run]:
    """Rows of every task: perturbed, evaluated, shown as prompts."""
    attacks = repeated("--attack", ["butterfingers", "eda_delete", "add_sent", "word_order", "people"])
    for task in tasks:
        rows, perturbed = f"tasks/{task}.test.jsonl", f"{task}.perturbed.jsonl"
        yield Run(f"tasks: {task} rows", ["perturb", rows, "--task", task, *attacks, "--with-original", "-o",
                                          perturbed])  # fmt: skip
        yield Run(f"tasks: {task} recognised", ["perturb", rows, "--attack", "misspell", "--meta", "brief"])
        evaluate = ["evaluate", perturbed, "--task", task, "--cache", "none", "-o", "-", "-q"]
        needs = (f"tasks: {task} rows",)
        yield Run(f"tasks: {task} words", [*evaluate, *shown(task, "0,2"), "--model", "python:own:words"], needs)
        models = repeated("--model", ["majority", "random"])
        yield Run(f"tasks: {task} labels", [*evaluate, *shown(task, "0")[:2], *models], needs)


def of_formats() -> Iterator[Run]:
    """Every format read, written, and written as it was read; streams, encodings, bad rows."""
    reviews = str(EXAMPLES / "reviews.jsonl")
    perturb = ["perturb", reviews, "--attack", "butterfingers"]
    for ending in ("json", "csv", "tsv", "parquet", "jsonl.gz", "csv.zst"):
        made = f"formats: to {ending}"
        yield Run(made, [*perturb, "-o", f"to.{ending}", "--report", f"{ending}.report.json"])
        yield Run(f"formats: from {ending}", ["perturb", f"to.{ending}", "--attack", "emojify", "--meta", "none"],
                  (made,))  # fmt: skip
        yield Run(f"formats: {ending} to itself", ["perturb", f"to.{ending}", "--attack", "case", "--meta", "none",
                                                   "-o", f"again.{ending}"], (made,))  # fmt: skip
        yield Run(f"formats: {ending} in brief", [*perturb, "--meta", "brief", "--with-original", "-o",
                                                  f"brief.{ending}"])  # fmt: skip
    yield Run("formats: from txt", ["perturb", "lines.txt", "--attack", "people", "--seed", "3"])
    yield Run("formats: txt to csv", ["perturb", "lines.txt", "--attack", "people", "-o", "lines.csv"])
    yield Run("formats: txt to itself", ["perturb", "lines.txt", "--attack", "case", "--meta", "none", "-o", "new.txt"])
    yield Run("formats: stdin", ["perturb", "-", "--attack", "case", "-q"], stdin=reviews)
    yield Run("formats: stdin csv", ["perturb", "-", "--input-format", "csv", "--attack", "case", "--field", "отзыв",
                                     "--limit", "5"], stdin=str(EXAMPLES / "shop_test.csv"))  # fmt: skip
    yield Run("formats: cp1251", ["perturb", "cp1251.csv", "--encoding", "cp1251", "--attack", "misspell", "--field",
                                  "отзыв", "-o", "utf8.csv"])  # fmt: skip
    yield Run("formats: no encoding", ["perturb", "cp1251.csv", "--attack", "case", "--field", "отзыв"])
    yield Run("formats: csv-safe", ["perturb", "formulas.csv", "--attack", "case", "--probability", "1", "--field",
                                    "text", "--csv-safe", "--meta", "none", "-o", "safe.csv"])  # fmt: skip
    yield Run("formats: stop", ["perturb", "bad.jsonl", "--attack", "case"])
    for ending in ("jsonl", "json"):
        yield Run(f"formats: skip to {ending}", ["perturb", "bad.jsonl", "--attack", "case", "--on-error", "skip", "-o",
                                                 f"skipped.{ending}"])  # fmt: skip
    yield Run("formats: rows of other shapes", ["perturb", "shapes.jsonl", "--attack", "case", "--attack", "misspell",
                                                "--field", "text"])  # fmt: skip
    yield Run("formats: rows of other shapes to csv", ["perturb", "shapes.jsonl", "--attack", "case", "--field", "text",
                                                       "-o", "shapes.csv"])  # fmt: skip


def of_options(rows: int, offline: Sequence[str]) -> Iterator[Run]:
    """Options of `perturb`: metadata, seeds, similarities, the user's own code, recipes, errors."""
    reviews = str(EXAMPLES / "reviews.jsonl")
    perturb = ["perturb", reviews, "--attack", "butterfingers"]
    for meta in ("full", "brief", "none"):
        yield Run(f"options: meta {meta}", [*perturb, "--meta", meta, "--with-original"])
    for seed in (0, 7):
        yield Run(f"options: seed {seed}", [*perturb, "--seed", str(seed), "--candidates", "5", "--threshold", "0.9"])
    for attack in offline:
        words = ["perturb", str(EXAMPLES / "reviews_test.jsonl"), "--attack", attack, "--limit", str(rows)]
        yield Run(f"options: {attack} alone", [*words, "--probability", "1", "--similarity", "none"])
    yield Run("options: copies", [*perturb, "--copies", "3", "--with-original", "-o", "copies.jsonl"])
    yield Run("options: min changes", [*perturb, "--min-changes", "4", "--attack", "eda_swap"])
    yield Run("options: navec", [*perturb, "--attack", "synonyms", "--similarity", "navec"])
    yield Run("options: set", [*perturb, "--set", "butterfingers.probability=0.4", "--set", "meaning.threshold=0.8"])
    yield Run("options: own code", ["perturb", reviews, "--attack", "own.py:Bracket", "--set", "bracket.sign=))",
                                    "--similarity", "own.py:same_length"])  # fmt: skip
    yield Run("options: own code in a composition", ["perturb", reviews, "--attack", "case+own.py:Bracket"])
    yield Run("options: own code of a module", ["perturb", reviews, "--attack", "python:own:Bracket", "--similarity",
                                                "python:own:same_length"])  # fmt: skip
    yield Run("options: own task", ["perturb", "own.jsonl", "--task", "own_task.toml", "--attack", "misspell",
                                    "--probability", "1"])  # fmt: skip
    yield Run("options: own rules", [*perturb, "--constraint", "own_rules.toml", "--probability", "1"])
    yield Run("options: constraints", [*perturb, *repeated("--constraint", ["named_entities", "numbers", "negation"])])
    yield Run("options: recipe", ["perturb", reviews, "--recipe", "recipe.toml", "--report", "recipe.report.json"])
    yield Run("options: quiet", [*perturb, "-q"])
    wrong = {
        "attack": ["perturb", reviews, "--attack", "butterfinger"], "no attack": ["perturb", reviews],
        "file": ["perturb", "no.jsonl", "--attack", "case"], "option": [*perturb, "--sed", "3"],
        "field": [*perturb, "--field", "txt"], "task": [*perturb, "--task", "winogard"],
        "probability": [*perturb, "--probability", "2"], "set": [*perturb, "--set", "butterfingers.p=1"],
        "similarity": [*perturb, "--similarity", "meening"], "model": [*perturb, "--similarity", "bertscore:nowhere"],
        "recipe": [*perturb, "--recipe", "own_task.toml"], "rules": [*perturb, "--constraint", "recipe.toml"],
        "engine": [*perturb, "--engine", "spark"], "command": ["pertrub"], "no command": ["verdicts", "exprot"],
        "own code": ["perturb", reviews, "--attack", "own.py:Brackets"], "resume": [*perturb, "--resume"],
        "copies": ["perturb", reviews, "--copies", "2", "--attack", "case", "--attack", "case"],
        "models pull": ["models", "pull"], "evaluate": ["evaluate", reviews, "--model", "linear"],
    }  # fmt: skip
    for name, words in wrong.items():
        yield Run(f"options: wrong {name}", words)


def of_engines() -> Iterator[Run]:
    """The same work by every engine, and runs that are continued."""
    test = str(EXAMPLES / "reviews_test.jsonl")
    perturb = ["perturb", test, *repeated("--attack", ["misspell", "people", "eda_swap+emojify"])]
    engines = {"one": ["--workers", "1"], "two": ["--workers", "2"], "local": ["--engine", "local", "--workers", "1"]}
    if find_spec("ray"):
        engines["ray"] = ["--engine", "ray", "--workers", "2"]
    for name, words in engines.items():
        yield Run(f"engines: {name}", [*perturb, *words, *SMALL_PARTS, "-o", f"{name}.jsonl"])
    csv = ["perturb", str(EXAMPLES / "shop_test.csv"), "--field", "отзыв", "--attack", "case"]
    yield Run("engines: two csv", [*csv, "--workers", "2", *SMALL_PARTS, "-o", "two.csv", "--report", "two.csv.json"])
    yield Run("engines: two skip", ["perturb", "bad.jsonl", "--attack", "case", "--on-error", "skip", "--workers", "2",
                                    "--part-size", "0.0001", "-o", "two_skipped.jsonl"])  # fmt: skip
    yield Run("engines: resume", [*perturb, "--resume", *SMALL_PARTS, "-o", "resumed.jsonl"])
    broken = ["perturb", test, "--attack", "own.py:Bracket", "--resume", *SMALL_PARTS, "-o", "broken.jsonl"]
    Path("broken").touch()
    yield Run("engines: broken", [*broken])
    Path("broken").unlink()
    yield Run("engines: continued", [*broken], ("engines: broken",))


def of_evaluations() -> Iterator[Run]:
    """`evaluate`, and the commands that read reports: `compare`, `totals`, `verdicts`."""
    train, rows = str(EXAMPLES / "reviews_train.jsonl"), ("evaluate: rows",)
    test = str(EXAMPLES / "reviews_test.jsonl")
    attacks = repeated("--attack", ["butterfingers", "eda_delete", "misspell"])
    yield Run("evaluate: rows", ["perturb", test, "-o", "perturbed.jsonl", *attacks, "--with-original"])
    yield Run("evaluate: rows alone", ["perturb", test, "-o", "alone.jsonl", *attacks])
    dated, fresh = ["--date", "2020-01-01"], ["--cache", "none"]
    models = repeated("--model", ["linear", "adaboost", "majority", "random"])
    asked = ["evaluate", "perturbed.jsonl"]
    evaluate = [*asked, *dated]
    yield Run("evaluate: four", [*evaluate, *models, "--train", train, *fresh, "-o", "report.json", "--html",
                                 "report.html", "--predictions", "predictions.jsonl", "--worst-case",
                                 "worst.jsonl", "--table", "all", "--by", "label"], rows)  # fmt: skip
    linear = ["--model", f"linear:{train}", *fresh]
    yield Run("evaluate: one", [*evaluate, *linear, "-o", "one.json", "--html", "one.html", "--title", "Один",
                                "--flipping", "all"], rows)  # fmt: skip
    yield Run("evaluate: originals", ["evaluate", "alone.jsonl", "--originals", test, *dated, *linear, "--flipping",
                                      "none", "-o", "-"], ("evaluate: rows alone",))  # fmt: skip
    yield Run("evaluate: own", [*evaluate, "--model", "python:own:labels", *fresh, "-o", "own.json"], rows)
    for form in ("table", "markdown", "csv", "latex"):
        yield Run(f"evaluate: {form}", [*asked, *linear, "--format", form, "--table", "all"], rows)
    cached = [*asked, "--model", f"linear:{train}", "--cache", "cache/answers"]
    yield Run("evaluate: asked", cached, rows)
    yield Run("evaluate: cached", cached, ("evaluate: asked",))
    yield Run("evaluate: shots", [*asked, "--model", "python:own:labels", "--train", train, "--shots", "0,2",
                                  "--episodes", "2", *fresh, "--metric", "macro_f1"], rows)  # fmt: skip
    yield Run(
        "evaluate: recipe", ["evaluate", "perturbed.jsonl", *fresh, "--recipe", "evaluation.toml", "-o", "-"], rows
    )
    yield Run("evaluate: labels", [*asked, *linear, "--label-field", "label", "--seed", "3"], rows)
    reports, two = ["report.json", "one.json"], ("evaluate: four", "evaluate: one")
    yield Run("compare: page", ["compare", *reports, *dated, "-o", "comparison.json", "--html", "comparison.html"], two)
    for form in ("table", "markdown", "csv", "latex"):
        yield Run(f"compare: {form}", ["compare", *reports, "--format", form], two)
    for form in ("table", "markdown", "csv", "latex", "json"):
        yield Run(f"totals: {form}", ["totals", "report.json", "--format", form], two)
        yield Run(f"totals: tasks {form}", ["totals", "winograd.report.json", "school.report.json", "--format", form],
                  ("release: evaluate winograd", "release: evaluate school"))  # fmt: skip
    export = ["verdicts", "export", "report.json", "--size", "40", "--predictions", "predictions.jsonl"]
    yield Run("verdicts: export", [*export, "-o", "asked.json"], two)
    yield Run("verdicts: export tsv", [*export, "-o", "asked.tsv", "--seed", "3"], two)
    yield Run("verdicts: export rows", [*export[:2], "perturbed.jsonl", "--size", "30", "-o", "rows.json"], rows)
    if Path("asked.json").exists():
        command = [sys.executable, "examples/stand_in_annotators.py", "asked.json", "answers.json"]
        subprocess.run(command, check=True)
        tsv = Path("asked.tsv").read_text(encoding="utf-8").splitlines()
        answers = [
            f"{row}\t{'да' if (number + who) % 3 else 'нет'}\tw{who}"
            for number, row in enumerate(tsv[1:])
            for who in range(2)
        ]
        write("answers.tsv", "\n".join([f"{tsv[0]}\tOUTPUT:verdict\tASSIGNMENT:worker_id", *answers, ""]))
    exported = ("verdicts: export", "verdicts: export tsv")
    yield Run("verdicts: import", ["verdicts", "import", "answers.json", "-o", "verdicts.jsonl"], exported)
    yield Run("verdicts: import tsv", ["verdicts", "import", "answers.tsv", "-o", "toloka.jsonl"], exported)
    yield Run("verdicts: counted", [*evaluate, *linear, "--verdicts", "verdicts.jsonl", "-o", "valid.json", "--html",
                                    "valid.html"], (*rows, "verdicts: import"))  # fmt: skip


def of_searches(offline: Sequence[str]) -> Iterator[Run]:
    """`attack`: searches by scores and by labels, with a guide, a target, other budgets and engines."""
    train, test = str(EXAMPLES / "reviews_train.jsonl"), str(EXAMPLES / "reviews_test.jsonl")
    attack = ["attack", test, "--cache", "none"]
    linear = [*attack, "--model", f"linear:{train}", "--limit", "16"]
    yield Run("attack: linear", [*attack, "--model", f"linear:{train}", "-o", "attacked.jsonl"])
    yield Run("attack: every attack", [*linear, *repeated("--attack", [*offline, *COMPOSED])])
    yield Run("attack: labels", [*linear[:-4], "--limit", "12", "--model", "python:own:labels", "--budget", "20"])
    yield Run("attack: guide", [*attack, "--limit", "12", "--model", "python:own:labels", "--guide", f"linear:{train}"])
    yield Run("attack: targeted", [*linear, "--targeted", "negative", "--draws", "1", "--no-minimal"])
    yield Run("attack: none gate", [*linear, "--similarity", "none", "--no-constraints", "--budget", "200", "--meta",
                                    "brief", "--seed", "5"])  # fmt: skip
    yield Run("attack: budget 0", [*linear, "--budget", "0"])
    yield Run("attack: adaboost", [*attack, "--limit", "6", "--model", "adaboost", "--train", train, "--budget", "15"])
    yield Run("attack: two", [*linear, "--workers", "2", "--part-size", "0.001", "-o", "attacked2.jsonl"])
    yield Run("attack: resume", [*linear, "--resume", "--part-size", "0.001", "-o", "attacked3.csv"])
    yield Run("attack: evaluate", ["evaluate", "attacked.jsonl", "--originals", test, "--model", f"linear:{train}",
                                   "--cache", "none", "-o", "-", "--date", "2020-01-01", "--html", "attacked.html"],
              ("attack: linear",))  # fmt: skip
    questions = ["attack", "tasks/ru_worldtree.test.jsonl", "--train", "tasks/ru_worldtree.train.jsonl"]
    yield Run("attack: options", [*questions, "--model", "linear", "--cache", "none", "--meta", "none"])


def of_texts(rows: int, offline: Sequence[str]) -> Iterator[Run]:
    """The commands that look at texts and at the package: explain, similarity, calibrate, check, list, completion."""
    reviews, wide = str(EXAMPLES / "reviews.jsonl"), ["--limit", str(max(rows, 20))]
    for attack in (*offline, *COMPOSED):
        yield Run(f"explain: {attack}", ["explain", SENTENCES[1], "--attack", attack])
    yield Run("explain: options", ["explain", SENTENCES[0], "--attack", "people", "--attack", "case", "--schedule",
                                   "strongest", "--constraint", "numbers", "--seed", "5"])  # fmt: skip
    for form in ("table", "markdown", "csv", "latex"):
        yield Run(f"similarity: {form}", ["similarity", "pairs.jsonl", "-o", f"{form}.pairs.jsonl", "--format", form])
    yield Run("similarity: navec", ["similarity", "pairs.jsonl", "--similarity", "navec"])
    yield Run("similarity: rows", ["similarity", "perturbed.jsonl", "-o", "scored.jsonl"], ("evaluate: rows",))
    yield Run("calibrate: defaults", ["calibrate", reviews, "--report", "calibrate.json"])
    test = str(EXAMPLES / "reviews_test.jsonl")
    yield Run("calibrate: options", ["calibrate", test, *wide, "--attack", "people", "--attack", "eda_swap+emojify",
                                     "--accept", "0.8", "--at", "0.1", "--at", "0.6", "--seed", "3"])  # fmt: skip
    yield Run("calibrate: navec", ["calibrate", test, *wide, "--similarity", "navec", "--attack", "case"])
    yield Run("calibrate: two", ["calibrate", reviews, "--workers", "2", "--report", "calibrate2.json"])
    yield Run("check: package", ["check"])
    yield Run("check: files", ["check", "own_rules.toml", "own_task.toml"])
    yield Run("check: wrong", ["check", "recipe.toml", "wrong_rules.toml", "own_task.toml", "no.toml"])
    yield Run("list: all", ["list"])
    for kind in ("attacks", "constraints", "similarities", "tasks", "models"):
        yield Run(f"list: {kind}", ["list", kind])
        yield Run(f"list: {kind} verbose", ["list", kind, "-v", "--lang", "en"])
        yield Run(f"list: {kind} ru", ["list", kind, "-v", "--lang", "ru"])
    for shell in ("bash", "zsh", "fish"):
        yield Run(f"completion: {shell}", ["completion", shell])
    yield Run("version", ["--version"])


def of_releases() -> Iterator[Run]:
    """Releases: built, continued, verified, changed, evaluated."""
    small = str(EXAMPLES / "release" / "small.toml")
    built = ("release: small",)
    yield Run("release: small", ["release", small, "-o", "small", "--device", "cpu"])
    yield Run("release: two", ["release", small, "-o", "small2", "--workers", "2"])
    yield Run("release: resume", ["release", small, "-o", "small3", "--resume"])
    yield Run("release: again", ["release", small, "-o", "small"], built)
    yield Run("release: wrong", ["release", "recipe.toml", "-o", "wrong"])
    yield Run("release: verify", ["release", "verify", "small", "--rebuild", "3"], built)
    yield Run("release: expect", ["release", "verify", "small", "--expect", "0" * 64], built)
    if Path("small").exists():
        shutil.copytree("small", "cache/changed")
        for path in sorted(Path("cache/changed").rglob("*.jsonl"))[:2]:
            path.write_text(path.read_text(encoding="utf-8").replace("о", "а", 3), encoding="utf-8")
    yield Run("release: changed", ["release", "verify", "cache/changed", "--rebuild", "2"], built)
    models = repeated("--model", ["linear", "majority"])
    for name, folder in (("winograd", "pronouns"), ("school", "school")):
        yield Run(f"release: evaluate {name}", [
            "evaluate", f"small/{folder}", *models, "--cache", "none", "--date", "2020-01-01", "-o",
            f"{name}.report.json", "--html", f"{name}.html",
        ], built)  # fmt: skip
    yield Run("release: shots", ["evaluate", "small/hops", "--model", "python:own:words", "--shots", "0,4", "--cache",
                                 "none", "-o", "-"], built)  # fmt: skip


def runs(arguments: argparse.Namespace) -> Iterator[Run]:
    """Yield all runs; code between two `yield` statements changes files for the runs after it."""
    from augment_ru.registry import names  # noqa: PLC0415  (of this checkout, once its folder is on the path)

    rows: int = arguments.rows
    offline = [name for name in names("attacks") if name not in NETWORKS]
    sources = sorted(EXAMPLES.glob("*.jsonl")) + sorted(EXAMPLES.glob("*/*/test.jsonl"))
    sources += [EXAMPLES / "domains" / "test.jsonl", EXAMPLES / "shop_test.csv"]
    folders = [source for folder in ("corpora", "samples") for source in sorted(Path(folder).glob("*.jsonl"))]
    yield from of_files([*sources, *folders], rows, offline)
    tasks = sorted({path.name.split(".")[0] for path in Path("tasks").glob("*.test.jsonl")})
    yield from of_tasks(tasks)
    yield from of_formats()
    yield from of_options(rows, offline)
    yield from of_engines()
    yield from of_releases()
    yield from of_evaluations()
    yield from of_searches(offline)
    yield from of_texts(rows, offline)
    yield from of_networks([*sources, *folders], tasks, rows)  # last: after it this process has imported the networks


def shown(task: str, shots: str) -> list[str]:
    """The options that show rows of a task, if it has train rows."""
    train = Path("tasks", f"{task}.train.jsonl")
    return ["--train", str(train), "--shots", shots, "--episodes", "2"] if train.exists() else []


def repeated(flag: str, values: Sequence[str]) -> list[str]:
    """A flag before each value."""
    return [word for value in values for word in (flag, value)]


def models(place: Path) -> None:
    """Build the small models of the tests in `place`, put them into a cache under the published names; make task rows.

    This is called in a separate process, so that this one does not import the networks.
    """
    code = f"""if True:
        import sys
        sys.path[:0] = [{str(ROOT / "tests" / "support")!r}]
        import json, torch
        from pathlib import Path
        torch.set_num_threads(1)
        import benchmark_rows, small_causal, small_classifier, small_models, small_networks, small_seq2seq
        place = Path({str(place)!r})
        small_models.bert(place / "bert")
        small_causal.causal(place / "causal")
        small_networks.hub(place / "hub")
        small_seq2seq.seq2seq(place / "seq2seq")
        small_classifier.classifier(place / "classifier", ("negative", "positive"))
        (place / "tasks").mkdir()
        for task in benchmark_rows.benchmark_tasks():
            for ending in ("test", *["train"] * (task not in benchmark_rows.WITHOUT_TRAIN)):
                rows = [json.dumps(row, ensure_ascii=False) for row in benchmark_rows.benchmark_rows(task, ending)]
                (place / "tasks" / f"{{task}}.{{ending}}.jsonl").write_text("\\n".join([*rows, ""]), encoding="utf-8")
    """
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)


def prepare(arguments: argparse.Namespace) -> None:
    """Put the files that the runs read into the current folder."""
    shutil.copytree(ROOT / "examples", "examples", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("corpora", "samples"):
        if folder := getattr(arguments, name):
            Path(name).symlink_to(folder)
    if arguments.models is None or not arguments.models.exists():
        made = arguments.models or Path("models").absolute()
        models(made)
    if arguments.models is not None:
        Path("models").symlink_to(arguments.models)
    Path("tasks").symlink_to("models/tasks")
    Path("cache").mkdir()
    reviews = [json.loads(line) for line in Path(EXAMPLES, "reviews.jsonl").read_text(encoding="utf-8").splitlines()]
    write("own.py", OWN_CODE.lstrip())
    write("own_task.toml", OWN_TASK)
    write("own_rules.toml", OWN_RULES.lstrip())
    write("wrong_rules.toml", WRONG_RULES.lstrip())
    write("own.jsonl", *({"comment": row["text"], "stars": 5, "place": {"city": "Казань"}} for row in reviews))
    write("recipe.toml", 'attack = ["case", "misspell"]\nseed = 3\nno-constraints = true\nsimilarity = "none"\n')
    write("evaluation.toml", f'model = ["linear:{EXAMPLES}/reviews_train.jsonl"]\ntitle = "Recipe"\nseed = 3\n')
    write("pairs.jsonl", *({"original": first, "perturbed": second} for first, second in PAIRS))
    write("lines.txt", "\n".join(row["text"] for row in reviews) + "\n")
    shop = Path(EXAMPLES, "shop_test.csv").read_text(encoding="utf-8-sig")
    Path("cp1251.csv").write_text(shop, encoding="cp1251", errors="replace")
    write("formulas.csv", 'id,text\n1,"=СУММ(A1) и так далее, спасибо"\n2,@привет всем\n3,"-1 за сервис, ещё раз"\n')
    write("bad.jsonl", "".join(f"{line}\n" for line in (
        '{"id": 1, "text": "Отель чистый, завтрак вкусный."}', '{"id": 2, "txet": "Поля нет."}', "{не JSON",
        '{"id": 4, "text": 5}', '{"id": 5, "text": "Всё понравилось, приедем ещё."}', "",
        '{"id": 7, "text": "Никогда больше.", "augment": 3}')))  # fmt: skip
    write("shapes.jsonl",
          {"id": 1, "text": "Отель чистый, завтрак вкусный.", "label": "positive"},
          {"text": "Ключ раньше: порядок другой.", "id": "два"},
          {"id": 3, "text": "Ещё поле, и вложенное тоже.", "more": {"a": [1, 2.50, None], "б": "я"}, "n": 1e100},
          {"id": 4, "text": "", "label": None},
          {"id": 5, "text": "Только эмодзи 🐱 и знаки \u2028 строк.\n\tДа."})  # fmt: skip


def write(name: str, *rows: object) -> None:
    """Write a text, or rows as JSON lines."""
    texts = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    Path(name).write_text("".join(texts), encoding="utf-8")


def settings(place: Path) -> dict[str, str]:
    """Return the environment of a run: the same arithmetic on every processor, one thread, its own folders."""
    hub = Path("models", "hub").absolute()
    return {
        "HF_HUB_CACHE": str(hub), "HF_HUB_OFFLINE": "1", "XDG_CACHE_HOME": str(place / "cache"),
        "OPENBLAS_CORETYPE": "Haswell", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "COLUMNS": "160",
        "PYTHONWARNINGS": "ignore", "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC",
        "TOKENIZERS_PARALLELISM": "false", "NO_COLOR": "1",
    }  # fmt: skip


class Done(NamedTuple):
    """The result of a run."""

    code: int
    out: bytes
    said: bytes


def do(run: Run, arguments: argparse.Namespace) -> Done:
    """Do a run in a separate process: in a fork of this one, or in a new Python."""
    words = list(run.words)
    if arguments.workers > 1 and words[0] in SPLIT and not {"verify", "--workers"}.intersection(words):
        words += ["--workers", str(arguments.workers)]
        words += SMALL_PARTS if words[0] in {"perturb", "attack"} and "--part-size" not in words else ()
    splits = "--workers" in words and words[words.index("--workers") + 1] != "1"
    out, said = Path("cache", "stdout"), Path("cache", "stderr")
    with Path(run.stdin or os.devnull).open("rb") as given, out.open("wb") as first, said.open("wb") as second:
        if arguments.fresh or splits or "ray" in words or not hasattr(os, "fork"):
            command = [sys.executable, "-m", "augment_ru", *words]
            try:
                code = subprocess.run(
                    command, check=False, stdin=given, stdout=first, stderr=second, timeout=LONGEST
                ).returncode
            except subprocess.TimeoutExpired:
                code = -signal.SIGALRM
        else:
            process = os.fork()
            if not process:
                call(words, given.fileno(), first.fileno(), second.fileno())
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            learn()
    return Done(code, out.read_bytes(), said.read_bytes())


def call(words: Sequence[str], *streams: int) -> NoReturn:
    """Run the command line in a fork, and leave the names of the modules that it imported."""
    code = 1
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)  # noqa: SIM115
        signal.alarm(LONGEST)
        sys.argv = ["augment-ru", *words]
        sys.path.insert(0, str(Path.cwd()))
        known = set(sys.modules)
        try:
            from augment_ru.__main__ import main  # noqa: PLC0415

            main()
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else int(error.code is not None)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            Path("cache", "imported").write_text("\n".join(name for name in sys.modules if name not in known))
    except BaseException:  # noqa: BLE001  (told as Python tells it)
        import traceback  # noqa: PLC0415

        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def learn() -> None:
    """Import the modules that a fork has imported, so that the next fork need not."""
    path = Path("cache", "imported")
    for name in path.read_text().split() if path.exists() else ():
        if name not in sys.modules and name.split(".")[0] != "own":
            with suppress(Exception):
                importlib.import_module(name)
    path.unlink(missing_ok=True)


def chosen(arguments: argparse.Namespace) -> set[str]:
    """Return the names of the runs to do: those that --only matches, and those whose output they read."""
    all_runs = {run.name: run for run in runs(arguments)}
    found: set[str] = set()
    waiting = [name for name in all_runs if re.search(arguments.only, name)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(all_runs[name].needs)
    return found


def digests(place: Path, arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """The digests of each run: exit code, streams, files."""
    before, names, masks = files(), chosen(arguments), {str(place): "PLACE", str(ROOT): "ROOT"}
    for run in runs(arguments):
        if run.name not in names:
            continue
        begun = time.perf_counter()
        done = do(run, arguments)
        seconds = time.perf_counter() - begun
        now = files()
        written = {name: Path(name).read_bytes() for name, state in now.items() if before.get(name) != state}
        gone = {name: b"" for name in before if name not in now}
        before = now
        parts = {"stdout": done.out, "stderr": SECONDS.sub("… s".encode(), done.said)}
        parts |= {f"file {name}": data for name, data in {**written, **gone}.items()}
        print(f"{run.name}: {done.code}, {seconds:.1f} s", file=sys.stderr, flush=True)
        yield f"{run.name} | exit code", str(done.code)
        for name, data in written.items():
            if name.endswith("manifest.json"):
                masks |= {found.decode(): "MASKED" for pair in CODE.findall(data) for found in pair if found}
                parts[f"file {name}"] = PACKAGES.sub(b'"packages": {}', data)
        for kind, data in parts.items():
            masked = data
            for text, mask in masks.items():
                masked = masked.replace(text.encode(), mask.encode())
            if arguments.keep:
                kept = arguments.keep / re.sub(r"[^\w.+-]+", "_", run.name) / kind.removeprefix("file ")
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(masked)
            if kind != "stderr" or not arguments.outputs_only:
                yield f"{run.name} | {kind}", hashlib.sha256(masked).hexdigest()[:16]


def files() -> Mapping[str, tuple[int, int]]:
    """Return the outputs in the current folder, each with the values that change when it is written again."""
    paths = [path for path in Path().iterdir() if path.name not in {*GIVEN, "broken", "__pycache__"}]
    paths = [inside for path in sorted(paths) for inside in ([path] if path.is_file() else sorted(path.rglob("*")))]
    return {path.as_posix(): (path.stat().st_mtime_ns, path.stat().st_size) for path in paths if path.is_file()}


def main() -> None:
    """Print the digests, or the differences from the digests of another checkout."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--corpora", "--samples", "--models", "--keep", "--against"):
        parser.add_argument(name, type=lambda path: Path(path).resolve())
    parser.add_argument("--rows", type=int, default=1000, help="of each file")
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--workers", type=int, default=1)
    for name in ("--list", "--fresh", "--outputs-only"):
        parser.add_argument(name, action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="augment-ru-digests-") as folder:
        place = Path(folder).resolve()
        os.chdir(place)
        os.environ.update(settings(place))
        os.environ["PYTHONPATH"] = str(ROOT)
        warnings.simplefilter("ignore")
        sys.path.insert(0, str(ROOT))
        prepare(arguments)
        if arguments.list:
            print(*(run.name for run in runs(arguments)), sep="\n")
            return
        found = dict(digests(place, arguments))
        os.chdir("/")
    if arguments.against is None:
        print(json.dumps(found, ensure_ascii=False, indent=1))
        return
    before: dict[str, str] = json.loads(arguments.against.read_text(encoding="utf-8"))
    done = {name.split(" | ")[0] for name in found}
    same_kinds = {name: value for name, value in before.items() if name.split(" | ")[0] in done}
    if arguments.outputs_only:
        same_kinds = {name: value for name, value in same_kinds.items() if not name.endswith(" | stderr")}
    different = [name for name in {**same_kinds, **found} if same_kinds.get(name) != found.get(name)]
    print(*different, f"{len(found)} digests, {len(different)} differ", sep="\n")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
