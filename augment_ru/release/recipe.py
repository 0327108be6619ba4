"""The recipe of a release: its tasks, attacks, gate, shots, and who publishes it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from augment_ru.errors import AugmentError

ORIGINAL = "original"
"""The name of the unperturbed rows in lm-evaluation-harness; no attack may have it."""
_ADVERSARY = "adversary"
"""The beginning of the names of variations that searches make."""
BY_TASK = "task"
"""What stands for the numbers of demonstrations that the benchmark of each task shows."""
_MOST_DRAWN = 10**6
"""The most demonstrations of a task, over all its episodes."""
_CORPUS = "corpus:"
"""What stands before the path of a text file in an attack's option."""


@dataclass(frozen=True, slots=True)
class GateRecipe:
    """The gate of a release and its search; None stands for the preset's value, else for `Augmenter`'s default.

    Attributes:
        options: the options of the similarity, name and value as texts.
    """

    similarity: str | None = None
    threshold: float | None = None
    schedule: str | None = None
    candidates: int | None = None
    min_changes: int | None = None
    floor: float | None = None
    annotator: str | None = None
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AttackRecipe:
    """An attack of the release: it makes one variation of every task that takes it.

    Attributes:
        spec: the name of an attack, or several names joined by `+`.
        name: the value of `perturbation` in its rows; by default the spec.
        probability: replaces the default of each attack in the spec.
        threshold: replaces the gate's.
        options: the options of the attacks, by attack; values as texts.
    """

    spec: str
    name: str
    probability: float | None = None
    threshold: float | None = None
    options: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the attacks in the spec."""
        return tuple(part.strip() for part in self.spec.split("+"))

    @property
    def tables(self) -> dict[str, dict[str, str]]:
        """The options as tables."""
        return {attack: dict(values) for attack, values in self.options}


@dataclass(frozen=True, slots=True)
class TaskRecipe:
    """A task of the release.

    Attributes:
        name: the name of its folder, and the value of `perturbation` in its original rows.
        test, train: its files, relative to the recipe; a release without shots needs no train file.
        task: the name of its schema; None: recognised from the rows.
        fields: the fields that are perturbed; empty: the schema's.
        constraints: None: the schema's.
        attacks: the names of the attacks that it takes; None: all.
        shots: its numbers of demonstrations, ascending; None: those of the release.
        licence, description: for the card.
    """

    name: str
    test: str
    train: str | None = None
    task: str | None = None
    fields: tuple[str, ...] = ()
    constraints: tuple[str, ...] | None = None
    attacks: tuple[str, ...] | None = None
    shots: tuple[int, ...] | None = None
    licence: str = ""
    description: str = ""


MODEL_KINDS = ("linear", "adaboost", "hf-classifier", "hf-causal", "hf-seq2seq")
"""The kinds of models that a recipe may name: they are files, whose digests can be published, and run no code."""
TRAINED = ("linear", "adaboost")
"""The kinds that are trained on a file of rows, by default on the train rows of the task."""


@dataclass(frozen=True, slots=True)
class AdversaryRecipe:
    """The adversarial part: for each model a variation of rows that a search has made against it.

    Attributes:
        models: specifications KIND or KIND:ARGUMENT, of `MODEL_KINDS`.
        attacks: the specs of the attacks whose changes make the pool.
        budget: the most queries for a record.
        draws: how many random draws of each attack are in the pool.
        probability: only changes of a rank below it are in the pool.
        tasks: the names of the tasks that are searched; None: all.
        options: the options of the models, by kind; values as texts.
    """

    models: tuple[str, ...]
    attacks: tuple[str, ...]
    budget: int
    draws: int
    probability: float
    tasks: tuple[str, ...] | None = None
    options: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()

    @property
    def searches(self) -> dict[str, str]:
        """The name of each variation, and its model: the kinds of the models, numbered from the second of a kind on."""
        found: dict[str, str] = {}
        kinds: dict[str, int] = {}
        for model in self.models:
            kind = model.partition(":")[0]
            kinds[kind] = kinds.get(kind, 0) + 1
            found[f"{_ADVERSARY}_{kind}" + (f"_{kinds[kind]}" if kinds[kind] > 1 else "")] = model
        return found

    @property
    def tables(self) -> dict[str, dict[str, str]]:
        """The options as tables."""
        return {kind: dict(values) for kind, values in self.options}

    @property
    def own_files(self) -> tuple[str, ...]:
        """The paths of train files and of files in options."""
        trained = (argument for kind, _, argument in (one.partition(":") for one in self.models) if kind in TRAINED)
        options = (value for _, table in self.options for _, value in table if _names_file(value))
        return tuple(path for path in (*trained, *options) if path)

    def with_arguments(self, moved: Callable[[str], str]) -> "AdversaryRecipe":
        """The same with `moved(argument)` for the argument of each model, and for each value of an option."""
        models = (one.partition(":") for one in self.models)
        return replace(
            self,
            models=tuple(f"{kind}{colon}{moved(argument)}" for kind, colon, argument in models),
            options=tuple(
                (kind, tuple((option, moved(value)) for option, value in table)) for kind, table in self.options
            ),
        )


@dataclass(frozen=True, slots=True)
class ReleaseRecipe:
    """A recipe that was read and checked.

    Attributes:
        name: an identifier; the names of the tasks for lm-evaluation-harness start with it.
        shots: the numbers of demonstrations, ascending; every release has zero-shot beside them. None: each task has as
            many as its benchmark shows.
        episodes: the number of episodes for each number of demonstrations.
    """

    name: str
    title: str
    description: str
    licence: str
    language: tuple[str, ...]
    authors: tuple[str, ...]
    homepage: str
    tags: tuple[str, ...]
    seed: int
    preset: str
    gate: GateRecipe
    attacks: tuple[AttackRecipe, ...]
    shots: tuple[int, ...] | None
    episodes: int
    tasks: tuple[TaskRecipe, ...]
    adversary: AdversaryRecipe | None = None

    @property
    def searches(self) -> dict[str, str]:
        """The variations that searches make, each with its model; empty without an adversarial part."""
        return self.adversary.searches if self.adversary else {}

    def searches_of(self, task: TaskRecipe) -> dict[str, str]:
        """Those of a task."""
        is_searched = self.adversary is not None and (self.adversary.tasks is None or task.name in self.adversary.tasks)
        return self.searches if is_searched else {}

    def variations_of(self, task: TaskRecipe) -> tuple[str, ...]:
        """The names of a task's variations but the original, in the order of its test file."""
        return (*(attack.name for attack in self.attacks_of(task)), *self.searches_of(task))

    def attacks_of(self, task: TaskRecipe) -> tuple[AttackRecipe, ...]:
        """The attacks that a task takes, in the order of the recipe."""
        return tuple(attack for attack in self.attacks if task.attacks is None or attack.name in task.attacks)

    @property
    def has_shots_by_task(self) -> bool:
        """Whether a task may have other numbers of demonstrations than the next one."""
        return self.shots is None or any(task.shots is not None for task in self.tasks)

    @property
    def own_files(self) -> tuple[str, ...]:
        """The paths of the user's own dictionaries, word lists, corpora and rule files: each once, in order."""
        options = [value for attack in self.attacks for _, table in attack.options for _, value in table]
        constraints = [name for task in self.tasks for name in task.constraints or ()]
        paths = (value.removeprefix(_CORPUS) for value in (*options, *constraints) if _names_file(value))
        return tuple(dict.fromkeys((*paths, *(self.adversary.own_files if self.adversary else ()))))

    def with_files(self, place: Callable[[str], Path]) -> "ReleaseRecipe":
        """The recipe with the path `place(name)` for each of the user's own files."""
        moved = {f"{kind}{name}": f"{kind}{place(name)}" for name in self.own_files for kind in ("", _CORPUS)}
        attacks = tuple(
            replace(
                attack,
                options=tuple(
                    (part, tuple((option, moved.get(value, value)) for option, value in table))
                    for part, table in attack.options
                ),
            )
            for attack in self.attacks
        )
        tasks = tuple(
            replace(task, constraints=tuple(moved.get(name, name) for name in task.constraints))
            if task.constraints is not None
            else task
            for task in self.tasks
        )
        adversary = self.adversary and self.adversary.with_arguments(lambda value: moved.get(value, value))
        return replace(self, attacks=attacks, tasks=tasks, adversary=adversary)

    def content(self) -> dict[str, Any]:
        """The recipe as JSON values, from which `parse_release_recipe` makes an equal recipe."""
        gate = _given(self.gate) | {"options": dict(self.gate.options)}
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "licence": self.licence,
            "language": list(self.language),
            "authors": list(self.authors),
            "homepage": self.homepage,
            "tags": list(self.tags),
            "seed": self.seed,
            "preset": self.preset,
            "gate": gate,
            "shots": {"k": BY_TASK if self.shots is None else list(self.shots), "episodes": self.episodes},
            "attack": [_given(attack) | {"options": attack.tables} for attack in self.attacks],
            "task": [_given(task) for task in self.tasks],
            **({"adversary": _given(self.adversary) | {"options": self.adversary.tables}} if self.adversary else {}),
        }


def identifier(name: str) -> str:
    """A name in the form that lm-evaluation-harness takes: each run of other characters becomes `_`."""
    return re.sub(r"\W+", "_", name)


def check_drawn(where: str, shots: Sequence[int], episodes: int) -> None:
    """Refuse more demonstrations of a task than a release draws.

    Args:
        where: where the numbers stand, for messages.
        shots: the numbers of demonstrations.
        episodes: how many episodes each number has.

    Raises:
        AugmentError: how many they are, and how many may be.
    """
    drawn = sum(shots) * episodes
    if drawn > _MOST_DRAWN:
        raise AugmentError(f"{where} times episodes are {drawn:,} demonstrations; at most {_MOST_DRAWN:,}")


def _names_file(value: str) -> bool:
    """Whether an option or a constraint is a file of the user: a dictionary, a word list, a rule file, or a corpus."""
    return value.endswith((".tsv", ".toml", ".txt", ".jsonl")) or (
        value.startswith(_CORPUS) and value != f"{_CORPUS}input"
    )


def _given(part: GateRecipe | AttackRecipe | TaskRecipe | AdversaryRecipe) -> dict[str, Any]:
    """The attributes that the recipe gives: those that are neither None nor an empty text."""
    values = {key: getattr(part, key) for key in type(part).__dataclass_fields__}
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in values.items()
        if value is not None and value != ""
    }
