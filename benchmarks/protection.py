"""Checks many perturbations: every protected span stands in the output, verbatim, at its mapped place.

    python benchmarks/protection.py [--perturbations 100000] [--seed 0]

Rows of every gold file, with emoji, combining marks and line feeds inserted, go through every attack and
chains of them at probability 1, under both schedules and without a gate.
"""

import argparse
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from augment_ru import registry
from augment_ru.engine.augmenter import Augmenter
from augment_ru.engine.result import Result
from augment_ru.engine.search import SCHEDULES
from augment_ru.records.task import generic, task
from constraints import GOLD, rows

INSERTED = ("😂", "👨‍👩‍👧", "🇷🇺", "и́", "ё", "\n", "  ", "\u00a0", "не", "XIX", "«Ё»", "5 км", "1️⃣")
KINDS = {
    "named_entities": ("named_entities", "numbers", "negation", "answer_options"),
    "jeopardy": ("named_entities", "jeopardy"),
    "referents": ("named_entities", "referents"),
    "multihop": ("named_entities", "multihop"),
}


def with_insertions(text: str, rng: random.Random) -> str:
    """The text with a few awkward characters at its spaces."""
    words = text.split(" ")
    for _ in range(rng.randrange(3)):
        words.insert(rng.randrange(len(words) + 1), rng.choice(INSERTED))
    return " ".join(words)


def awkward(kind: str, rng: random.Random) -> Iterator[dict[str, Any]]:
    """The gold rows of a kind, made awkward; annotated offsets stay right."""
    for path in sorted(GOLD.glob(f"*{kind}*.jsonl")):
        for number, row in enumerate(rows(path)):
            changed: dict[str, Any] = {**row, "id": f"{path.stem}-{number}-{rng.random()}"}
            for field in ("question",) if kind == "multihop" else ("text",):
                changed[field] = with_insertions(row[field], rng)
            yield changed


def broken(results: Sequence[Result]) -> Iterator[str]:
    """A line for each protected span that is not in the output at its mapped place."""
    for result in results:
        for field, spans in result.protected.items():
            script = result.scripts[field]
            for span in spans:
                mapped = script.map(span)
                if mapped is None or script.text[mapped.start : mapped.stop] != span.of(script.source):
                    yield f"{result.settings.attack}: {field}: {span} «{span.of(script.source)}» in {script.text!r}"


def attacks() -> list[str]:
    """Every attack, and chains of two."""
    names = [name for name in registry.names("attacks") if name not in ("back_translation", "bae", "paraphrase")]
    return [*names, *(f"{one}+{other}" for one, other in zip(names, [*names[1:], names[0]], strict=True))]


def main(wanted: int, seed: int) -> None:
    """Perturb until as many texts as wanted were checked; print the counts."""
    rng = random.Random(seed)
    counts = {"perturbations": 0, "changed": 0, "spans": 0, "broken": 0}
    started = time.perf_counter()
    ways: list[Mapping[str, Any]] = [{"similarity": "none"}]
    ways += [{"similarity": "navec", "threshold": 0.8, "schedule": schedule} for schedule in SCHEDULES]
    while counts["perturbations"] < wanted:
        for kind, names in KINDS.items():
            records, known = list(awkward(kind, rng)), task("multiq") if kind == "multihop" else generic()
            for attack in attacks():
                for way in ways:
                    augmenter = Augmenter(attack, constraints=names, probability=1.0, seed=rng.randrange(2**32), **way)
                    results = list(augmenter.records(records, known))
                    counts["perturbations"] += sum(len(result.scripts) for result in results)
                    counts["changed"] += sum(bool(script.edits) for one in results for script in one.scripts.values())
                    counts["spans"] += sum(len(spans) for one in results for spans in one.protected.values())
                    for line in broken(results):
                        counts["broken"] += 1
                        print(line)
    print(", ".join(f"{count:,} {what}" for what, count in counts.items()), end="")
    print(f" in {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--perturbations", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    main(chosen.perturbations, chosen.seed)
