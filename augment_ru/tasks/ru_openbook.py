"""TAPE's RuOpenBookQA: science facts, options inside the question.

The label is the letter of an option: markers and option texts stay, the question around them is perturbed.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="ru_openbook",
    fields=("question",),
    keys=frozenset({"ID", "question", "answer"}),
    id="ID",
    options=("question",),
    constraints=("named_entities", "answer_options"),
    gold=("answer",),
)
