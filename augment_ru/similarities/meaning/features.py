"""The features of edits: numbers that say what a text loses. `dictionaries/meaning.tsv` explains each feature.

This module computes, in this order, features of words that change what a sentence claims (negators, numbers,
restrictors), of words that moved, of words that replace others, and of words that are lost or misspelt. A function
`of_…` yields pairs of a feature's name and a number to add to the feature.
"""

import re
from bisect import bisect, bisect_left, insort
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import ne

from augment_ru.language.frequency import information
from augment_ru.language.morphology import CASES, QUESTION_WORDS, has_form, is_known, lemmas_of, readings, word_kind
from augment_ru.resources import keyboard_layouts
from augment_ru.similarities.meaning.claims import BINDING, NEGATION, claims_of, contradictions, decides, word_claims
from augment_ru.similarities.meaning.quantities import amounts_of
from augment_ru.similarities.meaning.roles import compared, roles_of
from augment_ru.similarities.meaning.senses import are_alike, are_opposite, unlike
from augment_ru.similarities.meaning.words import ATTRIBUTES, NOMINAL, Fates, Source, form_of


def _changes_sign(fates: Fates) -> bool:
    """Tell whether a minus before a number may be lost or new: «минус 5», «-5» → «5»."""
    text, other = fates.source.text, fates.other
    if other is not None or any(fates.source.forms[number] == "минус" for number in fates.lost):
        return other is None or _SIGNED.findall(text) != _SIGNED.findall(other.text)
    places = [edit for edit in fates.edits if text[edit[1] : edit[1] + 1].isdigit()]
    return any(not _MINUSES.isdisjoint(text[start:stop][-1:] + new[-1:]) for start, stop, new, _ in places)


_MINUSES = frozenset("-−–")
_SIGNED = re.compile(r"(?:(?<![^\s(«\"])[-−–](?=\d)|\bминус\s)\w+", re.IGNORECASE)


def of_claims(fates: Fates) -> Iterator[tuple[str, float]]:
    """Find whether edits changed what a text claims: negations, persons, numbers, times.

    Words that were added after the last word of the text do not count here; `of_added` judges them.

    Args:
        fates: what the edits did to each word of the text (lost, misspelt, moved, replaced…).

    Yields:
        Each kind of change by its name in the dictionary `meaning`, such as `other_time`, and how often it occurs.
    """
    source = fates.source
    gone = [source.forms[number] for number in fates.lost]
    new = [word for at, word in fates.inserted if at < len(source.forms)]
    gone += [source.forms[number] for numbers, _ in fates.replaced for number in numbers]
    new += [word for _, words in fates.replaced for word in words]
    said = any(len(word) > 1 and (word[0].isdigit() or has_form(word)) for word in new)
    changed = said or fates.reshaped or (fates.is_guess and fates.moved)
    if not (changed or any(map(decides, gone)) or _changes_sign(fates)):
        return
    found: dict[str, float] = {}
    before, after = claims_of(source), claims_of(fates.after)
    for name, value in contradictions(before, after):
        found[name] = found.get(name, 0.0) + value
    if not found["numbers_exchanged"]:  # «14 дней» and «две недели»
        gone, new = ([word for word in words if not amounts_of(word)] for words in (gone, new))
    pairs = _pairs(are_opposite, gone, new)
    # «запретил», «разрешил» are opposites and no negation; «убыточный» and «неприбыльный» are the same
    for one, other in (*pairs, *_pairs(are_alike, gone, new)):
        if (word_claims(one).denials + word_claims(other).denials) % 2:
            found["negation_changed"] = 1.0 - found["negation_changed"]
    denied = {lemma for claims in (before, after) for head in claims.heads.get(NEGATION, ()) for lemma in head.lemmas}
    found["opposite"] = float(bool(pairs))
    if found["negation_changed"] and any(not denied.isdisjoint(lemmas_of(word)) for pair in pairs for word in pair):
        found["negation_changed"] = found["opposite"] = 0.0  # «согласился» and «не отказался»
    elif pairs and fates.moved and all(readings(word)[0].pos == "COMP" for pair in pairs for word in pair):
        found |= {"opposite": 0.0, "other_clause": 0.0, "other_time": 0.0}  # «прохладнее, чем вчера», «теплее сегодня»
    yield from found.items()


def _pairs(fits: Callable[[str, str], bool], gone: Sequence[str], new: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of a lost and a new word that fit; none if there are too many."""
    if len(gone) * len(new) > _MOST_PAIRS:
        return []
    return [(word, other) for word in gone for other in new if fits(word, other)]


_THINGS = frozenset({"noun", "adjective", "verb", "adverb", "participle", "infinitive"})
_PARTICIPLES = frozenset({"PRTF", "PRTS"})
_VERBAL = frozenset({"verb", "infinitive", "participle", "gerund"})
_GOVERNED = NOMINAL | {"adjective"}
"""The roles of words that a preposition governs."""


def of_moved(fates: Fates) -> Iterator[tuple[str, float]]:
    """Find what a text lost because words stand in another position.

    Args:
        fates: what the edits did to each word of the text (lost, misspelt, moved, replaced…).

    Yields:
        Pairs (kind of loss, number); the numbers of one kind add up to how often it occurs. A kind is named as in the
        dictionary `meaning`, such as `exchanged_verbs`. For `moved_far` the number is the distance in words by which
        words moved, as a mean over all words.
    """
    if fates.order is None or (fates.is_guess and fates.replaced):
        return
    source, moved, order = fates.source, set(fates.moved), fates.order
    left = sorted(order)
    first, end = _exchanged_stretch(order, left)
    place = {number: at for at, number in enumerate(order[first:end], first)}
    far = sum(abs(place[number] - bisect_left(left, number)) for number in moved if number in place)
    yield "moved_far", far / len(order)
    yield from _parted(source, place)
    yield from _newly_beside(fates, moved)
    yield from _exchanged(source, sorted(moved & place.keys()), place)


def _exchanged_stretch(order: Sequence[int], left: Sequence[int]) -> tuple[int, int]:
    """Return the range of positions in which two orders of words differ, widened by one position on either side.

    Args:
        order: the numbers of the words in their new order.
        left: the same numbers, ascending.

    Returns:
        The start and the stop of the range; (0, 0) if the orders are equal.
    """
    others = list(map(ne, order, left))
    if True not in others:
        return 0, 0
    return max(others.index(True) - 1, 0), len(others) - others[::-1].index(True) + 1


def _parted(source: Source, place: Mapping[int, int]) -> Iterator[tuple[str, float]]:
    """Yield the features of neighbours that belong together and were parted or swapped.

    Args:
        source: the text.
        place: the new positions of words, by their numbers; only words where the order differs are needed.
    """
    for left, at in sorted(place.items()):
        right = left + 1
        to = place.get(right)
        if to is None or to == at + 1 or not source.are_beside(left, right):
            continue
        role, following = source.kind(left).role, source.kind(right)
        if source.forms[left] in BINDING:
            yield "turned_negation" if to < at else "parted_negation", 1.0
        elif role == "preposition" and to < at:
            yield "turned_preposition", 1.0
        elif role == "noun" and following.role in {"noun", "adjective"} and "gent" in following.cases:
            yield "parted_genitive", 1.0


def _newly_beside(fates: Fates, moved: set[int]) -> Iterator[tuple[str, float]]:
    """Yield the features of words that have become neighbours; `moved` is the numbers of the words that moved."""
    source = fates.source
    for before, after in pairwise(fates.order or ()):
        if after == before + 1:
            continue
        if source.kind(before).role == "preposition":
            fits = source.kind(after).role in _GOVERNED
            yield "other_after_preposition" if fits else "wrong_after_preposition", 1.0
        if source.forms[before] in BINDING:
            yield "other_negated", 1.0
        if source.clauses[before] != source.clauses[after] and (before in moved or after in moved):
            yield "clause_edge", 1.0


def _exchanged(source: Source, moved: Sequence[int], place: Mapping[int, int]) -> Iterator[tuple[str, float]]:
    """Yield the counts of pairs of moved words with the same role whose order was reversed.

    Pairs are counted without a list of them, since a long text may have billions.

    Args:
        source: the text.
        moved: the numbers of the words that moved, ascending.
        place: maps the number of a word to its new position.
    """
    nominals = alike = verbs = 0
    places: dict[frozenset[str] | None, list[int]] = {}  # where the words so far stand, by their cases; None is verbs
    for number in moved:
        kind, at = source.kind(number), place[number]
        if kind.role in NOMINAL:
            for cases, found in places.items():
                if cases is not None:
                    reversed_ = len(found) - bisect(found, at)
                    nominals += reversed_
                    alike += reversed_ if kind.cases & cases else 0
            insort(places.setdefault(kind.cases, []), at)
        elif kind.role == "verb":
            found = places.setdefault(None, [])
            verbs += len(found) - bisect(found, at)
            insort(found, at)
    yield from (("exchanged_nominals", float(nominals)), ("exchanged_same_case", float(alike))) if nominals else ()
    yield from (("exchanged_verbs", float(verbs)),) if verbs else ()


def of_roles(fates: Fates) -> Iterator[tuple[str, float]]:
    """Find whether edits changed who does what to whom.

    Roles are found by the syntax trees of both texts and the cases of nouns.

    Args:
        fates: what the edits did to each word of the text (lost, misspelt, moved, replaced…).

    Yields:
        ("exchanged_roles", 1.0) if the roles changed. ("opposite", -1.0) if the nouns were exchanged and a word was
        replaced by its opposite, too. The text then says the same, so this number takes back the loss that the opposite
        counts as.
    """
    source, reshaped = fates.source, fates.reshaped
    nouns = [(source.forms[number], form) for number, form in reshaped if source.kind(number).role in NOMINAL]
    verbs = any(source.kind(number).role in _VERBAL for number, _ in reshaped)
    guess = fates.is_guess and (reshaped or fates.moved or fates.replaced)
    if not (guess or (len(reshaped) > 1 and (nouns or verbs))):  # «сестра учится на врач» is a slip
        return
    kept, changed, turned = compared(*roles_of(source.text, fates.after.text))
    if len(turned) > 1 and not changed:  # «Костя обыграл Пашу», «Паша проиграл Косте»
        yield "opposite", -1.0
    if changed:
        yield "exchanged_roles", 1.0
        return
    cases = {(_case(old), _case(new)) for old, new in nouns}
    exchanged = [old for old, new in nouns if _case(old) != _case(new) and (_case(new), _case(old)) in cases]
    known = kept | changed
    if not exchanged or any(not known.isdisjoint(lemmas_of(word)) for word in exchanged):
        return
    gone = [source.forms[number] for numbers, _ in fates.replaced for number in numbers]
    new = [word for _, found in fates.replaced for word in found]
    if any(readings(word)[0].pos == "COMP" for word in gone) and _pairs(are_opposite, gone, new):
        yield "opposite", -1.0  # «сестра старше брата», «брат младше сестры»
    elif not any(word_kind(word).role in _VERBAL for word in gone):
        yield "exchanged_roles", 1.0


def _case(word: str) -> str:
    """Return the case of the likeliest reading of a noun."""
    return next(iter(readings(word)[0].grammemes & CASES), "")


def of_forms(fates: Fates) -> Iterator[tuple[str, float]]:
    """Find what a text lost because words were inflected in another way, such as a noun in the plural.

    A changed number of a noun does not count if the word before the noun still shows the old one: «двое новичков».

    Args:
        fates: what the edits did to each word of the text (lost, misspelt, moved, replaced…).

    Yields:
        Pairs (kind of loss, amount) for each such word. A kind is named as in the dictionary `meaning`, such as
        `other_voice`. The amount is 1, for `other_number` the word's share of the text's information, in [0, 1].
    """
    source = fates.source
    changed = dict(fates.reshaped)
    pairs = [(readings(source.forms[number])[0], readings(form)[0]) for number, form in fates.reshaped]
    verbs = any(old.pos == "VERB" and "plur" in old.grammemes ^ new.grammemes for old, new in pairs)
    for (number, form), (old, new) in zip(fates.reshaped, pairs, strict=True):
        marks = old.grammemes ^ new.grammemes
        led = verbs and "nomn" in source.kind(number).cases & word_kind(form).cases  # «река впадает», «реки впадают»
        if old.pos == new.pos == "NOUN" and ("plur" in marks or led) and not _counted(source, number, changed):
            yield "other_number", source.shares[number]
        if (old.pos == "COMP") != (new.pos == "COMP") or "Supr" in marks:
            yield "other_degree", 1.0
        if "pssv" in marks and old.pos in _PARTICIPLES and new.pos in _PARTICIPLES:
            yield "other_voice", 1.0


def _counted(source: Source, number: int, changed: Container[int]) -> bool:
    """Tell whether the word before a noun says its number: a numeral, or an attribute that did not change."""
    before = number - 1
    if not source.are_beside(before, number):
        return False
    return bool(amounts_of(source.forms[before])) or (source.role(before) in ATTRIBUTES and before not in changed)


_MOST_PAIRS = 4096
"""The most pairs of an old and a new word that are searched for opposites."""
_MUCH = 0.5
"""The share of a text that may be in words of another sense before it counts as another text."""
_TELLS = 0.5
"""A word of more information than this says what a sentence is about."""


def of_rewritten(fates: Fates) -> Iterator[tuple[str, float]]:
    """Find what a text lost because words were replaced by words of another sense.

    Args:
        fates: what the edits did to each word of the text (lost, misspelt, moved, replaced…).

    Yields:
        Pairs (kind of loss, amount) for each such word. A kind is named as in the dictionary `meaning`, such as
        `other_name`; the amount is 1. Once for all words, `other_text` with their share of the text's information minus
        0.5, at least 0.
    """
    source, forms = fates.source, fates.source.forms
    groups = [  # `of_claims` compares the numbers
        ([number for number in old if not amounts_of(forms[number])], [one for one in new if not amounts_of(one)])
        for old, new in fates.replaced
    ]
    old = [number for numbers, _ in groups for number in numbers if word_claims(forms[number]).tells]
    said = [word for _, words in groups for word in words]
    unsaid = unlike([forms[number] for number in old], said)
    gone = [number for number in old if forms[number] in unsaid and not _is_short(source, number, said)]
    for number in gone:
        if number and source.text[source.starts[number]].isupper():
            yield "other_name", 1.0
    yield "other_text", max(sum(source.shares[number] for number in gone) - _MUCH, 0.0)
    for numbers, words in groups:
        if len(numbers) == len(words) == 1 and numbers[0] in gone:
            role = source.role(numbers[0])
            if role in _THINGS and role == word_kind(words[0]).role and not are_opposite(forms[numbers[0]], words[0]):
                yield "other_thing", 1.0


def _is_short(source: Source, number: int, words: Sequence[str]) -> bool:
    """Tell whether a word beside a number is a unit or the like in short, and one of `words` is it in full: «Гц»."""
    beside = "".join(source.forms[max(number - 1, 0) : number + 2 : 2])
    whole = re.compile(".*".join(source.forms[number].partition("/")[0]))
    return not beside.isalpha() and any(map(whole.match, words))


def of_added(fates: Fates) -> Iterator[tuple[str, float]]:
    """Find whether words that were added after the last word of a text may contradict it.

    Args:
        fates: what the edits did to each word of the text (lost, misspelt, moved, added…).

    Yields:
        `added_same`, with the share of the added words that also occur in the text, in [0, 1]. `added_denial`, with 1
        if some of them occur in the text and the added words deny, else with 0.
    """
    end = len(fates.source.forms)
    behind = [word for at, word in fates.inserted if at == end]
    if not behind:
        return
    own = {lemma for form in fates.source.forms for lemma in lemmas_of(form)}
    telling = [word for word in behind if information(word) > _TELLS]
    shared = [word for word in telling if not own.isdisjoint(lemmas_of(word))]
    yield "added_same", sum(map(information, shared)) / max(sum(map(information, telling)), 1.0)
    yield "added_denial", float(bool(shared) and any(word_claims(word).denials for word in behind))


_LINKING = frozenset({"preposition", "conjunction"})
_JOINING = frozenset({"conjunction", "particle", "interjection"})
_FUNCTION = _JOINING | {"preposition"}
_ACTIONS = frozenset({"verb", "infinitive", "gerund"})
_LIGHT = 0.6
"""Verbs and modifiers of less information are light: a reader does not miss them («был», «стал», «самый», «этот»)."""
_MODIFIERS = ATTRIBUTES | {"adverb"}
_GOES_WITH = {"noun": ATTRIBUTES, "adverb": {"conjunction"}} | {one: ATTRIBUTES | {"conjunction"} for one in ATTRIBUTES}
_STRESSING = frozenset({"сам", "вообще"})  # light, however rare
_LIGHT_NAME = 0.4
"""Nouns, pronouns and numbers of less information are light."""
_LIGHT_PREPOSITION = 0.45
"""Prepositions of more information have a meaning of their own: «через», «после»; not «в», «на», «для»."""
_TELLING = frozenset({"action", "argument", "circumstance", "detail", "modifier", "preposition", "question"})
_DETAIL = 0.06
"""The most of a text's information that a detail or a linking word counts: its loss is no greater in a short sentence.
"""
_SHORT = 3
_LEGIBLE, _ILLEGIBLE = 0.2, 0.6


def features_of(fates: Fates) -> dict[str, float]:
    """Return how much a text lost by edits: maps the name of each kind of loss, such as `lost_name`, to a number.

    The dictionary `meaning` explains the kinds. Kinds that do not occur are left out.

    Args:
        fates: what the edits did to each word of the text (lost, misspelt, moved, replaced…).
    """
    changed = fates.lost or fates.inserted or fates.replaced or fates.reshaped or fates.moved
    parts = (
        (of_lost, fates.lost),
        (of_damaged, fates.damaged),
        (of_signs, fates.signs),
        (of_claims, changed or _changes_sign(fates)),
        (of_moved, fates.moved),
        (of_roles, fates.reshaped or fates.is_guess),
        (of_forms, fates.reshaped),
        (of_rewritten, fates.replaced),
        (of_added, fates.inserted),
    )
    found: dict[str, float] = {}
    for part, cause in parts:
        for name, value in part(fates) if cause else ():
            if value:
                found[name] = found.get(name, 0.0) + value
    return found


def of_lost(fates: Fates) -> Iterator[tuple[str, float]]:
    """Find what a text lost because words are gone and no other words replace them.

    Args:
        fates: what the edits did to each word of the text (lost, misspelt, moved, replaced…).

    Yields:
        Pairs (kind of loss, amount), one or several for each lost word. A kind is named as in the dictionary `meaning`,
        such as `lost_name`. The amount is 1, for `lost_share` the word's share of the text's information, in [0, 1].
    """
    source, gone = fates.source, set(fates.lost)
    for number in fates.lost:
        kind = source.once(_place_of, number)
        role, goes_with = source.role(number), _GOES_WITH.get(source.role(number + 1), ())
        if number + 1 in gone and source.are_beside(number, number + 1) and role in {"preposition", *goes_with}:
            continue  # the phrase is lost as one
        phrase = role in NOMINAL and _is_phrase(source, number, gone)
        kind = "detail" if phrase and kind in {"circumstance", "modifier"} else kind
        if kind != "light" or not fates.is_guess:
            adds = role in _MODIFIERS or (role == "pronoun" and "nomn" in source.kind(number).cases)
            small = phrase or kind == "detail" or role in _JOINING or (adds and kind in {"light", "pronoun"})
            yield "lost_share", min(source.shares[number], _DETAIL if small else 1.0)
        if kind in _TELLING:
            yield f"lost_{kind}", 1.0
        if number and source.text[source.starts[number]].isupper():
            yield "lost_name", 1.0
        yield from _orphans(source, number, gone)


def _is_phrase(source: Source, number: int, gone: set[int]) -> bool:
    """Tell whether a noun is lost with its preposition and its attributes, and only adds a detail: «пришли [из дома]».

    Directly behind a verb the verb may demand it: «следил за женой»; and the end of a clause is often what is said.
    """
    at = number - 1
    while at in gone and source.role(at) in ATTRIBUTES:
        at -= 1
    if at not in gone or source.role(at) != "preposition" or not source.are_beside(at, at + 1):
        return False
    verbal = source.are_beside(at - 1, at) and source.role(at - 1) in _VERBAL
    demanded = verbal and "intr" not in readings(source.forms[at - 1])[0].grammemes  # «приехал [на турнир] в Омск»
    said = not source.are_beside(number, number + 1) and source.role(at - 1) != "noun"
    return not (demanded or said) and source.once(_affirms, source.clauses[number])


def _place_of(source: Source, number: int) -> str:
    """Return the function of a word in its sentence.

    Returns:
        `question`, `preposition`, `light` (carries little meaning), `action`, `detail` (a modifier without which the
        rest is still true), `modifier`, `pronoun`, `circumstance` or `argument`.
    """
    form = source.forms[number]
    role, tells = word_kind(form).role, information(form)
    if not QUESTION_WORDS.isdisjoint(lemmas_of(form)):
        relative = number and lemmas_of(form)[0] == "который" and not source.are_beside(number - 1, number)
        return "light" if relative else "question"
    if role == "preposition" and tells > _LIGHT_PREPOSITION:
        return "preposition"
    if role in _FUNCTION or tells < (_LIGHT_NAME if role in NOMINAL else _LIGHT) or lemmas_of(form)[0] in _STRESSING:
        return "light"
    kinds = ((_ACTIONS, "action"), (_MODIFIERS, "modifier"), ({"pronoun"}, "pronoun"))
    name = next((name for roles, name in kinds if role in roles), "") or _place_of_noun(source, number)
    return "detail" if name == "modifier" and _is_detail(source, number) else name


def _is_detail(source: Source, number: int) -> bool:
    """Tell whether the sentence is still true without a modifier, if it was true with the modifier.

    That is an attribute before its noun, an adverb that does not end its clause, a genitive that ends its clause, or a
    noun before a name: «[судья] Петров». In a clause that denies or is a condition nothing is a detail: «он долго не
    отвечал».
    """
    form, role, before, following = source.forms[number], source.role(number), number - 1, number + 1
    ends = not source.are_beside(number, following)
    if not source.once(_affirms, source.clauses[number]) or (role != "noun" and source.role(before) == "adverb"):
        return False  # «очень [легко]»
    kinds = {one.pos for one in readings(form)}
    if role == "adverb" or ("ADVB" in kinds and source.role(following) in _VERBAL):
        said = ends and (source.role(before) not in NOMINAL or source.forms[before] == "себя")
        return kinds.isdisjoint({"COMP", "PRED"}) and not said
    if role == "noun" and source.role(before) == "noun" and source.kind(number).cases in ({"datv"}, {"gent"}):
        given = "datv" in source.kind(number).cases  # «посвятил фильм [актёру]», «жители [города] спят»
        return "accs" in source.kind(before).cases if given else source.role(following) not in {"noun", "adjective"}
    if role == "noun" and ends:  # neither «раздали солдатам [ружья]» nor «считается основанием [театра]»
        return _case(form) == "gent" and _case(source.forms[before]) not in {"datv", "ablt"}
    while source.are_beside(number, following) and source.role(following) in ATTRIBUTES:
        following += 1
    beside, cases = source.are_beside(number, following), source.kind(number).cases
    if role != "noun" or not beside:
        return beside and not cases.isdisjoint(source.kind(following).cases)
    mine, name = (readings(source.forms[one])[0].grammemes for one in (number, following))
    alike = "anim" in mine or not {"masc", "femn", "neut", "plur"} & (mine ^ name)  # «[вечер] Анна проводит дома»
    return alike and not (cases - {"gent"}).isdisjoint(name)


def _affirms(source: Source, clause: int) -> bool:
    """Tell whether a clause, given by its index, neither denies nor is a condition."""
    first, stop = bisect_left(source.clauses, clause), bisect(source.clauses, clause)
    words = map(word_claims, source.forms[first:stop])
    return not any((word.denials and word.kind != "name") or ("link**", "if") in word.classes for word in words)


def _place_of_noun(source: Source, number: int) -> str:
    kind = source.kind(number)
    phrase = number - 1
    if source.are_beside(phrase, number) and source.role(phrase) == "noun" and "gent" in kind.cases:
        return "modifier"
    following = number + 1
    before_name = source.are_beside(number, following) and source.text[source.starts[following]].isupper()
    if before_name and source.kind(following).cases & kind.cases:
        return "modifier"  # «судья Петров»: the name stays
    while source.are_beside(phrase, number) and source.role(phrase) in ATTRIBUTES:
        phrase -= 1
    if source.are_beside(phrase, number) and source.role(phrase) == "preposition":
        return "circumstance"
    if kind.cases == {"datv"}:
        return "modifier"
    return "argument" if {"nomn", "accs"} & kind.cases or not kind.known else "circumstance"


def _orphans(source: Source, number: int, gone: set[int]) -> Iterator[tuple[str, float]]:
    """Yield the features of the word before a lost word, if it is left without the word that it belongs to.

    Args:
        source: the text.
        number: the number of the lost word.
        gone: the numbers of all lost words.
    """
    before, after = number - 1, number + 1
    if not source.are_beside(before, number) or before in gone:
        return
    if source.role(before) == "preposition":
        goes_on = source.are_beside(number, after) and after not in gone and source.role(after) in NOMINAL | ATTRIBUTES
        if not goes_on:
            yield "orphan_preposition", 1.0
    if source.forms[before] in BINDING:
        yield "lost_negated", 1.0


def of_damaged(fates: Fates) -> Sequence[tuple[str, float]]:
    """Find what a text lost because words are misspelt.

    A word is easy to read if up to 20 % of its letters are changed, and illegible from 60 % on.

    Args:
        fates: what the edits did to each word of the text (lost, misspelt, moved, replaced…).

    Returns:
        Pairs (kind of loss, amount), one for each kind. A kind is named as in the dictionary `meaning`, such as
        `damaged_letters`. The amount is the share of the text's information that is lost in this way, in [0, 1]; for
        `illegible_words` it is the number of words over three letters that are closer to illegible than to easy.
    """
    forms, shares = fates.source.forms, fates.source.shares
    letters = became = unknown = illegible = words = 0.0
    for number, form, apart in fates.damaged:
        old, share = forms[number], shares[number]
        part = apart / size if apart < (size := len(old)) else 1.0
        lost = share * part
        letters += lost
        if has_form(form) and len(form) > 1 and set(lemmas_of(form)).isdisjoint(lemmas_of(old)):
            became += share
        if not is_known(old):
            unknown += lost
        if part > _LEGIBLE:
            hard = min((part - _LEGIBLE) / (_ILLEGIBLE - _LEGIBLE), 1.0)
            illegible += share * hard
            words += hard > 1 / 2 and size > _SHORT
    changed = (("damaged_letters", letters), ("became_word", became), ("damaged_unknown", unknown))
    return (*changed, ("illegible_share", illegible), ("illegible_words", words))


def of_signs(fates: Fates) -> Iterator[tuple[str, float]]:
    """Find what a text lost because words are written in other signs, such as emoji; numbers in digits are no loss.

    Args:
        fates: what the edits did to each word of the text (lost, misspelt, moved, written as signs…).

    Yields:
        For each such word that is hard to read, the name `layout` if it is typed in the Latin layout, otherwise
        `signs`; with the word's share of the text's information, in [0, 1]. A word typed in the Latin layout that
        decides what the text claims, such as a negator, also gives `layout_claim` with 1.
    """
    source = fates.source
    for number, written in fates.signs:
        form = source.forms[number]
        kind = "" if form.isdecimal() else manner_of(written.lower(), form)
        if kind:
            yield kind, source.shares[number]
        if kind == "layout" and source.role(number) not in _LINKING and decides(form):
            yield "layout_claim", 1.0


@lru_cache(maxsize=50_000)
def manner_of(written: str, form: str) -> str:
    """Return how a word is written: `signs` (🐱), `layout` (rjn, typed in the Latin layout), or "" if easy to read.

    Words with letters that look or sound like the right ones («кoт», «kot») or are masked («к*т») are easy to read.

    Args:
        written: what is written in place of the word.
        form: the word, in lower case.
    """
    if not any(map(str.isalnum, written)):
        return "signs"
    return "layout" if any(form_of(written.translate(keys)) == form for keys in keyboard_layouts()) else ""
