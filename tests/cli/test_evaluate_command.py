"""`augment-ru evaluate`: two commands to a report, errors in one line, killed and resumed."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from augment_ru.cli.main import cli
from commands import fails, rows_of, run, started, wait_until, write

ROOT = Path(__file__).parents[2]
TRAIN, TEST = (ROOT / "examples" / f"reviews_{part}.jsonl" for part in ("train", "test"))
ATTACKS = ("butterfingers", "case", "emojify", "eda_delete", "eda_swap")


@pytest.fixture(scope="module")
def perturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve reviews under five attacks."""
    path = tmp_path_factory.mktemp("evaluate") / "perturbed.jsonl"
    attacks = [argument for name in ATTACKS for argument in ("--attack", name)]
    done = run("perturb", TEST, "-o", path, *attacks, "--limit", "12", "--similarity", "none")
    assert done.returncode == 0, done.stderr.decode()
    return path


def test_two_commands_make_a_table_a_report_a_page_and_the_predictions(perturbed: Path, tmp_path: Path) -> None:
    names = [tmp_path / name for name in ("report.json", "report.html", "predictions.jsonl")]
    done = run(
        "evaluate", perturbed, "--model", f"linear:{TRAIN}", "--model", f"majority:{TRAIN}",
        "-o", names[0], "--html", names[1], "--predictions", names[2], "--cache", "none",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    table = done.stdout.decode()
    assert all(name in table for name in (*ATTACKS, "mean ASR", "attack success rate", "worst case"))
    report = json.loads(names[0].read_text(encoding="utf-8"))
    assert [model["model"].split(":")[0] for model in report["models"]] == ["linear", "majority"]
    assert list(report["models"][0]["attacks"]) == list(ATTACKS)
    needed = {"asr", "ci95", "right", "broken", "fixed", "unchanged", "rejected", "rows", "metrics"}
    for model in report["models"]:
        for found in model["attacks"].values():
            assert needed <= found.keys()
            assert found["rows"] == 12
            assert found["metrics"]["accuracy"].keys() == {"before", "after"}
    page = names[1].read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    predictions = rows_of(names[2].read_bytes())
    assert len(predictions) == 2 * 5 * 12
    assert {"model", "attack", "id", "gold", "original_prediction", "prediction", "status"} <= predictions[0].keys()
    assert "720" not in done.stderr.decode()
    assert "72 questions" in done.stderr.decode()


def test_the_report_goes_to_stdout_and_the_table_to_stderr(perturbed: Path) -> None:
    done = run("evaluate", perturbed, "--model", "random", "-o", "-", "--cache", "none")
    assert json.loads(done.stdout)["models"][0]["model"] == "random"
    assert "attack success rate" in done.stderr.decode()


def test_a_recipe_holds_the_options_and_the_command_line_overrides_it(perturbed: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "evaluate.toml"
    recipe.write_text(
        f'model = ["random", "majority:{TRAIN}"]\nseed = 7\ntitle = "Отзывы"\ncache = "none"\nformat = "csv"\n'
    )
    done = run("evaluate", perturbed, "--recipe", recipe, "--seed", "8", "-o", tmp_path / "r.json")
    assert done.returncode == 0, done.stderr.decode()
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert [one["model"] for one in report["models"]] == ["random", f"majority:{TRAIN}"]
    assert report["title"] == "Отзывы"
    assert "|seed=8|" in report["signature"]
    assert done.stdout.decode().startswith('model,shots,"accuracy, original",')
    recipe.write_text('modle = "random"\n')
    assert "modle" in run("evaluate", perturbed, "--recipe", recipe).stderr.decode()


def test_rows_from_stdin_and_originals_from_a_file(perturbed: Path, tmp_path: Path) -> None:
    rows = [row for row in rows_of(perturbed.read_bytes()) if row["augment"]["attack"] == "case"]
    bare = write(tmp_path / "bare.jsonl", *({key: row[key] for key in ("id", "text", "label")} for row in rows))
    done = run(
        "evaluate", "-", "--originals", TEST, "--model", "random", "-o", "-", "--cache", "none", stdin=bare.read_bytes()
    )
    assert done.returncode == 0, done.stderr.decode()
    report = json.loads(done.stdout)
    assert report["attacks"] == ["perturbed"]
    assert report["originals"] == 60
    assert report["models"][0]["attacks"]["perturbed"]["rows"] == 12


def test_other_fields_metrics_and_options(perturbed: Path, tmp_path: Path) -> None:
    rows = [
        {("body" if key == "text" else "mark" if key == "label" else key): value for key, value in row.items()}
        for row in rows_of(perturbed.read_bytes())
    ]
    for row in rows:
        for part in ("source", "edits", "protected"):
            row["augment"][part] = {"body": row["augment"][part]["text"]}
    renamed = write(tmp_path / "renamed.jsonl", *rows)
    train = [{"body": row["text"], "mark": row["label"]} for row in rows_of(TRAIN.read_bytes())]
    done = run(
        "evaluate", renamed, "--field", "body", "--label-field", "mark", "--metric", "mcc", "--by", "id",
        "--model", "linear", "--train", write(tmp_path / "train.jsonl", *train),
        "--model-option", "linear.analyzer=char", "-o", "-", "--cache", "none",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    report = json.loads(done.stdout)
    assert (report["fields"], report["gold"], report["metrics"]) == (["body"], ["mark"], ["mcc"])
    assert "char" in report["models"][0]["signature"]
    assert "id" in report["models"][0]["attacks"]["case"]["subpopulations"]


STOPPING = """
import time
from pathlib import Path
here = Path(__file__).parent
answered = here / "answered"
def predict(examples):
    if answered.exists() and len(answered.read_text().split()) == 3 and not (here / "go on").exists():
        (here / "stopped").touch()
        time.sleep(1e6)
    with answered.open("a") as lines:
        lines.write(f"{len(examples)}\\n")
    return ["positive"] * len(examples)
predict.signature = "stopping"
predict.chunk = 4
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_what_was_answered_before_a_kill_is_not_asked_again(perturbed: Path, tmp_path: Path) -> None:
    (tmp_path / "stopping_model_of_a_test.py").write_text(STOPPING)
    answered = tmp_path / "answered"
    command = [
        "evaluate", str(perturbed), "-o", "report.json",
        "--model", "python:stopping_model_of_a_test:predict", "--cache", str(tmp_path / "cache.sqlite"),
    ]  # fmt: skip
    process = started(command, cwd=tmp_path)
    wait_until((tmp_path / "stopped").exists)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert answered.read_text().split() == ["4", "4", "4"]
    assert not (tmp_path / "report.json").exists()
    (tmp_path / "go on").touch()
    done = run(*command, cwd=tmp_path, fresh=True)
    assert done.returncode == 0, done.stderr.decode()
    different = len({json.dumps(row["text"]) for row in rows_of(perturbed.read_bytes())}) + 12
    total = sum(map(int, answered.read_text().split()))
    assert total <= different + 4, "at most the batch that was on its way is asked again"
    assert "of them from the cache" in done.stderr.decode()


def error_line(capsys: pytest.CaptureFixture[str], code: int, *arguments: object) -> str:
    """The one line of error that the command prints, run in this process."""
    with pytest.raises(SystemExit) as stopped:
        cli(["evaluate", *map(str, arguments)])
    assert stopped.value.code == code
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("augment-ru: error: ")
    return line


@pytest.mark.parametrize(
    ("code", "arguments", "message"),
    [
        (2, (), "no model; name one with --model"),
        (2, ("--model", "random", "--shots", "few"), "--shots few: must be numbers"),
        (2, ("--model", "random", "--model-option", "linear"), "must be KIND.NAME=VALUE"),
        (2, ("--model", "random", "-o", "no/such/folder/r.json"), "its folder does not exist; make it first"),
        (2, ("--model", "random", "--html", "{perturbed}"), "is read by this run; give another file"),
        (2, ("--model", "linear:{train}", "-o", "{train}"), "is read by this run"),
        (2, ("--model", "random", "--train", "{train}", "--predictions", "{train}"), "is read by this run"),
        (2, ("--model", "random", "--cache", "{train}", "--html", "{train}"), "is read by this run"),
        (2, ("--model", "random", "--cache", "new", "-o", "new"), "is read by this run"),
        (
            2,
            ("--model", "openai:http://localhost#m", "--model-option", "openai.template={train}", "-o", "{train}"),
            "is read by this run",
        ),
        (2, ("--model", "random", "--predictions", "-"), "is no file; give a file to write to"),
        (2, ("--model", "random", "-o", "x", "--html", "x"), "give each a file of its own"),
        (2, ("--model", "random", *("--defence", "evasion") * 2), "--defence evasion: is given twice; name it once"),
        (2, ("--model", "random", "--shots", "1,1"), "must be different numbers from 0"),
        (2, ("--model", "random", "--train", "none.jsonl"), "--train none.jsonl: no such file"),
        (2, ("--model", "randum"), "no model called 'randum'; did you mean 'random'?"),
        (2, ("--model", "random", "--model", "random"), "--model: each must have another name"),
        (2, ("--model", "random", "--model-option", "linear.C=1"), "no model of this kind; there are random"),
        (2, ("--model", "random", "--metric", "acuracy"), "did you mean 'accuracy'?"),
        (1, ("--model", "random", "--by", "genre"), "--by genre: no row has this field"),
        (1, ("--model", "random", "--label-field", "mark"), "--label-field mark: no original has this field"),
        (2, ("--model", "linear", "--train", "-"), "--train -: stdin can be read once"),
        (1, ("--model", "random", "--shots", "1"), "--shots 1: no model reads demonstrations; hf-causal and openai do"),
        (1, ("--model", "random", "--submission", "x"), "--submission: needs a task of MERA or Russian SuperGLUE"),
        (1, ("--model", "linear:none.jsonl", "--prompts", "all"), "--prompts all: no model reads prompts"),
        (2, ("--model", "random", "--require-point"), "--require-point: says how these limits are judged; give --requ"),
        (2, ("--model", "random", "--title", "x"), "--title: stands in the report; give -o or --html, too, or leave"),
        (2, ("--model", "random", "--date", "2026"), "--date: stands in the report; give -o or --html, too, or leave"),
        (2, ("--model", "random", "--flipping", "all"), "--flipping: marks edits on the page; give --html, too, or"),
        (2, ("--model", "random", "--episodes", "3"), "--episodes: no demonstrations are drawn; give --shots above 0"),
        (2, ("--model", "linear:{train}", "--device", "cuda"), "--device cuda: nothing in this run uses a GPU; leave"),
        (2, ("--model", "random", "--shots", "1", "--episodes", "0"), "--episodes: must be at least 1"),
        (1, ("--model", "random", "--field", "body"), "no field 'body'"),
        (2, ("--model", "random", "--task", "winogrand"), "did you mean 'winograd'?"),
        (1, ("--model", "random", "--cache", "/dev/null/x"), "name another file, or none"),
    ],
)
def test_errors_are_one_line(
    code: int, arguments: tuple[str, ...], message: str, perturbed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train = perturbed.with_name("train.jsonl")
    train.write_bytes(TRAIN.read_bytes())
    filled = [argument.format(perturbed=perturbed, train=train) for argument in arguments]
    cache = [] if "--cache" in filled else ["--cache", "none"]
    assert message in error_line(capsys, code, perturbed, *filled, *cache)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "rows.jsonl: no rows"),
        (
            [{"id": 1, "text": "Кот.", "label": 1, "augment": {"attack": "a"}}],
            "no original for it: the row has no augment.source, and none was given",
        ),
        ([{"a": 1}], "no field 'text', and no task has the fields a"),
        ([{"text": 5, "augment": {"attack": "a", "source": {"text": "Кот"}, "edits": {"text": []}}}], "line 1: "),
    ],
)
def test_files_that_cannot_be_evaluated(
    rows: list[dict[str, Any]], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write(tmp_path / "rows.jsonl", *rows)
    assert message in error_line(capsys, 1, source, "--model", "random", "--cache", "none")


def test_labels_that_are_no_unicode_are_written_as_they_were_read(tmp_path: Path) -> None:
    meta = {"attack": "a", "source": {"text": "Кот."}, "edits": {"text": []}}
    source = tmp_path / "rows.jsonl"
    source.write_text(json.dumps({"id": 1, "text": "Кот.", "label": "\ud800", "augment": meta}), encoding="utf-8")
    names = [tmp_path / name for name in ("report.json", "report.html", "predictions.jsonl")]
    done = run(
        "evaluate", source, "--model", "random", "--by", "label", "--cache", "none",
        "-o", names[0], "--html", names[1], "--predictions", names[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    (cell,) = json.loads(names[0].read_bytes())["models"][0]["attacks"]["a"]["subpopulations"]["label"]
    assert cell["value"] == rows_of(names[2].read_bytes())[0]["gold"] == "\ud800"


def test_broken_lines_are_named(tmp_path: Path) -> None:
    source = tmp_path / "rows.jsonl"
    source.write_text('{"text": "Кот."}\n{"text": \n', encoding="utf-8")
    assert "rows.jsonl: line 2: not JSON" in fails(1, "evaluate", source, "--model", "random")


def test_a_number_beyond_floating_point_in_another_field_is_no_problem(perturbed: Path, tmp_path: Path) -> None:
    rows = perturbed.read_text(encoding="utf-8").replace('{"', '{"u": 1e400, "', 1)
    (tmp_path / "rows.jsonl").write_text(rows, encoding="utf-8")
    done = run("evaluate", tmp_path / "rows.jsonl", "--model", "random", "--cache", "none")
    assert done.returncode == 0, done.stderr.decode()


def test_the_same_file_gives_the_same_page_on_any_day(perturbed: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_bytes(perturbed.read_bytes())
    os.utime(rows, (1_700_000_000, 1_700_000_000))  # 2023-11-14
    pages = [tmp_path / "one.html", tmp_path / "two.html"]
    for path in pages:
        done = run(
            "evaluate", rows, "--model", f"linear:{TRAIN}", "--html", path, "--cache", "none", "--table", "rates"
        )
        assert done.returncode == 0, done.stderr.decode()
        assert "Counts" not in done.stdout.decode()
    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert '"header":["rows.jsonl","2023-11-14"]' in pages[0].read_text(encoding="utf-8")
    for given, header in (("none", '["rows.jsonl"]'), ("ноябрь", '["rows.jsonl","ноябрь"]')):
        run("evaluate", rows, "--model", f"linear:{TRAIN}", "--html", pages[0], "--cache", "none", "--date", given)
        assert f'"header":{header}' in pages[0].read_text(encoding="utf-8")


def test_a_table_that_there_is_not_is_an_error(perturbed: Path) -> None:
    line = fails(2, "evaluate", perturbed, "--model", "majority", "--table", "rate")
    assert "no table called 'rate'; did you mean 'rates'?" in line


def test_a_requirement_that_fails_ends_with_exit_code_3_and_a_line(perturbed: Path) -> None:
    options = ("--model", f"linear:{TRAIN}", "--cache", "none")
    done = run("evaluate", perturbed, *options, "--require", "asr(case) <= 5", "--require", "accuracy >= 50")
    assert done.returncode == 3
    (line,) = [line for line in done.stderr.decode().splitlines() if "failed: " in line]
    assert line.endswith("(asr(case) <= 5)")
    done = run("evaluate", perturbed, *options, "--require", "accuracy >= 50", "--require-point")
    assert (done.returncode, "failed: " in done.stderr.decode()) == (0, False)
    done = run("evaluate", perturbed, *options, "--require", "asr(case) < 5")
    assert done.returncode == 2
    assert "--require asr(case) < 5: must be NAME <= NUMBER" in done.stderr.decode()


def test_it_says_that_no_answer_is_a_label_of_the_rows(tmp_path: Path) -> None:
    functions = (
        "def other(items): return ['good' for _ in items]",
        "def known(items): return ['negative' for _ in items]",
        "def nothing(items): return [None for _ in items]",
        "def empty(items): return ['' for _ in items]",
    )
    (tmp_path / "answering.py").write_text("\n".join(functions))
    said = {
        name: run("evaluate", TEST, "--model", f"python:{tmp_path / 'answering.py'}:{name}").stderr.decode()
        for name in ("other", "known", "nothing", "empty")
    }
    assert "no answer, such as 'good', is a label of the rows: ['negative', 'positive']" in said["other"]
    assert "is a label of the rows" not in said["known"]
    for name in ("nothing", "empty"):
        assert "no answer, such as '', is a label of the rows: ['negative', 'positive']" in said[name]
