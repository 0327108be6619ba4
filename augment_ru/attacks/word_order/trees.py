"""The syntax tree of each sentence of a text, and the stretch of tokens that each word governs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from augment_ru.text.doc import Doc, Token

CLOSING = frozenset({".", "!", "…", "...", "!..", "!!!", "!!"})
"""Tokens that end a statement."""
_ENDS = CLOSING | {"?", "?!", "?..", "??", "???"}
_SIGNS = frozenset("%‰№§°$€₽£+")
"""Signs that belong to a word or number beside them, and are no punctuation."""


@dataclass(frozen=True, slots=True)
class SentenceTree:
    """The tokens of a sentence, and what each governs.

    Attributes:
        tokens: the tokens of the text.
        first, last: the numbers of the sentence's first token and of the one behind its last.
        marks: whether each token of the sentence is punctuation.
        dependents: the numbers of the dependents of each token of the sentence, without punctuation, in order.
        lows, highs: the numbers of the first and of the last word that each token governs, itself among them.
        sizes: how many words it governs; of punctuation 0.
    """

    tokens: Sequence[Token]
    first: int
    last: int
    marks: Sequence[bool]
    dependents: Sequence[Sequence[int]]
    lows: Sequence[int]
    highs: Sequence[int]
    sizes: Sequence[int]

    def is_mark(self, number: int) -> bool:
        """Whether a token of the text is punctuation."""
        return self.marks[number - self.first]

    def of(self, number: int) -> Sequence[int]:
        """The dependents of a token."""
        return self.dependents[number - self.first]

    def reach(self, number: int) -> tuple[int, int]:
        """The first and the last word that a token governs."""
        return self.lows[number - self.first], self.highs[number - self.first]

    def is_whole(self, number: int) -> bool:
        """Whether what a token governs stands together, with no punctuation in it."""
        at = number - self.first
        return self.highs[at] - self.lows[at] + 1 == self.sizes[at]


def trees_of(doc: Doc) -> Iterator[SentenceTree]:
    """The trees of a text's sentences; none of a sentence whose annotation is no tree."""
    tokens = doc.tokens
    heads = [token.head for token in tokens]
    crossings = [0] * (len(tokens) + 1)
    for number, head in enumerate(heads):
        low, high = (number, head) if number < head else (head, number)
        crossings[low] += 1
        crossings[high] -= 1
    first, depth = 0, 0
    for number in range(len(tokens)):
        depth += crossings[number]
        if depth == 0 and (number + 1 == len(tokens) or tokens[number].text in _ENDS):
            tree = _tree(tokens, heads, first, number + 1)
            if tree is not None:
                yield tree
            first = number + 1


def _tree(tokens: Sequence[Token], heads: Sequence[int], first: int, last: int) -> SentenceTree | None:
    """The tree of these tokens; None if they have a cycle."""
    size = last - first
    marks = [_is_punctuation(tokens[number].text) for number in range(first, last)]
    dependents: list[list[int]] = [[] for _ in range(size)]
    lows, highs, sizes = list(range(first, last)), list(range(first, last)), [0] * size
    for number in range(first, last):
        if marks[number - first]:
            continue
        if heads[number] != number:
            dependents[heads[number] - first].append(number)
        above, steps = number, 0
        while True:
            at = above - first
            lows[at] = min(lows[at], number)
            highs[at] = max(highs[at], number)
            sizes[at] += 1
            if heads[above] == above:
                break
            above, steps = heads[above], steps + 1
            if steps > size:
                return None
    return SentenceTree(tokens, first, last, marks, dependents, lows, highs, sizes)


def _is_punctuation(text: str) -> bool:
    return not any(char.isalnum() or char in _SIGNS for char in text)
