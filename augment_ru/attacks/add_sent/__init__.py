"""После текста добавляется постороннее предложение: «Кошка спит.» → «Кошка спит. Доцент искал очки на столе.»."""

from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from augment_ru.attacks.add_sent.continuations import from_model
from augment_ru.attacks.add_sent.corpus import Corpus, read_corpus, shipped_corpus
from augment_ru.attacks.add_sent.distractors import distract, from_corpus
from augment_ru.attacks.add_sent.input_corpus import InputCorpus
from augment_ru.draws import Streams
from augment_ru.editing.on_demand import MadeOnDemand
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError
from augment_ru.inference.generate import Decoding
from augment_ru.text.batch import Batch

_INPUT = "corpus:input"


@dataclass(frozen=True, slots=True)
class AddSent(MadeOnDemand):
    """Add an unrelated sentence, a distractor, to a text; in a question with options, replace wrong options instead.

    The default probability, 0.5, is that of the benchmark TAPE (Table 1).

    Args:
        probability: the share of texts that get a sentence, and of wrong options that are replaced, in [0, 1].
        generator: where distractors come from. `shipped`: neutral sentences of this package. `corpus:FILE`: a text
            file. `corpus:input`: the texts of those rows of the input that have the label of the perturbed row.
            `hf:MODEL`: a causal language model writes them (the paper's is mGPT).
        nearest: a distractor is drawn from this many texts of the corpus, at least 1. They are the texts nearest in
            topic among those that neither answer the question nor contradict the text.
        temperature: the temperature at which a model's tokens are drawn, over 0.
        top_k: each token is drawn from this many likeliest ones, at least 1.
        new_tokens: the most tokens that a model writes for a distractor, at least 1.
        attempts: how often a model may try to write one distractor, at least 1.
        device: the device of the model: auto, cpu or cuda[:N].
        dtype: the number format of the model's weights.
        corpus: the sentences to use instead of those that `generator` names; set only in Python.

    Raises:
        AugmentError: a value is out of its range, or the text file does not exist or has no usable sentence.
    """

    name: ClassVar[str] = "add_sent"
    group: ClassVar[str] = "tape"
    exchanges_options: ClassVar[bool] = True
    min_changes: ClassVar[int] = 0
    """No change is forced, so the probability is the share of the texts that get a distractor."""
    probability: float = 0.5
    generator: str = "shipped"
    nearest: int = 10
    temperature: float = 1.0
    top_k: int = 50
    new_tokens: int = 48
    attempts: int = 3
    device: str = "auto"
    dtype: str = "auto"
    corpus: Corpus | InputCorpus | None = field(default=None, repr=False, metadata={"option": False})

    def __post_init__(self) -> None:
        kind, _, argument = self.generator.partition(":")
        if self.generator != "shipped" and not (kind in ("corpus", "hf") and argument):
            raise AugmentError(
                f"add_sent.generator={self.generator}; possible: shipped, corpus:input, corpus:FILE, hf:MODEL"
            )
        for name in ("nearest", "new_tokens", "attempts"):
            if getattr(self, name) < 1:
                raise AugmentError(f"add_sent.{name}={getattr(self, name)}; needs a number from 1")
        self._decoding()  # so that a wrong value is an error before the run starts
        if kind == "corpus" and self.generator != _INPUT:
            read_corpus(argument)

    @property
    def wants_corpus(self) -> bool:
        """Whether the attack still needs the rows of the input, to take distractors from them (see `with_corpus`)."""
        return self.generator == _INPUT and self.corpus is None

    def with_corpus(self, corpus: InputCorpus) -> Self:
        """Return a copy of the attack that takes its distractors (new sentences and wrong answers) from a corpus.

        The attack itself is returned if it does not need the rows of the input, or already has them.

        Args:
            corpus: the sentences and options of the rows of the input.
        """
        return replace(self, corpus=corpus) if self.wants_corpus else self

    @property
    def corpus_digest(self) -> str:
        """The SHA-256 of the distractors (texts to add); "" if this package provides them or a model writes them."""
        found = self._corpus()
        return "" if found is None or found is shipped_corpus() else found.digest

    def propose_batch(self, batch: Batch, streams: Streams) -> Proposals:
        """Propose to add an unrelated sentence to each text, or to replace each wrong option (answer) of a question."""
        corpus = self._corpus()
        if corpus is not None:
            generate = from_corpus(corpus, self.nearest)
        else:
            generate = from_model(
                self.generator.partition(":")[2],
                self._decoding(),
                self.new_tokens,
                attempts=self.attempts,
                device=self.device,
                dtype=self.dtype,
            )
        return distract(batch, streams, self.probability, generate, least=self.least)

    def _corpus(self) -> Corpus | InputCorpus | None:
        """Return the corpus that distractors are drawn from; None if a model writes them.

        Raises:
            AugmentError: the distractors come from the records that are perturbed, and these are not known; or the text
                file is not usable.
        """
        kind, _, argument = self.generator.partition(":")
        if self.corpus is not None:
            return self.corpus
        if kind == "hf":
            return None
        if self.wants_corpus:
            raise AugmentError(
                f"add_sent.generator={_INPUT}: only perturb and calibrate read all rows first; "
                f"use shipped or corpus:FILE, or in Python AddSent(corpus=…)"
            )
        return read_corpus(argument) if argument else shipped_corpus()

    def _decoding(self) -> Decoding:
        return Decoding(temperature=self.temperature, top_k=self.top_k)
