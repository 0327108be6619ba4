"""TAPE's RuOpenBookQA: science facts, options inside the question."""

from augment_ru.records import Task

TASK = Task(
    name="ru_openbook",
    fields=("question",),
    keys=frozenset({"ID", "question", "answer"}),
    id="ID",
    options=("question",),
)
