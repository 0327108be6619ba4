"""Several reports side by side, counted over the rows that all of them share."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from augment_ru.errors import AugmentError
from augment_ru.evaluation.compare_originals import with_originals_as_rows, without_rates
from augment_ru.evaluation.comparisons import comparisons
from augment_ru.evaluation.intervals import bootstrap
from augment_ru.evaluation.named_model import QuestionCounts
from augment_ru.evaluation.outcomes import AttackOutcomes
from augment_ru.evaluation.protocol import ModelRun
from augment_ru.evaluation.rates import DIGITS, JudgedRun, cells_of, percent, rate_entry, together_entries
from augment_ru.evaluation.report import FORMAT as EVALUATION
from augment_ru.evaluation.report import VERSION as REPORT_VERSION
from augment_ru.evaluation.robustness import worst_cells
from augment_ru.evaluation.row_outcomes import read_outcomes
from augment_ru.evaluation.shared_rows import shared_rows
from augment_ru.evaluation.shown_names import shown_names
from augment_ru.evaluation.tables import beats_majority
from augment_ru.evaluation.totals import read_report
from augment_ru.version import __version__

FORMAT = "augment-ru comparison"
VERSION = 1
RIGHT = "right"
"""The metric of a comparison: the share of right decisions, which can be counted over any rows."""

_SAID_OF_DAMAGE = "is damaged, or no report of augment-ru evaluate"


class NamedReport(NamedTuple):
    """A report under the name that the comparison gives it; `values` are checked when it is compared."""

    name: str
    values: Any


def named_report(path: Path) -> NamedReport:
    """A report that `augment-ru evaluate -o` wrote, under its title, or else under the name of its file.

    Raises:
        AugmentError: the file cannot be read, or holds none.
    """
    values = read_report(path)
    title = values.get("title")
    return NamedReport(title if isinstance(title, str) and title else path.stem, values)


def compare(
    reports: Sequence[NamedReport], *, seed: int = 42, title: str | None = None, date: str | None = None
) -> dict[str, Any]:
    """Compare the models of several reports under the attacks, and over the rows, that all reports share.

    Rows are shared if their texts, those of their originals and the right answers are the same. The keys of the result
    are explained in docs/evaluation.md.

    Args:
        reports: the reports; names that occur twice get a number.
        seed: the seed of the bootstrap.
        title: the title of the comparison.
        date: the date that it states.

    Raises:
        AugmentError: there are fewer than two reports, one is none, or they share no rows.
    """
    if len(reports) < 2:  # noqa: PLR2004
        raise AugmentError("one report alone has nothing to be compared with; give two or more")
    for report in reports:
        _check(report)
    if are_clean := all(not report.values["attacks"] for report in reports):
        reports = [NamedReport(name, with_originals_as_rows(name, values)) for name, values in reports]
    names = _numbered([report.name for report in reports])
    try:
        shared = shared_rows([report.values["rows"] for report in reports])
        if not shared:
            raise AugmentError(_nothing_shared(names, reports))
        judged, models = _judged(names, reports, shared, seed)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise AugmentError(f"{', '.join(names)}: one of them {_SAID_OF_DAMAGE}: {error!r}") from error
    records = len({key.partition("-")[0] for own in shared.values() for key, _ in own})
    found = {
        "format": FORMAT,
        "version": VERSION,
        "signature": f"{FORMAT}-v{VERSION}|seed={seed}|augment-ru={__version__}",
        "unit": "percent",
        **({} if title is None else {"title": title}),
        **({} if date is None else {"date": date}),
        "reports": [_described(name, report.values, shared) for name, report in zip(names, reports, strict=True)],
        "task": reports[0].values["task"],
        "gold": reports[0].values["gold"],
        "correct": reports[0].values["correct"],
        "metrics": [RIGHT],
        "majority": {},
        "originals": records,
        "originals_without_gold": 0,
        "rows": {attack: len(own) for attack, own in shared.items()},
        "attacks": list(shared),
        "models": models,
        "comparisons": comparisons(judged, records),
    }
    return without_rates(found) if are_clean else found


def _check(report: NamedReport) -> None:
    """Nothing, if this is a report with the outcomes of its rows.

    Raises:
        AugmentError: it is not.
    """
    values = report.values
    if not isinstance(values, Mapping) or values.get("format") != EVALUATION:
        raise AugmentError(f"{report.name}: is no report; give the file of augment-ru evaluate -o REPORT.json")
    if values.get("version") != REPORT_VERSION:
        raise AugmentError(
            f"{report.name}: is a report of version {values.get('version')!r}; this augment-ru compares version "
            f"{REPORT_VERSION}; run augment-ru evaluate again"
        )
    if not isinstance(values.get("rows"), Mapping) or not isinstance(values.get("attacks"), list):
        raise AugmentError(
            f"{report.name}: states no rows, so an older version wrote it; run augment-ru evaluate again"
        )


def _numbered(names: Sequence[str]) -> list[str]:
    """The names; of one that occurs several times each with a number."""
    count, seen = Counter(names), Counter[str]()
    found = []
    for name in names:
        seen[name] += 1
        found.append(f"{name} {seen[name]}" if count[name] > 1 else name)
    return found


def _nothing_shared(names: Sequence[str], reports: Sequence[NamedReport]) -> str:
    listed = [list(report.values["rows"]) for report in reports]
    if not all(listed):
        told = ", ".join(name for name, own in zip(names, listed, strict=True) if not own)
        return f"{told}: no attacks, and others have some; compare reports with attacks, or those without"
    if not set.intersection(*map(set, listed)):
        told = "; ".join(f"{name}: {', '.join(own)}" for name, own in zip(names, listed, strict=True))
        return f"the reports share no attack ({told}); evaluate the models on the same perturbed rows"
    data = (report.values.get("data") or {} for report in reports)
    told = ", ".join(f"{name} of {one.get('name') or 'rows'}" for name, one in zip(names, data, strict=True))
    return f"the reports share no rows ({told}); evaluate the models on the same perturbed rows"


def _judged(
    names: Sequence[str],
    reports: Sequence[NamedReport],
    shared: Mapping[str, Sequence[tuple[str, Sequence[int]]]],
    seed: int,
) -> tuple[list[JudgedRun], list[dict[str, Any]]]:
    """The judged runs of all reports over the shared rows, and their entries."""
    keys = {attack: [key.partition("-")[0] for key, _ in own] for attack, own in shared.items()}
    number_of = {key: at for at, key in enumerate(dict.fromkeys(key for own in keys.values() for key in own))}
    records = len(number_of)
    runs, all_outcomes, entries = [], [], []
    shown = _model_names(names, reports)
    for at, report in enumerate(reports):
        for model in report.values["models"]:
            outcomes = {
                attack: _outcomes(
                    model["attacks"][attack]["outcomes"],
                    [numbers[at] for _, numbers in own],
                    [number_of[key] for key in keys[attack]],
                )
                for attack, own in shared.items()
            }
            name = shown[at, model["model"]]
            episodes = next(iter(outcomes.values())).before.shape[1]
            runs.append(ModelRun(name, model["signature"], model["shots"], [()] * episodes, {}, QuestionCounts()))
            all_outcomes.append(outcomes)
            weak = not beats_majority(report.values, model)
            entries.append({"report": names[at], "of": model["model"], "beats_majority": not weak})
    if len({len(next(iter(one.values())).known) for one in all_outcomes}) > 1:
        raise AugmentError("the reports count different answers of the rows; evaluate them with the same task")
    judged = _resampled(runs, all_outcomes, records, seed)
    return judged, [entry | _entry(one, records) for entry, one in zip(entries, judged, strict=True)]


def _model_names(names: Sequence[str], reports: Sequence[NamedReport]) -> dict[tuple[int, str], str]:
    """By the number of a report and the name of a model how the comparison calls it: alone, or with the report."""
    own = {(at, model["model"]) for at, report in enumerate(reports) for model in report.values["models"]}
    count = Counter(name for _, name in own)
    short = shown_names(sorted(count))
    return {(at, name): short[name] + (f" ({names[at]})" if count[name] > 1 else "") for at, name in own}


def _outcomes(written: Sequence[Sequence[str]], rows: Sequence[int], originals: Sequence[int]) -> AttackOutcomes:
    flags = {name: flags[..., list(rows)] for name, flags in read_outcomes(written).items()}
    every, none = np.ones(len(rows), np.bool_), np.zeros(len(rows), np.bool_)
    return AttackOutcomes(
        original=np.array(originals, np.int64),
        known=flags["known"][:, 0],
        before=flags["before"],
        after=flags["after"],
        flipped=flags["before"] != flags["after"],
        perturbed=every,
        judged=none,
        valid=none,
        status={},
    )


def _resampled(
    runs: Sequence[ModelRun], outcomes: Sequence[Mapping[str, AttackOutcomes]], records: int, seed: int
) -> list[JudgedRun]:
    """The runs with their rates in the same resamples of the shared originals."""
    together = [worst_cells(own, records) for own in outcomes]
    named = [
        (number, (attack, "asr"), cells_of(of_attack, records)["asr"])
        for number, own in enumerate(outcomes)
        for attack, of_attack in own.items()
    ]
    named += [(number, ("", name), cells) for number, own in enumerate(together) for name, cells in own.items()]
    drawn = bootstrap([cells for _, _, cells in named], seed)
    return [
        JudgedRun(
            run,
            outcomes[number],
            together[number],
            {key: values for (of, key, _), values in zip(named, drawn, strict=True) if of == number},
        )
        for number, run in enumerate(runs)
    ]


def _entry(judged: JudgedRun, records: int) -> dict[str, Any]:
    attacks: dict[str, Any] = {}
    for attack, one in judged.outcomes.items():
        known = int(one.known.sum()) * one.before.shape[1]
        sides = {"before": int(one.right.sum()), "after": int((one.after & one.known[:, None, :]).sum())}
        attacks[attack] = rate_entry("asr", {"asr": cells_of(one, records)["asr"]}, judged, attack) | {
            "right": int(one.right.sum()),
            "broken": int(one.broken.sum()),
            "fixed": int(one.fixed.sum()),
            "rows": int(one.original.size),
            "metrics": {RIGHT: {side: percent(count / known if known else None) for side, count in sides.items()}},
        }
    rates = [entry["asr"] for entry in attacks.values()]
    before = [entry["metrics"][RIGHT]["before"] for entry in attacks.values()]
    return {
        "model": judged.run.model,
        "signature": judged.run.signature,
        "shots": judged.run.shots,
        "episodes": judged.run.episodes,
        "metrics": {RIGHT: {"value": _originals_right(judged) if None not in before else None}},
        **together_entries(judged),
        "asr_mean": None if None in rates else round(fmean(rates), DIGITS),
        "attacks": attacks,
    }


def _originals_right(judged: JudgedRun) -> float | None:
    """The percentage of right decisions on the originals, each counted once."""
    right: dict[tuple[int, int, int], bool] = {}
    for one in judged.outcomes.values():
        for row, original in enumerate(one.original.tolist()):
            for label, episode in np.ndindex(*one.before.shape[:2]):
                if one.known[label, row]:
                    right[label, episode, original] = bool(one.before[label, episode, row])
    return percent(sum(right.values()) / len(right) if right else None)


def _described(
    name: str, values: Mapping[str, Any], shared: Mapping[str, Sequence[tuple[str, Sequence[int]]]]
) -> dict[str, Any]:
    return {
        "name": name,
        "data": values.get("data"),
        "date": values.get("date"),
        "signature": values["signature"],
        "rows": sum(len(keys) for keys in values["rows"].values()),
        "shared": sum(len(own) for own in shared.values()),
        "attacks_left_out": [attack for attack in values["rows"] if attack not in shared],
    }
