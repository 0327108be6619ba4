"""The dataset card of a release, in the form of the Hugging Face Hub: what is in it, how it was made, its limits."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from augment_ru.release.yaml import yaml

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_TAGS = ("robustness", "adversarial", "text-perturbation", "few-shot", "augment-ru")
_PER_CENT = 100


def card(content: Mapping[str, Any], tasks: Mapping[str, str]) -> str:
    """The card, from a manifest and the task files that stand beside it."""
    recipe = content["recipe"]
    parts = [
        f"---\n{yaml(_front_matter(content))}---\n",
        f"# {recipe['title']}\n",
        *([f"{recipe['description'].strip()}\n"] if recipe["description"] else []),
        _made(content),
        _section("What is in it", _overview(content)),
        _section("Perturbations", _attacks(content)),
        *(_section(f"`{task['name']}`", _task(content, task), level=3) for task in content["tasks"]),
        _section("Fields", _fields(content)),
        _section("Few-shot episodes", _episodes(content)) if len(content["episodes"]) > 1 else "",
        _section("Loading", _loading(content)),
        _section("Scoring a model", _scoring(content, tasks)),
        _section("Checking and rebuilding", _checking(content)),
        _section("Limits", _limits(content)),
        _section("Licences", _licences(content)),
    ]
    return "\n".join(part for part in parts if part)


def _made(content: Mapping[str, Any]) -> str:
    return (
        f"Made with [augment-ru](https://pypi.org/project/augment-ru/) {content['environment']['augment_ru']}: every "
        f"test set stands here as it was, and perturbed by {_several(len(content['attacks']), 'attack')}. Labels, "
        "answers and what the constraints protect are as in the original; the offsets of answers follow their text.\n"
    )


def _front_matter(content: Mapping[str, Any]) -> dict[str, Any]:
    recipe = content["recipe"]
    rows = sum(len([*task["attacks"], None]) * task["test"] + task["train"] for task in content["tasks"])
    size = next((name for bound, name in _SIZES if rows < bound), "n>1M")
    licences = list(dict.fromkeys(task["licence"] for task in content["tasks"]))
    return {
        "pretty_name": recipe["title"],
        "language": recipe["language"],
        "license": licences[0] if len(licences) == 1 else licences,
        "size_categories": [size],
        "tags": list(dict.fromkeys([*recipe["tags"], *_TAGS])),
        "configs": [
            {
                "config_name": task["name"],
                "data_files": [
                    {"split": split, "path": f"{task['name']}/{split}.jsonl"}
                    for split in ("train", "test")
                    if task[split]
                ],
            }
            for task in content["tasks"]
        ],
    }


def _section(title: str, body: str, level: int = 2) -> str:
    return f"{'#' * level} {title}\n\n{body.rstrip()}\n"


def _grid(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    cells = ([str(cell).replace("|", "\\|") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def _overview(content: Mapping[str, Any]) -> str:
    head = ("task", "schema", "test rows", "variations", "train rows", "perturbed", "constraints", "metrics", "licence")
    return _grid(
        head,
        (
            (
                f"`{task['name']}`", f"`{task['task']}`", task["test"], len(task["attacks"]) + 1, task["train"],
                _codes(task["fields"]), _codes(task["constraints"]), ", ".join(task["metrics"]), task["licence"],
            )
            for task in content["tasks"]
        ),
    )  # fmt: skip


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "–"


def _attacks(content: Mapping[str, Any]) -> str:
    scored = content["scorer"] != "none"
    gate = (
        f"A perturbed row passed a similarity gate, `{content['scorer']}`."
        if scored
        else "No similarity gate: every perturbation was taken."
    )
    table = _grid(
        ("perturbation", "attack", "probability", "threshold", "accepted, %", *_SIMILARITY),
        (
            (
                f"`{attack['name']}`", f"`{attack['spec']}`", *_settings(content, attack["name"]),
                _share(attack["accepted"]), *_similarity(attack["similarity"]),
            )
            for attack in content["attacks"]
        ),
    )  # fmt: skip
    return (
        f"{gate} Rows that no perturbation of passed (`rejected`), or that hold nothing that may be changed "
        f"(`unchanged`), stand in a variation with their original text, so that all variations have the same rows; "
        f"`edits.jsonl` says which. Similarity × 100, of the perturbed rows; all tasks together:\n\n{table}"
    )


def _settings(content: Mapping[str, Any], name: str) -> tuple[object, object]:
    settings = content["settings"][name]
    return settings["probability"], "–" if settings["threshold"] is None else settings["threshold"]


_SIMILARITY = ("similarity", "std", "5 %", "median", "95 %")


def _similarity(figures: Mapping[str, Any] | None) -> list[str]:
    if figures is None:
        return ["–"] * len(_SIMILARITY)
    values = (figures["mean"], figures["std"], *(figures["quantiles"][share] for share in ("0.05", "0.5", "0.95")))
    return [f"{value * _PER_CENT:.2f}" for value in values]


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value * _PER_CENT:.1f}"


def _task(content: Mapping[str, Any], task: Mapping[str, Any]) -> str:
    inputs = [f"`{one['file']}` ({one['rows']} rows)" for one in content["inputs"] if one["task"] == task["name"]]
    table = _grid(
        ("perturbation", "perturbed", "unchanged", "rejected", "accepted, %", "edits a row", *_SIMILARITY),
        (
            (
                f"`{attack['name']}`", attack["perturbed"], attack["unchanged"], attack["rejected"],
                _share(attack["accepted"]), "–" if attack["edits"] is None else f"{attack['edits']:.1f}",
                *_similarity(attack["similarity"]),
            )
            for attack in task["attacks"]
        ),
    )  # fmt: skip
    words = f"{task['description'].strip()}\n\n" if task["description"] else ""
    return f"{words}From {' and '.join(inputs)}.\n\n{table}"


def _fields(content: Mapping[str, Any]) -> str:
    originals = _codes(task["name"] for task in content["tasks"])
    return (
        "All fields of the original rows, in their order, and two more:\n\n"
        f"- `perturbation`: the name of the perturbation; of an original row, the name of its task ({originals});\n"
        "- `episode`: a list of the episodes that a train row is a demonstration of; empty in test rows.\n\n"
        "`test.jsonl` holds the original rows first, then each perturbation's, always in the same order. Line i of "
        "`edits.jsonl` says what was done to line i of `test.jsonl`: `row`, the number of the row from 0; `status`; "
        "`edits`, field to a list of `[start, stop, replacement]`, in Unicode code points of the original text; "
        "`probability`, `similarity`, `candidate`; for original rows `protected`, what no edit may touch."
    )


def _episodes(content: Mapping[str, Any]) -> str:
    shots: dict[int, list[int]] = {}
    for episode in content["episodes"]:
        shots.setdefault(episode["shots"], []).append(episode["number"])
    table = _grid(
        ("shots", "episodes"),
        ((k, f"{own[0]}–{own[-1]}" if len(own) > 1 else own[0]) for k, own in shots.items()),
    )
    return (
        f"{table}\nEpisode 0 is zero-shot. The demonstrations of an episode are the train rows whose `episode` holds "
        "its number, in the order of the file; they were drawn with replacement, and a row that was drawn twice has "
        "the number twice. Every episode is tested on every variation."
    )


def _loading(content: Mapping[str, Any]) -> str:
    task = content["tasks"][0]
    perturbation = task["attacks"][0]["name"] if task["attacks"] else task["name"]
    return (
        "```python\n"
        "from datasets import load_dataset\n\n"
        f'release = load_dataset("PATH_OR_NAME_OF_THIS_DATASET", "{task["name"]}")\n'
        f'perturbed = release["test"].filter(lambda row: row["perturbation"] == "{perturbation}")\n'
        "```"
    )


def _scoring(content: Mapping[str, Any], tasks: Mapping[str, str]) -> str:
    if not tasks:
        return "No task has a prompt for lm-evaluation-harness; the rows are plain JSON lines."
    name = content["name"]
    few = next((episode for episode in content["episodes"] if episode["shots"] > 1), None)
    lines = ["With [lm-evaluation-harness](https://github.com/EleutherAI/lm-evaluation-harness), zero-shot:\n", "```sh"]
    lines += [f"lm_eval --model hf --model_args pretrained=MODEL --include_path lm_eval --tasks {name}", "```"]
    if few:
        lines += [
            f"\nIn episode {few['number']}, which has {few['shots']} shots (both must be said):\n",
            "```sh",
            f"lm_eval --model hf --model_args pretrained=MODEL --include_path lm_eval --tasks {name} \\",
            f"  --num_fewshot {few['shots']} --metadata '{{\"episode\": {few['number']}}}'",
            "```",
        ]
    without = [
        task["name"] for task in content["tasks"] if not any(f"/{name}_{task['name']}_" in path for path in tasks)
    ]
    if without:
        lines += [f"\nNo prompt, and so no task files: {_codes(without)}."]
    return "\n".join(lines)


def _checking(content: Mapping[str, Any]) -> str:
    return (
        "```sh\n"
        f"pip install augment-ru=={content['environment']['augment_ru']}\n"
        "augment-ru release verify . --rebuild 20\n"
        "```\n\n"
        "checks every file and every row, and makes 20 rows of each task anew. `manifest.json` names what went in: "
        "versions, digests of inputs, dictionaries and rules, seed "
        f"{content['recipe']['seed']}. With the input files beside it, the recipe makes the same bytes:\n\n"
        "```sh\n"
        "augment-ru release recipe.toml -o again\n"
        "```"
    )


def _limits(content: Mapping[str, Any]) -> str:
    lines = [
        "- Perturbations are made by rules and models, and were not read by people one by one.",
        "- The gate measures likeness, not whether the answer still holds.",
        "- Constraints protect what their rules find; a name that the annotation misses may be changed.",
        "- The perturbations are those of this recipe: other typos, other words, another seed give other figures.",
        "- Train rows are demonstrations for few-shot evaluation and are not perturbed.",
    ]
    poor = [
        f"`{attack['name']}` on `{task['name']}` ({_share(attack['accepted'])} %)"
        for task in content["tasks"]
        for attack in task["attacks"]
        if attack["accepted"] is not None and attack["accepted"] < 0.5  # noqa: PLR2004  (half of the rows)
    ]
    if poor:
        lines.append(f"- Fewer than half of the rows were perturbed by {', '.join(poor)}.")
    return "\n".join(lines)


def _licences(content: Mapping[str, Any]) -> str:
    recipe = content["recipe"]
    authors = f" By {', '.join(recipe['authors'])}." if recipe["authors"] else ""
    homepage = f" {recipe['homepage']}" if recipe["homepage"] else ""
    return (
        f"The release: {recipe['licence']}.{authors}{homepage} The rows keep the licence of their task (table above). "
        "The dictionaries and rules of augment-ru: Apache-2.0."
    )


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
