"""What a similarity is, a plain function as one, and similarities by name: `navec`, `bertscore:MODEL@LAYER`, `none`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from augment_ru import registry
from augment_ru.draws import Floats, Ints
from augment_ru.errors import AugmentError, unknown
from augment_ru.options import configured


class Scorer(Protocol):
    """Scores candidates against references that it was made for.

    It may have `passes`, the texts that went through its network so far, and `warnings`, what the reader of a
    score must know, by the reference's index.
    """

    def score(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        """Scores of the candidates against the references of these indices, at most 1."""


@runtime_checkable
class Similarity(Protocol):
    """How alike two texts are; always asked for many pairs at once."""

    @property
    def signature(self) -> str:
        """All that defines the number: model, layer, options, versions."""

    @property
    def threshold(self) -> float:
        """The score from which on a candidate passes by default."""

    def against(self, references: Sequence[str]) -> Scorer:
        """A scorer for these references, whatever is worked out for them kept over all candidates."""


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
        similarity: `NAME` or `NAME:ARGUMENT`; the similarity's `argument` says which options that stands for.
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
    given = {}
    if colon:
        if not hasattr(found, "argument"):
            raise AugmentError(f"similarity {similarity}: {name} takes nothing after a colon")
        if not argument:
            raise AugmentError(f"similarity {similarity}: nothing after the colon; leave it out, or name a model")
        given = found.argument(argument)
    made: Similarity = configured(name, found, given | dict(options or {}))
    return made
