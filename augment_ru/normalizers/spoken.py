"""Разговорные формы, которые пишут намеренно: «щас», «ваще» → «сейчас», «вообще»."""

import re
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
            (start, stop), small = word.span(), word[0].lower()
            is_short = _STOP.match(text, stop) or "/" in text[start - 1 : stop + 1]  # «уд./мин.»
            if (full := forms.get(small)) and not (is_short and full.startswith(small)):
                yield Edit(start, stop, cased(full, word[0], initial=False))


_STOP = re.compile(r"\.(?!\.|\s*$|\s+\W?[А-ЯЁ])")
"""A stop that does not end a sentence: behind a shortened word, «10 мин. пешком»."""
