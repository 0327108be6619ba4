"""Предложение пересказывается другими словами: «он пришёл поздно» → «он явился с опозданием»."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from augment_ru.draws import Keys, Streams
from augment_ru.editing.rewriting import rewrite_sentences
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals
from augment_ru.inference.decoding import Decoding
from augment_ru.inference.generate import rewritten
from augment_ru.inference.memo import Memo
from augment_ru.inference.pretrained import load
from augment_ru.text.batch import Batch

_memo: Memo[str | None] = Memo()


@dataclass(frozen=True, slots=True)
class Paraphrase(Attack):
    """Rewrite sentences in other words (TAPE has no such attack; 0.5 is that of its back-translation).

    Raises:
        AugmentError: a value is out of its range.
    """

    name: ClassVar[str] = "paraphrase"
    probability: float = 0.5
    model: str = "cointegrated/rut5-base-paraphraser"
    prefix: str = ""
    beams: int = 4
    temperature: float | None = None
    top_k: int = 50
    min_words: int = 4
    device: str = "auto"
    dtype: str = "auto"

    def __post_init__(self) -> None:
        self._decoding()  # so that a wrong value is an error before the run starts

    def on_device(self, device: str) -> Self:
        """The attack with its networks on this device."""
        return replace(self, device=device)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the paraphrase of every sentence that may become active."""
        return rewrite_sentences(batch, streams, self.probability, self.rewrite, min_words=self.min_words)

    def rewrite(self, texts: Sequence[str], keys: Keys) -> Sequence[str | None]:
        """The paraphrase of each text; None if the model gave no usable output.

        Args:
            texts: sentences or parts of sentences.
            keys: the key of each text's random draws, shape (texts,).
        """
        if self._decoding().drawn:
            return self._paraphrased(texts, keys)
        name = (self.name, self.model, self.prefix, self.beams, self.device, self.dtype)
        return _memo(name, texts, lambda new: self._paraphrased(new, keys[:1].repeat(len(new))))

    def _paraphrased(self, texts: Sequence[str], keys: Keys) -> Sequence[str | None]:
        if not texts:
            return []
        model = load("AutoModelForSeq2SeqLM", self.model, device=self.device, dtype=self.dtype)
        return rewritten(model, [self.prefix + text for text in texts], keys, self._decoding())

    def _decoding(self) -> Decoding:
        return Decoding(beams=self.beams, temperature=self.temperature, top_k=self.top_k)
