"""Questions with answers to choose from, for models that only write: how they are put, and which answer was meant."""

import re
from collections.abc import Sequence

from augment_ru.evaluation.answer_scores import normalised
from augment_ru.prompting.choices import Candidate
from augment_ru.prompting.prompt import Filled

_LETTER = re.compile(r"\W*([A-JА-К])(?!\w)")
_LATIN = str.maketrans("АВСЕ", "ABCE")

_CHOICE = {
    "ru": ("Варианты ответа:", "Выберите один вариант и напишите только его."),
    "en": ("Answers to choose from:", "Choose one and write nothing else."),
}


def asked(filled: Filled, language: str) -> str:
    """The prompt as it is sent: with its candidates listed, if it has any."""
    if not filled.candidates:
        return filled.context
    head, tail = _CHOICE["en" if language == "en" else "ru"]
    lines = [
        f"{one.label}) {_words(one)}" if _lettered(filled.candidates) else _words(one) for one in filled.candidates
    ]
    return "\n".join([filled.context, "", head, *lines, tail])


def meant(reply: str, candidates: Sequence[Candidate]) -> str:
    """The label of the candidate that a reply names; empty if it names none.

    The reply itself, then the letter it starts with (of lettered options), then the candidate that it names first; of
    two at one place the longer.

    >>> meant("Ответ: нет.", (Candidate("1", "да"), Candidate("0", "нет")))
    '0'
    """
    said = normalised(reply)
    spelt = [(normalised(_words(one)), one.label) for one in candidates]
    spelt += [(normalised(one.label), one.label) for one in candidates]
    for words, label in spelt:
        if words and words == said:
            return label
    if _lettered(candidates) and (match := _LETTER.match(reply)):
        letter = match[1].translate(_LATIN)
        if any(one.label == letter for one in candidates):
            return letter
    found = [
        (match.start(), -len(words), label)
        for words, label in spelt
        if words and (len(words) > 1 or not _lettered(candidates))
        for match in re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", said)
    ]
    return min(found)[2] if found else ""


def cut(reply: str, stop: Sequence[str]) -> str:
    """A reply up to the first of the stops, without white space around it."""
    reply = reply.strip()
    for one in stop:
        reply = reply.split(one, 1)[0]
    return reply.strip()


def _lettered(candidates: Sequence[Candidate]) -> bool:
    """Whether the labels are letters that stand for other words."""
    return all(len(one.label) == 1 and one.label.isupper() and one.text.strip() != one.label for one in candidates)


def _words(one: Candidate) -> str:
    return one.text.strip().rstrip(".").strip()
