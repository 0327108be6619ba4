"""The classes `Similarity` and `Scorer`, from which similarities inherit, and functions that find similarities."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import isroutine
from typing import Any, Self, TypeAlias, cast

import numpy as np

from augment_ru import registry
from augment_ru.draws import Floats, Ints
from augment_ru.errors import AugmentError, check_known, failing
from augment_ru.options import configured, on_device, values_of
from augment_ru.registry import is_own, own_object, refuse
from augment_ru.script import Script
from augment_ru.text.batch import Batch
from augment_ru.text.doc import Doc

ScoreFunction: TypeAlias = Callable[[Sequence[str], Sequence[str]], Sequence[float] | Floats]
"""A function from a list of references and a list of candidates, of equal length, to the score of each pair."""


class References(Sequence[str]):
    """Holds the original texts, with which perturbed texts are compared, and the annotation that the engine computed.

    Args:
        batch: the texts.

    Attributes:
        scorer: the similarity that was last asked to compare these texts, and the scorer that it made; all attacks on
            these records use it.
    """

    __slots__ = ("batch", "scorer")

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.scorer: tuple[Similarity, Scorer] | None = None

    def __len__(self) -> int:
        return len(self.batch)

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401  (an index or a slice, as every sequence)
        return self.batch.texts[at]

    @property
    def docs(self) -> Sequence[Doc]:
        """The texts with their annotation; without tokens if they were not annotated."""
        return self.batch.docs


class Candidates(Sequence[str]):
    """Holds perturbed texts, each with the script (the edits) that leads to it from its original.

    Args:
        scripts: the scripts, as a list of objects or as an `EditTable`.
    """

    def __init__(self, scripts: Sequence[Script]) -> None:
        self.scripts = scripts

    def __len__(self) -> int:
        return len(self.scripts)

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401  (an index or a slice, as every sequence)
        return [script.text for script in self.scripts[at]] if isinstance(at, slice) else self.scripts[at].text


def as_read(candidates: Sequence[str]) -> Sequence[str]:
    """Return perturbed texts as they are read, with the readings of their edits («кошка» for 🐱).

    A reading is what a reader reads instead of an edit's new text. Texts without scripts stay as they are.
    """
    return [script.read for script in candidates.scripts] if isinstance(candidates, Candidates) else candidates


class Scorer(ABC):
    """Compares perturbed texts with the original texts for which it was made.

    All members except `score` have a default.
    """

    screens: bool = False
    """Whether the search screens changes: if a sentence (or a record, if it is scored as a whole) fails with all its
    changes, each change is scored by itself, and those that fail are left out. This suits scorers that take little time
    and for which a further change hardly ever raises a score."""
    runs_network: bool = False
    """Whether each score needs a forward pass of a network; if so, a search scores fewer candidates."""
    passes: int = 0
    """The number of texts that a network has read so far."""

    @abstractmethod
    def score(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        """Return the score of each perturbed text against its original, at most 1, shape (candidates,).

        Args:
            indices: for each perturbed text, the index of its original, shape (candidates,).
            candidates: the perturbed texts. The engine passes `Candidates`, which also know the edits.
        """

    @property
    def sentences(self) -> Ints | None:
        """The places in `Batch.codes` where the sentences of the originals start; None if texts are scored as a whole.

        The start of each text is one of these places. If the result is not None, the engine searches each sentence by
        itself, and `score` must give a text the lowest score of its edited sentences. By default the result is None.
        """
        return None

    @property
    def warnings(self) -> Mapping[int, tuple[str, ...]]:
        """Warnings about the scores, such as that a text was cut, by the index of the original text."""
        return {}


class Similarity(ABC):
    """Scores how alike perturbed texts and their originals are, for many pairs at once.

    To write a similarity, inherit from this class, usually in a frozen dataclass whose fields are its options. The
    engine reads only the members of this class. Only `signature`, `threshold` and `against` have no default.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def signature(self) -> str:
        """States everything that a score depends on: model, layer, options, versions."""

    @property
    @abstractmethod
    def threshold(self) -> float:
        """The lowest score with which a perturbed text passes by default, in [0, 1]."""

    @property
    def layers(self) -> frozenset[str]:
        """The layers of annotation of the original texts that the similarity reads; by default none."""
        return frozenset()

    @abstractmethod
    def against(self, references: Sequence[str]) -> Scorer:
        """Return a scorer for these original texts.

        What is needed again for every perturbed text of an original can be computed here, once.

        Args:
            references: the original texts. The engine passes `References`, which have annotation.
        """

    def __call__(self, references: Sequence[str], candidates: Sequence[str]) -> Floats:
        """Return the score of each pair of a reference and a candidate, shape (pairs,)."""
        return checked_scores(scorer_of(self, references), np.arange(len(references)), candidates)

    @classmethod
    def argument(cls, text: str) -> Mapping[str, Any]:
        """Turn the text after the colon of a similarity's name, `MODEL@LAYER` in `bertscore:MODEL@LAYER`, into options.

        Raises:
            AugmentError: the similarity takes no text after a colon, or the text is malformed.
        """
        raise AugmentError(f"'{text}': {cls.__name__} takes nothing after a colon; leave it out")

    def on_device(self, device: str) -> Self:
        """Return a copy of the similarity with its networks on a device: auto, cpu, cuda or cuda:N.

        If the similarity has no option `device`, return the similarity itself.
        """
        return on_device(self, device)

    @property
    def can_be_rescaled(self) -> bool:
        """Whether the scores can be rescaled, so that unrelated texts score 0."""
        return False

    def grades(self, scores: Floats) -> Floats | None:
        """Estimate how readers would grade texts with these scores; None if scores and grades were never compared.

        Args:
            scores: the scores, shape (texts,).

        Returns:
            The expected shares of the grades 3 (same), 2 (partly lost but the same answer), 1 (destroyed) and 0
            (reversed) over all these texts, shape (4,).
        """
        del scores
        return None

    def baseline_lines(self, references: Sequence[str], candidates: Sequence[str]) -> Iterator[str]:
        """Yield the lines of a baseline file: it states how unrelated texts score, so that scores can be rescaled.

        A similarity that cannot be rescaled yields nothing.

        Args:
            references: the first text of each pair.
            candidates: the second text of each pair, which has nothing to do with the first.
        """
        del references, candidates
        yield from ()


@dataclass(frozen=True)
class PlainFunction(Similarity):
    """A similarity made of a function (original texts, perturbed texts) -> scores.

    Args:
        function: takes a list of original texts and a list of perturbed texts, and returns the score of each pair.
        threshold: the lowest score that passes by default.
        as_read: whether the function gets perturbed texts as they are read («кошка» for 🐱); by default as they are
            written.
    """

    function: ScoreFunction = field(metadata={"option": False})
    threshold: float = 0.8
    as_read: bool = False

    @property
    def signature(self) -> str:
        """The qualified name of the function, or of the class of an object that can be called.

        If the function gets texts as they are read (`as_read`), `|as-read` follows.
        """
        named = self.function if isroutine(self.function) else type(self.function)
        return f"{named.__module__}.{named.__qualname__}{'|as-read' if self.as_read else ''}"

    def against(self, references: Sequence[str]) -> Scorer:
        """Return a scorer that compares perturbed texts with these originals by calling the user's function."""
        return _FunctionScorer(self.function, list(references), self.as_read)


_ROUNDED_AWAY = 5e-5
"""How far a score may exceed 1: less than rounding to four digits takes away."""


@dataclass
class _FunctionScorer(Scorer):
    function: ScoreFunction
    references: list[str]
    as_read: bool

    def score(self, indices: Ints, candidates: Sequence[str]) -> Floats:
        candidates = list(as_read(candidates) if self.as_read else candidates)
        references = [self.references[index] for index in indices]
        return cast("Floats", self.function(references, candidates))  # `checked_scores` checks it


def scorer_of(similarity: Similarity, references: Sequence[str]) -> Scorer:
    """Return a similarity's scorer, which compares perturbed texts with their originals.

    The scorer is made by `Similarity.against`, once for the texts of a chunk. Its type is checked, because the
    similarity may be a user's own.

    Args:
        similarity: the similarity.
        references: the original texts.

    Raises:
        AugmentError: `against` raises an error or does not return a `Scorer`.
    """
    known = references.scorer if isinstance(references, References) else None
    if known and known[0] is similarity:
        return known[1]
    with failing(f"the similarity ({type(similarity).__name__})"):
        scorer: object = similarity.against(references)
    if not isinstance(scorer, Scorer):
        raise AugmentError(f"{type(similarity).__name__}.against returned {type(scorer).__name__}; return a Scorer")
    if isinstance(references, References):
        references.scorer = similarity, scorer
    return scorer


def checked_scores(scorer: Scorer, indices: Ints, candidates: Sequence[str]) -> Floats:
    """Return the scores of perturbed texts, shape (candidates,), after checking them.

    They are checked because the scorer may be a user's own.

    Args:
        scorer: compares perturbed texts with original ones.
        indices: for each perturbed text, the index of its original, shape (candidates,).
        candidates: the perturbed texts.

    Raises:
        AugmentError: the scorer raises an error, does not return one score for each candidate, or returns a score that
            is not finite or above 1.
    """
    whose = "" if isinstance(scorer, _FunctionScorer) else f" ({type(scorer).__name__})"
    with failing(f"the similarity{whose}"):
        scores = np.asarray(scorer.score(indices, candidates), dtype=np.float64)
    if scores.shape != (len(candidates),):
        raise AugmentError(f"similarity: scores of shape {scores.shape} for {len(candidates)} pairs; return one a pair")
    possible = np.isfinite(scores) & (scores < 1 + _ROUNDED_AWAY)
    if not possible.all():
        raise AugmentError(f"similarity: a score of {scores[~possible][0]}; scores are numbers of at most 1")
    return scores


def similarity_of(
    similarity: str | Similarity | ScoreFunction | None,
    options: Mapping[str, Any] | None = None,
    *,
    may_import: bool = False,
) -> Similarity | None:
    """Return the similarity that is given as a name, an object or a function; None if `similarity` is None or `none`.

    Args:
        similarity: `NAME`, `NAME:ARGUMENT` (such as `bertscore:MODEL`), a `Similarity`, or a function (references,
            candidates) -> scores.
        options: the values of the options of a similarity that is given by name.
        may_import: whether the name may be that of the user's own code, such as `my_score.py`.

    Raises:
        AugmentError: there is no similarity with this name, an option does not fit, or `similarity` is neither a name,
            a similarity nor a function.
    """
    if similarity is None or similarity == "none":
        return None
    if isinstance(similarity, Similarity):
        return similarity
    if not isinstance(similarity, str):
        if not callable(similarity):
            raise AugmentError(
                f"{type(similarity).__name__} is not a similarity; inherit from augment_ru.Similarity, or give a "
                f"function (references, candidates) -> scores"
            )
        return PlainFunction(similarity)
    if may_import and is_own(similarity):
        return _own(similarity, options or {})
    refuse(similarity)
    return _named(similarity, options or {})


def _named(similarity: str, options: Mapping[str, Any]) -> Similarity:
    """Make the similarity with this name; after a colon the name may have an argument, as in `bertscore:MODEL`."""
    name, colon, argument = similarity.partition(":")
    check_known("similarity", name, [*registry.names("similarities"), "none"])
    found = registry.find("similarities", "similarity", name)
    if colon and not argument:
        raise AugmentError(f"similarity {similarity}: nothing after the colon; leave it out, or name a model")
    given = found.argument(argument) if colon else {}
    made: Similarity = configured(name, found, {**given, **options})
    if not 0.0 <= made.threshold <= 1.0:
        raise AugmentError(f"{name}: threshold {made.threshold}; needs a number from 0 to 1")
    return made


def _own(spec: str, options: Mapping[str, Any]) -> Similarity:
    """Return the similarity that a specification of the user's own code names.

    The code defines a `Similarity` object, or a class or a function, from which a similarity is made with `options`.

    Raises:
        AugmentError: the code cannot be imported, it defines something else, or an option does not fit.
    """
    found = own_object(spec)
    if isinstance(found, Similarity) and not options:
        return found
    if isinstance(found, type) and issubclass(found, Similarity):
        made: Similarity = configured("python", found, options)
        return made
    if isinstance(found, Similarity | type) or not callable(found):
        raise AugmentError(
            f"{spec}: must be a function (references, candidates) -> scores, or a Similarity; an object has no options"
        )
    return PlainFunction(found, **values_of("python", PlainFunction, options))
