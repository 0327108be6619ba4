"""MERA's ruEthics: does one person of a text act well towards another.

The persons are named in the question as they stand in the text: there they stay, and so does negation.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="mera_ruethics",
    fields=("inputs.text",),
    inputs=("inputs.text", "inputs.actant_1", "inputs.actant_2"),
    keys=frozenset({"instruction", "inputs.text", "inputs.actant_1", "inputs.actant_2"}),
    kept=("inputs.actant_1", "inputs.actant_2"),
    constraints=("named_entities", "negation"),
    gold=("outputs",),
    norms=("virtue", "law", "moral", "justice", "utilitarianism"),
    grouped_by="meta.question",
    metrics=("mcc",),
    diagnostic=True,
    prompt="mera",
)
