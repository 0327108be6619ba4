"""The search against a model on the pools that a user names: success at a number of queries, changes, minimality, time.

    python benchmarks/adversary_pools.py TRAIN.jsonl TEST.jsonl

The victims are those of benchmarks/adversary.py; the rows are the first that the victim answers right. Each line is one
run with 200 queries a record: the budget only cuts, so its rows give the rate at every smaller one. "Own" is processor
time a query without the victim's.
"""

import argparse
import time
from statistics import fmean

from adversary import VICTIMS, Timed, TimedScores, right_rows, verified, victim

from augment_ru import Adversary
from augment_ru.adversary.defaults import ATTACKS
from augment_ru.formats.read import read_rows
from augment_ru.records.task import generic

BUDGETS = (10, 20, 50, 100, 200)
POOLS = {
    "butterfingers": ("butterfingers",),
    "default": ATTACKS,
    "misspell + homoglyphs + masking": ("misspell", "homoglyphs", "masking"),
    "evasion": ("evasion",),
}


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--rows", type=int, default=250)
    parser.add_argument("--similarity", default="none", help="the gate")
    parser.add_argument("--only", default="", help="only the lines whose first three cells, joined by ': ', hold this")
    given = parser.parse_args()
    train, test = read_rows(given.train).values, read_rows(given.test).values
    head = "".join(f" | {budget}" for budget in BUDGETS)
    print(f"| victim | pool | asked for{head} | changes | 1-minimal, % | found so by asking, % | own, ms |")
    print("|---" * (len(BUDGETS) + 7) + "|")
    for name, (analyzer, ngrams) in VICTIMS.items():
        model = victim(train, analyzer, ngrams)
        rows = right_rows(model, test, given.rows)
        for pool, attacks in POOLS.items():
            for timed in (TimedScores(model), Timed(model)):
                asked = "scores" if isinstance(timed, TimedScores) else "labels"
                if given.only not in f"{name}: {pool}: {asked}":
                    continue
                began = time.process_time()
                adversary = Adversary(attacks, timed, budget=BUDGETS[-1], similarity=given.similarity)
                found = list(adversary.records(rows, generic()))
                own = 1000 * (time.process_time() - began - timed.seconds) / timed.questions
                broken = [one for one in found if one.status == "broken"]
                rates = "".join(
                    f" | {100 * fmean(one.broken_at is not None and one.broken_at <= budget for one in found):.1f}"
                    for budget in BUDGETS
                )
                minimal = 100 * fmean(one.minimal for one in broken)
                claimed = 100 * verified(model, [one for one in broken if one.minimal])
                changes = fmean(one.changes for one in broken)
                print(
                    f"| {name} | {pool} | {asked}{rates} | {changes:.2f} | {minimal:.1f} | {claimed:.1f} | {own:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
