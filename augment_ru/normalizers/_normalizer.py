"""The class `Normalizer`: reads texts, records and datasets as they were meant."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from augment_ru.engine.prepare import SIZE, chunks, record_of
from augment_ru.engine.result import NO_SPANS, Outcome, Result, Settings
from augment_ru.errors import AugmentError, brief
from augment_ru.formats.row import Changed
from augment_ru.normalizers._normalization import Normalization, TextReading, normalization_of, scripts_of
from augment_ru.options import integer
from augment_ru.records.record import Record
from augment_ru.records.task import Task, task_or_file
from augment_ru.script import Script

KEY = "normalized"
"""The name of the field that holds the metadata."""


def _checked(text: object) -> str:
    """Return a text; raise an error if it is none."""
    if not isinstance(text, str):
        raise AugmentError(f"{brief(text)} is no text; give a text, or texts() a list of texts")
    return text


class Normalizer:
    """Restores what authors of texts meant: undoes tricks that hide words from filters, or corrects people's errors.

    A normalizer is immutable and picklable. Its result for a text does not depend on other texts.

    Args:
        spec: `evasion` (for filters), `people` (for errors), another name, a file of yours (`my_normalizer.py`),
            `python:MODULE:CLASS`, names joined by `+`, or a `Normalization`.

    Raises:
        AugmentError: a name is unknown.

    >>> Normalizer("skeleton")("kaзино").text
    'казино'
    """

    __slots__ = ("normalization",)

    def __init__(self, spec: str | Normalization = "evasion") -> None:
        self.normalization = normalization_of(spec)

    @property
    def name(self) -> str:
        """The name of the normalizer, such as `evasion`, or names joined by `+`."""
        return self.normalization.name

    def __repr__(self) -> str:
        return f"Normalizer({self.name!r})"

    def __call__(self, text: str) -> Script:
        """Return the script that leads from a text to what was meant: `.text`, `.edits`, `.map(span)`."""
        return self.texts([text])[0]

    def texts(self, texts: Iterable[str]) -> list[Script]:
        """Return, for each text, the script (the edits) that leads from it to what its author meant.

        Raises:
            AugmentError: one of the texts is not a string.
        """
        if isinstance(texts, str):
            raise AugmentError("texts() takes a list of texts; for one text call the normalizer itself")
        several = chunks(map(_checked, texts), len)
        return [script for chunk in several for script in scripts_of(self.normalization, chunk)]

    def readings(self, text: str, n: int = 3) -> list[TextReading]:
        """Return the texts that the author may have meant, the likeliest first, each with its probability among them.

        If a word can be read in several ways («к*т»), this method returns a text for each of them. A call of the
        normalizer, in contrast, leaves such a word as it is.

        Args:
            text: the text.
            n: the most texts to return, at least 1.
        """
        return self.normalization.readings(_checked(text), integer("n", n, least=1))

    def records(
        self,
        records: Iterable[Mapping[str, Any]],
        task: str | Task | None = None,
        *,
        field: str | Sequence[str] | None = None,
    ) -> Iterator["Normalized"]:
        """Normalize the rows of a dataset, many at once, and yield the results in the order of the rows.

        Args:
            records: rows as dictionaries; they are not modified.
            task: a task, its name, or a TOML file that states it; by default each row's task is recognised.
            field: the fields to normalize instead of the task's.

        Raises:
            AugmentError: no task fits a row, or a row lacks a field of its task.
        """
        known = task_or_file(task) if isinstance(task, str) else task
        fields = (field,) if isinstance(field, str) else tuple(field or ())
        for chunk in chunks((record_of(row, known, fields) for row in records), SIZE):
            yield from self.chunk(chunk)

    def chunk(self, records: Sequence[Record]) -> list["Normalized"]:
        """Normalize the texts of records, all at once; return a result for each record, in order."""
        texts = [record.texts() for record in records]
        scripts = iter(scripts_of(self.normalization, [text for one in texts for text in one.values()]))
        settings = Settings(self.name, 0, "none", None)
        made = []
        for record, fields in zip(records, texts, strict=True):
            found = {field: next(scripts) for field in fields}
            changed = any(script.triples for script in found.values())
            made.append(Normalized.of(record, found, NO_SPANS, _NORMALIZED if changed else _UNCHANGED, settings))
        return made


_NORMALIZED, _UNCHANGED = Outcome("normalized"), Outcome("unchanged")


class Normalized(Result):
    """The result of a normalizer for a record.

    Its `status` is "normalized" or "unchanged". The row gets the metadata in the field `normalized`.
    """

    def changed(self, meta: str = "full") -> Changed:
        """Return the new values of the row (texts and offsets), and its metadata.

        Args:
            meta: how much metadata: full, brief or none.
        """
        return super().changed(meta)._replace(key=KEY)

    def _brief(self) -> dict[str, Any]:
        return {"normalizer": self.settings.attack, "status": self.status}
