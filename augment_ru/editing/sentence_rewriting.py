"""Attacks that have a network rewrite whole sentences: what back_translation and paraphrase share."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from augment_ru.draws import Keys, Streams
from augment_ru.editing.on_demand import MadeOnDemand
from augment_ru.editing.rewriting import rewrite_sentences
from augment_ru.engine.proposals import Proposals
from augment_ru.inference.decoding import Decoding
from augment_ru.inference.memo import Memo
from augment_ru.inference.pretrained import Pretrained, load
from augment_ru.text.batch import Batch

_memo: Memo[str | None] = Memo()


@dataclass(frozen=True, slots=True)
class SentenceRewriting(MadeOnDemand):
    """An attack whose networks rewrite sentences; each sentence is one change.

    Raises:
        AugmentError: a value is out of its range.
    """

    probability: float = 0.5
    beams: int = 4
    temperature: float | None = None
    top_k: int = 50
    min_words: int = 4
    device: str = "auto"
    dtype: str = "auto"

    def __post_init__(self) -> None:
        _ = self.decoding  # so that a wrong value is an error before the run starts

    @property
    def decoding(self) -> Decoding:
        """How texts are generated."""
        return Decoding(beams=self.beams, temperature=self.temperature, top_k=self.top_k)

    def on_device(self, device: str) -> Self:
        """The attack with its networks on this device."""
        return replace(self, device=device)

    def network(self, name: str) -> Pretrained:
        """An encoder-decoder, on the attack's device."""
        return load("AutoModelForSeq2SeqLM", name, device=self.device, dtype=self.dtype)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the new form of every sentence that may become active."""
        return rewrite_sentences(
            batch, streams, self.probability, self.rewrite, min_words=self.min_words, least=self.least
        )

    def rewrite(self, texts: Sequence[str], keys: Keys) -> Sequence[str | None]:
        """The new form of each text; None if a network gave no usable output.

        Args:
            texts: sentences or parts of sentences.
            keys: the key of each text's random draws, shape (texts,).
        """
        if self.decoding.drawn or not texts:
            return self.generate(texts, keys) if texts else []
        same = replace(self, probability=0.0)
        return _memo(same, texts, lambda new: self.generate(new, keys[:1].repeat(len(new))) if new else [])

    @abstractmethod
    def generate(self, texts: Sequence[str], keys: Keys) -> Sequence[str | None]:
        """See `rewrite`; for at least one text."""
