"""The words that normalizers read: forms of the dictionary, hidden words, and their frequency in the news.

A hidden word is a form of a word that people hide from filters («казино»), listed in `hidden_words.tsv`.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from math import inf, log
from operator import ne
from typing import Any

from augment_ru.attacks.colloquial import expanded
from augment_ru.language.frequency import word_counts
from augment_ru.language.morphology import has_reading, morphology
from augment_ru.language.sound import transcription
from augment_ru.resources import dictionary_path, rows
from augment_ru.text.words import RUSSIAN

LETTERS = "абвгдежзийклмнопрстуфхцчшщъыьэюяё"
_HIDDEN = 30_000
"""The least count of a hidden word: once in 40,000 words."""
_NEVER = 3
"""The least count of any other word, also of one that the news never have."""


@cache
def table_of(name: str) -> list[tuple[str, float, str]]:
    """Read from `readings.tsv` how a normalizer reads characters as letters.

    Each entry gives the letters, the cost of reading them (a cost of c makes a word exp(2c) times less likely), and the
    characters that stand for them.

    Args:
        name: the name of the normalizer, or another word in the first column of the file, such as `meme`.
    """
    table = rows(dictionary_path("readings"), columns=4)
    return [
        (letters, float(cost), item)
        for kind, letters, cost, written in table
        if kind == name
        for item in written.split(" ")
        if item
    ]


@cache
def confusables() -> list[tuple[str, str]]:
    """Read `confusables.tsv`: pairs of a letter, Russian or Latin, and a character that looks like it."""
    table = rows(dictionary_path("confusables"), columns=2)
    return [(letter, char) for letter, written in table for char in written.split(" ")]


@cache
def memes() -> dict[str, str]:
    """Map spellings that are a joke («превед») to what they mean; they are no evidence that a text hides words."""
    return {written: meant for meant, _, written in table_of("meme")}


@cache
def _hidden_lexemes() -> dict[str, frozenset[str]]:
    """Map the words that people hide from filters to their forms; the dictionary need not have them."""
    found: dict[str, frozenset[str]] = {}
    for _, lemma in rows(dictionary_path("hidden_words"), columns=2):
        parsed = [one for one in morphology().parse(lemma) if one.normal_form == lemma]
        known = [one for one in parsed if one.is_known]
        forms = {str(form.word) for one in known or parsed[:1] for form in one.lexeme}
        is_one = not known and (len(forms) == 1 or lemma not in forms)
        found[lemma] = frozenset({lemma, *(_declined(lemma) if is_one else forms)})
    return found


def _declined(noun: str) -> list[str]:
    """Return the forms of a noun that the dictionary lacks, by its last letter: «скама», «скамом» of «скам»."""
    if noun[-1] == "а":
        stem, ends = noun[:-1], " ы е у ой ам ами ах"
    elif noun[-1] in "бвгджзйклмнпрстфхчшщ" and not _VOWELS.isdisjoint(noun):
        stem, ends = (noun[:-1], "я ю ем е и ев ям ями ях") if noun[-1] == "й" else (noun, "а у ом е ы ов ам ами ах")
    else:
        return []
    return [stem + end for end in (ends.replace("ы", "и") if stem[-1] in "гкхжчшщ" else ends).split(" ")]


@cache
def hidden_forms() -> frozenset[str]:
    """Return the forms of the words that people hide from filters."""
    return frozenset().union(*_hidden_lexemes().values())


_VOWELS = frozenset("аеёиоуыэюя")
_CONSONANTS = str.maketrans("", "", "аеёиоуыэюяьй")
_SHAPE = str.maketrans(dict.fromkeys(_VOWELS, "а"))


@cache
def _by_letters() -> dict[str, dict[str, list[str]]]:
    """Map the consonants of hidden words, and their letters in order, to the words with forms, likeliest first."""
    found: dict[str, dict[str, list[str]]] = {}
    for lemma, forms in _hidden_lexemes().items():
        for form in sorted(forms, key=lambda one: (one != lemma, -count(one), one)):
            for key in (form.translate(_CONSONANTS), "".join(sorted(form))):
                found.setdefault(key, {}).setdefault(lemma, []).append(form)
    return found


@lru_cache(maxsize=100_000)
def of_letters(word: str) -> tuple[str, ...]:
    """Return the forms of a hidden word that may be written without vowels («крдт») or shuffled («кредти»).

    A hidden word is one that people hide from filters. The forms that fit are returned, the likeliest first. The result
    is empty if no hidden word fits, or several are about equally likely. Shuffled letters are recognised only if the
    first letter and at least half of all letters are in their places. In a short word the last letter must be in its
    place, too, and not only vowels may be exchanged («читак» is no «чатик»).

    Args:
        word: what is written.
    """
    small, last = word.lower(), word[-1] if len(word) <= _FEWEST + 1 else ""
    key, kept, words = small.translate(_CONSONANTS), sum(map(_VOWELS.__contains__, small)), _by_letters()
    is_bare, end = _VOWELS.isdisjoint(small[1:-1]), small[-1] if small[-1] in _VOWELS else ""
    found: list[tuple[float, list[str]]] = []
    mixed = small if word.isupper() or len(word) > _LONG else word  # «Антони» may be a name
    for forms in words.get("".join(sorted(mixed)), {}).values():
        begun = (one for one in forms if one[0] == mixed[0] and one.endswith(last.lower()))
        alike = (one for one in begun if not last or one.translate(_SHAPE) != mixed.translate(_SHAPE))
        found += [(weight(one), [one]) for one in alike if sum(map(ne, one, mixed)) * 2 <= len(word)][:1]
    least = _FEWEST - (kept > 0 and (is_bare or len(word) > _FEWEST))
    if len(word) >= _FEWEST and len(key) >= least and (is_bare or word == small):
        for lemma, forms in words.get(key, {}).items():
            fits = [one for one in forms if len(one) > len(word) and one.endswith(end) and _is_within(small, one)]
            if fits and (is_bare or min(map(len, fits)) - len(word) >= kept):  # «получл» is a slip
                found.append((weight(fits[0]) + (fits[0] == lemma), fits))
    found.sort(key=lambda one: -one[0])
    other = next((score for score, forms in found if forms[0] not in found[0][1]), -inf)
    return tuple(found[0][1]) if found and found[0][0] - other >= 1 else ()


@lru_cache(maxsize=100_000)
def of_common(word: str) -> tuple[str, ...]:
    """Return the frequent words that may be written without vowels («бтлк»: «бутылка») or with a letter moved («жнеа»).

    The likeliest word is first. The result is empty if no word fits.

    Args:
        word: what is written, in lower case.
    """
    if _VOWELS.isdisjoint(word):
        fits = [one for one in _bare().get(word.translate(_CONSONANTS), ()) if _is_within(word, one)]
    else:
        places = [(at, to) for at in range(len(word)) for to in (at + 1, at + 2) if to < len(word) > _FEWEST - 1]
        moved = (word[:at] + word[at + 1 : to + 1] + word[at] + word[to + 1 :] for at, to in places)
        back = (word[:at] + word[to] + word[at:to] + word[to + 1 :] for at, to in places)
        fits = [one for one in {*moved, *back} if one != word and one in common()]
    return tuple(sorted(fits, key=lambda one: (-weight(one), one)))


@cache
def _bare() -> dict[str, list[str]]:
    """Map consonants, three or more, to the frequent words that have them in this order, with vowels between them."""
    found: dict[str, list[str]] = {}
    for word in sorted(common() | hidden_forms()):
        if _VOWELS.isdisjoint(word[:1]) and len(key := word.translate(_CONSONANTS)) > _MARK and len(key) < len(word):
            found.setdefault(key, []).append(word)
    return found


def _is_within(word: str, form: str) -> bool:
    """Tell whether a word has only letters of another one, in their order."""
    letters = iter(form)
    return all(letter in letters for letter in word)


_FEWEST, _LONG = 4, 6
"""The fewest letters of a word with lost vowels, and the fewest consonants of one without any vowel; the most letters
of a word with a capital whose letters are not read as shuffled."""


@cache
def _new() -> frozenset[str]:
    """Return the hidden words that the dictionary lacks."""
    return frozenset(word for word in hidden_forms() if word not in _dawg())


@cache
def _hidden_plain() -> frozenset[str]:
    return frozenset(map(plain, hidden_forms()))


def is_hidden(word: str) -> bool:
    """Tell whether a word in lower case, with е or ё, is one that people hide from filters."""
    return word.replace("ё", "е") in _hidden_plain()


_SOUNDS = str.maketrans("оеиыэяюбвгджзщёчх", "аеееееупфктшсшашк", "ъьй")
_IOTATED, _TWICE = re.compile("й[аоу]"), re.compile(r"(.)\1+")
_JOINED = {"йа": "я", "йо": "ё", "йу": "ю"}
_LOST = (
    (re.compile("тс|тц"), "ц"), (re.compile("ц[ае]$"), "ц"),
    (re.compile("ст(?=[нл])"), "с"), (re.compile("[ае][фк][ае]$"), "ака"),
)  # fmt: skip
"""What is said alike: «ться» and «цца», «стн» and «сн», «ого» and «ава»; after `_SOUNDS`."""


@lru_cache(maxsize=20_000)
def sound(word: str) -> str:
    """Return a phonetic code for a word in lower case, so that words that sound roughly alike have the same code."""
    said = _TWICE.sub(r"\1", _IOTATED.sub(lambda found: _JOINED[found[0]], word).translate(_SOUNDS))
    for written, alike in _LOST:
        said = written.sub(alike, said)
    return said


@lru_cache(maxsize=200_000)
def spoken(word: str) -> str:
    """Return how a word is said: its `transcription`, but without «й» and the softness of consonants.

    The stress is taken to be unknown.
    """
    return transcription(word.replace("ё", "о")).replace("'", "").replace("й", "")


@cache
def alike_words(sounds: Callable[[str], str], *, hidden: bool) -> frozenset[str]:
    """Return the phonetic codes of all words that people hide from filters, or of all frequent words.

    Args:
        sounds: the function that makes a code: `sound` or `spoken`.
        hidden: True for the words that people hide; False for the frequent ones, which have three letters or more, and
            with `spoken` at most seven.
    """
    most = _SPOKEN if sounds is spoken else _LETTERS
    often = (word for word, found in word_counts().items() if found >= COMMON and _MARK < len(word) <= most)
    return frozenset(map(sounds, hidden_forms() if hidden else often))


def plain(word: str) -> str:
    """Return a word with е for ё."""
    return word.replace("ё", "е")


@cache
def _dawg() -> Any:  # noqa: ANN401  (pymorphy3 has no types)
    return morphology().dictionary.words


@cache
def _counts() -> dict[str, int]:
    found: dict[str, int] = {}
    for word, count in word_counts().items():
        found[plain(word)] = found.get(plain(word), 0) + count
    return found


@cache
def beginnings() -> tuple[Callable[[str], bool], frozenset[str]]:
    """Return two things that tell whether a known word begins with a string: a function and a set of strings.

    The function asks the dictionary. The set has all beginnings of words that people hide from filters and that the
    dictionary lacks.
    """
    further = frozenset(word[:stop] for word in _new() for stop in range(1, len(word) + 1))
    return _dawg().has_keys_with_prefix, further


BEGUN, LOW = 4, log(1500)
"""The most letters of a beginning in `heights`, and the weight that stands for a beginning that `heights` lacks."""


@cache
def heights() -> dict[str, float]:
    """Map beginnings of words, with е for ё, to the greatest `weight` (log frequency) of a word that begins so."""
    found: dict[str, float] = {}
    for word in (*(word for word, often in _counts().items() if often >= COMMON), *_hidden_plain()):
        height = weight(word)
        for stop in range(BEGUN + 1):
            begun = word[:stop]
            if height > found.get(begun, LOW):
                found[begun] = height
    return found


@cache
def common() -> frozenset[str]:
    """Return the frequent Russian words of three letters or more; none of them is taken for a part of another word."""
    known = ((word, found) for word, found in word_counts().items() if found >= COMMON and len(word) > 2)  # noqa: PLR2004
    return frozenset(word for word, found in known if RUSSIAN.fullmatch(word) and is_listed(word))


COMMON, _MARK, _SPOKEN, _LETTERS = 1500, 2, 7, 99
"""The least count of a frequent word, a rarer one may be a part of a divided word, as in «мо шенник»; a word or prefix
of at most two letters is left out."""


def is_form(word: str) -> bool:
    """Tell whether a word in lower case, with ё, is in the dictionary or is one that people hide from filters."""
    return word in _dawg() or word in _new()


@lru_cache(maxsize=200_000)
def is_listed(word: str) -> bool:
    """Tell whether a word in lower case is certainly spelt right.

    It is if the dictionary has it, if people hide it from filters («казино»), or if news use it at least 1,000 times.
    """
    return _is_known(word) or word in _new() or count(word) >= _FREQUENT


_FREQUENT = 1000


@lru_cache(maxsize=200_000)
def is_word(word: str) -> bool:
    """Tell whether a word in lower case, with е or ё, is Russian.

    It is if the dictionary has it, if people hide it from filters («казино»), or if it occurs in the news.
    """
    if not RUSSIAN.fullmatch(word):
        return False
    return plain(word) in _counts() or _is_known(word) or word in _new()


def _is_known(word: str) -> bool:
    """Tell whether the dictionary has a word, with е or ё."""
    forms = _dawg()
    return word in forms or ("е" in word and bool(forms.similar_keys(word, morphology().char_substitutes)))


def with_letter(before: str, after: str) -> list[str]:
    """Return the words that have one letter between two strings, sorted; `is_word` says what a word is.

    Args:
        before: the letters before it, in lower case.
        after: the letters after it, in lower case.
    """
    gap = f"{before}?{after}"
    found = {key[len(before)] for key in _dawg().similar_keys(gap, _any_letter())}
    found |= {"е"} if "ё" in found else set()  # «е» may stand for «ё»
    if "е" in found or "ё" in gap or _gaps()[hash(plain(gap)) & _GAPS]:
        words, new = _counts(), _new()
        found |= {one for one in LETTERS if plain(before + one + after) in words or before + one + after in new}
    return [before + letter + after for letter in sorted(found)]


_GAPS = (1 << 23) - 1
"""The hashes of strings with a gap are taken modulo one more than this."""


@cache
def _gaps() -> bytearray:
    """Return ones at the hashes of the words that the dictionary lacks, each with «?» for one of its letters."""
    found = bytearray(_GAPS + 1)
    for word in (*_counts(), *map(plain, _new())):
        if word not in _dawg() and RUSSIAN.fullmatch(word):
            for at in range(len(word)):
                found[hash(f"{word[:at]}?{word[at + 1 :]}") & _GAPS] = 1
    return found


@cache
def _any_letter() -> Any:  # noqa: ANN401  (pymorphy3 has no types)
    return _dawg().compile_replaces({"?": list(LETTERS), "е": "ё"})


@cache
def joinable() -> frozenset[str]:
    """Return the words, with е for ё, that may be restored by joining separated parts: «ка зино» to «казино».

    They are the words that people hide from filters, and all words that are not rare in the news.
    """
    return _hidden_plain().union(word for word, found in _counts().items() if found >= _SELDOM)


_SELDOM = 149


@cache
def written_out() -> dict[str, str]:
    """Map each spoken form that people write on purpose to the written one: «щас» to «сейчас»."""
    found: dict[str, str] = {}
    for written, said, kind, _ in rows(dictionary_path("colloquial"), columns=4):
        if kind in ("word", "old") and " " not in said and "^" not in written:
            for one, other in expanded("colloquial", written, said):
                found.setdefault(other, one)
    return found


def is_function(word: str) -> bool:
    """Tell whether a word may be a preposition, a conjunction, a particle, a pronoun or an interjection."""
    return has_reading(word, "PREP", "CONJ", "PRCL", "NPRO", "INTJ")


def has_prefix(word: str) -> bool:
    """Tell whether an unknown word is a common prefix with a known word after it: «супербонус», «полумарафон»."""
    from pymorphy3.lang.ru import KNOWN_PREFIXES  # noqa: PLC0415

    return any(word.startswith(one) and len(one) > _MARK and is_listed(word[len(one) :]) for one in KNOWN_PREFIXES)


def count(word: str) -> int:
    """Return how often a word in lower case, Russian or Latin, occurs in 1.2 billion words of news."""
    return _counts().get(word.replace("ё", "е"), 0)


_DIGITS = 6
"""Logarithms are rounded, since those of different processors differ in the last digit."""


@lru_cache(maxsize=200_000)
def weight(word: str) -> float:
    """Return the natural logarithm of how often a word occurs in news; fewer than 3 times count as 3.

    Words that people hide from filters get a higher value than this.
    """
    least, more = (_HIDDEN, 1) if is_hidden(word) else (_NEVER, 0)
    return round(log(max(count(word), least)) + more, _DIGITS)
