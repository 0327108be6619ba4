"""The rows of an evaluation, read: each perturbed row beside its original, with what a release says about them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from augment_ru.engine.frames import refuse_frame
from augment_ru.errors import AugmentError, brief
from augment_ru.evaluation.examples import PERTURBATION
from augment_ru.evaluation.pairs import ORIGINAL, Pairs, given_up, pair_rows, task_of_rows
from augment_ru.evaluation.protocol import EvaluationSettings, RowsOrFile
from augment_ru.formats.encodings import UTF8
from augment_ru.formats.read import Row, Rows, read_rows, rows_of
from augment_ru.formats.row import KEY
from augment_ru.records import field_paths
from augment_ru.records.task import task_or_file
from augment_ru.resources import file_bytes

TEST, TRAIN, EDITS, MANIFEST, OWN = "test.jsonl", "train.jsonl", "edits.jsonl", "manifest.json", "own"
"""The files and the folder of a release, as `augment_ru.release` names them."""


@dataclass(frozen=True, slots=True)
class Released:
    """What a release says about a file of rows; the defaults are those of rows outside of one.

    Attributes:
        original: what `perturbation` is in original rows.
        task: the name of their task, or its file in the release; None if there is no manifest.
        fields: the perturbed fields; empty if there is no manifest.
        train: the file of the train rows; None if there is none.
        edits: the edit log; None if there is none.
        models: the model that each variation of the adversarial part is made against, by the variation's name.
        specs: the attacks of each variation, as in `--attack`, by the variation's name.
    """

    original: str = ORIGINAL
    task: str | None = None
    fields: tuple[str, ...] = ()
    train: Path | None = None
    edits: Path | None = None
    models: Mapping[str, str] = field(default_factory=dict)
    specs: Mapping[str, str] = field(default_factory=dict)


def rows_file(source: str) -> str:
    """The file of rows that a source names: itself, or the test file in the folder of a released task.

    Raises:
        AugmentError: it is a folder without a test file.
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
    """The folders of the tasks of a release, in the order of their names; empty if the source is no whole release."""
    path = Path(source)
    if source == "-" or not (path / MANIFEST).is_file():
        return []
    return [str(test.parent) for test in sorted(path.glob(f"*/{TEST}"))]


def released(source: str) -> Released:
    """What the release of a file of rows says about it.

    Raises:
        AugmentError: the manifest cannot be read.
    """
    path = Path(source)
    if source == "-" or path.name != TEST:
        return Released()
    folder = path.resolve().parent
    train, edits = folder / TRAIN, folder / EDITS
    known, models, specs = _in_manifest(folder.parent / MANIFEST, folder.name)
    return Released(
        folder.name,
        known.get("task"),
        tuple(known.get("fields", ())),
        train if train.is_file() else None,
        edits if edits.is_file() else None,
        models,
        specs,
    )


def _in_manifest(path: Path, name: str) -> tuple[Mapping[str, Any], Mapping[str, str], Mapping[str, str]]:
    """The entry of a task in the manifest of its release, the models and the specs; empty if there is no manifest."""
    if not path.is_file():
        return {}, {}, {}
    try:
        content = json.loads(file_bytes(path))
        models = {str(one["name"]): str(one["model"]) for one in content.get("models", ())}
        specs = {str(one["name"]): str(one["spec"]) for one in content["attacks"]}
        entry: dict[str, Any] = next((dict(task) for task in content["tasks"] if task["name"] == name), {})
        given = next((task.get("task") or "" for task in content["recipe"]["task"] if task["name"] == name), "")
        if given.endswith(".toml"):
            entry["task"] = str(path.parent / OWN / Path(given).name)
        "".join([entry.get("task", ""), *entry.get("fields", ())])  # a TypeError, if one of them is no text
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise AugmentError(f"{path}: is no manifest of a release; augment-ru release verify checks it") from error
    return entry, models, specs


def with_edit_log(rows: Rows, log: Path, models: Mapping[str, str]) -> Rows:
    """The rows with the metadata of their edit log: the status of each, its edits, and its protected spans.

    Args:
        rows: the rows.
        log: their edit log.
        models: the models of the variations that searches have made, by the variation's name.

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
    """The metadata of a row as perturb writes it, or a search."""
    stated = {
        name: entry[name] for name in ("status", "probability", "similarity", "edits", "protected") if name in entry
    }
    return {
        "attack": entry[PERTURBATION],
        "source": {name: field_paths.value(original, name) for name in entry["edits"]},
        **stated,
        **({"model": models.get(entry[PERTURBATION]), **entry["search"]} if "search" in entry else {}),
    }


class Loaded(NamedTuple):
    """What was read.

    Attributes:
        pairs: the rows beside their originals.
        digest: a hash of the perturbed rows.
        digest_of_originals: a hash of the originals; None if they were not given apart.
        release: what the release of the rows says about them.
    """

    pairs: Pairs
    digest: str
    digest_of_originals: str | None
    release: Released


def loaded(perturbed: RowsOrFile, settings: EvaluationSettings) -> Loaded:
    """Read the rows; of the settings those count that say where the originals are, and what the rows hold.

    Raises:
        AugmentError: a file cannot be read, or rows do not correspond.
    """
    given = rows_file(str(perturbed)) if isinstance(perturbed, str | Path) else perturbed
    release = released(given) if isinstance(given, str) else Released()
    rows = read(given, "row", settings.input_format, settings.encoding)
    if release.edits is not None:
        rows = with_edit_log(rows, release.edits, release.models)
    name, fields = settings.task or release.task, settings.text_fields or release.fields
    task = task_of_rows(rows.rows, task_or_file(name) if name else None, fields, settings.label_fields)
    clean = None
    if settings.originals is not None:
        clean = read(settings.originals, "original", encoding=settings.encoding)
    pairs = pair_rows(given_up(rows.rows), task, clean.rows if clean else None, release.original)
    return Loaded(pairs, rows.digest, clean.digest if clean else None, release)


def read(given: RowsOrFile, name: str, input_format: str | None = None, encoding: str = UTF8) -> Rows:
    """The rows of a file, or rows made in Python, called by this name in messages.

    `input_format` and `encoding` are those of a file, as for `read_rows`.

    Raises:
        AugmentError: the file cannot be read or is empty, or a row has no form in JSON.
    """
    if not isinstance(given, str | Path):
        return rows_of(_dictionaries(given), name)
    found = read_rows(str(given), input_format, encoding)
    if not found.rows:
        where = "stdin" if str(given) == "-" else given
        raise AugmentError(f"{where}: no rows; give rows, or the output of augment-ru perturb")
    return found


def _dictionaries(given: object) -> list[Mapping[str, Any]]:
    """The rows in what is given as rows.

    Raises:
        AugmentError: one of them is none.
    """
    rows: list[Any] = list(given) if isinstance(given, Iterable) else [given]
    if wrong := [row for row in rows if not isinstance(row, Mapping)]:
        refuse_frame(given, "evaluate()", "frame.to_dict('records') of pandas, frame.to_dicts() of polars")
        raise AugmentError(f"{brief(wrong[0])}: no row; give dictionaries, or the path of a file")
    return rows
