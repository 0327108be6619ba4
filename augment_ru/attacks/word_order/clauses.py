"""The clauses of a statement, their constituents, and the role of each, where syntax tree and morphology agree."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from augment_ru.editing.syntax import CLOSING, Syntax
from augment_ru.language.inflection import NUMBERS
from augment_ru.language.morphology import GENDERS, is_known, readings
from augment_ru.resources import kinds_in, listed_in, same_word
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
_NOUN_LIKE = _NOUNS | {"NUM", "ADJ", "DET"}
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
    elif token.pos in _NOUN_LIKE:
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


QUOTES = frozenset("«„“\"'”»")
_LONGEST_SHORTENED = 4
_SUBJECTS = frozenset({Role.SUBJECT, Role.PRONOUN_SUBJECT, Role.RELATIVE_SUBJECT})
_NOUN_TAIL = frozenset({Role.PLACE, Role.OBLIQUE, Role.AGENT, Role.REST})
"""Roles of constituents that may belong to the noun in front of them, whatever the tree says."""
_NOMINAL = frozenset({Role.SUBJECT, Role.OBJECT, Role.DATIVE, Role.INSTRUMENTAL, Role.TIME, *_NOUN_TAIL}) - {Role.REST}
_APART = frozenset({"conj", "parataxis", "ccomp", "advcl"})
"""The relations of clauses and predicates that are not part of the clause above them."""


@dataclass(frozen=True, slots=True)
class Constituent:
    """Words of a clause that stay together when its order changes.

    Attributes:
        first, last: the range of its tokens, by their indices in the text; `last` is one past its last token.
        head: the index of the token that governs the others.
        role: its role in the clause, such as subject or expression of time.
    """

    first: int
    last: int
    head: int
    role: Role


def constituents_of(tree: Syntax, predicate: int, role: Role) -> list[Constituent] | None:
    """Find the constituents (phrases) around a predicate, up to the next punctuation on both sides, in their order.

    Constituents that must stay in front of all others come first and have the role `Role.LEAD`.

    Args:
        tree: the tree of the sentence.
        predicate: the index of the predicate's token, from 0.
        role: the role of the predicate.

    Returns:
        The constituents; None if the tree looks wrong there.
    """
    reaches = ((one, *tree.reach(one)) for one in tree.dependents[predicate])
    found = [Constituent(low, high + 1, one, Role.LEAD) for one, low, high in reaches]
    found.append(Constituent(predicate, predicate + 1, predicate, role))
    found.sort(key=lambda one: one.first)
    if any(right.first < left.last for left, right in pairwise(found)):
        return None
    at = next(index for index, one in enumerate(found) if one.head == predicate)
    low, high = at, at
    while low and _follows(tree, found[low - 1], found[low], predicate):
        low -= 1
    while high + 1 < len(found) and _follows(tree, found[high], found[high + 1], predicate):
        high += 1
    if any(tree.tokens[one.head].text.lower() in ("не", "как") for one in found[low : at - 1]):
        return None
    named = _named(tree, found[low : high + 1], at - low)
    waits = any(tree.tokens[one.last - 1].pos in ("ADP", "CCONJ") and one.role != Role.LEAD for one in named)
    if waits or any(_may_belong(tree, *pair) for pair in pairwise(named)):
        return None
    return _with_tails(tree, named)


def _follows(tree: Syntax, left: Constituent, right: Constituent, predicate: int) -> bool:
    """Tell whether `right` comes directly after `left`, and neither has punctuation in it."""
    heads = [one.head for one in (left, right) if one.head != predicate]
    return left.last == right.first and all(
        tree.is_whole(head) and tree.tokens[head].relation not in _APART for head in heads
    )


def _named(tree: Syntax, window: Sequence[Constituent], at: int) -> list[Constituent]:
    """Give the constituents their roles, and join the predicate with the small words around it that belong to it.

    Args:
        tree: the tree of the sentence.
        window: the constituents.
        at: the index of the predicate among them.
    """
    core, low, high = window[at], at, at
    while low and (role := joined_role(tree, window[low - 1].head, core.role, before=True)):
        low -= 1
        core = replace(core, first=window[low].first, role=role)
    while high + 1 < len(window) and (role := joined_role(tree, window[high + 1].head, core.role, before=False)):
        high += 1
        core = replace(core, last=window[high].last, role=role)
    return [
        *(_with_role(tree, one) for one in window[:low]),
        core,
        *(_with_role(tree, one) for one in window[high + 1 :]),
    ]


def _with_role(tree: Syntax, one: Constituent) -> Constituent:
    role = role_of(tree, one.head, one.first, one.last)
    if role not in (Role.LEAD, Role.REST, Role.RELATIVE_SUBJECT) and not is_movable(tree, one.first, one.last):
        role = Role.REST
    return replace(one, role=role)


def _may_belong(tree: Syntax, left: Constituent, right: Constituent) -> bool:
    """Tell whether the last word of `left` may be an attribute of `right`: «с востока Марьин парк»."""
    end, start = tree.tokens[left.last - 1], tree.tokens[right.first]
    before_noun = end.pos in ("PROPN", "ADJ") and start.pos == "NOUN" and right.role == Role.SUBJECT
    return before_noun and may_be_case(end, "Nom")


def _with_tails(tree: Syntax, found: Sequence[Constituent]) -> list[Constituent] | None:
    """Join constituents that stay together.

    A constituent is joined to the noun in front of it if it may belong to it, and to an expression of time in front of
    it if it is one, too.

    Returns:
        The constituents; None if one that must stand in front comes after one that may move.
    """
    merged: list[Constituent] = []
    for one in found:
        before = merged[-1] if merged and merged[-1].role != Role.LEAD else None
        if before is None and one.role in (Role.LEAD, Role.REST):
            merged.append(replace(one, role=Role.LEAD))
        elif one.role == Role.LEAD:
            return None
        elif before is not None and (one.role == before.role == Role.TIME or _stays_behind(tree, before, one)):
            merged[-1] = replace(before, last=one.last)
        else:
            merged.append(one)
    return merged


def _stays_behind(tree: Syntax, noun: Constituent, one: Constituent) -> bool:
    """Tell whether a constituent may belong to the noun in front of it; an infinitive or an adverb does not."""
    bare = one.role == Role.REST and tree.tokens[one.head].pos in ("VERB", "AUX", "ADV", "PART", "PRON")
    tail = frozenset({Role.REST}) if noun.role == Role.TIME else _NOUN_TAIL  # «весной прошлого года»
    return one.role in tail and noun.role in _NOMINAL and not bare


@dataclass(frozen=True, slots=True)
class Clause:
    """The constituents (phrases) around a predicate, up to the next punctuation on both sides.

    Attributes:
        tree: the tree of the sentence.
        predicate: the index of the predicate's token, from 0.
        constituents: the constituents that may move, in their order.
        leads: whether conjunctions, and nothing else, must stay in front of the constituents.
        opens: whether the first constituent begins with the first word of the sentence.
        closed: whether the clause ends after the last constituent.
        subordinate: whether the clause is part of another clause.
        shared: whether another predicate has the same subject.
    """

    tree: Syntax
    predicate: int
    constituents: Sequence[Constituent]
    leads: bool
    opens: bool
    closed: bool
    subordinate: bool
    shared: bool

    @property
    def pattern(self) -> str:
        """The roles of the clause's constituents (subject, predicate, …) in order, one letter (`Role`) for each."""
        return "".join(one.role for one in self.constituents)


def clauses_of(tree: Syntax) -> Iterator[Clause]:
    """Yield the clauses of a sentence whose tree looks right; a question or an unfinished sentence gives none."""
    if makes_statement(tree):
        for number in range(tree.first, tree.last):
            role = predicate_role(tree, number)
            clause = _clause(tree, number, role) if role else None
            if clause is not None:
                yield clause


def makes_statement(tree: Syntax) -> bool:
    """Tell whether a sentence is a statement: it asks nothing, and its end is certain.

    The end is certain if the sentence has a closing mark that does not belong to an abbreviation, or if the text ends
    there.
    """
    tokens = tree.tokens
    if any("?" in tokens[number].text for number in range(tree.first, tree.last) if tree.marks[number]):
        return False
    behind = tokens[tree.last].text[0] if tree.last < len(tokens) else ""
    if behind and (tokens[tree.last - 1].text not in CLOSING or behind.islower() or behind.isdigit()):
        return False
    if tree.last - tree.first == 1 or tokens[tree.last - 1].text != ".":
        return True
    word = tokens[tree.last - 2].text.lower()  # a full stop may belong to it («в 1990 г.»)
    long = len(word) > _LONGEST_SHORTENED or (len(word) > 1 and is_known(word))
    return long and word not in listed_in("shortened_words")


def _clause(tree: Syntax, predicate: int, role: Role) -> Clause | None:
    """Return the clause of a predicate; None if its tree looks wrong."""
    tokens = tree.tokens
    subjects = [one for one in tree.dependents[predicate] if "subj" in tokens[one].relation]
    if not _has_right_subject(tree, predicate, subjects, role):
        return None
    found = constituents_of(tree, predicate, role)
    if not found or (subjects and _SUBJECTS.isdisjoint(one.role for one in found)):
        return None
    leads = [one for one in found if one.role == Role.LEAD]
    doubtful = leads if subjects else [*leads, *(one for one in found if one.role == Role.REST)]
    if (role == Role.INFINITIVE and leads) or any(_may_be_argument(tree, one) for one in doubtful):
        return None
    first, last = found[0].first, found[-1].last
    if not _is_bounded(tree, first, last, predicate):
        return None
    conjoined = [one for one in tree.dependents[predicate] if tokens[one].relation == "conj"]
    relations = [tokens[one.head].relation for one in leads]
    return Clause(
        tree,
        predicate,
        found[len(leads) :],
        leads=bool(leads) and all(relation in ("cc", "mark") for relation in relations),
        opens=not leads and all(tree.marks[number] for number in range(tree.first, first)),
        closed=_ends(tree, last, predicate, conjoined),
        subordinate="mark" in relations or tokens[predicate].relation in ("acl:relcl", "advcl", "ccomp"),
        shared=not all(_has_subject(tree, one) for one in conjoined),
    )


def _has_right_subject(tree: Syntax, predicate: int, subjects: Sequence[int], role: Role) -> bool:
    """Tell whether a predicate has one subject that agrees with it, or needs no subject.

    An infinitive, a verb in the plural and a verb in the first or second person need none.
    """
    token = tree.tokens[predicate]
    if subjects:
        nominal = len(subjects) == 1 and tree.tokens[subjects[0]].relation[0] == "n"
        return nominal and agrees_with_subject(tree, subjects[0], predicate)
    says_who = any(sign in token.features for sign in ("Number=Plur", "Person=1", "Person=2"))
    return token.relation != "conj" and (role == Role.INFINITIVE or says_who)


def _may_be_argument(tree: Syntax, one: Constituent) -> bool:
    """Tell whether a constituent is a noun without a preposition that may be a subject or an object."""
    token = tree.tokens[one.head]
    bare = token.pos in ("NOUN", "PROPN", "ADJ") and tree.tokens[one.first].pos != "ADP"
    return bare and (may_be_case(token, "Nom") or may_be_case(token, "Acc"))


def _is_bounded(tree: Syntax, first: int, last: int, predicate: int) -> bool:
    """Tell whether a range of tokens ends on both sides where a clause may end.

    These are punctuation, the edge of the sentence, and words of the same clause; also a conjunction before it, and
    another predicate after it. If the range ends elsewhere, the tree separates words that belong together.

    Args:
        tree: the tree of the sentence.
        first: the number of the first token of the range.
        last: the number of the token after its last one.
        predicate: the predicate of the clause.
    """
    low, high = tree.reach(predicate)
    before = first - 1
    if before >= tree.first and tree.tokens[before].text in QUOTES | {"."}:
        return False  # a title: «Москва слезам не верит»; «доп. соглашение»
    if before > low and tree.tokens[before].text == "," and _depends(tree, before - 1, predicate) in _ARGUMENTS:
        return False  # «В городе, у реки, стоит дом»: what follows the comma repeats what stands in front of it
    if before >= tree.first and not tree.marks[before] and before < low:
        is_infinitive = "VerbForm=Inf" in tree.tokens[predicate].features
        if not is_infinitive and tree.tokens[first].pos != "CCONJ":
            return False
    return last >= tree.last or tree.marks[last] or last <= high or tree.tokens[last].pos == "CCONJ"


def _depends(tree: Syntax, number: int, predicate: int) -> str:
    """Go up the tree from a token to a word that depends on the predicate; return the relation of that word.

    Return "" if there is no such word above the token.
    """
    for _ in range(tree.first, tree.last):
        token = tree.tokens[number]
        if token.head == predicate:
            return token.relation
        if not tree.first <= token.head < tree.last or token.head == number:
            break
        number = token.head
    return ""


_ARGUMENTS = frozenset({"obl", "obj", "iobj", "nsubj"})


def _ends(tree: Syntax, last: int, predicate: int, conjoined: Sequence[int]) -> bool:
    """Tell whether a clause ends in front of token `last`: at a mark, or before a clause with a subject of its own.

    It does not end there if the next words may describe its last word («дом, который …»), whatever the tree says.

    Args:
        tree: the tree of the sentence.
        last: the number of the token after the last constituent.
        predicate: the predicate of the clause.
        conjoined: the predicates that are conjoined with it.
    """
    tokens = tree.tokens
    if last == tree.last or (tree.marks[last] and tokens[last].text in CLOSING | {";"}):
        return last >= tree.last - 1 or tokens[last].text != "."  # else that of an abbreviation: «2 экз. книги»
    if tokens[last].text != "," or last + 1 == tree.last:
        return False
    if tokens[predicate].relation not in ("root", "conj", "parataxis") and tree.reach(predicate)[1] < last:
        behind = tokens[last + 1 : last + 3]
        return not any("relative" in kinds_of(one.lemma) or "VerbForm=Part" in one.features for one in behind)
    following = next((one for one in conjoined if tree.reach(one)[0] == last + 1), None)
    starts = tokens[last + 1].pos == "CCONJ" and following is not None and _has_subject(tree, following)
    # «сказал, что», «ушёл, забыв»
    apart = tokens[last + 1].pos == "SCONJ" or "VerbForm=Conv" in tokens[last + 1].features
    return starts or apart or "starter" in kinds_of(tokens[last + 1].text)


def _has_subject(tree: Syntax, number: int) -> bool:
    return any(tree.tokens[one].relation.startswith("nsubj") for one in tree.dependents[number])
