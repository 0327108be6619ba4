"""How well similarities tell what still means the same, on the held-out pairs that two readers graded.

    python benchmarks/meaning.py [--pairs FILE] [--bertscore MODEL[@LAYER]] [--write-grades] [--attacks NAMES]

For each similarity, over all pairs, by attack, and by what pairs written by hand show:

- rho: Spearman's correlation of the score with the mean grade; beside it that of the two readers with each other;
- AUC: of two texts, one graded 3 and one at most 1 (means of two readers), how often the first scores more;
- at the default threshold: the share that passes, the share of destroyed (a mean of at most 1) among the passed, the
  share of good (3) among the rejected, and the share of reversals (a mean under 1) that pass.

With --attacks: how many of the texts these attacks change at the defaults, and how many of those pass `meaning`.

Then the readers' agreement (Krippendorff's alpha, ordinal), and the grades by the score of `meaning`. With
--write-grades these go to `dictionaries/meaning_grades.tsv`, which `augment-ru calibrate` shows.
"""

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from augment_ru import Augmenter
from augment_ru.draws import Floats
from augment_ru.edits import Edit, Note
from augment_ru.engine.similarity import Candidates, Similarity, similarity_of
from augment_ru.script import Script
from augment_ru.text.characters import Mask

HERE = Path(__file__).resolve().parent
PAIRS = HERE / "graded" / "held_out.jsonl"
GRADES = HERE.parent / "dictionaries" / "meaning_grades.tsv"
BANDS = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)
REVERSALS, PARAPHRASES = ("rewrite reversal",), ("rewrite paraphrase",)
FEW = 8
"""Attacks with fewer pairs have no line of their own."""


def scripts_of(rows: Sequence[Mapping[str, Any]]) -> list[Script | None]:
    """The script of each pair; None for two bare texts."""
    found: list[Script | None] = []
    for row in rows:
        if row["edits"] is None:
            found.append(None)
            continue
        notes = row.get("notes") or [None] * len(row["edits"])
        pairs = zip(row["edits"], notes, strict=True)
        edits = [Edit(start, stop, text, Note(**note) if note else None) for (start, stop, text), note in pairs]
        found.append(Script(row["source"], edits))
    return found


def scores_of(similarity: Similarity, rows: Sequence[Mapping[str, Any]]) -> Floats:
    """The score of each pair, as the gate computes it."""
    scripts = scripts_of(rows)
    scores = np.empty(len(rows))
    bare = np.array([script is None for script in scripts])
    sources, texts = [row["source"] for row in rows], [row["perturbed"] for row in rows]
    for chosen, is_bare in ((np.flatnonzero(bare), True), (np.flatnonzero(~bare), False)):
        scorer = similarity.against([sources[at] for at in chosen])
        known = [script for script in (scripts[at] for at in chosen.tolist()) if script is not None]
        candidates: Sequence[str] = [texts[at] for at in chosen] if is_bare else Candidates(known)
        scores[chosen] = scorer.score(np.arange(chosen.size), candidates)
    return np.round(scores, 4)


def group_of(row: Mapping[str, Any]) -> str:
    """The attack of a pair; of a pair written by hand also what it shows: a reversal, another form, a paraphrase."""
    return f"rewrite {row['genre']}" if row["attack"] == "rewrite" and row["genre"] != "rewrite" else row["attack"]


def alpha(grades: Floats) -> float:
    """Krippendorff's alpha for ordinal grades of two readers, shape (pairs, 2) (Krippendorff 2011)."""
    values = np.arange(4)
    coincidences = np.zeros((4, 4))
    for one, other in grades.astype(int):
        coincidences[one, other] += 1
        coincidences[other, one] += 1
    totals = coincidences.sum(axis=1)
    apart = np.array(
        [[(totals[min(a, b) : max(a, b) + 1].sum() - (totals[a] + totals[b]) / 2) ** 2 for b in values] for a in values]
    )
    expected = (np.outer(totals, totals) - np.diag(totals)) / (totals.sum() - 1)
    return float(1 - (coincidences * apart).sum() / (expected * apart).sum())


def auc(scores: Floats, means: Floats) -> float:
    """The share of pairs (good, destroyed) in which the good one scores more; ties count half."""
    good, bad = scores[means >= 3], scores[means <= 1]
    if not (good.size and bad.size):
        return float("nan")
    return float(((good[:, None] > bad).sum() + (good[:, None] == bad).sum() / 2) / (good.size * bad.size))


def line(name: str, scores: Floats, grades: Floats, threshold: float) -> str:
    """The figures of one similarity on some pairs."""
    means, passed = grades.mean(axis=1), scores >= threshold

    def share(of: Mask, among: Mask) -> str:
        return f"{np.mean(of[among]):7.3f}" if among.any() else "      –"

    def rho(one: Floats, other: Floats) -> str:
        return f"{spearmanr(one, other)[0]:6.2f}" if np.ptp(one) and np.ptp(other) else "     –"

    return (
        f"{name:<28}{len(scores):>5}{rho(scores, means)}{rho(grades[:, 0], grades[:, 1])}{auc(scores, means):7.3f}"
        f"{passed.mean():7.3f}{share(means <= 1, passed)}{share(means >= 3, ~passed)}{share(passed, means < 1)}"
    )


def passing(name: str, texts: Sequence[str], threshold: float) -> str:
    """How many of some texts an attack changes at the defaults, and the scores of the gate for them."""
    results = Augmenter(name, threshold=0.0).texts(texts)
    scores = np.array([result.similarity for result in results if result.text != result.source])
    passed = np.count_nonzero(scores >= threshold)
    return f"  {name:<26}{len(scores):>5}  {passed} pass, the lowest score {scores.min(initial=1.0):.2f}"


def bands(scores: Floats, grades: Floats) -> list[str]:
    """The grades of both readers by the score: the lowest score of a band, the number of grades, their shares."""
    found = []
    for low, high in pairwise(BANDS):
        counts = Counter(grades[(scores >= low) & (scores < high)].astype(int).ravel().tolist())
        total = counts.total()
        if total:
            shares = [f"{counts[grade] / total:.3f}" for grade in (3, 2, 1, 0)]
            found.append("\t".join([f"{low:.1f}", str(total), *shares]))
    return found


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, default=PAIRS)
    parser.add_argument("--bertscore", metavar="MODEL[@LAYER]", help="measure BERTScore with this model too")
    parser.add_argument("--write-grades", action="store_true")
    parser.add_argument("--attacks", default="", metavar="NAMES", help="comma-separated")
    options = parser.parse_args()
    rows = [json.loads(one) for one in options.pairs.read_text(encoding="utf-8").splitlines()]
    grades = np.array([row["grades"] for row in rows], dtype=np.float64)
    groups = np.array([group_of(row) for row in rows])
    equal = np.mean(grades[:, 0] == grades[:, 1])
    print(f"{len(rows)} pairs; the readers agree in {equal:.1%}, Krippendorff's alpha {alpha(grades):.3f}\n")
    print(
        f"{'':<28}{'pairs':>5}{'rho':>6}{'read.':>6}{'AUC':>7}{'pass':>7}{'destr.':>7}{'good':>7}{'rev.':>7}\n"
        f"{'':<28}{'':>5}{'':>6}{'':>6}{'':>7}{'':>7}{'|pass':>7}{'|rej.':>7}{'passed':>7}"
    )
    names = ["meaning", "navec", *([f"bertscore:{options.bertscore}"] if options.bertscore else [])]
    for name in names:
        similarity = similarity_of(name)
        assert similarity is not None  # noqa: S101  (no name is "none")
        scores = scores_of(similarity, rows)
        print(line(f"{name} at {similarity.threshold}", scores, grades, similarity.threshold))
        for group in sorted(set(groups)):
            chosen = groups == group
            if chosen.sum() < FEW:
                continue
            means = grades[chosen].mean(axis=1)
            if ((means >= 3).any() and (means <= 1).any()) or "rewrite" in group:
                print(line(f"  {group}", scores[chosen], grades[chosen], similarity.threshold))
            else:
                passed = np.mean(scores[chosen] >= similarity.threshold)
                what = f"no spread of meaning to judge: mean grade {means.mean():.1f}, {passed:.0%} pass"
                print(f"  {group:<26}{chosen.sum():>5}  {what}")
        contrary, same = (scores[np.isin(groups, names)] for names in (REVERSALS, PARAPHRASES))
        if contrary.size and same.size:
            found = auc(np.append(same, contrary), np.append(np.full(same.size, 3.0), np.zeros(contrary.size)))
            print(f"  reversals against paraphrases: AUC {found:.3f}")
        if name == "meaning":
            shown = bands(scores, grades)
            for attack in filter(None, options.attacks.split(",")):
                print(passing(attack, list(dict.fromkeys(row["source"] for row in rows)), similarity.threshold))
    print("\nscore from, grades, share of 3, 2, 1, 0 (meaning)")
    print("\n".join(shown))
    if options.write_grades:
        head = [one for one in GRADES.read_text(encoding="utf-8").splitlines() if one.startswith("#")]
        GRADES.write_text("\n".join([*head, *shown]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
