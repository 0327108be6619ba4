"""Models that are asked with prompts: they score the choices of a prompt, or generate the answer as text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from augment_ru.evaluation.examples import Example, LabelScores, Model, Scored
from augment_ru.prompting.chat import asked_to_choose
from augment_ru.prompting.prompt import FilledPrompt, Prompt, PromptBudget

DIGITS = 4
"""Scores are rounded to this many decimals before the best is chosen, so that rounding errors do not decide."""


@dataclass(frozen=True, slots=True)
class PromptedModel(Model):
    """A model that is asked with prompts.

    Attributes:
        prompt: makes the prompts for rows.
        labels: the classes of the data; None if answers are free texts.
        score: a function that takes prompts, and returns for each the score of each of its choices in nats; the choice
            with the highest score is the answer.
        write: a function that takes prompts without choices, and returns a generated answer for each.
        signature: a text that states all that defines the answers.
        budget: the most tokens of a prompt, with the functions that count them; None for no limit.
        deterministic: whether the model always answers a question in the same way.
        replies: whether prompts with choices are also answered by `write`. They then list the choices, and the answer
            is the choice that the generated reply names.
    """

    prompt: Prompt
    labels: tuple[str, ...] | None
    score: Callable[[Sequence[FilledPrompt]], list[list[float]]]
    write: Callable[[Sequence[FilledPrompt]], list[str]]
    signature: str
    budget: PromptBudget | None = None
    deterministic: bool = False
    replies: bool = False

    def scored(self, examples: Sequence[Example], /) -> list[Scored]:
        """Return a prediction for each example, in their order, with the scores of the choices of every question.

        If the answer to a question is generated as text, the question has no scores.

        Raises:
            AugmentError: a prompt cannot be built, or does not fit into memory.
        """
        prompts = [self._prompts(example) for example in examples]
        flat = [prompt for each in prompts for prompt in each]
        scores = iter(self.score([prompt for prompt in flat if prompt.choices and not self.replies]))
        texts = iter(self.write([prompt for prompt in flat if self.replies or not prompt.choices]))
        given = []
        for each in prompts:
            answers: list[str] = []
            own: list[LabelScores] = []
            for prompt in each:
                if self.replies or not prompt.choices:
                    answers.append(next(texts))
                    continue
                labels, found = [choice.label for choice in prompt.choices], next(scores)
                answers.append(labels[index_of_best(found)])
                own.append(dict(zip(labels, found, strict=True)))
            given.append(Scored(self.prompt.answer(answers), tuple(own)))
        return given

    def _prompts(self, example: Example) -> tuple[FilledPrompt, ...]:
        built = self.prompt.build(example.record, example.shots, labels=self.labels, budget=self.budget)
        if not self.replies:
            return built
        return tuple(asked_to_choose(one, example.task.benchmark.language) for one in built)


def index_of_best(scores: Sequence[float]) -> int:
    """Return the index of the highest score; of scores that are equal after rounding to `DIGITS` decimals, the first.

    >>> index_of_best([-2.00001, -2.0, -3.0])
    0
    """
    rounded = [round(score, DIGITS) for score in scores]
    return rounded.index(max(rounded))
