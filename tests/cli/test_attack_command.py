"""`augment-ru attack`, and `evaluate` on what it writes."""

import json
import os
import re
from pathlib import Path

import pytest

from augment_ru import evaluate
from augment_ru.formats.read import read_rows
from commands import fails, rows_of, run, write

TRAIN = [
    {"text": text, "label": label}
    for label, texts in {
        "spam": ("купи билет дёшево", "выиграй приз сейчас", "купи приз дёшево", "билет и приз даром"),
        "ham": ("мама мыла раму", "кот спит на окне", "завтра будет дождь", "дождь стучит по раме"),
    }.items()
    for text in texts
]
TEST = [
    {"id": 1, "text": "Купи приз и билет сейчас дёшево!", "label": "spam"},
    {"id": 2, "text": "Завтра кот будет мыть раму.", "label": "ham"},
    {"id": 3, "text": "Мама спит, а дождь стучит.", "label": "spam"},
    {"id": 4, "text": "https://example.org/билет", "label": "spam"},
]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write(tmp_path / "train.jsonl", *TRAIN)
    write(tmp_path / "in.jsonl", *TEST)
    return tmp_path


def attacked(files: Path, *options: str) -> list[dict[str, object]]:
    """The rows of a run without cache and gate."""
    model = f"linear:{files / 'train.jsonl'}"
    done = run("attack", files / "in.jsonl", "--model", model, "--cache", "none", "--similarity", "none", *options)
    assert done.returncode == 0, done.stderr.decode()
    assert b"4 rows in; " in done.stderr
    return rows_of(done.stdout)


def test_rows_and_metadata(files: Path) -> None:
    first, second, third, fourth = attacked(files, "--attack", "butterfingers", "--budget", "80")
    for row, was in zip((first, second, third, fourth), TEST, strict=True):
        meta = row["augment"]
        assert isinstance(meta, dict)
        assert meta["source"] == {"text": was["text"]}
        assert {**row, "text": was["text"], "augment": None} == {**was, "augment": None}
        assert (row["text"] != was["text"]) == (meta["status"] == "broken")
        assert meta["queries"] <= meta["budget"] == 80
    meta = first["augment"]
    assert isinstance(meta, dict)
    assert meta["status"] == "broken"
    assert meta["prediction"] == {"before": "spam", "after": "ham"}
    assert meta["attacks"] == {"text": ["butterfingers"] * len(meta["edits"]["text"])}
    assert meta["minimal"]
    assert [row["augment"]["status"] for row in (third, fourth)] == ["wrong_before", "unchanged"]  # type: ignore[index]


def test_the_same_bytes_whatever_the_subset(files: Path) -> None:
    whole = attacked(files)
    write(files / "part.jsonl", TEST[1], TEST[0])
    model = f"linear:{files / 'train.jsonl'}"
    done = run("attack", files / "part.jsonl", "--model", model, "--cache", "none", "--similarity", "none")
    assert rows_of(done.stdout) == [whole[1], whole[0]]


def test_an_attack_without_changes_is_refused_before_the_model_is_made(files: Path) -> None:
    line = fails(2, "attack", files / "in.jsonl", "--model", "hf-classifier:nowhere", "--attack", "option_order")
    assert "--attack option_order: permutes options, and has no changes to search" in line


def test_other_options(files: Path) -> None:
    brief = attacked(files, "--meta", "brief", "--budget", "5", "--no-minimal", "--draws", "1", "--probability", "0.5")
    assert all("edits" not in row["augment"] for row in brief)  # type: ignore[operator]
    aimed = attacked(files, "--targeted", "ham")
    assert aimed[1]["augment"]["reason"] == "right already"  # type: ignore[index]
    late = attacked(files, "--time", "0.000001")
    assert {row["augment"]["reason"] for row in late} == {"not asked"}  # type: ignore[index]


def test_evaluate_reads_what_attack_writes(files: Path) -> None:
    model = f"linear:{files / 'train.jsonl'}"
    rows = attacked(files, "--attack", "butterfingers")
    broken = sum(row["augment"]["status"] == "broken" for row in rows)  # type: ignore[index]
    write(files / "out.jsonl", *rows)
    worst = files / "worst.jsonl"
    done = run("evaluate", files / "out.jsonl", "--model", model, "--cache", "none", "-o", "-", "--worst-case", worst)
    assert done.returncode == 0, done.stderr.decode()
    report = json.loads(done.stdout)
    (attack,) = report["attacks"]
    assert attack == f"adversary:{model}"
    (entry,) = report["models"]
    assert entry["attacks"][attack]["broken"] == broken
    search = report["searches"][attack]
    assert (search["broken"], search["curve"][-1]["broken"]) == (broken, broken)
    chosen = {"worst_of": {"attacks": [attack], "models": [model]}}
    assert rows_of(worst.read_bytes()) == [row | {"augment": row["augment"] | chosen} for row in rows]  # type: ignore[operator]


def test_a_second_run_reads_the_cache(files: Path) -> None:
    (files / "model.py").write_text(
        "def said(texts):\n    return ['spam' if 'приз' in text.lower() else 'ham' for text in texts]\n"
        "said.signature = 'said-1'\n",
        encoding="utf-8",
    )
    command = ("attack", files / "in.jsonl", "--model", "python:model:said", "--model-option", "python.input=text")
    cache = ("--cache", files / "cache.sqlite", "--similarity", "none")
    first, second = (run(*command, *cache, cwd=files, env=_path()) for _ in range(2))
    assert first.returncode == second.returncode == 0, first.stderr.decode()
    assert first.stdout == second.stdout
    assert b"from the cache" not in first.stderr
    assert b"answers from the cache" in second.stderr


def test_a_guide_orders_the_queries_of_a_model_of_labels(files: Path) -> None:
    (files / "model.py").write_text(
        "def said(texts):\n    return ['spam' if 'приз' in text or 'билет' in text else 'ham' for text in texts]\n",
        encoding="utf-8",
    )
    row = {"text": "Купи сейчас призовой билетный набор дёшево!", "label": "spam"}
    (files / "one.jsonl").write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    command = ("attack", files / "one.jsonl", "--model", "python:model:said", "--attack", "eda_delete")
    options = ("--model-option", "python.input=text", "--similarity", "none", "--no-constraints", "--cache", "none")
    guide = f"linear:{files / 'train.jsonl'}"
    done = run(*command, *options, "--guide", guide, cwd=files, env=_path())
    assert done.returncode == 0, done.stderr.decode()
    (found,) = rows_of(done.stdout)
    assert (found["augment"]["status"], found["augment"]["changes"], found["augment"]["minimal"]) == ("broken", 2, True)
    assert found["augment"]["guide"].startswith("linear|")


def _path() -> dict[str, str]:
    import os  # noqa: PLC0415
    from importlib.util import find_spec  # noqa: PLC0415

    spec = find_spec("augment_ru")
    assert spec is not None
    assert spec.origin is not None
    return {**os.environ, "PYTHONPATH": str(Path(spec.origin).parents[1])}


def test_mistakes_are_one_line(files: Path) -> None:
    source, model = files / "in.jsonl", f"linear:{files / 'train.jsonl'}"
    assert "no rows" in fails(1, "attack", "-", "--model", model)
    assert "--budget 0" in fails(2, "attack", source, "--model", model, "--budget", "0")
    assert "needs no guide" in fails(1, "attack", source, "--model", model, "--guide", model)
    assert "no model called 'linaer'" in fails(2, "attack", source, "--model", model, "--guide", "linaer:x")
    assert "--targeted: no label of the rows called 'eggs'" in fails(
        1, "attack", source, "--model", model, "--targeted", "eggs"
    )
    assert "no model called 'linaer'" in fails(2, "attack", source, "--model", "linaer:x")
    assert "--label-field" in fails(1, "attack", source, "--model", model, "--label-field", "no")


def test_rows_without_an_answer_are_skipped(files: Path) -> None:
    path = write(files / "half.jsonl", {"text": "Билет купи"}, {"text": "Билет купи", "label": "spam"})
    command = ("attack", path, "--model", f"linear:{files / 'train.jsonl'}", "-o", files / "out.jsonl")
    assert "half.jsonl: line 1: no right answer in 'label'; name its field with --label-field" in fails(1, *command)
    done = run(*command, "--on-error", "skip")
    assert done.returncode == 1, done.stderr
    assert [row["label"] for row in rows_of((files / "out.jsonl").read_bytes())] == ["spam"]
    (reject,) = rows_of((files / "out.rejects.jsonl").read_bytes())
    assert (reject["line"], reject["reason"][:24]) == (1, "no right answer in 'labe")


def test_a_model_of_other_labels_is_pointed_out(files: Path) -> None:
    (files / "model.py").write_text("def said(examples):\n    return ['реклама'] * len(examples)\n", encoding="utf-8")
    options = ("--limit", "1", "--cache", "none", "--similarity", "none")
    done = run("attack", files / "in.jsonl", "--model", "python:model:said", *options, cwd=files, env=_path())
    said = done.stderr.decode()
    assert done.returncode == 0
    assert (
        "1 row in; 0 broken, 0 withstood, 0 rejected, 1 wrong_before, 0 unchanged; 2 queries, 1 of them to confirm; "
        in said
    )
    assert "the model answers no row right; are the labels of the rows those of the model?" in said


def test_help_says_what_probability_means_for_a_pool() -> None:
    said = " ".join(run("attack", "--help").stdout.decode().split())
    assert "Share of the possible changes, 0 to 1. [default: 1]" in said


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.json", "out.parquet"])
def test_an_answer_with_a_lone_surrogate_is_written_with_escapes(
    files: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (files / "odd_model.py").write_text("def says(asked):\n    return ['\\ud800'] * len(asked)\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(files), prepend=os.pathsep)
    done = run("attack", files / "in.jsonl", "-o", files / name, "--model", "python:odd_model:says", "--cache", "none",
               "--attack", "case")  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    found = [row.values for row in read_rows(str(files / name)).rows]
    metadata = [row["augment"] for row in found]
    read = [json.loads(one) if isinstance(one, str) else one for one in metadata]
    assert [one["prediction"]["before"] for one in read] == ["\ud800"] * 4


@pytest.mark.parametrize("exists", [True, False])
def test_the_cache_is_no_place_for_the_rows(files: Path, *, exists: bool) -> None:
    (files / "kept").write_bytes(b"") if exists else None
    said = fails(2, "attack", files / "in.jsonl", "-o", files / "kept", "--model", f"linear:{files / 'train.jsonl'}",
                 "--cache", files / "kept", "--attack", "case")  # fmt: skip
    assert "kept: is read by this run; give another file" in said


def test_files_whose_names_are_not_utf8(files: Path) -> None:
    train = files / os.fsdecode(b"train-\xff.jsonl")
    try:
        write(train, *TRAIN)
    except OSError:
        pytest.skip("this file system has no such names")
    rows = ("attack", files / "in.jsonl", "-o", files / "out.jsonl", "--attack", "case", "--resume")
    done = run(*rows, "--model", "linear", "--train", train, "--cache", "none")
    assert done.returncode == 0, done.stderr.decode()


def test_the_page_and_the_terminal_say_what_broke(files: Path) -> None:
    """The page is that of the rows' evaluation; the model is not asked again, and every edit that broke was tried."""
    out, html = files / "out.jsonl", files / "what.html"
    model = f"linear:{files / 'train.jsonl'}"
    options = ("--model", model, "--cache", "none", "--similarity", "none", "--attack", "butterfingers")
    done = run("attack", files / "in.jsonl", "-o", out, "--html", html, *options)
    assert done.returncode == 0, done.stderr.decode()
    told = [line for line in done.stderr.decode().splitlines() if "broke, by" in line]
    assert [line.split("by ")[1].split(":")[0] for line in told] == [
        "attack",
        "kind",
        "letter",
        "word",
        "label",
        "changes, at most",
    ]  # fmt: skip  (nothing was scored, so no row has a similarity)
    assert {row["augment"]["similarity"] for row in read_rows(str(out)).values} == {None}
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html.read_text(), re.DOTALL)
    report = json.loads(data)["report"]
    (search,) = report["searches"].values()
    rows = read_rows(str(out)).values
    edits = sum(len(row["augment"]["edits"]["text"]) for row in rows)
    tried = [row["augment"]["tried"] for row in rows if "tried" in row["augment"]]
    (kind,) = (one for one in search["broke"] if one["by"] == "kind")
    assert (kind["broken"], kind["of"]) == (edits, sum(one["kind"]["replaced"] for one in tried))
    assert 0 < kind["broken"] <= kind["of"]
    words = {one["value"]: one["train_rows"] for one in search["broke"] if one["by"] == "word"}
    learned = [set(re.findall(r"\w+", text)) for text in {row["text"].lower() for row in TRAIN}]
    assert words == {word: sum(word in own for own in learned) for word in words}
    assert any(words.values())
    assert "train row" in told[3]
    (again,) = evaluate(str(out), [model], flipping="none").report()["searches"].values()
    assert again["broke"] == search["broke"], "evaluate knows what the model learned, attack reads its train file"
    (entry,) = report["models"][0]["attacks"].values()
    assert (entry["right"], entry["broken"]) == (search["right"], search["broken"])
    assert entry["edits_per_100_words"] > 0
    assert [one["id"] for one in search["hardest"]]
    assert "give another -o" in fails(2, "attack", files / "in.jsonl", "--html", html, *options)
