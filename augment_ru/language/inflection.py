"""Inflection: puts a lemma into the form of a given word.

The forms come from pymorphy3's dictionary (OpenCorpora). These grammemes make a form: case and number of a noun; also
gender and animacy of an adjective or participle; person, tense, aspect, mood and voice of a verb. Other grammemes, such
as those for transitive verbs, names or rare spellings, do not belong to the form.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from math import fsum
from typing import NamedTuple

from augment_ru.language.frequency import count_of, is_common
from augment_ru.language.morphology import GENDERS, SECOND_CASES, analysis, morphology, readings
from augment_ru.text.words import RUSSIAN

ALL_CASES = frozenset({"nomn", "gent", "gen2", "datv", "accs", "ablt", "loct", "loc2", "voct"})
NUMBERS = frozenset({"sing", "plur"})
ANIMACY = frozenset({"anim", "inan"})
PERSONS = frozenset({"1per", "2per", "3per"})
ASPECTS = frozenset({"perf", "impf"})
_KINDS = frozenset({"ADJF", "ADJS", "COMP", "VERB", "INFN", "PRTF", "PRTS", "GRND", "NUMR", "NPRO", "ADVB", "PRED"})
_OTHER = frozenset({
    "past", "pres", "futr", "indc", "impr", "incl", "excl", "actv", "pssv", "Supr", "Cmp2",
})  # fmt: skip
_PARTS = _KINDS | {"NOUN"}
_FORM = ALL_CASES | NUMBERS | GENDERS | ANIMACY | PERSONS | ASPECTS | _KINDS | _OTHER
_NAMES = frozenset({"Name", "Surn", "Patr", "Geox", "Orgn", "Abbr"})
_CATEGORIES = (ALL_CASES, NUMBERS, GENDERS, ANIMACY, PERSONS, ASPECTS)
_NOUN_FORM = ALL_CASES | NUMBERS
_VARIANTS = frozenset({
    "V-oy", "V-ey", "V-ej", "V-sh", "V-be", "V-bi", "V-en", "V-ie", "Infr", "Slng", "Arch", "Litr", "Erro", "Dist",
    "Coun", "Fimp", "Hypo", "Af-p", "Abbr",
})  # fmt: skip
_SAME_VARIANT = {"V-ey": "V-oy"}
"""Maps a variant to the one it counts as: «землёю» is the same variant of «землёй» as «водою» is of «водой»."""
_WORD_CLASS = {
    "NOUN": "NOUN", "ADJF": "ADJ", "ADJS": "ADJ", "COMP": "ADJ", "VERB": "VERB", "INFN": "VERB", "PRTF": "VERB",
    "PRTS": "VERB", "GRND": "VERB",
}  # fmt: skip


class WordForm(NamedTuple):
    """A grammatical form of a word; grammemes are pymorphy3's names of grammatical values, such as "sing".

    Attributes:
        lemma: the lemma of the word, with ё.
        kind: the class of the word: NOUN, ADJ, VERB (including participles and gerunds), or pymorphy3's part of speech.
        grammemes: the grammemes that make the form, such as {"sing", "ablt"}.
        variants: further grammemes, which distinguish forms whose `grammemes` are the same: {"V-oy", "femn"} for
            «водою», {"femn"} for «водой». The gender of a noun is one of them.
        word: all grammemes, also those that all forms of the word have: {"NOUN", "inan", "femn", "sing", "ablt"}.
    """

    lemma: str
    kind: str
    grammemes: frozenset[str]
    variants: frozenset[str]
    word: frozenset[str]

    @property
    def case(self) -> str:
        """The case of the form by its name in pymorphy3, such as `gent`; "" for a form without case.

        The second genitive and locative are cases of their own, `gen2` and `loc2`.
        """
        return _one_of(self.grammemes, ALL_CASES)

    @property
    def first_case(self) -> str:
        """The case of the form by its name in pymorphy3; "" for a form without case.

        The second genitive and locative count as `gent` and `loct`: «чаю» in «стакан чаю» is in `gent`.
        """
        return SECOND_CASES.get(self.case, self.case)

    @property
    def number(self) -> str:
        """The grammatical number: `sing` or `plur`; "" for a form without number."""
        return _one_of(self.grammemes, NUMBERS)

    @property
    def gender(self) -> str:
        """The gender of the word in this form: `masc`, `femn` or `neut`; "" if it has no gender."""
        return "" if "GNdr" in self.word else _one_of(self.word, GENDERS)

    @property
    def animacy(self) -> str:
        """Whether the word is of a living being (`anim`) or not (`inan`); "" for a word without animacy."""
        return _one_of(self.word, ANIMACY)

    def having(self, *grammemes: str) -> "WordForm":
        """Return a copy with other grammemes (pymorphy3's names of case, number, gender, animacy, person or aspect).

        Each given grammeme replaces the one of the same category.

        >>> form = word_form("красивую", "ADJ", "Case=Acc|Gender=Fem|Number=Sing")
        >>> inflect("новый", form.having("masc", "inan"))
        'новый'
        """
        changed = self.grammemes
        for one in grammemes:
            changed = changed - next(known for known in _CATEGORIES if one in known) | {one}
        if self.kind != "NOUN":
            if "plur" in changed:
                changed -= GENDERS
            if "accs" not in changed or ("sing" in changed and "masc" not in changed):
                changed -= ANIMACY
        return self._replace(grammemes=changed)


@cache
def _one_of(grammemes: frozenset[str], category: frozenset[str]) -> str:
    return min(grammemes & category, default="")


@lru_cache(maxsize=100_000)
def word_form(word: str, pos: str, features: str) -> WordForm | None:
    """Return the grammatical form of a word of a text.

    If several forms are possible, it is the one that agrees best with what the tagger (a model of morphology) found.

    Args:
        word: the word as it is written.
        pos: its universal part of speech, by the tagger.
        features: its universal features, by the tagger: `Case=Nom|…`.

    Returns:
        The form; None if the word is not Russian, or if inflecting its lemma into this form gives another word.
    """
    found = analysis(word, pos, features)
    if found is None:
        return None
    form = _form(found.lemma, found.exact)
    return form if inflect(form.lemma, form) == found.form else None


@lru_cache(maxsize=200_000)
def inflect(lemma: str, form: WordForm) -> str | None:
    """Put a lemma into the grammatical form of another word; the result is in lower case, with ё.

    - Variants are kept: «влага» in the form of «водою» is «влагою».
    - A word without the second genitive or locative is put into the first one: «молоко» in the form of «чаю» (in
      «стакан чаю») is «молока».
    - If several words have the lemma («кулак» is a fist or a man), the one with the animacy and gender of the form is
      taken.
    - If the form can be written in several ways, the most frequent one is taken: «лет», not «годов».

    Args:
        lemma: the lemma of the wanted word, with ё.
        form: the wanted form; its own lemma does not matter.

    Returns:
        The word; None if the dictionary has no such lemma, if the lemma has no such form, or if pymorphy3 does not read
        the word as a form of this lemma.
    """
    wanted = form.grammemes
    common = frozenset(SECOND_CASES.get(one, one) for one in wanted)
    kept = form.word & (ANIMACY | GENDERS) if form.kind == "NOUN" else ANIMACY
    lexemes = sorted(_lexemes(lemma, form.kind), key=lambda one: -len(one.word & kept))
    for grammemes in dict.fromkeys((wanted, common)):
        for one in lexemes:
            if known := one.forms.get(grammemes):
                word = _best([(f"{before}{one.stem}{after}", variants) for before, after, variants in known], form)
                return word if any(each.lemma == lemma for each in known_forms(word)) else None
    return None


@lru_cache(maxsize=200_000)
def known_forms(word: str) -> tuple[WordForm, ...]:
    """Return all grammatical forms that a word in lower case may be, the likeliest first.

    «стали», for example, may be a form of «сталь» or of «стать». The result is empty for a word that is not Russian.
    """
    if not RUSSIAN.fullmatch(word):
        return ()
    return tuple(_form(one.lemma, one.exact) for one in readings(word))


@lru_cache(maxsize=50_000)
def noun_of(lemma: str, like: WordForm | None = None) -> WordForm | None:
    """Return the nominative form of a noun, given its lemma.

    Args:
        lemma: the lemma, with ё.
        like: a form of another noun. If several nouns have this lemma, the one that is most like it in gender and
            animacy is taken.

    Returns:
        The form; None if `lemma` is not the lemma of a noun.
    """
    found = [one for one in known_forms(lemma) if one.kind == "NOUN" and one.lemma == lemma and one.case == "nomn"]
    kept = (GENDERS | ANIMACY) & like.word if like else frozenset()
    return max(found, key=lambda one: len(kept & one.word) - bool(_NAMES & one.word), default=None)


@lru_cache(maxsize=50_000)
def has_plural(noun: WordForm) -> bool:
    """Tell whether a noun, given in its dictionary form, is used in the plural; «усердие», for example, is not.

    A noun has no plural if the dictionary says so, or if only its singular occurs in the news that natasha's word
    vectors (navec) were trained on.
    """
    if "Sgtm" in noun.word:
        return False
    forms = [inflect(noun.lemma, noun.having("plur", case)) or "" for case in ("gent", "datv", "ablt", "loct")]
    return not is_common(noun.lemma.replace("ё", "е")) or any(is_common(one.replace("ё", "е")) for one in forms)


def _best(known: list[tuple[str, frozenset[str]]], form: WordForm) -> str:
    """Choose the word whose variants are most like those of the form; of equally good words the most frequent.

    Args:
        known: the words of the wanted form, each with its variants.
        form: the wanted form.
    """
    if len(known) == 1:
        return known[0][0]

    def order(at: int) -> tuple[int, float, int]:
        word, variants = known[at]
        return len(variants ^ form.variants), -_frequency(word, form.grammemes), at

    return known[min(range(len(known)), key=order)][0]


def _frequency(word: str, grammemes: frozenset[str]) -> float:
    """Return the estimated count of a word with these grammemes: of «человек» as a genitive plural, for example.

    This is the count of the word times the probability of its readings with all these grammemes.
    """
    share = fsum(one.score for one in readings(word) if grammemes <= one.exact)
    return share * count_of(word.replace("ё", "е"))


def _form(lemma: str, grammemes: frozenset[str]) -> WordForm:
    return WordForm(lemma, *_shape(grammemes), grammemes)


@cache
def _shape(grammemes: frozenset[str]) -> tuple[str, frozenset[str], frozenset[str]]:
    """Split grammemes; return the class of the word, the grammemes that make the form, and those of its variant."""
    part = _one_of(grammemes, _PARTS)
    kind = _WORD_CLASS.get(part, part)
    variants = frozenset(_SAME_VARIANT.get(one, one) for one in grammemes & _VARIANTS)
    if kind == "NOUN":  # «супругу» is read as a form of «супруг», too
        return kind, grammemes & _NOUN_FORM, variants | (grammemes & GENDERS)
    return kind, grammemes & _FORM, variants


_Written = tuple[str, str, frozenset[str]]
"""A form as the prefix and the suffix around its stem, and its variants."""


class _Lexeme(NamedTuple):
    """A word with all its forms.

    Attributes:
        word: the grammemes of its dictionary form.
        stem: the part that all forms share; "" if each form is stored whole.
        forms: maps the grammemes of a form to the forms that have them, in the order of the dictionary.
    """

    word: frozenset[str]
    stem: str
    forms: dict[frozenset[str], list[_Written]]


@lru_cache(maxsize=2_048)  # forms of one lemma are asked one after the other, and `inflect` keeps them
def _lexemes(lemma: str, kind: str) -> tuple[_Lexeme, ...]:
    """Return the words of the class `kind` that have this lemma, the likeliest first."""
    if not RUSSIAN.fullmatch(lemma):
        return ()
    found: dict[object, _Lexeme] = {}
    for one in morphology().parse(lemma):
        known = _form(str(one.normal_form), frozenset(one.tag.grammemes))
        if (known.lemma, known.kind) != (lemma, kind):
            continue
        if len(one.methods_stack) == 1 and one.is_known:
            _, word, paradigm, at = one.methods_stack[0]
            if paradigm not in found:
                edges, rows = _paradigm(paradigm)
                prefix, suffix = edges[at]
                found[paradigm] = _Lexeme(known.word, word[len(prefix) : len(word) - len(suffix)], rows)
        elif str(one.tag) not in found:
            forms = [("", str(form.word), frozenset(form.tag.grammemes)) for form in one.lexeme]
            found[str(one.tag)] = _Lexeme(known.word, "", _by_grammemes(forms))
    return tuple(found.values())


@cache
def _paradigm(number: int) -> tuple[list[tuple[str, str]], dict[frozenset[str], list[_Written]]]:
    """Return the forms of a paradigm of the dictionary, a class of words that are inflected alike, without stems.

    Returns:
        The prefix and the suffix of each form, by the number of the form; and the forms by their grammemes.
    """
    rows = [
        (str(prefix), str(suffix), frozenset(tag.grammemes))
        for prefix, tag, suffix in morphology().dictionary.build_paradigm_info(number)
    ]
    return [(prefix, suffix) for prefix, suffix, _ in rows], _by_grammemes(rows)


def _by_grammemes(forms: Iterable[_Written]) -> dict[frozenset[str], list[_Written]]:
    rows: dict[frozenset[str], list[_Written]] = {}
    for prefix, suffix, grammemes in forms:
        _, shape, variants = _shape(grammemes)
        rows.setdefault(shape, []).append((prefix, suffix, variants))
    return rows
