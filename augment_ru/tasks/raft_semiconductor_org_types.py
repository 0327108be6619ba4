"""RAFT's semiconductor organisations: university, company or research institute. English.

The title of the paper is perturbed; the organisation's name is what the label is read off, and stays.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="raft_semiconductor_org_types",
    fields=("Paper title",),
    inputs=("Organization name", "Paper title"),
    keys=frozenset({"ID", "Organization name", "Paper title"}),
    id="ID",
    language="en",
    constraints=(),
    gold=("Label",),
    unlabelled=("Unlabeled", "0"),
    every_class=True,
    metrics=("macro_f1",),
)
