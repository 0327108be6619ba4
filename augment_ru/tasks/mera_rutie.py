"""MERA's ruTiE: a dialogue that is to be kept up, one question a row.

The question is perturbed; the two replies are not, nor is what was said before. Some questions are about letters and
spelling («Сколько букв в слове …»): words in quotes and numbers stay.
"""

from augment_ru.records.task import Dialogue, Marks, Task

TASK = Task(
    name="mera_rutie",
    fields=("inputs.question",),
    inputs=("inputs.question", "inputs.choice1", "inputs.choice2"),
    keys=frozenset({"instruction", "inputs.question", "inputs.choice1", "inputs.choice2"}),
    marks=(Marks("inputs.question", r"«[^«»]*»|\"[^\"]*\"|“[^“”]*”|„[^„“”]*[“”]", "QUOTED"),),
    constraints=("named_entities", "numbers", "negation"),
    option_fields=("inputs.choice1", "inputs.choice2"),
    gold=("outputs",),
    dialogue=Dialogue("meta.dialog_id", "meta.question_id", "inputs.context"),
    metrics=("accuracy",),
    prompt="mera",
)
