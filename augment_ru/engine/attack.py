"""What an attack is: the seam that third parties implement, and attacks by name."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Self, cast

from augment_ru import registry
from augment_ru.draws import Rng, Streams
from augment_ru.edits import Change
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError
from augment_ru.options import configured
from augment_ru.text.batch import Batch
from augment_ru.text.doc import Doc


class Attack(ABC):
    """An attack proposes changes of texts, each with a rank in [0, 1); the engine decides which are applied.

    A frozen dataclass that inherits from this class and states `name` and `probability`. It defines one of two
    methods: `propose`, which looks at one text at a time, or `propose_batch`, which looks at all texts of a batch
    and at what is protected in them. Its other fields are its options on the command line. This class holds all
    that the engine reads of an attack; what follows `probability` has a default.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called on the command line and in the random draws."""

    @property
    @abstractmethod
    def probability(self) -> float:
        """The share of its possible changes that are active by default, in [0, 1]."""

    @property
    def layers(self) -> frozenset[str]:
        """The annotation that it reads, of `augment_ru.text.doc.LAYERS`; by default none."""
        return frozenset()

    @property
    def exchanges_options(self) -> bool:
        """Whether it may replace the texts of wrong options, where the record says which option is right."""
        return False

    @property
    def wants_corpus(self) -> bool:
        """Whether it draws on the sentences of all records of a run, and has none yet."""
        return False

    def with_corpus(self, corpus: Any) -> Self:  # noqa: ANN401  (a package below this one defines it)
        """The attack with the sentences of all records (`augment_ru.editing.corpus.Corpus`), if it wants them."""
        del corpus
        return self

    def with_probability(self, probability: float) -> Self:
        """The attack with another probability.

        Raises:
            AugmentError: the probability is not in [0, 1].
        """
        return cast("Self", replace(cast("Any", self), probability=check_probability(self.name, probability)))

    def on_device(self, device: str) -> Self:
        """The attack with its networks on a device (auto, cpu, cuda, cuda:N); itself if it runs none."""
        del device
        return self

    def propose(self, doc: Doc, rng: Rng) -> Iterable[Change]:
        """Changes of one text, each with a rank in [0, 1) (`rng.change` draws it)."""
        del doc, rng
        raise AugmentError(
            f"{type(self).__name__}: an attack needs propose(doc, rng) or propose_batch(batch, streams); define one"
        )

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Changes of all texts of the batch, in columns; random draws come from `batch.draw(streams, places)`.

        By default what `propose` says of each text.
        """
        keys = streams.keys.tolist()
        return Proposals.of_changes(
            batch, (self.propose(doc, Rng(key)) for doc, key in zip(batch.docs, keys, strict=True))
        )


def checked(attack: object) -> Attack:
    """The attack, if it is one and its probability is one.

    Raises:
        AugmentError: it does not inherit from `Attack`, or its probability is not in [0, 1].
    """
    if not isinstance(attack, Attack):
        raise AugmentError(
            f"{type(attack).__name__}: is no attack; inherit from augment_ru.Attack, and define "
            f"propose(doc, rng) or propose_batch(batch, streams)"
        )
    check_probability(attack.name, attack.probability)
    return attack


def check_probability(name: str, probability: object) -> float:
    """The probability, if it is one.

    Raises:
        AugmentError: it is not a number in [0, 1].
    """
    if isinstance(probability, bool) or not isinstance(probability, int | float) or not 0.0 <= probability <= 1.0:
        raise AugmentError(f"{name}: probability {probability}; needs a number from 0 to 1")
    return float(probability)


def make(name: str, options: Mapping[str, Any] | None = None) -> Attack:
    """The attack of this name, with some of its options set (strings are read as the option's type).

    Raises:
        AugmentError: there is no such attack or option, or a value does not fit.
    """
    return checked(configured(name, registry.find("attacks", "attack", name), options or {}))
