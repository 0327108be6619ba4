"""Russian SuperGLUE's DaNetQA: a yes-or-no question about a passage."""

from augment_ru.records import Task

TASK = Task(
    name="danetqa",
    fields=("question", "passage"),
    keys=frozenset({"question", "passage"}),
    id="idx",
)
