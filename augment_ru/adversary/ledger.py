"""Keep what a model was asked and what it answered, so that no question is asked twice without need."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from augment_ru.evaluation.examples import Cache, Example, NamedModel, QuestionCounts, Scored, answer_keys, ask


@dataclass(slots=True)
class Ledger:
    """Asks a model each question once and keeps its answers, in memory and, with a cache, on disk.

    A model that has the method `scored` is asked for predictions with scores.

    Attributes:
        model: the model.
        cache: the answers on disk; None keeps them only in memory.
        counts: how many questions were asked, and how many of them the cache answered.
    """

    model: NamedModel
    cache: Cache | None = None
    counts: QuestionCounts = field(default_factory=QuestionCounts)
    _known: dict[bytes, Scored] = field(default_factory=dict)
    _asking: NamedModel | None = None

    def ask(self, examples: Sequence[Example], repeats: Sequence[int] = ()) -> list[Scored]:
        """Return the answers to questions, in their order.

        The model is called once, with the questions whose answers are not known yet.

        Args:
            examples: the questions.
            repeats: for each question, which repeat of it this is, from 0; each repeat has an answer of its own. Empty
                if no question is repeated.

        Raises:
            AugmentError: the model raises an error, does not answer every question, or gives malformed scores.
        """
        if self._asking is None:
            self._asking = replace(self.model.with_scores(), reads=None)
        asked, examples = self._asking, self.model.read(examples)
        keys = answer_keys(asked.signature or "", examples, repeats)
        fresh = {key: example for key, example in zip(keys, examples, strict=True) if key not in self._known}
        if fresh:
            given = ask(asked, list(fresh.values()), self.cache, self.counts, keys=list(fresh))
            self._known.update(zip(fresh, map(asked.scores_of, given), strict=True))
        return [self._known[key] for key in keys]

    def forget(self) -> None:
        """Drop the answers in memory, so that a long run does not fill it; the cache keeps its answers."""
        self._known.clear()
