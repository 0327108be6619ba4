"""Questions a second of `hf-causal`, compared with a plain loop and lm-evaluation-harness on the same requests.

    pip install -e ".[models,eval,benchmarks]" && python benchmarks/evaluate.py

The model has the shape of GPT-2 small (124 million parameters, context 1,024) and random weights: its time is that
of a trained one, its answers mean nothing. The questions are sentences of the constraint gold with four words to
choose from, asked without and with demonstrations; the tokenizer is a byte-level BPE trained on the dictionaries.

Perplexity (TAPE, Eq. 1) scores every token of the filled prompt: the loop gives the model one filled prompt after
another, the harness gets them as `loglikelihood_rolling`. Log-likelihood (MERA, Eq. 1) scores the answer: the harness
gets context and continuation as `loglikelihood`. The harness runs with the best of several batch sizes. Everything
runs in turns, and the best of several runs counts; on a CPU processor time is measured, which other programs on the
machine do not change. Also prints the largest difference between our scores and the loop's.
"""

import argparse
import contextlib
import io
import json
import logging
import os
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from rich.console import Console
from rich.table import Table
from tokenizers import ByteLevelBPETokenizer
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from transformers.utils.logging import disable_progress_bar

from augment_ru.evaluation.examples import ModelRequest, example_of
from augment_ru.models import hf_causal
from augment_ru.prompting.prompt import FilledPrompt
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.records.task import task

ROOT = Path(__file__).resolve().parents[1]
TASK = task("ru_worldtree")


def save_model(folder: Path) -> None:
    """A model of GPT-2 small's shape with random weights, and a tokenizer for Russian."""
    trained = ByteLevelBPETokenizer()
    files = [str(path) for path in sorted((ROOT / "dictionaries").glob("*.tsv"))]
    files += [str(path) for path in sorted((ROOT / "tests" / "constraints" / "gold").glob("*.jsonl"))]
    trained.train(files, vocab_size=50_256, min_frequency=2, special_tokens=["</s>"], show_progress=False)
    trained.save(str(folder / "tokenizer.json"))
    ends = {"bos_token": "</s>", "eos_token": "</s>", "pad_token": "</s>"}
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_file=str(folder / "tokenizer.json"), model_max_length=1024, **ends
    ).save_pretrained(folder)
    torch.manual_seed(1)
    GPT2LMHeadModel(GPT2Config(bos_token_id=0, eos_token_id=0)).save_pretrained(folder)


def rows(count: int) -> list[dict[str, Any]]:
    """Questions with four options each, of the texts in tests/constraints/gold."""
    texts = []
    for path in sorted((ROOT / "tests" / "constraints" / "gold").glob("*named_entities*.jsonl")):
        texts += [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]
    words = [word.strip(",.«»") for text in texts for word in text.split()]
    made = []
    for number in range(count):
        text = texts[number % len(texts)]
        start = 7 * number % (len(words) - 12)
        options = [" ".join(words[start + 3 * at : start + 3 * at + 1 + (number + at) % 3]) for at in range(4)]
        listed = " ".join(f"({letter}) {option}" for letter, option in zip("ABCD", options, strict=True))
        made.append({"question": f"{text} {listed}", "answer": "ABCD"[number % 4]})
    return made


def plain_loop(lm: HFLM, filled: Sequence[FilledPrompt], *, whole: bool) -> list[list[float]]:
    """The score of each candidate, one forward pass after another."""
    found = []
    model, tokenizer = lm.model, lm.tokenizer
    with torch.inference_mode():
        for one in filled:
            before = len(tokenizer(one.context)["input_ids"])
            scores = []
            for choice in one.choices:
                ids = torch.tensor([tokenizer(one.context + choice.text)["input_ids"]], device=model.device)
                logits = model(ids).logits[0, :-1].float().log_softmax(-1)
                likelihoods = logits.gather(-1, ids[0, 1:, None])[:, 0]
                scores.append(float((likelihoods if whole else likelihoods[before - 1 :]).double().sum()))
            found.append(scores)
    return found


def harness(lm: HFLM, filled: Sequence[FilledPrompt], *, whole: bool, batch: int) -> list[list[float]]:
    """The score of each candidate by lm-evaluation-harness."""
    lm.batch_size_per_gpu = batch
    pairs = [(one.context, choice.text) for one in filled for choice in one.choices]
    requests = [
        Instance(
            request_type="loglikelihood_rolling" if whole else "loglikelihood",
            doc={},
            arguments=(before + after,) if whole else (before, after),
            idx=number,
        )
        for number, (before, after) in enumerate(pairs)
    ]
    with contextlib.redirect_stderr(io.StringIO()):
        if whole:
            said = iter(lm.loglikelihood_rolling(requests, disable_tqdm=True))
        else:
            said = iter(score for score, _ in lm.loglikelihood(requests, disable_tqdm=True))
    return [[next(said) for _ in one.choices] for one in filled]


def timed(runs: dict[str, Callable[[], Any]], options: argparse.Namespace) -> tuple[dict[str, float], dict[str, Any]]:
    """The shortest time of each, in seconds, the runs taken in turns, and what each returned."""
    clock = time.process_time if options.device == "cpu" else time.perf_counter
    times, returned = dict.fromkeys(runs, float("inf")), {}
    for _ in range(options.repeats):
        for name, run in runs.items():
            began = clock()
            returned[name] = run()
            times[name] = min(times[name], clock() - began)
    return times, returned


def measured(
    model: hf_causal.CausalModel,
    lm: HFLM,
    data: tuple[list[dict[str, Any]], list[dict[str, Any]]],
    options: argparse.Namespace,
) -> tuple[dict[str, float], float]:
    """Seconds of ours, of the loop and of the harness at its best batch size; the largest difference of scores."""
    asked, shown = data
    whole = "score=perplexity" in model.signature
    examples = [example_of(row, TASK, shown) for row in asked]
    prompt = prompt_of(TASK)
    filled = [one for row in asked for one in prompt.build(row, shown)]
    runs: dict[str, Callable[[], Any]] = {
        "ours": lambda: model(examples),
        "loop": lambda: plain_loop(lm, filled, whole=whole),
    }
    for batch in options.batches:
        runs[f"harness {batch}"] = partial(harness, lm, filled, whole=whole, batch=batch)
    times, returned = timed(runs, options)
    fastest = min((name for name in times if name.startswith("harness")), key=times.__getitem__)
    if not whole:  # the harness scores a prompt's first token, too, after one that it puts before it
        assert_same(returned[fastest], returned["loop"])
    sizes = [[len(lm.tokenizer(one.context + each.text)["input_ids"]) for each in one.choices] for one in filled]
    ours = model.score(filled)
    difference = 0.0
    for scores, sums, size in zip(ours, returned["loop"], sizes, strict=True):
        expected = [total / count * max(size) if whole else total for total, count in zip(sums, size, strict=True)]
        difference = max(difference, float(np.abs(np.array(scores) - expected).max()))
    return {"ours": times["ours"], "loop": times["loop"], "harness": times[fastest]}, difference


def assert_same(one: Sequence[Sequence[float]], other: Sequence[Sequence[float]]) -> None:
    """Nothing, if both score alike.

    Raises:
        SystemExit: they do not.
    """
    worst = max(abs(a - b) for left, right in zip(one, other, strict=True) for a, b in zip(left, right, strict=True))
    if worst > 1e-2:
        raise SystemExit(f"the harness and the loop differ by {worst} nats: these are not the same requests")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=24, help="questions without demonstrations")
    parser.add_argument("--shots", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 8, 32], help="of the harness")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    disable_progress_bar()  # type: ignore[no-untyped-call]
    made = rows(options.count + options.shots)
    asked, shown = made[options.shots :], made[: options.shots]
    table = Table(title="Questions a second (four options each)")
    for column in ("score", "shots", "hf-causal", "loop", "ratio", "lm-eval", "ratio", "largest difference, nats"):
        table.add_column(column, justify="right")
    with tempfile.TemporaryDirectory() as folder:
        save_model(Path(folder))
        models = {
            score: hf_causal.hf_causal(ModelRequest(folder, TASK, None, options.device, hf_causal.Options(score=score)))
            for score in ("perplexity", "loglikelihood")
        }
        network = GPT2LMHeadModel.from_pretrained(folder).eval()  # type: ignore[no-untyped-call]
        network = network.to(torch.device(options.device))
        tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
        lm = HFLM(pretrained=network, tokenizer=tokenizer, device=options.device, batch_size=1)
        for score, model in models.items():
            for shots in (0, options.shots):
                part = asked if shots == 0 else asked[: max(options.count // 3, 4)]
                times, difference = measured(model, lm, (part, shown[:shots]), options)
                rate = {name: len(part) / seconds for name, seconds in times.items()}
                table.add_row(
                    score,
                    str(shots),
                    f"{rate['ours']:.2f}",
                    f"{rate['loop']:.2f}",
                    f"{rate['ours'] / rate['loop']:.1f}",
                    f"{rate['harness']:.2f}",
                    f"{rate['ours'] / rate['harness']:.1f}",
                    f"{difference:.0e}",
                )
    console = Console(width=120)
    console.print(table)
    console.print(
        f"Python {platform.python_version()}, torch {torch.__version__} ({torch.get_num_threads()} threads), "
        f"transformers {version('transformers')}, lm-eval {version('lm_eval')}, {os.cpu_count()} cores, "
        f"{options.device}"
    )


if __name__ == "__main__":
    main()
