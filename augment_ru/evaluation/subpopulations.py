"""Divide the originals into subpopulations, as the benchmark TAPE does (sections 4.2, 6.3).

A subpopulation is the rows that share a value of a property, such as the length.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import answer_kind
from augment_ru.evaluation.pairs import Pairs
from augment_ru.language.morphology import morphology
from augment_ru.records import field_paths
from augment_ru.records.answers import answer_values, label_of
from augment_ru.records.record import Record, list_of_texts, option_markers
from augment_ru.records.task import Task
from augment_ru.text.words import hyphenated_words

Value: TypeAlias = str | int | float | bool | None

_NAMES_ATTACK = "names"
_FEW = 8
"""A numeric field with at most this many different values, such as a school grade, gets a cell for each value."""


class Subpopulation(NamedTuple):
    """A property, such as the length, that divides the originals into groups.

    Attributes:
        name: the name of the property.
        cells: the names of the groups, in order.
        of: the index in `cells` of the group of each original.
    """

    name: str
    cells: tuple[str, ...]
    of: Sequence[int]


def subpopulations(originals: Sequence[Mapping[str, Any]], task: Task, by: Sequence[str] = ()) -> list[Subpopulation]:
    """Return the properties by which a report divides the originals into groups, such as length and label.

    A property of the task is left out if all originals have the same value. The fields in `by` come last.

    Args:
        originals: the rows.
        task: the task.
        by: further fields, which are reported even if all rows have the same value.

    Raises:
        AugmentError: no row has one of the fields in `by`.
    """
    records = [Record(values, task) for values in originals]
    properties = properties_of(task)
    for name in by:
        if not any(field_paths.has_value(values, name) for values in originals):
            raise no_field(f"`by` {name}: no row has this field", originals)
        properties[name] = field_property(name)
    found: list[Subpopulation] = []
    for name, value_of in properties.items():
        bins = binned([value_of(record) for record in records], BINS if name in MEASURED else _FEW)
        if bins is not None and (len(bins[0]) > 1 or name in by):
            found.append(Subpopulation(name, *bins))
    return found


def exchanged_names(pairs: Pairs) -> list[Subpopulation]:
    """Divide the originals by the group of names from which the attack `names` took new names of people.

    The result is a list with this property, or [] if the rows do not state the group. If an original has several rows,
    its first one counts.
    """
    groups: dict[int, str] = {}
    for pair in pairs.attacks.get(_NAMES_ATTACK, ()):
        notes = pair.metadata.get("notes")
        for field in notes.values() if isinstance(notes, Mapping) else ():
            for note in field if isinstance(field, list) else ():
                if isinstance(note, Mapping) and isinstance(note.get("kind"), str):
                    groups.setdefault(pair.original, note["kind"])
    found = binned([groups.get(at) for at in range(len(pairs.originals))])
    return [] if found is None else [Subpopulation("name_group", *found)]


def no_field(problem: str, rows: Sequence[Mapping[str, Any]]) -> AugmentError:
    """Make the error for a field that no row has; its message lists the fields of the rows.

    Args:
        problem: the beginning of the message, which says what needs the field.
        rows: the rows.
    """
    return AugmentError(f"{problem}; the fields are {', '.join(dict.fromkeys(field for row in rows for field in row))}")


Property: TypeAlias = Callable[[Record], Value]

MEASURED = ("length", "type_token_ratio", "readability")
"""The properties that are measured on the text: its length, the share of different words, its readability."""

TITLES = {
    "length": "length, words",
    "type_token_ratio": "different words / words",
    "readability": "readability (a higher number is easier)",
    "candidates": "number of options",
    "answer_kind": "kind of the answer",
    "referent_gender": "gender of the referent",
    "referent_number": "number of the referent",
    "name_group": "group of the names that were put in",
}
"""The titles that the report shows for properties whose names are not clear enough."""


def properties_of(task: Task) -> dict[str, Property]:
    """Return the properties by which a report may divide the rows of a task: length, label, and others.

    The result maps each name to the function that computes the property from an original.
    """
    found: dict[str, Property] = {
        "length": lambda record: len(hyphenated_words(_text(record))),
        "type_token_ratio": lambda record: type_token_ratio(_text(record)),
        "readability": lambda record: flesch(_text(record)),
    }
    if task.name == "winograd":
        found["referent_gender"] = lambda record: _referent(record, "gender")
        found["referent_number"] = lambda record: _referent(record, "number")
    if task.layout.lists or task.layout.options:
        found["candidates"] = _candidates
    if answer_kind(task) != "labels":
        found["answer_kind"] = _answer_kind
    elif len(task.scoring.decided) == 1:
        found[task.scoring.gold[0]] = _label
    return found | {name: field_property(name) for name in task.scoring.properties}


def field_property(name: str) -> Property:
    """Make a property of a field, by whose values a report can divide the originals: a function that reads the field.

    Lists are joined by commas, and objects are converted with `str`.
    """

    def value_of(record: Record) -> Value:
        value = field_paths.value(record.values, name)
        if isinstance(value, str | int | float | bool) or value is None:
            return value
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

    return value_of


def _text(record: Record) -> str:
    return "\n".join(record.texts().values())


def _label(record: Record) -> Value:
    value = field_paths.value(record.values, record.task.scoring.gold[0])
    return None if value is None else label_of(value)


def _candidates(record: Record) -> Value:
    """Return the number of options: entries of a list, or markers «(A)» in a text; None if the task has neither."""
    for name in record.task.layout.lists:
        return len(list_of_texts(field_paths.value(record.values, name)))
    for name in record.task.layout.options:
        return len(option_markers(str(field_paths.value(record.values, name))))
    return None


def _referent(record: Record, grammeme: str) -> Value:
    """Return the gender or number of the noun that the pronoun may stand for; None if it is not known."""
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
"""A written answer with more words than this is a phrase."""

_NAMES = frozenset({"Name", "Surn", "Patr", "Geox", "Orgn", "Trad"})
"""The grammemes of pymorphy3 for given names, surnames, patronymics, places, organisations and trade marks."""


def _answer_kind(record: Record) -> Value:
    """Return the kind of the right answer: `number` (or a date), `phrase` (over three words), `name`, or `word`.

    It is None if the right answer is not a text.
    """
    for name in record.task.scoring.gold:
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
    """Tell whether a text looks like a name.

    It does if a word after the first is capitalised, or if any capitalised word is a name in the dictionary.
    """
    words = hyphenated_words(text)
    if any(word[0].isupper() for word in words[1:]):
        return True
    return any(_NAMES & set(morphology().parse(word)[0].tag.grammemes) for word in words if word[0].isupper())


_VOWELS = frozenset("аеёиоуыэюяАЕЁИОУЫЭЮЯ")


def type_token_ratio(text: str) -> float | None:
    """Return the number of different words / the number of words, in (0, 1]; None without words.

    Letter case is ignored.

    >>> type_token_ratio("Кот и кот и пёс")
    0.6
    """
    words = [word.lower() for word in hyphenated_words(text)]
    return len(set(words)) / len(words) if words else None


def flesch(text: str) -> float | None:
    """Return Flesch's reading ease of a text, with coefficients for Russian; higher means easier to read.

    It is 206.835 − 1.3 · words per sentence − 60.1 · syllables per word (Оборнева И. В. Автоматизированная оценка
    сложности учебных текстов на основе статистических параметров. Дис. … канд. пед. наук. М., 2006). Each vowel counts
    as a syllable; razdel splits the sentences. The result is None for a text without words.

    >>> round(flesch("Мама мыла раму."), 3)
    82.735
    """
    words = hyphenated_words(text)
    if not words:
        return None
    from razdel import sentenize  # noqa: PLC0415  (its import is slow, and few commands need it)

    sentences = len([sentence for sentence in sentenize(text) if hyphenated_words(sentence.text)])
    syllables = sum(letter in _VOWELS for word in words for letter in word)
    return 206.835 - 1.3 * len(words) / sentences - 60.1 * syllables / len(words)


BINS = 4
"""The number of groups of about the same size into which many different numbers are divided: quartiles."""

_MOST = 20
"""The maximum number of cells for different values; the rarest values share the last one."""

OTHERS = "(others)"
MISSING = "(none)"


def binned(values: Sequence[Value], most_numbers: int = BINS) -> tuple[tuple[str, ...], list[int]] | None:
    """Divide values into groups; return the names of the groups and the index of each value's group.

    Equal values form a group; if there are more than 20 different values, the rarest share the group "(others)". More
    than `most_numbers` different numbers are instead divided into four groups of about the same size. The result is
    None if all values are None.

    Args:
        values: numbers or texts; None is a group of its own, "(none)".
        most_numbers: how many different numbers may form groups of their own.

    >>> binned(["a", "b", None, "a"])
    (('a', 'b', '(none)'), [0, 1, 2, 0])
    """
    known = [value for value in values if value is not None]
    if not known:
        return None
    numbers = [float(value) for value in known if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) == len(known) and len(set(numbers)) > most_numbers:
        return _quartiles(values, numbers)
    names = [None if value is None else _name(value) for value in values]
    counts = Counter(name for name in names if name is not None)
    ordered = sorted(counts, key=lambda name: (-counts[name], name))
    own = set(ordered if len(ordered) <= _MOST else ordered[: _MOST - 1])
    cells = sorted(own, key=_numbers_first)
    cells += [OTHERS] * (len(own) < len(counts)) + [MISSING] * (len(known) < len(values))
    index = {name: at for at, name in enumerate(cells)}
    return tuple(cells), [index[MISSING if name is None else name if name in index else OTHERS] for name in names]


def _name(value: str | float) -> str:
    return f"{value:.4g}" if isinstance(value, float) and not value.is_integer() else label_of(value)


def _numbers_first(name: str) -> tuple[int, float, str]:
    """Return a sort key that sorts numbers by value, before all other names in alphabetical order."""
    with suppress(ValueError):
        return 0, float(name), name
    return 1, 0.0, name


def _quartiles(values: Sequence[Value], numbers: Sequence[float]) -> tuple[tuple[str, ...], list[int]]:
    """Divide numbers into bins of about the same size, each named by the lowest and the highest number in it."""
    inner = np.unique(np.quantile(numbers, np.arange(1, BINS) / BINS, method="higher"))
    bin_of = np.searchsorted(inner, numbers, side="right")
    used = sorted(set(bin_of.tolist()))
    digits = _digits(numbers)
    names: list[str] = []
    for which in used:
        inside = [number for number, one in zip(numbers, bin_of, strict=True) if one == which]
        low, high = (f"{end:.{digits}f}".replace("-", "−") for end in (min(inside), max(inside)))
        names.append(low if low == high else f"{low}–{high}")
    if len(numbers) < len(values):
        names.append(MISSING)
    index = {which: at for at, which in enumerate(used)}
    bins = iter(bin_of.tolist())
    return tuple(names), [len(used) if value is None else index[next(bins)] for value in values]


def _digits(numbers: Sequence[float]) -> int:
    """Return with how many decimals to show numbers, so that their range has three significant digits.

    For whole numbers it is 0.
    """
    if all(number.is_integer() for number in numbers):
        return 0
    spread = max(numbers) - min(numbers)
    return max(0, 2 - math.floor(math.log10(spread))) if spread else 2
