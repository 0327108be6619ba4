"""The adversarial part of a release: rows that searches make against the models of the recipe."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from augment_ru import Adversary, AugmentError, evaluate
from augment_ru.evaluation.answers import different_golds, labels_of_different
from augment_ru.evaluation.examples import ModelRequest, NamedModel
from augment_ru.models import adaboost
from augment_ru.records.task import generic
from augment_ru.release.edit_log import line_digest
from augment_ru.release.manifest import encoded_manifest, file_entries, read_manifest
from augment_ru.release.verify import verify_release
from profiles import IS_FULL
from releases import built, contents, rows_of, write_rows

REVIEWS = Path(__file__).resolve().parents[2] / "examples"
TRAIN, TEST = (rows_of(REVIEWS / f"reviews_{split}.jsonl") for split in ("train", "test"))
RECIPE = """
name = "tiny"
licence = "apache-2.0"
[shots]
k = [1]
episodes = 1
[[attack]]
spec = "casing"
[adversary]
models = ["linear", "adaboost:more.jsonl"]
attacks = ["butterfingers", "homoglyphs"]
budget = 20
hard = 7
options.linear.longest = 1
[[task]]
name = "reviews"
train = "train.jsonl"
test = "test.jsonl"
"""


def recipe(folder: Path, text: str = RECIPE) -> Path:
    """A recipe with its files."""
    folder.mkdir(parents=True, exist_ok=True)
    write_rows(folder / "train.jsonl", TRAIN)
    write_rows(folder / "more.jsonl", TRAIN[::2])
    write_rows(folder / "test.jsonl", TEST[::3])
    path = folder / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module", autouse=True)
def _trees() -> Iterator[None]:
    """Let AdaBoost have a tenth of its trees in the quick profile: scikit-learn asks each tree by itself."""
    with pytest.MonkeyPatch.context() as patch:
        if not IS_FULL:
            patch.setattr(adaboost, "TREES", adaboost.TREES // 10)
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sklearn")
    folder = tmp_path_factory.mktemp("adversary")
    built(recipe(folder), folder / "out")
    return folder / "out"


def of(made: Path, name: str, file: str = "test") -> list[dict[str, Any]]:
    """The rows of a variation."""
    return [row for row in rows_of(made / "reviews" / f"{file}.jsonl") if row["perturbation"] == name]


def test_the_rows_are_what_the_search_finds(made: Path) -> None:
    rows = TEST[::3]
    request = ModelRequest("", generic(), labels_of_different(different_golds(rows, generic()), generic()))
    model = NamedModel.made(f"linear:{made.parent / 'train.jsonl'}", request, {"longest": "1"})
    adversary = Adversary(["butterfingers", "homoglyphs"], model, budget=20)
    wanted = list(adversary.records(rows, "generic"))
    assert [row["text"] for row in of(made, "adversary_linear")] == [one.text for one in wanted]
    found = [entry["search"] for entry in of(made, "adversary_linear", "edits")]
    assert [one["status"] for one in found] == [one.status for one in wanted]
    assert [one["queries"] for one in found] == [one.queries for one in wanted]
    assert "broken" in {one["status"] for one in found}


def test_the_manifest_has_the_digests_of_the_models(made: Path) -> None:
    models = read_manifest(made / "manifest.json")["models"]
    assert [(one["name"], one["model"]) for one in models] == [
        ("adversary_linear", "linear"),
        ("adversary_adaboost", "adaboost:more.jsonl"),
    ]
    assert models[0]["signatures"]["reviews"].startswith("linear|word-1..1|")
    assert models[1]["files"] == {"more.jsonl": file_entries(made.parent, ["more.jsonl"])["more.jsonl"]["sha256"]}
    assert (made / "own" / "more.jsonl").read_bytes() == (made.parent / "more.jsonl").read_bytes()


def test_the_bytes_do_not_depend_on_the_size_of_the_shards(made: Path, tmp_path: Path) -> None:
    built(made.parent / "recipe.toml", tmp_path / "again", shard_rows=7)
    assert contents(tmp_path / "again") == contents(made)


def test_it_is_verified_and_rebuilt_without_its_inputs(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "alone")
    assert list(verify_release(tmp_path / "alone", rebuild=4)) == []


def test_evaluate_counts_what_the_card_says(made: Path) -> None:
    model = f"linear:{made / 'reviews' / 'train.jsonl'}"
    report = evaluate(made / "reviews", {"linear": model}, options={"linear": {"longest": "1"}}).report()
    (stated, _) = read_manifest(made / "manifest.json")["searches"]
    entry = report["models"][0]["attacks"]["adversary_linear"]
    assert (entry["right"], entry["broken"]) == (stated["right"], stated["broken"])
    assert round(entry["asr"], 2) == stated["asr"]
    assert report["searches"]["adversary_linear"]["model"] == "linear"
    assert report["searches"]["adversary_linear"]["curve"][-1]["broken"] == stated["broken"]
    card = (made / "README.md").read_text(encoding="utf-8")
    numbers = f"| {stated['rows']} | {stated['right']} | {stated['broken']} | {stated['asr']} |"
    assert f"| `adversary_linear` | `linear` {numbers}" in card


def test_the_hard_rows_break_most_models_and_keep_the_shares_of_labels(made: Path) -> None:
    models = {"adversary_linear": f"linear:{made.parent / 'train.jsonl'}",
              "adversary_adaboost": f"adaboost:{made.parent / 'more.jsonl'}"}  # fmt: skip
    asked = list(evaluate(made / "reviews", models, options={"linear": {"longest": "1"}}).predictions())
    breaks = {(one["model"], one["attack"], one["id"]) for one in asked if one["outcome"] == "broken"}
    searched = {(of, one["id"]) for of in models for one in asked if (of, of, one["id"]) in breaks}
    worst = {
        id_: max(sum((model, of, id_) in breaks for model in models) * ((of, id_) in searched) for of in models)
        for id_ in {one["id"] for one in asked}
    }
    stated, rows = read_manifest(made / "manifest.json")["tasks"][0]["hard"], rows_of(made / "reviews" / "hard.jsonl")
    labels = Counter(row["label"] for row in TEST[::3])
    assert stated["labels"] == dict(Counter(row["label"] for row in rows))
    assert all(abs(stated["labels"][name] - 7 * size / 20) < 1 for name, size in labels.items())
    assert stated["broken_by"] == [sum(worst[row["id"]] == count for row in rows) for count in range(3)]
    for name in labels:  # none is left out that breaks more models than one that was chosen
        own = {row["id"] for row in TEST[::3] if row["label"] == name}
        chosen = {row["id"] for row in rows} & own
        assert min(worst[one] for one in chosen) >= max(worst[one] for one in own - chosen)
    (linear, _) = stated["transfer"]
    held_out = [one for one in asked if (one["model"], one["attack"]) == ("adversary_linear", "adversary_adaboost")]
    assert linear["all_right"] == sum(one["outcome"] in {"kept", "broken"} for one in held_out)
    assert linear["all_broken"] == sum(one["outcome"] == "broken" for one in held_out)
    assert f"| `adversary_linear` | {linear['right']} | {linear['broken']} |" in (made / "README.md").read_text("utf-8")
    assert '"reviews/hard.jsonl"' in (made / "croissant.json").read_text("utf-8")


def test_another_choice_of_hard_rows_is_named(made: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(made, copy)
    path = copy / "reviews" / "hard.jsonl"
    path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[1:]), "utf-8")
    found = list(verify_release(copy))
    assert found == ["reviews/hard.jsonl: is not what follows from the test rows and their edit log"]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("breaks", ["adversary_linear"], "breaks adversary_linear, which does not fit its search"),
        ("budget", 21, "the budget is 21; the recipe's is 20"),
        ("status", "withstood", "is not an entry of the edit log"),
        ("queries", 99, "is not an entry of the edit log"),
        ("changes", 0, "is not an entry of the edit log"),
        ("attacks", {"text": []}, "is broken, and names 0 attacks"),
    ],
)
def test_a_forged_search_is_named(made: Path, tmp_path: Path, key: str, value: object, said: str) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(made, copy)
    path = copy / "reviews" / "edits.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    at = next(at for at, line in enumerate(lines) if '"status":"broken"' in line.replace(": ", ":"))
    entry = json.loads(lines[at])
    entry["search"][key] = value
    entry.pop("digest")
    body = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
    lines[at] = f'{body[:-1]},"digest":"{line_digest(body)}"}}'
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    content = read_manifest(copy / "manifest.json")
    content["files"] |= file_entries(copy, ["reviews/edits.jsonl"])
    (copy / "manifest.json").write_bytes(encoded_manifest(content))
    problems = list(verify_release(copy))
    assert any(f"reviews/edits.jsonl: row {at + 1}" in line and said in line for line in problems), problems


def test_another_model_is_named_when_rows_are_rebuilt(made: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(made, copy)
    content = read_manifest(copy / "manifest.json")
    write_rows(copy / "own" / "more.jsonl", TRAIN[1::2])
    content["files"] |= file_entries(copy, ["own/more.jsonl"])
    (copy / "manifest.json").write_bytes(encoded_manifest(content))
    problems = list(verify_release(copy, rebuild=20))
    assert any("the model adaboost:more.jsonl" in line for line in problems), problems


def test_a_network_is_a_folder_whose_files_are_digested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from small_classifier import classifier  # noqa: PLC0415

    text = RECIPE.replace('"linear", "adaboost:more.jsonl"', '"hf-classifier:net"').replace("hard = 7", "hard = 2")
    text = text.replace("options.linear.longest = 1", "")
    path = recipe(tmp_path, text)
    write_rows(tmp_path / "test.jsonl", TEST[:4])
    classifier(tmp_path / "net", ("negative", "positive"))
    built(path, tmp_path / "out")
    (model,) = read_manifest(tmp_path / "out/manifest.json")["models"]
    assert {"config.json", "model.safetensors"} <= model["files"].keys()
    assert str(tmp_path) not in (tmp_path / "out/manifest.json").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)  # where verify looks for the folder that the recipe names
    assert list(verify_release(tmp_path / "out", rebuild=4)) == []
    monkeypatch.chdir(tmp_path / "out")
    (problem,) = verify_release(tmp_path / "out", rebuild=4)
    assert "nothing can be rebuilt here" in problem


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"linear"', '"python:mine.py:model"', "a recipe names files, runs no code and asks no server"),
        ('"linear"', '"openai:gpt"', "possible: linear, adaboost, hf-classifier, hf-causal, hf-seq2seq"),
        ("hard = 7", "hard = 21", "hard = 21; test.jsonl has 20 rows"),
        ('"linear"', '"hf-causal"', "needs the folder or the name of a model, hf-causal:DIR"),
        ('["butterfingers", "homoglyphs"]', '["buterfingers"]', "did you mean 'butterfingers'?"),
        ("budget = 20", "budget = 0", "budget 0; needs an integer, 1 or more"),
        ("budget = 20", "draws = 0", "draws 0; needs an integer from 1 to 100"),
        ("budget = 20", 'tasks = ["review"]', "did you mean 'reviews'?"),
        ("options.linear.longest = 1", "options.majority.x = 1", "no kind among the models called 'majority'"),
        ("options.linear.longest = 1", "options.linear.longer = 1", "no option of linear called 'longer'"),
        ('"adaboost:more.jsonl"', '"adaboost:less.jsonl"', "less.jsonl"),
        ('spec = "casing"', 'spec = "casing"\nname = "adversary_linear"', "needs names that differ in letters"),
    ],
)
def test_a_wrong_adversary_is_refused_in_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    pytest.importorskip("sklearn")
    with pytest.raises(AugmentError) as raised:
        built(recipe(tmp_path, RECIPE.replace(old, new, 1)), tmp_path / "out")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "out").exists()
