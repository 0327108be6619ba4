"""Russian SuperGLUE's RWSD: do two spans of a text mean the same; spans given by the number of a word.

The label says whether two spans mean the same, which is read off the names in the text, the pronoun and its verb.
"""

from augment_ru.records.task import Task, WordSpans

TASK = Task(
    name="rwsd",
    fields=("text",),
    inputs=("text", "target.span1_text", "target.span2_text"),
    keys=frozenset({"idx", "target", "text"}),
    id="idx",
    words=(
        WordSpans("target", "text", (("span1_text", "span1_index"), ("span2_text", "span2_index")), label="REFERENT"),
    ),
    constraints=("named_entities", "referents"),
    metrics=("accuracy",),
)
