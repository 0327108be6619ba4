"""Steps of the search for names: each writes the label of the tokens that it finds into a list."""

import re
from collections.abc import Iterator
from functools import lru_cache

from augment_ru.data import name_heads
from augment_ru.functions._quotes import is_title, quoted
from augment_ru.functions._view import View
from augment_ru.functions._words import readings

Labels = list[str]
"""The label of each token, "" for none."""

_NOMINAL = frozenset({"NOUN", "ADJF", "ADJS", "PRTF", "NUMR", ""})
_CLOSED = frozenset({"NPRO", "PREP", "CONJ", "PRCL", "ADVB", "INTJ"})
_PRONOUNS = frozenset({"Apro", "NPRO", "Anum"})
_PARTICLES = frozenset(
    "де ван фон дер ден дель делла ла ле дю аль эль ибн бен бин оглы кызы заде von van de der den di du la le al".split()
)
_AFTER_A_NAME = frozenset("да ди дела дос лос тер дас do da dos".split())
_LEGAL_FORMS = frozenset("ООО ОАО ЗАО ПАО АО НАО ИП ТОО ЧП НКО АНО ФГУП МУП ГУП ФГБУ ГБУ НПО".split())
_PLACES = frozenset(
    "река город село деревня посёлок столица страна государство приток хутор станица аул кишлак местечко планета"
    " спутник звезда гора озеро остров полуостров область край республика район улица вершина".split()
)
_ROMAN = re.compile(r"[IVXLC]+(-[а-яё]+)?")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
_NAMED_AFTER = frozenset({"имени", "им"})
_CHAIN = 8


@lru_cache(maxsize=100_000)
def head_kind(word: str) -> str:
    """LOC or ORG if the word is a noun that names are made with, else "".

    >>> head_kind("министерством"), head_kind("кошка")
    ('ORG', '')
    """
    heads = name_heads()
    return next((heads[reading.lemma] for reading in readings(word) if reading.lemma in heads), "")


def model(view: View, labels: Labels) -> None:
    """What the annotator's model found, less a common noun that it took along at the start of a sentence."""
    tokens = view.doc.tokens
    dropped = False
    for at, token in enumerate(tokens):
        if not token.entity:
            continue
        inner = at + 1 < len(tokens) and tokens[at + 1].entity.startswith("I")
        if _is_closed(token.text) and (view.starts[at] or not inner):
            continue
        label = token.entity.partition("-")[2]
        first = token.entity.startswith("B") or not tokens[at - 1].entity or at == 0
        single = first and not inner
        if first:
            dropped = view.starts[at] and _is_common(token.text) and not _needs(view, at, label, single=single)
        if dropped and (first or not view.capitals[at]):
            continue
        dropped = False
        labels[at] = label
    for at, word in enumerate(view.texts):  # a mark at the edge is no part of a name
        if labels[at] and not any(map(str.isalnum, word)):
            inside = 0 < at < len(labels) - 1 and labels[at - 1] and labels[at + 1]
            if not inside or (word in "«»\"„“”!?…" or not tokens[at].entity.startswith("I")):
                labels[at] = ""


def _is_closed(word: str) -> bool:
    """Whether a word is a pronoun, preposition, … by every reading: «ИХ», «Это»."""
    return all(
        reading.known and (reading.pos in _CLOSED or "Apro" in reading.grammemes) for reading in readings(word)
    )


def _is_common(word: str) -> bool:
    return all(reading.known and not reading.name for reading in readings(word)) and not word.isupper()


def _needs(view: View, at: int, label: str, *, single: bool) -> bool:
    """Whether a common noun at the start of a sentence belongs to the name that the model saw."""
    word = view.texts[at]
    noun = any(reading.pos == "NOUN" for reading in readings(word))
    if single:
        place = any(reading.lemma in _PLACES for reading in readings(word))
        return not noun or (label == "LOC" and not place) or (label == "ORG" and not head_kind(word))
    if label == "PER" or at + 1 >= len(view.texts):
        return not noun
    if label == "LOC" and noun and not head_kind(word):
        return False
    return head_kind(word) != "" or not noun or not view.capitals[at + 1]


def capitals(view: View, labels: Labels) -> None:
    """Capitals inside a sentence, and such words at its start as are nothing but names."""
    for at, word in enumerate(view.texts):
        if labels[at] or not view.capitals[at]:
            continue
        if _LATIN.match(word):
            if len(word) > 1 and not _ROMAN.fullmatch(word):
                labels[at] = "ORG"
        elif word.isupper() and len(word) > 1:
            labels[at] = _abbreviation(word)
        elif len(word) > 1 and (_starts_with_name(view, at) if view.starts[at] else _is_name_inside(view, at, labels)):
            labels[at] = _kind(word)


def _abbreviation(word: str) -> str:
    """ORG or LOC for «МГУ», «США» and what no dictionary has; "" for «ДНК», «НЕ»."""
    known = [reading for reading in readings(word) if reading.known]
    if not known or word in _LEGAL_FORMS:
        return "" if known or word in _LEGAL_FORMS else "ORG"
    return next((reading.name for reading in known if reading.name), "")


def _only_name(word: str) -> bool:
    return all(reading.name and reading.known for reading in readings(word))


def _starts_with_name(view: View, at: int) -> bool:
    """«Маша, водя пальчиком»; «Белая — река»: names in spite of the sentence that starts there."""
    found = readings(view.texts[at])
    nouns = [reading for reading in found if reading.pos == "NOUN"]
    if any(reading.pos in _CLOSED for reading in found) or not nouns and not _is_defined(view, at):
        return False
    if nouns and all(reading.name or not reading.known for reading in nouns):
        return all(not reading.known or reading.pos not in {"ADJF", "ADJS", "PRTF", "PRTS"} for reading in found)
    return _is_defined(view, at)


def _is_defined(view: View, at: int) -> bool:
    """Whether a dash and «река», «город», … follow."""
    if at + 2 >= len(view.texts) or view.texts[at + 1] not in {"—", "–", "-"}:
        return False
    return any(
        reading.lemma in _PLACES and "nomn" in reading.grammemes
        for word in view.texts[at + 2 : at + 5]
        for reading in readings(word)
    )


def _is_name_inside(view: View, at: int, labels: Labels) -> bool:
    found = readings(view.texts[at])
    nominal = any(reading.pos in _NOMINAL and not reading.grammemes & _PRONOUNS for reading in found)
    return nominal and not _is_closed(view.texts[at]) and not _is_adjective_of(view, at, labels)


def _is_adjective_of(view: View, at: int, labels: Labels) -> bool:
    """«Британские» before «учёные»: an adjective that leans on a common noun is no name by itself."""
    if at + 1 >= len(view.texts) or view.capitals[at + 1] or labels[at + 1]:
        return False
    following = readings(view.texts[at + 1])
    own = readings(view.texts[at])
    if any(reading.name for reading in own) or not any(reading.pos in {"ADJF", "PRTF"} for reading in own):
        return False
    return any(reading.pos in {"NOUN", "ADJF"} for reading in following) and not head_kind(view.texts[at + 1])


def _kind(word: str) -> str:
    found = readings(word)
    named = next((reading.name for reading in found if reading.name), "")
    if named:
        return named
    return "PER" if any("anim" in reading.grammemes for reading in found) else "ORG"


def adjectival(view: View, labels: Labels) -> None:
    """«Карское море», «Массачусетский технологический институт»: capital, adjectives, and the noun they need."""
    for at in range(len(view.texts)):
        if not view.capitals[at] or not _has(view.texts[at], "ADJF"):
            continue
        if view.starts[at] and not labels[at] and _has(view.texts[at], "Qual", "Apro", "Anum"):
            continue
        stop = at + 1
        while stop < len(view.texts) and stop - at < 4 and _has(view.texts[stop], "ADJF") and not _kind_at(view, stop):
            stop += 1
        if stop < len(view.texts) and _kind_at(view, stop) and _agree(view.texts[at], view.texts[stop]):
            if view.starts[at] and not labels[at] and not labels[stop] and "plur" in _numbers(view.texts[stop]):
                continue
            kind = labels[at] if labels[at] in ("LOC", "ORG") else _kind_at(view, stop)
            labels[at : stop + 1] = [kind] * (stop + 1 - at)


def _kind_at(view: View, at: int) -> str:
    return head_kind(view.texts[at])


def _has(word: str, *marks: str) -> bool:
    wanted = set(marks)
    return any(reading.pos in wanted or reading.grammemes & wanted for reading in readings(word))


def _numbers(word: str) -> set[str]:
    """The number that all readings of a word share."""
    numbers = [reading.grammemes & {"sing", "plur"} for reading in readings(word) if reading.pos == "NOUN"]
    return set(frozenset.intersection(*numbers)) if numbers else set()


_CASES = frozenset({"nomn", "gent", "datv", "accs", "ablt", "loct"})


def _agree(adjective: str, noun: str) -> bool:
    """Whether an adjective and a noun can stand in one case and number."""
    return any(
        one.grammemes & other.grammemes & _CASES and one.grammemes & other.grammemes & {"sing", "plur"}
        for one in readings(adjective)
        for other in readings(noun)
        if other.pos == "NOUN" and one.pos in {"ADJF", "PRTF"}
    )


def genitives(view: View, labels: Labels) -> None:
    """«остров Врангеля», «улица Ленина»: a noun that the name in the genitive cannot do without."""
    for at in range(len(view.texts) - 1):
        following = view.texts[at + 1]
        if not labels[at] and labels[at + 1] and view.capitals[at + 1] and (kind := _kind_at(view, at)):
            names = [reading for reading in readings(following) if reading.name] or readings(following)
            cases = [reading.grammemes & _CASES for reading in names if not {"Surn", "femn"} <= reading.grammemes]
            if any("gent" in case for case in cases) and not any("nomn" in case for case in cases):
                place = _has(following, "Geox") or kind == "ORG"
                if place and not view.capitals[at] and not _has(following, "Surn", "Name"):
                    continue  # «газета Тулы», «мост Казани» are no names
                labels[at] = kind


def organisations(view: View, labels: Labels) -> None:
    """Organisations to their end: «Министерство образования | и науки Российской Федерации»."""
    for at in range(len(view.texts)):
        if labels[at] != "ORG" or (at + 1 < len(labels) and labels[at + 1] == "ORG"):
            continue
        start = at
        while start and labels[start - 1] == "ORG":
            start -= 1
        if any(_kind_at(view, place) for place in range(start, at + 1)) and view.capitals[start]:
            stop = _chain(view, at + 1)
            labels[at + 1 : stop] = ["ORG"] * (stop - at - 1)


def _chain(view: View, at: int) -> int:
    """Where a run of genitives, with «и» and «по» inside, stops."""
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
        if _has(word, "NOUN") or not word[0].islower():
            end = stop
    return end


def _stands_in(word: str, cases: set[str]) -> bool:
    """Whether the likeliest readings of a word are a noun's or adjective's in one of the cases."""
    found = readings(word)
    best = max(reading.score for reading in found)
    return any(
        reading.grammemes & cases and reading.pos in {"NOUN", "ADJF", "PRTF"} and "Apro" not in reading.grammemes
        for reading in found
        if reading.score >= best / 4
    ) and not any(reading.pos in {"VERB", "PREP", "CONJ"} and reading.score >= best / 2 for reading in found)


def titles(view: View, labels: Labels) -> None:
    """Names in quotes: «Сто лет одиночества», «Зенит»."""
    tokens = view.doc.tokens
    for found in quoted(view.doc.text):
        if not is_title(found):
            continue
        inside = [at for at, token in enumerate(tokens) if found.start <= token.start and token.stop <= found.stop]
        if not inside:
            continue
        before = next((word for word in reversed(view.texts[: inside[0]]) if word[0].isalpha()), "")
        known = {labels[at] for at in inside} - {""}
        label = known.pop() if len(known) == 1 and len(inside) == 1 else head_kind(before) or "WORK"
        for at in inside:
            labels[at] = label


def joined(view: View, labels: Labels) -> None:
    """What belongs to a name beside its capitals: «Екатерина | II», «граф | де | Рошфор», «МГУ | имени | …»."""
    texts = view.texts
    for at in range(len(texts) - 1, -1, -1):
        word, after = texts[at], labels[at + 1] if at + 1 < len(texts) else ""
        if after and view.capitals[at + 1] and after != "LOC":
            named = at > 0 and labels[at - 1] == "PER"
            if word.lower() in _PARTICLES or (named and word in _AFTER_A_NAME):
                labels[at] = "PER"
    for at in range(1, len(texts)):
        if not labels[at] and labels[at - 1] in ("PER", "ORG") and view.capitals[at - 1] and _ROMAN.fullmatch(texts[at]):
            labels[at] = "PER"
        if texts[at] in _NAMED_AFTER and labels[at - 1] == "ORG":
            stop = at + 1
            while stop < len(texts) and (labels[stop] or texts[stop] == "."):
                stop += 1
            labels[at:stop] = ["ORG"] * (stop - at)
        if texts[at] in {"-", "'", "’", "&", "/"} and at + 1 < len(texts) and labels[at - 1] and labels[at + 1]:
            labels[at] = labels[at - 1]


def initials(view: View, labels: Labels) -> None:
    """«А. П. Чехов», «Керн А. П.»: initials with their full stops."""
    for first, stop in _runs_of_initials(view.texts):
        several = stop - first > 2  # noqa: PLR2004  (a letter and its full stop)
        after = stop < len(labels) and view.capitals[stop] and len(view.texts[stop]) > 1
        before = first > 0 and view.capitals[first - 1] and len(view.texts[first - 1]) > 1
        if after and (several or labels[stop] == "PER" or _has(view.texts[stop], "Surn")):
            labels[first : stop + 1] = ["PER"] * (stop + 1 - first)
        elif before and (several or labels[first - 1] == "PER"):
            labels[first - 1 : stop] = ["PER"] * (stop + 1 - first)


def _runs_of_initials(texts: list[str]) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(texts) - 1:
        stop = at
        while stop < len(texts) - 1 and len(texts[stop]) == 1 and texts[stop].isupper() and texts[stop + 1] == ".":
            stop += 2
        if stop > at:
            yield at, stop
        at = max(stop, at + 1)


def lower_case(view: View, labels: Labels) -> None:
    """«еду в сочи»: where case says nothing, words that are nothing but names."""
    for at, word in enumerate(view.texts):
        caseless = view.shouts[at] or (view.informal and word.islower())
        if caseless and not labels[at] and len(word) > 2 and _only_name(word):  # noqa: PLR2004
            labels[at] = _kind(word)
