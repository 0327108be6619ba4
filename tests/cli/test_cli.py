"""The command line: rows, errors in one line, and nothing half-done left behind."""

import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from augment_ru import Augmenter
from augment_ru.cli.main import cli
from augment_ru.resources import folder
from commands import PATIENCE, fails, rows_of, run, run_apart, started, wait_until, write
from profiles import IS_FULL, third
from strategies import ATTACKS, OFFLINE, SENTENCES

FAST = ("--no-constraints", "--similarity", "none")
SAMPLES = Path(os.environ.get("AUGMENT_RU_SAMPLES", Path(__file__).parents[3] / "shared" / "samples"))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A file of sentences."""
    return write(tmp_path / "in.jsonl", *({"id": n, "text": text, "label": n % 2} for n, text in enumerate(SENTENCES)))


# rows


@pytest.mark.usefixtures("warm")
def test_one_row_for_each_row_and_attack_in_order(source: Path) -> None:
    attacks = [argument for name in (*ATTACKS, "case+eda_swap") for argument in ("--attack", name)]
    done = run("perturb", source, *attacks, "--with-original", "--seed", "0")
    assert done.returncode == 0, done.stderr
    rows = rows_of(done.stdout)
    order = ["original", *ATTACKS, "case+eda_swap"]
    assert [row["augment"]["attack"] for row in rows] == order * len(SENTENCES)
    assert [row["id"] for row in rows] == [n for n in range(len(SENTENCES)) for _ in order]
    for row in rows:
        metadata = row["augment"]
        assert row["label"] == row["id"] % 2
        assert metadata["seed"] == 0
        text = metadata["source"]["text"]
        assert text == SENTENCES[row["id"]]
        for start, stop, new in reversed(metadata["edits"]["text"]):
            text = text[:start] + new + text[stop:]
        assert text == row["text"]
        assert (metadata["status"] == "perturbed") == (row["text"] != metadata["source"]["text"])


@pytest.mark.parametrize(
    ("meta", "keys"),
    [
        ("none", None),
        ("brief", 8),
        ("full", 11),
    ],
)
def test_meta_chooses_the_keys_of_the_metadata(source: Path, meta: str, keys: int | None) -> None:
    (row,) = rows_of(run("perturb", source, "--attack", "case", *FAST, "--meta", meta, "--limit", "1").stdout)
    assert len(row.get("augment", [])) == (keys or 0)


def test_standard_input_and_output_and_the_summary(source: Path) -> None:
    done = run("perturb", "-", "--attack", "case", *FAST, stdin=source.read_bytes())
    assert len(rows_of(done.stdout)) == len(SENTENCES)
    *table, summary, wrote = done.stderr.decode().strip().split("\n")
    assert wrote == f"augment-ru: wrote {len(SENTENCES)} rows to stdout"
    assert table[0].startswith("attack ")
    assert f"{len(SENTENCES)} rows in" in summary
    assert "unchanged" in summary
    assert re.search(r"; \d+\.\d s, [\d.,]+ rows a second$", summary)


def test_the_bytes_do_not_depend_on_chunks_order_or_subset(tmp_path: Path) -> None:
    rows = [{"id": n, "text": f"{SENTENCES[n % 3]} {n}"} for n in range(1200)]
    whole = run("perturb", write(tmp_path / "a", *rows), "--attack", "eda_swap", *FAST).stdout.split(b"\n")
    part = run("perturb", write(tmp_path / "b", *rows[1100:300:-7]), "--attack", "eda_swap", *FAST).stdout.split(b"\n")
    assert set(part) <= set(whole)
    assert run("perturb", tmp_path / "a", "--attack", "eda_swap", *FAST).stdout.split(b"\n") == whole


def test_the_bytes_do_not_depend_on_the_hash_seed(source: Path) -> None:
    arguments = ("perturb", source, "--attack", "eda_swap", "--attack", "emojify")
    seeds = {"1", "2", "3"} if IS_FULL else {str(1 + (os.environ.get("PYTHONHASHSEED") == "1"))}  # another than here
    outputs = {run_apart(*arguments, env={**os.environ, "PYTHONHASHSEED": seed}).stdout for seed in seeds}
    outputs.add(run(*arguments).stdout)
    (output,) = outputs
    assert len(rows_of(output)) == 2 * len(SENTENCES)


def test_a_recipe_gives_options_that_the_command_line_overrides(tmp_path: Path, source: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('attack = ["case"]\nseed = 3\nno-constraints = true\nsimilarity = "none"\n', encoding="utf-8")
    plain = run("perturb", source, "--attack", "case", *FAST, "--seed", "3").stdout
    assert run("perturb", source, "--recipe", recipe).stdout == plain
    assert run("perturb", source, "--recipe", recipe, "--seed", "0").stdout != plain
    recipe.write_text("sed = 3\n", encoding="utf-8")
    assert "recipe.toml: no key called 'sed'; did you mean 'seed'" in fails(2, "perturb", source, "--recipe", recipe)


def test_options_of_attacks(source: Path) -> None:
    arguments = ("perturb", source, "--attack", "butterfingers", *FAST)
    plain = run(*arguments, "--probability", "0.4").stdout
    assert run(*arguments, "--set", "butterfingers.probability=0.4").stdout == plain
    assert "no option of butterfingers called 'layout'" in fails(2, *arguments, "--set", "butterfingers.layout=x")
    assert "'x' is not a number" in fails(2, *arguments, "--set", "butterfingers.probability=x")
    assert "did you mean 'butterfingers'" in fails(2, *arguments, "--set", "butterfinger.probability=0.1")
    assert "--attack butterfingers: is given twice; name it once" in fails(2, *arguments, "--attack", "butterfingers")


# errors


def test_unknown_names_are_refused_with_a_suggestion(source: Path) -> None:
    assert "no attack called 'buterfingers'; did you mean 'butterfingers'" in fails(
        2, "perturb", source, "--attack", "buterfingers"
    )
    case = ("perturb", source, "--attack", "case")
    assert "did you mean 'named_entities'" in fails(2, *case, "--constraint", "named_entitys")
    assert "did you mean 'winograd'" in fails(2, *case, "--task", "vinograd")
    assert "did you mean 'navec'" in fails(2, *case, "--similarity", "navek")
    assert "did you mean 'paper'" in fails(2, *case, "--schedule", "papers")
    assert "no attack; name one with --attack" in fails(2, "perturb", source)
    assert "contradict" in fails(2, *case, "--constraint", "named_entities", "--no-constraints")


@pytest.mark.parametrize("probability", ["1.5", "-0.1", "nan", "inf"])
def test_probabilities_out_of_range(source: Path, probability: str) -> None:
    assert "needs a number from 0 to 1" in fails(2, "perturb", source, "--attack", "case", "--probability", probability)


def test_files_that_cannot_be_read_or_written(source: Path, tmp_path: Path) -> None:
    case = ("--attack", "case", *FAST)
    assert "no such file" in fails(2, "perturb", tmp_path / "nothing", *case)
    assert "is a folder" in fails(2, "perturb", tmp_path, *case)
    assert "is no file" in fails(2, "perturb", source, *case, "-o", tmp_path)
    assert "is no file" in fails(2, "perturb", source, *case, "-o", "")
    assert "does not exist" in fails(2, "perturb", source, *case, "-o", tmp_path / "no" / "out.jsonl")
    before = source.read_bytes()
    assert "is read by this run" in fails(2, "perturb", source, *case, "-o", source)
    link = tmp_path / "link.jsonl"
    link.symlink_to(source)
    assert "is read by this run" in fails(2, "perturb", source, *case, "-o", link)
    assert source.read_bytes() == before


def test_a_link_in_a_circle_is_one_line(source: Path, tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    case = ("--attack", "case", *FAST)
    said = fails(2, "perturb", source, *case, "-o", tmp_path / "a")
    assert f"-o {tmp_path / 'a'}: is a link that leads in a circle" in said
    out = tmp_path / "out.jsonl"
    assert "leads in a circle" in fails(2, "perturb", source, *case, "-o", out, "--report", tmp_path / "a")
    assert "no such file" in fails(2, "perturb", tmp_path / "a", *case)
    assert (tmp_path / "a").is_symlink()


def test_a_seed_of_any_size_stands_in_the_report(source: Path, tmp_path: Path) -> None:
    seed = 10**30 + 7
    files = ("-o", tmp_path / "out.jsonl", "--report", tmp_path / "report.json")
    assert run("perturb", source, "--attack", "case", *FAST, *files, "--seed", str(seed)).returncode == 0
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["seed"] == seed
    assert rows_of((tmp_path / "out.jsonl").read_bytes())[0]["augment"]["seed"] == seed


RULES = (folder("constraints") / "negation.toml").read_text(encoding="utf-8")
KEYS = (folder("dictionaries") / "keyboard_ru.tsv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("recipe.toml", 'attack = ["case"]\n', ("--recipe", "{file}")),
        ("rules.toml", RULES, ("--attack", "case", "--constraint", "{file}")),
        ("keys.tsv", KEYS, ("--attack", "butterfingers", "--set", "butterfingers.layouts={file}")),
        ("words.txt", "кот\n", ("--attack", "masking", "--set", "masking.targets={file}")),
    ],
)
def test_no_file_that_options_name_is_written(
    source: Path, tmp_path: Path, name: str, content: str, options: tuple[str, ...]
) -> None:
    (tmp_path / "read").mkdir()
    file = tmp_path / "read" / name
    file.write_text(content, encoding="utf-8")
    before = file.read_bytes()
    filled = [option.format(file=file) for option in options]
    for output in (("-o", file), ("-o", tmp_path / "out.jsonl", "--report", file)):
        assert "is read by this run" in fails(2, "perturb", source, *filled, *output)
    assert file.read_bytes() == before
    assert not (tmp_path / "out.jsonl").exists()


BAD = (
    (b"{bad", "not JSON"),
    (b"[1]", "not an object"),
    (b'{"text": 5}', "field 'text' holds a number"),
    (b'{"id": 1}', "no field 'text'"),
    (b'{"text": "\xff"}', "not UTF-8"),
    (rb'{"text": "\ud800"}', "lone surrogate U+D800 at character 0"),
    (b'{"text": "a\x00b"}', "not JSON"),
    (b'{"text": "x", "augment": 1}', "a field 'augment' already"),
    (b'{"text": "x yz", "plausible": {"text": "yz", "start": 2}}', "field 'plausible.start' holds a place in 'text'"),
)


@pytest.mark.parametrize(("line", "message"), BAD)
def test_a_bad_line_stops_the_run_and_leaves_no_file(tmp_path: Path, line: bytes, message: str) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'{"text": "one"}\n\n' + line + b'\n{"text": "two"}\n')
    said = fails(1, "perturb", path, "--attack", "case", *FAST, "-o", tmp_path / "out.jsonl")
    assert "line 3: " in said
    assert message in said
    assert [entry.name for entry in tmp_path.iterdir()] == ["in.jsonl"]


def test_rows_with_warnings_are_counted(tmp_path: Path) -> None:
    row = {"text": "Ваза, которую вчера купила мама, упала.", "answer": "ваза", "label": 1, "options": ["ваза", "мама"]}
    path = write(tmp_path / "in.jsonl", {**row, "reference": "который"}, row)
    done = run("perturb", path, "--attack", "case", "--attack", "eda_swap", "-o", tmp_path / "out.jsonl")
    assert "; 1 row with warnings; " in done.stderr.decode()
    warned = [bool(row["augment"].get("warnings")) for row in rows_of((tmp_path / "out.jsonl").read_bytes())]
    assert warned == [True, True, False, False]


def test_skip_writes_rejects_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'{"text": "zero"}\n' + b"".join(line + b"\n" for line, _ in BAD) + b'{"text": "last"}\n')
    out = tmp_path / "out.jsonl"
    done = run("perturb", path, "--attack", "case", *FAST, "-o", out, "--on-error", "skip")
    assert done.returncode == 1
    assert f"{len(BAD)} lines skipped" in done.stderr.decode()
    assert len(rows_of(out.read_bytes())) == 2
    rejects = rows_of((tmp_path / "out.rejects.jsonl").read_bytes())
    assert [reject["line"] for reject in rejects] == list(range(2, 2 + len(BAD)))
    for reject, (line, message) in zip(rejects, BAD, strict=True):
        assert message in reject["reason"]
        raw = bytes.fromhex(reject["raw_hex"]) if "raw_hex" in reject else reject["raw"].encode()
        assert raw == line
    assert "needs -o" in fails(2, "perturb", path, "--attack", "case", "--on-error", "skip")


def test_rejects_never_replace_the_input(tmp_path: Path) -> None:
    path = write(tmp_path / "out.rejects.jsonl", {"text": "one"})
    said = fails(2, "perturb", path, "--attack", "case", *FAST, "-o", tmp_path / "out.jsonl", "--on-error", "skip")
    assert "is read by this run" in said
    with path.open("rb") as stream:
        command = [sys.executable, "-m", "augment_ru", "perturb", "-", "--attack", "case", *FAST, "-o", str(path)]
        done = subprocess.run(command, stdin=stream, capture_output=True, check=False)
    assert (done.returncode, b"is read by this run" in done.stderr) == (2, True)


def test_a_link_stays_a_link_and_permissions_stay(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.jsonl"
    target.write_text("old\n", encoding="utf-8")
    target.chmod(0o600)
    link = tmp_path / "link.jsonl"
    link.symlink_to(target)
    assert run("perturb", source, "--attack", "case", *FAST, "-o", link).returncode == 0
    assert link.is_symlink()
    assert len(rows_of(target.read_bytes())) == len(SENTENCES)
    assert target.stat().st_mode & 0o777 == 0o600


def test_recipes_are_checked_like_options(source: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    for content, message in (
        ('meta = "foo"', "'foo' is not one of"),
        ('on-error = "sikp"', "'sikp' is not one of"),
        ("limit = -3", "-3 is not in the range"),
        ('seed = "x"', "'seed' is 'x'; it must be an integer"),
        ("[attack]", "'attack' is {}; it must be a text or a list of texts"),
    ):
        recipe.write_text(content, encoding="utf-8")
        assert message in fails(2, "perturb", source, "--attack", "case", "--recipe", recipe)


def test_a_pipe_is_answered_row_by_row_and_a_limit_does_not_wait_for_the_next() -> None:
    command = ["perturb", "-", "--attack", "case", *FAST, "--limit", "3"]
    with started(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(3):
            process.stdin.write(f'{{"text": "кошка спит {number}"}}\n'.encode())
            process.stdin.flush()
            assert str(number) in json.loads(process.stdout.readline())["text"]
        assert process.wait(PATIENCE) == 0  # with its input still open


def test_a_closed_standard_stream_is_one_line(source: Path) -> None:
    command = f"{sys.executable} -m augment_ru perturb - --attack case <&-"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False)
    assert done.stderr.decode().startswith("augment-ru: error: stdin: is closed")
    done = subprocess.run(
        [sys.executable, "-m", "augment_ru", "list"],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "latin1"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert source.exists()


def test_without_rejected_lines_there_is_no_rejects_file(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert run("perturb", source, "--attack", "case", *FAST, "-o", out, "--on-error", "skip").returncode == 0
    assert {entry.name for entry in tmp_path.iterdir()} == {"in.jsonl", "out.jsonl"}
    stale = tmp_path / "out.rejects.jsonl"  # of a run before: it would pass for this one's
    stale.touch()
    assert run("perturb", source, "--attack", "case", *FAST, "-o", out, "--on-error", "skip").returncode == 0
    assert not stale.exists()


def test_empty_files_byte_order_marks_and_carriage_returns(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    for data, count in (
        (b"", 0),
        (b"\n\n", 0),
        (b"\xef\xbb\xbf", 0),
        (b'\xef\xbb\xbf{"text": "a"}\r\n{"text":"b"}', 2),
    ):
        path.write_bytes(data)
        done = run("perturb", path, "--attack", "case", *FAST)
        assert (done.returncode, len(rows_of(done.stdout))) == (0, count)


def test_a_huge_line_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'{"text": "' + b"a" * 50_000_000 + b'"}\n')
    assert "line 1: too long; the longest line may have" in fails(1, "perturb", path, "--attack", "case", *FAST)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_clear_line(source: Path) -> None:
    assert "No space left" in fails(1, "perturb", source, "--attack", "case", *FAST, "-o", "/dev/full")


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs /dev/stdout")
def test_what_a_shell_writes_to_a_file_before_and_after_stays(source: Path, tmp_path: Path) -> None:
    command = (sys.executable, "-m", "augment_ru", "perturb", str(source), "--attack", "case", *FAST)
    with (tmp_path / "out").open("wb") as out:
        for line in ("header", "footer"):
            out.write(f"{line}\n".encode())
            out.flush()
            subprocess.run([*command, "-o", "/dev/stdout", "--limit", "1"], stdout=out, check=True)
            out.seek(0, os.SEEK_END)
    lines = (tmp_path / "out").read_text(encoding="utf-8").splitlines()
    assert lines[::2] == ["header", "footer"]
    assert all(json.loads(line)["text"] for line in lines[1::2])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_an_interrupted_run_leaves_no_file_that_looks_complete(tmp_path: Path, number: int, code: int) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("old\n", encoding="utf-8")
    command = ["perturb", "-", "--attack", "case", *FAST, "-o", str(out)]
    with started(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b'{"text": "one two three"}\n' * 3000)
        process.stdin.flush()
        wait_until(lambda: any(path.stat().st_size for path in tmp_path.glob(".out.jsonl.*.part")))
        process.send_signal(number)
        assert process.wait(PATIENCE) == code
        said = process.stderr.read().decode() if process.stderr else ""
    assert (out.read_text(encoding="utf-8"), "Traceback" in said) == ("old\n", False)
    if number != signal.SIGKILL:
        assert "no output file was written, and" in said
        assert [entry.name for entry in tmp_path.iterdir()] == ["out.jsonl"]
    left = list(tmp_path.glob(".out.jsonl.*.part"))
    assert len(left) == (number == signal.SIGKILL)
    other = tmp_path / ".out.jsonl.mine.part"
    other.touch()
    write(tmp_path / "in.jsonl", {"text": "one"})
    assert run("perturb", tmp_path / "in.jsonl", "--attack", "case", *FAST, "-o", out).returncode == 0
    assert list(tmp_path.glob(".out.jsonl.*.part")) == [other], "a file of another name is another's"


def test_a_signal_after_the_rename_says_what_was_written(source: Path, tmp_path: Path) -> None:
    out, report = tmp_path / "out.jsonl", tmp_path / "report"
    os.mkfifo(report)  # the run waits there for a reader, when its output has its name already
    command = ["perturb", str(source), "--attack", "case", *FAST]
    with started([*command, "-o", str(out), "--report", str(report)], stderr=subprocess.PIPE) as process:
        wait_until(out.exists)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 143
        said = process.stderr.read().decode() if process.stderr else ""
    assert f"terminated; {out}: written, and output on stdout, if any, is incomplete" in said
    assert "no output file" not in said


@pytest.mark.parametrize(("number", "ending"), [("SIGINT", "KeyboardInterrupt"), ("SIGTERM", "Terminated")])
def test_a_signal_that_meets_a_finaliser_is_not_lost(number: str, ending: str) -> None:
    code = f"""
import os, signal, time
from augment_ru.__main__ import _prepare
class Held:
    def __del__(self):
        os.kill(os.getpid(), signal.{number})
        time.sleep(0.01)
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
_prepare()
try:
    Held()
    time.sleep(30)
except BaseException as error:
    print(type(error).__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=20)
    assert (done.stdout.decode().strip(), done.stderr.decode()) == (ending, "")


def test_a_hangup_is_ignored_under_nohup() -> None:
    command = [sys.executable, "-m", "augment_ru", "perturb", "-", "--attack", "case", *FAST]
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"text": "' + "Кошка спит. ".encode() * 8000 + b'"}\n{"text": "')
    process.stdin.flush()  # more than a pipe holds: the run reads
    process.send_signal(signal.SIGHUP)
    process.stdin.write("Кошка спит.".encode() + b'"}\n')
    assert process.communicate(timeout=PATIENCE)[0].count(b"\n") == 2
    assert process.returncode == 0


@pytest.mark.parametrize("command", ["perturb {} --attack case --no-constraints --similarity none", "list -v"])
def test_a_closed_pipe_ends_quietly_with_its_code(command: str, tmp_path: Path) -> None:
    many = write(tmp_path / "many.jsonl", *({"id": number, "text": "Кошка спит на окне."} for number in range(5000)))
    with started(command.format(many).split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(PATIENCE) == 141
        assert process.stderr.read() == b""


def test_debug_shows_the_traceback(source: Path) -> None:
    assert b"Traceback" in run("perturb", source, "--attack", "no", "--debug").stderr


# other commands


def test_list_explain_and_check() -> None:
    listed = run("list", "-v").stdout.decode()
    assert all(name in listed for name in (*ATTACKS, "named_entities", "navec", "multiq"))
    assert "--set butterfingers.probability=0.15" in run("list", "attacks", "-v").stdout.decode()
    said = run("explain", "Вчера Анна кормила 2 кошек.", "--attack", "emojify", "--probability", "1").stdout.decode()
    assert "PER" in said
    assert "[-2-]{+2️⃣+}" in said
    said = run("explain", "Вчера Анна кормила кошек.", "--attack", "butterfingers").stdout.decode()
    assert "dropped: touches a protected span" in said
    assert "not applied" in said
    done = run("check")
    assert (done.returncode, done.stdout) == (0, b"")


def test_no_text_and_no_label_commands_the_terminal(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        'why = "…"\n[[rule]]\nlabel = "[/red]\\u001b[31m"\npattern = [{ LOWER = "кот" }]\n', encoding="utf-8"
    )
    done = run("explain", "кот \x1b[31mспит \x07тут", "--attack", "case", "--constraint", rules, "--similarity", "none")
    assert done.returncode == 0, done.stderr.decode()
    said = done.stdout.decode()
    assert "[/red]␛[31m" in said
    assert "␛[31mспит" in said
    assert not {"\x1b", "\x07"} & set(said)
    path = tmp_path / "in.jsonl"
    path.write_text('{"\\u001b[2Jfield": 1, "a\\u202eb": 2}\n', encoding="utf-8")
    assert r"\x1b[2Jfield, a\u202eb" in fails(1, "perturb", path, "--attack", "case")


def test_check_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_text("# Source: us. Licence: CC0.\nб\tx\nа\tx\nа\ty\n", encoding="utf-8")
    done = run("check", path)
    assert done.returncode == 1
    assert done.stdout.decode().split("\n")[:2] == [
        "words.tsv: line 3: not sorted: а after б",
        "words.tsv: line 4: а stands twice",
    ]


def test_help_loads_nothing_heavy() -> None:
    code = "import sys; sys.argv = ['augment-ru', '--help']; from augment_ru.cli.main import cli\ntry: cli()\n"
    code += "except SystemExit: pass\nprint(sorted({'numpy', 'spacy', 'natasha', 'rich', 'torch'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.decode().strip().endswith("[]")


@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="torch computes with OpenBLAS there")
@pytest.mark.parametrize(
    ("given", "threads"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3"), ({"OMP_NUM_THREADS": "2"}, "None")]
)
def test_numpy_gets_one_thread_unless_the_environment_says_otherwise(given: dict[str, str], threads: str) -> None:
    code = "import os, sys; sys.argv = ['augment-ru', '--version']; from augment_ru.__main__ import main\ntry: main()\n"
    code += "except SystemExit: print('numpy' in sys.modules, os.environ.get('OPENBLAS_NUM_THREADS'))"
    rest = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env={**rest, **given})
    assert done.stdout.decode().splitlines()[-1] == f"False {threads}"


@pytest.mark.parametrize("command", ["perturb", "attack", "evaluate", "calibrate", "explain"])
def test_the_help_of_many_options_groups_them(command: str) -> None:
    said = run(command, "--help").stdout.decode()
    headings = re.findall(r"(?m)^(\w[\w ]*):$", said)
    assert headings[-1] == "Other options"
    assert {"Attack", "Gate", "Scale"} <= set(headings) or {"Input", "Output"} <= set(headings)
    assert re.findall(r"(?m)^  -.*", said.partition("Other options:")[2]) == [
        "  -h, --help  Show this message and exit."
    ]
    params = [one for one in cli.commands[command].params if isinstance(one, click.Option) and not one.hidden]
    assert all(re.search(rf"(?m)^  (-\w, )?{re.escape(one.opts[-1])}\b", said) for one in params)


@pytest.mark.parametrize("command", ["perturb", "list", "check", "explain"])
def test_every_command_has_help(command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert b"Usage: augment-ru" in done.stdout


# real rows in published formats, where they are at hand


@pytest.fixture(scope="module")
def warm() -> None:
    """What the attacks read once, read in this process, so that its copies need not."""
    for attack in OFFLINE:
        list(Augmenter(attack, similarity="none").records([{"text": "Кошка Маша спит на окне."}]))


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no folder of sample rows")
@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("chegeka", ["question"]),
        ("danet_qa", ["passage", "question"]),
        ("multiq", ["main_text", "question", "support_text"]),
        ("openbook", ["question"]),
        ("per_ethics", ["text"]),
        ("rwsd", ["text"]),
        ("sit_ethics", ["text"]),
        ("winograd", ["text"]),
        ("worldtree", ["question"]),
    ],
)
def test_published_rows_keep_all_but_their_texts(name: str, fields: list[str], tmp_path: Path) -> None:
    path = tmp_path / f"{name}.jsonl"
    shutil.copy(SAMPLES / f"{name}.jsonl", path)
    attacks = third(OFFLINE, len(name))
    arguments = [argument for attack in attacks for argument in ("--attack", attack)]
    done = run("perturb", path, *arguments, "--probability", "0.3", "--similarity", "none")
    assert done.returncode == 0, done.stderr.decode()
    inputs = rows_of(path.read_bytes())
    outputs = rows_of(done.stdout)
    assert len(outputs) == len(inputs) * len(attacks)
    for number, row in enumerate(outputs):
        old = inputs[number // len(attacks)]
        metadata = row.pop("augment")
        assert list(row) == list(old)
        assert sorted(metadata["source"]) == fields
        for key in old.keys() - set(fields) - {"bridge_answers", "main_answers", "target"}:
            assert row[key] == old[key]
    untouched = run("perturb", path, "--attack", "case", "--probability", "0", "--meta", "none").stdout
    assert untouched.rstrip(b"\n") == path.read_bytes().replace(b"\r\n", b"\n").rstrip(b"\n")


GREEDY = '''"""«кот» → «котт»."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from augment_ru import Attack, Proposals


@dataclass(frozen=True)
class Greedy(Attack):
    """Doubles the last letter of each word; an odd text takes all memory."""

    name: ClassVar[str] = "greedy"
    probability: float = 1.0

    def propose_batch(self, batch, streams):
        if any("ъъъ" in text for text in batch.texts):
            np.zeros(10**15)
        _, stops = batch.words
        letters = [chr(code) for code in batch.codes[stops - 1].tolist()]
        return Proposals.of_edits(stops, stops, batch.draw(streams, stops), letters)
'''


@pytest.mark.parametrize("workers", [(), ("--workers", "2")])
@pytest.mark.parametrize("name", ["in.jsonl", "in.csv"])
def test_a_row_that_memory_is_too_small_for_is_rejected_by_name(
    workers: tuple[str, ...], name: str, tmp_path: Path
) -> None:
    (tmp_path / "greedy.py").write_text(GREEDY, encoding="utf-8")
    texts = ["Раз", "Два", "Три", "Ъъъ ъъъ", "Пять", "Шесть", "Семь"]
    rows = [f'{{"text": "{text}"}}' for text in texts] if name.endswith("jsonl") else ["text", *texts]
    (tmp_path / name).write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    command = ("perturb", name, "--attack", "greedy.py", *FAST, *workers)
    done = run(*command, "-o", "out.jsonl", "--on-error", "skip", cwd=tmp_path, forks=True)
    assert done.returncode == 1
    out = [row["text"] for row in rows_of((tmp_path / "out.jsonl").read_bytes())]
    assert out == ["Разз", "Дваа", "Трии", "Пятьь", "Шестьь", "Семьь"]
    (reject,) = rows_of((tmp_path / "out.rejects.jsonl").read_bytes())
    assert (reject["line"], reject["reason"]) == (
        rows.index(next(row for row in rows if "Ъъъ" in row)) + 1,
        "out of memory: its texts have 7 characters; split them, or run on a larger machine",
    )
    assert re.search(rb"6 rows in; 6 perturbed, 0 unchanged, 0 rejected; 1 line skipped", done.stderr)
    failed = run(*command, "-o", "out2.jsonl", cwd=tmp_path, forks=True)
    assert (failed.returncode, not (tmp_path / "out2.jsonl").exists()) == (1, True)
    assert f"{name}: line {reject['line']}: out of memory: its texts have 7 characters" in failed.stderr.decode()
