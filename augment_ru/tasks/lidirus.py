"""Russian SuperGLUE's LiDiRus: does one sentence follow from another; a diagnostic of linguistic phenomena.

The pairs differ in one word, often a negation or a numeral: both stay, and names with them.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="lidirus",
    fields=("sentence1", "sentence2"),
    keys=frozenset(
        {"sentence1", "sentence2", "knowledge", "lexical-semantics", "logic", "predicate-argument-structure"}
    ),
    id="idx",
    constraints=("named_entities", "numbers", "negation"),
    judged=("sentence2",),
    trained_on="terra",
    metrics=("mcc",),
)
