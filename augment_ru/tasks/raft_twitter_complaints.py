"""RAFT's Twitter complaints: is a tweet to a company a complaint. English."""

from augment_ru.records.task import Task

TASK = Task(
    name="raft_twitter_complaints",
    fields=("Tweet text",),
    keys=frozenset({"ID", "Tweet text"}),
    id="ID",
    language="en",
    constraints=(),
    gold=("Label",),
    unlabelled=("Unlabeled", "0"),
    every_class=True,
    metrics=("macro_f1",),
)
