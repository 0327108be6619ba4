"""Reports side by side: as one evaluation of all their models would count, over the rows that they share."""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from augment_ru import AugmentError, Example, evaluate
from augment_ru.evaluation.compare import (
    NamedReport,
    compare,
    compared_findings,
    compared_page,
    compared_tables,
    named_report,
)
from augment_ru.evaluation.report import as_json, saved_report
from commands import fails, run, write
from evaluations import reader, table
from profiles import examples

OUTCOMES = st.lists(st.sampled_from(["++", "+-", "-+", "--", "++.", "+-!"]), min_size=1, max_size=12)


def sure(examples: Sequence[Example]) -> list[str]:
    """Always says yes."""
    return ["yes"] * len(examples)


def reports(*evaluations: Any) -> list[NamedReport]:  # noqa: ANN401
    """The reports of evaluations as they are read from files."""
    return [named(f"r{at}", one.report()) for at, one in enumerate(evaluations)]


def named(name: str, values: object) -> NamedReport:
    """A report in JSON values under a name."""
    return NamedReport(name, saved_report(json.loads(json.dumps(values)), name))


def compared(*evaluations: Any) -> Any:  # noqa: ANN401
    """A comparison of the reports of evaluations, as JSON values."""
    return as_json(compare(reports(*evaluations)))


@given(OUTCOMES, OUTCOMES)
@settings(max_examples=examples(25, quick=6))
def test_of_equal_rows_it_counts_what_one_evaluation_counts(first: list[str], second: list[str]) -> None:
    rows = [*table(*first), *table(*second, attack="b")]
    together = evaluate(rows, {"m": reader, "yes": sure}).report()
    found = compared(evaluate(rows, {"m": reader}), evaluate(rows, {"yes": sure}))
    assert found["comparisons"] == together["comparisons"]
    assert found["originals"] == together["originals"]
    for one, other in zip(found["models"], together["models"], strict=True):
        assert one["model"] == other["model"]
        for key in ("asr_mean", "worst_case", "worst_case_asr"):
            assert one[key] == other[key]
        assert one["metrics"]["accuracy"]["value"] == pytest.approx(other["metrics"]["accuracy"]["value"], abs=1e-4)
        for attack, entry in one["attacks"].items():
            theirs = other["attacks"][attack]
            for key in ("asr", "ci95", "interval_method", "right", "broken", "fixed", "rows"):
                assert entry[key] == theirs[key], key
            for side in ("before", "after"):
                own, same = entry["metrics"]["accuracy"], theirs["metrics"]["accuracy"]
                assert own[side] == pytest.approx(same[side], abs=1e-4)


@given(st.permutations(range(8)), st.sets(st.integers(0, 7), min_size=1))
@settings(max_examples=examples(20, quick=6))
def test_only_shared_rows_count_in_any_order(order: list[int], kept: set[int]) -> None:
    rows = table("++", "+-", "-+", "--", "+-", "++", "+-", "++")
    other = [rows[at] for at in order if at in kept]
    found = compared(evaluate(rows, {"m": reader}), evaluate(other, {"m": reader}))
    alone = evaluate([one for one in rows if one in other], {"m": reader}).report()["models"][0]
    assert found["rows"] == {"a": len(kept)}
    assert [one["model"] for one in found["models"]] == ["m (r0)", "m (r1)"]
    for one in found["models"]:
        assert one["attacks"]["a"]["asr"] == alone["attacks"]["a"]["asr"]
        assert one["attacks"]["a"]["broken"] == alone["attacks"]["a"]["broken"]
    assert [one["difference"] for one in found["comparisons"]] in ([0.0], [None])


def test_episodes_are_counted_too(tmp_path: Path) -> None:
    rows = [*table("++", "+-", "+-", "++")]
    train = write(tmp_path / "train.jsonl", *({"text": f"{one} yes", "label": "yes"} for one in range(90, 99)))

    def shy(examples: Sequence[Example]) -> list[str]:
        return [
            "no" if one.shots and one.shots[0]["text"].startswith("9") and "1 " in one.text else "yes"
            for one in examples
        ]

    setting: dict[str, Any] = {"train": train, "shots": (2,), "episodes": 3}
    one, other = (evaluate(rows, {name: model}, **setting) for name, model in (("m", reader), ("shy", shy)))
    together = evaluate(rows, {"m": reader, "shy": shy}, **setting).report()
    found = compared(one, other)
    assert found["comparisons"] == together["comparisons"]
    assert [one["attacks"]["a"]["asr"] for one in found["models"]] == [
        one["attacks"]["a"]["asr"] for one in together["models"]
    ]


def test_reports_without_attacks_are_compared_by_their_right_answers() -> None:
    """Counted by hand: of the rows 2 to 11 the reader has 2 to 6 right, the other model the odd ones."""
    said = ["yes"] * 7 + ["no"] * 5
    rows = [{"id": n, "text": f"{n} {word}", "label": "yes"} for n, word in enumerate(said)]

    def even(examples: Sequence[Example]) -> list[str]:
        return ["yes" if int(one.text.split()[0]) % 2 else "no" for one in examples]

    one, other = (evaluate(own, {name: model}) for own, name, model in ((rows, "m", reader), (rows[2:], "even", even)))
    whole = compare(reports(one, other))
    found = as_json(whole)
    assert (found["attacks"], found["rows"], found["originals"]) == ([], {}, 10)
    assert [model["metrics"]["accuracy"]["value"] for model in found["models"]] == [50.0, 50.0]
    (entry,) = found["comparisons"]
    assert {key: entry["mcnemar"][key] for key in ("counted", "decisions", "a", "b", "only_a", "only_b")} == {
        "counted": "right", "decisions": 10, "a": 5, "b": 5, "only_a": 3, "only_b": 3,
    }  # fmt: skip
    assert [table.key for table in compared_tables(whole)] == ["metrics", "models", "reports"]
    assert entry["difference"] == entry["mcnemar"]["difference"] == 0
    assert compared_findings(whole) == ["No difference between two models is clear."]
    everything = [{"id": n, "text": f"{n} {word}", "label": "yes"} for n, word in enumerate(["yes"] * 30)]
    never = evaluate(everything, {"never": lambda examples: ["no"] * len(examples)})
    always = compare(reports(evaluate(everything, {"m": reader}), never))
    assert compared_findings(always) == ["m is right more often than never: by 100 points (95 %: 84 to 100)."]
    assert "if two models are right equally often" in compared_page(always)


def test_reports_without_attacks_have_intervals_with_several_episodes_too(tmp_path: Path) -> None:
    """The share of right answers and its spread, recounted from the outcomes; the difference over rows and episodes."""
    rows = [{"id": n, "text": f"{n} {'yes' if n % 3 else 'no'}", "label": "yes"} for n in range(30)]
    train = write(tmp_path / "train.jsonl", *({"text": f"{one} yes", "label": "yes"} for one in range(90, 99)))

    def shy(examples: Sequence[Example]) -> list[str]:
        return ["no" if (int(one.shots[0]["text"][:2]) + int(one.text.split()[0])) % 4 else "yes" for one in examples]

    setting: dict[str, Any] = {"train": train, "shots": (2,), "episodes": 3}
    one, other = (evaluate(rows, {name: model}, **setting) for name, model in (("m", reader), ("shy", shy)))
    whole = compare(reports(one, other))
    found = as_json(whole)
    means = []
    for entry, evaluation in zip(found["models"], (one, other), strict=True):
        (model,) = evaluation.report()["models"]
        shares = [100 * line.count("k") / len(line) for line in model["outcomes"][0]]
        right = entry["metrics"]["accuracy"]
        assert right["episodes"] == pytest.approx(shares, abs=1e-3)
        assert right["value"] == pytest.approx(fmean(shares), abs=1e-3)
        assert right["value"] == pytest.approx(
            evaluation.report()["models"][0]["metrics"]["accuracy"]["value"], abs=1e-3
        )
        assert right["std"] == pytest.approx(stdev(shares), abs=1e-3)
        assert right["interval_method"] == "effective"
        assert right["ci95"][0] < right["value"] < right["ci95"][1]
        means.append(right["value"])
    (entry,) = found["comparisons"]
    assert "mcnemar" not in entry
    assert entry["difference"] == pytest.approx(means[0] - means[1], abs=1e-3)
    assert entry["ci95"][0] < entry["difference"] < entry["ci95"][1]
    metrics, differences, _ = compared_tables(whole)
    assert metrics.columns == ["model", "shots", "accuracy", "95 %"]
    assert "±" in metrics.rows[1][2]
    assert differences.rows[0][:2] == ["m, 2-shot", "shy, 2-shot"]
    assert "–" in differences.rows[0][3] or " to " in differences.rows[0][3]


def test_an_original_that_stands_twice_counts_twice_without_attacks() -> None:
    rows = [{"id": n, "text": "5 no" if n < 3 else "6 yes", "label": "yes"} for n in range(4)]
    found = compared(evaluate(rows, {"m": reader}), evaluate(rows, {"yes": sure}))
    assert [one["metrics"]["accuracy"]["value"] for one in found["models"]] == [25.0, 100.0]


def test_errors_name_the_file_and_reports_of_one_title_are_told_apart(tmp_path: Path) -> None:
    rows = table("++", "+-")
    for name, own in (("one", rows), ("two", rows), ("bad", rows), ("far", table("++", start=10))):
        report = evaluate(own, {"m": reader}, title="Отзывы").report()
        write(tmp_path / f"{name}.json", {**report, "models": [{}]} if name == "bad" else report)
    one, two, far = (named_report(tmp_path / f"{name}.json") for name in ("one", "two", "far"))
    assert [entry.name for entry in compare([one, two]).reports] == ["Отзывы (one.json)", "Отзывы (two.json)"]
    with pytest.raises(AugmentError, match=r"^\S*bad\.json: is damaged"):
        named_report(tmp_path / "bad.json")
    with pytest.raises(AugmentError, match=r"\(\S*one\.json of rows, \S*far\.json of rows\)"):
        compare([one, far])


def test_what_cannot_be_compared_is_refused_in_one_line() -> None:
    rows = table("++", "+-")
    (one,) = reports(evaluate(rows, {"m": reader}))
    with pytest.raises(AugmentError, match="one report alone"):
        compare([one])
    (other,) = reports(evaluate(table("++", start=10), {"m": reader}))
    with pytest.raises(AugmentError, match=r"the reports share no rows \(r0 1 of rows, r0 2 of rows\)"):
        compare([one, other])
    (other,) = reports(evaluate(table("++", attack="b"), {"m": reader}))
    with pytest.raises(AugmentError, match=r"share no attack \(r0 1: a; r0 2: b\)"):
        compare([one, other])
    (other,) = reports(evaluate([{"id": 1, "text": "1 yes", "label": "yes"}], {"m": reader}))
    with pytest.raises(AugmentError, match="r0 2: no attacks, and others have some"):
        compare([one, other])
    bare = NamedReport("bare", replace(other.values, original_rows=None))
    with pytest.raises(AugmentError, match="bare: states no rows, as those of older versions"):
        compare([bare, other])
    old = NamedReport("old", replace(one.values, rows=None))
    with pytest.raises(AugmentError, match="old: states no rows, as those of older versions"):
        compare([one, old])
    later = NamedReport("later", replace(one.values, version=99))
    with pytest.raises(AugmentError, match="later: is a report of version 99; this augment-ru compares version 3"):
        compare([one, later])
    with pytest.raises(AugmentError, match="strange: is no report"):
        saved_report({"format": "x"}, "strange")
    whole = evaluate(rows, {"m": reader}).report()
    damages: list[dict[str, Any]] = [{"rows": {"a": 5}}, {"models": [{}]}, {"models": 3}]
    for damage in damages:
        with pytest.raises(AugmentError, match=r"^bad: is damaged"):
            saved_report({**whole, **damage}, "bad")
    whole["models"][0]["attacks"]["a"]["outcomes"] = [["k"]]
    with pytest.raises(AugmentError, match="bad: is damaged: the outcomes of m are not those of its rows"):
        compare([one, named("bad", whole)])


def test_rows_with_another_right_answer_are_other_rows() -> None:
    rows = table("++", "+-")
    other = [one | {"label": "no"} for one in rows]
    with pytest.raises(AugmentError, match="share no rows"):
        compared(evaluate(rows, {"m": reader}), evaluate(other, {"m": reader}))


def test_the_page_and_the_tables_hold_the_numbers() -> None:
    rows = [*table(*["+-"] * 20, *["++"] * 20, *["--"] * 10)]
    for one in rows[40:]:
        one["label"] = "no"

    def firm(examples: Sequence[Example]) -> list[str]:
        return [one.text.split()[1] if int(one.text.split()[0]) > 39 else "yes" for one in examples]

    found = compare(
        reports(evaluate(rows, {"m": reader}), evaluate(rows, {"firm": firm})), title="Два", date="2026-01-02"
    )
    assert compared_findings(found) == [
        "a breaks m more often than firm: by 40 points of the answers right in both (95 %: 26 to 54)."
    ]
    rates = compared_tables(found)[0]
    assert [list(row[:1]) for row in rates.rows] == [["m"], ["firm"]]
    html = compared_page(found)
    assert html == compared_page(found)
    (data,) = [part.split("</script>")[0] for part in html.split('<script type="application/json" id="data">')[1:]]
    read = json.loads(data)
    assert read["tables"]["rates"]["rows"] == [list(row) for row in rates.rows]
    assert read["header"] == ["2026-01-02", "2 reports", "50 shared rows"]
    assert read["sections"] == ["robustness", "rates"]


def test_the_command_reads_what_evaluate_writes(tmp_path: Path) -> None:
    rows = write(tmp_path / "rows.jsonl", *table("++", "+-", "-+", "--"))
    for name, model in (("a", "majority"), ("b", "random")):
        done = run(
            "evaluate", rows, "--model", model, "--train", rows, "-o", tmp_path / f"{name}.json", "--cache", "none"
        )
        assert done.returncode == 0, done.stderr.decode()
    one, other = tmp_path / "a.json", tmp_path / "b.json"
    done = run("compare", one, other, "-o", tmp_path / "c.json", "--html", tmp_path / "c.html", "--format", "csv")
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().splitlines()[1].startswith("majority,–,")
    assert done.stderr.decode() == f"augment-ru: wrote {tmp_path / 'c.json'}, {tmp_path / 'c.html'}\n"
    assert json.loads((tmp_path / "c.json").read_text("utf-8")) == as_json(
        compare([named_report(one), named_report(other)])
    )
    first = (tmp_path / "c.html").read_bytes()
    assert (
        run("compare", one, other, "--html", tmp_path / "c.html").stdout.decode().count("Differences between models")
        == 1
    )
    assert (tmp_path / "c.html").read_bytes() == first
    assert "is no JSON" in fails(1, "compare", one, rows)
    assert "none.json" in fails(2, "compare", one, tmp_path / "none.json")
