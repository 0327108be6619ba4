"""What is evaluated: every perturbed row beside its original, from one output of perturb or from two aligned files."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from augment_ru.edits import Edit, Script
from augment_ru.errors import AugmentError
from augment_ru.formats.read import Row
from augment_ru.formats.row import KEY, Changed, replaced
from augment_ru.records import field_paths
from augment_ru.records.record import Record
from augment_ru.records.task import Task, generic, recognise

ORIGINAL = "original"
"""The attack of rows that were not perturbed."""

_TAPE_ATTACK = "perturbation"
"""The field that names the perturbation in TAPE's published files; its own name for rows that have none."""


@dataclass(frozen=True, slots=True)
class Original:
    """An unperturbed row, its number from 1 in the order of the file, and what it is called in reports."""

    number: int
    id: str | int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pair:
    """A perturbed row and the index of its original; `edits` and `protected` by field, None where not known."""

    original: int
    attack: str
    status: str
    values: Mapping[str, Any]
    probability: float | None = None
    similarity: float | None = None
    edits: Mapping[str, Sequence[Sequence[Any]]] | None = None
    protected: Mapping[str, Sequence[Sequence[Any]]] | None = None


@dataclass(frozen=True, slots=True)
class Pairs:
    """The originals, and the pairs of each attack in the order of the file."""

    task: Task
    originals: Sequence[Original]
    attacks: Mapping[str, Sequence[Pair]]


def task_of_rows(rows: Sequence[Row], given: Task | None, fields: Sequence[str], gold: Sequence[str]) -> Task:
    """The task of the rows: the one given, or that of the first row; with other fields or right answers if named.

    Raises:
        AugmentError: the first row fits no task, or several.
    """
    if not rows:
        raise AugmentError("no rows; give the output of augment-ru perturb")
    where, values = rows[0]
    meta = values.get(KEY)
    source = meta.get("source") if isinstance(meta, Mapping) else None
    perturbed = tuple(source) if isinstance(source, Mapping) else ()
    plain = {name: value for name, value in values.items() if name != KEY}
    try:
        found = given or recognise(plain)
    except AugmentError as error:
        if not (fields or perturbed):
            raise AugmentError(f"{where}: {error}".replace("--field", "--text-field")) from error
        found = generic(*(fields or perturbed))
    if not fields and perturbed and set(perturbed) != set(Record(plain, found).fields):
        fields = perturbed
    if fields:
        found = replace(found, fields=tuple(fields), optional=())
    return replace(found, gold=tuple(gold) or found.gold)


def paired(rows: Iterable[Row], task: Task, originals: Iterable[Row] | None = None) -> Pairs:
    """The rows beside their originals.

    An original comes from `augment.source` and `augment.edits` of the row (offsets are taken back, too), or else from
    `originals` or the rows of the attack "original", by the task's id field if each of these has one of its own, and
    by the order of the rows if not.

    Raises:
        AugmentError: an original cannot be found or restored, or files that should be aligned are not.
    """
    plain: list[Row] = list(originals) if originals is not None else []
    perturbed: list[tuple[str, Row]] = []
    for row in rows:
        attack = _attack(row.values, task)
        if attack != ORIGINAL:
            perturbed.append((attack, row))
        elif originals is None:
            plain.append(row)
    if not perturbed:
        raise AugmentError("only originals, no perturbed rows; run augment-ru perturb with --attack")
    known = _Known(task)
    for row in plain:
        known.add(row)
    attacks: dict[str, list[Pair]] = {}
    for attack, row in perturbed:
        pairs = attacks.setdefault(attack, [])
        pairs.append(known.pair(attack, row, len(pairs), restore=originals is None))
    for attack in known.by_order:
        if len(attacks[attack]) != len(plain):
            raise AugmentError(
                f"{len(plain):,} originals and {len(attacks[attack]):,} rows of {attack}, and no field "
                f"'{task.id or 'id'}' that tells them apart; give all rows, in the same order"
            )
    return Pairs(task, known.originals, attacks)


def _attack(values: Mapping[str, Any], task: Task) -> str:
    meta = values.get(KEY)
    if isinstance(meta, Mapping) and isinstance(meta.get("attack"), str):
        return str(meta["attack"])
    named = values.get(_TAPE_ATTACK)
    if isinstance(named, str) and named:
        return ORIGINAL if named in (ORIGINAL, task.name) else named
    return "perturbed"


@dataclass(slots=True)
class _Known:
    """The originals as they are found; equal rows are one."""

    task: Task
    originals: list[Original] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    by_id: dict[str, int] = field(default_factory=dict)
    """By the text of the id: a table knows no numbers."""
    given: list[int] = field(default_factory=list)
    """Those that stood in a file as they are, in its order."""
    by_order: set[str] = field(default_factory=set)
    """The attacks with a row whose original was found by its place."""

    def add(self, row: Row) -> None:
        """An original that stands in a file."""
        values = {name: value for name, value in row.values.items() if name != KEY}
        at = self._placed(row.where, values)
        identity = self._id(values)
        if len(self.given) == len(self.by_id) and identity is not None and str(identity) not in self.by_id:
            self.by_id[str(identity)] = at
        else:
            self.by_id.clear()
        self.given.append(at)

    def pair(self, attack: str, row: Row, number: int, *, restore: bool) -> Pair:
        """A perturbed row beside its original."""
        meta = row.values.get(KEY)
        meta = meta if isinstance(meta, Mapping) else {}
        values = {name: value for name, value in row.values.items() if name != KEY}
        if restore and isinstance(meta.get("source"), Mapping) and isinstance(meta.get("edits"), Mapping):
            at = self._placed(row.where, restored(row, self.task))
        else:
            at = self._aligned(attack, row, values, number)
        originals = Record(self.originals[at].values, self.task).texts()
        texts = Record(values, self.task).texts()
        same = texts == originals
        source = meta.get("source")
        described = isinstance(source, Mapping) and all(originals.get(name) in (None, source[name]) for name in source)
        status = meta.get("status")
        return Pair(
            original=at,
            attack=attack,
            status=str(status) if isinstance(status, str) else "unchanged" if same else "perturbed",
            values=values,
            probability=_number(meta.get("probability")),
            similarity=_number(meta.get("similarity")),
            edits=_stretches(meta.get("edits"), originals) if described else None,
            protected=_stretches(meta.get("protected"), originals) if described else None,
        )

    def _aligned(self, attack: str, row: Row, values: Mapping[str, Any], number: int) -> int:
        identity = self._id(values)
        if self.by_id and identity is not None:
            if str(identity) in self.by_id:
                return self.by_id[str(identity)]
            raise AugmentError(f"{row.where}: no original has {self.task.id} {identity}; give all with --originals")
        if number >= len(self.given):
            raise AugmentError(
                f"{row.where}: no original for it: the row has no augment.source, and "
                f"{f'there are {len(self.given):,} originals' if self.given else 'none was given'}; "
                f"give --originals FILE, or perturb with --meta full"
            )
        self.by_order.add(attack)
        return self.given[number]

    def _placed(self, where: str, values: Mapping[str, Any]) -> int:
        """The index of an original, new or met before."""
        try:
            Record(values, self.task).texts()
        except AugmentError as error:
            raise AugmentError(f"{where}: {error}".replace("--field", "--text-field")) from error
        place = json.dumps(values, sort_keys=True, default=str)
        if place not in self.places:
            self.places[place] = len(self.originals)
            identity, number = self._id(values), len(self.originals) + 1
            self.originals.append(Original(number, number if identity is None else identity, values))
        return self.places[place]

    def _id(self, values: Mapping[str, Any]) -> str | int | None:
        identity = field_paths.value(values, self.task.id) if self.task.id else None
        return identity if isinstance(identity, str | int) and identity != "" else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _stretches(given: object, texts: Mapping[str, str]) -> Mapping[str, Sequence[Sequence[Any]]] | None:
    """Edits or protected spans by field, each a start, a stop and a text; None if they are not of these texts."""
    if not isinstance(given, Mapping):
        return None
    for name, found in given.items():
        size = len(texts.get(name, ""))
        if name in texts and not (isinstance(found, Sequence) and all(_stretch(one, size) for one in found)):
            return None
    return {name: found for name, found in given.items() if name in texts}


def _stretch(given: object, size: int) -> bool:
    if not isinstance(given, Sequence) or [type(part) for part in given] != [int, int, str]:
        return False
    return bool(0 <= given[0] <= given[1] <= size)


def restored(row: Row, task: Task) -> dict[str, Any]:
    """The original of an output row: its texts from `augment.source`, its offsets taken back through the edits.

    Raises:
        AugmentError: the metadata does not fit the row.
    """
    meta = row.values[KEY]
    values = {name: value for name, value in row.values.items() if name != KEY}
    back: dict[str, Script] = {}
    try:
        for name, source in meta["source"].items():
            done = Script(source, (Edit(*edit) for edit in meta["edits"].get(name, ())))
            _same(name, done.text, field_paths.value(values, name))
            back[name] = inverse(done)
        record = Record(values, task)
        new: dict[field_paths.Path, Any] = {
            field_paths.path_of(values, name): script.text for name, script in back.items()
        }
        new |= {place.path: place.after(back[place.text]) for place in record.offsets() if place.text in back}
        return replaced(record, Changed(new))
    except (TypeError, AttributeError) as error:
        raise AugmentError(f"{row.where}: augment.source or augment.edits is damaged: {error}") from error
    except AugmentError as error:
        raise AugmentError(f"{row.where}: {error}") from error


def _same(name: str, text: str, value: object) -> None:
    if text != value:
        raise AugmentError(f"augment.edits do not give the text of '{name}'; was the file changed by hand?")


def inverse(script: Script) -> Script:
    """The script that takes the text back to its source.

    >>> inverse(Script("кот спит", [Edit(0, 3, "🐱")])).edits
    (Edit(start=0, stop=1, text='кот'),)
    """
    edits: list[Edit] = []
    shift = 0
    for edit in script.edits:
        start = edit.start + shift
        back = Edit(start, start + len(edit.text), script.source[edit.start : edit.stop])
        if edits and edits[-1].stop == back.start:  # two deletions side by side would be two insertions at one place
            back = Edit(edits[-1].start, back.stop, edits.pop().text + back.text)
        edits.append(back)
        shift += len(edit.text) - (edit.stop - edit.start)
    return Script(script.text, edits)
