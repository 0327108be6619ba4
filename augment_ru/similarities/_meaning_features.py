"""What a text loses by its edits, as numbers; `dictionaries/meaning.tsv` explains each of them."""

from augment_ru.similarities._meaning_lost import of_damaged, of_lost, of_signs
from augment_ru.similarities._meaning_marks import of_marks
from augment_ru.similarities._meaning_moved import of_moved, of_reshaped
from augment_ru.similarities._meaning_new import of_added, of_rewritten
from augment_ru.similarities._meaning_words import Fates

_PARTS = (of_lost, of_damaged, of_signs, of_marks, of_moved, of_reshaped, of_rewritten, of_added)
_OF_LETTERS = (of_damaged,)
"""What words with other letters have; the usual case of attacks on characters."""


def features_of(fates: Fates) -> dict[str, float]:
    """The features of the fates of a text's words; those that are 0 are left out."""
    found: dict[str, float] = {}
    for part in _OF_LETTERS if fates.only_damaged else _PARTS:
        for name, value in part(fates):
            if value:
                found[name] = found.get(name, 0.0) + value
    return found
