"""Chooses the words that an attack that hides words may change: all, those of meaning, or those that filters seek."""

from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from augment_ru.draws import Floats, Ints, Streams
from augment_ru.editing.word_forms import WordForms
from augment_ru.errors import AugmentError
from augment_ru.language.morphology import has_form_with, lemmas_of, readings
from augment_ru.resources import dictionary_path, file_text, rows, same_word
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask, marked

TARGETS = ("content", "lexicon", "random")
"""The values of the option `targets`; it may also be the path of a word list."""
_EMPTY = frozenset({"NPRO", "PREP", "CONJ", "PRCL", "PRED", "INTJ", "Apro"})


def read_word_list(path: str) -> frozenset[str]:
    """Read the words of a text file, one a line; return them in lower case with е for ё.

    Empty lines and lines that begin with `#` are skipped.

    Raises:
        AugmentError: there is no such file, it is not UTF-8, it has no word, or a line has several words.
    """
    what = f"a text file in UTF-8, one word a line, or one of {', '.join(TARGETS)}"
    lines = file_text(Path(path), f"word list {path}", what=what).splitlines()
    words = set()
    for number, line in enumerate(lines, start=1):
        word = line.strip()
        if len(word.split()) > 1 and not word.startswith("#"):
            raise AugmentError(f"word list {path}: line {number}: '{word}' is not one word; write one word a line")
        if word and not word.startswith("#"):
            words.add(same_word(word))
    if not words:
        raise AugmentError(f"word list {path}: no word in it; write one word a line")
    return frozenset(words)


def check_targets(targets: str) -> None:
    """Read the word list that the option `targets` names, so that a wrong one is an error before the run starts.

    Args:
        targets: the value of the option: `content`, `lexicon`, `random`, or the path of a text file of words.

    Raises:
        AugmentError: there is no such file, it is not UTF-8, it has no word, or a line has several words.
    """
    if targets not in ("content", "random"):
        _word_list(targets)


@cache
def _word_list(targets: str) -> frozenset[str]:
    if targets != "lexicon":
        return read_word_list(targets)
    return frozenset(same_word(word) for word, _ in rows(dictionary_path("filtered_words"), columns=2))


@lru_cache(maxsize=100_000)
def _is_listed(word: str, targets: str) -> bool:
    """Tell whether a word or one of its lemmas is in the word list."""
    return not _word_list(targets).isdisjoint((same_word(word), *lemmas_of(word)))


@lru_cache(maxsize=200_000)
def _carries_meaning(word: str) -> bool:
    if len(word) > 1 and word.isalpha() and not has_form_with(word, _EMPTY):
        return True  # pymorphy3 guesses none of these kinds from the ending of a word without a hyphen
    likeliest = readings(word)[0]
    return _EMPTY.isdisjoint({likeliest.pos, *likeliest.grammemes})


def targeted(batch: Batch, streams: Streams, starts: Ints, targets: str) -> tuple[Ints, Floats]:
    """Choose which words may change, and draw their ranks: a word changes if its rank is below the probability.

    Args:
        batch: the texts.
        streams: the random draws of each text.
        starts: the global places (offsets in `batch.codes`) where words start, ascending; only words that the attack
            can change.
        targets: which of these words may change. `content`: all, but content words have the lower ranks. So «и» or
            «над» changes only if the probability is higher than the share of content words. `lexicon`, or the path of a
            word list: only words of the list. `random`: all, with equal chances.

    Returns:
        The indices of the chosen words in `starts`, and their ranks, both of shape (chosen words,).
    """
    ranks, every = batch.draw(streams, starts), np.arange(starts.size)
    if targets == "random" or not starts.size:
        return every, ranks
    if targets != "content":
        forms: WordForms = batch.once(WordForms)
        listed = forms.values(np.searchsorted(forms.starts, starts), lambda word: _is_listed(word, targets)) > 0
        return every[listed], ranks[listed]
    carries, shares = batch.once(_content_words)
    share, is_content = shares[batch.rows(starts)], carries[starts]
    return every, np.where(is_content, ranks * share, share + ranks * (1.0 - share))


def _content_words(batch: Batch) -> tuple[Mask, Floats]:
    """Tell for each global place whether a content word starts there, and the share of such words in each text."""
    forms: WordForms = batch.once(WordForms)
    words = np.flatnonzero(forms.values(np.arange(forms.starts.size), _carries_meaning) > 0)
    every = np.bincount(batch.rows(forms.starts), minlength=len(batch))
    carrying = np.bincount(batch.rows(forms.starts[words]), minlength=len(batch))
    return marked(batch.codes.size, forms.starts[words]), carrying / np.maximum(every, 1)
