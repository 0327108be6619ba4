"""Build a release, shard by shard, in a temporary folder; rename this folder when the release is complete.

So the folder of a release is always complete. Finished shards are kept, so that a run that was killed can be resumed.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from augment_ru.constraints.protection import check_rules
from augment_ru.errors import AugmentError, amount
from augment_ru.formats.files import replacing
from augment_ru.release.assemble import assemble
from augment_ru.release.manifest import FORMAT, MANIFEST, data_files, environment, own_digest, variations_in
from augment_ru.release.original_rows import TaskInput, constraints_of, read_task, rules_of
from augment_ru.release.release_recipe import ReleaseRecipe, read_release_recipe
from augment_ru.release.searched_models import Searched, model_entries, train_files
from augment_ru.release.shards import SHARD_ROWS, Shard, ShardInput, make_shard, read_shard, split_into_shards
from augment_ru.release.staging import Staging
from augment_ru.release.variations import Timing, Tools, make_tools, settings_of
from augment_ru.run.engines import LOCAL, engine_of, in_order

Progress = Callable[[int, int], None]
"""A function that is called with the number of newly finished shards, and the number of all shards."""


@dataclass(slots=True)
class BuildReport:
    """The result of a build.

    Attributes:
        content: the manifest.
        timing: seconds by kind of work, summed over all workers.
        made: how many shards were made now.
        kept: how many shards were kept from an earlier run.
        seconds: how long the build took.
        digest: the digest of the manifest, which covers the whole release.
    """

    content: Mapping[str, Any] = field(default_factory=dict)
    timing: Timing = field(default_factory=Timing)
    made: int = 0
    kept: int = 0
    seconds: float = 0.0
    digest: str = ""

    def __str__(self) -> str:
        tasks = self.content["tasks"]
        rows = sum(task["test"] * (len(variations_in(task)) + 1) for task in tasks)
        train = sum(task["train"] for task in tasks)
        seconds = (
            f"{self.seconds:.1f} s (annotation {self.timing.annotation:.1f}, "
            f"attacks and gate {sum(self.timing.perturbing.values()):.1f}, rows {self.timing.writing:.1f})"
        )
        sentences = [
            f"{amount(len(tasks), 'task')}, {amount(rows, 'test row')}, {amount(train, 'train row')}",
            f"{amount(self.made, 'shard')} made, {self.kept:,} kept",
            seconds,
            f"manifest {self.digest}",
        ]
        return "; ".join(sentences)

    @property
    def prompts(self) -> str:
        """A line that names the prompt of each task, and says why tasks are not exported to lm-evaluation-harness."""
        stated = self.content["prompts"]
        named = ", ".join(f"{one['task']} {one['prompt']}" for one in stated if one["prompt"])
        missing = ", ".join(f"{one['task']} ({one['problem']})" for one in stated if one["problem"])
        advice = "; name a prompt file: `prompt` of its [[task]]" if any(not one["prompt"] for one in stated) else ""
        left = f"not exported to lm-evaluation-harness: {missing}{advice}" if missing else ""
        return "; ".join(filter(None, (f"prompts: {named}" if named else "", left)))


def build_release(
    recipe_file: str | Path,
    target: str | Path,
    *,
    workers: int = 1,
    resume: bool = False,
    device: str = "auto",
    shard_rows: int = SHARD_ROWS,
    progress: Progress = lambda done, total: None,  # noqa: ARG005
) -> BuildReport:
    """Build a release. Its bytes depend neither on the number of workers nor on the size of the shards.

    Args:
        recipe_file: a TOML file; docs/release.md lists its keys.
        target: the folder of the release. It must not exist or must be empty, unless `resume` is set.
        workers: the number of processes.
        resume: continue a build that was killed, and accept one that is complete. Without it, both are errors.
        device: the device of models: auto, cpu, cuda or cuda:N.
        shard_rows: the number of original rows in a shard.
        progress: called with the number of newly finished shards, and the number of all shards.

    Raises:
        AugmentError: the recipe, a row, a rule or a folder is wrong; then no folder is made at the target.
    """
    build = ReleaseBuild(Path(recipe_file), Path(target), workers, resume, device, shard_rows)
    return build.run(progress)


@dataclass(slots=True)
class ReleaseBuild:
    """A build that is ready to run: its recipe is checked and its tools are made, but no rows have been read.

    Attributes:
        recipe_file, target, workers, resume, device, shard_rows: as in `build_release`.
        folder: the folder of the recipe.
        staging: the folders of the release and of its build.
        recipe: the recipe as it is written.
        located: the recipe with absolute paths of the user's own files.
        tools: the attacks, gate and annotator of the recipe.

    Raises:
        AugmentError: the recipe, the folder or a number is wrong.
    """

    recipe_file: Path
    target: Path
    workers: int = 1
    resume: bool = False
    device: str = "auto"
    shard_rows: int = SHARD_ROWS
    folder: Path = field(init=False)
    staging: Staging = field(init=False)
    recipe: ReleaseRecipe = field(init=False)
    located: ReleaseRecipe = field(init=False)
    tools: Tools = field(init=False)

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise AugmentError(f"workers {self.workers}; needs a number from 1 on")
        self.recipe = read_release_recipe(self.recipe_file)
        self.folder = self.recipe_file.resolve().parent
        self.staging = Staging.of(self.target)
        self.located = self.recipe.located(lambda name: self.folder / name, self.folder)
        self.tools = make_tools(self.located, self.device)

    def run(self, progress: Progress = lambda done, total: None) -> BuildReport:  # noqa: ARG005
        """Build the release.

        Raises:
            AugmentError: a row, a rule or a folder is wrong; then no folder is made at the target.
        """
        began = time.perf_counter()
        tasks = [read_task(self.recipe, task, self.folder) for task in self.recipe.tasks]
        for task, located in zip(tasks, self.located.tasks, strict=True):
            try:  # so that a wrong rule is found at once
                check_rules(rules_of(self.located, located, task.schema))
            except AugmentError as error:
                raise AugmentError(f"[[task]] '{located.name}': {error}") from error
        facts = manifest_head(self.recipe, tasks, self.folder, self.tools)
        with train_files(self.recipe, tasks) as given:
            if self.tools.searches:
                facts |= {"models": model_entries(self.recipe, self.tools.searches, tasks, given)}
            report = self._built(tasks, given, facts, progress)
        report.digest = own_digest(self.staging.target / MANIFEST)
        report.seconds = time.perf_counter() - began
        return report

    def _built(
        self,
        tasks: Sequence[TaskInput],
        given: Sequence[Searched | None],
        facts: Mapping[str, Any],
        progress: Progress,
    ) -> BuildReport:
        """Make the missing shards and the release, and move it to its folder. Do nothing if it is already complete."""
        report = BuildReport(self.staging.finished(facts, resume=self.resume) or {})
        if not report.content:
            with self.staging.locked():
                self.staging.begin({**facts, "shard_rows": self.shard_rows}, resume=self.resume)
                with self.staging.kept_if_begun():
                    shards = self._shards(tasks, given, report, progress)
                    report.content = assemble(
                        self.recipe,
                        tasks,
                        shards,
                        facts=facts,
                        recipe_file=self.recipe_file,
                        target=self.staging.release,
                    )
                    self.staging.publish()
        return report

    def _shards(
        self,
        tasks: Sequence[TaskInput],
        given: Sequence[Searched | None],
        report: BuildReport,
        progress: Progress,
    ) -> list[list[Shard]]:
        """Return a list of the shards of each task, in order. Shards that do not exist yet are made."""
        content = json.dumps(self.located.content(), ensure_ascii=False)
        inputs = [
            shard
            for number, (task, one) in enumerate(zip(tasks, given, strict=True))
            for shard in split_into_shards(
                ShardInput(content, number, 0, task.test.records, self.device, one), self.shard_rows
            )
        ]
        paths = [self.staging.shard(shard.task, shard.first) for shard in inputs]
        missing = [(shard, path) for shard, path in zip(inputs, paths, strict=True) if read_shard(path) is None]
        report.kept = len(inputs) - len(missing)
        progress(report.kept, len(inputs))
        engine = engine_of(LOCAL, min(self.workers, max(len(missing), 1)))
        for _, timing in in_order(engine, _Saving(), missing):
            report.timing.add(timing)
            report.made += 1
            progress(1, len(inputs))
        found: list[list[Shard]] = [[] for _ in tasks]
        for shard, path in zip(inputs, paths, strict=True):
            finished = read_shard(path)
            if finished is None:
                raise AugmentError(f"{path}: was deleted or changed during the build; run again with `resume`")
            found[shard.task].append(finished)
        return found


def manifest_head(recipe: ReleaseRecipe, tasks: Sequence[TaskInput], folder: Path, tools: Tools) -> dict[str, Any]:
    """Return the first keys of the manifest: everything that the rows of a release depend on."""
    rules = {name for task in tasks for name in constraints_of(recipe, task.recipe, task.schema)}
    return {
        "format": FORMAT,
        "name": recipe.name,
        "recipe": recipe.content(),
        "environment": dict(environment(tools.models)),
        "annotator": tools.annotate.signature,
        "scorer": tools.scorer,
        "settings": settings_of(tools),
        "data": data_files(recipe, rules, lambda name: folder / name),
        "inputs": [
            {
                "task": task.recipe.name,
                "split": split,
                "file": file.path,
                "rows": len(file.records),
                "sha256": file.sha256,
            }
            for task in tasks
            for split, file in task.files.items()
        ],
    }


@dataclass(frozen=True, slots=True)
class _Saving:
    """The job of the workers: make a shard and write its file."""

    def begin(self) -> Callable[[tuple[ShardInput, Path]], Timing]:
        """Return the function that makes a shard. Each worker makes its tools once, with its first shard."""
        return _save


def _save(part: tuple[ShardInput, Path]) -> Timing:
    shard, path = part
    data, timing = make_shard(shard)
    with replacing(path) as stream:
        stream.write(data)
    return timing
