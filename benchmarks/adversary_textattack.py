"""TextAttack's side of `adversary.py`: runs in an environment of its own and asks the model through a pipe.

Each line on stdin and stdout is JSON. The first line that is read holds the task; then every question is a line with
texts, and every answer a line with their scores. The last line that is written holds the results.
"""

import gc
import json
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import textattack
from textattack.attack_results import SuccessfulAttackResult
from textattack.constraints.pre_transformation import RepeatModification
from textattack.goal_functions import UntargetedClassification
from textattack.models.wrappers import ModelWrapper
from textattack.search_methods import GreedyWordSwapWIR
from textattack.transformations import WordSwap

OUT = sys.stdout
sys.stdout = sys.stderr  # TextAttack prints


class Piped(ModelWrapper):  # type: ignore[misc]  # TextAttack has no types
    """The model at the other end of the pipe; keeps the different texts that it was asked for a record."""

    def __init__(self) -> None:
        self.model = self
        self.asked: set[str] = set()

    def __call__(self, texts: Sequence[str]) -> Any:  # noqa: ANN401
        """The probabilities of the labels for each text."""
        self.asked.update(texts)
        OUT.write(json.dumps({"texts": list(texts)}) + "\n")
        OUT.flush()
        return np.array(json.loads(sys.stdin.readline()))


class Listed(WordSwap):  # type: ignore[misc]
    """Replaces a word by the variants that are listed for it in the row."""

    variants: Mapping[str, Sequence[str]]

    def _get_replacement_words(self, word: str) -> list[str]:
        return list(self.variants.get(word, ()))


def main() -> None:
    """Attack all rows."""
    task = json.loads(sys.stdin.readline())
    model = Piped()
    np.random.seed(task["seed"])  # noqa: NPY002  (what TextAttack draws from)
    listed, goal = Listed(), UntargetedClassification(model)
    attack = textattack.Attack(goal, [RepeatModification()], listed, GreedyWordSwapWIR(wir_method=task["method"]))
    gc.freeze()  # as our side does: looking for cycles among a library's objects is not the search
    clock, began = time.perf_counter(), time.process_time()
    rows = []
    for row in task["rows"]:
        model.asked, listed.variants = set(), row["variants"]
        result = attack.attack(row["text"], row["label"])
        broken = isinstance(result, SuccessfulAttackResult)
        text = result.perturbed_result.attacked_text
        words = len(result.original_result.attacked_text.all_words_diff(text)) if broken else None
        rows.append({"broken": broken, "queries": len(model.asked), "words": words})
    seconds, processor = time.perf_counter() - clock, time.process_time() - began
    OUT.write(json.dumps({"found": {"rows": rows, "seconds": seconds, "processor": processor}}) + "\n")


main()
