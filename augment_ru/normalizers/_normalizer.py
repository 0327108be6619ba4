"""The class `Normalizer`: reads texts, records and datasets as they were meant."""

from collections.abc import Iterable
from typing import cast

from augment_ru.errors import AugmentError
from augment_ru.normalizers._normalization import Normalization, normalization_of, scripts_of
from augment_ru.script import Script


class Normalizer:
    """Reads texts as they were meant: without what hides words from a filter, or without people's errors.

    A normalizer is immutable and picklable. What it makes of a text depends on that text alone.

    Args:
        spec: `evasion` (for filters), `people` (for errors), another name, a file of yours (`my_normalizer.py`),
            `python:MODULE:CLASS`, names joined by `+`, or a `Normalization`.

    Raises:
        AugmentError: a name is unknown.

    >>> Normalizer("skeleton")("kaзино").text
    'казино'
    """

    __slots__ = ("normalization",)

    def __init__(self, spec: str | Normalization = "evasion") -> None:
        self.normalization = normalization_of(spec)

    @property
    def name(self) -> str:
        """The name of the normalizer."""
        return self.normalization.name

    def __repr__(self) -> str:
        return f"Normalizer({self.name!r})"

    def __call__(self, text: str) -> Script:
        """Return the script that leads from a text to what was meant: `.text`, `.edits`, `.map(span)`."""
        return self.texts([text])[0]

    def texts(self, texts: Iterable[str]) -> list[Script]:
        """Return the script of each text, in order.

        Raises:
            AugmentError: one of the texts is not a string.
        """
        if isinstance(texts, str):
            raise AugmentError("texts() takes a list of texts; for one text call the normalizer itself")
        given: list[object] = list(texts)
        if wrong := [one for one in given if not isinstance(one, str)]:
            raise AugmentError(f"texts() takes a list of texts; {type(wrong[0]).__name__} is none")
        return scripts_of(self.normalization, cast("list[str]", given))
