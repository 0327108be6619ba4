"""RAFT's Terms of Service: is a clause potentially unfair to the consumer. English."""

from augment_ru.records.task import Task

TASK = Task(
    name="raft_terms_of_service",
    fields=("Sentence",),
    keys=frozenset({"ID", "Sentence"}),
    id="ID",
    language="en",
    constraints=(),
    gold=("Label",),
    unlabelled=("Unlabeled", "0"),
    every_class=True,
    metrics=("macro_f1",),
)
