"""The search against a model on the pools that a user names: success at a number of queries, changes, minimality, time.

    python benchmarks/adversary_pools.py TRAIN.jsonl TEST.jsonl

The victims are those of benchmarks/adversary.py, or those that --model names; the rows are the first that the victim
answers right. Each line is one run: the budget only cuts, so its rows give the rate at every smaller one. Two shares of
the successes are in per cent: those that are known to be 1-minimal and, of these, those that asking about every set
without one change finds so. "Own" is processor time a query without the victim's. Beside another version:

    PYTHONPATH=OTHER python benchmarks/adversary_pools.py TRAIN.jsonl TEST.jsonl --keep other.json
    python benchmarks/adversary_pools.py TRAIN.jsonl TEST.jsonl --beside other.json

Then a second line has the gains in points, and the words changed where both succeed.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from adversary import VICTIMS, WORD, Timed, TimedScores, right_rows, verified, victim

from augment_ru import Adversary
from augment_ru.adversary.adversary import Finding
from augment_ru.adversary.defaults import ATTACKS
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


def words(found: Finding) -> int:
    """How many words of the text the edits touch; an edit that touches none counts as one."""
    spans = [word.span() for word in WORD.finditer(found.record.values["text"])]
    touched = set[int]()
    for start, stop, _ in found.scripts["text"].triples:
        touched |= {begin for begin, end in spans if begin < max(stop, start + 1) and start < end} or {-1 - start}
    return len(touched)


def rates(broken_at: Sequence[int | None], most: int) -> list[float]:
    """The success rate in per cent at each budget up to `most`."""
    budgets = [budget for budget in BUDGETS if budget <= most]
    return [100 * fmean(at is not None and at <= budget for at in broken_at) for budget in budgets]


def gains(now: Sequence[tuple[int | None, int]], before: Sequence[tuple[int | None, int]], most: int) -> str:
    """The gains in points over another version at each budget, and the words changed by it and now.

    Both have, for each row, the query that broke the answer and the words changed.
    """
    pairs = zip(rates([at for at, _ in now], most), rates([at for at, _ in before], most), strict=True)
    both = [(one, other) for (at, one), (was, other) in zip(now, before, strict=True) if at and was]
    return "".join(f" | {new - old:+.1f}" for new, old in pairs) + " | {:.2f}, was {:.2f}".format(
        *(fmean(counts) for counts in zip(*both, strict=True))
    )


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--rows", type=int, default=250)
    parser.add_argument("--budget", type=int, default=BUDGETS[-1])
    parser.add_argument("--similarity", default="none", help="the gate")
    parser.add_argument("--model", action="append", default=[], metavar="KIND:ARGUMENT", help="instead of the two")
    parser.add_argument("--keep", metavar="FILE", help="write what was found for each row")
    parser.add_argument("--beside", metavar="FILE", help="what another version found for the same rows")
    parser.add_argument("--only", action="append", help="only lines whose first cells, joined by ': ', hold this")
    given = parser.parse_args()
    train, test = read_rows(given.train).values, read_rows(given.test).values
    before = json.loads(Path(given.beside).read_text(encoding="utf-8")) if given.beside else {}
    kept = {}
    head = "".join(f" | {budget}" for budget in BUDGETS if budget <= given.budget)
    print(f"| victim | pool | asked for{head} | words | 1-minimal, % | found so by asking, % | own, ms |")
    print("|---" * (head.count("|") + 7) + "|")
    for name in given.model or VICTIMS:
        cells = [(f"{name}: {pool}: {asked}", POOLS[pool], kind) for pool in POOLS for asked, kind in KINDS.items()]
        cells = [one for one in cells if any(part in one[0] for part in given.only or [""])]
        if not cells:
            continue
        request = ModelRequest("", generic(), tuple(sorted({row["label"] for row in train})), "cpu")
        model: Any = model_of(name, request) if given.model else victim(train, *VICTIMS[name])
        rows = right_rows(model, test, given.rows)
        for cell, attacks, kind in cells:
            timed = kind(model)
            began = time.process_time()
            adversary = Adversary(attacks, timed, budget=given.budget, similarity=given.similarity)
            found = list(adversary.records(rows, generic()))
            own = 1000 * (time.process_time() - began - timed.seconds) / timed.questions
            broken = [one for one in found if one.status == "broken"]
            kept[cell] = [(one.broken_at, words(one)) for one in found]
            shown = "".join(f" | {rate:.1f}" for rate in rates([one.broken_at for one in found], given.budget))
            minimal = 100 * fmean(one.minimal for one in broken)
            claimed = 100 * verified(model, [one for one in broken if one.minimal])
            changed, line = fmean(map(words, broken)), cell.replace(": ", " | ")
            print(f"| {line}{shown} | {changed:.2f} | {minimal:.1f} | {claimed:.1f} | {own:.2f} |", flush=True)
            if cell in before:
                print(f"| {line}, gain{gains(kept[cell], before[cell], given.budget)} | | | |", flush=True)
            if given.keep:
                Path(given.keep).write_text(json.dumps(kept), encoding="utf-8")


if __name__ == "__main__":
    main()
