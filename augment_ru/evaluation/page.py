"""The report as one HTML file that needs nothing else: its numbers, its examples and its script stand in it."""

import base64
import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from augment_ru.draws import digests
from augment_ru.evaluation.answers import shown
from augment_ru.evaluation.pairs import Pair
from augment_ru.evaluation.report import Evaluation
from augment_ru.records import field_paths
from augment_ru.records.record import Record
from augment_ru.resources import PACKAGE

EXAMPLES = 10_000
"""The most examples that a page holds; of more, so many are drawn, each as likely as any other."""

_SCRIPTS = ("dom.js", "tables.js", "plots.js", "examples.js", "main.js")
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_LONG = 4000
"""Words beyond which two texts are not aligned word by word."""


def page(evaluation: Evaluation, report: Mapping[str, Any] | None = None) -> str:
    """The page, as HTML; with the report, if it is there already."""
    style = _file("style.css")
    script = "(() => {\n" + "\n".join(_file(name) for name in _SCRIPTS) + "})();\n"
    data = json.dumps(
        _data(evaluation, report or evaluation.report()), ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    parts = {
        "STYLE-HASH": _hash(style),
        "SCRIPT-HASH": _hash(script),
        "STYLE": style,
        "DATA": data.replace("<", "\\u003c"),
        "SCRIPT": script,
    }
    pieces = re.split(r"/\*(STYLE-HASH|SCRIPT-HASH|STYLE|DATA|SCRIPT)\*/", _file("page.html"))
    return "".join(parts[piece] if at % 2 else piece for at, piece in enumerate(pieces))


def _file(name: str) -> str:
    return (PACKAGE / "evaluation" / "page_assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """What the page's own policy allows to run, and nothing else."""
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


def _data(evaluation: Evaluation, report: Mapping[str, Any]) -> dict[str, Any]:
    """What the script reads: the report, and the examples with their originals."""
    pairs, task = evaluation.pairs, evaluation.pairs.task
    every = [(attack, row) for attack, found in pairs.attacks.items() for row in range(len(found))]
    chosen = [every[at] for at in _drawn(len(every), evaluation.seed)]
    place: dict[int, int] = {}
    originals: list[dict[str, Any]] = []
    examples: list[dict[str, Any]] = []
    names = list(pairs.attacks)
    for attack, row in chosen:
        pair = pairs.attacks[attack][row]
        original = pairs.originals[pair.original]
        if pair.original not in place:
            place[pair.original] = len(originals)
            originals.append(
                {
                    "id": original.id,
                    "texts": Record(original.values, task).texts(),
                    "gold": shown(evaluation.golds[pair.original], task),
                    "cells": [cut.of[pair.original] for cut in evaluation.cuts],
                }
            )
        texts = originals[place[pair.original]]["texts"]
        examples.append(
            {
                "original": place[pair.original],
                "attack": names.index(attack),
                "status": pair.status,
                "similarity": pair.similarity,
                "probability": pair.probability,
                "edits": dict(_edits(pair, texts)),
                "protected": {name: spans for name, spans in (pair.protected or {}).items() if name in texts and spans},
                "predictions": [
                    _prediction(evaluation, number, attack, row) for number in range(len(evaluation.judged))
                ],
            }
        )
    return {
        "report": report,
        "cuts": [{"name": cut.name, "cells": cut.cells} for cut in evaluation.cuts],
        "originals": originals,
        "examples": examples,
        "left_out": len(every) - len(chosen),
        "episodes": any(one.sitting.episodes > 1 for one in evaluation.judged),
    }


def _drawn(count: int, seed: int) -> list[int]:
    """The numbers of the examples that the page holds, in order."""
    if count <= EXAMPLES:
        return list(range(count))
    random = np.random.Generator(np.random.PCG64(int(digests([f"examples:{seed}"])[0])))
    return sorted(random.choice(count, EXAMPLES, replace=False).tolist())


def _prediction(evaluation: Evaluation, number: int, attack: str, row: int) -> list[Any]:
    """What a model said of the original and of the row in the first episode, and the outcome in a word."""
    one, task = evaluation.judged[number], evaluation.pairs.task
    outcomes = one.outcomes[attack]
    at = evaluation.pairs.attacks[attack][row].original
    flipped = bool(outcomes.flipped[:, 0, row].any())
    return [
        shown(one.sitting.originals[0][at], task),
        shown(one.sitting.attacks[attack][0][row], task),
        _in_a_word(outcomes.named(0, row), flipped=flipped),
    ]


def _in_a_word(named: Sequence[str | None], *, flipped: bool) -> str:
    """The outcome of a row: of several labels, the one that matters most."""
    for name in ("broken", "fixed", "wrong", "kept"):
        if name in named:
            return name
    return "flipped" if flipped else "same"


def _edits(pair: Pair, texts: Mapping[str, str]) -> Iterator[tuple[str, Sequence[Sequence[Any]]]]:
    """The edits of each field that changed: those of the row, or, where it has none, found by comparing words."""
    for name, source in texts.items():
        if pair.edits is not None:
            if pair.edits.get(name):
                yield name, pair.edits[name]
        else:
            text = field_paths.value(pair.values, name)
            if isinstance(text, str) and text != source:
                yield name, compared(source, text)


def compared(source: str, text: str) -> list[list[Any]]:
    """Edits that turn one text into the other, word by word; of very long texts, one edit between what they share.

    >>> compared("Кот спит.", "Кот не спит!")
    [[4, 4, 'не '], [8, 9, '!']]
    """
    old, new = _WORDS.findall(source), _WORDS.findall(text)
    if max(len(old), len(new)) > _LONG:
        return [_middle(source, text)]
    ends = [0]
    for word in old:
        ends.append(ends[-1] + len(word))
    blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [[ends[a], ends[b], "".join(new[c:d])] for kind, a, b, c, d in blocks if kind != "equal"]


def _middle(source: str, text: str) -> list[Any]:
    start = 0
    while start < min(len(source), len(text)) and source[start] == text[start]:
        start += 1
    tail = 0
    while tail < min(len(source), len(text)) - start and source[-1 - tail] == text[-1 - tail]:
        tail += 1
    return [start, len(source) - tail, text[start : len(text) - tail]]
