"""Russian SuperGLUE's TERRa: does a hypothesis follow from a premise.

A follows turns into a does not with one «не» or one digit, so beside names negation and numbers stay.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="terra",
    fields=("premise", "hypothesis"),
    keys=frozenset({"premise", "hypothesis"}),
    id="idx",
    constraints=("named_entities", "numbers", "negation"),
    judged=("hypothesis",),
    metrics=("accuracy",),
)
