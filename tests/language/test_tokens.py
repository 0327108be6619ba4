"""The tokens of a text are those of razdel, whether it was asked or not."""

import pytest
import razdel
from hypothesis import example, given, settings
from hypothesis import strategies as st

from augment_ru.language.tokens import token_ranges
from profiles import IS_FULL, examples
from strategies import SENTENCES, texts

PIECES = ["кот", "кто-то", "Ёж", "ᲀ", "5", "12", "x", "yahoo", "—", "-", "_", ".", ",", "?!", "…", "!", ":", ";", ")"]
PIECES += ["(", "«", "»", '"', "/", "\\", "🐱", "é", "σ", " ", "  ", "\n", "\u00a0", "\u200b", "\x1c"]


def of_razdel(text: str) -> list[tuple[int, int]]:
    return [(token.start, token.stop) for token in razdel.tokenize(text)]


@settings(max_examples=examples(400))
@example(pieces=["кто", "-", " ", "то"])
@example(pieces=["5", ",", " ", "6"])
@example(pieces=["«", "кот", "»", ",", " ", ":", " ", ")"])
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=12))
def test_tokens_of_pieces_are_those_of_razdel(pieces: list[str]) -> None:
    assert token_ranges("".join(pieces)) == of_razdel("".join(pieces))


@given(text=texts())
def test_tokens_of_texts_are_those_of_razdel(text: str) -> None:
    assert token_ranges(text) == of_razdel(text)


@pytest.mark.parametrize("text", SENTENCES)
def test_tokens_of_sentences_are_those_of_razdel(text: str) -> None:
    assert token_ranges(text) == of_razdel(text)


def test_long_texts_take_linear_time() -> None:
    words = 200_000 if IS_FULL else 50_000
    assert len(token_ranges("а " * words + "(")) == words + 1
    chain = "кот-" * (words // 4)
    assert len(token_ranges(chain)) == len(of_razdel(chain))
