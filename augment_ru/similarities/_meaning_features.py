"""What a text loses by its edits, as numbers. Each feature is named here and explained in `dictionaries/meaning.tsv`."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import sqrt

import numpy as np

from augment_ru.constraints.protector import Protector
from augment_ru.constraints.rule_file import constraint
from augment_ru.language.frequency import information
from augment_ru.language.legibility import nearest_count
from augment_ru.language.morphology import kind_of, lemmas_of
from augment_ru.language.slovnet import word_vector
from augment_ru.similarities._meaning_words import Fates, Source
from augment_ru.text.doc import Doc, Token

_NOMINAL = frozenset({"noun", "pronoun", "number"})
_PREDICATES = frozenset({"verb", "infinitive"})
_LOST_AS = {
    "noun": "noun", "pronoun": "pronoun", "number": "noun", "adjective": "adjective", "participle": "adjective",
    "verb": "verb", "infinitive": "verb", "gerund": "verb", "adverb": "adverb", "preposition": "preposition",
    "conjunction": "conjunction", "particle": "particle", "interjection": "particle", "": "noun",
}  # fmt: skip
_MARKS = ("negation", "numbers", "restrictors")
_BINDING = frozenset({"не", "ни", "без", "безо", "нет"})
_SHORT = 3
_LIGHT = 0.5
_ATTRIBUTES = frozenset({"adjective", "participle"})
_COMMON = 3000


@lru_cache(maxsize=100_000)
def marks_of(word: str) -> frozenset[str]:
    """Which of the constraints `negation`, `numbers` and `restrictors` protect a word that stands alone."""
    doc = Doc(word, (Token(0, len(word), word, frozenset({"tokens"})),), frozenset({"tokens"}))
    return frozenset(name for name in _MARKS if _protectors()[name]([{}], [{"text": doc}])[0]["text"])


@lru_cache(maxsize=1)
def _protectors() -> Mapping[str, Protector]:
    return {name: Protector((constraint(name),)) for name in _MARKS}


def features_of(fates: Fates) -> dict[str, float]:
    """The features of the fates of a text's words; those that are 0 are left out."""
    found: dict[str, float] = {}

    def add(name: str, value: float = 1.0) -> None:
        if value:
            found[name] = found.get(name, 0.0) + value

    for part in (_of_lost, _of_damaged, _of_moved, _of_replaced, _of_others):
        for name, value in part(fates):
            add(name, value)
    return found


def _share(fates: Fates, number: int) -> float:
    """The share of a word in the information of its text."""
    return fates.source.words[number].information / max(fates.source.total, 1.0)


def _of_lost(fates: Fates) -> Iterator[tuple[str, float]]:
    words, clauses = fates.source.words, fates.source.clauses
    gone = set(fates.lost)
    for number in fates.lost:
        word = words[number]
        told = max(word.information - _LIGHT, 0.0)
        yield "lost_share", _share(fates, number)
        yield "lost_words", 1.0
        yield f"lost_{_lost_as(fates.source, number)}", word.information
        for mark in marks_of(word.form):
            yield f"lost_{mark}", 1.0
        if word.kind.role in _PREDICATES:
            yield "lost_action", told
            if not any(words[other].kind.role in _PREDICATES for other in _clause(clauses, number) if other not in gone):
                yield "lost_predicate", told
        if all(other in gone for other in _clause(clauses, number)):
            yield "emptied_clause", 1.0
        if number and fates.source.text[word.start].isupper():
            yield "lost_name", 1.0
        before, after = number - 1, number + 1
        if before >= 0 and before not in gone and clauses[before] == clauses[number]:
            if words[before].kind.role == "preposition" and not (
                after < len(words)
                and after not in gone
                and clauses[after] == clauses[number]
                and words[after].kind.role in _NOMINAL | _ATTRIBUTES
            ):
                yield "orphan_preposition", 1.0
            if words[before].form in _BINDING:
                yield "lost_negated", 1.0
            if words[before].kind.role in _ATTRIBUTES and word.kind.role == "noun":
                yield "orphan_adjective", 1.0
        if word.kind.role == "preposition" and after < len(words) and after not in gone:
            yield "bare_noun", 1.0
    if fates.lost:
        yield "lost_any", 1.0
        yield "lost_of_few", len(fates.lost) / len(words)


def _lost_as(source: Source, number: int) -> str:
    """The kind of loss of a word: by its role, and for a noun by what it is in its sentence."""
    word = source.words[number]
    kind = _LOST_AS[word.kind.role]
    if kind != "noun" or word.kind.role == "number":
        return kind
    before = source.words[number - 1] if number and source.clauses[number - 1] == source.clauses[number] else None
    if before is not None and before.kind.role == "noun" and "gent" in word.kind.cases:
        return "genitive"
    phrase = number - 1
    while phrase >= 0 and source.clauses[phrase] == source.clauses[number] and (
        source.words[phrase].kind.role in _ATTRIBUTES
    ):
        phrase -= 1
    if phrase >= 0 and source.clauses[phrase] == source.clauses[number] and (
        source.words[phrase].kind.role == "preposition"
    ):
        return "oblique"
    if {"nomn", "accs"} & word.kind.cases:
        return "argument"
    return "noun"


def _clause(clauses: Sequence[int], number: int) -> Iterator[int]:
    first = number
    while first > 0 and clauses[first - 1] == clauses[number]:
        first -= 1
    while first < len(clauses) and clauses[first] == clauses[number]:
        yield first
        first += 1


def _of_damaged(fates: Fates) -> Iterator[tuple[str, float]]:
    words = fates.source.words
    worst = 0.0
    for number, form, apart in fates.damaged:
        word = words[number]
        part = apart / max(len(word.form), 1)
        share = _share(fates, number)
        illegible = min(max(part - 0.2, 0.0) / 0.4, 1.0)
        yield "damaged_share", share
        yield "damage", share * part
        yield "illegible_share", share * illegible
        yield "illegible", illegible
        if part >= 0.4 and len(word.form) > _SHORT:
            yield "illegible_words", 1.0
        if not word.kind.known:
            yield "damaged_unknown", share * part
        worst = max(worst, illegible * word.information)
        if len(word.form) <= _SHORT:
            yield "damaged_short", share
        if form != word.form and kind_of(form).known and len(form) > 1:
            if set(lemmas_of(form)) & set(lemmas_of(word.form)):
                yield "became_form", 1.0
            else:
                yield "became_word", share
        elif nearest_count(form, word.form) > _COMMON:
            yield "rivalled", share
        for mark in marks_of(word.form):
            yield f"damaged_{mark}", part
    yield "illegible_most", worst
    heavy = sum(1 for number, _, apart in fates.damaged if apart / len(words[number].form) > 0.25)
    if heavy:
        yield "illegible_of_all", heavy / len(words)


def _of_moved(fates: Fates) -> Iterator[tuple[str, float]]:
    if fates.order is None:
        return
    source, words, clauses = fates.source, fates.source.words, fates.source.clauses
    moved = set(fates.moved)
    place = {number: at for at, number in enumerate(fates.order)}
    for number in moved:
        word = words[number]
        yield "moved_share", _share(fates, number)
        yield "moved_of_all", 1 / len(words)
        if word.kind.role in ("preposition", "conjunction", "particle"):
            yield "moved_function", 1.0
        for mark in marks_of(word.form):
            yield f"moved_{mark}", 1.0
    # pairs of neighbours that belong together, and no longer stand together
    for left in range(len(words) - 1):
        right = left + 1
        if left not in place or right not in place or clauses[left] != clauses[right]:
            continue
        if place[right] == place[left] + 1:
            continue
        bond = _bond(source, left)
        if bond:
            apart = place[right] - place[left]
            yield f"parted_{bond}", 1.0
            if apart < 0:
                yield f"turned_{bond}", 1.0
    # words that come to stand between two that belong together
    order = fates.order
    for before, after in pairwise(order):
        if after == before + 1:
            continue
        if words[before].kind.role == "preposition" and words[after].kind.role not in _NOMINAL | {"adjective"}:
            yield "wrong_after_preposition", 1.0
        if words[before].kind.role == "preposition" and words[after].kind.role in _NOMINAL | {"adjective"}:
            yield "other_after_preposition", 1.0
        if words[before].form in _BINDING:
            yield "other_negated", 1.0
        if words[before].kind.role == "adjective" and words[after].kind.role == "noun" and (
            words[before].kind.cases & words[after].kind.cases
        ):
            yield "other_attribute", 1.0
        if clauses[before] != clauses[after] and (before in moved or after in moved):
            yield "clause_edge", 1.0
    # words that changed their clause
    new_clause = _new_clauses(fates)
    for number in moved:
        if new_clause.get(number, clauses[number]) != clauses[number]:
            yield "left_clause", 1.0
    exchanged = sorted(moved)
    for one in exchanged:
        for other in exchanged:
            if other <= one:
                continue
            a, b = words[one].kind, words[other].kind
            if (place[one] < place[other]) == (one < other):
                continue
            if a.role in _NOMINAL and b.role in _NOMINAL:
                yield "exchanged_nominals", 1.0
                if a.cases & b.cases:
                    yield "exchanged_same_case", 1.0
            elif a.role == b.role and a.role in ("adjective", "verb"):
                yield f"exchanged_{a.role}s", 1.0
    yield "moved_far", sum(abs(place[number] - sum(1 for other in place if other < number)) for number in moved) / len(
        words
    )


def _new_clauses(fates: Fates) -> dict[int, int]:
    """The clause of the place where each moved word stands now: that of a neighbour that did not move."""
    clauses, moved = fates.source.clauses, set(fates.moved)
    found: dict[int, int] = {}
    order = fates.order or []
    current: int | None = None
    for number in order:
        if number not in moved:
            current = clauses[number]
        elif current is not None:
            found[number] = current
    current = None
    for number in reversed(order):
        if number not in moved:
            current = clauses[number]
        elif current is not None and found.get(number) is not None and current == clauses[number]:
            found[number] = current
    return found


def _bond(source: Source, left: int) -> str:
    """How a word belongs to the one behind it: `preposition`, `negation`, `attribute`, `genitive`, or not: ""."""
    one, other = source.words[left], source.words[left + 1]
    if one.kind.role == "preposition":
        return "preposition"
    if one.form in _BINDING:
        return "negation"
    if one.kind.role in ("adjective", "participle") and other.kind.role == "noun" and one.kind.cases & other.kind.cases:
        return "attribute"
    if one.kind.role == "noun" and other.kind.role == "noun" and "gent" in other.kind.cases:
        return "genitive"
    if one.kind.role == "number" and other.kind.role in ("noun", "adjective"):
        return "number"
    if one.kind.role == "noun" and other.kind.role == "adjective" and "gent" in other.kind.cases:
        return "genitive"
    if one.kind.role in _PREDICATES and other.kind.role == "infinitive":
        return "infinitive"
    return ""


def _of_replaced(fates: Fates) -> Iterator[tuple[str, float]]:
    words = fates.source.words
    for numbers, new in fates.replaced:
        share = sum(_share(fates, number) for number in numbers)
        old = [words[number].form for number in numbers]
        nearness = _nearness(old, new)
        yield "replaced_share", share
        yield "replaced_far", share * (1 - nearness)
        yield "replaced", 1.0
        yield "replaced_most", (1 - nearness) * max(words[number].information for number in numbers)
    before: list[str] = [words[number].form for number in fates.lost]
    after: list[str] = [word for _, word in fates.inserted]
    for numbers, new in fates.replaced:
        before += [words[number].form for number in numbers]
        after += new
    if fates.replaced or (fates.lost and fates.inserted):
        for mark in _MARKS:
            old_marked = [word for word in before if mark in marks_of(word)]
            new_marked = [word for word in after if mark in marks_of(word)]
            if mark == "numbers":
                differ = set(old_marked) != set(new_marked)
            else:
                differ = len(old_marked) % 2 != len(new_marked) % 2 if mark == "negation" else len(old_marked) != len(new_marked)
            if differ:
                yield f"changed_{mark}", 1.0


def _nearness(old: Sequence[str], new: Sequence[str]) -> float:
    """The cosine of the mean vectors of two stretches of words, weighted by information, in [0, 1]."""
    means = [_mean(words) for words in (old, new)]
    if any(mean is None for mean in means):
        return 1.0 if set(old) & set(new) else 0.0
    one, other = means
    return min(max(float(one @ other), 0.0), 1.0)  # type: ignore[operator]


def _mean(words: Sequence[str]) -> np.ndarray | None:
    known = [vector * information(word) for word in words if (vector := word_vector(word)) is not None]
    if not known:
        return None
    mean = np.sum(known, axis=0)
    return mean / sqrt(float(mean @ mean))


def _of_others(fates: Fates) -> Iterator[tuple[str, float]]:
    words = fates.source.words
    for number in fates.signs:
        if words[number].form.isdigit():
            continue
        yield "signs", 1.0
        yield "signs_share", _share(fates, number)
    for number in fates.reshaped:
        yield "reshaped", 1.0
    end = len(words)
    inside = [word for at, word in fates.inserted if at < end]
    behind = [word for at, word in fates.inserted if at == end]
    if inside:
        yield "inserted", float(len(inside))
        for word in inside:
            for mark in marks_of(word):
                yield f"inserted_{mark}", 1.0
    if behind:
        yield "added", 1.0
        known = {lemma for word in words for lemma in lemmas_of(word.form)[:1] if word.information > 0.5}
        same = sum(information(word) for word in behind if set(lemmas_of(word)) & known)
        total = sum(information(word) for word in behind)
        yield "added_same", same / total
        if same and any("negation" in marks_of(word) for word in behind):
            yield "added_denial", 1.0
