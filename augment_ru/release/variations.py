"""Make the variations of rows: the original rows, and the rows that each attack and search of the task makes.

A search is made against a model that the recipe names. This model is made from the recipe, the labels of the task, and
the train file of the task (`Searched`).
"""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeAlias

from augment_ru.adversary.adversary import Adversary, Finding
from augment_ru.adversary.goal import Goal
from augment_ru.engine.perturber import Perturber
from augment_ru.engine.prepare import Preparation, Prepared
from augment_ru.engine.presets import AttackChoice, preset, run_of
from augment_ru.errors import AugmentError, saying_instead
from augment_ru.evaluation.answers import different_golds, labels_of_different
from augment_ru.evaluation.examples import ModelRequest, NamedModel, example_of
from augment_ru.formats.row import new_row
from augment_ru.language.annotate import Annotator, annotator
from augment_ru.records.record import Record
from augment_ru.records.task import Task
from augment_ru.release.edit_log import original_entry, placed, result_entry
from augment_ru.release.manifest import digests_in, file_digest
from augment_ru.release.original_rows import TaskInput, rules_of, with_perturbation
from augment_ru.release.release_recipe import TRAINED, AdversaryRecipe, ReleaseRecipe, TaskRecipe


class Searched(NamedTuple):
    """The labels and the train file of a task, from which the models that searches attack are made.

    Attributes:
        labels: the different right answers of all rows of the task, sorted; None if answers are free texts.
        train: the file with the task's train rows as they are written in the release; None if there are none.
    """

    labels: tuple[str, ...] | None
    train: str | None


SearchedTask: TypeAlias = tuple[TaskInput, Searched | None]
"""A task, and what the models that searches attack are made from (None if no search is made for the task)."""


def searched(recipe: ReleaseRecipe, task: TaskInput, train: Path | None) -> Searched | None:
    """Return the labels and the train file of a task, for the models that searches attack.

    The result is None if no search is made for the task.

    Args:
        recipe: the recipe of the release.
        task: the task with all its rows.
        train: the file of its train rows; None if there are no train rows.
    """
    if not recipe.searches_of(task.recipe):
        return None
    golds = different_golds((row.values for file in task.files.values() for row in file.records), task.schema)
    return Searched(labels_of_different(golds, task.schema), None if train is None else str(train))


@contextmanager
def train_files(recipe: ReleaseRecipe, tasks: Sequence[TaskInput]) -> Iterator[list[Searched | None]]:
    """Write the train rows of each searched task to a temporary file, for the models that searches attack.

    The files exist during a `with` block. It gets a list with an entry for each task: the labels and the path of the
    file, or None for a task that is not searched.

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
            found.append(searched(recipe, task, path))
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
        """Make the model that a search of the recipe attacks.

        Args:
            variation: the name of the search and of the variation that it makes, such as "adversary_linear".
            schema: the task: its fields, right answers and benchmark.
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
        """Run a search of the recipe on prepared records of a task; return what it found for each record.

        Args:
            variation: the name of the search and of the variation that it makes, such as "adversary_linear".
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
        """Find out which models each row breaks besides the one that it was searched against.

        A row breaks a model if it turns a right answer of the model wrong. The result maps each search to a list with
        an entry for each of its rows: the names of the other searches whose models the row breaks. It is empty unless
        the recipe asks for a split `hard`, which holds the rows that break the most models.

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


def model_entries(recipe: ReleaseRecipe, searches: Searches, tasks: Sequence[SearchedTask]) -> list[dict[str, Any]]:
    """Return what the manifest says about the attacked models: digests of their files, and a signature for each task.

    Args:
        recipe: the recipe as it is written.
        searches: the searches, with absolute paths of the files.
        tasks: the tasks.

    Raises:
        AugmentError: a model cannot be made.
    """
    return [
        {
            "name": name,
            "model": model,
            "files": model_digests(searches.recipe.searches[name]),
            "signatures": {
                task.recipe.name: _signature(searches, name, model, task.schema, given)
                for task, given in tasks
                if given is not None
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
        return {path.name: file_digest(path)} if argument and path.is_file() else {}
    return digests_in(path) if path.is_dir() else {}


class Tools(NamedTuple):
    """The attacks, gate, annotator and searches of a recipe; made once in each process.

    Attributes:
        recipe: the recipe.
        perturbers: maps the name of each attack in the recipe to the attack with the gate that its texts must pass.
        annotate: the annotator.
        scorer: the signature of the similarity.
        models: whether an attack, the similarity or a search runs a network.
        searches: the searches against models; None if the recipe has none.
    """

    recipe: ReleaseRecipe
    perturbers: Mapping[str, Perturber]
    annotate: Annotator
    scorer: str
    models: bool
    searches: Searches | None = None


def make_tools(recipe: ReleaseRecipe, device: str = "auto") -> Tools:
    """Make the attacks, gate, annotator and searches of a recipe.

    Args:
        recipe: the recipe, with absolute paths.
        device: the device that models run on: auto, cpu, cuda or cuda:N.

    Raises:
        AugmentError: the name of an attack, similarity or annotator is unknown, a value is out of range, or an attack
            needs all rows of a run at once.
    """
    gate = recipe.gate
    search = {key: getattr(gate, key) for key in ("threshold", "schedule", "candidates", "min_changes", "floor")}
    adversary = recipe.adversary
    pooled = [AttackChoice(one, {}, adversary.probability, None, one) for one in adversary.attacks] if adversary else []
    named = (AttackChoice(one.spec, one.options, one.probability, one.threshold, one.name) for one in recipe.attacks)
    run = run_of(
        preset(recipe.preset),
        [*named, *pooled],
        gate.similarity,
        options=dict(gate.options),
        search={key: value for key, value in search.items() if value is not None},
        seed=recipe.seed,
        device=device,
    )
    names = [*(one.name for one in recipe.attacks), *(adversary.attacks if adversary else ())]
    for name, perturber in zip(names, run.perturbers, strict=True):
        if perturber.attack.wants_corpus:
            problem = f"attack '{name}': reads all rows of a run, so none could be rebuilt by itself"
            raise AugmentError(f"{problem}; give its generator a file (corpus:FILE), or leave it out")
    own = run.perturbers[: len(recipe.attacks)]
    perturbers = {attack.name: perturber for attack, perturber in zip(recipe.attacks, own, strict=True)}
    searches = Searches(adversary, run.perturbers[len(own) :], recipe.seed, device) if adversary else None
    models = run.runs_network or any(model.partition(":")[0] not in TRAINED for model in recipe.searches.values())
    return Tools(recipe, perturbers, annotator(gate.annotator or "natasha"), run.scorer, models, searches)


def settings_of(tools: Tools) -> dict[str, dict[str, Any]]:
    """Return the settings of each attack for the manifest: its probability, threshold and number of candidates.

    Candidates are the random perturbations that are tried for a row.

    Args:
        tools: the attacks, gate and annotator of the recipe.
    """
    return {
        name: {"probability": one.attack.probability, "threshold": one.threshold, "candidates": one.candidates}
        for name, one in tools.perturbers.items()
    }


def variations(
    tools: Tools, task: TaskRecipe, records: Mapping[int, Record], timing: Counter[str], given: Searched | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the variations of some rows of a task: the original rows, then the rows of each attack and each search.

    Each item has the name of a variation, its rows, and what the edit log says about each row. Rows and entries of the
    log are lines of JSON without line breaks.

    Args:
        tools: the attacks, gate, annotator and searches of the recipe.
        task: the part of the recipe on the task.
        records: maps the index of a row in the test file, from 0, to the original row with its line. At least one.
        timing: the nanoseconds of each kind of work (annotation, attacks and gate, rows); those of this call are added.
        given: what attacked models are made from: the labels and the train file of the task; None if it is not
            searched.
    """
    rows = list(records.values())
    needs = [tools.perturbers[attack.name].needs for attack in tools.recipe.attacks_of(task)]
    if tools.searches and given:
        needs += [one.needs for one in tools.searches.perturbers]
    began = time.perf_counter_ns()
    prepared = Preparation(rules_of(tools.recipe, task, rows[0].task), tools.annotate).chunk(rows, needs)
    timing["annotation"] += time.perf_counter_ns() - began
    protected = [
        {prepared.fields[text]: placed(prepared.batch.protected(text)) for text in prepared.rows(at)}
        for at in range(len(prepared))
    ]
    originals = [record.line or "" for record in rows]
    of_originals = zip(records, originals, protected, strict=True)
    entries = [original_entry(number, task.name, line, spans) for number, line, spans in of_originals]
    yield task.name, originals, entries
    results: dict[str, Any] = {}
    searches = tools.recipe.searches_of(task)
    began = time.perf_counter_ns()
    for name in tools.recipe.variations_of(task):
        if tools.searches and given and name in searches:
            results[name] = tools.searches.findings(name, prepared, given)
        else:
            results[name] = tools.perturbers[name].perturb(prepared).results
    timing["attacks and gate"] += time.perf_counter_ns() - began
    searched = {name: results[name] for name in searches}
    breaks = tools.searches.breaks(searched, given) if tools.searches and given else {}
    for name, found in results.items():
        began = time.perf_counter_ns()
        lines = [with_perturbation(one.line("none"), name) for one in found]
        rows_of = zip(records, lines, found, protected, breaks.get(name, [()] * len(lines)), strict=True)
        entries = [result_entry(at, name, line, one, spans, breaks=own) for at, line, one, spans, own in rows_of]
        timing["rows"] += time.perf_counter_ns() - began
        yield name, lines, entries
