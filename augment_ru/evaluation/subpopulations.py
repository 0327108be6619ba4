"""What kind of row it is: length, diversity, readability, what the task's fields say (TAPE, sections 4.2, 6.3)."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import label_of
from augment_ru.language.morphology import morphology
from augment_ru.records import field_paths
from augment_ru.records.record import Record, list_of_texts, option_markers
from augment_ru.records.task import Task
from augment_ru.text.words import hyphenated_words as words

Value: TypeAlias = str | int | float | bool | None

_VOWELS = frozenset("аеёиоуыэюяАЕЁИОУЫЭЮЯ")

BINS = 4
"""Of a number: quartiles of the originals."""

_FEW = 8
"""A field of numbers with at most so many different values is not binned: a grade, a mark."""

_MOST = 20
"""Different values of a field that are told apart; the rarer ones become one."""

OTHERS = "(others)"
MISSING = "(none)"


def type_token_ratio(text: str) -> float | None:
    """Different words by words, letter case aside, in (0, 1]; None without words.

    >>> type_token_ratio("Кот и кот и пёс")
    0.6
    """
    found = [word.lower() for word in words(text)]
    return len(set(found)) / len(found) if found else None


def flesch(text: str) -> float | None:
    """Flesch's reading ease with the coefficients for Russian; the higher, the easier; None without words.

    206.835 − 1.3 · words a sentence − 60.1 · syllables a word (Оборнева И. В. Автоматизированная оценка сложности
    учебных текстов на основе статистических параметров. Дис. … канд. пед. наук. М., 2006).
    A syllable is a vowel; sentences are razdel's.

    >>> round(flesch("Мама мыла раму."), 3)
    82.735
    """
    found = words(text)
    if not found:
        return None
    from razdel import sentenize  # noqa: PLC0415  (with the package razdel comes much that this module need not load)

    sentences = len([sentence for sentence in sentenize(text) if words(sentence.text)])
    syllables = sum(letter in _VOWELS for word in found for letter in word)
    return 206.835 - 1.3 * len(found) / sentences - 60.1 * syllables / len(found)


def _length(record: Record) -> Value:
    return len(words(_text(record)))


def _text(record: Record) -> str:
    return "\n".join(record.texts().values())


def _candidates(record: Record) -> Value:
    """The number of options: of a list, or marked in the text."""
    for name in record.task.lists:
        return len(list_of_texts(field_paths.value(record.values, name)))
    for name in record.task.options:
        return len(option_markers(str(field_paths.value(record.values, name))))
    return None


def _referent(record: Record, grammeme: str) -> Value:
    """The gender or number of the noun that a pronoun may stand for."""
    word = record.values.get("answer")
    if not isinstance(word, str) or not words(word):
        return None
    return _grammemes(words(word)[-1])[grammeme]


@cache
def _grammemes(word: str) -> Mapping[str, str | None]:
    parses = morphology().parse(word)
    nouns = [parse for parse in parses if parse.tag.POS == "NOUN"] or parses
    return {"number": nouns[0].tag.number, "gender": nouns[0].tag.gender}


_NUMBER = re.compile(r"\d")


def _answer_kind(record: Record) -> Value:
    """What an answer in words is: `number` (or date), `name`, `word` (up to three) or `phrase`."""
    for name in record.task.gold:
        value = next(iter(field_paths.values(record.values, name)), None)
        if isinstance(value, list) and value:
            value = value[0].get("segment") if isinstance(value[0], Mapping) else value[0]
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            text = str(value).strip().lstrip("«\"'(")
            if _NUMBER.search(text):
                return "number"
            if len(words(text)) > _PHRASE:
                return "phrase"
            return "name" if _name(text) else "word"
    return None


_PHRASE = 3
_NAMES = frozenset({"Name", "Surn", "Patr", "Geox", "Orgn", "Trad"})
"""What pymorphy3 calls given names, surnames, patronymics, places, organisations and trade marks."""


@cache
def _name(text: str) -> bool:
    """Whether a word of the answer has a capital letter inside a sentence, or is in the dictionary as a name."""
    found = words(text)
    if any(word[0].isupper() for word in found[1:]):
        return True
    return any(_NAMES & set(morphology().parse(word)[0].tag.grammemes) for word in found if word[0].isupper())


def _label(record: Record) -> Value:
    value = field_paths.value(record.values, record.task.gold[0])
    return None if value is None else label_of(value)


_MEASURED = ("length", "type_token_ratio", "readability")

_OF_TASK: dict[str, tuple[str, ...]] = {
    "per_ethics": ("source",),
    "sit_ethics": ("source",),
    "ru_worldtree": ("exam_name", "school_grade", "knowledge_type"),
    "mera_ruworldtree": ("meta.exam_name", "meta.school_grade", "meta.knowledge_type"),
    "mera_rcb": ("meta.genre", "meta.verb", "meta.negation"),
    "mera_rummlu": ("meta.domain",),
    "rcb": ("genre", "verb", "negation"),
    "lidirus": ("lexical-semantics", "predicate-argument-structure", "logic", "knowledge"),
    "winograd": ("homonymia_type",),
}
"""Fields beside the text: of TAPE those of its Table 2 (domain, exam, grade, answer category, type of homonymy)."""


def measures(task: Task, *, labels: bool) -> dict[str, Callable[[Record], Value]]:
    """What is looked at in rows of a task: its name, and how it is computed from an original.

    Args:
        task: the task.
        labels: whether right answers are labels.
    """
    found: dict[str, Callable[[Record], Value]] = {
        "length": _length,
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
    elif len(task.gold) == 1:
        found[task.gold[0]] = _label
    return found | {name: _field(name) for name in _OF_TASK.get(task.name, ())}


def _field(name: str) -> Callable[[Record], Value]:
    def value(record: Record) -> Value:
        found = field_paths.value(record.values, name)
        if isinstance(found, str | int | float | bool) or found is None:
            return found
        return ", ".join(map(str, found)) if isinstance(found, list) else str(found)

    return value


@dataclass(frozen=True, slots=True)
class Subpopulation:
    """A property of the originals: the names of its cells, in order, and the cell of each original."""

    name: str
    cells: tuple[str, ...]
    of: Sequence[int]


def subpopulations(
    originals: Sequence[Mapping[str, Any]],
    task: Task,
    *,
    labels: bool,
    by: Sequence[str] = (),
) -> list[Subpopulation]:
    """The properties of the originals that vary: those of the task, and the fields of `by`.

    Numbers are binned by quartiles unless they have few values.

    Raises:
        AugmentError: no row has a field of `by`.
    """
    records = [Record(values, task) for values in originals]
    wanted = measures(task, labels=labels)
    for name in by:
        if not any(field_paths.has_value(values, name) for values in originals):
            fields = ", ".join(dict.fromkeys(field for values in originals for field in values))
            raise AugmentError(f"--by {name}: no row has this field; the fields are {fields}")
        wanted[name] = _field(name)
    found: list[Subpopulation] = []
    for name, measure in wanted.items():
        few = BINS if name in _MEASURED else _FEW
        cut = binned([measure(record) for record in records], few)
        if cut is not None and (len(cut[0]) > 1 or name in by):
            found.append(Subpopulation(name, *cut))
    return found


def binned(values: Sequence[Value], few: int = BINS) -> tuple[tuple[str, ...], list[int]] | None:
    """Cells for values, and the cell of each; None if there are no values.

    Numbers with more than `few` different values are put into quartiles.

    >>> binned(["a", "b", None, "a"])
    (('a', 'b', '(none)'), [0, 1, 2, 0])
    """
    there = [value for value in values if value is not None]
    if not there:
        return None
    numbers = [float(value) for value in there if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) == len(there) and len(set(numbers)) > few:
        return _quantiles(values, numbers)
    names = [None if value is None else _spelt(value) for value in values]
    counts = Counter(name for name in names if name is not None)
    ordered = sorted(counts, key=lambda name: (-counts[name], name))
    kept = set(ordered[:_MOST] if len(ordered) <= _MOST else ordered[: _MOST - 1])
    cells = sorted(kept, key=_natural)
    cells += [OTHERS] * (len(kept) < len(counts)) + [MISSING] * (len(there) < len(values))
    place = {name: at for at, name in enumerate(cells)}
    return tuple(cells), [
        place[MISSING] if name is None else place[name] if name in place else place[OTHERS] for name in names
    ]


def _spelt(value: str | float) -> str:
    return f"{value:.4g}" if isinstance(value, float) and not value.is_integer() else label_of(value)


def _natural(name: str) -> tuple[int, float, str]:
    try:
        return 0, float(name), name
    except ValueError:
        return 1, 0.0, name


def _quantiles(values: Sequence[Value], numbers: Sequence[float]) -> tuple[tuple[str, ...], list[int]]:
    """Bins of about the same size, named by the least and the largest number in them."""
    inner = np.unique(np.quantile(numbers, np.arange(1, BINS) / BINS, method="higher"))
    at = np.searchsorted(inner, numbers, side="right")
    used = sorted(set(at.tolist()))
    digits = _digits(numbers)
    names: list[str] = []
    for which in used:
        inside = [number for number, one in zip(numbers, at, strict=True) if one == which]
        low, high = (f"{end:.{digits}f}".replace("-", "−") for end in (min(inside), max(inside)))
        names.append(low if low == high else f"{low}–{high}")
    if len(numbers) < len(values):
        names.append(MISSING)
    place = {which: number for number, which in enumerate(used)}
    cells = iter(at.tolist())
    return tuple(names), [len(used) if value is None else place[next(cells)] for value in values]


def _digits(numbers: Sequence[float]) -> int:
    """So many digits after the point that three significant ones of the spread are seen; none for whole numbers."""
    if all(number.is_integer() for number in numbers):
        return 0
    spread = max(numbers) - min(numbers)
    return max(0, 2 - math.floor(math.log10(spread))) if spread else 2
