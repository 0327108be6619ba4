"""Слово пишется латиницей: «привет, щенок» → «privet, schenok»."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from augment_ru.draws import Ints, Streams
from augment_ru.editing.respelling import respell
from augment_ru.editing.spellings import Spellings, spellings
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals, Replacements
from augment_ru.errors import unknown
from augment_ru.resources import folder
from augment_ru.text.batch import Batch
from augment_ru.text.characters import DIGIT, WORD, counted


@dataclass(frozen=True, slots=True)
class Transliteration(Attack):
    """Write Russian words in Latin letters.

    A word stays if it has letters of other alphabets than these two, or marks on letters.

    Args:
        style: `chat`, as people write; `icao`, as in passports; `gost`, GOST 7.79-2000, system B; or the path of a
            `.tsv` file: letter, the letters in front of which the line holds, spellings.
        whole: whether all words of a sentence are written so; then the probability is the share of sentences.

    Raises:
        AugmentError: there is no such style, or a line of its file is wrong.
    """

    name: ClassVar[str] = "transliteration"
    group: ClassVar[str] = "people"
    probability: float = 0.2
    style: str = "chat"
    whole: bool = False

    def __post_init__(self) -> None:
        _table(self.style)  # so that an unknown style is an error before the run starts

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose every Russian word in Latin letters, or all of a sentence."""
        table = _table(self.style)
        starts, stops = batch.words
        is_latin = ((batch.codes | _CASE) >= ord("a")) & ((batch.codes | _CASE) <= ord("z"))
        is_known = (batch.flags & DIGIT != 0) | table.letters_in(batch) | is_latin
        is_strange = (batch.flags & WORD != 0) & ~is_known
        chosen = (counted(table.lasting_in(batch), starts, stops) > 0) & (counted(is_strange, starts, stops) == 0)
        starts, stops = starts[chosen], stops[chosen]

        def replace(indices: Ints) -> Replacements:
            return table.spelled(batch, streams, starts[indices], stops[indices])

        return respell(batch, streams, (starts, stops), replace, sentences=self.whole)


_CASE = np.uint32(0x20)
"""The bit in which capitals and small letters of ASCII differ."""
_FILES = "transliteration_"


@cache
def _table(style: str) -> Spellings:
    """The spellings of a style.

    Raises:
        AugmentError: there is no such style, or a line of its file is wrong.
    """
    known = [path.stem.removeprefix(_FILES) for path in folder("dictionaries").glob(f"{_FILES}*.tsv")]
    if style.endswith(".tsv"):
        return spellings(style)
    if style not in known:
        raise unknown("style of transliteration", style, known)
    return spellings(f"{_FILES}{style}")
