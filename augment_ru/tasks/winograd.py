"""TAPE's Winograd: which noun does the pronoun stand for.

The label is read off names, the pronoun, the nouns it may stand for and the verbs that agree: all of them stay.
"""

from augment_ru.task import Task

TASK = Task(
    name="winograd",
    fields=("text",),
    lists=("options",),
    keys=frozenset({"text", "answer", "label", "options", "reference"}),
    constraints=("named_entities", "referents"),
)
