"""What stands beside the rows of a release: the card for the Hub, and tasks that lm-evaluation-harness runs."""

import json
import random
import re
import shutil
import sys
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import augment_ru
from augment_ru.evaluation import answer_scores
from augment_ru.evaluation.answer_scores import macro_f1
from augment_ru.evaluation.answers import METRICS
from augment_ru.release import lm_eval_data
from augment_ru.release.verify import verify_release
from augment_ru.release.yaml import yaml
from harness import simple_evaluate
from profiles import IS_FULL, examples
from releases import EXAMPLE, RECIPE, built, recipe, rows_of

VARIATIONS = {"pronouns": 6, "school": 6, "hops": 5}


@pytest.fixture(scope="module")
def small(small_release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy: the harness leaves compiled files beside the code of a release."""
    return shutil.copytree(small_release, tmp_path_factory.mktemp("release") / "small")


def test_the_hub_reads_the_card(small: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    card = hub.DatasetCard.load(small / "README.md")
    assert card.data.to_dict()["license"] == "apache-2.0"
    assert card.data.language == ["ru"]
    assert card.data.pretty_name == "A small adversarial release"
    assert card.data.size_categories == ["n<1K"]
    assert [config["config_name"] for config in card.data.configs] == ["pronouns", "school", "hops"]
    for config in card.data.configs:
        assert [(small / file["path"]).is_file() for file in config["data_files"]] == [True, True]
    assert card.text.strip().startswith("# A small adversarial release")


def test_the_card_survives_any_words(tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    title = 'Да: "нет" — 100 % | \\ #1 \u2028 🐱'
    text = RECIPE.replace('name = "tiny"', f"name = 'tiny'\ntitle = {json.dumps(title, ensure_ascii=False)}")
    built(recipe(tmp_path, text), tmp_path / "out")
    assert hub.DatasetCard.load(tmp_path / "out" / "README.md").data.pretty_name == title


def test_croissant_describes_every_file_of_rows(small: Path) -> None:
    found = json.loads((small / "croissant.json").read_text(encoding="utf-8"))
    files = {one["contentUrl"]: one["sha256"] for one in found["distribution"]}
    assert set(files) == {f"{name}/{split}.jsonl" for name in VARIATIONS for split in ("train", "test")}
    for name, digest in files.items():
        assert sha256((small / name).read_bytes()).hexdigest() == digest
    school = next(one for one in found["recordSet"] if one["@id"] == "school_test")
    types = {one["name"]: one["dataType"] for one in school["field"]}
    assert types["question"] == "sc:Text"
    assert types["school_grade"] == "sc:Integer"


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")
def test_mlcroissant_validates_and_reads_it(small: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    dataset = mlcroissant.Dataset(jsonld=small / "croissant.json")
    assert not dataset.metadata.issues.errors
    assert not dataset.metadata.issues.warnings
    assert dataset.metadata.date_published.isoformat().startswith("2026-11-24")
    assert "Nobody has judged the rows of this release." in dataset.metadata.data_limitations
    assert dataset.metadata.personal_sensitive_information == ["None: persons in the texts are invented."]
    first = next(iter(dataset.records("school_test")))
    assert first["school_test/question"].decode() == rows_of(small / "school" / "test.jsonl")[0]["question"]


def test_the_card_shows_a_pair_of_each_attack(small: Path) -> None:
    card = (small / "README.md").read_text(encoding="utf-8")
    manifest = json.loads((small / "manifest.json").read_text(encoding="utf-8"))
    assert [one["perturbation"] for one in manifest["examples"]] == [one["name"] for one in manifest["attacks"]]
    for one in manifest["examples"]:
        rows = rows_of(small / one["task"] / "test.jsonl")
        assert any(row["perturbation"] == one["perturbation"] and row[one["field"]] == one["perturbed"] for row in rows)
        assert one["original"] != one["perturbed"]
        assert f"| {one['original']} | {one['perturbed']} |" in card


def test_the_card_shows_a_demonstration_of_each_task_with_its_source(small: Path) -> None:
    card = (small / "README.md").read_text(encoding="utf-8")
    shown = json.loads((small / "manifest.json").read_text(encoding="utf-8"))["demonstrations"]
    assert [one["task"] for one in shown] == list(VARIATIONS)
    for one in shown:
        source = rows_of(EXAMPLE / one["file"])[one["row"] - 1]
        row = rows_of(small / one["task"] / "train.jsonl")[one["row"] - 1]
        assert source.items() <= row.items()
        assert one["episode"] in row["episode"]
        assert one["texts"] == [str(row[name]) for name in ("text", "question", "main_text") if name in row] or (
            one["task"] == "hops"
        )
        assert f"`{one['file']}`, row {one['row']} |" in card


def test_the_card_explains_each_attack(small: Path) -> None:
    card = (small / "README.md").read_text(encoding="utf-8")
    assert "- `butterfingers`: Replace letters by those of neighbouring keys; nearer keys are likelier" in card
    manifest = json.loads((small / "manifest.json").read_text(encoding="utf-8"))
    for one in manifest["attacks"]:
        (line,) = [line for line in card.split("\n") if line.startswith(f"- `{one['name']}`: ")]
        assert line.count(".") >= one["spec"].count("+") + 1


def prose(card: str) -> list[str]:
    """The lines of a card that are neither code, nor rows of a table, nor its front matter."""
    text = re.sub(
        r"\A---\n.*?^---$|^```.*?^```$|^\| `.*?$|^\| ---.*?$|^### `.*?$", "", card, flags=re.DOTALL | re.MULTILINE
    )
    return [line for line in text.split("\n") if line.strip()]


def test_the_card_is_in_one_language(small: Path, tmp_path: Path) -> None:
    path = recipe(tmp_path, RECIPE.replace("licence", 'language = "ru"\ntitle = "Малый набор"\nlicence', 1))
    built(path, tmp_path / "out")
    russian, english = ((folder / "README.md").read_text(encoding="utf-8") for folder in (tmp_path / "out", small))
    assert "- `butterfingers`: Палец попадает на соседнюю клавишу: «кошка спит» → «кошеа спит»." in russian
    assert [line for line in prose(russian) if not re.search("[а-яё]", line)] == []
    assert [line for line in prose(english) if re.search("[а-яё]", line)] == []
    assert "language:\n- ru\n" in english.replace("  -", "-"), "the language of the rows"
    assert list(verify_release(tmp_path / "out")) == []


def test_datasets_loads_every_task(small: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    for name in VARIATIONS:
        loaded = datasets.load_dataset(str(small), name, cache_dir=str(tmp_path))
        assert loaded["train"].features == loaded["test"].features
        assert loaded["test"].to_list() == rows_of(small / name / "test.jsonl")


PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
NAMES = st.text(min_size=1)
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner), max_leaves=6)


@settings(max_examples=examples(50))
@given(st.dictionaries(NAMES, VALUES, min_size=1, max_size=4))
def test_yaml_reads_back_what_was_written(content: dict[str, Any]) -> None:
    reader = pytest.importorskip("yaml")
    assert reader.safe_load(yaml(content)) == content


@settings(max_examples=examples(50))
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_macro_f1_is_that_of_scikit_learn(items: list[tuple[int, int]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    right, prediction = zip(*items, strict=True)
    assert macro_f1(items) == pytest.approx(metrics.f1_score(right, prediction, average="macro", zero_division=0))


@pytest.mark.parametrize(
    ("prediction", "f1", "exact"),
    [("Кислотный дождь.", 1.0, 1.0), ("«кислотный снег»", 0.5, 0.0), ("", 0.0, 0.0), ("Дождь", 1.0, 1.0)],
)
def test_generated_answers_are_scored_with_the_best_right_one(prediction: str, f1: float, exact: float) -> None:
    doc = {"answers": ["кислотный дождь", "дождь"]}
    assert lm_eval_data.score_answer(doc, [prediction]) == {"f1": f1, "exact_match": exact}


@pytest.fixture(scope="module")
def copied(small: Path) -> Any:  # noqa: ANN401  (a module)
    """The data module of the release, loaded as the harness loads it: by its path, without its folder on any path."""
    path = small / "lm_eval" / "data.py"
    spec = spec_from_file_location(str(path.with_suffix("")), path)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_modules_of_a_release_are_copies_that_need_the_standard_library_alone(small: Path) -> None:
    package = Path(augment_ru.__file__).parent
    sources = ("records/answers.py", "records/field_paths.py", "evaluation/answer_scores.py")
    for name, source in ((Path(source).stem, source) for source in sources):
        text = (small / "lm_eval" / f"{name}.py").read_text(encoding="utf-8")
        assert text == (package / source).read_text(encoding="utf-8")
        imported = set(re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE))
        assert imported <= sys.stdlib_module_names


ANSWERS = st.text() | st.text("Петрёе\u0301\u0308Йи\u0306 |+$—«».,#Ёэ́", max_size=12)


@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ANSWERS, min_size=1, max_size=3), ANSWERS)
def test_a_release_scores_answers_as_evaluate_does(copied: Any, golds: list[str], prediction: str) -> None:  # noqa: ANN401
    assert copied.answer_scores.__file__ != answer_scores.__file__
    found = copied.score_answer({"answers": golds}, [prediction])
    assert found == {name: METRICS[name].score([golds], [prediction]) for name in ("f1", "exact_match")}


@pytest.mark.parametrize(
    ("gold", "prediction", "exact"),
    [
        ("Пётр", "Петр", 1.0),
        ("замок", "за\u0301мок", 1.0),
        ("Йод", "И\u0306од", 1.0),
        ("C", "C++", 0.0),
        ("5", "$5", 0.0),
        ("да|нет", "данет", 0.0),
        ("«Война и мир»", "война и мир…", 1.0),
    ],
)
def test_russian_spellings_and_signs_are_scored_alike(
    copied: Any,  # noqa: ANN401  (a module)
    gold: str,
    prediction: str,
    exact: float,
) -> None:
    assert copied.score_answer({"answers": [gold]}, [prediction])["exact_match"] == exact
    assert METRICS["exact_match"].score([[gold]], [prediction]) == exact


@pytest.fixture(scope="module")
def model() -> Any:  # noqa: ANN401  (of an optional package)
    pytest.importorskip("lm_eval")
    pytest.importorskip("accelerate")
    torch = pytest.importorskip("torch")
    from lm_eval.models.huggingface import HFLM  # noqa: PLC0415
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: PLC0415
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast  # noqa: PLC0415

    letters = pre_tokenizers.ByteLevel.alphabet()
    plain = Tokenizer(models.BPE())
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=["<end>"], initial_alphabet=letters)
    plain.train_from_iterator(["Кошка спит на окне. Да. Нет."], trainer)
    made: Any = PreTrainedTokenizerFast
    tokenizer = made(tokenizer_object=plain, eos_token="<end>", bos_token="<end>")  # noqa: S106
    with torch.random.fork_rng():
        torch.manual_seed(7)
        small = GPT2Config(
            vocab_size=len(tokenizer), n_positions=2048, n_embd=16, n_layer=1, n_head=2, bos_token_id=0, eos_token_id=0
        )
        return HFLM(pretrained=GPT2LMHeadModel(small), tokenizer=tokenizer, batch_size=8, max_length=1024, device="cpu")


@pytest.mark.filterwarnings("ignore")  # of the harness and what it imports
@pytest.mark.parametrize(("episode", "shots"), [(0, 0), (4, 4)] if IS_FULL else [(4, 4)])
def test_the_harness_scores_a_model(small: Path, model: Any, episode: int, shots: int) -> None:  # noqa: ANN401
    from lm_eval.tasks import TaskManager  # noqa: PLC0415

    metrics = pytest.importorskip("sklearn.metrics")
    tasks = TaskManager(
        include_path=str(small / "lm_eval"), include_defaults=False, metadata={"episode": episode} if episode else None
    )
    found = simple_evaluate(
        model, tasks=["small"], task_manager=tasks, num_fewshot=shots, limit=2, bootstrap_iters=0, log_samples=True
    )
    assert found is not None
    scores = {name: one for name, one in found["results"].items() if "sample_len" in one}
    assert len(scores) == sum(VARIATIONS.values())
    for name, one in scores.items():
        wanted = ("f1", "exact_match") if "_hops_" in name else ("acc", "f1")
        assert all(0.0 <= one[f"{metric},none"] <= 1.0 for metric in wanted)
        samples = found["samples"][name]
        if "acc" in one:
            pairs = [sample["f1"] for sample in samples]
            assert one["acc,none"] == np.mean([right == prediction for right, prediction in pairs])
            assert one["f1,none"] == pytest.approx(metrics.f1_score(*zip(*pairs, strict=True), average="macro"))
    rows = [row for row in rows_of(small / "school" / "test.jsonl") if row["perturbation"] == "emojify"]
    shown = [row for row in rows_of(small / "school" / "train.jsonl") for number in row["episode"] if number == episode]
    sample = found["samples"]["small_school_emojify"][0]
    context, answer = sample["arguments"][1]
    stem, options = rows[0]["question"].split(" (A) ")
    assert context.split("\n\n")[-1] == stem
    assert answer == " " + options.split(" (B) ")[1].split(" (C) ")[0]
    assert int(sample["target"]) == 1
    assert len(context.split("\n\n")) - 1 == len(shown) == shots
    for prediction, row in zip(context.split("\n\n"), shown, strict=False):
        stem, options = row["question"].split(" (A) ")
        assert prediction.startswith(stem)


def test_an_episode_that_is_not_there_is_an_error(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("datasets")
    monkeypatch.setattr(lm_eval_data, "_FOLDER", small)
    options: dict[str, Any] = {"folder": "hops", "perturbation": "hops", "columns": {"text": {"paths": ["question"]}}}
    with pytest.raises(ValueError, match="no train row is in episode 99"):
        lm_eval_data.load_rows(**options, answer="main_answers", episode=99)
    loaded = lm_eval_data.load_rows(**options, answer="main_answers", episode=random.Random(1).choice([4, 5, 6]))
    assert len(loaded["train"]) == 4
    assert loaded["test"][0]["answers"] == ["Таганроге"]
