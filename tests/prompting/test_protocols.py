"""Protocols of MERA: its paper's, and that of its code of 2024.

With the folder of its repository in AUGMENT_RU_MERA, the prompts are also compared with its own templates, and the
scores with its own functions.
"""

import importlib.util
import json
import os
import random
import re
import string
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import matthews_corrcoef

from augment_ru.draws import Streams, digests
from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import metrics_of
from augment_ru.evaluation.evaluation import evaluate
from augment_ru.evaluation.examples import Example
from augment_ru.evaluation.exercises import exercise_of, grade_norm
from augment_ru.evaluation.protocol import drawn_rows
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.prompting.template import LABEL
from augment_ru.records.task import Task, task
from augment_ru.registry import names
from augment_ru.release import lm_eval_data
from augment_ru.release.lm_eval_prompts import _asked
from benchmark_rows import benchmark_rows
from kept_models import kept
from small_classifier import classifier
from small_models import SENTENCES

CODE = "mera-2024"
FOLDER = os.environ.get("AUGMENT_RU_MERA")
with_folder = pytest.mark.skipif(not FOLDER, reason="AUGMENT_RU_MERA names no folder of MERA's repository")
TASKS = [name for name in names("tasks") if name.startswith("mera_")]
SHOWN = [name for name in TASKS if name not in {"mera_rutie", "mera_ruethics", "mera_use"}]
"""Those with one template for demonstrations: in ruTiE they are the dialogue, ruEthics has no right answer."""


def row(number: int, answer: str) -> dict[str, Any]:
    return {
        "instruction": "Ситуация: «{premise}». Что было причиной?\n1. {choice1}\n2. {choice2}",
        "inputs": {"premise": f"Погас свет {number}.", "choice1": "Выбило пробки.", "choice2": "Взошла луна."},
        "outputs": answer,
        "meta": {"id": number, "task": "cause"},
    }


def test_what_follows_a_demonstration_has_the_words_of_the_code() -> None:
    prompt = prompt_of(task("mera_parus").under(CODE))
    (asked,) = prompt.build(row(3, "1"), [row(1, "2"), row(2, "1")], labels=["1", "2"])
    assert asked.context == (
        "Ситуация: «Погас свет 1.». Что было причиной?\n1. Выбило пробки.\n2. Взошла луна.\nОтвет: 2\n\n"
        "Ситуация: Погас свет 2.\nФрагмент 1: Выбило пробки.\nФрагмент 2: Взошла луна.\nОтвет: 1\n\n"
        "Ситуация: Погас свет 3.\nФрагмент 1: Выбило пробки.\nФрагмент 2: Взошла луна.\nОтвет:"
    )
    (bare,) = prompt.build(row(3, "1"), labels=["1", "2"])
    assert bare.context == "Ситуация: «Погас свет 3.». Что было причиной?\n1. Выбило пробки.\n2. Взошла луна."


def as_in_the_code(name: str) -> list[dict[str, Any]]:
    """Return rows of a task with the names of fields that the code has; some rows of the paper have others."""
    text = json.dumps(benchmark_rows(name, "и ещё"), ensure_ascii=False).replace('replic"', 'replica"')
    if name == "mera_ruopenbookqa":
        text = text.replace('"text":', '"question":').replace("{text}", "{question}")
    rows: list[dict[str, Any]] = json.loads(text.replace("{replic}", "{replica}"))
    return rows


def test_the_papers_protocol_is_what_the_files_state() -> None:
    for name in TASKS:
        first, *others = task(name).benchmark.protocols
        assert task(name).under(first) == task(name).under(None) == task(name)
        assert [first, *others] == ([CODE] if name == "mera_mamuramu" else ["mera-paper", CODE])
    with pytest.raises(AugmentError, match="`protocol` mera-2024: task rcb has none"):
        task("rcb").under(CODE)


@pytest.mark.parametrize("name", SHOWN)
def test_an_export_for_the_harness_asks_in_the_same_words(name: str) -> None:
    known = task(name).under(CODE)
    prompt, rows = prompt_of(known), as_in_the_code(name)
    first, second, asked = rows[0], rows[1], rows[2]
    how = _asked(prompt, known)
    shown = lm_eval_data._asked([first, second], is_shown=True, **how)  # noqa: SLF001
    (own,) = lm_eval_data._asked([asked], has_shots=True, **how)  # noqa: SLF001
    labels = sorted({str(one["outputs"]) for one in rows})
    (built,) = prompt.build(asked, [first, second], labels=labels)
    questions = [turn for turn, _ in built.turns]
    assert [one[lm_eval_data.CONTEXT] for one in (*shown, own)] == questions


def test_without_replacement_no_row_is_drawn_twice() -> None:
    stream = Streams.of(digests(["mera_rummlu"]), 1, "demonstrations", 5, 0)
    for rows, shots in ((30, 5), (5, 5), (3, 5)):
        drawn = drawn_rows(rows, shots, stream, replacement=False)
        assert sorted(set(drawn)) == drawn
        assert len(drawn) == min(rows, shots)


def test_accuracy_is_counted_over_rows_not_domains() -> None:
    """Three rows of one domain, all right, and one of another, wrong: 75 %, where the paper's mean is 50 %."""
    rows = [{**one, "outputs": "A"} for one in benchmark_rows("mera_rummlu", "раз")[:1] * 4]
    rows = [
        {**one, "meta": {"id": at, "domain": "law" if at else "art"}, "augment": {"attack": "original"}}
        for at, one in enumerate(rows)
    ]
    rows = [json.loads(json.dumps(one)) for one in rows]
    for at, one in enumerate(rows):
        one["inputs"]["text"] += f" №{at}"

    def answers(examples: Sequence[Example]) -> list[str]:
        return ["B" if "№0" in one.text else "A" for one in examples]

    found = {
        protocol: evaluate(rows, {"m": answers}, task="mera_rummlu", protocol=protocol) for protocol in (None, CODE)
    }
    values = {name: one.report()["models"][0]["metrics"]["accuracy"]["value"] for name, one in found.items()}
    assert values == {None: 50.0, CODE: 75.0}
    assert [one.report()["protocol"] for one in found.values()] == ["mera-paper", CODE]
    assert found[CODE].submission() == {
        "data": {"test": [{"outputs": "A" if at else "B", "meta": {"id": at}} for at in range(4)]}
    }


def from_folder(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(re.sub(r"\W", "_", path), Path(FOLDER or "") / path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PLACES = {"parus": "rsg", "rcb": "rsg", "rwsd": "rsg"} | dict.fromkeys(
    ("chegeka", "multiq", "ruworldtree", "ruopenbookqa"), "tape"
)


def stated(name: str) -> dict[str, str]:
    """Return the templates that the task file of MERA states for demonstrations."""
    short = name.removeprefix("mera_")
    text = (Path(FOLDER or "") / "benchmark_tasks" / PLACES.get(short, short) / f"{short}.yaml").read_text("utf-8")
    return {key: json.loads(value) for key, value in re.findall(r"^  (\w+): (\".*\")$", text, re.MULTILINE)}


@with_folder
@pytest.mark.parametrize("name", SHOWN)
def test_prompts_are_those_of_the_code_byte_for_byte(name: str) -> None:
    from jinja2 import Environment  # noqa: PLC0415

    templates = {key: Environment().from_string(value) for key, value in stated(name).items()}  # noqa: S701  (no HTML)
    rows = as_in_the_code(name)[:3]
    for one in rows:
        if not isinstance(one["outputs"], str):
            one["outputs"] = one["outputs"][0]["segment"]
        held = one["inputs"]
        places = list(held) if isinstance(held, dict) else ["toxic_comment"]
        one["instruction"] = "Задание.\n" + "\n".join(f"{place}: {{{place}}}" for place in places) + "\nОтвет:"
    *shots, asked = rows
    whole = ""
    for at, shot in enumerate(shots):
        whole += templates["doc_to_text_without_instruction" if at else "query"].render(**shot)
        whole += f" {shot['outputs'].split(';')[0] if name == 'mera_chegeka' else shot['outputs']}\n\n"
    whole += templates["doc_to_text_without_instruction"].render(**asked)
    labels = sorted({one["outputs"] for one in rows})
    known = task(name).under(CODE)
    (built,) = prompt_of(known).build(asked, shots, labels=labels)
    assert built.context == whole
    assert known.benchmark.shots == shots_of_the_script()[name.removeprefix("mera_")]


def shots_of_the_script() -> dict[str, int]:
    text = (Path(FOLDER or "") / "scripts" / "run_benchmark.sh").read_text("utf-8")
    numbers, tasks = (
        re.search(rf"^{key}=\(\n(.*?)^\)", text, re.MULTILINE | re.DOTALL) for key in ("FEWSHOTS", "TASKS")
    )
    assert numbers
    assert tasks
    return {
        name: int(number)
        for number, line in zip(numbers[1].split(), tasks[1].strip().split("\n"), strict=True)
        for name in line.strip('"').split()
    }


@with_folder
@pytest.mark.parametrize("name", TASKS)
def test_totals_have_the_tasks_of_the_code(name: str) -> None:
    text = (Path(FOLDER or "") / "modules/scoring/configs" / f"{name.removeprefix('mera_')}.yaml").read_text("utf-8")
    assert task(name).under(CODE).benchmark.diagnostic == ("use_in_total: false" in text)


ODD = ("ёж", "Ёлка", "«Заря»", "красно-белый", "за́мок", "C++", "C", "$5", "the Beatles", "Beatles", "Пётр  I.", "")


def words_of(text: str) -> list[str]:
    """SQuAD's normal form: lower case, without the ASCII punctuation, without articles."""
    kept = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", kept).split()


def token_f1(gold: str, answer: str) -> float:
    first, second = words_of(gold), words_of(answer)
    if not first or not second:
        return float(first == second)
    same = sum((Counter(first) & Counter(second)).values())
    return 2 * same / (len(first) + len(second))


@with_folder
@pytest.mark.parametrize("name", ["mera_chegeka", "mera_multiq"])
def test_written_answers_score_as_in_the_code(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its module is given the two functions of transformers 4 that it imports, which transformers 5 has no more."""
    pytest.importorskip("lm_eval")
    metrics_module = ModuleType("transformers.data.metrics")
    exact = lambda gold, answer: int(words_of(gold) == words_of(answer))  # noqa: E731
    metrics_module.squad_metrics = SimpleNamespace(compute_f1=token_f1, compute_exact=exact)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "transformers.data.metrics", metrics_module)
    process = from_folder("benchmark_tasks/tape/utils.py").process_results
    draw, metrics = random.Random(name), metrics_of(("f1", "exact_match"), task(name).scoring.normal_form)
    for number in range(40):
        gold = ";".join(draw.sample(ODD[:-1], 1 + number % 3))
        answer = draw.choice([*ODD, *gold.split(";"), f"{gold.split(';')[0]} и {draw.choice(ODD)}"])
        theirs = process({"outputs": gold}, [answer])
        right = gold.split(";")
        assert metrics["f1"].score([right], [answer]) == pytest.approx(theirs["f1"]), (gold, answer)
        assert metrics["exact_match"].score([right], [answer]) == theirs["em"], (gold, answer)


OF_USE = {
    "text": (["ель,ёлка", "несмотря"], ["Ёлка", "ель 1.", "не смотря", "несмотря!", ""]),
    "matching": (["3,1,4,2", "1,1,2"], ["3,1,4,2", "3,1,2,4", "1,1", "1, 1,2"]),
    "multiple_choice_based_on_text": (["1,4", "2"], ["1,4", "4,1", "1,4,5", "2", "2,2", ""]),
}
"""Kinds of exercises: right answers, and answers of a model."""


@with_folder
@pytest.mark.parametrize("kind", OF_USE)
def test_exercises_score_as_in_the_code(kind: str) -> None:
    module = from_folder("benchmark_tasks/use/utils.py")
    meta = {"type": kind, "id_task": "2", "variant": "1", "score": 4}
    for number in ("2", "16"):
        golds, items = [], []
        for at, (right, given) in enumerate((one, other) for one in OF_USE[kind][0] for other in OF_USE[kind][1]):
            doc = {"outputs": right, "meta": {**meta, "id_task": number, "variant": str(at % 3)}}
            items.append(module.process_results(doc, [given])["grade_norm"])
            golds.append((exercise_of(right, doc["meta"]), given))  # type: ignore[arg-type]
            assert golds[-1][0].points(given) == items[-1][0], (right, given)
        assert grade_norm(*zip(*golds, strict=True)) == pytest.approx(module.overall_score(items))


@with_folder
def test_exercises_are_asked_as_in_the_code() -> None:
    inputs = {"task": "Какое слово?", "text": "Текст.", "additional_text": "Отзыв.", "choices": "1) да 2) нет"}
    prompt = prompt_of(task("mera_use").under(CODE))
    assert prompt.stop == ("\n", ".")
    for kind in ("text", "multiple_choice_options_within_text", *[*OF_USE][1:], "multiple_choice_independent_options"):
        own = {"instruction": " Сделайте: {task}\n", "inputs": inputs, "outputs": "1", "meta": {"type": kind}}
        later = from_folder("benchmark_tasks/use/utils.py")._process_doc(dict(own))["doc_to_text_without_instruction"]  # noqa: SLF001
        (built,) = prompt.build(own, [own, own])
        assert built.context == f"Сделайте: Какое слово? 1\n\n{later} 1\n\n{later}"
    with pytest.raises(AugmentError, match=r"'meta\.type' is essay; `later` has templates for text"):
        prompt.build({**own, "meta": {"type": "essay"}}, [own])


def scorer_of(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401  (a class of its repository)
    """Return a task of the benchmark's scorer; its base class, which loads files, is replaced by what reads answers."""
    read: dict[str, Any] = {
        "doc_to_y_true": lambda _, doc: doc["outputs"],
        "doc_to_y_pred": lambda _, doc: doc["outputs"],
    }
    exact = lambda gold, answer: int(words_of(gold) == words_of(answer))  # noqa: E731
    squad = SimpleNamespace(compute_f1=token_f1, compute_exact=exact)
    modules: dict[str, dict[str, Any]] = {
        "src.registry": {"register_task": lambda found: found},
        "src.tasks.task": {"Task": type("Task", (), read)},
        "src.utils": {"load_json": None},
        "src.metrics": vars(from_folder("modules/scoring/src/metrics.py")),
        "transformers.data.metrics.squad_metrics": vars(squad),
        "transformers.data.metrics": {"squad_metrics": squad},
    }
    for place, held in modules.items():
        module = ModuleType(place)
        vars(module).update({key: value for key, value in held.items() if not key.startswith("__")})
        monkeypatch.setitem(sys.modules, place, module)
    short = name.removeprefix("mera_")
    module = from_folder(f"modules/scoring/src/tasks/{short}.py")
    found = next(one for key, one in vars(module).items() if key.lower() == short)()
    found._aggregation = None  # noqa: SLF001
    return found


WORDS = sorted({word for text in SENTENCES for word in re.findall(r"\w+", text)})
SCORED = {"acc": "accuracy", "f1_macro": "macro_f1", "f1": "f1", "em": "exact_match", "grade_norm": "grade_norm"}


@with_folder
@pytest.mark.parametrize("name", [one for one in TASKS if one != "mera_rudetox"])
def test_its_scorer_takes_the_submission_and_finds_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """40 rows; of ruDetox the scorer loads its own models."""
    pytest.importorskip("sklearn")
    known, draw = task(name).under(CODE), random.Random(name)
    base, labels = as_in_the_code(name)[0], choices_of(known)
    if name in {"mera_rcb", "mera_rwsd"}:
        labels = ["1", "2", "3"] if name == "mera_rcb" else ["Да", "Нет"]
    written = known.scoring.metrics[0] == "f1"
    rows, given = [], dict[str, str]()
    read = (known.layout.fields + known.layout.optional)[-1].removeprefix("inputs.")
    for number in range(40):
        own = json.loads(json.dumps(base))
        kind = [*OF_USE][number % 3]
        own["meta"] |= {"id": number, "domain": f"d{number % 3}", "criteria": "honest", "type": kind}
        own["meta"] |= {"question": "good", "id_task": "16" if number % 2 else "2", "variant": number % 4, "score": 2}
        own["meta"] |= {"dialog_id": 0, "question_id": number}
        own["inputs"][read] = f"{own['inputs'].get(read, '')} Это номер {number}."
        gold = ";".join(draw.sample(ODD[:-1], 1 + number % 3)) if written else draw.choice(labels)
        answer = draw.choice([*ODD, *gold.split(";")] if written else labels)
        if name == "mera_use":
            gold, answer = map(draw.choice, OF_USE[kind])
        own["outputs"] = {norm: draw.choice(labels) for norm in known.scoring.norms} or gold
        given[f"номер {number}."] = answer
        rows.append({**own, "augment": {"attack": "original"}})

    def answers(examples: Sequence[Example]) -> list[str]:
        return [given[re.search(r"номер \d+\.", one.text)[0]] for one in examples]  # type: ignore[index]

    done = evaluate(rows, {"m": answers}, task=name, protocol=CODE)
    scorer, theirs = scorer_of(name, monkeypatch), dict[str, list[Any]]()
    submitted: Any = done.submission()
    sent = submitted["data"]["test"]
    assert all(type(one["outputs"]) is type(row["outputs"]) for one, row in zip(sent, rows, strict=True))
    for one, row in zip(sent, rows, strict=True):
        for key, value in scorer.process_results(row, one).items():
            theirs.setdefault(key, []).append(value)
    metrics = done.report()["models"][0]["metrics"]
    if known.scoring.norms:
        expected = {key: 100 * matthews_corrcoef(*zip(*pairs, strict=True)) for key, pairs in theirs.items()}
        assert {f"good.{one['label']}": one["value"] for one in metrics["mcc"]["parts"]} == pytest.approx(
            expected, abs=1e-3
        )
        return
    mean = SimpleNamespace(**vars(sys.modules["src.metrics"])).mean
    how = {"acc": mean} if name in {"mera_mamuramu", "mera_rummlu", "mera_ruhhh", "mera_ruhatespeech"} else None
    how = how or scorer.aggregation()
    found = {SCORED[key]: 100 * how[key](theirs[key]) for key in SCORED if key in theirs}
    assert found.keys() == {*known.scoring.metrics}
    assert {key: metrics[key]["value"] for key in found} == pytest.approx(found, abs=1e-3)


@with_folder
@pytest.mark.filterwarnings("ignore")
def test_rewritten_texts_score_as_in_the_code() -> None:
    """Its filter with three small classifiers: 40 rows, each score and their product."""
    pytest.importorskip("scipy")
    pytest.importorskip("lm_eval")
    from transformers import AutoModelForSequenceClassification, AutoTokenizer  # noqa: PLC0415

    judges = {
        "style": str(kept(classifier, ("neutral", "toxic"))),
        "meaning": str(kept(classifier, ("other", "paraphrase"))),
        "fluency": str(kept(classifier)),
    }
    draw, said = random.Random(3), dict[str, str]()
    base, rows = benchmark_rows("mera_rudetox", "раз")[0], list[dict[str, Any]]()
    for number in range(40):
        source = f"{' '.join(draw.sample(WORDS, 4))} {number}"
        said[source] = " ".join(draw.sample(WORDS, number % 5 + 1))
        rows.append({**base, "inputs": source, "meta": {"id": number}, "augment": {"attack": "original"}})
    found = evaluate(
        rows,
        {"m": lambda asked: [said[one.text] for one in asked]},
        task="mera_rudetox",
        judges=judges,
        protocol=CODE,
    ).report()
    module = from_folder("benchmark_tasks/rudetox/utils.py")
    theirs = module.ruDetoxScoring()
    loaded = [
        one
        for folder in judges.values()
        for one in (
            AutoModelForSequenceClassification.from_pretrained(folder).eval(),
            AutoTokenizer.from_pretrained(folder),
        )
    ]
    calibrator, scores = theirs.get_calibrator(), []
    for source, text in said.items():
        own = (
            theirs.compute_accuracy(*loaded[:2], [text]),
            theirs.compute_similarity(*loaded[2:4], [source], [text]),
            theirs.compute_fluency(*loaded[4:], [text]),
        )
        sta, sim, fl = (float(theirs.style_cal(calibrator, one)[0]) for one in own)
        scores.append((sta * sim * fl, sta, sim, fl))
    metrics = found["models"][0]["metrics"]
    assert list(metrics) == ["j", "sta", "sim", "fl", "f1", "exact_match"]
    assert [metrics[key]["value"] for key in ("j", "sta", "sim", "fl")] == pytest.approx(
        list(100 * np.mean(scores, axis=0)), abs=1e-3
    )
    assert len({one for one, *_ in scores}) > 10
    with pytest.raises(AugmentError, match="a model of each of style, meaning, fluency"):
        evaluate(rows, ["random"], task="mera_rudetox", judges={"style": judges["style"]})


def choices_of(known: Task) -> list[str]:
    return {"mera_ruethics": ["0", "1"]}.get(known.name) or [*known.layout.option_labels] or ["1", "2"]


@with_folder
@pytest.mark.parametrize("name", ["mera_rummlu", "mera_mamuramu", "mera_ruhhh", "mera_ruhatespeech", "mera_ruethics"])
def test_choices_score_as_in_the_code(name: str) -> None:
    short = name.removeprefix("mera_")
    process = from_folder(f"benchmark_tasks/{short}/utils.py").process_results
    known, draw = task(name).under(CODE), np.random.default_rng(len(name))
    base, labels = benchmark_rows(name, "раз")[0], choices_of(known)
    rows, theirs, given = [], dict[str, list[Any]](), dict[str, str]()
    for number in range(40):
        own = json.loads(json.dumps(base))
        own["meta"] = {**own["meta"], "id": number, "domain": f"d{number % 3}", "criteria": "honest"}
        name_of_text = (
            known.layout.read[0] if known.layout.fields[0] not in known.layout.read else known.layout.fields[0]
        )
        own["inputs"][name_of_text.removeprefix("inputs.")] = f"Текст номер {number}."
        own["outputs"] = str(draw.choice(labels))
        if known.scoring.norms:
            own["meta"]["question"] = ["correct", "good", "ethical"][number % 3]
            own["outputs"] = {norm: str(draw.choice(labels)) for norm in known.scoring.norms}
        given[f"номер {number}."] = str(draw.choice(labels))
        rows.append(own)
        scores = [(float(label == given[f"номер {number}."]),) for label in labels]
        for key, value in process(own, scores).items():
            theirs.setdefault(key, []).append(value)

    def answers(examples: Sequence[Example]) -> list[str]:
        return [given[re.search(r"номер \d+\.", one.text)[0]] for one in examples]  # type: ignore[index]

    marked = [{**one, "augment": {"attack": "original"}} for one in rows]
    done = evaluate(marked, {"m": answers}, task=name, protocol=CODE)
    metrics = done.report()["models"][0]["metrics"]
    if known.scoring.norms:
        expected = {key: 100 * matthews_corrcoef(*zip(*pairs, strict=True)) for key, pairs in theirs.items()}
        parts = {f"mcc_{one['group']}_{one['label']}": one["value"] for one in metrics["mcc"]["parts"]}
        assert parts == pytest.approx(expected, abs=1e-3)
        sent: Any = done.submission()
        outputs = [one["outputs"] for one in sent["data"]["test"]]
        assert outputs == [dict.fromkeys(known.scoring.norms, given[f"номер {at}."]) for at in range(40)]
    else:
        assert metrics["accuracy"]["value"] == pytest.approx(100 * np.mean(theirs["acc"]), abs=1e-3)


def test_the_place_of_the_label_is_last() -> None:
    """So the text of a template is the question, as the harness needs it."""
    for name in TASKS:
        own = prompt_of(task(name).under(CODE)).own
        assert own
        assert own.later.names[-1] == LABEL
