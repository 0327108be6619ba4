"""MERA's MultiQ: multi-hop questions over two texts.

The bridge answer stands in `meta`, the answer in `outputs`: with its offset into `inputs.text`, or as a plain text.
Offsets follow the texts, and both answers stay in every form.
"""

from augment_ru.records.task import AnswerOffsets, Task

TASK = Task(
    name="mera_multiq",
    fields=("inputs.support_text", "inputs.text", "inputs.question"),
    keys=frozenset({"instruction", "inputs.support_text", "inputs.text", "inputs.question"}),
    id="meta.id",
    answers=(
        AnswerOffsets("meta.bridge_answers", "inputs.support_text", "BRIDGE", may_be_text=True),
        AnswerOffsets("outputs", "inputs.text", "MAIN", may_be_text=True),
    ),
    aliases=(("bridge_answers", "meta.bridge_answers"), ("main_answers", "outputs")),
    constraints=("named_entities", "multihop"),
    gold=("outputs",),
    separator=";",
    metrics=("f1", "exact_match"),
    prompt="mera",
)
