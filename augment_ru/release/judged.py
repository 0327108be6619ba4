"""Write people's verdicts into a release; its manifest and its card then state the shares of valid rows."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError, amount
from augment_ru.evaluation import verdicts
from augment_ru.evaluation.loading import loaded
from augment_ru.evaluation.protocol import EvaluationSettings
from augment_ru.evaluation.rates import percent, percents, wilson
from augment_ru.formats.json_lines import encoded_row
from augment_ru.release import manifest
from augment_ru.release.assemble import CARD, derived_files
from augment_ru.release.croissant import CROISSANT
from augment_ru.run.stores import FolderStore


def judge_release(folder: Path, rows: Sequence[Mapping[str, Any]]) -> str:
    """Write people's verdicts on perturbed rows into a release.

    The card, the metadata and the manifest of the release then state the shares of rows that people found valid.

    Args:
        folder: the release.
        rows: the judged rows, each with its id, its verdict and the number of votes for each verdict; they replace
            earlier ones.

    Returns:
        The new digest of the manifest.

    Raises:
        AugmentError: the folder is not a release, another version of the code built it, or a verdict is about an
            unknown row.
    """
    content = manifest.read_manifest(folder / manifest.MANIFEST)
    if other := manifest.other_code(content):
        raise AugmentError(f"{folder}: is a release that {other}; install that code, which writes its card anew")
    figures, files, write = judged_figures(folder, content, rows), content["files"], FolderStore(folder).write
    without = {key: value for key, value in content.items() if key != "files"} | {"judged": figures}
    write(manifest.VERDICTS, "".join(f"{encoded_row(dict(row))}\n" for row in rows).encode())
    derived = derived_files(without, files, folder)
    for name in (CARD, CROISSANT):
        write(name, derived[name].encode())
    files = {**files, **manifest.file_entries(folder, [CARD, CROISSANT, manifest.VERDICTS])}
    write(manifest.MANIFEST, manifest.encoded_manifest({**without, "files": files}))
    return manifest.own_digest(folder / manifest.MANIFEST)


def judged_figures(folder: Path, content: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how many rows of a release people judged, and the share that they found valid.

    The numbers are given for all judged rows, and for the rows of each attack and search of each task.

    Args:
        folder: the release.
        content: its manifest.
        rows: the judged rows, each with its id, its verdict and the number of votes for each verdict.

    Raises:
        AugmentError: a verdict is about a row that the release does not have, or a file cannot be read.
    """
    known = {row["id"]: row["verdict"] for row in rows}
    seen: set[str] = set()
    variations = []
    for task in content["tasks"]:
        pairs = loaded(str(folder / task["name"]), EvaluationSettings()).pairs
        for name, places in verdicts.perturbed(pairs).items():
            ids = (verdicts.id_of(pairs, pairs.attacks[name][at]) for at in places)
            judged = [one for one in ids if one in known]
            seen.update(judged)
            if judged:
                variations.append({"task": task["name"], "name": name, **_figures([known[one] for one in judged])})
    if strange := len(known.keys() - seen):
        raise AugmentError(f"{folder}: {amount(strange, 'verdict')} of no row of it; give answers about its rows")
    alpha = verdicts.agreement(rows)
    return {
        **_figures(list(known.values())),
        "answers": sum(sum(row["votes"].values()) for row in rows),
        "alpha": None if alpha is None else round(alpha, 4),
        "variations": variations,
    }


def _figures(said: Sequence[str]) -> dict[str, Any]:
    """Return how many rows are judged, valid and unclear, and the percentage of valid ones with its interval."""
    valid = said.count(verdicts.VALID)
    low, high = percents(wilson(valid, len(said))) or (None, None)
    return {
        "judged": len(said),
        "valid": valid,
        "unclear": said.count(verdicts.UNCLEAR),
        "share": percent(valid / len(said)) if said else None,
        "low": low,
        "high": high,
    }
