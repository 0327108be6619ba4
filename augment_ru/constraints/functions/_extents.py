"""How far names extend: to the noun after an adjective, to the end of an organisation's name, between quote marks.

Each function is a step that writes labels into a list, one entry a token.
"""

from bisect import bisect_left

from augment_ru.constraints.functions._names import ROMAN, Labels, head_kind
from augment_ru.constraints.functions._quotes import is_title, quoted
from augment_ru.constraints.functions._view import View
from augment_ru.constraints.functions._words import CASES, has_reading, readings

_PARTICLES = frozenset({
    "де", "ван", "фон", "дер", "ден", "дель", "делла", "ла", "ле", "дю", "аль", "эль", "ибн", "бен", "бин",
    "оглы", "кызы", "заде", "von", "van", "de", "der", "den", "di", "du", "la", "le", "al",
})  # fmt: skip
_AFTER_A_NAME = frozenset({"да", "ди", "дела", "дос", "лос", "тер", "дас", "do", "da", "dos"})
_NAMED_AFTER = frozenset({"имени", "им"})
_JOINTS = frozenset({"-", "'", "’", "&", "/"})
_CHAIN = 8
"""The most tokens of a run of genitives."""
_NEAR = 8
"""How many tokens before a title may name its kind: «газета», «роман»."""
_ADJECTIVES = 4
"""The most tokens from the first adjective of a name to its noun."""


def adjectival(view: View, labels: Labels) -> None:
    """An adjective with a capital, and all to its noun: «Карское море», «Массачусетский технологический институт»."""
    for at in view.capitalised:
        if not has_reading(view.texts[at], "ADJF"):
            continue
        if at in view.starts and not labels[at] and has_reading(view.texts[at], "Qual", "Apro", "Anum"):
            continue
        stop = at + 1
        while stop < min(len(view.texts), at + _ADJECTIVES) and _is_between(view.texts[stop]):
            stop += 1
        if stop < len(view.texts) and head_kind(view.texts[stop]) and _agree(view.texts[at], view.texts[stop]):
            if at in view.starts and not labels[at] and not labels[stop] and "plur" in _numbers(view.texts[stop]):
                continue
            kind = labels[at] if labels[at] in ("LOC", "ORG") else head_kind(view.texts[stop])
            labels[at : stop + 1] = [kind] * (stop + 1 - at)


def _is_between(word: str) -> bool:
    """Whether a word may stand between the adjective of a name and its noun."""
    return has_reading(word, "ADJF") and not head_kind(word)


def _numbers(word: str) -> set[str]:
    """The grammatical numbers that all readings of a noun share."""
    numbers = [reading.grammemes & {"sing", "plur"} for reading in readings(word) if reading.pos == "NOUN"]
    return set(frozenset.intersection(*numbers)) if numbers else set()


def _agree(adjective: str, noun: str) -> bool:
    """Whether an adjective and a noun can stand in one case and number."""
    return any(
        one.grammemes & other.grammemes & CASES and one.grammemes & other.grammemes & {"sing", "plur"}
        for one in readings(adjective)
        for other in readings(noun)
        if other.pos == "NOUN" and one.pos in {"ADJF", "PRTF"}
    )


def genitives(view: View, labels: Labels) -> None:
    """A noun before a name in the genitive that is part of the name: «остров Врангеля», «улица Ленина»."""
    for after in view.capitalised:
        at, following = after - 1, view.texts[after]
        if after and labels[after] and not labels[at] and (kind := head_kind(view.texts[at])):
            names = [reading for reading in readings(following) if reading.name] or readings(following)
            cases = [reading.grammemes & CASES for reading in names if not {"Surn", "femn"} <= reading.grammemes]
            if any("gent" in case for case in cases) and not any("nomn" in case for case in cases):
                place = has_reading(following, "Geox") or kind == "ORG"
                if place and not view.capitals[at] and not has_reading(following, "Surn", "Name"):
                    continue  # «газета Тулы», «мост Казани» are no names
                labels[at] = kind


def organisations(view: View, labels: Labels) -> None:
    """Names of organisations to their end: «Министерство образования | и науки Российской Федерации»."""
    for at, label in enumerate(labels):
        if label != "ORG" or (at + 1 < len(labels) and labels[at + 1] == "ORG"):
            continue
        start = at
        while start and labels[start - 1] == "ORG":
            start -= 1
        if any(head_kind(view.texts[place]) for place in range(start, at + 1)) and view.capitals[start]:
            stop = _chain(view, at + 1)
            labels[at + 1 : stop] = ["ORG"] * (stop - at - 1)


def _chain(view: View, at: int) -> int:
    """Where a run of genitives stops; «и» and «по» (with a dative) may stand in it."""
    stop = end = at
    case = "gent"
    while stop < min(len(view.texts), at + _CHAIN):
        word = view.texts[stop]
        if word in {"и", "по"} and stop + 1 < len(view.texts):
            case = "datv" if word == "по" else case
            if view.capitals[stop + 1] or not _stands_in(view.texts[stop + 1], {case, "gent"}):
                break
            stop += 1
            continue
        if not _stands_in(word, {case, "gent"}):
            break
        stop += 1
        if has_reading(word, "NOUN") or not word[0].islower():
            end = stop
    return end


def _stands_in(word: str, cases: set[str]) -> bool:
    """Whether the likeliest readings of a word are nouns or adjectives in one of the cases."""
    found = readings(word)
    best = max(reading.score for reading in found)
    return any(
        reading.grammemes & cases and reading.pos in {"NOUN", "ADJF", "PRTF"} and "Apro" not in reading.grammemes
        for reading in found
        if reading.score >= best / 4
    ) and not any(reading.pos in {"VERB", "PREP", "CONJ"} and reading.score >= best / 2 for reading in found)


def titles(view: View, labels: Labels) -> None:
    """Names in quote marks: «Сто лет одиночества», «Зенит»."""
    found_titles = [found for found in quoted(view.doc.text) if is_title(found)]
    starts = [token.start for token in view.doc.tokens] if found_titles else []
    for found in found_titles:
        inside = range(bisect_left(starts, found.start), bisect_left(starts, found.stop))
        if not inside:
            continue
        context = view.texts[max(inside[0] - _NEAR, 0) : inside[0]]
        before = next((word for word in reversed(context) if word[0].isalpha()), "")
        known = {labels[at] for at in inside} - {""}
        label = known.pop() if len(known) == 1 and len(inside) == 1 else head_kind(before) or "WORK"
        for at in inside:
            labels[at] = label


def joined(view: View, labels: Labels) -> None:
    """Tokens of a name that have no capital of their own: «Екатерина | II», «граф | де | Рошфор», «МГУ | имени | …»."""
    for at in reversed(view.capitalised):
        _particle(view, labels, at - 1)
    for at in [at for at, word in enumerate(view.texts) if word in _NAMED_AFTER and at and labels[at - 1] == "ORG"]:
        stop = at + 1
        while stop < len(labels) and (labels[stop] or view.texts[stop] == "."):
            stop += 1
        labels[at:stop] = ["ORG"] * (stop - at)
    for at in [at for at, label in enumerate(labels[:-1], start=1) if label and not labels[at]]:
        word = view.texts[at]
        if ROMAN.fullmatch(word) and view.capitals[at - 1] and labels[at - 1] in ("PER", "ORG"):
            labels[at] = "PER"
        elif word in _JOINTS and at + 1 < len(labels) and labels[at + 1]:
            labels[at] = labels[at - 1]


def _particle(view: View, labels: Labels, at: int) -> None:
    """Label a particle before the name of a person or organisation: «де», «ван», «фон»."""
    if at < 0 or not labels[at + 1] or labels[at + 1] == "LOC":
        return
    word = view.texts[at]
    if word.lower() in _PARTICLES or (word in _AFTER_A_NAME and at and labels[at - 1] == "PER"):
        labels[at] = "PER"
        _particle(view, labels, at - 1)
