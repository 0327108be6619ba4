"""RAFT's Overruling: does a sentence overrule a decision. English."""

from augment_ru.records.task import Task

TASK = Task(
    name="raft_overruling",
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
