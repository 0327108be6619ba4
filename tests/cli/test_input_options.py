"""`--encoding` and `--input-format` wherever rows are read: the same results as of files in UTF-8 with plain names."""

import csv
import json
from pathlib import Path

import pytest

from augment_ru.cli.main import cli
from commands import fails, run

ROOT = Path(__file__).parents[2]
MODEL = ("--label-field", "label", "--cache", "none")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reviews as CSV in UTF-8 and in cp1251, and train rows; and 20 reviews perturbed, as JSON lines."""
    folder = tmp_path_factory.mktemp("encodings")
    for part, most in (("test", 20), ("train", 60)):
        lines = (ROOT / "examples" / f"reviews_{part}.jsonl").read_text(encoding="utf-8").split("\n")[:most]
        rows = [json.loads(line) for line in lines if line]
        for encoding in ("utf-8", "cp1251"):
            with (folder / f"{part}.{encoding}.csv").open("w", encoding=encoding, errors="replace", newline="") as file:
                written = csv.DictWriter(file, ["text", "label"], extrasaction="ignore")
                written.writeheader()
                written.writerows(
                    {name: str(row[name]).encode("cp1251", "ignore").decode("cp1251") for name in ("text", "label")}
                    for row in rows
                )
    done = run(
        "perturb", folder / "test.cp1251.csv", "--encoding", "cp1251", "-o", folder / "out.csv", "--attack", "case",
        "--similarity", "none", "--meta", "none",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return folder


def report(files: Path, encoding: str, *more: str) -> dict[str, object]:
    """The report of an evaluation whose originals and train rows are in an encoding; what is perturbed is in UTF-8."""
    done = run(
        "evaluate", files / "out.csv", "--originals", files / f"test.{encoding}.csv",
        "--model", f"linear:{files / f'train.{encoding}.csv'}", "-o", "-", "--date", "none", *MODEL, *more,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, object] = json.loads(done.stdout.decode().replace(f".{encoding}.", "."))
    return found


def test_evaluate_reads_originals_and_train_rows_in_another_encoding(files: Path) -> None:
    assert report(files, "cp1251", "--encoding", "cp1251") == report(files, "utf-8")
    line = fails(
        1, "evaluate", files / "out.csv", "--originals", files / "test.cp1251.csv", "--model", "random", *MODEL
    )
    assert "test.cp1251.csv: line 2: not UTF-8" in line
    assert "--encoding" in line


def test_attack_reads_rows_and_train_rows_in_another_encoding(files: Path) -> None:
    found = [
        run(
            "attack", files / f"test.{encoding}.csv", "--model", "linear", "--train", files / f"train.{encoding}.csv",
            "--limit", "4", "--budget", "5", "--attack", "case", *MODEL, *more,
        )
        for encoding, more in (("utf-8", ()), ("cp1251", ("--encoding", "cp1251")))
    ]  # fmt: skip
    assert [done.returncode for done in found] == [0, 0], found[1].stderr.decode()
    assert found[0].stdout == found[1].stdout
    assert len(found[0].stdout.decode().split("\n")) > 4


def test_rows_from_stdin_may_have_any_format(files: Path) -> None:
    data = (files / "test.cp1251.csv").read_bytes()
    form = ("--input-format", "csv", "--encoding", "cp1251")
    done = run("evaluate", "-", "--model", "random", "-o", "-", *form, *MODEL, stdin=data)
    assert json.loads(done.stdout)["originals"] == 20, done.stderr.decode()
    done = run("calibrate", "-", "--attack", "case", "--limit", "5", "--at", "0.5", *form, stdin=data)
    assert done.returncode == 0, done.stderr.decode()
    pairs = "original,perturbed\nПёс лает.,Пёс лаит.\n".encode("cp1251")
    done = run("similarity", "-", "--format", "csv", *form, stdin=pairs)
    assert "(pairs),1," in done.stdout.decode(), done.stderr.decode()


def test_an_encoding_that_a_file_does_not_have_is_said(files: Path) -> None:
    options = ("--encoding", "cp1251", "--attack", "case", "--similarity", "none", "--quiet")
    wrong = run("perturb", files / "test.utf-8.csv", *options)
    right = run("perturb", files / "test.cp1251.csv", *options)
    assert wrong.stdout == right.stdout
    assert wrong.stderr.decode().endswith(
        "test.utf-8.csv: is in UTF-8, and read as UTF-8; --encoding cp1251 is for files that are not in UTF-8\n"
    )
    assert wrong.stderr.startswith(b"augment-ru: warning: ")
    assert not right.stderr


def test_verdicts_are_asked_about_rows_in_another_encoding(files: Path, tmp_path: Path) -> None:
    for encoding in ("utf-8", "cp1251"):
        done = run(
            "verdicts", "export", files / "out.csv", "--originals", files / f"test.{encoding}.csv", "--size", "5",
            "-o", tmp_path / f"{encoding}.tsv", "--encoding", encoding,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()
    assert (tmp_path / "utf-8.tsv").read_bytes() == (tmp_path / "cp1251.tsv").read_bytes()


@pytest.mark.parametrize("command", ["perturb", "attack", "evaluate", "calibrate", "similarity"])
def test_an_encoding_that_is_not_there_is_an_error_of_usage(
    command: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"perturb": ["--attack", "case"], "attack": ["--model", "random"], "evaluate": ["--model", "random"]}
    with pytest.raises(SystemExit) as ended:
        cli.main([command, str(files / "out.csv"), *given.get(command, ()), "--encoding", "cp1521"])
    assert ended.value.code == 2
    assert "--encoding cp1521: no such encoding of texts; for Russian mostly" in capsys.readouterr().err


def test_commands_have_the_same_options_on_the_same_things() -> None:
    named = (
        "--task",
        "--field",
        "--label-field",
        "--input-format",
        "--encoding",
        "--format",
        "--cache",
        "--train",
        "--device",
    )
    shown: dict[str, set[object]] = {}
    for name in ("perturb", "attack", "evaluate", "calibrate", "compare", "similarity", "release"):
        for option in cli.commands[name].params:
            for flag in option.opts:
                if flag in named:
                    shown.setdefault(flag, set()).add((option.help, option.metavar, option.name))
    assert shown.keys() == set(named)
    assert {flag for flag, forms in shown.items() if len(forms) > 1} == set()
