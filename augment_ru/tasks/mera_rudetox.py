"""MERA's ruDetox: say a rude sentence politely; `inputs` is the sentence itself.

Only rows whose `inputs` has Russian letters are recognised: the same layout without them is a task of symbols
(BPS, LCS, arithmetic), where any change would change the answer. The paper's joint score needs models of style and
fluency; `f1` and `exact_match` compare with the reference.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="mera_rudetox",
    fields=("inputs",),
    keys=frozenset({"instruction", "inputs"}),
    contains=("inputs", "[А-Яа-яЁё]"),
    id="meta.id",
    judged=("inputs",),
    gold=("outputs",),
    metrics=("f1", "exact_match"),
    diagnostic=True,
    prompt="mera",
)
