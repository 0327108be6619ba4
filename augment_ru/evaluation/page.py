"""Write a report as one HTML file that loads nothing else: it holds the numbers, findings, examples and the script."""

import base64
import difflib
import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from augment_ru import registry
from augment_ru.draws import digests
from augment_ru.edits import shared_start
from augment_ru.evaluation import tables
from augment_ru.evaluation.answers import by_field, prediction_json
from augment_ru.evaluation.evaluation import Evaluation
from augment_ru.evaluation.findings import about_chosen, findings
from augment_ru.evaluation.pairs import WORST_ROWS, Pair
from augment_ru.evaluation.rates import OUTCOMES, AttackOutcomes
from augment_ru.evaluation.report import AnyReport, as_json
from augment_ru.evaluation.subpopulations import TITLES
from augment_ru.evaluation.table_text import ShownTable
from augment_ru.records import field_paths
from augment_ru.records.record import Record
from augment_ru.resources import PACKAGE

EXAMPLES = 10_000
"""The most examples on a page; if there are more, a random sample of this size is shown."""

GENERIC = "generic"
"""The name of the task of rows that no task file describes; the page does not show it."""

_SCRIPTS = ("dom.js", "tables.js", "plots.js", "searches.js", "examples.js", "place.js", "main.js")
_WITHOUT_ATTACKS = (
    "The metrics of each model on the rows as they are, in per cent, and those of the most frequent right answer."
)
_SOURCE = re.compile(r" \([^()«]*\)")
"""Matches a source in brackets in the description of an attack; brackets with «» hold an example and do not match."""
_PIECES = re.compile(r"\w+|\s+|[^\w\s]")
_LONG = 4000
"""Texts with more pieces (words, spaces, signs) are not aligned piece by piece, because that takes quadratic time."""


def page(evaluation: Evaluation, *, date: str | None = None) -> str:
    """Return the HTML page of an evaluation; the same arguments give the same bytes.

    Args:
        evaluation: the evaluation.
        date: the date that the page shows if the report has no date; None to show no date.
    """
    return page_of(_data(evaluation, date))


def page_of(data: Mapping[str, Any]) -> str:
    """Return an HTML page that holds some data and the script that shows them.

    Args:
        data: the data, as JSON values.
    """
    style = _file("style.css")
    script = "(() => {\n" + "\n".join(_file(name) for name in _SCRIPTS) + "})();\n"
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    parts = {
        "STYLE-HASH": _hash(style),
        "SCRIPT-HASH": _hash(script),
        "STYLE": style,
        "DATA": text.replace("<", "\\u003c"),
        "SCRIPT": script,
    }
    return re.sub(r"/\*(STYLE-HASH|SCRIPT-HASH|STYLE|DATA|SCRIPT)\*/", lambda mark: parts[mark[1]], _file("page.html"))


def _file(name: str) -> str:
    return (PACKAGE / "evaluation" / "page_assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the hash by which the page's content security policy allows a script or a style."""
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


def _data(evaluation: Evaluation, date: str | None) -> dict[str, Any]:
    """Return the data for the page's script: the report, and the examples with their originals."""
    report, pairs, task = evaluation.counted(), evaluation.pairs, evaluation.pairs.task
    every = [(attack, row) for attack, rows in pairs.attacks.items() for row in range(len(rows))]
    chosen = [every[at] for at in _sample(len(every), evaluation.settings.seed)]
    rows_chosen = [pairs.attacks[attack][row].values for attack, row in chosen]
    known = {one.name: one for one, _ in evaluation.defences.values()}
    readings = {name: dict(zip(chosen, one.readings(rows_chosen, task), strict=True)) for name, one in known.items()}
    words = {attack: [_words(judged.outcomes[attack]) for judged in evaluation.judged] for attack in pairs.attacks}
    shown = dict.fromkeys(pairs.attacks[attack][row].original for attack, row in chosen)
    index = {original: at for at, original in enumerate(shown)}
    originals = [
        {
            "id": pairs.originals[at].id,
            "texts": Record(pairs.originals[at].values, task).texts(),
            "gold": by_field(pairs.golds[at], task),
            "cells": [one.of[at] for one in evaluation.subpopulations],
        }
        for at in shown
    ]
    examples: list[dict[str, Any]] = []
    for attack, row in chosen:
        pair = pairs.attacks[attack][row]
        texts: dict[str, str] = originals[index[pair.original]]["texts"]
        # for each run its answers to the original and to the row, and the outcome in a word
        answers = [
            (judged.run.originals[0][pair.original], judged.run.attacks[attack][0][row], of_run[row])
            for judged, of_run in zip(evaluation.judged, words[attack], strict=True)
        ]
        # for each run the edits that flip the answer, None where it was not asked
        flipping = [evaluation.flipping.get((number, attack, row)) for number in range(len(evaluation.judged))]
        example = {
            "original": index[pair.original],
            "attack": report.attacks.index(attack),
            "status": pair.status,
            "similarity": pair.similarity,
            "probability": pair.probability,
            "edits": dict(_edits(pair, texts)),
            "protected": {name: spans for name, spans in (pair.protected or {}).items() if name in texts and spans},
            "predictions": [[*(prediction_json(one, task) for one in both), word] for *both, word in answers],
            **({"flipping": flipping} if any(one is not None for one in flipping) else {}),
            **({"read": read} if (read := {name: own[attack, row] for name, own in readings.items()}) else {}),
        }
        examples.append(example)
    header = [report.data.name, report.date or date, None if task.name == GENERIC else f"task {task.name}"]
    explained = {name: about(evaluation.specs.get(name, name)) for name in report.attacks}
    searches = ["searches"] if report.searches else []
    catch = ["catch"] if any(one.catch and one.catch.originals.curves for one in report.models) else []
    strength = ["strength"] if any(one.strength for model in report.models for one in model.attacks.values()) else []
    sections = ["rates", *searches, *catch, *strength, "subpopulations", "worst", "examples"] if report.attacks else []
    return {
        **data_of_report(report, tables.tables_of(report, tuple(tables.TABLES))),
        "header": [one for one in header if one],
        **({} if report.attacks else {"lead": _WITHOUT_ATTACKS}),
        "findings": findings(report),
        "about": explained | ({WORST_ROWS: about_chosen(report.worst_of)} if report.worst_of else {}),
        "sections": ["robustness", *sections],
        "properties": TITLES,
        "subpopulations": [{"name": one.name, "cells": one.cells} for one in evaluation.subpopulations],
        "originals": originals,
        "examples": examples,
        "left_out": len(every) - len(chosen),
        "episodes": any(judged.run.episodes > 1 for judged in evaluation.judged),
    }


def data_of_report(report: AnyReport, shown: Sequence[ShownTable]) -> dict[str, Any]:
    """Return what the HTML page shows of a report: its numbers, tables, and short names.

    The numbers of single rows and the comparisons are left out.

    Args:
        report: the report.
        shown: its tables.
    """
    numbers = as_json(report)
    for key in ("rows", "comparisons"):
        del numbers[key]
    for model in numbers["models"]:
        for entry in model["attacks"].values():
            entry.pop("outcomes", None)
    return {
        "report": numbers,
        "tables": {table.key: {**table._asdict(), "best": sorted(table.best)} for table in shown},
        "names": tables.names_of(report),
        "weak": [not model.beats_majority for model in report.models],
    }


def about(attack: str) -> str:
    """Return a sentence that says what an attack does: the first line of its docstring.

    For a composition, the sentences of all its attacks are returned. For a search, the sentence names the model that
    was attacked. The result is "" if no attack is known.

    Args:
        attack: the specification of the attack.
    """
    if attack.startswith(tables.SEARCH):
        return (
            f"A search for the smallest change that turns a right answer of {attack.removeprefix(tables.SEARCH)} wrong."
        )
    known = registry.names("attacks")
    told = [inspect.getdoc(registry.find("attacks", "attack", part)) for part in attack.split("+") if part in known]
    return " ".join(_SOURCE.sub("", text.splitlines()[0]) for text in told if text)


def _sample(count: int, seed: int) -> list[int]:
    """Draw which of `count` examples the page shows; return their indices, ascending."""
    if count <= EXAMPLES:
        return list(range(count))
    random = np.random.Generator(np.random.PCG64(int(digests([f"examples:{seed}"])[0])))
    return sorted(random.choice(count, EXAMPLES, replace=False).tolist())


def _words(outcomes: AttackOutcomes) -> list[str]:
    """Return the outcome of each row in one word (first episode).

    If the right answer has several labels, the outcome is the first of broken, fixed, wrong and kept that one of them
    has. If the row has no right answer, the word is "flipped" if a prediction changed, otherwise "same".
    """
    flipped = np.any(outcomes.flipped[:, 0], axis=0).tolist()
    letters = [min(row, key=[*OUTCOMES].index) for row in zip(*(label[0] for label in outcomes.letters), strict=True)]
    unknown = ("same", "flipped")
    return [OUTCOMES[letter] or unknown[changed] for letter, changed in zip(letters, flipped, strict=True)]


def _edits(pair: Pair, texts: Mapping[str, str]) -> Iterator[tuple[str, Sequence[Sequence[Any]]]]:
    """Yield (field, edits) for each changed field.

    If the row does not state its edits, they are computed from the original and the perturbed text.
    """
    for name, source in texts.items():
        if pair.edits is not None:
            if pair.edits.get(name):
                yield name, pair.edits[name]
        else:
            text = field_paths.value(pair.values, name)
            if isinstance(text, str) and text != source:
                yield name, edits_between(source, text)


def edits_between(source: str, text: str) -> list[list[Any]]:
    """Return edits that turn one text into another word by word, each as [start, stop, text].

    If a text has over 4,000 words, spaces and signs, there is a single edit, from the first to the last difference.

    >>> edits_between("Кот спит.", "Кот не спит!")
    [[4, 4, 'не '], [8, 9, '!']]
    """
    old, new = _PIECES.findall(source), _PIECES.findall(text)
    if max(len(old), len(new)) > _LONG:
        start = shared_start(source, text)
        tail = shared_start(source[start:][::-1], text[start:][::-1])
        return [[start, len(source) - tail, text[start : len(text) - tail]]]
    ends = [0]
    for piece in old:
        ends.append(ends[-1] + len(piece))
    blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [[ends[a], ends[b], "".join(new[c:d])] for kind, a, b, c, d in blocks if kind != "equal"]
