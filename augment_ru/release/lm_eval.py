"""Task files for lm-evaluation-harness, so that any model it runs can be scored on a release.

Each task has a file with its prompt (`_TASK.yaml`) and a file for each of its variations; a task with several labels
has these files for each label. Three modules are copied beside them: one reads the rows, two score the answers.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.prompting.choices import spelled
from augment_ru.prompting.prompt import FIELDS, Prompt
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.prompting.template import LABEL, Template
from augment_ru.records.answers import label_of
from augment_ru.records.task import Task
from augment_ru.records.task import task as task_of
from augment_ru.release.manifest import variations_in
from augment_ru.release.recipe import ORIGINAL, identifier
from augment_ru.release.yaml import Function, yaml
from augment_ru.resources import PACKAGE

FOLDER = "lm_eval"
_MODULES = {
    "data": "release/lm_eval_data.py",
    "answer_scores": "evaluation/answer_scores.py",
    "answers": "records/answers.py",
}
"""The modules that a release holds for the harness: name to source in this package, copied as it is."""

_VERSION = 1.0

_OF_PAIRS = (("macro_f1", "f1", "macro_f1"), ("mcc", "mcc", "matthews"))
"""Metrics of pairs of classes: ours, the harness's, and the function that aggregates them."""


def harness_files(content: Mapping[str, Any]) -> dict[str, str]:
    """The files of the tasks, path in the release to text, from its manifest; empty if no task has a prompt."""
    name = identifier(content["name"])
    files: dict[str, str] = {}
    groups: dict[str, list[str]] = {}
    for task in content["tasks"]:
        for target, base in _prompts(task):
            ending = f"_{identifier(target)}" if target else ""
            rows = base.pop("dataset_kwargs")
            files[f"_{task['name']}{ending}.yaml"] = yaml(base)
            for variation in (task["name"], *variations_in(task)):
                of_variation = ORIGINAL if variation == task["name"] else identifier(variation)
                called = f"{name}_{identifier(task['name'])}_{of_variation}{ending}"
                groups.setdefault(f"{name}_{identifier(task['name'])}", []).append(called)
                files[f"{called}.yaml"] = yaml(
                    {
                        "include": f"_{task['name']}{ending}.yaml",
                        "task": called,
                        "tag": [f"{name}_{of_variation}"],
                        "dataset_kwargs": {"perturbation": variation, **rows},
                    }
                )
    if not groups:
        return {}
    for group, tasks in groups.items():
        files[f"{group}.yaml"] = yaml({"group": group, "task": tasks, "metadata": {"version": _VERSION}})
    files[f"{name}.yaml"] = yaml({"group": name, "task": list(groups), "metadata": {"version": _VERSION}})
    files |= {f"{module}.py": (PACKAGE / path).read_text(encoding="utf-8") for module, path in _MODULES.items()}
    return {f"{FOLDER}/{path}": files[path] for path in sorted(files)}


def _prompts(task: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """For each label of a task, its name (empty if it is the only one) and the content of its prompt file."""
    if not task["answered"]:
        return
    try:
        schema = replace(task_of(task["task"]), fields=tuple(task["fields"]))
        prompt = prompt_of(schema)
        made = [(target, _base(task, schema, prompt, target)) for target in prompt.targets]
    except AugmentError:  # no prompt fits the task's rows; the card says so
        return
    for target, base in made:
        if base is not None:
            yield (target if len(made) > 1 else ""), base


def _base(task: Mapping[str, Any], schema: Task, prompt: Prompt, target: str) -> dict[str, Any] | None:
    """The content of the prompt file for one label; None if the harness cannot express the prompt."""
    before, after = prompt.targets[target].around(LABEL)
    named = (*before.names, *after.names, *schema.fields, target)
    if prompt.own or prompt.each or (prompt.options and prompt.options.spans) or any("[]" in name for name in named):
        return None  # several questions to a row, or a template of its own
    if after.names:
        return None
    choices = None if prompt.writes else _choices(prompt, task, after.texts[0].rstrip())
    text = before.texts[-1]
    gap = text[len(text.rstrip()) :]
    before = replace(before, texts=(*before.texts[:-1], text.rstrip()))
    columns = {_column(name): _source(prompt, schema, name) for name in before.names}
    base: dict[str, Any] = {
        "custom_dataset": Function("data.load_rows"),
        "dataset_kwargs": {"folder": task["name"], "columns": columns, "answer": target, "choices": choices},
        "test_split": "test",
        "fewshot_split": "train",
        "fewshot_config": {"sampler": "first_n"},
        "doc_to_text": _jinja(before),
        "target_delimiter": gap,
        "fewshot_delimiter": prompt.separator,
        "metadata": {"version": _VERSION},
    }
    if prompt.instruction and choices:
        words = [word for _, word in choices.get("words", ())]
        base["description"] = _escaped(prompt.instruction.fill({"labels": ", ".join(words)})) + prompt.separator
    return base | (_multiple_choice(task["metrics"]) if choices is not None else _generation(prompt))


def _multiple_choice(metrics: Sequence[str]) -> dict[str, Any]:
    """Accuracy, and those of the task's metrics that the harness computes of choices."""
    of_pairs = [(metric, score) for name, metric, score in _OF_PAIRS if name in metrics]
    return {
        "output_type": "multiple_choice",
        "doc_to_choice": "choices",
        "doc_to_target": "target",
        "metric_list": [
            {"metric": "acc", "aggregation": "mean", "higher_is_better": True},
            *(
                {"metric": metric, "aggregation": Function(f"answer_scores.{score}"), "higher_is_better": True}
                for metric, score in of_pairs
            ),
        ],
    }


def _generation(prompt: Prompt) -> dict[str, Any]:
    return {
        "output_type": "generate_until",
        "doc_to_target": "{{answers[0]}}",
        "generation_kwargs": {"until": list(prompt.stop), "do_sample": False, "max_gen_toks": prompt.limits[0]},
        "process_results": Function("data.score_answer"),
        "metric_list": [
            {"metric": metric, "aggregation": "mean", "higher_is_better": True} for metric in ("f1", "exact_match")
        ],
    }


def _choices(prompt: Prompt, task: Mapping[str, Any], tail: str) -> dict[str, Any] | None:
    """Where the answers to choose from are, as arguments for the data module; None if the prompt does not say."""
    labels = [label_of(label) for label in task["labels"]]
    if options := prompt.options:
        if options.inside:
            return {"inside": options.inside, "tail": tail}
        if options.texts:
            return {"texts": options.texts, "tail": tail}
        return {"fields": [list(pair) for pair in spelled(prompt.name, options.fields or {}, labels)], "tail": tail}
    if prompt.labels:
        return {"words": [list(pair) for pair in spelled(prompt.name, prompt.labels, labels)], "tail": tail}
    return {"words": [[label, label] for label in labels], "tail": tail} if labels else None


def _column(name: str) -> str:
    """The Jinja variable for a placeholder of a template."""
    return f"text_{identifier(name)}"


def _source(prompt: Prompt, schema: Task, name: str) -> dict[str, Any]:
    """The fields that fill a placeholder, and how they are converted: arguments for the data module."""
    source: dict[str, Any] = {"paths": list(schema.read) if name == FIELDS else [name]}
    if prompt.words and name in prompt.words:
        source["words"] = dict(prompt.words[name])
    if prompt.options and prompt.options.inside == name:
        source["before_options"] = True
    return source


def _jinja(template: Template) -> str:
    pieces = [_escaped(template.texts[0])]
    for name, text in zip(template.names, template.texts[1:], strict=True):
        pieces += (f"{{{{{_column(name)}}}}}", _escaped(text))
    return "".join(pieces)


def _escaped(text: str) -> str:
    """The text, marked so that Jinja does not interpret it."""
    return f"{{% raw %}}{text}{{% endraw %}}" if re.search(r"\{[{%#]", text) else text
