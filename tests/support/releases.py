"""Small releases for tests."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from augment_ru.release.build import BuildReport, build_release

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "release"

QUESTIONS = [
    {
        "question": "Почему осенью листья клёна желтеют? (A) не хватает снега (B) дерево готовится к зиме",
        "answer": "B",
        "exam_name": "Олимпиада",
        "school_grade": 4,
        "knowledge_type": "CAUSAL",
    },
    {
        "question": "Какой прибор показывает, насколько тепло на улице? (A) барометр (B) термометр",
        "answer": "B",
        "exam_name": "Олимпиада",
        "school_grade": 2,
        "knowledge_type": "MODEL",
    },
    {
        "question": "Кто выкармливает детёнышей молоком? (A) старая щука (B) серая кошка",
        "answer": "B",
        "exam_name": "Олимпиада",
        "school_grade": 3,
        "knowledge_type": "MODEL",
    },
]

RECIPE = """
name = "tiny"
licence = "apache-2.0"
[shots]
k = [1, 4]
episodes = 2
[[attack]]
spec = "butterfingers"
[[attack]]
spec = "eda_swap+case"
name = "swapped"
[[task]]
name = "school"
train = "train.jsonl"
test = "test.jsonl"
"""


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write rows to a file of JSON lines, and return its path."""
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


def recipe(folder: Path, text: str = RECIPE, rows: Sequence[Mapping[str, Any]] = QUESTIONS) -> Path:
    """Write a recipe and its files to a folder, and return the path of the recipe."""
    folder.mkdir(parents=True, exist_ok=True)
    write_rows(folder / "train.jsonl", rows)
    write_rows(folder / "test.jsonl", rows)
    path = folder / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    return path


def built(path: Path, target: Path, **options: Any) -> BuildReport:  # noqa: ANN401
    """Build the release of a recipe."""
    return build_release(path, target, **options)


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file in a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Read the rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
