"""Предложение переводится на английский и обратно: «погода сегодня хорошая» → «сегодня хорошая погода»."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from augment_ru.draws import Keys, Streams
from augment_ru.editing.rewriting import SentenceRewriting
from augment_ru.inference.generate import rewritten


@dataclass(frozen=True, slots=True)
class BackTranslation(SentenceRewriting):
    """Translate sentences into English and back with Opus-MT models.

    The default probability, 0.5 (the share of sentences that are translated), is that of the benchmark TAPE (Table 1).

    Args:
        forward: the model that translates into English: a hub name in the local cache, or a folder.
        backward: the model that translates back into Russian.
        min_words: if a translation lacks a protected span of its sentence, only the pieces between such spans are
            translated; a piece with fewer Russian words than this stays as it is.

    Raises:
        AugmentError: a value is out of its range.
    """

    group: ClassVar[str] = "rewording"
    forward: str = "Helsinki-NLP/opus-mt-ru-en"
    backward: str = "Helsinki-NLP/opus-mt-en-ru"
    min_words: int = 2

    def generate(self, texts: Sequence[str], keys: Keys) -> Sequence[str | None]:
        """Return the translation of each text into English and back; None if a translation is empty or unusable.

        Args:
            texts: sentences or parts of sentences.
            keys: the key (seed) of each text's random draws, shape (texts,).
        """
        forward, backward = self.network(self.forward), self.network(self.backward)
        english = rewritten(forward, texts, Streams.of(keys, "forward").keys, self.decoding)
        back = [text or "" for text in english]
        russian = rewritten(backward, back, Streams.of(keys, "backward").keys, self.decoding)
        return [new if text and text.strip() else None for text, new in zip(english, russian, strict=True)]
