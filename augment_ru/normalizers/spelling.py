"""Ошибки в словах, каких нет: «росписка», «бонуз», «превет» → «расписка», «бонус», «привет»."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from math import log

from augment_ru.attacks.misspell.letter_rules import LetterRule
from augment_ru.editing.characters import neighbouring_keys
from augment_ru.language.morphology import has_reading
from augment_ru.normalizers import _bits as by
from augment_ru.normalizers import _lexicon as lexicon
from augment_ru.normalizers._apart import goes_before
from augment_ru.normalizers._lattice import RUSSIAN, VOWELS, Lattice, Way, WordReading
from augment_ru.normalizers._reading import WordNormalization
from augment_ru.resources import dictionary_path, rows

_ON_PURPOSE = 1.5
"""The cost of writing a letter for one that sounds like it, where words are hidden: 3 nats, an error in 20 letters."""
_LEAST, _LEAST_WEIGHT = {3: 9.0, 4: 5.0, 5: 3.0, 6: 2.0}, {3: 10.0, 4: 8.0, 5: 5.5}
"""The least score of a reading, by the number of letters written, 0 for longer ones; and the least weight of a word
that is not hidden, 5 for longer ones."""
_LIKELIER, _MEME = 4.0, 9.0
"""How much higher the score must be if the word is a hidden one that does not sound the same: «вард» is not «фарт»; the
score of what a meme means."""
_LEAST_TYPED, _LONG_TYPED = {3: 5.0, 4: 4.0, 5: 3.0, 6: 1.0}, -1.5
"""The least score of a reading with `typing`, by the number of letters written; the second is for longer words."""
_NAMELIKE = 7.0
"""The least score of the reading of a word with a capital, with `typing`."""
_RATES = {"drop": 40 / 92360, "add": 9 / 97030, "key": 25 / 97030 / 4, "other": 36 / 97030 / 20, "swap": 1e-4}
"""How often people make an error that no rule explains, in each place where it can be made: counts of `misspell.tsv`,
divided by the number of letters that may be written there."""


@dataclass(frozen=True, slots=True)
class SpellingNormalization(WordNormalization):
    """Mend errors of spelling in words that do not exist as written, by a noisy-channel model.

    For each word that may be meant, its frequency is multiplied by the rate of the error. The word with the highest
    product is taken, unless another one comes near.

    Args:
        typing: whether slips of the finger are mended, too: a letter that is dropped, added, swapped or replaced.
    """

    typing: bool = False

    @property
    def is_eager(self) -> bool:
        """Whether unknown words are replaced in all texts, not only in those that hide words from a filter.

        They are if slips of the finger are mended, too (option `typing`).
        """
        return self.typing

    def unknown(self, word: str) -> Iterable[WordReading]:
        """Yield the words of which a word in Russian letters may be a misspelling."""
        small = word.lower()
        is_word = len(small) > 2 and RUSSIAN.issuperset(small) and not VOWELS.isdisjoint(small)  # noqa: PLR2004
        if not is_word or small in lexicon.written_out():
            return
        bit = self.bit
        if not self.typing and (meant := lexicon.memes().get(small)):
            yield WordReading(_MEME, meant, 0.0, bit)
            return
        found = [one for one in _sounds(bit).words(small, most=6.5 if self.typing else 4.5) if one.cost]
        is_name = word[0].isupper()
        if self.typing:
            errors = (*_slips(small), *_of_lexicon(small))
            slips = (WordReading(lexicon.weight(of) + log(rate), new, -log(rate) / 2, bit) for new, rate, of in errors)
            found += {one.word: one for one in sorted(slips)}.values()
            least = _NAMELIKE if is_name else _LEAST_TYPED.get(len(small), _LONG_TYPED)
            yield from (one for one in found if one.score >= least)
            return
        for one in found:
            hidden = lexicon.is_hidden(one.word)
            heard = _is_heard(small, one.word, hidden=hidden)
            frequent = lexicon.weight(one.word) >= _LEAST_WEIGHT.get(len(small), 5.0) and (heard or not is_name)
            least = _LEAST.get(len(small), 0.0) + _LIKELIER * (hidden and not heard)
            fits = one.score + one.cost * heard >= least and (hidden or frequent)
            if fits and not _names(one.word, hidden=hidden, capital=is_name):
                yield one._replace(score=one.score + one.cost, bits=bit | by.HEARD) if heard else one

    def is_near(self, word: str) -> bool:
        """Tell whether an unknown word sounds like a frequent word, or like one that people hide from filters.

        If slips of the finger are mended, too (option `typing`), the answer is always True.
        """
        small = word.lower()
        codes = (lexicon.sound, lexicon.spoken) if len(word) <= _FEW else (lexicon.sound,)  # «пада» is not «бада»
        kinds = (True, False) if word[0].islower() else (True,)
        return (
            self.typing
            or small in lexicon.memes()
            or any(all(each(small) in lexicon.alike_words(each, hidden=one) for each in codes) for one in kinds)
        )


def _is_heard(written: str, word: str, *, hidden: bool) -> bool:
    """Tell whether a word is written as it sounds on purpose, and not by a slip (one vowel, or one letter for two)."""
    if len(written) < _FEW or lexicon.spoken(written) != lexicon.spoken(word):
        return False
    once = [_TWICE.sub(r"\1", one) for one in (written, word)]
    changed = [pair for pair in zip(*once, strict=False) if len(set(pair)) > 1]
    if hidden or any(set(pair) - VOWELS or "ы" in pair for pair in changed):
        return True
    return len(changed) > 1 and len(written) >= _LONG


def _names(word: str, *, hidden: bool, capital: bool) -> bool:
    """Tell whether a reading is a name, or so short that a capitalised word may be a name that sounds alike."""
    is_noun = not has_reading(word, "VERB", "INFN")
    return (capital and is_noun and len(word) <= _NAMELONG) or (
        not hidden and has_reading(word, "Name", "Surn", "Geox")
    )


_FEW, _LONG, _NAMELONG = 5, 8, 6
"""The fewest letters of a word that is heard, and of one in which only vowels are written as they sound; the most
letters of a doubtful name."""
_TWICE = re.compile(r"(.)\1+")


@cache
def _listed() -> tuple[dict[str, tuple[str, float]], dict[str, list[tuple[str, float]]]]:
    """Read `misspellings.tsv`: map wrong forms to right ones and rates; wrong beginnings to right ones and rates."""
    whole: dict[str, tuple[str, float]] = {}
    begun: dict[str, list[tuple[str, float]]] = {}
    for right, wrong, _, share in rows(dictionary_path("misspellings"), columns=4):
        if right.endswith("*") and wrong.endswith("*"):
            begun.setdefault(wrong[:-1], []).append((right[:-1], float(share)))
        elif " " not in wrong:
            whole[wrong] = max((right, float(share)), whole.get(wrong, ("", 0.0)), key=lambda one: one[1])
    return whole, begun


def _of_lexicon(word: str) -> Iterator[tuple[str, float, str]]:
    """Yield what is meant by errors that are listed or made by a rule, the rate, and the word that tells how likely."""
    whole, begun = _listed()
    if word in whole:
        right, share = whole[word]
        yield right, share, min(right.split(), key=lexicon.weight)
    for stop in range(1, len(word) + 1):
        for beginning, rate in begun.get(word[:stop], ()):
            if lexicon.is_word(other := beginning + word[stop:]):
                yield other, rate, other
    if word.startswith("не") and has_reading(word[2:], "VERB") and lexicon.is_listed(word[2:]):
        yield f"не {word[2:]}", _NOT, word[2:]
    for preposition in _PREPOSITIONS:
        rest = word.removeprefix(preposition)
        is_word_apart = 3 < len(rest) < len(word) and lexicon.is_listed(rest) and lexicon.weight(rest) > _FREQUENT  # noqa: PLR2004
        if is_word_apart and goes_before(preposition, rest):
            yield f"{preposition} {rest}", _JOINED, rest
    for end in _PARTICLES:
        if word.endswith(end) and lexicon.is_listed(f"{word[: -len(end)]}-{end}"):
            yield f"{word[: -len(end)]}-{end}", _NOT, word[: -len(end)]


_NOT = 0.1
"""How often people join «не» with a verb, or leave the hyphen of a particle out; `spacing.tsv` has 43 and 61 errors."""
_PREPOSITIONS, _JOINED, _FREQUENT = ("в", "на", "с", "к", "из", "от", "у", "для", "до"), 31 / 1960, 6.5
_PARTICLES = ("то", "нибудь", "либо", "таки", "ка")


@cache
def _sounds(bit: int) -> Lattice:
    """Return the lattice that reads words written as they sound, or with an error by a rule of `misspell.tsv`."""
    found: dict[str, dict[str, float]] = {}
    alike = [(written, letters, cost) for letters, cost, written in lexicon.table_of("sound")]
    single = [(letter, letter * 2, _ON_PURPOSE) for letter in _DOUBLED]
    double = [(letter * 2, letter, _ON_PURPOSE) for letter in _DOUBLED]
    double += [(written * 2, letter, cost) for written, letter, cost in alike if written in _DOUBLED]
    for written, letters, cost in (*alike, *single, *double, *_ruled()):
        known = found.setdefault(written, {})
        known[letters] = min(cost, known.get(letters, cost))
    return Lattice({key: tuple(Way(to, cost, bit) for to, cost in ways.items()) for key, ways in found.items()})


_DOUBLED = "бвгджзклмнпрстфч"
"""The consonants that people wrongly double, or write once instead of twice."""


def _ruled() -> Iterator[tuple[str, str, float]]:
    """Yield the rules of `misspell.tsv` that replace letters: what is written, what is right, the cost."""
    for _, text, errors, places, _ in rows(dictionary_path("misspell"), columns=5):
        rule = LetterRule(text)
        if all(letters.islower() and RUSSIAN.issuperset(letters) for letters in (rule.old, rule.new)):
            yield rule.new, rule.old, round(-log(float(errors) / float(places)) / 2, 6)


def _slips(word: str) -> Iterator[tuple[str, float, str]]:
    """Yield the words from which one slip of the finger leads to `word`, each with the rate of the slip, and again."""
    near_keys = neighbouring_keys("keyboard_ru")
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        kinds: list[tuple[str, str]] = [(new, "drop") for new in lexicon.with_letter(before, after)]
        if after:
            kinds.append((before + after[1:], "add"))
            near = {key for key, _ in near_keys.get(after[0], ())}
            kinds += [(new, "key" if new[at] in near else "other") for new in lexicon.with_letter(before, after[1:])]
        if len(after) > 1:
            kinds.append((before + after[1] + after[0] + after[2:], "swap"))
        yield from ((new, _RATES[kind], new) for new, kind in kinds if new != word and lexicon.is_word(new))
