"""TAPE's Winograd: which noun does the pronoun stand for."""

from augment_ru.records import Task

TASK = Task(
    name="winograd",
    fields=("text",),
    keys=frozenset({"text", "answer", "label", "options", "reference"}),
)
