"""Слова, спрятанные от модерации, читаются: «к@зин0» → «казино»."""

from collections.abc import Sequence
from typing import ClassVar

from augment_ru.normalizers._normalization import NamedChain, Normalization, normalization_of

_PARTS = ("invisible", "skeleton", "masks", "separators", "layout", "transliteration", "stretching", "spelling")


class EvasionNormalization(NamedChain):
    """Read what hides words from a filter: invisible characters, look-alikes, signs, separators, layouts, Latin.

    Spelling is mended only in words that are impossible as written.
    """

    name: ClassVar[str] = "evasion"

    @staticmethod
    def members() -> Sequence[Normalization]:
        """Return the parts in order."""
        return [normalization_of(name) for name in _PARTS]
