"""Warns of a Winograd question whose text does not contain its anaphor."""

from collections.abc import Sequence

from augment_ru.constraints.functions.referents import asked, refers
from augment_ru.constraints.rule_file import Docs, Row


def lost_anaphor(record: Row, docs: Docs) -> Sequence[str]:
    """Return a warning if none of the texts of a record has a form of the pronoun that the record asks about.

    The result is empty if the pronoun is found, or if the record does not name it.

    Args:
        record: the row.
        docs: its annotated fields, by name.
    """
    _, reference = asked(record)
    if not reference or any(refers(token.text, reference) for doc in docs.values() for token in doc.tokens):
        return ()
    return (f"the anaphor '{reference}' stands in no form in the text, so nothing protects it",)
