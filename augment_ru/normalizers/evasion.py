"""Слова, спрятанные от модерации, читаются: «к@зин0» → «казино»."""

from typing import ClassVar

from augment_ru.normalizers._normalization import NormalizationChain, normalization_of

_PARTS = "invisible contacts skeleton masks separators layout transliteration stretching spelling".split()  # noqa: SIM905


class EvasionNormalization(NormalizationChain):
    """Read words hidden from filters: by invisible characters, look-alikes, signs, separators, layout or Latin letters.

    Spelling is mended only in words that do not exist as written.
    """

    name: ClassVar[str] = "evasion"

    def __init__(self) -> None:
        super().__init__(tuple(map(normalization_of, _PARTS)))
