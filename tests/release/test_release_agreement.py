"""A release of all tasks of TAPE, Russian SuperGLUE, MERA and RAFT: `evaluate` and lm-evaluation-harness agree on it.

They agree on the answer to every row, and on every metric that both have, without demonstrations and with one.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from augment_ru import evaluate, registry
from augment_ru.evaluation.evaluation import Evaluation
from augment_ru.records.task import Task
from augment_ru.records.task import task as task_of
from augment_ru.release.release_recipe import identifier
from augment_ru.release.verify import verify_release
from benchmark_rows import WITHOUT_PROMPT, WITHOUT_TRAIN, benchmark_rows, benchmark_tasks
from harness import simple_evaluate
from profiles import IS_FULL
from releases import built, rows_of, write_rows

HEAD = """
name = "all"
licence = "apache-2.0"
[gate]
similarity = "none"
candidates = 1
[shots]
k = [1]
episodes = 1
[[attack]]
spec = "butterfingers"
probability = 0.3
"""
VARIATIONS = ("original", "butterfingers")
DIGITS = 4
LOOKED_AT = ("chegeka", "mera_rummlu", "mera_rutie", "multiq")
"""The tasks that tests look at by name."""
TASKS = [name for at, name in enumerate(benchmark_tasks()) if IS_FULL or at % 9 == 0 or name in LOOKED_AT]


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release."""
    folder = tmp_path_factory.mktemp("all")
    text = HEAD
    for name in TASKS:
        text += f'[[task]]\nname = "{name}"\ntask = "{name}"\ntest = "{name}.test.jsonl"\n'
        write_rows(folder / f"{name}.test.jsonl", benchmark_rows(name, "Вот и весь рассказ"))
        if name not in WITHOUT_TRAIN:
            text += f'train = "{name}.train.jsonl"\n'
            write_rows(folder / f"{name}.train.jsonl", benchmark_rows(name, "Так говорят соседи"))
    (folder / "recipe.toml").write_text(text, encoding="utf-8")
    built(folder / "recipe.toml", folder / "out")
    return folder / "out"


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small GPT-2 of bytes, with random weights."""
    torch = pytest.importorskip("torch")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: PLC0415
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast  # noqa: PLC0415

    plain = Tokenizer(models.BPE())
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<end>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    plain.train_from_iterator(["Кошка спит на окне. Да. Нет."], trainer)
    made: Any = PreTrainedTokenizerFast
    tokenizer = made(tokenizer_object=plain, eos_token="<end>", bos_token="<end>")  # noqa: S106
    with torch.random.fork_rng():
        torch.manual_seed(11)  # with 7 two tokens are 1e-7 apart in an answer: rounding would decide
        config = GPT2Config(
            vocab_size=len(tokenizer), n_positions=2560, n_embd=16, n_layer=1, n_head=2, bos_token_id=0, eos_token_id=0
        )
        model = GPT2LMHeadModel(config)
        for weights in model.parameters():  # large, so that texts matter
            if weights.dim() > 1:
                torch.nn.init.normal_(weights, std=0.5)
        if not IS_FULL:  # most answers end soon, and not at their greatest length
            model.transformer.wte.weight.data[0] *= 2
    folder = tmp_path_factory.mktemp("network")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module", params=[0, 1] if IS_FULL else [1])
def harness(request: pytest.FixtureRequest, everything: Path, network: Path) -> tuple[int, Mapping[str, Any]]:
    """What the harness finds with so many demonstrations: those of the episode of this number."""
    pytest.importorskip("lm_eval")
    pytest.importorskip("accelerate")
    from lm_eval.models.huggingface import HFLM  # noqa: PLC0415
    from lm_eval.tasks import TaskManager  # noqa: PLC0415

    shots: int = request.param
    model = HFLM(pretrained=str(network), batch_size=16, max_length=2560, device="cpu", dtype="float32")
    tasks = TaskManager(
        include_path=str(everything / "lm_eval"), include_defaults=False, metadata={"episode": 1} if shots else None
    )
    found = simple_evaluate(
        model, tasks=["all"], task_manager=tasks, num_fewshot=shots, bootstrap_iters=0, log_samples=True
    )
    assert found is not None
    return shots, found


def endings(task: Task, results: Mapping[str, Any]) -> list[str]:
    """What the names of the harness's tasks for a variation end in: the labels of a task, or the groups of its rows."""
    whole = f"all_{task.name}_original"
    return sorted(name.removeprefix(whole) for name in results["samples"] if name.startswith(whole))


def chosen(sample: Mapping[str, Any]) -> str:
    """What the model answers, by the harness's log."""
    doc, given = sample["doc"], sample["filtered_resps"]
    if "labels" not in doc:
        return str(given[0]).strip()
    scores = [round(float(likelihood), DIGITS) for likelihood, _ in given]
    return str(doc["labels"][scores.index(max(scores))])


def by_harness(task: Task, variation: str, results: Mapping[str, Any]) -> list[list[str]]:
    """The answers of each of the harness's tasks for a variation, in the order of the rows."""
    names = [f"all_{identifier(task.name)}_{variation}{ending}" for ending in endings(task, results)]
    return [
        [chosen(one) for one in sorted(results["samples"][name], key=lambda one: int(one["doc_id"]))] for name in names
    ]


def by_evaluate(task: Task, variation: str, evaluation: Evaluation, groups: Sequence[str]) -> list[list[str]]:
    """The same by `evaluate`: an answer for each label, or for the rows of each group, or for each entry."""
    key = "original_prediction" if variation == "original" else "prediction"
    rows = [row[key] for row in evaluation.predictions()]
    if len(task.scoring.gold) > 1:
        return [[row[name] for row in rows] for name in sorted(task.scoring.gold)]
    if task.scoring.grouped_by:
        return [[row for row, own in zip(rows, groups, strict=True) if own == group] for group in sorted(set(groups))]
    return [[one for row in rows for one in (row if isinstance(row, list | tuple) else [row])]]


def scores_of(task: Task, variation: str, results: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The harness's scores in per cent, by our names of the metrics: means over labels, groups and norms."""
    ours = {"acc": "accuracy", "f1": "macro_f1" if "macro_f1" in task.scoring.metrics else "f1"}
    found: dict[str, list[float]] = {}
    for ending in endings(task, results):
        for name, value in results["results"][f"all_{task.name}_{variation}{ending}"].items():
            metric, _, kind = name.partition(",")
            if kind == "none" and not metric.endswith("_stderr"):
                metric = metric.rstrip("_0123456789") if metric.startswith("mcc") else metric
                found.setdefault(ours.get(metric, metric), []).append(100 * value)
    for metric, values in found.items():
        if metric in task.scoring.metrics:
            yield metric, fmean(values)


@pytest.mark.filterwarnings("ignore")  # of the harness and what it imports
@pytest.mark.parametrize("name", TASKS)
def test_they_agree(everything: Path, network: Path, harness: tuple[int, Mapping[str, Any]], name: str) -> None:
    shots, results = harness
    if shots and name in WITHOUT_TRAIN:
        shots = 0  # the harness shows nothing either
    task = task_of(name)
    options = {"hf-causal": {"score": "loglikelihood", "top_p": "none"}}
    evaluation = evaluate(
        everything / name, [f"hf-causal:{network}"], shots=[shots], episodes=1, options=options, cache="none"
    )
    groups = [
        str(original.values["meta"][task.scoring.grouped_by.removeprefix("meta.")]) if task.scoring.grouped_by else ""
        for original in evaluation.pairs.originals
    ]
    (entry,) = evaluation.report()["models"]
    for variation in VARIATIONS:
        assert by_harness(task, variation, results) == by_evaluate(task, variation, evaluation, groups)
        scores = dict(scores_of(task, variation, results))
        assert scores.keys() == set(task.scoring.metrics)
        for metric, score in scores.items():
            ours = (
                entry["metrics"][metric]["value"]
                if variation == "original"
                else entry["attacks"][variation]["metrics"][metric]["after"]
            )
            assert ours == pytest.approx(score, abs=1e-3), metric


def test_every_task_is_compared(everything: Path) -> None:
    assert "have no prompt" not in (everything / "README.md").read_text(encoding="utf-8")
    assert {*benchmark_tasks(), *WITHOUT_PROMPT} == set(registry.names("tasks"))


def test_demonstrations_are_of_the_row_s_own_group(everything: Path) -> None:
    shown = [row for row in rows_of(everything / "mera_rummlu" / "train.jsonl") if 1 in row["episode"]]
    assert sorted(row["meta"]["domain"] for row in shown) == ["STEM", "гуманитарные науки"]
    assert not [line for line in verify_release(everything) if ".pyc:" not in line]  # the harness has run its code


@pytest.mark.filterwarnings("ignore")
def test_written_answers_may_be_longer_with_demonstrations(harness: tuple[int, Mapping[str, Any]]) -> None:
    shots, results = harness
    for name, limits in (("chegeka", (100, 200)), ("multiq", (400, 800))):
        for sample in results["samples"][f"all_{name}_original"]:
            assert sample["arguments"][0][1]["max_gen_toks"] == limits[bool(shots)]


@pytest.mark.filterwarnings("ignore")
def test_a_question_of_a_dialogue_is_asked_with_what_was_said(harness: tuple[int, Mapping[str, Any]]) -> None:
    shots, results = harness
    if shots:
        return
    rows = benchmark_rows("mera_rutie", "Вот и весь рассказ")
    first, second = (one["arguments"][0][0] for one in results["samples"]["all_mera_rutie_original"][:2])
    before = f"{rows[0]['inputs']['question']}\n{rows[0]['inputs']['choice1']}"
    assert first.startswith("Вы ведёте диалог.\n\n")
    assert second.startswith(f"Вы ведёте диалог.\n{before}\n")


@pytest.mark.filterwarnings("ignore")
def test_the_score_of_grouped_rows_is_the_mean_over_the_groups(harness: tuple[int, Mapping[str, Any]]) -> None:
    _, results = harness
    parts = [results["results"][f"all_mera_rummlu_original_{domain}"] for domain in ("STEM", "гуманитарные_науки")]
    assert results["groups"]["all_mera_rummlu_original"]["acc,none"] == fmean(one["acc,none"] for one in parts)


OWN_SHOTS = {"mera_chegeka": 4, "mera_rummlu": 5, "mera_parus": 0, "mera_ruworldtree": 5, "mera_rcb": 2}
"""As many demonstrations as MERA shows (its Table 2); of RCB as many as the recipe says."""


@pytest.fixture(scope="module")
def by_task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release in which each task has its own number of shots."""
    folder = tmp_path_factory.mktemp("by_task")
    text = HEAD.replace("k = [1]", 'k = "task"')
    for name in OWN_SHOTS:
        text += f'[[task]]\nname = "{name}"\ntest = "{name}.test.jsonl"\ntrain = "{name}.train.jsonl"\n'
        write_rows(folder / f"{name}.test.jsonl", benchmark_rows(name, "Вот и весь рассказ"))
        write_rows(folder / f"{name}.train.jsonl", benchmark_rows(name, "Так говорят соседи"))
    text += "shots = [2]\n"  # of the last task
    (folder / "recipe.toml").write_text(text, encoding="utf-8")
    built(folder / "recipe.toml", folder / "out")
    return folder / "out"


def test_each_task_has_the_shots_of_its_benchmark_or_its_own(by_task: Path) -> None:
    for name, shots in OWN_SHOTS.items():
        path = by_task / name / "train.jsonl"
        rows = rows_of(path) if path.exists() else []
        groups = {row["meta"].get("domain") for row in rows}
        assert sum(row["episode"].count(1) for row in rows) == shots * len(groups)
    assert not list(verify_release(by_task, rebuild=1))


@pytest.mark.filterwarnings("ignore")
def test_the_harness_shows_each_task_its_own_shots(by_task: Path, network: Path) -> None:
    """One command for all tasks, without a number of shots; `evaluate` with the same demonstrations agrees."""
    pytest.importorskip("lm_eval")
    pytest.importorskip("accelerate")
    from lm_eval.models.huggingface import HFLM  # noqa: PLC0415
    from lm_eval.tasks import TaskManager  # noqa: PLC0415

    model = HFLM(pretrained=str(network), batch_size=16, max_length=2560, device="cpu", dtype="float32")
    manager = TaskManager(include_path=str(by_task / "lm_eval"), include_defaults=False)
    found = simple_evaluate(model, tasks=["all"], task_manager=manager, bootstrap_iters=0, log_samples=True)
    assert found is not None
    options = {"hf-causal": {"score": "loglikelihood", "top_p": "none"}}
    for name, shots in OWN_SHOTS.items():
        task = task_of(name)
        names = [f"all_{name}_butterfingers{ending}" for ending in endings(task, found)]
        assert {found["n-shot"][one] for one in names} == {shots}
        evaluation = evaluate(
            by_task / name, [f"hf-causal:{network}"], shots=[shots], episodes=1, options=options, cache="none"
        )
        groups = [str(one.values["meta"].get("domain", "")) for one in evaluation.pairs.originals]
        for variation in VARIATIONS:
            assert by_harness(task, variation, found) == by_evaluate(task, variation, evaluation, groups)
