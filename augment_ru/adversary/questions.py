"""The questions about one record: what a model is asked about its original, and about a set of changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from augment_ru.engine.outcome import new_values
from augment_ru.evaluation.examples import Example, example_of
from augment_ru.formats.row import Changed, new_row
from augment_ru.records.field_paths import is_plain
from augment_ru.records.record import Record
from augment_ru.script import Script


@dataclass(frozen=True)
class RecordQuestions:
    """The questions about a record.

    Attributes:
        record: the record.
        fields: the names of the texts that changes edit.
        sources: these texts.
    """

    record: Record
    fields: Sequence[str]
    sources: Sequence[str]

    @cached_property
    def original(self) -> Example:
        """The question about the original."""
        return example_of(self.record.values, self.record.task)

    def of(self, scripts: Mapping[int, Script]) -> Example:
        """The question about a set of changes.

        Args:
            scripts: by the number of the text, as `RecordPool.scripts` gives them.
        """
        if not scripts:
            return self.original
        parts = self._parts
        if parts is None:
            values = new_row(self.record.values, Changed(new_values(self.record, self.scripts(scripts))))
            return example_of(values, self.record.task)
        new = {self.fields[number]: script.text for number, script in scripts.items()}
        return Example({**self.original.record, **new}, self.record.task, "\n".join({**parts, **new}.values()))

    @cached_property
    def _parts(self) -> Mapping[str, str] | None:
        """What the model reads of the original, by field; None if more changes with the texts than their fields."""
        question = self.original.record
        fields = tuple(self.fields)
        if self.record.offsets() or not is_plain(fields) or not question.keys() >= set(fields):
            return None
        return Record(question, self.record.task).read()

    def scripts(self, found: Mapping[int, Script]) -> dict[str, Script]:
        """The script of each field, those of unchanged texts, too."""
        return {
            name: found.get(number) or Script(source)
            for number, (name, source) in enumerate(zip(self.fields, self.sources, strict=True))
        }
