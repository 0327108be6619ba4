"""Extends names: to the noun after an adjective or before a genitive, to particles and numerals, to whole titles.

Each public function is a step: it writes labels into a list, one entry for each token.
"""

from bisect import bisect_left
from collections.abc import Sequence

from augment_ru.constraints.functions.named_entities.institutions import agree, is_of_place
from augment_ru.constraints.functions.named_entities.names import ROMAN
from augment_ru.constraints.functions.named_entities.view import Labels, View, head_kind, name_words
from augment_ru.constraints.quotations import is_title, quoted
from augment_ru.language.morphology import CASES, has_reading, is_known, readings

_NAMED_AFTER = frozenset({"имени", "им"})
_JOINTS = frozenset({"-", "'", "’", "&", "/"})
_OPENING = frozenset('«„“"')
_CLOSING = frozenset('»”“"')
_NEAR = 8
"""How many tokens before a title are searched for the word that names its kind: «газета», «роман»."""
_ADJECTIVES = 4
"""The most tokens from the first adjective of a name to its noun."""


def adjectival(view: View, labels: Labels) -> None:
    """Label a capitalised adjective, its noun and all words between them as one name.

    Examples: «Карское море», «Массачусетский технологический институт».

    Args:
        view: the tokens of a text, with what their letter case tells about names.
        labels: for each token, the label of the name found there so far, or ""; new labels are written into it.
    """
    for at in view.capitalised:
        if is_known(view.texts[at]) and not has_reading(view.texts[at], "ADJF"):
            continue
        stop, limit = at + 1, min(len(view.texts), at + _ADJECTIVES)
        while stop < limit and has_reading(view.texts[stop], "ADJF") and not head_kind(view.texts[stop]):
            stop += 1
        # A word that the dictionary lacks is asked last, since it takes longest to analyse.
        if stop == len(view.texts) or not head_kind(view.texts[stop]) or not has_reading(view.texts[at], "ADJF"):
            continue
        if at in view.starts and not labels[at] and has_reading(view.texts[at], "Qual", "Apro", "Anum"):
            continue
        if agree(view.texts[at], view.texts[stop]):
            unmarked = at in view.starts and not (labels[at] or labels[stop])
            if unmarked and not _is_distinctive(view.texts[at : stop + 1]):
                continue
            kind = labels[at] if labels[at] in ("LOC", "ORG") else head_kind(view.texts[stop])
            labels[at : stop + 1] = [kind] * (stop + 1 - at)


def _is_distinctive(words: Sequence[str]) -> bool:
    """Tell whether an adjective and a noun at the start of a sentence are a name.

    «Верховный суд» is one, «Городской суд» is not.
    """
    adjective, noun = words[0], words[-1]
    if "plur" in _numbers(noun):
        return False
    if head_kind(noun) == "LOC":
        return True
    lemmas = {reading.lemma for reading in readings(noun)}
    if is_of_place(adjective):
        return not lemmas & name_words("of_many")
    return any(
        reading.lemma in name_words("distinctive") or "Surn" in reading.grammemes or not reading.known
        for reading in readings(adjective)
    )


def _numbers(word: str) -> set[str]:
    """Return the grammatical numbers that all readings of a noun share."""
    numbers = [reading.grammemes & {"sing", "plur"} for reading in readings(word) if reading.pos == "NOUN"]
    return set(frozenset.intersection(*numbers)) if numbers else set()


def _is_genitive(word: str) -> bool:
    """Tell whether a name is in the genitive, not in the nominative; «Радости» after «пристань» is not a plural."""
    found = [reading for reading in readings(word) if not {"Surn", "femn"} <= reading.grammemes]
    if any(reading.known and not reading.name and reading.grammemes >= {"NOUN", "gent", "sing"} for reading in found):
        found = [reading for reading in found if not reading.name and "plur" not in reading.grammemes]
    else:
        found = [reading for reading in found if reading.name] or found
    cases = [reading.grammemes & CASES for reading in found]
    return any("gent" in case for case in cases) and not any("nomn" in case for case in cases)


def genitives(view: View, labels: Labels) -> None:
    """Label a noun before a name in the genitive if it is part of the name: «остров Врангеля», «улица Ленина».

    Args:
        view: the tokens of a text, with what their letter case tells about names.
        labels: for each token, the label of the name found there so far, or ""; new labels are written into it.
    """
    for after in view.capitalised:
        at, following = after - 1, view.texts[after]
        if not after or not labels[after] or labels[at] or not (kind := head_kind(view.texts[at])):
            continue
        place = has_reading(following, "Geox") or kind == "ORG"
        if place and not view.capitals[at] and not has_reading(following, "Surn", "Name"):
            continue  # «газета Тулы», «мост Казани» are no names
        if _is_genitive(following):
            labels[at] = kind


def titles(view: View, labels: Labels) -> None:
    """Label names in quote marks, such as «Сто лет одиночества» or «Зенит», but not quoted speech or common words.

    Args:
        view: the tokens of a text, with what their letter case tells about names.
        labels: for each token, the label of the name found there so far, or ""; new labels are written into it.
    """
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
    """Add to the names tokens that are no names by themselves: particles, numerals, signs, «имени».

    Examples, with square brackets around what is added: «Екатерина [II]», «[де] Рошфор», «Procter [&] Gamble», «[завод
    имени] Ленина», «[Змей] Горыныч».

    Args:
        view: the tokens of a text, with what their letter case tells about names.
        labels: for each token, the label of the name found there so far, or ""; new labels are written into it.
    """
    for at in reversed(view.capitalised):
        _particle(view, labels, at - 1)
    for at in [at for at, word in enumerate(view.texts) if word in _NAMED_AFTER and at]:
        start = at if labels[at - 1] else at - 1
        if labels[at - 1] not in ("", "ORG") or (start < at and not head_kind(view.texts[at - 1])):
            continue
        stop = at + 1
        while stop < len(labels) and (labels[stop] or view.texts[stop] == "."):
            stop += 1
        if view.texts[stop - 1] == "." and len(view.texts[stop - 2]) > 2:  # noqa: PLR2004  (not «им.», not an initial)
            stop -= 1
        if any(labels[at + 1 : stop]) or start == at:
            labels[start:stop] = ["ORG"] * (stop - start)
    for at in [at for at, label in enumerate(labels[:-1], start=1) if label and not labels[at]]:
        word = view.texts[at]
        if ROMAN.fullmatch(word) and view.capitals[at - 1] and labels[at - 1] in ("PER", "ORG"):
            labels[at] = "PER"
        elif (word in _JOINTS and at + 1 < len(labels) and labels[at + 1]) or (
            word == "." and view.texts[at - 1].lower() in name_words("company_mark")  # «Co.»
        ):
            labels[at] = labels[at - 1]
    _quoted_parts(view, labels)
    _epithets(view, labels)


def _quoted_parts(view: View, labels: Labels) -> None:
    """Label the quote marks inside the name of an organisation: «НК «Звезда»»."""
    for at in range(1, len(labels) - 1):
        if view.texts[at] not in _OPENING or labels[at - 1] != "ORG" or not labels[at + 1]:
            continue
        if not view.texts[at - 1].isupper() or view.doc.tokens[at - 1].stop == view.doc.tokens[at].start:
            continue
        stop = at + 1
        while stop < len(labels) and labels[stop]:
            stop += 1
        if stop < len(labels) and view.texts[stop] in _CLOSING:
            labels[at : stop + 1] = ["ORG"] * (stop + 1 - at)


def _epithets(view: View, labels: Labels) -> None:
    """Label a noun for a creature before an epithet that the dictionary does not know as a name: «Змей | Горыныч»."""
    for at in view.capitalised:
        if at + 1 >= len(labels) or labels[at] or not view.capitals[at + 1] or labels[at + 1] != "PER":
            continue
        creature = [reading for reading in readings(view.texts[at]) if reading.lemma in name_words("creature")]
        epithet = readings(view.texts[at + 1])
        if any(reading.known and reading.name for reading in epithet):
            continue
        if any(one.grammemes & other.grammemes & CASES for one in creature for other in epithet):
            labels[at] = "PER"


def _particle(view: View, labels: Labels, at: int) -> None:
    """Label a particle, and those before it, if the name of a person or organisation follows: «де», «ван», «фон»."""
    if at < 0 or not labels[at + 1] or labels[at + 1] == "LOC":
        return
    word = view.texts[at]
    if word.lower() in name_words("particle") or (
        word in name_words("inner_particle") and at and labels[at - 1] == "PER"
    ):
        labels[at] = "PER"
        _particle(view, labels, at - 1)
