"""Ошибка в окончании, как у тех, кто учит русский: «живу в новой квартире» → «живу в новая квартире»."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from typing import ClassVar, NamedTuple

import numpy as np

from augment_ru.draws import Ints, Streams
from augment_ru.editing.error_classes import check_classes
from augment_ru.editing.on_demand import MadeOnDemand, changes_in_rounds, places_of
from augment_ru.editing.replacing import written_at
from augment_ru.editing.syntax import Syntax, trees_of
from augment_ru.edits import Edit, Note
from augment_ru.engine.attack import check_guards
from augment_ru.engine.proposals import Proposals
from augment_ru.language.inflection import PERSONS, WordForm, inflect, known_forms
from augment_ru.language.morphology import GENDERS, is_known
from augment_ru.language.prepositions import cases_behind
from augment_ru.records.groups import grouped
from augment_ru.resources import dictionary_path, kinds_in, rows
from augment_ru.text.batch import Batch

_LIKELY_CASES = ("nomn", "accs")
"""The cases that people write instead of the right one, the likeliest first: the nominative, then the accusative."""

_PERSON_OF = {
    "я": frozenset({"1per", "sing"}), "ты": frozenset({"2per", "sing"}), "он": frozenset({"3per", "sing"}),
    "она": frozenset({"3per", "sing"}), "оно": frozenset({"3per", "sing"}), "мы": frozenset({"1per", "plur"}),
    "вы": frozenset({"2per", "plur"}), "они": frozenset({"3per", "plur"}),
}  # fmt: skip
_GENDER_OF = {"он": "masc", "она": "femn", "оно": "neut"}
_INFINITIVES = frozenset({"xcomp", "csubj", "ccomp", "obj", "advcl"})


def wrong_adjectives(syntax: Syntax, number: int) -> Iterator[str]:
    """Yield forms of an adjective or participle that do not agree with its noun: «новый книга», «в новая школе».

    Args:
        syntax: the text with its tree.
        number: the index of the adjective's token, from 0.
    """
    token = syntax.tokens[number]
    nouns_between = any(one.pos in {"NOUN", "PROPN"} for one in syntax.tokens[number + 1 : token.head])
    if token.relation not in {"amod", "det", "acl"} or not number < token.head or nouns_between:
        return
    if syntax.tokens[token.head].pos == "PROPN" and token.relation == "amod":
        return  # «раненая Вучкович» is right of a woman
    form, noun = syntax.form(number), syntax.form(token.head)
    if form is None or not form.case or noun is None or noun.kind != "NOUN":
        return
    known = [one for one in known_forms(syntax.tokens[token.head].text.lower()) if one.kind == "NOUN"]
    if not any(_agree(form, one) for one in known):
        return  # the tree, or one of the readings, is wrong
    wanted = [form.having(one, "inan") for one in ("masc", "femn", "neut")] if form.number == "sing" else []
    wanted += [form.having("sing", one, "inan") for one in ("masc", "femn")] if form.number == "plur" else []
    wanted += [form.having("nomn")] if form.case not in {"nomn", "accs"} else []
    for one in wanted:
        word = inflect(form.lemma, one)
        if word is not None and not any(_agree(*pair) for pair in product(known_forms(word), known)):
            yield word


def _agree(adjective: WordForm, noun: WordForm) -> bool:
    """Tell whether a form of an adjective agrees with a form of a noun.

    A noun whose gender is not certain agrees with any gender.
    """
    same_case = adjective.case != "" and adjective.first_case == noun.first_case
    genders = not (adjective.grammemes & GENDERS) or not noun.gender or adjective.gender == noun.gender
    return same_case and adjective.number == noun.number and genders


def wrong_cases(syntax: Syntax, number: int) -> Iterator[str]:
    """Yield forms of a noun in a case that its numeral, preposition, adjective or verb does not allow: «без сахар».

    Args:
        syntax: the text with its tree.
        number: the index of the noun's token, from 0.
    """
    form = None if syntax.tokens[number].relation == "conj" else syntax.form(number)
    if form is None or form.kind != "NOUN":
        return
    found = _by_numeral(syntax, number, form) or _by_preposition(syntax, number, form) or _by_head(syntax, number, form)
    if found is None or not found.allows(form):
        return
    for case, count in found.wrong:
        word = inflect(form.lemma, form.having(case, count))
        if word is not None and not any(one.kind != "NOUN" or found.allows(one) for one in known_forms(word)):
            yield word


class _Government(NamedTuple):
    """Which cases a noun may have in its sentence.

    Attributes:
        allows: a function that tells whether a form of a noun, or another word, is right there.
        wrong: the (case, number) pairs that people write there by mistake, the likeliest first.
    """

    allows: Callable[[WordForm], bool]
    wrong: Sequence[tuple[str, str]]


def _by_numeral(syntax: Syntax, number: int, form: WordForm) -> _Government | None:
    """Return the government of a numeral, such as «пять домов» or «два дома»; None if no numeral governs the noun."""
    if syntax.child(number, "nummod:gov") is None or form.case != "gent":
        return None
    other = "plur" if form.number == "sing" else "sing"
    return _Government(
        lambda one: one.first_case == "gent" and one.number == form.number,
        (("nomn", "sing"), ("gent", other), ("nomn", "plur")),
    )


def _by_preposition(syntax: Syntax, number: int, form: WordForm) -> _Government | None:
    preposition = syntax.preposition(number)
    if preposition is None:
        return None
    cases = cases_behind(preposition.text.lower())
    wrong = [(case, form.number) for case in _LIKELY_CASES if case not in cases]
    return _Government(lambda one: one.first_case in cases, wrong if cases else ())


def _by_head(syntax: Syntax, number: int, form: WordForm) -> _Government | None:
    """Return the government of the adjective in front of a noun, the noun before a genitive, or the verb of an object.

    A verb counts only if its subject is there, too. Return None if the noun has none of these.
    """
    token, case = syntax.tokens[number], form.first_case
    adjectives = _adjectives(syntax, number, form)
    if adjectives:
        wrong = [(one, form.number) for one in _LIKELY_CASES if one != case]
        return _Government(lambda one: any(_agree(known, one) for known in adjectives), wrong)
    relation, head = token.relation, token.head
    with_subject = syntax.child(head, "nsubj") is not None
    if (relation == "nmod" and case == "gent" and syntax.tokens[head].pos == "NOUN") or (
        relation in {"obj", "iobj", "obl"} and with_subject and case in {"accs", "datv", "ablt"}
    ):
        return _Government(lambda one: one.first_case == case, (("nomn", form.number),))
    return None


def _adjectives(syntax: Syntax, number: int, noun: WordForm) -> list[WordForm]:
    """Return the readings of the first adjective or participle in front of a noun that agrees with it.

    Return [] if there is none.
    """
    for child in syntax.children[number]:
        adjective = syntax.form(child) if syntax.tokens[child].relation in {"amod", "det"} else None
        if child < number and adjective is not None and _agree(adjective, noun):
            return [one for one in known_forms(syntax.tokens[child].text.lower()) if one.kind in {"ADJ", "VERB"}]
    return []


def wrong_verbs(syntax: Syntax, number: int) -> Iterator[str]:
    """Yield forms of a verb or a short adjective in another gender, number or person than its subject: «она пришёл».

    Args:
        syntax: the text with its tree.
        number: the index of the token of the verb or adjective, from 0.
    """
    at = _subject_at(syntax, number)
    form = None if at is None else syntax.form(number)
    if at is None or form is None or form.grammemes.isdisjoint({"VERB", "ADJS", "PRTS"}) or "impr" in form.grammemes:
        return
    subject = _subject(syntax, at)
    if subject is None or not _fits_subject(form, subject):
        return
    needs_gender = form.number == "plur" and form.grammemes.isdisjoint(PERSONS)
    wanted = [form.having(_OTHER_NUMBER[form.number], *((subject.gender or "masc",) if needs_gender else ()))]
    if form.grammemes & GENDERS:
        possible = ("masc", "femn") if subject.kind == "NPRO" or subject.animacy == "anim" else _ALL_GENDERS
        genders = [one for one in possible if one != form.gender]
        wanted = [*(form.having(one) for one in genders), *wanted]
    elif form.grammemes & PERSONS and "3per" not in form.grammemes:
        wanted = [form.having("3per"), *wanted]
    objects = any(one.case == "accs" for one in known_forms(syntax.tokens[at].text.lower()))
    for one in wanted:
        word = inflect(form.lemma, one)
        if word is None or (objects and ("plur" in one.grammemes or number < at) and "tran" in form.word):
            continue  # «телефон хвалят» and «спросил мать» are right, without a subject
        if all(known.kind in {"VERB", "ADJ"} and not _fits_subject(known, subject) for known in known_forms(word)):
            yield word


_ALL_GENDERS = ("masc", "femn", "neut")
_OTHER_NUMBER = {"sing": "plur", "plur": "sing"}


def _subject_at(syntax: Syntax, number: int) -> int | None:
    """Return the number of the noun or pronoun that is the subject of a verb.

    Return None if the verb has no such subject, or if the subject has several parts.
    """
    auxiliary = syntax.tokens[number].relation in {"cop", "aux", "aux:pass"}
    at = syntax.child(syntax.tokens[number].head if auxiliary else number, "nsubj")
    if at is None or syntax.tokens[at].pos not in {"NOUN", "PRON"}:
        return None
    return at if syntax.child(at, "conj", "nummod", "appos", "flat", "case") is None else None


def _subject(syntax: Syntax, at: int) -> WordForm | None:
    """Return the form of the subject, which is token number `at`; the form of a pronoun states its person.

    Return None if the subject may allow several forms of a verb.
    """
    token = syntax.tokens[at]
    if token.pos == "PRON" and token.text.lower() in _PERSON_OF:
        word = token.text.lower()
        gender = {_GENDER_OF[word]} if word in _GENDER_OF else set()
        grammemes = _PERSON_OF[word] | gender
        return WordForm(word, "NPRO", grammemes, frozenset(), grammemes)
    form = syntax.form(at)
    if token.pos != "NOUN" or form is None or form.first_case != "nomn" or "group" in kinds_in("agreement", form.lemma):
        return None
    return form if form.gender and form.word.isdisjoint({"ms-f", "Ms-f"}) else None


def _fits_subject(form: WordForm, subject: WordForm) -> bool:
    """Tell whether a form of a verb may have a subject: «врач пришла» is right, «вы пришёл» is not."""
    if not form.number or form.number != subject.number:
        return form.grammemes.isdisjoint({"VERB", "ADJS", "PRTS"})
    if persons := form.grammemes & PERSONS:
        return persons == (subject.grammemes & PERSONS or {"3per"})
    person = subject.kind == "NOUN" and subject.animacy == "anim" and subject.gender == "masc"
    fitting = {subject.gender, "femn"} if person else {subject.gender}
    return form.number == "plur" or not subject.gender or form.gender in fitting


def wrong_aspects(syntax: Syntax, number: int, pairs: str) -> Iterator[str]:
    """Yield forms of a verb in the wrong aspect where only the other aspect is right: «начал прочитать», «вдруг видел».

    Args:
        syntax: the text with its tree.
        number: the index of the verb's token, from 0.
        pairs: the name of the dictionary that pairs imperfective with perfective verbs.
    """
    of_infinitive, of_past = _wrong_of_infinitive(syntax, number), _wrong_of_past(syntax, number)
    form = syntax.form(number) if of_infinitive or of_past else None
    if form is None or form.kind != "VERB":
        return
    wanted = of_infinitive if "INFN" in form.grammemes else of_past if {"VERB", "past"} <= form.grammemes else ""
    if not wanted or wanted in form.grammemes:
        return
    for lemma in aspect_pairs(pairs).get(form.lemma, ()):
        word = inflect(lemma, form.having(wanted))
        if word is not None and all({"perf", "impf"} & one.word == {wanted} for one in known_forms(word)):
            yield word


def _wrong_of_infinitive(syntax: Syntax, number: int) -> str:
    """Return the aspect that would be wrong here if the word is an infinitive; "" if either aspect may be right."""
    token = syntax.tokens[number]
    auxiliaries = (syntax.form(child) for child in syntax.children[number] if syntax.tokens[child].lemma == "быть")
    if any(form is not None and "futr" in form.word for form in auxiliaries):
        return "perf"
    if token.relation not in _INFINITIVES or token.head >= number:
        return ""
    kinds = kinds_in("agreement", syntax.tokens[token.head].lemma)
    return "perf" if "with_imperfective" in kinds else "impf" if "with_perfective" in kinds else ""


def _wrong_of_past(syntax: Syntax, number: int) -> str:
    """Return the aspect that would be wrong here if the word is a verb in the past; "" if either may be right."""
    for child in syntax.children[number]:
        token = syntax.tokens[child]
        if child < number and token.relation == "advmod" and "sudden" in kinds_in("agreement", token.text.lower()):
            return "impf"
    return ""


@cache
def aspect_pairs(name: str) -> Mapping[str, tuple[str, ...]]:
    """Read a dictionary of pairs of an imperfective and a perfective verb.

    The result maps each verb to the verbs of the other aspect that are its partners.

    Args:
        name: the name of the dictionary.

    Raises:
        AugmentError: there is no such dictionary, or one of its lines is malformed.
    """
    both = ((one, other) for pair in rows(dictionary_path(name), columns=2) for one, other in (pair, pair[::-1]))
    return {verb: tuple(others) for verb, others in grouped(both).items()}


_SHARES = (4 / 7, 6 / 7)
"""Bounds for a draw from U[0, 1).

From the first bound on, the second wrong form of a word is taken, from the second bound on the third one. So each form
is half as frequent as the one before it. Few words need a search for the third form, which takes time.
"""
CLASSES = ("adjective", "aspect", "case", "verb")


@dataclass(frozen=True, slots=True)
class Agreement(MadeOnDemand):
    """Put words into a wrong form, as learners of Russian do; each new word is a real Russian word form.

    - `adjective`: an adjective or participle in another gender, number or case than its noun;
    - `case`: a noun in a case that its preposition, numeral, adjective or verb does not allow;
    - `verb`: a verb or short adjective in another gender, number or person than its subject;
    - `aspect`: a verb of the other aspect where only one is right.

    A form that might be right in its place, if the text is understood in another way, is not used.

    Args:
        probability: the share of the words with a possible wrong form that get one, in [0, 1].
        classes: which of these classes of errors are made.
        pairs: the dictionary that pairs imperfective with perfective verbs.
        guards: the constraints whose spans this attack never changes, whatever the task. The default, `acceptability`,
            protects texts that are judged for their grammar.

    Raises:
        AugmentError: there is no such class, dictionary or constraint, or `classes` is empty.
    """

    name: ClassVar[str] = "agreement"
    group: ClassVar[str] = "learners"
    layers: ClassVar[frozenset[str]] = frozenset({"lemmas", "syntax"})
    probability: float = 0.1
    classes: tuple[str, ...] = CLASSES
    pairs: str = "aspect_pairs"
    guards: tuple[str, ...] = ("acceptability",)

    def __post_init__(self) -> None:
        check_guards(self.name, self.guards)
        check_classes(self.name, self.classes, CLASSES)
        aspect_pairs(self.pairs)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose to put words into a wrong form; of several forms, a likelier error of learners is drawn more often.

        It takes long to find wrong forms. So only as many words are tried as the run needs, in the order of their ranks
        (the random numbers that decide which changes are made).
        """
        words = batch.once(_words_with_errors, self.classes)
        starts = places_of(batch, ((word.row, word.syntax.tokens[word.number].start) for word in words))
        chosen = np.searchsorted(_SHARES, batch.draw(streams, starts, lane=1), side="right").tolist()

        def write(wanted: Ints) -> list[list[Edit]]:
            return [words[at].edits(chosen[at], self.pairs) for at in wanted.tolist()]

        ranks = batch.draw(streams, starts)
        sentences = batch.sentences(starts)
        return changes_in_rounds(batch, starts, ranks, self.probability, write, least=self.least, groups=sentences)


class _Word(NamedTuple):
    """A word that may have wrong forms: the number of its text, its tree and place there, the classes of its errors."""

    row: int
    syntax: Syntax
    number: int
    kinds: Sequence[str]

    def edits(self, place: int, pairs: str) -> list[Edit]:
        """Return the edit that writes the wrong form with this number, or the last one if there are fewer.

        Return [] if the word has no wrong form.

        Args:
            place: the number of the wrong form, from 0.
            pairs: the dictionary of the pairs of aspects.
        """
        found = list(islice(_wrong(self.syntax, self.number, self.kinds, pairs), place + 1))
        if not found:
            return []
        kind, wrong = found[-1]
        token = self.syntax.tokens[self.number]
        text = written_at(self.syntax, self.number, wrong)
        return [Edit(token.start, token.stop, text, Note(self.syntax.doc.text[token.start : token.stop], kind))]


def _words_with_errors(batch: Batch, classes: Sequence[str]) -> list[_Word]:
    """Find the editable words of a batch whose part of speech has errors of these classes."""
    starts, stops = batch.words
    rows = batch.rows(starts)
    at = batch.starts[rows]
    trees = batch.once(trees_of)
    found = []
    for row, start, stop in zip(rows.tolist(), (starts - at).tolist(), (stops - at).tolist(), strict=True):
        syntax = trees[row]
        number = syntax.numbers.get(start)
        if number is not None and syntax.tokens[number].stop == stop:
            kinds = tuple(kind for kind in _CLASSES_OF.get(syntax.tokens[number].pos, ()) if kind in classes)
            if kinds:
                found.append(_Word(row, syntax, number, kinds))
    return found


def _wrong(syntax: Syntax, number: int, kinds: Sequence[str], pairs: str) -> Iterator[tuple[str, str]]:
    """Yield the wrong forms of a word, each as a pair of its class and the form."""
    if is_known(syntax.tokens[number].text.lower()):
        for kind in kinds:
            aspects = kind == "aspect"
            found = wrong_aspects(syntax, number, pairs) if aspects else _FINDERS[kind](syntax, number)
            yield from ((kind, word) for word in found)


_FINDERS = {"adjective": wrong_adjectives, "case": wrong_cases, "verb": wrong_verbs}
_CLASSES_OF = {
    "NOUN": ("case",),
    "ADJ": ("adjective", "verb"),
    "DET": ("adjective",),
    "VERB": ("aspect", "verb", "adjective"),
    "AUX": ("verb",),
}
"""The classes of errors of each part of speech, the likeliest first."""
