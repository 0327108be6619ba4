"""Words that agree with a noun, put into the gender of another noun that takes its place."""

from collections.abc import Iterator

from augment_ru.editing.syntax import Syntax
from augment_ru.language.inflection import GENDERS, WordForm, inflect

_ATTRIBUTES = frozenset({"amod", "det", "acl", "nummod", "nummod:gov", "nummod:entity"})
_GENDERED_NUMERALS = frozenset({"два", "оба", "полтора", "полтораста"})
_PRONOUNS = frozenset({"он", "она", "оно", "его", "её", "ее"})
_RELATIVES = frozenset({"который", "сам", "чей"})
_GENDERS = {"masc": "Gender=Masc", "femn": "Gender=Fem", "neut": "Gender=Neut"}
_POINTING = frozenset({"это", "то", "всё"})
_PREDICATES = frozenset({"VERB", "AUX", "ADJ"})


def agreeing(syntax: Syntax, noun: int, old: WordForm, new: WordForm) -> dict[int, str] | None:
    """The words that must change if another noun takes the place of a noun.

    Args:
        syntax: the tree of the text.
        noun: the number of the noun.
        old: its form.
        new: the dictionary form of the other noun, with its gender.

    Returns:
        From the numbers of tokens to new words in lower case, with ё. None if a word cannot be put into the gender of
        the other noun, or if it is not certain which words refer to the noun.
    """
    if old.gender == new.gender and (old.gender or "GNdr" in old.word & new.word):
        return {}
    if not old.gender or not new.gender or _refers(syntax, noun, old):
        return None
    found = {} if old.number == "plur" else _changed(syntax, noun, old, new)
    return None if found is None or (old.number == "sing" and _unbound(syntax, noun, old, found)) else found


def _changed(syntax: Syntax, noun: int, old: WordForm, new: WordForm) -> dict[int, str] | None:
    found: dict[int, str] = {}
    for other in dict.fromkeys([*_attributes(syntax, noun), *_predicates(syntax, noun)]):
        form = syntax.form(other)
        if form is not None and not (form.number == "sing" and form.grammemes & GENDERS):
            continue
        if form is None or form.gender != old.gender:
            return None  # the tree, or one of the readings, is wrong
        word = inflect(form.lemma, form.having(new.gender, *([new.animacy] if form.case == "accs" else [])))
        if word is None:
            return None
        found[other] = word
    return found


def _attributes(syntax: Syntax, noun: int) -> Iterator[int]:
    """The adjectives, participles and numerals of a noun, and those that are joined to them."""
    for child in syntax.children[noun]:
        token = syntax.tokens[child]
        if token.relation in _ATTRIBUTES and token.pos in {"ADJ", "DET", "VERB", "PRON", "NUM"}:
            yield child
            yield from _joined(syntax, child)


def _joined(syntax: Syntax, number: int) -> Iterator[int]:
    for child in syntax.children[number]:
        token = syntax.tokens[child]
        if token.relation == "conj" and token.pos in _PREDICATES and syntax.child(child, "nsubj") is None:
            yield child
            yield from _joined(syntax, child)


def _predicates(syntax: Syntax, noun: int) -> Iterator[int]:
    """The verbs and adjectives whose subject a noun is, with their auxiliaries."""
    token = syntax.tokens[noun]
    subject = syntax.child(noun, "nsubj")
    if subject is not None and syntax.tokens[subject].text.lower() in _POINTING:
        yield from _auxiliaries(syntax, noun)  # «это была кошка»
    if token.relation.partition(":")[0] != "nsubj":
        return
    for head in (token.head, *_joined(syntax, token.head)):
        if syntax.tokens[head].pos in _PREDICATES:
            yield head
        yield from _auxiliaries(syntax, head)


def _auxiliaries(syntax: Syntax, number: int) -> Iterator[int]:
    return (
        child
        for child in syntax.children[number]
        if syntax.tokens[child].relation in {"cop", "aux", "aux:pass"} and syntax.tokens[child].text.lower() != "бы"
    )


def _refers(syntax: Syntax, noun: int, old: WordForm) -> bool:
    """Whether a pronoun, a clause or a numeral may refer to the gender of a noun."""
    token = syntax.tokens[noun]
    for other in syntax.tokens[noun + 1 :]:
        if other.pos in {"PRON", "DET"} and (
            other.lemma in _PRONOUNS or (other.lemma in _RELATIVES and _GENDERS[old.gender] in other.features)
        ):
            return True
    if syntax.child(noun, "acl:relcl", "appos", "flat") is not None:
        return True
    if any(syntax.tokens[child].lemma in _GENDERED_NUMERALS for child in syntax.children[noun]):
        return True
    head = syntax.form(token.head) if token.head != noun and token.pos != "VERB" else None
    return head is not None and head.kind == "ADJ" and token.relation.partition(":")[0] != "nsubj"  # «одна из машин»


def _unbound(syntax: Syntax, noun: int, old: WordForm, found: dict[int, str]) -> bool:
    """Whether a further word of the sentence may agree with a noun: nothing else is seen that it agrees with."""
    gender = _GENDERS[old.gender]
    for number in syntax.sentence(noun):
        token = syntax.tokens[number]
        if number in found or gender not in token.features or token.pos not in _PREDICATES:
            continue
        predicate = "Tense=Past" in token.features or "Variant=Short" in token.features
        if predicate and (old.case != "nomn" or _has_subject(syntax, number, gender)):
            continue
        if not predicate and syntax.tokens[token.head].pos in {"NOUN", "PROPN"} and token.head != noun:
            continue
        form = syntax.form(number)
        if form is None or form.case in {"", old.case}:
            return True
    return False


def _has_subject(syntax: Syntax, number: int, gender: str) -> bool:
    """Whether a verb, or the word that it is joined to or an auxiliary of, has a subject that may be of its gender."""
    seen = set()
    while number not in seen:
        seen.add(number)
        token = syntax.tokens[number]
        subject = syntax.child(number, "nsubj", "csubj")
        if subject is not None:
            features = syntax.tokens[subject].features
            return gender in features or "Gender=" not in features
        if token.relation not in {"conj", "cop", "aux", "aux:pass"}:
            return False
        number = token.head
    return False
