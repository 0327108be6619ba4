"""The episodes of a task in a release: how many demonstrations each has, and which train rows it shows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from augment_ru.draws import Streams, digests
from augment_ru.records.task import Task
from augment_ru.release.release_recipe import ReleaseRecipe, TaskRecipe, check_drawn


@dataclass(frozen=True, slots=True)
class Episode:
    """A set of randomly drawn demonstrations: its number, and how many demonstrations it has."""

    number: int
    shots: int


def asked_shots(recipe: ReleaseRecipe, task: TaskRecipe, schema: Task) -> tuple[int, ...]:
    """Return the numbers of demonstrations of a task, ascending, without 0.

    The task's own numbers are used if it has any, else those of the release, which may refer to the task's benchmark.

    Raises:
        AugmentError: the numbers are too large.
    """
    if task.shots is not None:
        return task.shots
    if recipe.shots.k != "task":
        return recipe.shots.k
    check_drawn(f"{task.name}: the shots of its benchmark", [schema.benchmark.shots], recipe.shots.episodes)
    return (schema.benchmark.shots,) if schema.benchmark.shots else ()


def episodes_of(recipe: ReleaseRecipe, task: TaskRecipe, schema: Task) -> list[Episode]:
    """Return the episodes of a task: number 0 is zero-shot, then come those of each number of shots, ascending."""
    shots = [0, *(shots for shots in asked_shots(recipe, task, schema) for _ in range(recipe.shots.episodes))]
    return [Episode(number, own) for number, own in enumerate(shots)]


def draw_episodes(
    recipe: ReleaseRecipe, task: TaskRecipe, schema: Task, groups: Sequence[str | None]
) -> list[list[int]]:
    """For each train row, draw the episodes that show it, ascending; a number repeats if the row is drawn twice.

    The demonstrations of an episode are drawn with replacement (TAPE, section 4.1). Every group gets the same number,
    because a question is shown only train rows of its own group. Each draw depends only on seed, task, group, episode
    and the number of the demonstration.

    Args:
        recipe: the recipe.
        task: the task.
        schema: the schema of the task.
        groups: the group of each train row; None for the rows of a task without groups.
    """
    found: list[list[int]] = [[] for _ in groups]
    rows: dict[str | None, list[int]] = {}
    for at, group in enumerate(groups):
        rows.setdefault(group, []).append(at)
    for group, own in rows.items():
        name = task.name if group is None else f"{task.name}:{group}"
        for episode in episodes_of(recipe, task, schema):
            key = Streams.of(digests([name]), recipe.seed, "episode", episode.number)
            shots = np.arange(episode.shots)
            for at in (key.uniform(np.zeros_like(shots), shots) * len(own)).astype(np.int64).tolist():
                found[own[at]].append(episode.number)
    return found
