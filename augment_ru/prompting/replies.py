"""List the choices of a prompt for models that only write text, and find the answers in their replies."""

import re
from collections.abc import Sequence

from augment_ru.evaluation.answer_scores import normalised
from augment_ru.evaluation.unread import CUT, EMPTY, REFUSED, UNREADABLE, is_refusal
from augment_ru.prompting.prompt import Choice, FilledPrompt

DIGITS = 4
"""Scores are rounded to this many decimals before the best is chosen, so that rounding errors do not decide."""
REASONING = (("<think>", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]"))
"""Pairs of marks: what stands before a model's reasoning in its reply, and what stands after it."""
_LETTER = re.compile(r"\W*([A-JА-К])(?!\w)")
_NAMED = re.compile(r"(?:ответ|answer)\w*(?: is)?\W{1,6}([A-JА-К])(?!\w)", re.IGNORECASE)
_LATIN, _CYRILLIC = str.maketrans("АВСЕ", "ABCE"), str.maketrans("ABCE", "АВСЕ")

_CHOICE = {
    "ru": ("Варианты ответа:", "Выберите один вариант и напишите только его."),
    "en": ("Answers to choose from:", "Choose one and write nothing else."),
}


def with_choices(text: str, filled: FilledPrompt, language: str) -> str:
    """Return the text of a prompt, followed by a list of its choices if it has any and does not list them itself.

    Args:
        text: the text of the prompt.
        filled: the prompt.
        language: the language of the words around the list: `en` for English, any other for Russian.
    """
    if not filled.choices or filled.listed:
        return text
    head, tail = _CHOICE["en" if language == "en" else "ru"]
    lettered = _lettered(filled.choices)
    lines = [f"{choice.label}) {_words(choice)}" if lettered else _words(choice) for choice in filled.choices]
    return "\n".join([text, "", head, *lines, tail])


def answer_in(reply: str, filled: FilledPrompt, *, was_cut: bool = False) -> str:
    """Return the answer in a model's reply.

    If the prompt has choices, the answer is the label of the choice that the reply names. Otherwise it is the text of
    the reply, up to a string that ends an answer. Reasoning at the beginning is left out. If the reply has no answer,
    the result is a special text that says why (`evaluation.unread`).

    Args:
        reply: the reply.
        filled: the prompt, with its choices and the strings that end an answer.
        was_cut: whether the reply ended because it had as many tokens as it may have.
    """
    said, reasoned = after_reasoning(reply)
    if said.strip() and filled.choices:
        found = label_in(said, filled.choices, last=reasoned)
        return found or (REFUSED if is_refusal(said) else CUT if was_cut else UNREADABLE)
    written = before_stop(said.strip(), filled.stop).strip()
    return written or (CUT if was_cut or reply.strip() else EMPTY)


def after_reasoning(reply: str) -> tuple[str, bool]:
    """Return what follows the reasoning in a model's reply, and whether there is reasoning.

    If the reasoning does not end, nothing follows it: the text is "".

    >>> after_reasoning("<think>Да? Нет.</think> Нет"), after_reasoning("<think>Да")
    ((' Нет', True), ('', True))
    """
    for start, end in REASONING:
        if end in reply:
            return reply.rpartition(end)[2], True
        if reply.lstrip().startswith(start):
            return "", True
    return reply, False


def label_in(reply: str, choices: Sequence[Choice], *, last: bool = False) -> str:
    """Return the label of the choice that a reply names; an empty text if it does not name any.

    The first of these rules that finds a choice decides:

    - the reply is nothing but a choice or its label;
    - if choices have letters: the letter after the last «Ответ:» counts, or else one at the beginning of the reply;
    - a choice or its label occurs in the reply; of several, the first counts, or with `last` the last.

    «следует» in «не следует» does not count if both are choices.

    Args:
        reply: the reply of a model.
        choices: the choices, each with its label and its text.
        last: whether, of several choices that occur in the reply, the last counts instead of the first.

    >>> label_in("Ответ: нет.", (Choice("1", "да"), Choice("0", "нет")))
    '0'
    """
    written = normalised(reply)
    spellings = [(normalised(_words(choice)), choice.label) for choice in choices]
    spellings += [(normalised(choice.label), choice.label) for choice in choices]
    for words, label in spellings:
        if words and words == written:
            return label
    letters = _letters(choices)
    named = [match[1] for match in _NAMED.finditer(reply)][-1:] if letters else []
    if letters and not named and (match := _LETTER.match(reply)):
        named = [match[1]]
    for letter in named:
        for same in (letter.upper(), letter.upper().translate(_LATIN), letter.upper().translate(_CYRILLIC)):
            if same in letters:
                return letters[same]
    found = [
        (*match.span(), label)
        for words, label in spellings
        if words and (len(words) > 1 or not letters)
        for match in re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", written)
    ]
    whole = [one for one in found if not any(_is_inside(one, other) for other in found)]  # «следует» in «не следует»
    return (max if last else min)(whole)[2] if whole else ""


def _is_inside(one: tuple[int, int, str], other: tuple[int, int, str]) -> bool:
    return other[0] <= one[0] and one[1] <= other[1] and one[:2] != other[:2]


def before_stop(text: str, stops: Sequence[str]) -> str:
    """Return the text up to the first place at which one of some strings occurs.

    Args:
        text: the text, such as a generated answer.
        stops: the strings.

    >>> before_stop(" Шведы; ЧГК", [";", "."])
    ' Шведы'
    """
    return text[: min((at for at in map(text.find, stops) if at >= 0), default=len(text))]


def _lettered(choices: Sequence[Choice]) -> bool:
    """Tell whether the labels are capital letters that differ from the texts of their choices."""
    return all(len(one.label) == 1 and one.label.isupper() and one.text.strip() != one.label for one in choices)


def _letters(choices: Sequence[Choice]) -> dict[str, str]:
    """Map the letters that stand for choices to their labels; empty if not every choice has one.

    The letters are the texts of the choices, such as «А» and «Б», or else their labels.
    """
    texts = [_words(choice).strip("()") for choice in choices]
    if all(len(text) == 1 and text.isupper() for text in texts):
        return {text: choice.label for text, choice in zip(texts, choices, strict=True)}
    return {choice.label: choice.label for choice in choices} if _lettered(choices) else {}


def _words(choice: Choice) -> str:
    return choice.text.strip().rstrip(".").strip()


def index_of_best(scores: Sequence[float]) -> int:
    """Return the index of the highest score; of scores that are equal after rounding to `DIGITS` decimals, the first.

    >>> index_of_best([-2.00001, -2.0, -3.0])
    0
    """
    rounded = [round(score, DIGITS) for score in scores]
    return rounded.index(max(rounded))
