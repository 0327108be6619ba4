"""What an augmenter makes of texts; processes that tests start import this module, and no test."""

from collections.abc import Sequence

from augment_ru import Augmenter, Result


def became(augmenter: Augmenter, texts: Sequence[str]) -> list[tuple[str, str, float | None]]:
    """What each text becomes."""
    return [(result.text, result.status, result.similarity) for result in augmenter.texts(texts)]


def drawn(augmenter: Augmenter, text: str, draws: int) -> list[Result]:
    """What as many rows of this text become: each row draws for itself."""
    return list(augmenter.records({"id": at, "text": text} for at in range(draws)))
