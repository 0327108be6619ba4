"""The work of `augment-ru verdicts`: export a sample for people to judge, and read their answers."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from augment_ru.errors import AugmentError, amount, saying_instead
from augment_ru.evaluation import verdicts
from augment_ru.evaluation.loading import loaded, released_tasks
from augment_ru.evaluation.pairs import Pairs
from augment_ru.evaluation.protocol import EvaluationSettings
from augment_ru.evaluation.rates import OUTCOMES
from augment_ru.evaluation.report import SavedReport, read_report
from augment_ru.formats.files import check_outputs, named_files
from augment_ru.formats.read import read_rows
from augment_ru.jobs.messages import checking, say
from augment_ru.jobs.outputs import json_lines, write_file
from augment_ru.jobs.rows import stated
from augment_ru.records.groups import grouped
from augment_ru.release.judged import judge_release

Outcomes: TypeAlias = Mapping[tuple[str, int], str]
"""Maps (attack, number of a row among the rows of this attack, from 0) to its outcome, such as "kept" or "broken"."""


def export_sample(source: str, output: Path, given: Mapping[str, Any]) -> None:
    """Write a sample of perturbed rows for people to judge, and print its size.

    From a whole release, the rows of each task are in proportion to the number of attacks and searches that perturbed
    any of its rows.

    Args:
        source: a file of perturbed rows, a report of `evaluate` in the same folder as its rows, the folder of a
            released task, or that of a whole release.
        output: the file to write.
        given: the values of the other options of `verdicts export`, by parameter name.

    Raises:
        AugmentError: a file cannot be read, an output would replace an input, or the name of the output ends in neither
            .json nor .tsv.
    """
    with checking():
        own = stated(given, ("originals", "task", "input_format", "encoding"))
        settings = EvaluationSettings(text_fields=given["fields"], **own)
    if output.suffix not in (".json", ".tsv"):
        raise AugmentError(f"`output` {output}: must end in .json (Label Studio) or .tsv (Toloka)")
    interface = output.with_suffix(".xml") if output.suffix == ".json" else None
    reported, predictions, tasks = _reported(source), given["predictions"], released_tasks(source)
    if tasks and (wrong := next((name for name in ("originals", "task", "fields", "predictions") if given[name]), "")):
        raise AugmentError(f"`{wrong}`: {source} is a release, which says it of each task; give the folder of one task")
    named = named_files([given["task"] or ""])
    read = [source, reported[0] if reported else None, given["originals"], predictions, *named, *tasks]
    check_outputs([("`output`", str(output)), ("beside `output`:", str(interface) if interface else None)], read)
    held = [loaded(one, settings) for one in tasks or [reported[0] if reported else source]]
    outcomes = None
    if predictions:
        outcomes = _outcomes(predictions, held[0].pairs)
    elif reported:
        outcomes = _reported_outcomes(source, reported[1], held[0].digest)
    attacks = list(dict.fromkeys(attack for one in held for attack in one.pairs.attacks))
    asked = _asked([one.pairs for one in held], given["size"], given["seed"], outcomes)
    text = verdicts.toloka(asked) if output.suffix == ".tsv" else verdicts.label_studio(asked)
    write_file(output, [text.encode()])
    write_file(interface, [verdicts.LABELS.read_bytes()])
    of_tasks = f" in {amount(len(tasks), 'task')}" if tasks else ""
    say(f"{amount(len(asked), 'row')} of {amount(len(attacks), 'attack')}{of_tasks} to judge")
    say(f"wrote {', '.join(map(str, filter(None, (output, interface))))}")


def _asked(tasks: Sequence[Pairs], size: int, seed: int, outcomes: Outcomes | None) -> list[dict[str, str]]:
    """Draw a sample of the rows of tasks, and return the questions about it. Equal pairs of texts are asked about once.

    Raises:
        AugmentError: no row is perturbed.
    """
    weights = [len(verdicts.perturbed(pairs)) for pairs in tasks]
    if not any(weights):
        raise AugmentError("no perturbed row to judge")
    found: dict[str, dict[str, str]] = {}
    for pairs, wanted in zip(tasks, verdicts.shares(size, weights), strict=True):
        if wanted:
            sample = verdicts.sampled(pairs, wanted, seed, outcomes)
            for row in verdicts.questions(pairs, sample):
                found.setdefault(row["id"], row)
    return list(found.values())


def _outcomes(path: str, pairs: Pairs) -> Outcomes:
    """Read the outcomes of the first model run from a file of predictions.

    Raises:
        AugmentError: the predictions belong to other rows.
    """
    rows = read_rows(path).values
    runs = [(row.get("model"), row.get("shots"), row.get("episode")) for row in rows]
    said = (row for row, run in zip(rows, runs, strict=True) if run == runs[0] and isinstance(row.get("attack"), str))
    found = grouped((row["attack"], str(row.get("outcome"))) for row in said)
    ours, theirs = ({attack: len(own) for attack, own in one.items()} for one in (pairs.attacks, found))
    if ours != theirs:
        raise AugmentError(f"`predictions` {path}: are not of these rows; give what evaluate wrote for them")
    return {(attack, number): outcome for attack, own in found.items() for number, outcome in enumerate(own)}


def _reported(source: str) -> tuple[str, SavedReport] | None:
    """Return the file of the rows of a report, and the report; None if the source is not a report.

    Raises:
        AugmentError: the file of rows is not in the folder of the report.
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
    """Return the outcomes of the first model run in a report.

    Raises:
        AugmentError: the rows were changed after the evaluation, or the report is damaged.
    """
    if report.data is None or report.data.digest != digest:
        raise AugmentError(f"{source}: its rows were changed since; run augment-ru evaluate again")
    with saying_instead(f"{source}: is damaged, or no report of augment-ru evaluate", LookupError, ValueError):
        return {
            (attack, number): " ".join(str(OUTCOMES[letter]) for letter in letters)
            for attack, entry in report.models[0].attacks.items()
            for number, letters in enumerate(zip(*(label[0] for label in entry.outcomes), strict=True))
        }


def import_answers(
    files: list[Path], output: Path | None, release: Path | None = None, aggregate: str = "majority"
) -> None:
    """Read the answers of people who judged rows, write a verdict for each row, and print how well people agree.

    Args:
        files: the exported answers.
        output: the file for the verdicts; None for no file.
        release: the release to which the rows belong. The verdicts are written into it, and its manifest and its card
            then state the shares of valid rows. None to change no release.
        aggregate: how the votes on a row become a verdict: by `majority` or `dawid-skene`; only verdicts by majority
            can be written into a release.

    Raises:
        AugmentError: a file cannot be read or would be overwritten, or the answers are about other rows.
    """
    if output is None and release is None:
        raise AugmentError("nowhere to write; give `output` or `release`")
    if release is not None and aggregate != "majority":
        raise AugmentError(f"`release`: states verdicts by majority, not by {aggregate}; give `output`")
    check_outputs([("`output`", str(output) if output else None)], map(str, files))
    votes = [vote for path in files for vote in verdicts.read_votes(path)]
    if not votes:
        raise AugmentError(f"{files[0]}: holds no answers")
    verdicts.check_votes(votes)
    rows = list(verdicts.judged(votes))
    alpha = verdicts.agreement(rows)
    if aggregate != "majority":
        rows = verdicts.by_dawid_skene(rows, votes)
    digest = judge_release(release, rows) if release else ""
    if output:
        write_file(output, json_lines(rows))
    people = len({vote.annotator for vote in votes})
    valid = sum(row["verdict"] == verdicts.VALID for row in rows)
    told = "not defined" if alpha is None else f"{alpha:.3f}"
    print(
        f"{amount(len(rows), 'row')}, {amount(len(votes), 'answer')} of {amount(people, 'annotator')}; "
        f"Krippendorff's alpha {told}; "
        f"valid {valid:,} ({100 * valid / len(rows):.1f} %)"
    )
    if output:
        say(f"wrote {amount(len(rows), 'verdict')} to {output}")
    if release:
        say(f"the card and the manifest of {release} state them; manifest {digest}")
