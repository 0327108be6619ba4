"""The adversarial part of a release: variations that searches make against the models that the recipe names."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from augment_ru.adversary.adversary import Adversary
from augment_ru.adversary.goal import Goal
from augment_ru.adversary.result import Finding
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import Prepared
from augment_ru.errors import AugmentError, saying_instead
from augment_ru.evaluation.answers import different_golds, labels_of_different
from augment_ru.evaluation.examples import ModelRequest, NamedModel, example_of
from augment_ru.formats.row import new_row
from augment_ru.records.task import Task
from augment_ru.release.original_rows import TaskInput
from augment_ru.release.release_recipe import TRAINED, AdversaryRecipe, ReleaseRecipe


class Searched(NamedTuple):
    """What is needed of a task, besides the recipe, to make the models that searches attack.

    Attributes:
        labels: the different right answers of all rows of the task, sorted; None if answers are free texts.
        train: the file with the task's train rows as they are written in the release; None if there are none.
    """

    labels: tuple[str, ...] | None
    train: str | None


def searched(task: TaskInput, train: Path | None) -> Searched:
    """Return what is needed of a task to make the models that searches attack: its labels and its train file.

    Args:
        task: the task with all its rows.
        train: the file of its train rows; None if there are no train rows.
    """
    golds = different_golds((row.values for file in task.files.values() for row in file.records), task.schema)
    return Searched(labels_of_different(golds, task.schema), None if train is None else str(train))


@contextmanager
def train_files(recipe: ReleaseRecipe, tasks: Sequence[TaskInput]) -> Iterator[list[Searched | None]]:
    """Write the train rows of each searched task to a temporary file, for the models that searches attack.

    The files exist during a `with` block. Yields, for each task, its labels and the path of its file; None for a task
    that is not searched.

    Args:
        recipe: the recipe of the release.
        tasks: the tasks with their rows.
    """
    with TemporaryDirectory() as folder:
        found: list[Searched | None] = []
        for number, task in enumerate(tasks):
            path = Path(folder) / f"{number}.jsonl" if task.train else None
            if path is not None and task.train is not None:
                path.write_bytes("".join(f"{record.line}\n" for record in task.train.records).encode())
            found.append(searched(task, path) if recipe.searches_of(task.recipe) else None)
        yield found


@dataclass(frozen=True, slots=True)
class Searches:
    """The searches of a recipe against models. The model of a search is made when the search first runs.

    Attributes:
        recipe: the adversarial part of the recipe, with absolute paths of its files.
        perturbers: the attacks whose changes the searches may use, with the gate of the release.
        seed: the seed of the release.
        device: the device that networks run on.
    """

    recipe: AdversaryRecipe
    perturbers: Sequence[Perturber]
    seed: int
    device: str
    _made: dict[tuple[str, Searched], Adversary] = field(default_factory=dict)

    def model(self, variation: str, schema: Task, given: Searched) -> NamedModel:
        """Make the model that one of the searches attacks.

        Args:
            variation: the name of the variation that the search makes, such as "adversary_linear".
            schema: the schema of the task.
            given: what the model is made from: the labels and the train file of the task.

        Raises:
            AugmentError: the model cannot be made for this task.
        """
        spec = self.recipe.searches[variation]
        options = self.recipe.options.get(spec.partition(":")[0], {})
        where, remedy = f"[adversary]: task of the schema '{schema.name}'", "name the tasks that it can answer in tasks"
        with saying_instead(lambda error: f"{where}: {error}; {remedy}", AugmentError):
            request = ModelRequest("", schema, given.labels, self.device, train=given.train, seed=self.seed)
            return NamedModel.made(spec, request, options)

    def findings(self, variation: str, prepared: Prepared, given: Searched) -> list[Finding]:
        """Run one of the searches on prepared records of a task; return what it found for each record.

        Args:
            variation: the name of the variation that the search makes, such as "adversary_linear".
            prepared: the records, with their protected spans.
            given: what the attacked model is made from: the labels and the train file of the task.

        Raises:
            AugmentError: a record has no right answer, or the model fails.
        """
        known = (variation, given)
        if known not in self._made:
            model = self.model(variation, prepared.records[0].task, given)
            self._made[known] = Adversary(self.perturbers, model, budget=self.recipe.budget, draws=self.recipe.draws)
        return self._made[known].search(prepared)

    def breaks(self, found: Mapping[str, Sequence[Finding]], given: Searched) -> dict[str, list[list[str]]]:
        """Return, for each row that a search made, the names of the other searches whose models it breaks, too.

        A row breaks another model if it turns a right answer of this model wrong. The result has, for each search, a
        list of such names for each of its rows. The result is empty unless the recipe asks for a split `hard`, which
        holds the rows that break the most models.

        Args:
            found: what the searches found for the same records, by the name of the variation that each makes.
            given: what the models are made from: the labels and the train file of the task.

        Raises:
            AugmentError: a model fails.
        """
        told = {name: [list[str]() for _ in own] for name, own in found.items()} if self.recipe.hard else {}
        for name, rows in told.items():
            for other in (one for one in found if one != name):
                goals = [Goal.of(one.record) for one in found[other]]
                asked = [
                    at
                    for at, (goal, one) in enumerate(zip(goals, found[other], strict=True))
                    if found[name][at].status == "broken" and goal.is_right(one.before)
                ]
                values = [new_row(found[name][at].record.values, found[name][at].changed("none")) for at in asked]
                questions = [example_of(one, goals[0].task) for one in values]
                for at, said in zip(asked, self._made[other, given].ledger.ask(questions), strict=True):
                    if goals[at].is_broken(goals[at].answer(said)):
                        rows[at].append(other)
        return told


def model_entries(
    recipe: ReleaseRecipe, searches: Searches, tasks: Sequence[TaskInput], given: Sequence[Searched | None]
) -> list[dict[str, Any]]:
    """Return what the manifest says about the attacked models: digests of their files, and a signature for each task.

    Args:
        recipe: the recipe as it is written.
        searches: the searches, with absolute paths of the files.
        tasks: the tasks.
        given: what the models are made from: the labels and the train file of each task; None for a task that is not
            searched.

    Raises:
        AugmentError: a model cannot be made.
    """
    return [
        {
            "name": name,
            "model": model,
            "files": model_digests(searches.recipe.searches[name]),
            "signatures": {
                task.recipe.name: _signature(searches, name, model, task.schema, one)
                for task, one in zip(tasks, given, strict=True)
                if one is not None
            },
        }
        for name, model in recipe.searches.items()
    ]


def _signature(searches: Searches, name: str, model: str, schema: Task, given: Searched) -> str:
    """Return the signature of a model, with the path of its file or folder as the recipe writes it."""
    place, written = (spec.partition(":")[2] for spec in (searches.recipe.searches[name], model))
    signature = searches.model(name, schema, given).signature or model
    return signature.replace(place, written) if place else signature


def model_digests(spec: str) -> dict[str, str]:
    """Return the SHA-256 of each file in the folder of a model, by path in the folder.

    For a model that is trained on a file, the result has only the SHA-256 of this file, by its name. The result is
    empty if there are no such files on this machine.

    Args:
        spec: the specification of the model, KIND or KIND:ARGUMENT.
    """
    kind, _, argument = spec.partition(":")
    path = Path(argument)
    if kind in TRAINED:
        return {path.name: sha256(path.read_bytes()).hexdigest()} if argument and path.is_file() else {}
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else []
    return {one.relative_to(path).as_posix(): sha256(one.read_bytes()).hexdigest() for one in files}
