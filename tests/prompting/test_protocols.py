"""Protocols of MERA: its paper's, and that of its code of 2024.

With the folder of its repository in AUGMENT_RU_MERA, the prompts are also compared with its own templates, and the
scores with its own functions.
"""

import importlib.util
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from sklearn.metrics import matthews_corrcoef

import mera_scorer
from augment_ru.draws import Streams, digests
from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import exercise_of, grade_norm, metrics_of
from augment_ru.evaluation.evaluation import evaluate
from augment_ru.evaluation.examples import Example
from augment_ru.evaluation.protocol import drawn_rows
from augment_ru.evaluation.report import saved_report
from augment_ru.evaluation.totals import totals
from augment_ru.prompting.prompt import LABEL
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.records.task import Task, task
from augment_ru.registry import names
from augment_ru.release import lm_eval_data
from augment_ru.release.lm_eval import _asked
from benchmark_rows import benchmark_rows
from commands import run, write
from kept_models import kept
from mera_scorer import squad_modules
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


@with_folder
@pytest.mark.parametrize("name", ["mera_chegeka", "mera_multiq"])
def test_written_answers_score_as_in_the_code(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its module is given the two functions of transformers 4 that it imports, which transformers 5 has no more."""
    pytest.importorskip("lm_eval")
    for module, held in squad_modules().items():
        monkeypatch.setitem(sys.modules, module, held)
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
            golds.append((exercise_of(right, doc["meta"]), given))
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


WORDS = sorted({word for text in SENTENCES for word in re.findall(r"\w+", text)})
SCORED = {"acc": "accuracy", "f1_macro": "macro_f1", "em": "exact_match"}
"""Metrics whose names are others in the code."""
NAMES = {
    name.lower(): name
    for name in (
        *("CheGeKa", "MaMuRAMu", "MathLogicQA", "MultiQ", "PARus", "RCB", "RWSD", "USE", "ruDetox", "ruEthics"),
        *("ruHHH", "ruHateSpeech", "ruMMLU", "ruOpenBookQA", "ruTiE", "ruWorldTree"),
    )
}
"""What the files of a submission are called."""


def composed(name: str) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return 40 rows of a task with every oddity in their right answers, and answers by text, the first empty."""
    known, draw = task(name).under(CODE), random.Random(name)
    base, labels = as_in_the_code(name)[0], choices_of(known)
    written = known.scoring.metrics[0] == "f1"
    rows, given = [], dict[str, str]()
    read = (known.layout.fields + known.layout.optional)[-1].removeprefix("inputs.")
    for number in range(40):
        own = json.loads(json.dumps(base))
        kind = [*OF_USE][number % 3]
        own["meta"] |= {"id": number, "domain": f"d{number % 3}", "criteria": "honest", "type": kind}
        own["meta"] |= {"question": "good", "id_task": "16" if number % 2 else "2", "variant": number % 4, "score": 2}
        own["meta"] |= {"dialog_id": 0, "question_id": number}
        gold = ";".join(draw.sample(ODD[:-1], 1 + number % 3)) if written else draw.choice(labels)
        parts = [*ODD, *gold.split(";"), f"{gold.split(';')[0]} и {draw.choice(ODD)}"]
        answer = draw.choice(parts if written else labels)
        if name == "mera_use":
            gold, answer = map(draw.choice, OF_USE[kind])
        if name == "mera_rudetox":
            own["inputs"] = f"{' '.join(draw.sample(WORDS, 4))}. Это номер {number}."
            answer = " ".join(draw.sample(WORDS, number % 5 + 1))
        else:
            own["inputs"][read] = f"{own['inputs'].get(read, '')} Это номер {number}."
        own["outputs"] = {norm: draw.choice(labels) for norm in known.scoring.norms} or gold
        given[f"номер {number}."] = answer if number else ""
        rows.append(own)
    return rows, given


def dialogue() -> list[dict[str, Any]]:
    base = as_in_the_code("mera_rutie")[0]
    instruction = "Диалог.\n{context}\n{question}\n1. {choice1}\n2. {choice2}\nКакой ответ верен?"
    rows = [json.loads(json.dumps({**base, "instruction": instruction})) for _ in range(4)]
    for at, one in enumerate(rows):
        one["meta"] |= {"dialog_id": 0, "question_id": at}
        one["inputs"]["question"] += f" Это вопрос {at}."
        one["outputs"] = str(at % 2 + 1)
    return rows


def test_a_question_of_a_dialogue_comes_after_the_others_in_the_words_of_the_code() -> None:
    """Also in an export for lm-evaluation-harness."""
    known, rows = task("mera_rutie").under(CODE), dialogue()
    prompt, seen = prompt_of(known), dict[int, str]()

    def answers(examples: Sequence[Example]) -> list[str]:
        for one in examples:
            (filled,) = prompt.build(one.record, labels=("1", "2"))
            seen[one.record["meta"]["question_id"]] = filled.context
        return ["1"] * len(examples)

    evaluate(rows, {"m": answers}, task="mera_rutie", protocol=CODE)
    exported = lm_eval_data._asked(rows, **_asked(prompt, known))  # noqa: SLF001
    assert [one[lm_eval_data.CONTEXT] for one in exported] == [seen[at] for at in range(4)]
    said = ""
    for at, row in enumerate(rows):
        question, first, second = (row["inputs"][name] for name in ("question", "choice1", "choice2"))
        own = f"{question}\n1. {first}\n2. {second}\n"
        assert seen[at] == f"Диалог.\n{said or chr(10)}{own}Какой ответ верен?"
        said += f"{own}Ответ: {row['outputs']}\n\n"


@with_folder
def test_a_dialogue_is_asked_as_in_the_code() -> None:
    """But for its two line feeds before the first question; and its answers are those of the model."""
    from jinja2 import Environment  # noqa: PLC0415

    known, rows = task("mera_rutie").under(CODE), dialogue()
    found = lm_eval_data._asked(rows, **_asked(prompt_of(known), known))  # noqa: SLF001
    folder = Path(FOLDER or "") / "benchmark_tasks/rutie/rutie.yaml"
    stated = re.search(r'^  doc_to_text_without_instruction: (".*")$', folder.read_text("utf-8"), re.MULTILINE)
    assert stated
    template = Environment().from_string(json.loads(stated[1]))  # noqa: S701  (no HTML)
    for at, row in enumerate(rows[1:], 1):
        first, second = row["instruction"].split("{context}")
        shown = [template.render(**one).replace(f"RUTIE_TARGET_{n}", one["outputs"]) for n, one in enumerate(rows[:at])]
        assert found[at][lm_eval_data.CONTEXT] == first + "\n\n".join([*shown, second.format(**row["inputs"]).strip()])


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any], float]:
    """Return the reports of all tasks, what the scorer says of the submission that `evaluate` wrote, and our total."""
    pytest.importorskip("lm_eval")
    folder = tmp_path_factory.mktemp("mera")
    (folder / "said.py").write_text(
        "import json, pathlib, re\n"
        "said = json.loads(pathlib.Path('said.json').read_text('utf-8'))\n"
        "def answers(asked):\n"
        "    return [said[re.search(r'номер \\d+\\.', one.text)[0]] for one in asked]\n",
        "utf-8",
    )
    style, meaning = (kept(classifier, one) for one in (("neutral", "toxic"), ("other", "paraphrase")))
    judges = {"style": style, "meaning": meaning, "fluency": kept(classifier)}
    golds = {}
    for name in TASKS:
        short = name.removeprefix("mera_")
        golds[short], said = composed(name)
        rows = write(folder / f"{short}.jsonl", *golds[short])
        (folder / "said.json").write_text(json.dumps(said, ensure_ascii=False), "utf-8")
        command: list[str | Path] = ["evaluate", rows]
        command += ["--task", name, "--protocol", CODE, "--shots", "0", "--model", "python:said:answers"]
        command += ["-o", folder / f"{short}.report.json", "--submission", folder / f"{NAMES[short]}.json"]
        if name == "mera_rudetox":
            command += [word for kind, judge in judges.items() for word in ("--judge", f"{kind}={judge}")]
        assert run(*command, cwd=folder).returncode == 0
    with ZipFile(folder / mera_scorer.SENT, "w") as archive:
        for name in NAMES.values():
            archive.write(folder / f"{name}.json", f"{name}.json")
    models = {f"{key}_model_path": str(place) for key, place in judges.items()}
    models["cola_model_path"] = models.pop("fluency_model_path")
    for path, held in ((mera_scorer.GOLDS, golds), (mera_scorer.JUDGES, models)):
        (folder / path).write_text(json.dumps(held), "utf-8")
    place = Path(FOLDER or "").resolve()
    subprocess.run([sys.executable, mera_scorer.__file__, place], cwd=folder, check=True, capture_output=True)
    found = json.loads((folder / mera_scorer.FOUND).read_text("utf-8"))
    reports = {short: json.loads((folder / f"{short}.report.json").read_text("utf-8")) for short in NAMES}
    (total,) = totals([saved_report(one, short) for short, one in reports.items()])
    assert total.total is not None
    return reports, found, total.total


@with_folder
def test_its_scorer_takes_the_whole_submission(scored: tuple[dict[str, Any], dict[str, Any], float]) -> None:
    """No error but for the tasks that are not sent; its total counts these as 0, ours leaves them out."""
    _, found, total = scored
    absent = {"BPS", "LCS", "SimpleAr", "ruCodeEval", "ruHumanEval", "ruModAr", "ruMultiAr"}
    assert not found["loading"]
    assert not found["_global_errors_reason"]
    errors = {name: [one["type"] for one in errors] for name, errors in found["error_reason"].items()}
    assert errors == {name: ["no_task"] for name in absent}
    assert found["results"].keys() - {"total_score"} == {*NAMES.values()}
    counted = [name for name in TASKS if not task(name).under(CODE).benchmark.diagnostic]
    others = ["LCS", "ruCodeEval", "ruModAr", "ruMultiAr"]
    theirs = 100 * found["results"]["total_score"] * len([*counted, *others])
    assert total * len(counted) == pytest.approx(theirs, abs=0.05)


@with_folder
@pytest.mark.parametrize("name", TASKS)
def test_its_scorer_finds_the_figures_of_the_report(
    name: str, scored: tuple[dict[str, Any], dict[str, Any], float]
) -> None:
    """40 composed rows."""
    reports, found, _ = scored
    short = name.removeprefix("mera_")
    theirs, metrics = found["results"][NAMES[short]], reports[short]["models"][0]["metrics"]
    if "mcc" in metrics:
        ours = {f"{one['group']}.{one['label']}": one["value"] for one in metrics["mcc"]["parts"]}
    else:
        ours = {key: metrics[SCORED.get(key, key)]["value"] for key in theirs if "." not in key}
    assert ours == pytest.approx({key: 100 * value for key, value in theirs.items() if key in ours}, abs=1e-3)
    assert len({*ours.values()} - {0, 100}) == len(ours) or name == "mera_ruethics"


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
    with pytest.raises(AugmentError, match="models of style, meaning, fluency"):
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
