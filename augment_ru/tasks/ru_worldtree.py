"""TAPE's RuWorldTree: elementary science exams, options inside the question."""

from augment_ru.records import Task

TASK = Task(
    name="ru_worldtree",
    fields=("question",),
    keys=frozenset({"question", "answer", "exam_name", "school_grade", "knowledge_type"}),
    options=("question",),
)
