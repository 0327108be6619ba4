"""Finds the words that hold a sentence together: nouns, predicates, conjunctions, prepositions, question words."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate

from augment_ru.constraints.rule_file import OfWords
from augment_ru.language.frequency import information
from augment_ru.language.morphology import CASES, QUESTION_WORDS, has_lemma, has_reading, readings
from augment_ru.resources import kinds_in, word_lists

_PREDICATES = frozenset({"VERB", "INFN", "ADJS", "PRTS", "PRED", "COMP", "GRND"})
_BEFORE_NOUN = frozenset({"ADJF", "PRTF", "NUMR", "ADVB", "PRCL"})
_COORDINATORS = frozenset({"и", "а", "но", "да", "зато", "однако"})
_LINKS = frozenset({"быть", "стать", "становиться", "казаться", "оказаться", "оказываться", "являться"})
_CASE_OF_PLACE = {"в": "loct", "во": "loct", "на": "loct", "о": "loct", "об": "loct", "к": "datv", "ко": "datv"}
_GO_ON = frozenset(",:;–—-")
"""Marks after which a sentence goes on."""
_ENDS = frozenset(".!?…")
_DENYING = frozenset({"не", "нет", "нельзя"})  # «он [долго] не отвечал» does not say that he did not answer
_EXISTING, _OWNING = frozenset({"есть"}), frozenset({"у"})
_POINTING, _STRESSING = frozenset({"тот", "это"}), frozenset({"сам"})
_ADDING = frozenset({"вообще", "еще", "ещё", "тут"})  # what is denied without them is denied still
_DEGREES = frozenset({"более", "весьма", "гораздо", "довольно", "намного", "очень", "слишком", "совсем", "столь"})
_DENIED_DEGREES = _DEGREES | {"так"}
_JOINERS = frozenset({"и", "или", "либо"})
_SPEAKERS = frozenset({"я", "ты", "мы", "вы"})
_SPOKEN_OF = frozenset({"он", "она", "оно", "они"})
_BACK_AND_FORTH = frozenset({"вперёд", "вперед", "назад", "обратно", "прочь"})
_OPENING_QUOTES = frozenset({"«", '"', "“", "„"})
_NORMS = frozenset(
    {"запрещено", "запрещается", "разрешено", "разрешается", "можно", "нужно", "следует", "обязан", "обязаны", "должны"}
)
_AMOUNTS = frozenset({"сколько", "столько", "каждый", "любой", "всякий", "некоторый"})
"""Words that say how many of their noun: «каждый [день]»."""
_SAYING_LITTLE = frozenset({"человеком", "людьми"})  # «умер [богатым] человеком»
_NAMING_NOTHING = frozenset({"качество", "свойство", "черта", "способ", "манера", "нрав", "поведение"})
"""Nouns that say little without their attribute: «[дурные] качества»."""
_OPENING = 3
"""How many tokens at the start of a clause are searched for such a word: «, но если»."""
_LIGHT = 0.6
"""Adverbs of less information hardly restrict what a clause says: «уже», «сегодня»."""
_REACH = 4
"""The most words from a preposition or an adjective to its noun."""


@OfWords
def framework(words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Find the words that hold a sentence together, and label them by the order in which an attack may delete words.

    Words without a label only modify others, and may be deleted first. The labels:

    - CORE may be deleted next: a noun, a link verb beside another predicate, or a word used as a noun.
    - LAST may be deleted after CORE: a predicate beside a finite verb, «если» and the like, «и» before a verb, or a
      preposition that the case of its noun makes clear («живёт [в] городе»).
    - KEPT must stay: a finite verb and the words that it demands, a question word, an adjective without which its noun
      means another thing («другой»), a modifier in a condition, what a clause without a predicate says, «я» or «ты»
      beside a past tense, «и» or «но» before any other word («жабы [и] ящерицы»), and any other preposition.
    - PHRASE is a preposition with its noun, or «и» with what it joins: «жабы [и ящерицы]».

    Args:
        words: the tokens of a text.

    Yields:
        The index of the first token of a span, the index of its last token, and its label.
    """
    capitals = [word[:1].isupper() for word in words]
    words = [*map(str.lower, words), "", ""]  # so that each word has neighbours
    kinds = list(map(_kind, words))
    for at, kind in enumerate(kinds):
        if kind == "NPRO" and has_reading(words[at], "ADJF") and kinds[at + 1] in ("NOUN", "ADJF"):
            kinds[at] = "ADJF"  # «её книга», «этого слона»
    clauses = _Clauses(words, kinds)
    for at, kind in enumerate(kinds[:-2]):
        in_name = capitals[at] and kind in ("ADJF", "PRTF") and not _is_mark(words[at - 1])  # «клуб [Новый] день»
        if label := "KEPT" if in_name else _label(words, kinds, clauses, at):
            yield at, at, label
        last = _noun(kinds, at) if kind == "PREP" else _joined(words, kinds, at)
        if last and not (kind == "PREP" and clauses.has(at, _DENYING)):  # «[до неё] ничего не было»
            yield at, last, "PHRASE"


@lru_cache(maxsize=100_000)
def _kind(word: str) -> str:
    """Return the part of speech of a word in lower case; "" if it is not Russian."""
    return readings(word)[0].pos


@lru_cache(maxsize=100_000)
def _is_kept(word: str) -> bool:
    return has_lemma(word, QUESTION_WORDS | word_lists("framework")["kept"])


def _label(words: Sequence[str], kinds: Sequence[str], clauses: "_Clauses", at: int) -> str:
    """Return the label of word number `at` (`framework`), which depends on its neighbours; "" if it has none."""
    kind, word, label = kinds[at], words[at], "CORE"
    last = "LAST" if clauses.has(at, _is_full_verb) else "KEPT"
    if kind == "VERB" or word == "есть":
        there = word == "есть" and clauses.has(at, _OWNING) and not clauses.has(at, _DENYING)
        there &= kinds[at - 1] != "ADVB"  # «у него [было] три сына» says when
        links = word != "есть" and _is_link(word) and clauses.has(at, _is_predicate)
        label = "CORE" if there or links else "KEPT"
    elif _is_mark(word) or has_lemma(word, _STRESSING):
        label = ""
    elif kind != "PREP" and _is_kept(word):
        said = words[at - 1] == "," and has_lemma(words[at - 2], word_lists("framework")["saying"])
        label = "" if word == "что" and said else "KEPT"  # «сказал, [что] придёт»
    elif _is_needed(words, kinds, clauses, at):
        label = "KEPT"
    elif kind in _PREDICATES:
        label = last
    elif kind == "CONJ":
        joins = word in _COORDINATORS and kinds[at + 1] != "VERB"
        also = word == "и" and kinds[at - 1] in ("ADVB", "PRCL") and kinds[at + 1] not in ("ADVB", "PRCL")
        label = "" if also or _opens_clause(words, clauses, at) else "KEPT" if joins else "LAST"
    elif kind == "PREP":
        label = "LAST" if _tells_place(words, kinds, at) else "KEPT"
    elif kind in ("ADVB", "PRCL", "INTJ"):
        short = has_reading(word, "ADJS") and kinds[at + 1] not in ("ADJF", "ADJS", "ADVB")  # «[ужасно] толстый»
        predicate = has_reading(word, "PRED") or (short and not clauses.has(at, _is_full_verb))
        label = last if predicate else ""
    elif (kind == "NPRO" and has_reading(word, "nomn")) or _is_attribute(words, kinds, at):
        label = ""
    return label


def _is_needed(words: Sequence[str], kinds: Sequence[str], clauses: "_Clauses", at: int) -> bool:
    """Tell whether a word must stay since a predicate demands it, or since it says what a clause is about.

    That is a modifier in a condition («если есть [социальная] карта»), a pronoun or an attribute in a clause without a
    predicate («муж хочет кошку, а [я] собаку»), and the subject of a past tense that does not show it («[я] смеялся»).
    """
    kind = kinds[at]
    if (words[at] in _SPEAKERS and clauses.has(at, _is_past)) or words[at] in _BACK_AND_FORTH:
        return True
    if words[at] in _SPOKEN_OF and at and words[at - 1] not in _ENDS:
        return True  # «он ждал Петра, и [он] пришёл»
    if _joined(words, kinds, at + 1) or (kind in ("NOUN", "NPRO") and _is_demanded(words, kinds, clauses, at)):
        return True  # «[жабы] и ящерицы»
    if kind in ("ADJF", "PRTF", "ADVB", "PRCL"):  # «очень [легко]», «если [новый]», «[долго] не отвечал»
        adverb = kind == "ADVB" and words[at] not in _ADDING and information(words[at]) > _LIGHT
        telling = kind in ("ADJF", "PRTF") or words[at] in _DENIED_DEGREES or adverb
        alone = kinds[at - 1] == "PREP" and (has_lemma(words[at], _POINTING) or not _noun(kinds, at - 1))
        needed = alone or words[at - 1] in _DEGREES or _says_little(words[at + 1])
        if needed or (telling and clauses.is_told_by_modifiers(at)):
            return True  # «в [тот] день», «что нам из [того]»
    if kind == "NPRO" and not clauses.has_any_predicate(at):  # «[он] для нас всё»
        return True
    return clauses.is_bare(at) and (kind in ("NOUN", "NPRO") or _is_attribute(words, kinds, at))


def _noun(kinds: Sequence[str], at: int) -> int | None:
    """Return the number of the noun or pronoun that a preposition or adjective precedes; None without one."""
    noun = at + 1
    while kinds[noun] in _BEFORE_NOUN and noun < at + _REACH:
        noun += 1
    return noun if kinds[noun] in ("NOUN", "NPRO") else None


def _joined(words: Sequence[str], kinds: Sequence[str], at: int) -> int | None:
    """Return the number of the last word that a conjunction such as «и» joins to the word before it; None without one.

    Both are nouns of one case, or both are attributes or adverbs.
    """
    before, last = at - 1, _noun(kinds, at)
    if words[at] in _JOINERS and kinds[before] in ("ADJF", "PRTF", "ADVB") and kinds[at + 1] == kinds[before]:
        return at + 1
    nouns = words[at] in _JOINERS and last and kinds[before] == kinds[last]
    return last if nouns and not _agreement(words[before]).isdisjoint(_agreement(words[last or 0])) else None


def _is_demanded(words: Sequence[str], kinds: Sequence[str], clauses: "_Clauses", at: int) -> bool:
    """Tell whether a word demands a noun or pronoun: «вижу [его]», «стал [врачом]», «сколько [углов]»."""
    before = at - 1
    while kinds[before] in _BEFORE_NOUN and not has_lemma(words[before], _AMOUNTS):
        before -= 1
    following, behind = kinds[at + 1], words[at + 1]
    if has_lemma(words[before], _AMOUNTS) or (behind == "," and has_lemma(words[at + 2], QUESTION_WORDS)):
        return True  # «[дом], который»
    if kinds[before] == "PREP":  # «на [плечо] друга», «[у них] был сын»
        owned = following in ("NOUN", "ADJF") and (has_reading(behind, "gent") or not readings(behind)[0].known)
        owned |= behind in _OPENING_QUOTES  # «про [книгу] «Муму»»
        has = clauses.has(at, _is_link) and (words[before] == "у" or not clauses.has(at, _is_predicate))
        return owned or following == "PREP" or has or clauses.has(at, _DENYING)
    if has_reading(words[at], "gent"):
        if kinds[before] == "NOUN":  # «смерти [отца]», «ряд [ошибок]», «глава [штаба] ВВС»
            chain = before == at - 1 and following == "NOUN" and has_reading(behind, "gent")
            leans = "leaning" in kinds_in("framework", words[before])
            demanded = chain or leans or "time" in kinds_in("framework", words[before - 1])
        else:  # «[выбора] у него не было», «двор полон [народу]»
            demanded = clauses.has(at, _DENYING) or "gent" in readings(words[at])[0].grammemes
        if demanded:
            return True
    if (kinds[at] == "NPRO" and has_reading(words[at], "accs")) or _is_attribute(words, kinds, at - 1):
        return True  # «доброму [другу]»
    return has_reading(words[at], "ablt") and clauses.has(at, _is_link)


class _Clauses:
    """The clauses of a text, which end at punctuation marks, with their predicates.

    Args:
        words: the words of the text in lower case.
        kinds: the part of speech of each word.
    """

    def __init__(self, words: Sequence[str], kinds: Sequence[str]) -> None:
        self._words, self._kinds = words, kinds
        self._known: dict[Callable[[str, str], bool] | frozenset[str], set[int]] = {}

    @cached_property
    def _number(self) -> list[int]:
        """The number of the clause of each word."""
        return list(accumulate(map(_is_mark, self._words)))

    @cached_property
    def _last(self) -> dict[int, int]:
        """The number of the last predicate of each clause that has one."""
        every = zip(self._number, self._kinds, strict=True)
        return {number: at for at, (number, kind) in enumerate(every) if kind in _PREDICATES}

    def _first(self, at: int) -> int:
        """Return the number of the first word of the clause of a word."""
        return bisect_left(self._number, self._number[at])

    def has(self, at: int, holds: Callable[[str, str], bool] | frozenset[str]) -> bool:
        """Tell whether something holds of a word, and its part of speech, in the clause of word `at`.

        A set of words stands for: it is one of them.
        """
        if holds not in self._known:  # once for all clauses: a text may be a single long one
            every = zip(self._number, self._words, self._kinds, strict=True)
            test = (lambda word, _kind: word in holds) if isinstance(holds, frozenset) else holds
            self._known[holds] = {number for number, word, kind in every if test(word, kind)}
        return self._number[at] in self._known[holds]

    def has_any_predicate(self, at: int) -> bool:
        """Tell whether the clause of a word has a predicate, which may be a link verb."""
        return self._number[at] in self._last

    def is_bare(self, at: int) -> bool:
        """Tell whether the clause of a word has no predicate and follows another clause of the sentence."""
        return not self.has_any_predicate(at) and self._words[self._first(at)] in _GO_ON

    def continues(self, at: int) -> bool:
        """Tell whether a predicate follows a word in its clause."""
        return self._last.get(self._number[at], -1) > at

    def is_told_by_modifiers(self, at: int) -> bool:
        """Tell whether modifiers say what the clause of a word tells: «если есть [новый]», «[долго] не отвечал».

        So it is in a condition, which says when or of whom the main clause is true, and in a clause that denies, that
        says that something exists, or of whom a rule holds: «у него есть [французские] корни».
        """
        start = self._first(at)
        opening = self._words[start : start + _OPENING]
        return (
            not word_lists("framework")["condition"].isdisjoint(opening)
            or self.has(at, _DENYING)
            or self.has(at, _EXISTING)
            or self.has(at, _NORMS)
        )


def _is_past(word: str, kind: str) -> bool:
    """Tell whether a word is a verb in the past tense, which does not say whether «я» or «ты»."""
    return kind == "VERB" and has_reading(word, "past")


def _is_full_verb(word: str, kind: str) -> bool:
    """Tell whether a word is a finite verb that is no link verb."""
    return kind == "VERB" and not _is_link(word)


def _is_predicate(word: str, kind: str) -> bool:
    """Tell whether a word is another predicate than a link verb: in «стало ясно» none is."""
    return kind in _PREDICATES and not _is_link(word)


@lru_cache(maxsize=100_000)
def _is_link(word: str, _kind: str = "VERB") -> bool:
    """Tell whether a word is a form of a link verb."""
    return has_lemma(word, _LINKS)


@lru_cache(maxsize=100_000)
def _says_little(word: str) -> bool:
    return word in _SAYING_LITTLE or has_lemma(word, _NAMING_NOTHING)


@lru_cache(maxsize=100_000)
def _is_mark(word: str) -> bool:
    return not any(map(str.isalnum, word))


def _opens_clause(words: Sequence[str], clauses: _Clauses, at: int) -> bool:
    """Tell whether a word is a conjunction such as «и» or «но» that opens a clause.

    It begins the text or follows a punctuation mark, and its clause has a predicate.
    """
    joins = words[at] in _COORDINATORS and words[at + 1] not in ("не", "и") and _is_mark(words[at - 1])
    return joins and (clauses.continues(at) or at == 0 or words[at - 1] in _ENDS)


def _tells_place(words: Sequence[str], kinds: Sequence[str], at: int) -> bool:
    """Tell whether a preposition may be left out, because the case of its noun gives the sense: «живёт [в] городе»."""
    case, noun = _CASE_OF_PLACE.get(words[at], ""), _noun(kinds, at)
    return noun is not None and kinds[noun] == "NOUN" and has_reading(words[noun], case)


def _is_attribute(words: Sequence[str], kinds: Sequence[str], at: int) -> bool:
    """Tell whether a word is an adjective before a noun that it agrees with."""
    noun = _noun(kinds, at) if kinds[at] in ("ADJF", "PRTF") else None
    return noun is not None and not _agreement(words[at]).isdisjoint(_agreement(words[noun]))


@lru_cache(maxsize=100_000)
def _agreement(word: str) -> frozenset[tuple[str, bool]]:
    """Return the combinations that a word may have of a case and of whether it is plural."""
    return frozenset((case, "plur" in one.grammemes) for one in readings(word) for case in CASES & one.grammemes)
