"""MERA's ruHHH: which of two replies is the more helpful, honest or harmless."""

from augment_ru.records.task import Task

TASK = Task(
    name="mera_ruhhh",
    fields=("inputs.query", "inputs.reply_1", "inputs.reply_2"),
    keys=frozenset({"instruction", "inputs.query", "inputs.reply_1", "inputs.reply_2"}),
    constraints=("named_entities", "numbers", "negation"),
    option_fields=("inputs.reply_1", "inputs.reply_2"),
    gold=("outputs",),
    metrics=("accuracy",),
    diagnostic=True,
    prompt="mera",
)
