"""Models whose answers can be computed by hand, and attacks whose changes can be listed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from augment_ru import Attack, Change, Doc, Edit, Example, Rng
from augment_ru.evaluation.examples import Scored
from augment_ru.text.words import LETTERS


@dataclass
class Keywords:
    """A model that calls a text spam if at least `least` of its words are keywords; it records what it was asked.

    Attributes:
        keywords: the keywords, in lower case.
        least: the number of keywords that makes a text spam.
        asked: the texts that it was asked about, in order.
        calls: how many calls there were.
    """

    keywords: frozenset[str]
    least: int = 1
    signature: str | None = None
    asked: list[str] = field(default_factory=list)
    calls: int = 0
    few_shot: ClassVar[bool] = False
    deterministic: ClassVar[bool] = True

    def count(self, text: str) -> int:
        """Count the keywords in a text."""
        return sum(word.lower() in self.keywords for word in LETTERS.findall(text))

    def __call__(self, examples: Sequence[Example], /) -> list[str]:
        """Return the labels."""
        self.calls += 1
        self.asked += [example.text for example in examples]
        return ["spam" if self.count(example.text) >= self.least else "ham" for example in examples]


class ScoredKeywords(Keywords):
    """The same model with scores: each keyword is worth one nat."""

    def scored(self, examples: Sequence[Example], /) -> list[Scored]:
        """Return the labels with their scores."""
        odds = [self.count(example.text) - self.least + 0.5 for example in examples]
        return [Scored(label, ({"ham": 0.0, "spam": odd},)) for label, odd in zip(self(examples), odds, strict=True)]


@dataclass(frozen=True)
class Blank(Attack):
    """An attack that may replace each word by one of the listed words."""

    name: ClassVar[str] = "blank"
    probability: float = 0.5
    words: tuple[str, ...] = ("нечто",)

    def propose(self, doc: Doc, rng: Rng) -> Iterator[Change]:
        """Propose to replace each word by every listed word."""
        for word in LETTERS.finditer(doc.text):
            for new in self.words:
                yield rng.change(Edit(word.start(), word.end(), new))
