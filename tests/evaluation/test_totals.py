"""Means over tasks: the totals of benchmarks, and the averages that TAPE prints in its Tables 3 and 4."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from augment_ru import AugmentError, evaluate
from augment_ru.cli.main import cli
from augment_ru.evaluation.report import SavedReport, read_report, saved_report
from augment_ru.evaluation.totals import total_tables, totals
from commands import write
from evaluations import reader, table
from profiles import IS_FULL

RUGPT_SMALL = {
    "winograd": ("macro_f1", 38.6, "accuracy", 57.9),
    "ru_worldtree": ("macro_f1", 34.1, "accuracy", 34.0),
    "ru_openbook": ("macro_f1", 33.9, "accuracy", 34.0),
    "multiq": ("f1", 0.17, "exact_match", 0.0),
    "chegeka": ("f1", 1.0, "exact_match", 0.0),
    "sit_ethics": ("macro_f1", 34.1, "accuracy", 55.5),
    "per_ethics": ("macro_f1", 48.5, "accuracy", 60.9),
}
"""The first line of TAPE's Table 3: ruGPT3 small, zero-shot; its averages are 27.24 and 34.64."""
RATES = {
    "butterfingers": 53.0, "emojify": 37.3, "eda_swap": 33.6, "eda_delete": 37.9,
    "back_translation": 22.3, "add_sent": 18.5,
}  # fmt: skip
"""The first line of its Table 4; the average is 33.77."""


def report(task: str, model: str, metrics: dict[str, float], rates: dict[str, float]) -> SavedReport:
    """A report, as far as totals read it."""
    values = {
        "format": "augment-ru evaluation",
        "task": task,
        "metrics": list(metrics),
        "attacks": list(rates),
        "models": [
            {
                "model": model,
                "shots": 0,
                "metrics": {name: {"value": value} for name, value in metrics.items()},
                "attacks": {name: {"asr": rate} for name, rate in rates.items()},
            }
        ],
    }
    return saved_report(values, task)


def test_a_second_normal_form_does_not_count() -> None:
    """MERA scores written answers in SQuAD's form; the form for Russian is shown beside it."""
    metrics = {"f1": 50.0, "exact_match": 30.0, "f1_russian": 90.0, "exact_match_russian": 80.0}
    assert [one.total for one in totals([report("mera_chegeka", "m", metrics, {})])] == [40.0]


def test_the_averages_are_those_that_the_paper_prints() -> None:
    reports = [
        report(task, "ruGPT3S", {first: one, second: other}, RATES)
        for task, (first, one, second, other) in RUGPT_SMALL.items()
    ]
    (found,) = totals(reports)
    assert found.f1 == pytest.approx(27.24, abs=0.05)  # the paper's sums are of unrounded numbers
    assert found.accuracy == pytest.approx(34.64, abs=0.05)
    assert found.asr == pytest.approx(33.77, abs=0.005)
    assert found.attacks == RATES


def test_a_task_with_several_metrics_counts_once_and_a_diagnostic_one_not_at_all() -> None:
    reports = [
        report("mera_rcb", "m", {"accuracy": 40.0, "macro_f1": 20.0}, {}),
        report("mera_mathlogicqa", "m", {"accuracy": 50.0}, {}),
        report("mera_ruethics", "m", {"mcc": -90.0}, {}),
    ]
    (found,) = totals(reports)
    assert found.tasks == [30.0, 50.0, -90.0]
    assert found.total == 40.0
    (table,) = total_tables(reports, ["rcb", "math", "ethics"])
    assert table.columns[2:6] == ["rcb", "math", "ethics *", "total"]
    assert table.rows[0][5] == "40.00"


RUBERT = {
    "lidirus": (18.6,), "rcb": (43.2, 46.8), "parus": (61.0,), "muserc": (65.6, 25.6), "terra": (63.9,),
    "russe": (89.4,), "rwsd": (67.5,), "danetqa": (74.9,), "rucos": (25.5, 25.1),
}  # fmt: skip
"""Table 2 of Russian SuperGLUE: RuBERT; the average is 0.546."""


MISTRAL = {
    "mathlogicqa": (34.4,), "multiq": (6.7, 12.4), "parus": (51.8,), "rcb": (37.2, 34.4), "rumodar": (51.6,),
    "rumultiar": (19.5,), "ruopenbookqa": (73.5, 73.2), "rutie": (50.2,), "ruworldtree": (81.0, 81.1), "rwsd": (51.2,),
    "simplear": (95.0,), "bps": (39.2,), "chegeka": (0.0, 3.8), "lcs": (9.8,), "ruhumaneval": (1.2, 5.8, 11.6),
    "rummlu": (67.6,), "use": (2.2,),
}  # fmt: skip
"""The line of Mistral in MERA's Tables 4 and 5; its total is 40.0."""


def test_the_total_of_mera_is_that_of_its_table() -> None:
    """The diagnostic tasks of its Table 6 are in no mean, and neither is an attack that they alone take."""
    reports = [
        report(f"mera_{name}", "Mistral", {str(at): one for at, one in enumerate(own)}, {"a": 10.0})
        for name, own in MISTRAL.items()
    ]
    reports += [report(f"mera_{name}", "Mistral", {"x": 100.0}, {"b": 90.0}) for name in ("ruhhh", "ruethics")]
    (found,) = totals(reports)
    assert found.total == pytest.approx(40.0, abs=0.05)
    assert (found.attacks, found.asr) == ({"a": 10.0}, 10.0)


def test_the_total_of_russian_superglue_is_that_of_its_table() -> None:
    reports = [
        report(task, "RuBERT", {f"metric {number}": value for number, value in enumerate(values)}, {})
        for task, values in RUBERT.items()
    ]
    (found,) = totals(reports)
    assert found.total == pytest.approx(54.6, abs=0.05)


def test_a_model_that_a_report_lacks_has_no_total() -> None:
    reports = [report("rcb", "a", {"accuracy": 40.0}, {"x": 1.0}), report("terra", "b", {"accuracy": 60.0}, {"x": 3.0})]
    found = totals(reports)
    assert [(one.model, one.total, one.asr) for one in found] == [("a", None, None), ("b", None, None)]


def test_an_attack_that_one_task_does_not_take_is_averaged_over_the_others() -> None:
    reports = [
        report("winograd", "m", {"accuracy": 1.0}, {"eda_swap": 10.0}),
        report("ru_worldtree", "m", {"accuracy": 1.0}, {"eda_swap": 20.0, "back_translation": 6.0}),
    ]
    (found,) = totals(reports)
    assert found.attacks == {"eda_swap": 15.0, "back_translation": 6.0}
    assert found.asr == 10.5


def test_the_command_reads_what_evaluate_wrote(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    paths = []
    for number, thing in enumerate(("фильм", "роман")):
        rows = [{"text": f"Отличный {thing}.", "label": "good"}, {"text": f"Плохой {thing}.", "label": "bad"}]
        found = evaluate(rows, {"constant": lambda examples: ["good"] * len(examples)}).report()
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(json.dumps(found), encoding="utf-8")
    done = CliRunner().invoke(cli, ["totals", *map(str, paths), "--format", "json"], standalone_mode=False)
    (entry,) = json.loads(done.output)
    score = sum(one.value or 0.0 for one in read_report(paths[0]).models[0].metrics.values()) / 2
    assert entry["total"] == pytest.approx(score)
    assert entry["accuracy"] == 50.0
    with pytest.raises(AugmentError, match="two reports of the same task and rows"):
        totals([read_report(paths[0]), read_report(paths[0])])


@pytest.mark.parametrize("content", ["{}", "[", '{"format": "other"}'])
def test_another_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(AugmentError, match="give"):
        read_report(path)


def changed(value: Any) -> Iterator[Any]:  # noqa: ANN401
    """A JSON value with one value in it replaced in four ways or left out, for each value in it."""
    if isinstance(value, dict | list):
        for key, inner in [*(value.items() if isinstance(value, dict) else enumerate(value))]:
            for other in (None, {}, [[1]], -1, *changed(inner)):
                made: Any = value.copy()
                made[key] = other
                yield made
            left = value.copy()
            del left[key]
            yield left


@pytest.mark.parametrize("command", ["totals", "compare"])
def test_a_report_with_other_values_is_no_traceback(command: str, tmp_path: Path) -> None:
    every = 4 if IS_FULL else 124  # no multiple of five: the places have each of the five changes in turn
    write(tmp_path / "rows.jsonl", *table("+-", "++"))
    found = evaluate(str(tmp_path / "rows.jsonl"), {"m": reader}).report()
    (tmp_path / "whole.json").write_text(json.dumps(found), encoding="utf-8")
    for number, made in enumerate(islice(changed(found), 0, None, every)):
        path = tmp_path / "made.json"
        path.write_text(json.dumps(made), encoding="utf-8")
        done = CliRunner().invoke(cli, [command, str(path), *([str(tmp_path / "whole.json")] * (command == "compare"))])
        assert isinstance(done.exception, SystemExit | None), (number, done.exception)
    for content in ("[" * 10**5, "\x00", ""):
        (tmp_path / "made.json").write_text(content, encoding="utf-8")
        assert isinstance(CliRunner().invoke(cli, [command, str(tmp_path / "made.json")]).exception, SystemExit)
