"""Shared by all kinds of Hugging Face models: options, loading, prompts, and the signature."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, Self, TypeAlias

import numpy as np

from augment_ru.draws import Streams, digests
from augment_ru.errors import AugmentError
from augment_ru.evaluation.examples import Example, LabelScores, Model, ModelRequest, Scored
from augment_ru.inference.batches import TokensByDevice
from augment_ru.inference.generate import Decoding, generated
from augment_ru.inference.likelihood import Tokens
from augment_ru.inference.pretrained import Pretrained, context_of, load
from augment_ru.models._options import AskedWithPrompts, CheckedOptions, limited
from augment_ru.prompting.chat import Chat, asked_to_choose, closing
from augment_ru.prompting.encoder import PromptEncoder
from augment_ru.prompting.prompt import FilledPrompt, Prompt, PromptBudget
from augment_ru.prompting.prompt_file import prompt_of
from augment_ru.prompting.replies import REASONING, answer_in, before_stop, index_of_best


@dataclass(frozen=True, slots=True)
class LoadingOptions(CheckedOptions):
    """The options for loading and running a model; they change its answers only by rounding.

    Attributes:
        dtype: auto, float32, bfloat16 or float16.
        device_map: how accelerate spreads the model over several GPUs: auto, balanced or sequential; None for one
            device.
        batch_tokens: the most tokens in a batch, padding included; None for the default of the device.
    """

    dtype: str = "auto"
    device_map: str | None = None
    batch_tokens: int | None = limited(None, least=1)


@dataclass(frozen=True, slots=True)
class PromptOptions(LoadingOptions, AskedWithPrompts):
    """The options for making prompts and generating answers, besides those of `LoadingOptions`.

    RAFT and TAPE are benchmarks; the sections are those of their papers.

    Attributes:
        template: a prompt file that replaces the task's.
        variant: the number of the template in the file, from 1.
        budget: the most tokens of the whole prompt, which is cut if it is longer (RAFT, section 4.1.1); None for no
            limit but the model's.
        top_p: if set, the tokens of generated answers are drawn from the likeliest tokens that together have this
            probability (TAPE, section 5.2); None to take the likeliest token.
        max_tokens: the most tokens of a generated answer; None for the prompt file's limit.
        seed: the seed of the draws of tokens.
    """

    template: str | None = None
    variant: int = 1
    budget: int | None = limited(None, least=1)
    top_p: float | None = 0.8
    max_tokens: int | None = limited(None, least=1)
    seed: int = 42


_BATCH_TOKENS = TokensByDevice(cpu=4096, gpu=32_768)
"""The tokens of a batch, including those of the answers; small, because evaluated models may be large."""
_ENCODED_TOKENS = TokensByDevice(cpu=2048, gpu=65_536)
_NOT_SIGNED = ("template", "dtype", "device_map", "batch_tokens", "chat", "system", "reasoning")
"""Options left out of the signature: it states prompt, dtype and chat in other ways, and the rest change no answer."""


ChatOf: TypeAlias = Callable[[Any], Chat | None]


@dataclass(frozen=True)
class PromptedNetwork(Model, ABC):
    """A network that is asked with prompts: it scores the choices of a prompt, or writes the answer as text.

    Attributes:
        kind: the kind of the model, as in `--model KIND:ARGUMENT`.
        options: the options that the user set.
        prompt: makes the prompts for rows.
        pretrained: the network with its tokenizer.
        encoder: turns prompts into tokens.
        context: the length of the model's context window, in tokens.
        labels: the classes of the data; None if answers are free texts.
        replies: whether the answer to a prompt with choices is written, too. Such a prompt lists the choices, and the
            answer is the one that the reply names.
    """

    kind: str
    options: PromptOptions
    prompt: Prompt
    pretrained: Pretrained
    encoder: PromptEncoder
    context: int
    labels: tuple[str, ...] | None
    replies: bool = False

    @classmethod
    def of(cls, kind: str, head: str, request: ModelRequest, chat_of: ChatOf = lambda _: None) -> Self:
        """Load the network, and the prompt of the task.

        Args:
            kind: the kind of the model, as in `--model KIND:ARGUMENT`.
            head: the transformers class that loads the model.
            request: what the model is made from; its argument is a folder or a name on the hub.
            chat_of: takes the tokenizer, and returns the chat template to ask with; None to ask with plain texts.

        Raises:
            AugmentError: there is no such model or prompt, or an option is out of its range.
        """
        options: PromptOptions = request.options
        if options.top_p is not None and not 0.0 < options.top_p <= 1.0:
            raise AugmentError(f"option top_p={options.top_p}; must be above 0 and at most 1")
        prompt = prompt_of(request.task, options.template, variant=options.variant)
        pretrained = loaded(head, request.argument, request.device, options)
        encoder = PromptEncoder.of(pretrained, chat_of(pretrained.tokenizer))
        return cls(kind, options, prompt, pretrained, encoder, context_of(pretrained), request.labels)

    @abstractmethod
    def score(self, prompts: Sequence[FilledPrompt]) -> list[list[float]]:
        """Return for each prompt the score of each of its choices, in nats; that with the highest is the answer."""

    @abstractmethod
    def write(self, prompts: Sequence[FilledPrompt]) -> list[str]:
        """Return for each prompt a generated answer."""

    @cached_property
    def signature(self) -> str:
        """All that defines the answers, as text."""
        shaping = {name: value for name, value in asdict(self.options).items() if name not in _NOT_SIGNED}
        shaping |= {"chat": self.encoder.chat.signature} if self.encoder.chat else {}
        shaping["labels"] = None if self.labels is None else ",".join(self.labels)  # prompts name the labels
        return signature_of(self.kind, self.pretrained, self.prompt, shaping)

    @property
    def deterministic(self) -> bool:
        """Whether the network always answers a question in the same way: on a CPU it does."""
        return bool(self.pretrained.device.type == "cpu")

    @cached_property
    def budget(self) -> PromptBudget | None:
        """How many tokens a prompt may have, with the functions that count and cut them; None for no limit."""
        tokens = self.options.budget
        return self.encoder.budget(min(tokens, self.context)) if tokens else None

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
        longest = self.context
        if not self.pretrained.model.config.is_encoder_decoder:  # its window holds the answer, too
            longest //= 2
        cold, warm = (min(self.options.max_tokens or limit, longest) for limit in self.prompt.limits)
        prompt = replace(self.prompt, limits=(cold, warm))
        built = prompt.build(example.record, example.shots, labels=self.labels, budget=self.budget)
        if not self.replies:
            return built
        return tuple(asked_to_choose(one, example.task.benchmark.language) for one in built)

    def written(self, prompts: Sequence[FilledPrompt], tokens: Sequence[Tokens]) -> list[str]:
        """Generate the answer to each prompt as text; in a chat, read the answer from the reply (`answer_in`).

        The random draws for a prompt do not depend on other prompts.

        Args:
            prompts: the prompts.
            tokens: the tokens that the model reads for each prompt.

        Raises:
            AugmentError: a single prompt with its answer does not fit into memory.
        """
        limits = [prompt.tokens for prompt in prompts]
        stops = () if self.encoder.chat else [prompt.stop for prompt in prompts]
        answers = self._generated(prompts, tokens, limits, "generate", stops)
        decode = self.pretrained.tokenizer.decode
        texts = [decode(ids, skip_special_tokens=True) for ids in answers]
        if self.encoder.chat is None:
            return [before_stop(text, prompt.stop).strip() for text, prompt in zip(texts, prompts, strict=True)]
        replies = zip(texts, answers, prompts, strict=True)
        return [answer_in(text, prompt, was_cut=len(ids) >= prompt.tokens) for text, ids, prompt in replies]

    def reasoned(self, prompts: Sequence[FilledPrompt], tokens: Sequence[Tokens]) -> list[Tokens]:
        """Let the model reason about each prompt; return the tokens of the prompt, followed by those of the reasoning.

        Reasoning that reaches its limit of tokens is ended there. If the model does not reason, only the tokens of the
        prompt are returned.

        Args:
            prompts: the prompts.
            tokens: the tokens of each prompt.

        Raises:
            AugmentError: a single prompt with its reasoning does not fit into memory.
        """
        chat = self.encoder.chat
        if chat is None or not chat.reasoning:
            return list(tokens)
        ends = [end for _, end in REASONING]
        written = self._generated(prompts, tokens, [chat.reasoning] * len(prompts), "reason", [ends] * len(prompts))
        found = []
        for prompt, before, ids in zip(prompts, tokens, written, strict=True):
            text = self.pretrained.tokenizer.decode(ids)
            if closing(asked := chat.text(prompt)) or text.lstrip().startswith(tuple(start for start, _ in REASONING)):
                (rest,) = self.encoder.ids([closing(asked + text) or "\n\n"])
                before = np.concatenate([before, np.array(ids, dtype=np.int64), rest])  # noqa: PLW2901
            found.append(before)
        return found

    def _generated(
        self,
        prompts: Sequence[FilledPrompt],
        tokens: Sequence[Tokens],
        limits: Sequence[int],
        purpose: str,
        stops: Sequence[Sequence[str]],
    ) -> list[list[int]]:
        answers = generated(
            self.pretrained,
            tokens,
            Streams.of(digests(prompt.context for prompt in prompts), self.options.seed, purpose).keys,
            Decoding(top_p=self.options.top_p, penalties=False),
            np.array(limits, dtype=np.int64),
            stops=stops,
            batch_tokens=self.options.batch_tokens or _BATCH_TOKENS.on(self.pretrained.device),
        )
        return [ids or [] for ids in answers]


def batch_budget(pretrained: Pretrained, options: LoadingOptions) -> int:
    """Return how many tokens a batch may have, padding included, for a network that generates no text.

    Args:
        pretrained: the network; its device decides if the option `batch_tokens` is None.
        options: the options that the user set.
    """
    return options.batch_tokens or _ENCODED_TOKENS.on(pretrained.device)


def loaded(head: str, argument: str, device: str, options: LoadingOptions) -> Pretrained:
    """Load a model from a folder or from the hub.

    Args:
        head: the transformers class that loads it.
        argument: the folder or the name on the hub: ARGUMENT of `--model KIND:ARGUMENT`.
        device: auto, cpu or cuda[:N].
        options: the options that the user set.

    Raises:
        AugmentError: there is no such model, or an option is wrong.
    """
    return load(head, argument, device=device, dtype=options.dtype, device_map=options.device_map)


def signature_of(kind: str, pretrained: Pretrained, prompt: Prompt | None, options: Mapping[str, object]) -> str:
    """Return all that defines the answers of a model, as text.

    Args:
        kind: the kind of the model, as in `--model KIND:ARGUMENT`.
        pretrained: the network; its name and a digest of its weights are included.
        prompt: the prompt, of which a digest is included; None for a model without prompts.
        options: the options that change answers, by name.
    """
    parts = [kind, pretrained.name, f"weights={_weights_digest(pretrained)}", f"dtype={pretrained.dtype}"]
    if prompt is not None:
        parts.append(f"prompt={prompt.digest}")
    return "|".join([*parts, *(f"{name}={value}" for name, value in sorted(options.items()))])


def _weights_digest(pretrained: Pretrained) -> str:
    """Return an eight-digit digest of the tokenizer's size, and of each tensor's shape and about 64 of its numbers."""
    import torch  # noqa: PLC0415

    digest = blake2b(f"{len(pretrained.tokenizer)}".encode(), digest_size=4)
    for name, tensor in pretrained.model.state_dict().items():
        flat = tensor.detach().reshape(-1)
        numbers = flat[:: max(flat.numel() // 64, 1)].to("cpu", torch.float32).numpy()
        digest.update(f"{name}{tuple(tensor.shape)}".encode() + numbers.tobytes())
    return digest.hexdigest()
