"""What runs networks, on a GPU: tokens a second, share of the card's peak, and what limits it.

    pip install -e ".[models,eval,dev]" && python benchmarks/gpu.py [NAME ...] [--rows 256]

The models have the shapes of published ones and random weights; nothing is downloaded. Each workload runs three times
on the same rows: once to count tokens and floating-point operations (this also warms up), once for the clock, and once
under torch's profiler for the time in which the GPU computes. The gate and the search run their own loops of
`bertscore.py` and `adversary_transformer.py`, which compare them with other packages.

"Peak" is a product of two 8,192 × 8,192 matrices in the numbers of the model, measured in the same run, and "memory"
a copy of 4 GiB. "Weights" are the bytes of the parameters times the forward passes, as a share of what the memory
would move in the time. "Busy" is the share of the time in which the GPU computes; where it is small, Python, the
tokenizer and the starts of kernels limit, else arithmetic or memory, whichever share is larger.
"""

import argparse
import gc
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import bertscore
import neural
import numpy as np
import torch
import transformers
from adversary_transformer import SPECIAL
from evaluate import TASK, rows, save_model
from throughput import sentences
from tokenizers import BertWordPieceTokenizer
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

from augment_ru.evaluation.examples import ModelRequest, example_of, model_of
from augment_ru.inference import pretrained
from augment_ru.records.task import generic
from augment_ru.similarities.bertscore import BertScore


class Work(NamedTuple):
    """A workload: the networks that it runs, what it calls, and how many rows that is."""

    networks: Sequence[Any]
    run: Callable[[], object]
    rows: int


class Counted:
    """Counts the tokens, padding included, and the passes of networks, by their input embeddings."""

    def __init__(self, networks: Sequence[Any]) -> None:
        self.tokens, self.passes, self.largest = 0, 0, 0
        self.weights = 0.0
        self.hooks = []
        for network in networks:
            tables = {one for one in network.modules() if isinstance(one, torch.nn.Embedding)}
            tables = {one for one in tables if one.num_embeddings == network.config.vocab_size}
            held = {id(table.weight) for table in tables}  # a row of it is read for a token, and not all of it
            size = sum(one.numel() * one.element_size() for one in network.parameters() if id(one) not in held)
            size //= 1 + bool(network.config.is_encoder_decoder)  # a pass runs one of its halves
            self.hooks += [table.register_forward_hook(self._hook(size)) for table in tables]

    def _hook(self, size: int) -> Callable[..., None]:
        def count(_module: object, inputs: tuple[Any, ...], _output: object) -> None:
            self.tokens += inputs[0].numel()
            self.largest = max(self.largest, inputs[0].numel())
            self.passes += 1
            self.weights += size

        return count

    def stop(self) -> None:
        """Count no more."""
        for hook in self.hooks:
            hook.remove()


def gate(folder: Path, count: int, device: str) -> Work:
    """The score of the BERTScore gate."""
    texts = sentences(20 * count)
    model = BertScore(str(bertscore.model_of(folder / "mbert", texts)), bertscore.LAYER, device=device)
    pairs = [f"{text} !" for text in texts]

    def run() -> object:
        return model.against(texts).score(np.arange(len(texts)), pairs)

    model(texts[:2], pairs[:2])
    return Work(networks(), run, len(texts))


def classifier(folder: Path, count: int, device: str) -> Work:
    """`hf-classifier` with the shape of ruBert-base."""
    texts = sentences(40 * count)
    learnt = BertWordPieceTokenizer(lowercase=False, strip_accents=False)
    learnt.train_from_iterator(texts, vocab_size=20_000, show_progress=False)
    learnt.save(str(folder / "tokenizer.json"))
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_file=str(folder / "tokenizer.json"), model_max_length=512, **SPECIAL
    ).save_pretrained(folder)
    torch.manual_seed(1)
    names = {0: "a", 1: "b"}
    shape: dict[str, Any] = {**neural.RUBERT, "id2label": names, "label2id": {"a": 0, "b": 1}}
    config = BertConfig(**shape)
    BertForSequenceClassification(config).save_pretrained(folder)
    model: Any = model_of(f"hf-classifier:{folder}", ModelRequest("", generic(), ("a", "b"), device))
    examples = [example_of({"text": text, "label": "a"}, generic()) for text in texts]
    return Work(networks(), lambda: model(examples), len(examples))


def causal(folder: Path, count: int, device: str) -> Work:
    """`hf-causal` with the shape of GPT-2: the log-likelihood of four options after four demonstrations."""
    save_model(folder)
    model: Any = model_of(f"hf-causal:{folder}", ModelRequest("", TASK, None, device))
    made = rows(2 * count + 4)
    examples = [example_of(row, TASK, made[:4]) for row in made[4:]]
    return Work(networks(), lambda: model(examples), len(examples))


def written(make: Callable[..., neural.Case], count: int, device: str, **kinds: bool) -> Callable[[Path], Work]:
    """An attack that runs networks."""

    def work(folder: Path) -> Work:
        case = make(folder, sentences(count), 20, device=device, dtype="auto", **kinds)
        return Work(networks(), lambda: case.run(case.rows), count)

    return work


def networks() -> list[Any]:
    """The networks that are loaded."""
    return [one.model for one in gc.get_objects() if type(one) is pretrained.Pretrained]


def clock(run: Callable[[], object]) -> float:
    """Seconds of a run, the GPU's work included."""
    torch.cuda.synchronize()
    began = time.perf_counter()
    run()
    torch.cuda.synchronize()
    return time.perf_counter() - began


def peaks(dtype: torch.dtype) -> tuple[float, float]:
    """Floating-point operations a second of a large matrix product, and bytes a second of a copy, read and written."""
    size = 8192
    left, right = (torch.randn(size, size, device="cuda", dtype=dtype) for _ in range(2))
    full = torch.empty(2**30, device="cuda", dtype=torch.float32)
    other = torch.empty_like(full)

    def product() -> None:
        for _ in range(10):
            left @ right

    def copy() -> None:
        for _ in range(10):
            other.copy_(full)

    for run in (product, copy):
        run()
    return 10 * 2 * size**3 / clock(product), 10 * 2 * 4 * full.numel() / clock(copy)


def measured(name: str, work: Work) -> str:
    """The row of a workload."""
    counted, flops = Counted(work.networks), FlopCounterMode(display=False)
    with flops:
        work.run()
    counted.stop()
    seconds = clock(work.run)
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        work.run()
        torch.cuda.synchronize()
    busy = sum(one.self_device_time_total for one in profiler.key_averages()) / 1e6
    peak, memory = peaks(work.networks[0].dtype)
    return (
        f"| {name} | {work.rows:,} | {counted.largest:,} | {work.rows / seconds:,.1f} | {counted.tokens / seconds:,.0f}"
        f" | {flops.get_total_flops() / seconds / 1e12:.2f} | {flops.get_total_flops() / seconds / peak:.1%}"
        f" | {counted.weights / seconds / memory:.1%} | {busy / seconds:.0%} |"
    )


def main() -> None:
    """Measure, and print the table.

    Raises:
        SystemExit: there is no GPU.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of the names of workloads; all")
    parser.add_argument("--rows", type=int, default=256)
    given = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("benchmarks/gpu.py: torch finds no GPU here")
    count, device = given.rows, "cuda"
    works: dict[str, Callable[[Path], Work]] = {
        "BERTScore: mBERT, 9 layers": lambda folder: gate(folder, count, device),
        "hf-classifier: ruBert-base": lambda folder: classifier(folder, count, device),
        "hf-causal: GPT-2, 4 demonstrations": lambda folder: causal(folder, count, device),
        "back_translation: 2 × opus-mt": written(neural.back_translation, count, device),
        "paraphrase: rut5-base": written(neural.paraphrase, count, device),
        "add_sent: GPT-2": written(neural.add_sent, count, device, large=False),
        "add_sent: mGPT": written(neural.add_sent, count, device, large=True),
        "bae: ruBert-base": written(neural.bae, 20 * count, device),
    }
    peak, memory = peaks(torch.bfloat16)
    print(
        f"{torch.cuda.get_device_name()}; peak {peak / 1e12:.0f} TFLOP/s (bfloat16), memory {memory / 1e12:.2f} TB/s; "
        f"Python {platform.python_version()}, torch {torch.__version__}, transformers {transformers.__version__}\n"
    )
    print("| workload | rows | largest batch, tokens | rows/s | tokens/s | TFLOP/s | of peak | weights | busy |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for name, make in works.items():
        if given.names and not any(part in name for part in given.names):
            continue
        with tempfile.TemporaryDirectory() as folder:
            print(measured(name, make(Path(folder))), flush=True)
        pretrained.release()
        gc.collect()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
