"""Rows that are questions of one dialogue (ruTiE): what was said before, with the right answers."""

from collections.abc import Mapping, Sequence
from typing import Any

from augment_ru.records import field_paths
from augment_ru.records.answers import label_of
from augment_ru.records.task import Task


def with_contexts(rows: Sequence[Mapping[str, Any]], task: Task) -> list[Mapping[str, Any]]:
    """The rows, each with the dialogue before it in the field that the task names; of other tasks the rows themselves.

    Args:
        rows: the rows of one variation.
        task: their task.
    """
    if task.layout.dialogue is None:
        return list(rows)
    turns: dict[str, list[tuple[int, int]]] = {}
    for at, row in enumerate(rows):
        number = field_paths.value(row, task.layout.dialogue.turn)
        if isinstance(number, int):
            turns.setdefault(label_of(field_paths.value(row, task.layout.dialogue.id)), []).append((number, at))
    found = list(rows)
    for own in turns.values():
        said: dict[int, str] = {}
        for number, at in sorted(own):
            before = "\n".join(text for turn, text in said.items() if turn < number)
            found[at] = _with(rows[at], task.layout.dialogue.context, before)
            said[number] = _turn(rows[at], task)
    return found


def _turn(row: Mapping[str, Any], task: Task) -> str:
    """A question and its right answer, in the words of its option; the question alone if it has no right answer."""
    texts = [str(field_paths.value(row, name)) for name in task.layout.fields]
    label = label_of(field_paths.value(row, task.scoring.gold[0]))
    if label.isascii() and label.isdigit() and 1 <= int(label) <= len(task.layout.option_fields):
        texts.append(str(field_paths.value(row, task.layout.option_fields[int(label) - 1])))
    return "\n".join(texts)


def _with(row: Mapping[str, Any], name: str, text: str) -> Mapping[str, Any]:
    path = field_paths.path_of(row, name)
    holder = field_paths.value(row, field_paths.named(path[:-1])) if len(path) > 1 else row
    changed: Mapping[str, Any] = field_paths.with_value(row, path[:-1], {**holder, path[-1]: text})
    return changed
