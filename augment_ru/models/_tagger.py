"""Shared by models that find labelled spans: the tokens of a text, their tags, and the spans that the tags describe."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Example, Model, Prediction
from augment_ru.formats.sources import spans_of_tags
from augment_ru.language.tokens import token_ranges
from augment_ru.prompting.prompt import text_of
from augment_ru.records.task import Task

Tokens = Sequence[tuple[int, int]]
"""The start and the stop of each token of a text."""


@dataclass(frozen=True, slots=True)
class Tagger(Model):
    """A model that finds labelled spans, such as named entities, by giving each token of a text a tag.

    Attributes:
        tag: a function that takes texts, and returns a pair for each: the places of its tokens as (start, stop), and
            their tags, such as B-PER.
        field: the field that holds the text.
        signature: all that defines the answers.
        deterministic: whether it always answers a text in the same way.
    """

    tag: Callable[[Sequence[str]], Sequence[tuple[Tokens, Sequence[str]]]]
    field: str
    signature: str
    deterministic: bool = True
    few_shot = False

    def __call__(self, examples: Sequence[Example], /) -> list[Prediction]:
        """Return the spans of each text: objects with start, end and label."""
        return [spans_of_tags(*one) for one in self.tag([text_of(one.record, self.field) for one in examples])]


def labelled_field(task: Task) -> str:
    """Return the field whose labelled spans a task asks for.

    Raises:
        AugmentError: the task asks for no labelled spans.
    """
    if task.layout.labelled is None:
        raise AugmentError(f"the task '{task.name}' asks for no labelled spans; this model finds nothing else")
    return task.layout.labelled


def words_of(text: str) -> tuple[Tokens, list[str]]:
    """Return the places (start and stop) of the tokens of a text (words and punctuation marks), and the tokens."""
    places = token_ranges(text)
    return places, [text[start:stop] for start, stop in places]
