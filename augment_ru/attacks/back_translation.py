"""Предложение переводится на английский и обратно: «погода сегодня хорошая» → «сегодня хорошая погода»."""

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
class BackTranslation(Attack):
    """Translate sentences into English and back (TAPE, Table 1: 0.5; models: Opus-MT).

    Raises:
        AugmentError: a value is out of its range.
    """

    name: ClassVar[str] = "back_translation"
    probability: float = 0.5
    forward: str = "Helsinki-NLP/opus-mt-ru-en"
    backward: str = "Helsinki-NLP/opus-mt-en-ru"
    beams: int = 4
    temperature: float | None = None
    top_k: int = 50
    min_words: int = 2
    device: str = "auto"
    dtype: str = "auto"

    def __post_init__(self) -> None:
        self._decoding()  # so that a wrong value is an error before the run starts

    def on_device(self, device: str) -> Self:
        """The attack with its networks on this device."""
        return replace(self, device=device)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose the back-translation of every sentence that may become active."""
        return rewrite_sentences(batch, streams, self.probability, self.rewrite, min_words=self.min_words)

    def rewrite(self, texts: Sequence[str], keys: Keys) -> Sequence[str | None]:
        """The back-translation of each text; None if one of the models gave no usable output.

        Args:
            texts: Russian sentences or parts of sentences.
            keys: the key of each text's random draws, shape (texts,).
        """
        if self._decoding().drawn:
            return self._back_translated(texts, keys)
        name = (self.name, self.forward, self.backward, self.beams, self.device, self.dtype)
        return _memo(name, texts, lambda new: self._back_translated(new, keys[:1].repeat(len(new))))

    def _back_translated(self, texts: Sequence[str], keys: Keys) -> Sequence[str | None]:
        if not texts:
            return []
        forward, backward = (
            load("AutoModelForSeq2SeqLM", name, device=self.device, dtype=self.dtype)
            for name in (self.forward, self.backward)
        )
        english = rewritten(forward, texts, Streams.of(keys, "forward").keys, self._decoding())
        russian = rewritten(
            backward, [text or "" for text in english], Streams.of(keys, "backward").keys, self._decoding()
        )
        return [new if text and text.strip() else None for text, new in zip(english, russian, strict=True)]

    def _decoding(self) -> Decoding:
        return Decoding(beams=self.beams, temperature=self.temperature, top_k=self.top_k)
