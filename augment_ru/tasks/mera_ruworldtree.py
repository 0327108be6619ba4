"""MERA's ruWorldTree: elementary science exams.

The question is perturbed; the options, fields of their own, are not.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="mera_ruworldtree",
    fields=("inputs.question",),
    inputs=("inputs.question", "inputs.option_a", "inputs.option_b", "inputs.option_c", "inputs.option_d"),
    keys=frozenset(
        {
            "instruction",
            "inputs.question",
            "inputs.option_a",
            "inputs.option_b",
            "inputs.option_c",
            "inputs.option_d",
            "meta.school_grade",
        }
    ),
    id="meta.id",
    option_fields=("inputs.option_a", "inputs.option_b", "inputs.option_c", "inputs.option_d"),
    gold=("outputs",),
    shots=5,
    metrics=("accuracy", "macro_f1"),
    prompt="mera",
)
