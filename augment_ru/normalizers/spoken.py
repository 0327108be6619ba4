"""Разговорные формы, которые пишут намеренно: «щас», «ваще» → «сейчас», «вообще»."""

from collections.abc import Iterator
from dataclasses import dataclass

from augment_ru.edits import Edit
from augment_ru.normalizers._lexicon import written_out
from augment_ru.normalizers._normalization import Normalization
from augment_ru.normalizers._pieces import cased
from augment_ru.text.words import RUSSIAN


@dataclass(frozen=True, slots=True)
class SpokenNormalization(Normalization):
    """Replace spoken forms that people write on purpose («щас») by the usual ones; other normalizers leave them."""

    def edits(self, text: str) -> Iterator[Edit]:
        """Yield the edits that write spoken forms out: «щас» as «сейчас»."""
        forms = written_out()
        for word in RUSSIAN.finditer(text):
            if full := forms.get(word[0].lower()):
                yield Edit(*word.span(), cased(full, word[0], initial=False))
