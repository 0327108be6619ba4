"""The role of each dependent of a predicate in its clause, checked against the dictionary of word forms."""

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

from augment_ru.editing.syntax import Syntax
from augment_ru.language.inflection import NUMBERS
from augment_ru.language.morphology import GENDERS, is_known, readings
from augment_ru.resources import kinds_in, same_word
from augment_ru.text.doc import Token
from augment_ru.text.words import RUSSIAN


class Role(StrEnum):
    """The role of a phrase in its clause, such as subject.

    The values are the letters by which `dictionaries/clause_orders.tsv` writes the order of a clause.
    """

    SUBJECT, PRONOUN_SUBJECT, RELATIVE_SUBJECT = "S", "s", "W"
    OBJECT, DATIVE, PRONOUN_OBJECT = "O", "D", "o"
    PREDICATE, APPEARING, PASSIVE, BEING, NEGATED, INFINITIVE = "P", "E", "V", "B", "N", "F"
    SCOPED = "Q"  # a predicate with a word of scope, such as «только»
    TIME, TRANSITION, PLACE, MANNER = "T", "U", "L", "M"
    AGENT, OBLIQUE, INSTRUMENTAL = "A", "Y", "I"
    REST = "R"  # anything else, which stays beside what stands before it
    LEAD = ""  # what stays in front of all others


PREDICATES = frozenset({
    Role.PREDICATE, Role.APPEARING, Role.PASSIVE, Role.BEING, Role.NEGATED, Role.INFINITIVE,
})  # fmt: skip
"""The roles of predicates that may move."""
_LEADING = frozenset({"cc", "mark"})
_BOUND = frozenset({"aux", "aux:pass"})
_VERBAL = frozenset({"VERB", "AUX"})
_NOUNS = frozenset({"NOUN", "PROPN"})
_NOMINAL = _NOUNS | {"NUM", "ADJ", "DET"}
CASES = {
    "Nom": {"nomn"}, "Gen": {"gent", "gen2"}, "Dat": {"datv"}, "Acc": {"accs"}, "Ins": {"ablt"},
    "Loc": {"loct", "loc2"},
}  # fmt: skip
"""The grammemes of each case of Universal Dependencies."""
_FINITE = frozenset({"VERB", "PRTS"})
_NUMBERS = {"Sing": "sing", "Plur": "plur"}
_GENDERS = {"Masc": "masc", "Fem": "femn", "Neut": "neut"}


@lru_cache(maxsize=50_000)
def kinds_of(word: str) -> frozenset[str]:
    """Return the kinds that `dictionaries/word_order.tsv` gives a word or lemma, such as `manner`; often none.

    The file explains the kinds, which decide what `word_order` may move.
    """
    return kinds_in("word_order", same_word(word))


@lru_cache(maxsize=10_000)
def feature_values(features: str) -> Mapping[str, str]:
    """Split universal features such as `Case=Nom|Number=Sing` into a dictionary of names and values."""
    return dict(pair.split("=", 1) for pair in features.split("|") if "=" in pair)


@lru_cache(maxsize=200_000)
def readings_of(word: str) -> tuple[tuple[str, ...], ...]:
    """Return the part of speech, case, number and gender of each reading (analysis) of a word in lower case.

    The values are pymorphy3's names; a value that a reading lacks is the text "None". The result is empty for a word
    that is not Russian.
    """
    found = readings(word) if RUSSIAN.fullmatch(word) else ()
    return tuple(
        (one.pos or "None", one.case or "None", *(min(one.exact & kind, default="None") for kind in (NUMBERS, GENDERS)))
        for one in found
    )


def may_be_case(token: Token, case: str) -> bool:
    """Tell whether a word may be in this case of Universal Dependencies (Nom, Acc, …), by the dictionary.

    The result is True for a word that the dictionary does not have.
    """
    word = token.text.lower()
    found = readings_of(word) if is_known(word) else ()
    nouns = [one for pos, one, _, _ in found if pos == "NOUN"] if token.pos in _NOUNS else []
    return not found or any(one in CASES[case] for one in nouns or [one for _, one, _, _ in found])


def predicate_role(tree: Syntax, number: int) -> Role | None:
    """Return the role of a token as a predicate, such as `PASSIVE`; None if it is not a predicate.

    Args:
        tree: the tree of the sentence.
        number: the index of the token, from 0.
    """
    token = tree.tokens[number]
    if token.pos not in _VERBAL or tree.marks[number]:
        return None
    features = feature_values(token.features)
    form = features.get("VerbForm")
    parts = {pos for pos, *_ in readings_of(token.text.lower())}
    if form == "Inf":
        return Role.INFINITIVE if "INFN" in parts and token.relation in ("xcomp", "csubj", "ccomp", "root") else None
    if form == "Part" and features.get("Variant") == "Short" and "PRTS" in parts:
        return Role.PASSIVE
    if form != "Fin" or features.get("Mood") != "Ind" or "VERB" not in parts or token.relation in _BOUND | {"cop"}:
        return None
    kinds = kinds_of(token.lemma)
    if "being" in kinds:
        return Role.BEING
    return Role.APPEARING if "appear" in kinds else Role.PREDICATE


def joined_role(tree: Syntax, number: int, role: Role, *, before: bool) -> Role | None:
    """Return the role that a predicate has together with the word beside it; None if that word does not belong to it.

    An auxiliary or an adverb does not change the role. «не» makes the role `NEGATED`. Another word that limits the
    predicate, such as «только», makes it `SCOPED`.

    Args:
        tree: the tree of the sentence.
        number: the index of the word before or after the predicate.
        role: the role of the predicate by itself.
        before: whether the word comes before the predicate.
    """
    token = tree.tokens[number]
    word, kinds = token.text.lower(), kinds_of(token.text)
    if tree.size(number) != 1:
        return None
    if token.relation in _BOUND:
        return Role.SCOPED if word in ("бы", "б") else role
    if word in ("не", "ни"):
        negated = Role.NEGATED if role in (Role.PREDICATE, Role.APPEARING, Role.NEGATED) else Role.SCOPED
        return negated if before and word == "не" else None
    if not before or token.relation != "advmod" or kinds & (_MOBILE | {"clausal"}):
        return None
    return Role.SCOPED if "scope" in kinds and "temporal_scope" not in kinds else role


_MOBILE = frozenset({"time_adverb", "place_adverb", "manner", "transition"})
"""The kinds of adverbs that are constituents of their own."""


def agrees_with_subject(tree: Syntax, subject: int, predicate: int) -> bool:
    """Tell whether a subject is in the nominative and agrees with its predicate.

    Args:
        tree: the tree of the sentence.
        subject: the index of the subject's token, from 0.
        predicate: the index of the predicate's token.
    """
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


def role_of(tree: Syntax, number: int, first: int, last: int) -> Role:
    """Return the role of a phrase that depends on a predicate, such as subject or object.

    Args:
        tree: the tree of the sentence.
        number: the index of the phrase's head, from 0.
        first: the index of its first token.
        last: the index of the token after its last one.
    """
    token = tree.tokens[number]
    features = feature_values(token.features)
    role = Role.REST
    if token.relation in _LEADING:
        role = Role.LEAD
    elif any(_is_verb(tree.tokens[one]) and tree.tokens[one].relation == "conj" for one in tree.dependents[number]):
        role = Role.REST  # the parser joined a second predicate to a noun: «бросил меч и захохотал»
    elif token.relation.startswith("nsubj"):
        role = _subject(tree, number, features)
    elif token.pos == "ADV":
        role = _adverb(token.text.lower()) if last - first == 1 or "manner" in kinds_of(token.text) else Role.REST
    elif token.pos == "PRON":
        role = _pronoun(tree, number, first, features)
    elif token.pos in _NOMINAL:
        role = _nominal(tree, token, features, range(first, last))
    return role


def _is_verb(token: Token) -> bool:
    return {pos for pos, *_ in readings_of(token.text.lower())} == {"VERB"}


def _subject(tree: Syntax, number: int, features: Mapping[str, str]) -> Role:
    token = tree.tokens[number]
    if token.lemma == "который":
        return Role.RELATIVE_SUBJECT
    if token.pos == "PRON":
        return Role.PRONOUN_SUBJECT if "Person" in features and not tree.dependents[number] else Role.REST
    parts = {pos for pos, *_ in readings_of(token.text.lower())}
    return Role.SUBJECT if token.pos in _NOUNS or token.pos == "ADJ" or parts == {"NOUN"} else Role.REST


_ADVERBS = {
    "time_adverb": Role.TIME, "transition": Role.TRANSITION, "place_adverb": Role.PLACE, "manner": Role.MANNER,
}  # fmt: skip
"""The role of each kind of adverb."""


def _adverb(word: str) -> Role:
    kinds = kinds_of(word)
    return next((role for kind, role in _ADVERBS.items() if kind in kinds), Role.REST)


def _pronoun(tree: Syntax, number: int, first: int, features: Mapping[str, str]) -> Role:
    """Return `PRONOUN_OBJECT` for a pronoun that is an object, alone or after one preposition; else `REST`."""
    token = tree.tokens[number]
    alone = first == number or (first == number - 1 and tree.tokens[first].pos == "ADP")
    personal = "Person" in features or token.text.lower() in ("это", "этого", "этому", "этим", "этом")
    if not alone or not personal or features.get("Case") == "Nom":
        return Role.REST
    return Role.PRONOUN_OBJECT if token.relation in ("obj", "iobj", "obl") else Role.REST


def _nominal(tree: Syntax, token: Token, features: Mapping[str, str], span: range) -> Role:
    case = features.get("Case", "")
    words = [tree.tokens[at].text.lower() for at in span]
    preposition = words[0] if tree.tokens[span[0]].pos == "ADP" else ""
    if case not in CASES or not may_be_case(token, case):
        return Role.REST
    if token.relation in _OBLIQUE and _is_time(tree, token, preposition, case, span):
        return Role.TIME
    if len(span) == 1 and "time_adverb" in kinds_of(token.text):  # «утром»
        return Role.TIME
    kinds = kinds_of(token.lemma)
    if preposition:
        return _behind_preposition(token, preposition, case, alone=len(span) == 2)  # noqa: PLR2004
    if kinds & {"light", "time"}:
        return Role.REST
    dative = Role.DATIVE if features.get("Animacy") == "Anim" else Role.OBLIQUE  # «угрожать миру» is as «идти к миру»
    genitive = Role.OBLIQUE if token.pos in _NOUNS else Role.REST
    found = {
        ("obj", "Acc"): Role.OBJECT, ("obj", "Gen"): genitive, ("iobj", "Dat"): dative,
        ("obl:agent", "Ins"): Role.AGENT,
    }  # fmt: skip
    return found.get((token.relation, case), Role.INSTRUMENTAL if case == "Ins" else Role.REST)


def _behind_preposition(token: Token, preposition: str, case: str, *, alone: bool) -> Role:
    """Return the role of a noun after a preposition.

    Args:
        token: the noun.
        preposition: the preposition in lower case.
        case: the case of the noun.
        alone: whether the constituent has no other words.
    """
    kinds = kinds_of(token.lemma)
    if token.relation != "obl" or (alone and "connector" in kinds):
        return Role.REST
    place = "place" in kinds or token.entity.endswith("LOC")
    return Role.PLACE if place and "place_preposition" in kinds_of(preposition) and case == "Loc" else Role.OBLIQUE


_OBLIQUE = frozenset({"obl", "nmod", "advmod"})


def _is_time(tree: Syntax, token: Token, preposition: str, case: str, span: range) -> bool:
    """Tell whether a noun with its words says when: «в 1990 году», «каждый день», «после войны», «во время войны»."""
    words = [tree.tokens[at].text.lower() for at in span]
    if words[0] == "после" or words[:2] in (["во", "время"], ["в", "течение"], ["в", "ходе"]):
        return True
    if "time" not in kinds_of(token.lemma):
        return False
    if preposition:
        return "time_preposition" in kinds_of(preposition)
    described = len(span) > 1 and tree.tokens[span[0]].pos in ("ADJ", "DET", "NUM")
    return described and case in ("Acc", "Gen", "Ins")


def is_movable(tree: Syntax, first: int, last: int) -> bool:
    """Tell whether some tokens look like a phrase that can be moved without the words around it.

    Such a phrase has no finite verb, no gerund, no subordinating conjunction and no focus particle («только»). Each
    preposition is followed by its noun inside the phrase, and the last word requires no further word (as a preposition
    would).

    Args:
        tree: the tree of the sentence.
        first: the index of the first token, from 0.
        last: the index of the token after the last one.
    """
    tokens = tree.tokens
    if last - first == 1 and "transition" in kinds_of(tokens[first].text):
        return True
    if any(_says_more(tokens[number]) or _is_misplaced(tree, number, first, last) for number in range(first, last)):
        return False
    end = tokens[last - 1]
    late = end.pos == "ADV" and first <= end.head < last - 1 and tokens[end.head].pos != "ADV"
    late = late and end.text.lower() != "назад"  # «два года назад»
    return end.pos not in ("ADP", "CCONJ", "DET") and not late


def _says_more(token: Token) -> bool:
    """Tell whether a word is a predicate or says something about other constituents."""
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
    """Tell whether a word is where no word of its kind can be, so that the tree must be wrong.

    A preposition must come before its noun. A noun must not come before the noun that it depends on («вражде
    приятели»), nor after it in the nominative or accusative.
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
