"""Protects the bridge and main answers of MultiQ wherever a text contains them, in every form."""

from collections.abc import Mapping, Sequence

from augment_ru.constraints.mentions import mentions, outermost
from augment_ru.constraints.rule_file import Docs, Row
from augment_ru.edits import Span
from augment_ru.records import field_paths
from augment_ru.records.answers import answer_values

_FIELDS = (("bridge_answers", "BRIDGE"), ("main_answers", "MAIN"))


def multihop(record: Row, docs: Docs) -> Mapping[str, Sequence[Span]]:
    """Find in each text the main answer and the bridge answer (to the first step of the question), in any form.

    With the bridge answer «Тверь»: «[Тверь] — город. В [Твери] …, а Тверская область …».

    Args:
        record: the row.
        docs: its annotated fields, by name.
    """
    segments = [(label, _segments(record.get(field))) for field, label in _FIELDS]
    return {
        name: outermost(span for label, answers in segments for span in mentions(doc.text, answers, label))
        for name, doc in docs.items()
    }


def _segments(answers: object) -> Sequence[str]:
    """Return the texts of the answers, whether they are annotated, plain texts, or values under other keys."""
    found = [answer for answer in answer_values(answers) if isinstance(answer, str)]
    return found or list(field_paths.strings(answers))
