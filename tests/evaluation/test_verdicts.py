"""Human verdicts: the sample, the two formats there and back, the agreement, and the rates over valid rows."""

import copy
import csv
import itertools
import json
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from augment_ru import AugmentError, EvaluationSettings, evaluate
from augment_ru.evaluation import verdicts
from augment_ru.evaluation.examples import example_of
from augment_ru.evaluation.loading import loaded
from augment_ru.evaluation.pairs import Pairs
from augment_ru.jobs.verdicts import export_sample, import_answers
from augment_ru.records.task import task
from benchmark_rows import benchmark_rows
from evaluations import reader, table

ROWS = [*table(*["+-", "++", "++", "-+"] * 10), *table(*["++", "+-", "++!", "--"] * 10, attack="b")]


def pairs() -> Pairs:
    return loaded(ROWS, EvaluationSettings()).pairs


def export(source: str, output: Path, predictions: str | None) -> None:
    rows = {"originals": None, "task": None, "fields": (), "input_format": None, "encoding": None}
    export_sample(source, output, {**rows, "predictions": predictions, "size": 20, "seed": 42})


def write(path: Path, rows: Sequence[object]) -> Path:
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


def test_the_sample_has_every_attack_and_every_outcome_in_its_proportion() -> None:
    found = pairs()
    outcome_of = {("a", at): ["broken", "kept", "kept", "fixed"][at % 4] for at in range(40)}
    sample = verdicts.sampled(found, 24, 42, outcome_of)
    assert Counter(attack for attack, _ in sample) == {"a": 12, "b": 12}
    assert all(pair.status == "perturbed" for _, pair in sample), "nothing to judge in a rejected row"
    numbers = [found.attacks["a"].index(pair) for attack, pair in sample if attack == "a"]
    assert Counter(outcome_of["a", at] for at in numbers) == {"broken": 3, "kept": 6, "fixed": 3}
    assert sample == verdicts.sampled(found, 24, 42, outcome_of)
    assert sample != verdicts.sampled(found, 24, 43, outcome_of)
    assert len(verdicts.sampled(found, 10_000, 1)) == 70, "no more than there are"


def test_annotators_see_texts_and_the_right_answer_and_no_attack(tmp_path: Path) -> None:
    source = write(tmp_path / "rows.jsonl", ROWS)
    export(str(source), tmp_path / "tasks.json", None)
    tasks = [one["data"] for one in json.loads((tmp_path / "tasks.json").read_text(encoding="utf-8"))]
    assert len(tasks) == 20
    assert tasks[0].keys() == {"id", "original", "perturbed", "answer", "question"}
    assert {one["answer"] for one in tasks} == {"yes"}
    assert "изменённый" in tasks[0]["question"]
    assert 'value="$perturbed"' in (tmp_path / "tasks.xml").read_text(encoding="utf-8")
    export(str(source), tmp_path / "tasks.tsv", None)
    with (tmp_path / "tasks.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, dialect="excel-tab"))
    assert [row["INPUT:id"] for row in rows] == [one["id"] for one in tasks]
    with pytest.raises(AugmentError, match=r"must end in \.json"):
        export(str(source), tmp_path / "tasks.xlsx", None)


def test_a_report_stands_for_its_rows_and_their_outcomes(tmp_path: Path) -> None:
    """The sample is the one that the predictions of the same run give."""
    source = write(tmp_path / "rows.jsonl", ROWS)
    done = evaluate(source, {"reader": reader})
    report = tmp_path / "report.json"
    report.write_text(json.dumps(done.report()), encoding="utf-8")
    predictions = write(tmp_path / "predictions.jsonl", list(done.predictions()))
    files = [tmp_path / name for name in ("a.json", "b.json", "c.json")]
    export(str(report), files[0], None)
    export(str(source), files[1], str(predictions))
    export(str(source), files[2], None)
    given_report, given_predictions, alone = (file.read_bytes() for file in files)
    assert given_report == given_predictions != alone
    with pytest.raises(AugmentError, match=r"predictions\.jsonl: are not of these rows"):
        export(str(source), files[2], str(write(predictions, [])))
    write(source, ROWS[:40])
    with pytest.raises(AugmentError, match=r"report\.json: its rows were changed since"):
        export(str(report), files[0], None)
    source.unlink()
    with pytest.raises(AugmentError, match=r"report\.json: its rows, rows\.jsonl, are not beside it"):
        export(str(report), files[0], None)


def alpha(votes: Sequence[verdicts.Vote]) -> float:
    """Krippendorff's α for nominal data, from its definition: 1 - observed / expected disagreement."""
    units: dict[str, list[str]] = defaultdict(list)
    for vote in votes:
        units[vote.id].append(vote.verdict)
    units = {name: own for name, own in units.items() if len(own) > 1}
    values = list(itertools.chain(*units.values()))
    observed = sum(
        sum(a != b for a, b in itertools.permutations(own, 2)) / (len(own) - 1) for own in units.values()
    ) / len(values)
    expected = sum(a != b for a, b in itertools.permutations(values, 2)) / (len(values) * (len(values) - 1))
    return 1 - observed / expected


@given(
    st.lists(st.lists(st.sampled_from(["valid", "invalid", "unclear"]), min_size=1, max_size=4), min_size=2, max_size=8)
)
def test_alpha_is_krippendorff_s(answers: list[list[str]]) -> None:
    votes = [verdicts.Vote(str(row), str(who), said) for row, own in enumerate(answers) for who, said in enumerate(own)]
    repeated = {said for own in answers if len(own) > 1 for said in own}
    if len(repeated) < 2:
        assert verdicts.agreement(verdicts.judged(votes)) is None
    else:
        assert verdicts.agreement(verdicts.judged(votes)) == pytest.approx(alpha(votes))


def test_alpha_is_that_of_the_package() -> None:
    package = pytest.importorskip("krippendorff")
    table = np.random.default_rng(1).integers(0, 3, (3, 40)).astype(float)
    table[np.random.default_rng(2).random(table.shape) < 0.3] = np.nan
    said = ("valid", "invalid", "unclear")
    votes = [
        verdicts.Vote(str(row), str(who), said[int(one)])
        for (who, row), one in np.ndenumerate(table)
        if not np.isnan(one)
    ]
    expected = package.alpha(reliability_data=table, level_of_measurement="nominal")
    assert verdicts.agreement(verdicts.judged(votes)) == pytest.approx(expected)


def test_answers_of_both_formats_give_the_same_verdicts(tmp_path: Path) -> None:
    said = {"x": ["да", "да", "нет"], "y": ["нет", "нет", "неясно"], "z": ["да", "нет", "неясно"]}
    exported = [
        {
            "data": {"id": name},
            "annotations": [
                {"completed_by": who, "result": [{"value": {"choices": [one]}}]} for who, one in enumerate(own)
            ],
        }
        for name, own in said.items()
    ]
    (tmp_path / "answers.json").write_text(json.dumps(exported, ensure_ascii=False), encoding="utf-8")
    lines = ["INPUT:id\tOUTPUT:verdict\tASSIGNMENT:worker_id"]
    lines += [f"{name}\t{one}\tw{who}" for name, own in said.items() for who, one in enumerate(own)]
    (tmp_path / "answers.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name in ("answers.json", "answers.tsv"):
        import_answers([tmp_path / name], tmp_path / "verdicts.jsonl")
        assert verdicts.read_verdicts(str(tmp_path / "verdicts.jsonl")) == {
            "x": "valid",
            "y": "invalid",
            "z": "unclear",
        }
    with pytest.raises(AugmentError, match="annotator w0 answers row x twice"):
        import_answers([tmp_path / "answers.tsv"] * 2, tmp_path / "verdicts.jsonl")
    (tmp_path / "tasks.json").write_text("[1]", encoding="utf-8")
    with pytest.raises(AugmentError, match=r"tasks\.json: is no export with answers"):
        verdicts.read_votes(tmp_path / "tasks.json")
    (tmp_path / "answers.tsv").write_text("\n".join([*lines, "x\tможет быть\tw9"]), encoding="utf-8")
    with pytest.raises(AugmentError, match="the answer is 'может быть'; possible: да, нет, неясно"):
        verdicts.read_votes(tmp_path / "answers.tsv")


def test_every_rate_is_counted_over_valid_rows_beside_that_over_all(tmp_path: Path) -> None:
    """Of attack a rows 0 to 11 are judged; every third is invalid. Recounted from the predictions."""
    found = pairs()
    ids = [verdicts.id_of(found, pair) for pair in found.attacks["a"][:12]]
    said = ["invalid" if at % 3 == 0 else "valid" for at in range(12)]
    path = write(tmp_path / "v.jsonl", [{"id": one, "verdict": word} for one, word in zip(ids, said, strict=True)])
    done = evaluate(ROWS, {"reader": reader}, verdicts=path)
    entries = done.report()["models"][0]["attacks"]
    own = [one for one in done.predictions() if one["attack"] == "a"][:12]
    valid = [one for one, word in zip(own, said, strict=True) if word == "valid"]
    right = [one for one in valid if one["original_prediction"] == one["gold"]]
    broken = [one for one in right if one["prediction"] != one["gold"]]
    counted = entries["a"]["valid_rows"]
    assert (counted["judged"], counted["valid"]) == (12, 8)
    assert (counted["right"], counted["broken"]) == (len(right), len(broken))
    assert counted["asr"]["value"] == pytest.approx(100 * len(broken) / len(right), abs=1e-3)
    assert counted["asr_all_rows"]["value"] == pytest.approx(100 * len(broken) / len(valid), abs=1e-3)
    assert counted["asr"]["ci95"][0] < counted["asr"]["ci95"][1]
    assert entries["a"]["asr"] == pytest.approx(100 * 10 / 30, abs=1e-3), "the rate over all stays"
    assert "valid_rows" not in entries["b"]
    write(path, [{"id": "other", "verdict": "valid"}])
    with pytest.raises(AugmentError, match="none is of a row that is evaluated"):
        evaluate(ROWS, {"reader": reader}, verdicts=path)


def test_nothing_is_written_over_what_is_read(tmp_path: Path) -> None:
    answers = tmp_path / "answers.tsv"
    answers.write_text("INPUT:id\tOUTPUT:verdict\tASSIGNMENT:worker_id\n1\tда\tw1\n", encoding="utf-8")
    link = tmp_path / "link.tsv"
    link.symlink_to(answers)
    for place in (answers, link):
        with pytest.raises(AugmentError, match="is read by this run"):
            import_answers([answers], place)
    rows = write(tmp_path / "rows.jsonl", ROWS)
    report = tmp_path / "report.json"
    report.write_text(json.dumps(evaluate(str(rows), {"m": reader}).report()), encoding="utf-8")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(AugmentError, match=r"`output` .*report\.json: is read by this run"):
        export(str(report), report, None)
    page = write(tmp_path / "page.xml", ROWS)
    with pytest.raises(AugmentError, match=r"beside `output`: .*page\.xml: is read by this run"):
        export(str(rows), tmp_path / "page.json", str(page))
    assert {path: path.read_bytes() for path in before} == before
    assert not (tmp_path / "page.json").exists()


@pytest.mark.filterwarnings("ignore")  # of crowd-kit about pandas
def test_dawid_and_skene_weigh_annotators_by_their_errors() -> None:
    """Three who toss a coin outvote at times two who are right; their errors over all rows give them away."""
    pytest.importorskip("crowdkit")
    votes = []
    for at in range(60):
        right = verdicts.VALID if at % 2 else verdicts.INVALID
        wrong = verdicts.INVALID if at % 2 else verdicts.VALID
        votes += [verdicts.Vote(f"r{at}", "a", right), verdicts.Vote(f"r{at}", "b", right)]
        votes += [
            verdicts.Vote(f"r{at}", f"tosser {n}", wrong if random.Random(f"{at} {n}").random() < 0.5 else right)
            for n in range(3)
        ]
    rows = list(verdicts.judged(votes))
    found = verdicts.by_dawid_skene(rows, votes)
    expected = [verdicts.VALID if at % 2 else verdicts.INVALID for at in range(60)]
    assert [row["majority"] for row in found] == [row["verdict"] for row in rows]
    assert sum(row["verdict"] == own for row, own in zip(rows, expected, strict=True)) < 60
    assert [row["verdict"] for row in found] == expected


def test_people_are_a_model_whose_answers_are_joined(tmp_path: Path) -> None:
    """Two who are right and three who toss a coin: the majority errs, Dawid and Skene do not."""
    pytest.importorskip("crowdkit")
    rows = [{"id": at, "text": f"Кот номер {at}.", "label": "да" if at % 2 else "нет"} for at in range(60)]
    lines = []
    for row in rows:
        tossed = {f"t{n}": random.Random(f"{row['id']} {n}").choice(["да", "нет"]) for n in range(3)}
        lines.append({"text": row["text"], "answers": {"a": row["label"], "b": row["label"], **tossed}})
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), encoding="utf-8")
    found = {}
    for how in ("majority", "dawid-skene"):
        report = evaluate(rows, [f"people:{path}"], options={"people": {"aggregate": how}}).report()
        found[how] = report["models"][0]["metrics"]["accuracy"]["value"]
    assert found["dawid-skene"] == 100.0 > found["majority"] > 80.0
    with pytest.raises(AugmentError, match="has no answer to 'Иной текст'"):
        evaluate([{**rows[0], "text": "Иной текст"}], [f"people:{path}"])


@pytest.mark.parametrize("name", ["sit_ethics", "muserc"])
def test_each_label_of_an_answer_of_people_is_joined_by_itself(name: str, tmp_path: Path) -> None:
    """Each of three annotators errs in a label of their own, so no whole answer is right, but each majority is."""
    rows, known = benchmark_rows(name, "раз"), task(name)
    lines = list[Any]()
    for row in rows:
        if name == "muserc":
            right: Any = [one["label"] for asked in row["passage"]["questions"] for one in asked["answers"]]
        else:
            right = {key: row[key] for key in known.scoring.gold}
        said = dict[str, Any]()
        for at, key in enumerate(range(3) if name == "muserc" else list(right)[:3]):
            said[f"a{at}"] = copy.copy(right)
            said[f"a{at}"][key] = 1 - right[key]
        lines.append({"text": example_of(row, known).text, "answers": said})
    path = write(tmp_path / "answers.jsonl", lines)
    report = evaluate(rows, [f"people:{path}"], task=name).report()
    metrics = report["models"][0]["metrics"]
    assert {metrics[key]["value"] for key in ("accuracy", "muserc_em", "muserc_f1a") if key in metrics} == {100.0}
    lines[0]["answers"]["a0"] = "нет"
    path = write(tmp_path / "answers.jsonl", lines)
    with pytest.raises(AugmentError, match=r"line 1: annotators must answer the same parts"):
        evaluate(rows, [f"people:{path}"], task=name)
