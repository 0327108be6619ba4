"""What an augmenter makes of texts: for processes that tests start, which import this module and no test."""

from collections.abc import Sequence

from augment_ru import Augmenter


def became(augmenter: Augmenter, texts: Sequence[str]) -> list[tuple[str, str, float | None]]:
    """What each text becomes."""
    return [(result.text, result.status, result.similarity) for result in augmenter.texts(texts)]
