"""Protects persons, places, organisations and titles of works: the annotator's entities, and names that it misses."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from augment_ru.constraints.functions.named_entities import institutions, names
from augment_ru.constraints.functions.named_entities.view import View, head_kind
from augment_ru.constraints.rule_file import Docs, Row
from augment_ru.edits import Span
from augment_ru.language.morphology import is_known, lemmas_of, readings

_SHORTEST = 3
"""The fewest characters of a word by which a name is recognised elsewhere in the record."""

_STEPS = (
    names.annotated_entities,
    names.capitals,
    names.initials,
    names.lower_case,
    names.first_words,
    names.adjectival,
    names.genitives,
    names.titles,
    names.joined,
    institutions.institutions,
    institutions.organisations,
)


def named_entities(_: Row, docs: Docs) -> Mapping[str, Sequence[Span]]:
    """Find the names in each text; a name found in one text is protected in all texts of the record.

    Names are found whole: «[Министерство образования и науки РФ]», not «Министерство [образования] и науки РФ».
    """
    views = {name: View(doc) for name, doc in docs.items()}
    labels = {name: [""] * len(view.texts) for name, view in views.items()}
    for name, view in views.items():
        for step in _STEPS:
            step(view, labels[name])
    found = [word for name, view in views.items() for word in _words_of_names(view, labels[name])]
    letters = frozenset(_letter(word) for word, _ in found)
    repeats = {name: _possible_repeats(view, labels[name], letters) for name, view in views.items() if found}
    if any(repeats.values()):
        known = {lemma: label for word, label in found for lemma in lemmas_of(word.lower())}
        for name, places in repeats.items():
            _label_repeats(views[name], labels[name], places, known)
    return {name: _spans(view, labels[name]) for name, view in views.items()}


def _words_of_names(view: View, labels: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the words by which names are recognised elsewhere in the record, with their labels.

    Common words inside names are left out.
    """
    for at, label in enumerate(labels):
        word = view.texts[at]
        if label and len(word) >= _SHORTEST and word[0].isupper() and _names_alone(view, labels, at):
            yield word, label


def _names_alone(view: View, labels: Sequence[str], at: int) -> bool:
    """Tell whether a word of a name refers to the name when it stands alone."""
    word = view.texts[at]
    if _is_name(word):
        return True
    alone = not (at and labels[at - 1]) and not (at + 1 < len(labels) and labels[at + 1])
    return alone and not head_kind(word) and _is_nominal(word)


@lru_cache(maxsize=100_000)
def _is_name(word: str) -> bool:
    """Tell whether a reading of a word is a name, or the dictionary lacks the word."""
    return not is_known(word) or any(reading.name for reading in readings(word))


@lru_cache(maxsize=100_000)
def _is_nominal(word: str) -> bool:
    """Tell whether every reading of a word is a noun or an adjective."""
    return all(reading.pos in {"NOUN", "ADJF"} for reading in readings(word))


def _possible_repeats(view: View, labels: Sequence[str], letters: Collection[str]) -> list[int]:
    """Return the numbers of words outside names that may repeat a name of the record.

    They begin with one of these letters, written as a capital unless the text has no capitals.
    """
    caseless = view.lower or view.loud
    return [
        at
        for at in (range(len(labels)) if caseless else view.capitalised)
        if not labels[at]
        and len(view.texts[at]) >= _SHORTEST
        and _letter(view.texts[at]) in letters
        and (view.capitals[at] or view.shouts[at] or view.lower)
    ]


def _letter(word: str) -> str:
    """Return the first letter of a word as its lemmas have it: in lower case, with е for ё."""
    return word[0].lower().replace("ё", "е")


def _label_repeats(view: View, labels: list[str], places: Sequence[int], known: Mapping[str, str]) -> None:
    """Label the words at these places that repeat a name of the record.

    Args:
        view: the text.
        labels: the labels, which are changed.
        places: the numbers of the words.
        known: the label of each lemma of the record's names.
    """
    for at in places:
        word = view.texts[at]
        label = next((known[lemma] for lemma in lemmas_of(word.lower()) if lemma in known), "")
        if label and (view.capitals[at] or _is_nominal(word)):
            labels[at] = label


def _spans(view: View, labels: Sequence[str]) -> list[Span]:
    """Convert labels to spans; neighbouring tokens of one label are one span."""
    found: list[Span] = []
    before = ""
    for token, label in zip(view.doc.tokens, labels, strict=True):
        if label and label == before:
            found[-1] = Span(found[-1].start, token.stop, label)
        elif label:
            found.append(Span(token.start, token.stop, label))
        before = label
    return found
