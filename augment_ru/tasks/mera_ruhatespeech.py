"""MERA's ruHateSpeech: which of two replies is hateful towards a group.

The utterance (`replica`, `replic` in some rows) and both replies are perturbed; the group is never touched.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="mera_ruhatespeech",
    fields=("inputs.reply_1", "inputs.reply_2"),
    inputs=("inputs.target_group", "inputs.replica", "inputs.replic", "inputs.reply_1", "inputs.reply_2"),
    optional=("inputs.replica", "inputs.replic"),
    keys=frozenset({"instruction", "inputs.target_group", "inputs.reply_1", "inputs.reply_2"}),
    id="meta.id",
    kept=("inputs.target_group",),
    constraints=("named_entities", "negation"),
    option_fields=("inputs.reply_1", "inputs.reply_2"),
    gold=("outputs",),
    metrics=("accuracy",),
    diagnostic=True,
    prompt="mera",
)
