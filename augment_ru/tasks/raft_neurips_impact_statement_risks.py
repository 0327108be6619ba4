"""RAFT's NeurIPS impact statements: does a statement mention a harmful application. English.

The link to the paper is never touched.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="raft_neurips_impact_statement_risks",
    fields=("Paper title", "Impact statement"),
    inputs=("Impact statement", "Paper title"),
    keys=frozenset({"ID", "Impact statement", "Paper link", "Paper title"}),
    id="ID",
    language="en",
    constraints=(),
    gold=("Label",),
    unlabelled=("Unlabeled", "0"),
    every_class=True,
    metrics=("macro_f1",),
)
