"""Russian SuperGLUE's RUSSE: does a word mean the same in two sentences.

The word stands between `start1` and `end1`, `start2` and `end2`. In some rows the end cuts the word off or takes a
comma along: the whole word stays, and both numbers move with it as they are. `word` is its lemma.
"""

from augment_ru.records.task import CharacterSpans, Task

TASK = Task(
    name="russe",
    fields=("sentence1", "sentence2"),
    inputs=("word", "sentence1", "sentence2"),
    keys=frozenset({"word", "sentence1", "sentence2", "start1", "end1", "start2", "end2"}),
    id="idx",
    characters=(
        CharacterSpans("sentence1", "start1", "end1", "WORD"),
        CharacterSpans("sentence2", "start2", "end2", "WORD"),
    ),
    constraints=("named_entities", "key_words"),
    forbidden=("word",),
    metrics=("accuracy",),
)
