"""Lists of words in text files, and the words of a batch that such a list has."""

from functools import cache
from pathlib import Path

import numpy as np

from augment_ru.draws import Ints
from augment_ru.errors import AugmentError
from augment_ru.language.morphology import lemmas_of
from augment_ru.resources import same_word
from augment_ru.text.batch import Batch
from augment_ru.text.characters import Mask, decode


@cache
def read_word_list(path: str) -> frozenset[str]:
    """The words of a text file, one a line, in lower case with е for ё; empty lines and those with `#` are skipped.

    Raises:
        AugmentError: there is no such file, it is not UTF-8, it has no word, or a line has several.
    """
    file = Path(path)
    if not file.is_file():
        raise AugmentError(f"word list {path}: no such file; give a text file in UTF-8, one word a line")
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise AugmentError(f"word list {path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
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


def listed(batch: Batch, starts: Ints, stops: Ints, words: frozenset[str]) -> Mask:
    """Whether a list has each of these words of a batch, as it is or in its dictionary form, shape (words,)."""
    joined = decode(batch.codes) if starts.size else ""
    found = []
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        word = same_word(joined[start:stop])
        found.append(word in words or not words.isdisjoint(lemmas_of(word)))
    return np.array(found, dtype=np.bool_)
