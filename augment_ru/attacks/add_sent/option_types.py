"""The grammatical types of options, and how one option is put into the form of another.

Instead of «из железного гвоздя», «медный провод» becomes «из медного провода»: it gets the preposition and the case.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from augment_ru.language.inflection import WordForm, has_plural, inflect, known_forms, noun_of
from augment_ru.language.morphology import Reading, readings
from augment_ru.language.prepositions import cases_behind, fitting

_MARKS = " .,;:!?…«»\"'()—–-"
_INTRODUCED = sorted(
    (
        phrase.split()
        for phrase in (
            "потому что", "так как", "чтобы", "если", "когда", "поскольку", "из-за того что", "для того чтобы", "что",
            "пока", "благодаря тому что", "только", "лишь", "после того как", "как",
        )
    ),
    key=len,
    reverse=True,
)  # fmt: skip
"""What introduces a clause or a phrase, and stays when another one is put after it."""
_SUBJECTS = frozenset(["он", "она", "оно", "они", "это", "мы", "вы", "я", "ты"])
_ASKED = frozenset(
    ["ли", "где", "куда", "откуда", "сколько", "какой", "какая", "какое", "какие", "кто", "почему", "зачем"]
)
"""Words of an indirect question, which has no type."""
_BEFORE_VERB = frozenset({"ADVB", "PRCL", "COMP", "PRED"})
_FULL = frozenset({"ADJF", "PRTF"})
_PREDICATES = frozenset({"COMP", "ADJS", "PRTS", "PRED"})
_OTHER_KINDS = {"INFN": "infinitive", "GRND": "gerund", "ADJS": "short", "PRTS": "short", "COMP": "comparative"}
_SOURCES = {"verb": "infinitive", "gerund": "infinitive", "short": "adjective", "comparative": "adjective"}
"""For each kind, the other kind of which its options are made, too: «потерять цвет» gives «потеряла цвет»."""
_AMOUNT = re.compile(r"(?:[а-яё]+ )?(?P<number>\d{1,4})(?P<unit>(?: ?[^\s\d]{1,12}){0,3})", re.IGNORECASE)
_NUMERALS = (
    ("два", "три", "четыре"),
    ("пять", "шесть", "семь", "восемь", "девять", "десять", "двенадцать", "пятнадцать", "двадцать", "тридцать"),
)
"""Numerals with the same government: «два дня», «пять дней»."""
_EITHER = frozenset({"nomn", "accs"})
_LEAST_OF_ONE_GENDER = 3


class OptionType(NamedTuple):
    """An option (offered answer) with its grammatical type. A text that replaces the option must have the same type.

    Attributes:
        kind: `noun`, `verb` (a predicate without subject, or with a pronoun in front), `infinitive`, `gerund`,
            `adjective`, `short` (a short adjective or short participle), `comparative`, `adverb`, `clause`, `amount`
            (in digits), or `numeral`.
        lead: the first words, if they stay when the option is replaced: a conjunction, a pronoun, a preposition.
        words: the words after `lead`, as they are written.
        head: the index in `words`, from 0, of the word that is inflected.
        forms: the grammatical forms (case, number and so on) in which the inflected word may stand, the likeliest
            first.
        preposition: the last word of `lead` in lower case if it is a preposition; otherwise "".
    """

    kind: str
    lead: tuple[str, ...]
    words: tuple[str, ...]
    head: int
    forms: tuple[WordForm, ...]
    preposition: str = ""

    @property
    def first(self) -> WordForm:
        """The likeliest grammatical form of the option's inflected word."""
        return self.forms[0]

    def made_of(self, new: "OptionType", others: Sequence["OptionType"]) -> str | None:
        """Put a new option into the form of this one, and give it the first words of this one, such as a preposition.

        The result is the text of the new option; None if it cannot be put into this form.

        Args:
            new: the new option with its type.
            others: the other options of the question with their types. They help to tell whether this option is in the
                nominative or the accusative.
        """
        if new.kind not in (self.kind, _SOURCES.get(self.kind)) or not (self.forms and new.forms):
            return None
        if self.kind == "noun":
            return self._of_noun(new, [one for one in others if one.kind == "noun" and one.lead == self.lead])
        if new.lead and [word.lower() for word in new.lead] != [word.lower() for word in self.lead]:
            return None
        if self.kind in ("clause", "adverb", "infinitive"):
            return " ".join((*self.lead, *new.words)) if new.tense == self.tense else None
        made = {inflect(new.first.lemma, form) for form in self._narrowed(others)}
        word = made.pop() if len(made) == 1 else None
        graded = new.kind == "adjective" != self.kind  # only qualities have short forms and degrees
        if word is None or (graded and (len(new.words) > 1 or "Qual" not in new.first.word)):
            return None
        return " ".join((*self.lead, *new.words[: new.head], word, *new.words[new.head + 1 :]))

    @property
    def tense(self) -> frozenset[str]:
        """The tense of a clause, or the aspect of an infinitive; an option that replaces this one must have the same.

        It is given as a set of pymorphy3's grammemes: `past` or `futr`, `perf` or `impf`. The set is empty for a clause
        in the present tense or without a verb, and for options of other kinds.
        """
        if self.kind == "infinitive":
            return self.first.grammemes & {"perf", "impf"}
        return self.first.grammemes & {"past", "futr"} if self.kind == "clause" else frozenset()

    def _narrowed(self, others: Sequence["OptionType"]) -> list[WordForm]:
        """Return the forms of the head whose case the other options of this kind may have, too."""
        forms = self._shared(self.forms if self.kind == "adjective" else self.forms[:1], others)
        first = [form for form in forms if form.first_case in _EITHER] or forms[:1]
        return [form for form in first if form.number == first[0].number and form.gender == first[0].gender]

    def _of_noun(self, new: "OptionType", others: Sequence["OptionType"]) -> str | None:
        forms = self._shared(self.forms, others)
        number, genders = forms[0].number, {one.first.gender for one in (self, *others)}
        agree = len(others) + 1 >= _LEAST_OF_ONE_GENDER and len(genders) == 1 and number == "sing"
        if new.first.animacy != forms[0].animacy or (agree and new.first.gender not in genders):
            return None
        cases = {form.first_case for form in forms if form.number == number}
        made = {new.declined(case, number) for case in (cases & _EITHER or {forms[0].first_case})}
        text = made.pop() if len(made) == 1 else None
        if text is None or not self.preposition:
            return None if text is None else " ".join((*self.lead, text))
        fitted = fitting(self.preposition, text.split()[0].lower())
        return None if fitted is None else " ".join((*self.lead[:-1], fitted, text))

    def _shared(self, forms: Sequence[WordForm], others: Sequence["OptionType"]) -> Sequence[WordForm]:
        """Return the forms whose case the other options of this kind may have, too; all forms if none is left."""
        for other in others:
            if other.kind == self.kind:
                cases = {form.first_case for form in other.forms}
                forms = [form for form in forms if form.first_case in cases] or forms
        return forms

    def declined(self, case: str, number: str) -> str | None:
        """Return the words of this option, a noun phrase, in a case and number; None if the phrase has no such form.

        Args:
            case: pymorphy3's grammeme of the case, such as `gent`.
            number: `sing` or `plur`.
        """
        noun = noun_of(self.first.lemma, self.first)
        alone = self.head == len(self.words) - 1  # «рост растения» has no plural beside its genitive
        if noun is None or (number != self.first.number and not (alone and number == "plur" and has_plural(noun))):
            return None
        if case == "nomn" and number == self.first.number and self.first.case == case:
            return " ".join(self.words)
        declined = [*self.words]
        for at, word in enumerate(self.words[: self.head]):
            adjective = next((form for form in known_forms(word.lower()) if form.word & _FULL), None)
            if adjective is not None:
                wanted = (number, case, noun.animacy or "inan", *((noun.gender,) if noun.gender else ()))
                made = inflect(adjective.lemma, adjective.having(*wanted))
                if made is None:
                    return None
                declined[at] = made
        head = inflect(noun.lemma, noun.having(number, case))
        if head is None:
            return None
        declined[self.head] = head.capitalize() if self.words[self.head][0].isupper() else head
        return " ".join(declined)


@lru_cache(maxsize=50_000)
def option_type(text: str) -> OptionType | None:
    """Find the grammatical type of an option («в лесу»: a preposition and a noun); None if the type is not certain."""
    tokens = text.strip(_MARKS).split()
    words = [token.strip(_MARKS).lower() for token in tokens]
    if not all(words) or not _ASKED.isdisjoint(words) or re.search(r"[.!?;:(]\s", text):
        return None
    if _AMOUNT.fullmatch(" ".join(tokens)):
        return OptionType("amount", (), (*tokens,), 0, ())
    if re.search(r"\d", text):
        return None
    lead = next((len(phrase) for phrase in _INTRODUCED if words[: len(phrase)] == phrase), 0)
    likeliest = [readings(word)[0] for word in words]
    return _typed(tokens, words, likeliest, lead) if lead < len(words) else None


def _typed(tokens: list[str], words: list[str], likeliest: list[Reading], lead: int) -> OptionType | None:
    """Find the type of an option, of which the first `lead` words only introduce it."""
    parts = [one.pos for one in likeliest]
    found = _with_verb(words, likeliest, lead) or _without_noun(words, parts, lead)
    if found is not None:
        kind, first, at, forms = found
        return OptionType(kind, (*tokens[:first],), (*tokens[first:],), at - first, (*forms,)) if forms else None
    cases = cases_behind(words[lead]) if parts[lead] == "PREP" else frozenset()
    if parts[lead] in ("PRCL", "ADVB") or (parts[lead] == "PREP" and (not cases or lead + 1 == len(words))):
        return None
    return _noun_phrase(tokens, words, lead + bool(cases), cases)


_Found = tuple[str, int, int, Sequence[WordForm]]
"""The kind of an option, the number of its first word after the lead, that of its head, and the forms of the head."""


def _with_verb(words: list[str], likeliest: list[Reading], lead: int) -> _Found | None:
    """Find the type of a predicate or a clause with a finite verb; None if there is no such verb."""
    parts = [one.pos for one in likeliest]
    finite = (at for at in range(lead, len(words)) if parts[at] == "VERB" and "impr" not in likeliest[at].grammemes)
    verb = next(finite, None)
    if verb is None:
        return None
    if words[verb] in ("будет", "будут") and "INFN" in parts[verb + 1 : verb + 2]:
        return "infinitive", verb + 1, verb + 1, _forms(words[verb + 1], "INFN")
    begin = lead + (words[lead] in _SUBJECTS)
    own = any(pos not in _BEFORE_VERB for pos in parts[begin:verb]) or _has_subject(words, likeliest, verb)
    return ("clause" if own else "verb"), (lead if own else begin), verb, _forms(words[verb], "VERB")


def _without_noun(words: list[str], parts: list[str], lead: int) -> _Found | None:
    """Find the type of an option without a finite verb that is no noun phrase; None for a possible noun phrase.

    If the option has no type, the forms are empty.
    """
    single = len(words) - lead == 1
    first = next((at for at in range(lead, len(words)) if parts[at] not in ("PRCL", "ADVB")), None)
    infinitive = parts.index("INFN", lead) if "INFN" in parts[lead:] else -1
    predicate = next((at for at in range(lead, len(words)) if parts[at] in _PREDICATES), None)
    if first is None:
        return "adverb", lead, lead, known_forms(words[lead])[: int(single)]
    if infinitive >= 0 and set(parts[lead:infinitive]) <= _BEFORE_VERB - {"PRED"}:
        return "infinitive", lead, infinitive, _forms(words[infinitive], "INFN")
    if parts[first] in _OTHER_KINDS and (single or parts[first] == "GRND"):
        return _OTHER_KINDS[parts[first]], lead, first, _forms(words[first], parts[first])
    if predicate is not None:  # a clause without a verb, or a predicate whose subject stands in the question
        has_subject = bool({"NOUN", "NPRO"} & {*parts[lead:predicate]})
        return "clause", lead, first, known_forms(words[first])[: int(has_subject)]
    return ("numeral", first, first, _forms(words[first], "NUMR")) if parts[first] == "NUMR" else None


def _noun_phrase(tokens: list[str], words: list[str], first: int, cases: frozenset[str]) -> OptionType | None:
    """Find the type of a noun phrase, or of adjectives alone; word number `first` is its first after a preposition."""
    head = first
    agreeing: list[list[WordForm]] = []
    while head < len(words) and (full := [form for form in known_forms(words[head]) if form.word & _FULL]):
        if head + 1 == len(words) and not agreeing and not _forms(words[head], "NOUN"):
            forms = [form for form in full if not cases or form.first_case in cases]
            return OptionType("adjective", (*tokens[:first],), (*tokens[first:],), 0, (*forms,)) if forms else None
        if known_forms(words[head])[0].kind == "NOUN" or "Apro" in full[0].word:
            break
        agreeing.append(full)
        head += 1
    if head == len(words) or known_forms(words[head])[:1] == () or known_forms(words[head])[0].kind != "NOUN":
        return None
    forms = [
        form
        for form in _forms(words[head], "NOUN")
        if (not cases or form.first_case in cases) and all(any(_agree(one, form) for one in full) for full in agreeing)
    ]
    if not forms or "и" in words[head + 1 : head + 2]:
        return None
    preposition = words[first - 1] if cases else ""
    return OptionType("noun", (*tokens[:first],), (*tokens[first:],), head - first, (*forms,), preposition)


def _agree(adjective: WordForm, noun: WordForm) -> bool:
    return (
        (adjective.first_case, adjective.number) == (noun.first_case, noun.number)
        and (noun.number == "plur" or not noun.gender or adjective.gender in ("", noun.gender))
        and adjective.grammemes & {"anim", "inan"} <= noun.word
    )


def _has_subject(words: list[str], likeliest: list[Reading], verb: int) -> bool:
    """Tell whether a noun after a verb is its subject: a nominative that is no object."""
    intransitive = "intr" in likeliest[verb].grammemes
    for at in range(verb + 1, len(words)):
        if likeliest[at].pos == "PREP":
            return False
        cases = {form.first_case for form in _forms(words[at], "NOUN")} if likeliest[at].pos == "NOUN" else set()
        if "nomn" in cases and (intransitive or "accs" not in cases):
            return True
    return False


def _forms(word: str, part: str) -> list[WordForm]:
    return [form for form in known_forms(word) if part in form.word]


def other_amounts(old: OptionType) -> Iterator[str]:
    """Yield options with another number and the same unit as an old one: «5 км» gives «15 км».

    An amount in digits stays in digits. A numeral is replaced by one after which the noun has the same form: «пять
    дней» by «семь дней».
    """
    text = " ".join((*old.lead, *old.words))
    if old.kind == "numeral":
        lemma = old.forms[0].lemma
        for other in next((group for group in _NUMERALS if lemma in group), ()):
            made = inflect(other, old.forms[0]) if other != lemma else None
            if made:
                yield " ".join((*old.lead, made, *old.words[1:]))
    elif (found := _AMOUNT.fullmatch(text)) is not None:
        number = int(found["number"])
        for step in (10, -10, 20, -20, 30, -30, 50, 100, 40, 60):
            more = number + step
            if more > 0 and (more % 100 in _TEENS) == (number % 100 in _TEENS):
                yield text[: found.start("number")] + str(more) + text[found.end("number") :]


_TEENS = range(11, 15)
