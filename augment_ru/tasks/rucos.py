"""Russian SuperGLUE's RuCoS: which name of a news text belongs in place of `@placeholder`.

The text is a story and its `@highlight` lines; its entities are given by the numbers of their first and last characters
(some readers count the last one in, some do not). Entities, answers and both marks stay, and the numbers follow.
"""

from augment_ru.records.task import CharacterSpans, Marks, Task

TASK = Task(
    name="rucos",
    fields=("passage.text", "qas[].query"),
    keys=frozenset({"passage.text", "passage.entities", "qas"}),
    id="idx",
    characters=(
        CharacterSpans("passage.text", "passage.entities[].start", "passage.entities[].end", "ENTITY"),
        CharacterSpans("passage.text", "qas[].answers[].start", "qas[].answers[].end", "ENTITY"),
    ),
    marks=(
        Marks("passage.text", r"(?:^|\n)@highlight(?:\n|$)", "HIGHLIGHT", border=True),
        Marks("qas[].query", "@placeholder", "PLACEHOLDER"),
    ),
    kept=("qas[].answers[].text",),
    judged=("qas[].query",),
    gold=("qas[].answers[].text",),
    metrics=("f1", "exact_match"),
)
