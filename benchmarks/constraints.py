"""How well the constraints protect gold spans, compared with two baselines, and what they cost.

    python benchmarks/constraints.py [GOLD_FOLDER] [--no-cost]

Columns: characters of gold spans that are protected; gold spans protected to the last character; the share
of protected characters that are gold; the share of words outside gold that are protected. Neutral places
count on neither side: those marked so, the quote marks or brackets directly around a gold span, and what
stands between two gold spans without a letter or digit in it.
"""

import argparse
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from augment_ru.constraints.protection import protected
from augment_ru.constraints.rule_file import constraint
from augment_ru.edits import Span
from augment_ru.language.annotate import Natasha
from augment_ru.text.doc import Doc

GOLD = Path(__file__).resolve().parent.parent / "tests" / "constraints" / "gold"
_WORD = re.compile(r"\w+(?:-\w+)*")
_MARKS = frozenset("«»„“”\"'()[]")

Row = Mapping[str, Any]
Fields = Mapping[str, Doc]
Protect = Callable[[Row, Fields], Mapping[str, Sequence[Span]]]


@dataclass
class Score:
    """Counts over texts: characters, spans and words."""

    gold: int = 0
    found: int = 0
    protected: int = 0
    right: int = 0
    spans: int = 0
    whole: int = 0
    words: int = 0
    over: int = 0

    def add(self, text: str, gold: Sequence[Span], neutral: Sequence[Span], protected: Sequence[Span]) -> None:
        """Count one text."""
        wanted = _places(gold)
        free = (_places(neutral) | _around(text, [*gold, *neutral]) | _between(text, gold)) - wanted
        held = _places(protected) - free
        self.gold += len(wanted)
        self.found += len(wanted & held)
        self.protected += len(held)
        self.right += len(held & wanted)
        self.spans += len(gold)
        self.whole += sum(_places([span]) <= held for span in gold)
        for match in _WORD.finditer(text):
            place = set(range(*match.span()))
            if not place & (wanted | free):
                self.words += 1
                self.over += bool(place & held)

    @property
    def recall(self) -> float:
        """Characters of gold spans that are protected."""
        return self.found / max(self.gold, 1)

    @property
    def span_recall(self) -> float:
        """Gold spans that are protected to the last character."""
        return self.whole / max(self.spans, 1)

    @property
    def precision(self) -> float:
        """Protected characters that are gold."""
        return self.right / self.protected if self.protected else 1.0

    @property
    def over_protection(self) -> float:
        """Words outside gold that are protected."""
        return self.over / max(self.words, 1)


def _places(spans: Sequence[Span]) -> set[int]:
    return {place for span in spans for place in range(span.start, span.stop)}


def _around(text: str, spans: Sequence[Span]) -> set[int]:
    edges = {edge for span in spans for edge in (span.start - 1, span.stop)}
    return {edge for edge in edges if 0 <= edge < len(text) and text[edge] in _MARKS}


def _between(text: str, spans: Sequence[Span]) -> set[int]:
    gaps = [range(left.stop, right.start) for left, right in pairwise(sorted(spans))]
    return {place for gap in gaps if not any(text[at].isalnum() for at in gap) for place in gap}


@dataclass(frozen=True)
class Gold:
    """A kind of gold file: its texts, which labels are wanted there, and which count as neutral."""

    name: str
    constraints: tuple[str, ...]
    fields: tuple[str, ...] = ("text",)
    neutral_types: frozenset[str] = frozenset()
    types: frozenset[str] | None = None

    def files(self, folder: Path) -> list[Path]:
        """The gold files of this kind in a folder."""
        return sorted(folder.glob(f"*{self.name}*.jsonl"))

    def spans(self, row: Row, field: str) -> tuple[list[Span], list[Span]]:
        """The gold and the neutral spans of a field."""
        marked = [one for one in row.get("gold", row.get("spans", ())) if one.get("field", field) == field]
        neutral = [Span(one["start"], one["end"]) for one in row.get("neutral", ()) if one.get("field", field) == field]
        kept = [one for one in marked if one["type"] not in self.neutral_types]
        neutral += [Span(one["start"], one["end"]) for one in marked if one["type"] in self.neutral_types]
        if self.types is not None:
            neutral += [Span(one["start"], one["end"]) for one in kept if one["type"] not in self.types]
            kept = [one for one in kept if one["type"] in self.types]
        return [Span(one["start"], one["end"], one["type"]) for one in kept], neutral


PUBLISHED = ("named_entities", "jeopardy", "referents", "multihop")
"""The kinds of gold for which there are baselines."""
KINDS = (
    Gold("named_entities", ("named_entities",)),
    Gold("jeopardy", ("jeopardy",), neutral_types=frozenset({"NE"})),
    Gold("jeopardy", ("named_entities", "jeopardy")),
    Gold("referents", ("referents",)),
    Gold("referents", ("referents",), types=frozenset({"ANAPHOR", "ANTECEDENT"})),
    Gold("referents", ("referents",), types=frozenset({"VERB"})),
    Gold("multihop", ("multihop",), ("support_text", "main_text", "question")),
    *(Gold(name, (name,)) for name in ("negation", "numbers", "answer_options")),
)


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def annotated(kind: Gold, items: Sequence[Row]) -> list[dict[str, Doc]]:
    """The texts of each row with the layers that its constraints and the baselines read."""
    layers = layers_of(kind) | {"entities"}
    docs = iter(Natasha()([row[field] for row in items for field in kind.fields], layers))
    return [{field: next(docs) for field in kind.fields} for _ in items]


def layers_of(kind: Gold) -> frozenset[str]:
    """The layers that the constraints for a kind of gold read."""
    return frozenset().union(*(constraint(name).layers for name in kind.constraints))


def ours(kind: Gold) -> Protect:
    """The constraints of this package for a kind of gold."""
    return partial(protected, tuple(map(constraint, kind.constraints)))


def score(kind: Gold, items: Sequence[Row], docs: Sequence[Fields], protect: Protect) -> Score:
    """The counts of one way to protect over gold rows."""
    total = Score()
    for row, fields in zip(items, docs, strict=True):
        found = protect(row, fields)
        for field, doc in fields.items():
            gold, neutral = kind.spans(row, field)
            total.add(doc.text, gold, neutral, _relevant(kind, found[field]))
    return total


def _relevant(kind: Gold, found: Sequence[Span]) -> list[Span]:
    """The spans of the labels that the gold marks, where it marks only some types, so that others are no mistakes."""
    return [span for span in found if kind.types is None or span.label in kind.types or not span.label]


def slovnet_alone(_: Row, fields: Fields) -> dict[str, list[Span]]:
    """Baseline: the entities of slovnet's NER model."""
    return {name: _entities(doc) for name, doc in fields.items()}


def _entities(doc: Doc) -> list[Span]:
    found: list[Span] = []
    for token in doc.tokens:
        if token.entity.startswith("I") and found:
            found[-1] = Span(found[-1].start, token.stop)
        elif token.entity:
            found.append(Span(token.start, token.stop))
    return found


def published(kind: Gold) -> Protect:
    """Baseline: what the published toolkit's patterns do, from a description of it: single exact tokens."""

    def protect(row: Row, fields: Fields) -> dict[str, list[Span]]:
        return {name: list(_published(kind, row, doc)) for name, doc in fields.items()}

    return protect


def _published(kind: Gold, row: Row, doc: Doc) -> Iterator[Span]:
    words: set[str] = set()
    if kind.name == "referents":
        options = row["options"]
        words = {row["reference"], *(options if isinstance(options, list) else re.findall(r"'([^']*)'", options))}
    elif kind.name == "multihop":
        answers = [*row["bridge_answers"], *row["main_answers"]]
        words = {word for answer in answers for word in answer["segment"].split()}
    elif kind.name == "jeopardy":
        for match in re.finditer(r"«[^»]*»", doc.text):
            yield Span(*match.span())
    if "named_entities" in kind.constraints:
        yield from _entities(doc)
    for token in doc.tokens:
        verb = kind.name == "referents" and token.pos in {"VERB", "AUX"} and "VerbForm=Fin" in token.features
        if verb or token.text in words:
            yield Span(token.start, token.stop, "VERB" if verb else "")


def report(folder: Path) -> None:
    """Print a line for each kind of gold file and each way to protect."""
    print(f"{'gold':<34}{'labels':<21}{'protected by':<19}{'chars':>7}{'spans':>7}{'prec.':>7}{'over':>7}")
    for kind in KINDS:
        for path in kind.files(folder):
            items = rows(path)
            docs = annotated(kind, items)
            ways: dict[str, Protect] = {"+".join(kind.constraints)[-18:]: ours(kind)}
            if kind.name not in kind.constraints or kind.name in PUBLISHED:
                ways |= {"slovnet alone": slovnet_alone, "published patterns": published(kind)}
            labels = (
                "+".join(sorted(kind.types))
                if kind.types
                else "all" + "".join(f" but {name}" for name in kind.neutral_types)
            )
            for name, protect in ways.items():
                found = score(kind, items, docs, protect)
                print(
                    f"{path.stem:<34}{labels:<21}{name:<19}{found.recall:>7.3f}{found.span_recall:>7.3f}"
                    f"{found.precision:>7.3f}{found.over_protection:>7.3f}"
                )


def cost(folder: Path, repeats: int = 5) -> None:
    """Print how long the rules and the annotation that they read take, each the shortest of several rounds."""
    print(f"\n{'constraint':<34}{'annotation, ms/text':>21}{'rules, ms/text':>16}{'added':>8}")
    for kind in KINDS:
        if kind.types is not None:
            continue
        items = [row for path in kind.files(folder) for row in rows(path)]
        texts = [row[field] for row in items for field in kind.fields]
        layers = layers_of(kind) or frozenset({"entities"})
        docs = [{field: Doc("") for field in kind.fields} for _ in items]
        annotation, rules = [], []
        for _ in range(repeats + 1):
            start = time.perf_counter()
            annotated_texts = iter(Natasha()(texts, layers))
            middle = time.perf_counter()
            docs = [{field: next(annotated_texts) for field in kind.fields} for _ in items]
            begun = time.perf_counter()
            for row, fields in zip(items, docs, strict=True):
                ours(kind)(row, fields)
            annotation.append(middle - start)
            rules.append(time.perf_counter() - begun)
        first, second = (1000 * min(times) / len(texts) for times in (annotation, rules))
        cold = 1000 * rules[0] / len(texts)
        print(
            f"{'+'.join(kind.constraints):<34}{first:>21.3f}{second:>16.3f}{second / first:>8.1%}"
            f"   (first time, models of words not yet looked up: {cold:.3f})"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", nargs="?", type=Path, default=GOLD, help="folder of gold files")
    parser.add_argument("--no-cost", action="store_true", help="do not time the rules")
    chosen = parser.parse_args()
    report(chosen.gold)
    if not chosen.no_cost:
        cost(chosen.gold)
