"""Texts that are judged for their grammar, whole."""

from collections.abc import Mapping, Sequence

from augment_ru.constraints.rule_file import Docs, Row
from augment_ru.edits import Span

_FIELD = "acceptable"


def acceptability(record: Row, docs: Docs) -> Mapping[str, Sequence[Span]]:
    """All of each text if the record says whether it is acceptable; a task may name another field by an alias."""
    if record.get(_FIELD) is None:
        return {}
    return {name: [Span(0, len(doc.text), "ACCEPTABILITY")] for name, doc in docs.items() if doc.text}
