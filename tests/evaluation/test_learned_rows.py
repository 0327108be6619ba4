"""A model that was trained on the rows that it is evaluated on: its rates are those of texts that it knows by heart."""

import logging
from collections.abc import Sequence
from pathlib import Path

from augment_ru import evaluate
from augment_ru.evaluation.examples import Example
from commands import write
from logs import Logs

GOOD = [{"id": at, "text": f"Хороший товар номер {at}.", "label": "хорошо"} for at in range(6)]
BAD = [{"id": 6 + at, "text": f"Плохой товар номер {at}.", "label": "плохо"} for at in range(6)]


class Knows:
    """A model of a user's that calls something else `learned`."""

    learned = 5

    def __call__(self, examples: Sequence[Example], /) -> list[str]:
        return ["хорошо" for _ in examples]


def test_the_rows_that_a_model_was_trained_on_are_counted(tmp_path: Path, logs: Logs) -> None:
    train = write(tmp_path / "train.jsonl", *GOOD[:4], *BAD[:4])
    spec = f"linear:{train}"
    with logs.from_level(logging.WARNING):
        evaluate([*GOOD[3:], *BAD[4:]], {"own": Knows(), "mine": spec})
    assert logs.messages == [
        "mine: was trained on 1 of the 5 originals, so its rates say little of new texts; train it on other rows"
    ]
    logs.records.clear()
    with logs.from_level(logging.WARNING):
        evaluate([*GOOD[4:], *BAD[4:]], [spec, "majority"], train=train)
        evaluate(GOOD + BAD, {"majority": f"majority:{train}"})  # learns no text
    assert not logs.records


def test_as_many_labels_as_rows_are_no_warning_of_another_package(tmp_path: Path) -> None:
    train = write(tmp_path / "train.jsonl", *({"text": f"Товар {at}.", "label": str(at)} for at in range(40)))
    evaluation = evaluate([{"id": 99, "text": "Товар.", "label": "1"}], {"many": f"linear:{train}"})
    assert evaluation.report()["models"][0]["model"] == "many"
