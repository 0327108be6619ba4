"""What a similarity is, a plain function as one, and similarities by name: `navec`, `bertscore:MODEL@LAYER`, `none`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from augment_ru import registry
from augment_ru.draws import Floats, Ints
from augment_ru.errors import AugmentError, unknown
from augment_ru.options import configured


class Scorer(Protocol):
    """Scores candidates against the references that it was made for."""

    @property
    def passes(self) -> int:
        """How many texts went through a network so far; 0 for a scorer without one."""

    @property
    def warnings(self) -> Mapping[int, tuple[str, ...]]:
        """Sentences that belong beside a score, as «only the beginning was compared», by the reference's index."""

    def score(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        """Scores of the candidates against the references of these indices, shape (candidates,), at most 1."""


@runtime_checkable
class Similarity(Protocol):
    """How alike two texts are; always computed for many pairs at once."""

    @property
    def signature(self) -> str:
        """All that defines a score: model, layer, options, versions."""

    @property
    def threshold(self) -> float:
        """The lowest score that passes by default."""

    def against(self, references: Sequence[str]) -> Scorer:
        """A scorer for these references; what it computes for a reference serves all candidates."""


@runtime_checkable
class TakesArgument(Protocol):
    """A class of similarities that may be named with an argument: `NAME:ARGUMENT`."""

    def argument(self, text: str, /) -> Mapping[str, Any]:
        """The options that the argument stands for; a method of the class, not of its objects.

        Raises:
            AugmentError: the argument is malformed.
        """


@runtime_checkable
class Baselined(Protocol):
    """A similarity whose scores can be rescaled, so that unrelated texts score 0."""

    def baseline_lines(self, ones: Sequence[str], others: Sequence[str]) -> Iterator[str]:
        """The lines of its baseline file, measured on unrelated pairs."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A plain function (references, candidates) -> scores as a similarity."""

    function: Callable[[Sequence[str], Sequence[str]], Sequence[float] | Floats]
    threshold: float = 0.8

    @property
    def signature(self) -> str:
        """The function's name."""
        module = getattr(self.function, "__module__", "?")
        return f"{module}.{getattr(self.function, '__qualname__', type(self.function).__name__)}"

    def against(self, references: Sequence[str]) -> "Scorer":
        """The function with these references."""
        return _PlainScorer(self.function, list(references))


@dataclass(frozen=True, slots=True)
class _PlainScorer:
    function: Callable[[Sequence[str], Sequence[str]], Sequence[float] | Floats]
    references: list[str]
    passes: ClassVar[int] = 0
    warnings: ClassVar[Mapping[int, tuple[str, ...]]] = {}

    def score(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        scores = np.asarray(self.function([self.references[index] for index in indices], candidates), dtype=np.float64)
        if scores.shape != (len(candidates),):
            raise AugmentError(f"similarity: scores of shape {scores.shape} for {len(candidates)} pairs")
        return scores


def similarity_of(
    similarity: str | Similarity | Callable[[Sequence[str], Sequence[str]], Any] | None,
    options: Mapping[str, Any] | None = None,
) -> Similarity | None:
    """The similarity that a name, a function or a similarity stands for; None for `none`.

    Args:
        similarity: `NAME`, or `NAME:ARGUMENT` where its class `TakesArgument`; a function, or a similarity.
        options: options of the similarity, by name.

    Raises:
        AugmentError: nothing has this name, or an option does not fit.
    """
    if similarity is None or similarity == "none":
        return None
    if not isinstance(similarity, str):
        return similarity if isinstance(similarity, Similarity) else Plain(similarity)
    name, colon, argument = similarity.partition(":")
    if name not in registry.names("similarities"):
        raise unknown("similarity", name, [*registry.names("similarities"), "none"])
    found = registry.find("similarities", "similarity", name)
    given: Mapping[str, Any] = {}
    if colon:
        if not isinstance(found, TakesArgument):
            raise AugmentError(f"similarity {similarity}: {name} takes nothing after a colon")
        if not argument:
            raise AugmentError(f"similarity {similarity}: nothing after the colon; leave it out, or name a model")
        given = found.argument(argument)
    made: Similarity = configured(name, found, {**given, **(options or {})})
    return made
