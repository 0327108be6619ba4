"""The rows of an evaluation, read: each perturbed row beside its original, with what a release says about them."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from augment_ru.engine.frames import refuse_frame
from augment_ru.errors import AugmentError, brief
from augment_ru.evaluation.pairs import ORIGINAL, Pairs, given_up, pair_rows, task_of_rows
from augment_ru.evaluation.released import released, rows_file, with_edit_log
from augment_ru.formats.encodings import UTF8
from augment_ru.formats.read import Rows, read_rows, rows_of
from augment_ru.records.task import task_or_file

RowsOrFile: TypeAlias = str | Path | Iterable[Mapping[str, Any]]
"""Rows: the path of a file, or dictionaries."""


class Loaded(NamedTuple):
    """What was read.

    Attributes:
        pairs: the rows beside their originals.
        digest: a hash of the perturbed rows.
        digest_of_originals: a hash of the originals; None if they were not given apart.
        train: the train rows of the release; None outside of one.
        specs: the attacks of each variation of the release, by the variation's name.
    """

    pairs: Pairs
    digest: str
    digest_of_originals: str | None
    train: Path | None
    specs: Mapping[str, str]


def loaded(
    perturbed: RowsOrFile,
    originals: RowsOrFile | None = None,
    *,
    task: str | None = None,
    text_fields: Sequence[str] = (),
    label_fields: Sequence[str] = (),
    input_format: str | None = None,
    encoding: str = UTF8,
) -> Loaded:
    """Read the rows; the arguments are those of `evaluate`.

    Raises:
        AugmentError: a file cannot be read, or rows do not correspond.
    """
    given = rows_file(str(perturbed)) if isinstance(perturbed, str | Path) else perturbed
    beside = released(given) if isinstance(given, str) else None
    rows = read(given, "row", input_format, encoding)
    if beside is not None:
        rows = with_edit_log(rows, beside.edits, beside.models) if beside.edits is not None else rows
        task, text_fields = task or beside.task, text_fields or beside.fields
    schema = task_of_rows(rows.rows, task_or_file(task) if task else None, tuple(text_fields), tuple(label_fields))
    clean = read(originals, "original", encoding=encoding) if originals is not None else None
    name = beside.original if beside else ORIGINAL
    pairs = pair_rows(given_up(rows.rows), schema, clean.rows if clean else None, name)
    specs = {attack: beside.specs[attack] for attack in pairs.attacks if attack in beside.specs} if beside else {}
    return Loaded(pairs, rows.digest, clean.digest if clean else None, beside.train if beside else None, specs)


def read(given: RowsOrFile, name: str, input_format: str | None = None, encoding: str = UTF8) -> Rows:
    """The rows of a file, or rows made in Python, called by this name in messages.

    `input_format` and `encoding` are those of a file, as for `read_rows`.

    Raises:
        AugmentError: the file cannot be read or is empty, or a row has no form in JSON.
    """
    if not isinstance(given, str | Path):
        refuse_frame(given, "evaluate()", "frame.to_dict('records') of pandas, frame.to_dicts() of polars")
        return rows_of(_dictionaries(given), name)
    found = read_rows(str(given), input_format, encoding)
    if not found.rows:
        where = "stdin" if str(given) == "-" else given
        raise AugmentError(f"{where}: no rows; give rows, or the output of augment-ru perturb")
    return found


def _dictionaries(given: Any) -> list[Mapping[str, Any]]:  # noqa: ANN401  (whatever a user gives)
    """The rows in what is given as rows.

    Raises:
        AugmentError: one of them is none.
    """
    rows = list(given) if isinstance(given, Iterable) else [given]
    if wrong := [row for row in rows if not isinstance(row, Mapping)]:
        raise AugmentError(f"{brief(wrong[0])}: no row; give dictionaries, or the path of a file")
    return rows
