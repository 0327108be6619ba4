"""Code and schemas of a user's own: named on the command line and in Python, never by a recipe or a row."""

import shutil
import sys
from pathlib import Path

import pytest

from augment_ru import Augmenter, AugmentError, Chain
from augment_ru.engine.attack import make
from augment_ru.engine.presets import AttackChoice, Preset, run_of
from augment_ru.records.task import AnswerOffsets, Marks, Task, read_task_file, task_or_file
from augment_ru.registry import chain_names
from commands import fails, rows_of, run, write

ATTACK = '''"""Точка становится восклицанием: «Да.» → «Да!»."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from augment_ru import Attack, Edit, Span

Path(__file__).with_name("imported").touch()


@dataclass(frozen=True, slots=True)
class Shout(Attack):
    """Full stops become exclamation marks."""

    name: ClassVar[str] = "shout"
    probability: float = 1.0
    mark: str = "!"

    def propose(self, doc, rng):
        for at, char in enumerate(doc.text):
            if char == ".":
                yield rng.change(Edit(at, at + 1, self.mark))


def constant(references, candidates):
    return [0.9] * len(references)


def asides(row, docs):
    """What stands in brackets."""
    bracketed = re.compile(r"\\([^()]*\\)")
    return {name: [Span(*found.span()) for found in bracketed.finditer(doc.text)] for name, doc in docs.items()}


asides.examples = ["Пришёл [(опять)] поздно.", "Пришёл поздно."]
'''
TASK = """
fields = ["отзыв"]
keys = ["отзыв", "оценка"]
gold = ["оценка"]
constraints = ["named_entities"]
answers = [{ field = "ответы", text = "отзыв", label = "ANSWER" }]
marks = [{ text = "отзыв", pattern = "<[0-9]+>", label = "MARK", border = true }]
aliases = [["text", "отзыв"]]
"""
ROW = {"отзыв": "Анна купила хлеб. <1> Вкусно.", "оценка": 1, "ответы": []}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an attack, a task and a row, as the working folder."""
    (tmp_path / "shouting.py").write_text(ATTACK, encoding="utf-8")
    (tmp_path / "reviews.toml").write_text(TASK, encoding="utf-8")
    write(tmp_path / "rows.jsonl", ROW)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


@pytest.mark.parametrize("spec", ["shouting.py", "shouting.py:Shout", "python:shouting:Shout"])
def test_an_attack_of_a_file_or_module(spec: str) -> None:
    options = ("--set", "shout.mark=!!", "--task", "reviews.toml")
    done = run("perturb", "rows.jsonl", "--attack", f"{spec}+case", "--attack", spec, "--similarity", "none", *options)
    first, second = rows_of(done.stdout)
    assert first["augment"]["attack"] == "shout+case"
    assert second["отзыв"] == "Анна купила хлеб!! <1> Вкусно!!"
    assert Augmenter(spec, similarity=None)("Да.").text == "Да!"
    assert Augmenter(Chain((spec, "case")), similarity=None).attack.name == "shout+case"


def test_a_similarity_of_a_module() -> None:
    arguments = ["perturb", "rows.jsonl", "--attack", "shouting.py", "--task", "reviews.toml"]
    arguments += ["--similarity", "python:shouting:constant"]
    (row,) = rows_of(run(*arguments).stdout)
    assert (row["augment"]["similarity"], row["augment"]["scorer"]) == (0.9, "shouting.constant")
    (row,) = rows_of(run(*arguments, "--set", "python.threshold=0.95").stdout)
    assert row["augment"]["status"] == "rejected"
    assert "no option of python called 'function'" in fails(2, *arguments, "--set", "python.function=x")


@pytest.mark.parametrize("spec", ["shouting.py:asides", "python:shouting:asides"])
def test_a_constraint_of_a_file_or_module(place: Path, spec: str) -> None:
    source = write(place / "plain.jsonl", *({"text": f"Да. (Нет. {at}) Да."} for at in range(40)))
    arguments = ("perturb", source, "--attack", "shouting.py", "--similarity", "none", "--constraint", spec, "-o")
    run(*arguments, place / "one.jsonl")
    run(*arguments, place / "two.jsonl", "--workers", "2", "--part-size", "0.0001")
    rows = rows_of((place / "one.jsonl").read_bytes())
    assert [row["text"] for row in rows] == [f"Да! (Нет. {at}) Да!" for at in range(40)]
    assert rows[0]["augment"]["protected"]["text"] == [[4, 12, "ASIDES"]]
    assert (place / "two.jsonl").read_bytes() == (place / "one.jsonl").read_bytes()
    assert "ASIDES     asides" in run("explain", "Да. (Нет.)", "--attack", "case", "--constraint", spec).stdout.decode()
    assert run("check", spec).stderr == b"no problems\n"


def test_a_constraint_of_a_file_in_python() -> None:
    assert Augmenter("shouting.py", similarity=None, constraints="shouting.py:asides")("(Да.)").text == "(Да.)"
    assert Augmenter("shouting.py", similarity=None, constraints=["shouting.py:asides"])("(Да.)").text == "(Да.)"


FAILING = """
from augment_ru import Attack


class Raising(Attack):
    name = "raising"
    probability = 1.0

    def propose(self, doc, rng):
        raise ValueError("нет")


class NoRow(Raising):
    name = "no_row"

    def propose(self, doc, rng):
        return None


class NoDefault(Raising):
    name = "no_default"

    def __init__(self, needed):
        pass


class Taken(Raising):
    name = "case"


def raising(references, candidates):
    raise ValueError("нет")


def texts(references, candidates):
    return ["x"] * len(references)


def unknown(references, candidates):
    return [float("nan")] * len(references)


def large(references, candidates):
    return [1.5] * len(references)
"""


def test_code_that_fails_is_one_line(place: Path) -> None:
    (place / "failing.py").write_text(FAILING, encoding="utf-8")
    plain = ("perturb", write(place / "plain.jsonl", {"text": "Кошка спит на окне."}), "--similarity")
    for attack, code, problem in (
        ("Raising", 1, "attack 'raising' failed: ValueError: нет (--debug shows where)"),
        ("NoRow", 1, "attack 'no_row' failed: TypeError"),
        ("NoDefault", 2, "NoDefault cannot be made"),
        ("Taken", 2, "an attack called 'case' is there already"),
    ):
        for chain in ("", "case+"):
            assert problem in fails(code, *plain, "none", "--attack", f"{chain}failing.py:{attack}")
    for similarity, problem in (
        ("raising", "the similarity failed: ValueError: нет (--debug shows where)"),
        ("texts", "the similarity failed: ValueError"),
        ("unknown", "a score of nan; scores are numbers of at most 1"),
        ("large", "a score of 1.5"),
    ):
        assert problem in fails(1, *plain, f"failing.py:{similarity}", "--attack", "case")


def test_a_similarity_of_a_file_is_that_of_the_module(place: Path) -> None:
    source = write(place / "plain.jsonl", {"text": "Кошка спит на окне."})
    options = ("perturb", source, "--attack", "case", "--set", "python.threshold=0.5", "--similarity")
    of_file, of_module = (
        rows_of(run(*options, spec).stdout) for spec in ("shouting.py:constant", "python:shouting:constant")
    )
    assert of_file[0]["text"] == of_module[0]["text"] != "Кошка спит на окне."
    assert of_file[0]["augment"]["threshold"] == 0.5
    assert "no such function or class; the file has" in fails(2, *options, "shouting.py")
    assert "no such function or class; the file has" in fails(2, *options, "shouting.py:nothing")


def test_no_output_takes_the_place_of_code_or_of_a_task(place: Path) -> None:
    (place / "own.py").write_text(ATTACK, encoding="utf-8")
    (place / "own_task.toml").write_text('fields = ["text"]\n', encoding="utf-8")
    rows = write(place / "rows.jsonl", {"text": "Кошка спит."}, {"text": "Дождь кончился."})
    report = write(place / "report.jsonl", {"original": "Кошка спит.", "perturbed": "Кошка спит!"})
    own = ("--task", "own_task.toml", "--similarity", "none", "--attack")
    for command in (
        ("perturb", rows, *own, "own.py", "--report", "own.py"),
        ("perturb", rows, *own, "case+python:own:Shout", "--report", "own.py"),
        ("perturb", rows, *own, "case", "--report", "own_task.toml"),
        ("calibrate", rows, "--attack", "own.py", "--report", "own.py"),
        ("similarity", report, "--similarity", "python:own:constant", "-o", "own.py"),
        ("evaluate", rows, "--task", "own_task.toml", "--model", "random", "-o", "own_task.toml"),
    ):
        assert "is read by this run" in fails(2, *command)
    assert (place / "own.py").read_text(encoding="utf-8") == ATTACK


def test_a_recipe_never_imports(place: Path) -> None:
    recipe = place / "recipe.toml"
    for content in ('attack = "shouting.py"', 'attack = ["case", "case+python:shouting:Shout"]',
                    'attack = "case"\nsimilarity = "python:shouting:constant"'):  # fmt: skip
        recipe.write_text(content, encoding="utf-8")
        assert "never by a recipe or a row" in fails(2, "perturb", "rows.jsonl", "--recipe", recipe)
    own = 'constraint = "shouting.py:asides"'
    recipe.write_text(f'attack = "case"\n{own}', encoding="utf-8")
    assert "never by a recipe or a row" in fails(2, "perturb", "rows.jsonl", "--recipe", recipe)
    with pytest.raises(AugmentError, match="never by a recipe or a row"):
        Augmenter.from_recipe(recipe)
    (place / "own_task.toml").write_text('fields = ["text"]\nconstraints = ["shouting.py:asides"]', encoding="utf-8")
    with pytest.raises(AugmentError, match="never by a recipe or a row"):
        list(Augmenter("case").records([{"text": "Да."}], "own_task.toml"))
    with pytest.raises(AugmentError, match="never by a recipe or a row"):
        make("eda_delete", {"guards": ("shouting.py:asides",)})
    for attack, gate in (("shouting.py", "none"), ("case", "python:shouting:constant")):  # as a release is built
        with pytest.raises(AugmentError, match="never by a recipe or a row"):
            run_of(Preset(), [AttackChoice(attack)], gate)
    assert not (place / "imported").exists()


def test_what_is_wrong_with_code_is_one_line(place: Path) -> None:
    (place / "broken.py").write_text("1 / 0\n", encoding="utf-8")
    (place / "empty.py").write_text("from augment_ru import Attack\n", encoding="utf-8")
    for spec, problem in (
        ("nothing.py", "no such file"), ("broken.py", "ZeroDivisionError"), ("empty.py", "it has none"),
        ("shouting.py:constant", "is no class that inherits"), ("python:shouting", "must be python:package.module:n"),
        ("python:no_such_module:X", "cannot be imported"),
    ):  # fmt: skip
        with pytest.raises(AugmentError, match=problem):
            Augmenter(spec)


def test_a_task_of_a_file() -> None:
    assert task_or_file("reviews.toml") == Task.of(
        name="reviews",
        fields=("отзыв",),
        keys=frozenset({"отзыв", "оценка"}),
        gold=("оценка",),
        constraints=("named_entities",),
        answers=(AnswerOffsets("отзыв", "ответы", "ANSWER"),),
        marks=(Marks("отзыв", "<[0-9]+>", "MARK", border=True),),
        aliases=(("text", "отзыв"),),
    )
    (result,) = Augmenter("case", probability=1.0, similarity=None).records([ROW], "reviews.toml")
    assert "Анна" in result.text
    assert "<1>" in result.text


@pytest.mark.parametrize("name", ["Paper title", "п.п.", "Оценка (1..5)", "текст[ru]", "a.b[0][].c[d=e][-1]", "a[][0]"])
def test_a_field_may_have_any_name_of_a_column_or_a_path(name: str) -> None:
    assert Task.of("own", fields=[name], id=name).layout.fields == (name,)


def test_rule_files_of_a_task_file_may_stand_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tasks").mkdir()
    file = tmp_path / "tasks" / "mood.toml"
    file.write_text('fields = ["text"]\nconstraints = ["mine.toml", "numbers"]\n', encoding="utf-8")
    (tmp_path / "tasks" / "mine.toml").touch()
    monkeypatch.chdir(tmp_path)
    assert read_task_file(file).layout.constraints == (str(file.with_name("mine.toml")), "numbers")
    (tmp_path / "mine.toml").touch()
    assert read_task_file(file).layout.constraints == ("mine.toml", "numbers"), "as named, if it is there"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "'fields' is missing; it must be a list of texts"),
        ("field = ['a']", "no key called 'field'; did you mean 'fields'"),
        ("fields = ['a']\nlanguage = 'de'", "must be 'en' or 'ru'"),
        ("fields = ['a']\ncontains = ['a', '(']", "no regular expression"),
        ("fields = ['a']\naliases = [['a']]", "must be a list of lists of 2 texts"),
        ("fields = ['a']\nmetrics = ['f1', 'acuracy']", "no metric called 'acuracy'; did you mean 'accuracy'"),
        ("fields = ['a']\nmetrics = ['f1', 'accuracy']", "score answers of different kinds"),
        ("fields = ['a']\nmetrics = []", "must be a list of at least one text"),
        ("fields = ['ask..q']", r"'fields' is \['ask..q'\]; it must be made of keys and dots, with \[0\], "),
        ("fields = ['a', 'ask.opts[x]']", "must be made of keys and dots"),
        ("fields = ['a']\nkeys = ['a', 'b.c[']", "'keys' is .*; it must be made of keys and dots"),
        ("fields = ['a']\nid = '.id'", "'id' is '.id'; it must be made of keys and dots"),
        ("fields = ['a']\ngold = ['b[].c]']", "'gold' is .*; it must be made of keys and dots"),
        (
            "fields = ['a']\n[[marks]]\ntext = 'a..b'\npattern = 'x'\nlabel = 'X'",
            r"\[\[marks\]\] 1: 'text' is 'a..b'; ",
        ),
        ("fields = ['a']\noption_fields = ['b[]']\noption_labels = ['A']", "two or more if these are one list such as"),
        ("fields = ['a']\noption_fields = ['b', 'c']\noption_labels = ['A']", "a label for each of 'option_fields'"),
        ("fields = ['a']\noption_fields = ['b', 'c[]']\noption_labels = ['A', 'B']", "if these are one list such as"),
        ("fields = ['a']\noption_fields = ['b[].c[]']\noption_labels = ['A', 'B']", "if these are one list such as"),
        ("fields = ['a']\nprompt = 'danet'", "no prompt called 'danet'; did you mean 'danetqa'"),
        ("fields = ['a']\nname = 'danetqa'", "'danetqa' is the name of a task or an attack already"),
        ("fields = ['a']\nname = 'butterfingers'", "is the name of a task or an attack already"),
        ("fields = ['a']\nname = 'original'", "is the name of a task or an attack already"),
        ("fields = ['a']\nname = ' '", "must be a text of one line"),
        ("fields = ['a']\nshots = -1", "must be an integer from 0 on"),
        ("fields = ['a']\ntrained_on = 'tera'", "no task called 'tera'; did you mean 'terra'"),
        ("fields = ['a']\n[dialogue]\nid = 'a'", r"\[dialogue\]: 'turn' is missing"),
        ("fields = ['a']\n[[marks]]\ntext = 'a'", r"\[\[marks\]\] 1: 'pattern' is missing"),
    ],
)
def test_what_is_wrong_with_a_task_is_one_line(place: Path, content: str, problem: str) -> None:
    path = place / "wrong.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(AugmentError, match=problem):
        read_task_file(path)


def test_check_reads_a_task_file_as_one(place: Path) -> None:
    assert run("check", "reviews.toml").stderr == b"reviews.toml: the prompt generic\nno problems\n"
    (place / "wrong.toml").write_text("gold = ['a']\nmetrics = ['f1']", encoding="utf-8")
    assert "wrong.toml: 'fields' is missing" in run("check", "wrong.toml").stdout.decode()
    (place / "other.toml").write_text("fields = ['a']\nconstraints = ['no_such']", encoding="utf-8")
    assert "other.toml: no constraint called 'no_such'" in run("check", "other.toml").stdout.decode()
    (place / "typo.toml").write_text("feilds = ['a']", encoding="utf-8")
    said = "typo.toml: no key called 'feilds'; did you mean 'fields'?"
    assert run("check", "typo.toml").stdout.decode().startswith(said)


@pytest.mark.parametrize("folder", ["a+b", "c++", "shout+case"])
def test_a_plus_in_the_path_of_a_file_joins_nothing(place: Path, folder: str) -> None:
    (place / folder).mkdir()
    (place / "shouting.py").rename(place / folder / "shouting.py")
    path = f"{folder}/shouting.py"
    assert chain_names(path) == (path,)
    assert chain_names(f"case+{path}") == ("case", path)
    assert chain_names(f"{path}:Shout + {path}+case") == (f"{path}:Shout", path, "case")
    (row,) = rows_of(run("perturb", "rows.jsonl", "--attack", path, "--field", "отзыв", "--set", "shout.mark=?").stdout)
    assert row["augment"]["attack"] == "shout"
    assert "?" in row["отзыв"]
    chain = Augmenter(f"{path}+case", similarity=None).perturber.attack
    assert chain.name == "shout+case"


def test_a_file_behind_a_plus_is_taken_before_one_with_a_plus_in_its_name(place: Path) -> None:
    shutil.copy(place / "shouting.py", place / "case+shouting.py")
    assert chain_names("case+shouting.py") == ("case", "shouting.py")
    (place / "shouting.py").unlink()
    assert chain_names("case+shouting.py") == ("case+shouting.py",)
