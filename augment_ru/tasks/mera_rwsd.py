"""MERA's RWSD: does a pronoun mean a word of the text; spans given by the number of a word.

As in Russian SuperGLUE both spans stay, with the verbs that agree with them, and the numbers follow the text.
"""

from augment_ru.records.task import Task, WordSpans

TASK = Task(
    name="mera_rwsd",
    fields=("inputs.text",),
    inputs=("inputs.text", "inputs.span1_text", "inputs.span2_text"),
    keys=frozenset({"instruction", "inputs.text", "inputs.span1_text", "inputs.span2_text"}),
    id="meta.id",
    words=(
        WordSpans(
            "inputs", "inputs.text", (("span1_text", "span1_index"), ("span2_text", "span2_index")), label="REFERENT"
        ),
    ),
    aliases=(("target", "inputs"),),
    constraints=("named_entities", "referents"),
    gold=("outputs",),
    metrics=("accuracy",),
    prompt="mera",
)
