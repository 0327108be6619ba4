"""Похожие буквы других алфавитов становятся русскими: «kaзинo» с латинскими k, a, o → «казино»."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import ClassVar

from augment_ru.normalizers._lattice import Found, Lattice, Way
from augment_ru.normalizers._reading import WordNormalization
from augment_ru.resources import dictionary_path, rows


@dataclass(frozen=True, slots=True)
class Skeleton(WordNormalization):
    """Write Russian letters for those of other alphabets that look alike (Unicode's confusables), upside down, too."""

    name: ClassVar[str] = "skeleton"

    def ways(self) -> Iterable[tuple[str, str, float]]:
        """Return what looks like letters: what is written, the letters, the cost."""
        return chain(super(Skeleton, self).ways(), _confusables())


@cache
def _confusables() -> list[tuple[str, str, float]]:
    table = rows(dictionary_path("confusables"), columns=2)
    return [(item, letter, 0.0) for letter, written in table for item in written.split(" ")]
