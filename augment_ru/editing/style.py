"""Scores the style of a text, to tell whether words that people use in chats fit into it."""

import re
from functools import cache, lru_cache

import numpy as np

from augment_ru.constraints.quotations import quoted
from augment_ru.draws import Ints
from augment_ru.language.morphology import lemmas_of, readings
from augment_ru.resources import dictionary_path, number_in, rows
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask

_WORD = re.compile(r"[а-яё]+(?:-[а-яё]+)*", re.IGNORECASE)
_LIVELY = re.compile(r"[!?)(]{2,}|!|[:;]-?[)(]|[\U0001F300-\U0001FAFF]|…|\.\.\.")
_REPORT = re.compile(r"\b(?:1\d|20)\d\d\b|%|№|[;§]")
_BOOK = re.compile(r"^[—–]|(?<=\S )[—–](?= )|(?<=[а-яё,] )(?!В[аы])[А-ЯЁ][а-яё]{2,}")
"""Signs of a printed text: dashes, and names inside a sentence."""
_SPEAKER = frozenset({"1per", "2per", "impr"})
_SAID = frozenset({"мой", "твой", "наш", "ваш"})
_LONGEST_ABBREVIATION, _TALK = 5, 3


STYLES = ("chat", "any")


@cache
def _table() -> dict[str, int]:
    found = rows(dictionary_path("style"), columns=2)
    return {word.replace("ё", "е"): int(number_in(f"style: {word}", cell, least=-3, most=3)) for word, cell in found}


@lru_cache(maxsize=200_000)
def _points(word: str) -> int:
    """Return the points of a word as it is written, from -3 (a report) to 3 (a chat).

    The dictionary `style` has the points of lemmas. Of other words, verbs and pronouns in the first or second person
    and imperatives get 1; abbreviations, and names that the dictionary of forms does not have, -1; the rest 0.
    """
    small = word.lower()
    known = next((_table()[lemma] for lemma in (small, *lemmas_of(small)) if lemma in _table()), 0)
    likeliest = readings(small)[0]
    if known:
        return known
    if 1 < len(word) <= _LONGEST_ABBREVIATION and word.isupper():
        return -1
    if word[0].isupper() and not likeliest.known:
        return -1
    return int(_speaks(word))


@lru_cache(maxsize=200_000)
def _speaks(word: str) -> bool:
    """Tell whether a word shows who speaks or listens: «я», «твой», «пойдём», «купи»; not «купите» of instructions."""
    small = word.lower()
    likeliest = readings(small)[0]
    known = likeliest.pos in ("VERB", "NPRO") and not _SPEAKER.isdisjoint(likeliest.grammemes)
    return not _SAID.isdisjoint(lemmas_of(small)) or (known and not {"impr", "plur"} <= set(likeliest.grammemes))


@lru_cache(maxsize=8192)
def chat_points(text: str) -> int:
    """Score the style of a text: over 0 it reads like a chat or a review, under 0 like a report or an encyclopaedia.

    The score is the sum of the points of its words (in [-3, 3] each), and 1 more if the text has signs like «!» or
    «)))». It is 1 less for signs like «%» or a year, 1 less if nobody speaks in the text, and 1 or 2 less for dashes
    and names inside a sentence.

    >>> chat_points("Спасибо, очень вкусно!") > 1, chat_points("Село находится в Тульской области.") < 0
    (True, True)
    """
    words, lively = _WORD.findall(text), _LIVELY.search(text) is not None
    told = not lively and not any(_points(word) > 1 or _speaks(word) for word in words)
    signs = lively - told - (_REPORT.search(text) is not None) - min(len(_BOOK.findall(text)), 2)
    return sum(map(_points, words)) + signs


def is_loose(text: str) -> bool:
    """Tell whether a text reads as talk: many points, a sign like «!» or «)))», or no final full stop."""
    return chat_points(text) > _TALK or not text.rstrip().endswith(".") or _LIVELY.search(text) is not None


@lru_cache(maxsize=16)
def _words_of_others(text: str) -> Mask:
    """Tell for each place of a text, and for its end, whether it is inside quotation marks; shape (characters + 1,)."""
    found = np.zeros(len(text) + 1, dtype=np.bool_)
    for one in quoted(text):
        found[one.start : one.stop] = True
    return found


def is_quoted(text: str, place: int) -> bool:
    """Tell whether a place of a text is inside quotation marks, where other people's words are."""
    return bool(_words_of_others(text)[place])


def _unquoted(batch: Batch) -> Mask:
    return ~np.concatenate([np.zeros(0, dtype=np.bool_), *map(_words_of_others, batch.texts)])


def _fit(batch: Batch, least: int) -> Mask:
    return np.array([chat_points(text) >= least for text in batch.texts], dtype=np.bool_)


def in_chats(batch: Batch, places: Ints, least: int) -> Mask:
    """Tell for each place whether its text is in the style of a chat and the place is outside quotation marks.

    Args:
        batch: the texts.
        places: the global places (offsets in `batch.codes`).
        least: the fewest points of style (`chat_points`) that count as the style of a chat.
    """
    return batch.once(_fit, least)[batch.rows(places)] & batch.once(_unquoted)[places]
