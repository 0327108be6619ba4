"""Checking releases: whatever is changed in one is named, with its file and row."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable
from copy import deepcopy as copy_of
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from augment_ru import AugmentError
from augment_ru.formats.json_lines import encoded
from augment_ru.records.record import Record, options_in
from augment_ru.records.task import task as task_of
from augment_ru.release import edit_log
from augment_ru.release.build import build_release
from augment_ru.release.croissant import croissant
from augment_ru.release.edit_log import line_digest
from augment_ru.release.manifest import encoded_manifest, file_entries, read_manifest
from augment_ru.release.release_recipe import parse_release_recipe
from augment_ru.release.verify import mark_problems, unchecked, verify_release
from commands import run
from profiles import examples
from releases import EXAMPLE, RECIPE, built, recipe

_CHANGE = settings(max_examples=examples(80), suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def small(small_release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release that tests may change for a moment."""
    return shutil.copytree(small_release, tmp_path_factory.mktemp("release") / "small")


@pytest.fixture(scope="module")
def files(small: Path) -> list[str]:
    return sorted(path.relative_to(small).as_posix() for path in small.rglob("*") if path.is_file())


@pytest.fixture
def copy(small: Path, tmp_path: Path) -> Path:
    shutil.copytree(small, tmp_path / "copy")
    return tmp_path / "copy"


def test_a_release_as_it_was_built_has_no_verify_release(small: Path) -> None:
    assert list(verify_release(small)) == []
    assert list(verify_release(small, rebuild=100)) == []


@_CHANGE
@given(st.data())
def test_a_flipped_byte_is_named_with_its_file_and_row(small: Path, files: list[str], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(files))
    before = (small / name).read_bytes()
    at = data.draw(st.integers(0, len(before) - 1))
    flipped = before[at] ^ data.draw(st.integers(1, 255))
    try:
        (small / name).write_bytes(before[:at] + bytes([flipped]) + before[at + 1 :])
        found = list(verify_release(small))
    finally:
        (small / name).write_bytes(before)
    assert found
    assert all(line.startswith(f"{name}:") for line in found)
    row = before[:at].count(b"\n") + 1
    if name.endswith(".jsonl") and flipped != ord("\n") != before[at]:
        assert [line for line in found if line.startswith(f"{name}: row {row}: ")] == found
    elif name.endswith(".jsonl"):  # a line that is cut in two, or joined to the next; those after it are whole
        named = {int(line.split(": ")[1].removeprefix("row ")) for line in found if ": row " in line}
        assert named <= {row, row + 1}, found
    elif name.endswith((".yaml", ".md")) and flipped != ord("\n") != before[at]:
        assert found == [f"{name}: line {row}: was changed"]


@pytest.mark.parametrize("name", ["hops/test.jsonl", "hops/edits.jsonl", "hops/train.jsonl"])
def test_a_lost_or_added_line_end_is_reported_for_its_own_rows_alone(copy: Path, name: str) -> None:
    before = (copy / name).read_bytes()
    lines = before.splitlines(keepends=True)
    for after, rows in (
        (before[:1] + b"\n" + before[2:], {1, 2}),
        (b"".join(lines[:3]).removesuffix(b"\n") + b" " + b"".join(lines[3:]), {3}),
        (b"".join([*lines[:2], *lines[1:]]), {2, 3}),
        (b"".join([*lines[:2], *lines[3:]]), set()),
        (b"".join([lines[1], lines[0], *lines[2:]]), {1, 2}),
    ):
        (copy / name).write_bytes(after)
        found = list(verify_release(copy))
        named = {int(line.split(": ")[1].removeprefix("row ")) for line in found if ": row " in line}
        assert found
        assert all(line.startswith(f"{name}: ") for line in found), found
        assert named <= rows, found
        assert named or not rows, found


@_CHANGE
@given(st.data())
def test_a_cut_or_longer_file_is_named(small: Path, files: list[str], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(files))
    before = (small / name).read_bytes()
    start = data.draw(st.integers(0, len(before)))
    stop = data.draw(st.integers(start, min(len(before), start + 500)))
    after = before[:start] + data.draw(st.binary(max_size=20)) + before[stop:]
    try:
        (small / name).write_bytes(after)
        found = list(verify_release(small))
    finally:
        (small / name).write_bytes(before)
    assert bool(found) == (after != before)
    assert all(line.startswith(f"{name}:") for line in found)


@pytest.mark.parametrize(
    "name", ["README.md", "recipe.toml", "hops/test.jsonl", "hops/edits.jsonl", "hops/train.jsonl"]
)
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    assert f"{name}: is missing" in list(verify_release(copy))


def test_a_file_that_is_not_of_the_release_is_named(copy: Path) -> None:
    (copy / "hops" / "more.jsonl").write_text("{}\n", encoding="utf-8")
    (copy / ".gitattributes").write_text("*.jsonl text eol=lf\n", encoding="utf-8")
    (copy / "hops" / "__pycache__").mkdir()
    (copy / "hops" / "__pycache__" / "utils.cpython-311.pyc").write_bytes(b"")
    remedy = "Python may run it in place of a file that was checked: delete it"
    assert list(verify_release(copy)) == [
        f"hops/__pycache__/utils.cpython-311.pyc: does not belong to the release; {remedy}",
        "hops/more.jsonl: does not belong to the release",
    ]


def test_many_changed_rows_are_counted(copy: Path) -> None:
    path = copy / "school" / "test.jsonl"
    path.write_bytes(path.read_bytes().replace("Школьная".encode(), "Городская".encode()))
    found = list(verify_release(copy))
    assert found[-1] == "school/test.jsonl: and 52 more"
    assert len(found) == 21


def test_what_is_no_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AugmentError, match="no such folder"):
        list(verify_release(tmp_path / "none"))
    with pytest.raises(AugmentError, match="not a complete release"):
        list(verify_release(tmp_path))


def test_the_digest_that_was_published_stands_for_the_release(small: Path) -> None:
    digest = json.loads((small / "manifest.json").read_bytes())["sha256"]
    assert list(verify_release(small, expect=digest)) == []
    assert list(verify_release(small, expect="00")) == [f"manifest.json: its digest is {digest}, not the expected 00"]


Rows = list[dict[str, Any]]


def _forge(folder: Path, change: Callable[[Rows, Rows, dict[str, Any]], None], task: str = "hops") -> None:
    """Change rows and entries of the edit log of a task, and adapt every digest and the manifest."""
    test, edits = folder / task / "test.jsonl", folder / task / "edits.jsonl"
    rows, entries = ([json.loads(line) for line in path.read_text("utf-8").splitlines()] for path in (test, edits))
    content = read_manifest(folder / "manifest.json")
    lines = [line.decode() for line in test.read_bytes().splitlines()]
    before = copy_of(rows)
    change(rows, entries, content)
    lines = [
        line if row == old else json.dumps(row, ensure_ascii=False)
        for line, row, old in zip(lines, rows, before, strict=True)
    ]
    test.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    edits.write_text(
        "".join(_with_digests(entry, line) for entry, line in zip(entries, lines, strict=True)), encoding="utf-8"
    )
    listed = list(content.pop("files"))
    (folder / "croissant.json").write_text(croissant(content, file_entries(folder, listed)), encoding="utf-8")
    content["files"] = file_entries(folder, listed)
    (folder / "manifest.json").write_bytes(encoded_manifest(content))


def _with_digests(entry: dict[str, Any], line: str) -> str:
    body = encoded(
        {key: value for key, value in entry.items() if key not in ("line", "digest")}
        | {"line": edit_log.line_digest(line)}
    )
    return f'{body[:-1]},"digest":"{edit_log.line_digest(body)}"}}\n'


def _label(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
    del entries, content
    rows[15]["main_answers"][0]["segment"] = "Москва"


def _offset(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
    del entries, content
    rows[15]["bridge_answers"][0]["offset"] += 1


def _text(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
    del entries, content
    rows[15]["question"] += "?"


def _protected(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
    del content
    start, stop, _ = entries[5]["protected"]["main_text"][0]
    entries[15]["edits"] = {name: [] for name in entries[15]["edits"]} | {"main_text": [[start, stop, "Кто-то"]]}
    rows[15]["main_text"] = rows[5]["main_text"][:start] + "Кто-то" + rows[5]["main_text"][stop:]


def _order(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
    del content
    rows[15], rows[16] = rows[16], rows[15]
    entries[15], entries[16] = entries[16], entries[15]


def _name(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
    del content
    rows[15]["perturbation"] = entries[15]["perturbation"] = "case"


def _status(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
    del rows, content
    entries[15]["status"] = "rejected"


def _similarity(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
    del rows, content
    entries[15]["similarity"] = 1.0


def _figures(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
    del rows, entries
    content["tasks"][2]["attacks"][0]["acceptance"] = 0.5


def _shots(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
    del rows, entries
    content["recipe"]["shots"]["episodes"] = 4


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_label, "hops/test.jsonl: row 16: label 'main_answers' is not what the original and its edits make"),
        (_offset, "hops/test.jsonl: row 16: field 'bridge_answers' is not what the original"),
        (_text, "hops/test.jsonl: row 16: field 'question' is not what the original and its edits make"),
        (_protected, "hops/edits.jsonl: row 16: an edit of 'main_text' touches the protected"),
        (_order, "hops/edits.jsonl: row 16: is of row 6 under"),
        (_name, "hops/test.jsonl: row 16: perturbation is 'case'; it must be 'butterfingers'"),
        (_status, "hops/edits.jsonl: row 16: status is 'rejected', but there are edits"),
        (_similarity, "manifest.json: 'attacks' of 'hops' does not follow from its rows and the recipe"),
        (_figures, "manifest.json: 'attacks' of 'hops' does not follow from its rows and the recipe"),
        (_shots, "recipe.toml: is not the recipe in manifest.json"),
    ],
)
def test_a_change_made_together_with_all_digests_is_reported(
    copy: Path, change: Callable[[Rows, Rows, dict[str, Any]], None], said: str
) -> None:
    _forge(copy, change)
    assert any(line.startswith(said) for line in verify_release(copy)), list(verify_release(copy))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("row", None),
        ("status", None),
        ("edits", None),
        ("status", "done"),
        ("edits", "x"),
        ("edits", {"question": [[1]]}),
        ("similarity", "high"),
        ("more", 1),
    ],
)
def test_a_line_that_is_no_entry_of_the_edit_log_is_reported(copy: Path, key: str, value: object) -> None:
    def change(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
        del rows, content
        entries[14].pop(key, None)
        if value is not None:
            entries[14][key] = value

    _forge(copy, change, "school")
    assert any(
        line.startswith("school/edits.jsonl: row 15: is not an entry of the edit log") for line in verify_release(copy)
    )


@pytest.mark.parametrize("name", ["README.md", "lm_eval/data.py", "lm_eval/small.yaml"])
def test_a_derived_file_changed_together_with_the_manifest_is_reported(copy: Path, name: str) -> None:
    (copy / name).write_bytes(b"# more\n" + (copy / name).read_bytes())
    _forge(copy, lambda rows, entries, content: None)  # noqa: ARG005
    assert list(verify_release(copy)) == [f"{name}: line 1: is not what follows from manifest.json"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda content: content.pop("tasks"), "manifest.json: 'tasks' is missing; it must be a list"),
        (lambda content: content["files"].pop("hops/test.jsonl"), "manifest.json: does not list hops/test.jsonl"),
        (lambda content: content["files"].pop("README.md"), "manifest.json: does not list README.md"),
        (lambda content: content["attacks"][0].update(acceptance=0.1), "manifest.json: 'attacks' is not what follows"),
        (lambda content: content["tasks"][0].update(gold=[]), "manifest.json: 'gold' of 'pronouns' does not follow"),
        (lambda content: content["tasks"][0]["episodes"].pop(), "manifest.json: 'episodes' of 'pronouns' does not"),
        (lambda content: content["tasks"][0].update(default_episode=1), "manifest.json: 'default_episode' of 'pron"),
        (lambda content: content["tasks"][0].update(default_episode=7), "manifest.json: 'pronouns' has no episode 7"),
        (lambda content: content["inputs"][0].update(rows=99), "manifest.json: 'inputs' is not what"),
        (lambda content: content["inputs"][0].update(file="x"), "manifest.json: 'inputs' is not what"),
        (lambda content: content["inputs"][0].update(task="x"), "manifest.json: 'inputs' is not what"),
        (lambda content: content["settings"]["emojify"].update(candidates=9), "manifest.json: 'settings' is not what"),
        (lambda content: content["files"]["README.md"].update(bytes=9), "manifest.json: 'bytes' of README.md is 9"),
        (lambda content: content["files"]["hops/test.jsonl"].update(lines=9), "manifest.json: 'lines' of hops/test"),
        (lambda content: content["tasks"][0].update(train=10**9), "manifest.json: 'pronouns' has 1000000000 train"),
        (lambda content: content["tasks"][0].update(test=-1), "manifest.json: [[tasks]] 1: 'test' is -1; it must"),
        (lambda content: content["tasks"][0].update(test=10**400), "manifest.json: [[tasks]] 1: 'test' is 10000"),
        (lambda content: content["tasks"].reverse(), "manifest.json: 'tasks': hops, school, pronouns; the recipe"),
        (lambda content: content["tasks"].clear(), "manifest.json: 'tasks': none; the recipe of the release has"),
        (lambda content: content["attacks"].pop(), "manifest.json: 'attacks': butterfingers, emojify"),
        (lambda content: content["tasks"][0]["attacks"].pop(), "manifest.json: 'tasks': 'pronouns': 'attacks': "),
        (lambda content: content["files"].update({"../x": content["files"]["README.md"]}), "manifest.json: 'files': "),
        (lambda content: content["files"].update({"a\0": content["files"]["README.md"]}), "manifest.json: 'files': 'a"),
        (lambda content: content.update(files=[]), "manifest.json: 'files' is []; it must be a table"),
        (lambda content: content.update(more=1), "manifest.json: no key called 'more'"),
        (lambda content: content["recipe"]["shots"].update(k=[10**9]), "manifest.json: [shots]: k times episodes are"),
        (lambda content: content.update(scorer="x"), "README.md: line "),
    ],
)  # fmt: skip
def test_a_manifest_that_does_not_follow_from_recipe_and_rows_is_named(
    copy: Path, change: Callable[[dict[str, Any]], object], said: str
) -> None:
    content = read_manifest(copy / "manifest.json")
    change(content)
    (copy / "manifest.json").write_bytes(encoded_manifest(content))
    assert any(line.startswith(said) for line in verify_release(copy)), list(verify_release(copy))


@pytest.mark.parametrize("data", [b'{"a": 1e400', b'{"a": NaN', b'{"a": "\\ud800"', b'{"a": ' + b"[" * 100_000])
def test_a_manifest_that_no_build_could_write_is_one_problem(copy: Path, data: bytes) -> None:
    digest = hashlib.sha256(data).hexdigest().encode()
    (copy / "manifest.json").write_bytes(data + b',\n "sha256": "' + digest + b'"\n}\n')
    (line,) = verify_release(copy)
    assert line.startswith("manifest.json: was changed: ")


@pytest.mark.parametrize("change", [{"row": 0.0}, {"row": None}, {"similarity": 10**400}, {"probability": True}])
def test_an_entry_with_a_value_of_another_kind_is_named(copy: Path, change: dict[str, Any]) -> None:
    path = copy / "hops" / "edits.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n")
    values = json.loads(lines[10]) | change
    del values["digest"]
    body = encoded(values)
    lines[10] = f'{body[:-1]},"digest":"{line_digest(body)}"}}'
    path.write_text("\n".join(lines), encoding="utf-8")
    assert "hops/edits.jsonl: row 11: is not an entry of the edit log" in "\n".join(verify_release(copy))


def test_an_option_marker_that_was_forged_away_is_named(copy: Path) -> None:
    def change(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
        del content
        at = rows[0]["question"].index("(B)")
        entries[12]["edits"]["question"] = [[at, at + 3, "(Г)"]]
        entries[0]["protected"]["question"] = []
        rows[12]["question"] = rows[0]["question"].replace("(B)", "(Г)")

    _forge(copy, change, "school")
    assert any("row 13: 'question' has the options" in line for line in verify_release(copy))


def test_options_that_were_made_equal_are_named(copy: Path) -> None:
    def change(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
        del content
        question = rows[0]["question"]
        (_, first), (_, second) = options_in(question)[:2]
        new = second.of(question).upper()
        entries[12]["status"] = "perturbed"
        entries[12]["edits"]["question"] = [[first.start, first.stop, new]]
        entries[0]["protected"]["question"] = []
        rows[12]["question"] = question[: first.start] + new + question[first.stop :]

    _forge(copy, change, "school")
    said = [line for line in verify_release(copy) if line.startswith("school/test.jsonl: row 13: ")]
    assert len(said) == 1
    assert said[0].startswith("school/test.jsonl: row 13: the options (A) and (B) are equal, '")
    assert said[0].endswith("; in the original row they differ")


def test_a_perfect_forgery_is_found_by_rebuilding(copy: Path) -> None:
    def change(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
        del content
        text = rows[0]["question"]
        entries[12]["edits"] = {"question": [[0, 1, "З"]] * bool(text) + entries[12]["edits"]["question"][1:]}
        from augment_ru import Edit, Script  # noqa: PLC0415

        rows[12]["question"] = Script(text, [Edit(*edit) for edit in entries[12]["edits"]["question"]]).text

    _forge(copy, change, "school")
    assert list(verify_release(copy)) == []
    found = list(verify_release(copy, rebuild=12))
    assert [line.partition(": '")[0] for line in found] == ["school/test.jsonl: row 13"]


def test_a_release_of_another_version_is_rebuilt_and_says_what_differs(copy: Path) -> None:
    def change(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
        del rows, entries
        content["environment"].update(augment_ru="0.0.1", code="00")
        content["environment"]["packages"]["numpy"] = "1.0"
        content["data"]["dictionaries/emoji.tsv"] = "00"

    _forge(copy, change)
    assert list(verify_release(copy, rebuild=2)) == []

    def other(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
        del rows, content
        entries[10]["candidate"] = 2 - entries[10]["candidate"] if entries[10]["candidate"] != 1 else 0

    _forge(copy, other)
    assert list(verify_release(copy)) == []
    (found,) = verify_release(copy, rebuild=10)
    assert found.startswith(
        "hops/edits.jsonl: row 11: 'butterfingers' makes something else of row 1 (this installation differs: "
    )
    assert "augment-ru 0.0.1" in found
    assert "numpy 1.0" in found
    assert "dictionaries/emoji.tsv" in found


def test_what_cannot_be_rebuilt_here_is_said(tmp_path: Path) -> None:
    built(recipe(tmp_path), tmp_path / "out")

    def change(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
        del rows, entries
        content["recipe"]["attack"][0]["spec"] = "of_another_package"

    _forge(tmp_path / "out", change, "school")
    found = list(verify_release(tmp_path / "out", rebuild=1))
    assert any(
        "nothing can be rebuilt here: attack 'butterfingers': no attack called 'of_another" in line for line in found
    )


RELEASES = [
    RECIPE,
    RECIPE.replace("[shots]", '[gate]\nsimilarity = "none"\n[shots]'),
    RECIPE.replace("[shots]", '[gate]\nschedule = "strongest"\nthreshold = 0.9\n[shots]'),
    RECIPE.replace("[shots]", "[gate]\nthreshold = 1.0\n[shots]"),  # nothing passes
    RECIPE.replace('spec = "butterfingers"', 'spec = "emojify"\nprobability = 0'),  # nothing changes
]


@pytest.mark.parametrize("text", RELEASES)
def test_every_gate_gives_a_release_that_verifies(tmp_path: Path, text: str) -> None:
    built(recipe(tmp_path, text), tmp_path / "out")
    assert list(verify_release(tmp_path / "out", rebuild=2)) == []


def test_an_attack_may_be_free_to_wrong_options_and_to_nothing_else(tmp_path: Path) -> None:
    text = RECIPE.replace('spec = "butterfingers"', 'spec = "add_sent"')
    built(recipe(tmp_path, text), tmp_path / "out")
    assert list(verify_release(tmp_path / "out", rebuild=3)) == []

    def change(rows: Rows, entries: Rows, content: dict[str, Any]) -> None:
        del rows, content
        entries[3]["protected"] = {"question": []}

    _forge(tmp_path / "out", change, "school")
    assert any(
        line.startswith("school/edits.jsonl: row 4: does not protect the") for line in verify_release(tmp_path / "out")
    )


def test_an_entry_without_a_probability_is_a_problem_and_no_traceback(tmp_path: Path) -> None:
    target = tmp_path / "out"
    built(recipe(tmp_path), target)
    path = target / "school" / "edits.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if '"status":"perturbed"' in line)
    body = re.sub(r'"probability":[0-9.]+', '"probability":null', lines[at].rpartition(',"digest":"')[0]) + "}"
    lines[at] = f'{body[:-1]},"digest":"{line_digest(body)}"}}'
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    problems = list(verify_release(target))
    assert any("is not an entry of the edit log" in one for one in problems)


def test_a_task_with_a_test_set_alone_is_released_beside_others(tmp_path: Path) -> None:
    text = RECIPE + '\n[[task]]\nname = "diagnostic"\ntest = "test.jsonl"\n'
    target = tmp_path / "out"
    built(recipe(tmp_path, text), target)
    assert not (target / "diagnostic" / "train.jsonl").exists()
    assert (target / "school" / "train.jsonl").exists()
    assert list(verify_release(target)) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="devices and pipes of Unix")
def test_a_manifest_without_an_end_is_not_read(copy: Path) -> None:
    manifest = copy / "manifest.json"
    manifest.unlink()
    manifest.symlink_to("/dev/zero")
    (problem,) = verify_release(copy)
    assert "is no plain file of at most 67,108,864 bytes" in problem
    manifest.unlink()
    os.mkfifo(manifest)
    assert [*verify_release(copy)] == [problem]
    manifest.unlink()
    with manifest.open("wb") as stream:
        stream.truncate(2**26 + 1)
    assert [*verify_release(copy)] == [problem]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("format",), "з" * 100_000),
        (("format",), {"з" * 100_000: 1}),
        (("name",), "з" * 100_000),
        (("recipe", "preset"), "з" * 100_000),
        (("recipe", "shots", "k"), ["з" * 100_000]),
        (("recipe", "attack", 0, "name"), "з" * 100_000),
        (("tasks", 0, "name"), "з" * 100_000),
    ],
)
def test_no_problem_is_longer_than_a_screen(copy: Path, place: tuple[str | int, ...], value: object) -> None:
    content: Any = read_manifest(copy / "manifest.json")
    part = content
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    (copy / "manifest.json").write_bytes(encoded_manifest(content))
    problems = list(verify_release(copy))
    assert problems
    assert max(map(len, problems)) < 2_100


def test_a_manifest_without_its_digest_is_told_in_plain_words(copy: Path) -> None:
    content = read_manifest(copy / "manifest.json")
    (copy / "manifest.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    (problem,) = verify_release(copy)
    assert problem == "manifest.json: was changed: it does not end with its own digest; nothing else was checked"


def test_what_other_code_has_built_is_said_not_to_be_checked(copy: Path) -> None:
    assert unchecked(copy) == ""
    content = read_manifest(copy / "manifest.json")
    content["environment"].update(augment_ru="0.0.1", code="00")
    (copy / "manifest.json").write_bytes(encoded_manifest(content))
    done = run("release", "verify", copy)
    assert done.returncode == 0
    assert done.stderr.decode().split("\n")[0] == (
        "not checked: the card, lm_eval/ and the figures of manifest.json, which other code built "
        "(augment-ru 0.0.1); install that code to check them"
    )


def test_a_row_without_the_canary_or_with_it_in_a_text_is_named(copy: Path) -> None:
    recipe = read_manifest(copy / "manifest.json")["recipe"]
    guid = recipe["canary"]["guid"]
    lines = (copy / "school" / "test.jsonl").read_text(encoding="utf-8").splitlines()
    assert all(json.loads(line)["canary"] == guid for line in lines)
    assert not any(guid in json.loads(line)["question"] for line in lines)
    assert guid in (copy / "README.md").read_text(encoding="utf-8")
    release = parse_release_recipe(recipe, "manifest.json")
    row = json.loads(lines[0])
    schema = task_of("ru_worldtree")
    assert not list(mark_problems(release, "row 1", Record(row, schema), row["perturbation"], []))
    (problem,) = mark_problems(release, "row 1", Record(row | {"canary": "x"}, schema), row["perturbation"], [])
    assert problem == f"row 1: canary is 'x'; it must be '{guid}'"
    asked = Record(row | {"question": f"Что это? {guid}"}, schema)
    (problem,) = mark_problems(release, "row 1", asked, row["perturbation"], [])
    assert problem == "row 1: 'question' holds the canary"


def test_what_the_owner_has_not_stated_is_named(tmp_path: Path) -> None:
    recipe = (EXAMPLE / "small.toml").read_text(encoding="utf-8")
    shutil.copytree(EXAMPLE, tmp_path / "example")
    kept = "\n".join(line for line in recipe.split("\n") if not line.startswith(("biases", "cite_as")))
    (tmp_path / "example" / "small.toml").write_text(kept, encoding="utf-8")
    build_release(tmp_path / "example" / "small.toml", tmp_path / "out")
    assert unchecked(tmp_path / "out") == "not stated by [statements] of the recipe: cite_as, biases"
    assert not list(verify_release(tmp_path / "out"))


def test_bytes_that_are_no_text_are_told_without_advice_on_encodings(copy: Path) -> None:
    for name in ("hops/test.jsonl", "hops/edits.jsonl"):
        path = copy / name
        before = path.read_bytes()
        path.write_bytes(before[:5] + b"\xff" + before[6:])
        assert list(verify_release(copy)) == [f"{name}: row 1: was changed: not UTF-8 at byte 5"]
        path.write_bytes(before)
