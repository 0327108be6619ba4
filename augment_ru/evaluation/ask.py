"""Models are asked: each different question once, answers kept as they come."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from augment_ru.errors import AugmentError
from augment_ru.evaluation.answers import plain
from augment_ru.evaluation.cache import Cache, key_of
from augment_ru.evaluation.examples import CHUNK, Example, Model, Prediction


@dataclass(frozen=True, slots=True)
class Contestant:
    """A model under its name in the report."""

    name: str
    model: Model

    @property
    def signature(self) -> str | None:
        """What defines its answers; None if it does not say."""
        found = getattr(self.model, "signature", None)
        return found if isinstance(found, str) else None

    @property
    def few_shot(self) -> bool:
        """Whether it looks at demonstrations."""
        return bool(getattr(self.model, "few_shot", True))

    @property
    def cached(self) -> bool:
        """Whether its answers are kept on disk."""
        return self.signature is not None and bool(getattr(self.model, "cached", True))


@dataclass(slots=True)
class Asked:
    """How many questions there were, how many of them differ, and how many answers were on disk."""

    questions: int = 0
    different: int = 0
    known: int = 0


def ask(
    contestant: Contestant,
    examples: Sequence[Example],
    cache: Cache | None,
    asked: Asked,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Prediction]:
    """The answers to all examples, in their order; equal examples are asked once.

    Args:
        contestant: the model.
        examples: the questions.
        cache: where answers are looked up and kept; None asks all.
        asked: what is counted up.
        advance: told of answers as they come.

    Raises:
        AugmentError: the model fails, or does not answer every question.
    """
    keys = [key_of(contestant.signature or "", example) for example in examples]
    first: dict[bytes, Example] = {}
    for key, example in zip(keys, examples, strict=True):
        first.setdefault(key, example)
    keep = cache if contestant.cached else None
    answers: dict[bytes, Prediction] = keep.get(list(first)) if keep else {}
    asked.questions += len(examples)
    asked.different += len(first)
    asked.known += len(answers)
    advance(len(answers))
    wanted = [key for key in first if key not in answers]
    size = int(getattr(contestant.model, "chunk", CHUNK))
    for start in range(0, len(wanted), size):
        part = wanted[start : start + size]
        for numbers, said in _answers(contestant, [first[key] for key in part]):
            got = [(part[number], one) for number, one in zip(numbers, said, strict=True)]
            if keep:
                keep.put(got)
            answers.update(got)
            advance(len(got))
    return [answers[key] for key in keys]


def _answers(contestant: Contestant, examples: Sequence[Example]) -> Iterator[tuple[Sequence[int], Sequence[Any]]]:
    """The numbers of examples and what the model says of them: one by one if it streams, else all at once."""
    missing = set(range(len(examples)))
    try:
        stream = getattr(contestant.model, "stream", None)
        if stream is not None:
            for number, said in stream(examples):
                missing.discard(number)
                yield [number], [plain(said)]
        else:
            said = contestant.model(examples)
            said = said if isinstance(said, list | tuple) else plain(said)
            if not isinstance(said, list | tuple) or len(said) != len(examples):
                count = f"{len(said)} predictions" if isinstance(said, list | tuple) else f"a {type(said).__name__}"
                raise AugmentError(f"returned {count} for {len(examples)} examples; must return a list of as many")  # noqa: TRY301
            missing.clear()
            yield range(len(examples)), [plain(one) for one in said]
    except AugmentError as error:
        raise AugmentError(f"--model {contestant.name}: {error}") from error
    except Exception as error:  # a user's model may raise anything
        raise AugmentError(f"--model {contestant.name}: {type(error).__name__}: {error}") from error
    if missing:
        raise AugmentError(f"--model {contestant.name}: {len(missing)} examples were not answered")
