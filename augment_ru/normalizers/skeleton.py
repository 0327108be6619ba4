"""Похожие буквы других алфавитов становятся русскими: «kaзинo» с латинскими k, a, o → «казино»."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from augment_ru.edits import Edit
from augment_ru.normalizers._normalization import Normalization
from augment_ru.resources import dictionary_path, rows

_WORD = re.compile(r"[^\W_]+")
_RUSSIAN = re.compile("[а-яё]", re.IGNORECASE)
_ALIEN = re.compile(r"[^\W\d_а-яё]", re.IGNORECASE)
_LETTERS = {latin: cyrillic for cyrillic, latin, _ in rows(dictionary_path("homoglyphs"), columns=3)}


@dataclass(frozen=True, slots=True)
class Skeleton(Normalization):
    """Write the Russian letter that looks alike for each letter of another alphabet in a Russian word."""

    name: ClassVar[str] = "skeleton"

    def edits(self, text: str) -> Iterator[Edit]:
        """Return the edits that write Russian letters."""
        for word in _WORD.finditer(text):
            if _RUSSIAN.search(word[0]) and _ALIEN.search(word[0]):
                read = "".join(_LETTERS.get(char, char) for char in unicodedata.normalize("NFKC", word[0]))
                if read != word[0] and not _ALIEN.search(read):
                    yield Edit(*word.span(), read)
