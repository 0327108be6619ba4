"""Finds what a reader understands by the new text of an edit: «кошка» for 🐱."""

import re
from collections.abc import Sequence
from functools import cache
from itertools import repeat

from augment_ru.edits import Note
from augment_ru.language.morphology import has_form, has_reading, readings
from augment_ru.language.shortenings import stands_for
from augment_ru.language.sound import transcription
from augment_ru.resources import dictionary_path, rows
from augment_ru.script import Script
from augment_ru.similarities.meaning.quantities import amounts_of
from augment_ru.similarities.meaning.words import Written, form_of, forms_of


def edits_as_said(script: Script) -> Sequence[Written]:
    """Return the edits of a script, sorted: each with its start, stop, new text, and what a reader takes this for."""
    pairs = zip(script.triples, script.notes or repeat(None), strict=False)
    return [(start, stop, text, as_said(text, note) if note else text) for (start, stop, text), note in pairs]


def as_said(text: str, note: Note) -> str:
    """Return what a reader understands by the new text of an edit: the reading in its note («кошка» for 🐱), or itself.

    An attack may state any reading, so a reading counts only in two cases: a word of the new text is not in the
    dictionary (if the reading states a number, numbers count as words of the dictionary); or the reading differs from
    the new text only by an ending, an abbreviation, the spelling of the same sounds, the name of a person, or «ты» and
    «вы». In all other cases, such as a synonym, the new text counts.
    """
    reading = text if note.reading is None else note.reading
    if reading == text or not (words := forms_of(text)):
        return reading
    read = forms_of(reading)
    counts = any(map(amounts_of, read)) and _NUMBERS.fullmatch(text) is not None
    if not all(has_form(word) or (counts and amounts_of(word)) for word in words):
        return reading
    single = len(read) == len(words) == 1
    names = single and reading[0].isupper() and text[0].isupper() and _are_names(read[0], words[0])
    alike = single and (_differ_by_ending(read[0], words[0]) or transcription(read[0]) == transcription(words[0]))
    same = names or alike or stands_for(reading, text) or _asks(read, words) or _asks(words, read)
    return reading if same else text


_NUMBERS = re.compile(r"(?:[\d\s.,:;/()+%$€₽−–-]|(?<!\d)[а-яёXVI])+", re.IGNORECASE)
"""Words and numbers: «18 июля», not «1О0» with a letter."""


def _asks(read: Sequence[str], words: Sequence[str]) -> bool:
    """Tell whether `words` are a polite question for the imperative `read`: «не могли бы вы прислать» for «пришли»."""
    phrase = {*words[:-1]} == {"не", "могли", "бы", "вы"}
    return phrase and len(read) == 1 and any(one.lemma == words[-1] for one in readings(read[0]))


def _are_names(one: str, other: str) -> bool:
    """Tell whether `other` is the name of a person, and `one` is such a name or a word that the dictionary lacks."""
    return has_reading(other, *_PERSONAL) and (not has_form(one) or has_reading(one, *_PERSONAL))


_PERSONAL = ("Name", "Patr", "Surn")


def _differ_by_ending(one: str, other: str) -> bool:
    """Tell whether two words are forms of one lemma with the same tense, mood and person: «этот» and «это».

    «Ты» and «вы», «твой» and «ваш» count as one.
    """
    if {one, other} <= _polite():
        return True
    return any(
        mine.lemma == theirs.lemma and not (mine.grammemes ^ theirs.grammemes) & _TENSES
        for mine in readings(one)
        for theirs in readings(other)
    )


@cache
def _polite() -> frozenset[str]:
    """Return the forms of «ты», «твой», «вы» and «ваш»."""
    found = rows(dictionary_path("address"), columns=3)
    return frozenset(form_of(word) for kind, *words in found if kind in {"pronoun", "greeting"} for word in words)


_TENSES = frozenset({"past", "pres", "futr", "impr", "1per", "2per", "3per", "COMP"})
