"""Protects what decides a Winograd question: the anaphor, its antecedents, and the verbs that agree with them."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from augment_ru.constraints.mentions import mentions
from augment_ru.constraints.rule_file import Docs, Row
from augment_ru.edits import Span
from augment_ru.language.morphology import GENDERS, Reading, readings
from augment_ru.language.tokens import readable
from augment_ru.records.groups import grouped
from augment_ru.records.record import list_of_texts
from augment_ru.text.doc import Doc, Token

_PLURAL = frozenset({"plur"})
_POSSESSIVES = {"его": frozenset({"masc", "neut"}), "ее": frozenset({"femn"}), "их": _PLURAL}
_SUBJECTS = frozenset({"nsubj", "nsubj:pass", "csubj", "csubj:pass"})
_BESIDE = frozenset({"flat", "flat:name", "flat:foreign", "appos"})
_SHARING = frozenset({"conj", "cop", "aux", "aux:pass"})


def referents(record: Row, docs: Docs) -> Mapping[str, Sequence[Span]]:
    """Find the spans that decide a Winograd question (what does the pronoun refer to?).

    «[Булочка] из [пекарни], [которая] [открылась] вчера, [оказалась] чёрствой.»

    Args:
        record: the row.
        docs: its annotated fields, by name.
    """
    options, reference = asked(record)
    return {name: list(_spans(doc, options, reference)) for name, doc in docs.items()}


def asked(record: Mapping[str, Any]) -> tuple[list[str], str]:
    """Return the options and the pronoun of a Winograd question: to which of the options does the pronoun refer?

    They are read from the fields `options` and `reference` of the task Winograd, or from the two spans in the field
    `target` of RWSD.
    """
    target = record.get("target")
    if isinstance(target, Mapping) and "options" not in record:
        pronouns = [word for word in str(target.get("span2_text", "")).split() if _is_pronoun(word)]
        return list_of_texts([str(target.get("span1_text") or "")]), pronouns[0].strip(",.!?") if pronouns else ""
    return list_of_texts(record.get("options")), readable(str(record.get("reference") or "").strip())[0]


def _is_pronoun(word: str) -> bool:
    return any(reading.pos == "NPRO" or "Anph" in reading.grammemes for reading in readings(word.strip(",.!?")))


def _spans(doc: Doc, options: Sequence[str], reference: str) -> Iterator[Span]:
    """Yield the antecedents, the anaphors and the verbs of one text."""
    named = list(mentions(doc.text, options, "ANTECEDENT"))
    yield from named
    anaphors = [at for at, token in enumerate(doc.tokens) if refers(token.text, reference)]
    repeats = bool(reference) and all(reading.pos in {"VERB", "PRTS"} for reading in readings(reference))
    for at in anaphors:
        yield Span(doc.tokens[at].start, doc.tokens[at].stop, "VERB" if repeats else "ANAPHOR")
    held = set(_inside(doc.tokens, named))
    wanted = _agreement(doc.tokens, held, reference)
    governed = grouped((token.head, at) for at, token in enumerate(doc.tokens))
    for at, token in enumerate(doc.tokens):
        if _agrees(doc, at, held | set(anaphors), wanted, governed):
            yield Span(token.start, token.stop, "VERB")


def _inside(tokens: Sequence[Token], spans: Iterable[Span]) -> Iterator[int]:
    """Yield the numbers of the tokens that lie inside one of the spans."""
    waiting = deque(sorted(spans))
    reach = 0
    for at, token in enumerate(tokens):
        while waiting and waiting[0].start <= token.start:
            reach = max(reach, waiting.popleft().stop)
        if token.stop <= reach:
            yield at


def refers(word: str, reference: str) -> bool:
    """Tell whether a word is a form of the pronoun `reference` in the same gender and number; its case may differ.

    >>> refers("которую", "которая"), refers("неё", "она"), refers("который", "которая"), refers("её", "их")
    (True, True, False, False)
    """
    word, reference = word.lower().replace("ё", "е"), reference.lower().replace("ё", "е")
    if word == reference or reference in _POSSESSIVES or not reference:
        return word == reference != ""
    return any(
        one.lemma == other.lemma and one.pos == other.pos and (reference == "свой" or _kinds(one) & _kinds(other))
        for one in readings(reference)
        if one.pos != "ADJF" or "nomn" in one.grammemes
        for other in readings(word)
    )


def _kinds(reading: Reading, without: frozenset[str] = GENDERS | _PLURAL) -> frozenset[str]:
    """Return the genders of a reading in the singular, or {"plur"} for the plural.

    Args:
        reading: the reading.
        without: what is returned for a word without gender and plural («себя»).
    """
    if "plur" in reading.grammemes:
        return _PLURAL
    return (reading.grammemes & GENDERS) or without


def _agreement(tokens: Sequence[Token], held: set[int], reference: str) -> frozenset[str]:
    """Return the genders, or the plural, that a verb must have: those of the reference, else those of the antecedents.

    Args:
        tokens: the tokens of the text.
        held: the numbers of the tokens of antecedents.
        reference: the reference of the question.
    """
    folded = reference.lower().replace("ё", "е")
    if folded in _POSSESSIVES:
        return _POSSESSIVES[folded]
    own = [reading for reading in readings(reference) if reading.pos in {"NPRO", "ADJF"}] if reference else []
    if own and own[0].lemma not in {"себя", "свой"}:
        return frozenset().union(*(_kinds(reading) for reading in own if "nomn" in reading.grammemes or len(own) == 1))
    nouns = [reading for at in held for reading in readings(tokens[at].text) if reading.pos == "NOUN"]
    return frozenset().union(*map(_kinds, nouns))


def _verbal(token: Token) -> list[Reading]:
    """Return the readings of a token as a verb or participle that can agree with a subject in the third person."""
    found = readings(token.text)
    verbal = [
        reading
        for reading in found
        if reading.pos in {"VERB", "PRTS", "PRTF"} and not reading.grammemes & {"impr", "1per", "2per"}
    ]
    nominal = any(reading.pos in {"NOUN", "ADJF", "NPRO", "PREP", "CONJ", "ADVB"} for reading in found)
    return verbal if token.pos in {"VERB", "AUX"} or not nominal else []


def _agrees(doc: Doc, at: int, held: set[int], wanted: frozenset[str], governed: Mapping[int, Sequence[int]]) -> bool:
    """Tell whether a verb form agrees with an antecedent or the anaphor, and has no other subject.

    Args:
        doc: the text.
        at: the number of the token.
        held: the numbers of the tokens of antecedents and anaphors.
        wanted: the genders, or the plural, that the verb must have.
        governed: the numbers of the tokens that depend on each token.
    """
    tokens = doc.tokens
    verbal = [reading for reading in _verbal(tokens[at]) if _kinds(reading, GENDERS) & wanted]
    if not verbal:
        return False
    if all(reading.pos == "PRTF" for reading in verbal):
        return tokens[at].head in held or _subjects(tokens, at, governed) & held != set()
    numbers = frozenset().union(*(_kinds(reading, GENDERS) for reading in verbal))
    subjects = {
        place for place in _subjects(tokens, at, governed) if place in held or _may_be_subject(tokens[place], numbers)
    }
    if subjects:
        return bool(subjects & held)
    shared = tokens[at].relation == "conj"
    return shared or not any(reading.grammemes & {"plur", "neut"} for reading in verbal)


def _may_be_subject(subject: Token, numbers: frozenset[str]) -> bool:
    """Tell whether a word can be the subject of a verb of these genders or the plural; if not, the parse is wrong."""
    return any(_kinds(reading, GENDERS) & numbers for reading in readings(subject.text))


def _subjects(tokens: Sequence[Token], at: int, governed: Mapping[int, Sequence[int]]) -> set[int]:
    """Return the subjects of a verb and the names in apposition to them.

    A verb that is conjoined with another one, or is its auxiliary, shares its subjects.
    """
    seen: set[int] = set()
    while at not in seen:
        seen.add(at)
        own = {place for place in governed.get(at, ()) if tokens[place].relation in _SUBJECTS}
        beside = {place for one in own for place in governed.get(one, ()) if tokens[place].relation in _BESIDE}
        if own:
            return own | beside
        if tokens[at].relation not in _SHARING or tokens[at].head == at:
            break
        at = tokens[at].head
    return set()
