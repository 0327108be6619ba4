"""Слово становится эмодзи: «кошка спит 2 часа» → «🐱 спит 2️⃣ часа»."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import ClassVar, TypeAlias

from augment_ru.draws import Rng, Streams
from augment_ru.edits import Change, Edit, Note
from augment_ru.engine.attack import Attack, check_guards
from augment_ru.engine.proposals import Proposals
from augment_ru.language.morphology import has_lemma, lemmas_of
from augment_ru.resources import dictionary, dictionary_path, exceptions, lemmas_in, listed_in, rows
from augment_ru.text.batch import Batch
from augment_ru.text.doc import Doc, Token
from augment_ru.text.phrases import in_phrase
from augment_ru.text.words import LETTERS

_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
_KEYCAP = "\ufe0f\u20e3"
_DIGITS = frozenset("0123456789")
_NUMBER = re.compile(r"[^\w\s]?\d[\d\s.,:/-]*(?:[^\w\s]|\s\S+)?", re.ASCII)
"""A number with a sign or a unit; not «16-летняя», «А4» or «2-й»."""


@dataclass(frozen=True, slots=True)
class Emojify(Attack):
    """Replace words by emoji of the same meaning, and digits by keycaps.

    The default probability, 0.4, is that of the benchmark TAPE (Table 1).

    Words are looked up by lemma and part of speech. A word is left unchanged in phrases that the dictionary lists as
    exceptions: «во время» has nothing to do with a clock.

    Args:
        probability: the share of the words with an emoji, and of the numbers, that are replaced; in [0, 1].
        guards: the constraints that protect what a sentence must not lose, such as its negations and numbers. This
            attack never changes their spans, whatever the task.
        emoji: the dictionary of emoji for Russian words.
        english: the dictionary of emoji for English words.

    Raises:
        AugmentError: there is no such dictionary or constraint, or a line of the dictionary is malformed.
    """

    group: ClassVar[str] = "tape"
    layers: ClassVar[frozenset[str]] = frozenset({"lemmas"})
    probability: float = 0.4
    emoji: str = "emoji"
    english: str = "emoji_en"
    guards: tuple[str, ...] = ("negation", "negated", "restrictors")

    def __post_init__(self) -> None:
        check_guards(self.name, self.guards)
        exceptions(self.emoji)  # so that an unknown or wrong dictionary is an error before the run starts
        _english(self.english)

    def wants(self, doc: Doc) -> bool:
        """Tell whether a text has a digit, no Cyrillic letter, or a word that may have a lemma with an emoji."""
        known = lemmas_in(dictionary, self.emoji)
        plain = _CYRILLIC.search(doc.text) and _DIGITS.isdisjoint(doc.text)
        return not plain or any(has_lemma(word, known) for word in doc.forms)

    def propose(self, doc: Doc, rng: Rng) -> list[Change]:
        """Propose an emoji for every word that the dictionary has, and keycaps for every number.

        A word is left unchanged in phrases that the dictionary lists as exceptions. If a word has several emoji, the
        first one is drawn most often. English words get emoji only in a text without Cyrillic letters, because in a
        Russian text they are mostly names.
        """
        return [_change(*found, rng) for found in _replaceable(doc, self.emoji, self.english)]

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose an emoji for each word that has one, and keycaps for each number.

        Emoji that mean a word of a right answer are left out, since they would give the answer away.
        """
        found = batch.once(_replaceable_of_all, self.emoji, self.english)
        pairs = zip(found, map(Rng, streams.keys.tolist()), strict=True)
        return Proposals.of_changes(batch, ([_change(*one, rng) for one in row] for row, rng in pairs))


Replaceable: TypeAlias = list[tuple[Token, tuple[str, ...]]]
"""The words of a text that have emoji, each with its emoji; and the numbers of the text, each with an empty tuple."""


def _replaceable_of_all(batch: Batch, emoji_name: str, english_name: str) -> list[Replaceable]:
    """Find the words and numbers of each text that can be replaced, without emoji that mean a word of an answer.

    «Какая из этих 🌍 … (B) Земля» would give the answer away.
    """
    found = [_replaceable(doc, emoji_name, english_name) for doc in batch.docs]
    for row, context in enumerate(batch.contexts):
        if context.answers:
            words = {
                lemma for text in context.answers for word in LETTERS.findall(text.lower()) for lemma in lemmas_of(word)
            }
            shown = {one for lemma in words for one in _by_lemma(emoji_name).get(lemma, ())}
            left = ((word, emoji, tuple(one for one in emoji if one not in shown)) for word, emoji in found[row])
            found[row] = [(word, new) for word, emoji, new in left if new or not emoji]
    return found


@cache
def _by_lemma(name: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for (lemma, _), emoji in dictionary(name).items():
        found[lemma.replace("ё", "е")] = (*found.get(lemma.replace("ё", "е"), ()), *emoji)
    return found


def _replaceable(doc: Doc, emoji_name: str, english_name: str) -> Replaceable:
    emoji, phrases = dictionary(emoji_name), exceptions(emoji_name)
    english = {} if _CYRILLIC.search(doc.text) else _english(english_name)
    replaceable, known = [], lemmas_in(dictionary, emoji_name)
    for at, word in enumerate(doc.words):
        key = (word.lemma, word.pos) if has_lemma(word.text, known) else ("", "")
        found = emoji.get(key) or _of_english(english, word.text.lower())
        short = doc.text[word.stop : word.stop + 1] == "." and word.text.lower() in listed_in("shortened_words")
        stays = short or in_phrase(doc.text, doc.words, at, phrases.get(key, ()))
        if (found or _NUMBER.fullmatch(word.text)) and not stays:
            replaceable.append((word, found))
    return replaceable


def _change(word: Token, emoji: tuple[str, ...], rng: Rng) -> Change:
    """Return the change that writes a word as one of its emoji, or a number in keycaps if `emoji` is empty."""
    if emoji:
        return rng.change(Edit(word.start, word.stop, rng.choice_best_first(emoji), Note(word.text)))
    return rng.change(*_keycaps(word.start, word.text))


@cache
def _english(name: str) -> dict[str, tuple[str, ...]]:
    return {word: tuple(found.split(" ")) for word, found in rows(dictionary_path(name), columns=2)}


def _of_english(emoji: Mapping[str, tuple[str, ...]], word: str) -> tuple[str, ...]:
    """Return the emoji of an English word, or of its singular («cats», «boxes», «parties»); () if it has none."""
    if not emoji:
        return ()
    forms = [word, word.removesuffix("s"), word.removesuffix("es")]
    forms += [f"{word[:-3]}y"] if word.endswith("ies") else []
    return next((emoji[form] for form in forms if form in emoji), ())


def _keycaps(start: int, number: str) -> Iterator[Edit]:
    """Yield one edit for each run of digits; the signs between them stay: «3,14» → «3️⃣,1️⃣4️⃣»."""
    for is_digit, run in groupby(enumerate(number, start), key=lambda pair: pair[1] in _DIGITS):
        if is_digit:
            places, digits = zip(*run, strict=True)
            keycaps = "".join(digit + _KEYCAP for digit in digits)
            yield Edit(places[0], places[-1] + 1, keycaps, Note("".join(digits)))
