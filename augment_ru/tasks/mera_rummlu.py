"""MERA's ruMMLU and MaMuRAMu, which share a layout: exams of 57 subjects.

The question is perturbed; its numbers and negation stay («Что из этого не …»). Options and subject are never touched.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="mera_rummlu",
    fields=("inputs.text",),
    inputs=(
        "inputs.subject",
        "inputs.text",
        "inputs.option_a",
        "inputs.option_b",
        "inputs.option_c",
        "inputs.option_d",
    ),
    keys=frozenset(
        {
            "instruction",
            "inputs.text",
            "inputs.option_a",
            "inputs.option_b",
            "inputs.option_c",
            "inputs.option_d",
            "inputs.subject",
        }
    ),
    id="meta.id",
    constraints=("named_entities", "numbers", "negation"),
    option_fields=("inputs.option_a", "inputs.option_b", "inputs.option_c", "inputs.option_d"),
    gold=("outputs",),
    grouped_by="meta.domain",
    shots=5,
    metrics=("accuracy",),
    prompt="mera",
)
