"""Turn prompts into the messages of a chat, and the messages into a text by the chat template of a tokenizer."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from augment_ru.errors import AugmentError, said, saying_instead
from augment_ru.inference.pretrained import short_digest
from augment_ru.prompting.prompt import FilledPrompt
from augment_ru.prompting.replies import REASONING, with_choices
from augment_ru.resources import folder
from augment_ru.strict_tables import read_toml

Message: TypeAlias = dict[str, str]
"""A message of a chat: its `role` (system, user, assistant) and its `content`."""

FORMS = ("turns", "message")
"""How demonstrations are shown: as turns of the user and the assistant, or in one message of the user."""


def messages_of(filled: FilledPrompt, form: str, system: str | None) -> list[Message]:
    """Return a prompt as the messages of a chat: the system's, if there is one, the demonstrations, and the question.

    Args:
        filled: the prompt.
        form: how demonstrations are shown: as `turns` of user and assistant, or all in one `message`.
        system: the system message; None for no message.
    """
    turns = filled.turns if form == "turns" else ((filled.context, ""),)
    found = [{"role": "system", "content": system}] if system else []
    for question, answer in turns:
        found.append({"role": "user", "content": question})
        found += [{"role": "assistant", "content": answer}] if answer else []
    return found


def system_of(given: str | None) -> str | None:
    """Return the system message that the option `system` of a model asks for.

    Args:
        given: the value of the option: `mera` for the message of the benchmark MERA (prompts/mera.toml), any other text
            for itself, None for no message.

    Raises:
        AugmentError: the prompt file cannot be read.
    """
    if given != "mera":
        return given
    return str(read_toml(folder("prompts") / "mera.toml", "prompts/mera.toml")["system"])


def asked_to_choose(filled: FilledPrompt, language: str) -> FilledPrompt:
    """List the choices of a prompt after its question, for a model that answers by a written reply; return the prompt.

    Args:
        filled: the prompt.
        language: the language of the words around the list: `en` for English, any other for Russian.
    """
    *shown, (question, _) = filled.turns
    context, question = (with_choices(text, filled, language) for text in (filled.context, question))
    return replace(filled, context=context, turns=(*shown, (question, "")))


class Chat(NamedTuple):
    """The chat template of a tokenizer, and how it is used.

    Attributes:
        tokenizer: a tokenizer of transformers with a chat template.
        form: how demonstrations are shown: as `turns` of user and assistant, or all in one `message`.
        system: the system message; None for no message.
        reasoning: the most tokens of a reasoning block before the answer; 0 for none.
    """

    tokenizer: Any
    form: str
    system: str | None
    reasoning: int

    @property
    def signature(self) -> str:
        """All that defines the text of a chat: template, way of showing demonstrations, system message, reasoning."""
        template = short_digest(str(self.tokenizer.chat_template).encode())
        system = short_digest((self.system or "").encode())
        return f"{self.form},template-{template},system-{system},reasoning-{self.reasoning}"

    def text(self, filled: FilledPrompt) -> str:
        """Return the text of a prompt in the tokenizer's chat template, up to the place of the answer.

        If the template refuses or drops the system message, it is put at the beginning of the user's first message.
        If the template opens a reasoning block, but the model is not to reason, the block is closed.

        Raises:
            AugmentError: the template refuses the messages.
        """
        messages = messages_of(filled, self.form, self.system)
        try:
            text = self._rendered(messages)
            kept = self.system is None or self.system.strip() in text
        except AugmentError:
            if self.system is None:
                raise
            kept = False
        if not kept:
            first, second, *others = messages
            text = self._rendered([{**second, "content": f"{first['content']}\n\n{second['content']}"}, *others])
        return text if self.reasoning else text + closing(text)

    def _rendered(self, messages: Sequence[Message]) -> str:
        with saying_instead(lambda error: f"the chat template of the model: {said(error)}; give chat=none", Exception):
            text: str = self.tokenizer.apply_chat_template(
                list(messages), tokenize=False, add_generation_prompt=True, enable_thinking=self.reasoning > 0
            )
        return text


def closing(text: str) -> str:
    r"""Return what must follow a text to close its reasoning block; "" if no block is open at the end of the text.

    >>> closing("<think> Да или нет?"), closing("<think>Да.</think>")
    ('\n</think>\n\n', '')
    """
    ends = [f"\n{end}\n\n" for start, end in REASONING if text.rfind(start) > text.rfind(end)]
    return ends[0] if ends else ""
