"""Protects whole texts that are judged for their grammar."""

from collections.abc import Mapping, Sequence

from augment_ru.constraints.rule_file import Docs, Row
from augment_ru.edits import Span

_FIELD = "acceptable"


def acceptability(record: Row, docs: Docs) -> Mapping[str, Sequence[Span]]:
    """Protect each text as a whole if the record says whether it is acceptable (a well-formed sentence).

    The record says so in its field `acceptable`; a task may map another field to this name.

    Args:
        record: the row.
        docs: its annotated fields, by name.
    """
    if record.get(_FIELD) is None:
        return {}
    return {name: [Span(0, len(doc.text), "ACCEPTABILITY")] for name, doc in docs.items() if doc.text}
