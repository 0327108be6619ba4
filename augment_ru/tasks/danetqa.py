"""Russian SuperGLUE's DaNetQA: a yes-or-no question about a passage.

A yes turns into a no with one «не» or one digit, so beside names negation and numbers stay.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="danetqa",
    fields=("question", "passage"),
    keys=frozenset({"question", "passage"}),
    id="idx",
    constraints=("named_entities", "numbers", "negation"),
    metrics=("accuracy",),
)
