"""The example of a release of one's own tasks: what lm-evaluation-harness asks, and where answers move."""

import json
import shutil
from pathlib import Path

import pytest

from harness import simple_evaluate
from releases import EXAMPLE, built, rows_of, write_rows

OWN = EXAMPLE.parent / "own_benchmark"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's release; one of its questions has no answer."""
    folder = tmp_path_factory.mktemp("own")
    shutil.copytree(OWN, folder / "in")
    rows = rows_of(OWN / "questions.jsonl")
    rows[-1] = {**rows[-1], "answers": {"text": [], "answer_start": []}}
    write_rows(folder / "in" / "questions.jsonl", rows)
    built(folder / "in" / "recipe.toml", folder / "out")
    return folder / "out"


def test_answers_stand_at_their_offsets_in_every_variation(release: Path) -> None:
    rows = rows_of(release / "questions" / "test.jsonl")
    originals = {row["id"]: row for row in rows[:8]}
    assert {row["perturbation"] for row in rows} == {"questions", "butterfingers", "people"}
    assert any(row["context"] != originals[row["id"]]["context"] for row in rows)
    for row in rows:
        answers = row["answers"]
        assert answers["text"] == originals[row["id"]]["answers"]["text"]
        for text, start in zip(answers["text"], answers["answer_start"], strict=True):
            assert row["context"][start : start + len(text)] == text


def test_the_harness_asks_both_tasks(release: Path) -> None:
    pytest.importorskip("lm_eval")
    from lm_eval.tasks import TaskManager  # noqa: PLC0415

    tasks = TaskManager(include_path=str(release / "lm_eval"), include_defaults=False)
    found = simple_evaluate("dummy", tasks=["own"], task_manager=tasks, bootstrap_iters=0, log_samples=True)
    assert found is not None
    samples = found["samples"]
    assert {name: len(own) for name, own in samples.items()} == {
        f"own_{task}_{variation}": rows
        for task, rows in (("complaints", 12), ("questions", 8))
        for variation in ("original", "butterfingers", "people")
    }
    asked = samples["own_complaints_original"][0]["arguments"]
    assert "Жалоба: Курьер привёз заказ на три часа позже" in json.dumps(asked, ensure_ascii=False)
    assert "О чём она:" in json.dumps(asked, ensure_ascii=False)
    targets = [sample["target"] for sample in samples["own_questions_original"]]
    assert targets == [
        row["answers"]["text"][0] if row["answers"]["text"] else ""
        for row in rows_of(release / "questions" / "test.jsonl")[:8]
    ]
