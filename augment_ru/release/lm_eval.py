"""Write task files for lm-evaluation-harness, so that any model it runs can be scored on a release.

Each task has a file with its prompt (`_TASK.yaml`) and a file for each of its variations. A task with several labels,
or whose rows fall into groups, has these files for each label or group. Modules that read the rows and score the
answers are copied into the same folder.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from augment_ru.errors import AugmentError
from augment_ru.prompting.prompt import Prompt
from augment_ru.prompting.prompt_file import GENERIC, prompt_of, unfit
from augment_ru.records.task import Task, task_or_file
from augment_ru.release.lm_eval_prompts import VERSION, prompt_content
from augment_ru.release.manifest import variations_in
from augment_ru.release.release_recipe import ORIGINAL, identifier
from augment_ru.release.yaml import yaml
from augment_ru.resources import PACKAGE

FOLDER = "lm_eval"
_MODULES = {
    "data": "release/lm_eval_data.py",
    "answer_scores": "evaluation/answer_scores.py",
    "answers": "records/answers.py",
    "dialogues": "records/dialogues.py",
    "field_paths": "records/field_paths.py",
}
"""Maps the name of each module that a release holds for the harness to its source in this package."""


class _Export(NamedTuple):
    """How a task is exported to the harness.

    Attributes:
        prompt: the name of its prompt; empty if no prompt fits.
        asked: the questions about its rows; empty if the task is not exported.
        problem: why the task is not exported; empty if it is.
    """

    prompt: str
    asked: tuple["_Asked", ...]
    problem: str


class _Asked(NamedTuple):
    """A question about the rows of a task, or about a group of these rows.

    Attributes:
        ending: the suffix that this question adds to the task's name; empty if it is the only question.
        group: the name of the group; None if the question is about all rows.
        content: the content of its prompt file.
    """

    ending: str
    group: str | None
    content: dict[str, Any]


def harness_files(content: Mapping[str, Any], own: Path) -> dict[str, str]:
    """Return the files with which lm-evaluation-harness reads a release, by path; empty if no task can be exported.

    Args:
        content: the manifest.
        own: the folder with the user's own task and prompt files.
    """
    name = identifier(content["name"])
    files: dict[str, str] = {}
    groups: dict[str, list[str]] = {}
    for task, given in zip(content["tasks"], content["recipe"]["task"], strict=True):
        whole = f"{name}_{identifier(task['name'])}"
        asked = _export(task, given, own, content["recipe"].get("protocol")).asked
        for one in asked:
            shared = {key: value for key, value in one.content.items() if key not in _OF_VARIATIONS}
            files[f"_{task['name']}{one.ending}.yaml"] = yaml(shared)
        for variation in (task["name"], *variations_in(task)) if asked else ():
            tag = ORIGINAL if variation == task["name"] else identifier(variation)
            called = [f"{whole}_{tag}{one.ending}" for one in asked]
            for one, full in zip(asked, called, strict=True):
                base = f"_{task['name']}{one.ending}.yaml"
                files[f"{full}.yaml"] = _variation(base, full, f"{name}_{tag}", variation, one)
            if asked[0].group is None:
                groups.setdefault(whole, []).extend(called)
            else:  # the score of the variation is the mean over the groups of its rows
                groups.setdefault(whole, []).append(f"{whole}_{tag}")
                files[f"{whole}_{tag}.yaml"] = _mean_over(f"{whole}_{tag}", called, asked[0].content)
    if not groups:
        return {}
    for group, tasks in groups.items():
        files[f"{group}.yaml"] = yaml({"group": group, "task": tasks, "metadata": {"version": VERSION}})
    files[f"{name}.yaml"] = yaml({"group": name, "task": list(groups), "metadata": {"version": VERSION}})
    files |= {f"{module}.py": (PACKAGE / path).read_text(encoding="utf-8") for module, path in _MODULES.items()}
    return {f"{FOLDER}/{path}": files[path] for path in sorted(files)}


_OF_VARIATIONS = ("dataset_kwargs", "class")
"""The keys of a prompt that are written in the file of each variation instead of the prompt file."""


def _variation(base: str, called: str, tag: str, variation: str, one: _Asked) -> str:
    """Return the text of a variation's task file.

    Args:
        base: the name of its prompt file, which it includes.
        called: the name of the task.
        tag: the tag that this variation has in all tasks.
        variation: the value of `perturbation` in its rows.
        one: the question that is asked.
    """
    own = {key: one.content[key] for key in _OF_VARIATIONS if key in one.content}
    own["dataset_kwargs"] = {"perturbation": variation, **own["dataset_kwargs"]}
    return yaml({"include": base, "task": called, "tag": [tag], **own})


def _mean_over(called: str, tasks: Sequence[str], content: Mapping[str, Any]) -> str:
    """Return the text of a group file, whose scores are means over its tasks, or over their rows."""
    by_rows = content["metadata"].get("mean_over") == "rows"
    metrics = [one["metric"] for one in content["metric_list"]]
    means = [{"metric": name, "aggregation": "mean", "weight_by_size": by_rows} for name in metrics]
    table = {"group": called, "task": list(tasks), "aggregate_metric_list": means, "metadata": {"version": VERSION}}
    return yaml(table)


def stated_prompts(content: Mapping[str, Any], own: Path) -> list[dict[str, str]]:
    """Return, for each task, the name of its prompt, and whether it can be exported to lm-evaluation-harness.

    An entry is like {"task": "rwsd", "prompt": "rwsd", "problem": ""}. `problem` says why the task is not exported; it
    is empty if the task is exported. `prompt` is empty if no prompt fits.

    Args:
        content: the manifest, at least its recipe and its tasks.
        own: the folder with the user's own task and prompt files.
    """
    found = []
    for task, given in zip(content["tasks"], content["recipe"]["task"], strict=True):
        export = _export(task, given, own, content["recipe"].get("protocol"))
        found.append({"task": task["name"], "prompt": export.prompt, "problem": export.problem})
    return found


def _export(task: Mapping[str, Any], given: Mapping[str, Any], own: Path, protocol: str | None) -> _Export:
    """Return how a task is exported to the harness.

    Args:
        task: the entry of the task in the manifest.
        given: the table of the task in the recipe.
        own: the folder with the user's own files.
        protocol: the protocol of the release.
    """
    file, prompt_file = str(given.get("task", "")), own / Path(given["prompt"]).name if "prompt" in given else None
    try:
        named = task_or_file(str(own / Path(file).name) if file.endswith(".toml") else task["task"])
        schema = named.under(protocol).changed(fields=tuple(task["fields"]))
        if prompt_file is None and (problem := unfit(schema)):
            return _Export("", (), f"no prompt fits: {problem}")
        prompt = prompt_of(schema, prompt_file)
    except AugmentError as error:
        return _Export("", (), str(error))
    if not task["answered"]:
        return _Export(prompt.name, (), "a test row has no right answer")
    if prompt.name.startswith(GENERIC) and prompt_file is None and not task["labels"]:
        return _Export("", (), "no prompt fits: the answers are no few labels")
    try:
        asked = tuple(_asked(task, schema, prompt))
    except AugmentError as error:
        return _Export(prompt.name, (), str(error))
    return _Export(prompt.name, asked, "" if asked else "the harness cannot state its prompt or its metric")


def _asked(task: Mapping[str, Any], schema: Task, prompt: Prompt) -> Iterator[_Asked]:
    """Yield the questions about the rows of a task: one for each label, or for each pair of a label and a group.

    Raises:
        AugmentError: the prompt has no words for the labels of the data.
    """
    made = [(target, prompt_content(task, schema, prompt, target)) for target in prompt.targets]
    groups: Sequence[str | None] = task.get("groups") or [None]
    for target, content in made:
        if content is None:
            continue
        for group in groups:
            ending = f"_{identifier(target)}" if len(made) > 1 else ""
            shown = content
            if group is not None:
                ending += f"_{identifier(group)}"
                chosen = {**content["dataset_kwargs"], "group": [schema.scoring.grouped_by, group]}
                shown = {**content, "dataset_kwargs": chosen}
            yield _Asked(ending, group, shown)
