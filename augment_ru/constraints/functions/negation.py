"""Words that deny and are no closed class: in не- and без-, and verbs and nouns of denial in every form."""

from collections.abc import Mapping, Sequence

from augment_ru.constraints.denials import denies
from augment_ru.constraints.rule_file import Docs, Row
from augment_ru.edits import Span


def negation(_: Row, docs: Docs) -> Mapping[str, Sequence[Span]]:
    """The words that deny in each text: «Он [недоволен]: суд [отверг] жалобу»."""
    return {
        name: [Span(token.start, token.stop, "NEGATION") for token in doc.tokens if denies(token.text)]
        for name, doc in docs.items()
    }
