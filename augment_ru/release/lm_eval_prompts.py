"""Make prompts for lm-evaluation-harness: the content of the file `_TASK.yaml` of a release."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from augment_ru.evaluation.answers import metrics_of
from augment_ru.prompting.choices import Options, spelled
from augment_ru.prompting.prompt import FIELDS, Prompt
from augment_ru.prompting.template import LABEL, Template
from augment_ru.records.answers import label_of
from augment_ru.records.task import Task
from augment_ru.release.lm_eval_data import CONTEXT
from augment_ru.release.release_recipe import identifier
from augment_ru.release.yaml import Function

VERSION = 2.0
"""The version of the tasks, which the harness reports with scores; 2 added demonstrations and MERA's own prompts."""

_OF_PAIRS = (("macro_f1", "f1", "macro_f1"), ("mcc", "mcc", "matthews"))
"""Metrics over pairs of labels, as (our name, the harness's name, the function that aggregates the pairs)."""
_OWN = Template(("", ""), (CONTEXT,))
"""The template for rows that hold their own template; the data module fills it."""


def prompt_content(task: Mapping[str, Any], schema: Task, prompt: Prompt, target: str) -> dict[str, Any] | None:
    """Return the content of a task file for lm-evaluation-harness that asks for one field of the right answer.

    It is None if the harness cannot express the prompt.

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
