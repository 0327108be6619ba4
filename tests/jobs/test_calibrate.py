"""Calibration, presets, the table of a run, and fetching models."""

import json
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

import commands
from augment_ru import Augmenter
from augment_ru.attacks.add_sent.corpus import InputCorpus
from augment_ru.engine.attack import GROUPS, make
from augment_ru.engine.figures import Figures
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import Preparation
from augment_ru.engine.presets import PRESETS, paper_constraints, preset
from augment_ru.errors import AugmentError
from augment_ru.inference.pretrained import wanted
from augment_ru.jobs.calibrate import calibrated, calibration_lines, unrelated_pairs
from augment_ru.jobs.list import listing
from augment_ru.jobs.summary import attack_table, summary_lines
from augment_ru.records.record import Record
from augment_ru.records.task import generic, task
from augment_ru.registry import names
from augment_ru.similarities import bertscore
from augment_ru.similarities.bertscore import BertScore
from augment_ru.similarities.navec import Navec
from small_models import SENTENCES

BARE = Preparation(())
RECORDS = [Record({"text": text}, generic()) for text in SENTENCES]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The command line, and what it prints as texts."""
    done = commands.run(*arguments)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def test_the_threshold_passes_what_was_asked_for_and_no_more() -> None:
    attacks = [make("butterfingers"), make("eda_delete")]
    found = calibrated(RECORDS, BARE, attacks, Navec(), seed=42, accept=0.75)
    own = [one for one in found.attacks if one.default]
    assert {one.what for one in own} == {"butterfingers", "eda_delete"}
    assert all(one.passing(found.threshold) >= 0.75 for one in own)
    assert min(one.passing(found.threshold + 1e-4) for one in own) < 0.75
    assert found.unrelated.passing(found.threshold) == 0
    for one in own:
        augmenter = Augmenter(one.what, similarity="none", constraints=(), probability=one.probability)
        results = augmenter.texts(SENTENCES)
        expected = Navec()([result.source for result in results], [result.text for result in results])
        assert sorted(one.scores) == pytest.approx(sorted(np.round(expected, 4)))


def test_unrelated_pairs_do_not_depend_on_the_order_of_the_file() -> None:
    ones, others = unrelated_pairs(RECORDS)
    assert (ones, others) == unrelated_pairs(RECORDS[::-1])
    assert sorted(ones) == sorted(others) == sorted(SENTENCES)
    assert all(one != other for one, other in zip(ones, others, strict=True))
    with pytest.raises(AugmentError, match="fewer than two"):
        unrelated_pairs(RECORDS[:1] * 3)


def test_the_command_prints_plots_and_reports(tmp_path: Path, bert: Path) -> None:
    rows = tmp_path / "in.jsonl"
    rows.write_text("".join(f"{json.dumps({'text': text})}\n" for text in SENTENCES), encoding="utf-8")
    report, baseline = tmp_path / "report.json", tmp_path / "baseline.csv"
    done = run(
        "calibrate", rows, "--similarity", f"bertscore:{bert}@2", "--attack", "eda_delete", "--at", "0.8",
        "--report", report, "--write-baseline", baseline, "--device", "cpu",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    content = json.loads(report.read_text(encoding="utf-8"))
    assert f"threshold {content['threshold']}" in done.stdout
    assert "│" in done.stdout
    assert [row["probability"] for row in content["attacks"]] == [0.3, 0.8]
    lines_of = baseline.read_text(encoding="utf-8").splitlines()
    assert lines_of[0] == "LAYER,P,R,F"
    assert float(lines_of[3].split(",")[3]) == pytest.approx(content["unrelated"]["similarity"]["mean"], abs=1e-3)
    assert "only bertscore" in run("calibrate", rows, "--write-baseline", baseline).stderr
    assert "nothing to calibrate" in run("calibrate", rows, "--similarity", "none").stderr


@pytest.mark.parametrize(
    ("command", "extra", "problem"),
    [
        (
            "perturb",
            ["-o", "out.jsonl", "--report", "out.jsonl"],
            "is the file of -o, too; give each a file of its own",
        ),
        ("perturb", ["-o", "out.jsonl", "--report", "in.jsonl"], "is read by this run"),
        ("calibrate", ["--report", "in.jsonl"], "is read by this run"),
        ("calibrate", ["--report", "none/x.json"], "folder does not exist"),
        ("calibrate", ["--write-baseline", "x.csv"], "give --similarity bertscore"),
    ],
)
def test_a_report_takes_the_place_of_nothing(command: str, extra: list[str], problem: str, tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    before = '{"text": "Кошка спит."}\n{"text": "Собака лает."}\n'
    file.write_text(before, encoding="utf-8")
    places = [tmp_path / word if "." in word else word for word in extra]
    done = run(command, file, "--attack", "case", *places)
    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]
    assert file.read_text(encoding="utf-8") == before


def test_scores_that_are_all_one_are_drawn() -> None:
    records = [Record({"text": text}, generic()) for text in ("Кошка спит.", "КОШКА СПИТ.")]
    found = calibrated(records, BARE, [make("case")], Navec(), seed=42)
    assert found.threshold == 1
    assert [line for line in calibration_lines(found) if line.startswith("unrelated texts") and "100%" in line]


def test_a_narrow_terminal_folds_the_figures_and_cuts_none() -> None:
    records = [Record({"text": text}, generic()) for text in SENTENCES]
    found = calibrated(records, BARE, [make("case"), make("eda_swap")], Navec(), seed=42)
    figures = [
        sorted(cell for line in table(calibration_lines(found, room)) for cell in line.split()[2:])
        for room in (60, 40)  # neither has room for the histogram and the outer quantiles
    ]
    assert all(len(line) <= 40 for line in table(calibration_lines(found, 40)))
    assert figures[0] == figures[1] != []


def table(lines: Iterable[str]) -> list[str]:
    """The lines of the figures of attacks, with the attack and the probability before them."""
    return [line for line in lines if re.match(r"(case|eda_swap) ", line)]


def test_distractors_are_measured_as_a_run_draws_them() -> None:
    records = [
        Record({"text": text}, generic())
        for text in (*SENTENCES, *(f"Дом номер {n} стоит у моря." for n in range(300)))
    ]
    attack = make("add_sent", {"generator": "corpus:input"})
    known = attack.with_corpus(InputCorpus.of(records))
    found = calibrated(records, BARE, [attack], Navec(), seed=42, probabilities=())
    expected = calibrated(records, BARE, [known], Navec(), seed=42, probabilities=())
    assert found.attacks[0].scores.tolist() == expected.attacks[0].scores.tolist()


def test_a_list_shows_values_as_they_are_set_and_reads_no_weights_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "      --set bae.same_pos=true" in [*listing("attacks", verbose=True)]

    def unasked(_: BertScore) -> str:
        raise AssertionError

    monkeypatch.setattr(bertscore, "_signature", unasked)
    assert any(line.startswith("bertscore") for line in listing("similarities", verbose=False))


def test_the_preset_of_the_paper() -> None:
    found = preset("tape")
    assert found.similarity == "bertscore:bert-base-multilingual-cased"
    assert found.options["emojify"]["probability"] == 0.4
    assert paper_constraints(task("danetqa")) == ("named_entities",)
    assert paper_constraints(task("multiq")) == ("named_entities", "multihop")
    assert set(PRESETS) == {"offline", "tape"}
    assert make("back_translation").forward in found.models  # type: ignore[attr-defined]
    assert found.options["add_sent"]["generator"] == f"hf:{found.models[-1]}"
    done = run("perturb", "examples/reviews.jsonl", "--attack", "emojify", "--preset", "tape")
    assert done.returncode == 2
    assert "augment-ru models pull bert-base-multilingual-cased" in done.stderr


def test_the_table_of_a_run(tmp_path: Path, bert: Path) -> None:
    rows, report = tmp_path / "in.jsonl", tmp_path / "report.json"
    rows.write_text("".join(f"{json.dumps({'text': text})}\n" for text in SENTENCES), encoding="utf-8")
    out = tmp_path / "out.jsonl"
    done = run(
        "perturb", rows, "-o", out, "--attack", "eda_delete", "--attack", "case", "--report", report,
        "--similarity", f"bertscore:{bert}@2", "--device", "cpu", "--threshold", "0.9",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    written = [json.loads(line)["augment"] for line in out.read_text(encoding="utf-8").splitlines()]
    content = json.loads(report.read_text(encoding="utf-8"))
    for name, table in content["attacks"].items():
        own = [row for row in written if row["attack"] == name]
        passed = [row for row in own if row["status"] == "perturbed"]
        assert table["rows"] == len(own) == len(SENTENCES)
        assert table["perturbed"] == len(passed)
        assert table["acceptance"] == pytest.approx(len(passed) / len(own), abs=1e-4)
        assert table["similarity"]["mean"] == pytest.approx(np.mean([row["similarity"] for row in passed]), abs=1e-4)
        assert table["probability"]["mean"] == pytest.approx(np.mean([row["probability"] for row in passed]), abs=1e-4)
        assert table["forward_passes_per_perturbed_row"] == pytest.approx(
            table["forward_passes"] / len(passed), abs=1e-4
        )
        assert name in done.stderr
    assert "forward passes" in done.stderr


def test_summaries_without_results_or_scores() -> None:
    empty = Figures()
    assert attack_table(empty)["acceptance"] is None
    assert list(summary_lines({"case": empty}))[1].split()[1] == "0"
    perturber = Perturber("case", similarity="none")
    for prepared in Preparation().texts(SENTENCES, needs=[perturber.needs]):
        empty.update(Figures.of(perturber.perturb(prepared)))
    assert attack_table(empty)["similarity"] is None
    assert attack_table(empty)["forward_passes_per_perturbed_row"] is None


def test_of_a_repository_only_what_is_needed_is_fetched() -> None:
    files = ["config.json", "pytorch_model.bin", "rust_model.ot", "tf_model.h5", "vocab.txt", "onnx/model.onnx", "x.py"]
    assert wanted(files) == ["config.json", "vocab.txt", "pytorch_model.bin"]
    assert wanted([*files, "model.safetensors"]) == ["config.json", "vocab.txt", "model.safetensors"]


def test_attacks_are_listed_by_what_they_test() -> None:
    lines = [*listing("attacks", verbose=False)]
    headings = {line.removesuffix(":"): number for number, line in enumerate(lines) if not line.startswith(" ")}
    assert [*headings] == [*GROUPS.values()]
    for name, heading in (
        ("people", "people"),
        ("evasion", "adversaries"),
        ("agreement", "learners"),
        ("case", "other"),
    ):
        (at,) = (number for number, line in enumerate(lines) if line.split()[0] == name)
        assert max(number for number in headings.values() if number < at) == headings[GROUPS[heading]]
    assert sum(line.startswith("  ") for line in lines) == len(names("attacks"))
