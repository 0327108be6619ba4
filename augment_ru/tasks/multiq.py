"""TAPE's MultiQ: multi-hop questions over two texts; the answers' offsets follow the texts.

The bridge answer must be the same name in both texts, in each of its forms, or the hop leads nowhere.
"""

from augment_ru.records.task import AnswerOffsets, Task

TASK = Task(
    name="multiq",
    fields=("support_text", "main_text", "question"),
    keys=frozenset({"support_text", "main_text", "question", "bridge_answers", "main_answers"}),
    answers=(
        AnswerOffsets("bridge_answers", "support_text", "BRIDGE"),
        AnswerOffsets("main_answers", "main_text", "MAIN"),
    ),
    constraints=("named_entities", "multihop"),
    gold=("main_answers",),
    metrics=("f1", "exact_match"),
)
