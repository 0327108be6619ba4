"""All defences under all attacks, on fixed rows and through the search: the table of docs/moderation.md.

    pip install -e ".[eval]" && python benchmarks/defences.py

The models are `linear` on characters inside words: of the domains of sentences (examples/domains), and of
advertisements (trained on examples/comments_train.jsonl, tested on examples/comments.jsonl). Rows are perturbed once,
without any defence, and asked of the model behind each, as `perturb` and `evaluate --defence` do; then a search asks
the model behind the defence about the first of these rows, as `attack --defence` does. A cell has both shares of the
right answers of the defended model that break, in per cent.
"""

import argparse
from pathlib import Path

from augment_ru import Adversary, Augmenter, evaluate
from augment_ru.evaluation.defences import Defence
from augment_ru.evaluation.examples import ModelRequest, NamedModel, model_of
from augment_ru.formats.read import read_rows
from augment_ru.records.task import generic
from augment_ru.registry import names

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
DATA = {
    "domains": (EXAMPLES / "domains" / "train.jsonl", EXAMPLES / "domains" / "test.jsonl"),
    "comments": (EXAMPLES / "comments_train.jsonl", EXAMPLES / "comments.jsonl"),
}
ATTACKS = ("homoglyphs", "unseen", "masking", "wrong_layout", "transliteration", "evasion", "misspell")
OPTIONS = {"analyzer": "char_wb"}


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=500, help="the most test rows")
    parser.add_argument("--searched", type=int, default=100, help="the most test rows that are searched")
    parser.add_argument("--budget", type=int, default=20, help="the queries of a search")
    parser.add_argument("--only", choices=list(DATA), help="only these rows")
    given = parser.parse_args()
    for data, (train, test) in DATA.items():
        if given.only not in (None, data):
            continue
        rows = read_rows(str(test)).values[: given.rows]
        hidden = [one.row("full") for attack in ATTACKS for one in Augmenter(attack).records(rows, generic())]
        spec = f"linear:{train}"
        found = evaluate(hidden, {"linear": spec}, defences=names("normalizers"), options={"linear": OPTIONS}).counted()
        made = model_of(spec, ModelRequest("", generic()), OPTIONS)
        bare = NamedModel.of("linear", made)
        print(f"\n{data}: {len(rows)} rows, of which the first {min(len(rows), given.searched)} are searched\n")
        print("".join(f"| {name} " for name in ("defence", "right", "changed", *ATTACKS)) + "|")
        print("|---" * (len(ATTACKS) + 3) + "|")
        for model in found.models:
            defence = model.defence
            right, changed = model.metrics["accuracy"].value, defence.changed.value if defence else 0
            print(f"| {defence.name if defence else 'none'} | {right:.1f} | {changed:.1f} ", end="", flush=True)
            asked = Defence.of(defence.name).protect(bare) if defence else bare
            for attack in ATTACKS:
                adversary = Adversary([attack], asked, budget=given.budget, minimal=False)
                held = [one.status for one in adversary.records(rows[: given.searched], generic())]
                tried = len(held) - held.count("wrong_before")
                searched = 100 * held.count("broken") / tried
                print(f"| {model.attacks[attack].rate.asr:.1f}, {searched:.1f} ", end="", flush=True)
            print("|", flush=True)


if __name__ == "__main__":
    main()
