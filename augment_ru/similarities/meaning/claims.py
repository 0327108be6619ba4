"""Finds what a text claims about the things that it names: whether, who, when and how many.

Small words and endings say this. Two texts about the same things may contradict each other by a «не», by «можно»
instead of «нужно», by a past instead of a future, or by «только» in another place. `claims_of` reads the claims off the
words of a text, `contradictions` compares those of two texts.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from augment_ru.constraints.functions.negation import denies, says_opposite
from augment_ru.language.morphology import Reading, has_form, readings
from augment_ru.records.groups import grouped
from augment_ru.resources import denials, dictionary_path, rows
from augment_ru.similarities.meaning.quantities import Quantities, amounts_of, exchanged, quantities, quantity_words
from augment_ru.similarities.meaning.words import Source

BINDING = frozenset({"не", "ни", "без", "безо", "нет"})
"""Negators that negate the word after them."""
_DENYING = frozenset({"не", "нет", "нельзя", "невозможно", "нету", "без", "безо"})
_KINDS = {
    **dict.fromkeys(("PREP", "CONJ", "PRCL", "INTJ"), ""), **dict.fromkeys(("VERB", "INFN"), "verb"),
    **dict.fromkeys(("PRTF", "GRND"), "hidden"), "NPRO": "pronoun",
}  # fmt: skip
_POSSESSIVE = {"мой": "1", "наш": "1p", "твой": "2", "ваш": "2", "свой": "own"}
_SAME_TIMES = ({"done", "past"}, {"done", "pres"})
_WOULD = frozenset({"бы", "б"})
_PRONOUNS = "мы меня мной мне ты тебя вы вам вас он его ему ей ее ею им их".split()  # noqa: SIM905
NEGATION = ("denial", "")
"""The key in `Claims.heads` that maps to the words that negators negate."""
_TURNED = {"can": "cannot", "cannot": "can", "must": "need not"}
"""The class that a word of ability or duty has after «не»: «не разрешается» says the same as «нельзя»."""


class Word(NamedTuple):
    """States what a word says without its context.

    Attributes:
        lemmas: its lemmas.
        classes: its classes in the dictionary `claims`. A class is a pair: what it is about (ability, time,
            condition…), and its name.
        denials: how many times it denies: 1 for «не» and «безопасен», 2 for «небезопасен».
        denied: the lemma that a word with «не-» denies: «вкусный» in «невкусный»; "" for any other word.
        time: `past`, `pres` (present), `futr` (future), `impr` (an order) or `done` (a short participle); "" for a word
            that is no predicate.
        person: whom it speaks of: 1, 2, 3m, 3f (I, you, he, she), 1p, 3p (we, they), 3 (any third person) or own
            («свой»); "" for nobody.
        slot: `subject` for a verb or a pronoun in the nominative, otherwise `other`.
        kind: `verb`, `name` (of a thing or a property), `pronoun`, or `hidden` (a participle, gerund or unknown word,
            which may stand for a predicate); "" for a function word or a number, which names nothing.
    """

    lemmas: frozenset[str]
    classes: tuple[tuple[str, str], ...]
    denials: int
    denied: str
    time: str
    person: str
    slot: str
    kind: str

    @property
    def tells(self) -> bool:
        """Whether it is a content word, such as a noun or a verb, or a pronoun; no function word, negator or number."""
        return self.kind != ""


_VOWELS = frozenset("аеиоуыэюя")
_NOBODY = Word(frozenset(), (), 0, "", "", "", "other", "")


@cache
def _classes() -> Mapping[str, tuple[tuple[str, str], ...]]:
    """Map each word of the dictionary to its dimensions and classes."""
    lines = rows(dictionary_path("claims"), columns=3)
    found = grouped((word, (dimension, name)) for dimension, name, words in lines for word in words.split(" "))
    return {word: tuple(classes) for word, classes in found.items()}


@lru_cache(maxsize=100_000)
def word_claims(form: str) -> Word:
    """Return what a word in lower case says without its context: how it denies, its time, person and classes."""
    if not has_form(form):
        kind = "" if amounts_of(form) else "hidden"
        denials = form.startswith("не") and has_form(form[2:])
        return Word(frozenset({form}), _classes().get(form, ()), int(denials), "", "", "", "other", kind)
    found = readings(form)
    lemmas = [one.lemma.replace("ё", "е") for one in found]
    first, classes = found[0], _classes()
    own = classes.get(form) or classes.get(lemmas[0]) or ()
    marks = first.grammemes
    time = "" if _VOWELS.isdisjoint(form) else _time(found)  # «см» is no verb
    person, slot = "", "other"
    if lemmas[0] in _POSSESSIVE:
        person = _POSSESSIVE[lemmas[0]]
    elif first.pos == "VERB" or (first.pos == "NPRO" and not own):
        slot = "subject" if first.pos == "VERB" or "nomn" in marks else "other"
        person = "2" if time == "impr" else next((name[0] for name in ("1per", "2per", "3per") if name in marks), "")
        if "plur" in marks:
            person += "p" if person == "1" or (person == "3" and first.pos == "NPRO") else ""
        elif person == "3" and first.pos == "NPRO":
            person += "m" if "masc" in marks else "f" if "femn" in marks else ""
    denied = readings(form[2:])[0].lemma.replace("ё", "е") if form.startswith("не") and says_opposite(form) else ""
    kind = _KINDS.get(first.pos, "name")
    kind = "pronoun" if "Apro" in marks else kind
    if amounts_of(form) or form in _DENYING:
        kind = ""
    return Word(frozenset(lemmas), own, _denials(form), denied, time, person, slot, kind)


def _time(found: Sequence[Reading]) -> str:
    """Return the time of a predicate; «нашли» is an order only by chance, «закрыт» is a participle and an adjective."""
    if any({"PRTS", "pssv"} <= one.grammemes for one in found):
        return "done"
    if found[0].pos != "VERB":
        return ""
    marks = found[0].grammemes
    if "impr" in marks and any("past" in one.grammemes for one in found):
        return "past"
    return next((name for name in ("impr", "past", "pres", "futr") if name in marks), "")


def _denials(form: str) -> int:
    """Return how many times a word denies; 0 for «никто», which only repeats a negation."""
    if form in _DENYING:
        return 1
    if form.startswith("ни") or not denies(form):
        return 0
    return 1 + (form.startswith("не") and denies(form[2:]))


@lru_cache(maxsize=100_000)
def decides(form: str) -> bool:
    """Tell whether a word in lower case, such as a negator, a pronoun or a number, decides what a sentence claims.

    If such a word is misspelt as another word, the sentence claims something else.
    """
    if len(form) == 1 and not form.isdigit():
        return form == "я"
    if form.isalpha() and form[:_BEGIN] not in _beginnings():  # most words are not analysed
        return False
    said = word_claims(form)
    return bool(said.denials or said.classes or (said.person and not said.time) or amounts_of(form))


_BEGIN = 2


@cache
def _beginnings() -> frozenset[str]:
    """Return the first letters of all words that may decide; no inflection changes them."""
    words = {*_classes(), *quantity_words(), *(word for word, what in denials().items() if what == "denies")}
    return frozenset(word[:_BEGIN] for word in (*words, *_POSSESSIVE, *_PRONOUNS, "не", "ни", "бе"))


class Claims(NamedTuple):
    """States what a text claims about the things that it names: whether something is so, who does it, when, how many.

    A class of words is a pair: what it is about (ability, time, condition…), and its name. A telling word is a content
    word or a pronoun (`Word.tells`).

    Attributes:
        forms: the words of the text.
        classes: how often the text has a word of each class.
        heads: the telling words to which the words of a class refer, by class. Only some words refer to the next
            telling word: negators, «только» and the like.
        clauses: the lemmas of the words in the clause after a link such as «если», by the class of the link.
        numbers: the numbers and lengths of time that the text states.
        denials: how many times the text denies.
        times: how many predicates of the text are in each time (past, present, future…).
        persons: the persons whom the text speaks of (`Word.person`): those in the role `subject`, and those in the role
            `other`.
    """

    forms: Sequence[str]
    classes: Counter[tuple[str, str]]
    heads: Mapping[tuple[str, str], list[Word]]
    clauses: Mapping[tuple[str, str], frozenset[str]]
    numbers: Quantities
    denials: int
    times: Counter[str]
    persons: Mapping[str, frozenset[str]]

    @property
    def lemmas(self) -> set[str]:
        """The lemmas of the telling words of the text."""
        return {lemma for word in map(word_claims, self.forms) if word.tells for lemma in word.lemmas}


def claims_of(source: Source) -> Claims:
    """Return what a text claims: what it denies, whom it speaks of, when, how many and so on; the result is cached."""
    return source.once(_claims, 0)


def _claims(source: Source, _: int) -> Claims:
    forms = source.forms
    words = list(map(word_claims, forms))
    numbers = quantities(source)
    said: Counter[tuple[str, str]] = Counter()
    heads: dict[tuple[str, str], list[Word]] = {}
    clauses: dict[tuple[str, str], frozenset[str]] = {}
    persons: dict[str, set[str]] = {"subject": set(), "other": set()}
    for at, (form, word) in enumerate(zip(forms, words, strict=True)):
        if form in BINDING:
            heads.setdefault(NEGATION, []).append(source.once(_head, at))
        elif word.denied:
            heads.setdefault(NEGATION, []).append(word._replace(lemmas=frozenset({word.denied})))
        for key in word.classes:
            if at and forms[at - 1] == "не" and key[1] in _TURNED:
                key = (key[0], _TURNED[key[1]])  # noqa: PLW2901
            said[key] += 1
            if key[0].endswith("**"):
                clauses[key] = clauses.get(key, frozenset()) | _clause(source, at)
            elif key[0].endswith("*"):
                heads.setdefault(key, []).append(source.once(_head, at))
        if word.person:
            persons[word.slot].add(word.person)
    return Claims(
        forms,
        said,
        heads,
        clauses,
        numbers,
        sum(word.denials for word in words) - numbers.negators,
        _times(forms, words),
        {slot: frozenset(found) for slot, found in persons.items()},
    )


def _head(source: Source, at: int) -> Word:
    """Return the next telling word after word `at` in its clause; `_NOBODY` if there is none."""
    clauses = source.clauses
    stop = bisect_right(clauses, clauses[at])
    words = map(word_claims, source.forms[at + 1 : stop])
    return next((word for word in words if word.tells), _NOBODY)


def _clause(source: Source, at: int) -> frozenset[str]:
    """Return the lemmas of the content words (not pronouns) after word `at`, up to the end of its clause.

    If there are none, return those of the first content word after the clause.
    """
    found: set[str] = set()
    for form, clause in zip(source.forms[at + 1 :], source.clauses[at + 1 :], strict=True):
        if clause != source.clauses[at] and found:
            break
        word = word_claims(form)
        if word.kind not in {"", "pronoun"}:
            found |= word.lemmas
    return frozenset(found)


_IF = ("link**", "if")


def contradictions(one: Claims, other: Claims) -> Iterator[tuple[str, float]]:
    """Compare what two texts claim; yield the name of each possible difference, and how often it occurs (0 for never).

    A difference is, for example, a changed negation, another number, another person or another time.
    """
    yield "negation_changed", float((one.denials - other.denials) % 2)
    gone, new = one.classes - other.classes, other.classes - one.classes
    lost, gained = {key[0] for key in gone}, {key[0] for key in new}
    yield "claim_exchanged", float(len(lost & gained))
    yield "lost_condition", float(_IF in gone)
    yield "numbers_exchanged", float(exchanged(one.numbers, other.numbers))
    for key in one.heads:
        yield "other_denied" if key == NEGATION else "other_focus", float(_moved(one, other, key))
    yield "other_clause", float(sum(_other_clause(one, other, key) for key in one.clauses))
    yield "other_person", float(sum(_other_person(one, other, slot) for slot in one.persons))
    yield "other_time", float(_other_time(one.times, other.times))


def _moved(one: Claims, other: Claims, key: tuple[str, str]) -> bool:
    """Tell whether a word that restricts or negates belongs to another word now, while the old one is there.

    A negator may move between a verb and a name: «это было не лучшее» and «это не было лучшее».
    """
    mine, theirs = one.heads[key], other.heads.get(key, ())
    if not theirs or len(mine) != len(theirs):
        return False
    my_lemmas, their_lemmas = (frozenset().union(*(head.lemmas for head in heads)) for heads in (mine, theirs))
    kinds = {word.kind for word in theirs if word.lemmas.isdisjoint(my_lemmas)}
    left = [head for head in mine if head.lemmas.isdisjoint(their_lemmas) and (key != NEGATION or head.kind in kinds)]
    there = other.lemmas if left else frozenset[str]()
    return any(not head.lemmas.isdisjoint(there) for head in left)


def _other_clause(one: Claims, other: Claims, key: tuple[str, str]) -> bool:
    """Tell whether a link such as «если» stands before the other clause now."""
    mine, theirs = one.clauses[key], other.clauses.get(key)
    if theirs is None or not mine or not theirs or mine & theirs:
        return False
    return not mine.isdisjoint(other.lemmas) and not theirs.isdisjoint(one.lemmas)


def _other_person(one: Claims, other: Claims, slot: str) -> bool:
    """Tell whether the text speaks of another person in this slot."""
    lost = one.persons[slot] - other.persons[slot]
    gained = other.persons[slot] - one.persons[slot]
    if gained == {"3"}:  # a verb of the third person may have any subject
        return bool(lost) and lost.isdisjoint(other.persons["other"]) and not other.persons[slot] & lost
    return bool((lost - {"3"}) and (gained - {"3"}))


def _times(forms: Sequence[str], words: Sequence[Word]) -> Counter[str]:
    """Count the times of the predicates; a past tense with «бы» counts as `would`, a text without a time as `pres`."""
    would = not _WOULD.isdisjoint(forms)
    found = Counter("would" if would and word.time == "past" else word.time for word in words if word.time)
    if found["futr"]:
        del found["done"]  # «будет построен»
    if found or any(word.kind == "hidden" for word in words):
        return found
    return Counter({"pres": 1})


def _other_time(one: Counter[str], other: Counter[str]) -> bool:
    """Tell whether events take place at another time, or are ordered instead of told.

    A short participle may be of the past and of the present: «построен».
    """
    lost, gained = one - other, other - one
    return any({mine, theirs} not in _SAME_TIMES for mine in lost for theirs in gained)
