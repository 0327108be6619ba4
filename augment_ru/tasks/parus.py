"""Russian SuperGLUE's PARus: which of two sentences is the cause, or the effect, of a third.

All three are perturbed, each in its place; `question` says which of the two is asked, and never changes.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="parus",
    fields=("premise", "choice1", "choice2"),
    inputs=("premise", "question", "choice1", "choice2"),
    keys=frozenset({"premise", "choice1", "choice2", "question"}),
    id="idx",
    constraints=("named_entities", "negation"),
    option_fields=("choice1", "choice2"),
    metrics=("accuracy",),
)
