"""Releases: what is in them, that they are always the same, and that a killed build goes on."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import release_runs
from augment_ru import Augmenter, AugmentError
from augment_ru.engine.presets import preset
from augment_ru.records.task import task as task_of
from augment_ru.release.build import BuildReport
from augment_ru.release.release_recipe import parse_release_recipe, read_release_recipe
from commands import copied, fails, run, wait_until
from logs import Logs
from profiles import IS_FULL
from releases import EXAMPLE, QUESTIONS, RECIPE, built, contents, recipe, rows_of, write_rows

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "augment_ru"]


@pytest.fixture(scope="module")
def small(small_release: Path) -> Path:
    return small_release


@pytest.fixture(scope="module")
def manifest(small: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((small / "manifest.json").read_bytes())
    return loaded


def test_test_rows_stand_as_they_were_then_under_each_attack(small: Path, manifest: dict[str, Any]) -> None:
    plan = read_release_recipe(EXAMPLE / "small.toml")
    for part, task in zip(plan.tasks, manifest["tasks"], strict=True):
        given_rows = rows_of(EXAMPLE / part.test)
        rows = rows_of(small / part.name / "test.jsonl")
        names = [part.name, *(attack.name for attack in plan.attacks_of(part))]
        assert [row["perturbation"] for row in rows] == [name for name in names for _ in given_rows]
        assert all(row["episode"] == [] for row in rows)
        originals = [{k: v for k, v in row.items() if k not in ("perturbation", "episode", "canary")} for row in rows]
        assert originals[: len(given_rows)] == given_rows
        assert task["test"] == len(given_rows)


def test_a_row_is_what_the_augmenter_makes_of_it(small: Path) -> None:
    augmenter = Augmenter("eda_delete", seed=42)
    wanted = [result.row("none") for result in augmenter.records(rows_of(EXAMPLE / "hops" / "test.jsonl"), "multiq")]
    rows = [row for row in rows_of(small / "hops" / "test.jsonl") if row["perturbation"] == "eda_delete"]
    assert [{k: v for k, v in row.items() if k in wanted[0]} for row in rows] == wanted


def test_a_row_is_what_perturb_writes(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    source = EXAMPLE / "school" / "test.jsonl"
    options = ["--attack", "case+butterfingers", "--set", "case.probability=0.1", "--meta", "none"]
    options += ["--set", "butterfingers.probability=0.05"]
    assert run("perturb", source, "-o", out, *options).returncode == 0
    rows = [row for row in rows_of(small / "school" / "test.jsonl") if row["perturbation"] == "typos_in_chat"]
    assert [row["question"] for row in rows] == [row["question"] for row in rows_of(out)]


def test_train_rows_name_their_episodes_as_often_as_they_were_drawn(small: Path, manifest: dict[str, Any]) -> None:
    for task in manifest["tasks"]:
        assert [episode["shots"] for episode in task["episodes"]] == [0, 1, 1, 1, 4, 4, 4]
    for name in ("pronouns", "school", "hops"):
        rows = rows_of(small / name / "train.jsonl")
        assert {row["perturbation"] for row in rows} == {name}
        assert all(row["episode"] == sorted(row["episode"]) for row in rows)
        drawn = Counter(number for row in rows for number in row["episode"])
        assert drawn == {1: 1, 2: 1, 3: 1, 4: 4, 5: 4, 6: 4}


def test_more_shots_than_train_rows_are_drawn_with_replacement(tmp_path: Path) -> None:
    path = recipe(tmp_path, RECIPE.replace("k = [1, 4]", "k = [8]"))
    built(path, tmp_path / "out")
    drawn = Counter(number for row in rows_of(tmp_path / "out/school/train.jsonl") for number in row["episode"])
    assert drawn == {1: 8, 2: 8}


@given(st.integers(), st.integers(1, 9), st.integers(1, 40))
def test_episodes_depend_on_nothing_but_seed_task_and_rows(seed: int, shots: int, rows: int) -> None:
    from augment_ru.records.task import generic  # noqa: PLC0415
    from augment_ru.release.original_rows import draw_episodes  # noqa: PLC0415

    content = {
        "name": "x", "licence": "mit", "seed": seed, "shots": {"k": [shots], "episodes": 2},
        "attack": [{"spec": "case"}], "task": [{"name": "a", "test": "t", "train": "t"}],
    }  # fmt: skip
    plan = parse_release_recipe(content, "x")
    found = draw_episodes(plan, plan.tasks[0], generic(), [None] * rows)
    again = parse_release_recipe(plan.content(), "x")
    assert found == draw_episodes(again, again.tasks[0], generic(), [None] * rows)
    assert Counter(number for row in found for number in row) == {1: shots, 2: shots}


def test_figures_are_those_of_the_rows(small: Path, manifest: dict[str, Any]) -> None:
    edits = [one for one in rows_of(small / "school" / "edits.jsonl") if one["perturbation"] == "emojify"]
    figures = next(one for one in manifest["tasks"][1]["attacks"] if one["name"] == "emojify")
    status = Counter(one["status"] for one in edits)
    scores = [one["similarity"] for one in edits if one["status"] == "perturbed"]
    assert {key: figures[key] for key in ("rows", "perturbed", "unchanged", "rejected")} == {
        "rows": 12, "perturbed": status["perturbed"], "unchanged": status["unchanged"], "rejected": status["rejected"],
    }  # fmt: skip
    assert figures["similarity"]["mean"] == pytest.approx(np.mean(scores), abs=5e-5)
    assert figures["similarity"]["std"] == pytest.approx(np.std(scores), abs=5e-5)
    assert status["unchanged"] > 0  # else acceptance would be the share of all rows
    assert figures["acceptance"] == round(status["perturbed"] / (12 - status["unchanged"]), 4)


def test_the_bytes_do_not_depend_on_workers_or_shards(small: Path, tmp_path: Path) -> None:
    workers = 2 if IS_FULL else 1  # a killed build, below, has two in the quick profile, too
    built(EXAMPLE / "small.toml", tmp_path / "two", workers=workers, shard_rows=5)
    assert contents(tmp_path / "two") == contents(small)


def test_a_row_keeps_the_characters_it_was_read_with(tmp_path: Path) -> None:
    line = '{"question":"Где \\u043a\\u043e\\u0442?  (A) на печи (B) в лесу" , "answer":"A","exam_name":"a\\/b",'
    line += '"school_grade":4.0,"knowledge_type":"","perturbation":"ru_worldtree","episode":[3]}'
    path = recipe(tmp_path)
    (tmp_path / "test.jsonl").write_bytes(b"\xef\xbb\xbf" + line.encode() + b"\r\n\n")
    built(path, tmp_path / "out")
    first = (tmp_path / "out/school/test.jsonl").read_text(encoding="utf-8").split("\n")[0]
    assert first == line.replace('"ru_worldtree"', '"school"').replace("[3]", "[]")


def test_a_release_holds_its_users_own_files_and_can_be_rebuilt_from_them(tmp_path: Path) -> None:
    from augment_ru.release.verify import verify_release  # noqa: PLC0415

    mine = RECIPE.replace('train = "train', 'constraints = ["mine.toml"]\ntrain = "train')
    masked = '[[attack]]\nspec = "masking"\noptions.masking.targets = "words.txt"\n\n'
    path = recipe(tmp_path / "in", mine.replace("[[task]]", f"{masked}[[task]]", 1))
    path.with_name("words.txt").write_text("лист\nветер\n", encoding="utf-8")
    path.with_name("mine.toml").write_text(
        'why = "Trees."\n[[rule]]\nlabel = "TREE"\npattern = [{ LOWER = "клёна" }]\n'
        '[[example]]\ntext = "Лист [клёна]."\n[[example]]\ntext = "Кот."\n',
        encoding="utf-8",
    )
    built(path, tmp_path / "out")
    shutil.rmtree(tmp_path / "in")
    assert list(verify_release(tmp_path / "out", rebuild=3)) == []
    assert "TREE" in (tmp_path / "out/school/edits.jsonl").read_text(encoding="utf-8")
    assert (tmp_path / "out/own/mine.toml").exists()
    assert (tmp_path / "out/own/words.txt").exists()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "tiny"', "", "'name' is missing; it must be a text"),
        ('name = "tiny"', 'name = ""', "'name' is ''; it must be a text that is not empty"),
        ('name = "tiny"', 'name = "кот"', "'кот' is no valid name"),
        ("licence", "license", "no key called 'license'; did you mean 'licence'?"),
        ("k = [1, 4]", "k = [4, 1]", "needs different numbers in ascending order"),
        ("k = [1, 4]", "k = [0]", "[shots]: 'k' is [0]; it must be 'task' or a list of integers from 1 on"),
        ("k = [1, 4]", 'k = "1"', "[shots]: 'k' is '1'; it must be 'task' or a list"),
        ("episodes = 2", "episodes = 0", "'episodes' is 0; it must be an integer from 1 on"),
        ('spec = "butterfingers"', 'spec = "buterfingers"', "did you mean 'butterfingers'?"),
        ('spec = "butterfingers"', 'spec = "case"\nprobability = 2', "needs a number from 0 to 1"),
        ('spec = "butterfingers"', 'spec = "case"\noptions.case.p = 1', "no option of case called 'p'"),
        ('spec = "butterfingers"', 'spec = "case"\noptions.emojify.p = 1', "no attack in the spec called 'emojify'"),
        ('name = "swapped"', 'name = "butterfingers"', "two of [[attack]] are called 'butterfingers'"),
        ('name = "school"', 'name = "swapped"', "'swapped' would name both swapped and swapped; rename one"),
        ('name = "swapped"', 'name = "Butterfingers"', "needs names that differ in letters"),
        ('name = "swapped"', 'name = "original"', "none 'original'"),
        ('name = "school"', 'name = "lm_eval"', "rename 'lm_eval'"),
        ('test = "test.jsonl"', "", "[[task]] 1: 'test' is missing; it must be a text"),
        ('test = "test.jsonl"', 'test = "t.jsonl"', "t.jsonl: cannot be read"),
        ('test = "test.jsonl"', 'test = "test.jsonl"\ntask = "rwd"', "no task called 'rwd'"),
        ('test = "test.jsonl"', 'test = "test.jsonl"\nconstraints = ["no"]', "no constraint called 'no'"),
        ('test = "test.jsonl"', 'test = "test.jsonl"\nattacks = ["case"]', "no attack of this recipe called 'case'"),
        ("[shots]", '[gate]\nsimilarity = "nav"\n[shots]', "no similarity called 'nav'"),
        ("[shots]", "[gate]\nthreshold = 2\n[shots]", "threshold 2"),
        ("k = [1, 4]", 'k = "all"', "'k' is 'all'; it must be 'task' or a list of integers"),
        (
            'name = "school"',
            'name = "school"\nshots = [2, 1]',
            "[[task]] 1: shots = [2, 1]; needs different",
        ),
        (
            'name = "school"',
            'name = "school"\nshots = [0]',
            "[[task]] 1: 'shots' is [0]; it must be a list of integers from 1 on",
        ),
        ('name = "school"', 'name = "school"\nshots = 5', "'shots' is 5; it must be a list"),
        ("k = [1, 4]", "k = [1000000000]", "[shots]: k times episodes are 2,000,000,000 demonstrations; at most"),
        ("episodes = 2", "episodes = 10000000", "[shots]: k times episodes are 50,000,000 demonstrations; at most"),
        ("[shots]", 'preset = "x"\n[shots]', "preset 'x'; possible: offline, tape"),
        ("[[task]]", "[[tasks]]", "no key called 'tasks'; did you mean 'task'?"),
        ("[[task]]", "[task", "not TOML"),
    ],
)
def test_a_wrong_recipe_is_refused_in_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = recipe(tmp_path, RECIPE.replace(old, new, 1))
    with pytest.raises(AugmentError) as raised:
        built(path, tmp_path / "out")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "test.jsonl: no rows"),
        ([*QUESTIONS, {"question": "Что?"}], "row 4: no field 'answer', which holds the right answer"),
        ([*QUESTIONS, {**QUESTIONS[0], "question": 5}], "row 4: field 'question' holds a number"),
        (
            [{**QUESTIONS[0], "other": {"text": "осенью", "start": 7}}],
            "row 1: field 'other.start' holds a place in 'question'",
        ),
        ([{**QUESTIONS[0], "augment": {}}], "row 1: has a field 'augment'"),
        (
            [{**QUESTIONS[0], "perturbation": "case"}],
            "row 1: field 'perturbation' is 'case', so it is perturbed already",
        ),
    ],
)
def test_wrong_rows_are_refused_with_their_place(tmp_path: Path, rows: list[dict[str, Any]], said: str) -> None:
    path = recipe(tmp_path)
    write_rows(tmp_path / "test.jsonl", rows)
    with pytest.raises(AugmentError, match=r"test\.jsonl") as raised:
        built(path, tmp_path / "out")
    assert said in str(raised.value)
    assert not (tmp_path / "out").exists()


def test_a_release_without_shots_needs_no_train(tmp_path: Path) -> None:
    path = recipe(tmp_path, RECIPE.replace("k = [1, 4]", "k = []").replace('train = "train.jsonl"', ""))
    built(path, tmp_path / "out")
    assert not (tmp_path / "out/school/train.jsonl").exists()
    (task,) = json.loads((tmp_path / "out/manifest.json").read_bytes())["tasks"]
    assert task["episodes"] == [{"number": 0, "shots": 0}]


def test_the_card_holds_texts_as_they_were_given(tmp_path: Path) -> None:
    text = '"""\n{{ name }} {% raw %} & <b>| б\n"""\nauthors = ["A & <B>"]\n'
    text = RECIPE.replace('"apache-2.0"', f'"mit|x"\ndescription = {text}')
    built(recipe(tmp_path, text), tmp_path / "out")
    card = (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert "\n\n{{ name }} {% raw %} & <b>| б\n\n" in card
    assert "By A & <B>." in card
    assert "| mit\\|x |\n" in card


def test_the_card_names_the_tasks_of_the_harness(tmp_path: Path) -> None:
    text = RECIPE.replace('"tiny"', '"ti-ny"').replace('"school"', '"sch.ool"')
    built(recipe(tmp_path, text), tmp_path / "out")
    card = (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert "--tasks ti_ny\n" in card
    assert (tmp_path / "out/lm_eval/ti_ny.yaml").exists()
    assert (tmp_path / "out/lm_eval/ti_ny_sch_ool.yaml").exists()
    assert "have no prompt" not in card


def test_the_card_warns_of_an_attack_that_perturbed_few_rows(tmp_path: Path) -> None:
    text = RECIPE.replace("[shots]", "[gate]\nthreshold = 1.0\n[shots]")
    built(recipe(tmp_path, text), tmp_path / "out")
    card = (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert "- Fewer than half of the rows were perturbed in `school` / `butterfingers` (0/3)" in card


def test_an_empty_train_file_is_refused(tmp_path: Path) -> None:
    path = recipe(tmp_path)
    write_rows(tmp_path / "train.jsonl", [])
    with pytest.raises(AugmentError, match=r"train\.jsonl: no rows; demonstrations are drawn from them"):
        built(path, tmp_path / "out")


def test_what_stands_in_the_folder_is_not_overwritten(tmp_path: Path) -> None:
    path = recipe(tmp_path)
    out = tmp_path / "out"
    out.mkdir()
    built(path, out)
    with pytest.raises(AugmentError, match="is not empty; give a new folder"):
        built(path, out)
    assert built(path, out, resume=True).made == 0
    path.write_text(RECIPE.replace("episodes = 2", "episodes = 3"), encoding="utf-8")
    with pytest.raises(AugmentError, match="holds a release of another recipe"):
        built(path, out, resume=True)


def test_an_unfinished_build_is_refused_without_resume_and_with_other_inputs(tmp_path: Path) -> None:
    path = recipe(tmp_path)

    class _StopError(Exception):
        pass

    def stop(done: int, total: int) -> None:
        assert total == len(QUESTIONS)
        if done == 1:
            raise _StopError

    with pytest.raises(_StopError):
        built(path, tmp_path / "out", shard_rows=1, progress=stop)
    assert not (tmp_path / "out").exists()
    with pytest.raises(AugmentError, match="continue it with `resume`"):
        built(path, tmp_path / "out", shard_rows=1)
    write_rows(tmp_path / "train.jsonl", QUESTIONS[:2])
    with pytest.raises(AugmentError, match="made from another input file"):
        built(path, tmp_path / "out", shard_rows=1, resume=True)
    write_rows(tmp_path / "train.jsonl", QUESTIONS)
    report = built(path, tmp_path / "out", shard_rows=1, resume=True)
    assert (report.kept, report.made) == (1, 2)
    built(path, tmp_path / "again")
    assert contents(tmp_path / "out") == contents(tmp_path / "again")


@pytest.mark.parametrize("shards", [0, 1])
def test_a_build_that_fails_keeps_its_folder_only_for_finished_shards(tmp_path: Path, shards: int) -> None:
    path = recipe(tmp_path)
    finished = 0

    def fail(done: int, _: int) -> None:
        nonlocal finished
        finished += done
        if finished == shards:
            raise AugmentError("no luck")

    kept = "; finished shards are kept: continue with `resume`, or, after a change of recipe or rows, delete the folder"
    with pytest.raises(AugmentError, match=f"^no luck{kept if shards else '$'}"):
        built(path, tmp_path / "out", shard_rows=1, progress=fail)
    assert (tmp_path / ".out.unfinished").exists() == bool(shards)
    write_rows(tmp_path / "test.jsonl", QUESTIONS[:2])
    if shards:
        with pytest.raises(AugmentError, match="made from another input file; restore that, or delete the folder"):
            built(path, tmp_path / "out", shard_rows=1)
    else:
        built(path, tmp_path / "out", shard_rows=1)


def test_two_builds_do_not_share_a_folder(tmp_path: Path) -> None:
    from augment_ru.release.build import Staging  # noqa: PLC0415

    path = recipe(tmp_path)
    with (
        Staging.of(tmp_path / "out").building({}, resume=False),
        pytest.raises(AugmentError, match="another run is writing it"),
    ):
        built(path, tmp_path / "out")


def test_a_damaged_shard_is_made_again(tmp_path: Path) -> None:
    path = recipe(tmp_path)

    def stop(done: int, total: int) -> None:
        if done == total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        built(path, tmp_path / "out", progress=stop)
    shard = next((tmp_path / ".out.unfinished" / "shards").iterdir())
    shard.write_bytes(shard.read_bytes()[:-5])
    assert built(path, tmp_path / "out", resume=True).made == 1
    built(path, tmp_path / "again")
    assert contents(tmp_path / "out") == contents(tmp_path / "again")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forks")
def test_a_build_that_is_killed_at_any_moment_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    path = recipe(tmp_path, RECIPE.replace('spec = "butterfingers"', 'spec = "eda_delete"'))
    done = copied(release_runs.print_main, path, tmp_path / "out", 1)
    assert done.returncode == 0, done.stderr.decode()
    counts = json.loads(done.stdout)
    assert counts["kills"] >= (50 if IS_FULL else 9)
    assert counts["resumed"] >= (25 if IS_FULL else 4)
    assert counts["complete"] >= (5 if IS_FULL else 1)


def _lives(group: int) -> bool:
    """Whether a process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_killed_command_leaves_no_worker_and_goes_on(small: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    line = [*COMMAND, "release", str(EXAMPLE / "small.toml"), "-o", str(target), "--workers", "2"]
    process = subprocess.Popen(line, start_new_session=True, stderr=subprocess.DEVNULL)
    shards = tmp_path / ".out.unfinished" / "shards"
    wait_until(lambda: list(shards.glob("0*")))
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until(lambda: not _lives(process.pid))
    if not target.exists():
        assert "--resume" in fails(1, *line[len(COMMAND) :])
    again = line if IS_FULL else line[:-2]  # else in this process; the build before it has its two workers
    done = run(*again[len(COMMAND) :], "--resume")
    assert done.returncode == 0, done.stderr.decode()
    assert contents(target) == contents(small)


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["no.toml"], 2, "Missing option '-o'"),
        (["no.toml", "-o", "out"], 2, "no.toml: cannot be read"),
        (["verify"], 2, "Missing argument 'DIR'"),
        (["verify", "nowhere"], 1, "nowhere: no such folder"),
        (["verify", "."], 1, "has no manifest.json, so it is not a complete release"),
    ],
)
def test_the_command_line_says_what_is_wrong(tmp_path: Path, options: list[str], code: int, said: str) -> None:
    done = run("release", *options, cwd=tmp_path)
    assert done.returncode == code
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(not (ROOT / "docs" / "release.md").exists(), reason="needs the repository's documents")
def test_the_recipe_in_the_documents_is_from_the_example() -> None:
    """Its lines are lines of the example, in the order that they have there."""
    text = (ROOT / "docs" / "release.md").read_text(encoding="utf-8")
    lines = iter((EXAMPLE / "small.toml").read_text(encoding="utf-8").splitlines())
    shown = text.split("```toml\n", 1)[1].split("```", 1)[0].splitlines()
    assert len(shown) > 20
    assert all(line in lines for line in shown)
    assert "`examples/release/tape.toml`" in text
    plan = read_release_recipe(EXAMPLE / "tape.toml")
    assert [part.name for part in plan.tasks] == [
        "winograd", "ru_worldtree", "ru_openbook", "multiq", "chegeka", "sit_ethics", "per_ethics",
    ]  # fmt: skip


def test_the_example_is_tape_s_recipe() -> None:
    """Its Table 1 (attacks, probabilities), Table 2 (attacks of Winograd), footnotes 10 and 11, Appendix D."""
    plan = read_release_recipe(EXAMPLE / "tape.toml")
    assert {one.spec: one.probability for one in plan.attacks} == {
        "butterfingers": 0.15, "emojify": 0.4, "eda_delete": 0.3, "eda_swap": 0.3, "back_translation": 0.5,
        "add_sent": 0.5,
    }  # fmt: skip
    assert [one.name for one in plan.attacks_of(plan.tasks[0])] == [
        "butterfingers", "emojify", "eda_delete", "eda_swap", "add_sent",
    ]  # fmt: skip
    assert all(len(plan.attacks_of(one)) == 6 for one in plan.tasks[1:])
    assert (plan.preset, plan.shots.k, plan.shots.episodes) == ("tape", (1, 4, 8), 5)
    paper = preset(plan.preset)
    assert paper.options["add_sent"]["generator"] == "hf:THUMT/mGPT"
    assert (plan.gate.similarity or paper.similarity) == "bertscore:bert-base-multilingual-cased"
    assert paper.constraints is not None
    assert set(paper.constraints(task_of("ru_worldtree"))) == {"named_entities"}, "options are not protected"


@pytest.mark.skipif(not (ROOT / "docs" / "release.md").exists(), reason="needs the repository's documents")
def test_the_documents_name_every_key_of_a_recipe() -> None:
    from augment_ru.release import release_recipe as module  # noqa: PLC0415

    text = (ROOT / "docs" / "release.md").read_text(encoding="utf-8")
    tables = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, msgspec.Struct)]
    keys = {key for table in tables for key in table.__struct_encode_fields__}
    assert {"name", "k", "spec", "budget", "task"} <= keys
    for key in keys:
        assert any(shown in text for shown in (f"`{key}`", f"`{key} = ", f"[{key}]", f"`{key}.")), key


def test_a_table_becomes_rows_of_json(tmp_path: Path) -> None:
    from augment_ru.release.verify import verify_release  # noqa: PLC0415

    table = 'id,text,label\n1,"Кошка спит, а пёс ""ждёт"" у двери.",да\n2,Мы долго шли по пустой улице.,нет\n'
    text = RECIPE.replace(".jsonl", ".csv").replace('name = "school"', 'name = "notes"')
    path = recipe(tmp_path, text)
    for split in ("train", "test"):
        (tmp_path / f"{split}.csv").write_text(table, encoding="utf-8")
    built(path, tmp_path / "out")
    rows = rows_of(tmp_path / "out/notes/test.jsonl")
    assert rows[0] == {
        "id": "1", "text": 'Кошка спит, а пёс "ждёт" у двери.', "label": "да", "perturbation": "notes", "episode": [],
    }  # fmt: skip
    assert list(verify_release(tmp_path / "out", rebuild=2)) == []


def test_a_release_whose_names_were_exchanged_is_verified(tmp_path: Path) -> None:
    from augment_ru.release.verify import verify_release  # noqa: PLC0415

    write_rows(tmp_path / "test.jsonl", [{"id": 1, "text": "Вчера Иван Петров позвонил Анне.", "label": "да"}])
    path = tmp_path / "names.toml"
    attacks = '[[attack]]\nspec = "names"\n[[attack]]\nspec = "names+case"\n'
    head = 'name = "named"\nlicence = "cc-by-4.0"\n[shots]\nk = []\n'
    path.write_text(f'{head}{attacks}[[task]]\nname = "notes"\ntest = "test.jsonl"\n', encoding="utf-8")
    built(path, tmp_path / "out")
    rows = rows_of(tmp_path / "out/notes/test.jsonl")
    assert all("Петров" not in row["text"] for row in rows[1:])
    assert [line for line in verify_release(tmp_path / "out") if "protect" in line] == []


def test_a_script_that_workers_cannot_import_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    call = f"build_release(Path({str(EXAMPLE / 'small.toml')!r}), Path({str(tmp_path / 'out')!r}), workers=2)"
    script.write_text(f"from pathlib import Path\nfrom augment_ru import build_release\n{call}\n", encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, check=False, encoding="utf-8")
    assert done.returncode == 1
    assert "Error: a worker ended with exit code 1; what it said stands above" in done.stderr.splitlines()[-1]
    assert 'if __name__ == "__main__":' in done.stderr.splitlines()[-1]
    assert "memory" not in done.stderr.splitlines()[-1]


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of Unix")
@pytest.mark.parametrize(("path", "said"), [("/dev/zero", "is no plain file"), ("a\\u0000b", "cannot be read")])
def test_rows_are_read_from_plain_files(path: str, said: str, tmp_path: Path) -> None:
    file = recipe(tmp_path, RECIPE.replace('"test.jsonl"', f'"{path}"'))
    with pytest.raises(AugmentError, match=said):
        built(file, tmp_path / "out")


def test_the_closing_line_counts_one_thing_in_the_singular() -> None:
    one = BuildReport({"tasks": [{"test": 1, "train": 1}]}, made=1)
    assert str(one).startswith("1 task, 1 test row, 1 train row; 1 shard made, 0 kept; ")
    tasks = [{"test": 600, "train": 0, "attacks": [{"name": "casing"}]}] * 2
    assert str(BuildReport({"tasks": tasks}, made=3)).startswith(
        "2 tasks, 2,400 test rows, 0 train rows; 3 shards made"
    )


def test_test_rows_among_the_train_rows_are_counted(tmp_path: Path, logs: Logs) -> None:
    path = recipe(tmp_path)
    rows = (tmp_path / "test.jsonl").read_text(encoding="utf-8").splitlines()
    other = rows[0].replace("Почему", "Отчего")
    (tmp_path / "train.jsonl").write_text(f"{other}\n{rows[1]}\n", encoding="utf-8")
    built(path, tmp_path / "out")
    assert logs.messages == [
        (
            "task school: 1 of the 3 test rows stand in train.jsonl, too, so demonstrations give their answers away; "
            "take them out of it"
        )
    ]
