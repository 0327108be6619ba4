"""Models that are asked by prompts: the candidate with the best score, or an answer in their own words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Example, Prediction
from augment_ru.inference.pretrained import Pretrained
from augment_ru.prompting.budget import Budget
from augment_ru.prompting.prompt import Filled, Prompt

DIGITS = 4
"""Scores are rounded to so many digits before the best is taken, so that noise in the last bits decides nothing."""


@dataclass(frozen=True, slots=True)
class Prompted:
    """A model that answers prompts.

    Attributes:
        prompt: how rows are asked about.
        labels: the classes of the data; None where answers are free.
        score: for each prompt the score of each of its candidates, in nats; the highest is right.
        write: an answer for each prompt without candidates.
        signature: all that defines the answers.
        budget: how long prompts may be; None leaves them whole.
    """

    prompt: Prompt
    labels: tuple[str, ...] | None
    score: Callable[[Sequence[Filled]], list[list[float]]]
    write: Callable[[Sequence[Filled]], list[str]]
    signature: str
    budget: Budget | None = None

    def __call__(self, examples: Sequence[Example], /) -> list[Prediction]:
        """A prediction for each example, in their order."""
        prompts = [self._filled(example) for example in examples]
        flat = [filled for each in prompts for filled in each]
        closed = [index for index, filled in enumerate(flat) if filled.candidates]
        free = [index for index, filled in enumerate(flat) if not filled.candidates]
        said = [""] * len(flat)
        for index, scores in zip(closed, self.score([flat[index] for index in closed]), strict=True):
            said[index] = flat[index].candidates[best(scores)].label
        for index, text in zip(free, self.write([flat[index] for index in free]), strict=True):
            said[index] = text
        found, at = [], 0
        for each in prompts:
            found.append(self.prompt.answer(said[at : at + len(each)]))
            at += len(each)
        return found

    def scores(self, examples: Sequence[Example]) -> list[list[dict[str, float]]]:
        """For each example, and each question about it, the score of every label, in nats; the highest is right."""
        prompts = [self._filled(example) for example in examples]
        scored = iter(self.score([filled for each in prompts for filled in each if filled.candidates]))
        return [
            [
                dict(zip((one.label for one in filled.candidates), next(scored), strict=True))
                for filled in each
                if filled.candidates
            ]
            for each in prompts
        ]

    def _filled(self, example: Example) -> tuple[Filled, ...]:
        return self.prompt.build(example.record, example.shots, labels=self.labels, budget=self.budget)


def best(scores: Sequence[float]) -> int:
    """The number of the highest score; of equal ones the first.

    >>> best([-2.00001, -2.0, -3.0])
    0
    """
    rounded = [round(score, DIGITS) for score in scores]
    return rounded.index(max(rounded))


def one_of(option: str, value: str, possible: Sequence[str]) -> None:
    """Nothing, if the value is possible.

    Raises:
        AugmentError: it is not.
    """
    if value not in possible:
        raise AugmentError(f"option {option}={value}; possible: {', '.join(possible)}")


def at_least(option: str, value: float | None, least: float) -> None:
    """Nothing, if the value is none or large enough.

    Raises:
        AugmentError: it is too small.
    """
    if value is not None and value < least:
        raise AugmentError(f"option {option}={value}; must be at least {least}")


def within(option: str, value: float | None) -> None:
    """Nothing, if the value is none or a share in (0, 1].

    Raises:
        AugmentError: it is not.
    """
    if value is not None and not 0.0 < value <= 1.0:
        raise AugmentError(f"option {option}={value}; must be above 0 and at most 1")


def limited(prompt: Prompt, tokens: int | None, most: int) -> Prompt:
    """The prompt with other limits for written answers: `tokens` where it is not None, and never more than `most`."""
    first, more = (min(tokens or limit, most) for limit in prompt.limits)
    return replace(prompt, limits=(first, more))


def signature_of(kind: str, pretrained: Pretrained, prompt: Prompt | None, options: Mapping[str, object]) -> str:
    """A line with all that defines the answers: the model and a digest of its weights, the prompt's, the options."""
    parts = [kind, pretrained.name, f"weights={weights_digest(pretrained)}", f"dtype={pretrained.dtype}"]
    if prompt is not None:
        parts.append(f"prompt={prompt.digest}")
    return "|".join([*parts, *(f"{name}={value}" for name, value in sorted(options.items()))])


def weights_digest(pretrained: Pretrained) -> str:
    """A digest of some 64 numbers of each of the model's tensors, its shape, and the tokenizer's size."""
    import torch  # noqa: PLC0415

    digest = blake2b(f"{len(pretrained.tokenizer)}".encode(), digest_size=4)
    for name, tensor in pretrained.model.state_dict().items():
        flat = tensor.detach().reshape(-1)
        some = flat[:: max(flat.numel() // 64, 1)].to("cpu", torch.float32).numpy()
        digest.update(f"{name}{tuple(tensor.shape)}".encode() + some.tobytes())
    return digest.hexdigest()
