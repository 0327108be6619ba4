"""Releases of a benchmark of one's own: its task and prompt files are in the folder, which needs nothing else."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from augment_ru import AugmentError, evaluate
from augment_ru.jobs.check import file_problems, prompts_of_files
from augment_ru.prompting.prompt_file import prompt_of, unfit
from augment_ru.records.task import Task, read_task_file
from augment_ru.release.build import BuildReport
from augment_ru.release.manifest import file_digest, read_manifest
from augment_ru.release.verify import verify_release
from releases import built, write_rows

ROWS = [
    {"passage": "Кошка Мурка спала на тёплой печке до самого утра.", "asked": "Где спала кошка?", "reply": "на печке"},
    {
        "passage": "Старый лодочник перевёз детей через реку.",
        "asked": "Кто перевёз детей?",
        "reply": "лодочник",
    },
    {"passage": "Зимой в посёлке рано темнеет и часто идёт снег.", "asked": "Что часто идёт зимой?", "reply": "снег"},
]
TASK = """
fields = ["passage", "asked"]
keys = ["passage", "asked", "reply"]
constraints = []
gold = ["reply"]
metrics = ["f1", "exact_match"]
kept = ["reply"]
"""
PROMPT = 'template = "Отрывок: {passage}\\nСпрашивается: {asked}\\nКоротко: {label}"\ntokens = [20, 40]\n'
RECIPE = """
name = "mine"
licence = "apache-2.0"
[shots]
k = [1]
episodes = 1
[[attack]]
spec = "butterfingers"
[[task]]
name = "reading"
train = "train.jsonl"
test = "test.jsonl"
task = "files/qa.toml"
prompt = "files/short.toml"
"""


def recipe(folder: Path, text: str = RECIPE, *, task: str = TASK, prompt: str = PROMPT) -> Path:
    """A recipe with its files."""
    (folder / "files").mkdir(parents=True, exist_ok=True)
    write_rows(folder / "train.jsonl", ROWS)
    write_rows(folder / "test.jsonl", ROWS)
    (folder / "files" / "qa.toml").write_text(task, encoding="utf-8")
    (folder / "files" / "short.toml").write_text(prompt, encoding="utf-8")
    path = folder / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release whose inputs are gone."""
    folder = tmp_path_factory.mktemp("mine")
    built(recipe(folder / "in"), folder / "out")
    shutil.rmtree(folder / "in")
    return folder / "out"


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy"


def test_it_is_verified_and_rebuilt_with_nothing_but_the_folder(made: Path) -> None:
    assert list(verify_release(made, rebuild=3)) == []


def test_task_and_prompt_files_are_copied_and_digested(made: Path) -> None:
    content = read_manifest(made / "manifest.json")
    for given in ("files/qa.toml", "files/short.toml"):
        own = f"own/{Path(given).name}"
        digest = file_digest(made / own)
        assert content["data"][given] == content["files"][own]["sha256"] == digest
    assert (made / "own" / "qa.toml").read_text(encoding="utf-8") == TASK
    assert (made / "own" / "short.toml").read_text(encoding="utf-8") == PROMPT
    (task,) = content["tasks"]
    assert (task["task"], task["gold"], task["metrics"]) == ("qa", ["reply"], ["f1", "exact_match"])


def test_what_the_task_file_keeps_is_protected(made: Path) -> None:
    entries = [json.loads(line) for line in (made / "reading" / "edits.jsonl").read_text("utf-8").splitlines()]
    protected = [entry["protected"] for entry in entries if entry["status"] == "original"]
    spans = [ROWS[1]["passage"][start:stop] for start, stop, _ in protected[1]["passage"]]
    assert spans == ["лодочник"]


def test_the_harness_asks_in_the_words_of_the_prompt_file(made: Path) -> None:
    asked = (made / "lm_eval" / "_reading.yaml").read_text(encoding="utf-8")
    assert "Отрывок: {{text_passage}}\\nСпрашивается: {{text_asked}}\\nКоротко:" in asked
    assert "max_gen_toks: 20" in asked


def test_a_task_that_no_prompt_fits_is_not_exported(tmp_path: Path) -> None:
    """The build and the card say so, in one line each."""
    text = RECIPE.replace('prompt = "files/short.toml"\n', "")
    report = built(recipe(tmp_path, text), tmp_path / "out")
    why = "no prompt fits: the answers are no labels"
    assert report.prompts == (
        f"not exported to lm-evaluation-harness: reading ({why}); name a prompt file: `prompt` of its [[task]]"
    )
    assert not (tmp_path / "out" / "lm_eval").exists()
    assert f"| `reading` | – | {why} |" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert list(verify_release(tmp_path / "out", rebuild=1)) == []


def test_the_build_and_the_card_say_which_prompt_a_task_has(made: Path) -> None:
    assert read_manifest(made / "manifest.json")["prompts"] == [{"task": "reading", "prompt": "short", "problem": ""}]
    assert "| `reading` | `short` | – |" in (made / "README.md").read_text(encoding="utf-8")
    assert BuildReport(read_manifest(made / "manifest.json")).prompts == "prompts: reading short"


def test_a_task_file_names_a_prompt_file_beside_it(tmp_path: Path) -> None:
    """Models and `check` take it at once; a release needs its name in the recipe, too, to hold it."""
    named = TASK + 'prompt = "short.toml"\n'
    path = recipe(tmp_path, task=named)
    file = path.parent / "files" / "qa.toml"
    assert prompt_of(read_task_file(file)).name == "short"
    assert list(file_problems([file])) == []
    assert prompts_of_files([file]) == f"{file}: the prompt short"
    built(path, tmp_path / "out")
    shutil.rmtree(path.parent / "files")
    assert list(verify_release(tmp_path / "out", rebuild=1)) == []
    assert evaluate(tmp_path / "out" / "reading", {"majority": "majority"}).report()["task"] == "qa"


def test_check_says_that_the_generic_prompt_does_not_fit(tmp_path: Path) -> None:
    recipe(tmp_path)
    file = tmp_path / "files" / "qa.toml"
    said = 'the prompt generic does not fit, as the answers are no labels; name a prompt file: prompt = "FILE.toml"'
    assert prompts_of_files([file]) == f"{file}: {said}"


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({}, ""),
        ({"metrics": ["f1"]}, "the answers are no labels"),
        ({"gold": ["a", "b"]}, "there are several answers"),
        ({"norms": ["law", "good"]}, "there are several answers"),
        ({"options": ["text"]}, "there are options"),
        ({"option_fields": ["one", "two"]}, "there are options"),
        ({"fields": ["text", "title"]}, "there are several texts"),
        ({"fields": ["texts[]"]}, "there are several texts"),
        ({"fields": ["text", "title"], "prompt": "rcb"}, ""),
    ],
)
def test_the_generic_prompt_fits_one_text_with_a_label(keys: dict[str, Any], reason: str) -> None:
    assert unfit(Task.of("mine", **{"fields": ["text"], **keys})) == reason


def test_evaluate_reads_the_task_from_the_folder(made: Path) -> None:
    report = evaluate(made / "reading", {"majority": "majority"}).report()
    assert (report["task"], report["metrics"], report["originals"]) == ("qa", ["f1", "exact_match"], len(ROWS))
    assert report["specs"] == {"butterfingers": "butterfingers"}


@pytest.mark.parametrize("name", ["qa.toml", "short.toml"])
def test_a_changed_or_missing_file_is_named(copy: Path, name: str) -> None:
    path = copy / "own" / name
    before = path.read_bytes()
    path.write_bytes(before + b"# more\n")
    assert list(verify_release(copy)) == [f"own/{name}: was changed"]
    path.write_bytes(b"fields = 5\n")
    assert list(verify_release(copy)) == [f"own/{name}: was changed"]
    path.unlink()
    assert list(verify_release(copy)) == [f"own/{name}: is missing"]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"task": TASK.replace("fields", "feilds", 1)}, "[[task]] 'reading': qa.toml: no key called 'feilds'"),
        ({"task": TASK.replace("[]", '["rules.toml"]')}, "names the rule file rules.toml; name it in constraints"),
        ({"task": TASK.replace("[]", '["python:mine:rule"]')}, "code is imported only if"),
        ({"task": 'name = "multiq"\n' + TASK}, "'multiq' is the name of a task"),
        (
            {"prompt": 'template = "{passage}"\nlabel = 1'},
            "[[task]] 'reading': files/short.toml: no key called 'label'",
        ),
        (
            {"task": TASK + 'prompt = "short.toml"', "text": RECIPE.replace('prompt = "files/short.toml"\n', "")},
            'names the prompt file files/short.toml; write prompt = "files/short.toml" in its [[task]]',
        ),
        ({"task": TASK + 'prompt = "../files/short.toml"'}, "is no file beside the task file; put it there"),
        ({"task": TASK + 'prompt = "shrt"'}, "qa.toml: no prompt called 'shrt'"),
        ({"text": RECIPE.replace("files/qa.toml", "files/no.toml")}, "no.toml: cannot be read"),
        ({"text": RECIPE.replace("files/short.toml", "chegeka")}, "prompt: 'chegeka'; needs a prompt file of your own"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(tmp_path: Path, files: dict[str, str], said: str) -> None:
    with pytest.raises(AugmentError) as raised:
        built(recipe(tmp_path, **files), tmp_path / "out")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "out").exists()
