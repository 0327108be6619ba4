"""Find the options of a question in one text or in separate fields, compare them, and put them in another order.

An order is a sequence that has, for each position, the index (from 0) of the option that moves there.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from augment_ru.edits import Edit, Span
from augment_ru.records import field_paths
from augment_ru.records.answers import label_of, option_letter
from augment_ru.records.field_paths import Path, path_of
from augment_ru.records.groups import grouped
from augment_ru.records.record import Record, option_markers
from augment_ru.records.task import Task


class Option(NamedTuple):
    """An option of a question: an answer that it offers.

    Attributes:
        name: its marker «(A)», or the name of the field that holds it.
        field: the field that holds it.
        span: where it stands in that field, including the white space around it.
        text: the characters at that place.
    """

    name: str
    field: str
    span: Span
    text: str


def offers_options(task: Task) -> bool:
    """Tell whether rows of a task may have options: whether the task names fields that hold them."""
    return bool(task.layout.options or task.layout.option_fields)


def questions_of(record: Record) -> list[list[Option]]:
    """Return the options of each question of a record; questions with fewer than two options are left out.

    Raises:
        AugmentError: a field that is perturbed is missing, or is not a text.
    """
    return [options for options in _questions(record) if len(options) > 1]


def _questions(record: Record) -> Iterator[list[Option]]:
    for name in record.task.layout.options:
        if name in record.fields:
            text = record.text(name)
            bounds = pairwise([*option_markers(text), Span(len(text), len(text))])
            places = [(marker, Span(marker.stop, following.start)) for marker, following in bounds]
            yield [Option(marker.of(text), name, place, place.of(text)) for marker, place in places]
    names = [name for one in record.task.layout.option_fields for name in field_paths.every(record.values, one)]
    texts = [(name, text) for name in names if isinstance(text := field_paths.value(record.values, name), str)]
    options = [Option(name, name, Span(0, len(text)), text) for name, text in texts]
    # the entries of one list are the options of one question, and so are fields without a list
    yield from grouped((option.name.rpartition("[")[0], option) for option in options).values()


def comparable(text: str) -> str:
    """Return an option in the form in which options are compared, without differences that readers overlook.

    The text is put in lower case, with е for ё, without punctuation at its ends, and with single spaces.

    >>> comparable(" «Ёлка  растёт». ")
    'елка растет'
    """
    return " ".join(text.split()).strip(" .!?…«»\"'").casefold().replace("ё", "е")


def made_equal(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of options that a perturbation made equal, as indices from 0.

    Options that were equal before do not count.

    Args:
        before: the options in their comparable form (`comparable`).
        after: the same options after the perturbation, in the same order and form.

    >>> made_equal(["рыжий кот", "белый кот", "кот"], ["кот", "кот", "кот"])
    [(0, 1), (0, 2), (1, 2)]
    >>> made_equal(["кот", "кот", "пёс"], ["кот", "кот", "пёс"])
    []
    """
    if len(set(after)) == len(after):
        return []
    pairs = combinations(range(len(after)), 2)
    return [(one, other) for one, other in pairs if after[one] == after[other] and before[one] != before[other]]


_LAST = re.compile(
    r"(?:ничего|ничто|никто|ни один|ни одна|ни одно) из|\bни то,? ни друго|нет (?:верн|правильн)\w+ (?:ответ|вариант)"
    r"|\bвс[её] (?:\w+ )?(?:перечисл|вышеперечисл|указан|назван|вариант|ответ|верно)"
    r"|\bверны (?:все|оба)|\bоба (?:ответ|вариант)"
    r"|затрудня\w+ ответить|none of the|all of the|both of the",
    re.IGNORECASE,
)
"""Matches options that speak of all others («ничего из перечисленного»); they stay where they are."""
_SIGN = r"[A-JА-К]|(?<!\d)\d(?!\d)"
_REFERENCE = re.compile(
    rf"^\W*(?:только |варианты |ответы |верны |оба: )*(?:{_SIGN})(?:\W+(?:и |или |and |or )?(?:{_SIGN}))+\W*$"
    rf"|^\W*(?:только|вариант\w*|ответ\w*) \W?(?:{_SIGN})\W*$",
    re.IGNORECASE,
)
"""Matches options that speak of others by their letters: «A и B»."""


class Reordered(NamedTuple):
    """The changes in a row that put its options in another order.

    Attributes:
        edits: the edits of each perturbed text.
        values: new values outside the perturbed texts, by their paths in the row: the right answer, and options in
            other fields.
    """

    edits: Mapping[str, list[Edit]]
    values: Mapping[Path, Any]


class Ordered(NamedTuple):
    """The options of a question whose order may be changed.

    Attributes:
        options: the options.
        labels: for each option, the label that means that this option is right.
        right: the index of the right option, from 0; None if the record has no right answer.
    """

    options: list[Option]
    labels: list[str]
    right: int | None

    @property
    def groups(self) -> list[list[int]]:
        """The options that may change places with each other, as groups of their indices, from 0.

        An option that speaks of others keeps its place: of all others («ничего из перечисленного»), or of some by their
        letters («A и B»). The options that «A и B» names change places only with each other. Otherwise «A и B» would
        mean other options.
        """
        texts = [option.text.strip(" .;") for option in self.options]
        groups, named = [], set[int]()
        for text in texts:
            if match := _REFERENCE.search(text):
                letters = {option_letter(letter) for letter in re.findall(_SIGN, match[0])}
                group = [at for at, label in enumerate(self.labels) if label in letters and at not in named]
                groups.append(group)
                named.update(group)
        stay = {at for at, text in enumerate(texts) if _LAST.search(text) or _REFERENCE.search(text)}
        groups = [[at for at in group if at not in stay] for group in groups]
        groups.append([at for at in range(len(texts)) if at not in stay | named])
        return [group for group in groups if len(group) > 1]


def ordered_options(record: Record) -> Ordered | None:
    """Return the options of the question of a record, if their order may be changed; otherwise None.

    It may not be changed if the record does not have exactly one question, if its task does not say what labels the
    options have, or if the right answer of the record is not among these labels.

    Raises:
        AugmentError: a field that is perturbed is missing, or is not a text.
    """
    layout, gold = record.task.layout, record.task.scoring.gold
    questions = questions_of(record) if offers_options(record.task) else []
    if len(questions) != 1 or len(gold) != 1:
        return None
    (options,) = questions
    if options[0].field in layout.options:
        labels = [option_letter(option.name[1]) for option in options]
    else:
        names = [name for one in layout.option_fields for name in field_paths.every(record.values, one)]
        known = dict(zip(names, layout.option_labels, strict=False))  # a list may have more entries, or fewer
        labels = [known[option.name] for option in options if option.name in known]
    if len(labels) < len(options):
        return None
    held = field_paths.value(record.values, gold[0])
    if held in (None, ""):
        return Ordered(options, labels, None)
    stated = label_of(held)
    right = stated if stated in labels or len(stated) != 1 else option_letter(stated)
    return Ordered(options, labels, labels.index(right)) if right in labels else None


def reordered(record: Record, order: Sequence[int]) -> Reordered:
    """Return what changes in a record when its options are put in another order.

    Markers such as «(A)» stay where they are. The right answer follows the option that it names.

    Args:
        record: the record; its options are those of `ordered_options`.
        order: for each position, the index of the option that moves there, from 0.

    Raises:
        ValueError: the record has no options that may stand in another order, or `order` does not fit them.
    """
    found = ordered_options(record)
    if found is None or sorted(order) != list(range(len(found.options))):
        raise ValueError(f"{list(order)} is no order of the options")
    options, labels, right = found
    edits: dict[str, list[Edit]] = {}
    values: dict[Path, Any] = {}
    for option, number in zip(options, order, strict=True):
        bare, new = option.text.strip(), options[number].text.strip()
        start = option.span.start + option.text.find(bare)
        if new == bare:
            continue
        if option.field in record.fields:
            edits.setdefault(option.field, []).append(Edit(start, start + len(bare), new))
        else:
            values[path_of(record.values, option.field)] = option.text.replace(bare, new) if bare else new
    name = record.task.scoring.gold[0]
    if right is not None and (new := labels[list(order).index(right)]) != labels[right]:
        held = field_paths.value(record.values, name)
        values[path_of(record.values, name)] = new if isinstance(held, str) else type(held)(new)
    return Reordered(edits, values)
