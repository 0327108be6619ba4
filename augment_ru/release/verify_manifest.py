"""What a manifest says beside the digests: it must follow from the recipe and the rows, as when it was built."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from augment_ru.formats.json_lines import parsed
from augment_ru.release.assemble import CARD, RECIPE, described
from augment_ru.release.figures import Tally, merged
from augment_ru.release.manifest import MANIFEST, OWN
from augment_ru.release.recipe import TaskPart
from augment_ru.release.sources import File, Source, episodes
from augment_ru.release.verify_rows import Files, schema_of


def expected_files(files: Files) -> set[str]:
    """The files that a release of this recipe has, but those that are made from the manifest."""
    rows = {
        f"{task['name']}/{file}.jsonl"
        for task in files.content["tasks"]
        for file in ("test", "edits", *(("train",) if task["train"] else ()))
    }
    return {CARD, RECIPE, *rows, *(f"{OWN}/{Path(name).name}" for name in files.plan.own_files)}


def head_problems(files: Files) -> Iterator[str]:
    """The complaints about the manifest of a release whose rows are what was written."""
    content, plan = files.content, files.plan
    if content["name"] != plan.name:
        yield f"{MANIFEST}: name {content['name']!r}; the recipe's is {plan.name!r}"
    if content["episodes"] != [asdict(episode) for episode in episodes(plan)]:
        yield f"{MANIFEST}: the episodes are not those of the recipe"
    tallies: dict[str, Tally] = {attack.name: Tally() for attack in plan.attacks}
    for number, (part, task) in enumerate(zip(plan.tasks, content["tasks"], strict=True)):
        sizes = {one["split"]: one["rows"] for one in content["inputs"] if one["task"] == part.name}
        if sizes != {split: task[split] for split in ("train", "test") if task[split]}:
            yield f"{MANIFEST}: the rows of the inputs of '{part.name}' are not those of the release"
        told = described(_source(files, number, part), plan, {}, ())
        for key in told.keys() - {"attacks", "train", "train_digests"}:
            if told[key] != task.get(key):
                yield f"{MANIFEST}: '{key}' of '{part.name}' does not follow from its rows and the recipe"
        attacks = [attack.name for attack in plan.attacks_of(part)]
        for at, line in enumerate(files.lines(f"{part.name}/edits.jsonl")[task["test"] :]):
            tallies[attacks[at // task["test"]]].add(parsed(line)[1])
    for attack, known in zip(plan.attacks, content["attacks"], strict=True):
        if known != {"name": attack.name, "spec": attack.spec, **merged([tallies[attack.name]]).figures()}:
            yield f"{MANIFEST}: the figures of '{attack.name}' over all tasks are not those of the rows"


def _source(files: Files, number: int, part: TaskPart) -> Source:
    """A task's original rows, from the release."""
    task: Mapping[str, Any] = files.content["tasks"][number]

    def read(split: str) -> File:
        lines = files.lines(f"{part.name}/{split}.jsonl")[: task[split]]
        return File("", "", tuple(line.decode() for line in lines))

    return Source(part, schema_of(files.content, number, part), read("test"), read("train") if task["train"] else None)
