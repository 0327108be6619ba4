"""Tells which words say the same or nearly so, and what readers understand by the new text of an edit («кошка»: 🐱)."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations, repeat

from augment_ru.edits import Note, shared_start
from augment_ru.language.morphology import has_form, has_reading, lemmas_of, readings, word_kind
from augment_ru.language.shortenings import stands_for
from augment_ru.language.sound import transcription
from augment_ru.resources import dictionary_path, mutual, opposites, rows
from augment_ru.script import Script
from augment_ru.similarities.meaning.quantities import amounts_of
from augment_ru.similarities.meaning.words import Written, form_of, forms_of

_MOST_PAIRS = 4096
"""The most pairs of words that are compared by their roots."""
_LEAST_ROOT, _LEAST_SKELETON = 4, 3
_ENDING = re.compile(
    r"(?:ировать|овать|евать|ывать|ивать|нуть|ить|ать|ять|еть|ти|чь|ение|ание|нение|тие|ство|ость|ный|ной|ский|овый|ка|ия|ие|ый|ий"
    r"|ой|[аяоеьйиы])(?:ся|сь)?$"
)
_VOWELS = re.compile("[аеиоуыэюяьъ]")
_VERBAL = frozenset({"verb", "infinitive", "participle", "gerund"})


@cache
def _synonyms() -> dict[str, frozenset[str]]:
    """Map each lemma to the lemmas of the same sense, in both directions."""
    return mutual(_same_senses())


def _same_senses() -> Iterator[tuple[str, ...]]:
    """Yield the pairs of lemmas of one sense from all dictionaries that list such pairs."""
    for name, columns, place in (("synonyms", 5, 2), ("aspect_pairs", 2, 1), ("diminutives", 5, 2)):
        for word, *cells in rows(dictionary_path(name), columns=columns):
            yield from ((word, other) for other in cells[place - 1].split(", "))
    for (group,) in rows(dictionary_path("same_sense"), columns=1):
        yield from combinations(group.split(" "), 2)


@cache
def _partners() -> dict[str, frozenset[str]]:
    """Map each verb to its partners of the other aspect."""
    return mutual(rows(dictionary_path("aspect_pairs"), columns=2))


@lru_cache(maxsize=100_000)
def are_opposite(one: str, other: str) -> bool:
    """Tell whether two words in lower case mean the opposite, in any form and aspect: «наступал» and «отступил»."""
    table, partners = opposites(), _partners()
    mine, theirs = (
        {*lemmas_of(word), *(two for lemma in lemmas_of(word) for two in partners.get(lemma, ()))}
        for word in (one, other)
    )
    return any(not table.get(lemma, frozenset()).isdisjoint(theirs) for lemma in mine)


@lru_cache(maxsize=100_000)
def senses_of(word: str) -> frozenset[str]:
    """Return the lemmas of a word in lower case, with all lemmas that have the same sense in the dictionaries."""
    synonyms = _synonyms()
    lemmas = {word, *lemmas_of(word)}
    return frozenset(lemmas.union(*(synonyms.get(lemma, ()) for lemma in lemmas)))


@lru_cache(maxsize=100_000)
def are_alike(one: str, other: str) -> bool:
    """Tell whether two words in lower case are forms of one lemma, say the same number, or have the same sense."""
    if amounts_of(one) and amounts_of(one) == amounts_of(other):
        return True
    return not (
        senses_of(one).isdisjoint((other, *lemmas_of(other))) and senses_of(other).isdisjoint((one, *lemmas_of(one)))
    )


def unlike(ones: Sequence[str], others: Sequence[str]) -> set[str]:
    """Return the words of the first list that no word of the second list resembles in meaning.

    Words resemble each other if they have the same sense, state the same number, share a root, or one is an
    abbreviation of the other. In lists with more than 4,096 pairs, roots and abbreviations are not compared.

    Args:
        ones: the words that are compared, in lower case.
        others: the words with which they are compared.
    """
    near = frozenset[str]().union(*map(senses_of, others))
    lemmas = {lemma for word in others for lemma in (word, *lemmas_of(word))}
    left = {word for word in ones if lemmas.isdisjoint(senses_of(word)) and near.isdisjoint((word, *lemmas_of(word)))}
    amounts = {amounts_of(word) for word in others}
    left = {word for word in left if not (amounts_of(word) and amounts_of(word) in amounts)}
    if len(left) * len(others) > _MOST_PAIRS:
        return left
    return {word for word in left if not any(stands_for(word, other) or _of_one_root(word, other) for other in others)}


@lru_cache(maxsize=100_000)
def _of_one_root(one: str, other: str) -> bool:
    """Tell whether two words of different parts of speech share their root: «отменить» and «отмена»."""
    roles = [word_kind(word).role for word in (one, other)]
    if "" in roles or min(len(one), len(other)) < _LEAST_ROOT or (roles[0] == roles[1]) or set(roles) <= _VERBAL:
        return False
    left, right = (_ENDING.sub("", lemmas_of(word)[0]) for word in (one, other))
    bare, spare = _VOWELS.sub("", left), _VOWELS.sub("", right)
    shared = shared_start(bare, spare)
    begin = shared_start(left, right)
    if begin < _LEAST_SKELETON:
        return False
    same = shared >= _LEAST_SKELETON and shared >= min(len(bare), len(spare)) - 1
    return same or left == right or begin >= max(_LEAST_ROOT, min(len(left), len(right)) - 1)


def edits_as_said(script: Script) -> Sequence[Written]:
    """Return the edits of a script, sorted: each with its start, stop, new text, and what a reader takes this for."""
    pairs = zip(script.triples, script.notes or repeat(None), strict=False)
    return [(start, stop, text, as_said(text, note) if note else text) for (start, stop, text), note in pairs]


@lru_cache(maxsize=20_000)
def as_said(text: str, note: Note) -> str:
    """Return what a reader takes the new text of an edit for: the reading in its note («кошка» for 🐱), or itself.

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
    return reading if names or alike or stands_for(reading, text) or _asks(read, words) or _asks(words, read) else text


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
