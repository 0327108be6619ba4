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
    """Sentences are said in other words; the paper has no such attack, 0.5 is that of its back-translation."""

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
        self._decoding()  # a value out of its range is an error now, not in the middle of a run

    def on_device(self, device: str) -> Self:
        """The attack with its networks on a device."""
        return replace(self, device=device)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """The paraphrase of every sentence that may become active."""
        return rewrite_sentences(batch, streams, self.probability, self.rewrite, min_words=self.min_words)

    def rewrite(self, texts: Sequence[str], keys: Keys) -> Sequence[str | None]:
        """Each text in other words; None where the model came to no end."""
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
