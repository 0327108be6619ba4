"""RAFT's Banking77: which of 77 services a bank's customer asks for. English."""

from augment_ru.records.task import Task

TASK = Task(
    name="raft_banking_77",
    fields=("Query",),
    keys=frozenset({"ID", "Query"}),
    id="ID",
    language="en",
    constraints=(),
    gold=("Label",),
    unlabelled=("Unlabeled", "0"),
    every_class=True,
    metrics=("macro_f1",),
)
