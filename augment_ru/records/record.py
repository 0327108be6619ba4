"""Dataset rows: what of them is perturbed, what must survive, and how they are written back.

A row read from JSON keeps its own characters: only the values that change are replaced in its line, so
numbers, escapes, key order and whatever else the line holds stay byte for byte.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from augment_ru.edits import Span
from augment_ru.errors import AugmentError
from augment_ru.records import field_paths
from augment_ru.records.field_paths import occurrences, strings
from augment_ru.records.offsets import Place, kind, places, table
from augment_ru.records.task import Task

_SHOWN = 60
"""Characters of a record's key in a message."""


@dataclass(frozen=True, slots=True)
class Record:
    """A dataset row: its values, its task, and the line it was read from (None for a row made in Python)."""

    values: Mapping[str, Any]
    task: Task
    line: str | None = None
    origin: Any = field(default=None, compare=False, repr=False)
    """What the file format that it was read from must know to write it in place."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the texts that are perturbed: those of the task, one for each entry where one has `[]`."""
        task = self.task
        if field_paths.is_plain(task.fields) and not task.optional:
            return task.fields
        present = [name for name in task.optional if field_paths.has(self.values, name)]
        return tuple(
            dict.fromkeys(one for name in (*task.fields, *present) for one in field_paths.every(self.values, name))
        )

    def texts(self) -> dict[str, str]:
        """The texts that are perturbed.

        Raises:
            AugmentError: a field is missing, or is not a text.
        """
        return {name: self.text(name) for name in self.fields}

    def text(self, name: str) -> str:
        """The text of a field that is perturbed.

        Raises:
            AugmentError: the field is missing, or is not a text.
        """
        value = field_paths.value(self.values, name)
        if not isinstance(value, str):
            if not field_paths.has(self.values, name):
                shown = ", ".join(field_paths.keys_of(self.values)) or "none"
                raise AugmentError(f"no field '{name}'; the row has {shown}; see --field")
            raise AugmentError(f"field '{name}' holds {kind(value)}, not a text; choose another with --field")
        if (bad := _lone_surrogate(value)) is not None:
            raise AugmentError(
                f"field '{name}': lone surrogate U+{ord(value[bad]):04X} at character {bad}; no text may hold one"
            )
        return value

    @property
    def key(self) -> str:
        """What the record's random draws depend on: its id, else the texts that are perturbed."""
        identity = field_paths.value(self.values, self.task.id) if self.task.id else None
        if isinstance(identity, str | int) and identity != "":
            return f"id:{identity}"
        return "text:" + "\x1f".join([str(field_paths.value(self.values, name)) for name in self.fields])

    @property
    def view(self) -> Mapping[str, Any]:
        """The values as constraints see them: with what they look for under the names that they know."""
        if not self.task.aliases:
            return self.values
        found = {theirs: field_paths.value(self.values, ours) for theirs, ours in self.task.aliases}
        return {**self.values, **{name: value for name, value in found.items() if value is not None}}

    def check(self) -> None:
        """Nothing, if the record has its texts and its places match them.

        Raises:
            AugmentError: it does not: which record, which field, and why.
        """
        try:
            self.texts()
            self.anchors()
        except AugmentError as error:
            key = self.key
            raise AugmentError(f"record {key if len(key) <= _SHOWN else key[:_SHOWN] + '…'}: {error}") from error

    def anchors(self) -> "Anchors":
        """The spans that the task itself names, and the borders between options.

        Raises:
            AugmentError: a place does not match its text, or a list of the task is none.
        """
        for name in self.task.lists:
            try:
                listed(field_paths.value(self.values, name))
            except AugmentError as error:
                raise AugmentError(f"field '{name}': {error}") from error
        spans: dict[str, list[Span]] = {name: [] for name in self.fields}
        borders: dict[str, list[int]] = {}
        for place in self.places():
            spans[place.text].append(place.span)
        for name, words, label in self._verbatim():
            spans[name] += occurrences(self.text(name), words, label)
        for name, marks, border in self._marks():
            spans[name] += marks
            if border:
                borders[name] = sorted({*borders.get(name, ()), *(span.start for span in marks)})
        return Anchors({name: sorted(set(found)) for name, found in spans.items()}, borders)

    def _verbatim(self) -> Iterator[tuple[str, list[str], str]]:
        """Fields, and the words that stay in them wherever they stand."""
        for words in self.task.words:
            if words.text in self.fields:
                target = table(field_paths.value(self.values, words.field), words.field)
                yield words.text, [str(target[key]) for key, _ in words.pairs if key in target], words.label
        if self.task.kept:
            values = [value for name in self.task.kept for value in field_paths.values(self.values, name)]
            kept = [text for value in values for text in strings(value)]
            for name in self.fields:
                yield name, kept, "KEPT"

    def _marks(self) -> Iterator[tuple[str, list[Span], bool]]:
        """Fields, what is no language in them, and whether it is a border."""
        fields = self.fields
        for name in self.task.options:
            if name in fields:
                yield name, option_markers(self.text(name)), True
        for marks in self.task.marks:
            for name in field_paths.every(self.values, marks.text):
                if name in fields:
                    found = re.finditer(marks.pattern, self.text(name))
                    yield name, [Span(*match.span(), marks.label) for match in found], marks.border

    def places(self) -> Iterator[Place]:
        """Every place in a perturbed text that the row states as a number.

        Raises:
            AugmentError: a place does not match its text.
        """
        return places(self.values, self.task, self.fields)


_APART = re.compile(r"""(?<=['"])\s+(?=['"])""")


def listed(value: object) -> list[str]:
    """The texts of a list, or of its string form in old files, which is read and never run.

    >>> listed("['Катя', 'Машу']"), listed("['Катя' 'Машу']"), listed(None)
    (['Катя', 'Машу'], ['Катя', 'Машу'], [])

    Raises:
        AugmentError: the value is neither.
    """
    read = value
    if isinstance(value, str):
        for reader in (json.loads, ast.literal_eval):
            try:
                read = reader(_APART.sub(", ", value))
                break
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                continue
    if read is None:
        return []
    if isinstance(read, str) or not isinstance(read, Sequence) or not all(isinstance(one, str) for one in read):
        shown = repr(value)
        raise AugmentError(f"{shown if len(shown) <= _SHOWN else shown[:_SHOWN] + '…'} is no list of texts")
    return [one.strip() for one in read if one.strip()]


class Anchors(NamedTuple):
    """What a task itself protects: spans of each text, and the places where its options start."""

    spans: dict[str, list[Span]]
    borders: dict[str, list[int]]


_LATIN, _CYRILLIC = "ABCDEFGHIJ", "АБВГДЕЖЗИК"
_LOOKALIKES = str.maketrans("АВСЕН", "ABCEH")  # Cyrillic letters that pass for Latin ones
_MARKER = re.compile(f"[(]([{_LATIN}{_CYRILLIC}СН])[)]")


def option_markers(text: str) -> list[Span]:
    """The markers «(A)», «(B)», … of the options in a question: the last run from A on, the longest of both scripts.

    A marker that the question itself mentions («Витамин (A) полезен. Чем? (A) … (B) …») is none of them.
    """
    found = list(_MARKER.finditer(text))
    runs = [_run([match[1].translate(_LOOKALIKES) for match in found], _LATIN)]
    runs.append(_run([match[1] for match in found], _CYRILLIC))
    return [Span(*found[index].span(), "OPTION") for index in max(runs, key=len)]


def option_letter(answer: str) -> str:
    """The letter of an option, as a row or a marker writes it, with a Latin letter for its Cyrillic lookalike.

    >>> option_letter("А"), option_letter(" c "), option_letter("Б")
    ('A', 'C', 'Б')
    """
    return answer.strip().upper().translate(_LOOKALIKES)


def _run(letters: Sequence[str], alphabet: str) -> list[int]:
    """Where the last run through the alphabet stands: from the last first letter that a second one follows."""
    for first in reversed([index for index, letter in enumerate(letters) if letter == alphabet[0]]):
        run = [first]
        for wanted in alphabet[1:]:
            following = next((index for index in range(run[-1] + 1, len(letters)) if letters[index] == wanted), None)
            if following is None:
                break
            run.append(following)
        if len(run) > 1:
            return run
    return []


def _lone_surrogate(text: str) -> int | None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None
