"""Буквы порознь: «к.а.з.и.н.о», «к а з и н о», «ка зино» → «казино»."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from augment_ru.language.morphology import has_reading
from augment_ru.normalizers._apart import glued, goes_before
from augment_ru.normalizers._lattice import RUSSIAN, VOWELS, WordReading
from augment_ru.normalizers._lexicon import is_hidden, is_listed, weight
from augment_ru.normalizers._pieces import swings
from augment_ru.normalizers._reading import WordNormalization

_PARTS, _FEW = re.compile("[А-ЯЁ]?[а-яё]+"), 2
_LONG_NAME = 9
_CERTAIN, _SALTED = 5.0, 4.5
"""The score of glued words, below that of most misspelt ones; the least weight of a word without extra syllables."""


@dataclass(frozen=True, slots=True)
class SeparatorsNormalization(WordNormalization):
    """Read words whose letters or parts stand apart («к.а.з.и.н.о»), and words that are glued together («вличку»)."""

    skipped: ClassVar[str] = (
        r"""./\|_~*·•-‑–—,:;+=^'`⭐★☆✨()[]<>?!…"«»{}#&%§¦“”„′’‘№@$「」『』【】〔〕《》〈〉⟨⟩⦑⦒‹›""" + "\ufe0f"
    )

    def unknown(self, word: str) -> Iterable[WordReading]:
        """Yield the words that are written without spaces in `word`, or the word without its extra syllables.

        «пишитевличку» stands for «пишите в личку»; «касазисиносо» has extra syllables and stands for «казино».
        """
        if not RUSSIAN.issuperset(word):
            return
        parts = _PARTS.findall(word)
        if len(parts) > 1 and "".join(parts) == word:  # «КупиДипломСейчас»
            if _is_offer([part.lower() for part in parts]):
                yield WordReading(_CERTAIN, " ".join(parts).lower(), 0.0, self.bit)
        elif not swings(word) and (found := _unsalted(word.lower()) or glued(word.lower())):
            yield WordReading(_CERTAIN, found, 0.0, self.bit)

    def is_near(self, word: str) -> bool:
        """Tell whether a word is made of several words («пишитевличку») or has extra syllables («касазисиносо»).

        Of words with a capital, which may be names, only long ones count.
        """
        if len(_PARTS.findall(word)) > 1 or _unsalted(word.lower()):
            return True
        found = glued(word.lower())
        return bool(found) and (word[0].islower() or len(word) > _LONG_NAME or found.count(" ") > 1)


def _is_offer(words: list[str]) -> bool:
    """Tell whether words that capitals divide hide one, and two fit together: «ЛучшееКазино», not «МойОфис»."""
    if not any(map(is_hidden, words)) or not all(map(is_listed, words)):
        return False
    return len(words) > _FEW or (goes_before(*words) and has_reading(words[0], "ADJF", "VERB", "INFN"))


def _unsalted(word: str) -> str:
    """Return a word without the syllables that repeat each vowel after one consonant, or a hidden one without «ъ», «ь».

    The result is "" if that leaves no known word.

    >>> _unsalted("касазисиносо")
    'казино'
    """
    even, found = word.translate(_EVEN), (_JUNK.sub("", word), word.replace("ь", "").replace("ъ", ""))  # «водъка»
    if not _SALT.search(even):
        return next((one for one in found if one != word and is_hidden(one)), "")
    for sign in sorted(set(word[1:]) - VOWELS):
        if re.fullmatch(rf"[^аеиоу]*(?:([аеиоу]){sign}\1[^аеиоу]*){{2,}}", even):
            bare = re.sub(rf"([аеиоуяыёюэ]){sign}.", r"\1", word)
            if is_listed(bare) and weight(bare) > _SALTED:
                return bare
    return ""


_JUNK, _SALT = re.compile("ъ+(?=[^еёюя])|(?<=[аеёиоуыэюя])ь+(?=.)"), re.compile(r"([аеиоу])([^аеиоу])\1.*([аеиоу])\2\3")
_EVEN = str.maketrans("яыёюэ", "аиоуе")
"""Maps vowels to those that repeat them in extra syllables: «я» to «а»."""
