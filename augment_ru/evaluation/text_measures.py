"""Measures of a text: the diversity of its words, its readability."""

from augment_ru.text.words import hyphenated_words

_VOWELS = frozenset("аеёиоуыэюяАЕЁИОУЫЭЮЯ")


def type_token_ratio(text: str) -> float | None:
    """Different words / words, in any letter case, in (0, 1]; None without words.

    >>> type_token_ratio("Кот и кот и пёс")
    0.6
    """
    words = [word.lower() for word in hyphenated_words(text)]
    return len(set(words)) / len(words) if words else None


def flesch(text: str) -> float | None:
    """Flesch's reading ease with coefficients for Russian; a higher number is an easier text; None without words.

    206.835 − 1.3 · words per sentence − 60.1 · syllables per word (Оборнева И. В. Автоматизированная оценка сложности
    учебных текстов на основе статистических параметров. Дис. … канд. пед. наук. М., 2006).
    Each vowel is a syllable; razdel splits the sentences.

    >>> round(flesch("Мама мыла раму."), 3)
    82.735
    """
    words = hyphenated_words(text)
    if not words:
        return None
    from razdel import sentenize  # noqa: PLC0415  (its import is slow, and few commands need it)

    sentences = len([sentence for sentence in sentenize(text) if hyphenated_words(sentence.text)])
    syllables = sum(letter in _VOWELS for word in words for letter in word)
    return 206.835 - 1.3 * len(words) / sentences - 60.1 * syllables / len(words)
