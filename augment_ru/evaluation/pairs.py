"""Pair every perturbed row with its original, from one output of perturb or from two aligned files.

The original of an output row is restored from its metadata: its edits are undone, and its offsets move back with them.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import msgspec

from augment_ru.edits import Edit
from augment_ru.engine.result import new_values
from augment_ru.errors import AugmentError, saying_instead, saying_where
from augment_ru.evaluation.answers import Golds, Kind, answer_kind, golds_of
from augment_ru.evaluation.examples import PERTURBATION, without_metadata
from augment_ru.formats.read import Row
from augment_ru.formats.row import KEY, Changed, new_row
from augment_ru.records import field_paths
from augment_ru.records.record import Record
from augment_ru.records.task import Task, check_found, generic, recognise
from augment_ru.script import Script, Triple

T = TypeVar("T")

_ENCODER = json.JSONEncoder(sort_keys=True, default=str)

ORIGINAL = "original"
"""The name of the attack in rows that were not perturbed."""

WORST_ROWS = "worst_case"
"""The attack name of rows that were chosen as the worst over several attacks."""

CHOSEN = "worst_of"
"""The entry in the metadata of a worst-case row that lists the `attacks` and the `models` that it was chosen from."""

OF_SEARCHES = {"broken": "perturbed", "withstood": "unchanged", "wrong_before": "unchanged"}
"""Maps the statuses of searches against a model (`broken`, `withstood`, `wrong_before`) to those of rows of perturb;
only a broken row has a new text.
"""


class Original(NamedTuple):
    """An unperturbed row.

    Attributes:
        id: the id that reports give the row: its own, or its number in the file (from 1).
        values: the row.
    """

    id: str | int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pair:
    """A perturbed row and the index of its original.

    Attributes:
        original: the index of the original in `Pairs.originals`.
        attack: the name of the attack.
        status: perturbed, unchanged or rejected (no perturbation was similar enough to the original).
        values: the row without metadata.
        probability: the share of its possible changes that the attack made; None if the row does not state it.
        similarity: the similarity of the perturbed text to its original; None if the row does not state it.
        edits: the edits of each field as (start, stop, text); None if they are not known.
        protected: the protected spans of each field as (start, stop, label); None if they are not known.
        verdict: the verdict of people: valid, invalid or unclear; None if the row was not judged.
        metadata: the row's entry `augment`; empty if it has no such entry.
    """

    original: int
    attack: str
    status: str
    values: Mapping[str, Any]
    probability: float | None = None
    similarity: float | None = None
    edits: Mapping[str, Sequence[Sequence[Any]]] | None = None
    protected: Mapping[str, Sequence[Sequence[Any]]] | None = None
    verdict: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pairs:
    """The original and the perturbed rows of an evaluation.

    Attributes:
        task: the task of the rows.
        originals: all original rows.
        attacks: the perturbed rows of each attack, in the order of the file, each with the index of its original.
        golds: the right answers of each original; empty until `evaluate` reads them.
    """

    task: Task
    originals: Sequence[Original]
    attacks: Mapping[str, Sequence[Pair]]
    golds: Golds = ()

    @property
    def kind(self) -> Kind:
        """The kind of the answers: labels, answers (texts), lists, rankings, spans or exercises."""
        return answer_kind(self.task)

    def with_golds(self) -> "Pairs":
        """Return a copy of these rows in which `golds` holds the right answers of the originals.

        Raises:
            AugmentError: a field must hold a label but holds another value.
        """
        return replace(self, golds=golds_of([one.values for one in self.originals], self.task, self.kind))


def task_of_rows(rows: Sequence[Row], given: Task | None, fields: Sequence[str], gold: Sequence[str]) -> Task:
    """Return the task of the rows: the given task, or the task that the fields of the first row fit.

    Args:
        rows: the rows.
        given: the task; None to recognise it by the fields.
        fields: the perturbed fields. If empty, they are those that the metadata of the rows names, or else the task's.
        gold: the fields of the right answer. If empty, they are the task's.

    Raises:
        AugmentError: there are no rows, or the first row fits no task or several tasks, or lacks one of `fields`.
    """
    if not rows:
        raise AugmentError("no rows; give rows, or the output of augment-ru perturb")
    where, values = rows[0]
    meta = values.get(KEY)
    source = meta.get("source") if isinstance(meta, Mapping) else None
    perturbed = tuple(source) if isinstance(source, Mapping) else ()
    plain = without_metadata(values)
    with saying_where(where):
        check_found(plain, fields)
    try:
        found = given or recognise(plain)
    except AugmentError as error:
        if not (fields or perturbed):
            raise AugmentError(f"{where}: {error}") from error
        found = generic(*(fields or perturbed))
    if not fields and perturbed and set(perturbed) != set(Record(plain, found).fields):
        fields = perturbed
    if fields:
        found = found.changed(fields=tuple(fields), optional=())
    return found.changed(gold=tuple(gold)) if gold else found


def pair_rows(
    rows: Iterable[Row], task: Task, originals: Iterable[Row] | None = None, name_of_originals: str = ORIGINAL
) -> Pairs:
    """Pair the perturbed rows with their originals.

    There are three ways to find the originals. The first one that is possible is taken:

    - The originals are given as `originals`.
    - A perturbed row holds its own original in `augment.source` and `augment.edits`.
    - The originals are among `rows`, as rows whose attack is named "original".

    A perturbed row and its original have the same id, if the task has an id field that differs in all originals.
    Otherwise they have the same position.

    If no originals are given and no row says that it was perturbed, all rows are originals, and there are no pairs.

    Args:
        rows: the perturbed rows; they may contain the originals.
        task: the task.
        originals: the originals, if `rows` does not contain them.
        name_of_originals: a value of `perturbation` that marks an original row, besides "original" and the task's name.

    Raises:
        AugmentError: an original cannot be found or restored, or the rows of two files do not correspond.
    """
    clean: list[Row] = list(originals) if originals is not None else []
    perturbed: list[tuple[str, Row]] = []
    for row in rows:
        attack = _attack(row.values, {ORIGINAL, task.name, name_of_originals})
        if attack != ORIGINAL:
            perturbed.append((attack, row))
        elif originals is None:
            clean.append(Row(row.where, without_metadata(row.values)))
    if originals is None and not clean and all(_is_plain(row.values) for _, row in perturbed):
        clean, perturbed = [row for _, row in perturbed], []  # rows as they are: nothing was perturbed
    index = _OriginalIndex(task)
    for row in clean:
        index.add(row)
    attacks: dict[str, list[Pair]] = {}
    for attack, row in given_up(perturbed):
        own = attacks.setdefault(attack, [])
        own.append(index.pair(attack, row, len(own), restore=originals is None))
    for attack, pairs in attacks.items():
        if attack in index.matched_by_order and len(pairs) != len(clean):
            raise AugmentError(
                f"{len(clean):,} originals and {len(pairs):,} rows of {attack}, and no field "
                f"'{task.layout.id or 'id'}' that tells them apart; give all rows, in the same order"
            )
    return Pairs(task, index.originals, attacks)


def given_up(items: list[T]) -> Iterator[T]:
    """Yield the items of a list in order, and empty the list on the way, so that their memory can be freed."""
    items.reverse()
    while items:
        yield items.pop()


def _attack(values: Mapping[str, Any], names_of_originals: Collection[str]) -> str:
    meta = values.get(KEY)
    if isinstance(meta, Mapping) and isinstance(meta.get(CHOSEN), Mapping):
        return WORST_ROWS
    if isinstance(meta, Mapping) and isinstance(meta.get("attack"), str):
        return str(meta["attack"])
    named = values.get(PERTURBATION)
    if isinstance(named, str) and named:
        return ORIGINAL if named in names_of_originals else named
    return "perturbed"


def _is_plain(values: Mapping[str, Any]) -> bool:
    """Tell whether a row has no sign of having been perturbed."""
    return KEY not in values and not values.get(PERTURBATION)


class _OriginalIndex:
    """The originals found so far; rows that are equal in all fields are one original.

    Attributes:
        originals: the originals.
        texts: the texts of each original.
        index_of: maps a row as JSON to the index of its original.
        by_id: maps an id, as text because tables hold only texts, to the index; empty if an original has no own id.
        in_file: the indices of the originals that are rows of a file, in the order of the file.
        matched_by_order: the attacks with a row that was matched to an original by its order.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.originals: list[Original] = []
        self.texts: list[Mapping[str, str]] = []
        self.index_of: dict[str, int] = {}
        self.by_id: dict[str, int] = {}
        self.in_file: list[int] = []
        self.matched_by_order: set[str] = set()

    def add(self, row: Row) -> None:
        """Add a row of a file as an original."""
        values = without_metadata(row.values)
        at = self._index(row.where, values)
        identity = self._id(values)
        if len(self.in_file) == len(self.by_id) and identity is not None and str(identity) not in self.by_id:
            self.by_id[str(identity)] = at
        else:
            self.by_id.clear()
        self.in_file.append(at)

    def pair(self, attack: str, row: Row, number: int, *, restore: bool) -> Pair:
        """Pair a perturbed row with its original.

        Args:
            attack: the name of the row's attack.
            row: the perturbed row.
            number: the row's number among the rows of its attack, from 0.
            restore: whether to restore the original from the metadata if they hold it.

        Raises:
            AugmentError: the original cannot be found or restored.
        """
        meta = row.values.get(KEY)
        meta = meta if isinstance(meta, Mapping) else {}
        values = without_metadata(row.values)
        if restore and isinstance(meta.get("source"), Mapping) and isinstance(meta.get("edits"), Mapping):
            at = self._index(row.where, restored_row(row, self.task))
        else:
            at = self._matched(attack, row, values, number)
        originals = self.texts[at]
        same = Record(values, self.task).texts() == originals
        source = meta.get("source")
        described = isinstance(source, Mapping) and all(originals.get(name) in (None, source[name]) for name in source)
        status = OF_SEARCHES.get(str(meta.get("status")), meta.get("status"))
        rejected = status == "rejected"  # its similarity is that of a text that was not returned
        return Pair(
            original=at,
            attack=attack,
            status=str(status) if isinstance(status, str) else "unchanged" if same else "perturbed",
            values=values,
            probability=as_float(meta.get("probability")),
            similarity=None if rejected else as_float(meta.get("similarity")),
            edits=_spans_of(meta.get("edits"), originals) if described else None,
            protected=_spans_of(meta.get("protected"), originals) if described else None,
            metadata=meta,
        )

    def _matched(self, attack: str, row: Row, values: Mapping[str, Any], number: int) -> int:
        identity = self._id(values)
        if self.by_id and identity is not None:
            if str(identity) in self.by_id:
                return self.by_id[str(identity)]
            field = self.task.layout.id
            raise AugmentError(f"{row.where}: no original has {field} {identity}; give all as `originals`")
        if number >= len(self.in_file):
            raise AugmentError(
                f"{row.where}: no original for it: the row has no augment.source, and "
                f"{f'there are {len(self.in_file):,} originals' if self.in_file else 'none was given'}; "
                f"give `originals` FILE, or perturb with `meta` full"
            )
        self.matched_by_order.add(attack)
        return self.in_file[number]

    def _index(self, where: str, values: Mapping[str, Any]) -> int:
        """Return the index of an original; add it if it is new."""
        with saying_where(where):
            texts = Record(values, self.task).texts()
        key = _ENCODER.encode(values)
        if key not in self.index_of:
            self.index_of[key] = len(self.originals)
            self.texts.append(texts)
            identity = self._id(values)
            self.originals.append(Original(len(self.originals) + 1 if identity is None else identity, values))
        return self.index_of[key]

    def _id(self, values: Mapping[str, Any]) -> str | int | None:
        identity = field_paths.value(values, self.task.layout.id) if self.task.layout.id else None
        return identity if isinstance(identity, str | int) and identity != "" else None


def as_float(value: object) -> float | None:
    """Return a JSON number as a float; None for any other value, and for a number too large for a float."""
    with suppress(OverflowError):
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    return None


def _spans_of(given: object, texts: Mapping[str, str]) -> Mapping[str, Sequence[Sequence[Any]]] | None:
    """Return edits or protected spans by field, each (start, stop, text).

    Fields without a text in `texts` are dropped. The result is None if a span is malformed or lies outside its text.
    """
    try:
        stated = msgspec.convert(given, dict[str, list[tuple[int, int, str]]])
    except msgspec.ValidationError:
        return None
    found = {name: spans for name, spans in stated.items() if name in texts}
    fit = (0 <= start <= stop <= len(texts[name]) for name, spans in found.items() for start, stop, _ in spans)
    return found if all(fit) else None


def restored_row(row: Row, task: Task) -> dict[str, Any]:
    """Restore the original of a row that the command `perturb` wrote.

    The texts of the original come from `augment.source`. The offsets (places that the row states as numbers) are moved
    back to where they were.

    Args:
        row: the perturbed row.
        task: its task.

    Raises:
        AugmentError: the metadata does not fit the row.
    """
    meta = row.values[KEY]
    values = without_metadata(row.values)
    back: dict[str, Script] = {}
    damaged = "augment.source, augment.order or augment.edits is damaged"
    told = saying_instead(lambda error: f"{damaged}: {error}", TypeError, AttributeError, ValueError)
    with saying_where(row.where), told:
        for name, source in meta["source"].items():
            script = Script(source, (Edit(*edit) for edit in meta["edits"].get(name, ())))
            if script.text != field_paths.value(values, name):
                raise AugmentError(f"augment.edits do not give the text of '{name}'; was the file changed by hand?")
            back[name] = inverse_script(script)
        record = Record(values, task)
        order = order_of(meta)
        new = new_values(record, back, [order.index(at) for at in range(len(order))])
        return new_row(record.values, Changed(new))


def order_of(meta: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the order of the options that the metadata of a perturbed row states; empty if they state none.

    The order has an entry for each position: the index (from 0) that the option there had in the original.
    """
    held = meta.get("order")
    if not isinstance(held, list) or sorted(map(str, held)) != sorted(map(str, range(len(held)))):
        return ()
    return tuple(held)


def inverse_script(script: Script) -> Script:
    """Return the script (list of edits) that turns the new text of `script` back into its source.

    >>> inverse_script(Script("кот спит", [Edit(0, 3, "🐱")])).edits
    (Edit(start=0, stop=1, text='кот'),)
    """
    back: list[Triple] = []
    shift = 0
    for start, stop, text in script.triples:
        at, old = start + shift, script.source[start:stop]
        if not text and back and back[-1][0] == at:  # deletions become two insertions at one place
            old = back.pop()[2] + old
        back.append((at, at + len(text), old))
        shift += len(text) - (stop - start)
    return Script.of(script.text, back)
