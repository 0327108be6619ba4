"""The progress of an evaluation: in the end every question is counted, whether it was asked, known or repeated."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from augment_ru import evaluate

ROWS = [
    {"id": number, "text": text, "label": label, **meta}
    for number, (text, label) in enumerate([("Суп остыл.", "bad"), ("Вкусно!", "good"), ("Суп остыл.", "bad")], start=1)
    for meta in ({"perturbation": "original"}, {"perturbation": "case"}, {"perturbation": "swap"})
]


@pytest.mark.parametrize("cache", [None, "answers.sqlite"])
def test_every_question_is_counted(cache: str | None, tmp_path: Path) -> None:
    announced: list[int] = []
    counted: list[int] = []

    @contextmanager
    def progress(name: str, questions: int) -> Iterator[Callable[[int], None]]:
        del name
        announced.append(questions)
        counted.append(0)

        def advance(count: int) -> None:
            counted[-1] += count

        yield advance

    for _ in range(2):
        evaluate(ROWS, ["random"], progress=progress, cache=tmp_path / cache if cache else None)
    assert announced == counted == [9, 9]
