"""The dependency tree of a text, as attacks on words ask it."""

from collections.abc import Iterator
from functools import cached_property

from augment_ru.language.inflection import WordForm, word_form
from augment_ru.text.doc import Doc, Token


class Syntax:
    """The tokens of a text with their children, sentences and forms; numbers are those of tokens."""

    def __init__(self, doc: Doc) -> None:
        self.doc = doc
        self.tokens = doc.tokens

    @cached_property
    def numbers(self) -> dict[int, int]:
        """The number of the token that starts at a place of the text."""
        return {token.start: number for number, token in enumerate(self.tokens)}

    @cached_property
    def children(self) -> list[list[int]]:
        """The children of each token, in the order of the text."""
        found: list[list[int]] = [[] for _ in self.tokens]
        for number, token in enumerate(self.tokens):
            if token.head != number:
                found[token.head].append(number)
        return found

    @cached_property
    def roots(self) -> list[int]:
        """The number of the root of each token; the tokens of a sentence have one root."""
        found = [-1] * len(self.tokens)
        for number in range(len(self.tokens)):
            way = [number]
            while found[way[-1]] < 0 and self.tokens[way[-1]].head not in way:
                way.append(self.tokens[way[-1]].head)
            root = found[way[-1]] if found[way[-1]] >= 0 else way[-1]
            for each in way:
                found[each] = root
        return found

    def sentence(self, number: int) -> Iterator[int]:
        """The tokens of the sentence of a token."""
        root = self.roots[number]
        return (other for other, its in enumerate(self.roots) if its == root)

    def child(self, number: int, *relations: str) -> int | None:
        """The first child that has one of these relations, or a subtype of it; None if there is none."""
        for other in self.children[number]:
            relation = self.tokens[other].relation
            if relation in relations or relation.partition(":")[0] in relations:
                return other
        return None

    def form(self, number: int) -> WordForm | None:
        """The form of a token; None if it is not certain."""
        token = self.tokens[number]
        return word_form(token.text, token.pos, token.features)

    def preposition(self, number: int) -> Token | None:
        """The preposition of a noun; None if it has none."""
        found = self.child(number, "case")
        return None if found is None else self.tokens[found]
