"""Write the card of a release: a README with the metadata of the Hugging Face Hub, from `card.LANGUAGE.md.jinja`."""

import html
import inspect
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from augment_ru import registry
from augment_ru.records import field_paths
from augment_ru.records.answers import answer_values, label_of
from augment_ru.records.groups import grouped
from augment_ru.release.hard import splits_in
from augment_ru.release.manifest import variations_in
from augment_ru.release.release_recipe import identifier
from augment_ru.release.yaml import yaml

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_TAGS = ("robustness", "adversarial", "text-perturbation", "few-shot", "augment-ru")
_NONE = "–"
_EXCERPT = 300
"""The maximum number of characters of a text that the card shows."""


def card(content: Mapping[str, Any], harness: Mapping[str, str]) -> str:
    """Return the card of a release: the text that describes it, in Markdown.

    Args:
        content: the manifest.
        harness: the task files for lm-evaluation-harness, by path.
    """
    tasks, name = content["tasks"], identifier(content["name"])
    shown = [one for task in tasks for one in task["episodes"] if one["shots"]]  # the command's example takes the most
    return _template(content["recipe"]["language"]).render(
        {"judged": None, **content},
        front_matter=yaml(_front_matter(content)),
        episodes=_episodes(tasks),
        is_by_task=any(task["default_episode"] for task in tasks),
        few_shot=max(shown, key=lambda one: (one["shots"], -one["number"]), default=None),
        harness=harness,
        harness_name=name,
        rarely_perturbed=[
            f"`{task['name']}` / `{attack['name']}` ({attack['perturbed']}/{attack['rows']})"
            for task in tasks
            for attack in task["attacks"]
            if 2 * attack["perturbed"] < attack["rows"]
        ],
    )


def _episodes(tasks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines of the card's table of episodes: {"shots": 4, "episodes": "6–10", "tasks": ["rwsd"]}, ….

    There is a line for each number of shots and range of episodes. The list is empty if all episodes are zero-shot.
    """
    found: dict[tuple[int, str], list[str]] = {}
    for task in tasks:
        own = grouped((episode["shots"], episode["number"]) for episode in task["episodes"])
        for shots, numbers in own.items():
            shown = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}"
            found.setdefault((shots, shown), []).append(task["name"])
    rows = [{"shots": shots, "episodes": shown, "tasks": names} for (shots, shown), names in sorted(found.items())]
    return rows if any(row["shots"] for row in rows) else []


@cache
def _template(language: str) -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=False,  # noqa: S701  (Markdown, not HTML)
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"cell": _cell, "excerpt": _excerpt, "codes": _codes, "explained": _explained}
    environment.filters |= {"hundredths": lambda value: f"{100 * value:.2f}", "rounded": "{:.1f}".format}
    environment.filters["per_cent"] = lambda share: _NONE if share is None else f"{100 * share:.1f}"
    environment.filters["variations"] = variations_in
    return environment.from_string(Path(__file__).with_name(f"card.{language}.md.jinja").read_text(encoding="utf-8"))


def _cell(value: object) -> str:
    """Return a value as the text of a table cell; `|`, which would end the cell, is escaped."""
    return _NONE if value is None else str(value).replace("|", "\\|")


def _excerpt(text: str) -> str:
    """Return a text on one line, with HTML escaped. A text above `_EXCERPT` characters is cut after a word."""
    words = html.escape(" ".join(text.split()), quote=False)
    return words if len(words) <= _EXCERPT else words[:_EXCERPT].rsplit(" ", 1)[0] + " …"


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or _NONE


def _explained(spec: str, language: str) -> str:
    """Return what the attacks of a specification do: in English, the first line of each attack's docstring.

    In Russian, it is the first line of the docstring of each attack's module, which is a Russian example.
    """
    attacks = [registry.find("attacks", "attack", part.strip()) for part in spec.split("+")]
    described = attacks if language == "en" else [sys.modules[attack.__module__] for attack in attacks]
    return " ".join((inspect.getdoc(one) or "").split("\n")[0] for one in described)


def _front_matter(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata that the Hub reads: title, languages, licences, size, tags, and the files of each task."""
    recipe = content["recipe"]
    rows = sum((len(variations_in(task)) + 1) * task["test"] + task["train"] for task in content["tasks"])
    licences = list(dict.fromkeys(task["licence"] for task in content["tasks"]))
    return {
        "pretty_name": recipe["title"],
        "language": list(dict.fromkeys(task["language"] for task in content["tasks"])),
        "license": licences[0] if len(licences) == 1 else licences,
        "size_categories": [next((name for bound, name in _SIZES if rows < bound), "n>1M")],
        "tags": list(dict.fromkeys([*recipe["tags"], *_TAGS])),
        "configs": [
            {
                "config_name": task["name"],
                "data_files": [{"split": split, "path": f"{task['name']}/{split}.jsonl"} for split in splits_in(task)],
            }
            for task in content["tasks"]
        ],
    }


def shown_pairs(folder: Path, tasks: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return an example for each attack and search of a release: a text before and after it.

    The text is from the first perturbed row of the first task that has one. Attacks and searches without a perturbed
    row are left out.

    Args:
        folder: the release, with its test rows and edit logs.
        tasks: the entries of the tasks in the manifest.
    """
    found: dict[str, dict[str, str]] = {}
    for task in tasks:
        rows, entries = (_rows(folder / task["name"] / f"{name}.jsonl") for name in ("test", "edits"))
        for row, entry in zip(rows, entries, strict=True):
            name = entry["perturbation"]
            if entry["status"] != "perturbed" or name in found:
                continue
            field = next(field for field, edits in entry["edits"].items() if edits)
            original, perturbed = (field_paths.value(one, field) for one in (rows[entry["row"]], row))
            texts = {"original": str(original), "perturbed": str(perturbed)}
            found[name] = {"perturbation": name, "task": task["name"], "field": field, **texts}
    return list(found.values())


def shown_demonstrations(
    folder: Path, tasks: Sequence[Mapping[str, Any]], inputs: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the first demonstration of each task, for the card of a release.

    An entry holds the texts and right answers of the demonstration, its file, its row (from 1), and the number of the
    episode that shows it: the first one with demonstrations. Tasks without demonstrations are left out.

    Args:
        folder: the release, with its train rows.
        tasks: the entries of the tasks in the manifest.
        inputs: the entries of the input files in the manifest.
    """
    files = {one["task"]: one["file"] for one in inputs if one["split"] == "train"}
    found = []
    for task in tasks:
        rows = _rows(folder / task["name"] / "train.jsonl") if task["train"] else []
        shown = [(min(row["episode"]), at) for at, row in enumerate(rows) if row["episode"]]
        if not shown:
            continue
        episode, at = min(shown)
        answers = [label_of(one) for name in task["gold"] for one in answer_values(field_paths.values(rows[at], name))]
        texts = [str(one) for name in task["fields"] for one in field_paths.values(rows[at], name)]
        source = {"file": files.get(task["name"], ""), "row": at + 1}
        found.append({"task": task["name"], "episode": episode, **source, "texts": texts, "answers": answers})
    return found


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
