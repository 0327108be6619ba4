"""RAFT's TweetEval Hate: is a tweet hateful towards immigrants or women. English."""

from augment_ru.records.task import Task

TASK = Task(
    name="raft_tweet_eval_hate",
    fields=("Tweet",),
    keys=frozenset({"ID", "Tweet"}),
    id="ID",
    language="en",
    constraints=(),
    gold=("Label",),
    unlabelled=("Unlabeled", "0"),
    every_class=True,
    metrics=("macro_f1",),
)
