"""Replaces a word by another one in the same form, and adapts the words that agree with it and its preposition.

The last class of the module is the base of attacks that replace words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from augment_ru.draws import Rng, Streams
from augment_ru.editing.syntax import Syntax, trees_of
from augment_ru.edits import Change, Edit, Note
from augment_ru.engine.attack import Attack, check_guards
from augment_ru.engine.proposals import Proposals
from augment_ru.language.inflection import WordForm, has_plural, inflect, known_forms, noun_of
from augment_ru.language.morphology import GENDERS, has_lemma, is_known, only_form
from augment_ru.language.prepositions import cases_behind, fitting
from augment_ru.resources import lemmas_in, same_word, senses
from augment_ru.text.batch import Batch
from augment_ru.text.doc import Doc, Token
from augment_ru.text.phrases import in_phrase
from augment_ru.text.words import RUSSIAN

_ATTRIBUTES = frozenset({"amod", "det", "acl", "nummod", "nummod:gov", "nummod:entity"})
_GENDERED_NUMERALS = frozenset({"два", "оба", "полтора", "полтораста"})
_PRONOUNS = frozenset({"он", "она", "оно", "его", "её", "ее"})
_RELATIVES = frozenset({"который", "сам", "чей"})
_GENDERS = {"masc": "Gender=Masc", "femn": "Gender=Fem", "neut": "Gender=Neut"}
_POINTING = frozenset({"это", "то", "всё"})
_PREDICATES = frozenset({"VERB", "AUX", "ADJ"})
_ABOUT_WORDS = re.compile(r"(?i)\b(?:(?:син|ант)оним|рифм)|\bслов(?:[оауе]|ом)\s[«\"]|(?:знач|пиш)\S*\sслов[оа]\b")
"""Signs of a question about words: «Что значит слово …»."""


def agreeing(syntax: Syntax, noun: int, old: WordForm, new: WordForm) -> dict[int, str] | None:
    """Return new forms for the words that agree with a noun when a noun of another gender replaces it.

    If «пёс» replaces «собака», for example, «большая» becomes «большой».

    Args:
        syntax: the tree of the text.
        noun: the index of the replaced noun's token, from 0.
        old: the form of the replaced noun.
        new: the dictionary form of the new noun, with its gender.

    Returns:
        The new forms in lower case, with ё, by the index of the token that each one replaces. None if a word cannot be
        put into the gender of the new noun, or if it is not certain which words refer to the replaced noun.
    """
    if old.gender == new.gender and (old.gender or "GNdr" in old.word & new.word):
        return {}
    if not old.gender or not new.gender or _refers(syntax, noun, old):
        return None
    found = {} if old.number == "plur" else _changed(syntax, noun, old, new)
    return None if found is None or (old.number == "sing" and _unbound(syntax, noun, old, found)) else found


def _changed(syntax: Syntax, noun: int, old: WordForm, new: WordForm) -> dict[int, str] | None:
    found: dict[int, str] = {}
    attributes = set(_attributes(syntax, noun))
    for other in dict.fromkeys([*_attributes(syntax, noun), *predicates(syntax, noun)]):
        form = syntax.form(other)
        if form is not None and not (form.number == "sing" and form.grammemes & GENDERS):
            continue
        if form is None or form.gender != old.gender or (other in attributes and form.first_case != old.first_case):
            return None  # the tree, or one of the readings, is wrong
        word = inflect(form.lemma, form.having(new.gender, *([new.animacy] if form.case == "accs" else [])))
        if word is None:
            return None
        found[other] = word
    return found


def _attributes(syntax: Syntax, noun: int) -> Iterator[int]:
    """Find the adjectives, participles and numerals of a noun, and the words that are conjoined with them."""
    for child in syntax.children[noun]:
        token = syntax.tokens[child]
        if token.relation in _ATTRIBUTES and token.pos in {"ADJ", "DET", "VERB", "PRON", "NUM"}:
            yield child
            yield from _conjoined(syntax, child)


def _conjoined(syntax: Syntax, number: int) -> Iterator[int]:
    for child in syntax.children[number]:
        token = syntax.tokens[child]
        if token.relation == "conj" and token.pos in _PREDICATES and syntax.child(child, "nsubj") is None:
            yield child
            yield from _conjoined(syntax, child)


def predicates(syntax: Syntax, noun: int) -> Iterator[int]:
    """Yield the indices of the verbs and adjectives whose subject is this noun, and of their auxiliaries.

    Args:
        syntax: the tree of the text.
        noun: the index of the noun's token, from 0.
    """
    token = syntax.tokens[noun]
    subject = syntax.child(noun, "nsubj")
    if subject is not None and syntax.tokens[subject].text.lower() in _POINTING:
        yield from _auxiliaries(syntax, noun)  # «это была кошка»
    if token.relation.partition(":")[0] != "nsubj":
        return
    for head in (token.head, *_conjoined(syntax, token.head)):
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
    """Tell whether a pronoun, a clause or a numeral may refer to the noun and depend on its gender."""
    token = syntax.tokens[noun]
    if _last_pronoun(syntax, _GENDERS[old.gender]) > noun:
        return True
    if syntax.child(noun, "acl:relcl", "appos", "flat") is not None:
        return True
    if any(syntax.tokens[child].lemma in _GENDERED_NUMERALS for child in syntax.children[noun]):
        return True
    head = syntax.form(token.head) if token.head != noun and token.pos != "VERB" else None
    return head is not None and head.kind == "ADJ" and token.relation.partition(":")[0] != "nsubj"  # «одна из машин»


@lru_cache(maxsize=3)
def _last_pronoun(syntax: Syntax, gender: str) -> int:
    """Return the number of the last pronoun of a text that may refer to a word of this gender; -1 if there is none.

    Args:
        syntax: the tree of the text.
        gender: the gender as a universal feature, such as `Gender=Fem`.
    """
    for number in range(len(syntax.tokens) - 1, -1, -1):
        token = syntax.tokens[number]
        if token.pos in {"PRON", "DET"} and (
            token.lemma in _PRONOUNS or (token.lemma in _RELATIVES and gender in token.features)
        ):
            return number
    return -1


def _unbound(syntax: Syntax, noun: int, old: WordForm, found: dict[int, str]) -> bool:
    """Tell whether a further word of the sentence may agree with the noun, because nothing else explains its gender.

    Args:
        syntax: the tree of the text.
        noun: the number of the noun.
        old: the form of the noun.
        found: the words that are known to agree with the noun, by their numbers.
    """
    gender = _GENDERS[old.gender]
    for number in syntax.tree(noun):
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
    """Tell whether a verb has a subject that may be of this gender.

    A verb that is conjoined with another word, or is its auxiliary, may have the subject of that word.
    """
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


_UNINFLECTED = frozenset({"ADVB", "CONJ", "PRED", "PRCL", "PREP"})
_OF_PLACE = frozenset({"в", "во", "на"})


def replacement(syntax: Syntax, number: int, lemma: str) -> tuple[Edit, ...] | None:
    """Return the edits that replace a word by another one, and make the words that depend on it agree.

    The note of each edit gives the old word as its reading (what the new text stands for).

    Args:
        syntax: the tree of the text.
        number: the index of the word's token, from 0.
        lemma: the dictionary form of the new word, of the same part of speech.

    Returns:
        The edits; None if the new word lacks the form of the old one, or if a word that depends on it cannot be made to
        agree.
    """
    form = syntax.form(number)
    if form is None or not is_known(syntax.tokens[number].text.lower()):
        return None
    changed: dict[int, str] | None = {}
    if form.kind == "NOUN":
        noun = noun_of(lemma, form) if _case_is_certain(syntax, number, form) else None
        changed = agreeing(syntax, number, form, noun) if noun and _may_replace(syntax, number, form, noun) else None
        preposition = syntax.preposition(number)
        if form.case == "loct" and preposition is not None and preposition.text.lower() in _OF_PLACE:
            form = form.having("loc2")
    elif form.kind == "VERB" and not _governs(syntax, number, lemma):
        return None
    bare = not _UNINFLECTED.isdisjoint(form.word) and same_word(syntax.tokens[number].text) == same_word(form.lemma)
    word = lemma if bare else inflect(lemma, form)  # an adverb may be several words: «тут же»
    if word is None and "COMP" in form.word and syntax.tokens[number].pos == "ADV":
        word = lemma  # «позже → впоследствии»: a line about a comparative gives it as it is written
    return None if changed is None or word is None else _edits(syntax, {**changed, number: word})


def _edits(syntax: Syntax, words: dict[int, str]) -> tuple[Edit, ...] | None:
    """Return the edits that write these words instead of tokens, and fit the prepositions in front of them.

    Args:
        syntax: the tree of the text.
        words: the new word of each token, by the token's number.

    Returns:
        The edits, sorted; None if the right form of a preposition is not certain.
    """
    edits = []
    for number, word in words.items():
        fitted = _fitted(syntax, number, word)
        if fitted is None:
            return None
        edits += [_edit(syntax, number, word), *fitted]
    return tuple(sorted(one for one in edits if one.text != syntax.doc.text[one.start : one.stop]))


def _case_is_certain(syntax: Syntax, number: int, form: WordForm) -> bool:
    """Tell whether the tree agrees with the case that the tagger gives a noun: «дом» looks the same in two cases."""
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


def _may_replace(syntax: Syntax, number: int, form: WordForm, noun: WordForm) -> bool:
    """Tell whether another noun has the needed number, and the same animacy where the form depends on it.

    Args:
        syntax: the tree of the text.
        number: the number of the replaced noun.
        form: the form of the replaced noun.
        noun: the other noun.
    """
    if form.number == "plur" and not has_plural(noun):
        return False
    counted = _is_counted(syntax, number)
    if "Pltm" in noun.word and (form.number == "sing" or counted):
        return False
    return form.animacy == noun.animacy or (form.case not in {"accs", ""} and not counted)


def _governs(syntax: Syntax, number: int, lemma: str) -> bool:
    """Tell whether the other verb may take the object of the verb that it replaces.

    Args:
        syntax: the tree of the text.
        number: the number of the replaced verb.
        lemma: the other verb.
    """
    return syntax.child(number, "obj") is None or any("tran" in one.word for one in known_forms(lemma))


def _edit(syntax: Syntax, number: int, word: str) -> Edit:
    token = syntax.tokens[number]
    return Edit(
        token.start, token.stop, written_at(syntax, number, word), Note(syntax.doc.text[token.start : token.stop])
    )


def _fitted(syntax: Syntax, number: int, word: str) -> list[Edit] | None:
    """Return the edit that fits the preposition in front of a word to the new word.

    Args:
        syntax: the tree of the text.
        number: the number of the replaced token.
        word: the new word in lower case.

    Returns:
        A list of one edit; [] if no preposition has to change; None if its right form is not certain.
    """
    before = _before(syntax, number)
    if before is None or before.pos != "ADP" or not RUSSIAN.fullmatch(before.text):
        return []
    old = before.text.lower()
    new = fitting(old, word)
    if new is None:
        return None
    if new == old or fitting(old, syntax.tokens[number].text.lower()) == new:
        return []  # the text breaks the rule here, and may go on doing so
    return [Edit(before.start, before.stop, written_like(new, before.text), Note(before.text))]


def _before(syntax: Syntax, number: int) -> Token | None:
    if not number:
        return None
    before = syntax.tokens[number - 1]
    return before if syntax.doc.text[before.stop : syntax.tokens[number].start].isspace() else None


def written_like(word: str, like: str, *, yo: bool = True) -> str:
    """Give a word in lower case the capitals of another word.

    >>> written_like("ёлка", "Сосна"), written_like("ёлка", "СОСНА", yo=False), written_like("и", "Я")
    ('Ёлка', 'ЕЛКА', 'И')

    Args:
        word: the word, with ё.
        like: the word with the capitals.
        yo: whether ё stays; if not, it becomes е.
    """
    if not yo:
        word = word.replace("ё", "е")
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word[0].upper() + word[1:] if like[0].isupper() else word


def written_at(syntax: Syntax, number: int, word: str) -> str:
    """Return a word in the letter case of the token that it replaces, with ё if the text writes this letter.

    Args:
        syntax: the text with its tree.
        number: the index of the token, from 0.
        word: the word in lower case.
    """
    return written_like(word, syntax.tokens[number].text, yo="ё" not in word or writes_yo(syntax.doc.text))


@lru_cache(maxsize=1)
def writes_yo(text: str) -> bool:
    """Tell whether a text is written with ё: it has a ё, or none of its words would need ё."""
    low = text.lower()
    return "ё" in low or all("ё" not in only_form(word) for word in RUSSIAN.findall(low) if "е" in word)


@dataclass(frozen=True, slots=True)
class ReplacesWords(Attack):
    """Replace words by other lemmas in the same grammatical form; the words that agree with a noun are adapted.

    A lemma is skipped if the sentence already has it, or if it has no form that fits. A text that asks about a word
    («Подбери синоним к слову …») stays as it is.

    Args:
        words: the name of the dictionary that says which lemmas may replace a word.
        guards: the constraints that protect what a sentence must not lose, such as its negations. This attack never
            changes their spans, whatever the task.

    Raises:
        AugmentError: there is no such dictionary or constraint, or a line of the dictionary is malformed.
    """

    layers: ClassVar[frozenset[str]] = frozenset({"lemmas", "syntax"})
    words: str = ""
    guards: tuple[str, ...] = ("negation", "negated", "restrictors")

    def __post_init__(self) -> None:
        check_guards(self.name, self.guards)
        senses(self.words)  # so that an unknown or malformed dictionary is an error before the run starts

    def lemmas(self, doc: Doc, at: int, rng: Rng) -> Sequence[str]:
        """Return the lemmas that may replace a word, the preferred one first; empty if no lemma may.

        If the dictionary has several senses of a word, the first one that fits its phrase counts.

        Args:
            doc: the text with its annotation.
            at: the index of the word in `doc.words`, from 0.
            rng: the random draws, which choose the preferred lemma.
        """
        word = doc.words[at]
        for sense in senses(self.words).get((word.lemma, word.pos), ()):
            fits = not sense.only or in_phrase(doc.text, doc.words, at, sense.only)
            if fits and not in_phrase(doc.text, doc.words, at, sense.stays):
                return (rng.choice_best_first(sense.synonyms), *sense.synonyms)
        return ()

    def wants(self, doc: Doc) -> bool:
        """Tell whether a word of a text may have a lemma of the dictionary; of an annotated text, whether one has."""
        return any("lemmas" not in doc.layers or self.lemmas(doc, at, Rng(0)) for at in self._places(doc))

    def _places(self, doc: Doc) -> Iterator[int]:
        """Yield the indices in `doc.words` of the words that may have a lemma of the dictionary."""
        known = lemmas_in(senses, self.words)
        words = () if _ABOUT_WORDS.search(doc.text) else doc.words
        return (at for at, word in enumerate(words) if has_lemma(word.text, known))

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose to replace every word that the dictionary has by another one in the same grammatical form."""
        draws = map(Rng, streams.keys.tolist())
        return Proposals.of_changes(batch, map(self._changes, batch.once(trees_of), draws))

    def _changes(self, syntax: Syntax, rng: Rng) -> Iterator[Change]:
        doc = syntax.doc
        for at in self._places(doc):
            number = syntax.numbers.get(doc.words[at].start)
            if number is None or not (lemmas := self.lemmas(doc, at, rng)):
                continue
            there = _words_beside(syntax, syntax.roots[number])
            for lemma in dict.fromkeys(lemmas):
                if same_word(lemma) not in there and (edits := replacement(syntax, number, lemma)):
                    yield rng.change(*edits)
                    break


@lru_cache(maxsize=1)
def _words_beside(syntax: Syntax, root: int) -> frozenset[str]:
    """Return the lemmas of all words in the syntax tree with this root, in lower case with е for ё."""
    return frozenset(same_word(syntax.tokens[number].lemma) for number in syntax.trees[root])
