"""TAPE's RuWorldTree: elementary science exams, options inside the question.

The label is the letter of an option: markers and option texts stay, the question around them is perturbed.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="ru_worldtree",
    fields=("question",),
    keys=frozenset({"question", "answer", "exam_name", "school_grade", "knowledge_type"}),
    options=("question",),
    constraints=("named_entities", "answer_options"),
    gold=("answer",),
)
