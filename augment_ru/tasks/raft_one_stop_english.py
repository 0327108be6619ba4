"""RAFT's OneStopEnglish: for learners of which level an article is written. English."""

from augment_ru.records.task import Task

TASK = Task(
    name="raft_one_stop_english",
    fields=("Article",),
    keys=frozenset({"Article", "ID"}),
    id="ID",
    language="en",
    constraints=(),
    gold=("Label",),
    unlabelled=("Unlabeled", "0"),
    every_class=True,
    metrics=("macro_f1",),
)
