"""The speed of the BERTScore gate compared with loops around the `bert_score` package, in one run.

    python benchmarks/bertscore.py [--records 48] [--threads 2] [--device cpu] [--clock wall|cpu]

The model has exactly the shape of bert-base-multilingual-cased (12 layers, of which 9 are used, width 768,
119,547 pieces) with random weights: its time is that of the real model, its scores mean nothing. The tokenizer is
trained on the texts. Records are one to six sentences of examples/*.jsonl.

(a) one pair a call of `BERTScorer.score`, as the published toolkit of the paper's authors does;
(b) all pairs of a round in one call of `BERTScorer.score` (its own batches of 64, duplicates dropped);
(c) ours.

All three run in the same search, so that they score the same pairs, and their decisions are compared.
`--clock cpu` takes processor time, for a machine that also does other work. On a GPU it also prints which share
of the card's measured matrix rate the encoder reaches on a million tokens.
"""

import argparse
import contextlib
import json
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from bert_score import BERTScorer
from rich.console import Console
from rich.table import Table
from tokenizers import BertWordPieceTokenizer
from transformers import BertConfig, BertModel
from transformers.models.bert.tokenization_bert import BertTokenizer

from augment_ru import Augmenter
from augment_ru.draws import Floats, Rng
from augment_ru.engine.result import Result
from augment_ru.engine.search import Cost
from augment_ru.engine.similarity import PlainFunction, Similarity
from augment_ru.inference import pretrained
from augment_ru.similarities.bertscore import BertScore

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
LAYER = 9
_CLOCK: list[Callable[[], float]] = [time.perf_counter]
MBERT: dict[str, Any] = {
    "vocab_size": 119547, "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
    "intermediate_size": 3072, "max_position_embeddings": 512,
}  # fmt: skip
MATRIX_FLOPS = 2 * (4 * 768 * 768 + 2 * 768 * 3072)
"""Floating-point operations of a layer's matrices for each token, without attention's own products."""


def records_of(count: int) -> list[str]:
    """Texts of one to six sentences."""
    rows = [json.loads(line) for path in sorted(EXAMPLES.glob("*.jsonl")) for line in path.open(encoding="utf-8")]
    sentences = [str(row.get("text") or row.get("question")) for row in rows]
    rng = Rng(7)
    return [" ".join(rng.choice(sentences) for _ in range(1 + number % 6)) for number in range(count)]


def model_of(folder: Path, texts: Sequence[str]) -> Path:
    """The shape of mBERT with random weights, saved as a user's model would be."""
    trained = BertWordPieceTokenizer(lowercase=False, strip_accents=False)
    trained.train_from_iterator(texts, vocab_size=2000, show_progress=False)
    folder.mkdir()
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text(
        "\n".join(piece for piece, _ in sorted(trained.get_vocab().items(), key=lambda pair: pair[1])),
        encoding="utf-8",
    )
    torch.manual_seed(0)
    BertModel(BertConfig(**MBERT)).save_pretrained(folder)
    BertTokenizer(str(vocabulary), do_lower_case=False, model_max_length=512).save_pretrained(folder)
    return folder


def one_at_a_time(scorer: BERTScorer) -> Callable[[Sequence[str], Sequence[str]], list[float]]:
    """(a)."""
    return lambda references, candidates: [
        float(scorer.score([candidate], [reference])[2])
        for reference, candidate in zip(references, candidates, strict=True)
    ]


def batched(scorer: BERTScorer) -> Callable[[Sequence[str], Sequence[str]], Floats]:
    """(b)."""
    return lambda references, candidates: scorer.score(list(candidates), list(references))[2].double().numpy()


def searched(
    similarity: Similarity, schedule: str, threshold: float, texts: Sequence[str], attack: str
) -> tuple[float, list[Result], Cost]:
    """Seconds, results and costs of a whole search; the model is warm."""
    augmenter = Augmenter(
        attack, similarity=similarity, schedule=schedule, threshold=threshold, constraints=(), candidates=3
    )
    (prepared,) = augmenter.preparation.texts(texts, needs=[augmenter.perturber.needs])
    began = _CLOCK[0]()
    found = augmenter.perturber.perturb(prepared)
    return _CLOCK[0]() - began, found.results, found.cost


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--records", type=int, default=48)
    parser.add_argument("--attack", default="butterfingers")
    parser.add_argument("--rejected", type=float, default=0.6, help="of the first candidates, by the threshold")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    parser.add_argument(
        "--dtype", default="auto", help="of ours; auto: bfloat16 on a GPU, where the package has float32"
    )
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    options = parser.parse_args()
    if options.clock == "cpu":
        _CLOCK[0] = time.process_time
    warnings.simplefilter("ignore")
    torch.set_num_threads(options.threads)
    console = Console(width=110)
    texts = records_of(options.records)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        model = str(model_of(Path("mbert"), texts))  # relative: bert_score takes any path with t5 in it for T5
        theirs = BERTScorer(model_type=model, num_layers=LAYER, device=options.device, nthreads=0)
        ours = BertScore(model, LAYER, device=options.device, dtype=options.dtype)
        tokens = [len(theirs._tokenizer.encode(text)) for text in texts]  # noqa: SLF001
        console.print(
            f"{len(texts)} records of {min(tokens)} to {max(tokens)} tokens, {np.mean(tokens):.0f} on average; "
            f"torch {torch.__version__}, {options.threads} threads, {options.device}, ours {options.dtype}"
        )
        theirs.score(texts[:1], texts[:1])  # what is loaded once
        ungated = Augmenter(options.attack, similarity="none", constraints=()).texts(texts)
        perturbed = [result.text for result in ungated]
        threshold = float(np.round(np.quantile(ours(texts, perturbed), options.rejected), 4))
        _pairs(console, theirs, ours, texts, perturbed)
        _searches(console, theirs, ours, texts, threshold=threshold, attack=options.attack)
        if options.device != "cpu":
            _utilisation(console, ours, texts)


def _pairs(console: Console, theirs: BERTScorer, ours: BertScore, texts: list[str], perturbed: list[str]) -> None:
    table = Table("pairs scored once", "pairs a second", "ours is", "largest difference")
    timed: dict[str, tuple[float, Floats]] = {}
    for name, function in (
        ("(a) bert_score, one at a time", one_at_a_time(theirs)),
        ("(b) bert_score, batched", batched(theirs)),
        ("(c) ours", ours),
    ):
        began = _CLOCK[0]()
        scores = np.asarray(function(texts, perturbed))
        timed[name] = _CLOCK[0]() - began, scores
    mine, exact = timed["(c) ours"]
    for name, (seconds, scores) in timed.items():
        table.add_row(
            name, f"{len(texts) / seconds:.1f}", f"{seconds / mine:.2f} ×", f"{abs(scores - exact).max():.1e}"
        )
    console.print(table)


def _searches(
    console: Console, theirs: BERTScorer, ours: BertScore, texts: list[str], *, threshold: float, attack: str
) -> None:
    table = Table("whole search", "rows a second", "ours is", "pairs", "passes", "accepted", "mean edits", "same texts")
    ways: dict[str, tuple[Similarity, str]] = {
        "(a) paper": (PlainFunction(one_at_a_time(theirs)), "paper"),
        "(b) paper": (PlainFunction(batched(theirs)), "paper"),
        "(c) paper": (ours, "paper"),
        "(c) strongest": (ours, "strongest"),
    }
    runs = {}
    for _ in range(1 if ours.device == "cpu" else 2):  # a GPU loads kernels when they are first used
        for name, (similarity, schedule) in ways.items():
            runs[name] = searched(similarity, schedule, threshold, texts, attack)
    mine, decided, _ = runs["(c) paper"]
    for name, (seconds, results, counts) in runs.items():
        accepted = [result for result in results if result.status == "perturbed"]
        edits = np.mean([len(result.script.edits) for result in accepted]) if accepted else 0
        same = sum(one.text == other.text for one, other in zip(results, decided, strict=True))
        table.add_row(
            name,
            f"{len(texts) / seconds:.2f}",
            f"{seconds / mine:.2f} ×",
            f"{counts.pairs}",
            f"{counts.passes or '–'}",
            f"{len(accepted)}",
            f"{edits:.1f}",
            f"{same} of {len(texts)}" if "paper" in name else "–",
        )
    console.print(f"threshold {threshold}", table)


def _utilisation(console: Console, ours: BertScore, texts: list[str]) -> None:
    size = 8192
    left, right = (torch.randn(size, size, device=ours.device, dtype=torch.bfloat16) for _ in range(2))
    for _ in range(3):
        left @ right
    torch.cuda.synchronize()
    began = _CLOCK[0]()
    for _ in range(20):
        left @ right
    torch.cuda.synchronize()
    rate = 20 * 2 * size**3 / (_CLOCK[0]() - began)
    many = texts * (2_000_000 // sum(map(len, texts)) + 1)
    many = [f"{number} {text}" for number, text in enumerate(many)]
    ours.against(many[:64]).score(np.arange(64), [f"{text} ." for text in many[:64]])
    began = _CLOCK[0]()
    ours.against(many).score(np.arange(len(many)), [f"{text} !" for text in many])
    torch.cuda.synchronize()
    seconds = _CLOCK[0]() - began
    tokens = 2 * sum(map(len, pretrained.tokenizer_of(ours.model)(many)["input_ids"]))
    share = tokens * LAYER * MATRIX_FLOPS / seconds / rate
    console.print(
        f"{tokens:,} tokens in {seconds:.2f} s; {rate / 1e12:.0f} TFLOP/s bf16 measured; utilisation {share:.1%}"
    )


if __name__ == "__main__":
    main()
