"""Records of one task with one text each, stored in columns; a `Record` object is made only when it is read."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from augment_ru.records.record import Record
from augment_ru.records.task import Task


class AlikeRecords(Sequence[Record]):
    """Records that are perturbed together in arrays. They have the same task, and one text each in the same field.

    Args:
        task: the task of all records. It perturbs exactly one field, which is a key of every row. It protects parts of
            texts only by constraints.
        values: the row of each record; the rows must not be changed afterwards.
        texts: the text of each record, which is the value of that field; a text may hold no lone surrogate.
        lines: the JSON line that each record was read from; None if the records were not read from JSON lines.
        origin: what a writer needs to know of the layout of the input file; the same for all records.

    Attributes:
        field: the field that is perturbed.
    """

    def __init__(
        self,
        task: Task,
        values: Sequence[dict[str, Any]],
        texts: Sequence[str],
        lines: Sequence[bytes] | None = None,
        origin: object = None,
    ) -> None:
        self.task, self.values, self.texts, self.lines, self._origin = task, values, texts, lines, origin
        (self.field,) = task.layout.fields

    @staticmethod
    def fits(task: Task) -> bool:
        """Tell whether rows of a task can be stored in this class.

        The task must perturb exactly one field, the same in all rows, and protect parts of texts only by constraints.
        """
        layout = task.layout
        return not layout.has_anchors and layout.fields_of_every_row is not None and len(layout.fields) == 1

    @cached_property
    def _records(self) -> list[Record]:
        lines = [None] * len(self) if self.lines is None else [line.decode() for line in self.lines]
        return [Record(row, self.task, line, self._origin) for row, line in zip(self.values, lines, strict=True)]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401  (an index or a slice, as every sequence)
        return self._records[at]

    @property
    def keys(self) -> list[str]:
        """The key of each record, on which its random draws depend."""
        name = self.task.layout.id
        if name is None or "." in name or "[" in name:
            return [record.key for record in self]
        both = zip([row.get(name) for row in self.values], self.texts, strict=True)
        return [f"id:{one}" if isinstance(one, str | int) and one != "" else f"text:{text}" for one, text in both]
