"""What an evaluation counts: by hand, by law, and again from the predictions that it writes."""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from augment_ru import AugmentError, Example, evaluate
from augment_ru.evaluation.answer_scores import macro_f1
from augment_ru.evaluation.answers import exercise_of
from augment_ru.evaluation.evaluation import Evaluation
from evaluations import reader, row, table


def entry(done: Evaluation, attack: str = "a", model: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = done.report()["models"][model]["attacks"][attack]
    return found


# the rate


def test_the_rate_is_counted_by_hand() -> None:
    """4 right, of which 1 broken; 1 fixed; 1 unchanged and 1 rejected among the right ones."""
    done = entry(evaluate(table("+-", "++", "-+", "--", "++.", "++!"), {"reader": reader}))
    assert done["right"] == 4
    assert done["broken"] == 1
    assert done["fixed"] == 1
    assert done["unchanged"] == 1
    assert done["rejected"] == 1
    assert done["rows"] == done["decisions"] == 6
    assert done["asr"] == 25.0
    assert done["interval_method"] == "wilson"
    assert done["ci95"] == [4.5587, 69.9358]  # of 1 in 4
    assert done["asr_perturbed_rows"]["value"] == 50.0  # of the 2 right ones that were perturbed
    assert done["asr_perturbed_rows"]["right"] == 2
    assert done["asr_all_rows"]["value"] == pytest.approx(100 / 6, abs=1e-4)
    assert done["flips"] == 2
    assert done["flip_rate"]["value"] == pytest.approx(200 / 6, abs=1e-4)
    assert done["metrics"]["accuracy"] == {
        "before": pytest.approx(400 / 6, abs=1e-4),
        "after": pytest.approx(400 / 6, abs=1e-4),
    }


def test_right_on_originals_and_wrong_on_every_perturbed_text_is_100_percent() -> None:
    done = entry(evaluate(table(*["+-"] * 7), {"reader": reader}))
    assert (done["asr"], done["right"], done["broken"]) == (100.0, 7, 7)
    assert done["ci95"][1] == 100.0


def test_a_constant_model_is_never_broken() -> None:
    rows = table("+-", "++", "-+", "--")
    always = entry(evaluate(rows, {"yes": lambda examples: ["yes"] * len(examples)}))
    assert (always["asr"], always["right"], always["broken"]) == (0.0, 4, 0)
    never = entry(evaluate(rows, {"no": lambda examples: ["no"] * len(examples)}))
    assert (never["asr"], never["ci95"], never["right"]) == (None, None, 0)
    assert never["asr_all_rows"]["value"] == 0.0


def test_unperturbed_rows_change_nothing() -> None:
    done = entry(evaluate(table("++.", "--.", "++!"), {"reader": reader}))
    assert (done["asr"], done["flips"], done["unchanged"], done["rejected"]) == (0.0, 0, 2, 1)
    assert done["asr_perturbed_rows"] == {"value": None, "ci95": None, "interval_method": "wilson", "right": 0}


def test_without_right_answers_changed_predictions_are_counted_and_called_so() -> None:
    rows = [{name: value for name, value in one.items() if name != "label"} for one in table("+-", "++", "-+")]
    done = evaluate(rows, {"reader": reader})
    assert done.report()["originals_without_gold"] == 3
    found = entry(done)
    assert (found["asr"], found["right"], found["decisions"], found["metrics"]) == (None, 0, 0, {})
    assert found["flips"] == 2
    assert found["flip_rate"]["value"] == pytest.approx(200 / 3, abs=1e-4)
    assert {one["outcome"] for one in done.predictions()} == {None}


def test_labels_that_are_held_back_are_no_labels() -> None:
    rows = [{**one, "label": -1} for one in table("+-", "++")]
    assert evaluate(rows, {"reader": reader}).report()["originals_without_gold"] == 2
    rows[0]["label"] = 1
    assert evaluate(rows, {"reader": reader}).report()["originals_without_gold"] == 0, "-1 is a class beside others"


@pytest.mark.parametrize("label", [1, 1.0, "1", " 1"])
@pytest.mark.parametrize("prediction", [1, 1.0, "1"])
def test_a_label_is_the_same_in_all_its_spellings(label: object, prediction: float | str) -> None:
    rows = [{**one, "label": label} for one in table("++", "++")]
    assert entry(evaluate(rows, {"m": lambda examples: [prediction] * len(examples)}))["right"] == 2


# several labels, several answers

ETHICS = ("per_virtue", "per_law", "per_moral", "per_justice", "per_util")


def ethics(number: int, golds: Sequence[int]) -> dict[str, Any]:
    fields = {"source": "lenta", **dict(zip(ETHICS, golds, strict=True))}
    return row("a", number, f"Текст {number}!", f"Текст {number}.", **fields)


def test_of_several_labels_the_rate_is_the_mean_of_theirs() -> None:
    """virtue: 1 of 2 broken; law: 0 of 2; moral: 2 of 2; justice: never right; util: 1 of 1."""
    rows = [ethics(0, (1, 1, 1, 1, 1)), ethics(1, (1, 0, 1, 1, 1))]
    before = [(1, 1, 1, 0, 1), (1, 0, 1, 0, 0)]
    after = [(0, 1, 0, 0, 0), (1, 0, 0, 0, 0)]

    def model(examples: Sequence[Example]) -> list[dict[str, int]]:
        return [
            dict(zip(ETHICS, (after if "!" in one.text else before)[int(one.text.split()[1][0])], strict=True))
            for one in examples
        ]

    done = evaluate(rows, {"m": model})
    found = entry(done)
    assert found["asr"] == pytest.approx(100 * (0.5 + 0 + 1 + 1) / 4)
    assert found["interval_method"] == "effective"
    assert (found["right"], found["broken"], found["rows"], found["decisions"]) == (7, 4, 2, 10)
    assert {name: (one["broken"], one["right"]) for name, one in found["labels"].items()} == dict(
        zip(ETHICS, [(1, 2), (0, 2), (2, 2), (0, 0), (1, 1)], strict=True)
    )
    assert found["metrics"]["accuracy"]["before"] == pytest.approx(100 * (1 + 1 + 1 + 0 + 0.5) / 5)
    assert next(iter(done.predictions()))["outcome"]["per_moral"] == "broken"


def test_written_answers_are_right_if_they_match_one_of_several() -> None:
    base = {"topic": "Города", "answer": ["Санкт-Петербург", "Питер"]}
    rows = []
    for number, text in enumerate(["Город на Неве.", "Северная столица."]):
        one = row("a", number, text.upper(), text, **base)
        rows.append({"question_id": number, "question": one.pop("text"), **one})
        rows[-1]["augment"] |= {"source": {"question": text}, "edits": {"question": one["augment"]["edits"]["text"]}}
    answers = {
        "Город на Неве.": "питер!",
        "ГОРОД НА НЕВЕ.": "Москва",
        "Северная столица.": "Санкт-Петербург",
        "СЕВЕРНАЯ СТОЛИЦА.": "«Санкт-петербург»",
    }
    done = evaluate(rows, {"m": lambda examples: [answers[one.record["question"]] for one in examples]})
    found = entry(done)
    assert (found["right"], found["broken"], found["asr"], found["flips"]) == (2, 1, 50.0, 1)
    assert found["metrics"] == {"f1": {"before": 100.0, "after": 50.0}, "exact_match": {"before": 100.0, "after": 50.0}}


def test_muserc_s_nested_labels() -> None:
    options = [{"text": "кот", "label": 1, "idx": 0}, {"text": "пёс", "label": 0, "idx": 1}]
    questions = [{"question": "Кто?", "idx": 0, "answers": options}]
    fields = {"text": "(1) Кот спит.", "questions": questions}
    perturbed = {"text": "(1) Кто спит.", "questions": questions}
    meta = {
        "attack": "a",
        "status": "perturbed",
        "source": {"passage.text": fields["text"], "passage.questions[0].question": "Кто?"},
        "edits": {"passage.text": [[5, 7, "то"]], "passage.questions[0].question": []},
    }
    seen: list[Any] = []

    def model(examples: Sequence[Example]) -> list[list[int]]:
        seen.extend(example.record for example in examples)
        return [[1, 0] if "Кот" in example.text else [1, 1] for example in examples]

    done = evaluate([{"idx": 3, "passage": perturbed, "augment": meta}], {"m": model})
    found = entry(done)
    assert (found["right"], found["broken"]) == (1, 1)
    assert found["metrics"]["muserc_em"] == {"before": 100.0, "after": 0.0}
    assert "label" not in json.dumps(seen), "models do not see right answers"


# models


def test_equal_questions_are_asked_once_and_right_answers_are_not_shown() -> None:
    asked: list[Example] = []

    def model(examples: Sequence[Example]) -> list[str]:
        asked.extend(examples)
        return ["yes"] * len(examples)

    evaluate([*table("+-", "++."), *table("+-", "++!", attack="b")], {"m": model})
    assert len(asked) == 2 + 1 + 1  # two originals, one perturbed row of each attack
    assert all(set(example.record) == {"id", "text"} for example in asked)
    assert all(example.shots == () for example in asked)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda _: ["yes"], r"returned 1 predictions for \d examples; must return a list of as many"),
        (lambda _: None, "returned a NoneType for"),
        (lambda _: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda examples: [["a", "b"]] * len(examples), r"a prediction is \['a', 'b'\]; the task needs a label"),
        (lambda examples: [{"lable": "a"}] * len(examples), r".*'lable': 'a'}; the task needs an object with"),
        (
            lambda examples: [object()] * len(examples),
            "a prediction has the type object; a model must return labels or texts",
        ),
    ],
)
def test_a_model_that_fails_is_named(model: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(AugmentError, match=f"`model` mine: {message}"):
        evaluate(table("+-", "++"), {"mine": model})


def test_numpy_predictions_are_read() -> None:
    import numpy as np  # noqa: PLC0415

    rows = [{**one, "label": 1} for one in table("++", "++")]
    ones: Any = lambda examples: np.ones(len(examples), np.int64)  # noqa: E731
    assert entry(evaluate(rows, {"m": ones}))["right"] == 2


# extras


def chegeka(attack: str) -> list[dict[str, Any]]:
    """A question with a written answer, perturbed."""
    one = row(attack, 0, "ГОРОД?", "Город?", topic="Города", answer=["Питер"])
    one = {"question_id": 0, "question": one.pop("text"), **one}
    one["augment"] |= {"source": {"question": "Город?"}, "edits": {"question": [[0, 6, "ГОРОД?"]]}}
    return [one]


def never(examples: Sequence[Example]) -> list[str]:
    raise AssertionError(examples)


@pytest.fixture
def without_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sklearn", "sklearn.metrics", "scipy", "scipy.stats"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("without_extras")
def test_a_model_under_one_attack_needs_no_extra() -> None:
    assert entry(evaluate(table("++", "+-"), {"m": reader}))["broken"] == 1
    assert entry(evaluate(chegeka("a"), {"m": lambda examples: ["питер"] * len(examples)}))["right"] == 1


@pytest.mark.usefixtures("without_extras")
def test_a_missing_extra_is_an_error_before_any_model_is_asked(train: Path) -> None:
    with pytest.raises(AugmentError, match=r"need scikit-learn; .*pip install \"\.\[eval\]\""):
        evaluate(table("++"), ["linear"], train=train)


# episodes


@pytest.fixture
def train(tmp_path: Path) -> Path:
    path = tmp_path / "train.jsonl"
    path.write_text("".join(json.dumps({"id": n, "text": f"t{n}", "label": "yes"}) + "\n" for n in range(100, 120)))
    return path


def watched() -> tuple[Callable[[Sequence[Example]], list[str]], set[tuple[int, ...]]]:
    """A model that always says yes, and the ids of the demonstrations that it was shown."""
    shown: set[tuple[int, ...]] = set()

    def model(examples: Sequence[Example]) -> list[str]:
        shown.update(tuple(shot["id"] for shot in example.shots) for example in examples)
        assert all("label" in shot for example in examples for shot in example.shots)
        return ["yes"] * len(examples)

    return model, shown


def test_each_episode_draws_its_demonstrations_with_replacement(train: Path) -> None:
    model, seen = watched()
    done = evaluate(table("+-", "++"), {"m": model}, train=train, shots=(0, 1, 4), episodes=3, seed=5)
    by_count = defaultdict(list)
    for shown in seen:
        by_count[len(shown)].append(shown)
    assert [len(by_count[count]) for count in (0, 1, 4)] == [1, 3, 3]
    assert all(shown == tuple(sorted(shown)) for shown in by_count[4]), "in the order of the train file"
    models = done.report()["models"]
    assert [(one["shots"], one["episodes"]) for one in models] == [(0, 1), (1, 3), (4, 3)]
    assert models[1]["attacks"]["a"]["decisions"] == 6

    model, again = watched()
    evaluate(table("+-"), {"m": model}, train=train, shots=(4,), episodes=3, seed=5)
    assert again == set(by_count[4]), "the same seed shows the same demonstrations, whatever else is asked"

    model, many = watched()
    evaluate(table("+-"), {"m": model}, train=train, shots=(12,), episodes=9)
    assert any(len(set(shown)) < 12 for shown in many), "with replacement a row may be drawn twice"
    held = {number for shown in many for number in shown}
    assert len(held) > 10, "every row can be drawn"


def test_rates_of_episodes_are_averaged_with_their_spread(train: Path) -> None:
    """Episode by episode 0, 50 and 100 percent: a model that looks at its demonstration."""
    orders: list[int] = []

    def model(examples: Sequence[Example]) -> list[str]:
        found = []
        for example in examples:
            shot = example.shots[0]["id"]
            if shot not in orders:
                orders.append(shot)
            broken = orders.index(shot)  # how many of the two rows this episode breaks
            number, perturbed = int(example.text.split()[0]), example.text.endswith("a")
            found.append("no" if perturbed and number < broken else "yes")
        return found

    found = entry(evaluate(table("++", "++"), {"m": model}, train=train, shots=(1,), episodes=3))
    assert found["episodes"] == [0.0, 50.0, 100.0]
    assert found["asr"] == 50.0
    assert found["std"] == 50.0
    assert found["interval_method"] == "effective"
    assert found["metrics"]["accuracy"] == {"before": 100.0, "after": 50.0, "before_std": 0.0, "after_std": 50.0}


def test_rows_that_are_evaluated_or_unanswered_are_never_shown(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    rows = [{"id": number, "text": text, "label": "yes"} for number, text in enumerate(["0 yes", "t"])]
    path.write_text("".join(f"{json.dumps(one)}\n" for one in rows))
    model, shown = watched()
    evaluate(table("++"), {"m": model}, train=path, shots=(1,))
    assert shown == {(1,)}
    path.write_text("".join(f"{json.dumps(one)}\n" for one in [rows[0], {"id": 2, "text": "u", "label": None}]))
    with pytest.raises(AugmentError, match="no row that can be shown, with a right answer and not evaluated"):
        evaluate(table("++"), {"m": reader}, train=path, shots=(2,))
    with pytest.raises(AugmentError, match="`shots` 2: needs demonstrations; give `train` FILE"):
        evaluate(table("++"), {"m": reader}, shots=(2,))
    with pytest.raises(AugmentError, match="`nearest` tfidf: no model is shown demonstrations; give `train`"):
        evaluate(table("++"), ["random"], nearest="tfidf")
    with pytest.raises(AugmentError, match="`prompts` all: no model reads prompts; hf-causal and openai do"):
        evaluate(table("++"), ["random"], prompts=("all",))


def test_a_function_in_a_list_of_models_needs_a_name() -> None:
    with pytest.raises(AugmentError, match="models: must be a list, as"):
        evaluate(table("++"), [reader])  # type: ignore[list-item]


@pytest.mark.parametrize(("metric", "wanted"), [("hit@1", "rankings"), ("muserc_em", "lists"), ("grade_norm", "exerc")])
def test_a_metric_of_answers_that_the_task_does_not_have_is_refused(metric: str, wanted: str) -> None:
    with pytest.raises(AugmentError, match=f"`metrics` {metric}: scores {wanted}.*the task 'generic' has labels"):
        evaluate(table("++"), ["random"], metrics=(metric,))
    with pytest.raises(AugmentError, match="field 'meta' is None; it must be an object"):
        exercise_of("1", None)


# the report


def test_the_report_is_json_and_the_same_every_time() -> None:
    rows = [*table("+-", "++", "-+"), *table("++", "+-", "--", attack="b")]
    once, again = (json.dumps(evaluate(rows, {"m": reader}).report(), allow_nan=False) for _ in range(2))
    assert once == again
    report = json.loads(once)
    assert (report["format"], report["version"], report["unit"]) == ("augment-ru evaluation", 3, "percent")
    for part in ("asr=broken/right", "task=generic", "gold=label", "seed=42", "scikit-learn=", "data="):
        assert part in report["signature"]


def test_anyone_can_recount_from_the_predictions() -> None:
    rows = [*table("+-", "++", "-+", "--", "++.", "+-"), *table("++", "+-", "--", "-+", "+-!", "+-", attack="b")]
    done = evaluate(rows, {"m": reader, "n": lambda examples: ["yes"] * len(examples)})
    counted: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in done.predictions():
        counts = counted[one["model"], one["attack"]]
        was, now = (one[key] == one["gold"] for key in ("original_prediction", "prediction"))
        counts.update({"rows": 1, "right": was, "broken": was and not now, "fixed": now and not was, one["status"]: 1})
    for model in done.report()["models"]:
        for attack, found in model["attacks"].items():
            counts = counted[model["model"], attack]
            for key in ("rows", "right", "broken", "fixed", "unchanged", "rejected"):
                assert found[key] == counts[key], key
            assert found["asr"] == round(100 * counts["broken"] / counts["right"], 4)


def test_models_and_attacks_are_compared_pair_by_pair() -> None:
    """Of the reader's 4 right answers `a` breaks 3, `b` 1; the constant has all 6 right and loses none."""
    rows = [*table("+-", "+-", "++", "-+", "-+", "+-"), *table("+-", "++", "++", "-+", "-+", "++", attack="b")]
    report = evaluate(rows, {"m": reader, "yes": lambda examples: ["yes"] * len(examples)}).report()
    (models,) = [one for one in report["comparisons"] if one["between"] == "models" and one["attack"] == "a"]
    tested = models["mcnemar"]
    assert (tested["counted"], tested["a"], tested["b"], tested["decisions"]) == ("broken", 3, 0, 4)
    assert (tested["only_a"], tested["only_b"], tested["p"], tested["p_holm"]) == (3, 0, 0.25, 0.5)
    assert models["difference"] == tested["difference"] == 75.0, "of the 4 rows that both have right"
    assert not models["clear"]
    attacks = next(one for one in report["comparisons"] if one["between"] == "attacks" and one["model"] == "m")
    tested = attacks["mcnemar"]
    assert (tested["counted"], tested["only_a"], tested["only_b"], tested["p"]) == ("broken", 2, 0, 0.5)
    assert tested["difference"] == attacks["difference"] == 50.0, "both are of the same rate"
    assert attacks["difference"] == 50.0
    assert attacks["ci95"][0] <= 50.0 <= attacks["ci95"][1]


def test_cells_of_subpopulations_add_up_and_small_ones_are_flagged() -> None:
    rows = [
        {**one, "genre": "news" if one["id"] < 2 else "blog"} for one in table("+-", "++", "+-", "-+", *["++"] * 60)
    ]
    done = evaluate(rows, {"m": reader}, by=("genre",))
    found = entry(done)
    for cells in found["subpopulations"].values():
        for key in ("rows", "right", "broken", "fixed"):
            assert sum(cell[key] for cell in cells) == found[key]
    news, blog = sorted(found["subpopulations"]["genre"], key=lambda cell: cell["rows"])
    assert (news["value"], news["asr"], news["accuracy_before"], news["accuracy_after"]) == ("news", 50.0, 100.0, 50.0)
    assert (news["wide_interval"], blog["wide_interval"]) == (True, False)
    for cell in (news, blog):  # TAPE's F1 by subpopulation
        own = [one for one in done.predictions() if (int(one["id"]) < 2) == (cell is news)]
        golds = [one["gold"] for one in own]
        f1 = [
            100 * macro_f1(zip(golds, [one[key] for one in own], strict=True))
            for key in ("original_prediction", "prediction")
        ]
        assert (cell["f1_before"], cell["f1_after"]) == pytest.approx(f1, abs=1e-3)


def test_perturbed_rows_are_split_by_similarity() -> None:
    rows = table(*["+-"] * 4, *["++"] * 8)
    for number, one in enumerate(rows):
        one["augment"] |= {"similarity": 0.5 + number / 100, "probability": 0.2}
    strength = entry(evaluate(rows, {"m": reader}))["strength"]
    assert [cell["rows"] for cell in strength["similarity"]] == [3, 3, 3, 3]
    assert [cell["asr"] for cell in strength["similarity"]] == [100.0, pytest.approx(33.3333), 0.0, 0.0]
    (only,) = strength["probability"]
    assert (only["low"], only["high"], only["rows"]) == (0.2, 0.2, 12)
