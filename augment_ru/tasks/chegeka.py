"""TAPE's CheGeKa: questions of the quiz «Что? Где? Когда?» and «Своя игра»."""

from augment_ru.records import Task

TASK = Task(
    name="chegeka",
    fields=("question",),
    keys=frozenset({"question_id", "question", "answer", "topic"}),
    id="question_id",
)
