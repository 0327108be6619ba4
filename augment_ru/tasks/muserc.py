"""Russian SuperGLUE's MuSeRC: which answers to questions about a passage are right.

The sentences of the passage are numbered, «(1) … (2) …»: the numbers stay, and no change reaches from one sentence
into another, since a question may be about one of them. The answers are never touched.
"""

from augment_ru.records.task import Marks, Task

TASK = Task(
    name="muserc",
    fields=("passage.text", "passage.questions[].question"),
    inputs=("passage.text", "passage.questions[].question", "passage.questions[].answers[].text"),
    keys=frozenset({"passage.text", "passage.questions"}),
    id="idx",
    marks=(Marks("passage.text", r"\(\d+\)", "SENTENCE", border=True),),
    constraints=("named_entities", "numbers", "negation"),
    option_fields=("passage.questions[].answers[].text",),
    gold=("passage.questions[].answers[].label",),
    metrics=("muserc_f1a", "muserc_em"),
)
