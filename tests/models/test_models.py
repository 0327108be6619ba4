"""The models without networks: they learn from the train file; a wrong file or option is an error that names it."""

import json
import sys
from collections import Counter
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from augment_ru import AugmentError, evaluate
from augment_ru.evaluation.examples import Example, ModelRequest, example_of, model_of
from augment_ru.records.answers import label_of
from augment_ru.records.task import Task, generic
from benchmark_rows import benchmark_rows
from layouts import ROWS as OF_BENCHMARKS

EXAMPLES = Path(__file__).parents[2] / "examples"
TASK = generic("text")
ROWS = [
    {"text": text, "label": label}
    for text, label in [
        ("хороший отель и вкусный завтрак", "plus"),
        ("отличный вкусный ужин", "plus"),
        ("плохой номер и грязный пол", "minus"),
        ("грязный зал и плохой звук", "minus"),
        ("грязный плохой стол", "minus"),
        ("хороший вкусный кофе", "plus"),
    ]
]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def train(tmp_path: Path) -> Path:
    return write(tmp_path / "train.jsonl", ROWS)


def examples_of(*texts: str) -> list[Example]:
    return [example_of({"text": text}, TASK) for text in texts]


def model_of_spec(spec: str, task: Task = TASK, /, **options: Any) -> Any:  # noqa: ANN401
    return model_of(spec, ModelRequest("", task, ("minus", "plus")), options)


@pytest.mark.parametrize("kind", ["linear", "adaboost"])
def test_it_learns_the_train_file(kind: str, train: Path) -> None:
    model = model_of_spec(f"{kind}:{train}")
    assert model(examples_of("вкусный обед", "грязный стол")) == ["plus", "minus"]
    assert (model.few_shot, model.cached, model.chunk) == (False, False, 2**12)
    given: Any = model_of(kind, ModelRequest("", TASK, ("minus", "plus"), train=str(train)))
    assert model.signature == given.signature
    write(train, ROWS[:-1])
    assert model.signature != model_of_spec(f"{kind}:{train}").signature, "another file is another model"


def test_linear_is_the_paper_s_baseline() -> None:
    rows = [json.loads(line) for line in (EXAMPLES / "reviews_train.jsonl").read_text(encoding="utf-8").splitlines()]
    texts = [json.loads(line)["text"] for line in (EXAMPLES / "reviews_test.jsonl").read_text("utf-8").splitlines()]
    vectors = TfidfVectorizer(ngram_range=(1, 4), max_features=150_000)
    expected = LogisticRegression(max_iter=1000).fit(
        vectors.fit_transform([row["text"] for row in rows]), [row["label"] for row in rows]
    )
    model = model_of(f"linear:{EXAMPLES / 'reviews_train.jsonl'}", ModelRequest("", TASK, ("negative", "positive")))
    assert model(examples_of(*texts)) == expected.predict(vectors.transform(texts)).tolist()


def test_majority_takes_the_most_frequent_class_and_of_equal_ones_the_first(train: Path) -> None:
    assert model_of_spec(f"majority:{train}")(examples_of("что угодно")) == ["minus"], "of equal ones the first"
    write(train, ROWS[:3])
    assert model_of_spec(f"majority:{train}")(examples_of("что угодно")) == ["plus"]


def test_a_train_file_of_one_class_gives_that_class(train: Path) -> None:
    write(train, ROWS[:2])
    assert model_of_spec(f"linear:{train}")(examples_of("грязный")) == ["plus"]


def test_several_labels_are_learnt_separately(train: Path) -> None:
    task = Task.of("two", fields=("text",), gold=("good", "food"))
    rows = [{"text": row["text"], "good": row["label"], "food": ("minus", "plus")[n % 2]} for n, row in enumerate(ROWS)]
    write(train, rows)
    for kind, good in (("linear", "plus"), ("majority", "minus")):
        (prediction,) = model_of_spec(f"{kind}:{train}", task)([example_of({"text": "вкусный хороший"}, task)])
        assert prediction.keys() == {"good", "food"}
        assert prediction["good"] == good


def test_random_is_the_same_for_the_same_text_and_takes_every_label() -> None:
    model = model_of_spec("random", seed=3)
    texts = [f"текст {number}" for number in range(200)]
    predictions = model(examples_of(*texts))
    assert predictions == model_of_spec("random", seed=3)(examples_of(*texts))
    assert predictions != model_of_spec("random", seed=4)(examples_of(*texts))
    assert predictions[7:9] == model(examples_of(*texts[7:9])), "whatever else is asked"
    assert 60 < predictions.count("plus") < 140


def test_random_judges_every_option_of_muserc_and_writes_words_of_the_text() -> None:
    rows = benchmark_rows("muserc", "Так было")
    evaluation = evaluate(rows, ["random"], task="muserc")
    given = [row["original_prediction"] for row in evaluation.predictions()]
    wanted = [sum(len(one["answers"]) for one in row["passage"]["questions"]) for row in rows]
    assert [len(one) for one in given] == wanted
    assert {label for one in given for label in one} == {"0", "1"}
    for name in ("mera_chegeka", "mera_multiq"):
        rows = benchmark_rows(name, "Так было")
        written = drawn(rows, name)
        for row, answer in zip(rows, written, strict=True):
            assert len(answer.split()) == 2
            assert set(answer.split()) <= set(row["inputs"]["text"].lower().split())
        assert written == drawn(rows, name)


def drawn(rows: list[dict[str, Any]], name: str) -> list[Any]:
    return [one["original_prediction"] for one in evaluate(rows, ["random"], task=name).predictions()]


def test_random_is_the_baseline_of_mera() -> None:
    """Its appendix E.1: of an exercise a word of the text or one or two numbers, of ruDetox the text itself."""
    rude = benchmark_rows("mera_rudetox", "Так было")
    assert drawn(rude, "mera_rudetox") == [row["inputs"] for row in rude]
    for name, labels in (("mera_ruethics", {"0", "1"}), ("mera_mamuramu", {*"ABCD"}), ("mera_rutie", {"1", "2"})):
        assert {*drawn(benchmark_rows(name, "Так было") * 30, name)} <= labels
    (base,) = OF_BENCHMARKS["mera_use"]
    rows = [json.loads(json.dumps(base)) for _ in range(300)]
    for at, row in enumerate(rows):
        row["inputs"]["text"] = f"Ель растёт {at}."
        row["meta"] |= {"type": ("text", "matching", "multiple_choice_independent_options")[at % 3], "id": at}
    given = drawn(rows, "mera_use")
    assert set(given[::3]) - {f"{at}." for at in range(300)} == {"ель", "растёт"}
    numbers = Counter(given[1::3] + given[2::3])
    assert {*numbers} == {one + other for one in "1234" for other in ("", ",1", ",2", ",3", ",4")}
    assert 70 < sum(count for answer, count in numbers.items() if "," in answer) < 130


def test_a_function_gets_examples_records_or_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "my_models_of_a_test.py").write_text(
        "class Box:\n    @staticmethod\n    def say(items): return [type(one).__name__ for one in items]\nnumber = 5\n"
    )
    spec = "python:my_models_of_a_test:Box.say"
    assert model_of_spec(spec)(examples_of("а")) == ["Example"]
    assert model_of_spec(spec, input="record")(examples_of("а")) == ["dict"]
    assert model_of_spec(spec, input="text")(examples_of("а")) == ["str"]
    in_file = model_of_spec("python:my_models_of_a_test.py:Box", input="text")
    with pytest.raises(TypeError):
        in_file(examples_of("а"))
    stated = model_of_spec(spec, input="text")
    assert (stated.signature, stated.few_shot, stated.cached, stated.chunk) == (None, False, True, 256)
    for wrong, message in {
        "python:my_models_of_a_test:number": "is of type int, not a function",
        "python:my_models_of_a_test:other": "cannot be imported: AttributeError",
        "python:no_such_module_at_all:say": "cannot be imported: ModuleNotFoundError: .*; no_such_module_at_all.py",
        "my_models_of_a_test.py:say": "names no kind; a function of a file is python:my_models_of_a_test.py:NAME",
        "python:module": "must be python:package.module:name",
    }.items():
        with pytest.raises(AugmentError, match=f"^`model` {wrong}: {message}"):
            model_of_spec(wrong)


KIND = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Options:
    value: float = 0.5
    seed: int = 1

def mine(request):
    return lambda examples: [(request.argument, request.options.value, request.options.seed) for _ in examples]

def plain(request):
    return lambda examples: [request.options for _ in examples]
"""


def test_a_kind_of_another_package_gets_its_options_as_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kinds_of_a_test.py").write_text(KIND)
    (tmp_path / "plain_kind_of_a_test.py").write_text(KIND.replace("class Options", "class Others"))
    monkeypatch.syspath_prepend(str(tmp_path))
    entries = {
        "mine": EntryPoint("mine", "kinds_of_a_test:mine", "augment_ru.models"),
        "plain": EntryPoint("plain", "plain_kind_of_a_test:plain", "augment_ru.models"),
    }
    monkeypatch.setattr("augment_ru.registry.offered", lambda group: entries if group == "augment_ru.models" else {})
    asked = examples_of("а")
    assert model_of_spec("mine:x", value="0.25")(asked) == [("x", 0.25, 42)], "the seed of the run"
    assert model_of_spec("mine", seed="7")(asked) == [("", 0.5, 7)]
    assert model_of_spec("plain")(asked) == [None]
    for kind, options, message in (
        ("mine", {"value": "much"}, "`model` mine: mine.value: 'much' is not a number"),
        ("mine", {"valeu": "1"}, "`model` mine: no option of mine called 'valeu'; did you mean 'value'"),
        ("plain", {"value": "1"}, "`model` plain: no option of plain called 'value'"),
    ):
        with pytest.raises(AugmentError, match=f"^{message}"):
            model_of_spec(kind, **options)


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("liner:x", {}, r"no model called 'liner'; did you mean 'linear'\?"),
        ("linear", {}, "needs a train file: linear:TRAIN.jsonl, or `train` TRAIN.jsonl"),
        ("linear:none.jsonl", {}, "none.jsonl: no such file"),
        ("linear:{train}", {"analyser": "char"}, r"did you mean 'analyzer'\?"),
        ("linear:{train}", {"analyzer": "syllables"}, "option analyzer=syllables; possible: word, char, char_wb"),
        ("random:7", {}, "random takes no argument"),
    ],
)
def test_a_wrong_specification_is_an_error(spec: str, options: dict[str, Any], message: str, train: Path) -> None:
    with pytest.raises(AugmentError, match=message):
        model_of_spec(spec.format(train=train), **options)


def test_train_files_without_words_or_labels_are_errors(train: Path) -> None:
    write(train, [{"text": "?!", "label": "plus"}, {"text": "...", "label": "minus"}])
    with pytest.raises(AugmentError, match="cannot be trained on this file: empty vocabulary"):
        model_of_spec(f"linear:{train}")
    write(train, [{"text": "кот"}])
    with pytest.raises(AugmentError, match="line 1: no label in 'label'; name the field with `label_fields`"):
        model_of_spec(f"linear:{train}")
    train.write_text("")
    with pytest.raises(AugmentError, match="no rows"):
        model_of_spec(f"majority:{train}")


def test_a_train_file_with_none_of_the_labels_is_refused(train: Path) -> None:
    write(train, [{"text": "хороший", "label": "да"}, {"text": "плохой", "label": "нет"}])
    with pytest.raises(AugmentError, match="its labels are да, нет; those of the rows are minus, plus: none is the"):
        model_of_spec(f"linear:{train}")


def test_without_scikit_learn_the_extra_is_named(train: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.metrics", None)
    with pytest.raises(AugmentError, match=r'pip install "\.\[eval\]"'):
        model_of_spec(f"linear:{train}")


def test_labels_are_texts() -> None:
    assert [label_of(value) for value in (0, False, 0.5, "да ", None)] == ["0", "false", "0.5", "да", ""]
