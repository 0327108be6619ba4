"""Prompts with choices for models that only write text, and finding the choice that a reply names."""

import re
from collections.abc import Sequence

from augment_ru.evaluation.answer_scores import normalised
from augment_ru.prompting.choices import Choice
from augment_ru.prompting.prompt import FilledPrompt

_LETTER = re.compile(r"\W*([A-JА-К])(?!\w)")
_LATIN = str.maketrans("АВСЕ", "ABCE")

_CHOICE = {
    "ru": ("Варианты ответа:", "Выберите один вариант и напишите только его."),
    "en": ("Answers to choose from:", "Choose one and write nothing else."),
}


def prompt_text(filled: FilledPrompt, language: str) -> str:
    """Return the text of a prompt, followed by a list of its choices if it has any.

    Args:
        filled: the prompt.
        language: the language of the words around the list: `en` for English, any other for Russian.
    """
    if not filled.choices:
        return filled.context
    head, tail = _CHOICE["en" if language == "en" else "ru"]
    lettered = _lettered(filled.choices)
    lines = [f"{choice.label}) {_words(choice)}" if lettered else _words(choice) for choice in filled.choices]
    return "\n".join([filled.context, "", head, *lines, tail])


def label_in(reply: str, choices: Sequence[Choice]) -> str:
    """Return the label of the choice that a reply names; an empty text if it does not name any.

    A reply that equals a choice or a label names it. Otherwise, if the labels are letters, the letter at the start of
    the reply counts. Otherwise the choice or label that occurs first in the reply counts, and the longer one if two
    begin at the same place.

    >>> label_in("Ответ: нет.", (Choice("1", "да"), Choice("0", "нет")))
    '0'
    """
    written = normalised(reply)
    spellings = [(normalised(_words(choice)), choice.label) for choice in choices]
    spellings += [(normalised(choice.label), choice.label) for choice in choices]
    for words, label in spellings:
        if words and words == written:
            return label
    if _lettered(choices) and (match := _LETTER.match(reply)):
        letter = match[1].translate(_LATIN)
        if any(choice.label == letter for choice in choices):
            return letter
    found = [
        (match.start(), -len(words), label)
        for words, label in spellings
        if words and (len(words) > 1 or not _lettered(choices))
        for match in re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", written)
    ]
    return min(found)[2] if found else ""


def before_stop(text: str, stops: Sequence[str]) -> str:
    """Return the text up to the first occurrence of one of the stops.

    >>> before_stop(" Шведы; ЧГК", [";", "."])
    ' Шведы'
    """
    return text[: min((at for at in map(text.find, stops) if at >= 0), default=len(text))]


def _lettered(choices: Sequence[Choice]) -> bool:
    """Tell whether the labels are capital letters that differ from the texts of their choices."""
    return all(len(one.label) == 1 and one.label.isupper() and one.text.strip() != one.label for one in choices)


def _words(choice: Choice) -> str:
    return choice.text.strip().rstrip(".").strip()
