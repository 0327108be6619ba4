"""What a newcomer meets: help without arguments, differences on a terminal, what was written."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commands import fails, on_terminal, run, write

FAST = ("--attack", "case", "--no-constraints", "--similarity", "none")


@pytest.mark.parametrize("group", [(), ("models",), ("verdicts",), ("release",)])
def test_without_arguments_the_help_is_printed(group: tuple[str, ...]) -> None:
    done = run(*group)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == run(*group, "--help").stdout
    assert b"Commands:" in done.stdout


def test_a_terminal_shows_coloured_differences_and_a_pipe_gets_rows(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", {"id": 1, "text": "Кошка \x1b[2J спит на окне."}, {"id": 2, "text": "и"})
    shown = on_terminal("perturb", source, *FAST, "--probability", "1")
    assert "\x1b[1;32m" in shown
    assert "\x1b[2J" not in shown  # no text steers the terminal
    assert '"augment"' not in shown
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    assert "1  case  perturbed" in plain
    assert plain.rstrip().endswith("augment-ru: showed 2 rows; -o FILE writes rows")
    out = tmp_path / "out.jsonl"
    assert f"wrote 2 rows to {out}" in re.sub(r"\s+", " ", on_terminal("perturb", source, *FAST, "-o", out))
    assert b'"augment"' in run("perturb", source, *FAST).stdout


MODEL = """
def first(examples):
    return ["a" if "Кошка" in one.text else "b" for one in examples]
"""


def test_a_terminal_shows_what_a_search_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write(tmp_path / "in.jsonl", {"text": "Кошка спит.", "label": "a"}, {"text": "и", "label": "b"})
    (tmp_path / "first_model.py").write_text(MODEL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    shown = on_terminal("attack", source, *FAST, "--model", "python:first_model:first", "--cache", "none")
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    assert '"augment"' not in plain
    assert re.search(r"1  changes: 1, queries: \d+  broken", plain)
    assert re.search(r"\n2  changes: 0, queries: \d+  (withstood|unchanged)\n", plain)
    assert plain.rstrip().endswith("augment-ru: showed 2 rows; -o FILE writes rows")


def test_a_run_ends_by_saying_what_it_wrote(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", {"text": "Кошка"}, {"id": 1})
    out, report = tmp_path / "out.jsonl", tmp_path / "report.json"
    done = run("perturb", source, *FAST, "-o", out, "--on-error", "skip", "--report", report)
    rejects = tmp_path / "out.rejects.jsonl"
    assert done.stderr.decode().split("\n")[-2] == (
        f"augment-ru: wrote 1 row to {out}, 1 to {rejects}, the table to {report}"
    )


def test_a_run_says_as_which_tasks_rows_were_read(tmp_path: Path) -> None:
    rows = [{"question": "Кошка спит?", "passage": "Кошка спит на окне.", "text": "а"}, {"text": "Мы ждали снега."}]
    source = write(tmp_path / "in.jsonl", *rows)
    for more in ((), ("--workers", "2")):
        done = run("perturb", source, "-o", tmp_path / "out.jsonl", *FAST, *more, forks=True)
        assert b"2 rows in, read as danetqa; " in done.stderr
    named = run("perturb", source, "-o", tmp_path / "out.jsonl", *FAST, "--field", "text")
    assert b"2 rows in; " in named.stderr


def test_tables_fold_on_a_narrow_terminal_and_lose_no_number(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", *({"id": number, "text": "Кошка спит на окне."} for number in range(30)))
    arguments = ("perturb", source, "--attack", "case", "--attack", "eda_swap", "-o", tmp_path / "out.jsonl")
    wide, *others = (numbers(on_terminal(*arguments, columns=columns)) for columns in (200, 80, 60))
    assert len(wide) > 20
    assert others == [wide, wide]


def numbers(printed: str) -> list[str]:
    """The numbers of the closing table, sorted."""
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", printed)
    lines = [line for line in plain.split("\n") if re.match(r"(case|eda_swap) ", line)]
    return sorted(cell for line in lines for cell in line.split()[1:])


def test_calibrate_takes_no_option_that_it_would_ignore() -> None:
    for option in ("--threshold", "--schedule", "--candidates", "--min-changes"):
        said = fails(2, "calibrate", "examples/reviews.jsonl", option, "1")
        assert "No such option" in said
        assert option in said


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str) -> None:
    script = run("completion", shell).stdout.decode()
    assert "_AUGMENT_RU_COMPLETE" in script
    if checker := shutil.which(shell):
        subprocess.run([checker, "-n"], input=script.encode(), check=True)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("perturb --attack but", ["butterfingers"]),
        ("perturb --attack case+but", ["case+butterfingers"]),
        ("perturb --task dane", ["danetqa"]),
        ("evaluate --task gene", ["generic"]),
        ("calibrate --constraint negat", ["negated", "negation"]),
        ("cal", ["calibrate"]),
    ],
)
def test_names_are_completed(typed: str, found: list[str]) -> None:
    words = ["augment-ru", *typed.split()]
    environment = {
        **os.environ,
        "_AUGMENT_RU_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    done = run(env=environment)
    assert [line.partition(",")[2] for line in done.stdout.decode().split()] == found
    assert (done.stderr, done.returncode) == (b"", 0)  # the shell would show what stands there at every TAB


@pytest.mark.parametrize(("language", "heading"), [("ru", "атаки:"), ("en", "attacks:")])
def test_list_speaks_the_language_of_the_locale_or_of_lang(
    language: str, heading: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", f"{language}_XX.UTF-8")
    listed = run("list").stdout
    assert heading in listed.decode().split("\n")
    assert run("list", "--lang", language).stdout == listed
    other = {"ru": "en", "en": "ru"}[language]
    assert run("list", "--lang", other).stdout != listed


def test_all_that_is_listed_is_there_in_russian() -> None:
    def names(language: str, kind: str) -> list[str]:
        return [line.split()[0] for line in run("list", kind, "--lang", language).stdout.decode().splitlines()]

    for kind in ("constraints", "similarities", "models"):
        assert names("ru", kind) == names("en", kind)
        for line in run("list", kind, "--lang", "ru").stdout.decode().splitlines():
            assert re.search("[а-я]{3}", line), line


def test_details_of_a_list_are_in_its_language_and_its_columns_are_straight() -> None:
    details = [line for line in run("list", "-v", "--lang", "ru").stdout.decode().splitlines() if ": " in line]
    told = [line.strip() for line in details if line.startswith("      ") and "«" not in line and "--" not in line]
    assert told
    assert all(re.match("[а-я]", line) for line in told), told
    lines = run("list", "tasks").stdout.decode().splitlines()
    assert len({line.index(" perturbs ") for line in lines}) == 1
    assert all(line.split(" perturbs ")[1].strip() for line in lines)


def test_every_command_that_writes_files_says_so(tmp_path: Path) -> None:
    perturbed, pairs, tasks = (tmp_path / name for name in ("rows.jsonl", "pairs.jsonl", "tasks.json"))
    run("perturb", "examples/reviews.jsonl", "--attack", "case", "-o", perturbed)
    last = run("similarity", perturbed, "-o", pairs).stderr.decode().split("\n")[-2]
    assert last == f"augment-ru: wrote 12 pairs to {pairs}"
    last = run("verdicts", "export", perturbed, "-o", tasks).stderr.decode().split("\n")[-2]
    assert last == f"augment-ru: wrote {tasks}, {tasks.with_suffix('.xml')}"
    found = tmp_path / "found.jsonl"
    train = ("--model", "linear:examples/reviews_train.jsonl", "--limit", "2", "--budget", "3")
    done = run("attack", "examples/reviews_test.jsonl", *train, "-o", found)
    assert f"augment-ru: wrote 2 rows to {found}\n" in done.stderr.decode()
    assert run("attack", "examples/reviews_test.jsonl", *train, "-o", found, "--quiet").stderr == b""
    page = tmp_path / "report.html"
    evaluated = ("evaluate", perturbed, "--model", "majority:examples/reviews_train.jsonl", "--html", page)
    assert run(*evaluated, "--format", "csv").stderr.decode().split("\n")[-2] == f"augment-ru: wrote {page}"
    assert run(*evaluated, "--quiet").stderr == b""


def test_a_file_in_another_encoding_is_read_or_refused_with_what_to_do(tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_bytes("Кошка спит.\n".encode("cp1251"))
    assert "--encoding cp1251" in fails(1, "perturb", source, *FAST)
    assert (
        run("perturb", source, *FAST, "--encoding", "cp1251", "--probability", "0").stdout.decode() == "Кошка спит.\n"
    )


@pytest.mark.parametrize(
    "arguments", [("--help",), ("explain", "Кошка спит.", *FAST), ("list", "attacks"), ("completion", "bash")]
)
def test_a_reader_that_goes_away_ends_a_command_quietly(arguments: tuple[str, ...]) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    command = [sys.executable, "-m", "augment_ru", *arguments]
    done = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, check=False)
    os.close(theirs)
    assert (done.stderr, done.returncode) == (b"", 141)
