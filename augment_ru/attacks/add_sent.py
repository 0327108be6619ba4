"""После текста добавляется постороннее предложение: «Кошка спит.» → «Кошка спит. Поезд задержался из-за снегопада.»."""

from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from augment_ru.draws import Streams
from augment_ru.editing.continuations import from_model
from augment_ru.editing.corpus import Corpus, read_corpus, shipped_corpus
from augment_ru.editing.distractors import Generator, distract, from_corpus
from augment_ru.engine.attack import Attack
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError
from augment_ru.inference.decoding import Decoding
from augment_ru.text.batch import Batch


@dataclass(frozen=True, slots=True)
class AddSent(Attack):
    """Add a distractor after a text, or replace wrong options of a question by other texts (TAPE, Table 1: 0.5).

    The distractors come from the records that are perturbed (`corpus`), from a text file (`corpus:FILE`), or from
    a causal language model (`hf:MODEL`). The paper's model is mGPT.

    Raises:
        AugmentError: a value is out of its range, or the text file does not exist or has no usable sentence.
    """

    name: ClassVar[str] = "add_sent"
    exchanges_options: ClassVar[bool] = True
    probability: float = 0.5
    generator: str = "corpus"
    nearest: int = 10
    temperature: float = 1.0
    top_k: int = 50
    new_tokens: int = 48
    attempts: int = 3
    device: str = "auto"
    dtype: str = "auto"
    corpus: Corpus | None = field(default=None, repr=False, metadata={"option": False})

    def __post_init__(self) -> None:
        kind, _, argument = self.generator.partition(":")
        if kind not in ("corpus", "hf") or (kind == "hf" and not argument):
            raise AugmentError(f"add_sent.generator={self.generator}; possible: corpus, corpus:FILE, hf:MODEL")
        for name in ("nearest", "new_tokens", "attempts"):
            if getattr(self, name) < 1:
                raise AugmentError(f"add_sent.{name}={getattr(self, name)}; needs a number from 1")
        self._decoding()  # so that a wrong value is an error before the run starts
        if kind == "corpus" and argument:
            read_corpus(argument)

    @property
    def wants_corpus(self) -> bool:
        """Whether the distractors come from the records that are perturbed."""
        return self.generator in ("corpus", "corpus:") and self.corpus is None

    def with_corpus(self, corpus: Corpus) -> Self:
        """The attack with a corpus to draw distractors from."""
        return replace(self, corpus=corpus) if self.wants_corpus else self

    def on_device(self, device: str) -> Self:
        """The attack with its networks on this device."""
        return replace(self, device=device)

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose a distractor for each text, or for each wrong option of a question."""
        return distract(batch, streams, self.probability, self._generator())

    def _generator(self) -> Generator:
        kind, _, argument = self.generator.partition(":")
        if kind == "hf":
            return from_model(
                argument,
                self._decoding(),
                self.new_tokens,
                attempts=self.attempts,
                device=self.device,
                dtype=self.dtype,
            )
        corpus = read_corpus(argument) if argument else self.corpus or shipped_corpus()
        return from_corpus(corpus, self.nearest)

    def _decoding(self) -> Decoding:
        return Decoding(temperature=self.temperature, top_k=self.top_k)
