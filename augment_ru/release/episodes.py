"""Episodes: sets of demonstrations that are drawn from the train rows of a task."""

from collections.abc import Sequence

from augment_ru.draws import Streams, digests
from augment_ru.evaluation.protocol import drawn_rows
from augment_ru.records.groups import grouped
from augment_ru.records.task import Task
from augment_ru.release.release_recipe import ReleaseRecipe, TaskRecipe, check_drawn


def asked_shots(recipe: ReleaseRecipe, task: TaskRecipe, schema: Task) -> tuple[int, ...]:
    """Return how many demonstrations the episodes of a task have, such as (1, 4, 8): ascending, without 0.

    The numbers are those that the recipe sets for the task, or else those that it sets for the release. If it sets
    "task" for the release, there is one number: that of the task's benchmark.

    Args:
        recipe: the recipe of the release.
        task: the part of the recipe on the task.
        schema: the schema of the task, which states its benchmark.

    Raises:
        AugmentError: the benchmark shows more demonstrations than a release may draw.
    """
    if task.shots is not None:
        return task.shots
    if recipe.shots.k != "task":
        return recipe.shots.k
    check_drawn(f"{task.name}: the shots of its benchmark", [schema.benchmark.shots], recipe.shots.episodes)
    return (schema.benchmark.shots,) if schema.benchmark.shots else ()


def episodes_of(recipe: ReleaseRecipe, task: TaskRecipe, schema: Task) -> list[int]:
    """Return how many demonstrations each episode of a task has, in ascending order; episode 0 has none.

    Args:
        recipe: the recipe of the release.
        task: the part of the recipe on the task.
        schema: the schema of the task, which states its benchmark.
    """
    return [0, *(shots for shots in asked_shots(recipe, task, schema) for _ in range(recipe.shots.episodes))]


def draw_episodes(
    recipe: ReleaseRecipe, task: TaskRecipe, schema: Task, groups: Sequence[str | None]
) -> list[list[int]]:
    """Draw the demonstrations of all episodes of a task from its train rows, as its benchmark does.

    If the rows fall into groups, each episode draws its number of demonstrations from every group, because a question
    is shown only train rows of its own group. Each draw depends only on seed, task, group, episode and the number of
    the demonstration.

    Args:
        recipe: the recipe.
        task: the task.
        schema: the schema of the task.
        groups: the group of each train row; None for the rows of a task without groups.

    Returns:
        For each train row, the numbers of the episodes that show it, ascending. A number repeats if its episode draws
        the row again.
    """
    found: list[list[int]] = [[] for _ in groups]
    for group, own in grouped((group, at) for at, group in enumerate(groups)).items():
        name = task.name if group is None else f"{task.name}:{group}"
        for episode, shots in enumerate(episodes_of(recipe, task, schema)):
            key = Streams.of(digests([name]), recipe.seed, "episode", episode)
            for at in drawn_rows(len(own), shots, key, replacement=schema.benchmark.replacement):
                found[own[at]].append(episode)
    return found
