"""Download models from the Hugging Face hub into its local cache; no other module downloads models."""

from collections.abc import Sequence

from augment_ru.errors import AugmentError, optional
from augment_ru.inference.pretrained import NEEDED

_SMALL = (".json", ".txt", ".model", ".spm", ".tiktoken")
_FOREIGN = ("onnx/", "openvino/", "coreml/", "tf_model", "flax_model", "rust_model", "original/")


def wanted(files: Sequence[str]) -> list[str]:
    """Return the files of a model's repository that are downloaded: vocabulary, configuration, weights; never code.

    Weights in safetensors are preferred to those in `pytorch_model*.bin`.

    >>> wanted(["config.json", "model.safetensors", "pytorch_model.bin", "modeling.py", "onnx/model.onnx"])
    ['config.json', 'model.safetensors']
    >>> wanted(["config.json", "source.spm", "pytorch_model.bin"])
    ['config.json', 'source.spm', 'pytorch_model.bin']
    """
    ours = [name for name in files if not name.startswith(_FOREIGN)]
    small = [name for name in ours if name.endswith(_SMALL)]
    safe = [name for name in ours if name.endswith(".safetensors")]
    plain = [name for name in ours if name.rsplit("/", 1)[-1].startswith("pytorch_model") and name.endswith(".bin")]
    return small + (safe or plain)


def pull(name: str, revision: str | None = None) -> str:
    """Download a model into the local cache, and return its folder there.

    Args:
        name: the name of the model on the hub, OWNER/NAME.
        revision: a branch, tag or commit; None for the main branch.

    Raises:
        AugmentError: the model does not exist, or the hub cannot be reached.
    """
    optional("huggingface_hub", NEEDED, "models")
    from huggingface_hub import HfApi, snapshot_download  # noqa: PLC0415  (an extra)
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled  # noqa: PLC0415

    try:
        files = wanted([file.rfilename for file in HfApi().model_info(name, revision=revision).siblings or ()])
        if "config.json" in files:
            return snapshot_download(name, revision=revision, allow_patterns=files)
        problem = "the repository has no config.json, so transformers cannot load it"
    except HFValidationError:
        problem = "not a valid name of a model on the hub; a name is OWNER/NAME"
    except OfflineModeIsEnabled:
        problem = "HF_HUB_OFFLINE is set; unset it to download models"
    except HfHubHTTPError as error:
        problem = (
            f"the hub answers with status {error.response.status_code}; check the name, and HF_TOKEN if it is private"
        )
    except Exception as error:  # noqa: BLE001  (of whichever HTTP library the client brings)
        problem = f"the hub cannot be reached ({error}); check the network, or copy the model's folder"
    raise AugmentError(f"model {name}: {problem}")
