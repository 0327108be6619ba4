"""What a dependent of a predicate does in its clause, checked against the dictionary of word forms."""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from augment_ru.editing.syntax import Syntax
from augment_ru.language.morphology import is_known, morphology
from augment_ru.resources import dictionary_path, rows, same_word
from augment_ru.text.doc import Token
from augment_ru.text.words import RUSSIAN

LEAD, REST = "", "R"
PREDICATES = frozenset("PEVFB")
"""The roles of predicates that say what happens, without «не»."""
_TIME_PREPOSITIONS = frozenset({"в", "во", "на", "с", "со", "к", "через", "спустя", "перед", "после"})
_PLACE_PREPOSITIONS = frozenset({"в", "во", "на"})
_LEADING = frozenset({"cc", "mark"})
_BOUND = frozenset({"aux", "aux:pass"})
_VERBAL = frozenset({"VERB", "AUX"})
_NOUNS = frozenset({"NOUN", "PROPN"})
_NOMINAL = _NOUNS | {"NUM", "ADJ", "DET"}
CASES = {
    "Nom": {"nomn"}, "Gen": {"gent", "gen2"}, "Dat": {"datv"}, "Acc": {"accs"}, "Ins": {"ablt"},
    "Loc": {"loct", "loc2"},
}  # fmt: skip
"""The grammemes of each universal case."""
_FINITE = frozenset({"VERB", "PRTS"})
_NUMBERS = {"Sing": "sing", "Plur": "plur"}
_GENDERS = {"Masc": "masc", "Fem": "femn", "Neut": "neut"}


@cache
def _kinds() -> Mapping[str, frozenset[str]]:
    """The kinds of each word of the dictionary."""
    found: dict[str, set[str]] = {}
    for kind, word in rows(dictionary_path("word_order"), columns=2):
        found.setdefault(word, set()).add(kind)
    return {word: frozenset(kinds) for word, kinds in found.items()}


@lru_cache(maxsize=50_000)
def kinds_of(word: str) -> frozenset[str]:
    """The kinds of a word or lemma in `dictionaries/word_order.tsv`; none if it does not stand there."""
    return _kinds().get(same_word(word), frozenset())


@lru_cache(maxsize=10_000)
def feature_values(features: str) -> Mapping[str, str]:
    """Universal features by name."""
    return dict(pair.split("=", 1) for pair in features.split("|") if "=" in pair)


@lru_cache(maxsize=200_000)
def readings_of(word: str) -> tuple[tuple[str, str, str, str], ...]:
    """The part of speech, case, number and gender of each reading of a word in lower case; none of foreign words."""
    if not RUSSIAN.fullmatch(word):
        return ()
    return tuple(
        (str(tag.POS), str(tag.case), str(tag.number), str(tag.gender)) for tag in (one.tag for one in _parses(word))
    )


def _parses(word: str) -> Any:  # noqa: ANN401  (pymorphy3 has no types)
    return morphology().parse(word)


def may_be_case(token: Token, case: str) -> bool:
    """Whether a reading of a word has a case (Nom, Acc, …); a word of no known reading may have any."""
    word = token.text.lower()
    found = readings_of(word) if is_known(word) else ()
    nouns = [one for pos, one, _, _ in found if pos == "NOUN"] if token.pos in _NOUNS else []
    return not found or any(one in CASES[case] for one in nouns or [one for _, one, _, _ in found])


def predicate_role(tree: Syntax, number: int) -> str:
    """The role of a token as a predicate; "" if it is none."""
    token = tree.tokens[number]
    if token.pos not in _VERBAL or tree.marks[number]:
        return ""
    features = feature_values(token.features)
    form = features.get("VerbForm")
    parts = {pos for pos, *_ in readings_of(token.text.lower())}
    if form == "Inf":
        return "F" if "INFN" in parts and token.relation in ("xcomp", "csubj", "ccomp", "root") else ""
    if form == "Part" and features.get("Variant") == "Short" and "PRTS" in parts:
        return "V"
    if form != "Fin" or features.get("Mood") != "Ind" or "VERB" not in parts or token.relation in _BOUND | {"cop"}:
        return ""
    kinds = kinds_of(token.lemma)
    if "being" in kinds:
        return "B"
    return "E" if "appear" in kinds else "P"


def joins_predicate(tree: Syntax, number: int, *, before: bool) -> str:
    """How a dependent beside the predicate joins it: "N" («не»), "Q" (another word of scope), "+", or "" if not."""
    token = tree.tokens[number]
    if tree.size(number) != 1:
        return ""
    word = token.text.lower()
    if token.relation in _BOUND:
        return "Q" if word in ("бы", "б") else "+"
    if word in ("не", "ни"):
        return "N" if before and word == "не" else ""
    if not before or token.relation != "advmod" or word in _CLAUSAL or kinds_of(word) & _MOBILE:
        return ""
    return "Q" if "scope" in kinds_of(word) and word not in _HARMLESS else "+"


_HARMLESS = frozenset({"уже", "ещё", "еще"})
"""Words of scope that may stay before the predicate whatever else moves."""
_CLAUSAL = frozenset({"что", "кто", "где", "когда", "куда", "откуда", "почему", "зачем", "как", "вот"})
_MOBILE = frozenset({"time_adverb", "place_adverb", "manner", "transition"})
"""Kinds of adverbs that are constituents of their own."""


def agrees_with_subject(tree: Syntax, subject: int, predicate: int) -> bool:
    """Whether a subject is a nominative that agrees with its predicate."""
    token, verb = tree.tokens[subject], tree.tokens[predicate]
    word, found = token.text.lower(), feature_values(token.features)
    if found.get("Case") != "Nom" and not is_known(word):
        return False
    if token.pos in _VERBAL:  # the tagger took a noun for a verb
        found = {}
    is_present = "VerbForm=Fin" in verb.features and "Tense=Past" not in verb.features
    if is_present and feature_values(verb.features).get("Person", "3") != found.get("Person", "3"):
        return False
    if any(tree.tokens[one].relation == "conj" for one in tree.dependents[subject]):
        subjects = {("plur", "None")}
    elif is_known(word):
        subjects = {(number, gender) for _, case, number, gender in readings_of(word) if case == "nomn"}
    else:  # a name that the dictionary does not have
        gender = "None" if token.entity else _GENDERS.get(found.get("Gender", ""), "None")
        subjects = {(_NUMBERS.get(found.get("Number", ""), "None"), gender)}
    return any(
        _same(number, other) and (number == "plur" or _same(gender, its))
        for pos, _, number, gender in readings_of(verb.text.lower())
        if pos in _FINITE
        for other, its in subjects
    )


def _same(one: str, other: str) -> bool:
    return one == other or "None" in (one, other)


def role_of(tree: Syntax, number: int, first: int, last: int) -> str:
    """The role of a dependent of a predicate whose words are the tokens from `first` up to `last`."""
    token = tree.tokens[number]
    features = feature_values(token.features)
    role = REST
    if token.relation in _LEADING:
        role = LEAD
    elif token.relation.startswith("nsubj"):
        role = _subject(tree, number, features)
    elif token.pos == "ADV":
        role = _adverb(token.text.lower()) if last - first == 1 or "manner" in kinds_of(token.text) else REST
    elif token.pos == "PRON":
        role = _pronoun(tree, number, first, features)
    elif token.pos in _NOMINAL:
        role = _nominal(tree, token, features, range(first, last))
    return role


def _subject(tree: Syntax, number: int, features: Mapping[str, str]) -> str:
    token = tree.tokens[number]
    if token.lemma == "который":
        return "W"
    if token.pos == "PRON":
        return "s" if "Person" in features and not tree.dependents[number] else REST
    parts = {pos for pos, *_ in readings_of(token.text.lower())}
    return "S" if token.pos in _NOUNS or token.pos == "ADJ" or parts == {"NOUN"} else REST


def _adverb(word: str) -> str:
    kinds = kinds_of(word)
    for kind, role in (("time_adverb", "T"), ("transition", "U"), ("place_adverb", "L"), ("manner", "M")):
        if kind in kinds:
            return role
    return REST


def _pronoun(tree: Syntax, number: int, first: int, features: Mapping[str, str]) -> str:
    """A pronoun as an object, also behind one preposition."""
    token = tree.tokens[number]
    alone = first == number or (first == number - 1 and tree.tokens[first].pos == "ADP")
    personal = "Person" in features or token.text.lower() in ("это", "этого", "этому", "этим", "этом")
    if not alone or not personal or features.get("Case") == "Nom":
        return REST
    return "o" if token.relation in ("obj", "iobj", "obl") else REST


def _nominal(tree: Syntax, token: Token, features: Mapping[str, str], span: range) -> str:
    case = features.get("Case", "")
    words = [tree.tokens[at].text.lower() for at in span]
    preposition = words[0] if tree.tokens[span[0]].pos == "ADP" else ""
    if case not in CASES or not may_be_case(token, case):
        return REST
    if token.relation in _OBLIQUE and _is_time(tree, token, preposition, case, span):
        return "T"
    if len(span) == 1 and "time_adverb" in kinds_of(token.text):  # «утром»
        return "T"
    kinds = kinds_of(token.lemma)
    if preposition:
        return _behind_preposition(token, preposition, case, alone=len(span) == 2)  # noqa: PLR2004
    if kinds & {"light", "time"}:
        return REST
    is_person = features.get("Animacy") == "Anim"
    return {("obj", "Acc"): "O", ("obl:agent", "Ins"): "A", ("iobj", "Dat"): "D" if is_person else REST}.get(
        (token.relation, case), "I" if case == "Ins" else REST
    )


def _behind_preposition(token: Token, preposition: str, case: str, *, alone: bool) -> str:
    """The role of a noun behind a preposition; `alone`: whether it has no other words."""
    kinds = kinds_of(token.lemma)
    if token.relation != "obl" or (alone and "connector" in kinds):
        return REST
    place = "place" in kinds or token.entity.endswith("LOC")
    return "L" if place and preposition in _PLACE_PREPOSITIONS and case == "Loc" else "Y"


_OBLIQUE = frozenset({"obl", "nmod", "advmod"})


def _is_time(tree: Syntax, token: Token, preposition: str, case: str, span: range) -> bool:
    """Whether a nominal says when: «в 1990 году», «каждый день», «после войны», «во время войны»."""
    words = [tree.tokens[at].text.lower() for at in span]
    if words[0] == "после" or words[:2] in (["во", "время"], ["в", "течение"], ["в", "ходе"]):
        return True
    if "time" not in kinds_of(token.lemma):
        return False
    if preposition:
        return preposition in _TIME_PREPOSITIONS
    described = len(span) > 1 and tree.tokens[span[0]].pos in ("ADJ", "DET", "NUM")
    return described and case in ("Acc", "Gen", "Ins")


def is_movable(tree: Syntax, first: int, last: int) -> bool:
    """Whether tokens look like one constituent that has nothing to say about others.

    It holds no finite verb, gerund, conjunction of clauses or word of scope; each preposition stands before its noun,
    and the last word does not wait for another.
    """
    tokens = tree.tokens
    if last - first == 1 and "transition" in kinds_of(tokens[first].text):
        return True
    if any(
        not (first <= tokens[number].head < last or tree.reach(number) == (first, last - 1))
        or _says_more(tokens[number])
        or _is_misplaced(tree, number, first, last)
        for number in range(first, last)
    ):
        return False
    end = tokens[last - 1]
    late = end.pos == "ADV" and first <= end.head < last - 1 and tokens[end.head].pos != "ADV"
    return end.pos not in ("ADP", "CCONJ", "DET") and not late


def _says_more(token: Token) -> bool:
    """Whether a word is a predicate, or says something of other constituents."""
    features = feature_values(token.features)
    parts = {pos for pos, *_ in readings_of(token.text.lower())}
    if (
        token.pos in _VERBAL
        and parts != {"NOUN"}
        and (features.get("VerbForm") != "Part" or features.get("Variant") == "Short")
    ):
        return True
    return token.pos in _SMALL or "scope" in kinds_of(token.text) or "scope" in kinds_of(token.lemma)


_SMALL = frozenset({"SCONJ", "PART", "INTJ", "X", "SYM"})


def _is_misplaced(tree: Syntax, number: int, first: int, last: int) -> bool:
    """Whether a word stands where none of its kind does, so that the tree must be wrong.

    A preposition stands in front of its noun; a noun stands neither in front of the noun that it depends on («вражде
    приятели»), nor behind it in the nominative or accusative.
    """
    token, tokens = tree.tokens[number], tree.tokens
    if token.pos == "ADP":
        return not number < token.head < last
    if token.pos not in _NOUNS or not first <= token.head < last:
        return False
    bare = not any(tokens[one].pos == "ADP" for one in tree.dependents[number])
    of_wrong_case = bare and feature_values(token.features).get("Case") in ("Nom", "Acc")
    before = number < token.head and tokens[token.head].pos in _NOUNS
    return before or (token.relation == "nmod" and of_wrong_case)
