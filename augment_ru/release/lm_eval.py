"""Write task files for lm-evaluation-harness, so that any model it runs can be scored on a release.

Each task has a file with its prompt (`_TASK.yaml`) and a file for each of its variations. A task with several labels,
or whose rows fall into groups, has these files for each label or group. Modules that read the rows and score the
answers are copied into the same folder.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import metrics_of
from augment_ru.prompting.prompt import FIELDS, LABEL, Options, Prompt, Template, spelled
from augment_ru.prompting.prompt_file import GENERIC, prompt_of, unfit
from augment_ru.records.answers import label_of
from augment_ru.records.task import Task, task_or_file
from augment_ru.release.lm_eval_data import CONTEXT
from augment_ru.release.manifest import variations_in
from augment_ru.release.release_recipe import ORIGINAL, identifier
from augment_ru.release.yaml import Function, yaml
from augment_ru.resources import PACKAGE

VERSION = 2.0
"""The version of the tasks, which the harness reports with scores; 2 added demonstrations and MERA's own prompts."""

_OF_PAIRS = (("macro_f1", "f1", "macro_f1"), ("mcc", "mcc", "matthews"))
"""Metrics over pairs of labels, as (our name, the harness's name, the function that aggregates the pairs)."""
_OWN = Template(("", ""), (CONTEXT,))
"""The template for rows that hold their own template; the data module fills it."""


def prompt_content(task: Mapping[str, Any], schema: Task, prompt: Prompt, target: str) -> dict[str, Any] | None:
    """Return a task file for lm-evaluation-harness that asks for one field of the right answer, as YAML values by key.

    The result is None if the harness cannot express the prompt.

    Args:
        task: what the manifest says about the task.
        schema: the schema of the task.
        prompt: the prompt of the task.
        target: the field of the right answer that is asked for.

    Raises:
        AugmentError: the prompt has no words for the labels of the data.
    """
    before, after = prompt.targets[target].around(LABEL)
    if after.names or metrics_of(schema.scoring.metrics).keys() & {"grade_norm"}:
        return None
    choices = _choices(prompt, task, schema, after.texts[0].rstrip())
    text = before.texts[-1]
    gap = text[len(text.rstrip()) :]
    before = replace(before, texts=(*before.texts[:-1], text.rstrip()))
    asked = _asked(prompt, schema)
    if prompt.own:
        before, gap = _OWN, ""  # each row has its own white space before the answer
    kwargs = {
        "folder": task["name"],
        "columns": {_column(name): _source(prompt, schema, name) for name in before.names},
        "answer": target,
        "choices": choices,
        **({"separator": schema.scoring.separator} if schema.scoring.separator else {}),
        **({"normal_form": schema.scoring.normal_form} if schema.scoring.normal_form != "russian" else {}),
        **({"norms": list(schema.scoring.norms)} if schema.scoring.norms else {}),
        **({"asked": asked} if asked else {}),
    }
    shown = _demonstrations(task, schema)
    base: dict[str, Any] = {
        "custom_dataset": Function("data.load_rows"),
        "dataset_kwargs": kwargs,
        "test_split": "test",
        **shown,
        "doc_to_text": _jinja(before),
        "target_delimiter": gap,
        "fewshot_delimiter": prompt.separator,
        "metadata": {
            "version": VERSION,
            **({"mean_over": "rows"} if schema.scoring.mean_over == "rows" else {}),
            **({"episode": task["default_episode"]} if shown.get("num_fewshot") else {}),
            **({"max_gen_toks": list(prompt.limits)} if choices is None else {}),
        },
    }
    if prompt.instruction and choices:
        words = [word for _, word in choices.get("words", ())]
        base["description"] = _escaped(prompt.instruction.fill({"labels": ", ".join(words)})) + prompt.separator
    return base | (_generation(prompt) if choices is None else _multiple_choice(task["metrics"], schema, prompt))


def _demonstrations(task: Mapping[str, Any], schema: Task) -> dict[str, Any]:
    """Return the harness's settings for demonstrations: the split that holds them, and their default number.

    For a task without demonstrations, the number is set to 0 and there is no split.
    """
    if not task["train"] or schema.scoring.norms:  # a row of norms has no one right answer to show
        return {"num_fewshot": 0}
    shots = next(one["shots"] for one in task["episodes"] if one["number"] == task["default_episode"])
    stated = {"num_fewshot": shots} if shots else {}
    return {"fewshot_split": "train", "fewshot_config": {"sampler": "first_n"}, **stated}


def _asked(prompt: Prompt, schema: Task) -> dict[str, Any]:
    """Return the arguments of `lm_eval_data._asked`, which prepares rows; empty if rows need no preparation."""
    found: dict[str, Any] = {}
    if prompt.each:
        found["each"] = prompt.each
    if prompt.own:
        first, later = prompt.own.first, prompt.own.later.around(LABEL)[0]
        given = {} if first is None else {"first": first}
        found["own"] = {"template": prompt.own.template, "values": prompt.own.values, **given}
        found["later"] = [later.fill({name: f"{{{name}}}" for name in later.names})]
        if FIELDS in later.names:
            found["later"] = [later.texts[0], list(schema.layout.read), later.texts[-1]]
    if schema.turns:
        found["dialogue"] = schema.turns
    return found


def _multiple_choice(metrics: Sequence[str], schema: Task, prompt: Prompt) -> dict[str, Any]:
    """Return the settings for tasks with choices: the type of output, and the metrics that the harness can compute."""
    if schema.scoring.norms:
        scored = [(f"mcc_{number}", "answer_scores.matthews") for number in range(len(schema.scoring.norms))]
        return _chosen("score_norms", scored)
    if prompt.each:
        counted = [("muserc_f1a", "answer_scores.f1_of_true"), ("muserc_em", "answer_scores.whole")]
        return _chosen("score_option", counted)
    if prompt.options and prompt.options.spans:
        return _chosen("score_span", [("f1", "mean"), ("exact_match", "mean")])
    of_pairs = [(metric, f"answer_scores.{score}") for name, metric, score in _OF_PAIRS if name in metrics]
    return _chosen(None, [("acc", "mean"), *of_pairs])


def _chosen(function: str | None, metrics: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return the settings of a task with choices.

    Args:
        function: the function of the data module that scores the chosen answers; None to let the harness score them.
        metrics: the name of each metric, and how it is aggregated.
    """
    return {
        "output_type": "multiple_choice",
        "doc_to_choice": "choices",
        "doc_to_target": "target",
        **({"process_results": Function(f"data.{function}")} if function else {}),
        "metric_list": [_metric(*one) for one in metrics],
    }


def _metric(name: str, aggregation: str) -> dict[str, Any]:
    function = aggregation if aggregation == "mean" else Function(aggregation)
    return {"metric": name, "aggregation": function, "higher_is_better": True}


def _generation(prompt: Prompt) -> dict[str, Any]:
    return {
        "class": Function("data.WrittenAnswers"),
        "output_type": "generate_until",
        "doc_to_target": "{{gap}}{{answers[:1] | join}}",
        "generation_kwargs": {"until": list(prompt.stop), "do_sample": False, "max_gen_toks": prompt.limits[0]},
        "process_results": Function("data.score_answer"),
        "metric_list": [_metric("f1", "mean"), _metric("exact_match", "mean")],
    }


def _choices(prompt: Prompt, task: Mapping[str, Any], schema: Task, tail: str) -> dict[str, Any] | None:
    """Return the arguments of `lm_eval_data._choices`: where the answers to choose from are.

    None if the model generates the answer as text.
    """
    labels = [label_of(label) for label in task["labels"]]
    found: dict[str, Any] = {}
    if prompt.options:
        found = _options(prompt.options, schema, prompt.name, labels)
    elif next(iter(metrics_of(task["metrics"]).values())).kind != "answers":
        found = {"words": [[label, label] for label in labels]} if labels else {}
        if prompt.labels:
            found = {"words": [list(pair) for pair in spelled(prompt.name, prompt.labels, labels)]}
    return found | {"tail": tail} if found and not prompt.writes else None


def _options(options: Options, schema: Task, name: str, labels: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of `lm_eval_data._choices` for options that a row lists itself."""
    if options.inside:
        return {"inside": options.inside}
    if options.texts:
        return {"texts": options.texts}
    if options.spans:
        places = next(one for one in schema.layout.characters if one.start.startswith(f"{options.spans}[]"))
        return {"spans": [options.spans, places.text]}
    return {"fields": [list(pair) for pair in spelled(name, options.fields or {}, labels)]}


def _column(name: str) -> str:
    """Return the Jinja variable for a placeholder of a template."""
    return f"text_{identifier(name)}"


def _source(prompt: Prompt, schema: Task, name: str) -> dict[str, Any]:
    """Return the arguments of `lm_eval_data._column`: the fields that fill a placeholder, and how to show them."""
    source: dict[str, Any] = {"paths": list(schema.layout.read) if name == FIELDS else [name]}
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
    """Return the text, marked if needed so that Jinja does not interpret it."""
    return f"{{% raw %}}{text}{{% endraw %}}" if re.search(r"\{[{%#]", text) else text


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
    for task, export in _exports(content, own):
        whole, asked = f"{name}_{identifier(task['name'])}", export.asked
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
    """Return the name of each task's prompt, and whether the task can be exported to lm-evaluation-harness.

    An entry is like {"task": "rwsd", "prompt": "rwsd", "problem": ""}. `problem` says why the task is not exported; it
    is empty if the task is exported. `prompt` is empty if no prompt fits.

    Args:
        content: the manifest, at least its recipe and its tasks.
        own: the folder with the user's own task and prompt files.
    """
    exports = _exports(content, own)
    return [{"task": task["name"], "prompt": one.prompt, "problem": one.problem} for task, one in exports]


def _exports(content: Mapping[str, Any], own: Path) -> list[tuple[Mapping[str, Any], _Export]]:
    """Return the entry of each task in the manifest, and how the task is exported."""
    tasks = zip(content["tasks"], content["recipe"]["task"], strict=True)
    return [(task, _export(task, given, own, content["recipe"].get("protocol"))) for task, given in tasks]


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
        asked = tuple(_targets(task, schema, prompt))
    except AugmentError as error:
        return _Export(prompt.name, (), str(error))
    return _Export(prompt.name, asked, "" if asked else "the harness cannot state its prompt or its metric")


def _targets(task: Mapping[str, Any], schema: Task, prompt: Prompt) -> Iterator[_Asked]:
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
