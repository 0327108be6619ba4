"""The work of `augment-ru verdicts`: a sample for annotators, and their answers read back."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from augment_ru.errors import AugmentError, amount
from augment_ru.evaluation import verdicts
from augment_ru.evaluation.answers import metrics_of
from augment_ru.evaluation.loading import loaded
from augment_ru.evaluation.pairs import Pairs
from augment_ru.evaluation.protocol import EvaluationSettings
from augment_ru.evaluation.report import SavedReport, read_report
from augment_ru.formats.encodings import UTF8
from augment_ru.formats.files import check_outputs, named_files
from augment_ru.formats.read import read_rows
from augment_ru.jobs.flags import checking
from augment_ru.jobs.outputs import json_lines, write_file
from augment_ru.jobs.progress import say

Outcomes: TypeAlias = Mapping[tuple[str, int], str]
"""The outcome of each row, by attack and number."""

_WORDS = {"k": "kept", "b": "broken", "f": "fixed", "w": "wrong", "-": "None"}
"""The outcomes behind the letters of a report, as predictions have them."""


def export_sample(source: str, output: Path, given: Mapping[str, Any]) -> None:
    """Write a sample of perturbed rows for annotators, and print how many there are.

    Args:
        source: the file of perturbed rows, or a report of `evaluate` beside it.
        output: the file that is written.
        given: the values of the other options of `verdicts export` by parameter.

    Raises:
        AugmentError: a file cannot be read, would be written over, or its name ends in neither .json nor .tsv.
    """
    with checking():
        settings = EvaluationSettings(
            originals=given["originals"],
            task=given["task"],
            text_fields=given["fields"],
            input_format=given["input_format"],
            encoding=given["encoding"] or UTF8,
        )
    if output.suffix not in (".json", ".tsv"):
        raise AugmentError(f"`output` {output}: must end in .json (Label Studio) or .tsv (Toloka)")
    interface = output.with_suffix(".xml") if output.suffix == ".json" else None
    reported, predictions = _reported(source), given["predictions"]
    named = named_files([given["task"] or ""])
    read = [source, reported[0] if reported else None, given["originals"], predictions, *named]
    check_outputs([("`output`", str(output)), ("beside `output`:", str(interface) if interface else None)], read)
    held = loaded(reported[0] if reported else source, settings)
    pairs, outcomes = held.pairs, None
    if predictions:
        outcomes = _outcomes(predictions, pairs)
    elif reported:
        outcomes = _reported_outcomes(source, reported[1], held.digest)
    kind = metrics_of(pairs.task.scoring.metrics)[pairs.task.scoring.metrics[0]].kind
    sample = verdicts.sampled(pairs, given["size"], given["seed"], outcomes)
    asked = list(verdicts.questions(pairs, sample, kind))
    text = verdicts.toloka(asked) if output.suffix == ".tsv" else verdicts.label_studio(asked)
    write_file(output, [text.encode()])
    write_file(interface, [verdicts.label_studio_interface().encode()])
    say(f"{amount(len(asked), 'row')} of {amount(len(pairs.attacks), 'attack')} to judge")
    say(f"wrote {', '.join(map(str, filter(None, (output, interface))))}")


def _outcomes(path: str, pairs: Pairs) -> Outcomes:
    """The outcomes of the first model run in a file of predictions, by attack and number of the row.

    Raises:
        AugmentError: they are not of these rows.
    """
    found: dict[tuple[str, int], str] = {}
    counts: dict[str, int] = {}
    first = None
    for row in read_rows(path).values:
        run = (row.get("model"), row.get("shots"), row.get("episode"))
        first = first or run
        if run == first and isinstance(row.get("attack"), str):
            number = counts.setdefault(row["attack"], 0)
            counts[row["attack"]] += 1
            found[row["attack"], number] = str(row.get("outcome"))
    if counts != {attack: len(own) for attack, own in pairs.attacks.items()}:
        raise AugmentError(f"`predictions` {path}: are not of these rows; give what evaluate wrote for them")
    return found


def _reported(source: str) -> tuple[str, SavedReport] | None:
    """The rows that a report is of, and the report; None if the source is no report.

    Raises:
        AugmentError: the rows are not beside the report.
    """
    path = Path(source)
    if source == "-" or path.suffix != ".json" or not path.is_file():
        return None
    try:
        report = read_report(path)
    except AugmentError:
        return None
    name = report.data and report.data.name
    rows = path.parent / name if name and Path(name).name == name else None
    if rows is None or not rows.exists():
        raise AugmentError(f"{source}: its rows, {name or 'made in Python'}, are not beside it; give the file of rows")
    return str(rows), report


def _reported_outcomes(source: str, report: SavedReport, digest: str) -> Outcomes:
    """The same of the first model run in a report.

    Raises:
        AugmentError: the rows were changed since, or the report is damaged.
    """
    if report.data is None or report.data.digest != digest:
        raise AugmentError(f"{source}: its rows were changed since; run augment-ru evaluate again")
    try:
        return {
            (attack, number): " ".join(_WORDS[letter] for letter in letters)
            for attack, entry in report.models[0].attacks.items()
            for number, letters in enumerate(zip(*(label[0] for label in entry.outcomes), strict=True))
        }
    except (LookupError, ValueError) as error:
        raise AugmentError(f"{source}: is damaged, or no report of augment-ru evaluate") from error


def import_answers(files: list[Path], output: Path) -> None:
    """Write the verdict of each row, and print how far the annotators agree.

    Raises:
        AugmentError: a file cannot be read, would be written over, or the package `krippendorff` is not installed.
    """
    check_outputs([("`output`", str(output))], map(str, files))
    votes = [vote for path in files for vote in verdicts.read_votes(path)]
    if not votes:
        raise AugmentError(f"{files[0]}: holds no answers")
    verdicts.check_votes(votes)
    alpha = verdicts.agreement(votes)
    rows = list(verdicts.judged(votes))
    write_file(output, json_lines(rows))
    people = len({vote.annotator for vote in votes})
    valid = sum(row["verdict"] == verdicts.VALID for row in rows)
    told = "not defined" if alpha is None else f"{alpha:.3f}"
    print(
        f"{amount(len(rows), 'row')}, {amount(len(votes), 'answer')} of {amount(people, 'annotator')}; "
        f"Krippendorff's alpha {told}; "
        f"valid {valid:,} ({100 * valid / len(rows):.1f} %)"
    )
    say(f"wrote {amount(len(rows), 'verdict')} to {output}")
