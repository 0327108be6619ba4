"""Records of one task with one text each, in columns: a record is made when someone reads one."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from augment_ru.records.field_paths import is_plain
from augment_ru.records.places import may_hold_places
from augment_ru.records.record import Record
from augment_ru.records.task import Task, common_task


class AlikeRecords(Sequence[Record]):
    """Records that were read from lines of JSON, and are alike: of one task, with a text in the same field.

    Args:
        values: the row of each; they must not be changed afterwards.
        lines: the line of each, with a line feed at its end.
        texts: the text of each.
        task: their task. It perturbs one field, a key of each row that holds its text, and has no anchors.
        origin: as in `Record`, the same for all.

    Attributes:
        field: the field that is perturbed.
    """

    def __init__(
        self,
        values: Sequence[dict[str, Any]],
        lines: Sequence[bytes],
        texts: Sequence[str],
        task: Task,
        origin: object,
    ) -> None:
        self.values, self.lines, self.texts, self.task = values, lines, texts, task
        self._origin = origin
        (self.field,) = task.layout.fields

    @classmethod
    def of(
        cls,
        values: Sequence[dict[str, Any]],
        lines: Sequence[bytes],
        origin: object,
        known: Task | None,
        fields: Sequence[str],
    ) -> "AlikeRecords | None":
        """The records of these rows, whose texts hold no lone surrogate; None if they are not alike.

        Args:
            values: the row of each, at least one.
            lines: as above.
            origin: as above.
            known: the task of all rows; None recognises that of each row.
            fields: the fields to perturb, in place of the task's.
        """
        task = common_task(values, known, fields)
        if task is None:
            return None
        layout = task.layout
        if layout.has_anchors or layout.fields_of_every_row is None or len(layout.fields) > 1:
            return None
        (field,) = layout.fields
        if may_hold_places(values):
            return None
        texts: list[Any] = [row.get(field) for row in values]
        return cls(values, lines, texts, task, origin) if set(map(type, texts)) == {str} else None

    @cached_property
    def _records(self) -> list[Record]:
        rows = zip(self.values, self.lines, strict=True)
        return [Record(values, self.task, line[:-1].decode(), self._origin) for values, line in rows]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401  (an index or a slice, as every sequence)
        return self._records[at]

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    @cached_property
    def keys(self) -> list[str]:
        """The key of each record."""
        name = self.task.layout.id
        if name is None or not is_plain((name,)):
            return [record.key for record in self]
        identities = [row.get(name) for row in self.values]
        kinds = set(map(type, identities))
        if kinds == {int}:
            return [f"id:{one}" for one in identities]
        if kinds == {type(None)}:
            return [f"text:{text}" for text in self.texts]
        return [
            f"id:{one}" if isinstance(one, str | int) and one != "" else f"text:{text}"
            for one, text in zip(identities, self.texts, strict=True)
        ]
