"""TAPE's ethics of the person: five labels for a text.

A norm is kept or broken by a «не»: without it the judgement of the text turns over; names are who is judged.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="per_ethics",
    fields=("text",),
    keys=frozenset({"source", "text", "per_virtue", "per_moral", "per_law", "per_justice", "per_util"}),
    constraints=("named_entities", "negation"),
    gold=("per_virtue", "per_law", "per_moral", "per_justice", "per_util"),
)
