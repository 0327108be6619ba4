"""The work of `augment-ru explain`: print the changes that attacks propose for a text, and which are applied."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from augment_ru.constraints.protection import protected
from augment_ru.constraints.rule_file import constraint
from augment_ru.edits import Edit, Span
from augment_ru.engine.attack import Needs
from augment_ru.engine.edit_table import one_by_one
from augment_ru.engine.legality import Drop, legal
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import Prepared
from augment_ru.engine.result import Result, visible
from augment_ru.errors import AugmentError
from augment_ru.jobs.differences import difference, pictured
from augment_ru.jobs.messages import check_used, checking
from augment_ru.jobs.rows import asked_attacks
from augment_ru.normalizers._normalization import normalizations_of
from augment_ru.normalizers._normalizer import Normalizer
from augment_ru.records.record import Record
from augment_ru.records.task import generic

_READINGS = 4
"""How many readings of a text are listed."""
_SHOWN = 200
"""The maximum number of changes that are listed for an attack; a long text has thousands."""


def explain_text(text: str, given: Mapping[str, Any]) -> None:
    """Print the protected spans of a text. Then print the changes that each attack proposes, and which are applied.

    Args:
        text: the text.
        given: the values of the other options of `explain`, by parameter name.

    Raises:
        AugmentError: an option is wrong, or the text is the name of a file.
    """
    with checking():
        if os.path.isfile(text):  # noqa: PTH113  (`Path.is_file` raises an error for a text longer than a path may be)
            raise AugmentError(f"{text}: is a file; explain takes a text, perturb shows what it changes in a file")
        if given["normalizers"]:
            check_used(given, [one for one in given if one != "normalizers"], ("attacks",), "is about attacks")
        preparation, perturbers = asked_attacks(given, given["attacks"] or ("butterfingers",))
        normalizers = given["normalizers"]
        normalizer = Normalizer(normalizations_of(normalizers)) if normalizers else None
    console = Console(highlight=False)
    if normalizer is not None:
        _normalizer(console, normalizer, text)
        if not given["attacks"]:
            return
    record = Record({"text": text}, generic())
    constraints = preparation.constraints(record.task)
    read = Needs(frozenset().union(*(one.layers for one in constraints)))
    prepared = preparation.chunk([record], [read, *(one.needs._replace(wants=(), layered=()) for one in perturbers)])
    docs = {"text": prepared.batch.docs[0]}
    rules = {span.label: one.name for one in constraints for span in protected((one,), record.view, docs)["text"]}
    _protected(console, "protected", text, prepared.batch.protected(0), rules)
    for perturber in perturbers:
        console.print()
        _attack(console, perturber, prepared)


def _normalizer(console: Console, normalizer: Normalizer, text: str) -> None:
    """Print the edits that a normalizer makes in a text, with the normalizer of each, and the likeliest readings."""
    script = normalizer(text)
    console.print(Text(normalizer.name, "bold"))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for edit in script.edits:
        table.add_row(_shown(text, [edit]), Text(edit.note.kind or "" if edit.note else "", "dim"))
    for reading in normalizer.readings(text, _READINGS):
        table.add_row(difference(reading.script, coloured=console.is_terminal), Text(f"{reading.score:.1f}", "dim"))
    console.print(table if table.row_count else "nothing")
    console.print(difference(script, coloured=console.is_terminal))


def _protected(console: Console, what: str, text: str, spans: Sequence[Span], rules: Mapping[str, str]) -> None:
    shown = Text(pictured(text))
    for span in spans:
        shown.stylize("black on yellow", span.start, span.stop)
    console.print(Text(f"{what} ", style="bold"), shown, sep="")
    for span in spans:
        rule = f" {rules.get(span.label, 'always'):<16} {span.start}–{span.stop}  "
        label = Text(pictured(f"{span.label:<10}"), "yellow")
        console.print("  ", label, Text(rule), Text(pictured(span.of(text))), sep="")
    if not spans:
        console.print("  nothing")


def _attack(console: Console, perturber: Perturber, prepared: Prepared) -> None:
    (result,) = perturber.perturb(prepared).results
    attack = perturber.attack
    shared = prepared.batch.protected(0)
    prepared = prepared.seen_by(attack)
    guarded = [span for span in prepared.batch.protected(0) if span not in shared]
    candidate = result.candidate or 0
    drops: list[Drop] = []
    proposed = perturber.proposals(prepared, candidate)
    legal(prepared.batch, proposed, drops)
    reasons = {drop.change: drop.reason for drop in drops}
    applied = set(result.script.edits)

    settings = f" probability {attack.probability}, seed {perturber.seed}"
    console.print(Text(attack.name, "bold"), Text(settings), sep="", end="")
    console.print(f", candidate {candidate} of {perturber.candidates}" if perturber.similarity else "")
    if guarded:
        guards = {rule.label: name for name in attack.guards for rule in constraint(name).rules}
        _protected(console, "guarded", result.source, guarded, guards)
    if freed := [span for span in shared if span not in prepared.batch.protected(0)]:
        _protected(console, "exchanged", result.source, freed, {span.label: "may change" for span in freed})
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("rank", "edit", "fate"):
        table.add_column(heading, justify="right" if heading == "rank" else "left")
    changes = one_by_one(prepared.batch, proposed)
    for number in np.argsort(proposed.ranks, kind="stable")[:_SHOWN].tolist():
        edits = changes[number].edits
        if number in reasons:
            fate = Text(pictured(f"dropped: {reasons[number]}"), style="yellow")
        elif applied.issuperset(edits):
            fate = Text("applied", style="green")
        else:
            fate = Text("not applied", style="dim")
        table.add_row(f"{proposed.ranks[number]:.4f}", _shown(result.source, edits), fate)
    console.print(table)
    if (more := proposed.ranks.size - _SHOWN) > 0:
        console.print(f"… and {more} more, of higher ranks")
    _outcome(console, result)


def _shown(source: str, edits: Sequence[Edit]) -> Text:
    shown = Text()
    for number, edit in enumerate(edits):
        shown.append("; " if number else "")
        shown.append(f"{edit.start}: ", style="dim")
        shown.append(pictured(visible(source[edit.start : edit.stop])) or "∅", style="red")
        shown.append(" → ")
        shown.append(pictured(visible(edit.text)) or "∅", style="green")
    return shown


def _outcome(console: Console, result: Result) -> None:
    console.print(f"[bold]{result.status}[/]", end="")
    if result.similarity is not None:
        where = "best" if result.probability is None else f"at probability {result.probability:.4f}:"
        console.print(f" {where} similarity {result.similarity:.4f}, threshold {result.settings.threshold}", end="")
    console.print(Text(f"  {result.settings.scorer}", "dim"))
    console.print(difference(result.script, coloured=console.is_terminal))
