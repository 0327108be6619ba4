"""Models under their names: what they state, and how they are asked: each different question once."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from augment_ru.errors import AugmentError, Terminated, said
from augment_ru.evaluation.answers import json_value
from augment_ru.evaluation.cache import Cache, answer_keys
from augment_ru.evaluation.examples import Example, Model, PredictFunction, Prediction, Scored

Answers: TypeAlias = Sequence[tuple[int, Prediction]]
"""Some predictions, each with the number of its example."""

_WANTED = "must return a list of as many"


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model under the name that the report gives it, with all that `Model` states."""

    name: str
    predict: PredictFunction
    signature: str | None
    few_shot: bool
    cached: bool
    chunk: int
    learned: frozenset[str]
    stream: Callable[[Sequence[Example]], Iterator[tuple[int, Prediction]]] | None
    scored: Callable[[Sequence[Example]], Sequence[Scored]] | None

    @classmethod
    def of(cls, name: str, model: Model | PredictFunction) -> "NamedModel":
        """The model under this name; an attribute that it does not have gets its default.

        Raises:
            AugmentError: an attribute cannot be read, or `chunk` is no whole number from 1 on.
        """
        with _said_of(name):
            plain = Model()
            names = [field.name for field in fields(cls)[2:]]
            stated: dict[str, Any] = {key: getattr(model, key, getattr(plain, key)) for key in names}
            if not isinstance(chunk := stated["chunk"], int) or chunk < 1:
                raise AugmentError(f"chunk is {chunk!r}; needs a whole number from 1 on")
            if not isinstance(stated["signature"], str):
                stated["signature"] = None
            if not isinstance(stated["learned"], frozenset):  # a model of a user's may call anything so
                stated["learned"] = plain.learned
            return cls(name, model, **stated)

    @property
    def kept(self) -> bool:
        """Whether the cache keeps its answers."""
        return self.cached and self.signature is not None

    def answers(self, examples: Sequence[Example]) -> Iterator[Answers]:
        """The predictions for all examples: one by one if the model streams, else all at once.

        Raises:
            AugmentError: the model raises an error, or does not give a prediction for each example.
        """
        missing = set(range(len(examples)))
        given = self._answers(examples)
        while True:
            with _said_of(self.name):  # not while the caller holds the answers: what it raises is not the model's
                answers = next(given, None)
                if answers is None:
                    break
                if strange := [number for number, _ in answers if number not in range(len(examples))]:
                    raise AugmentError(f"answered example {strange[0]} of {len(examples)}; they are numbered from 0")
                missing.difference_update(number for number, _ in answers)
                found = [(number, json_value(prediction)) for number, prediction in answers]
            yield found
        if missing:
            raise AugmentError(f"`model` {self.name}: {len(missing)} examples were not answered")

    def _answers(self, examples: Sequence[Example]) -> Iterator[Answers]:
        if self.stream is not None:
            yield from ([answer] for answer in self.stream(examples))
            return
        given = self.predict(examples)
        predictions = given if isinstance(given, list | tuple) else json_value(given)
        if not isinstance(predictions, list | tuple):
            raise AugmentError(f"returned a {type(predictions).__name__} for {len(examples)} examples; {_WANTED}")
        if len(predictions) != len(examples):
            raise AugmentError(f"returned {len(predictions)} predictions for {len(examples)} examples; {_WANTED}")
        yield list(enumerate(predictions))


@contextmanager
def _said_of(name: str) -> Iterator[None]:
    """What a model raises, which may be anything, as an error that names it."""
    try:
        yield
    except (KeyboardInterrupt, Terminated):
        raise
    except AugmentError as error:
        raise AugmentError(f"`model` {name}: {error}") from error
    except BaseException as error:
        raise AugmentError(f"`model` {name}: {said(error)}") from error


@dataclass(slots=True)
class QuestionCounts:
    """How many questions a model was asked, how many of them differ, and how many answers the cache had."""

    questions: int = 0
    different: int = 0
    from_cache: int = 0


def ask(
    model: NamedModel,
    examples: Sequence[Example],
    cache: Cache | None,
    counts: QuestionCounts,
    advance: Callable[[int], None] = lambda _: None,
    *,
    keys: Sequence[bytes] | None = None,
) -> list[Prediction]:
    """The predictions for all examples, in their order; equal examples are asked once.

    Args:
        model: the model.
        examples: the questions.
        cache: the cache of answers; None asks every question.
        counts: is added to.
        advance: is called with the number of examples that are answered; in the end, with all of them.
        keys: those of the answers (`answer_keys`), if they are known.

    Raises:
        AugmentError: the model raises an error, or does not answer every question.
    """
    keys = answer_keys(model.signature or "", examples) if keys is None else keys
    questions: dict[bytes, Example] = {}
    for key, example in zip(keys, examples, strict=True):
        questions.setdefault(key, example)
    used = cache if model.kept else None
    answers: dict[bytes, Prediction] = used.get(list(questions)) if used else {}
    counts.questions += len(examples)
    counts.different += len(questions)
    counts.from_cache += len(answers)
    advance(len(examples) - len(questions) + len(answers))  # of equal examples only one is asked about
    open_keys = [key for key in questions if key not in answers]
    for start in range(0, len(open_keys), model.chunk):
        chunk = open_keys[start : start + model.chunk]
        for numbered in model.answers([questions[key] for key in chunk]):
            new = [(chunk[number], prediction) for number, prediction in numbered]
            if used:
                used.put(new)
            answers.update(new)
            advance(len(new))
    return [answers[key] for key in keys]
