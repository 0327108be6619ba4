"""Who does what to whom: the roles of nouns under the verbs of a sentence, by its syntax tree."""

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

from augment_ru.language.annotate import Natasha
from augment_ru.language.morphology import readings
from augment_ru.resources import opposites
from augment_ru.similarities.meaning.senses import SAME, apart_by_sense
from augment_ru.text.doc import Doc, Token

AGENT, PATIENT, RECIPIENT = "agent", "patient", "recipient"
_NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})
_LAYERS = frozenset({"syntax", "lemmas"})
Roles = Mapping[str, Mapping[str, str]]
"""For each verb, by its lemma: the role of each noun, by its lemma."""


@cache
def _annotator() -> Natasha:
    return Natasha()


@lru_cache(maxsize=4096)
def roles_of(text: str) -> Roles:
    """Return the roles of nouns in a text."""
    (doc,) = _annotator()([text], _LAYERS)
    found: dict[int, dict[int, str]] = {}
    tokens = doc.tokens
    for at, token in enumerate(tokens):
        if token.pos == "VERB":
            found[at] = _agreeing(doc, at, dict(_arguments(doc, at)))
    for at in sorted(found):
        token = tokens[at]
        if AGENT in found[at].values() or "Voice=Pass" in token.features:
            continue
        if (token.relation == "conj" or "VerbForm=Conv" in token.features) and token.head in found:
            found[at].update({noun: role for noun, role in found[token.head].items() if role == AGENT})
    return {
        _plain(tokens[at].lemma): {_plain(tokens[noun].lemma): role for noun, role in nouns.items()}
        for at, nouns in found.items()
        if nouns
    }


def _plain(lemma: str) -> str:
    return lemma.replace("ё", "е")


def _arguments(doc: Doc, at: int) -> Iterator[tuple[int, str]]:
    """Yield the nouns of verb `at` with their roles."""
    tokens, verb = doc.tokens, doc.tokens[at]
    passive = "Voice=Pass" in verb.features or any(
        token.relation == "nsubj:pass" and token.head == at for token in tokens
    )
    subjects = 0
    for number, token in enumerate(tokens):
        if token.head != at or number == at or token.pos not in _NOMINAL:
            continue
        role = _role(token, passive=passive)
        if role == "" and token.relation.startswith("obl") and not _has_preposition(tokens, number):
            role = AGENT if passive and "Case=Ins" in token.features else ""
            role = RECIPIENT if "Case=Dat" in token.features else role
        if token.relation == "nsubj":
            subjects += 1
            role = PATIENT if subjects > 1 else role  # «мать ждала дочь»: two nominatives for the tagger
        if role:
            yield (verb.head if _plain(token.lemma) == "который" else number), role
    if verb.relation in {"acl", "amod"} and "VerbForm=Part" in verb.features:
        yield verb.head, PATIENT if passive else AGENT


def _agreeing(doc: Doc, at: int, nouns: dict[int, str]) -> dict[int, str]:
    """Correct the agent and the patients of the active verb `at` by their endings.

    The tagger often takes the first of two nouns for the subject: «кошелёк украл я», «дом Анна продала».
    """
    if "Voice=Pass" in doc.tokens[at].features or "VerbForm=Fin" not in doc.tokens[at].features:
        return nouns
    found = dict(nouns)
    unsure = []
    for noun, role in nouns.items():
        if role in {AGENT, PATIENT}:
            leads, takes = _may_be(doc, noun, "nomn"), _may_be(doc, noun, "accs")
            if leads != takes:
                found[noun] = AGENT if leads else PATIENT
            elif leads and "Number=Plur" in doc.tokens[at].features and not _may_be(doc, noun, "plur"):
                found[noun] = PATIENT  # «шампанское охладят»
            elif leads:
                unsure.append(noun)
    if any(role == AGENT and noun not in unsure for noun, role in found.items()):
        found.update(dict.fromkeys(unsure, PATIENT))
    elif len(unsure) == 1:
        found[unsure[0]] = AGENT
    return found


def _may_be(doc: Doc, noun: int, grammeme: str) -> bool:
    """Tell whether a reading of a noun has a grammeme: a case or a number."""
    return any(grammeme in one.grammemes for one in readings(doc.tokens[noun].text))


def _role(token: Token, *, passive: bool) -> str:
    if token.relation == "nsubj":
        return PATIENT if passive else AGENT
    return {"nsubj:pass": PATIENT, "obj": PATIENT, "obl:agent": AGENT, "iobj": RECIPIENT}.get(token.relation, "")


def _has_preposition(tokens: tuple[Token, ...], at: int) -> bool:
    return any(token.relation == "case" and token.head == at for token in tokens)


def exchanged_nouns(one: Roles, other: Roles) -> tuple[int, int, int]:
    """Compare the roles of nouns that two texts share under verbs that they share.

    Returns:
        How many nouns keep their role, how many have another one, and how many keep it by exchanging it under a verb
        of the opposite («купил», «продал»).
    """
    kept = changed = flipped = 0
    for verb, nouns in one.items():
        for found, others in other.items():
            turned = found in opposites().get(verb, ()) and verb not in other and found not in one
            if not turned and apart_by_sense(verb, found) > SAME:
                continue
            differing = 0
            for noun, role in nouns.items():
                theirs = others.get(noun) or _of_same_sense(noun, others)
                if theirs is None or (turned and theirs == role == PATIENT):
                    continue
                if (theirs == role) != turned:
                    kept += 1
                    flipped += turned
                else:
                    differing += 1
            if verb == found or differing > 1:  # «тариф подняли», «тариф вырос»
                changed += differing
    return kept, changed, flipped


def _of_same_sense(noun: str, others: Mapping[str, str]) -> str | None:
    return next((role for word, role in others.items() if apart_by_sense(noun, word) <= SAME), None)
