"""What an attack is, and how its proposals for a batch are taken."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

from augment_ru import registry
from augment_ru.draws import Rng, Streams
from augment_ru.edits import Change
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError
from augment_ru.options import configured
from augment_ru.text.batch import Batch
from augment_ru.text.doc import Doc


class Attack(Protocol):
    """A frozen dataclass with a probability, and one of `propose` and `propose_batch` (below).

    It may name `layers`: the annotation it reads, of `augment_ru.text.doc.LAYERS`; and `exchanges_options = True`:
    the texts of wrong options are free to it, where a question holds its options and the record says which is
    right. Where its property `wants_corpus` holds, `informed(corpus)` gives the attack that knows the sentences
    of all records (`augment_ru.editing.corpus`); a run over a file asks for it.
    """

    @property
    def name(self) -> str:
        """What it is called, on the command line and in the random draws."""

    @property
    def probability(self) -> float:
        """The share of its changes that are active by default, in [0, 1]."""


@runtime_checkable
class OneByOne(Protocol):
    """An attack that looks at one text at a time."""

    def propose(self, doc: Doc, rng: Rng) -> Iterable[Change]:
        """Changes of the text, each with a rank in [0, 1)."""


@runtime_checkable
class Batched(Protocol):
    """An attack that looks at all texts of a batch at once, and at what is protected in them."""

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Changes of the texts, in columns."""


def layers_of(attack: Attack) -> frozenset[str]:
    """The annotation that an attack reads."""
    return frozenset(getattr(attack, "layers", ()))


def seen_by(attack: Attack, batch: Batch) -> Batch:
    """The batch with what is protected from this attack."""
    return batch.exchanging() if getattr(attack, "exchanges_options", False) else batch.guarded()


def proposals(attack: Attack, batch: Batch, streams: Streams) -> Proposals:
    """What the attack proposes for each text of the batch.

    Raises:
        AugmentError: it has neither `propose` nor `propose_batch`.
    """
    if isinstance(attack, Batched):
        return attack.propose_batch(batch, streams)
    if isinstance(attack, OneByOne):
        return Proposals.of_changes(
            batch,
            (attack.propose(doc, Rng(key)) for doc, key in zip(batch.docs, streams.keys.tolist(), strict=True)),
        )
    raise AugmentError(f"{type(attack).__name__}: an attack needs propose(doc, rng) or propose_batch(batch, streams)")


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
    attack: Attack = configured(name, registry.find("attacks", "attack", name), options or {})
    check_probability(name, attack.probability)
    return attack
