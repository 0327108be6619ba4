"""Russian SuperGLUE's RCB: is a hypothesis true, given a text whose verb of speech or thought is asked or negated.

The label turns on that verb, which `verb` gives as a lemma, and on negation: both stay in every form.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="rcb",
    fields=("premise", "hypothesis"),
    keys=frozenset({"premise", "hypothesis", "verb", "negation"}),
    id="idx",
    constraints=("named_entities", "negation", "key_words"),
    judged=("hypothesis",),
    metrics=("macro_f1", "accuracy"),
)
