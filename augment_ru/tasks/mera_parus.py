"""MERA's PARus: which of two sentences is the cause, or the effect, of a third.

All three are perturbed, each in its place; `meta.task` says which of the two is asked.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="mera_parus",
    fields=("inputs.premise", "inputs.choice1", "inputs.choice2"),
    inputs=("inputs.premise", "meta.task", "inputs.choice1", "inputs.choice2"),
    keys=frozenset({"instruction", "inputs.premise", "inputs.choice1", "inputs.choice2"}),
    id="meta.id",
    constraints=("named_entities", "negation"),
    option_fields=("inputs.choice1", "inputs.choice2"),
    gold=("outputs",),
    metrics=("accuracy",),
    prompt="mera",
)
