"""Another word in the place of a word: in its form, with the words that agree with it and its preposition."""

from augment_ru.editing.agreeing import agreeing
from augment_ru.editing.syntax import Syntax
from augment_ru.edits import Edit, Note
from augment_ru.language.inflection import WordForm, has_plural, inflect, known_forms, noun_of
from augment_ru.language.morphology import is_known, only_form
from augment_ru.language.prepositions import cases_behind, fitting
from augment_ru.text.doc import Token
from augment_ru.text.words import RUSSIAN

_OF_PLACE = frozenset({"в", "во", "на"})


def replacement(syntax: Syntax, number: int, lemma: str) -> tuple[Edit, ...] | None:
    """The edits that put another word in the place of a word, each read as what it replaces.

    Args:
        syntax: the tree of the text.
        number: the number of the token.
        lemma: the dictionary form of the other word, of the same part of speech.

    Returns:
        The edits; None if the other word has no such form, or if a word that depends on it cannot be made to agree.
    """
    form = syntax.form(number)
    if form is None or not is_known(syntax.tokens[number].text.lower()):
        return None
    changed: dict[int, str] | None = {}
    if form.kind == "NOUN":
        noun = noun_of(lemma, form) if _case_is_certain(syntax, number, form) else None
        changed = agreeing(syntax, number, form, noun) if noun and _fits(syntax, number, form, noun) else None
        preposition = syntax.preposition(number)
        if form.case == "loct" and preposition is not None and preposition.text.lower() in _OF_PLACE:
            form = form.having("loc2")
    elif form.kind == "VERB" and not _governs(syntax, number, lemma):
        return None
    word = inflect(lemma, form)
    return None if changed is None or word is None else _edits(syntax, {**changed, number: word})


def _edits(syntax: Syntax, words: dict[int, str]) -> tuple[Edit, ...] | None:
    """The edits that put these words in the place of tokens; None if a preposition in front is not certain."""
    edits = []
    for number, word in words.items():
        fitted = _fitted(syntax, number, word)
        if fitted is None:
            return None
        edits += [_edit(syntax, number, word), *fitted]
    return tuple(sorted(one for one in edits if one.text != syntax.doc.text[one.start : one.stop]))


def _case_is_certain(syntax: Syntax, number: int, form: WordForm) -> bool:
    """Whether the tree does not contradict the case that the tagger gives a noun: «дом» has two that look the same."""
    token, preposition = syntax.tokens[number], syntax.preposition(number)
    relation = token.relation.partition(":")[0]
    if preposition is not None:
        cases = cases_behind(preposition.text.lower())
        return form.first_case in cases or (not cases and form.case != "nomn") or _is_counted(syntax, number)
    if relation == "nsubj":
        return form.case in {"nomn", "gent"}
    if relation == "conj":
        head = syntax.form(token.head)
        return head is None or head.kind != "NOUN" or head.first_case == form.first_case
    return not (relation in {"obj", "iobj", "obl", "nmod"} and form.case == "nomn")


def _is_counted(syntax: Syntax, number: int) -> bool:
    return syntax.child(number, "nummod") is not None


def _fits(syntax: Syntax, number: int, form: WordForm, noun: WordForm) -> bool:
    """Whether a noun has the number that is needed, and in the accusative the animacy."""
    if form.number == "plur" and not has_plural(noun):
        return False
    counted = _is_counted(syntax, number)
    if "Pltm" in noun.word and (form.number == "sing" or counted):
        return False
    return form.animacy == noun.animacy or (form.case not in {"accs", ""} and not counted)


def _governs(syntax: Syntax, number: int, lemma: str) -> bool:
    """Whether a verb may have the object that the verb in its place has."""
    if syntax.child(number, "obj") is None:
        return True
    return any("tran" in one.word for one in known_forms(lemma) if one.kind == "VERB")


def _edit(syntax: Syntax, number: int, word: str) -> Edit:
    token = syntax.tokens[number]
    written = written_like(word, token.text, yo="ё" not in word or writes_yo(syntax.doc.text))
    return Edit(token.start, token.stop, written, Note(syntax.doc.text[token.start : token.stop]))


def _fitted(syntax: Syntax, number: int, word: str) -> list[Edit] | None:
    """The edit of the preposition in front of a word, if it must change; None if that is not certain."""
    before = _before(syntax, number)
    if before is None or before.pos != "ADP" or not RUSSIAN.fullmatch(before.text):
        return []
    old = before.text.lower()
    new = fitting(old, word)
    if new is None:
        return None
    if new == old or fitting(old, syntax.tokens[number].text.lower()) == new:
        return []  # where the text departs from the rule, it keeps its own way
    return [Edit(before.start, before.stop, written_like(new, before.text), Note(before.text))]


def _before(syntax: Syntax, number: int) -> Token | None:
    if not number:
        return None
    before = syntax.tokens[number - 1]
    return before if syntax.doc.text[before.stop : syntax.tokens[number].start].isspace() else None


def written_like(word: str, like: str, *, yo: bool = True) -> str:
    """A word in lower case with the capitals of another one.

    >>> written_like("ёлка", "Сосна"), written_like("ёлка", "СОСНА", yo=False), written_like("и", "Я")
    ('Ёлка', 'ЕЛКА', 'И')

    Args:
        word: the word, with ё.
        like: a word as it is written.
        yo: whether ё is written; if not, е is.
    """
    if not yo:
        word = word.replace("ё", "е")
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word[0].upper() + word[1:] if like[0].isupper() else word


def writes_yo(text: str) -> bool:
    """Whether a text writes ё: it has one, or no word in which ё alone would be right."""
    low = text.lower()
    return "ё" in low or all("ё" not in only_form(word) for word in RUSSIAN.findall(low) if "е" in word)
