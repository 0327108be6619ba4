"""The class `Context`: states what a record says about one of its texts, such as answers, options and label."""

from dataclasses import dataclass

from augment_ru.edits import Span


@dataclass(frozen=True, slots=True)
class Context:
    """States what a record says about one of its texts, so that attacks can take care of it.

    Attributes:
        answers: the right answers, as texts.
        options: the place where the options of the question start; None if the text has no options.
        right: the span of the right option, without its marker; None if the record does not say which option is right.
        wrong: the spans of the wrong options, without their markers; empty if the record does not say which option is
            right.
        judged: whether the question asks to judge this text (a hypothesis) or to choose it (an option). Attacks add no
            sentence to such a text.
        record: all texts of the record as they were read, including this one.
        forbidden: phrases, besides the right answers, that an attack may not add to the text.
        label: the label of the record; "" if it has none.
        number: the index of this text among the texts of the record, from 0.
        named: whether the record's answers depend on who its persons are; then attacks may not replace names.
    """

    answers: tuple[str, ...] = ()
    options: int | None = None
    right: Span | None = None
    wrong: tuple[Span, ...] = ()
    judged: bool = False
    record: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    label: str = ""
    number: int = 0
    named: bool = False


NO_CONTEXT = Context()
