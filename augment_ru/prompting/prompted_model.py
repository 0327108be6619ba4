"""Models that are asked by prompts: they score the choices of a prompt, or write the answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from augment_ru.evaluation.examples import CHUNK, Example, Prediction
from augment_ru.prompting.budget import PromptBudget
from augment_ru.prompting.prompt import FilledPrompt, Prompt

DIGITS = 4
"""Decimal places of a score before the best is taken, so that rounding in its last bits does not decide."""


@dataclass(frozen=True, slots=True)
class PromptedModel:
    """A model that is asked by prompts.

    Attributes:
        prompt: how rows are asked about.
        labels: the classes of the data; None where answers are free.
        score: returns, for each prompt, the score of each of its choices in nats; the highest is the answer.
        write: returns an answer for each prompt without choices.
        signature: all that defines the answers.
        budget: how long prompts may be; None leaves them whole.
    """

    prompt: Prompt
    labels: tuple[str, ...] | None
    score: Callable[[Sequence[FilledPrompt]], list[list[float]]]
    write: Callable[[Sequence[FilledPrompt]], list[str]]
    signature: str
    budget: PromptBudget | None = None
    few_shot: bool = field(default=True, init=False)
    cached: bool = field(default=True, init=False)
    chunk: int = field(default=CHUNK, init=False)

    def __call__(self, examples: Sequence[Example], /) -> list[Prediction]:
        """A prediction for each example, in their order.

        Raises:
            AugmentError: a prompt cannot be built, or does not fit into memory.
        """
        prompts = [self._prompts(example) for example in examples]
        flat = [prompt for each in prompts for prompt in each]
        closed = [index for index, prompt in enumerate(flat) if prompt.choices]
        free = [index for index, prompt in enumerate(flat) if not prompt.choices]
        answers = [""] * len(flat)
        for index, scores in zip(closed, self.score([flat[index] for index in closed]), strict=True):
            answers[index] = flat[index].choices[index_of_best(scores)].label
        for index, text in zip(free, self.write([flat[index] for index in free]), strict=True):
            answers[index] = text
        found, start = [], 0
        for each in prompts:
            found.append(self.prompt.answer(answers[start : start + len(each)]))
            start += len(each)
        return found

    def scores(self, examples: Sequence[Example]) -> list[list[dict[str, float]]]:
        """For each example, and each question about it that has choices, the score of every label, in nats."""
        prompts = [self._prompts(example) for example in examples]
        scored = iter(self.score([prompt for each in prompts for prompt in each if prompt.choices]))
        return [
            [
                dict(zip((choice.label for choice in prompt.choices), next(scored), strict=True))
                for prompt in each
                if prompt.choices
            ]
            for each in prompts
        ]

    def _prompts(self, example: Example) -> tuple[FilledPrompt, ...]:
        return self.prompt.build(example.record, example.shots, labels=self.labels, budget=self.budget)


def index_of_best(scores: Sequence[float]) -> int:
    """The index of the highest score after rounding to `DIGITS`; of equal ones the first.

    >>> index_of_best([-2.00001, -2.0, -3.0])
    0
    """
    rounded = [round(score, DIGITS) for score in scores]
    return rounded.index(max(rounded))
