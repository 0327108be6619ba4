"""Предложение пересказывается другими словами: «он пришёл поздно» → «он явился с опозданием»."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from augment_ru.draws import Keys
from augment_ru.editing.rewriting import SentenceRewriting
from augment_ru.inference.generate import rewritten


@dataclass(frozen=True, slots=True)
class Paraphrase(SentenceRewriting):
    """Rewrite sentences in other words with a ruT5 model.

    The benchmark TAPE has no such attack. The default probability, 0.5 (the share of sentences that are rewritten), is
    that of its back-translation.

    Args:
        model: the model: a hub name in the local cache, or a folder.
        prefix: what is put before each text that the model is given.

    Raises:
        AugmentError: a value is out of its range.
    """

    group: ClassVar[str] = "rewording"
    model: str = "cointegrated/rut5-base-paraphraser"
    prefix: str = ""

    def generate(self, texts: Sequence[str], keys: Keys) -> Sequence[str | None]:
        """Return the paraphrase of each text.

        Args:
            texts: sentences or parts of sentences.
            keys: the key (seed) of each text's random draws, shape (texts,).
        """
        return rewritten(self.network(self.model), [self.prefix + text for text in texts], keys, self.decoding)
