"""TAPE's Winograd: which noun does the pronoun stand for.

The label is read off names, the pronoun, the nouns it may stand for and the verbs that agree: all of them stay.
A row may lack `reference`; then no pronoun is known to be the one asked about.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="winograd",
    fields=("text",),
    inputs=("text", "reference", "answer"),
    lists=("options",),
    keys=frozenset({"text", "answer", "label", "options"}),
    constraints=("named_entities", "referents"),
)
