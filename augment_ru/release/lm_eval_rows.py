"""Rows as prompts need them: templates that stand in a row, dialogues, and entries that are asked about one by one.

Part of a release made by augment-ru; it needs the standard library alone. `data.py` beside it loads this module.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

CONTEXT, GAP, NUMBERS, QUESTION = "_context", "_gap", "_numbers", "_question"
"""Fields that are added to a row: its prompt, the white space before the answer, the numbers of the entry that is asked
about, and what tells the question of the entry from all others."""
_PLACE = re.compile(r"\{\{|\}\}|\{([^{}\n]+)\}|[{}]")
_LABEL = "label"
_ALPHABETS = ("ABCDEFGHIJ", "АБВГДЕЖЗИК")
LETTERS = _ALPHABETS[0]
"""The labels of options with markers."""
_LOOKALIKES = str.maketrans("АВСЕН", "ABCEH")


def value_of(row: Any, path: str) -> Any:  # noqa: ANN401  (JSON values)
    """The value at a path such as `inputs.text` or `qas[0].query`.

    Raises:
        LookupError: the row has none.
    """
    if isinstance(row, Mapping) and path in row:
        return row[path]
    value = row
    for step in re.findall(r"[^.\[\]]+", path):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def holds(row: Any, path: str) -> bool:  # noqa: ANN401  (JSON values)
    """Whether the row has a value at this path."""
    try:
        value_of(row, path)
    except (LookupError, TypeError, ValueError):
        return False
    return True


def every_value(row: Any, path: str) -> list[Any]:  # noqa: ANN401  (JSON values)
    """The values at a path in which `[]` stands for every entry of a list."""
    head, marker, tail = path.partition("[]")
    if not marker:
        return [value_of(row, path)] if holds(row, path) else []
    held = value_of(row, head) if holds(row, head) else ()
    entries = held if isinstance(held, list) else ()
    tail = tail.removeprefix(".")
    return [value for entry in entries for value in (every_value(entry, tail) if tail else [entry])]


def numbered(path: str, numbers: Sequence[int]) -> str:
    """The path with the numbers of an entry in its `[]`, from the left."""
    for number in numbers[: path.count("[]")]:
        path = path.replace("[]", f"[{number}]", 1)
    return path


def entries(row: Mapping[str, Any], each: str) -> Iterator[tuple[int, ...]]:
    """The numbers of every entry at a path such as `questions[].answers[]`."""
    head, marker, tail = each.partition("[]")
    held = value_of(row, head) if marker and holds(row, head) else ()
    for number, entry in enumerate(held if isinstance(held, list) else ()):
        if "[]" not in tail:
            yield (number,)
        else:
            yield from ((number, *inner) for inner in entries(entry, tail.removeprefix(".")))


def by_entry(rows: Sequence[Mapping[str, Any]], each: str, *, first: bool) -> list[dict[str, Any]]:
    """A row for each entry at a path, with its numbers; of demonstrations the first alone."""
    found = []
    for at, row in enumerate(rows):
        numbers = list(entries(row, each))[: 1 if first else None]
        found += [{**row, NUMBERS: own, QUESTION: str((at, *own[:-1]))} for own in numbers]
    return found


def with_dialogues(
    rows: Sequence[Mapping[str, Any]],
    *,
    id: str,  # noqa: A002  (as in the task)
    turn: str,
    context: str,
    asked: Sequence[str],
    answer: str,
    options: Sequence[str],
) -> list[dict[str, Any]]:
    """The rows, each with the questions of its dialogue before it and their right answers.

    Args:
        rows: the rows of one variation.
        id: the path that tells dialogues apart.
        turn: the path of the number of the question.
        context: where what was said before is put, such as `inputs.context`.
        asked: the paths of the question.
        answer: the path of the right answer, the number of an option.
        options: the paths of the options.
    """
    dialogues: dict[str, list[tuple[int, int]]] = {}
    for at, row in enumerate(rows):
        if isinstance(number := value_of(row, turn), int):
            dialogues.setdefault(str(value_of(row, id)).strip(), []).append((number, at))
    found = [dict(row) for row in rows]
    for own in dialogues.values():
        said: dict[int, str] = {}
        for number, at in sorted(own):
            before = "\n".join(text for earlier, text in said.items() if earlier < number)
            holder, _, name = context.rpartition(".")
            found[at][holder] = {**value_of(rows[at], holder), name: before}
            texts = [str(value_of(rows[at], path)) for path in asked]
            label = str(value_of(rows[at], answer)).strip() if holds(rows[at], answer) else ""
            if label.isascii() and label.isdigit() and 1 <= int(label) <= len(options):
                texts.append(str(value_of(rows[at], options[int(label) - 1])))
            said[number] = "\n".join(texts)
    return found


def with_context(row: Mapping[str, Any], template: str, values: str) -> dict[str, Any]:
    """The row with its prompt, filled from the template and the values that stand in it.

    Args:
        row: the row.
        template: the field of the template.
        values: the field of its values; if one place and one value have no match by name, they belong together.

    Raises:
        ValueError: the template has a place that no value fits, or a brace that belongs to none.
    """
    text = row[template]
    held = row[values] if isinstance(row[values], Mapping) else {values: row[values]}
    names = [match[1] for match in _PLACE.finditer(text) if match[1] and match[1] != _LABEL]
    missing = [name for name in dict.fromkeys(names) if not holds(held, name)]
    spare = [name for name in held if name not in names]
    if len(missing) == 1 and len(spare) == 1:
        held = {**held, missing[0]: held[spare[0]]}

    def filled(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0][0]
        if match[1] == _LABEL:
            return ""
        if not match[1] or not holds(held, match[1]):
            raise ValueError(f"nothing fits '{match[0]}' in the template '{text}'")
        value = value_of(held, match[1])
        return "" if value is None else str(value)

    if not text[-1:].isspace() and "{label}" not in text:
        text += " "
    context = _PLACE.sub(filled, text)
    return {**row, CONTEXT: context.rstrip(), GAP: context[len(context.rstrip()) :]}


def markers_in(text: str) -> list[re.Match[str]]:
    """The markers «(A)», «(B)», … of the options: the last run from A on, the longest of both scripts."""
    found = list(re.finditer(f"[(]([{''.join(_ALPHABETS)}СН])[)]", text))
    runs = [
        _run(found, [match[1].translate(_LOOKALIKES) for match in found], _ALPHABETS[0]),
        _run(found, [match[1] for match in found], _ALPHABETS[1]),
    ]
    return max(runs, key=len)


def _run(found: Sequence[re.Match[str]], letters: Sequence[str], alphabet: str) -> list[re.Match[str]]:
    for first in reversed([at for at, letter in enumerate(letters) if letter == alphabet[0]]):
        run = [first]
        for wanted in alphabet[1:]:
            after = next((at for at in range(run[-1] + 1, len(letters)) if letters[at] == wanted), None)
            if after is None:
                break
            run.append(after)
        if len(run) > 1:
            return [found[at] for at in run]
    return []
