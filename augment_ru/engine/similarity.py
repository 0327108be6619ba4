"""What a similarity is: the seam; plain functions as similarities; similarities by name."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import isroutine
from typing import Any, Self, TypeAlias

import numpy as np

from augment_ru import registry
from augment_ru.draws import Floats, Ints
from augment_ru.errors import AugmentError, unknown
from augment_ru.options import configured

ScoreFunction: TypeAlias = Callable[[Sequence[str], Sequence[str]], Sequence[float] | Floats]
"""References and candidates, of equal number, to their scores."""


class Scorer(ABC):
    """Scores candidates against the references that it was made for. All but `score` has a default."""

    runs_network: bool = False
    """Whether each score costs a forward pass; searches then ask for fewer."""
    passes: int = 0
    """Texts that went through a network so far."""

    @abstractmethod
    def score(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        """Scores of the candidates, each at most 1, shape (candidates,).

        Args:
            indices: the number of each candidate's reference.
            candidates: texts.
        """

    @property
    def warnings(self) -> Mapping[int, tuple[str, ...]]:
        """What the reader of a score must know, by the number of the reference."""
        return {}


class Similarity(ABC):
    """How alike a perturbed text and its original are; always asked for many pairs at once.

    A class that inherits from this one, usually a frozen dataclass whose fields are its options. This class holds
    all that the engine reads of a similarity; what follows `against` has a default.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def signature(self) -> str:
        """All that defines the score: model, layer, options, versions."""

    @property
    @abstractmethod
    def threshold(self) -> float:
        """The lowest score that passes by default."""

    @abstractmethod
    def against(self, references: Sequence[str]) -> Scorer:
        """A scorer for these references; what it works out for them serves all candidates."""

    @classmethod
    def argument(cls, text: str) -> Mapping[str, Any]:
        """The options that a text stands for, as `MODEL@LAYER` in `bertscore:MODEL@LAYER`.

        Raises:
            AugmentError: it takes none.
        """
        raise AugmentError(f"'{text}': {cls.__name__} takes nothing after a colon; leave it out")

    def on_device(self, device: str) -> Self:
        """The similarity with its networks on a device (auto, cpu, cuda, cuda:N); itself if it runs none."""
        del device
        return self

    @property
    def can_be_rescaled(self) -> bool:
        """Whether it can rescale its scores by those of unrelated texts."""
        return False

    def baseline_lines(self, references: Sequence[str], candidates: Sequence[str]) -> Iterator[str]:
        """The lines of a file of baselines: its scores of pairs of unrelated texts, where it can be rescaled."""
        del references, candidates
        yield from ()


@dataclass(frozen=True)
class PlainFunction(Similarity):
    """A function (references, candidates) -> scores as a similarity."""

    function: ScoreFunction
    threshold: float = 0.8

    @property
    def signature(self) -> str:
        """The name of the function, or of the class of a callable object."""
        named = self.function if isroutine(self.function) else type(self.function)
        return f"{named.__module__}.{named.__qualname__}"

    def against(self, references: Sequence[str]) -> Scorer:
        """The function with these references."""
        return _FunctionScorer(self.function, list(references))


@dataclass
class _FunctionScorer(Scorer):
    function: ScoreFunction
    references: list[str]

    def score(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        scores = np.asarray(self.function([self.references[index] for index in indices], candidates), dtype=np.float64)
        if scores.shape != (len(candidates),):
            raise AugmentError(f"similarity: scores of shape {scores.shape} for {len(candidates)} pairs")
        return scores


def similarity_of(
    similarity: str | Similarity | ScoreFunction | None, options: Mapping[str, Any] | None = None
) -> Similarity | None:
    """The similarity that a name, a function or a similarity stands for; None for `none`.

    Args:
        similarity: `NAME`, `NAME:ARGUMENT` (what the argument stands for, the similarity says), a `Similarity`, or a
            function (references, candidates) -> scores.
        options: options of a named similarity.

    Raises:
        AugmentError: nothing has this name, an option does not fit, or it is neither a similarity nor a function.
    """
    if similarity is None or similarity == "none":
        return None
    if isinstance(similarity, Similarity):
        return similarity
    if not isinstance(similarity, str):
        if not callable(similarity):
            raise AugmentError(
                f"{type(similarity).__name__}: is no similarity; inherit from augment_ru.Similarity, or give a "
                f"function (references, candidates) -> scores"
            )
        return PlainFunction(similarity)
    name, colon, argument = similarity.partition(":")
    if name not in registry.names("similarities"):
        raise unknown("similarity", name, [*registry.names("similarities"), "none"])
    found = registry.find("similarities", "similarity", name)
    given: Mapping[str, Any] = {}
    if colon:
        if not argument:
            raise AugmentError(f"similarity {similarity}: nothing after the colon; leave it out, or name a model")
        given = found.argument(argument)
    made: Similarity = configured(name, found, {**given, **(options or {})})
    return made
