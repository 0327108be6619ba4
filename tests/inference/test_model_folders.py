"""Folders of models that come from others: no code of theirs is run, and what is wrong in them is one line."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from augment_ru import AugmentError
from augment_ru.inference import pretrained

VALUES: list[tuple[str, Any]] = [
    ("hidden_size", "кот"),
    ("hidden_size", -1),
    ("num_attention_heads", None),
    ("vocab_size", []),
    ("num_hidden_layers", 10**5),
    ("model_type", 5),
    ("model_type", "нет такого"),
    ("layer_norm_eps", {}),
    ("dtype", "float99"),
]


def changed(model: Path, folder: Path, **values: Any) -> str:  # noqa: ANN401  (JSON values)
    """A copy of a model whose configuration has other values."""
    shutil.copytree(model, folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | values), encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize("asked", ["owner/kernel", "owner/kernel@main:function", "paged|owner/kernel", {"": "a/b"}])
def test_no_kernel_is_fetched_that_a_folder_names(
    asked: Any,  # noqa: ANN401
    bert: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from transformers import modeling_utils  # noqa: PLC0415  (slow, and only needed here)

    fetched: list[str] = []
    monkeypatch.setattr(modeling_utils, "lazy_import_flash_attention", lambda name, **_: fetched.append(name))
    name = changed(bert, tmp_path / "model", _attn_implementation=asked)
    model = pretrained.load("AutoModel", name, device="cpu").model
    assert (fetched, model.config._attn_implementation) == ([], "sdpa")  # noqa: SLF001
    assert os.environ["USE_HUB_KERNELS"] == "NO"


@pytest.mark.parametrize(("key", "value"), VALUES)
def test_a_wrong_value_of_a_configuration_is_one_line(key: str, value: object, bert: Path, tmp_path: Path) -> None:
    name = changed(bert, tmp_path / "model", **{key: value})
    with pytest.raises(AugmentError, match=r"^model \S+: (its config\.json|its tokenizer|cannot be loaded)") as caught:
        pretrained.load("AutoModel", name, device="cpu")
    assert "\n" not in str(caught.value)
