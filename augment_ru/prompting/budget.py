"""How many tokens of a prompt the row and each demonstration may fill (RAFT; Alex et al. 2021, section 4.1.1)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from augment_ru.errors import AugmentError
from augment_ru.prompting.template import LABEL, Template


@dataclass(frozen=True, slots=True)
class PromptBudget:
    """How many tokens a prompt may have, and the tokenizer that counts them.

    Attributes:
        tokens: the most tokens of the whole prompt with its answer.
        count: returns the number of tokens of a text.
        cut: returns the longest beginning of a text with at most this many tokens.
    """

    tokens: int
    count: Callable[[str], int]
    cut: Callable[[str, int], str]


class BudgetShares:
    """The shares of a budget for the row and for each demonstration (RAFT, section 4.1.1).

    Args:
        budget: the budget of the whole prompt.
        head: the instruction, with the separator after it.
        separator: the text between the parts of the prompt.
        shots: the number of demonstrations.
        answer: tokens that are kept free for a written answer.
    """

    __slots__ = ("_budget", "_demonstration", "_target")

    def __init__(self, budget: PromptBudget, head: str, separator: str, shots: int, answer: int) -> None:
        left = budget.tokens - budget.count(head) - shots * budget.count(separator) - answer
        self._budget = budget
        self._target = left // 4 if shots else left
        self._demonstration = 3 * left // (4 * shots) if shots else 0

    def target(self, template: Template, values: Mapping[str, str], words: Sequence[str]) -> dict[str, str]:
        """The values of the row, cut so that the template, with the longest of the words as its label, fits the share.

        Raises:
            AugmentError: template and label alone are longer than the share.
        """
        return self._cut(template, values, max(words, key=self._budget.count, default=""), self._target)

    def demonstration(self, template: Template, values: Mapping[str, str], word: str) -> dict[str, str]:
        """The values of a demonstration, cut so that the template, with this word as its label, fits the share.

        Raises:
            AugmentError: template and label alone are longer than the share.
        """
        return self._cut(template, values, word, self._demonstration)

    def _cut(self, template: Template, values: Mapping[str, str], word: str, share: int) -> dict[str, str]:
        budget = self._budget
        left = share - budget.count(template.fill({**dict.fromkeys(values, ""), LABEL: word}))
        if left < 0:
            raise AugmentError(
                f"a budget of {budget.tokens} tokens leaves {share} for this text, and its template and label alone "
                f"have {share - left}; raise it, or take fewer demonstrations"
            )
        found: dict[str, str] = {}
        order = sorted(values, key=lambda name: len(values[name]))  # the longest value is cut first
        for name in order:
            times = template.names.count(name)
            found[name] = budget.cut(values[name], left // times)
            left = max(left - budget.count(found[name]) * times, 0)
        while order and (excess := budget.count(template.fill({**found, LABEL: word})) - share) > 0:
            last = order[-1]  # inside the template a text may have a token more than alone
            found[last] = budget.cut(found[last], max(budget.count(found[last]) - excess, 0))
            if not found[last]:
                order.pop()
        return found
