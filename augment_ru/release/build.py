"""Build a release, shard by shard, in a temporary folder; rename this folder when the release is complete.

So the folder of a release is always complete. A shard is a part of the rows of a task that one worker perturbs.
Finished shards are kept, so that a run that was killed can be resumed.
"""

import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from augment_ru.constraints.protection import check_rules
from augment_ru.engine.prepare import CHUNK_CHARACTERS
from augment_ru.errors import AugmentError, amount, saying_where
from augment_ru.formats.files import check_folder, followed
from augment_ru.options import integer
from augment_ru.records.groups import grouped
from augment_ru.records.record import Record
from augment_ru.release import manifest, variations
from augment_ru.release.assemble import assemble, read_shard
from augment_ru.release.original_rows import TaskInput, constraints_of, read_task, rules_of
from augment_ru.release.release_recipe import read_release_recipe
from augment_ru.run.engines import LOCAL, engine_of, in_order
from augment_ru.run.stores import FolderStore, sealed

Progress = Callable[[int, int], None]
"""A function that is called with the number of newly finished shards, and the number of all shards."""

SHARD_ROWS = 256
"""The number of original rows in a shard. This is about five seconds of work, and a killed run loses no more."""


class ShardInput(NamedTuple):
    """The original rows of a shard: a part of the rows of a task that one worker perturbs.

    Attributes:
        task: the index of the task in the recipe, from 0.
        first: the index of the first row in the test file, from 0.
        records: the rows.
        searched: the labels and the train file of the task, for the models that searches attack; None if no search is
            made for the task.
    """

    task: int
    first: int
    records: tuple[Record, ...]
    searched: variations.Searched | None = None


def split_into_shards(whole: ShardInput, size: int = SHARD_ROWS) -> Iterator[ShardInput]:
    """Divide the rows of a task into shards, each of which one worker perturbs.

    Args:
        whole: all rows of the task.
        size: the number of rows in a shard; shards of long rows have fewer.
    """
    first = characters = 0
    for at, record in enumerate(whole.records):
        characters += len(record.line or "")
        if at + 1 == len(whole.records) or at + 1 - first == size or characters >= CHUNK_CHARACTERS:
            yield whole._replace(first=first, records=whole.records[first : at + 1])
            first, characters = at + 1, 0


_STATE = "state.json"
"""The file of an unfinished build that holds what its rows depend on."""


class Staging(NamedTuple):
    """The folders in which a release is built and to which it is then moved.

    Attributes:
        target: the folder of the release.
        unfinished: the folder in which the release is built; it has the same parent.
    """

    target: Path
    unfinished: Path

    @classmethod
    def of(cls, target: Path) -> "Staging":
        """Return the folder of a release, and the folder in which it is built.

        Args:
            target: the folder of the finished release.

        Raises:
            AugmentError: `target` is not a folder, is the working folder, or its parent does not exist.
        """
        resolved = followed(target)  # so that a link is kept
        if resolved.exists() and not resolved.is_dir():
            raise AugmentError(f"{target}: is no folder; give a new one with -o")
        check_folder(str(target), resolved)
        if resolved == Path.cwd():
            raise AugmentError(f"{target}: is the working folder, which a release cannot replace; give another with -o")
        return cls(resolved, resolved.parent / f".{resolved.name}.unfinished")

    @property
    def release(self) -> Path:
        """The folder in which the files of the release are written, before it is moved to the target."""
        return self.unfinished / "release"

    def shard(self, task: int, first: int) -> Path:
        """Return the path of the file that holds a finished shard.

        Args:
            task: the index of the task in the recipe, from 0.
            first: the index of the shard's first row in the test file, from 0.
        """
        return self.unfinished / "shards" / f"{task:03d}-{first:09d}"

    def finished(self, facts: Mapping[str, Any], *, resume: bool) -> Mapping[str, Any] | None:
        """Return the manifest of the release that is already complete in the target folder.

        The result is None if the target folder does not exist or is empty.

        Args:
            facts: what the rows of the new release depend on, the first entries of its manifest.
            resume: whether a complete release is accepted if its facts are the same; otherwise it is an error.

        Raises:
            AugmentError: the target is not empty and `resume` is not set, or the target holds anything but this
                release.
        """
        if not self.target.exists() or not any(self.target.iterdir()):
            return None
        if not resume:
            raise AugmentError(f"{self.target}: is not empty; give a new folder with -o")
        content = manifest.read_manifest(self.target / manifest.MANIFEST)
        if different := _first_difference(content, facts):
            raise AugmentError(f"{self.target}: holds a release of another {different}; give a new folder with -o")
        shutil.rmtree(self.unfinished, ignore_errors=True)
        return content

    @contextmanager
    def building(self, facts: Mapping[str, Any], *, resume: bool) -> Iterator[None]:
        """Begin a build for a `with` block, or continue one that was killed.

        No other run can build this release at the same time. If the block raises an `AugmentError` before any shard is
        finished, the unfinished folder is deleted. Otherwise it is kept, so that the build can be continued.

        Args:
            facts: what the rows depend on, the first entries of the manifest.
            resume: whether a build that was killed is continued.

        Raises:
            AugmentError: another run builds this release, `resume` is not set although there is an unfinished build, or
                that build has other facts. An error of the block is raised again.
        """
        with FolderStore(self.unfinished).held(str(self.target)):
            self._begin(facts, resume=resume)
            try:
                yield
            except AugmentError as error:
                if any((self.unfinished / "shards").iterdir()):
                    raise AugmentError(
                        f"{error}; finished shards are kept: continue with `resume`, "
                        f"or, after a change of recipe or rows, delete the folder {self.unfinished}"
                    ) from error
                shutil.rmtree(self.unfinished, ignore_errors=True)
                raise

    def _begin(self, facts: Mapping[str, Any], *, resume: bool) -> None:
        store = FolderStore(self.unfinished)
        (self.unfinished / "shards").mkdir(exist_ok=True)
        if (stated := store.read(_STATE)) is None:
            store.write(_STATE, json.dumps(facts, ensure_ascii=False).encode())
            return
        if different := _first_difference(json.loads(stated), facts):
            remedy = f"restore that, or delete the folder {self.unfinished}"
            raise AugmentError(f"{self.target}: the unfinished build was made from another {different}; {remedy}")
        if not resume:
            remedy = f"continue it with `resume`, or delete the folder {self.unfinished}"
            raise AugmentError(f"{self.target}: an unfinished build stands beside it; {remedy}")

    def publish(self) -> None:
        """Move the complete release from the folder in which it was built to its target, in one rename."""
        if self.target.exists():
            self.target.rmdir()
        self.release.rename(self.target)
        shutil.rmtree(self.unfinished)


_NAMES = {
    "recipe": "recipe",
    "inputs": "input file",
    "data": "dictionary, rule, task or prompt file",
    "environment": "version",
    "models": "model",
}
"""Maps keys of a manifest to the words used for them in messages."""


def _first_difference(before: Mapping[str, Any], facts: Mapping[str, Any]) -> str | None:
    """Return the name of the first fact that differs; None if all are equal."""
    return next((_NAMES.get(key, key) for key, value in facts.items() if before.get(key) != value), None)


@dataclass(slots=True)
class BuildReport:
    """The result of a build.

    Attributes:
        content: the manifest.
        timing: the nanoseconds of each kind of work, summed over all workers.
        made: how many shards were made in this run.
        kept: how many shards were kept from an earlier run.
        seconds: how long the build took.
        digest: the digest of the manifest, which covers the whole release.
    """

    content: Mapping[str, Any] = field(default_factory=dict)
    timing: Counter[str] = field(default_factory=Counter)
    made: int = 0
    kept: int = 0
    seconds: float = 0.0
    digest: str = ""

    def __str__(self) -> str:
        tasks = self.content["tasks"]
        rows = sum(task["test"] * (len(manifest.variations_in(task)) + 1) for task in tasks)
        train = sum(task["train"] for task in tasks)
        counts = f"{amount(len(tasks), 'task')}, {amount(rows, 'test row')}, {amount(train, 'train row')}"
        shards = f"{amount(self.made, 'shard')} made, {self.kept:,} kept"
        times = ", ".join(
            f"{what} {self.timing[what] / 1e9:.1f}" for what in ("annotation", "attacks and gate", "rows")
        )
        return f"{counts}; {shards}; {self.seconds:.1f} s ({times}); manifest {self.digest}"

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

    A shard is a part of the rows of a task that one worker makes.

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
    build = ReleaseBuild(Path(recipe_file), Path(target), workers, device, resume=resume, shard_rows=shard_rows)
    return build.run(progress)


class ReleaseBuild:
    """A build that is ready to run: its recipe is checked and its tools are made, but no rows have been read.

    Args:
        recipe_file: the file of the recipe.
        target: the folder of the finished release.
        workers: the number of processes.
        resume: whether a build that was killed is continued.
        device: the device of models: auto, cpu, cuda or cuda:N.
        shard_rows: the number of original rows in a shard.

    Attributes:
        folder: the folder of the recipe.
        staging: the folders of the release and of its build.
        recipe: the recipe as it is written.
        located: the recipe with absolute paths of the user's own files.
        tools: the attacks, gate and annotator of the recipe.

    Raises:
        AugmentError: the recipe, the folder or a number is wrong.
    """

    def __init__(
        self, recipe_file: Path, target: Path, workers: int, device: str, *, resume: bool, shard_rows: int = SHARD_ROWS
    ) -> None:
        self._workers, self._resume, self._shard_rows = integer("workers", workers, least=1), resume, shard_rows
        self._recipe_file, self.recipe = recipe_file, read_release_recipe(recipe_file)
        self.folder, self.staging = recipe_file.resolve().parent, Staging.of(target)
        self.located = self.recipe.located(self.folder.joinpath, self.folder)
        self.tools = variations.make_tools(self.located, device)

    def run(self, progress: Progress = lambda done, total: None) -> BuildReport:  # noqa: ARG005
        """Build the release.

        Args:
            progress: called with the number of newly finished shards, and the number of all shards.

        Raises:
            AugmentError: a row, a rule or a folder is wrong; then no folder is made at the target.
        """
        began = time.perf_counter()
        tasks = [read_task(self.recipe, task, self.folder) for task in self.recipe.tasks]
        for task, located in zip(tasks, self.located.tasks, strict=True):
            with saying_where(f"[[task]] '{located.name}'"):  # so that a wrong rule is found at once
                check_rules(rules_of(self.located, located, task.schema))
        facts = self._facts(tasks)
        with variations.train_files(self.recipe, tasks) as given:
            if self.tools.searches:
                searched = list(zip(tasks, given, strict=True))
                facts |= {"models": variations.model_entries(self.recipe, self.tools.searches, searched)}
            report = BuildReport(self.staging.finished(facts, resume=self._resume) or {})
            if not report.content:  # else it is complete already
                depends = {**facts, "shard_rows": self._shard_rows}
                inputs = [
                    shard
                    for number, (task, one) in enumerate(zip(tasks, given, strict=True))
                    for shard in split_into_shards(ShardInput(number, 0, task.test.records, one), self._shard_rows)
                ]
                with self.staging.building(depends, resume=self._resume):
                    shards = self._shards(inputs, report, progress)
                    own = {"recipe_file": self._recipe_file, "target": self.staging.release}
                    report.content = assemble(self.recipe, tasks, shards, facts=facts, **own)
                    self.staging.publish()
        report.digest = manifest.own_digest(self.staging.target / manifest.MANIFEST)
        report.seconds = time.perf_counter() - began
        return report

    def _facts(self, tasks: Sequence[TaskInput]) -> dict[str, Any]:
        """Return the first entries of the manifest, which state all that the rows of the release depend on."""
        rules = {name for task in tasks for name in constraints_of(self.recipe, task.recipe, task.schema)}
        return {
            "format": manifest.FORMAT,
            "name": self.recipe.name,
            "recipe": self.recipe.content(),
            "environment": dict(manifest.environment(self.tools.models)),
            "annotator": self.tools.annotate.signature,
            "scorer": self.tools.scorer,
            "settings": variations.settings_of(self.tools),
            "data": manifest.data_files(self.recipe, rules, self.folder.joinpath),
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

    def _shards(self, inputs: Sequence[ShardInput], report: BuildReport, progress: Progress) -> list[list[Path]]:
        """Return the files of the shards of each task, in order. Shards that do not exist yet are made."""
        paths = [self.staging.shard(shard.task, shard.first) for shard in inputs]
        missing = [(shard, path) for shard, path in zip(inputs, paths, strict=True) if read_shard(path) is None]
        report.kept = len(inputs) - len(missing)
        progress(report.kept, len(inputs))
        engine = engine_of(LOCAL, min(self._workers, max(len(missing), 1)))
        for _, timing in in_order(engine, partial(_make_shard, self.tools), missing):
            report.timing.update(timing)
            report.made += 1
            progress(1, len(inputs))
        return list(grouped((shard.task, path) for shard, path in zip(inputs, paths, strict=True)).values())


def _make_shard(tools: variations.Tools, part: tuple[ShardInput, Path]) -> Counter[str]:
    """Perturb the rows of a shard, write its file, and return how many nanoseconds each kind of work took."""
    shard, path = part
    timing: Counter[str] = Counter()
    records = dict(enumerate(shard.records, start=shard.first))
    found = {
        name: tuple("".join(f"{line}\n" for line in lines).encode() for lines in (rows, entries))
        for name, rows, entries in variations.variations(
            tools, tools.recipe.tasks[shard.task], records, timing, shard.searched
        )
    }
    FolderStore(path.parent).write(path.name, sealed(found))
    return timing
