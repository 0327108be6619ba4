"""RAFT's TAI safety research: is a paper about the safety of transformative AI. English.

Title and abstract are perturbed; address, year, kind, author and journal are never touched.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="raft_tai_safety_research",
    fields=("Title", "Abstract Note"),
    inputs=("Title", "Abstract Note", "Publication Title", "Item Type", "Publication Year"),
    keys=frozenset(
        {"Abstract Note", "Author", "ID", "Item Type", "Publication Title", "Publication Year", "Title", "Url"}
    ),
    id="ID",
    language="en",
    constraints=(),
    gold=("Label",),
    unlabelled=("Unlabeled", "0"),
    every_class=True,
    metrics=("macro_f1",),
)
