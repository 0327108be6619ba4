"""Transcribes Russian words as they sound, coarsely: with reduced vowels, assimilated consonants and softness."""

import re
from functools import cache, lru_cache

VOWELS = "аеёиоуыэюя"
_HARD, _NEVER_MARKED = "жшц", "жшцчщй"
_VOICED, _VOICELESS = "бвгджз", "пфктшс"
_VOICES, _DEVOICES = "бгджз", "пфктшсхцчщ"
"""Consonants before which others are voiced, or devoiced."""
_VOICING = dict(zip(_VOICELESS, _VOICED, strict=True))
_DEVOICING = dict(zip(_VOICED, _VOICELESS, strict=True))
_PARTS = re.compile(f"[^{VOWELS}]*[{VOWELS}]|[^{VOWELS}]+")
_TWICE = re.compile("([аиоуыэ])\\1+")
_PLAIN = {"я": "а", "ё": "о", "ю": "у", "е": "э"}
_SPELT = (
    (re.compile("^что"), "што"), (re.compile("(?<!мн)(?<!стр)(?<!дор)([ео])го(ся)?$"), r"\1во\2"),
    (re.compile("ть?ся$"), "ца"), (re.compile("ть?сь$"), "ць"), (re.compile("[сзж]ч"), "щ"),
    (re.compile("тс|дс(?=[кт])"), "ц"),
    (re.compile("стн"), "сн"), (re.compile("здн"), "зн"), (re.compile("лнц"), "нц"), (re.compile("вств"), "ств"),
    (re.compile("рдц"), "рц"), (re.compile("[сз]ш"), "шш"), (re.compile("[сз]ж"), "жж"), (re.compile("г(?=к)"), "х"),
    (re.compile("[тд]ц"), "ц"), (re.compile("[тд]ч"), "ч"), (re.compile("[дт]щ"), "щ"),
)  # fmt: skip
"""Spellings and how they are said, in the order of the rules: Аванесов Р. И. Русское литературное произношение."""
_MAY_BE_SPELT = re.compile("|".join(pattern.pattern for pattern, _ in _SPELT))


@lru_cache(maxsize=200_000)
def transcription(word: str, stress: int = -1) -> str:
    """Return how a word is said: a letter for each sound, `'` after a soft consonant.

    Vowels that are not stressed are reduced: о is а, and е and я after a soft consonant are и.

    >>> transcription("компания", 1), transcription("кампания", 1), transcription("зуб"), transcription("сделать", 0)
    ("кампан'ийа", "кампан'ийа", 'зуп', "з'д'элат'")

    Args:
        word: the word in lower case, with ё.
        stress: which of its vowels is stressed, from 0; -1 if it is not known. Then only ё, or the only vowel of a
            word, counts as stressed.
    """
    if _MAY_BE_SPELT.search(word):
        for pattern, said in _SPELT:
            word = pattern.sub(said, word)
    parts = _PARTS.findall(word)
    if stress < 0 and len(parts) - (word[-1:] not in VOWELS) == 1:
        stress = 0
    last = len(parts) - 1
    said = "".join([_sounds(part, place == stress, place == last) for place, part in enumerate(parts)])
    return _TWICE.sub(r"\1", said) if _TWICE.search(said) else said


@lru_cache(maxsize=50_000)
def _sounds(part: str, stressed: bool, last: bool) -> str:  # noqa: FBT001  (cached by place)
    """Return how the consonants up to a vowel are said, with this vowel; of the last part, also what has no vowel."""
    sounds: list[str] = []
    for before, letter, after in zip("ь" + part, part, f"{part[1:]} ", strict=False):
        if letter in VOWELS:
            if letter in "еёюя" and before in "ьъ":
                sounds.append("й")
            sounds.append(_vowel(letter, before, stressed or letter == "ё", last))
        elif letter not in "ьъ":
            sounds.append(f"{letter}'" if after in "еёиюяь" and letter not in _NEVER_MARKED else letter)
    heard = after = ""
    for one in reversed(sounds):
        if said := _assimilated(one, after):
            heard, after = said + heard, said
    return heard


@cache
def _vowel(letter: str, before: str, stressed: bool, last: bool) -> str:  # noqa: FBT001  (cached by place)
    """Return how a vowel is said after a letter: «о» as «а», «е» and «я» as «и» where they are not stressed."""
    said = _PLAIN.get(letter, letter)
    if said == "и" and before in _HARD:
        return "ы"
    if stressed or said in "иуы" or (last and letter in "ая"):
        return said
    soft = (letter in "еёяэ" and before not in _HARD) or before in "чщ"
    return "и" if soft or (said == "э" and before not in _HARD) else "ы" if said == "э" else "а"


@cache
def _assimilated(one: str, after: str) -> str:
    """Voice or devoice a consonant before the next sound, soften «с» and «з» before soft ones, drop one of a double."""
    letter, mark, following = one[0], one[1:], after[:1]
    if following in _DEVOICES:  # nothing follows the last one
        letter = _DEVOICING.get(letter, letter)
    elif following in _VOICES:
        letter = _VOICING.get(letter, letter)
    if letter in "сз" and after.endswith("'") and following in "дтнсзл":
        mark = "'"
    dropped = letter == following and (mark == after[1:] or letter not in VOWELS)
    return "" if dropped else letter + mark
