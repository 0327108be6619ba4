"""Hugging Face models from a folder or the local cache: loaded safely, once, on one device, and run in batches.

Nothing here reaches the network and no code of a model repository is run. Weights are read as safetensors
where the repository has them, else through torch's weights-only loader; never through a full unpickle.
"""

import gc
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from augment_ru.draws import Ints
from augment_ru.errors import AugmentError

if TYPE_CHECKING:
    from torch import device as Device  # noqa: N812  (a class)
    from torch import dtype as Dtype  # noqa: N812

DTYPES = ("auto", "float32", "bfloat16", "float16")
MISSING = 'needs torch and transformers; install them with: pip install "augment-ru[models]"'

_loaded: dict[tuple[Any, ...], "Pretrained"] = {}
_lock = Lock()


def device_of(name: str) -> "Device":
    """The device of this name; `auto` is the first GPU where there is one, else the CPU.

    Raises:
        AugmentError: there is no such device, or no torch.
    """
    torch = _torch()
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device: Device = torch.device(name)
    except RuntimeError:
        raise AugmentError(f"device '{name}'; possible: auto, cpu, cuda, cuda:N") from None
    if device.type != "cuda":
        return device
    number = device.index or 0
    if number >= torch.cuda.device_count():
        raise AugmentError(f"device {name}: torch finds {torch.cuda.device_count()} GPUs here; use auto or cpu")
    numbered: Device = torch.device("cuda", number)
    return numbered


def dtype_of(name: str, device: "Device") -> "Dtype":
    """The number format of this name; `auto` is bfloat16 on a GPU, else float32.

    Raises:
        AugmentError: there is no such format.
    """
    torch = _torch()
    if name not in DTYPES:
        raise AugmentError(f"dtype '{name}'; possible: {', '.join(DTYPES)}")
    if name == "auto":
        name = "bfloat16" if device.type == "cuda" else "float32"
    return getattr(torch, name)  # type: ignore[no-any-return]  # of DTYPES


@dataclass(frozen=True, slots=True)
class Pretrained:
    """A model in evaluation mode on its device, with its tokenizer."""

    name: str
    model: Any
    tokenizer: Any
    device: "Device"
    dtype: "Dtype"


def load(head: str, name: str, *, device: str = "auto", dtype: str = "auto", **options: Any) -> Pretrained:  # noqa: ANN401
    """The model of this name with the head that is asked for; loaded once, however many ask.

    Args:
        head: the transformers class that makes it, as in `AutoModelForCausalLM`.
        name: a folder, or the hub's name of a model in the local cache.
        device: `auto`, `cpu`, `cuda` or `cuda:N`.
        dtype: of `DTYPES`.
        options: of the class's `from_pretrained`; `device_map` leaves the placing to accelerate.

    Raises:
        AugmentError: there is no such model, device or format, or the model has no such head or no tokenizer.
    """
    where = device_of(device)
    number = dtype_of(dtype, where)
    key = (head, str(name), str(where), str(number), *sorted((option, str(value)) for option, value in options.items()))
    with _lock:
        if key not in _loaded:
            with _quiet():
                _loaded[key] = _load(head, str(name), where, number, options)
        return _loaded[key]


def release() -> None:
    """Forget every model that is loaded, and give its memory back."""
    with _lock:
        _loaded.clear()
    gc.collect()
    torch = _torch()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def tokenizer_of(name: str) -> Any:  # noqa: ANN401  (transformers' own)
    """The tokenizer of a model in a folder or in the local cache.

    Raises:
        AugmentError: there is none.
    """
    transformers = _transformers()
    folder = _folder(name)
    if not any((folder / file).is_file() for file in _TOKENIZER_FILES):
        raise AugmentError(f"model {name}: no tokenizer; it needs one of {', '.join(_TOKENIZER_FILES)}")
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, KeyError, ImportError, AttributeError, TypeError) as error:
        raise AugmentError(f"model {name}: no tokenizer that can be read ({_first(error)})") from error
    return tokenizer


def config_of(name: str) -> Any:  # noqa: ANN401  (transformers' own)
    """The configuration of a model in a folder or in the local cache.

    Raises:
        AugmentError: there is none.
    """
    transformers = _transformers()
    folder = _folder(name)
    try:
        return transformers.AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, KeyError) as error:
        raise AugmentError(f"model {name}: its config.json cannot be read ({_first(error)})") from error


@lru_cache(maxsize=16)
def fingerprint(name: str) -> str:
    """The name of a model, without its folders, and a digest of its weights and vocabulary, eight digits.

    Raises:
        AugmentError: there is no such model.
    """
    folder = _folder(name)
    files = [path for path in sorted(folder.iterdir()) if path.suffix in (".safetensors", ".bin", ".spm", ".model")]
    files += [path for file in ("tokenizer.json", "vocab.txt", "vocab.json") if (path := folder / file).is_file()]
    whole = blake2b(digest_size=4)
    for path in files:
        whole.update(path.name.encode())
        with path.open("rb") as file:
            while block := file.read(1 << 22):
                whole.update(block)
    shown = Path(name).name if Path(name).is_dir() else name
    return f"{shown}#{whole.hexdigest()}"


def digest(content: bytes) -> str:
    """Eight hexadecimal digits that stand for a content."""
    return blake2b(content, digest_size=4).hexdigest()


def batches(lengths: Ints, budget: int, largest: int = 4096) -> Iterator[Ints]:
    """Indices in batches of like length, the longest first.

    Args:
        lengths: tokens of each sequence, shape (sequences,).
        budget: how many tokens a batch may have with its padding; a longer sequence is a batch of its own.
        largest: how many sequences a batch may have.
    """
    order = np.argsort(-lengths, kind="stable")
    at = 0
    while at < order.size:
        size = min(max(budget // max(int(lengths[order[at]]), 1), 1), largest)
        yield order[at : at + size]
        at += size


def each_batch(lengths: Ints, budget: int, call: Callable[[Ints], None], largest: int = 4096) -> None:
    """Call with the indices of each batch; a batch that does not fit into memory is halved and tried again.

    Raises:
        AugmentError: a single sequence does not fit into memory.
    """
    for batch in batches(lengths, budget, largest):
        _halving(batch, lengths, call)


def _halving(batch: Ints, lengths: Ints, call: Callable[[Ints], None]) -> None:
    torch = _torch()
    try:
        call(batch)
    except (torch.OutOfMemoryError, MemoryError) as error:
        if batch.size == 1:
            raise AugmentError(
                f"out of memory at a sequence of {int(lengths[batch[0]])} tokens; "
                f"use a smaller model, dtype bfloat16, or --device cpu"
            ) from error
    else:
        return
    if torch.cuda.is_available():  # outside the handler, whose traceback would keep the tensors alive
        torch.cuda.empty_cache()
    half = batch.size // 2
    _halving(batch[:half], lengths, call)
    _halving(batch[half:], lengths, call)


def _load(head: str, name: str, device: "Device", dtype: "Dtype", options: dict[str, Any]) -> Pretrained:
    transformers = _transformers()
    tokenizer = tokenizer_of(name)
    safe = {"local_files_only": True, "trust_remote_code": False, "weights_only": True}
    try:
        model, report = getattr(transformers, head).from_pretrained(
            _folder(name), **safe, dtype=dtype, output_loading_info=True, **options
        )
    except Exception as error:
        reason = _first(error)
        if "Weights only load failed" in reason:  # torch's own words go on to recommend what must not be done
            reason = "its weights are not plain tensors; pickled objects are never read"
        raise AugmentError(f"model {name}: cannot be loaded as {head}: {reason}") from error
    if absent := sorted(key for key in report["missing_keys"] if "pooler" not in key):
        raise AugmentError(
            f"model {name}: has no weights for {absent[0]} and {len(absent) - 1} more, so it is no {head}; "
            f"choose a model that was trained as one"
        )
    if "device_map" not in options:
        model = model.to(device)
    return Pretrained(name, model.eval(), tokenizer, device, dtype)


_TOKENIZER_FILES = (
    "tokenizer.json", "tokenizer_config.json", "vocab.txt", "vocab.json", "tokenizer.model", "spiece.model",
    "sentencepiece.bpe.model", "source.spm",
)  # fmt: skip


def _folder(name: str) -> Path:
    """Where the files of a model are.

    Raises:
        AugmentError: it is not; how to get it.
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

    try:
        found = try_to_load_from_cache(name, "config.json")
    except HFValidationError:
        raise AugmentError(f"model {name}: no such folder, and no name of a model on the hub") from None
    if not isinstance(found, str):
        raise AugmentError(
            f"model {name}: neither a folder nor in the local cache; get it with: augment-ru models pull {name}"
        )
    return Path(found).parent


def _first(error: BaseException) -> str:
    """The first line of an error's message."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the progress bars, reports and warnings of loading: what matters is raised."""
    from transformers.utils import logging as chatter  # noqa: PLC0415

    level, bars = chatter.get_verbosity(), chatter.is_progress_bar_enabled()
    chatter.set_verbosity(logging.CRITICAL)
    chatter.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        chatter.set_verbosity(level)
        if bars:
            chatter.enable_progress_bar()  # type: ignore[no-untyped-call]


def _torch() -> Any:  # noqa: ANN401  (a module)
    try:
        import torch  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise AugmentError(f"this {MISSING}") from error
    return torch


def _transformers() -> Any:  # noqa: ANN401  (a module)
    _torch()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import transformers  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise AugmentError(f"this {MISSING}") from error
    return transformers
