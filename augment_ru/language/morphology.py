"""Finds dictionary forms, grammemes and readings (possible analyses) of Russian words, with pymorphy3."""

from collections.abc import Container
from functools import cache, lru_cache
from operator import itemgetter
from sys import intern
from typing import Any, NamedTuple

from augment_ru.resources import name_heads
from augment_ru.text.words import RUSSIAN

_POS = {
    "NOUN": ("NOUN",),
    "PROPN": ("NOUN",),
    "ADJ": ("ADJF", "ADJS", "COMP"),
    "DET": ("ADJF", "NPRO"),
    "VERB": ("VERB", "INFN", "PRTF", "PRTS", "GRND"),
    "AUX": ("VERB", "INFN", "PRTF", "PRTS", "GRND"),
    "ADV": ("ADVB", "COMP", "PRED"),
    "PRON": ("NPRO", "ADJF"),
    "NUM": ("NUMR",),
    "ADP": ("PREP",),
    "CCONJ": ("CONJ",),
    "SCONJ": ("CONJ",),
    "PART": ("PRCL",),
    "INTJ": ("INTJ",),
}
_GRAMMEMES = {
    "Case=Nom": "nomn", "Case=Gen": "gent", "Case=Par": "gen2", "Case=Dat": "datv", "Case=Acc": "accs",
    "Case=Ins": "ablt", "Case=Loc": "loct", "Case=Voc": "voct", "Number=Sing": "sing", "Number=Plur": "plur",
    "Gender=Masc": "masc", "Gender=Fem": "femn", "Gender=Neut": "neut", "Animacy=Anim": "anim", "Animacy=Inan": "inan",
    "Aspect=Perf": "perf", "Aspect=Imp": "impf", "Tense=Past": "past", "Tense=Pres": "pres", "Tense=Fut": "futr",
    "Mood=Ind": "indc", "Mood=Imp": "impr", "Person=1": "1per", "Person=2": "2per", "Person=3": "3per",
    "Voice=Act": "actv", "Voice=Pass": "pssv", "Degree=Sup": "Supr",
}  # fmt: skip
_KINDS = {
    "VerbForm=Fin": ("VERB",), "VerbForm=Inf": ("INFN",), "VerbForm=Part": ("PRTF", "PRTS"), "VerbForm=Conv": ("GRND",),
    "Degree=Cmp": ("COMP",), "Variant=Short": ("ADJS", "PRTS"),
}  # fmt: skip
"""Features of the tagger that narrow down pymorphy3's part of speech more than the universal part of speech does."""
SECOND_CASES = {"gen1": "gent", "gen2": "gent", "loc1": "loct", "loc2": "loct", "acc2": "accs"}
"""Maps pymorphy3's names of second cases (`loc2`: «в этом году») to the cases to which the tagger counts them."""

QUESTION_WORDS = frozenset({
    "где", "зачем", "как", "какой", "каков", "когда", "который", "кто", "куда", "откуда", "почему", "сколько", "чей",
    "что",
})  # fmt: skip
"""The lemmas of words that ask, or that join a clause."""
CASES = frozenset({"nomn", "gent", "datv", "accs", "ablt", "loct"})
GENDERS = frozenset({"masc", "femn", "neut"})


@cache
def morphology() -> Any:  # noqa: ANN401  (pymorphy3 has no types)
    """Return the pymorphy3 analyser; it is loaded once for each process."""
    import pymorphy3  # noqa: PLC0415  (a quarter of a second)

    return pymorphy3.MorphAnalyzer()


class WordKind(NamedTuple):
    """The kind of a word form, taken from its likeliest reading (analysis) without regard to other words.

    Attributes:
        role: `noun`, `pronoun`, `adjective`, `verb` (finite), `infinitive`, `participle`, `gerund`, `adverb`, `number`,
            `preposition`, `conjunction`, `particle`, `interjection`, or "" for a word of no known kind.
        cases: the cases of all readings that have this role, by their names in pymorphy3.
        known: whether the dictionary has the form.
    """

    role: str
    cases: frozenset[str]
    known: bool


_ROLES = {
    "NOUN": "noun", "NPRO": "pronoun", "ADJF": "adjective", "ADJS": "adjective", "COMP": "adverb", "VERB": "verb",
    "INFN": "infinitive", "PRTF": "participle", "PRTS": "participle", "GRND": "gerund", "NUMR": "number",
    "ADVB": "adverb", "PRED": "adverb", "PREP": "preposition", "CONJ": "conjunction", "PRCL": "particle",
    "INTJ": "interjection",
}  # fmt: skip


@lru_cache(maxsize=200_000)
def word_kind(word: str) -> WordKind:
    """Return the kind of a word in lower case: its role (such as `noun`), its possible cases, whether it is known.

    A word that is not Russian has the role "" and no cases.

    >>> word_kind("кошка").role, sorted(word_kind("кошку").cases), word_kind("кошеа").known
    ('noun', ['accs'], False)
    """
    found = readings(word)
    role = _ROLES.get(found[0].pos, "")
    cases = frozenset(one.case for one in found if one.case and _ROLES.get(one.pos, "") == role)
    return _same_kind(role, cases, is_known(word))


_same_kind = cache(WordKind)
"""Words share a few hundred kinds, so a text does not hold one for each."""


@lru_cache(maxsize=200_000)
def is_known(word: str) -> bool:
    """Tell whether the dictionary has a word form, in any letter case."""
    return has_form(word.lower())


@lru_cache(maxsize=20_000)
def has_form(word: str) -> bool:
    """Tell whether the dictionary has a word form in lower case; few answers are cached, unlike those of `is_known`.

    Use it for words that are hardly ever asked again after a moment, such as misspelt ones.
    """
    dictionary, same = _word_forms()
    found = dictionary.similar_keys(word, same) if "е" in word else word in dictionary
    return bool(found) and RUSSIAN.fullmatch(word) is not None


@cache
def _word_forms() -> tuple[Any, Any]:
    """Return the dictionary's word forms, and the substitutions for a search in them: «е» also finds «ё»."""
    return morphology().dictionary.words, morphology().char_substitutes


def has_form_with(word: str, grammemes: frozenset[str]) -> bool:
    """Tell quickly whether a word may have a reading (an analysis) with one of these grammemes.

    False is certain; True means that a full parse must decide.

    >>> has_form_with("госдуме", frozenset({"Orgn"})), has_form_with("кошке", frozenset({"Orgn"}))
    (True, False)

    Args:
        word: the word, of at least two letters. A single letter may be an initial, and initials are not in the
            dictionary.
        grammemes: pymorphy3's names of grammatical values.
    """
    found = _places_of(word.lower())
    paradigms = _paradigms_with(grammemes) if found else frozenset()
    return any(paradigm in paradigms for _, places in found for paradigm, _ in places)


@lru_cache(maxsize=2_048)  # a look-up takes 3 µs, and a word is asked several times in a row
def _places_of(word: str) -> list[tuple[str, list[tuple[int, int]]]]:
    """Return the forms of the dictionary that a word in lower case may be, which differ in «е» and «ё».

    Each stands with its places: the number of a paradigm, and the index of a form in it.
    """
    words, same = _word_forms()
    if "е" in word:
        return words.similar_items(word, same)  # type: ignore[no-any-return]
    places = words.get(word)
    return [(word, places)] if places else []


@cache
def _paradigms_with(grammemes: frozenset[str]) -> frozenset[int]:
    """Return the numbers of the dictionary's paradigms that have a form with one of these grammemes."""
    dictionary = morphology().dictionary
    tags = {number for number, tag in enumerate(dictionary.gramtab) if grammemes & tag.grammemes}
    paradigms = enumerate(dictionary.paradigms)  # the endings of the forms, their tags, their prefixes
    return frozenset(
        number for number, held in paradigms if not tags.isdisjoint(held[len(held) // 3 : len(held) // 3 * 2])
    )


@lru_cache(maxsize=200_000)
def only_form(word: str) -> str:
    """Return a word in lower case with ё instead of е, if the dictionary has it only with ё; otherwise the word itself.

    >>> only_form("еще"), only_form("ребенок"), only_form("все"), only_form("небо")
    ('ещё', 'ребёнок', 'все', 'небо')
    """
    if not RUSSIAN.fullmatch(word):
        return word
    analyser = morphology()
    forms = set(analyser.dictionary.words.similar_keys(word, analyser.char_substitutes))
    return str(forms.pop()) if len(forms) == 1 else word


@lru_cache(maxsize=200_000)
def lemmas_of(word: str) -> tuple[str, ...]:
    """Return all lemmas that a word in lower case may have, each once, the likeliest first, with е for ё.

    A word that is not Russian is its own only lemma.
    """
    if not RUSSIAN.fullmatch(word):
        return (word,)
    return tuple(dict.fromkeys(one.lemma.replace("ё", "е") for one in readings(word)))


def shares_lemma(one: str, other: str) -> bool:
    """Tell whether two words in lower case have a lemma in common.

    >>> shares_lemma("кошка", "кошку"), shares_lemma("кошка", "мошка")
    (True, False)
    """
    return not _plain_lemmas(one).isdisjoint(_plain_lemmas(other))


def _plain_lemmas(word: str) -> set[str]:
    return {name.replace("ё", "е") for name in _known_lemmas(word) or lemmas_of(word)}


@lru_cache(maxsize=50_000)
def _known_lemmas(word: str) -> tuple[str, ...]:
    """Return the lemmas of the dictionary that a word in lower case may be a form of."""
    return tuple({_lemma_at(*place, form) for form, places in _places_of(word) for place in places})


def _lemma_at(number: int, place: int, form: str) -> str:
    """Return the lemma of a form at a place of the dictionary, as pymorphy3's `build_normal_form` does."""
    skipped, dropped, prefix, suffix = _way_to_lemma(number, place)
    return intern(prefix + form[skipped : len(form) - dropped] + suffix)  # many forms share it


@cache
def _way_to_lemma(number: int, place: int) -> tuple[int, int, str, str]:
    """Return how many letters at the start and the end of a form its lemma lacks, and the lemma's letters there."""
    dictionary = morphology().dictionary
    paradigm, prefixes, suffixes = dictionary.paradigms[number], dictionary.paradigm_prefixes, dictionary.suffixes
    at = len(paradigm) // 3 * 2
    old, new = prefixes[paradigm[at + place]], prefixes[paradigm[at]]
    return len(old), len(suffixes[paradigm[place]]), new, suffixes[paradigm[0]]


NAME_LABELS = {"Name": "PER", "Surn": "PER", "Patr": "PER", "Geox": "LOC", "Orgn": "ORG"}
"""Maps pymorphy3's grammemes of proper names to the labels of entities."""


class Reading(NamedTuple):
    """One analysis of a word form.

    Attributes:
        lemma: the dictionary form, in lower case.
        pos: pymorphy3's part of speech (NOUN, ADJF, …); "" for a word that is not Russian.
        grammemes: pymorphy3's names of all grammatical values. The second genitive («чаю» in «стакан чаю») is given as
            the genitive, the second locative as the locative.
        case: pymorphy3's name of the exact case; unlike in `grammemes`, the second genitive and locative have names of
            their own, such as `gen2` and `loc2`. "" if the form has no case.
        exact: the same as `grammemes`, but with the exact case.
        form: the word form as the dictionary writes it: in lower case, with ё.
        known: whether the dictionary has the word; otherwise the analysis is a guess from its ending.
        score: pymorphy3's estimate of how likely this analysis is, in [0, 1].
    """

    lemma: str
    pos: str
    grammemes: frozenset[str]
    case: str
    exact: frozenset[str]
    form: str
    known: bool
    score: float

    @property
    def name(self) -> str:
        """The label of a name, PER, LOC or ORG, if this analysis takes the word for a proper name; otherwise ""."""
        return next((label for grammeme, label in NAME_LABELS.items() if grammeme in self.grammemes), "")


@lru_cache(maxsize=200_000)
def readings(word: str) -> tuple[Reading, ...]:
    """Return the readings (possible analyses) of a word form, the likeliest first.

    A word that is not Russian has one reading, without part of speech and grammemes.

    >>> [(reading.lemma, reading.name) for reading in readings("Твери")][0]
    ('тверь', 'LOC')
    """
    low = word.lower()
    if not RUSSIAN.fullmatch(word):
        return (Reading(low, "", frozenset(), "", frozenset(), low, known=False, score=1.0),)
    if low != word and len(word) > 1:  # one capital letter may be an initial
        return readings(low)
    analyser, forms = morphology(), _places_of(word) if len(word) > 1 else ()
    if not forms:
        parses = analyser.parse(word)
        same = {word: word}  # equal strings are held once
        return tuple(
            Reading(intern(one.normal_form), *_of_tag(one.tag), same.get(one.word, one.word), one.is_known, one.score)
            for one in parses
        )
    # What `parse` finds for a word of the dictionary, in half the time.
    dictionary, chance_of = analyser.dictionary, analyser.prob_estimator.p_t_given_w.get
    found: list[tuple[str, _Tag, str, int]] = []
    for found_form, places in forms:
        form = word if found_form == word else found_form  # equal strings are held once
        for number, place in places:
            paradigm = dictionary.paradigms[number]
            name, tag = _numbered_tag(paradigm[len(paradigm) // 3 + place])
            found.append((_lemma_at(number, place, form), tag, form, chance_of(f"{word}:{name}", 0)))
    found.sort(key=itemgetter(3), reverse=True)
    share = 0.0 if found[0][3] else 1 / len(found)  # nothing is known of how likely they are
    return tuple(
        Reading(lemma, *tag, form, known=True, score=share or chance / 1e6) for lemma, tag, form, chance in found
    )


_Tag = tuple[str, frozenset[str], str, frozenset[str]]


@cache
def _numbered_tag(number: int) -> tuple[str, _Tag]:
    """Return the tag with this number in the dictionary as text, and what `_of_tag` returns for it."""
    tag = morphology().dictionary.gramtab[number]
    return str(tag), _of_tag(tag)


@cache
def _of_tag(tag: Any) -> _Tag:  # noqa: ANN401  (pymorphy3 has no types)
    """Return `pos`, `grammemes`, `case` and `exact` of a `Reading` with this tag; words share a few thousand tags."""
    exact = frozenset(map(str, tag.grammemes))
    return str(tag.POS or ""), frozenset(SECOND_CASES.get(one, one) for one in exact), str(tag.case or ""), exact


@lru_cache(maxsize=100_000)
def has_reading(word: str, *marks: str) -> bool:
    """Tell whether one of the readings (possible analyses) of a word has one of these marks.

    >>> has_reading("стали", "VERB"), has_reading("стали", "Surn")
    (True, False)

    Args:
        word: the word form.
        marks: pymorphy3's names of parts of speech and of grammatical values.
    """
    wanted = frozenset(marks)
    if is_known(word) and len(word) > 1 and not has_form_with(word, wanted):
        return False
    return any(reading.pos in wanted or reading.grammemes & wanted for reading in readings(word))


def has_lemma(word: str, wanted: Container[str]) -> bool:
    """Tell whether a word may be a form of one of several lemmas.

    Args:
        word: the word, in any letter case.
        wanted: the lemmas.
    """
    known = _known_lemmas(word.lower()) if len(word) > 1 else ()
    return any(one in wanted for one in known or (reading.lemma for reading in readings(word)))


def may_be_form(word: str, wanted: frozenset[str]) -> bool:
    """Tell whether a word begins with the same three letters as one of the lemmas in `wanted`.

    This is fast; if the answer is False, the word is certainly not a form of any of them.

    Args:
        word: the word.
        wanted: the lemmas; all forms of each must begin with the same three letters.
    """
    return word[:_BEGIN].lower() in _beginnings(wanted)


@cache
def _beginnings(wanted: frozenset[str]) -> frozenset[str]:
    return frozenset(lemma[:_BEGIN] for lemma in wanted)


_BEGIN = 3


_SHORTEST_NAME = 3


@lru_cache(maxsize=100_000)
def may_be_name(word: str, following: str) -> bool:
    """Tell whether a word in lower case may be a name.

    This is so if one of its readings (possible analyses) is a name, or if the dictionary does not have it. It is also
    so if it is an adjective before a word that forms names, such as «площадь»: «сенная площадь». Words of fewer than
    three letters do not count as names.

    Args:
        word: the word.
        following: the word after it, in lower case; "" at the end of the text.
    """
    if len(word) < _SHORTEST_NAME or not RUSSIAN.fullmatch(word):
        return False
    found = readings(word)
    if any(one.name for one in found) or not any(one.known for one in found):
        return True
    heads = name_heads()
    return bool(
        RUSSIAN.fullmatch(following)
        and any(one.pos == "ADJF" and "Apro" not in one.grammemes for one in found)
        and any(one.lemma in heads for one in readings(following))
    )


_RARER_LEMMAS = frozenset({"больший", "запасный", "меря", "нёбо", "парный", "парок", "полок", "родный"})
"""Lemmas that share forms with a commoner lemma, when pymorphy3 gives both the same probability («большую»)."""


@lru_cache(maxsize=100_000)
def analysis(word: str, pos: str, features: str) -> Reading | None:
    """Return the reading of a word that agrees best with what the tagger (a model of morphology) found in the text.

    If several agree equally well, those with rare lemmas are passed over, and the likeliest of the others is taken.

    Args:
        word: the word form.
        pos: its universal part of speech, by the tagger.
        features: its universal features, by the tagger: `Case=Nom|…`.

    Returns:
        The reading; None if the word is not Russian.
    """
    if not RUSSIAN.fullmatch(word):
        return None
    wanted = _POS.get(pos, ())
    names = features.split("|")
    grammemes = {_GRAMMEMES[name] for name in names if name in _GRAMMEMES}
    kinds = [_KINDS[name] for name in names if name in _KINDS]

    def agreement(one: Reading) -> tuple[bool, int, bool]:
        agrees = len(grammemes & one.grammemes) + sum(one.pos in kind for kind in kinds)
        return one.pos in wanted, agrees, one.lemma not in _RARER_LEMMAS

    return max(readings(word), key=agreement)


def lemma(word: str, pos: str, features: str) -> str:
    """Return the lemma of a word of a text, chosen by what the tagger (a model of morphology) found there.

    A word that is not Russian is returned in lower case.

    Args:
        word: the word form.
        pos: its universal part of speech, by the tagger.
        features: its universal features, by the tagger: `Case=Nom|…`.
    """
    found = analysis(word, pos, features)
    return word.lower() if found is None else found.lemma
