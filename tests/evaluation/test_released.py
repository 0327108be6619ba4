"""Evaluating a release: its edit log says what became of each row, its train rows say which episodes show them."""

import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from augment_ru import AugmentError, Example, evaluate
from augment_ru.evaluation.page import page
from augment_ru.models.linear import NGRAMS
from releases import EXAMPLE, built, recipe, rows_of


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release of docs/release.md."""
    target = tmp_path_factory.mktemp("released") / "small"
    built(EXAMPLE / "small.toml", target)
    return target


def options(examples: Sequence[Example]) -> list[str]:
    """A letter that depends on the text of the question alone."""
    return ["ABCD"[len(one.text) % 4] for one in examples]


@pytest.mark.parametrize("place", ["school", "school/test.jsonl"])
def test_what_the_edit_log_says_is_counted(small: Path, place: str) -> None:
    """Every count again, from the files alone."""
    report = evaluate(small / place, {"m": options}).report()
    rows, log = rows_of(small / "school/test.jsonl"), rows_of(small / "school/edits.jsonl")
    attacks = list(dict.fromkeys(one["perturbation"] for one in log if one["status"] != "original"))
    assert report["attacks"] == attacks
    assert "school" not in attacks
    originals = [row for row in rows if row["perturbation"] == "school"]
    assert report["originals"] == len(originals) == 12
    for name in attacks:
        entry = report["models"][0]["attacks"][name]
        status = Counter(one["status"] for one in log if one["perturbation"] == name)
        assert (entry["rejected"], entry["unchanged"]) == (status["rejected"], status["unchanged"])
        assert entry["rows"] == sum(status.values())
        own = [row for row in rows if row["perturbation"] == name]
        before, after = (["ABCD"[len(row["question"]) % 4] for row in part] for part in (originals, own))
        right = [one == row["answer"] for one, row in zip(before, originals, strict=True)]
        broken = [was and one != row["answer"] for was, one, row in zip(right, after, own, strict=True)]
        assert (entry["right"], entry["broken"]) == (sum(right), sum(broken))
    rejected = sum(report["models"][0]["attacks"][name]["rejected"] for name in attacks)
    assert rejected > 0, "the example has rejected rows, so the log was read"
    assert report["models"][0]["attacks"]["butterfingers"]["strength"]["similarity"]


def test_the_page_explains_variations_with_names_of_their_own(small: Path) -> None:
    found = evaluate(small / "school", {"m": options})
    assert found.report()["specs"]["typos_in_chat"] == "case+butterfingers"
    told = "Change the case of letters; the text keeps its length. Replace letters by those of neighbouring keys"
    assert told in page(found)


def test_the_episodes_are_those_of_the_train_rows(small: Path) -> None:
    shown: dict[int, set[tuple[str, ...]]] = defaultdict(set)

    def model(examples: Sequence[Example]) -> list[str]:
        for one in examples:
            assert not {"perturbation", "episode", "augment", "answer"} & one.record.keys()
            shown[len(one.shots)].add(tuple(shot["question"] for shot in one.shots))
        return ["A"] * len(examples)

    report = evaluate(small / "school", {"m": model}, shots=(0, 1, 4)).report()
    assert [(one["shots"], one["episodes"]) for one in report["models"]] == [(0, 1), (1, 3), (4, 3)]
    manifest = json.loads((small / "manifest.json").read_text())
    wanted: dict[int, set[tuple[str, ...]]] = defaultdict(set)
    school = next(task for task in manifest["tasks"] if task["name"] == "school")
    for episode in school["episodes"]:
        rows = [
            row["question"]
            for row in rows_of(small / "school/train.jsonl")
            for n in row["episode"]
            if n == episode["number"]
        ]
        assert len(rows) == episode["shots"]
        wanted[episode["shots"]].add(tuple(rows))
    assert shown == wanted
    with pytest.raises(AugmentError, match="state episodes of 1, 4 demonstrations"):
        evaluate(small / "school", {"m": model}, shots=(2,))


def test_the_train_rows_of_the_release_train_a_model(small: Path) -> None:
    assert NGRAMS == (1, 4)
    report = evaluate(small / "school", ["linear"]).report()
    assert report["models"][0]["attacks"]["eda_swap"]["rows"] == 12


def test_a_log_of_other_rows_is_an_error(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "school"
    folder.mkdir()
    lines = (small / "school/test.jsonl").read_text().splitlines(keepends=True)
    log = (small / "school/edits.jsonl").read_text().splitlines(keepends=True)
    (folder / "test.jsonl").write_text("".join(lines))
    (folder / "edits.jsonl").write_text("".join(log[:-1]))
    with pytest.raises(AugmentError, match="take both from one release"):
        evaluate(folder, {"m": options})
    (folder / "edits.jsonl").write_text("".join([*log[:-2], log[-1], log[0]]))
    with pytest.raises(AugmentError, match="is of another perturbation"):
        evaluate(folder, {"m": options})
    (folder / "edits.jsonl").unlink()
    assert "school" not in evaluate(folder, {"m": options}).report()["attacks"], "the folder names the originals"


def test_a_task_with_its_own_fields_keeps_them(tmp_path: Path) -> None:
    """Without the manifest, `text` would be the field that is compared."""
    rows: list[dict[str, Any]] = [
        {"id": number, "text": "Не меняется.", "body": f"Отличный номер {number}, спасибо.", "label": "yes"}
        for number in range(3)
    ]
    text = """
name = "own"
licence = "mit"
[shots]
k = []
[[attack]]
spec = "butterfingers"
[[task]]
name = "hotels"
test = "test.jsonl"
fields = ["body"]
"""
    target = tmp_path / "own"
    built(recipe(tmp_path / "in", text, rows), target)
    report = evaluate(target / "hotels", {"m": lambda examples: ["yes"] * len(examples)}).report()
    assert report["fields"] == ["body"]
    assert report["models"][0]["attacks"]["butterfingers"]["unchanged"] == 0


@pytest.mark.parametrize("content", ["[]", "5", "[" * 10**5, "{}"])
def test_a_manifest_that_is_none_is_one_line(small: Path, tmp_path: Path, content: str) -> None:
    (tmp_path / "school").mkdir()
    (tmp_path / "school/test.jsonl").write_bytes((small / "school/test.jsonl").read_bytes())
    (tmp_path / "manifest.json").write_text(content, encoding="utf-8")
    with pytest.raises(AugmentError, match=r"manifest\.json: is no manifest of a release"):
        evaluate(tmp_path / "school", {"m": options})


@pytest.mark.parametrize(
    ("key", "value"),
    [("attacks", 5), ("attacks", [5]), ("tasks", 5), ("recipe", {}), ("models", [{"name": "a"}]), ("models", 5),
     ("tasks", [{"name": "school", "fields": 7}]), ("tasks", [{"name": "school", "fields": [7]}]),
     ("tasks", [{"name": "school", "task": 7}])],
)  # fmt: skip
def test_a_manifest_with_a_value_of_another_kind_is_one_line(
    small: Path, tmp_path: Path, key: str, value: object
) -> None:
    shutil.copytree(small / "school", tmp_path / "school")
    content = json.loads((small / "manifest.json").read_text(encoding="utf-8"))
    (tmp_path / "manifest.json").write_text(json.dumps(content | {key: value}), encoding="utf-8")
    with pytest.raises(AugmentError, match=r"manifest\.json: is no manifest of a release"):
        evaluate(tmp_path / "school", {"m": options})
