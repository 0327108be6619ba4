"""Pieces of a text (parts between white space): which ones stay, where their word is, the letter case of a new word."""

import re
import unicodedata
from functools import cache, lru_cache
from itertools import pairwise

from augment_ru.normalizers._lattice import RUSSIAN
from augment_ru.normalizers._lexicon import confusables, is_word, table_of

_STAYS = re.compile(
    r"(?-i:^\W?(?:[A-ZА-ЯЁ]\d{1,3}|\d{1,2}[A-ZА-ЯЁ]|[а-яё](?:[124-9]|\d\d+))\W*$)|^\W?[a-z]{3,}['’`][а-яё]{1,4}\W*$|[а-яё]-\d+\W*$|^\W?[α-ω]-|[а-яё]\([а-яё]{1,4}\)\W*$|://|^www\.|^\W?\[[^\]]*['’]|^[#/~]\w|^\./|^[A-Za-z]:\\|^@[A-Za-z0-9_.]+\W*$|^&\w+;|^</?\w|^\{|^`|^--?\w|^[A-Za-z_]\w*\(\)\W*$|^[^=]*(?<![а-яё])=[\"\w][^=]*$|^%[\w.]+%$"
    r"|\w@[\w-]+\.[^\W\d]{2}|\w[/\\][\w.-]+[/\\][\w.-]{2,}.*\.\w|[\w-]\.(?:ru|com|net|org|info|me|io|be|ai|dev|edu|gov|su|by|kz|ua|"
    r"рф|бел|укр|de|fr|uk|us|eu|tv|cc|xyz|online|site|shop|club|biz|pro|py|js|txt|docx?|xlsx?|pdf|jpe?g|png|zip|exe|lua|log)(?:[/?:#]|\W*$)",
    re.IGNORECASE,
)
"""What links, addresses, mentions, hashtags, paths, markup, code and options look like."""
ORDINAL = re.compile(
    r"[1-9]\d*[-–]?(?:ый|ий|ой|й|ая|я|ое|е|ье|ья|го|ого|его|му|ому|м|ым|им|ом|х|ых|их|ми|ю|ую|ти|ка|ку|ки|[б-джзк-нп-тф-щ]|кг|км|см|мм|мл|гр|шт|"
    r"руб|сек|мин|час|лет|тыс|млн|млрд|раз|гб|мб|кб|тб|гц|ггц|мгц|квт|мвт|вт|кв|дней|дня|век|этаж)(?:/\w{1,4}|\d)?[.]?",
    re.IGNORECASE,
)
"""A number with the ending of an ordinal, or with a unit."""
_OPENING, _CLOSING = "«»\"'“”„‘’([<【『「〔—–-‒…,.;:!?¡¿", '«»"“”„‘’)]>】』」〕—–-‒…,.;:!?'
ENDS = ',.!?;:…»)"'
"""Signs that end a word or a sentence."""


def stays(piece: str) -> bool:
    """Tell whether a piece of a text stays as it is, because it is no word: a link, an address, a path, code, a number.

    Args:
        piece: a part of the text between white space.
    """
    digits = sum(char.isdigit() for char in piece)
    if digits:
        letters = sum(char.isalpha() for char in piece)
        if digits > letters + 1 or _LONG_NUMBER.search(piece) or ORDINAL.fullmatch(piece.strip('()«»",.;:!?')):
            return True
    call = _CALL.search(piece)
    return bool(_STAYS.search(piece) or (call and is_word(call[1].lower())))


_CALL = re.compile(r"([а-яё]{2,})\([^()]+(?:\)\W*)?$", re.IGNORECASE)
"""A word with arguments, or with another word in brackets: «сумма(а, б)», «друг(подруга)»."""


_LONG_NUMBER = re.compile(r"(?<![^\W\d_])\d{2,}(?![а-яё]{4})|\d{3}|(?<![^\W_])\d[оОoO]{2,}(?![^\W_])")
"""Numbers; the last may be written with the letter for zeros: «5ооо»."""


@lru_cache(maxsize=100_000)
def core(piece: str) -> tuple[int, int]:
    """Return where a word starts and stops among the quotation marks, brackets and signs around it.

    Args:
        piece: the word with these signs.
    """
    if piece.isalpha():
        return 0, len(piece)
    start = len(piece) - len(piece.lstrip(_OPENING))
    stop = max(start, len(piece.rstrip(_CLOSING)))
    if piece[stop : stop + 1] == ")" and piece.count("(", start, stop) > piece.count(")", start, stop):
        stop += 1
    if piece[start - 1 : start] == "'" == piece[stop - 1]:
        stop -= 1
    if markup := _MARKUP.search(piece[start:stop]):
        stop = start + markup.start("end")
    for sign in "*_~":
        while stop - start > len("**") and piece[start] == sign == piece[stop - 1]:
            start, stop = start + 1, stop - 1
    return start, stop


_MARKUP = re.compile(r"\w(\|\||~~|\*\*|__)\w+(?P<end>\1)$")
"""Signs of markup around the rest of a word: «кида~~лово~~»."""


@cache
def _latin() -> dict[str, str]:
    """Map characters to the Latin letter that they look like."""
    alike = {char: letter for letter, char in confusables() if letter.isascii()}
    return alike | {char: letter for letter, _, char in table_of("latin")}


@lru_cache(maxsize=20_000)
def _folded(char: str) -> str:
    """Return the letter that a full-width, mathematical, circled or squared character shows; others as they are.

    Joiners and selectors of emoji are left out: "".
    """
    if char in _latin() and unicodedata.category(char) != "Sm":
        return _latin()[char]
    if char in "\ufe0f\ufe0e\u20e3\u200d":
        return ""
    same = unicodedata.normalize("NFKC", char).strip("()")
    shows_letter = unicodedata.category(char) in {"Ll", "Lm", "Lo", "Lt", "Lu", "So", "Nd"}
    return same if shows_letter and len(same) == 1 and same.isalnum() else char


def fold(word: str) -> str:
    """Return a word with plain letters instead of full-width, mathematical, circled and squared ones."""
    return word if word.isascii() or RUSSIAN.issuperset(word) else "".join(map(_folded, word))


def cased(word: str, written: str, *, initial: bool, alike: bool = False) -> str:
    """Give a word the letter case of the one that it replaces.

    Args:
        word: the new word, in lower case.
        written: the replaced word.
        initial: whether the replaced word begins a sentence. If a sign stands for its first letter («$лон»), the new
            word then begins with a capital.
        alike: whether Latin letters stand for Russian ones that look like them; then a capital that looks like a small
            Russian letter («H» for «н») does not count as a capital.
    """
    small = (_CASELESS if RUSSIAN.isdisjoint(written) else _PARTS) if alike else frozenset()
    letters = [char for char in written if _has_case(char) and char not in small]
    capitals = [char.isupper() for char in letters]
    is_loud = len(written) > len(word) > 2 and is_shout(written)  # «OT3bIBbI»  # noqa: PLR2004
    if (len(letters) > 1 or is_loud) and all(capitals):
        return word.upper()
    first = written[:1]
    if not _has_case(first) or first in small:
        capital = initial and not any(capitals[1:])
    else:
        capital = first.isupper() and (initial or " " in word or swings("".join(letters)) == 0)
    return word[:1].upper() + word[1:] if capital else word


_PARTS = frozenset("bl")
_NO_PARTS = str.maketrans("", "", "bl")
_CASELESS = frozenset("BHTMRNJILK") | _PARTS
"""Latin capitals that look like a Russian letter as their small forms do not; small ones that are parts of capitals."""


def is_shout(written: str) -> bool:
    """Tell whether a word is in capitals; a small b or l counts as part of a capital, since «bI» may stand for «Ы»."""
    return written.translate(_NO_PARTS).isupper()


def _has_case(char: str) -> bool:
    return bool(char) and unicodedata.category(char) in {"Lu", "Ll"}


def swings(written: str) -> int:
    """Return how often a capital follows a small letter in a word: 2 in «каЗиНо»; other characters are skipped."""
    letters = [char for char in written if char.lower() != char.upper()]
    return sum(one.islower() and other.isupper() for one, other in pairwise(letters))
