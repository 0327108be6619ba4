"""TAPE's CheGeKa: questions of the quiz «Что? Где? Когда?» and «Своя игра».

The names in a question and the words for what is asked are its clues: «ЭТОТ ФИЛЬМ», X, quoted titles stay.
"""

from augment_ru.records.task import Task

TASK = Task(
    name="chegeka",
    fields=("question",),
    inputs=("topic", "question"),
    keys=frozenset({"question_id", "question", "answer", "topic"}),
    id="question_id",
    constraints=("named_entities", "jeopardy"),
    gold=("answer",),
    metrics=("f1", "exact_match"),
)
