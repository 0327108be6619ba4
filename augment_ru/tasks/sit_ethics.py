"""TAPE's ethics of the situation: five labels for a text.

A norm is kept or broken by a «не»: without it the judgement of the text turns over; names are who is judged.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="sit_ethics",
    fields=("text",),
    keys=frozenset({"source", "text", "sit_virtue", "sit_moral", "sit_law", "sit_justice", "sit_util"}),
    constraints=("named_entities", "negation"),
    gold=("sit_virtue", "sit_law", "sit_moral", "sit_justice", "sit_util"),
)
