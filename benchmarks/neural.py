"""Rows a second of the attacks that run networks: one row at a time, as published toolkits do, and in batches.

    pip install -e ".[models,dev]" && python benchmarks/neural.py

The models have the shapes of published ones and random weights (nothing is downloaded); every row gets the same
number of new tokens, since a model with random weights does not stop by itself. Both ways run the same code on the
same rows, one after the other in one run; the outputs are compared. The shape of mGPT runs on a GPU only.
"""

import argparse
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import transformers
from rich.console import Console
from rich.table import Table

from augment_ru.draws import digests
from augment_ru.inference import masked as network
from augment_ru.inference.generate import Decoding, continued, rewritten
from augment_ru.inference.masked import GAP, words_for
from augment_ru.inference.pretrained import Pretrained, load, release

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from throughput import sentences

from small_networks import gpt2, marian, masked, t5  # the tokenizers of the tests

OPUS = {
    "vocab_size": 62518,
    "d_model": 512,
    "encoder_layers": 6,
    "decoder_layers": 6,
    "encoder_attention_heads": 8,
    "decoder_attention_heads": 8,
    "encoder_ffn_dim": 2048,
    "decoder_ffn_dim": 2048,
    "max_position_embeddings": 512,
}
RUT5 = {"vocab_size": 30000, "d_model": 768, "d_kv": 64, "d_ff": 2048, "num_layers": 12, "num_heads": 12}
RUBERT = {
    "vocab_size": 120138,
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
}
GPT2 = {"vocab_size": 50264, "n_positions": 2048, "n_embd": 768, "n_layer": 12, "n_head": 12}
MGPT = {"vocab_size": 100000, "n_positions": 2048, "n_embd": 2048, "n_layer": 24, "n_head": 16}


class Case(NamedTuple):
    """An attack's work on rows: `run` takes them all, or one."""

    attack: str
    model: str
    rows: Sequence[str]
    run: Callable[[Sequence[str]], list[Any]]
    plain: Callable[[Sequence[str]], list[Any]] | None = None
    """The same for one row at a time, where a published toolkit does more than ours for the same words."""


def back_translation(folder: Path, rows: Sequence[str], tokens: int, **where: Any) -> Case:  # noqa: ANN401
    """There and back by two translators of the shape of opus-mt, beams as by default."""
    there, back = (
        load("AutoModelForSeq2SeqLM", str(marian(folder / name, seed, **OPUS)), **where)
        for name, seed in (("there", 1), ("back", 2))
    )
    decoding = Decoding(beams=4, fixed=tokens)

    def run(texts: Sequence[str]) -> list[Any]:
        keys = digests(texts)
        outward = rewritten(there, texts, keys, decoding)
        return rewritten(back, [f"{text}" for text in outward], keys, decoding)

    return Case("back_translation", "2 × opus-mt: 6+6 layers, 512, 4 beams", rows, run)


def paraphrase(folder: Path, rows: Sequence[str], tokens: int, **where: Any) -> Case:  # noqa: ANN401
    """An encoder-decoder of the shape of rut5-base."""
    model = load("AutoModelForSeq2SeqLM", str(t5(folder / "t5", **RUT5)), **where)
    decoding = Decoding(beams=4, fixed=tokens)
    return Case(
        "paraphrase",
        "rut5-base: 12+12 layers, 768, 4 beams",
        rows,
        lambda texts: rewritten(model, texts, digests(texts), decoding),
    )


def add_sent(folder: Path, rows: Sequence[str], tokens: int, *, large: bool, **where: Any) -> Case:  # noqa: ANN401
    """A language model that draws its tokens."""
    model = load("AutoModelForCausalLM", str(gpt2(folder / "gpt", **(MGPT if large else GPT2))), **where)
    decoding = Decoding(temperature=1.0, fixed=tokens)
    name = "mGPT: 24 layers, 2048" if large else "gpt2: 12 layers, 768"
    return Case("add_sent", name, rows, lambda texts: continued(model, texts, digests(texts), decoding, tokens))


def bae(folder: Path, rows: Sequence[str], tokens: int, **where: Any) -> Case:  # noqa: ANN401
    """A masked language model: a gap for the third word of each row."""
    del tokens
    model: Pretrained = load("AutoModelForMaskedLM", str(masked(folder / "bert", **RUBERT)), **where)
    gaps = [" ".join([*row.split()[:2], GAP, *row.split()[3:]]) for row in rows]

    def run(contexts: Sequence[str]) -> list[Any]:
        return [[word.text for word in words[:20]] for words in words_for(model, contexts)]

    def plain(contexts: Sequence[str]) -> list[Any]:
        """The head on every token, as the class's own call runs it."""
        heads, network.HEADS = network.HEADS, {}
        try:
            return run(contexts)
        finally:
            network.HEADS = heads

    return Case("bae", "ruBert-base: 12 layers, 768, a vocabulary of 120,138", gaps, run, plain)


def measured(case: Case, repeats: int, clock: Callable[[], float]) -> tuple[float, float, float]:
    """Rows a second one at a time and in batches (the best of the repeats, taken in turns), and equal outputs."""
    alone, together = float("inf"), float("inf")
    equal = 0.0
    case.run(case.rows[:2])  # what is loaded and compiled once
    for _ in range(repeats):
        began = clock()
        batched = case.run(case.rows)
        together = min(together, clock() - began)
        began = clock()
        single = [(case.plain or case.run)([row])[0] for row in case.rows]
        alone = min(alone, clock() - began)
        equal = float(np.mean([one == other for one, other in zip(single, batched, strict=True)]))
    return len(case.rows) / alone, len(case.rows) / together, equal


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("attacks", nargs="*", help="back_translation, add_sent, bae, paraphrase, mgpt (on a GPU); all")
    parser.add_argument("--rows", type=int, default=32)
    parser.add_argument("--tokens", type=int, default=20, help="new tokens for each row")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall", help="cpu: for a machine that is busy")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", default="auto")
    given = parser.parse_args()
    where = {"device": given.device, "dtype": given.dtype}
    rows = sentences(given.rows)
    cases: dict[str, Callable[[Path], Case]] = {
        "back_translation": lambda folder: back_translation(folder, rows, given.tokens, **where),
        "add_sent": lambda folder: add_sent(folder, rows, given.tokens, large=False, **where),
        "bae": lambda folder: bae(folder, rows, given.tokens, **where),
        "paraphrase": lambda folder: paraphrase(folder, rows, given.tokens, **where),
    }
    if torch.cuda.is_available() and given.device != "cpu":
        cases["mgpt"] = lambda folder: add_sent(folder, rows, given.tokens, large=True, **where)
    device = torch.cuda.get_device_name() if torch.cuda.is_available() and given.device != "cpu" else "CPU"
    table = Table(
        title=f"{given.rows} rows, {given.tokens} new tokens; {given.clock} time; "
        f"{device}, {torch.get_num_threads()} threads; "
        f"Python {platform.python_version()}, torch {torch.__version__}, transformers {transformers.__version__}"
    )
    for heading in ("attack", "model", "one at a time, rows/s", "in batches, rows/s", "ratio", "equal outputs"):
        table.add_column(heading, justify="left" if heading in ("attack", "model") else "right")
    for make in (make for name, make in cases.items() if name in (given.attacks or cases)):
        with tempfile.TemporaryDirectory() as folder:
            case = make(Path(folder))
            alone, together, equal = measured(
                case, given.repeats, time.process_time if given.clock == "cpu" else time.perf_counter
            )
        row = case.attack, case.model, f"{alone:.2f}", f"{together:.2f}", f"{together / alone:.1f}", f"{equal:.1%}"
        print(*row, sep=" | ", file=sys.stderr, flush=True)
        table.add_row(*row)
        release()
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
