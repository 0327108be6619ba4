"""The search against a model on the pools that a user names: success at a number of queries, changes, minimality, time.

    NLTK_DATA=nltk python benchmarks/adversary_pools.py TRAIN.jsonl TEST.jsonl --textattack ta/bin/python

The victims are those of benchmarks/adversary.py, or those that --model names; the rows are the first that the victim
answers right. Each line is one run: the budget only cuts, so its rows give the rate at every smaller one. Two shares of
the successes are in per cent: those that are known to be 1-minimal and, of these, those that asking about every set
without one change finds so. "Own" is processor time a query without the victim's.

TextAttack (its environment: benchmarks/adversary.py) gets the changes that our search has in its pool for the row, as
variants of the word that each touches. It has no gate, and what touches no word or several is left out; its lines say
how many changes that are. It searches to its end; a success counts from its last query. `--patience N` adds a line:
what any of the runs above has broken, or ours with scores and N queries. Beside another version:

    PYTHONPATH=OTHER python benchmarks/adversary_pools.py TRAIN.jsonl TEST.jsonl --keep other.json
    python benchmarks/adversary_pools.py TRAIN.jsonl TEST.jsonl --beside other.json

Then a second line has the gains in points with 95 % intervals, and the words changed where both succeed.
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, TypeAlias

from adversary import VICTIMS, WORD, Rows, Swaps, Timed, TimedScores, right_rows, textattack, verified, victim

from augment_ru import Adversary, Script
from augment_ru.adversary.adversary import Finding
from augment_ru.adversary.defaults import ATTACKS
from augment_ru.engine.pool import pools
from augment_ru.evaluation.examples import ModelRequest, model_of
from augment_ru.formats.read import read_rows
from augment_ru.records.task import generic

BUDGETS = (10, 20, 50, 100, 200)
POOLS = {
    "butterfingers": ("butterfingers",),
    "default": ATTACKS,
    "misspell + homoglyphs + masking": ("misspell", "homoglyphs", "masking"),
    "evasion": ("evasion",),
}
KINDS = {"scores": TimedScores, "labels": Timed}
Ended: TypeAlias = Sequence[tuple[int | None, int]]
"""For each row the query that broke the answer, or None, and how many words were changed."""


def words(found: Finding) -> int:
    """How many words of the text the edits touch; an edit that touches none counts as one."""
    spans = [word.span() for word in WORD.finditer(found.record.values["text"])]
    touched = set[int]()
    for start, stop, _ in found.scripts["text"].triples:
        touched |= {begin for begin, end in spans if begin < max(stop, start + 1) and start < end} or {-1 - start}
    return len(touched)


def swap(change: Script) -> tuple[str, str] | None:
    """The word that a change touches and its variant; None if the change touches no word or several."""
    text, first, last = change.source, change.triples[0][0], change.triples[-1][1]
    for word in WORD.finditer(text):
        if word.start() <= first and last <= word.end():
            return word[0], change.text[word.start() : len(change.text) - len(text) + word.end()]
        if text[first:last].strip() == word[0] and change.text == text[:first] + text[last:]:
            return word[0], ""
    return None


def swaps(adversary: Adversary, rows: Rows) -> tuple[list[Swaps], str]:
    """The changes in the search's pool for each row as swaps of a word, and how many are none."""
    found: list[Swaps] = []
    count = left_out = 0
    for prepared in adversary.preparation.records(rows, generic(), needs=adversary.needs):
        for pool in pools(prepared, adversary.perturbers, adversary.draws):
            own: dict[str, list[str]] = {}
            for one in (swap(pool.scripts([number])[0]) for number in range(len(pool))):
                if one is not None:
                    own.setdefault(one[0], []).append(one[1])
            found.append(own)
            count += len(pool)
            left_out += len(pool) - sum(map(len, own.values()))
    return found, f"{left_out:,} of {count:,} changes left out"


def rates(broken_at: Sequence[int | None], most: int) -> list[float]:
    """The success rate in per cent at each budget up to `most`."""
    budgets = [budget for budget in BUDGETS if budget <= most]
    return [100 * fmean(at is not None and at <= budget for at in broken_at) for budget in budgets]


def gains(now: Ended, before: Ended, most: int) -> str:
    """The gains in points over another version at each budget, with 95 % intervals, and the words changed.

    The intervals are those of a mean of differences: both versions have the same rows.
    """
    shown = ""
    for budget in (budget for budget in BUDGETS if budget <= most):
        pairs = [[at is not None and at <= budget for at, _ in pair] for pair in zip(now, before, strict=True)]
        points = [100.0 * (new - old) for new, old in pairs]
        shown += f" | {fmean(points):+.1f} ± {1.96 * stdev(points) / len(points) ** 0.5:.1f}"
    both = [(one, other) for (at, one), (was, other) in zip(now, before, strict=True) if at and was]
    return shown + " | {:.2f}, was {:.2f}".format(*(fmean(counts) for counts in zip(*both, strict=True)))


@dataclass
class Table:
    """Prints the lines, keeps what they say of each row, and sets another version's beside it."""

    given: argparse.Namespace
    before: Mapping[str, Ended]
    kept: dict[str, Ended] = field(default_factory=dict)

    def wants(self, cell: str) -> bool:
        """Whether a line is asked for."""
        return any(part in cell for part in self.given.only or [""])

    def head(self) -> None:
        """Print the head."""
        budgets = "".join(f" | {budget}" for budget in BUDGETS if budget <= self.given.budget)
        print(f"| victim | pool | search{budgets} | words | 1-minimal, % | found so by asking, % | own, ms |")
        print("|---" * (budgets.count("|") + 7) + "|")

    def line(self, cell: str, ended: Ended, rest: str) -> None:
        """Print a line and, beside another version, its gains."""
        self.kept[cell] = ended
        shown, most = f"| {cell.replace(': ', ' | ')}", self.given.budget
        cells = "".join(f" | {rate:.1f}" for rate in rates([at for at, _ in ended], most))
        changed = fmean(count for at, count in ended if at is not None and at <= most)
        print(f"{shown}{cells} | {changed:.2f} | {rest} |", flush=True)
        if cell in self.before:
            print(f"{shown}, gain{gains(ended, self.before[cell], most)} | | | |", flush=True)
        if self.given.keep:
            Path(self.given.keep).write_text(json.dumps(self.kept), encoding="utf-8")

    def broken(self, cell: str) -> set[int]:
        """The rows that any line of a victim and a pool, or of the other version, says to be broken."""
        lines = [ended for table in (self.kept, self.before) for name, ended in table.items() if name.startswith(cell)]
        return {row for ended in lines for row, (at, _) in enumerate(ended) if at is not None}


def measure(table: Table, cell: str, model: Any, labels: Sequence[str], rows: Rows) -> None:  # noqa: ANN401
    """Print the lines of a victim and a pool."""
    given, attacks = table.given, POOLS[cell.split(": ")[1]]
    search = partial(Adversary, similarity=given.similarity)
    for asked, kind in KINDS.items():
        if not table.wants(f"{cell}: {asked}"):
            continue
        timed = kind(model)
        began = time.process_time()
        found = list(search(attacks, timed, budget=given.budget).records(rows, generic()))
        own = 1000 * (time.process_time() - began - timed.seconds) / timed.questions
        broken = [one for one in found if one.status == "broken"]
        minimal = 100 * fmean(one.minimal for one in broken)
        claimed = 100 * verified(model, [one for one in broken if one.minimal])
        ended = [(one.broken_at, words(one)) for one in found]
        table.line(f"{cell}: {asked}", ended, f"{minimal:.1f} | {claimed:.1f} | {own:.2f}")
    if given.textattack and table.wants(f"{cell}: TextAttack"):
        listed, left_out = swaps(Adversary(attacks, model, similarity="none"), rows)
        for method, side in textattack(given.textattack, labels, model, rows, listed).items():
            ended = [(one["queries"] if one["broken"] else None, one["words"] or 0) for one in side["rows"]]
            own = 1000 * side["processor"] / side["victim"].questions
            table.line(f"{cell}: TextAttack, WIR {method}", ended, f"| {left_out} | {own:.2f}")
    if given.patience:
        ever = table.broken(cell)
        left = [row for at, row in enumerate(rows) if at not in ever]
        patient = search(attacks, TimedScores(model), budget=given.patience)
        more = sum(one.status == "broken" for one in patient.records(left, generic()))
        share = 100 * (len(ever) + more) / len(rows)
        print(f"{cell}: {share:.1f} % broken by any search above, or by ours in {given.patience} queries", flush=True)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--rows", type=int, default=250)
    parser.add_argument("--budget", type=int, default=BUDGETS[-1])
    parser.add_argument("--similarity", default="none", help="the gate of our search")
    parser.add_argument("--model", action="append", default=[], metavar="KIND:ARGUMENT", help="instead of the two")
    parser.add_argument("--textattack", metavar="PYTHON", help="the interpreter of TextAttack's environment")
    parser.add_argument("--patience", type=int, default=0, help="queries for the rows that no line says to be broken")
    parser.add_argument("--keep", metavar="FILE", help="write what was found for each row")
    parser.add_argument("--beside", metavar="FILE", help="what another version found for the same rows")
    parser.add_argument("--only", action="append", help="only lines whose first cells, joined by ': ', hold this")
    given = parser.parse_args()
    train, test = read_rows(given.train).values, read_rows(given.test).values
    labels = tuple(sorted({str(row["label"]) for row in train}))
    table = Table(given, json.loads(Path(given.beside).read_text(encoding="utf-8")) if given.beside else {})
    table.head()
    for name in given.model or VICTIMS:
        cells = [f"{name}: {pool}" for pool in POOLS]
        cells = [cell for cell in cells if any(table.wants(f"{cell}: {one}") for one in (*KINDS, "TextAttack"))]
        if not cells:
            continue
        request = ModelRequest("", generic(), labels, "cpu")
        model: Any = model_of(name, request) if given.model else victim(train, *VICTIMS[name])
        rows = right_rows(model, test, given.rows)
        for cell in cells:
            measure(table, cell, model, labels, rows)


if __name__ == "__main__":
    main()
