"""Batches for training: through a real DataLoader with workers, and a real Trainer."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from augment_ru import Augmenter, AugmentError
from augment_ru.torch import PerturbedBatches
from profiles import IS_FULL

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

WORDS = ("Кошка спит на окне", "Собака бежит домой", "Завтра будет гречка", "Матч отменили вчера", "Маша купила билет")
ROWS: list[dict[str, Any]] = [{"text": f"{words}, и это случилось {number} раз подряд.", "label": number % 2}
        for number, words in enumerate(WORDS * 4)]  # fmt: skip
PLAIN = Augmenter("butterfingers", constraints=(), similarity="none", seed=7)


def expected(epoch: int) -> list[str]:
    """The texts of an epoch."""
    return [result.text for result in PLAIN.texts([str(row["text"]) for row in ROWS], draw=epoch)]


def texts_of(loader: Any) -> list[str]:  # noqa: ANN401  (torch's)
    """The texts of one iteration over a loader."""
    return [row["text"] for batch in loader for row in batch]


@pytest.mark.parametrize(("persistent", "start"), [(False, "fork"), (True, "fork"), (True, "spawn")])
def test_workers_see_the_epoch(persistent: bool, start: str) -> None:  # noqa: FBT001  (a parameter of a case)
    batches = PerturbedBatches(PLAIN)
    workers = 2 if IS_FULL or start == "fork" else 1  # one that is spawned loads torch for seconds
    loader = torch.utils.data.DataLoader(
        ROWS, batch_size=3, collate_fn=batches, num_workers=workers, persistent_workers=persistent,
        multiprocessing_context=start,
    )  # fmt: skip
    for epoch in (0, 1, 5, 1):
        batches.epoch = epoch
        assert texts_of(loader) == expected(epoch)
    assert expected(0) != expected(1)


def test_a_share_stays_clean_and_another_one_in_every_epoch() -> None:
    batches = PerturbedBatches(PLAIN, clean=0.4)
    many: list[dict[str, Any]] = [
        {"text": f"Кошка номер {number} спит на окне.", "id": number} for number in range(500)
    ]
    kept = []
    for epoch in (0, 1):
        batches.epoch = epoch
        new = batches(many)
        assert new == [row for at in range(0, 500, 7) for row in batches(many[at : at + 7])]
        kept.append({row["id"] for row, old in zip(new, many, strict=True) if row == old})
    assert all(160 < len(one) < 240 for one in kept)  # 200 of 500, and four standard deviations
    assert kept[0] != kept[1]
    everything = PerturbedBatches(PLAIN, clean=1.0)
    assert everything(many) == many


def test_fields_of_rows_and_rows_without_them() -> None:
    batches = PerturbedBatches(PLAIN, field="title")
    rows: list[dict[str, Any]] = [{"title": "Кошка спит на окне", "text": "Собака"}, {"input_ids": [1, 2]}]
    new = batches(rows)
    assert new[0]["title"] != rows[0]["title"]
    assert (new[0]["text"], new[1]) == ("Собака", rows[1])


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(AugmentError, match="`clean` 2: needs a share from 0 to 1"):
        PerturbedBatches(PLAIN, clean=2)
    with pytest.raises(AugmentError, match="the dataset must give dictionaries"):
        PerturbedBatches(PLAIN)([("Кошка", 1)])  # type: ignore[list-item]
    with pytest.raises(AugmentError, match="epoch"):
        PerturbedBatches(PLAIN).epoch = -1


class Encoded:
    """Tokenizes a batch: the code points of each text, padded."""

    def __call__(self, rows: Sequence[Any]) -> dict[str, Any]:
        codes = [list(map(ord, row["text"])) for row in rows]
        width = max(map(len, codes))
        return {
            "input_ids": torch.tensor([one + [0] * (width - len(one)) for one in codes]),
            "labels": torch.tensor([row["label"] for row in rows]),
        }


class Tiny(torch.nn.Module):  # type: ignore[misc, name-defined]
    """A classifier that notes what it reads."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = torch.nn.EmbeddingBag(2048, 2)
        self.read: list[str] = []

    def forward(self, input_ids: Any, labels: Any) -> dict[str, Any]:  # noqa: ANN401  (tensors)
        """The loss of a batch."""
        self.read += ["".join(map(chr, row)).rstrip("\0") for row in input_ids.tolist()]
        scores = self.embed(input_ids)
        return {"loss": torch.nn.functional.cross_entropy(scores, labels), "logits": scores}


@pytest.mark.parametrize("persistent", [False, True])
def test_the_trainer_sets_the_epoch(tmp_path: Path, persistent: bool) -> None:  # noqa: FBT001
    batches = PerturbedBatches(PLAIN, Encoded())
    model = Tiny()
    options = transformers.TrainingArguments(
        output_dir=str(tmp_path), num_train_epochs=3, per_device_train_batch_size=4, report_to=[], save_strategy="no",
        dataloader_num_workers=2 if IS_FULL else 1, dataloader_persistent_workers=persistent,
        remove_unused_columns=False, use_cpu=True, disable_tqdm=True, logging_strategy="no",
    )  # fmt: skip
    trainer = transformers.Trainer(
        model, options, data_collator=batches, train_dataset=ROWS, callbacks=[batches.callback()]
    )
    trainer.train()
    for epoch in range(3):
        assert sorted(model.read[epoch * len(ROWS) : (epoch + 1) * len(ROWS)]) == sorted(expected(epoch))
    assert json.dumps(model.read) != json.dumps(expected(0) * 3)
