"""What a user's files and code may hold is the same at every command: limits, encodings, what they print."""

import io
import math
from pathlib import Path

import pytest

from augment_ru import Augmenter, AugmentError, Edit, Script
from augment_ru.constraints import protection
from augment_ru.evaluation.examples import json_value
from augment_ru.evaluation.verdicts import read_votes
from augment_ru.formats import json_array, lines
from augment_ru.formats.json_lines import JsonLines
from augment_ru.records import patterns
from augment_ru.records.record import Record
from augment_ru.records.task import Task, _contains
from augment_ru.resources import file_text
from augment_ru.strict_tables import read_toml
from commands import run

PRINTS = '''"""«кот» → «кот»."""

from dataclasses import dataclass
from typing import ClassVar

from augment_ru import Attack


@dataclass(frozen=True)
class Prints(Attack):
    """Says what it does."""

    name: ClassVar[str] = "prints"
    probability: float = 1.0

    def propose(self, doc, rng):
        print("смотрю на", doc.text)
        return ()
'''


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a." * 20_000 + "a = 1", "a key of a hundred parts or more"),
        ("a = " + "[" * 5000 + "]" * 5000, "it is nested too deeply"),
        ("a = 1\n" * 2**18, "over 1,048,576 bytes"),
    ],
)
def test_a_toml_file_has_limits(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(AugmentError, match=message):
        read_toml(path)
    assert message in run("check", path).stderr.decode() + run("check", path).stdout.decode()


def test_a_text_file_is_utf_8_and_not_too_long(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes("\ufeffкот".encode())
    assert file_text(path) == "кот"
    with pytest.raises(AugmentError, match=r"words.txt: over 3 bytes"):
        file_text(path, most=3)
    path.write_bytes("кот".encode("cp1251"))
    with pytest.raises(AugmentError, match=r"words.txt: not UTF-8 at byte 0; save it as UTF-8"):
        file_text(path)
    with pytest.raises(AugmentError, match=r"not UTF-8"):
        read_votes(path)
    with pytest.raises(AugmentError, match=r"nowhere.txt: cannot be read .*; give the path of a text file"):
        file_text(tmp_path / "nowhere.txt")


def test_lines_and_blanks_without_an_end_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MOST_BLANKS", 5)
    monkeypatch.setattr(lines, "MAX_LINE", 8)
    monkeypatch.setattr(lines, "_LONGEST", 20)
    few = b'{"a": 1}\n' + b"\n" * 5 + b'{"a": 2}\n'
    assert len(list(lines.read_lines(io.BytesIO(few)))) == 2
    source = JsonLines(io.BytesIO(b"\n" * 7))
    with pytest.raises(AugmentError, match=r"line 6: 6 blank lines one after another; give a file of rows"):
        list(source)
    with pytest.raises(AugmentError, match=r"line 1: over 20 bytes without a line end"):
        list(lines.read_lines(io.BytesIO(b"a" * 60)))


def test_json_that_is_read_as_a_whole_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_array, "LONGEST_JSON", 10)
    with pytest.raises(AugmentError, match=r"over 10 bytes of JSON, which is read as a whole; give JSON lines"):
        json_array.json_source(io.BytesIO(b'[{"text": "a"}]'))


@pytest.mark.parametrize("value", [math.nan, math.inf, {"label": math.nan}, [0.5, -math.inf]])
def test_an_answer_of_a_model_is_finite(value: object) -> None:
    with pytest.raises(AugmentError, match=r"a prediction is -?(nan|inf); a model must return"):
        json_value(value)


def test_an_edit_has_whole_places() -> None:
    with pytest.raises(AugmentError, match="its places are no whole numbers"):
        Script("кошка", [Edit(0.5, 1.5, "x")])  # type: ignore[arg-type]


def test_a_regular_expression_of_a_rule_has_a_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "_PATIENCE", 0.05)
    with pytest.raises(AugmentError, match=r"REGEX .*: over a second for the text 'котк"):
        protection._TESTS["REGEX"](r"^(\w|\w\w)+$")("кот" * 30 + "!")  # noqa: SLF001


def test_a_regular_expression_of_a_task_file_has_a_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "_PATIENCE", 0.05)
    slow, text = r"^(\w|\w\w)+$", "кот" * 30 + "!"
    marks = Task.of("x", fields=["text"], marks=[{"text": "text", "pattern": slow, "label": "M"}])
    with pytest.raises(AugmentError, match=r"pattern .*: over a second for the text 'котк"):
        Record({"text": text}, marks).anchors()
    with pytest.raises(AugmentError, match=r"contains .*: over a second for the text 'котк"):
        _contains(Task.of("x", fields=["text"], contains=("text", slow)), {"text": text})


def test_what_an_attack_prints_is_no_row(tmp_path: Path) -> None:
    (tmp_path / "prints.py").write_text(PRINTS, encoding="utf-8")
    for workers in ((), ("--workers", "2")):
        done = run(
            *("perturb", "-", "--attack", "prints.py", "--meta", "none", *workers),
            stdin='{"text": "Кот."}\n'.encode(),
            cwd=tmp_path,
        )
        assert (done.returncode, done.stdout.decode()) == (0, '{"text": "Кот."}\n')


def test_a_deletion_joins_no_halves_of_flags() -> None:
    for text in ("Наш флаг: 🇷 кот🇺 и дом", "кот\n\u0308🇷домтолько🇷"):
        result = Augmenter("eda_delete", probability=1.0, similarity=None, constraints=())(text)
        assert "🇷🇺" not in result.text
        assert "🇷🇷" not in result.text


def test_a_text_that_is_too_long_to_be_judged_is_rejected_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("augment_ru.engine.prepare.LONGEST", 20)
    monkeypatch.setattr("augment_ru.jobs.row_work.LONGEST", 20)
    with pytest.raises(AugmentError, match="its texts have 29 characters; with constraints or a gate they may have 20"):
        Augmenter("case")("Старый кот вчера спал у дома.")
    assert Augmenter("case", constraints=(), similarity="none")("Старый кот вчера спал у дома.").text
    (tmp_path / "in.jsonl").write_text(
        '{"text": "Кот спит."}\n{"text": "Старый кот вчера спал у дома."}\n', encoding="utf-8"
    )
    command = ("perturb", "in.jsonl", "--attack", "case", "-o", "out.jsonl", "--on-error", "skip", "--meta", "none")
    assert run(*command, cwd=tmp_path).returncode == 1
    (reject,) = (tmp_path / "out.rejects.jsonl").read_text(encoding="utf-8").splitlines()
    assert (
        '"line":2,"reason":"its texts have 29 characters; with constraints or a gate they may have 20: split' in reject
    )
    assert len((tmp_path / "out.jsonl").read_bytes().splitlines()) == 1
    free = run(*command, "--no-constraints", "--similarity", "none", cwd=tmp_path)
    assert (free.returncode, len((tmp_path / "out.jsonl").read_bytes().splitlines())) == (0, 2)
