"""TAPE's ethics of the person: five labels for a text."""

from augment_ru.records import Task

TASK = Task(
    name="per_ethics",
    fields=("text",),
    keys=frozenset({"source", "text", "per_virtue", "per_moral", "per_law", "per_justice", "per_util"}),
)
