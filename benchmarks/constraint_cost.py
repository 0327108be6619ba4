"""What the rules cost compared with the annotation that they read; printed by `benchmarks/constraints.py`."""

import time
from pathlib import Path

from augment_ru.language.annotate import Natasha
from augment_ru.text.doc import Doc
from constraints import KINDS, ours, rows


def cost(folder: Path, repeats: int = 5) -> None:
    """Print how long the rules and the annotation that they read take, each the shortest of several rounds."""
    print(f"\n{'constraint':<34}{'annotation, ms/text':>21}{'rules, ms/text':>16}{'added':>8}")
    for kind in KINDS:
        if kind.types is not None:
            continue
        items = [row for path in kind.files(folder) for row in rows(path)]
        texts = [row[field] for row in items for field in kind.fields]
        protector = ours(kind)
        layers = protector.layers or frozenset({"entities"})
        docs = [{field: Doc("") for field in kind.fields} for _ in items]
        annotation, rules = [], []
        for _ in range(repeats + 1):
            start = time.perf_counter()
            annotated_texts = iter(Natasha()(texts, layers))
            middle = time.perf_counter()
            docs = [{field: next(annotated_texts) for field in kind.fields} for _ in items]
            begun = time.perf_counter()
            protector(items, docs)
            annotation.append(middle - start)
            rules.append(time.perf_counter() - begun)
        first, second = (1000 * min(times) / len(texts) for times in (annotation, rules))
        cold = 1000 * rules[0] / len(texts)
        print(
            f"{'+'.join(kind.constraints):<34}{first:>21.3f}{second:>16.3f}{second / first:>8.1%}"
            f"   (first time, models of words not yet looked up: {cold:.3f})"
        )
