"""TAPE's ethics of the situation: five labels for a text."""

from augment_ru.records import Task

TASK = Task(
    name="sit_ethics",
    fields=("text",),
    keys=frozenset({"source", "text", "sit_virtue", "sit_moral", "sit_law", "sit_justice", "sit_util"}),
)
