"""Load Hugging Face models from a folder or the local cache: each once, safely, on one device.

This module does not use the network and does not run code from a model's repository. Weights are read as safetensors
if the repository has them, else with torch's weights-only loader; objects are never unpickled.
"""

import logging
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from augment_ru.errors import AugmentError, first_line, optional, saying_instead

if TYPE_CHECKING:
    from torch import device as Device  # noqa: N812  (a class)
    from torch import dtype as Dtype  # noqa: N812

DTYPES = ("auto", "float32", "bfloat16", "float16")
_IMPLEMENTATIONS = {
    "_attn_implementation": (None, "eager", "sdpa"),
    "_experts_implementation": (None, "eager", "batched_mm", "grouped_mm"),
}
"""The attributes of a configuration that name the implementation of a part of a model, and the names torch supports."""
_LAYERS = ("num_hidden_layers", "num_layers", "n_layer", "n_layers", "encoder_layers", "decoder_layers")
_MOST_LAYERS = 1_000
"""The maximum number of layers; a limit is needed because transformers creates all layers before it reads weights."""
NEEDED = "networks need torch and transformers"

_log = logging.getLogger(__name__)
_lock = Lock()


def device_of(name: str) -> "Device":
    """Return the torch device of this name.

    Args:
        name: cpu, cuda or cuda:N; or auto: the first GPU if there is one, else the CPU.

    Raises:
        AugmentError: the machine has no such device, or torch is not installed.
    """
    torch = _torch()
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    with saying_instead(f"device '{name}'; possible: auto, cpu, cuda, cuda:N", RuntimeError):
        device: Device = torch.device(name)
    if device.type != "cuda":
        return device
    number = device.index or 0
    if number >= torch.cuda.device_count():
        raise AugmentError(f"device {name}: torch finds {torch.cuda.device_count()} GPUs here; use auto or cpu")
    numbered: Device = torch.device("cuda", number)
    return numbered


def dtype_of(name: str, device: "Device") -> "Dtype":
    """Return the torch dtype of this name.

    Args:
        name: one of `DTYPES`, such as bfloat16; or auto: bfloat16 on a GPU, else float32.
        device: the device on which the network runs.

    Raises:
        AugmentError: the name is not one of `DTYPES`, or torch is not installed.
    """
    torch = _torch()
    if name not in DTYPES:
        raise AugmentError(f"dtype '{name}'; possible: {', '.join(DTYPES)}")
    if name == "auto":
        name = "bfloat16" if device.type == "cuda" else "float32"
    return getattr(torch, name)  # type: ignore[no-any-return]  # of DTYPES


class Pretrained(NamedTuple):
    """A network of transformers, ready to use.

    Attributes:
        name: the name or folder that it was loaded from.
        model: the network, in evaluation mode.
        tokenizer: its tokenizer.
        device: the device that it is on.
        dtype: the type of its numbers.
    """

    name: str
    model: Any
    tokenizer: Any
    device: "Device"
    dtype: "Dtype"


def load(
    head: str,
    name: str,
    *,
    device: str = "auto",
    dtype: str = "auto",
    layers: int | None = None,
    device_map: str | None = None,
) -> Pretrained:
    """Load a network with its tokenizer; later calls with the same arguments return the same object.

    Args:
        head: the transformers class that loads the network, for example `AutoModelForCausalLM`.
        name: a folder, or the hub's name of a model in the local cache.
        device: `auto`, `cpu`, `cuda` or `cuda:N`.
        dtype: one of `DTYPES`.
        layers: how many of the model's layers are loaded; None for all.
        device_map: how accelerate places the weights on several devices; None to put all of them on `device`.

    Raises:
        AugmentError: the model, device or dtype does not exist, or the model has no weights for this head or no
            tokenizer.
    """
    place = device_of(device)
    with _lock:
        return _load(head, str(name), place, dtype_of(dtype, place), layers, device_map)


def release() -> None:
    """Forget all loaded networks, so that their memory can be freed."""
    _load.cache_clear()


def tokenizer_of(name: str) -> Any:  # noqa: ANN401  (transformers' own)
    """Load the tokenizer of a model from a folder or the local cache.

    Raises:
        AugmentError: the model does not exist or has no tokenizer, or the tokenizer cannot be read.
    """
    transformers = _transformers()
    folder = _folder(name)
    if not any((folder / file).is_file() for file in _TOKENIZER_FILES):
        raise AugmentError(f"model {name}: no tokenizer; it needs one of {', '.join(_TOKENIZER_FILES)}")
    return _read(transformers.AutoTokenizer, name, folder, "tokenizer")


def config_of(name: str) -> Any:  # noqa: ANN401  (transformers' own)
    """Load the configuration of a model from a folder or the local cache.

    Raises:
        AugmentError: there is no such model, or its configuration cannot be read.
    """
    transformers = _transformers()
    return _read(transformers.AutoConfig, name, _folder(name), "config.json")


def _read(kind: Any, name: str, folder: Path, what: str) -> Any:  # noqa: ANN401  (transformers' own)
    with saying_instead(lambda error: f"model {name}: its {what} cannot be read ({first_line(error)})", Exception):
        return kind.from_pretrained(folder, local_files_only=True, trust_remote_code=False)


@lru_cache(maxsize=16)
def fingerprint(name: str) -> str:
    """Return NAME#DIGEST for a model, so that models of one name with different weights can be told apart.

    NAME is the hub's name, or the name of a folder without its parents. DIGEST is made of the weights and the
    vocabulary; it has eight hexadecimal digits.

    Args:
        name: a folder, or the hub's name of a model in the local cache.

    Raises:
        AugmentError: there is no such model.
    """
    folder = _folder(name)
    files = [path for path in sorted(folder.iterdir()) if path.suffix in (".safetensors", ".bin", ".spm", ".model")]
    files += [path for file in ("tokenizer.json", "vocab.txt", "vocab.json") if (path := folder / file).is_file()]
    digest = blake2b(digest_size=4)
    for path in files:
        digest.update(path.name.encode())
        with path.open("rb") as file:
            while block := file.read(1 << 22):
                digest.update(block)
    shown = Path(name).name if Path(name).is_dir() else name
    return f"{shown}#{digest.hexdigest()}"


def context_of(pretrained: Pretrained) -> int:
    """Return how many tokens the model can read at once; 2048 if neither the model nor the tokenizer states a limit."""
    config = pretrained.model.config.get_text_config()
    limits = [
        size
        for size in (getattr(config, "max_position_embeddings", None), pretrained.tokenizer.model_max_length)
        if isinstance(size, int) and 0 < size < 10**9  # a tokenizer without a limit states 10^30
    ]
    return min(limits, default=2048)


def short_digest(content: bytes) -> str:
    """Return the BLAKE2b digest of some bytes, as eight hexadecimal digits."""
    return blake2b(content, digest_size=4).hexdigest()


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress progress bars, reports and warnings during loading; problems that matter are raised as errors."""
    from transformers.utils import logging as logs  # noqa: PLC0415

    level, bars = logs.get_verbosity(), logs.is_progress_bar_enabled()
    logs.set_verbosity(logging.CRITICAL)
    logs.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logs.set_verbosity(level)
        if bars:
            logs.enable_progress_bar()  # type: ignore[no-untyped-call]


@cache
@_quiet()
def _load(  # noqa: PLR0917  (those of `load`)
    head: str, name: str, device: "Device", dtype: "Dtype", layers: int | None, device_map: str | None
) -> Pretrained:
    _log.info("loading %s on %s", name, device)
    transformers = _transformers()
    config = config_of(name)
    _check_size(name, config)
    if layers is not None:
        config.num_hidden_layers = layers
    _without_kernels(config)
    tokenizer = tokenizer_of(name)
    safe = {"local_files_only": True, "trust_remote_code": False, "weights_only": True}
    try:
        model, report = getattr(transformers, head).from_pretrained(
            _folder(name), **safe, config=config, dtype=dtype, device_map=device_map, output_loading_info=True
        )
    except Exception as error:
        reason = first_line(error)
        if "Weights only load failed" in reason:  # torch's own message recommends to unpickle
            reason = "its weights are not plain tensors, and pickled objects are never read; use a model in safetensors"
        raise AugmentError(f"model {name}: cannot be loaded as {head}: {reason}") from error
    if absent := sorted(key for key in report["missing_keys"] if "pooler" not in key):
        problem = f"model {name}: has no weights for {absent[0]} and {len(absent) - 1} more, so it is no {head}"
        raise AugmentError(f"{problem}; use a model that was trained as one")
    if not device_map:
        model = model.to(device)
    return Pretrained(name, model.eval(), tokenizer, device, dtype)


_TOKENIZER_FILES = (
    "tokenizer.json", "tokenizer_config.json", "vocab.txt", "vocab.json", "tokenizer.model", "spiece.model",
    "sentencepiece.bpe.model", "source.spm",
)  # fmt: skip


def _folder(name: str) -> Path:
    """Return the folder with the files of a model.

    Raises:
        AugmentError: there is no such model; the message says how to get it.
    """
    folder = Path(name)
    if name and folder.is_dir():
        if not (folder / "config.json").is_file():
            raise AugmentError(f"model {name}: the folder has no config.json; give a folder saved by save_pretrained")
        return folder
    if folder.is_absolute() or name.startswith((".", "~")) or not name:
        raise AugmentError(f"model {name or '(no name)'}: no such folder")
    from huggingface_hub import try_to_load_from_cache  # noqa: PLC0415
    from huggingface_hub.errors import HFValidationError  # noqa: PLC0415

    problem = f"model {name}: no such folder, and not a valid name of a model on the hub (OWNER/NAME)"
    with saying_instead(problem, HFValidationError):
        found = try_to_load_from_cache(name, "config.json")
    if not isinstance(found, str):
        raise AugmentError(
            f"model {name}: neither a folder nor in the local cache; get it with: augment-ru models pull {name}"
        )
    return Path(found).parent


def _torch() -> Any:  # noqa: ANN401  (a module)
    return optional("torch", NEEDED, "models")


def _transformers() -> Any:  # noqa: ANN401  (a module)
    _torch()
    os.environ.setdefault("USE_HUB_KERNELS", "NO")  # no layers as compiled code; read when transformers is imported
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return optional("transformers", NEEDED, "models")


def _check_size(name: str, config: Any) -> None:  # noqa: ANN401  (transformers' own)
    """Check that a configuration does not have more than 1,000 layers.

    Raises:
        AugmentError: it has more layers.
    """
    for part in _parts(config):
        for key in _LAYERS:
            layers = getattr(part, key, None)
            if isinstance(layers, int) and layers > _MOST_LAYERS:
                raise AugmentError(f"model {name}: its config.json has {key} {layers:,}; at most {_MOST_LAYERS:,}")


def _parts(config: Any) -> list[Any]:  # noqa: ANN401
    """Return a configuration and the configurations inside it."""
    return [config, *(value for value in vars(config).values() if hasattr(value, "_attn_implementation"))]


def _without_kernels(config: Any) -> None:  # noqa: ANN401  (transformers' own)
    """Remove the names of implementations that torch does not have, so that transformers chooses one itself.

    A name such as `OWNER/NAME` stands for compiled code that transformers would get from the hub and run.
    """
    for part in _parts(config):
        for attribute, known in _IMPLEMENTATIONS.items():
            if getattr(part, attribute, None) not in known:
                setattr(part, attribute, None)


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
