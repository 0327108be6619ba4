"""Finds names of institutions: «министерства спорта России», «комитет по делам молодёжи», «казанская мэрия».

`institutions` and `organisations` are steps: they write labels into a list, one entry for each token.
"""

from functools import lru_cache

from augment_ru.constraints.functions.named_entities.view import Labels, View, head_kind, name_words
from augment_ru.language.morphology import CASES, Reading, has_lemma, has_reading, may_be_form, readings

_CASE_AFTER = {
    "по": "datv",
    "с": "ablt",
    "со": "ablt",
    "за": "ablt",
    "над": "ablt",
    "в": "loct",
    "на": "loct",
    "от": "gent",
}
_CHAIN = 9
"""The most tokens by which a name may be continued."""
_PLACE_ENDINGS = ("", "а", "ь", "я", "и", "ы", "о", "е", "ия", "ск", "ка", "ай", "й")
_PLACE_SUFFIXES = ("", "й", "ов", "ев", "ин", "ен", "ан", "н", "ей")


def institutions(view: View, labels: Labels) -> None:
    """Label institutions that are written without a capital: «казанской мэрии», «министерства спорта России».

    Args:
        view: the tokens of a text, with what their letter case tells about names.
        labels: for each token, the label of the name found there so far, or ""; new labels are written into it.
    """
    for at, word in enumerate(view.texts):
        if (labels[at] and labels[at] != "LOC") or not (noun := _authority(word)):
            continue
        if view.capitals[at] and at not in view.starts:
            continue
        stop = chain(view, labels, at + 1, within=True)
        complete = _is_complete(view, labels, range(at, stop), noun)
        start = _first_adjective(view, labels, at, complete=complete, seat=noun in name_words("seat"))
        if complete or start < at:
            stop = stop if complete else at + 1
            labels[start:stop] = ["ORG"] * (stop - start)


@lru_cache(maxsize=100_000)
def _authority(word: str) -> str:
    """Return the lemma of a noun for an institution in the singular; "" for any other word."""
    if not may_be_form(word, name_words("authority")):
        return ""
    lemmas = (reading.lemma for reading in readings(word) if "sing" in reading.grammemes)
    return next((lemma for lemma in lemmas if lemma in name_words("authority")), "")


def _is_complete(view: View, labels: Labels, places: range, noun: str) -> bool:
    """Tell whether the words after an institution make it a name: a place, another institution, a field of a ministry.

    Args:
        view: the text.
        labels: the labels so far.
        places: the numbers of the tokens from the institution's noun to the last word that belongs to it.
        noun: the lemma of the noun.
    """
    if len(places) == 1:
        return False
    if any(labels[at] in ("LOC", "ORG") for at in places[1:]):
        return True
    after = view.texts[places[1]]
    return noun in name_words("office") and (noun == "министерство" or after == "по")


def _first_adjective(view: View, labels: Labels, at: int, *, complete: bool, seat: bool) -> int:
    """Find where the adjectives of an institution start; return `at` if no adjective belongs to its name.

    Args:
        view: the text.
        labels: the labels so far.
        at: the number of the institution's noun.
        complete: whether the words after the noun make it a name; then adjectives of the kind `official` belong to it.
        seat: whether the noun is of the kind `seat`; then adjectives of a place belong to it.
    """
    start = at
    for before in range(at - 1, max(at - 4, -1), -1):
        word = view.texts[before]
        of_place = seat and is_of_place(word)
        official = complete and has_lemma(word, name_words("official"))
        if labels[before] == "PER" or not (of_place or official) or not agree(word, view.texts[at]):
            break
        start = before
    return start


@lru_cache(maxsize=100_000)
def is_of_place(word: str) -> bool:
    """Tell whether a word is an adjective derived from the name of a place.

    >>> is_of_place("казанской"), is_of_place("городской")
    (True, False)
    """
    return any(
        reading.pos == "ADJF"
        and (reading.lemma in name_words("of_place") or reading.lemma.endswith(("ский", "ской", "цкий")))
        and (reading.lemma in name_words("of_place") or _has_place(reading.lemma))
        for reading in readings(word.lower())
    )


@lru_cache(maxsize=100_000)
def _has_place(adjective: str) -> bool:
    """Tell whether there is a place from whose name the adjective can be derived: «казанский» → Казань."""
    stem = adjective[:-4] if not adjective.endswith("цкий") else adjective[:-4] + "ц"
    stems = {stem.removesuffix(suffix) for suffix in _PLACE_SUFFIXES if len(stem) - len(suffix) > 2}  # noqa: PLR2004
    stems |= {stem[:-1] + "к", stem[:-1] + "г"} if stem.endswith(("ц", "ж", "ч")) else set()
    stems.add(stem)
    return any(
        reading.known and "Geox" in reading.grammemes and reading.lemma == root + ending
        for root in stems
        for ending in _PLACE_ENDINGS
        for reading in readings(root + ending)[:2]
    )


def agree(adjective: str, noun: str) -> bool:
    """Tell whether an adjective and a noun can have the same case and number."""
    return any(
        one.grammemes & other.grammemes & CASES and one.grammemes & other.grammemes & {"sing", "plur"}
        for one in readings(adjective)
        for other in readings(noun)
        if other.pos == "NOUN" and one.pos in {"ADJF", "PRTF"}
    )


def organisations(view: View, labels: Labels) -> None:
    """Extend the labels of organisations to the end of their names.

    An example, with square brackets around what is added: «Министерство образования [и науки Российской Федерации]».

    Args:
        view: the tokens of a text, with what their letter case tells about names.
        labels: for each token, the label of the name found there so far, or ""; new labels are written into it.
    """
    for at, label in enumerate(labels):
        if label != "ORG" or (at + 1 < len(labels) and labels[at + 1] == "ORG"):
            continue
        start = at
        while start and labels[start - 1] == "ORG":
            start -= 1
        headed = any(head_kind(view.texts[place]) for place in range(start, at + 1))
        if headed and (view.capitals[start] or any(view.capitals[place] for place in range(start, at))):
            stop = chain(view, labels, at + 1, within=False)
            labels[at + 1 : stop] = ["ORG"] * (stop - at - 1)
        _branch(view, labels, at, headed=headed)


def _branch(view: View, labels: Labels, at: int, *, headed: bool) -> None:
    """Label the place of a branch of an authority: «управление МВД | по Самарской области»."""
    after = at + 2
    official = headed or (view.texts[at].isupper() and len(view.texts[at]) > 1)
    if after < len(labels) and official and view.texts[at + 1] == "по" and labels[after] == "LOC":
        while after < len(labels) and labels[after] == "LOC":
            labels[after] = "ORG"
            after += 1
        labels[at + 1] = "ORG"


def chain(view: View, labels: Labels, at: int, *, within: bool) -> int:
    """Find where the words that continue a name stop: «министерство [образования и науки РФ] сообщило».

    They are a run of nouns in the genitive, with «и», «по», or a preposition that some nouns govern, between them.

    Args:
        view: the tokens of a text, with what their letter case tells about names.
        labels: for each token, the label of the name found there so far, or "".
        at: the index of the first token that may belong to the run.
        within: whether the part of the name before the run has no capital. If so, persons do not belong to the run.

    Returns:
        The index of the token after the run.
    """
    stop = end = at
    case, noun = "gent", _noun(view.texts[at - 1])
    while stop < min(len(view.texts), at + _CHAIN):
        word = view.texts[stop]
        placed = _is_place(view, stop - 1) and (stop > at or not within)
        if placed and word != "по" and not view.capitals[stop] and not (labels[stop] and labels[stop] != "PER"):
            break
        if word in {"и", "по"} or f"{noun} {word}" in name_words("governs"):
            if not _goes_on(view, labels, stop, case := _CASE_AFTER.get(word, case)):
                break
            noun = ""
            stop += 1
            continue
        if labels[stop] == "PER" and within:
            break
        acronym = word.isupper() and len(word) > 1 and labels[stop] in ("LOC", "ORG")
        if not acronym and (not _stands_in(word, {case, "gent"}) or (within and _is_person(word))):
            break
        stop += 1
        if has_reading(word, "NOUN") or not word[0].islower():
            end, noun = stop, _noun(word)
    return end


def _goes_on(view: View, labels: Labels, at: int, case: str) -> bool:
    """Tell whether a name can go on after «и» or a preposition.

    Args:
        view: the text.
        labels: the labels so far.
        at: the number of «и» or the preposition.
        case: the case that the next word must have.
    """
    if at + 1 >= len(view.texts) or labels[at + 1] == "PER":
        return False
    word, following = view.texts[at], view.texts[at + 1]
    if view.capitals[at + 1] and (word in {"и", "по"}):
        return False
    if word == "по" and (following == "делу" or has_lemma(following, name_words("occasion"))):
        return False
    return _stands_in(following, {case} if word != "и" else {case, "gent"})


def _noun(word: str) -> str:
    """Return the lemma of the likeliest reading of a word as a noun; "" if it has no reading as a noun."""
    return next((reading.lemma for reading in readings(word) if reading.pos == "NOUN"), "")


def _is_place(view: View, at: int) -> bool:
    """Tell whether a token ends the name of a place.

    A common noun after it does not belong to the name of an organisation.
    """
    word = view.texts[at]
    if view.capitals[at]:
        return has_reading(word, "Geox") and has_reading(word, "gent")
    return head_kind(word) == "LOC" and at > 0 and view.capitals[at - 1] and has_reading(view.texts[at - 1], "ADJF")


def _is_person(word: str) -> bool:
    """Tell whether a word in lower case is one person who is not part of an institution: «суд жителя Москвы»."""
    if not word[0].islower() or has_lemma(word, {"президент", "человек", "ребёнок"}):
        return False
    return all("anim" in reading.grammemes and "sing" in reading.grammemes for reading in _likely(word))


def _likely(word: str) -> list[Reading]:
    """Return the readings of a word that are at least a quarter as likely as its likeliest reading."""
    found = readings(word)
    best = max(reading.score for reading in found)
    return [reading for reading in found if reading.score >= best / 4]


def _stands_in(word: str, cases: set[str]) -> bool:
    """Tell whether a word can be a noun or adjective in one of the cases; a reading as a genitive has to be likely."""
    found = readings(word) if cases - {"gent"} else _likely(word)
    best = max(reading.score for reading in found)
    return any(
        reading.grammemes & cases and reading.pos in {"NOUN", "ADJF", "PRTF"} and "Apro" not in reading.grammemes
        for reading in found
    ) and not any(reading.pos in {"VERB", "PREP", "CONJ"} and reading.score >= best / 2 for reading in found)
