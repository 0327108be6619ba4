"""Read the rows of an evaluation: pair each perturbed row with its original, and read the release they belong to."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from augment_ru.engine.augmenter import refuse_frame
from augment_ru.errors import MALFORMED, AugmentError, brief, saying_instead
from augment_ru.evaluation.examples import PERTURBATION
from augment_ru.evaluation.pairs import ORIGINAL, Pairs, given_up, pair_rows, task_of_rows
from augment_ru.evaluation.protocol import EvaluationSettings, RowsOrFile
from augment_ru.formats.files import UTF8
from augment_ru.formats.read import Row, Rows, read_rows, rows_of
from augment_ru.formats.row import KEY
from augment_ru.records import field_paths
from augment_ru.records.task import task_or_file
from augment_ru.resources import file_bytes

TEST, TRAIN, EDITS, MANIFEST, OWN = "test.jsonl", "train.jsonl", "edits.jsonl", "manifest.json", "own"
"""The names of files and a folder in a release; `augment_ru.release` uses the same names."""


@dataclass(frozen=True, slots=True)
class Released:
    """What a release says about a file of rows; the defaults are for rows that do not belong to a release.

    Attributes:
        original: what the field `perturbation` holds in original rows.
        task: the name of the rows' task, or the path of its file in the release; None if there is no manifest.
        fields: the perturbed fields; empty if there is no manifest.
        train: the file of the train rows; None if there is no such file.
        edits: the edit log (a file with the edits of every perturbed row); None if there is no such file.
        models: maps the name of each search against a model to the specification of this model.
        specs: maps the name of each attack to its specification, as for `--attack`.
    """

    original: str = ORIGINAL
    task: str | None = None
    fields: tuple[str, ...] = ()
    train: Path | None = None
    edits: Path | None = None
    models: Mapping[str, str] = field(default_factory=dict)
    specs: Mapping[str, str] = field(default_factory=dict)


def rows_file(source: str) -> str:
    """Return the path of a file of rows.

    Args:
        source: the path itself, or the folder of a task in a release, whose test file is then returned.

    Raises:
        AugmentError: the source is a folder without a test file, or a release of several tasks.
    """
    path = Path(source)
    if source == "-" or not path.is_dir():
        return source
    if released_tasks(source):
        raise AugmentError(f"{source}: is a release of several tasks; give the folder of one of them")
    if not (path / TEST).is_file():
        raise AugmentError(f"{source}: is a folder without {TEST}; give a file, or the folder of a released task")
    return str(path / TEST)


def released_tasks(source: str) -> list[str]:
    """Return the folders of the tasks in a release, in the order of their names.

    Args:
        source: the folder of the release. For any other path the result is empty.
    """
    path = Path(source)
    if source == "-" or not (path / MANIFEST).is_file():
        return []
    return [str(test.parent) for test in sorted(path.glob(f"*/{TEST}"))]


def released(source: str) -> Released:
    """Read what a release says about a file of rows (its task, fields, train file and edit log).

    Args:
        source: the file. If it is not named `test.jsonl`, the result has only defaults; if its release has no manifest,
            the result says only which files stand beside it.

    Raises:
        AugmentError: the manifest cannot be read.
    """
    path = Path(source)
    if source == "-" or path.name != TEST:
        return Released()
    folder = path.resolve().parent
    train, edits = (one if one.is_file() else None for one in (folder / TRAIN, folder / EDITS))
    found = Released(folder.name, train=train, edits=edits)
    path, name = folder.parent / MANIFEST, folder.name
    if not path.is_file():
        return found
    with saying_instead(f"{path}: is no manifest of a release; augment-ru release verify checks it", *MALFORMED):
        content = json.loads(file_bytes(path))
        models = {str(one["name"]): str(one["model"]) for one in content.get("models", ())}
        specs = {str(one["name"]): str(one["spec"]) for one in content["attacks"]}
        entry: dict[str, Any] = next((dict(task) for task in content["tasks"] if task["name"] == name), {})
        given = next((task.get("task") or "" for task in content["recipe"]["task"] if task["name"] == name), "")
        if given.endswith(".toml"):
            entry["task"] = str(path.parent / OWN / Path(given).name)
        "".join([entry.get("task", ""), *entry.get("fields", ())])  # a TypeError, if one of them is no text
        return replace(found, task=entry.get("task"), fields=tuple(entry.get("fields", ())), models=models, specs=specs)


def with_edit_log(rows: Rows, log: Path, models: Mapping[str, str]) -> Rows:
    """Add to each row the metadata of the edit log: its status, its edits and its protected spans.

    Args:
        rows: the rows.
        log: the path of their edit log.
        models: maps the name of each search against a model to the specification of this model.

    Raises:
        AugmentError: the log does not belong to the rows.
    """
    entries = read_rows(str(log)).rows
    if len(entries) != len(rows.rows):
        raise AugmentError(f"{log}: {len(entries):,} entries for {len(rows.rows):,} rows; take both from one release")
    originals: dict[int, Mapping[str, Any]] = {}
    found: list[Row] = []
    for row, (where, entry) in zip(rows.rows, entries, strict=True):
        if entry.get(PERTURBATION) != row.values.get(PERTURBATION):
            raise AugmentError(f"{where}: is of another perturbation than {row.where}; take both from one release")
        if entry.get("status") == "original":
            originals[entry["row"]] = row.values
            found.append(row)
        elif entry.get("row") in originals:
            found.append(Row(row.where, {**row.values, KEY: _metadata(entry, originals[entry["row"]], models)}))
        else:
            raise AugmentError(f"{where}: its original row does not stand before it; take both from one release")
    return Rows(found, rows.digest)


def _metadata(entry: Mapping[str, Any], original: Mapping[str, Any], models: Mapping[str, str]) -> dict[str, Any]:
    """Return the metadata of a row in the form that perturb, or a search, writes."""
    kept = ("status", "probability", "similarity", "edits", "protected")
    stated = {name: entry[name] for name in kept if name in entry}
    return {
        "attack": entry[PERTURBATION],
        "source": {name: field_paths.value(original, name) for name in entry["edits"]},
        **stated,
        **({"model": models.get(entry[PERTURBATION]), **entry["search"]} if "search" in entry else {}),
    }


class Loaded(NamedTuple):
    """The rows that were read, and their release.

    Attributes:
        pairs: the perturbed rows with their originals.
        digest: a hash of the perturbed rows, which the signature of the report states.
        digest_of_originals: a hash of the file of originals; None if no such file was given.
        release: what the release of the rows says about them.
    """

    pairs: Pairs
    digest: str
    digest_of_originals: str | None
    release: Released


def loaded(perturbed: RowsOrFile, settings: EvaluationSettings) -> Loaded:
    """Read the rows of an evaluation and their originals.

    Args:
        perturbed: the rows, or their file.
        settings: the settings of the evaluation; only those that say where the originals are and what the rows hold are
            used.

    Raises:
        AugmentError: a file cannot be read, or rows and originals do not correspond.
    """
    given = rows_file(str(perturbed)) if isinstance(perturbed, str | Path) else perturbed
    release = released(given) if isinstance(given, str) else Released()
    rows = read(given, "row", settings.input_format, settings.encoding)
    if release.edits is not None:
        rows = with_edit_log(rows, release.edits, release.models)
    name, fields = settings.task or release.task, settings.text_fields or release.fields
    task = task_of_rows(rows.rows, task_or_file(name) if name else None, fields, settings.label_fields)
    task = task.under(settings.protocol)
    clean = None
    if settings.originals is not None:
        clean = read(settings.originals, "original", encoding=settings.encoding)
    pairs = pair_rows(given_up(rows.rows), task, clean.rows if clean else None, release.original)
    return Loaded(pairs, rows.digest, clean.digest if clean else None, release)


def read(given: RowsOrFile, name: str, input_format: str | None = None, encoding: str = UTF8) -> Rows:
    """Read the rows of a file, or check rows made in Python.

    Args:
        given: the path of a file, or the rows as dictionaries.
        name: what messages call a row made in Python.
        input_format: the format of the file as an extension without the dot, such as "csv"; None to take it from its
            name.
        encoding: the encoding of the file.

    Raises:
        AugmentError: the file cannot be read or is empty, or a row is no dictionary or cannot be written as JSON.
    """
    if not isinstance(given, str | Path):
        rows: list[Any] = list(given) if isinstance(given, Iterable) else [given]  # type: ignore[redundant-expr]
        if wrong := [row for row in rows if not isinstance(row, Mapping)]:
            refuse_frame(given, "evaluate()", "frame.to_dict('records') of pandas, frame.to_dicts() of polars")
            raise AugmentError(f"{brief(wrong[0])}: no row; give dictionaries, or the path of a file")
        return rows_of(rows, name)
    found = read_rows(str(given), input_format, encoding)
    if not found.rows:
        where = "stdin" if str(given) == "-" else given
        raise AugmentError(f"{where}: no rows; give rows, or the output of augment-ru perturb")
    return found
