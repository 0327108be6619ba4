"""После текста добавляется постороннее предложение: «Кошка спит.» → «Кошка спит. Доцент искал очки на столе.»."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from augment_ru.attacks.add_sent.corpus import Corpus, InputCorpus, read_corpus, shipped_corpus
from augment_ru.attacks.add_sent.distractors import CLOSING_MARKS, Gap, distract, from_corpus
from augment_ru.draws import Keys, Streams
from augment_ru.editing.on_demand import MadeOnDemand
from augment_ru.edits import Edit
from augment_ru.engine.proposals import Proposals
from augment_ru.errors import AugmentError
from augment_ru.inference.generate import Decoding, continued
from augment_ru.inference.pretrained import load
from augment_ru.text.batch import Batch
from augment_ru.text.characters import atoms_of
from augment_ru.text.words import count_russian_words

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

    group: ClassVar[str] = "tape"
    exchanges_options: ClassVar[bool] = True
    min_changes: ClassVar[int] = 0  # no change is forced: the probability is the share of texts with a distractor
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
        generate = self._by_model if corpus is None else from_corpus(corpus, self.nearest)
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

    def _by_model(self, gaps: Sequence[Gap], keys: Keys) -> list[list[Edit]]:
        """Let a causal language model write distractors: unrelated sentences, or other wrong options.

        The model continues the text. A distractor is the usable part of its continuation.
        """
        found: list[list[Edit]] = [[] for _ in gaps]
        if not gaps:
            return found
        name = self.generator.partition(":")[2]
        model = load("AutoModelForCausalLM", name, device=self.device, dtype=self.dtype)
        waiting = np.arange(len(gaps))
        for attempt in range(self.attempts):
            prompts = [prompt(gaps[at]) for at in waiting.tolist()]
            own_keys = Streams.of(keys[waiting], attempt).keys
            drawn = continued(model, prompts, own_keys, self._decoding(), self.new_tokens)
            for at, text in zip(waiting.tolist(), drawn, strict=True):
                new = None if text is None else distractor(gaps[at], text)
                found[at] = [] if new is None else [new]
            waiting = waiting[np.array([not found[at] for at in waiting.tolist()], dtype=np.bool_)]
            if not waiting.size:
                break
        return found

    def _decoding(self) -> Decoding:
        return Decoding(temperature=self.temperature, top_k=self.top_k)


_TAGS = re.compile(r"<[^<>\n]{0,60}>|\[(?:PAD|UNK|SEP|CLS|MASK|EOS|BOS)\]")
_END_OF_OPTION = re.compile(r"[\n.;!?()…]")
_CLOSING = '»"”)'
_LEAST, _MOST = 3, 40
"""The fewest and the most Russian words of a sentence that may be a distractor."""


def prompt(gap: Gap) -> str:
    """Return the text that a language model continues to fill a gap (a place for a new sentence or a new wrong option).

    For a sentence this is the text in front of the gap. For an option it is the question and «Ответ:».
    """
    return f"{gap.before}\nОтвет:" if gap.is_option else gap.before


def distractor(gap: Gap, continuation: str) -> Edit | None:
    """Return the edit that writes the usable part of a model's continuation into a gap; None if no part is usable.

    Args:
        gap: the place for a new sentence or a new wrong option.
        continuation: the text that the model wrote.
    """
    text = _TAGS.sub("", continuation)
    if "\ufffd" in text or "⁇" in text:
        text = re.split("[\ufffd⁇]", text)[0]
    new = _option(text) if gap.is_option else _sentence(gap.before, text)
    if new is None or any(atoms_of(new)) or not gap.fits(new):
        return None
    bare = new.lstrip(f"{CLOSING_MARKS} ")
    ended = gap.before[-1] in (*CLOSING_MARKS, *_CLOSING) or bare != new
    if gap.is_option or ended:
        return gap.edit(bare)
    completed = new if new[0] in ",;:" else f" {new}"  # the continuation completes the text's last sentence
    return Edit(gap.place.start, gap.place.stop, completed)


def _option(text: str) -> str | None:
    bare = text.strip().strip('«»"“”-—–: ')
    bare = _END_OF_OPTION.split(bare)[0].strip(' ,:«»"“”')
    return " ".join(bare.split()) or None


def _sentence(before: str, text: str) -> str | None:
    """Return the first sentence of a continuation; None if it is not a statement of a usual length with a closing mark.

    Args:
        before: the text that is continued.
        text: the continuation.
    """
    from razdel import sentenize  # noqa: PLC0415  (only attacks on sentences need it)

    if before[-1].isalnum() and text[:1].isalnum():
        return None  # it continues the last word
    line = next((line for line in text.splitlines() if line.strip()), "").strip()
    line = line.lstrip(".!?…»”)" if before[-1] in CLOSING_MARKS else "").lstrip()
    for sentence in sentenize(line):
        found = " ".join(sentence.text.split())
        last = found.rstrip(_CLOSING)[-1:]
        # a question would change what is asked
        if last in tuple(CLOSING_MARKS) and "?" not in found and _LEAST <= count_russian_words(found) <= _MOST:
            return found
        return None
    return None
