"""The worst case, the drop rate and the consistency, recounted by code of its own; the headline and its marks."""

import itertools
import json
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augment_ru import Example, evaluate
from augment_ru.evaluation.evaluation import Evaluation
from augment_ru.evaluation.rates import newcombe, wilson
from augment_ru.evaluation.table_text import FORMATS, INTERVAL, as_text
from augment_ru.evaluation.tables import TABLES, rates, tables_of
from evaluations import reader, table
from profiles import examples

OUTCOMES = st.lists(st.sampled_from(["++", "+-", "-+", "--", "++.", "+-", "-+"]), min_size=2, max_size=9)


def always(label: str | None) -> Any:  # noqa: ANN401  (a model)
    return lambda examples: [label] * len(examples)


@given(OUTCOMES, OUTCOMES)
def test_anyone_can_recount_them_from_the_predictions(first: list[str], second: list[str]) -> None:
    """Two attacks on records of which some are in both; `wrong` words differ, so that predictions can agree."""
    second = [one[0] + other[1:] for one, other in zip(first, second, strict=False)]
    done = evaluate([*table(*first), *table(*second, attack="b")], {"reader": reader})
    model = done.report()["models"][0]
    versions: dict[Any, list[tuple[str, bool]]] = defaultdict(list)
    for one in done.predictions():
        if not versions[one["id"]]:
            versions[one["id"]].append((one["original_prediction"], one["original_prediction"] == one["gold"]))
        versions[one["id"]].append((one["prediction"], one["prediction"] == one["gold"]))
    worst = [all(right for _, right in own) for own in versions.values()]
    assert model["worst_case"]["value"] == pytest.approx(100 * sum(worst) / len(worst), abs=1e-3)
    right = [own for own in versions.values() if own[0][1]]
    if right:
        broken = sum(not all(after for _, after in own) for own in right)
        assert model["worst_case_asr"]["value"] == pytest.approx(100 * broken / len(right), abs=1e-3)
    shares = []
    for own in versions.values():
        pairs = list(itertools.combinations([said for said, _ in own], 2))
        shares.append(sum(a == b for a, b in pairs) / len(pairs))
    assert model["consistency"]["value"] == pytest.approx(100 * sum(shares) / len(shares), abs=1e-3)
    for name in ("a", "b"):
        said_of = [one for one in done.predictions() if one["attack"] == name]
        before = sum(one["original_prediction"] == one["gold"] for one in said_of)
        after = sum(one["prediction"] == one["gold"] for one in said_of)
        drop = model["attacks"][name]["performance_drop_rate"]
        assert drop["value"] == (pytest.approx(100 * (1 - after / before), abs=1e-3) if before else None)


@given(OUTCOMES, OUTCOMES)
@settings(max_examples=examples(100, quick=6))
def test_no_interval_has_no_width(first: list[str], second: list[str]) -> None:
    second = [one[0] + other[1:] for one, other in zip(first, second, strict=False)]
    rows = [*table(*first), *table(*second, attack="b")]
    report = evaluate(rows, {"reader": reader, "yes": always("yes")}).report()

    def intervals(value: Any) -> Any:  # noqa: ANN401  (JSON)
        if isinstance(value, dict):
            if value.get("ci95") is not None:
                yield value["ci95"]
            for one in value.values():
                yield from intervals(one)
        elif isinstance(value, list):
            for one in value:
                yield from intervals(one)

    found = list(intervals(report))
    assert found
    assert all(low < high for low, high in found)


def test_newcombe_s_interval_is_that_of_his_table() -> None:
    """Newcombe 1998, Table II, method 10: 56/70 and 48/80; 0/10 and 0/20."""
    low, high = newcombe((56 / 70, 70), (48 / 80, 80)) or (0, 0)
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)
    low, high = newcombe((0.0, 10), (0.0, 20)) or (0, 0)
    assert (round(low, 4), round(high, 4)) == (-0.1611, 0.2775)
    assert (wilson(0, 10) or (0, 0))[1] == pytest.approx(0.2775, abs=1e-4)


# the headline


def mixed() -> Evaluation:
    """Careful and cautious have all 40 originals right, cautious loses 8; a constant has 32 right and loses none."""
    rows = table(*["+-", "++", "++", "++", "-+"] * 8)
    for number, one in enumerate(rows):
        one["label"] = "yes" if number % 5 < 4 else "no"
        one["text"] = f"{one['text']} {number}"
        one["augment"]["edits"]["text"][0][2] = one["text"]

    def cautious(examples: Sequence[Example]) -> list[str]:
        said = zip(examples, careful(examples), strict=True)
        return ["no" if " a " in one.text and int(one.text.split()[0]) % 5 == 1 else was for one, was in said]

    def careful(examples: Sequence[Example]) -> list[str]:
        return ["no" if int(one.text.split()[0]) % 5 == 4 else "yes" for one in examples]

    return evaluate(rows, {"careful": careful, "cautious": cautious, "constant": always("yes")})


def test_a_constant_wins_nothing_and_the_metric_stands_first() -> None:
    report = mixed().report()
    assert report["majority"] == {"accuracy": 80.0, "macro_f1": pytest.approx(44.4444)}
    assert [one["attacks"]["a"]["asr"] for one in report["models"]] == [0.0, 20.0, 0.0]
    assert [one["best"] for one in report["models"]] == [["a", "asr_mean"], [], []], "the constant does not compete"
    assert [one["beats_majority"] for one in report["models"]] == [True, True, False]
    found = rates(mixed().counted())
    assert list(found.columns)[:5] == ["model", "shots", "accuracy, original", "a: accuracy", "a: ASR"]
    assert list(found.rows[1])[2:5] == ["100.00", "80.00", "20.00"]


def test_a_tie_has_no_winner_and_neither_has_a_model_alone() -> None:
    rows = [*table(*["+-", "++"] * 10), *(one | {"label": "no"} for one in table(*["--"] * 20, start=20))]
    for models in ({"one": reader, "other": reader}, {"one": reader, "constant": always("yes")}):
        assert [one.best for one in evaluate(rows, models).counted().models] == [[], []]


def test_tables_are_written_in_every_format() -> None:
    done = mixed()
    table_ = rates(done.counted())
    lines = as_text(table_, "markdown").splitlines()
    assert lines[0].startswith("| model | shots | accuracy, original | a: accuracy | a: ASR |")
    assert "| **0.00** |" in lines[2]
    assert as_text(table_, "csv").splitlines()[1].startswith("careful,")
    latex = as_text(table_, "latex")
    assert latex.startswith(r"\begin{tabular}{llrr")
    assert r"\textbf{0.00}" in latex
    assert all(as_text(one, form) for one in tables_of(done.counted()) for form in FORMATS)
    assert "Counts" in done.to_markdown()


def test_a_table_has_its_key_a_title_and_a_cell_for_each_column() -> None:
    """The first columns hold names, the others numbers; where there is no number, there is a dash."""
    reports = mixed().counted(), evaluate(table("+-", "++."), {"reader": reader}).counted()
    for (key, of), report in itertools.product(TABLES.items(), reports):
        made = of(report)
        assert made.key == key
        assert isinstance(made.title, str)
        assert made.title[0].isupper()
        names = [column.strip() for column in made.columns if column != INTERVAL]
        assert all(names)
        assert len({*names}) == len(names) >= made.named >= 1
        assert all(len(row) == len(made.columns) for row in made.rows)
        cells = [cell for row in made.rows for cell in row[made.named :]]
        assert not [cell for cell in cells if not cell or re.search(r"[^\W\d_]", cell.replace(" to ", ""))]
        assert all(row < len(made.rows) and made.named <= column < len(made.columns) for row, column in made.best)


def test_probabilities_are_shown_with_four_digits_unless_they_are_smaller() -> None:
    report = mixed().counted()
    made = TABLES["models"](report)
    at = list(made.columns).index("p (McNemar)")
    found = [one.mcnemar.p for one in report.comparisons if one.mcnemar is not None]
    assert len({*found}) > 1
    assert [row[at] for row in made.rows] == ["< 0.0001" if p < 0.0001 else f"{p:.4f}" for p in found]


def test_the_numbers_are_a_frame() -> None:
    pytest.importorskip("pandas")
    frame = mixed().to_frame()
    assert list(frame["model"]) == ["careful", "cautious", "constant"]
    assert list(frame["asr"]) == [0.0, 20.0, 0.0]
    assert list(frame["accuracy_before"]) == [100.0, 100.0, 80.0]


# rows without attacks


def test_rows_without_attacks_give_the_metrics_alone() -> None:
    rows = [{"id": n, "text": f"{n} {word}", "label": "yes"} for n, word in enumerate(["yes", "no", "yes"])]
    done = evaluate(rows, {"reader": reader}, title="Отзывы")
    report = done.report()
    assert (report["attacks"], report["title"], report["comparisons"]) == ([], "Отзывы", [])
    assert report["models"][0]["metrics"]["accuracy"]["value"] == pytest.approx(66.6667)
    assert report["models"][0]["attacks"] == {}
    assert "| reader |" in done.to_markdown()
    assert list(done.predictions()) == [
        {
            "model": "reader", "shots": 0, "episode": 0, "attack": None, "id": n, "gold": "yes",
            "original_prediction": said, "prediction": None, "status": None, "outcome": None,
        }
        for n, said in enumerate(["yes", "no", "yes"])
    ]  # fmt: skip
    json.dumps(report, allow_nan=False)
    assert [one.key for one in tables_of(done.counted())] == ["metrics"]


def test_rows_without_attacks_and_without_answers_are_counted_on_the_terminal() -> None:
    rows = [{"id": n, "text": f"{n} {word}", "label": "yes"} for n, word in enumerate(["yes", "no", "yes"])]
    done = evaluate(rows, {"reader": reader, "silent": always(None)})
    (_, unread) = tables_of(done.counted())
    assert unread.title == "Replies without an answer"
    assert [list(row[:6]) for row in unread.rows] == [["silent", "0", "(original)", "3", "0", "3"]]
    assert len(tables_of(done.counted(), ("rates",))) == 1
