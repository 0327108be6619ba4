"""Finds the words of names. Each public function is a step: it writes labels into a list, one entry for each token."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache

from augment_ru.constraints.functions.named_entities.institutions import agree, is_of_place
from augment_ru.constraints.functions.named_entities.view import Labels, View, head_kind, name_words
from augment_ru.constraints.quotations import is_title, quoted
from augment_ru.language.morphology import (
    CASES,
    NAME_LABELS,
    has_form_with,
    has_reading,
    is_known,
    lemmas_of,
    may_be_form,
    readings,
)
from augment_ru.resources import listed_in

_OF_NAMES = frozenset(NAME_LABELS)
_ORGANISATION = frozenset({"Orgn"})
_NOMINAL = frozenset({"NOUN", "ADJF", "ADJS", "PRTF", "NUMR", ""})
_CLOSED = frozenset({"NPRO", "PREP", "CONJ", "PRCL", "ADVB", "INTJ"})
_PRONOUNS = frozenset({"Apro", "NPRO", "Anum"})
_ACTIONS = frozenset({"VERB", "INFN", "GRND", "PRTF", "PRTS", "ADVB", "PRED"})
_SHORTEST_GIVEN = 3
"""The fewest characters of a word that may be a given name."""
_VERB_WITHIN = 4
"""How many tokens after the first word of a sentence are searched for its verb."""
_MARKS = frozenset('«»"„“”!?…')
ROMAN = re.compile(r"[IVXLCХ]+([–—-][IVXLCХ]+)?(-[а-яё]+)?")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")


def annotated_entities(view: View, labels: Labels) -> None:
    """Label the names that the annotator found, except common words that it took for names.

    Such words are mostly the first words of sentences, which have a capital for that reason alone.

    Args:
        view: the tokens of a text, with what their letter case tells about names.
        labels: for each token, the label of the name found there so far, or ""; new labels are written into it.
    """
    tokens = view.doc.tokens
    for first, stop in _ranges_of_entities(view):
        start, word = first, tokens[first].text
        starts = first in view.starts
        closed = _is_closed(word) and (starts or stop == first + 1)
        if closed or (starts and _is_action(word)) or word in name_words("legal_form"):
            start = first + 1
        label = tokens[first].entity.partition("-")[2]
        if starts and _is_common(word) and not _is_part_of_name(view, first, stop, label):
            start = next((at for at in range(first + 1, stop) if view.capitals[at]), stop)
        inside = [at for at in range(start, stop) if any(map(str.isalnum, view.texts[at]))]
        if not inside or _is_no_name(view, inside):
            continue
        for at in range(inside[0], inside[-1] + 1):
            action = view.texts[at].islower() and _is_action(view.texts[at]) and not view.lower
            labels[at] = "" if view.texts[at] in _MARKS or action else label


def _ranges_of_entities(view: View) -> Iterator[tuple[int, int]]:
    """Yield the tokens of each entity of the annotator, as a half-open range of their numbers."""
    tokens = view.doc.tokens
    stop = 0
    for at, token in enumerate(tokens):
        if token.entity and at >= stop:
            stop = at + 1
            while stop < len(tokens) and tokens[stop].entity.startswith("I"):
                stop += 1
            yield at, stop


@lru_cache(maxsize=100_000)
def _is_closed(word: str) -> bool:
    """Tell whether every reading of a word is a pronoun, preposition or the like: «ИХ», «Это»."""
    return is_known(word) and all(one.pos in _CLOSED or "Apro" in one.grammemes for one in readings(word))


@lru_cache(maxsize=100_000)
def _is_action(word: str) -> bool:
    """Tell whether every reading of a word is a verb, participle or adverb: «ропщут», «преподносил»."""
    return is_known(word) and all(reading.pos in _ACTIONS for reading in readings(word))


def _is_no_name(view: View, inside: Sequence[int]) -> bool:
    """Tell whether the annotator took common words for a name: an abbreviation of a thing, or words in lower case."""
    words = [view.texts[at] for at in inside]
    if len(words) == 1 and _is_thing(words[0]):
        return True
    written = not view.informal and not view.loud
    return written and all(word.islower() and _is_common(word) for word in words)


@lru_cache(maxsize=100_000)
def _is_thing(word: str) -> bool:
    """Tell whether a word is an abbreviation of a common noun, or begins with one: «ДНК», «ДНК-тест», «IT-рынок»."""
    first, hyphen, rest = word.partition("-")
    return (first in listed_in("abbreviations") or (first in name_words("legal_form"))) and (
        not hyphen or not rest[:1].isupper()
    )


@lru_cache(maxsize=100_000)
def _is_common(word: str) -> bool:
    """Tell whether the dictionary has a word and no reading of it is a name; a word in capitals does not count."""
    return is_known(word) and not word.isupper() and not any(reading.name for reading in readings(word))


def _is_part_of_name(view: View, first: int, stop: int, label: str) -> bool:
    """Tell whether a common word at the start of a sentence belongs to the entity that the annotator found.

    Args:
        view: the text.
        first: the number of the entity's first token.
        stop: the number of the token after its last one.
        label: the label of the entity.
    """
    word = view.texts[first]
    found = readings(word)
    if not any(reading.pos == "NOUN" for reading in found):
        return True
    if stop == first + 1:
        place = any(reading.lemma in name_words("defining") for reading in found)
        before_a_name = stop < len(view.texts) and view.capitals[stop]
        return (label == "LOC" and not place) or (label == "ORG" and not head_kind(word) and not before_a_name)
    return label != "PER" and (head_kind(word) != "" or (label == "ORG" and not view.capitals[first + 1]))


def capitals(view: View, labels: Labels) -> None:
    """Label words with a capital as names.

    Inside a sentence, every word that may be a name is labelled. At the start of a sentence, a word is labelled only if
    it is certainly a name.

    Args:
        view: the tokens of a text, with what their letter case tells about names.
        labels: for each token, the label of the name found there so far, or ""; new labels are written into it.
    """
    for at in view.capitalised:
        word = view.texts[at]
        if labels[at] or _is_thing(word):
            continue
        if _LATIN.match(word):
            if len(word) > 1 and not ROMAN.fullmatch(word):
                labels[at] = "ORG"
        elif word.isupper() and len(word) > 1:
            labels[at] = _abbreviation(word)
        elif len(word) > 1 and (
            _starts_with_name(view, at) if at in view.starts else _is_name_inside(view, at, labels)
        ):
            labels[at] = _kind(word)


@lru_cache(maxsize=100_000)
def _abbreviation(word: str) -> str:
    """Return the label of a word in capitals.

    This is the label of a known name («США»), ORG for an unknown word, and "" for other words («ДНК», «НЕ»).
    """
    known = readings(word) if is_known(word) else ()
    if not known:
        return "" if ROMAN.fullmatch(word) else "ORG"
    return next((reading.name for reading in known if reading.name), "")


@lru_cache(maxsize=100_000)
def _only_name(word: str) -> bool:
    """Tell whether every reading of a word is a name."""
    return has_form_with(word, _OF_NAMES) and all(reading.name and reading.known for reading in readings(word))


def _starts_with_name(view: View, at: int) -> bool:
    """Tell whether the first word of a sentence is a name: «Маша, водя пальчиком»; «Белая — река»."""
    found = readings(view.texts[at])
    nouns = [reading for reading in found if reading.pos == "NOUN"]
    if any(reading.pos in _CLOSED for reading in found) or (not nouns and not _is_defined(view, at)):
        return False
    if nouns and all(reading.name or not reading.known for reading in nouns):
        return all(not reading.known or reading.pos not in {"ADJF", "ADJS", "PRTF", "PRTS"} for reading in found)
    return _is_defined(view, at)


def _is_defined(view: View, at: int) -> bool:
    """Tell whether a dash and a word like «река» or «город» follow: «Белая — река»."""
    if at + 2 >= len(view.texts) or view.texts[at + 1] not in {"—", "–", "-"}:
        return False
    return any(
        reading.lemma in name_words("defining") and "nomn" in reading.grammemes
        for word in view.texts[at + 2 : at + 5]
        for reading in readings(word)
    )


def _is_name_inside(view: View, at: int, labels: Labels) -> bool:
    """Tell whether a word with a capital inside a sentence may be a name."""
    found = readings(view.texts[at])
    if any(reading.lemma in name_words("rank") for reading in found):
        return False
    nominal = any(reading.pos in _NOMINAL and not reading.grammemes & _PRONOUNS for reading in found)
    return nominal and not _is_closed(view.texts[at]) and not _is_adjective_of(view, at, labels)


def _is_adjective_of(view: View, at: int, labels: Labels) -> bool:
    """Tell whether a word is an adjective before a common noun, and so not a name by itself: «Британские учёные»."""
    if at + 1 >= len(view.texts) or view.capitals[at + 1] or labels[at + 1]:
        return False
    following = readings(view.texts[at + 1])
    own = readings(view.texts[at])
    if any(reading.name for reading in own) or not any(reading.pos in {"ADJF", "PRTF"} for reading in own):
        return False
    return any(reading.pos in {"NOUN", "ADJF"} for reading in following) and not head_kind(view.texts[at + 1])


@lru_cache(maxsize=100_000)
def _kind(word: str) -> str:
    """Return the label of a name of one word: that of a reading as a name, else PER for an animate noun, else ORG."""
    found = readings(word)
    named = next((reading.name for reading in found if reading.name), "")
    if named:
        return named
    return "PER" if any("anim" in reading.grammemes for reading in found) else "ORG"


def initials(view: View, labels: Labels) -> None:
    """Label initials with their full stops, and the surname after or before them: «А. П. Чехов», «Керн А. П.».

    Args:
        view: the tokens of a text, with what their letter case tells about names.
        labels: for each token, the label of the name found there so far, or ""; new labels are written into it.
    """
    for first, stop in _runs_of_initials(view):
        several = stop - first > 2  # noqa: PLR2004  (a letter and its full stop)
        after = stop < len(labels) and view.capitals[stop] and len(view.texts[stop]) > 1
        before = first > 0 and view.capitals[first - 1] and len(view.texts[first - 1]) > 1
        if after and (several or labels[stop] == "PER" or has_reading(view.texts[stop], "Surn")):
            labels[first : stop + 1] = ["PER"] * (stop + 1 - first)
        elif before and (several or labels[first - 1] == "PER"):
            labels[first - 1 : stop] = ["PER"] * (stop + 1 - first)


def _runs_of_initials(view: View) -> Iterator[tuple[int, int]]:
    """Yield the tokens of each run of initials, as a half-open range of their numbers."""
    texts, stop = view.texts, 0
    for at in view.capitalised:
        if at < stop or len(texts[at]) > 1:
            continue
        stop = at
        while stop < len(texts) - 1 and len(texts[stop]) == 1 and texts[stop].isupper() and texts[stop + 1] == ".":
            stop += 2
        if stop > at:
            yield at, stop


def lower_case(view: View, labels: Labels) -> None:
    """Label words without a capital that can only be names: «еду в сочи».

    Names of single institutions («госдума») are labelled in every text. Other names are labelled only in texts whose
    letter case does not mark names.

    Args:
        view: the tokens of a text, with what their letter case tells about names.
        labels: for each token, the label of the name found there so far, or ""; new labels are written into it.
    """
    free = [at for at, word in enumerate(view.texts) if len(word) > 2 and not (labels[at] or view.capitals[at])]  # noqa: PLR2004
    for at in free:
        word = view.texts[at]
        caseless = view.shouts[at] or (view.informal and word.islower())
        if _is_institution(word):
            labels[at] = "ORG"
        elif caseless and _only_name(word):
            labels[at] = _kind(word)


@lru_cache(maxsize=100_000)
def _is_institution(word: str) -> bool:
    """Tell whether a word in any letter case names a single institution: «госдума», «минздрав», «бундестаг»."""
    if not (may_be_form(word, name_words("unique")) or has_form_with(word, _ORGANISATION)):
        return False
    found = readings(word)
    return any(reading.lemma in name_words("unique") for reading in found) or all(
        reading.known and "Orgn" in reading.grammemes for reading in found
    )


def first_words(view: View, labels: Labels) -> None:
    """Correct the labels of first words of sentences that may be a given name or a common noun, such as «Любовь».

    The verb decides. If it says what things do, the label is removed. If it says what persons do, the label becomes
    PER.

    Args:
        view: the tokens of a text, with what their letter case tells about names.
        labels: for each token, the label of the name found there so far, or ""; labels are corrected in place.
    """
    for at in view.starts:
        word = view.texts[at]
        if at + 1 >= len(labels) or labels[at + 1] or view.capitals[at + 1] or labels[at] not in ("", "PER"):
            continue
        if len(word) < _SHORTEST_GIVEN or not _is_homonym(word):
            continue
        verb = _verb(view, at + 1)
        done = set(lemmas_of(verb.lower())) if verb else set()
        last = "умирать" in done and "последней" in view.texts[at + 1 : at + _VERB_WITHIN]
        if last or done & name_words("of_things") or (verb and has_reading(verb, "2per")):  # «любовь не купишь»
            labels[at] = ""
        elif done & name_words("of_persons"):
            labels[at] = "PER"


def _is_homonym(word: str) -> bool:
    """Tell whether a word in the nominative may be a given name as well as a common noun."""
    if not is_known(word):
        return False
    found = [reading for reading in readings(word) if "nomn" in reading.grammemes and reading.pos == "NOUN"]
    return any("Name" in reading.grammemes for reading in found) and any(
        reading.known and not reading.name for reading in found
    )


def _verb(view: View, at: int) -> str:
    """Return the first verb from token `at` on, in the same clause; "" if there is none."""
    for word in view.texts[at : at + _VERB_WITHIN]:
        if not word[0].isalpha():
            break
        if any(reading.pos in {"VERB", "PRTS"} for reading in readings(word)[:2]):
            return word
    return ""


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
    """Add to names the tokens beside them that are no names by themselves: particles, numerals, signs, «имени».

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
    for at in [at for at, word in enumerate(view.texts[:-1]) if at and word in _OPENING]:
        if labels[at - 1] != "ORG" or not labels[at + 1]:
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
