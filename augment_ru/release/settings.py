"""What a recipe leaves open, resolved: the schema of a task, and its constraints."""

from collections.abc import Mapping
from typing import Any

from augment_ru.constraints.rule_file import Constraint, constraint
from augment_ru.engine.presets import preset
from augment_ru.records.task import Task, recognise
from augment_ru.records.task import task as task_of
from augment_ru.release.release_recipe import ReleaseRecipe, TaskRecipe


def schema_of(task: TaskRecipe, row: Mapping[str, Any]) -> Task:
    """The schema that a task names, else the one that fits a row of it; with the fields that the recipe sets.

    Raises:
        AugmentError: no schema has this name, or none fits.
    """
    schema = task_of(task.task) if task.task else recognise(row)
    return schema.changed(fields=task.fields) if task.fields else schema


def constraints_of(recipe: ReleaseRecipe, task: TaskRecipe, schema: Task) -> tuple[str, ...]:
    """The names or files of a task's constraints: those that the recipe sets, else the preset's, else the schema's.

    Raises:
        AugmentError: there is no such preset.
    """
    if task.constraints is not None:
        return task.constraints
    choose = preset(recipe.preset).constraints
    return tuple(choose(schema)) if choose else schema.layout.constraints


def rules_of(recipe: ReleaseRecipe, task: TaskRecipe, schema: Task) -> tuple[Constraint, ...]:
    """The constraints of a task, which is never a function of the user's own: a recipe names no code.

    Raises:
        AugmentError: there is no such constraint.
    """
    return tuple(map(constraint, constraints_of(recipe, task, schema)))
