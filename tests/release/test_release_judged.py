"""A release that people judge: the sample of all tasks, the shares in card and manifest, and the check behind them."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from augment_ru import AugmentError, evaluate
from augment_ru.evaluation.rates import wilson
from augment_ru.jobs.verdicts import export_sample, import_answers
from augment_ru.release.manifest import encoded_manifest, environment, own_digest, read_manifest
from augment_ru.release.verify import verify_release
from releases import EXAMPLE, built

OPTIONS = dict.fromkeys(("originals", "task", "fields", "predictions", "input_format", "encoding")) | {"seed": 42}
OUTPUTS = {"README.md", "croissant.json", "verdicts.jsonl", "manifest.json"}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("release") / "small"
    built(EXAMPLE / "small.toml", target)
    return target


@pytest.fixture
def copy(small: Path, tmp_path: Path) -> Path:
    shutil.copytree(small, tmp_path / "copy")
    return tmp_path / "copy"


def exported(release: Path, folder: Path, size: int) -> list[dict[str, str]]:
    export_sample(str(release), folder / "tasks.json", {**OPTIONS, "size": size})
    return [one["data"] for one in json.loads((folder / "tasks.json").read_text(encoding="utf-8"))]


def answered(folder: Path, asked: list[dict[str, str]], *, invalid: int = 3) -> Path:
    """Answers of two annotators, who find every row valid but each one of `invalid`."""
    said = ["нет" if at % invalid == 0 else "да" for at in range(len(asked))]
    tasks = [
        {"data": row, "annotations": [{"completed_by": who, "result": [{"value": {"choices": [one]}}]} for who in "ab"]}
        for row, one in zip(asked, said, strict=True)
    ]
    path = folder / "answers.json"
    path.write_text(json.dumps(tasks, ensure_ascii=False), encoding="utf-8")
    return path


def test_a_sample_is_drawn_of_every_task_of_a_release(copy: Path, tmp_path: Path) -> None:
    asked = exported(copy, tmp_path, 48)
    assert len({one["id"] for one in asked}) == len(asked) <= 48
    by_task = {
        task["name"]: set((copy / task["name"] / "test.jsonl").read_text("utf-8").split("\n"))
        for task in read_manifest(copy / "manifest.json")["tasks"]
    }
    found = Counter(
        name
        for one in asked
        for name, lines in by_task.items()
        if any(one["original"].split(": ", 1)[-1].split("\n")[0][:40] in line for line in lines)
    )
    assert set(found) == set(by_task)
    with pytest.raises(AugmentError, match="is a release, which says it of each task; give the folder of one task"):
        export_sample(str(copy), tmp_path / "tasks.json", {**OPTIONS, "size": 5, "task": "multiq"})
    with pytest.raises(AugmentError, match="is a release of several tasks; give the folder of one of them"):
        evaluate(copy, {"majority": "majority"})


def test_card_and_manifest_state_what_people_said(copy: Path, tmp_path: Path) -> None:
    """The shares are those of the answers, other files keep their bytes, and the release is still whole."""
    before = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    asked = exported(copy, tmp_path, 48)
    import_answers([answered(tmp_path, asked)], None, copy)
    changed = {path.name for path in copy.rglob("*") if path.is_file() and before.get(path) != path.read_bytes()}
    assert changed == OUTPUTS
    assert list(verify_release(copy, rebuild=1, expect=own_digest(copy / "manifest.json"))) == []
    figures = read_manifest(copy / "manifest.json")["judged"]
    valid = len(asked) - len(range(0, len(asked), 3))
    assert (figures["judged"], figures["valid"], figures["answers"]) == (len(asked), valid, 2 * len(asked))
    assert figures["alpha"] == 1.0
    assert figures["share"] == round(100 * valid / len(asked), 4)
    ends = wilson(valid, len(asked))
    assert ends is not None
    assert [figures["low"], figures["high"]] == [round(100 * end, 4) for end in ends]
    card = (copy / "README.md").read_text(encoding="utf-8")
    assert f"{figures['share']:.1f} % ({valid} of {len(asked)}; 95 % interval {figures['low']:.1f}" in card
    assert {one["task"] for one in figures["variations"]} == {"pronouns", "school", "hops"}
    for one in figures["variations"]:
        assert f"| `{one['task']}` | `{one['name']}` | {one['judged']} | {one['valid']} | {one['share']:.1f} |" in card
    kept = evaluate(copy / "school", {"majority": "majority"}, verdicts=copy / "verdicts.jsonl").report()
    assert '"valid_rows"' in json.dumps(kept)


def test_answers_are_imported_again(copy: Path, tmp_path: Path) -> None:
    asked = exported(copy, tmp_path, 20)
    import_answers([answered(tmp_path, asked)], None, copy)
    first = read_manifest(copy / "manifest.json")["judged"]["valid"]
    import_answers([answered(tmp_path, asked, invalid=2)], tmp_path / "verdicts.jsonl", copy)
    assert read_manifest(copy / "manifest.json")["judged"]["valid"] < first
    assert (tmp_path / "verdicts.jsonl").read_bytes() == (copy / "verdicts.jsonl").read_bytes()
    assert list(verify_release(copy)) == []


def test_changed_verdicts_and_shares_are_named(copy: Path, tmp_path: Path) -> None:
    import_answers([answered(tmp_path, exported(copy, tmp_path, 20))], None, copy)
    content = read_manifest(copy / "manifest.json")
    path = copy / "verdicts.jsonl"
    kept = path.read_bytes()
    path.write_bytes(kept.replace(b'"invalid", "votes"', b'"valid", "votes"', 1))
    assert list(verify_release(copy)) == ["verdicts.jsonl: was changed"]
    path.unlink()
    assert list(verify_release(copy)) == ["verdicts.jsonl: is missing"]
    path.write_bytes(kept)
    content["judged"]["valid"] += 1
    (copy / "manifest.json").write_bytes(encoded_manifest(content))
    assert "manifest.json: 'judged' is not what follows from the recipe and the files of the release" in list(
        verify_release(copy)
    )


def test_other_answers_and_other_releases_are_refused(
    copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = exported(copy, tmp_path, 20)
    before = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    answers = answered(tmp_path, [*asked, {**asked[0], "id": "0" * 16}])
    with pytest.raises(AugmentError, match="1 verdict of no row of it; give answers about its rows"):
        import_answers([answers], None, copy)
    monkeypatch.setattr("augment_ru.release.manifest._code", lambda: "another")
    environment.cache_clear()
    with pytest.raises(AugmentError, match=r"is a release that other code built \(augment-ru .*; install that code"):
        import_answers([answered(tmp_path, asked)], None, copy)
    environment.cache_clear()
    assert before == {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    with pytest.raises(AugmentError, match="nowhere to write; give `output` or `release`"):
        import_answers([answers], None)
