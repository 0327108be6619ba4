"""Words with other letters in whose place other words stand («и» for «в»): what they lose depends on them alone."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from augment_ru.similarities.meaning.marks import of_marks
from augment_ru.similarities.meaning.matching import fates_of_respelt
from augment_ru.similarities.meaning.rewriting import Rewriting
from augment_ru.similarities.meaning.words import Fates, Source


class Exchanged(NamedTuple):
    """What words lose in whose place others stand.

    Attributes:
        marks: the features of the marks among them.
        rewriting: what is lost and new.
    """

    marks: Mapping[str, float]
    rewriting: Rewriting

    def features(self, total: float) -> dict[str, float]:
        """The features in a sentence whose words have this information in all."""
        return {**self.marks, **dict(self.rewriting.features(total))}


@lru_cache(maxsize=20_000)
def exchanged(words: tuple[tuple[str, str], ...]) -> Exchanged | None:
    """What words lose by other letters; None if one of them is found elsewhere, or is misspelt.

    Args:
        words: the form and the new form of the words of a sentence that may be other words.
    """
    source = Source(" ".join(old for old, _ in words))
    if source.forms != [old for old, _ in words]:
        return None
    fates = fates_of_respelt(source, [(number, new, len(new)) for number, (_, new) in enumerate(words)])
    if fates != Fates(source, replaced=fates.replaced):
        return None
    old = [[source.forms[number] for number in numbers] for numbers, _ in fates.replaced]
    return Exchanged(dict(of_marks(fates)), Rewriting.of(old, [new for _, new in fates.replaced]))
