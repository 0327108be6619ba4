"""Слова, спрятанные от модерации, читаются: «к@зин0» → «казино»."""

from typing import ClassVar

from augment_ru.normalizers._normalization import NamedChain


class Evasion(NamedChain):
    """Read what hides words from a filter: invisible characters, look-alikes, signs, separators, layouts, Latin."""

    name: ClassVar[str] = "evasion"
    members: ClassVar[tuple[str, ...]] = (
        "invisible", "skeleton", "masks", "separators", "layout", "transliteration", "stretching", "spelling",
    )  # fmt: skip
