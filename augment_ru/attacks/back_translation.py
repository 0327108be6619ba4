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
    """Sentences are translated into English and back (TAPE, Table 1: 0.5; models: Opus-MT)."""

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
        self._decoding()  # a value out of its range is an error now, not in the middle of a run

    def on_device(self, device: str) -> Self:
        """The attack with its networks on a device."""
        return replace(self, device=device)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """The round trip of every sentence that may become active."""
        return rewrite_sentences(batch, streams, self.probability, self.rewrite, min_words=self.min_words)

    def rewrite(self, texts: Sequence[str], keys: Keys) -> Sequence[str | None]:
        """Each text after its round trip; None where a model came to no end."""
        if self._decoding().drawn:
            return self._round_trip(texts, keys)
        name = (self.name, self.forward, self.backward, self.beams, self.device, self.dtype)
        return _memo(name, texts, lambda new: self._round_trip(new, keys[:1].repeat(len(new))))

    def _round_trip(self, texts: Sequence[str], keys: Keys) -> Sequence[str | None]:
        if not texts:
            return []
        there, back = (
            load("AutoModelForSeq2SeqLM", name, device=self.device, dtype=self.dtype)
            for name in (self.forward, self.backward)
        )
        outward = rewritten(there, texts, Streams.of(keys, "forward").keys, self._decoding())
        homeward = rewritten(
            back, [text or "" for text in outward], Streams.of(keys, "backward").keys, self._decoding()
        )
        return [new if text and text.strip() else None for text, new in zip(outward, homeward, strict=True)]

    def _decoding(self) -> Decoding:
        return Decoding(beams=self.beams, temperature=self.temperature, top_k=self.top_k)
