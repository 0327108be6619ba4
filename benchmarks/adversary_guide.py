"""The search with labels alone and a guide: how much a model of other rows helps against a model of labels.

    python benchmarks/adversary_guide.py TRAIN.jsonl TEST.jsonl

The victim is trained on every second row of the train file. The guides are trained on the other rows, on the first
thousand of them, on the test file, which holds the attacked rows with their right labels, or on this and the other
rows. The changes are those of benchmarks/adversary.py, without a gate; the rows are the first of the test file that the
victim answers right.
"""

import argparse
from statistics import fmean
from typing import Any

from adversary import BUDGETS, VICTIMS, NeighbouringKeys, Timed, TimedScores, right_rows, victim

from augment_ru import Adversary
from augment_ru.formats.read import read_rows
from augment_ru.records.task import generic

FEW = 1000


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--rows", type=int, default=600)
    parser.add_argument("--only", default="", help="only the lines whose first two cells, joined by ': ', hold this")
    given = parser.parse_args()
    train, test = read_rows(given.train).values, read_rows(given.test).values
    head = "".join(f" | {budget}" for budget in BUDGETS)
    print(f"| victim | asked for{head} | 1-minimal, % |\n|---|---{'|---' * len(BUDGETS)}|---|")
    for name, (analyzer, ngrams) in VICTIMS.items():
        model = victim(train[::2], analyzer, ngrams)
        rows = right_rows(model, test, given.rows)
        guides: dict[str, Any] = dict.fromkeys(("scores", "labels"))
        for guide, (other, lengths) in VICTIMS.items():
            kinds = {f"{count:,} rows": train[1::2][:count] for count in (FEW, len(train[1::2]))}
            kinds |= {"the test file": test, f"the test file and {len(train[1::2]):,} rows": [*test, *train[1::2]]}
            for kind, own in kinds.items():
                asked = f"labels; guide: {guide}, {kind}"
                guides[asked] = victim(own, other, lengths) if given.only in f"{name}: {asked}" else None
        for asked, guide_model in guides.items():
            if given.only not in f"{name}: {asked}":
                continue
            timed = TimedScores(model) if asked == "scores" else Timed(model)
            adversary = Adversary(
                [NeighbouringKeys()], timed, guide=guide_model, budget=BUDGETS[-1], draws=1,
                similarity="none", constraints=(),
            )  # fmt: skip
            found = list(adversary.records(rows, generic()))
            rates = [
                100 * fmean(one.broken_at is not None and one.broken_at <= budget for one in found)
                for budget in BUDGETS
            ]
            minimal = 100 * fmean(one.minimal for one in found if one.status == "broken")
            shown = "".join(f" | {rate:.1f}" for rate in rates)
            print(f"| {name} | {asked}{shown} | {minimal:.1f} |", flush=True)
        print(f"{name}: {len(rows)} rows")


if __name__ == "__main__":
    main()
