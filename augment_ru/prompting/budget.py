"""How much of a prompt the row and each demonstration may fill: RAFT's budget (Alex et al. 2021, section 4.1.1)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from augment_ru.errors import AugmentError
from augment_ru.prompting.template import LABEL, Template


@dataclass(frozen=True, slots=True)
class Budget:
    """How many tokens a prompt may have, and whose tokens they are.

    Attributes:
        tokens: of the whole prompt and its answer.
        count: the number of tokens of a text.
        cut: the beginning of a text that has at most so many tokens.
    """

    tokens: int
    count: Callable[[str], int]
    cut: Callable[[str, int], str]


class Shares:
    """What of a budget the row and each demonstration get (RAFT, section 4.1.1)."""

    __slots__ = ("_budget", "_demonstration", "_target")

    def __init__(self, budget: Budget, head: str, separator: str, shots: int, answer: int) -> None:
        left = budget.tokens - budget.count(head) - shots * budget.count(separator) - answer
        self._budget = budget
        self._target = left // 4 if shots else left
        self._demonstration = 3 * left // (4 * shots) if shots else 0

    def target(self, template: Template, values: Mapping[str, str], words: Sequence[str]) -> dict[str, str]:
        """The values of the row, cut so that there is room for every label."""
        return self._cut(template, values, max(words, key=self._budget.count, default=""), self._target)

    def demonstration(self, template: Template, values: Mapping[str, str], word: str) -> dict[str, str]:
        """The values of a demonstration, cut."""
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
        order = sorted(values, key=lambda name: len(values[name]))  # short ones whole, the longest is cut first
        for name in order:
            times = template.names.count(name)
            found[name] = budget.cut(values[name], left // times)
            left = max(left - budget.count(found[name]) * times, 0)
        while order and (excess := budget.count(template.fill({**found, LABEL: word})) - share) > 0:
            last = order[-1]  # a text in its place may have a token more than by itself
            found[last] = budget.cut(found[last], max(budget.count(found[last]) - excess, 0))
            if not found[last]:
                order.pop()
        return found
