"""The syntax tree of a text or of one of its sentences, as attacks read it: heads, children, prepositions, subtrees."""

from collections.abc import Iterator
from copy import copy
from functools import cached_property

from augment_ru.language.inflection import WordForm, word_form
from augment_ru.records.groups import grouped
from augment_ru.text.batch import Batch
from augment_ru.text.doc import Doc, Token

CLOSING = frozenset({".", "!", "…", "...", "!..", "!!!", "!!"})
"""Tokens that end a statement."""
ENDS = CLOSING | {"?", "?!", "?..", "??", "???"}
_SIGNS = frozenset("%‰№§°$€₽£+")
"""Signs that belong to the word or number beside them; a token of such signs is not punctuation."""


def trees_of(batch: Batch) -> "list[Syntax]":
    """Return the syntax tree of each text of a batch; call it by `Batch.once`, so that all candidates share them."""
    return list(map(Syntax, batch.docs))


class Syntax:
    """The syntax tree of a text, or of one of its sentences.

    Methods take and return the indices of tokens in the text, from 0. A token governs itself and the words below it in
    the tree.

    Args:
        doc: the text with its annotation.

    Attributes:
        tokens: the tokens of the text.
        heads: the index of the head of each token; a root is its own head.
        first, last: the range of the tokens of this sentence or text, by their indices; `last` is one past the last
            token.
    """

    def __init__(self, doc: Doc) -> None:
        self.doc, self.tokens = doc, doc.tokens
        self.heads = [token.head for token in doc.tokens]
        self.first, self.last = 0, len(doc.tokens)

    @cached_property
    def numbers(self) -> dict[int, int]:
        """Maps the place in the text where a token starts to the index of the token, from 0."""
        return {token.start: number for number, token in enumerate(self.tokens)}

    @cached_property
    def children(self) -> list[list[int]]:
        """For each token, the indices of the tokens whose head it is, in the order of the text."""
        found: list[list[int]] = [[] for _ in self.tokens]
        for number, head in enumerate(self.heads):
            if head != number:
                found[head].append(number)
        return found

    @cached_property
    def marks(self) -> list[bool]:
        """Whether each token is punctuation."""
        return [not any(char.isalnum() or char in _SIGNS for char in token.text) for token in self.tokens]

    @cached_property
    def dependents(self) -> list[list[int]]:
        """For each token, the indices of the tokens whose head it is, without punctuation."""
        return [[child for child in row if not self.marks[child]] for row in self.children]

    @cached_property
    def _governed(self) -> tuple[list[int], list[int], list[int]]:
        """For each token: the first and the last word that it governs, and how many words it governs.

        A token governs itself, unless it is punctuation. Words whose heads form a cycle, and words below them, are not
        counted.
        """
        numbers = range(len(self.tokens))
        lows, highs, sizes = list(numbers), list(numbers), [0] * len(numbers)
        for number in numbers:
            above = -1 if self.marks[number] or self._is_cyclic(number) else number
            while above >= 0:
                lows[above], highs[above] = min(lows[above], number), max(highs[above], number)
                sizes[above] += 1
                above = self.heads[above] if self.heads[above] != above else -1
        return lows, highs, sizes

    def _is_cyclic(self, number: int) -> bool:
        root = self.roots[number]
        return self.heads[root] != root

    def reach(self, number: int) -> tuple[int, int]:
        """Return the indices of the first and the last word that a token governs in the syntax tree, itself included.

        For punctuation, which governs nothing, both are its own index.

        Args:
            number: the index of the token, from 0.
        """
        return self._governed[0][number], self._governed[1][number]

    def size(self, number: int) -> int:
        """Return how many words the token with this index governs in the tree, itself included; 0 for punctuation."""
        return self._governed[2][number]

    def is_whole(self, number: int) -> bool:
        """Tell whether the token with this index and all words below it are one range, without punctuation inside."""
        low, high = self.reach(number)
        return high - low + 1 == self.size(number)

    def sentences(self) -> Iterator["Syntax"]:
        """Yield the tree of each sentence, with its closing marks; skip sentences whose annotation is not a tree."""
        crossings = [0] * (len(self.tokens) + 1)
        for number, head in enumerate(self.heads):
            crossings[min(number, head)] += 1
            crossings[max(number, head)] -= 1
        _ = self.dependents, self._governed  # computed for the text, so that all sentences share them
        first = depth = 0
        for number, token in enumerate(self.tokens):
            depth += crossings[number]
            if depth == 0 and (number + 1 == len(self.tokens) or token.text in ENDS):
                if not any(self._is_cyclic(at) for at in range(first, number + 1) if not self.marks[at]):
                    sentence = copy(self)
                    sentence.first, sentence.last = first, number + 1
                    yield sentence
                first = number + 1

    @cached_property
    def roots(self) -> list[int]:
        """For each token, the index of the root of its tree."""
        found = [-1] * len(self.tokens)
        for number in range(len(self.tokens)):
            way, last = {number: None}, number
            while found[last] < 0 and self.heads[last] not in way:
                last = self.heads[last]
                way[last] = None
            root = found[last] if found[last] >= 0 else last
            for each in way:
                found[each] = root
        return found

    @cached_property
    def trees(self) -> dict[int, list[int]]:
        """Maps the index of each root to the indices of the tokens of its tree, in the order of the text.

        The root is one of these tokens.
        """
        return grouped((root, number) for number, root in enumerate(self.roots))

    def tree(self, number: int) -> list[int]:
        """Return the indices of all tokens in the tree of the token with this index, in the order of the text."""
        return self.trees[self.roots[number]]

    def child(self, number: int, *relations: str) -> int | None:
        """Return the index of the first token that depends on a token by one of these relations; None without one.

        A subtype of a relation counts, too: `acl:relcl` for `acl`.

        Args:
            number: the index of the token, from 0.
            relations: universal dependency relations, such as `nsubj`.
        """
        for other in self.children[number]:
            relation = self.tokens[other].relation
            if relation in relations or relation.partition(":")[0] in relations:
                return other
        return None

    def form(self, number: int) -> WordForm | None:
        """Return the form (lemma, case and so on) of the token with this index; None if it is not certain."""
        token = self.tokens[number]
        return word_form(token.text, token.pos, token.features)

    def preposition(self, number: int) -> Token | None:
        """Return the preposition of a noun; None if the noun has no preposition.

        Args:
            number: the index of the noun's token, from 0.
        """
        found = self.child(number, "case")
        return None if found is None else self.tokens[found]
