"""The properties of a row that split an evaluation into subpopulations (TAPE, sections 4.2, 6.3)."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeAlias

from augment_ru.evaluation.bins import Value
from augment_ru.evaluation.text_measures import flesch, type_token_ratio
from augment_ru.language.morphology import morphology
from augment_ru.records import field_paths
from augment_ru.records.answers import answer_values, label_of
from augment_ru.records.record import Record, list_of_texts, option_markers
from augment_ru.records.task import Task
from augment_ru.text.words import hyphenated_words

Property: TypeAlias = Callable[[Record], Value]

MEASURED = ("length", "type_token_ratio", "readability")
"""The properties that are measured on the text."""

TITLES = {
    "length": "length, words",
    "type_token_ratio": "different words / words",
    "readability": "readability (a higher number is easier)",
    "candidates": "number of options",
    "answer_kind": "kind of the answer",
    "referent_gender": "gender of the referent",
    "referent_number": "number of the referent",
}
"""The properties in words, where their names do not say enough."""

_FIELDS: dict[str, tuple[str, ...]] = {
    "per_ethics": ("source",),
    "sit_ethics": ("source",),
    "ru_worldtree": ("exam_name", "school_grade", "knowledge_type"),
    "mera_ruworldtree": ("meta.exam_name", "meta.school_grade", "meta.knowledge_type"),
    "mera_rcb": ("meta.genre", "meta.verb", "meta.negation"),
    "mera_ruethics": ("meta.question",),
    "mera_rummlu": ("meta.domain",),
    "rcb": ("genre", "verb", "negation"),
    "lidirus": ("lexical-semantics", "predicate-argument-structure", "logic", "knowledge"),
    "winograd": ("homonymia_type",),
}
"""Fields of a task's rows that are properties; for TAPE's tasks those of its Table 2."""


def properties_of(task: Task, *, labels: bool) -> dict[str, Property]:
    """The properties of a task's rows: name to the function of an original.

    Args:
        task: the task.
        labels: whether right answers are labels.
    """
    found: dict[str, Property] = {
        "length": lambda record: len(hyphenated_words(_text(record))),
        "type_token_ratio": lambda record: type_token_ratio(_text(record)),
        "readability": lambda record: flesch(_text(record)),
    }
    if task.name == "winograd":
        found["referent_gender"] = lambda record: _referent(record, "gender")
        found["referent_number"] = lambda record: _referent(record, "number")
    if task.lists or task.options:
        found["candidates"] = _candidates
    if not labels:
        found["answer_kind"] = _answer_kind
    elif len(task.decided) == 1:
        found[task.gold[0]] = _label
    return found | {name: field_property(name) for name in _FIELDS.get(task.name, ())}


def field_property(name: str) -> Property:
    """The value of a field as a property; a list is joined by commas, an object is its text in Python's form."""

    def value_of(record: Record) -> Value:
        value = field_paths.value(record.values, name)
        if isinstance(value, str | int | float | bool) or value is None:
            return value
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

    return value_of


def _text(record: Record) -> str:
    return "\n".join(record.texts().values())


def _label(record: Record) -> Value:
    value = field_paths.value(record.values, record.task.gold[0])
    return None if value is None else label_of(value)


def _candidates(record: Record) -> Value:
    """The number of options: entries of a list, or markers in the text."""
    for name in record.task.lists:
        return len(list_of_texts(field_paths.value(record.values, name)))
    for name in record.task.options:
        return len(option_markers(str(field_paths.value(record.values, name))))
    return None


def _referent(record: Record, grammeme: str) -> Value:
    """The gender or number of the noun that the pronoun may stand for."""
    answer = record.values.get("answer")
    words = hyphenated_words(answer) if isinstance(answer, str) else []
    return _grammemes(words[-1])[grammeme] if words else None


@cache
def _grammemes(word: str) -> Mapping[str, str | None]:
    parses = morphology().parse(word)
    nouns = [parse for parse in parses if parse.tag.POS == "NOUN"] or parses
    return {"number": nouns[0].tag.number, "gender": nouns[0].tag.gender}


_DIGIT = re.compile(r"\d")
_PHRASE = 3
"""Words beyond which a written answer is a phrase."""

_NAMES = frozenset({"Name", "Surn", "Patr", "Geox", "Orgn", "Trad"})
"""pymorphy3's grammemes for given names, surnames, patronymics, places, organisations and trade marks."""


def _answer_kind(record: Record) -> Value:
    """The kind of a written answer: `number` (also a date), `name`, `word` (up to three) or `phrase`."""
    for name in record.task.gold:
        value = next(answer_values(field_paths.values(record.values, name)), None)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            text = str(value).strip().lstrip("«\"'(")
            if _DIGIT.search(text):
                return "number"
            if len(hyphenated_words(text)) > _PHRASE:
                return "phrase"
            return "name" if _is_name(text) else "word"
    return None


@cache
def _is_name(text: str) -> bool:
    """Whether a word after the first has a capital letter, or a capitalised word is a name in the dictionary."""
    words = hyphenated_words(text)
    if any(word[0].isupper() for word in words[1:]):
        return True
    return any(_NAMES & set(morphology().parse(word)[0].tag.grammemes) for word in words if word[0].isupper())
