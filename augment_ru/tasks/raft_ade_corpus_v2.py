"""RAFT's ADE Corpus V2: does a sentence report an adverse effect of a drug. English."""

from augment_ru.records.task import Task

TASK = Task(
    name="raft_ade_corpus_v2",
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
