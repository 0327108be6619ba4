"""Finds who does what to whom: the roles of nouns under the verbs of a sentence, read off its syntax tree."""

from collections.abc import Iterator, Mapping

from augment_ru.inference.memo import Memo
from augment_ru.language.annotate import Natasha
from augment_ru.language.morphology import GENDERS, readings
from augment_ru.similarities.meaning.senses import are_alike, are_opposite
from augment_ru.text.doc import Doc, Token

AGENT, PATIENT, RECIPIENT = "agent", "patient", "recipient"
_NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})
_OTHERS = frozenset({"Mood=Imp", "Person=1", "Person=2"})
"""Forms of a verb whose subject is no noun."""
_RARE = 0.1
"""A grammeme counts only if readings that have it make up more than this share of the likelihood of a word."""
_VERBS = frozenset({"VERB", "INFN", "PRTF", "PRTS", "GRND"})
_LAYERS = frozenset({"syntax", "lemmas"})
Roles = Mapping[str, Mapping[str, str]]
"""For each verb, by its lemma: the role of each noun, by its lemma."""


_known = Memo[Roles](4096)


def roles_of(*texts: str) -> list[Roles]:
    """Return who does what to whom in each text; texts whose roles are not cached yet are annotated together.

    The lemma of each verb is mapped to the lemmas of its nouns, and these to their roles, agent, patient or recipient:
    «Мать накормила сына» gives {"накормить": {"мать": "agent", "сын": "patient"}}.
    """
    return _known("roles", texts, lambda new: list(map(_roles_in, Natasha()(new, _LAYERS))))


def _roles_in(doc: Doc) -> Roles:
    tokens = doc.tokens
    found = {at: _nouns_of(doc, at) for at, token in enumerate(tokens) if token.pos == "VERB" and _is_verb(token)}
    for at, nouns in found.items():  # «накормил и ушёл», «накормив, ушёл», «обязуется передать»
        token = tokens[at]
        shares = token.relation in {"conj", "xcomp"} or "VerbForm=Conv" in token.features
        if shares and token.head in found and AGENT not in nouns.values() and "Voice=Pass" not in token.features:
            nouns.update({noun: role for noun, role in found[token.head].items() if role == AGENT})
    return {
        _plain(tokens[at].lemma): {_plain(tokens[noun].lemma): role for noun, role in nouns.items()}
        for at, nouns in found.items()
        if nouns
    }


def _is_verb(token: Token) -> bool:
    return any(one.pos in _VERBS for one in readings(token.text))


def _plain(lemma: str) -> str:
    return lemma.replace("ё", "е")


def _nouns_of(doc: Doc, at: int) -> dict[int, str]:
    """Return the nouns of verb `at` with their roles; «который» stands for the noun before it."""
    tokens, verb = doc.tokens, doc.tokens[at]
    below = [number for number, token in enumerate(tokens) if token.head == at != number and token.pos in _NOMINAL]
    passive = "Voice=Pass" in verb.features or any(tokens[number].relation == "nsubj:pass" for number in below)
    found = {number: role for number in below if (role := _role(tokens, number, passive=passive))}
    if "VerbForm=Fin" in verb.features and not passive:
        found = _agreeing(doc, at, found)
    nouns = {verb.head if _plain(tokens[at].lemma) == "который" else at: role for at, role in found.items()}
    if verb.relation in {"acl", "amod"} and "VerbForm=Part" in verb.features:
        nouns[verb.head] = PATIENT if passive else AGENT
    return nouns


def _role(tokens: tuple[Token, ...], at: int, *, passive: bool) -> str:
    """Return the role of noun `at` by its relation to its verb; "" for any other relation."""
    token = tokens[at]
    if token.relation == "nsubj":
        return PATIENT if passive else AGENT
    if token.relation in {"nsubj:pass", "obj"}:
        return PATIENT
    if token.relation == "obl:agent":
        return AGENT
    if token.relation not in {"iobj", "obl"} or any(one.relation == "case" and one.head == at for one in tokens):
        return ""
    if passive and _may_be(token, "ablt") and not _may_be(token, "datv"):
        return AGENT
    return RECIPIENT if token.relation == "iobj" or "Case=Dat" in token.features else ""


def _agreeing(doc: Doc, at: int, nouns: dict[int, str]) -> dict[int, str]:
    """Correct the agent and the patients of the active verb `at` by their endings.

    The tagger often takes the first of two nouns for the subject: «кошелёк украл я», «дом Анна продала».
    """
    tokens, found, unsure = doc.tokens, dict(nouns), []
    verb = tokens[at].features.split("|")
    if not _OTHERS.isdisjoint(verb):  # «закройте окно»
        return {noun: PATIENT if tokens[noun].pos != "PRON" and role == AGENT else role for noun, role in nouns.items()}
    for noun in (noun for noun, role in nouns.items() if role in {AGENT, PATIENT}):
        leads, takes = _may_be(tokens[noun], "nomn"), _may_be(tokens[noun], "accs")
        if leads and takes and ("Number=Sing" in verb or _may_be(tokens[noun], "plur")):
            unsure.append(noun)
        elif leads or takes:  # «шампанское охладят»
            found[noun] = PATIENT if takes else AGENT
    sure = any(role == AGENT and noun not in unsure for noun, role in found.items())
    subjects = [] if sure else list(_subjects(doc, at, found))
    if not (sure or subjects) and unsure:
        gender = next(iter(readings(tokens[at].text)[0].grammemes & GENDERS), "")
        fitting = [noun for noun in unsure if _may_be(tokens[noun], gender)]  # «Динамо победило Локомотив»
        subjects = fitting if len(fitting) == 1 else [min(unsure)]  # «мать ждала дочь»
    return found | dict.fromkeys(unsure, PATIENT) | dict.fromkeys(subjects, AGENT)


def _subjects(doc: Doc, at: int, nouns: Mapping[int, str]) -> Iterator[int]:
    """Yield the nouns in the clause of verb `at` that have no role and can only be its subject."""
    tokens = doc.tokens
    for step in (-1, 1):
        number = at + step
        while 0 <= number < len(tokens) and tokens[number].pos not in {"PUNCT", "VERB", "SCONJ"}:
            token = tokens[number]
            if token.pos in _NOMINAL and number not in nouns and _may_be(token, "nomn") and not _may_be(token, "accs"):
                yield number
                return
            number += step


def _may_be(token: Token, grammeme: str) -> bool:
    """Tell whether a reading of a noun has a grammeme: a case or a number."""
    animacy = "anim" if "Animacy=Anim" in token.features else "inan" if "Animacy=Inan" in token.features else "NPRO"
    found = readings(token.text)
    agreeing = [one for one in found if animacy in one.grammemes] or found
    likely = sum(one.score for one in agreeing if grammeme in one.grammemes)
    return likely > _RARE * sum(one.score for one in agreeing)


def compared(one: Roles, other: Roles) -> tuple[set[str], set[str], set[str]]:
    """Compare who does what to whom in two texts, for the nouns and verbs that both texts have.

    Args:
        one: the roles in the first text: maps the lemma of each verb to the lemmas of its nouns with their roles.
        other: the roles in the second text.

    Returns:
        Three sets of nouns: those that keep their role; those that have another role; and those that keep their role
        although their case changed, because their verb became its opposite: «Костя обыграл Пашу», «Паша проиграл
        Косте».
    """
    kept: set[str] = set()
    changed: set[str] = set()
    flipped: set[str] = set()
    for verb, nouns in one.items():
        for found, others in other.items():
            turned = verb not in other and found not in one and are_opposite(verb, found)
            if not turned and not are_alike(verb, found):
                continue
            differing = set()
            for noun, role in nouns.items():
                theirs = others.get(noun) or _of_same_sense(noun, others)
                if theirs is None or {theirs, role} == {PATIENT, RECIPIENT} or (turned and theirs == role == PATIENT):
                    continue
                if (theirs == role) != turned:
                    kept.add(noun)
                    flipped.update([noun] if turned else ())
                else:
                    differing.add(noun)
            if verb == found or len(differing) > 1:  # «тариф подняли», «тариф вырос»
                changed |= differing
    return kept, changed, flipped


def _of_same_sense(noun: str, others: Mapping[str, str]) -> str | None:
    return next((role for word, role in others.items() if are_alike(noun, word)), None)
