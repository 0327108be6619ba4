"""Words that deny and are no closed class: in не- and без-, and verbs and nouns of denial in every form."""

from collections.abc import Mapping, Sequence
from typing import Any

from augment_ru.constraints.denials import denies
from augment_ru.edits import Span
from augment_ru.text.doc import Doc


def negation(record: Mapping[str, Any], docs: Mapping[str, Doc]) -> Mapping[str, Sequence[Span]]:
    """The words that deny in each text: «Он [недоволен]: суд [отверг] жалобу»."""
    del record
    return {
        name: [Span(token.start, token.stop, "NEGATION") for token in doc.tokens if denies(token.text)]
        for name, doc in docs.items()
    }
