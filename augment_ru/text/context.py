"""Contexts: what a record says about one of its texts, such as its answers, options and label."""

from dataclasses import dataclass

from augment_ru.edits import Span


@dataclass(frozen=True, slots=True)
class Context:
    """What a record says about one of its texts.

    Attributes:
        answers: the right answers, as texts.
        options: the place where the options of the question start; None if the text has no options.
        right: the span of the right option, without its marker; None if the record does not say which option is right.
        wrong: the spans of the wrong options, without their markers; empty if the record does not say which option is
            right.
        judged: whether the text is what the question asks to judge (a hypothesis) or to choose (an option). No sentence
            is added to such a text.
        record: all texts of the record as they were read, including this one.
        forbidden: further phrases that a sentence added to the text must not contain.
        label: the label of the record; "" if it has none.
        number: the index of this text among those of the record, from 0.
        named: whether the record's answers depend on who its persons are, so that their names stay.
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
