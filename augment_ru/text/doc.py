"""Annotated texts: documents with their tokens and words."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from augment_ru.errors import AugmentError, brief
from augment_ru.text.words import word_ranges

LAYERS = ("tokens", "entities", "morphology", "lemmas", "syntax")
"""The layers of annotation. Every other layer includes "tokens"; "lemmas" and "syntax" include "morphology"."""


@dataclass(slots=True, unsafe_hash=True)
class Token:
    """A token of a text, with the layers of annotation (morphology, syntax, …) that were computed. Immutable.

    Attributes:
        start, stop: the range of the token in the text, `text[start:stop]`.
        text: the characters of the token.
        layers: the layers that were computed.
        entity: PER, LOC or ORG, with `B-` or `I-` before it; "" outside entities.

    Raises:
        AugmentError: an attribute is read, but its layer was not computed.
    """

    # `Final` forbids changes for type checkers only, since a frozen dataclass takes four times as long to make
    start: Final[int]
    stop: Final[int]
    text: Final[str]
    layers: Final[frozenset[str]]
    entity: Final[str] = ""  # PER, LOC, ORG, with B- or I- before it; "" outside entities
    _pos: Final[str] = "X"
    _features: Final[str] = ""
    _lemma: Final[str] = ""
    _head: Final[int] = -1
    _relation: Final[str] = ""

    def _layer(self, layer: str) -> None:
        if layer not in self.layers:
            remedy = "name it in the `layers` of the attack or rule that reads it"
            raise AugmentError(f"the layer '{layer}' was not computed for '{self.text}'; {remedy}")

    @property
    def pos(self) -> str:
        """The part of speech of the token, by Universal Dependencies, such as NOUN."""
        self._layer("morphology")
        return self._pos

    @property
    def features(self) -> str:
        """The morphological features (Universal Dependencies) of the token, such as `Case=Nom|Gender=Fem`."""
        self._layer("morphology")
        return self._features

    @property
    def lemma(self) -> str:
        """The dictionary form of the token, in lower case, with ё."""
        self._layer("lemmas")
        return self._lemma

    @property
    def head(self) -> int:
        """The index of the token's syntactic head in `Doc.tokens`; a root has its own index."""
        self._layer("syntax")
        return self._head

    @property
    def relation(self) -> str:
        """The syntactic relation of the token to its head, by Universal Dependencies, such as `acl:relcl`."""
        self._layer("syntax")
        return self._relation


@dataclass(frozen=True)
class Doc:
    """A text and its annotation.

    It has words and tokens. Words are found by characters alone, so they do not depend on the annotation. Tokens are
    found by the annotator.

    Attributes:
        text: the text.
        tokens: the annotator's tokens; empty without annotation.
        layers: the layers of annotation that were computed.
    """

    text: str
    tokens: tuple[Token, ...] = ()
    layers: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"Doc({brief(self.text)}, {len(self.tokens)} tokens, layers: {', '.join(sorted(self.layers)) or 'none'})"

    @cached_property
    def forms(self) -> Sequence[str]:
        """The characters of each token, as they are written."""
        return [token.text for token in self.tokens]

    @cached_property
    def places(self) -> Sequence[tuple[int, int]]:
        """The places in the text where each token starts and stops."""
        return [(token.start, token.stop) for token in self.tokens]

    @cached_property
    def lemma_counts(self) -> Counter[str]:
        """How often each lemma occurs in the text, with е for ё."""
        return Counter(word.lemma.replace("ё", "е") for word in self.words)

    @cached_property
    def words(self) -> tuple[Token, ...]:
        """The words of the text; a word that is also a token has the annotation of that token."""
        known = {(token.start, token.stop): token for token in self.tokens}
        return tuple(
            known.get(where) or Token(*where, self.text[slice(*where)], self.layers) for where in word_ranges(self.text)
        )


Annotate = Callable[[Sequence[str], frozenset[str]], list[Doc]]
"""A function from texts and the names of layers to annotated texts."""
