"""MERA's CheGeKa: questions of «Что? Где? Когда?» and «Своя игра».

The names in a question and the words for what is asked are its clues and stay; the topic is never touched.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="mera_chegeka",
    fields=("inputs.text",),
    inputs=("inputs.topic", "inputs.text"),
    keys=frozenset({"instruction", "inputs.text", "inputs.topic"}),
    id="meta.id",
    constraints=("named_entities", "jeopardy"),
    gold=("outputs",),
    separator=";",
    shots=4,
    metrics=("f1", "exact_match"),
    prompt="mera",
)
