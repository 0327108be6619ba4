"""What a text loses by its edits, as numbers; `dictionaries/meaning.tsv` explains each of them."""

from collections.abc import Iterable

from augment_ru.similarities._meaning_lost import of_damaged, of_lost, of_signs
from augment_ru.similarities._meaning_marks import of_marks
from augment_ru.similarities._meaning_moved import of_moved, of_reshaped
from augment_ru.similarities._meaning_new import of_added, of_rewritten
from augment_ru.similarities._meaning_words import Fates


def features_of(fates: Fates) -> dict[str, float]:
    """The features of the fates of a text's words; those that are 0 are left out."""
    found: dict[str, float] = {}
    if fates.lost:
        _add(found, of_lost(fates))
    if fates.damaged:
        _add(found, of_damaged(fates))
    if fates.signs:
        _add(found, of_signs(fates))
    if fates.lost or fates.inserted or fates.replaced:
        _add(found, of_marks(fates))
    if fates.moved:
        _add(found, of_moved(fates))
    if fates.reshaped:
        _add(found, of_reshaped(fates))
    if fates.replaced:
        _add(found, of_rewritten(fates))
    if fates.inserted:
        _add(found, of_added(fates))
    return found


def _add(found: dict[str, float], features: Iterable[tuple[str, float]]) -> None:
    for name, value in features:
        if value:
            found[name] = found.get(name, 0.0) + value
