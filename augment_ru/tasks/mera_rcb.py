"""MERA's RCB: is a hypothesis true, given a text whose verb of speech or thought is asked or negated.

The label turns on that verb, which `meta.verb` gives as a lemma, and on negation: both stay in every form.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="mera_rcb",
    fields=("inputs.premise", "inputs.hypothesis"),
    keys=frozenset({"instruction", "inputs.premise", "inputs.hypothesis"}),
    id="meta.id",
    aliases=(("verb", "meta.verb"),),
    constraints=("named_entities", "negation", "key_words"),
    judged=("inputs.hypothesis",),
    gold=("outputs",),
    metrics=("accuracy", "macro_f1"),
    prompt="mera",
)
