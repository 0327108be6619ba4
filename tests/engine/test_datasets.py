"""Datasets of Hugging Face: their rows become what rows of other sources become."""

import json
from typing import Any

import datasets
import pytest

from augment_ru import Augmenter, AugmentError
from layouts import ROWS
from strategies import ATTACKS

DATA = [{"id": number, "text": f"Кот номер {number} спит на окне.", "label": number % 2} for number in range(60)]


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a dataset with its metadata as an object."""
    return {**row, "augment": json.loads(row["augment"])}


@pytest.mark.parametrize("attack", ATTACKS[:3])
def test_a_dataset_becomes_what_records_makes_of_its_rows(attack: str) -> None:
    augmenter = Augmenter(attack, constraints=(), similarity="none", probability=0.5)
    wanted = [json.loads(json.dumps(result.row())) for result in augmenter.records(DATA)]
    features = datasets.Features(
        {
            "id": datasets.Value("int16"),
            "text": datasets.Value("string"),
            "label": datasets.ClassLabel(names=["a", "b"]),
        }
    )
    whole = datasets.Dataset.from_list(DATA, features=features)
    for made in (
        augmenter.map_dataset(whole),
        augmenter.map_dataset(whole, batch_size=7, field="text"),
        augmenter.map_dataset(whole.to_iterable_dataset(), batch_size=7),
    ):
        assert [plain(row) for row in made] == wanted
        assert made.features == {**features, "augment": datasets.Value("string")}
    split = augmenter.map_dataset(datasets.DatasetDict({"train": whole, "test": whole.select([3])}), meta="none")
    assert split["test"].to_list() == [{key: wanted[3][key] for key in DATA[3]}]
    assert whole.to_list() == DATA


def test_a_dataset_without_rows_gets_the_columns_of_one_with_rows() -> None:
    augmenter = Augmenter("eda_swap", constraints=(), similarity="none")
    none = datasets.Dataset.from_list(DATA).select([])
    for meta in ("full", "none"):
        full = augmenter.map_dataset(datasets.Dataset.from_list(DATA), meta=meta)
        assert augmenter.map_dataset(none, meta=meta).features == full.features


def test_a_dataset_may_be_mapped_by_several_processes() -> None:
    augmenter = Augmenter("eda_swap", constraints=(), similarity="none")
    wanted = [result.row("none") for result in augmenter.records(DATA)]
    assert augmenter.map_dataset(datasets.Dataset.from_list(DATA), meta="none", num_proc=2).to_list() == wanted


def test_a_dataset_with_places_and_paths() -> None:
    rows = ROWS["multiq"] * 3
    augmenter = Augmenter("eda_delete", constraints=(), similarity="none", probability=1.0)
    made = augmenter.map_dataset(datasets.Dataset.from_list(rows), meta="none")
    assert made.to_list() == [result.row("none") for result in augmenter.records(rows)]
    row = ROWS["mera_parus"][0]
    (new,) = augmenter.map_dataset(datasets.Dataset.from_list([row]), field=["inputs.premise"], meta="none")
    assert new["inputs"]["premise"] != row["inputs"]["premise"]
    assert new["inputs"]["choice1"] == row["inputs"]["choice1"]


def test_what_is_no_dataset_is_refused() -> None:
    augmenter = Augmenter("case", constraints=(), similarity="none")
    with pytest.raises(AugmentError, match="list is not a dataset"):
        augmenter.map_dataset([{"text": "Кот"}])
    with pytest.raises(AugmentError, match="a streamed dataset cannot use several processes"):
        augmenter.map_dataset(datasets.Dataset.from_list(DATA).to_iterable_dataset(), num_proc=2)
    with pytest.raises(AugmentError, match="has a column 'augment' already"):
        augmenter.map_dataset(datasets.Dataset.from_list([{"text": "Кот", "augment": "x"}]))
