"""What a text loses by its edits, as numbers; `dictionaries/meaning.tsv` explains each of them."""

from augment_ru.similarities.meaning.features import of_damaged, of_lost, of_signs
from augment_ru.similarities.meaning.marks import of_marks
from augment_ru.similarities.meaning.moved import of_moved, of_reshaped
from augment_ru.similarities.meaning.rewriting import of_added, of_rewritten
from augment_ru.similarities.meaning.words import Fates


def features_of(fates: Fates) -> dict[str, float]:
    """The features of the fates of a text's words; those that are 0 are left out."""
    parts = (
        (of_lost, fates.lost),
        (of_damaged, fates.damaged),
        (of_signs, fates.signs),
        (of_marks, fates.lost or fates.inserted or fates.replaced),
        (of_moved, fates.moved),
        (of_reshaped, fates.reshaped),
        (of_rewritten, fates.replaced),
        (of_added, fates.inserted),
    )
    found: dict[str, float] = {}
    for part, cause in parts:
        for name, value in part(fates) if cause else ():
            if value:
                found[name] = found.get(name, 0.0) + value
    return found
