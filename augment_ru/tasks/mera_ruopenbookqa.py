"""MERA's ruOpenBookQA: science facts.

The question is perturbed; the options, fields of their own, are not.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="mera_ruopenbookqa",
    fields=(),
    optional=("inputs.text", "inputs.question"),
    inputs=(
        "inputs.text",
        "inputs.question",
        "inputs.option_a",
        "inputs.option_b",
        "inputs.option_c",
        "inputs.option_d",
    ),
    keys=frozenset({"instruction", "inputs.option_a", "inputs.option_b", "inputs.option_c", "inputs.option_d"}),
    id="meta.id",
    option_fields=("inputs.option_a", "inputs.option_b", "inputs.option_c", "inputs.option_d"),
    gold=("outputs",),
    shots=5,
    metrics=("accuracy", "macro_f1"),
    prompt="mera",
)
