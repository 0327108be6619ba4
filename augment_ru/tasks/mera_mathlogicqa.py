"""MERA's MathLogicQA: equations in words, and logic.

Numbers, the Latin letters of unknowns, negation and names are the problem itself, and stay.
"""

from augment_ru.records.task import Marks, Task

TASK = Task(
    name="mera_mathlogicqa",
    fields=("inputs.text",),
    inputs=("inputs.text", "inputs.option_a", "inputs.option_b", "inputs.option_c", "inputs.option_d"),
    keys=frozenset(
        {
            "instruction",
            "inputs.text",
            "inputs.option_a",
            "inputs.option_b",
            "inputs.option_c",
            "inputs.option_d",
            "meta.task",
        }
    ),
    id="meta.id",
    marks=(Marks("inputs.text", r"\b[A-Za-z]\b", "UNKNOWN"),),
    constraints=("named_entities", "numbers", "negation"),
    option_fields=("inputs.option_a", "inputs.option_b", "inputs.option_c", "inputs.option_d"),
    gold=("outputs",),
    shots=5,
    metrics=("accuracy",),
    prompt="mera",
)
