"""Several reports side by side, counted over the rows that all of them share."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from augment_ru.errors import AugmentError
from augment_ru.evaluation.compare_originals import with_originals_as_rows, without_rates
from augment_ru.evaluation.comparisons import comparisons
from augment_ru.evaluation.intervals import bootstrap
from augment_ru.evaluation.named_model import QuestionCounts
from augment_ru.evaluation.named_reports import NamedReport, check_report, damage_named, names_apart, nothing_shared
from augment_ru.evaluation.outcomes import AttackOutcomes
from augment_ru.evaluation.protocol import ModelRun
from augment_ru.evaluation.rates import JudgedRun, cells_of, mean_asr, percent, rate_entry, together_entries
from augment_ru.evaluation.right_answers import RIGHT, right_cells, right_differences, right_entry
from augment_ru.evaluation.robustness import worst_cells
from augment_ru.evaluation.row_outcomes import read_outcomes
from augment_ru.evaluation.shared_rows import shared_rows
from augment_ru.evaluation.shown_names import shown_names
from augment_ru.evaluation.tables import beats_majority
from augment_ru.version import __version__

FORMAT = "augment-ru comparison"
VERSION = 1


def compare(
    reports: Sequence[NamedReport], *, seed: int = 42, title: str | None = None, date: str | None = None
) -> dict[str, Any]:
    """Compare the models of several reports under the attacks, and over the rows, that all reports share.

    Rows are shared if their texts, those of their originals and the right answers are the same. The keys of the result
    are explained in docs/evaluation.md.

    Args:
        reports: the reports; to a name that occurs twice its file is added, or else a number.
        seed: the seed of the bootstrap.
        title: the title of the comparison.
        date: the date that it states.

    Raises:
        AugmentError: there are fewer than two reports, one is none, or they share no rows.
    """
    if len(reports) < 2:  # noqa: PLR2004
        raise AugmentError("one report alone has nothing to be compared with; give two or more")
    for report in reports:
        check_report(report)
    if are_clean := all(not report.values["attacks"] for report in reports):
        reports = [with_originals_as_rows(one) for one in reports]
    names = names_apart(reports)
    shared = shared_rows([report.values["rows"] for report in reports])
    if not shared:
        raise nothing_shared(reports)
    judged, models = _judged(names, reports, shared, seed)
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
        "comparisons": list(right_differences(judged, records)) if are_clean else comparisons(judged, records),
    }
    return without_rates(found) if are_clean else found


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
            with damage_named(report):
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
    named += [(number, ("", RIGHT), right_cells(own, records)) for number, own in enumerate(outcomes)]
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
    return {
        "model": judged.run.model,
        "signature": judged.run.signature,
        "shots": judged.run.shots,
        "episodes": judged.run.episodes,
        "metrics": {RIGHT: right_entry(judged, records)},
        **together_entries(judged),
        "asr_mean": mean_asr(attacks),
        "attacks": attacks,
    }


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
