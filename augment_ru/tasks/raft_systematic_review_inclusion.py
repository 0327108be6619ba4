"""RAFT's systematic reviews: does a paper pass the first screening of a review. English.

Title and abstract are perturbed; authors and journal are never touched.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="raft_systematic_review_inclusion",
    fields=("Title", "Abstract"),
    inputs=("Title", "Abstract", "Journal"),
    keys=frozenset({"Abstract", "Authors", "ID", "Journal", "Title"}),
    id="ID",
    language="en",
    constraints=(),
    gold=("Label",),
    unlabelled=("Unlabeled", "0"),
    every_class=True,
    metrics=("macro_f1",),
)
